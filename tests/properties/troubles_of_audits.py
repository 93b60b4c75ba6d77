# SPDX-License-Identifier: GPL-3.0-or-later

"""What is wrong in the audits of a zone or an account: the playbooks check and survey."""

import datetime
import typing as t

from properties.decisions import Document
from properties.trouble import (
    ACCOUNT_JOB,
    BASELINE,
    CHECK,
    DECLARED,
    DECLARED_RULE,
    ENTRY_POINT,
    FIELDS,
    HEALTH,
    HOOK,
    IN_ACCOUNT,
    LOST,
    OF_HEALTH,
    OF_OLDER_FORM,
    OF_SCRIPTS,
    ON,
    OTHER_RULE,
    POLICY,
    RULE,
    SCRIPTS,
    SURVEY,
    TRANSFORMERS,
    VIOLATIONS,
    Trouble,
    ago,
    declares,
    jobs,
    uploads,
)


def _drift(seed: Document, declared: Document, **more: t.Any) -> Trouble:
    return Trouble(lambda place: CHECK(place, declared, ["drifted"]), ("drifted",), seed, **more)


# Fields that a job selects, or that only its filter compares.
_REMOVED: Document = {"removed_fields": ["http_requests.RayID", "http_requests.ClientASN"]}
_OLDER: Document = {"output_options": None, "logpull_options": "fields=ClientIP,RayID&timestamps=rfc3339"}
_FILTERED: Document = {
    "output_options": {"field_names": ["ClientIP"]},
    "filter": '{"where":{"key":"ClientASN","operator":"eq","value":64496}}',
}
_AUDIT_JOB: Document = {"dataset": "audit_logs", "output_options": {"field_names": ["ActionType"]}}
_OUTSIDE: Document = {"jobs": [{"name": "edge", "dataset": "audit_logs"}]}
_IN_EUROPE: Document = {"regions": ["eu"], "allow_out_of_region_access": False}
_ALERTED: Document = {"jobs": [{"name": "edge", "dataset": "gateway_dns"}]}
# What was delivered is as old as the month allows.
_EARLIER = min(20.0, (datetime.datetime.now(datetime.timezone.utc).day - 1) * 24 + 0.01)
_COSTLY: Document = {
    "jobs": [ACCOUNT_JOB],
    "uploads": [
        uploads(datetime=ago(hours), bytes=size * 10**9, destination_type=kind)
        for hours, size, kind in ((_EARLIER, 60, "s3"), (0.01, 1, "s3"), (0.01, 30, "r2"))
    ],
}


IN_CHECK: t.Mapping[str, Trouble] = {
    "check-health": Trouble(
        lambda place: CHECK(place, declares("edge", "failing", "silent", "off", "never"), [*OF_HEALTH, "unlisted_job"]),
        (*OF_HEALTH, "unlisted_job"),
        {"jobs": HEALTH},
    ),
    "check-health-of-jobs-that-are-not-managed": Trouble(
        lambda place: CHECK(place, {"script_monitor_enabled": True}, OF_HEALTH),
        OF_HEALTH,
        {"jobs": HEALTH, "script_monitor": ON},
    ),
    "check-destination": _drift({"jobs": jobs({"destination_conf": "s3://stolen/all?region=eu-west-1"})}, {"jobs": [DECLARED]}),
    "check-filter": _drift(
        {"jobs": jobs({"filter": '{"where":{"key":"ClientIP","operator":"eq","value":"192.0.2.1"}}'})},
        {"jobs": [{**DECLARED, "filter": ""}]},
    ),
    "check-selected-fields": _drift(
        {"jobs": jobs({"output_options": {"field_names": ["ClientIP"], "timestamp_format": "rfc3339"}})}, {"jobs": [DECLARED]}
    ),
    "check-logpull-options": _drift(
        {"jobs": jobs({"output_options": None, "logpull_options": "fields=ClientIP&timestamps=rfc3339"})},
        {"jobs": [OF_OLDER_FORM]},
    ),
    "check-sample-rate": _drift(
        {"jobs": jobs({"output_options": {"field_names": ["ClientIP", "RayID"], "sample_rate": 0.01}})},
        {"jobs": [{**DECLARED, "output_options": {"sample_rate": 1}}]},
    ),
    "check-disabled": _drift({"jobs": jobs({"enabled": False})}, {"jobs": [{**DECLARED, "enabled": True}]}),
    "check-transformer": _drift(
        {"jobs": jobs({"transformer_id": 8}), "of_account": {"transformers": TRANSFORMERS}},
        {"jobs": [{**DECLARED, "transformer": "redact"}]},
    ),
    "check-fields": _drift(
        {"rulesets": [ENTRY_POINT]},
        {"custom_fields": {"request_fields": [], "response_fields": [], "cookie_fields": ["Session"]}},
    ),
    "check-monitor": _drift({"script_monitor": {"enabled": False}}, {"script_monitor_enabled": True}),
    "check-rule": _drift(
        {"policies": [{**RULE, "action": "log"}]}, {"content_security_rules": [{**DECLARED_RULE, "unobserved": "allow"}]}
    ),
    "check-policy-of-rule": _drift(
        {"policies": [{**RULE, "value": "script-src 'self' https://evil.example"}]},
        {"content_security_rules": [{**DECLARED_RULE, "unobserved": "allow"}]},
    ),
    "check-rules": Trouble(
        lambda place: CHECK(place, {"content_security_rules": [DECLARED_RULE]}, ["unlisted_rule", "enforcement_refused"]),
        ("unlisted_rule", "enforcement_refused"),
        {
            "policies": [{**RULE, "action": "log"}, OTHER_RULE],
            "violations": VIOLATIONS,
            "script_monitor": ON,
            "scripts": SCRIPTS,
        },
    ),
    "check-coverage": Trouble(
        lambda place: CHECK(
            place,
            {"custom_fields": FIELDS, "jobs": [DECLARED]},
            ["missing_field"],
            required_fields={"http_requests": ["ClientIP", "EdgeResponseStatus"]},
        ),
        ("missing_field",),
        {"jobs": jobs({}), "rulesets": [ENTRY_POINT]},
    ),
    "check-required-field-that-is-filtered": Trouble(
        lambda place: CHECK(place, declares("edge"), ["missing_field"], required_fields={"http_requests": ["ClientIP"]}),
        ("missing_field",),
        {"jobs": jobs({"filter": '{"where":{"key":"ClientIP","operator":"eq","value":"192.0.2.1"}}'})},
    ),
    "check-required-field-that-is-sampled": Trouble(
        lambda place: CHECK(place, declares("edge"), ["missing_field"], required_fields={"http_requests": ["ClientIP"]}),
        ("missing_field",),
        {"jobs": jobs({"output_options": {"field_names": ["ClientIP"], "sample_rate": 0.01}})},
    ),
    "check-empty-fields": Trouble(
        lambda place: CHECK(
            place, {"custom_fields": {kind: [] for kind in FIELDS}, "jobs": [{"name": "edge"}]}, ["field_stays_empty"]
        ),
        ("field_stays_empty",),
        {"jobs": jobs({"output_options": {"field_names": ["RequestHeaders"]}})},
    ),
    "check-scripts": Trouble(
        lambda place: CHECK(place, {"script_monitor_enabled": True}, OF_SCRIPTS, scripts=BASELINE),
        OF_SCRIPTS,
        {"script_monitor": ON, "scripts": SCRIPTS},
    ),
    "check-scripts-with-the-monitor-off": Trouble(
        lambda place: CHECK(place, {"custom_fields": {"request_fields": []}}, ["monitor_off"], scripts=BASELINE),
        ("monitor_off",),
        {"script_monitor": {"enabled": False}, "scripts": []},
    ),
    "check-losses": Trouble(
        lambda place: CHECK(place, declares("edge", "quiet"), ["records_dropped", "no_upload"], delivery=True),
        ("records_dropped", "no_upload"),
        {"jobs": jobs({}, {"id": 2, "name": "quiet"}), "uploads": [uploads(), uploads(**LOST, job_id=1)]},
    ),
    "check-account": Trouble(
        lambda place: CHECK(place, {"jobs": [{"name": "edge", "dataset": "gateway_dns"}]}, ["no_alert"]),
        ("no_alert",),
        {
            "jobs": [ACCOUNT_JOB],
            "webhooks": [HOOK],
            "notification_policies": [{**POLICY, "mechanisms": {"webhooks": [{"id": "61" * 16}]}}],
        },
        address=IN_ACCOUNT,
    ),
    "check-account-with-an-alert-that-is-off": Trouble(
        lambda place: CHECK(place, {"jobs": [{"name": "edge", "dataset": "gateway_dns"}]}, ["no_alert"]),
        ("no_alert",),
        {
            "jobs": [ACCOUNT_JOB],
            "notification_policies": [{**POLICY, "enabled": False, "mechanisms": {"email": [{"id": "ops@example.com"}]}}],
        },
        address=IN_ACCOUNT,
    ),
    "check-removed-field": Trouble(
        lambda place: CHECK(place, declares("edge"), ["field_removed"], fields=True),
        ("field_removed",),
        {"jobs": jobs({})},
        settings=_REMOVED,
    ),
    "check-boundary": Trouble(
        lambda place: CHECK(place, _OUTSIDE, ["region_gap"], fields=True),
        ("region_gap",),
        {"jobs": jobs({**_AUDIT_JOB}), "boundary": _IN_EUROPE},
        address=IN_ACCOUNT,
    ),
    "check-budget": Trouble(
        lambda place: CHECK(place, _ALERTED, ["over_budget"], delivery=True, budget=1),
        ("over_budget",),
        _COSTLY,
        address=IN_ACCOUNT,
    ),
    "check-budget-without-usage": Trouble(
        lambda place: CHECK(place, _ALERTED, ["over_budget"], delivery=True, budget=1),
        ("over_budget",),
        _COSTLY,
        address=IN_ACCOUNT,
        settings={"graphql_disabled": ["*/logpushUsageAdaptiveGroups"]},
    ),
}

IN_SURVEY: t.Mapping[str, Trouble] = {
    "survey-health": Trouble(
        lambda place: SURVEY(place, OF_HEALTH, scripts=False, delivery=False),
        OF_HEALTH,
        {"jobs": HEALTH, "script_monitor": ON},
    ),
    "survey-scripts": Trouble(
        lambda place: SURVEY(place, ["malicious", "reported"], scripts=True, delivery=False),
        ("malicious", "reported"),
        {"script_monitor": ON, "scripts": SCRIPTS},
    ),
    "survey-scripts-of-page-shield": Trouble(
        lambda place: SURVEY(place, ["malicious", "reported"], scripts=True, delivery=False),
        ("malicious", "reported"),
        {"script_monitor": ON, "scripts": SCRIPTS},
        settings={"script_monitor_routes": False},
    ),
    "survey-monitor-off": Trouble(
        lambda place: SURVEY(place, ["monitor_off"], scripts=True, delivery=False),
        ("monitor_off",),
        {"script_monitor": {"enabled": False}},
    ),
    "survey-coverage": Trouble(
        lambda place: SURVEY(place, ["fields_not_selected"], scripts=False, delivery=False),
        ("fields_not_selected",),
        {"jobs": jobs({}), "rulesets": [ENTRY_POINT], "script_monitor": ON},
    ),
    "survey-violations": Trouble(
        lambda place: SURVEY(place, ["violations"], scripts=False, delivery=False),
        ("violations",),
        {"policies": [RULE], "violations": VIOLATIONS, "script_monitor": ON},
    ),
    "survey-losses": Trouble(
        lambda place: SURVEY(place, ["records_dropped", "no_upload"], scripts=False, delivery=True),
        ("records_dropped", "no_upload"),
        {"jobs": jobs({}, {"id": 2, "name": "quiet"}), "uploads": [uploads(), uploads(**LOST)], "script_monitor": ON},
    ),
    "survey-no-job": Trouble(
        lambda place: SURVEY(place, ["no_job"], scripts=False, delivery=False), ("no_job",), {"script_monitor": ON}
    ),
    "survey-account": Trouble(
        lambda place: SURVEY(place, ["no_alert"], scripts=False, delivery=False),
        ("no_alert",),
        {
            "jobs": [ACCOUNT_JOB],
            "webhooks": [HOOK],
            "notification_policies": [{**POLICY, "mechanisms": {"webhooks": [{"id": "61" * 16}]}}],
        },
        address=IN_ACCOUNT,
    ),
    **{
        f"survey-removed-field-that-is-{how}": Trouble(
            lambda place: SURVEY(place, ["field_removed"], scripts=False, delivery=False, fields=True),
            ("field_removed",),
            {"jobs": jobs(job), "script_monitor": ON},
            settings=_REMOVED,
        )
        for how, job in {"selected": {}, "selected-in-older-form": _OLDER, "compared": _FILTERED}.items()
    },
    "survey-boundary": Trouble(
        lambda place: SURVEY(place, ["region_gap"], scripts=False, delivery=False, fields=True),
        ("region_gap",),
        {"jobs": jobs({**_AUDIT_JOB}), "boundary": _IN_EUROPE},
        address=IN_ACCOUNT,
    ),
    "survey-boundary-of-a-zone": Trouble(
        lambda place: SURVEY(place, ["region_gap"], scripts=False, delivery=False, fields=True),
        ("region_gap",),
        {
            "jobs": jobs({"dataset": "nel_reports", "output_options": {"field_names": ["ClientIPASN"]}}),
            "of_account": {"boundary": _IN_EUROPE},
            "script_monitor": ON,
        },
    ),
    "survey-alerts-of-a-zone": Trouble(
        lambda place: SURVEY(place, ["no_alert"], scripts=False, delivery=False),
        ("no_alert",),
        {"script_monitor": ON},
        # An account to which no such alert is offered may not use any.
        allowed=(("GET /accounts/*/alerting/v3/available_alerts", "result.Client-side security", "absent"),),
    ),
    # Usage that the service does not offer, in an account that shows the deliveries of its zones.
    "survey-budget-of-the-jobs-of-a-zone": Trouble(
        lambda place: SURVEY(place, ["over_budget"], scripts=False, delivery=True, costs=True, options={"monthly_budget_usd": 1}),
        ("over_budget",),
        {"jobs": jobs({}), "uploads": _COSTLY["uploads"], "script_monitor": ON},
        settings={"graphql_account_has_zones": True, "graphql_disabled": ["*/logpushUsageAdaptiveGroups"]},
    ),
    "survey-budget": Trouble(
        lambda place: SURVEY(
            place, ["over_budget"], scripts=False, delivery=False, costs=True, options={"monthly_budget_usd": 1}
        ),
        ("over_budget",),
        _COSTLY,
        address=IN_ACCOUNT,
    ),
}
