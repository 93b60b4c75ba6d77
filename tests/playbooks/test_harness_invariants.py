# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The harness refuses each thing that it promises to refuse: a test of a test that cannot fail would prove nothing."""

from __future__ import annotations

import pytest

from harness import Playbook, canaries, documented, invariants, prediction
from harness.outcome import Outcome

MONITOR = "edgeops.observability.script_monitor"
SECRET = "canary-d02b7716ee"


def outcome(result: dict, *, check_mode: bool = False, action: str = MONITOR, journal: list | None = None) -> Outcome:
    return Outcome("task", action, "localhost", "ok", result, check_mode, journal or [])


def monitored(enabled: bool, **more: object) -> dict:
    status = {"enabled": enabled, "updated_at": None}
    diff = {"before": {"enabled": False}, "after": {"enabled": enabled}}
    return {"changed": enabled, "plan_id": "sha256:1", "script_monitor": status, "diff": diff, **more}


def test_write_in_check_mode_is_refused(playbook: Playbook) -> None:
    task = {
        "name": "Write although this is check mode",
        "ansible.builtin.uri": {
            "url": f"{playbook.simulator.base_url}/zones/{playbook.zone}/script_monitor",
            "method": "PUT",
            "body_format": "json",
            "body": {"enabled": True},
            "headers": {"Authorization": "Bearer {{ lookup('env', 'CLOUDFLARE_API_TOKEN') }}"},
        },
        "no_log": True,
        "check_mode": False,
    }
    assert playbook.run(task).writes
    with pytest.raises(AssertionError, match="check mode sent"):
        playbook.run(task, check=True)


@pytest.mark.parametrize("shown", [SECRET, f"{SECRET}/+", f'{SECRET}"'], ids=["plain", "quoted", "escaped"])
def test_secret_in_the_output_is_refused(playbook: Playbook, shown: str) -> None:
    with pytest.raises(AssertionError, match="a secret can be read"):
        playbook.run({"ansible.builtin.debug": {"msg": f"it is {shown}"}}, secrets=[shown])


def test_secret_in_a_file_left_behind_is_refused(playbook: Playbook) -> None:
    copy = {"ansible.builtin.copy": {"content": "{{ planted_here }}", "dest": "{{ lookup('env', 'HOME') }}/left", "mode": "0600"}}
    with pytest.raises(AssertionError, match="home/left"):
        playbook.run({**copy, "no_log": True}, extra_vars={"planted_here": SECRET}, secrets=[SECRET])


def test_short_secret_is_refused(playbook: Playbook) -> None:
    with pytest.raises(AssertionError, match="need 8 characters"):
        playbook.run({"ansible.builtin.debug": {"msg": "x"}}, secrets=["short"])


def test_simulator_credentials_are_searched(playbook: Playbook) -> None:
    """Credentials of the simulator are always searched for in the output."""
    with pytest.raises(AssertionError, match="a secret can be read"):
        playbook.run({"ansible.builtin.debug": {"msg": "{{ lookup('env', 'CLOUDFLARE_API_TOKEN') }}"}})


def test_undeclared_failure_is_refused(playbook: Playbook) -> None:
    """An undeclared failure, and one of another kind than declared, fail the test."""
    task = {MONITOR: {"enabled": True, "zone_id": "not a zone"}}
    with pytest.raises(AssertionError, match=r"failed as .*invalid_option.*, not None"):
        playbook.run(task)
    with pytest.raises(AssertionError, match="not conflict"):
        playbook.run(task, fails="conflict")
    assert "zone_id" in playbook.run(task, fails="invalid_option").failure["msg"]


def test_failure_that_does_not_happen_is_refused(playbook: Playbook) -> None:
    for kind in ("conflict", "ansible"):
        with pytest.raises(AssertionError, match=r"not conflict|nothing failed"):
            playbook.run({MONITOR: {"enabled": True}}, fails=kind)


def test_failure_outside_of_a_task_is_refused(playbook: Playbook) -> None:
    broken = [{"hosts": "all", "nonsense": True}]
    with pytest.raises(AssertionError, match="failed outside of a task"):
        playbook.run(playbook=broken)
    assert playbook.run(playbook=broken, fails="ansible").returncode != 0


def test_ignored_failure_has_to_be_declared_too(playbook: Playbook) -> None:
    task = {MONITOR: {"enabled": True, "zone_id": "not a zone"}, "ignore_errors": True}
    with pytest.raises(AssertionError, match="failed as"):
        playbook.run(task)


def test_traceback_is_refused() -> None:
    error = dict.fromkeys(invariants.ERROR_MEMBERS) | {"kind": "conflict"}
    failed = outcome({"failed": True, "msg": "x", "error": error, "exception": "Traceback (most recent call last)"})
    with pytest.raises(AssertionError, match="Traceback"):
        list(invariants._kinds(failed, report=None))  # type: ignore[arg-type]  # only quoted in messages


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (monitored(True, changed=False), "changed=False"),
        (monitored(True, plan_id=""), "plan ids"),
        (monitored(True, surprise=1), "returned and not documented"),
        ({**monitored(True), "script_monitor": {"enabled": True}}, "updated_at is documented and missing"),
        ({name: value for name, value in monitored(True).items() if name != "diff"}, "diff mode is True"),
    ],
)
def test_result_against_the_contract_is_refused(result: dict, message: str) -> None:
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


def test_identity_of_what_exists_may_not_move() -> None:
    before, after = ({"job": {"id": number}} for number in (1, 2))
    with pytest.raises(AssertionError, match="id: 1 predicted, 2 found"):
        prediction.check_predicted(outcome(before), outcome(after))
    prediction.check_predicted(outcome(before), outcome(after), recreated=True)


def test_second_run_has_to_settle() -> None:
    """A second run that writes, or whose result differs, fails the test."""
    settled = monitored(False)
    put = [{"method": "PUT", "path": "/zones/x/script_monitor"}]
    with pytest.raises(AssertionError, match="wrote"):
        prediction.check_settled(outcome(settled), outcome(settled), outcome(settled, journal=put))
    moved = {**settled, "script_monitor": {"enabled": False, "updated_at": "later"}}
    with pytest.raises(AssertionError, match="not what the first real run returned"):
        prediction.check_settled(outcome(settled), outcome(settled), outcome(moved))


def test_warnings_are_declared(playbook: Playbook) -> None:
    playbook.run({"ansible.builtin.debug": {"msg": "x"}})
    with pytest.raises(AssertionError, match="did not appear"):
        playbook.run({"ansible.builtin.debug": {"msg": "x"}}, warns=["anything"])


def test_undeclared_warning_is_refused() -> None:
    class Warned:
        outcomes = (outcome({"warnings": ["the job is switched off"]}),)

    with pytest.raises(AssertionError, match="undeclared"):
        invariants.check_warnings(Warned, [])  # type: ignore[arg-type]  # the one attribute that is read
    invariants.check_warnings(Warned, ["switched off$"])  # type: ignore[arg-type]  # see above


def test_requests_are_told_apart_by_task(playbook: Playbook) -> None:
    report = playbook.run(
        [
            {"name": "First", MONITOR: {"enabled": True}},
            {"name": "Nothing", "ansible.builtin.debug": {"msg": "x"}},
            {"name": "Second", MONITOR: {"enabled": True}},
        ]
    )
    methods = {name: [entry["method"] for entry in report.named(name).journal] for name in ("First", "Nothing", "Second")}
    assert methods == {"First": ["GET", "PUT"], "Nothing": [], "Second": ["GET"]}


def test_both_ways_of_running_are_what_they_say(playbook: Playbook) -> None:
    inside = playbook.run({MONITOR: {"enabled": True}}, in_process=True)
    outside = playbook.run({MONITOR: {"enabled": True}}, in_process=False)
    assert "AnsiballZ" not in inside.stdout
    assert "AnsiballZ" in outside.stdout


def test_foreign_edits_are_not_the_runs_own(playbook: Playbook) -> None:
    """Edits by others are not taken for writes of the run."""
    playbook.simulator.request("PUT", f"/zones/{playbook.zone}/script_monitor", {"enabled": True})
    assert not playbook.run({MONITOR: {"enabled": True}}, check=True).writes


def test_secret_options_become_variables() -> None:
    """Secret options become variables, and are searched for in the output."""
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
def test_secret_parts_of_a_destination(destination: str, secrets: set[str]) -> None:
    assert canaries.of_destination(destination) == secrets


def test_documented_members_come_from_module() -> None:
    """Documented members are read from the module."""
    assert documented.section("script_monitor", "RETURN")["script_monitor"]["type"] == "dict"
