# SPDX-License-Identifier: GPL-3.0-or-later

"""For any state and desired state of a zone, the plan of the whole zone agrees with the plans of the single modules."""

import collections
import re
import typing as t
from urllib.parse import parse_qsl, urlencode

from hypothesis import example, given, settings
from hypothesis import strategies as st
from properties.desired_states import DATASETS, HEADERS, JOB_NAMES, JOB_OPTIONS, LISTS, a_rule, some
from support.samples.logpush import ZONE

from ansible_collections.edgeops.observability.plugins.module_utils._content_rules import task as content_security_rule
from ansible_collections.edgeops.observability.plugins.module_utils._content_rules.rule import RuleState, find_rule, parse_rules
from ansible_collections.edgeops.observability.plugins.module_utils._content_rules.rules import RuleListing
from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure, plan_id, report_effects
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields import task as log_custom_fields
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.state import read_ruleset
from ansible_collections.edgeops.observability.plugins.module_utils._logpush import task as logpush_jobs
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.coverage import carriers_of, selected_fields
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.job import parse_job
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.jobs import JobListing
from ansible_collections.edgeops.observability.plugins.module_utils._scripts import task as script_monitor
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.monitor import MonitorState
from ansible_collections.edgeops.observability.plugins.module_utils._zone import task as zone_observability
from ansible_collections.edgeops.observability.plugins.module_utils._zone.task import ZoneState
from ansible_collections.edgeops.observability.plugins.plugin_utils._arguments import validated

Json = t.Any
Document = dict[str, Json]
KINDS = tuple(LISTS)
ORDER = {"present": ("custom_fields", "jobs", "script_monitor"), "absent": ("jobs", "custom_fields", "script_monitor")}

RULES = st.lists(
    st.tuples(st.sampled_from(["log_custom_field", "log_custom_field", "skip"]), some(**LISTS), st.booleans()), max_size=2
).map(lambda rules: [{"id": f"{n:032x}", "version": "1", **a_rule(n, *rule)} for n, rule in enumerate(rules)])
RULESETS = st.none() | RULES.map(
    lambda rules: {"id": "a" * 32, "version": "3", "last_updated": "2026-01-01T00:00:00Z", "rules": rules}
)
STORED = st.fixed_dictionaries(
    {
        "name": JOB_NAMES,
        "dataset": DATASETS,
        "destination_conf": st.sampled_from(
            ["s3://edge-logs/a?region=eu&access-key-id=AK1&secret-access-key=****", "s3://b/c?region=eu"]
        ),
        "logpull_options": st.sampled_from(["fields=ClientIP,RayID&timestamps=rfc3339", "fields=RayID,Cookies", ""]),
        "enabled": st.booleans(),
    }
)
STATES = st.fixed_dictionaries({"ruleset": RULESETS, "jobs": st.lists(STORED, max_size=3), "monitor": st.booleans()})
SENDING = some(send_destination=st.sampled_from(["always", "if_different"]), dataset=DATASETS)
ITEMS = st.tuples(
    JOB_NAMES.map(lambda name: {"name": name}) | st.integers(1, 3).map(lambda number: {"job_id": number}),
    JOB_OPTIONS,
    SENDING,
    some(state=st.sampled_from(["present", "absent"])),
).map(lambda parts: {key: value for part in parts for key, value in part.items()})
JOBS = st.one_of(
    st.just({}),
    ITEMS.map(lambda item: {"job": {key: value for key, value in item.items() if key != "state"}}),
    st.lists(ITEMS, max_size=3).map(lambda items: {"jobs": items}),
)
OWN_LISTS = some(**LISTS, preserve_duplicates=st.lists(HEADERS, max_size=1))
REQUESTED = st.tuples(
    JOBS,
    some(
        state=st.sampled_from(["present", "absent"]),
        custom_fields=OWN_LISTS,
        job_defaults=st.tuples(JOB_OPTIONS, SENDING).map(lambda both: {**both[0], **both[1]}),
        unlisted_jobs=st.sampled_from(["ignore", "report", "absent"]),
        script_monitor_enabled=st.booleans(),
    ),
).map(lambda both: {**both[0], **both[1]})


def fields_alone(requested: Document, ruleset: Document | None) -> Document | None:
    """Return the options of `log_custom_fields` for the lists of a zone; if no name is left, all are removed."""
    lists = requested.get("custom_fields", {})
    kinds = {kind: names for kind, names in lists.items() if kind in KINDS}
    named = any(kinds.values())
    if not lists:
        return None
    if requested.get("state") == "absent":
        everything = not named and {"request_fields", "response_fields", "cookie_fields"} <= set(kinds)
        return {"state": "absent", **({} if everything else kinds)}
    rules = [rule for rule in (ruleset or {"rules": []})["rules"] if rule["action"] == "log_custom_field"]
    rest = any(rule["action_parameters"].get(kind) for rule in rules for kind in KINDS if kind not in kinds)
    return lists if named or rest or lists.get("preserve_duplicates") else {"state": "absent"}


def jobs_alone(requested: Document, stored: t.Sequence[Document]) -> Document | None:
    """Return the options of `logpush_jobs` for the jobs of a zone, with defaults and with fields for custom log fields."""
    items = list(requested.get("jobs", []))
    if "job" in requested:
        items.append(requested["job"])
    if not items and "jobs" not in requested and requested.get("unlisted_jobs") != "absent":
        return None
    return {
        "jobs": [_alone(requested, item, stored) for item in items],
        "unlisted_jobs": requested.get("unlisted_jobs", "ignore"),
    }


def _alone(requested: Document, item: Document, stored: t.Sequence[Document]) -> Document:
    merged = {"enabled": True, **requested.get("job_defaults", {}), **item}
    if "absent" in (requested.get("state"), item.get("state")):
        return {"state": "absent", **{key: merged[key] for key in ("name", "job_id", "dataset") if key in merged}}
    job = next((job for job in stored if _is_meant(merged, job)), {})
    dataset = merged.get("dataset") or job.get("dataset", "http_requests")
    carriers = carriers_of(requested.get("custom_fields", {})) if dataset == "http_requests" else []
    return _with_fields(merged, carriers, job) if carriers else merged


def _is_meant(options: Document, job: Document) -> bool:
    if "job_id" in options:
        return bool(job["id"] == options["job_id"])
    return (job.get("name"), job["dataset"]) == (options.get("name"), options.get("dataset") or "http_requests")


def _with_fields(options: Document, names: t.Sequence[str], job: Document) -> Document:
    """Return the options of a job with these fields, added to those that the options list, or else to those of the job."""
    output, text = options.get("output_options"), options.get("logpull_options")
    present = selected_fields(job)
    if output is None and text is None and options.get("fields") is None and job.get("output_options"):
        output = {}
    if output is not None:
        return {**options, "output_options": {**output, "field_names": _joined(output.get("field_names", present), names)}}
    if text is not None:
        parameters = dict(parse_qsl(text))
        own = parameters["fields"].split(",") if "fields" in parameters else present
        return {**options, "logpull_options": urlencode({**parameters, "fields": ",".join(filter(None, _joined(own, names)))})}
    return {**options, "fields": _joined(options.get("fields", present), names)}


def _joined(own: t.Sequence[str] | None, names: t.Sequence[str]) -> list[str]:
    return list(dict.fromkeys((*(own or ()), *names)))


class Answer(t.NamedTuple):
    """The result of a module for options and a state: the composed plan and its secrets, or the refusal."""

    made: Json = None
    secrets: frozenset[str] = frozenset()
    refusal: tuple[str, str] | None = None


def answer_of(task: Json, options: Document, state: Json) -> Answer:
    checked = validated(task.arguments(), {"zone_id": ZONE, **options}, task.name)
    assert checked.error is None, checked.error
    try:
        desired = task.desire(checked.params)
        return Answer(task.compose(desired, state), frozenset(task.secrets(desired, state)))
    except Failure as failure:
        return Answer(refusal=(failure.kind, without_places(failure.message)))


def without_places(text: str) -> str:
    """Return a message without option paths, which differ between the zone module and the single modules."""
    return re.sub(r"\b(custom_fields[.:] ?|jobs?(\[\d\])?(?=[.:]|$))", "", text)


def all_answers(current: Document, requested: Document) -> tuple[Answer, dict[str, Answer]]:
    """Return the answers of the module for the whole zone, and of the modules for its parts."""
    stored = [{"id": number, **job} for number, job in enumerate(current["jobs"], 1)]
    monitor = MonitorState("script_monitor", {"enabled": current["monitor"], "updated_at": None})
    state = ZoneState(
        current["ruleset"] and read_ruleset(current["ruleset"]),
        JobListing(tuple(map(parse_job, stored))),
        monitor,
        {"zone_id": ZONE},
    )
    enabled = requested.get("script_monitor_enabled")
    parts = {
        "custom_fields": (log_custom_fields.TASK, fields_alone(requested, current["ruleset"]), state.fields),
        "jobs": (logpush_jobs.JOBS_TASK, jobs_alone(requested, stored), state.jobs),
        "script_monitor": (script_monitor.TASK, None if enabled is None else {"enabled": enabled}, monitor),
    }
    singles = {name: answer_of(task, options, its) for name, (task, options, its) in parts.items() if options is not None}
    return answer_of(zone_observability.TASK, requested, state), singles


def test_zone_plan_agrees_with_single_modules() -> None:
    """Requests are the same and in the documented order; diffs, predicted results, secrets, plan ids and refusals agree."""
    seen: collections.Counter[str] = collections.Counter()

    rule = {"id": "1" * 32, "version": "1", **a_rule(0, "log_custom_field", {"cookie_fields": ["C"]}, True)}
    one_job = {"name": "same", "destination_conf": "s3://b/c?region=eu"}
    events = {**one_job, "dataset": "firewall_events", "logpull_options": "fields=Action", "enabled": True}
    ruleset = {"id": "a" * 32, "version": "3", "last_updated": None, "rules": [rule]}
    there_is = {"ruleset": ruleset, "jobs": [events, {**events, "dataset": "http_requests"}], "monitor": True}
    by_id = [{"job_id": 1, "fields": ["Action"]}, {"job_id": 2, "fields": ["RayID"]}]

    # Cases that random examples rarely contain: all lists empty; one list emptied, alone and with another one; one name in two
    # datasets; jobs identified by ids alone, so that only the existing jobs determine the dataset.
    @example(current=there_is, requested={"custom_fields": {kind: [] for kind in KINDS}})
    @example(current=there_is, requested={"custom_fields": {"cookie_fields": []}})
    @example(current=there_is, requested={"custom_fields": {"request_fields": []}})
    @example(current=there_is, requested={"jobs": [one_job, events]})
    @example(current=there_is, requested={"jobs": by_id, "custom_fields": {"cookie_fields": ["C"]}})
    @settings(max_examples=300)
    @given(current=STATES, requested=REQUESTED)
    def compare(current: Document, requested: Document) -> None:
        whole, singles = all_answers(current, requested)
        refusals = [single.refusal for single in singles.values() if single.refusal]
        if whole.refusal:
            seen["refused"] += 1
            assert whole.refusal in refusals
            return
        assert not refusals
        seen["changed" if whole.made.whole.changed else "unchanged"] += 1
        order = ORDER[requested.get("state", "present")]
        agree(whole.made, {name: singles[name].made.whole for name in order if name in singles}, order)
        assert whole.secrets == frozenset().union(*(single.secrets for single in singles.values()))

    compare()
    assert min(seen[kind] for kind in ("changed", "refused", "unchanged")) >= 10, seen


def agree(composition: Json, plans: t.Mapping[str, Json], order: t.Sequence[str]) -> None:
    sent = [request for plan in plans.values() for request in plan.requests]
    assert list(composition.whole.requests) == sent
    assert [request for step in composition.steps for request in step.plan.requests] == sent
    assert composition.whole.changed == any(plan.changed for plan in plans.values())
    for name in order:
        result, plan = composition.whole.result[name], plans.get(name)
        approved = plan and plan_id({"zone_id": ZONE}, plan)
        assert composition.whole.result["plan_ids"][name] == composition.approvals[name].current == approved
        if plan is None:
            assert result == {} and name not in composition.whole.before and name not in composition.whole.after
            continue
        diff = {"before": plan.before, "after": plan.after}
        effects = report_effects(plan.effects)
        assert result == {"changed": plan.changed, "diff": diff, "effects": effects, "plan_id": approved, **plan.result}
        differing = {
            side: {label: diff[side][label] for label in diff[side] if diff["before"][label] != diff["after"][label]}
            for side in diff
        }
        in_diff = {side: getattr(composition.whole, side).get(name, {}) for side in diff}
        assert in_diff == (differing if name == "jobs" else diff if plan.changed else {"before": {}, "after": {}})
    said = [without_places(text) for plan in plans.values() for text in plan.warnings]
    assert [without_places(text) for text in composition.whole.warnings] == said


SOURCES = st.sampled_from(
    ["script-src 'self'", "script-src *", "img-src 'none'; script-src 'self' cdn.example", "sandbox; img-src *"]
)
RULE_STATES = st.lists(
    st.fixed_dictionaries(
        {
            "description": st.sampled_from(["a", "b", "c"]),
            "action": st.sampled_from(["log", "allow"]),
            "expression": st.just("true"),
            "enabled": st.sampled_from([True, "false"]),
            "value": SOURCES,
        }
    ),
    max_size=3,
).map(lambda rules: [{"id": f"r{number}", **rule} for number, rule in enumerate(rules)])
RULE_ITEMS = st.lists(
    st.tuples(
        st.sampled_from([{"description": name} for name in "abd"] + [{"rule_id": name} for name in ("r0", "r1", "r9")]),
        some(
            state=st.sampled_from(["present", "absent"]),
            action=st.sampled_from(["log", "allow"]),
            expression=st.sampled_from(["true", "false"]),
            enabled=st.booleans(),
            directives=st.sampled_from(["script-src 'self'", "script-src *", {"img-src": ["'self'"]}]),
            unobserved=st.sampled_from(["allow", "refuse"]),
        ),
    ).map(lambda parts: {**parts[0], **parts[1]}),
    max_size=3,
)


def test_zone_plan_agrees_with_rule_module() -> None:
    """Each item has the plan of its own module, and nothing is sent for other rules."""
    seen: collections.Counter[str] = collections.Counter()

    @settings(max_examples=300)
    @given(stored=RULE_STATES, items=RULE_ITEMS)
    def compare(stored: list[Document], items: list[Document]) -> None:
        rules = parse_rules(stored)
        singles = []
        for item in items:
            desired = desire_or_refuse(content_security_rule.TASK, item)
            try:
                singles.append((desired, RuleState(find_rule(rules, desired.rule_id, desired.description))))
            except Failure:
                seen["ambiguous"] += 1
                return
        states = tuple(state for _desired, state in singles)
        whole = answer_of(
            zone_observability.TASK,
            {"content_security_rules": items},
            ZoneState(address={"zone_id": ZONE}, rules=RuleListing(tuple(rules), states)),
        )
        if whole.refusal:
            seen["refused"] += 1
            return
        plans = [content_security_rule.TASK.plan(desired, state) for desired, state in singles]
        seen["changed" if whole.made.whole.changed else "unchanged"] += 1
        ranked = sorted(
            (request for plan in plans for request in plan.requests),
            key=lambda request: ("delete", "update", "create").index(request.operation.partition(".")[2]),
        )
        assert list(whole.made.whole.requests) == ranked
        part = whole.made.whole.result["content_security_rules"]
        assert part["content_security_rules"] == [plan.result["content_security_rule"] for plan in plans]
        assert part["effects"] == report_effects(effect for plan in plans for effect in plan.effects)
        assert bool(whole.made.whole.refused) == any(plan.refused for plan in plans)
        named = {state.rule.id for state in states if state.rule}
        assert {rule["id"] for rule in part["unlisted_rules"]} == {rule.id for rule in rules} - named

    compare()
    assert min(seen[kind] for kind in ("changed", "refused", "unchanged")) >= 10, seen


def desire_or_refuse(task: Json, options: Document) -> Json:
    return task.desire(validated(task.arguments(), {"zone_id": ZONE, **options}, task.name).params)
