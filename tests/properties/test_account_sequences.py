# SPDX-License-Identifier: GPL-3.0-or-later

"""Random sequences of desired states of a transformer and of a notification policy."""

import typing as t

import pytest
from faults import direct, scenarios
from hypothesis import given
from hypothesis import strategies as st
from properties.answers import examples

from ansible_collections.edgeops.observability.plugins.module_utils._address import ACCOUNT, Address
from edgeops_simulator.testing import running

OWNER = Address(ACCOUNT, "a" * 32)
TEXTS = st.sampled_from(["", "d", "{{ x }}", "é\u2028"])
SQL = st.sampled_from(
    [
        "SELECT RayID FROM http_requests",
        "SELECT RayID  \nFROM http_requests\n",
        "SELECT RayID\nFROM http_requests",
        "SELECT ClientIP FROM http_requests",
    ]
)
MAIL = st.lists(st.sampled_from(["a@example.com", "b@example.com", "c@example.com"]), max_size=3)
FILTERS = st.dictionaries(st.sampled_from(["zones", "more"]), st.lists(st.sampled_from(["x", "y"]), max_size=2), max_size=2)
ALERT = "failing_logpush_job_disabled_alert"


def options(required: dict[str, t.Any], optional: dict[str, t.Any]) -> st.SearchStrategy[dict[str, t.Any]]:
    return st.fixed_dictionaries(required, optional=optional)


MODULES: dict[str, tuple[str, st.SearchStrategy[dict[str, t.Any]]]] = {
    "logpush_transformer": (
        "transformer",
        options({"name": st.just("n"), "sql": SQL}, {"description": TEXTS}) | st.just({"name": "n", "state": "absent"}),
    ),
    "notification_policy": (
        "notification_policy",
        options(
            {
                "name": st.just("n"),
                "alert_type": st.just(ALERT),
                "mechanisms": st.fixed_dictionaries({"email": MAIL}, optional={"pagerduty": st.just(["p"])}),
            },
            {"description": TEXTS, "enabled": st.booleans(), "filters": FILTERS, "alert_interval": st.sampled_from(["", "30m"])},
        )
        | st.just({"name": "n", "state": "absent"}),
    ),
    "notification_webhook": (
        "notification_webhook",
        options(
            {
                "name": st.just("n"),
                "url": st.sampled_from([f"https://{host}/{path}" for host in ("a.example", "b.example") for path in ("", "x")]),
            },
            {"secret": st.just("planted-secret-of-a-sequence")},
        )
        | st.just({"name": "n", "state": "absent"}),
    ),
}


@pytest.fixture(scope="module")
def simulator() -> t.Iterator[t.Any]:
    with running(accounts=[OWNER.id]) as server:
        yield server


@pytest.mark.parametrize("module", MODULES)
def test_each_state_is_reached_as_predicted(simulator, monkeypatch, cases, module):
    """Check mode predicts diff and plan; the service has the desired state; a second run only reads; a refused state writes nothing."""
    key, desired_states = MODULES[module]
    direct.without_waiting(monkeypatch, scenarios.inventory)

    @examples(40)
    @given(st.lists(desired_states, min_size=1, max_size=4))
    def sequence(states: list[dict[str, t.Any]]) -> None:
        simulator.reset()
        for args in states:
            simulator.clear_journal()
            predicted = direct.run(module, simulator, OWNER, args, check=True)
            assert not simulator.writes()
            done = direct.run(module, simulator, OWNER, args)
            if done.get("failed"):
                # Refused because an enabled policy would have no mechanism.
                assert done["error"]["kind"] == predicted["error"]["kind"] == "invalid_option" and not simulator.writes()
                cases[f"{module}: refused"] += 1
                continue
            assert all(predicted[name] == done[name] for name in ("changed", "diff", "plan_id", "effects"))
            written = len(simulator.writes())
            assert done["changed"] is bool(written) and done["changed"] is (done["diff"]["before"] != done["diff"]["after"])
            again = direct.run(module, simulator, OWNER, args)
            assert not again["changed"] and again[key] == done[key] and len(simulator.writes()) == written
            assert done["plan_id"] == again["plan_id"] or done["changed"]
            _reached(args, done[key])
            cases[f"{module}: reached"] += 1

    sequence()


def _reached(args: dict[str, t.Any], current: t.Any) -> None:
    """The service has the desired state."""
    if args.get("state") == "absent":
        assert current is None
        return
    for name, value in args.items():
        if name == "sql":
            assert current["sql"].split() == value.split()
        elif name == "mechanisms":
            assert all(set(current[name][kind]) == set(ids) for kind, ids in value.items())
        elif name == "filters":
            assert {kind: set(values) for kind, values in current[name].items()} == {k: set(v) for k, v in value.items() if v}
        elif name not in ("url", "secret"):
            assert current[name] == value
