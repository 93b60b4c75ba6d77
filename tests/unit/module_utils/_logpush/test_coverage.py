# SPDX-License-Identifier: GPL-3.0-or-later

import pytest
from samples.logpush import JOB, declare_job, sent, state_of

from ansible_collections.edgeops.observability.plugins.module_utils._logpush.coverage import (
    CARRIERS,
    carriers_of,
    log_field_coverage,
    selected_fields,
)
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.plan import plan


def fields(**kinds):
    return {**{kind: [] for kinds in CARRIERS.values() for kind in kinds}, **kinds}


def job(selected, **members):
    return {"id": 7, "name": "edge-logs", "dataset": "http_requests", "logpull_options": f"fields={selected}", **members}


@pytest.mark.parametrize(
    ("custom_fields", "jobs"),
    [
        (None, []),
        ({"changed": True, "custom_fields": None}, [job("ClientIP")]),
        ({"request_fields": ["x-a"], "cookie_fields": None}, [job("RequestHeaders")]),
        (fields(), [job("ClientIP")]),
        (fields(transformed_request_fields=["x-a"]), [job("RequestHeaders")]),
        (fields(cookie_fields=["Cart"]), [job("Cookies", enabled=False)]),
        (fields(cookie_fields=["Cart"]), [job("ClientIP"), job("Cookies", id=8, dataset=None)]),
        (fields(), [job("Cookies", dataset="firewall_events")]),
        # The result of a task that removed its job.
        ({"custom_fields": fields()}, {"changed": True, "job": None}),
    ],
)
def test_complete_coverage_has_no_findings(custom_fields, jobs):
    assert log_field_coverage(custom_fields, jobs) == {"arrives": True, "unselected": [], "unconfigured": [], "sentences": []}


def test_job_of_a_dataset_that_the_service_does_not_show_proves_no_field():
    without_dataset = job("Cookies", dataset=None, destination=None)
    coverage = log_field_coverage(fields(cookie_fields=["Cart"]), [without_dataset])
    assert [part["field"] for part in coverage["unselected"]] == ["Cookies"]
    assert "decided by the dataset of the job, which the service does not show" in coverage["sentences"][0]


@pytest.mark.parametrize("names", ["Cart", {"name": "Cart"}, [{"name": "Cart"}], 5])
def test_custom_fields_that_are_no_list_of_names_are_not_taken_for_none(names):
    with pytest.raises(ValueError, match=r"^cookie_fields must be a list of names$"):
        log_field_coverage(fields(cookie_fields=names), [])


UNREACHED = "cookie_fields (Cart) reach no log: "


def test_unselected_fields_are_named_by_kind():
    coverage = log_field_coverage(fields(request_fields=["x-a", "x-b"], cookie_fields=["Cart"]), [job("ClientIP")])
    assert (coverage["arrives"], coverage["unconfigured"]) == (False, [])
    assert coverage["unselected"] == [
        {"kind": "request_fields", "names": ["x-a", "x-b"], "field": "RequestHeaders"},
        {"kind": "cookie_fields", "names": ["Cart"], "field": "Cookies"},
    ]
    assert coverage["sentences"] == [
        "request_fields (x-a, x-b) reach no log: no job that was looked at ('edge-logs') selects RequestHeaders.",
        UNREACHED + NOT_SELECTED,
    ]


CART = fields(cookie_fields=["Cart"])
DECIDED = "cookie_fields (Cart) are not known to reach a log: Cookies of job {} is decided by {}."
NOT_SELECTED = "no job that was looked at ('edge-logs') selects Cookies."


@pytest.mark.parametrize(
    ("custom_fields", "jobs", "why"),
    [
        (CART, [job("Cookies", dataset="firewall_events")], "there is no job of the dataset http_requests to carry them."),
        (CART, [job("A"), job("A", id=8, name="")], NOT_SELECTED.replace("')", "', number 8)")),
        # Complete results of modules.
        ({"custom_fields": CART, "ruleset": {}}, {"changed": False, "jobs": [job("A")]}, NOT_SELECTED),
        ({"custom_fields": CART}, {"changed": True, "job": job("A")}, NOT_SELECTED),
        (CART, job("A"), NOT_SELECTED),
    ],
)
def test_sentence_names_the_jobs(custom_fields, jobs, why):
    assert log_field_coverage(custom_fields, jobs)["sentences"] == [UNREACHED + why]


def test_disabled_rule_is_reported():
    coverage = log_field_coverage(CART, [job("Cookies,RequestHeaders")], disabled=CART)
    assert coverage["unselected"] == [] and [part["field"] for part in coverage["unconfigured"]] == ["RequestHeaders", "Cookies"]
    assert coverage["sentences"] == [
        "Job 'edge-logs' selects RequestHeaders, which stays empty: the zone has no request_fields or transformed_request_fields.",
        "Job 'edge-logs' selects Cookies, which stays empty: the rule of the custom fields is disabled.",
    ]
    (sentence,) = log_field_coverage(CART, [job("A")], disabled=CART)["sentences"]
    assert sentence == f"{UNREACHED}their rule is disabled, and {NOT_SELECTED}"


@pytest.mark.parametrize("live", [{"cookie_fields": ["Cart", "Session"]}, {"cookie_fields": ["Cart"], "request_fields": ["x-a"]}])
def test_fields_of_a_disabled_rule_beside_one_in_effect_reach_no_log(live):
    """Of several rules each has its own fields."""
    headers = fields(transformed_request_fields=["x-b"], **live)
    disabled = {"cookie_fields": live["cookie_fields"][1:], "transformed_request_fields": ["x-b"]}
    coverage = log_field_coverage(headers, [job("Cookies,RequestHeaders")], disabled=disabled)
    reach_none = [(part["kind"], part["names"]) for part in coverage["unselected"]]
    gone = [(kind, names) for kind, names in disabled.items() if names and (kind == "cookie_fields" or "request_fields" in live)]
    assert sorted(reach_none) == sorted(gone)
    assert len(coverage["sentences"]) == len(gone) + len(coverage["unconfigured"]) and not coverage["arrives"]
    assert [part["field"] for part in coverage["unconfigured"]] == ([] if "request_fields" in live else ["RequestHeaders"])


def test_unconfigured_selection_is_reported():
    jobs = [job("RequestHeaders,ResponseHeaders"), job("Cookies", id=8, name=None)]
    coverage = log_field_coverage(fields(request_fields=["x-a"]), jobs)
    assert coverage["unselected"] == []
    assert coverage["unconfigured"] == [
        {"job_id": 7, "job_name": "edge-logs", "field": "ResponseHeaders"},
        {"job_id": 8, "job_name": None, "field": "Cookies"},
    ]
    assert coverage["sentences"] == [
        "Job 'edge-logs' selects ResponseHeaders, which stays empty: the zone has no response_fields or raw_response_fields.",
        "Job number 8 selects Cookies, which stays empty: the zone has no cookie_fields.",
    ]


@pytest.mark.parametrize(
    ("job", "names"),
    [
        ({"logpull_options": "fields=A", "output_options": {"field_names": ["B", "C"]}}, ["B", "C"]),
        ({"logpull_options": "fields=A", "output_options": {}}, ["A"]),
        ({"logpull_options": None, "output_options": None}, []),
        ({"logpull_options": " ?fields=A,%20B&x=1& fields=C,"}, ["A", "B", "C"]),
        ({"logpull_options": ["fields=A"]}, []),
    ],
)
def test_output_options_take_precedence(job, names):
    assert selected_fields(job) == names


FAILED = {"failed": True, "changed": False, "msg": "no access"}
SKIPPED = {"skipped": True, "changed": False, "skip_reason": "Conditional result was False"}


@pytest.mark.parametrize(
    ("custom_fields", "jobs"),
    [
        *((result, []) for result in ("x-a", [], FAILED, SKIPPED, {"request_headers": ["x-a"]})),
        *((fields(), result) for result in ("edge-logs", ["edge-logs"], 7, FAILED, SKIPPED)),
    ],
)
def test_other_input_is_refused(custom_fields, jobs):
    with pytest.raises(ValueError, match=r"^(jobs: )?the result of .* is needed$"):
        log_field_coverage(custom_fields, jobs)


LISTS = {"request_fields": ["x-a"], "response_fields": [], "cookie_fields": ["Cart"]}


@pytest.mark.parametrize(
    ("lists", "carriers"),
    [
        ({}, []),
        ({"request_fields": None, "response_fields": []}, []),
        ({"response_fields": ["x-a"], "preserve_duplicates": ["x-a"]}, ["ResponseHeaders", "ResponseFields"]),
        ({"transformed_request_fields": ["x-a"], "raw_response_fields": ["x-b"]}, ["RequestHeaders", "ResponseHeaders"]),
    ],
)
def test_each_list_needs_its_field(lists, carriers):
    assert carriers_of(lists) == carriers


@pytest.mark.parametrize(
    ("options", "body"),
    [
        ({}, {"logpull_options": "fields=RequestHeaders,Cookies"}),
        ({"fields": ["ClientIP", " Cookies "]}, {"logpull_options": "fields=ClientIP,Cookies,RequestHeaders"}),
        ({"timestamp_format": "unix"}, {"logpull_options": "fields=RequestHeaders,Cookies&timestamps=unix"}),
        ({"logpull_options": "sample=0.5&fields=A%2CCookies"}, {"logpull_options": "fields=A,Cookies,RequestHeaders&sample=0.5"}),
        (
            {"output_options": {"field_names": ["A"], "output_type": "csv"}},
            {"output_options": {"field_names": ["A", "RequestHeaders", "Cookies"], "output_type": "csv"}},
        ),
    ],
)
def test_fields_are_added_in_the_form_of_the_options(options, body):
    desired = declare_job(**options)
    extended = desired._replace(carriers=tuple(carriers_of(LISTS)))
    assert sent(plan(extended, state_of(JOB))) == [("update", body)]
    applied = {**JOB, **body}
    assert sent(plan(extended, state_of(applied))) == []


@pytest.mark.parametrize(
    ("members", "options", "body"),
    [
        ({"logpull_options": "fields=B,A&sample=1"}, {}, {"logpull_options": "fields=B,A,RequestHeaders,Cookies&sample=1"}),
        (
            {"logpull_options": "fields=A"},
            {"timestamp_format": "unix"},
            {"logpull_options": "fields=A,RequestHeaders,Cookies&timestamps=unix"},
        ),
        ({"logpull_options": "fields=A"}, {"fields": ["B"]}, {"logpull_options": "fields=B,RequestHeaders,Cookies"}),
        ({"logpull_options": "fields=A"}, {"fields": []}, {"logpull_options": "fields=RequestHeaders,Cookies"}),
        ({"output_options": {"field_names": ["A"]}}, {}, {"output_options": {"field_names": ["A", "RequestHeaders", "Cookies"]}}),
        (
            {"output_options": {"field_names": ["A"]}},
            {"output_options": {"sample_rate": 0.5}},
            {"output_options": {"field_names": ["A", "RequestHeaders", "Cookies"], "sample_rate": 0.5}},
        ),
        (
            {"logpull_options": "fields=A"},
            {"output_options": {"sample_rate": 0.5}},
            {"output_options": {"field_names": ["A", "RequestHeaders", "Cookies"], "sample_rate": 0.5}},
        ),
    ],
)
def test_fields_of_the_job_are_kept_unless_the_task_lists_fields(members, options, body):
    desired = declare_job(**options)._replace(carriers=tuple(carriers_of(LISTS)))
    update = plan(desired, state_of({**JOB, **members}))
    assert sent(update) == [("update", body)]
    assert sent(plan(desired, state_of({**JOB, **members, **body}))) == []
    assert {effect.name for effect in update.effects} - {"reduce_sample_rate"} == (
        {"drop_job_fields"} if "fields" in options else set()
    )


@pytest.mark.parametrize("options", [{}, {"dataset": "dns_logs"}])
def test_other_datasets_have_no_custom_fields(options):
    desired = declare_job(job_id=7, **options)._replace(carriers=("Cookies",))
    assert not plan(desired, state_of({**JOB, "dataset": "dns_logs"})).changed


@pytest.mark.parametrize(
    ("jobs", "sentences"),
    [
        ([job("Cookies", transformer="redact")], [DECIDED.format("'edge-logs'", "transformer redact")]),
        ([job("Cookies", transformer=None, transformer_id=7)], [DECIDED.format("'edge-logs'", "transformer 7")]),
        ([job("Cookies", transformer="redact"), job("Cookies", id=8)], []),
        ([job("ClientIP", transformer="redact")], [UNREACHED + NOT_SELECTED]),
    ],
    ids=["by name", "by id", "beside a job without one", "not selected"],
)
def test_transformer_proves_no_field(jobs, sentences):
    """The query of a transformer decides what is delivered, whatever the job selects."""
    coverage = log_field_coverage(CART, jobs)
    assert (coverage["sentences"], coverage["arrives"]) == (sentences, not sentences)
    assert coverage["unselected"] == [{"kind": "cookie_fields", "names": ["Cart"], "field": "Cookies"}] * len(sentences)


def templated(template):
    return job("", output_options={"field_names": ["Cookies"], "record_template": template})


@pytest.mark.parametrize(
    ("job", "decision"),
    [
        (job("RayID&fields=Cookies"), "which of several lists of fields counts"),
        *(
            (templated(template), "the record template")
            for template in (
                "x",
                " ",
                "{{.ClientIP}}",
                "{.Cookies}",
                "{{.CookiesX}}",
                "{{/* {{.Cookies}} */}}",
                "{{if false}}{{.Cookies}}{{end}}",
                "{{{.Cookies}}",
                "{{.Cookies",
                7,
            )
        ),
        *((templated(template), None) for template in (None, "", "{{.Cookies}}", "{{.ClientIP}} {{- .Cookies -}}\n")),
        (job("Cookies", kind="instant-logs"), "the kind 'instant-logs' of the job"),
        *((job("Cookies", kind=kind), None) for kind in (None, "", "edge")),
    ],
)
def test_what_a_job_does_not_deliver_for_certain(job, decision):
    sentences = [] if decision is None else [DECIDED.format("'edge-logs'", decision)]
    assert log_field_coverage(CART, [job])["sentences"] == sentences
