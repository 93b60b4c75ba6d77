# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import hashlib
import json
import typing as t
from pathlib import Path

import pytest
from support.samples import fleet

from ansible_collections.edgeops.observability.plugins.module_utils._core import CONFLICT, INVALID_OPTION, Conclusion, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._delivery.destructive import DESTRUCTIVE, destructive_changes
from ansible_collections.edgeops.observability.plugins.module_utils._delivery.guard import report
from ansible_collections.edgeops.observability.plugins.module_utils._delivery.options import desire

OFF: dict[str, t.Any] = {
    "script_monitor": {
        "changed": True,
        "plan_id": "sha256:1",
        "diff": {"before": {"enabled": True}, "after": {"enabled": False}},
    }
}
ON = {
    "script_monitor": {"changed": True, "plan_id": "sha256:2", "diff": {"before": {"enabled": False}, "after": {"enabled": True}}}
}
SAME = {"script_monitor": {"changed": False, "plan_id": "sha256:3", "diff": {"before": {}, "after": {}}}}


def job(before: dict[str, t.Any], after: dict[str, t.Any]) -> dict[str, t.Any]:
    return {"jobs": {"changed": True, "plan_id": "x", "diff": {"before": {"logs": before}, "after": {"logs": after}}}}


def fields(before: list[str], after: list[str]) -> dict[str, t.Any]:
    sides = [{"custom_fields": {"request_fields": names, "cookie_fields": []}, "rules": []} for names in (before, after)]
    return {"custom_fields": {"changed": True, "diff": {"before": sides[0], "after": sides[1]}}}


def destination(**options: str) -> dict[str, t.Any]:
    return {"destination": {"scheme": "s3", "address": "b", "options": options}}


@pytest.mark.parametrize(
    ("result", "names"),
    [
        (OFF, ["disable_monitor"]),
        (ON, []),
        (SAME, []),
        ({}, []),
        (fields(["x-a"], []), ["empty_fields"]),
        (fields(["x-a"], ["x-b"]), []),
        (fields([], ["x-b"]), []),
        (job({"enabled": True, "name": "logs"}, {}), ["delete_job"]),
        (job({}, {"enabled": True}), []),
        (job({"enabled": True}, {"enabled": False}), ["disable_job"]),
        (job({"id": 7, "dataset": "a"}, {"id": None, "dataset": "b"}), ["recreate_job"]),
        (job({"filter": "{}"}, {"filter": None}), ["clear_filter"]),
        (job({"filter": None}, {"filter": "{}"}), []),
        (job({"filter": "a"}, {"filter": "b"}), []),
        (job({"logpull_options": "fields=A,B"}, {"logpull_options": "fields=A,C"}), ["drop_job_fields"]),
        (job({"logpull_options": "fields=A"}, {"logpull_options": "fields=B%2CA&timestamps=unix"}), []),
        (job({"output_options": {"field_names": ["A", "B"]}}, {"output_options": {"field_names": ["A"]}}), ["drop_job_fields"]),
        (job(destination(region="a"), destination(region="b")), ["change_destination"]),
        (job(destination(key="********"), destination(key="******** (changed)")), []),
        (job(destination(), destination(key="********")), ["change_destination"]),
        (job({"name": "a"}, {"name": "b"}), []),
    ],
)
def test_destructive(result: dict[str, t.Any], names: list[str]) -> None:
    assert list(destructive_changes(result)) == names


def zones(*results: dict[str, t.Any], **members: t.Any) -> list[dict[str, t.Any]]:
    return [
        {"zone": f"zone{index}", "zone_id": f"{index:x}", "result": result, **members} for index, result in enumerate(results)
    ]


def evaluate(given: list[dict[str, t.Any]], **options: t.Any) -> Conclusion:
    omitted = dict.fromkeys(("max_destructive_zones", "max_changed_zones", "allow", "approved_plan_id", "approved_plan"))
    return report(desire({"zones": given, "deliver_partial": True, "guard": True, "zone_allow": {}, **omitted, **options}))


@pytest.mark.parametrize(
    ("given", "options", "refused"),
    [
        (zones(OFF, SAME), {}, ""),
        (zones(*[OFF] * 3, *[SAME] * 7), {}, ""),
        (zones(*[OFF] * 4, *[SAME] * 6), {}, "max_destructive_zones"),
        (zones(*[OFF] * 4, *[SAME] * 6), {"allow": ["disable_monitor"]}, ""),
        (zones(*[OFF] * 4, *[SAME] * 6), {"allow": "disable_monitor, delete_job"}, ""),
        (zones(*[OFF] * 4, *[SAME] * 6), {"max_destructive_zones": "40%"}, ""),
        (zones(OFF, SAME), {"max_destructive_zones": "0"}, "max_destructive_zones"),
        (zones(*[OFF] * 4, *[SAME] * 6), {"max_destructive_zones": ""}, "max_destructive_zones"),
        (zones(OFF, SAME), {"max_changed_zones": "0"}, "max_changed_zones"),
        (zones(OFF, SAME), {"max_destructive_zones": "50%"}, ""),
        (zones(OFF, SAME), {"max_destructive_zones": "49.9%"}, "max_destructive_zones"),
        (zones(OFF), {"allow": []}, "allow"),
        (zones(OFF), {"allow": ""}, "allow"),
        (zones(OFF), {"allow": ["delete_job"]}, "allow"),
        (zones(OFF), {"allow": [], "zone_allow": {"zone0": ["disable_monitor"]}}, ""),
        (zones(OFF), {"allow": ["disable_monitor"], "zone_allow": {"zone0": "", "zone1": None}}, "allow"),
        (zones(OFF), {"zone_allow": {"zone0": "{{ nowhere }}"}}, "allow"),
        (zones(ON, ON, SAME), {"max_changed_zones": "2"}, ""),
        (zones(ON, ON, SAME), {"max_changed_zones": "1"}, "max_changed_zones"),
        (zones({}, error={"kind": "unavailable", "message": "no answer"}), {}, ""),
        (zones({}, error={"kind": "unavailable", "message": "no answer"}), {"deliver_partial": False}, "deliver_partial"),
    ],
)
def test_rules(given: list[dict[str, t.Any]], options: dict[str, t.Any], refused: str) -> None:
    found = evaluate(given, **options)
    assert found.refused.partition(":")[0] == refused
    assert not refused or found.refused.endswith("Nothing was written.")


def test_zone_without_an_id_fails_alone() -> None:
    """A host whose variables do not even name its zone has an error, and no id."""
    nameless = {"zone": "a", "zone_id": None, "error": {"kind": "invalid_option", "message": "no id"}}
    found = evaluate([nameless, *zones(OFF)])
    assert not found.refused
    assert (found.result["unpredicted_zones"], found.result["changed_zones"]) == (["a"], ["zone0"])
    assert found.result["plan_id"] is None


def test_refusal_names_every_zone() -> None:
    found = evaluate(zones(*[OFF] * 12), allow=["delete_job"])
    assert all(f"zone{index} (disable_monitor)" in found.refused for index in range(12))
    assert "max_destructive_zones: 12 of 12 zones" in found.refused
    assert found.result["destructive"]["zone3"] == ["disable_monitor"]
    assert found.result["changed_zones"] == sorted(f"zone{index}" for index in range(12))


def test_approved_plan_id() -> None:
    given = zones(*[OFF] * 12)
    plan_id = evaluate(given, allow=["disable_monitor"]).result["plan_id"]
    assert not evaluate(given, approved_plan_id=plan_id).refused, "an approved plan replaces the default threshold"
    for other, why in (("", "empty"), (" ", "empty"), ("0" * 64, plan_id)):
        with pytest.raises(Failure, match=why) as caught:
            evaluate(given, approved_plan_id=other)
        assert caught.value.kind == CONFLICT
    with pytest.raises(Failure, match="approved_plan: is given and empty") as caught:
        evaluate([], zones=None, approved_plan=" ")
    assert caught.value.kind == CONFLICT
    with pytest.raises(Failure, match="could not be predicted: zone0") as caught:
        evaluate(zones({}, error={"message": "m"}), approved_plan_id=plan_id)
    assert caught.value.kind == CONFLICT


def test_plan_id_is_that_of_the_report() -> None:
    """SHA-256 over the sorted lines `zone_id resource plan_id`, joined by LF; a resource that is left alone has none."""
    given = zones(OFF, ON)
    expected = "sha256:" + hashlib.sha256(b"0 script_monitor sha256:1\n1 script_monitor sha256:2").hexdigest()
    assert evaluate(given).result["plan_id"] == expected
    assert evaluate(given[::-1]).result["plan_id"] == expected


def approved(folder: Path, *rows: tuple[str, dict[str, t.Any]]) -> str:
    """The report of a check that predicted these plans."""
    made = fleet.report(
        *(
            {
                "zone": f"zone{zone_id}",
                "zone_id": zone_id,
                "result": {name: {"changed": False, "plan_id": plan} for name, plan in plans.items()},
            }
            for zone_id, plans in rows
        )
    )
    path = folder / "report.json"
    path.write_text(json.dumps(made), encoding="utf-8")
    return str(path)


def test_approved_plan_covers_slices(tmp_path: Path) -> None:
    path = approved(tmp_path, ("0", {"script_monitor": "sha256:1"}), ("1", {"script_monitor": "sha256:2"}))
    assert not evaluate(zones(OFF), approved_plan=path).refused
    with pytest.raises(Failure, match="not the approved one for zone0") as caught:
        evaluate(zones(ON), approved_plan=path)
    assert caught.value.kind == CONFLICT
    with pytest.raises(Failure, match="not in the approved report: zone2") as caught:
        evaluate(zones(OFF, ON, ON), approved_plan=path)
    with pytest.raises(Failure, match="of other zones") as caught:
        evaluate([{**zones(OFF)[0], "zone_id": "ff"}], approved_plan=path)
    assert caught.value.kind == INVALID_OPTION


@pytest.mark.parametrize(
    ("options", "place", "hint"),
    [
        ({"zones": []}, "zones", ""),
        ({"zones": [{"zone": "a"}]}, "zones[0].zone_id", ""),
        ({"zones": zones({"script_monitor": {"changed": True}})}, "zones[0].result.script_monitor", "with diff"),
        ({"zone_allow": {"zone0": ["delete_jobs"]}}, "zone_allow.zone0[0]", "'delete_job'"),
        ({"guard": False, "approved_plan_id": "x"}, "approved_plan_id", "needs the guard"),
        ({"allow": ["disable_monitors"]}, "allow[0]", "'disable_monitor'"),
        ({"allow": ["%"]}, "allow[0]", DESTRUCTIVE[-1]),
        ({"allow": 5}, "allow", ""),
        ({"max_destructive_zones": "many"}, "max_destructive_zones", ""),
        ({"max_destructive_zones": "-1"}, "max_destructive_zones", ""),
        ({"max_changed_zones": "101%"}, "max_changed_zones", ""),
        ({"max_changed_zones": "1.5"}, "max_changed_zones", ""),
        ({"approved_plan": "/nowhere/report.json"}, "approved_plan", "cannot be read"),
    ],
)
def test_bad_input(options: dict[str, t.Any], place: str, hint: str) -> None:
    with pytest.raises(Failure) as caught:
        evaluate(options.pop("zones", zones(SAME)), **options)
    assert caught.value.kind == INVALID_OPTION
    assert str(caught.value).startswith(f"{place}: ") and hint in str(caught.value)
