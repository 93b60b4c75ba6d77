# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t

import pytest

SCRIPTS = [
    {
        "script_id": f"{n:032x}",
        "script_url": f"https://cdn{n}.example/a.js",
        "host": f"h{n % 2}.shop.example",
        "js_integrity_score": 40 + n,
        "count": n,
        "hash": f"{n:064x}",
        "fetched_at": "2026-01-01T00:00:00Z",
        "seen_on_first": "https://shop.example/",
    }
    for n in range(25)
]
SCRIPTS[3]["status"] = "infrequent"
SCRIPTS[4]["hidden"] = ["hash", "js_integrity_score"]


@pytest.fixture
def scripts(sim: t.Any) -> None:
    sim.seed(scripts={sim.zone: SCRIPTS})


def test_status_starts_off_and_put_updates_time(zone: t.Any) -> None:
    """The monitor is off at the start, and each PUT sets the time."""
    first = zone.result("GET", "/script_monitor")
    on = zone.result("PUT", "/script_monitor", {"enabled": True})
    again = zone.result("PUT", "/script_monitor", {"enabled": True})
    assert (first["enabled"], on["enabled"], again["enabled"]) == (False, True, True)
    assert first["updated_at"] < on["updated_at"] < again["updated_at"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", again["updated_at"])
    assert zone.result("GET", "/script_monitor") == again


@pytest.mark.parametrize("body", [None, {}, [], "x", {"enabled": "true"}, {"enabled": 1}, {"enabled": None}])
def test_put_without_boolean_is_refused(zone: t.Any, body: t.Any) -> None:
    """A PUT without a boolean is refused and changes nothing."""
    before = zone.result("GET", "/script_monitor")
    assert zone.refusal("PUT", "/script_monitor", body)[0] == 400
    assert zone.result("GET", "/script_monitor") == before


def test_zones_share_no_state(zone: t.Any, other_zone: t.Any) -> None:
    zone.result("PUT", "/script_monitor", {"enabled": True})
    assert other_zone.result("GET", "/script_monitor")["enabled"] is False


def test_active_scripts_are_listed_in_pages(zone: t.Any, scripts: None) -> None:
    """The listing contains active scripts, page by page."""
    status, envelope = zone("GET", "/script_monitor/scripts?page=3&per_page=10")
    assert status == 200
    assert envelope["result_info"] == {"page": 3, "per_page": 10, "count": 4, "total_count": 24, "total_pages": 3}
    assert [s["script_id"] for s in envelope["result"]] == [f"{n:032x}" for n in (21, 22, 23, 24)]
    assert not {"seen_on", "versions"} & set(envelope["result"][0])
    assert zone("GET", "/script_monitor/scripts?page=4&per_page=10")[1]["result"] == []


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("status=infrequent", 1),
        ("status=active,infrequent", 25),
        ("status=", 24),
        ("hosts=h0.shop.example", 13),
        ("hosts=h0.shop.example,h1.shop.example", 24),
        ("hosts=*.shop.example", 24),
        ("hosts=h1*&status=active,infrequent", 12),
        ("hosts=%2Ashop%2A", 24),
        ("hosts=shop.example", 0),
    ],
)
def test_filters_select_scripts(zone: t.Any, scripts: None, query: str, count: int) -> None:
    assert zone("GET", f"/script_monitor/scripts?per_page=100&{query}")[1]["result_info"]["total_count"] == count


@pytest.mark.parametrize("query", ["page=0", "page=x", "per_page=0", "per_page=101", "per_page=-1", "page=1.5"])
def test_numbers_outside_their_range_are_refused(zone: t.Any, query: str) -> None:
    assert zone.refusal("GET", f"/script_monitor/scripts?{query}")[0] == 400


def test_page_size_is_reduced_to_the_maximum(sim: t.Any, zone: t.Any, scripts: None) -> None:
    sim.settings(max_per_page=7)
    info = zone("GET", "/script_monitor/scripts?per_page=100")[1]["result_info"]
    assert (info["per_page"], info["count"], info["total_pages"]) == (7, 7, 4)
    sim.settings(result_info=False)
    assert "result_info" not in zone("GET", "/script_monitor/scripts")[1]


def test_single_script_has_its_details(zone: t.Any, scripts: None) -> None:
    script = zone.result("GET", f"/script_monitor/scripts/{7:032x}")
    assert script["seen_on"] == ["https://shop.example/"]
    assert script["versions"] == [{"hash": f"{7:064x}", "js_integrity_score": 47, "fetched_at": "2026-01-01T00:00:00Z"}]
    hidden = zone.result("GET", f"/script_monitor/scripts/{4:032x}")
    assert not {"hash", "js_integrity_score", "hidden"} & set(hidden) and hidden["versions"] == []
    assert zone.refusal("GET", "/script_monitor/scripts/" + "f" * 32)[0] == 404


def test_page_shield_shows_the_same_state(zone: t.Any, sim: t.Any, scripts: None) -> None:
    """page_shield shows the same state under its own names."""
    put = zone.result("PUT", "/page_shield", {"enabled": True, "use_connection_url_path": True})
    assert put == zone.result("GET", "/page_shield")
    assert put.pop("updated_at") == zone.result("GET", "/script_monitor")["updated_at"]
    assert put == {"enabled": True, "use_cloudflare_reporting_endpoint": True, "use_connection_url_path": True}
    zone.result("PUT", "/page_shield", {"use_connection_url_path": False})
    assert zone.result("GET", "/script_monitor")["enabled"] is True
    assert zone.result("GET", "/page_shield")["use_connection_url_path"] is False
    one = zone.result("GET", f"/page_shield/scripts/{7:032x}")
    assert (one["id"], one["url"], one["js_integrity_score"]) == (f"{7:032x}", "https://cdn7.example/a.js", 53)
    assert one["page_urls"] == ["https://shop.example/"] and one["versions"][0]["js_integrity_score"] == 53
    assert "count" not in one and "script_id" not in one
    assert len(zone.result("GET", "/page_shield/scripts?page=all")) == 24
    sim.settings(page_shield_routes=False)
    assert zone.refusal("GET", "/page_shield")[:2] == (404, 7003)


REQUIRED = ("id", "url", "host", "added_at", "first_seen_at", "last_seen_at", "url_contains_cdn_cgi_path")


def test_defaults_of_omitted_members(sim: t.Any, zone: t.Any) -> None:
    """page_shield adds required members that the seed omits; the older route returns only seeded members."""
    bare, seen = {"script_id": "a" * 32, "host": "h"}, {"script_id": "b" * 32, "fetched_at": "2026-05-01T00:00:00Z"}
    late = {"script_id": "c" * 32, "first_seen_at": "2026-02-01T00:00:00Z", "last_seen_at": "2026-03-01T00:00:00Z"}
    sim.seed(scripts={sim.zone: [bare, seen, late, {"script_id": "d" * 32, "hidden": ["added_at", "appears_in_cdn_cgi_path"]}]})
    first, second, third, fourth = listed = zone.result("GET", "/page_shield/scripts")
    assert all(set(REQUIRED) <= script.keys() for script in listed[:3])
    assert (first["host"], first["added_at"], first["url_contains_cdn_cgi_path"]) == ("h", "2026-01-01T00:00:00Z", False)
    assert second["first_seen_at"] == second["last_seen_at"] == second["added_at"] == "2026-05-01T00:00:00Z"
    assert (third["added_at"], third["last_seen_at"]) == ("2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z")
    assert set(REQUIRED) - fourth.keys() == {"added_at", "url_contains_cdn_cgi_path"}
    assert zone.result("GET", f"/page_shield/scripts/{'a' * 32}").items() >= first.items()
    assert zone.result("GET", "/script_monitor/scripts")[:2] == [bare, seen]


def test_fifty_thousand_scripts_are_paged(sim: t.Any, zone: t.Any) -> None:
    """Fifty thousand scripts can be seeded and listed in pages."""
    sim.seed(scripts={sim.zone: [{"script_id": f"{n:032x}", "host": "a.example"} for n in range(50_000)]})
    zone("GET", "/script_monitor/scripts")
    for page in range(1, 41):
        assert zone("GET", f"/script_monitor/scripts?page={page * 10}&per_page=100")[1]["result_info"]["count"] == 100
