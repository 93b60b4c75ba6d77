# SPDX-License-Identifier: GPL-3.0-or-later

import datetime
import re

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.utils.unsafe_proxy import wrap_var

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._zone.task import TASK as ZONE_TASK
from ansible_collections.edgeops.observability.plugins.modules.logpush_delivery_info import TASK as DELIVERY_TASK
from ansible_collections.edgeops.observability.plugins.plugin_utils._arguments import (
    is_worth_naming,
    prepared,
    refusal,
    serialised,
    user_path,
    validated,
)


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ("é\u2028", "é\u2028"),
        (12345678901234567890, 12345678901234567890),
        (None, None),
        ((1, 2), [1, 2]),
        ({1: "a", None: "b"}, {"1": "a", "null": "b"}),
        (datetime.date(2024, 2, 29), "2024-02-29"),
        (wrap_var("{{ text }}"), "{{ text }}"),
    ],
)
def test_values_are_those_of_a_module(value, plain):
    result = serialised({"option": value})["option"]
    assert result == plain
    assert type(result) is type(plain)


@pytest.mark.parametrize("variable", [None, "elsewhere", "link"])
def test_relative_path_starts_at_the_working_directory(monkeypatch, tmp_path, variable):
    """Whatever PWD says, also if it is another name of the same folder."""
    for name in ("here", "elsewhere"):
        (tmp_path / name).mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.delenv("PWD", raising=False)
    if variable:
        monkeypatch.setenv("PWD", str(tmp_path / variable))
    assert user_path("evidence/a") == str(tmp_path / "here" / "evidence" / "a")


def test_yaml_loses_its_tags():
    loaded = DataLoader().load("{list: [1, yes], text: some, day: 2024-02-29}")
    result = serialised(loaded)
    assert result == {"list": [1, True], "text": "some", "day": "2024-02-29"}
    assert {type(value) for value in result.values()} == {list, str}


def test_options_are_converted_and_completed():
    options = {"a": {"type": "int"}, "b": {"default": "x"}, "c": {"type": "list", "elements": "str", "no_log": True}}
    checked = validated({"argument_spec": options}, {"a": "1", "c": ["y"]}, "action")
    assert checked == ({"a": 1, "b": "x", "c": ["y"]}, {"y"}, None)


@pytest.mark.parametrize(
    ("options", "secrets"),
    [
        ({"api_token": ""}, set()),
        ({"api_token": 12, "api_key": ["k", {"inner": "i"}]}, {"12", "k", "i"}),
        ({"job": {"destination_conf": "s3://d", "name": "n"}}, {"s3://d"}),
        ({"jobs": ["neither", {"destination_conf": "s3://d", "enabled": "perhaps"}]}, {"s3://d"}),
    ],
)
def test_options_with_no_log_are_secrets(options, secrets):
    """The values of all options with `no_log` are secrets, even if other options are invalid."""
    assert validated(ZONE_TASK.arguments(), options, "action").secrets == secrets


OPTIONS = {
    "name": {"type": "str"},
    "enabled": {"type": "bool"},
    "filter": {"type": "raw"},
    "state": {"type": "str", "choices": ["present", "absent"]},
    "kind": {"type": "str", "choices": ["", "edge"]},
    "fields": {"type": "list", "elements": "str"},
    "option_flags": {"type": "dict"},
}
SPEC = {
    **OPTIONS,
    "jobs": {"type": "list", "elements": "dict", "options": OPTIONS},
    "job": {"type": "dict", "options": OPTIONS},
    "expected_plan_ids": {"type": "dict", "keeps_nulls": True},
}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"jobs": '[{"name": "a"}]', "job": ' {"name": "b"}'}, {"jobs": [{"name": "a"}], "job": {"name": "b"}}),
        ({"jobs": wrap_var("[]")}, {"jobs": []}),
        # A dictionary in a template as ansible-core before 2.19 passes it.
        ({"job": "{'name': 'a'}", "jobs": "[{'name': 'b'}]"}, {"job": {"name": "a"}, "jobs": [{"name": "b"}]}),
        ({"job": "name=a", "other": "{"}, {"job": {"name": "a"}, "other": "{"}),
        ({"fields": '["a", "b"]', "option_flags": '{"c": true}'}, {"fields": ["a", "b"], "option_flags": {"c": True}}),
        ({"fields": "a,b", "option_flags": "c=d"}, {"fields": "a,b", "option_flags": "c=d"}),
        ({"jobs": [{"fields": '["a"]', "option_flags": "{}"}]}, {"jobs": [{"fields": ["a"], "option_flags": {}}]}),
        # Null means omitted at every depth, except in an approval, where it approves that a part has no plan.
        ({"name": None, "filter": None, "unknown": None}, {}),
        (
            {"jobs": [{"name": "a", "filter": None, "option_flags": {"b": None}}, None]},
            {"jobs": [{"name": "a", "option_flags": {}}]},
        ),
        ({"job": '{"name": null, "fields": ["a", null]}'}, {"job": {"fields": ["a"]}}),
        # An empty text means omitted for these options, and removes a filter; it may be a choice.
        ({"enabled": "", "state": " ", "fields": "", "filter": "", "name": ""}, {"filter": "", "name": ""}),
        ({"kind": ""}, {"kind": ""}),
        ({"expected_plan_ids": '{"jobs": null}'}, {"expected_plan_ids": {"jobs": None}}),
        ({"expected_plan_ids": None}, {}),
    ],
)
def test_text_is_parsed_and_null_is_omitted(options, expected):
    assert prepared(SPEC, options) == expected


@pytest.mark.parametrize("text", ['[{"name": "secret", ]', "secret", "[" * 5000, "[secret()]"])
def test_invalid_text_is_refused_with_its_place(text):
    with pytest.raises(Failure, match=r"^jobs: not JSON: ") as caught:
        prepared(SPEC, {"jobs": text})
    with pytest.raises(Failure, match=r"^job: (not JSON: |must be a dictionary)") as of_job:
        prepared(SPEC, {"job": text})
    assert "secret" not in of_job.value.message
    assert "secret" not in caught.value.message


@pytest.mark.parametrize(("item", "words"), [("edge", "a string"), (7, "a number"), (["a"], "a list"), (True, "a boolean")])
def test_item_must_be_a_dictionary(item, words):
    """AnsibleModule names neither the item nor the option."""
    jobs = {"jobs": {"type": "list", "elements": "dict", "options": {"name": {"type": "str"}}}}
    with pytest.raises(Failure, match=rf"^jobs\[1\]: must be a dictionary of options, not {words}$") as caught:
        prepared(jobs, {"jobs": [{"name": "a"}, item]})
    assert caught.value.kind == "invalid_option"
    assert prepared(jobs, {"jobs": ['{"name": "a"}', "name=a"]}) == {"jobs": [{"name": "a"}, {"name": "a"}]}


@pytest.mark.parametrize("value", [5, True, ["a"], "[1]", "[]", "5", "true", 1.5, "secret"])
@pytest.mark.parametrize(
    "place", ["custom_fields", "job", "job_defaults", "job.output_options", "jobs[0].output_options", "rates"]
)
def test_option_that_must_be_a_dictionary(place, value):
    """The message has the option path, unlike the one of AnsibleModule, and is no Python error."""
    options = {**ZONE_TASK.options(), **DELIVERY_TASK.options()}
    outer, _dot, inner = place.partition(".")
    suboptions = {inner: value} if inner else value
    arguments = {"jobs": [suboptions]} if outer == "jobs[0]" else {outer: suboptions}
    with pytest.raises(Failure, match=rf"^{re.escape(place)}: must be a dictionary of options, not "):
        prepared(options, arguments)


@pytest.mark.parametrize(
    ("options", "place", "said"),
    [
        ({"zone_id": 493}, "zone_id", "not a number"),
        ({"zone_id": 0.0}, "zone_id", "not a number"),
        ({"zone_name": False}, "zone_name", "not a boolean"),
        ({"api_token": True}, "api_token", "not a boolean"),
        ({"ca_path": True}, "ca_path", "not a boolean"),
        ({"job": {"name": False}}, "job.name", "not a boolean"),
        ({"jobs": [{}, {"name": True}]}, "jobs[1].name", "not a boolean"),
        ({"jobs": '[{"fields": ["a", false]}]'}, "jobs[0].fields[1]", "not a boolean"),
        ({"custom_fields": {"cookie_fields": [True]}}, "custom_fields.cookie_fields[0]", "not a boolean"),
        ({"custom_fields": {"cookie_fields": True}}, "custom_fields.cookie_fields", "not a boolean"),
        ({"zone_ids": ["a", 755]}, "zone_ids[1]", "not a number"),
        ({"zone_ids": 755}, "zone_ids", "not a number"),
        ({"state": True}, "state", "not a boolean"),
        ({"retries": True}, "retries", "not a boolean"),
        ({"timeout": False}, "timeout", "not a boolean"),
    ],
)
def test_values_that_yaml_converts_are_refused(options, place, said):
    """AnsibleModule would convert them to other text: `0755` becomes 493, `no` becomes False."""
    with pytest.raises(Failure, match=rf"^{re.escape(place)}: .*{said}"):
        prepared({**ZONE_TASK.options(), **DELIVERY_TASK.options()}, options)


@pytest.mark.parametrize("options", [{"job": {"name": 2024}}, {"job": {"job_id": 5}}, {"validate_certs": "no"}, {"timeout": 5}])
def test_numbers_of_other_options_are_kept(options):
    assert prepared(ZONE_TASK.options(), options) == options


ZONE = {"zone_id": "a"}


@pytest.mark.parametrize(
    ("options", "place", "said", "is_needed"),
    [
        ({"jobs": [{}, {"kind": "odd"}]}, "jobs[1].kind", "edge", True),
        ({"job": {"kind": "odd"}}, "job.kind", "edge", True),
        ({"jobs": [{"output_options": {"sample_rate": "x"}}]}, "jobs[0].output_options.sample_rate", "", True),
        ({"jobs": [{}, {"fieldz": 1}]}, "jobs[1].fieldz", "unsupported parameter (did you mean 'fields'?)", True),
        ({"job": {"fieldz": 1}}, "job.fieldz", "unsupported parameter (did you mean 'fields'?)", True),
        ({"jobs": [{"destination_cnf": 1}]}, "jobs[0].destination_cnf", "(did you mean 'destination_conf'?)", True),
        ({"job_defaults": {"destination_cnf": 1}}, "job_defaults.destination_cnf", "(did you mean 'destination_conf'?)", True),
        ({"job_defaults": {"bogus": 1}}, "job_defaults.bogus", "unsupported parameter", True),
        ({"job": {"api_token": "x"}}, "job.api_token", "unsupported parameter", True),
        ({"job": {"expected_plan_id": "sha256:0"}}, "job.expected_plan_id", "unsupported parameter", True),
        ({"custom_fields": {"headers": ["x-a"]}}, "custom_fields.headers", "unsupported parameter", True),
        ({"rute": "auto"}, "rute", "unsupported parameter (did you mean 'route'?)", True),
        # The message of AnsibleModule names these options itself.
        ({"timeout": "soon"}, "timeout", "float", False),
        ({"xyzzy": 1}, "xyzzy", "unsupported parameter", False),
    ],
)
def test_refusals_have_a_place(options, place, said, is_needed):
    refused = refusal(ZONE_TASK.arguments(), {**ZONE, **options})
    assert refused is not None and refused[0] == place and said in refused[1]
    assert is_worth_naming(*refused) is is_needed


def test_valid_arguments_are_accepted():
    assert refusal(ZONE_TASK.arguments(), ZONE) is None
