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
    HOOK,
    IN_ACCOUNT,
    MODULE,
    NAME,
    ON,
    OTHER_RULE,
    POLICY,
    RULE,
    SCRIPT,
    SCRIPTS,
    TRANSFORMERS,
    VIOLATIONS,
    ZONE_ID,
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
_CONSENT: Document = {"edgeops_allow": "all"}
_LOGGED: Document = {**RULE, "action": "log", "value": "script-src *; connect-src *"}
_PLACE: Document = {"host": NAME, "first_page_url": f"https://{NAME}/checkout"}
# Of the scripts and the connections of two pages each only the last one is of another host.
_LISTED: Document = {
    "script_monitor": ON,
    "scripts": [{**SCRIPT, "script_id": f"0{place}" * 16, "script_url": f"https://{NAME}/{place}.js"} for place in (1, 2)]
    + [{**SCRIPT, "script_id": "09" * 16}],
    "connections": [
        {"id": f"0{place}" * 16, "url": f"https://{host}/v1", "status": "active", **_PLACE}
        for place, host in ((1, NAME), (2, NAME), (9, "api.example"))
    ],
}
_IN_PAGES: Document = {"max_per_page": 2}
_FILTER = '{"where":{"and":[{"key":"ClientIP","operator":"eq","value":"192.0.2.1"}]}}'
_AS_IT_IS: Document = {
    "jobs": [{**DECLARED, "filter": _FILTER, "transformer": "redact", "enabled": True, "dataset": "http_requests"}],
    "script_monitor_enabled": True,
    "custom_fields": FIELDS,
    "content_security_rules": [DECLARED_RULE],
}
_OLDER: Document = {"output_options": None, "logpull_options": "fields=ClientIP,RayID&timestamps=rfc3339"}


def _run(name: str, args: Document, place: decisions.Place) -> decisions.Decision:
    return MODULE(place, name, args)


def _unchanged_job(seed: Document, declared: Document) -> Trouble:
    return Trouble(lambda place: DELIVER(place, {"jobs": [declared]}, _CONSENT), (), {"jobs": jobs(seed)})


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
    # What each of them is asked for is all that refuses: reports, a page of a listing, the policy before.
    "deliver-enforcement-that-only-reports-refuse": _delivery(
        {"policies": [_LOGGED], "violations": VIOLATIONS, **_LISTED},
        {"content_security_rules": [{**DECLARED_RULE, "directives": "script-src 'self' https://cdn.example"}]},
        _CONSENT,
        settings=_IN_PAGES,
    ),
    "deliver-enforcement-that-only-listed-scripts-refuse": _delivery(
        {"policies": [_LOGGED], **_LISTED},
        {"content_security_rules": [{**DECLARED_RULE, "directives": "script-src 'self'; connect-src *"}]},
        _CONSENT,
        settings=_IN_PAGES,
    ),
    "deliver-stricter-rule-that-only-listed-connections-refuse": _delivery(
        {"policies": [{**_LOGGED, "action": "allow"}], **_LISTED},
        {"content_security_rules": [{**DECLARED_RULE, "directives": "script-src *; connect-src 'self'"}]},
        _CONSENT,
        settings=_IN_PAGES,
    ),
    # As it is declared: whatever is not shown, nothing is written.
    "deliver-nothing": Trouble(
        lambda place: DELIVER(place, _AS_IT_IS, _CONSENT),
        (),
        {
            "jobs": jobs({"filter": _FILTER, "transformer_id": 7}),
            "script_monitor": ON,
            "rulesets": [ENTRY_POINT],
            "policies": [RULE],
            "of_account": {"transformers": TRANSFORMERS},
        },
    ),
    "deliver-nothing-in-older-form": _unchanged_job(_OLDER, {"name": "edge", "logpull_options": _OLDER["logpull_options"]}),
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


# What an account has as it is declared.
_POLICY_AS_IT_IS: Document = {
    "enabled": True,
    "alert_type": POLICY["alert_type"],
    "mechanisms": {"email": ["ops@example.com"], "webhooks": ["chat"]},
    "filters": {"zones": [ZONE_ID]},
}
_IN_ACCOUNTS: t.Mapping[str, Trouble] = {
    f"unchanged-{name}": Trouble(functools.partial(_run, name, args), (), seed, address=IN_ACCOUNT)
    for name, args, seed in (
        ("logpush_transformer", {"name": "redact", "sql": TRANSFORMERS[0]["code"]}, {"transformers": TRANSFORMERS}),
        (
            "notification_policy",
            {"name": POLICY["name"], **_POLICY_AS_IT_IS},
            {
                "webhooks": [HOOK],
                "notification_policies": [
                    {
                        **POLICY,
                        **_POLICY_AS_IT_IS,
                        "mechanisms": {"email": [{"id": "ops@example.com"}], "webhooks": [{"id": HOOK["id"]}]},
                    }
                ],
            },
        ),
        ("notification_webhook", {"name": "chat", "url": HOOK["url"]}, {"webhooks": [HOOK]}),
        (
            "logpush_jobs",
            {
                "jobs": [{"name": "edge", "dataset": "gateway_dns", "output_options": {"field_names": ["QueryName"]}}],
                "unlisted_jobs": "absent",
            },
            {"jobs": [ACCOUNT_JOB]},
        ),
    )
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
        for name, trouble in {
            **IN_CHECK,
            **IN_SURVEY,
            **_IN_DELIVER,
            **_IN_ACCOUNTS,
            **_IN_ADOPTION,
            **_IN_EVENTS,
            "token": _TOKEN,
        }.items()
    },
    **_OF_MODULES,
}
