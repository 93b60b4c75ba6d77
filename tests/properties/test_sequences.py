# SPDX-License-Identifier: GPL-3.0-or-later

"""Random sequences of desired states, edits by others and behaviours of the service; each step is compared with an independent model."""

import collections
import typing as t

import hypothesis
import pytest
from faults import direct
from faults.scenarios import FOREIGN_RULE, MANAGED, OTHER_JOBS, OTHER_PHASE, OWN_RULE, PHASE, ZONE
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test
from properties import desired_states, fields_model, jobs_model
from properties.answers import examples

from edgeops_simulator.testing import running
from harness import Outcome, outcome, prediction

Document = dict[str, t.Any]
DISABLED_RULE = {
    **desired_states.a_rule(1, fields_model.ACTION, {"request_fields": ["a", "b"], "response_fields": ["b"]}, True),
    "id": "0b" * 16,
    "enabled": False,
}
JOBS_PATH = f"/zones/{ZONE}/logpush/jobs"


@pytest.fixture(scope="module")
def simulator() -> t.Iterator[t.Any]:
    """Run one simulator for all sequences; each starts with a reset."""
    with running(zones=[ZONE]) as server:
        yield server


class Zone(RuleBasedStateMachine):
    """A zone that several editors change in turn."""

    simulator: t.ClassVar[t.Any]
    cases: t.ClassVar[collections.Counter[str]]

    @initialize(rules=st.sampled_from([[], [FOREIGN_RULE], [FOREIGN_RULE, OWN_RULE, DISABLED_RULE]]))
    def begin(self, rules: list[Document]) -> None:
        own = [{"kind": "zone", "phase": PHASE, "rules": rules}] if rules else []
        rulesets = [OTHER_PHASE, *own, MANAGED]
        monitor = {"enabled": False}
        self.simulator.reset(script_monitor={ZONE: monitor}, rulesets={ZONE: rulesets}, jobs={ZONE: OTHER_JOBS})
        self.masked = False
        # How many requests of the sequence were looked at.
        self.seen = 0

    @rule(habits=desired_states.HABITS)
    def the_service_changes_its_habits(self, habits: Document) -> None:
        self.masked = self.simulator.settings(**habits)["echo_destination"] == "masked"
        self.cases["sequences: changes of the service's habits"] += 1

    # The checks for all desired states.

    def apply(self, module: str, options: Document) -> tuple[Document, Document]:
        """Predict, apply with approval, and run again; return the result and the new state."""
        predicted = self.run(module, options, check=True)
        approved = {"expected_plan_id": predicted.result["plan_id"]}
        applied = self.run(module, {**options, **approved})
        after = self.state()
        again = self.run(module, options)
        # The service may rewrite values that it was sent, and a new job gets an id.
        prediction.check_predicted(predicted, applied)
        prediction.check_settled(applied, again, again, respelled=True)
        assert predicted.result["warnings"] == applied.result["warnings"]
        assert again.result["diff"]["before"] == again.result["diff"]["after"]
        if applied.result["changed"]:
            assert again.result["plan_id"] != applied.result["plan_id"]
            self.refused(module, {**options, **approved}, "conflict")
        self.cases[f"sequences: desired states, {module}, {'changed' if applied.result['changed'] else 'unchanged'}"] += 1
        return applied.result, after

    def refused(self, module: str, options: Document, kind: str) -> None:
        """A desired state fails before any write, in check mode and in a real run."""
        for check in (True, False):
            refusal = self.run(module, options, check=check, fails=True)
            assert refusal.result["error"]["kind"] == kind, (refusal.result, options)
            assert not refusal.result["changed"] and not refusal.writes
        self.cases[f"sequences: desired states, {module}, {kind}"] += 1

    def run(self, module: str, options: Document, *, check: bool = False, fails: bool = False) -> Outcome:
        result = direct.run(module, self.simulator, ZONE, options, check=check)
        assert bool(result.get("failed")) == fails, (result, options)
        journal = self.simulator.journal(since=self.seen)
        self.seen += len(journal)
        writes = outcome.writes(entry for entry in journal if "x-simulator-editor" not in entry["headers"])
        assert fails or bool(writes) == (result["changed"] and not check), writes
        return Outcome(module, module, ZONE, "failed" if fails else "ok", result, check, writes)

    def edit(self, method: str, path: str, body: t.Any = None) -> None:
        """Send a request of another editor; the service may refuse it."""
        self.simulator.request(method, path, body)
        self.cases["sequences: edits by others"] += 1

    def state(self) -> Document:
        return t.cast(Document, self.simulator.state(ZONE))


class Fields(Zone):
    """A zone with custom log fields."""

    @rule(
        data=st.data(),
        lists=desired_states.some(**desired_states.LISTS),
        own=st.booleans(),
        enabled=st.booleans(),
        keep=st.booleans(),
    )
    def another_editor_writes_rules(self, data: st.DataObject, lists: Document, own: bool, enabled: bool, keep: bool) -> None:
        ruleset = fields_model.entry_point(self.state())
        rules = [without(rule, *fields_model.MOVING) for rule in ruleset["rules"][:4]] if ruleset and keep else []
        new = desired_states.a_rule(data.draw(st.integers(1, 99)), fields_model.ACTION if own else "set_config", lists, enabled)
        rules.insert(data.draw(st.integers(0, len(rules))), new)
        if ruleset:
            self.edit("PUT", f"/zones/{ZONE}/rulesets/{ruleset['id']}", {"rules": rules})
        else:
            self.edit("POST", f"/zones/{ZONE}/rulesets", {"name": "theirs", "kind": "zone", "phase": PHASE, "rules": rules})

    @rule()
    def another_editor_removes_the_entry_point(self) -> None:
        ruleset = fields_model.entry_point(self.state())
        if ruleset:
            self.edit("DELETE", f"/zones/{ZONE}/rulesets/{ruleset['id']}")

    @rule(options=desired_states.FIELD_OPTIONS)
    def a_task_sets_the_fields(self, options: Document) -> None:
        self.desired_fields(options)

    @rule(options=desired_states.ADDITIONS)
    def a_task_adds_fields(self, options: Document) -> None:
        self.desired_fields(options)

    @rule(options=desired_states.REMOVALS)
    def a_task_removes_fields(self, options: Document) -> None:
        self.desired_fields(options)

    def desired_fields(self, options: Document) -> None:
        before = self.state()
        rules = fields_model.own_rules(before)
        try:
            expected = fields_model.expected(options, rules)
        except fields_model.Refused:
            self.refused("log_custom_fields", options, "invalid_option")
            return
        result, after = self.apply("log_custom_fields", options)
        left = fields_model.own_rules(after)
        assert fields_model.union(left) == expected
        assert fields_model.untouchable(after) == fields_model.untouchable(before)
        self.check_rules(options, rules, left, result)
        diff = result["diff"]
        assert diff["before"]["custom_fields"] == fields_model.shown(fields_model.union(rules))
        assert diff["after"]["custom_fields"] == fields_model.shown(expected) == result["custom_fields"]
        assert [rule["id"] for rule in diff["before"]["rules"]] == [rule["id"] for rule in rules]
        assert len(diff["after"]["rules"]) == len(left)
        assert result["changed"] == (diff["before"] != diff["after"]) == (visible(rules) != visible(left))

    def check_rules(self, options: Document, rules: list[t.Any], left: list[t.Any], result: Document) -> None:
        known = {(rule["id"], rule["ref"]) for rule in rules}
        new = [rule for rule in left if (rule["id"], rule["ref"]) not in known]
        present = options.get("state") != "absent"
        assert len(new) == int(present and not rules)
        if not present:
            return
        assert not options.get("purge", True) or len(left) == 1
        (main,) = [rule for rule in left if rule["id"] == result["ruleset"]["rule_id"]]
        assert main["enabled"] is True and main["expression"] == "true" and main["ref"] == result["ruleset"]["ref"]
        assert main["description"] == options.get("description", main["description"])
        effective = fields_model.union(rule for rule in left if rule["enabled"])
        assert all(names <= set(effective[kind]) for kind, names in fields_model.given(options).items())


class Jobs(Zone):
    """A zone with Logpush jobs."""

    @rule(
        name=st.sampled_from(["other", "third", "fourth"]),
        dataset=desired_states.DATASETS,
        destination=desired_states.DESTINATIONS,
    )
    def another_editor_creates_a_job(self, name: str, dataset: str, destination: str) -> None:
        if len(self.state()["jobs"]) < 8:
            self.edit("POST", JOBS_PATH, {"name": name, "dataset": dataset, "destination_conf": destination})

    @rule(data=st.data(), change=desired_states.EDITS, delete=st.booleans())
    def another_editor_changes_or_deletes_a_job(self, data: st.DataObject, change: Document, delete: bool) -> None:
        job = data.draw(st.sampled_from(self.state()["jobs"] or [None]))
        if job:
            self.edit("DELETE" if delete else "PUT", f"{JOBS_PATH}/{job['id']}", None if delete else change)

    @rule(options=desired_states.JOB_OPTIONS, name=desired_states.JOB_NAMES, dataset=desired_states.DATASETS)
    def a_task_changes_a_job(self, options: Document, name: str, dataset: str) -> None:
        self.desired_job({**options, "name": name, "dataset": dataset})

    @rule(options=desired_states.NEW_JOBS, name=desired_states.JOB_NAMES)
    def a_task_ensures_a_job(self, options: Document, name: str) -> None:
        self.desired_job({**options, "name": name})

    @rule(data=st.data(), options=desired_states.JOB_OPTIONS, rename=st.none() | desired_states.JOB_NAMES)
    def a_task_changes_a_job_by_its_number(self, data: st.DataObject, options: Document, rename: str | None) -> None:
        number = data.draw(st.sampled_from([*(job["id"] for job in self.state()["jobs"]), 4711]))
        self.desired_job({**options, "job_id": number, **({"name": rename} if rename else {})})

    @rule(data=st.data(), name=desired_states.JOB_NAMES)
    def a_task_removes_a_job(self, data: st.DataObject, name: str) -> None:
        number = data.draw(st.sampled_from([None, None, *(job["id"] for job in self.state()["jobs"])]))
        self.desired_job({"state": "absent", **({"name": name} if number is None else {"job_id": number})})

    def desired_job(self, options: Document) -> None:
        before = self.state()
        try:
            target = jobs_model.target(options, before["jobs"])
        except jobs_model.Refused as refused:
            self.refused("logpush_job", options, str(refused))
            return
        result, after = self.apply("logpush_job", options)
        known = {job["id"] for job in before["jobs"]}
        made = [job for job in after["jobs"] if job["id"] not in known]
        managed = made[0] if made else next((job for job in after["jobs"] if target and job["id"] == target["id"]), None)
        assert [job for job in after["jobs"] if job is not managed] == [job for job in before["jobs"] if job != target]
        assert without(before, "jobs") == without(after, "jobs")
        assert len(made) == int(jobs_model.is_present(options) and target is None)
        assert result["changed"] == (target != managed)
        if jobs_model.is_present(options):
            self.check_job(options, target, managed, result)
        else:
            assert managed is None and result["job"] is None
            assert (result["diff"]["before"] != {}) == (target is not None) and result["diff"]["after"] == {}

    def check_job(self, options: Document, before: t.Any, after: t.Any, result: Document) -> None:
        expected = jobs_model.expected(options, before)
        older = expected.get("logpull_options", {})
        for job in (after, result["job"], jobs_model.as_job(result["diff"]["after"], older)):
            assert {name: jobs_model.meaning(job)[name] for name in expected} == expected
        assert result["job"]["id"] == after["id"]
        if not before:
            assert result["diff"]["before"] == {} and after["destination_conf"] == options["destination_conf"]
            return
        was, now = (jobs_model.meaning(job) for job in (before, after))
        sides = [jobs_model.as_job(result["diff"][name], was["logpull_options"]) for name in ("before", "after")]
        displayed = jobs_model.meaning(sides[0])
        changed = {name for name in expected if was[name] != now[name]}
        assert without(after, "destination_conf", *changed) == without(before, "destination_conf", *changed)
        same = jobs_model.same_destination(options, before["destination_conf"], self.masked)
        assert after["destination_conf"] == (before if same else options)["destination_conf"]
        assert set(sides[0]) == set(sides[1]) >= set(expected)
        assert {name: displayed[name] for name in expected} == {name: was[name] for name in expected}
        told = {side: result["diff"][side].get("destination") for side in ("before", "after")}
        assert (told["before"] != told["after"]) == (after["destination_conf"] != before["destination_conf"])


class Everything(Fields, Jobs):
    """A zone with both, and with the script monitor."""

    @rule(enabled=st.booleans(), route=st.sampled_from(["auto", "script_monitor", "page_shield"]))
    def a_task_sets_the_monitor(self, enabled: bool, route: str) -> None:
        before = self.state()
        result, after = self.apply("script_monitor", {"enabled": enabled, "route": route})
        was = before["script_monitor"]["enabled"]
        assert after["script_monitor"]["enabled"] is enabled
        assert without(before, "script_monitor") == without(after, "script_monitor")
        assert result["diff"] == {"before": {"enabled": was}, "after": {"enabled": enabled}}
        assert result["changed"] == (was is not enabled)
        status = {name: after["script_monitor"][name] for name in ("enabled", "updated_at")}
        others = result["script_monitor"].pop("other")
        # Only one of the two routes shows them.
        assert set(others) in (set(), {"use_cloudflare_reporting_endpoint", "use_connection_url_path"})
        assert result["script_monitor"] == status


def visible(rules: list[t.Any]) -> t.Any:
    """Return the members of our rules that a task manages."""
    members = ("id", "description", "enabled", "expression")
    return [([rule[name] for name in members], fields_model.fields_of(rule)) for rule in rules]


def without(document: t.Mapping[str, t.Any], *names: str) -> Document:
    return {name: value for name, value in document.items() if name not in names}


@pytest.mark.parametrize(
    ("machine", "number"), [(Fields, 36), (Jobs, 16), (Everything, 12)], ids=["fields", "jobs", "everything"]
)
def test_random_sequences_converge(simulator, monkeypatch, cases, machine, number):
    direct.without_waiting(monkeypatch)
    bound = type("Bound", (machine,), {"simulator": simulator, "cases": cases})
    run_state_machine_as_test(bound, settings=hypothesis.settings(examples(number), stateful_step_count=25))
