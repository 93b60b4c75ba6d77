# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest
from support.hosts_of_a_play import play

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.plugin_utils._adopt.gather import Registered, gather, reads_of

FAILED = {"failed": True, "msg": "not\nallowed", "error": {"kind": "permission"}}


def test_each_zone_is_adopted_once() -> None:
    hosts = {host: {"described": {"zone_id": zone, "zone": host}} for host, zone in (("a", "0A"), ("b", "0a"), ("c", "1"))}
    hosts["c"]["seen"] = {"proposals": [{"name": "stripe"}]}
    adopted = gather(play({**hosts, "d": {"described": FAILED}, "e": {}}), Registered("described", "seen"))
    assert [zone["zone"] for zone in adopted.zones] == ["c"] and adopted.script_baselines == {"c": [{"name": "stripe"}]}
    assert adopted.refused["a"].endswith("has several hosts: a, b")
    assert adopted.refused["d"] == "the zone could not be read: permission: not allowed"
    assert adopted.refused["e"] == "the zone could not be read: its task did not run"


@pytest.mark.parametrize("part", ["scripts", "pages"])
def test_name_that_no_host_has_is_refused(part: str) -> None:
    """What nobody registered would be left out of the files without a word, unless there is nothing to read of any host."""
    described = {"zone_id": "1", "zone": "a", "variables": {"log_delivery_script_monitor_enabled": True}}
    host = {"described": described, "edgeops_pages": ["https://a.example/checkout"], "page_result": {}}
    with pytest.raises(
        Failure, match=rf"registered\.{part}: no host of the play has a variable 'page_reslt'.*did you mean 'page_result'"
    ):
        gather(play({"a": host}), Registered("described", **{part: "page_reslt"}))
    for nothing in ({"described": FAILED}, {"described": {**described, "variables": {}}}, {**host, "page_reslt": None}):
        gather(play({"a": nothing}), Registered("described", **{part: "page_reslt"}))


def test_zone_with_unreadable_scripts_is_refused() -> None:
    adopted = gather(play({"a": {"described": {"zone_id": "1", "zone": "a"}, "seen": FAILED}}), Registered("described", "seen"))
    assert adopted.zones == [] and "not allowed" in adopted.refused["a"]


def test_zone_whose_plan_lists_no_scripts_is_adopted() -> None:
    """No other token and no other run would get entries for its baseline, so that they are left out, with the reason."""
    error = {"kind": "permission", "status": 403, "errors": [{"code": 1004, "message": "not entitled to it"}]}
    unentitled = {"failed": True, "msg": "Listing failed: HTTP 403: not entitled to it (code 1004).", "error": error}
    described = {"zone_id": "1", "zone": "a", "left_out": []}
    adopted = gather(play({"a": {"described": described, "seen": unentitled}}), Registered("described", "seen"))
    assert adopted.refused == {} and adopted.script_baselines == {"a": []}
    assert adopted.zones[0]["left_out"] == [
        {
            "what": "entries for the baseline of scripts",
            "why": "the plan does not have it (HTTP 403: not entitled to it (code 1004))",
        }
    ]


def test_zone_of_which_not_all_scripts_are_listed_is_adopted() -> None:
    """Entries for a part of the scripts would be a baseline that nobody can audit."""
    refused = {"failed": True, "msg": "The list may be incomplete.", "error": {"kind": "rejected"}}
    described = {"zone_id": "1", "zone": "a", "left_out": []}
    adopted = gather(play({"a": {"described": described, "seen": refused}}), Registered("described", "seen"))
    assert (adopted.refused, adopted.script_baselines) == ({}, {"a": []})
    assert adopted.zones[0]["left_out"] == [{"what": "entries for the baseline of scripts", "why": "The list may be incomplete"}]


def test_entry_that_no_audit_can_verify_is_told_with_what_helps() -> None:
    """It stays pinned: a hash that the service does not show now is no reason to compare none later."""
    entries = [{"name": "a", "integrity": "pinned", "hashes": []}, {"name": "b", "integrity": "pinned", "hashes": ["c" * 64]}]
    described = {"zone_id": "1", "zone": "a", "left_out": [], "notes": ["x"]}
    for proposals, told in ((entries, 1), (entries[1:], 0), ([], 0)):
        adopted = gather(play({"a": {"described": described, "seen": {"proposals": proposals}}}), Registered("described", "seen"))
        assert adopted.script_baselines == {"a": proposals}
        notes = t.cast("t.Any", adopted.zones[0]["notes"])
        assert notes[0] == "x" and len(notes) == 1 + told
        assert all("integrity unpinned with an integrity_reason" in note for note in notes[1:])


def test_baselines_are_proposed_for_what_was_read() -> None:
    on, off = ({"variables": {"log_delivery_script_monitor_enabled": is_on}} for is_on in (True, False))
    zones: dict[str, t.Any] = {
        "on": on,
        "off": off,
        "account": {"variables": {}},
        "failed": {**on, **FAILED},
        "skipped": {"skipped": True},
    }
    hosts = {name: {"described": {"zone": name, **zone}, "edgeops_pages": ["x"]} for name, zone in zones.items()}
    hosts |= {"none": {}, "null": {"described": None}, "paged": {"described": off, "edgeops_pages": ""}}
    assert reads_of(play(hosts), "described") == {"scripts": ["on"], "pages": ["on", "off", "account"]}


def test_malicious_and_reported_scripts_are_not_proposed() -> None:
    """They stand among what was left out, with the reason."""
    evil, phishing, own = "https://evil.example/x.js", "https://phish.example/x.js", "https://shop.example/own.js"
    findings = [
        {"kind": "malicious", "script_url": evil, "host": "shop.example", "message": "js_integrity_score 3 is below 10"},
        {"kind": "reported", "script_url": "https://PHISH.example/x.js", "host": "shop.example", "message": "phishing"},
        {"kind": "new", "script_url": own, "host": "shop.example", "message": "no entry"},
    ]
    audit = {"findings": findings, "proposals": [{"name": str(n), "url": url} for n, url in enumerate((evil, phishing, own))]}
    described = {"zone_id": "1", "zone": "a", "left_out": [{"what": "jobs", "why": "x"}]}
    adopted = gather(play({"a": {"described": described, "seen": audit}}), Registered("described", "seen"))
    assert adopted.script_baselines == {"a": [{"name": "2", "url": own}]}
    told = [f"{part['what']}: {part['why']}" for part in t.cast("t.Any", adopted.zones[0]["left_out"])]
    assert told[0] == "jobs: x" and len(told) == 3
    assert told[1].startswith(
        f"script {evil}: no entry of a baseline is proposed for it, because it is malicious: js_integrity_score 3"
    )
    assert "phishing" in told[2]
