# SPDX-License-Identifier: GPL-3.0-or-later

"""All scenarios with something wrong: audits, deliveries, adoptions, events, tokens, and each module that writes."""

import functools
import typing as t

from faults import scenarios
from properties import decisions, recordings
from properties.decisions import Document
from properties.trouble import (
    ACCOUNT_JOB,
    DECLARED,
    DECLARED_RULE,
    DELIVER,
    ENTRY_POINT,
    FIELDS,
    IN_ACCOUNT,
    MODULE,
    ON,
    OTHER_RULE,
    RULE,
    SCRIPTS,
    TRANSFORMERS,
    VIOLATIONS,
    Trouble,
    ago,
    jobs,
)
from properties.troubles_of_audits import IN_CHECK, IN_SURVEY

_NEW_FILTER = {"key": "ClientIP", "operator": "eq", "value": "192.0.2.7"}
_WRITTEN = decisions.EVERYTHING


def _delivery(seed: Document, declared: Document, variables: Document | None = None, **more: t.Any) -> Trouble:
    return Trouble(lambda place: DELIVER(place, declared, variables), (_WRITTEN,), seed, **more)


_WHOLE: Document = {"edgeops_deliver_partial": "no"}
_UNREAD: Document = {
    "log_delivery_result": {"failed": True, "msg": "not allowed", "error": {"kind": "permission"}},
    "zone_id": "0b" * 16,
}
_IN_DELIVER: t.Mapping[str, Trouble] = {
    "deliver-filter": _delivery({"jobs": jobs({})}, {"jobs": [{**DECLARED, "filter": _NEW_FILTER}]}),
    "deliver-fewer-fields": _delivery({"jobs": jobs({})}, {"jobs": [{**DECLARED, "output_options": {"field_names": ["RayID"]}}]}),
    "deliver-other-destination": _delivery(
        {"jobs": jobs({})}, {"jobs": [{**DECLARED, "destination_conf": "s3://other/all?region=eu-west-1"}]}
    ),
    "deliver-job-off": _delivery({"jobs": jobs({})}, {"jobs": [{**DECLARED, "enabled": False}]}),
    "deliver-deletion": _delivery({"jobs": jobs({})}, {"jobs": [{"name": "edge", "state": "absent"}]}),
    "deliver-unlisted-job": _delivery(
        {"jobs": jobs({}, {"id": 2, "name": "unlisted"})}, {"jobs": [DECLARED], "unlisted_jobs": "absent"}
    ),
    "deliver-transformer": _delivery(
        {"jobs": jobs({"transformer_id": 8}), "of_account": {"transformers": TRANSFORMERS}},
        {"jobs": [{**DECLARED, "transformer": "redact"}]},
    ),
    "deliver-sample-rate": _delivery({"jobs": jobs({})}, {"jobs": [{**DECLARED, "output_options": {"sample_rate": 0.1}}]}),
    "deliver-monitor-off": _delivery({"script_monitor": ON}, {"script_monitor_enabled": False}),
    "deliver-fewer-custom-fields": _delivery({"rulesets": [ENTRY_POINT]}, {"custom_fields": {**FIELDS, "request_fields": []}}),
    "deliver-weaker-rule": _delivery({"policies": [RULE]}, {"content_security_rules": [{**DECLARED_RULE, "action": "log"}]}),
    "deliver-looser-rule": _delivery(
        {"policies": [RULE]},
        {"content_security_rules": [{**DECLARED_RULE, "directives": "script-src 'self' https://a.example"}]},
    ),
    "deliver-enforcement": _delivery(
        {"policies": [{**RULE, "action": "log"}], "violations": VIOLATIONS, "script_monitor": ON, "scripts": SCRIPTS},
        {"content_security_rules": [DECLARED_RULE]},
        {"edgeops_allow": "all"},
    ),
    "deliver-too-many-zones": _delivery(
        {"script_monitor": {"enabled": False}}, {"script_monitor_enabled": True}, {"edgeops_max_changed_zones": 0}
    ),
    "deliver-beside-a-zone-that-cannot-be-predicted": Trouble(
        lambda place: DELIVER(place, {"script_monitor_enabled": True}, _WHOLE, {"blog.example": {**_WHOLE, **_UNREAD}}),
        (_WRITTEN,),
        {"script_monitor": {"enabled": False}},
    ),
    "deliver-another-plan": _delivery(
        {"script_monitor": {"enabled": False}},
        {"script_monitor_enabled": True},
        {"edgeops_approved_plan_id": "sha256:" + "0" * 64},
    ),
}


_IN_ADOPTION: t.Mapping[str, Trouble] = {
    "adopt-zone": Trouble(
        decisions.adopt,
        ("log_delivery_jobs[].name", "log_delivery_script_monitor_enabled"),
        {
            "jobs": jobs(
                {},
                {"id": 2, "name": "off", "enabled": False, "filter": '{"where":{"key":"ClientIP","operator":"eq","value":"x"}}'},
            ),
            "script_monitor": ON,
            "policies": [RULE, {**OTHER_RULE, "enabled": False}],
        },
    ),
    "adopt-account": Trouble(decisions.adopt, ("log_delivery_jobs[].name",), {"jobs": [ACCOUNT_JOB]}, address=IN_ACCOUNT),
}


# Where the service says nothing of a token, by a missing or refused route, the products tell what it can read.
_TOKEN = Trouble(
    lambda place: MODULE(place, "token_info", {"required_for": ["check"]}),
    (_WRITTEN,),
    settings={"credential_status": "expired"},
    allowed=(("GET /user/tokens/verify", "", "403"), ("GET /user/tokens/verify", "", "404")),
)


def _watched(before: Document, after: Document, *kinds: str, **more: t.Any) -> Trouble:
    arguments = {"script_baseline": None, "first_run": "silent"}
    return Trouble(
        lambda place: decisions.listened(place, arguments, recordings.unchanged),
        kinds,
        after,
        before=before,
        begin=lambda place: decisions.remember(place, arguments),
        **more,
    )


_FIELDS_RULE = {"action": "log_custom_field", "expression": "true"}


def _entry_point(name: str) -> list[Document]:
    return [
        {**ENTRY_POINT, "rules": [{**_FIELDS_RULE, "id": "0f" * 16, "action_parameters": {"request_fields": [{"name": name}]}}]}
    ]


_IN_EVENTS: t.Mapping[str, Trouble] = {
    "events-jobs": _watched(
        {
            "jobs": jobs(
                {}, {"id": 2, "name": "failing"}, {"id": 3, "name": "stale"}, {"id": 4, "name": "off"}, {"id": 5, "name": "gone"}
            )
        },
        {
            "jobs": jobs(
                {"destination_conf": "s3://stolen/all?region=eu-west-1"},
                {"id": 2, "name": "failing", "last_error": ago(0.05), "error_message": "access denied"},
                {"id": 3, "name": "stale", "last_complete": ago(50)},
                {"id": 4, "name": "off", "enabled": False, "error_message": "no such bucket", "last_error": ago(30)},
                {"id": 6, "name": "created"},
            )
        },
        *("job_changed", "job_failing", "job_stale", "job_disabled", "job_created", "job_deleted"),
    ),
    "events-script-that-changed": _watched(
        {"script_monitor": ON, "scripts": SCRIPTS[:1]},
        {"script_monitor": ON, "scripts": [{**SCRIPTS[0], "hash": "c" * 64}]},
        "script_changed",
        optional=True,
    ),
    "events-scripts": _watched(
        {"script_monitor": ON, "scripts": [{**script, "js_integrity_score": 1} for script in SCRIPTS[:2]]},
        {"script_monitor": ON, "scripts": SCRIPTS[1:]},
        *("script_new", "script_malicious", "script_reported", "script_gone"),
    ),
    "events-settings": _watched(
        {"script_monitor": ON, "rulesets": _entry_point("x-a"), "policies": [RULE]},
        {
            "script_monitor": {"enabled": False},
            "rulesets": _entry_point("x-b"),
            "policies": [{**RULE, "action": "log"}],
            "violations": VIOLATIONS,
        },
        *("monitor_changed", "fields_changed", "rule_changed", "rule_violated"),
    ),
    "events-account": _watched(
        {"jobs": [ACCOUNT_JOB]}, {"jobs": [{**ACCOUNT_JOB, "enabled": False}]}, "job_changed", address=IN_ACCOUNT
    ),
}


def _of_matrix(name: str) -> Trouble:
    """Return the run of a module in a scenario of the fault matrix, with the seed of that scenario."""
    scenario = scenarios.SCENARIOS[name]

    class OfMatrix(Trouble):
        def whole_seed(self) -> Document:
            return scenario.seed()

    return OfMatrix(
        lambda place: MODULE(place, scenario.module, scenario.args), (), address=scenario.address, allowed=_ALLOWED.get(name, ())
    )


_RULES = "GET /zones/*/page_shield/policies"
# Of an action that is not known the effects say that it may enforce, which is for the rails to refuse; a module has none.
_ALLOWED = {"change-rule": tuple((_RULES, "result[].action", kind) for kind in ("unknown word", "other case"))}
_LEFT_OUT = ("inventory", "ownership", "list-scripts", "list-everything", "describe-account", "-of-account")
_OF_MODULES = {
    f"module-{name}": functools.partial(_of_matrix, name)
    for name in scenarios.SCENARIOS
    if not any(part in name for part in _LEFT_OUT)
}

TROUBLES: t.Mapping[str, t.Callable[[], Trouble]] = {
    **{
        name: functools.partial(lambda trouble: trouble, trouble)
        for name, trouble in {**IN_CHECK, **IN_SURVEY, **_IN_DELIVER, **_IN_ADOPTION, **_IN_EVENTS, "token": _TOKEN}.items()
    },
    **_OF_MODULES,
}
