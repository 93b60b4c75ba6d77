# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

import pytest

PAY = "https://shop.example/pay"
SCRIPTS = [
    {"script_id": "a", "script_url": "https://cdn.example/a.js", "host": "shop.example", "hash": "1" * 64, "seen_on": [PAY, f"{PAY}/done"],
     "js_integrity_score": 95, "malware_score": 3, "first_seen_at": "2026-02-01T00:00:00Z"},
    {"script_id": "b", "script_url": "https://cdn.example/b.js", "host": "shop.example", "hash": "1" * 64, "seen_on_first": "https://shop.example/"},
    {"script_id": "c", "script_url": "https://shop.example/cdn-cgi/c.js", "host": "shop.example", "appears_in_cdn_cgi_path": True},
    {"script_id": "d", "script_url": "https://evil.example/d.js", "host": "blog.example", "status": "infrequent", "url_reported_malicious": True},
    {"script_id": "e", "script_url": "https://old.example/e.js", "host": "blog.example", "status": "inactive"},
]  # fmt: skip
CONNECTIONS = [
    {"id": "a", "url": "https://api.example/v1", "host": "shop.example", "page_urls": [PAY]},
    {"id": "b", "url": "https://beacon.example/b", "host": "blog.example", "domain_reported_malicious": True, "malicious_domain_categories": ["Phishing"]},
    {"id": "c", "url": "https://shop.example/cdn-cgi/rum", "host": "shop.example", "url_contains_cdn_cgi_path": True},
    {"id": "d", "url": "https://rare.example/", "host": "shop.example", "status": "infrequent", "hidden": ["added_at"]},
]  # fmt: skip
COOKIES = [
    {"id": "a", "name": "Sid", "host": "shop.example", "page_urls": [PAY], "secure_attribute": True, "http_only_attribute": True,
     "same_site_attribute": "lax", "path_attribute": "/", "domain_attribute": "shop.example", "max_age_attribute": 3600},
    {"id": "b", "name": "_track", "host": "blog.example", "type": "unknown", "secure_attribute": False, "last_seen_at": "2026-03-01T00:00:00Z"},
    {"id": "c", "host": "shop.example"},
]  # fmt: skip
ALL = "exclude_duplicates=false&exclude_cdn_cgi=false&status=active,infrequent,inactive"


@pytest.fixture(autouse=True)
def seen(sim: t.Any) -> None:
    sim.seed(scripts={sim.zone: SCRIPTS}, connections={sim.zone: CONNECTIONS}, cookies={sim.zone: COOKIES})


LISTINGS = [
    ("scripts", "", "a"), ("scripts", ALL, "abcde"), ("scripts", "exclude_duplicates=false", "ab"), ("scripts", "exclude_cdn_cgi=false", "ac"),
    ("scripts", f"{ALL}&page_url={PAY}", "a"), ("scripts", f"{ALL}&page_url=*/done", "a"), ("scripts", f"{ALL}&page_url={PAY}*,https://shop.example/", "ab"),
    ("scripts", f"{ALL}&prioritize_malicious=true", "dabce"), ("scripts", f"{ALL}&urls=evil,old", "de"), ("scripts", f"{ALL}&exclude_urls=.example", ""),
    ("scripts", f"{ALL}&page=2&per_page=2", "cd"), ("scripts", f"{ALL}&page=all&per_page=2", "abcde"), ("scripts", "status=infrequent", "d"),
    ("connections", "", "ab"), ("connections", "exclude_cdn_cgi=false&status=active,infrequent", "abcd"), ("connections", "hosts=blog.*", "b"),
    ("connections", f"page_url={PAY}", "a"), ("connections", "prioritize_malicious=true", "ba"), ("connections", "urls=api", "a"),
    ("cookies", "", "abc"), ("cookies", "hosts=shop.example", "ac"), ("cookies", "name=S*", "a"), ("cookies", "secure=true", "a"),
    ("cookies", "secure=false", "bc"), ("cookies", "http_only=true&same_site=lax", "a"), ("cookies", "type=unknown", "b"),
    ("cookies", "path=/&domain=shop.example", "a"), ("cookies", f"page_url={PAY}", "a"), ("cookies", "order_by=last_seen_at&direction=desc", "bac"),
    ("cookies", "page=2&per_page=2", "c"),
]  # fmt: skip


@pytest.mark.parametrize(("resource", "query", "ids"), LISTINGS)
def test_listings_are_filtered_and_sorted(zone: t.Any, resource: str, query: str, ids: str) -> None:
    status, envelope = zone("GET", f"/page_shield/{resource}?{query}")
    assert status == 200 and "".join(item["id"] for item in envelope["result"]) == ids
    assert envelope["result_info"]["count"] == len(ids)


def test_direction_of_scores(zone: t.Any) -> None:
    """A score of 1 means certainly malicious; the older route has its own score only."""
    (newer,) = zone.result("GET", "/page_shield/scripts")
    assert (newer["js_integrity_score"], newer["malware_score"], newer["page_urls"]) == (5, 3, [PAY, f"{PAY}/done"])
    older = zone.result("GET", "/script_monitor/scripts/a")
    assert older["js_integrity_score"] == 95 and "malware_score" not in older
    assert all(not {"malware_score", "seen_on"} & script.keys() for script in zone.result("GET", "/script_monitor/scripts"))


def test_items_have_required_members(zone: t.Any) -> None:
    usual = {"added_at", "first_seen_at", "last_seen_at"}
    connection = zone.result("GET", "/page_shield/connections/b")
    assert connection.items() >= CONNECTIONS[1].items() and usual <= connection.keys()
    assert not {"added_at", "hidden"} & zone.result("GET", "/page_shield/connections/d").keys()
    cookie = zone.result("GET", "/page_shield/cookies/a")
    assert cookie.items() >= COOKIES[0].items() and cookie["type"] == "first_party"
    assert zone.result("GET", "/page_shield/cookies/c")["name"] == ""


def test_missing_objects_and_routes_are_refused(zone: t.Any, other_zone: t.Any, sim: t.Any) -> None:
    for resource in ("connections", "cookies"):
        assert zone.refusal("GET", f"/page_shield/{resource}/x")[0] == 404
        assert zone.refusal("GET", f"/page_shield/{resource}?per_page=101")[0] == 400
        assert other_zone.result("GET", f"/page_shield/{resource}") == []
    sim.settings(page_shield_routes=False)
    assert zone.refusal("GET", "/page_shield/cookies")[:2] == (404, 7003)
