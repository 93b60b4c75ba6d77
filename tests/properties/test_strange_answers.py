# SPDX-License-Identifier: GPL-3.0-or-later

"""Arbitrary JSON instead of answers: the module fails with a message, never guesses, and writes nothing afterwards."""

import json
import re
import typing as t

import pytest
from ansible.errors import AnsibleParserError
from faults import direct, scenarios
from faults.scenarios import SCENARIOS, ZONE, Scenario
from hypothesis import given
from hypothesis import strategies as st
from properties.answers import bodies, examples
from properties.recordings import SENT, Recording, recorded, replayed

from ansible_collections.edgeops.observability.plugins.module_utils._api.session import Reply
from ansible_collections.edgeops.observability.plugins.module_utils._core import INTERNAL, KINDS
from edgeops_simulator.testing import running

EXAMPLES = 150
# Scenarios of the fault matrix that are not run here: optional listings, an empty answer, and repetitions for an account.
LEFT_OUT = ("list-everything-over-the-other-route", "delete-rule", "-of-account", "manage-account", "clear-account")
# All others, and modules that only read.
TASKS: t.Mapping[str, Scenario] = {
    **{name: scenario for name, scenario in SCENARIOS.items() if not name.endswith(LEFT_OUT)},
    "read-fields": Scenario((), "log_custom_fields_info", {}, rules=(scenarios.FOREIGN_RULE, scenarios.OWN_RULE)),
    "read-jobs": Scenario((), "logpush_job_info", {}, jobs=(scenarios.OUR_JOB,)),
    "read-one-job": Scenario((), "logpush_job_info", {"job_id": 13}, jobs=(scenarios.OUR_JOB,)),
    "read-transformers": Scenario(
        (), "logpush_transformer_info", {}, transformers=(scenarios.OUR_TRANSFORMER,), address=scenarios.IN_ACCOUNT
    ),
    "read-policies": Scenario((), "notification_policy_info", {}, policies=(scenarios.OUR_POLICY,), address=scenarios.IN_ACCOUNT),
    "read-one-script": Scenario((), "script_monitor_info", {"script_id": "1".zfill(32)}),
}
# Modules that say of a member of a job that it is not known, and go on.
READERS = ("logpush_job_info", "zone_variables_info")
STATUSES = st.sampled_from([200, 200, 200, 200, 200, 201, 400, 403, 404, 405, 409, 429, 500, 503])
_FIELD_KINDS = ("request_fields", "response_fields", "cookie_fields", "transformed_request_fields", "raw_response_fields")
_TEXTS_OF_JOB = ("name", "dataset", "kind", "frequency", "logpull_options", "destination_conf")
_NUMBERS_OF_JOB = ("max_upload_bytes", "max_upload_interval_seconds", "max_upload_records")
_TYPES_OF_JOB = {
    **dict.fromkeys(_TEXTS_OF_JOB, str),
    **dict.fromkeys(_NUMBERS_OF_JOB, int),
    "enabled": bool,
    "output_options": dict,
}


def unusable(method: str, path: str, body: bytes, *, reads: bool = False) -> bool:
    """Return whether an answer with a 2xx status certainly violates the documentation, independently of the collection's code.

    `reads`: the task only reads, so that a member of a job that it cannot tell is not known, and the others are.
    """
    try:
        document = json.loads(body)
    except (ValueError, UnicodeDecodeError, RecursionError):
        return method != "DELETE" or bool(body.strip())
    if not isinstance(document, dict):
        return True
    if method == "DELETE":
        return document.get("success", True) is not True
    if path == "/graphql":
        return not document.get("errors") and not isinstance(document.get("data"), dict)
    if document.get("success") is not True or "result" not in document:
        return True
    path = path.partition("?")[0]
    checks = [is_bad for pattern, is_bad in _BY_ROUTE.items() if re.fullmatch(pattern, f"{method} {path}")]
    return (
        checks[0](document["result"])
        if checks
        else _result_is_unusable(method, path, document["result"], {} if reads else _TYPES_OF_JOB)
    )


def _result_is_unusable(method: str, path: str, result: t.Any, types: t.Mapping[str, type]) -> bool:
    if re.fullmatch(r".*/(rulesets|jobs|scripts)|/zones|/accounts", path) and method == "GET":
        items = _each_once(result) if isinstance(result, list) else [None]
        return any(not isinstance(item, dict) or (path.endswith("jobs") and _bad_job(item, types)) for item in items)
    if re.search(r"/logpush/jobs(/\d+)?$", path):
        return _bad_job(result[0] if method == "GET" and isinstance(result, list) and len(result) == 1 else result, types)
    if not isinstance(result, dict):
        return True
    if path.endswith("/script_monitor"):
        return not isinstance(result.get("enabled"), bool)
    if "/ownership" in path:
        return not isinstance(result.get("valid"), bool)
    # The rules of a new ruleset are written by the next request, so that only its id matters.
    return "/rulesets" in path and _bad_ruleset(result if method != "POST" else {"id": result.get("id")})


def _each_once(items: list[t.Any]) -> list[t.Any]:
    """Return the items of a listing without those whose id is already listed, which the collection ignores."""
    ids = [item.get("id") if isinstance(item, dict) else None for item in items]
    return [item for place, item in enumerate(items) if ids[place] is None or ids[place] not in ids[:place]]


def _bad_item(listing: str, item: t.Any) -> bool:
    """Return whether an item of a listing lacks its id or name, or has a member of an undocumented type."""
    if not isinstance(item, dict):
        return True
    if listing == "versions":
        return type(item.get("version")) is not int
    if listing == "transformers":
        number, texts, jobs = item.get("id"), ("description", "dataset", "created_at", "updated_at"), item.get("associated_jobs")
        named = type(number) is int and number > 0 and isinstance(item.get("name"), str) and item["name"]
        wrong = any(not isinstance(item.get(name), (str, type(None))) for name in texts)
        return (
            not named or wrong or not isinstance(jobs, (list, type(None))) or any(not isinstance(job, dict) for job in jobs or ())
        )
    # Of what a task that only reads cannot tell, it returns null with a warning, unless the identity of an item is missing.
    required = {"policies": ("id", "name", "alert_type"), "webhooks": ("id",), "silences": ("id",)}[listing]
    if any(not isinstance(item.get(name), str) for name in required) or not item["id"]:
        return True
    return listing == "policies" and not isinstance(item.get("enabled"), bool)


def _bad_list(listing: str) -> t.Callable[[t.Any], bool]:
    return lambda result: not isinstance(result, list) or any(_bad_item(listing, item) for item in _each_once(result))


def _bad_content_rule(rule: t.Any) -> bool:
    if not isinstance(rule, dict) or any(not isinstance(rule.get(name), str) for name in ("id", "action", "expression", "value")):
        return True
    named = bool(rule["id"] and rule["action"]) and isinstance(rule.get("description"), str)
    known = any(rule.get("enabled") is flag for flag in (True, False)) or rule.get("enabled") in ("true", "false")
    return not named or not known


def _bad_content_rules(result: t.Any) -> bool:
    """Return whether a rule is bad, or two different rules have the same id."""
    if not isinstance(result, list) or any(map(_bad_content_rule, result)):
        return True
    different = {json.dumps(rule, sort_keys=True) for rule in result}
    return len({rule["id"] for rule in result}) < len(different)


# By method and path: routes of accounts, and of content security rules.
def _bad_preview(result: t.Any) -> bool:
    """A preview answers a record, none, or a list of records."""
    records = result if isinstance(result, list) else [] if result is None else [result]
    return not all(isinstance(record, dict) for record in records)


_BY_ROUTE: t.Mapping[str, t.Callable[[t.Any], bool]] = {
    r"GET .*/page_shield/policies": _bad_content_rules,
    r"(POST|PUT) .*/page_shield/policies(/.*)?": _bad_content_rule,
    r"POST .*/preview": _bad_preview,
    r"GET .*/content": lambda result: not isinstance(result, dict) or not isinstance(result.get("content"), str),
    **{rf"GET .*/{name}": _bad_list(name) for name in ("transformers", "versions", "webhooks", "silences")},
    r"GET .*/alerting/v3/policies": _bad_list("policies"),
    r"GET .*/available_alerts": lambda result: not isinstance(result, dict),
    r"(POST|PUT) .*/transformers(/\d+)?": lambda result: _bad_item("transformers", result),
    r"GET .*/alerting/v3/policies/.*": lambda result: _bad_item("policies", result),
    r"PUT .*/alerting/v3/policies/.*": lambda result: not isinstance(result, dict),
    r"POST .*/alerting/v3/policies": lambda result: not isinstance(result, dict) or not isinstance(result.get("id"), (str, int)),
}


def _bad_job(job: t.Any, types: t.Mapping[str, type]) -> bool:
    if not isinstance(job, dict) or type(job.get("id")) is not int or job["id"] < 1:
        return True
    return any(job.get(name) is not None and type(job[name]) is not expected for name, expected in types.items())


def _bad_ruleset(ruleset: t.Any) -> bool:
    if not isinstance(ruleset.get("id"), str) or not ruleset["id"]:
        return True
    rules = ruleset.get("rules", [])
    return not isinstance(rules, list) or any(_bad_rule(rule) for rule in rules)


def _bad_rule(rule: t.Any) -> bool:
    if not isinstance(rule, dict) or any(not isinstance(rule.get(name), str) or not rule[name] for name in ("id", "action")):
        return True
    if rule["action"] != "log_custom_field":
        return False
    parameters = rule.get("action_parameters")
    if not isinstance(parameters, dict):
        return True
    lists = [parameters[kind] for kind in _FIELD_KINDS if parameters.get(kind) is not None]
    items = [item for fields in lists if isinstance(fields, list) for item in fields]
    wrong = any(not isinstance(item, dict) or not isinstance(item.get("name"), str) for item in items)
    return wrong or not all(isinstance(fields, list) for fields in lists)


@pytest.fixture(scope="module")
def simulator() -> t.Iterator[t.Any]:
    with running(zones=[ZONE, *(f"{number:032x}" for number in range(60))]) as server:
        yield server


def outcome(scenario: Scenario, simulator: t.Any) -> dict[str, t.Any]:
    """Return the result of one run; for the inventory, which raises its own error, that as a result."""
    try:
        return scenario.run(simulator, {})
    except AnsibleParserError as refusal:
        return {"failed": True, "changed": False, "msg": str(refusal), "error": {"kind": "bad_response"}}


@pytest.mark.parametrize("name", TASKS)
def test_arbitrary_answers_fail_without_writes(simulator, monkeypatch, cases, name):
    scenario = TASKS[name]
    direct.without_waiting(monkeypatch, scenarios.inventory)
    simulator.reset(**scenario.seed())
    with recorded() as recording:
        assert not outcome(scenario, simulator).get("failed")
    answers = {key: replies[0] for key, replies in recording.answers.items()}
    # The service stays as it was, so that nothing is found afterwards that a write did not answer.
    before = Recording({key: [reply] for key, reply in answers.items()})
    # Built once, because building a strategy takes longer than drawing from it.
    replacements = {key: bodies(json.loads(reply.body)) for key, reply in answers.items()}

    @examples(EXAMPLES)
    @given(st.data())
    def strange(data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(list(answers)), label="request")
        original = answers[key]
        body = data.draw(replacements[key], label="answer")
        status = data.draw(STATUSES, label="status") if original.status < 300 else original.status
        with replayed(before, key, lambda _reply: Reply(status, {}, body), asks=False):
            result = outcome(scenario, simulator)
        cases[f"strange answers: {name}"] += 1

        json.dumps(result)
        if result.get("failed"):
            assert result["msg"]
            assert result["error"]["kind"] in KINDS - {INTERNAL}, result["msg"]
        method, path, _query = key
        reads = scenario.module in READERS
        if reads and status < 300 and unusable(method, path, body) and not unusable(method, path, body, reads=True):
            assert result.get("failed") or result.get("warnings") or result.get("left_out"), (key, body, result)
        elif status < 300 and unusable(method, path, body):
            assert result.get("failed"), (key, body, result)
            if method == "GET":
                sent = [(verb, way) for verb, way, _body in SENT]
                after = sent[sent.index((method, path)) + 1 :]
                assert all(verb == "GET" for verb, _way in after), after

    strange()
