# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest

from harness import Modules

pytestmark = pytest.mark.every_core

SCRIPT_A = {
    "script_id": "0a" * 16,
    "script_url": "https://cdn.example.net/a.js",
    "host": "shop.example.com",
    "status": "active",
    "js_integrity_score": 87,
    "malicious_url_categories": ["Malware"],
    "seen_on": ["https://shop.example.com/cart"],
    "versions": [{"hash": "ab" * 32, "js_integrity_score": 87, "fetched_at": "2026-03-01T23:10:02Z"}],
}
SCRIPT_B = {
    "script_id": "0b" * 16,
    "script_url": "https://cdn.example.net/b.js",
    "host": "www.example.com",
    "status": "infrequent",
}
SCRIPT_C = {"script_id": "0c" * 16, "host": "www.example.com", "status": "active", "js_integrity_score": 50}
READ = "edgeops.observability.script_monitor_info"
OFF = "^The script monitor of the zone is disabled"


@pytest.fixture
def scripts(simulator: t.Any, zone: str) -> None:
    simulator.seed(scripts={zone: [SCRIPT_C, SCRIPT_B, SCRIPT_A]}, script_monitor={zone: {"enabled": True}})


def read(modules: Modules, options: dict[str, t.Any] | None = None, **run: t.Any) -> dict[str, t.Any]:
    result = modules.run({"name": "Read", READ: options or {}}, **run).ours[-1].result
    return t.cast("dict[str, t.Any]", result)


@pytest.mark.parametrize("route", ["script_monitor", "page_shield"])
def test_each_change_is_one_read_and_one_write(modules: Modules, route: str) -> None:
    """Each switch on or off needs one read and one write."""
    steps = modules.converge_each("script_monitor", [{"enabled": enabled, "route": route} for enabled in (True, False, True)])
    for step, enabled in zip(steps, (True, False, True), strict=True):
        assert [entry["method"] for entry in step.applied.journal] == ["GET", "PUT"]
        assert step.writes[0]["body"] == {"enabled": enabled}
        assert step.writes[0]["path"].endswith(f"/{route}")
        assert step.diff == {"before": {"enabled": not enabled}, "after": {"enabled": enabled}}
        assert step.result["script_monitor"]["enabled"] is enabled
        assert step.applied.result["script_monitor"]["updated_at"] > (step.predicted.result["script_monitor"]["updated_at"] or "")


def test_answer_with_another_value_fails(modules: Modules, simulator: t.Any) -> None:
    simulator.faults({"kind": "rewrite", "set": {"enabled": False}, "method": "PUT"})
    modules.run({"name": "Write", "edgeops.observability.script_monitor": {"enabled": True}}, fails="bad_response")


CONNECTIONS = [
    {"id": f"{n}c" * 16, "url": url, "host": "shop.example.com", "page_urls": [f"https://shop.example.com/{n}"]}
    | {"url_contains_cdn_cgi_path": "cdn-cgi" in url}
    for n, url in enumerate(("https://api.example.net/v1", "https://shop.example.com/cdn-cgi/rum", "https://pay.example.net/"), 1)
]
COOKIES = [{"id": f"{n}d" * 16, "name": f"c{n}", "host": "shop.example.com"} for n in (2, 1)]


def test_all_connections_and_cookies_are_listed(modules: Modules, simulator: t.Any, scripts: None) -> None:
    """All pages are read, including resources of Cloudflare itself, with either route for scripts."""
    simulator.seed(connections={modules.zone: CONNECTIONS}, cookies={modules.zone: COOKIES})
    result = read(modules, {"resources": ["connections", "cookies", "scripts"], "per_page": 1}, check=True)
    assert [connection["url"] for connection in result["connections"]] == [connection["url"] for connection in CONNECTIONS]
    assert [cookie["name"] for cookie in result["cookies"]] == ["c1", "c2"]
    assert result["summary"]["total"] == 2
    narrow = {"resources": ["connections"], "page_url": ["*/3"], "hosts": ["shop.*"], "status": ["active", "inactive"]}
    result = read(modules, narrow, check=True)
    assert [connection["url"] for connection in result["connections"]] == ["https://pay.example.net/"]
    assert (result["scripts"], result["summary"], result["cookies"]) == (None, None, None)


def test_retry_without_refused_query_parameters(modules: Modules, simulator: t.Any, scripts: None) -> None:
    """The module retries without these parameters and warns; if the API refuses that request, too, it fails."""
    fault = {"kind": "status", "status": 400, "code": 1999, "path": "*/page_shield/scripts"}
    task = {"name": "Read", READ: {"route": "page_shield", "status": ["active"]}}
    simulator.faults(fault)
    report = modules.run(task, warns=["^The list may be incomplete: .* refuses exclude_cdn_cgi and exclude_duplicates"])
    assert report.result["summary"]["total"] == 2
    first, second = [entry["query"] for entry in report.journal if entry["path"].endswith("/page_shield/scripts")]
    assert "exclude_duplicates=false" in first and "exclude" not in second and "status=active" in second
    simulator.faults({**fault, "count": None})
    modules.run(task, fails="rejected")


def test_one_script_is_read_by_its_id(modules: Modules, scripts: None) -> None:
    """The result has versions and pages; a missing script is a failure, and options of listings are refused."""
    result = read(modules, {"script_id": SCRIPT_A["script_id"]})
    assert len(modules.simulator.journal()) == 2
    (script,) = result["scripts"]
    assert (script["versions"], script["seen_on"]) == (SCRIPT_A["versions"], SCRIPT_A["seen_on"])
    assert result["summary"]["total"] == 1
    read(modules, {"script_id": "ff"}, fails="not_found")
    for option in ({"hosts": ["a"]}, {"status": ["active"]}, {"per_page": 5}):
        read(modules, {"script_id": "ff", **option}, fails="invalid_option")


def test_page_shield_uses_its_names_and_scores_and_lists_everything(modules: Modules, simulator: t.Any) -> None:
    """The route is also detected without the option; duplicates and scripts of Cloudflare itself are omitted unless requested."""
    simulator.settings(script_monitor_routes=False)
    twin = {**SCRIPT_A, "script_id": "1a" * 16, "script_url": "https://cdn.example.net/twin.js", "js_integrity_score": 90}
    own = {**SCRIPT_C, "script_url": "https://shop.example.com/cdn-cgi/challenge.js", "appears_in_cdn_cgi_path": True}
    simulator.seed(scripts={modules.zone: [SCRIPT_A, twin, own]})
    options = {"malicious_threshold": 13, "malicious_only": True, "members": ["script_url", "malicious_reasons"]}
    result = read(modules, options, warns=[OFF])
    reasons = ["js_integrity_score 10 is below 13", "URL category: Malware"]
    assert result["scripts"] == [{"script_url": twin["script_url"], "malicious_reasons": reasons}]
    assert result["summary"]["total"] == 3
