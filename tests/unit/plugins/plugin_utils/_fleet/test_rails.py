# SPDX-License-Identifier: GPL-3.0-or-later

import json
import re
import typing as t
from pathlib import Path

import pytest
from support.hosts_of_a_play import Hosts
from support.samples.fleet import outcome, record, report

from ansible_collections.edgeops.observability.plugins.module_utils._core import CONFLICT, GATE, INVALID_OPTION, Failure
from ansible_collections.edgeops.observability.plugins.plugin_utils._fleet import rails
from ansible_collections.edgeops.observability.plugins.plugin_utils._fleet.plan import summary
from ansible_collections.edgeops.observability.plugins.plugin_utils._play.results import Zone

SAME = {"script_monitor": outcome(), "effects": []}
OFF = {
    "script_monitor": outcome({"enabled": True}, {"enabled": False}, "sha256:02"),
    "effects": [{"name": "disable_monitor", "subject": None, "detail": None}],
}
GONE = {
    "jobs": outcome({"a": {"name": "a"}}, {"a": {}, "b": {"name": "b"}}),
    "effects": [{"name": "delete_job", "subject": "a", "detail": None}],
}

ALL_OF = dict.fromkeys(("zone0", "zone1", "alias0"), "all")


def zones(*results: dict[str, t.Any] | str) -> list[Zone]:
    """Return predicted zones; a text is the reason for a missing prediction."""
    return [
        Zone(f"zone{number}", f"{number:x}", {} if isinstance(result, str) else result, result if isinstance(result, str) else "")
        for number, result in enumerate(results)
    ]


def limits(allow: t.Any = None, hosts: int = 12, **options: t.Any) -> rails.Rails:
    named = {f"edgeops_{name}": value for name, value in options.items()}
    lists = allow if isinstance(allow, dict) else {f"zone{number}": allow for number in range(hosts)}
    return rails.read_rails(Hosts({host: {**named, "edgeops_allow": allowed} for host, allowed in lists.items()}), [*lists])


@pytest.mark.parametrize(
    ("predicted", "chosen", "refused"),
    [
        (zones(SAME, SAME), {}, ""),
        (zones(OFF, SAME), {}, "edgeops_allow"),
        (zones(OFF, GONE), {"allow": ["disable_monitor"]}, "edgeops_allow"),
        (zones(OFF, GONE), {"allow": "disable_monitor, delete_job"}, ""),
        (zones(OFF, GONE), {"allow": '["all"]'}, ""),
        (zones(OFF, GONE), {"allow": {"zone0": "all", "zone1": None}}, "edgeops_allow"),
        (zones(OFF, GONE), {"allow": {"zone0": "all", "zone1": ["delete_job"]}}, ""),
        (zones(OFF), {"approved_plan_id": rails.plan_id_of(zones(OFF))}, ""),
        (zones(OFF, SAME), {"allow": "all", "max_changed_zones": "0"}, "edgeops_max_changed_zones"),
        (zones(OFF, SAME), {"allow": "all", "max_changed_zones": 1}, ""),
        (zones(OFF, SAME), {"allow": "all", "max_changed_zones": "50%"}, ""),
        (zones(OFF, SAME), {"allow": "all", "max_changed_zones": "49.9%"}, "edgeops_max_changed_zones"),
        (zones(OFF, SAME), {"allow": "all", "max_changed_zones": None}, ""),
        # Accounts do not thin out a percentage of zones.
        (
            [*zones(OFF, OFF), Zone("account", "a", {}, scope="account")],
            {"allow": "all", "max_changed_zones": "85%"},
            "edgeops_max_changed_zones",
        ),
        ([*zones(OFF, OFF), Zone("account", "a", {}, scope="account")], {"allow": "all", "max_changed_zones": 2}, ""),
        # Nor do further hosts of the same zone, which are counted once.
        (
            [*zones(OFF, OFF), Zone("alias0", "0", SAME), Zone("alias1", "1", SAME)],
            {"allow": "all", "max_changed_zones": "50%"},
            "edgeops_max_changed_zones",
        ),
        ([*zones(OFF, SAME), Zone("alias0", "0", OFF)], {"allow": ALL_OF, "max_changed_zones": "50%"}, ""),
        ([*zones(OFF, SAME), Zone("alias0", "0", OFF)], {"allow": ALL_OF, "max_changed_zones": 1}, ""),
        (zones(SAME, "no answer"), {}, ""),
        (zones(SAME, "no answer"), {"deliver_partial": "no"}, "edgeops_deliver_partial"),
    ],
)
def test_exceeded_rail_refuses_the_plan(predicted: list[Zone], chosen: dict[str, t.Any], refused: str) -> None:
    refusal = rails.refuse(limits(**chosen), predicted)
    if not refused:
        assert refusal is None
        return
    assert refusal is not None and refusal.kind == GATE
    assert refusal.message.startswith(f"{refused}: ")
    assert re.search(rf"Nothing was written\. To consent, run it again with -e {refused}=\S+$", refusal.message)


def test_refusal_names_every_zone() -> None:
    refusal = rails.refuse(limits(max_changed_zones=1), zones(*[OFF] * 11, GONE))
    assert refusal is not None
    names = ", ".join(f"zone{number}" for number in range(11))
    assert f"{names} (disable_monitor)" in refusal.message
    assert "zone11 (delete_job a)" in refusal.message and "12 of 12 zones would change" in refusal.message


def test_zone_with_two_hosts_is_counted_once() -> None:
    refusal = rails.refuse(limits(allow=ALL_OF, max_changed_zones=0), [*zones(OFF, SAME), Zone("alias0", "0", OFF)])
    assert refusal is not None and set(refusal.zones) == {"zone0", "alias0"}
    assert "1 of 2 zones would change" in refusal.message
    assert refusal.message.endswith("run it again with -e edgeops_max_changed_zones=1")


def test_refusal_of_many_zones_names_one_and_the_command_that_consents() -> None:
    refusal = rails.refuse(limits(max_changed_zones=1, allow={"zone0": "all"}), zones(*[OFF] * 36, GONE))
    assert refusal is not None and len(refusal.zones) == 37
    assert "35 zones, such as zone1 (disable_monitor); zone36 (delete_job a)" in refusal.message
    consent = "-e edgeops_allow=delete_job,disable_monitor -e edgeops_max_changed_zones=37"
    assert refusal.message.endswith(f"Nothing was written. To consent, run it again with {consent}")
    assert refusal.zones["zone1"].startswith(
        "gate: edgeops_allow does not allow disable_monitor. gate: edgeops_max_changed_zones: "
    )


def test_each_refused_zone_has_its_own_reason() -> None:
    refusal = rails.refuse(limits(allow={"zone0": None, "zone1": "all", "zone2": None}), zones(OFF, OFF, GONE, "no answer"))
    assert refusal is not None and set(refusal.zones) == {"zone0", "zone2"}
    assert "disable_monitor" in refusal.zones["zone0"] and "delete_job" not in refusal.zones["zone0"]
    stopped = rails.refuse(limits(deliver_partial=False), zones(SAME, "unavailable: no answer"))
    assert stopped is not None and stopped.zones == {
        "zone1": "gate: edgeops_deliver_partial: the zone could not be predicted: unavailable: no answer"
    }


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"allow": ["disable_monitors"]}, "edgeops_allow: 'disable_monitors' is not .* \\(did you mean 'disable_monitor'"),
        ({"allow": {"zone0": {"all": 1}}}, "edgeops_allow: must be a list"),
        ({"max_changed_zones": "some"}, "edgeops_max_changed_zones: 'some' is neither"),
        ({"max_changed_zones": "101%"}, "edgeops_max_changed_zones: '101%' is neither"),
        ({"max_changed_zones": True}, "edgeops_max_changed_zones: true is neither"),
        ({"max_changed_zones": "1.5"}, "edgeops_max_changed_zones: '1.5' is neither"),
        ({"guard": "perhaps"}, "edgeops_guard: must be true or false"),
        ({"guard": False, "approved_report": "r.json"}, "edgeops_approved_report: needs edgeops_guard"),
    ],
)
def test_invalid_rails_are_refused(options: dict[str, t.Any], said: str) -> None:
    with pytest.raises(Failure, match=said) as caught:
        limits(**options)
    assert caught.value.kind == INVALID_OPTION


@pytest.mark.parametrize("options", [{"approved_plan_id": None}, {"approved_plan_id": " "}, {"approved_report": ""}])
def test_empty_approval_is_a_conflict(options: dict[str, t.Any]) -> None:
    with pytest.raises(Failure, match="is given and empty, so nothing was approved") as caught:
        limits(**options)
    assert caught.value.kind == CONFLICT


def test_rails_are_described() -> None:
    hosts = Hosts({"a": {"edgeops_allow": "all"}, "b": {"edgeops_allow": []}}, {"edgeops_zones_at_once": [1, "100%"]})
    text = "\n".join(rails.describe(rails.read_rails(hosts, ["a", "b"])))
    assert "any number of zones may change" in text and "batches of the zones that change: 1, 100%" in text
    assert "allowed for a: all" in text and "allowed for b: none" in text
    chosen = limits(approved_plan_id="sha256:0", max_changed_zones="5%", deliver_partial=False, stop_on_failure=True)
    assert rails.describe(chosen) == [
        "at most 5% of the zones may change",
        "destructive changes are allowed as far as the approved plan contains them",
        "only the approved plan is applied",
        "zones that cannot be predicted stop the run",
        "the run stops after a batch in which a zone failed",
    ]
    assert rails.describe(chosen._replace(deliver_partial=True)) == rails.describe(chosen)
    assert "zones that cannot be predicted are left out" in rails.describe(limits(approved_report="report.json"))
    assert rails.describe(limits(guard=False))[0].startswith("edgeops_guard is false")


def refused(limits: rails.Rails, predicted: list[Zone]) -> rails.Refusal:
    refusal = rails.refuse(limits, predicted)
    assert refusal is not None and refusal.kind == CONFLICT
    return refusal


def test_only_the_approved_plan_is_accepted() -> None:
    predicted = zones(OFF, SAME)
    plan_id = rails.plan_id_of(predicted)
    assert plan_id is not None
    assert rails.refuse(limits(approved_plan_id=plan_id), predicted) is None
    other = refused(limits(approved_plan_id="0" * 64), predicted)
    assert f"is {plan_id}, but" in other.message and set(other.zones) == {"zone0"}
    unpredicted = refused(limits(approved_plan_id=plan_id), zones(OFF, "no answer"))
    assert "could not be predicted: zone1" in unpredicted.message and unpredicted.zones["zone1"].endswith(
        "could not be predicted: no answer"
    )
    assert rails.plan_id_of(zones(OFF, "no answer")) is None


def test_approved_report(tmp_path: Path) -> None:
    """The approved plan of a zone is that of its row, whatever other zones the report has."""
    path = tmp_path / "report.json"
    records = [record("zone0"), record("zone1"), record("zone2")]
    path.write_text(json.dumps(report(*records)), encoding="utf-8")
    predicted = [Zone(row["zone"], row["zone_id"], row["result"]) for row in records]
    approved = limits(approved_report=str(path))
    assert rails.refuse(approved, predicted) is None and rails.refuse(approved, predicted[1:]) is None
    moved = refused(approved, [predicted[0], predicted[1]._replace(result={**predicted[1].result, **OFF})])
    assert "not the approved one for zone1: " in moved.message and set(moved.zones) == {"zone1"}
    new = refused(approved, [predicted[0], Zone("new", "ff", SAME)])
    assert "not in the approved report: new" in new.message and set(new.zones) == {"new"}
    with pytest.raises(Failure, match="is a report of other zones: none of new is in it") as caught:
        rails.refuse(approved, [Zone("new", "ff", SAME)])
    assert caught.value.kind == INVALID_OPTION
    carried = report(*records)
    carried["zones"][2]["carried"] = True
    path.write_text(json.dumps(carried), encoding="utf-8")
    assert "not in the approved report: zone2" in refused(approved, predicted).message


def test_hosts_of_one_zone_have_their_own_approved_plans(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    one = {**record("zone0"), "result": OFF}
    records = [one, {**record("zone1"), "zone_id": one["zone_id"]}]
    path.write_text(json.dumps(report(*records)), encoding="utf-8")
    predicted = [Zone(row["zone"], row["zone_id"], row["result"]) for row in records]
    assert rails.refuse(limits({"zone0": "all", "zone1": "all"}, approved_report=str(path)), predicted) is None


def test_zone_without_prediction_is_not_changed(tmp_path: Path) -> None:
    """A zone that could not be predicted is omitted from an approved delivery, or prevents all writes."""
    path = tmp_path / "report.json"
    records = [record("zone0"), record("zone1")]
    path.write_text(json.dumps(report(*records)), encoding="utf-8")
    zone0, zone1 = (Zone(row["zone"], row["zone_id"], row["result"]) for row in records)
    predicted = [zone0._replace(error="unavailable: no answer"), zone1]
    assert rails.refuse(limits(approved_report=str(path)), predicted) is None
    refusal = rails.refuse(limits(approved_report=str(path), deliver_partial=False), predicted)
    assert (
        refusal is not None
        and refusal.kind == GATE
        and refusal.zones == {"zone0": "gate: edgeops_deliver_partial: the zone could not be predicted: unavailable: no answer"}
    )


def test_summary_counts_changes() -> None:
    assert summary(zones(OFF, GONE, SAME, "no answer")) == (
        "4 zones: 2 would change (1 addition, 1 change, 1 deletion), 1 unchanged, 1 failed"
    )


def test_summary_counts_a_zone_with_several_hosts_once() -> None:
    aliases = [Zone("alias0", "0", OFF), Zone("alias1", "1", SAME), Zone("alias2", "2", {}, "no answer")]
    assert summary([*zones(OFF, SAME, OFF), *aliases]) == (
        "3 zones: 1 would change (0 additions, 2 changes, 0 deletions), 1 unchanged, 1 failed"
    )
