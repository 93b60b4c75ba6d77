# SPDX-License-Identifier: GPL-3.0-or-later

"""Random sequences of desired states, of edits by others and of the service's habits; each is compared with an independent model."""

from __future__ import annotations

import collections
import copy
import typing as t

import hypothesis
import pytest
from faults import direct
from faults.scenarios import FOREIGN_RULE, MANAGED, OTHER_JOBS, OTHER_PHASE, PHASE
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test
from properties import desired_states, fields_model, jobs_model
from properties.answers import examples

from edgeops_simulator.testing import running

Document = dict[str, t.Any]
ZONE = "5a1e0c47d2b94f6f8e3b7c9012d4a6f8"
JOBS_PATH = f"/zones/{ZONE}/logpush/jobs"
# Members that only the service can know; a prediction has their present value or null.
SERVER_MADE = ("id", "version", "updated_at", "last_updated", "rule_id", "ref", "last_complete", "last_error", "error_message")


@pytest.fixture(scope="module")
def simulator() -> t.Iterator[t.Any]:
    """One simulator for all sequences; each starts with a reset."""
    with running(zones=[ZONE]) as server:
        yield server


def without_server_made(value: t.Any) -> t.Any:
    if isinstance(value, dict):
        return {name: without_server_made(member) for name, member in value.items() if name not in SERVER_MADE}
    return [without_server_made(item) for item in value] if isinstance(value, list) else value


def in_meaning(result: Document) -> Document:
    """A result with a job's members by their meaning: once nothing differs, the service's spelling is reported."""
    found = without_server_made(result)
    # Where the service masks a destination, only a run that sends none has to assume that it is equal; only a creation leaves a job disabled.
    once = ("assumed to be equal", "the service creates jobs disabled")
    found["warnings"] = [text for text in found["warnings"] if not any(words in text for words in once)]
    if found.get("job"):
        spelled = ("logpull_options", "output_options", "filter", "filter_explained", "destination")
        said = {name: shown(name, found["job"][name]) for name in spelled[:3]}
        found["job"] = {**{name: value for name, value in found["job"].items() if name not in spelled}, **said}
    return t.cast(Document, found)


FIELDS, JOBS = "fields", "jobs"


def about(what: str) -> t.Callable[[t.Any], bool]:
    """Whether a sequence is about this, too."""
    return lambda zone: what in zone.subjects


class Zone(RuleBasedStateMachine):
    """A zone that several editors change at the same time, one after the other."""

    simulator: t.ClassVar[t.Any]
    cases: t.ClassVar[collections.Counter[str]]
    subjects: t.ClassVar[t.Collection[str]]

    @initialize(fields=st.booleans())
    def begin(self, fields: bool) -> None:
        own = [{"kind": "zone", "phase": PHASE, "rules": [FOREIGN_RULE]}] if fields else []
        seed = {
            "script_monitor": {ZONE: {"enabled": False}},
            "rulesets": {ZONE: [OTHER_PHASE, *own, MANAGED]},
            "jobs": {ZONE: OTHER_JOBS},
        }
        self.simulator.reset(**copy.deepcopy(seed))
        self.masked = False

    # What the service and others do.

    @rule(habits=desired_states.HABITS)
    def the_service_changes_its_habits(self, habits: Document) -> None:
        self.masked = self.simulator.settings(**desired_states.settings_of(habits))["echo_destination"] == "masked"
        self.cases["sequences: changes of the service's habits"] += 1

    @rule(enabled=st.booleans())
    def another_editor_switches_the_monitor(self, enabled: bool) -> None:
        self.edit("PUT", f"/zones/{ZONE}/script_monitor", {"enabled": enabled})

    @rule(
        data=st.data(),
        lists=desired_states.some(**desired_states.LISTS),
        own=st.booleans(),
        enabled=st.booleans(),
        keep=st.booleans(),
    )
    @precondition(about(FIELDS))
    def another_editor_writes_rules(self, data: st.DataObject, lists: Document, own: bool, enabled: bool, keep: bool) -> None:
        ruleset = fields_model.entry_point(self.state())
        present = list(ruleset["rules"]) if ruleset and keep else []
        rules = [{name: value for name, value in found.items() if name not in ("version", "last_updated")} for found in present][
            :4
        ]
        number = data.draw(st.integers(1, 99))
        rules.insert(
            data.draw(st.integers(0, len(rules))),
            desired_states.a_rule(number, "log_custom_field" if own else "set_config", lists, enabled),
        )
        if ruleset:
            self.edit("PUT", f"/zones/{ZONE}/rulesets/{ruleset['id']}", {"rules": rules})
        else:
            self.edit("POST", f"/zones/{ZONE}/rulesets", {"name": "theirs", "kind": "zone", "phase": PHASE, "rules": rules})

    @rule()
    @precondition(about(FIELDS))
    def another_editor_removes_the_entry_point(self) -> None:
        ruleset = fields_model.entry_point(self.state())
        if ruleset:
            self.edit("DELETE", f"/zones/{ZONE}/rulesets/{ruleset['id']}")

    @rule(
        name=st.sampled_from(["other", "third", "fourth"]),
        dataset=desired_states.DATASETS,
        destination=desired_states.DESTINATIONS,
    )
    @precondition(about(JOBS))
    def another_editor_creates_a_job(self, name: str, dataset: str, destination: str) -> None:
        if len(self.state()["jobs"]) < 8:
            self.edit("POST", JOBS_PATH, {"name": name, "dataset": dataset, "destination_conf": destination})

    @rule(
        data=st.data(),
        change=desired_states.some(
            enabled=st.booleans(), filter=st.sampled_from(["", '{"where":{"key":"a","operator":"eq","value":1}}'])
        ),
    )
    @precondition(about(JOBS))
    def another_editor_changes_a_job(self, data: st.DataObject, change: Document) -> None:
        job = data.draw(st.sampled_from(self.state()["jobs"] or [None]))
        more = data.draw(
            st.sampled_from(
                [{}, {}, {"output_options": {"field_names": ["RayID"]}}, {"logpull_options": "fields=RayID&sample=0.5"}]
            )
        )
        if job:
            self.edit("PUT", f"{JOBS_PATH}/{job['id']}", {**change, **more})

    @rule(data=st.data())
    @precondition(about(JOBS))
    def another_editor_deletes_a_job(self, data: st.DataObject) -> None:
        job = data.draw(st.sampled_from(self.state()["jobs"] or [None]))
        if job:
            self.edit("DELETE", f"{JOBS_PATH}/{job['id']}")

    # Desired states.

    @rule(enabled=st.booleans(), route=st.sampled_from(["auto", "script_monitor", "page_shield"]))
    def a_task_sets_the_monitor(self, enabled: bool, route: str) -> None:
        before, result, after = self.apply("script_monitor", {"enabled": enabled, "route": route})
        was = before["script_monitor"]["enabled"]
        assert after["script_monitor"]["enabled"] is enabled
        assert self.others(before, "script_monitor") == self.others(after, "script_monitor")
        assert result["diff"] == {"before": {"enabled": was}, "after": {"enabled": enabled}}
        assert result["changed"] == (was is not enabled)
        assert result["script_monitor"] == {name: after["script_monitor"][name] for name in ("enabled", "updated_at")}

    @rule(options=desired_states.FIELD_OPTIONS)
    @precondition(about(FIELDS))
    def a_task_sets_the_fields(self, options: Document) -> None:
        self.desired_fields(options)

    @rule(options=desired_states.ADDITIONS)
    @precondition(about(FIELDS))
    def a_task_adds_fields(self, options: Document) -> None:
        self.desired_fields(options)

    @rule(options=desired_states.REMOVALS)
    @precondition(about(FIELDS))
    def a_task_removes_fields(self, options: Document) -> None:
        self.desired_fields(options)

    def desired_fields(self, options: Document) -> None:
        desired = fields_model.DesiredFields(options)
        try:
            expected = desired.expected(self.state())
        except fields_model.Refused:
            self.refused("log_custom_fields", options, "invalid_option")
            return
        before, result, after = self.apply("log_custom_fields", options)
        rules, left = fields_model.own_rules(before), fields_model.own_rules(after)
        assert fields_model.union(left) == expected
        assert fields_model.untouchable(after) == fields_model.untouchable(before)
        self.check_rules(desired, rules, left, result)
        diff = result["diff"]
        assert diff["before"]["custom_fields"] == fields_model.shown(fields_model.union(rules))
        assert diff["after"]["custom_fields"] == fields_model.shown(expected) == result["custom_fields"]
        assert [each["id"] for each in diff["before"]["rules"]] == [each["id"] for each in rules]
        assert len(diff["after"]["rules"]) == len(left)
        assert result["changed"] == (diff["before"] != diff["after"]) == (visible(rules) != visible(left))

    def check_rules(
        self, desired: fields_model.DesiredFields, rules: list[Document], left: list[Document], result: Document
    ) -> None:
        known = {(each["id"], each["ref"]) for each in rules}
        new = [each for each in left if (each["id"], each["ref"]) not in known]
        assert len(new) == int(desired.present and not rules)
        if not desired.present:
            return
        assert not desired.purge or len(left) == 1
        (main,) = [each for each in left if each["id"] == result["ruleset"]["rule_id"]]
        assert main["enabled"] is True and main["expression"] == "true" and main["ref"] == result["ruleset"]["ref"]
        if "description" in desired.options:
            assert main["description"] == desired.options["description"]
        effective = fields_model.union(each for each in left if each["enabled"])
        assert all(names <= set(effective[kind]) for kind, names in desired.given.items())

    @rule(options=desired_states.JOB_OPTIONS, name=desired_states.JOB_NAMES, dataset=desired_states.DATASETS)
    @precondition(about(JOBS))
    def a_task_changes_a_job(self, options: Document, name: str, dataset: str) -> None:
        self.desired_job({**options, "name": name, "dataset": dataset})

    @rule(options=desired_states.NEW_JOBS, name=desired_states.JOB_NAMES)
    @precondition(about(JOBS))
    def a_task_ensures_a_job(self, options: Document, name: str) -> None:
        self.desired_job({**options, "name": name})

    @rule(data=st.data(), options=desired_states.JOB_OPTIONS, rename=st.none() | desired_states.JOB_NAMES)
    @precondition(about(JOBS))
    def a_task_changes_a_job_by_its_number(self, data: st.DataObject, options: Document, rename: str | None) -> None:
        number = data.draw(st.sampled_from([*(job["id"] for job in self.state()["jobs"]), 4711]))
        self.desired_job({**options, "job_id": number, **({"name": rename} if rename else {})})

    @rule(data=st.data(), name=desired_states.JOB_NAMES)
    @precondition(about(JOBS))
    def a_task_removes_a_job(self, data: st.DataObject, name: str) -> None:
        number = data.draw(st.sampled_from([None, None, *(job["id"] for job in self.state()["jobs"])]))
        self.desired_job({"state": "absent", **({"name": name} if number is None else {"job_id": number})})

    def desired_job(self, options: Document) -> None:
        desired = jobs_model.DesiredJob(options, self.masked)
        try:
            target = desired.target(self.state())
            desired.check(target)
        except jobs_model.Refused as refused:
            self.refused("logpush_job", options, str(refused))
            return
        before, result, after = self.apply("logpush_job", options)
        known = {job["id"] for job in before["jobs"]}
        made = [job for job in after["jobs"] if job["id"] not in known]
        found = made[0] if made else next((job for job in after["jobs"] if target and job["id"] == target["id"]), None)
        rest = [job for job in before["jobs"] if job != target]
        assert [job for job in after["jobs"] if job is not found] == rest
        assert self.others(before, "jobs") == self.others(after, "jobs")
        assert len(made) == int(desired.present and target is None)
        assert result["changed"] == (target != found)
        if desired.present:
            self.check_job(desired, target, found, result)
        else:
            assert found is None and result["job"] is None
            assert (result["diff"]["before"] != {}) == (target is not None) and result["diff"]["after"] == {}

    def check_job(self, desired: jobs_model.DesiredJob, before: Document | None, after: Document, result: Document) -> None:
        expected = desired.expected(before)
        now = jobs_model.managed(after)
        was = jobs_model.managed(before) if before else dict.fromkeys(now)
        assert {name: now[name] for name in expected} == expected
        if before:
            untouched = set(after) - {name for name in expected if was[name] != now[name]} - {"destination_conf"}
            assert {name: after[name] for name in untouched} == {name: before[name] for name in untouched}
            assert desired.same_destination(before["destination_conf"]) == (
                after["destination_conf"] == before["destination_conf"]
            )
        if not before or not desired.same_destination(before["destination_conf"]):
            assert after["destination_conf"] == desired.options["destination_conf"]
        assert result["job"]["id"] == after["id"]
        assert {name: shown(name, result["job"][name]) for name in expected} == expected
        diff = result["diff"]
        if before:
            assert set(diff["before"]) == set(diff["after"]) >= set(expected)
            assert {name: shown(name, diff["before"][name]) for name in expected} == {name: was[name] for name in expected}
            moved = "destination" in diff["after"] and diff["before"]["destination"] != diff["after"]["destination"]
            assert moved == (after["destination_conf"] != before["destination_conf"])
        else:
            assert diff["before"] == {}
        assert {name: shown(name, diff["after"][name]) for name in expected} == expected

    # What holds for every desired state.

    def apply(self, module: str, options: Document) -> tuple[Document, Document, Document]:
        """Predict, apply, and read again; gives the state before, the result and the state after."""
        before = self.state()
        predicted = self.run(module, options, check=True)
        assert self.state() == before
        result = self.run(module, {**options, **self.approval(predicted)})
        after = self.state()
        assert set(predicted) == set(result)
        for name in ("changed", "diff", "plan_id", "effects"):
            assert predicted[name] == result[name], name
        assert without_server_made(predicted) == without_server_made(result)
        again = self.run(module, options)
        assert not again["changed"] and again["diff"]["before"] == again["diff"]["after"]
        assert in_meaning(again) == in_meaning(
            {**result, **{name: again[name] for name in ("changed", "diff", "plan_id", "effects")}}
        )
        assert self.simulator.writes() == []
        if result["changed"]:
            assert again["plan_id"] != result["plan_id"]
            self.refused(module, {**options, **self.approval(predicted)}, "conflict")
        self.cases[f"sequences: desired states, {module}, {'changed' if result['changed'] else 'unchanged'}"] += 1
        return before, result, after

    def refused(self, module: str, options: Document, kind: str) -> None:
        """A desired state that fails before any write, in check mode and for real."""
        before = self.state()
        for check in (True, False):
            result = self.run(module, options, check=check, fails=True)
            assert result["error"]["kind"] == kind, (result, options)
            assert not result["changed"] and self.simulator.writes() == []
        assert self.state() == before
        self.cases[f"sequences: desired states, {module}, {kind}"] += 1

    def run(self, module: str, options: Document, *, check: bool = False, fails: bool = False) -> Document:
        self.simulator.clear_journal()
        result = direct.run(module, self.simulator, ZONE, options, check=check)
        assert bool(result.get("failed")) == fails, (result, options)
        assert "could not make sense" not in str(result.get("msg"))
        writes = self.simulator.writes()
        assert not check or writes == []
        assert fails or (bool(writes) == (result["changed"] and not check)), writes
        return result

    @staticmethod
    def approval(predicted: Document) -> Document:
        return {"expected_plan_id": predicted["plan_id"]}

    def edit(self, method: str, path: str, body: t.Any = None) -> None:
        """What another editor sends; the service may refuse it."""
        self.simulator.request(method, path, body)
        self.cases["sequences: edits by others"] += 1

    def state(self) -> Document:
        return t.cast(Document, self.simulator.state(ZONE))

    @staticmethod
    def others(state: Document, but: str) -> Document:
        return {name: value for name, value in state.items() if name != but}


def visible(rules: list[Document]) -> t.Any:
    """What of our rules a task manages."""
    return [
        (each["id"], each["description"], each["enabled"], each["expression"], fields_model.fields_of(each)) for each in rules
    ]


def shown(name: str, value: t.Any) -> t.Any:
    """The meaning of a job's member in a result or a diff."""
    meaning = {
        "logpull_options": jobs_model.meaning,
        "output_options": jobs_model.newer_meaning,
        "filter": jobs_model.filter_meaning,
    }
    return meaning[name](value) if name in meaning else value


@pytest.mark.parametrize(
    ("subjects", "number"), [([FIELDS], 24), ([JOBS], 14), ([FIELDS, JOBS], 12)], ids=["fields", "jobs", "both"]
)
def test_random_sequences_converge(simulator, monkeypatch, cases, subjects, number):
    """Every desired state of a random sequence is reached."""
    direct.without_waiting(monkeypatch)
    machine = type("ThisZone", (Zone,), {"simulator": simulator, "cases": cases, "subjects": subjects})
    run_state_machine_as_test(machine, settings=hypothesis.settings(examples(number), stateful_step_count=25))
