# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import typing as t

import pytest

from edgeops_simulator import script_command
from edgeops_simulator.testing import ControlError, running

URL = "https://cdn.pay.example/v3/pay.js"
DAY = "2026-10-{:02}T08:00:00Z"


def add(**more: t.Any) -> dict[str, t.Any]:
    return {"action": "add", "url": URL, "host": "shop.example", "hash": "a" * 64, "at": DAY.format(1), **more}


def test_each_change_adds_a_version(sim: t.Any, zone: t.Any) -> None:
    (made,) = sim.scripts(add())
    path = f"/script_monitor/scripts/{made['script_id']}"
    assert zone.result("GET", "/script_monitor/scripts") == [{name: made[name] for name in made if name != "versions"}]
    for day, content in ((2, "b"), (3, "a"), (4, "c")):
        sim.scripts({"action": "change", "url": URL, "hash": content * 64, "score": 10 * day, "at": DAY.format(day)})
    script = zone.result("GET", path)
    assert [version["hash"][0] for version in script["versions"]] == ["c", "a", "b", "a"]
    assert [version["fetched_at"] for version in script["versions"]] == [DAY.format(day) for day in (4, 3, 2, 1)]
    assert (script["hash"], script["js_integrity_score"], script["fetched_at"]) == ("c" * 64, 40, DAY.format(4))
    assert (script["first_seen_at"], script["last_seen_at"], script["count"]) == (DAY.format(1), DAY.format(4), 4)
    assert zone.result("GET", path.replace("script_monitor", "page_shield"))["versions"][0]["js_integrity_score"] == 60
    (first,) = sim.scripts({"action": "change", "url": URL})
    (second,) = sim.scripts({"action": "change", "url": URL})
    assert len({first["hash"], second["hash"], "c" * 64}) == 3, "a made-up hash is a new one"


def test_seeded_script_keeps_its_first_version(sim: t.Any, zone: t.Any) -> None:
    seeded = {"script_id": "s" * 32, "script_url": URL, "hash": "a" * 64, "js_integrity_score": 3, "fetched_at": DAY.format(1)}
    sim.seed(scripts={zone.id: [seeded, {"script_id": "t" * 32, "script_url": "https://other.example/a.js"}]})
    sim.scripts({"action": "change", "script_id": "s" * 32}, {"action": "change", "script_id": "t" * 32})
    assert [len(zone.result("GET", f"/script_monitor/scripts/{one * 32}")["versions"]) for one in "st"] == [2, 1]
    assert zone.result("GET", f"/script_monitor/scripts/{'s' * 32}")["versions"][1]["hash"] == "a" * 64


def test_scripts_vanish_and_reappear(sim: t.Any, zone: t.Any, other_zone: t.Any) -> None:
    def listed(query: str = "") -> list[str]:
        return [script["host"] for script in zone.result("GET", f"/script_monitor/scripts?{query}")]

    sim.scripts(add(), add(host="pay.example"))
    sim.scripts({"action": "vanish", "url": URL, "host": "pay.example", "status": "inactive"})
    assert listed() == ["shop.example"] and listed("status=inactive") == ["pay.example"]
    sim.scripts({"action": "see", "url": URL, "at": DAY.format(9)})
    assert listed() == ["shop.example", "pay.example"]
    assert {script["last_seen_at"] for script in zone.result("GET", "/script_monitor/scripts")} == {DAY.format(9)}
    assert sim.scripts({"action": "vanish", "url": URL}) == [] and listed("status=active,infrequent,inactive") == []
    sim.scripts(add(), zone=other_zone.id)
    assert listed() == [] and len(other_zone.result("GET", "/script_monitor/scripts")) == 1


def test_reports_mark_scripts_as_malicious(sim: t.Any, zone: t.Any) -> None:
    near, far = add(url="https://pay.example/a.js"), add(url="https://notpay.example/a.js")
    sim.scripts(add(), near, far, {"action": "report", "domain": "pay.example", "categories": ["Phishing"]})
    sim.scripts({"action": "report", "url": far["url"]})
    scripts = {script["script_url"]: script for script in zone.result("GET", "/script_monitor/scripts")}
    for url in (URL, near["url"]):
        assert (scripts[url]["domain_reported_malicious"], scripts[url]["malicious_domain_categories"]) == (True, ["Phishing"])
        assert scripts[url]["url_reported_malicious"] is False
    assert scripts[far["url"]]["domain_reported_malicious"] is False
    assert (scripts[far["url"]]["url_reported_malicious"], scripts[far["url"]]["malicious_url_categories"]) == (True, ["Malware"])
    (cleared,) = sim.scripts({"action": "report", "url": far["url"], "malicious": False})
    assert (cleared["url_reported_malicious"], cleared["malicious_url_categories"]) == (False, [])


BAD_EVENTS: list[t.Any] = [
    {}, {"action": "explode"}, {"action": "change", "url": "https://unknown.example/"}, {"action": "change"}, {"action": "add", "url": URL},
    add(hash="A" * 64), add(hash="a"), add(score=0), add(score="1"), add(at="yesterday"), add(colour="red"), add(script_id="s" * 32),
    {"action": "report", "domain": "unknown.example"}, {"action": "report", "domain": ""}, 1,
]  # fmt: skip


@pytest.mark.parametrize("bad", BAD_EVENTS, ids=lambda bad: json.dumps(bad)[-50:])
def test_bad_event_changes_nothing(sim: t.Any, bad: t.Any) -> None:
    sim.scripts(add(script_id="s" * 32))
    before = sim.snapshot()
    with pytest.raises(ControlError, match=r"events\[1\]: "):
        sim.scripts({"action": "change", "url": URL}, bad)
    assert sim.snapshot() == before, "the event before it did not happen either"


@pytest.mark.parametrize("body", [{}, {"events": []}, {"events": {}}, [], {"zone": "x", "events": [add()]}], ids=json.dumps)
def test_bad_bodies_are_refused(sim: t.Any, body: t.Any) -> None:
    with pytest.raises(ControlError):
        sim.control("POST", "/scripts", body)


def test_script_command_prints_changed_scripts(
    sim: t.Any, zone: t.Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*arguments: str) -> list[dict[str, t.Any]]:
        assert script_command.main(arguments) == 0
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    monkeypatch.setenv("CONTROL_URL", sim.control_url)
    (made,) = run("add", URL, "--host", "shop.example", "--hash", "a" * 64, "--at", DAY.format(1))
    assert made["script_url"] == URL
    (changed,) = run("change", URL, "--score", "60", "--zone", zone.id)
    assert changed["hash"] != "a" * 64 and len(changed["versions"]) == 2
    assert run("report", "--domain", "pay.example", "--category", "Phishing")[0]["malicious_domain_categories"] == ["Phishing"]
    assert run("report", "--domain", "pay.example", "--clear")[0]["domain_reported_malicious"] is False
    assert run("see", URL, "--host", "shop.example")[0]["count"] == 3
    assert run("list") == run("list", "--zone", zone.id) == sim.state()["scripts"]
    assert run("vanish", URL) == [] == run("list")
    assert script_command.main(["change", URL]) == 1
    assert capsys.readouterr().err == f"edgeops-simulator script: BadEvent: events[0]: no such script: {URL}\n"
    assert script_command.main(["list", "--control-url", "http://127.0.0.1:1"]) == 1


def test_script_command_needs_a_control_url() -> None:
    command = [sys.executable, "-m", "edgeops_simulator", "script", "list"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False, env={})
    assert done.returncode == 2 and "CONTROL_URL is needed" in done.stderr


def test_histories_are_stored(tmp_path: pathlib.Path) -> None:
    with running(zones=["c" * 32], state=tmp_path / "state.json") as sim:
        sim.scripts(add(), {"action": "change", "url": URL})
        before = sim.state()
    with running(zones=["c" * 32], state=tmp_path / "state.json") as sim:
        assert sim.state() == before
