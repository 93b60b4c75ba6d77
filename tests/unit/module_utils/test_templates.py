# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._core import HOLDS_DATA, INVALID_OPTION, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._templates import (
    new_template,
    refuse_template,
    refuse_templates,
)


@pytest.mark.parametrize("text", ["{{ x }}", "a{{x}}b", "{{\nx\n}}", "{% if x %}", "{%- set a = 1 -%}", "{# note #}"])
def test_template_is_refused(text: str) -> None:
    for value, place in (
        (text, "option"),
        ([1, text], "option[1]"),
        ({"a": {"b": text}}, "option.a.b"),
        ({text: 1}, "option"),
    ):
        with pytest.raises(Failure) as caught:
            refuse_template("option", value)
        assert caught.value.kind == INVALID_OPTION and caught.value.message.startswith(f"{place}: a template is left")
        assert text not in caught.value.message


@pytest.mark.parametrize(
    "value",
    [
        "{DATE}",
        "s3://b/{DATE}/{x}?region=a",
        "{{",
        "}}",
        "{%",
        "{#",
        "LIKE '%{%' OR x LIKE '%}%'",
        '{"a":{"b":{}}}',
        None,
        7,
        True,
    ],
)
def test_text_with_braces_is_no_template(value: t.Any) -> None:
    refuse_template("option", value)


OPTIONS: dict[str, t.Any] = {
    "destination_conf": {},
    "name": {HOLDS_DATA: True},
    "jobs": {"options": {"name": {HOLDS_DATA: True}, "destination_conf": {}}},
    "job": {"options": {"destination_conf": {}}},
}


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        ({"destination_conf": "https://a/{{ b }}"}, "destination_conf"),
        ({"jobs": [{}, {"destination_conf": "{{ b }}"}]}, "jobs[1].destination_conf"),
        ({"job": {"destination_conf": "{{ b }}"}}, "job.destination_conf"),
        ({"unknown": "{{ b }}"}, "unknown"),
    ],
)
def test_option_that_is_never_data_is_refused(arguments: t.Any, place: str) -> None:
    with pytest.raises(Failure, match=f"^{place.replace('[', '.').replace(']', '.')}: a template is left"):
        refuse_templates(OPTIONS, arguments)


def test_option_that_may_be_data_is_left_to_the_plan() -> None:
    refuse_templates(OPTIONS, {"name": "{{ b }}", "jobs": [{"name": "{{ b }}"}, "text"], "job": None})


@pytest.mark.parametrize(
    ("before", "after", "place"),
    [
        ({}, {"name": "{{ x }}"}, "name"),
        (None, {"filter": {"where": {"and": [{"value": ["a", "{{ x }}"]}]}}}, "filter.where.and[0].value[1]"),
        ({"description": "{{ y }}"}, {"description": "{{ x }}"}, "description"),
        ({}, {"option_flags": {"{{ x }}": True}}, "option_flags"),
        ({"name": "{{ x }}"}, {"name": "{{ x }}"}, ""),
        ({"sql": "SELECT '{{ x }}'"}, {"sql": "SELECT '{{ x }}', a"}, ""),
        ({"name": "{{ x }}"}, {}, ""),
        # The service's own language, and the name of what the service has.
        ({}, {"output_options": {"record_template": "{{.A}}"}, "transformer": "{{ x }}"}, ""),
        ({}, {"destination": {"address": "{{ x }}"}}, ""),
    ],
)
def test_plan_brings_no_new_template(before: t.Any, after: t.Any, place: str) -> None:
    failure = new_template(before, after)
    assert (failure.message.partition(":")[0] if failure else "") == place
