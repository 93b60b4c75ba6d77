# SPDX-License-Identifier: GPL-3.0-or-later

import re
import typing as t
from urllib.parse import quote, quote_plus, unquote_plus

import jinja2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.state import Ruleset, read_ruleset
from ansible_collections.edgeops.observability.plugins.module_utils._destination import parse, same_destination
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.facts import SUBOPTIONS
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.job import JobState, parse_job
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.options import OPTIONS, desire
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.plan import plan
from ansible_collections.edgeops.observability.plugins.module_utils._zone.job_variables import (
    express_jobs,
    is_unreadable,
    template_of,
)
from ansible_collections.edgeops.observability.plugins.module_utils._zone.variables import express_zone

PLAIN: dict[str, t.Any] = {
    "id": 7,
    "name": "shop-logs",
    "dataset": "http_requests",
    "enabled": True,
    "logpull_options": "fields=ClientIP,RayID&timestamps=rfc3339",
    "destination_conf": "gs://logs/shop",
}


def ruleset(*rules: dict[str, t.Any]) -> Ruleset:
    made = [{"id": f"r{index}", "action": "log_custom_field", "expression": "true", **rule} for index, rule in enumerate(rules)]
    return read_ruleset({"id": "rs", "rules": made})


def fields(**lists: list[str]) -> dict[str, t.Any]:
    return {"action_parameters": {kind: [{"name": name} for name in names] for kind, names in lists.items()}}


def item_of(**job: t.Any) -> dict[str, t.Any]:
    (item,) = express_jobs([parse_job({**PLAIN, **job})], "shop_example").items
    return item


def reasons(left_out: list[dict[str, str]]) -> dict[str, str]:
    return {part["what"]: part["why"] for part in left_out}


@pytest.mark.parametrize(
    ("job", "item"),
    [
        ({}, {"name": "shop-logs", "dataset": "http_requests", "fields": ["ClientIP", "RayID"], "timestamp_format": "rfc3339"}),
        ({"enabled": False}, {"enabled": False}),
        ({"name": ""}, {"job_id": 7}),
        ({"frequency": "low", "max_upload_records": 1000}, {"frequency": "low", "max_upload_records": 1000}),
        ({"frequency": "high", "max_upload_interval_seconds": 30}, {}),
        (
            {"logpull_options": "fields=ClientIP&CVE-2021-44228=true&sample=0.5"},
            {"option_flags": {"CVE-2021-44228": True, "sample": 0.5}},
        ),
        ({"logpull_options": "timestamps=unixnano"}, {}),
        ({"transformer_id": 3, "filter_attack_traffic": True}, {"transformer_id": 3, "filter_attack_traffic": True}),
        (
            {"logpull_options": None, "output_options": {"field_names": ["RayID"]}, "merge_subrequests": True},
            {"output_options": {"field_names": ["RayID"], "merge_subrequests": True, "sample_rate": 1}},
        ),
        (
            {"output_options": {"field_names": ["RayID"], "sample_rate": 1}},
            {"output_options": {"field_names": ["RayID"], "sample_rate": 1}},
        ),
        ({"output_options": {"sample_rate": 0.5}}, {"output_options": {"sample_rate": 0.5}}),
        # What decides which records are delivered is written at its default, too.
        ({}, {"filter": "", "transformer": "", "filter_attack_traffic": False, "option_flags": {"sample": 1}}),
        ({"logpull_options": None}, {"option_flags": {"sample": 1}}),
        # A rate that the module refuses takes no other parameter along.
        (
            {"logpull_options": "fields=a&CVE-2021-44228=true&sample=0"},
            {"fields": ["a"], "option_flags": {"CVE-2021-44228": True}},
        ),
        ({"output_options": {"field_names": ["a"], "sample_rate": 0}}, {"output_options": {"field_names": ["a"]}}),
        ({"logpull_options": "fields=a&x y=1"}, {"logpull_options": "fields=a&x y=1&sample=1"}),
        ({"logpull_options": "fields=a&x y=1&sample=0.5"}, {"logpull_options": "fields=a&x y=1&sample=0.5"}),
        # A destination with a secret has its address in its place.
        (
            {"destination_conf": "s3://b/p?region=r&access-key-id=I&secret-access-key=x"},
            {"destination_address": "s3://b/p?region=r"},
        ),
        (
            {"filter": '{"where":{"key":"ClientCountry","operator":"eq","value":"de"}}'},
            {"filter": {"where": {"and": [{"key": "ClientCountry", "operator": "eq", "value": "de"}]}}},
        ),
    ],
)
def test_job_becomes_options_without_defaults(job: dict[str, t.Any], item: dict[str, t.Any]) -> None:
    options = item_of(**job)
    assert {name: options[name] for name in item} == item
    assert not {"frequency", "max_upload_interval_seconds"} & set(options) or "frequency" in item


def test_a_job_that_may_be_off_is_left_out() -> None:
    """The role would enable it; and without it no empty list denies that there is a job."""
    hidden = parse_job({**PLAIN, "enabled": None})
    for jobs, names in (([hidden], None), ([hidden, parse_job({**PLAIN, "id": 8})], [8])):
        expressed = express_zone("z", None, jobs, None)
        items = expressed["variables"].get("log_delivery_jobs")
        assert (items and [item["job_id"] for item in items]) == names
        assert "whether it is enabled" in reasons(expressed["left_out"])["job 7 (shop-logs)"]


def test_an_adopted_job_is_unchanged_and_has_nothing_undeclared() -> None:
    """Whatever of its delivery a user changes later is a difference; a dataset without attack traffic does not declare it."""
    jobs = [
        PLAIN,
        {**PLAIN, "logpull_options": "fields=a&x y=1"},
        {**PLAIN, "logpull_options": None, "output_options": {"field_names": ["a"]}},
        {
            **PLAIN,
            "dataset": "dns_logs",
            "destination_conf": "https://u:p@h.example/in",
            "transformer_id": 4,
            "filter": '{"where":{}}',
        },
    ]
    changed: list[dict[str, t.Any]] = [
        {"filter": '{"where":{"and":[{"key":"a","operator":"eq","value":"b"}]}}'},
        {"destination_conf": "https://evil.example/steal"},
        {"transformer_id": 9},
    ]
    for job in jobs:
        options = {**dict.fromkeys(OPTIONS), **item_of(**job), "job_id": 7}
        options = {
            **{name: option.get("default") for name, option in OPTIONS.items()},
            **{k: v for k, v in options.items() if v is not None},
        }
        if "output_options" in job:
            options["output_options"] = {**dict.fromkeys(sub.option for sub in SUBOPTIONS.values()), **options["output_options"]}
        made = plan(desire(options, "zone"), JobState(parse_job(job)))
        assert not made.requests and not made.refused and made.result["job"]["undeclared"] == []
        form = "output_options" if "output_options" in job else "logpull_options"
        sampled = {
            "output_options": {"field_names": ["a"], "sample_rate": 0.001},
            "logpull_options": f"{job['logpull_options']}&sample=0.001",
        }
        for change in [
            *changed,
            {form: sampled[form]},
            *([{"filter_attack_traffic": True}] if job["dataset"] != "dns_logs" else []),
        ]:
            drifted = plan(desire(options, "zone"), JobState(parse_job({**job, **change})))
            assert drifted.before != drifted.after and (drifted.requests or drifted.refused), (job, change)


@pytest.mark.parametrize(
    ("job", "what"),
    [
        ({"destination_conf": "s3://b/p?secret-access-key=canary"}, "destination_conf"),
        ({"destination_conf": "s3://b/p?secret-access-key=***"}, "destination_conf"),
        ({"destination_conf": None}, "destination_conf"),
        ({"filter": "not readable"}, "filter"),
        ({"frequency": "of tomorrow"}, "frequency"),
        ({"output_options": {"timestamp_format": "of tomorrow", "field_names": ["RayID"]}}, "output_options.timestamp_format"),
        ({"logpull_options": "fields=a\ud800"}, "logpull_options"),
    ],
)
def test_jobs_that_cannot_be_declared(job: dict[str, t.Any], what: str) -> None:
    expressed = express_jobs([parse_job({**PLAIN, **job})], "shop_example")
    assert what not in expressed.items[0]
    assert f"{what} of job 7 (shop-logs)" in reasons(expressed.left_out)


@pytest.mark.parametrize(
    ("job", "members"),
    [
        ({"x_future": {"a": 1}, "y_future": 0, "time_created": "x"}, ["x_future"]),
        ({"logpull_options": None, "output_options": {"field_names": ["a"], "x_future": True}}, ["output_options.x_future"]),
        ({"merge_subrequests": True}, ["merge_subrequests"]),
    ],
)
def test_member_without_option_is_left_out(job: dict[str, t.Any], members: list[str]) -> None:
    expressed = express_jobs([parse_job({**PLAIN, **job})], "shop_example")
    why = reasons(expressed.left_out)
    assert why == {f"{member} of job 7 (shop-logs)": "no option of logpush_job" for member in members}


def test_ambiguous_job_is_declared_with_its_id() -> None:
    """The id is used if a name is not unique or cannot be declared; an unknown dataset is omitted."""
    listed = [{**PLAIN, "id": 9}, PLAIN, {**PLAIN, "id": 8, "dataset": "dns_logs"}]
    listed += [{**PLAIN, "id": 10, "name": "a\ud800"}, {**PLAIN, "id": 11, "name": "x", "dataset": "of tomorrow"}]
    items = express_jobs([parse_job(job) for job in listed], "z").items
    assert [tuple(item.get(name) for name in ("job_id", "name", "dataset")) for item in items] == [
        (7, None, "http_requests"),
        (None, "shop-logs", "dns_logs"),
        (9, None, "http_requests"),
        (10, None, "http_requests"),
        (11, None, None),
    ]


COOKIES = fields(cookie_fields=["Cart"])
BOTH = fields(request_fields=["x-a"], cookie_fields=["Cart"])
ONLY_COOKIES = {"cookie_fields": ["Cart"]}
REPEATED = {"action_parameters": {"response_fields": [{"name": "set-cookie", "preserve_duplicates": True}]}}


@pytest.mark.parametrize(
    ("rules", "selected", "kept", "left_out"),
    [
        ([COOKIES, fields(cookie_fields=["b"])], None, None, {"custom fields": "2 rules"}),
        ([{**COOKIES, "enabled": False}], None, None, {"custom fields": "disabled"}),
        ([{**COOKIES, "expression": "false"}], None, None, {"custom fields": "expression"}),
        ([BOTH], None, {**ONLY_COOKIES, "request_fields": ["x-a"]}, {}),
        ([BOTH], "ClientIP,Cookies", ONLY_COOKIES, {"custom fields: request_fields": "does not select RequestHeaders"}),
        (
            [REPEATED],
            "ResponseHeaders",
            {"response_fields": ["set-cookie"]},
            {"custom fields: preserve_duplicates": "set-cookie: a job of http_requests does not select ResponseFields"},
        ),
        (
            [REPEATED],
            "ResponseHeaders,ResponseFields",
            {"response_fields": ["set-cookie"], "preserve_duplicates": ["set-cookie"]},
            {},
        ),
        ([fields(request_fields=["X-A"], **ONLY_COOKIES)], None, ONLY_COOKIES, {"custom fields: request_fields": "change"}),
        ([fields(request_fields=["x a"], **ONLY_COOKIES)], None, ONLY_COOKIES, {"custom fields: request_fields": "not a header"}),
        ([fields(cookie_fields=[f"c{number}" for number in range(41)])], None, None, {"custom fields: cookie_fields": "limit"}),
        (
            [fields(request_fields=["x-a"], transformed_request_fields=["x-a"])],
            None,
            None,
            {"custom fields: request_fields": "at once", "custom fields: transformed_request_fields": "at once"},
        ),
    ],
)
def test_custom_fields_become_a_variable(
    rules: t.Any, selected: str | None, kept: dict[str, t.Any] | None, left_out: dict[str, str]
) -> None:
    jobs = [parse_job({**PLAIN, "logpull_options": f"fields={selected}"})] if selected else []
    expressed = express_zone("z", ruleset(*rules), jobs, {"enabled": False})
    assert expressed["variables"].get("log_delivery_custom_fields") == kept
    assert expressed["variables"]["log_delivery_script_monitor_enabled"] is False
    why = {what: reason for what, reason in reasons(expressed["left_out"]).items() if what.startswith("custom fields")}
    assert set(why) == set(left_out) and all(reason in why[what] for what, reason in left_out.items())


def test_zone_without_settings_has_a_note_and_no_variables() -> None:
    empty = express_zone("z", None, None, None)
    assert empty["variables"] == {} and empty["notes"]


def test_zone_without_jobs_declares_that_there_is_none() -> None:
    """Otherwise a job that a user creates after the adoption would be nothing to report."""
    none = express_zone("z", None, [], None)
    assert none["variables"] == {"log_delivery_jobs": []} and not none["notes"]
    assert not express_zone("z", None, [], {"enabled": True})["notes"]


WHOLE = "{{ vault_z_job7_destination }}"


@pytest.mark.parametrize(
    ("conf", "template"),
    [
        ("s3://b/p?region=x&secret-access-key=canary", "s3://b/p?region=x&secret-access-key=<secret_access_key>"),
        ("sumo://host/canary", "sumo://host/<path>"),
        ("https://me:canary@host/p", "https://<user>:<password>@host/p"),
        ("https://canary@host/p", "https://<password>@host/p"),
        ("https://h?header_X-A=canary1&header_X.A=canary2", "https://h?header_X-A=<header_x_a>&header_X.A=<header_x_a_2>"),
        ("https://me:canary1@h?password=canary2", "https://<user>:<password>@h?password=<password_2>"),
        ("s3://b/{{7}}{%x%}?region={{{8&token=canary", "s3://b/{{ '{{' }}7}}{{ '{%' }}x%}?region={{ '{{' }}{8&token=<token>"),
        ("https://u:canary%2F1@host/p", "https://<user>:<password slash>@host/p"),
        ("https://in:user@host/in/user", "https://<user>:<password>@host/in/user"),
        ("https://user:user@user.example/p", "https://<user>:<password>@user.example/p"),
        ("https://host/p?canary1canary2canary3", "https://host/p?<option>"),
        ("https://host/p#canary", WHOLE),
        ("not a destination canary", WHOLE),
    ],
)
def test_secrets_become_variables(conf: str, template: str) -> None:
    """In the table, variables are in angle brackets, without their common prefix."""
    assert is_unreadable(conf)
    expected = re.sub(r"<(\w+)>", r"{{ vault_z_job7_\1 | urlencode }}", template)
    expected = re.sub(r"<(\w+) slash>", r"{{ vault_z_job7_\1 | urlencode | replace('/', '%2F') }}", expected)
    assert template_of(conf, "vault_z_job7") == (expected, re.findall(r"vault_z_job7_\w+", expected))


PARTS = st.text(st.sampled_from("abAB01+/=% &?#@:;{}'~*.!$,-_[]ü"), min_size=1, max_size=9)


@given(
    user=st.none() | st.tuples(PARTS, PARTS),
    path=st.sampled_from(["", "/", "/{DATE}/x", "/a/b"]),
    options=st.lists(
        st.tuples(st.sampled_from(["secret-access-key", "header_X-A", "header_X.A", "password", "tags"]), PARTS), max_size=4
    ),
)
def test_template_evaluates_to_the_destination(user: tuple[str, str] | None, path: str, options: list[tuple[str, str]]) -> None:
    """The template evaluates to the adopted destination if its variables contain the secrets."""
    before = "" if user is None else ":".join(quote(part, safe="") for part in user) + "@"
    query = "&".join(f"{name}={quote_plus(value)}" for name, value in options)
    conf = f"https://{before}logs.example{path}{'?' if query else ''}{query}"
    template, names = template_of(conf, "vault_z_job7")
    secrets = [*(user or ()), *(unquote_plus(option.value or "") for option in parse(conf).options if option.secret)]
    if names == ["vault_z_job7_destination"]:
        return
    used = re.findall(r"{{ (\w+) \| urlencode", template)
    values = dict(zip(used, secrets, strict=True))
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined)  # noqa: S701 - not used for HTML
    environment.filters["urlencode"] = quote
    assert same_destination(parse(environment.from_string(template).render(values)), parse(conf))
