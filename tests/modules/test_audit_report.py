# SPDX-License-Identifier: GPL-3.0-or-later

import json
import stat

import pytest
from support.samples.fleet import AT, LATER, WAIVER, audit, drifted, failed, finding, job, record

pytestmark = pytest.mark.every_core

ALL = ["json", "html", "junit", "markdown", "metrics"]
ZONES = [
    {**drifted("shop.example"), "jobs": [job(state="failing")], "scripts": audit(finding())},
    record("blog.example"),
    failed("down.example"),
]


def task(name, check_mode=False, **options):
    return {"name": name, "edgeops.observability.audit_report": {"zones": ZONES, "at": AT, **options}, "check_mode": check_mode}


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_report_is_equal_in_both_modes(modules, tmp_path):
    """The report is the same in check mode and in a real run."""
    tasks = [
        task(f"{name} {number}", name == "check", dest=str(tmp_path / f"{name}{number}"), formats=ALL)
        for name in ("check", "real")
        for number in (1, 2)
    ]
    report = modules.run(tasks)
    written = [contents(tmp_path / f"{name}{number}") for name in ("check", "real") for number in (1, 2)]
    assert sorted(written[0]) == ["report.html", "report.json", "report.md", "report.prom", "report.xml"]
    assert all(files == written[0] for files in written)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "real1").iterdir()}
    assert modes == {name: 0o644 if name == "report.prom" else 0o640 for name in modes}
    by_status = {"unaudited": ["down.example"], "drifted": ["shop.example"], "compliant": ["blog.example"]}
    for outcome in report.ours:
        assert (outcome.result["changed"], outcome.result["outcome"]) == (False, "unaudited")
        assert outcome.result["counts"]["findings"] == 2
        assert outcome.result["hosts_by_status"] == {**by_status, "findings": [], "unmanaged": []}
        assert "shop.example difference: script monitor: enabled is false, should be true" in outcome.result["lines"]
        assert outcome.result["lines"][-1].startswith("The report is ")
    assert report.journal == []


def test_previous_report_waivers_and_gates(modules, tmp_path):
    """The second report is compared with the first and replaces it; the task fails for a gate only after it has written all files."""
    dest = str(tmp_path / "out")
    again = {"previous": f"{dest}/report.json", "dest": dest, "at": LATER, "zones": ZONES[:2]}
    report = modules.run(
        [
            task("first", dest=dest, previous=f"{dest}/report.json"),
            task(
                "second", **again, waivers=[{**WAIVER, "resource": "s*"}, {**WAIVER, "resource": "health", "until": "2026-11-22"}]
            ),
            {
                **task("gate", **{**again, "dest": f"{dest}2"}, fail_on=["drifted", "unmanaged", "new", "malicious"]),
                "ignore_errors": True,
            },
        ],
        fails="gate",
    )
    first, second, gate = (outcome.result for outcome in report.ours)
    assert first["comparison"]["previous_id"] is None
    assert second["comparison"]["previous_id"] == first["report_id"]
    assert (len(second["comparison"]["persisting"]), len(second["comparison"]["new"])) == (3, 1)
    assert (second["outcome"], second["counts"]["waived"]) == ("findings", 2)
    assert gate["msg"].startswith("fail_on: drifted in shop.example; new in shop.example. The report is in ")
    assert gate["counts"]["differences"] == 1
    assert gate["failed_hosts"] == {
        "shop.example": "fail_on drifted: script monitor: enabled is false, should be true;"
        " fail_on new: script https://cdn.example.net/a.js on shop.example.com: no entry covers it;"
        " should be: covered by an entry of the baseline, or removed from the site"
    }
    assert gate["files"] == [f"{dest}2/report.{kind}" for kind in ("json", "html", "xml")]
    made = json.loads((tmp_path / "out2" / "report.json").read_text(encoding="utf-8"))
    assert set(first) - set(gate) == set()
    returned = ("outcome", "counts", "report_id", "comparison", "plan_id")
    assert {name: gate[name] for name in returned} == {name: made[name] for name in returned}
    assert (tmp_path / "out2" / "report.html").exists()


def test_bad_input_writes_nothing(modules, tmp_path):
    """Each message names the option, and the folder is not changed."""
    (tmp_path / "bad.json").write_text("{", encoding="utf-8")
    dest = str(tmp_path / "out")
    cases = {
        "zones: there is no zone to report on": {"zones": [], "dest": dest},
        "previous: ": {"dest": dest, "previous": str(tmp_path / "bad.json")},
        "merge[0]: ": {"dest": dest, "merge": [str(tmp_path / "none.json")]},
        "dest: ": {"dest": str(tmp_path / "bad.json")},
        "waivers.zones. Supported parameters include: member, owner, reason": {
            "dest": dest,
            "waivers": [{**WAIVER, "zones": "a"}],
        },
        "value of fail_on must be one or more of": {"dest": dest, "fail_on": ["drift"]},
        "value of formats must be one or more of": {"dest": dest, "formats": ["pdf"]},
    }
    tasks = [{**task(message, **options), "ignore_errors": True} for message, options in cases.items()]
    report = modules.run(tasks, fails="invalid_option")
    for outcome in report.ours:
        assert outcome.name in outcome.result["msg"]
    assert not (tmp_path / "out").exists()


def test_validate_only_writes_no_report(modules, tmp_path):
    """With `validate_only`, bad options fail before any zone is read, and no report is written."""
    dest, used = tmp_path / "made" / "later", tmp_path / "file"
    used.write_text("", encoding="utf-8")
    tasks = [
        {**task("Validate", zones=[], validate_only=True, **{"dest": str(dest), **options}), "ignore_errors": True}
        for options in ({}, {"waivers": [{"zone": "a"}]}, {"merge": [str(tmp_path / "none.json")]}, {"dest": str(used / "below")})
    ]
    report = modules.run(tasks, fails="invalid_option")
    assert [outcome.result["msg"].partition(":")[0] for outcome in report.failures] == ["waivers[0].reason", "merge[0]", "dest"]
    assert report.ours[0].result["files"] == [] and report.ours[0].result["plan_id"] is None
    assert not dest.parent.exists()
