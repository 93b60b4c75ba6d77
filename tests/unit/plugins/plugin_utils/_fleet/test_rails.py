# SPDX-License-Identifier: GPL-3.0-or-later

import json
import typing as t
from pathlib import Path

import pytest
from support.samples.fleet import outcome, record, report

from ansible_collections.edgeops.observability.plugins.module_utils._core import CONFLICT, GATE, INVALID_OPTION, Failure
from ansible_collections.edgeops.observability.plugins.plugin_utils._fleet import rails
from ansible_collections.edgeops.observability.plugins.plugin_utils._fleet.outcome import plan_summary
from ansible_collections.edgeops.observability.plugins.plugin_utils._fleet.rails import Prediction
from ansible_collections.edgeops.observability.plugins.plugin_utils._fleet.variables import RAILS

SAME = {"script_monitor": outcome(), "effects": []}
OFF = {
    "script_monitor": outcome({"enabled": True}, {"enabled": False}, "sha256:02"),
    "effects": [{"name": "disable_monitor", "subject": None, "detail": None}],
}
GONE = {
    "jobs": outcome({"a": {"name": "a"}}, {"a": {}, "b": {"name": "b"}}),
    "effects": [{"name": "delete_job", "subject": "a", "detail": None}],
}


def zones(*results: dict[str, t.Any] | str) -> list[Prediction]:
    """Predicted zones; a text is why there is no prediction."""
    return [
        Prediction(f"zone{number}", f"{number:x}", {} if isinstance(each, str) else each, each if isinstance(each, str) else "")
        for number, each in enumerate(results)
    ]


def limits(allow: t.Any = None, hosts: int = 12, **given: t.Any) -> rails.Rails:
    named = {f"edgeops_{name}": value for name, value in given.items()}
    lists = allow if isinstance(allow, dict) else {f"zone{number}": allow for number in range(hosts)}
    return rails.read_rails({**RAILS, **named}, named, lists)


@pytest.mark.parametrize(
    ("given", "chosen", "refused"),
    [
        (zones(SAME, SAME), {}, ""),
        (zones(OFF, SAME), {}, "edgeops_allow"),
        (zones(OFF, GONE), {"allow": ["disable_monitor"]}, "edgeops_allow"),
        (zones(OFF, GONE), {"allow": "disable_monitor, delete_job"}, ""),
        (zones(OFF, GONE), {"allow": '["all"]'}, ""),
        (zones(OFF, GONE), {"allow": {"zone0": "all", "zone1": None}}, "edgeops_allow"),
        (zones(OFF, GONE), {"allow": {"zone0": "all", "zone1": ["delete_job"]}}, ""),
        (zones(OFF), {"approved_plan_id": "sha256:0"}, ""),
        (zones(OFF, SAME), {"allow": "all", "max_changed_zones": "0"}, "edgeops_max_changed_zones"),
        (zones(OFF, SAME), {"allow": "all", "max_changed_zones": 1}, ""),
        (zones(OFF, SAME), {"allow": "all", "max_changed_zones": "50%"}, ""),
        (zones(OFF, SAME), {"allow": "all", "max_changed_zones": "49.9%"}, "edgeops_max_changed_zones"),
        (zones(OFF, SAME), {"allow": "all", "max_changed_zones": ""}, ""),
        (zones(SAME, "no answer"), {}, ""),
        (zones(SAME, "no answer"), {"deliver_partial": "no"}, "edgeops_deliver_partial"),
    ],
)
def test_rails(given: list[Prediction], chosen: dict[str, t.Any], refused: str) -> None:
    if not refused:
        rails.refuse(limits(**chosen), given)
        return
    with pytest.raises(Failure) as caught:
        rails.refuse(limits(**chosen), given)
    assert caught.value.kind == GATE
    assert caught.value.message.startswith(f"{refused}: ") and caught.value.message.endswith("Nothing was written.")


def test_a_refusal_names_every_zone() -> None:
    with pytest.raises(Failure) as caught:
        rails.refuse(limits(max_changed_zones=1), zones(*[OFF] * 11, GONE))
    assert all(f"zone{number} (disable_monitor)" in caught.value.message for number in range(11))
    assert "zone11 (delete_job a)" in caught.value.message and "12 of 12 zones would change" in caught.value.message


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"allow": ["disable_monitors"]}, "edgeops_allow: 'disable_monitors' is not .* \\(did you mean 'disable_monitor'"),
        ({"allow": {"zone0": {"all": 1}}}, "edgeops_allow: must be a list"),
        ({"max_changed_zones": "some"}, "edgeops_max_changed_zones: 'some' is neither"),
        ({"max_changed_zones": "101%"}, "edgeops_max_changed_zones: '101%' is neither"),
        ({"max_changed_zones": True}, "edgeops_max_changed_zones: true is neither"),
        ({"max_changed_zones": "1.5"}, "edgeops_max_changed_zones: '1.5' is neither"),
        ({"soak_seconds": "1m"}, "edgeops_soak_seconds: '1m' is not"),
        ({"guard": "perhaps"}, "edgeops_guard: must be true or false"),
        ({"guard": False, "approved_report": "r.json"}, "edgeops_approved_report: needs edgeops_guard"),
    ],
)
def test_unusable_rails(given: dict[str, t.Any], said: str) -> None:
    with pytest.raises(Failure, match=said) as caught:
        limits(**given)
    assert caught.value.kind == INVALID_OPTION


@pytest.mark.parametrize("given", [{"approved_plan_id": None}, {"approved_plan_id": " "}, {"approved_report": ""}])
def test_empty_approval(given: dict[str, t.Any]) -> None:
    with pytest.raises(Failure, match="is given and empty, so nothing was approved") as caught:
        limits(**given)
    assert caught.value.kind == CONFLICT


def test_rails_are_described() -> None:
    text = "\n".join(rails.describe(limits({"a": "all", "b": []}, soak_seconds=5, stop_on_failure=True), [1, "100%"]))
    assert (
        "any number of zones may change" in text and "5 seconds" in text and "batches of the zones that change: 1, 100%" in text
    )
    assert "allowed for a: all" in text and "allowed for b: none" in text
    assert rails.describe(limits(approved_plan_id="sha256:0", max_changed_zones="5%", deliver_partial=False), ["100%"]) == [
        "at most 5% zones may change",
        "destructive changes are allowed as far as the approved plan contains them",
        "only the approved plan is applied",
        "zones that cannot be predicted stop the run",
    ]
    assert rails.describe(limits(guard=False), ["100%"])[0].startswith("edgeops_guard is false")


def test_approved_plan_id() -> None:
    given = zones(OFF, SAME)
    found = rails.plan_id_of(given)
    assert found is not None
    rails.check_approval(limits(approved_plan_id=found), given)
    rails.check_approval(limits(), given)
    with pytest.raises(Failure, match=f"is {found}, but") as caught:
        rails.check_approval(limits(approved_plan_id="0" * 64), given)
    assert caught.value.kind == CONFLICT
    with pytest.raises(Failure, match="could not be predicted: zone1"):
        rails.check_approval(limits(approved_plan_id=found), zones(OFF, "no answer"))
    assert rails.plan_id_of(zones(OFF, "no answer")) is None


def test_approved_report(tmp_path: Path) -> None:
    """The plan of each zone is that of its row, whichever other zones the report has."""
    path = tmp_path / "report.json"
    records = [record("zone0"), record("zone1"), record("zone2")]
    path.write_text(json.dumps(report(*records)), encoding="utf-8")
    given = [Prediction(each["zone"], each["zone_id"], each["result"], "") for each in records]
    approved = limits(approved_report=str(path))
    rails.check_approval(approved, given)
    rails.check_approval(approved, given[1:])
    refused = [
        ([given[0], given[1]._replace(result={**given[1].result, **OFF})], CONFLICT, "not the approved one for zone1: "),
        ([given[0]._replace(error="no answer")], CONFLICT, "not the approved one for zone0: "),
        ([given[0], Prediction("new", "ff", SAME, "")], CONFLICT, "not in the approved report: new"),
        ([Prediction("new", "ff", SAME, "")], INVALID_OPTION, "is a report of other zones: none of new is in it"),
    ]
    for zones_then, kind, said in refused:
        with pytest.raises(Failure, match=said) as caught:
            rails.check_approval(approved, zones_then)
        assert caught.value.kind == kind
    carried = report(*records)
    carried["zones"][2]["carried"] = True
    path.write_text(json.dumps(carried), encoding="utf-8")
    with pytest.raises(Failure, match="not in the approved report: zone2"):
        rails.check_approval(approved, given)


def test_summary() -> None:
    assert plan_summary(zones(OFF, GONE, SAME, "no answer")) == (
        "4 zones: 2 would change (1 addition, 1 change, 1 deletion), 1 unchanged, 1 failed"
    )
