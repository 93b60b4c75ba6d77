# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan of a delivery, and its summary."""

import typing as t

import pytest
from support.hosts_of_a_play import play

from ansible_collections.edgeops.observability.plugins.module_utils._core import Conclusion, Failure
from ansible_collections.edgeops.observability.plugins.plugin_utils._fleet.plan import DeliveryPlan, DesiredPlan
from ansible_collections.edgeops.observability.plugins.plugin_utils._fleet.summary import DeliverySummary, Names
from ansible_collections.edgeops.observability.plugins.plugin_utils._play.hosts import pattern_of, patterns_of
from ansible_collections.edgeops.observability.plugins.plugin_utils._play.results import zone_of

PART = {"changed": True, "plan_id": "sha256:a", "diff": {"before": {"enabled": False}, "after": {"enabled": True}}}
SAME = {"zone_id": "0b", "script_monitor": {"changed": False, "plan_id": "sha256:b"}, "changed": False}
PREDICTED = {"zone_id": "0a", "script_monitor": PART, "custom_fields": {}, "jobs": {}, "effects": [], "changed": False}
WRITTEN = {**PREDICTED, "changed": True}
FAILED = {"failed": True, "msg": "not\nallowed", "error": {"kind": "permission"}}
UNREACHABLE = {"unreachable": True, "msg": "no route"}
SKIPPED = {"skipped": True}
UNTOLD = "script_monitor does not say whether it differs (changed)"
OTHER = "it is not the result of zone_observability, because it has none of custom_fields, jobs, script_monitor, content_security_rules"
R = "log_delivery_result"


@pytest.mark.parametrize(
    ("result", "error"),
    [
        (PREDICTED, ""),
        (FAILED, "permission: not allowed"),
        ({"failed": True, "msg": "'x' is undefined"}, "invalid_option: 'x' is undefined"),
        (UNREACHABLE, "unavailable: it could not be reached: no route"),
        ({"failed": 1, "msg": "it broke"}, "invalid_option: it broke"),
        ({**FAILED, "failed": False, "failed_when_result": False}, "permission: not allowed"),
        ({**PREDICTED, "script_monitor": FAILED}, "permission: not allowed"),
        ({"changed": False, "msg": "hi"}, f"bad_response: {OTHER}"),
        ({**PREDICTED, "script_monitor": {"enabled": True}}, f"bad_response: {UNTOLD}"),
        ({**PREDICTED, "script_monitor": {**PART, "changed": None}}, f"bad_response: {UNTOLD}"),
        ({"changed": True, "job": {}}, "bad_response: it says that something differs (changed), and none of its parts does"),
        ({**PREDICTED, "effects": None}, "bad_response: its result has no effects, so that it is not known what it destroys"),
    ],
)
def test_failed_result_is_an_error(result: dict[str, t.Any], error: str) -> None:
    zone = zone_of("a", {R: result}, R)
    assert zone is not None and zone.error == error and zone.differs is not bool(error)


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ({"results": [PREDICTED]}, "x of a: is the result of a task with a loop; register one task without a loop for each zone"),
        ({"jobs": {"diff": []}}, "x.jobs.diff: must be a dictionary, not a list"),
        ({"jobs": {"jobs": [None, "edge"]}}, "x.jobs.jobs[1]: must be a dictionary, not 'edge'"),
        ({"effects": [{"name": "delete_job", "subject": "edge"}]}, "x.effects[0].detail: is missing"),
        ({"listed_jobs": [{"health": "good"}]}, "x.listed_jobs[0].health: must be a dictionary, not 'good'"),
    ],
)
def test_invalid_registered_result_is_refused(result: dict[str, t.Any], said: str) -> None:
    with pytest.raises(Failure) as caught:
        zone_of("a", {"x": result}, "x")
    assert (caught.value.kind, caught.value.message) == ("invalid_option", said)


def test_effects_of_a_part_count() -> None:
    effect = {"name": "disable_monitor", "subject": None, "detail": None}
    zone = zone_of("a", {R: {**PREDICTED, "script_monitor": {**PART, "effects": [effect]}}}, R)
    assert zone is not None and zone.effects == [effect]


def planned(hosts: dict[str, dict[str, t.Any]], **more: t.Any) -> Conclusion:
    return DeliveryPlan().report(DesiredPlan(play(hosts, **more), R))


def test_result_of_another_zone_is_no_prediction() -> None:
    """A task with `run_once` registers the result of one zone for all hosts; several hosts may be one zone."""
    hosts = {"a": "0A", "again": "0a", "b": "0b"}
    result = planned({name: {"zone_id": zone_id, R: PREDICTED} for name, zone_id in hosts.items()}).result
    assert result["changed_zones"] == ["a", "again"] and set(result["plan_ids"]) == {"a", "again"}
    assert result["lines"][-1] == "2 zones: 1 would change (0 additions, 1 change, 0 deletions), 0 unchanged, 1 failed"


def test_only_changed_zones_are_written() -> None:
    result = planned({"a": {R: PREDICTED}, "b": {R: SAME}, "c": {R: FAILED}, "d": {}}).result
    assert result["changed_zones"] == result["written"] == result["hosts"] == ["a"]
    assert result["lines"][-1] == "4 zones: 1 would change (0 additions, 1 change, 0 deletions), 1 unchanged, 2 failed"
    assert result["plan_id"] is None and set(result["plan_ids"]) == {"a", "b"}


@pytest.mark.parametrize(
    ("variables", "more", "written"),
    [
        ({}, {}, ["a"]),
        ({}, {"check_mode": True}, []),
        ({"edgeops_max_changed_zones": 0}, {}, []),
        ({"edgeops_guard": False}, {}, ["a", "b"]),
        ({"edgeops_guard": False}, {"check_mode": True}, []),
        # A host that failed earlier still has the result that was registered before.
        ({}, {"failed": ["a"]}, []),
    ],
)
def test_written_zones_depend_on_rails_and_check_mode(
    variables: dict[str, t.Any], more: dict[str, t.Any], written: list[str]
) -> None:
    result = planned({"a": {R: PREDICTED, **variables}, "b": {R: SAME, **variables}}, **more).result
    assert result["written"] == result["hosts"] == written


def test_refused_plan_is_shown_in_full() -> None:
    plan = planned({name: {R: {**PREDICTED, "zone_id": name}, "edgeops_max_changed_zones": 1} for name in "ab"}, diff=True)
    assert plan.refused and set(plan.result["refused"]) == {"a", "b"} and plan.result["changed_zones"] == ["a", "b"]
    lines = plan.result["lines"]
    first = lines.index("--- a, b before")
    assert lines[first:][:6] == [
        "--- a, b before",
        "+++ a, b after",
        "@@ -1,2 +1,2 @@",
        " script_monitor:",
        "-  enabled: false",
        "+  enabled: true",
    ]
    assert lines[-1] == plan.refused


def test_equal_diffs_of_several_zones_are_shown_once() -> None:
    """What differs is folded by job, rule and setting, so that a zone with a difference of its own takes part in the common one."""
    limits = {"before": {"edge": {"enabled": False}}, "after": {"edge": {"enabled": True}}}
    own = {**PREDICTED, "jobs": {"changed": True, "diff": limits}}
    lines = planned({name: {R: own if name == "c" else PREDICTED} for name in "abcd"}, diff=True).result["lines"]
    assert [text for text in lines if text.startswith("--- ")] == ["--- 4 zones, such as a before", "--- c before"]
    assert [text for text in lines if text.startswith("+ ")] == ["+  enabled: true", "+    enabled: true"]


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("shop.example", "shop.example"),
        ("web", "web"),
        ("a b", r"~^a\U00000020b$"),
        ("zone{1}", r"~^zone\U0000007b1\U0000007d$"),
        ("~x", r"~^\U0000007ex$"),
    ],
)
def test_pattern_matches_only_its_host(name: str, pattern: str) -> None:
    assert pattern_of(name) == pattern


@pytest.mark.parametrize(
    ("registered", "plan", "state", "fails"),
    [
        (WRITTEN, {"written": ["a"]}, "changed", False),
        (SAME, {"written": ["a"]}, "unchanged", False),
        (FAILED, {"written": ["a"]}, "failed", True),
        (UNREACHABLE, {"written": ["a"]}, "not_reached", True),
        # The result is still that of the prediction, or the task was skipped: the run stopped before it.
        (PREDICTED, {"written": ["a"]}, "not_reached", True),
        (SKIPPED, {"written": ["a"]}, "not_reached", True),
        (None, {}, "not_reached", True),
        (SKIPPED, {"written": [], "changed_zones": ["a"]}, "not_reached", True),
        (SKIPPED, {"written": ["b"], "changed_zones": ["b"], "plan_ids": {"a": {}, "b": {}}}, "unchanged", False),
        # With --step, the prediction or its evaluation was declined.
        (None, {"written": [], "changed_zones": [], "plan_ids": {}}, "not_reached", True),
        (PREDICTED, {}, "not_reached", True),
        (SAME, {"written": []}, "unchanged", False),
        (FAILED, {"written": []}, "failed", True),
        (PREDICTED, {"written": [], "refused": {"a": "gate: too many"}}, "failed", True),
        (PREDICTED, {"written": [], "refused": {"b": "gate: too many"}}, "not_reached", False),
    ],
)
def test_state_of_a_zone_after_delivery(registered: t.Any, plan: dict[str, t.Any], state: str, fails: bool) -> None:
    variables = {"planned": plan} if registered is None else {"planned": plan, R: registered}
    result = DeliverySummary().report(Names(play({"a": variables}), "planned", R)).result
    assert result[f"{state}_zones"] == ["a"] and ("a" in result["failed_hosts"]) is fails
    assert f"1 {state.replace('_', ' ')}" in result["lines"][0]


def test_accounts_are_counted_as_accounts() -> None:
    hosts = {
        "a": {R: PREDICTED, "zone_id": "1"},
        "b": {"account_id": "2"},
        "c": {R: PREDICTED, "account_id": "{{ '3' }}"},
    }
    result = DeliverySummary().report(Names(play(hosts), "planned", R)).result
    assert result["lines"][0].startswith("1 zone and 2 accounts: ")


def test_zone_skipped_in_check_mode_would_be_changed() -> None:
    """The role is skipped for each zone if its condition is `written`, which is empty in check mode."""
    variables = {"planned": {"written": [], "plan_ids": {"a": {}}, "changed_zones": ["a"]}, R: SKIPPED}
    result = DeliverySummary().report(Names(play({"a": variables}, check_mode=True), "planned", R)).result
    assert result["lines"][1:] == ["a would be changed"] and (result["changed_zones"], result["failed_hosts"]) == (["a"], {})


def test_summary_in_check_mode_predicts() -> None:
    variables = {"planned": {"written": []}, R: PREDICTED}
    result = DeliverySummary().report(Names(play({"a": variables}, check_mode=True), "planned", R)).result
    assert result["lines"] == [
        "1 zone: 1 would be changed, 0 unchanged, 0 failed, 0 not reached",
        "a would be changed: script monitor: enabled is false, should be true",
    ]


@pytest.mark.parametrize(
    ("failed", "patterns"),
    [((), ["a"]), (("b",), ["a", "b"]), (("a",), ["b", "a"]), (("a", "b", "c d"), ["a", "b", r"~^c\U00000020d$"])],
)
def test_last_play_has_the_hosts_that_fail_and_one_other(failed: tuple[str, ...], patterns: list[str]) -> None:
    assert patterns_of(failed, ["a", "b", "c d"]) == patterns
