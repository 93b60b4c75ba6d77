# SPDX-License-Identifier: GPL-3.0-or-later

"""The harness reports each violation of its invariants."""

import pytest

from harness import Modules, canaries, invariants, prediction
from harness.outcome import Outcome

MONITOR = "edgeops.observability.script_monitor"


def outcome(result: dict, *, check_mode: bool = False, action: str = MONITOR, journal: list | None = None) -> Outcome:
    return Outcome("task", action, "localhost", "ok", result, check_mode, journal or [])


def monitored(enabled: bool, **more: object) -> dict:
    status = {"enabled": enabled, "updated_at": None, "other": {}}
    diff = {"before": {"enabled": False}, "after": {"enabled": enabled}}
    return {"changed": enabled, "effects": [], "plan_id": "sha256:1", "script_monitor": status, "diff": diff, **more}


def test_converge_refuses_a_compliant_zone(modules: Modules) -> None:
    """`converge` fails if the first run changes nothing."""
    assert len(modules.converge("script_monitor", {"enabled": True}).report.ours) == 4
    modules.run({MONITOR: {"enabled": False}})
    with pytest.raises(AssertionError, match="changed is False"):
        modules.converge("script_monitor", {"enabled": False})


def test_undeclared_failure_is_refused(modules: Modules) -> None:
    """A test fails for an undeclared failure, even if the task ignores errors, and for a failure of an undeclared kind."""
    task = {MONITOR: {"enabled": True, "zone_id": "not a zone"}}
    for undeclared in (task, {**task, "ignore_errors": True}):
        with pytest.raises(AssertionError, match=r"failed as .*invalid_option.*, not None"):
            modules.run(undeclared)
    with pytest.raises(AssertionError, match="not conflict"):
        modules.run(task, fails="conflict")
    assert "zone_id" in modules.run(task, fails="invalid_option").failure["msg"]


def test_failure_that_does_not_happen_is_refused(modules: Modules) -> None:
    for kind in ("conflict", "ansible"):
        with pytest.raises(AssertionError, match=r"not conflict|nothing failed"):
            modules.run({MONITOR: {"enabled": True}}, fails=kind)


def test_secret_in_a_result_is_refused(modules: Modules) -> None:
    """Secrets are also found when they are quoted for a URL or escaped for JSON; secrets that are too short are refused."""
    for secret in ("r0unded/cookie", 'r0unded"cookie'):
        quoted = secret.replace("/", "%2F")  # the record of the run is JSON, in which the other secret is escaped
        report = modules.run({"name": f"shows {quoted}", MONITOR: {"enabled": True}})
        with pytest.raises(AssertionError, match="a secret can be read"):
            invariants.check_secrets(report, [secret])
    with pytest.raises(AssertionError, match="need 8 characters"):
        invariants.check_secrets(report, ["short"])


def test_traceback_is_refused() -> None:
    error = dict.fromkeys(invariants.ERROR_MEMBERS) | {"kind": "conflict"}
    failed = outcome({"failed": True, "msg": "x", "error": error, "exception": "Traceback (most recent call last)"})
    with pytest.raises(AssertionError, match="Traceback"):
        list(invariants._kinds(failed, report=None))  # type: ignore[arg-type]  # the report is only quoted in messages


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (monitored(True, changed=False), "changed=False"),
        (monitored(True, plan_id=""), "plan ids"),
        (monitored(True, surprise=1), "returned and not documented"),
        ({**monitored(True), "script_monitor": {"enabled": True, "other": {}}}, "updated_at is documented and missing"),
        ({name: value for name, value in monitored(True).items() if name != "diff"}, "diff mode is True"),
    ],
)
def test_undocumented_result_is_refused(result: dict, message: str) -> None:
    invariants._check_result(outcome(monitored(True)), monitored(True), diff=True)
    with pytest.raises(AssertionError, match=message):
        invariants._check_result(outcome(result), result, diff=True)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"plan_id": "sha256:2"}, "plan_id"),
        ({"diff": {"before": {}, "after": {}}}, "predicted diff"),
        ({"changed": False}, "predicted changed"),
        ({"script_monitor": {"enabled": False, "updated_at": None}}, "enabled: True predicted, False found"),
        ({"script_monitor": {"enabled": True}}, "members of"),
    ],
)
def test_wrong_prediction_is_refused(change: dict, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        prediction.check_predicted(outcome(monitored(True)), outcome({**monitored(True), **change}))


def test_generated_values_may_differ() -> None:
    """Values that only the service can know may differ from the prediction."""
    made = {"script_monitor": {"enabled": True, "updated_at": "2026-01-01T00:00:00Z", "id": 7}}
    predicted = {"script_monitor": {"enabled": True, "updated_at": None, "id": None}}
    prediction.check_predicted(outcome({**monitored(True), **predicted}), outcome({**monitored(True), **made}))


def test_id_of_existing_object_may_not_change() -> None:
    before, after = ({"job": {"id": number}} for number in (1, 2))
    with pytest.raises(AssertionError, match="id: 1 predicted, 2 found"):
        prediction.check_predicted(outcome(before), outcome(after))


def test_second_run_must_change_nothing() -> None:
    """A test fails if a second run writes, or returns another result."""
    settled = monitored(False)
    put = [{"method": "PUT", "path": "/zones/x/script_monitor"}]
    with pytest.raises(AssertionError, match="wrote"):
        prediction.check_settled(outcome(settled), outcome(settled), outcome(settled, journal=put))
    moved = {**settled, "script_monitor": {"enabled": False, "updated_at": "later"}}
    with pytest.raises(AssertionError, match="not what the first real run returned"):
        prediction.check_settled(outcome(settled), outcome(settled), outcome(moved))


def test_undeclared_or_missing_warning_is_refused(modules: Modules) -> None:
    read = {"edgeops.observability.script_monitor_info": {}}
    modules.run(read, warns=["is disabled"])
    with pytest.raises(AssertionError, match="undeclared"):
        modules.run(read)
    with pytest.raises(AssertionError, match="did not appear"):
        modules.run(read, warns=["is disabled", "anything"])


def test_secret_options_become_variables() -> None:
    """Secret options become variables, and all output is searched for them."""
    destination = "s3://bucket/logs?region=eu&access-key-id=AKIAVISIBLE&secret-access-key=planted-in-url"
    planted: dict[str, str] = {}
    task = {"job": {"destination_conf": destination, "ownership_challenge": "planted-challenge", "name": "x"}}
    hoisted = canaries.hoist([task], planted)
    assert hoisted == [{"job": {"destination_conf": "{{ planted_0 }}", "ownership_challenge": "{{ planted_1 }}", "name": "x"}}]
    assert canaries.of_variables(planted) == {"planted-in-url", "planted-challenge"}


@pytest.mark.parametrize(
    ("destination", "secrets"),
    [
        ("s3://bucket/{DATE}?region=eu&access-key-id=AKIAVISIBLE", set()),
        ("https://user:pass-word@host/p?header_Authorization=Basic%20abcdef", {"user", "pass-word", "Basic abcdef"}),
        ("sumo://endpoint.example.com/receiver/v1/http/ZaVnC4dhaV1", {"ZaVnC4dhaV1"}),
        ("azure://c/logs?sv=2019&SIG=abc%3Ddef", {"abc=def"}),
        ("s3://b?secret-access-key=****", set()),
    ],
)
def test_secret_parts_of_a_destination_are_found(destination: str, secrets: set[str]) -> None:
    assert canaries.of_destination(destination) == secrets
