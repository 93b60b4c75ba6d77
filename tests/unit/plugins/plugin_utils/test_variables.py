# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._core import INVALID_OPTION, Failure
from ansible_collections.edgeops.observability.plugins.plugin_utils._variables import referenced, variable_names, with_names

SPEC = {"job": {"type": "dict", "options": {}}, "route": {"type": "str"}, "timeout": {"type": "float"}}
ROLE = {"job": "role_job", "route": "role_monitor_route", "option_prefix": "role_"}


class AnsibleValueOmittedError(Exception):
    """What newer cores raise where a whole value is omitted."""


def evaluate(value: t.Any) -> t.Any:
    """Stand in for a templar: what looks like a template fails."""
    if value == "{{ omit }}":
        raise AnsibleValueOmittedError
    if isinstance(value, str) and "{{" in value:
        try:
            raise KeyError("nowhere")
        except KeyError as error:
            raise ValueError("An unhandled exception occurred while templating 'planted'. 'nowhere' is undefined") from error
    return value


def arguments(variables: dict[str, t.Any], given: dict[str, t.Any] = ROLE) -> dict[str, t.Any]:
    return referenced(SPEC, given, variable_names(given, variables), variables, evaluate)


@pytest.mark.parametrize(
    ("variables", "found"),
    [
        ({}, {}),
        ({"role_job": {"name": "a"}, "role_route": "unused"}, {"job": {"name": "a"}}),
        ({"role_job": None, "role_monitor_route": "auto"}, {"route": "auto"}),
        # What the text of a mapping means is decided where it is parsed.
        ({"role_job": "", "role_monitor_route": ""}, {"job": ""}),
        ({"role_job": "{{ omit }}"}, {}),
        ({"role_job": "mark", "omit": "mark"}, {}),
        ({"role_job": {"a": "mark", "b": ["mark", 1]}, "omit": "mark"}, {"job": {"b": [1]}}),
    ],
)
def test_options_take_the_values_of_variables(variables: dict[str, t.Any], found: dict[str, t.Any]) -> None:
    assert arguments(variables) == {"option_prefix": "role_", **found}


def test_other_tasks_are_left_alone() -> None:
    given = {"job": "role_job", "timeout": 5}
    assert arguments({"role_job": 1, "edgeops_timeout": 7}, given) == given


def test_what_cannot_be_evaluated_is_refused_by_name() -> None:
    with pytest.raises(Failure) as caught:
        arguments({"role_job": "{{ nowhere }}"})
    assert caught.value.kind == INVALID_OPTION
    assert str(caught.value) == "role_job: cannot be evaluated: 'nowhere' is undefined"


def test_variables_behind_a_template_are_evaluated_too() -> None:
    """A template with a default hides that the variable cannot be evaluated."""
    given = {"timeout": 5}
    variables = {"wait": 7, "edgeops_option_variables": {"timeout": "wait", "other": "nothing"}}
    assert arguments(variables, given) == given
    with pytest.raises(Failure, match="wait: cannot be evaluated: 'nowhere' is undefined"):
        arguments({**variables, "wait": "{{ nowhere }}"}, given)
    assert with_names({"msg": "timeout: 0 is"}, variable_names(given, variables))["msg"] == "wait: 0 is"


@pytest.mark.parametrize(
    ("variables", "message", "named"),
    [
        ({}, "timeout: -1.0 is below", "timeout: -1.0 is below"),
        ({"edgeops_connection": {}}, "timeout: -1.0 is below", "edgeops_timeout: -1.0 is below"),
        ({"edgeops_connection": {}}, "api_key: api_email and api_key are", "edgeops_api_key: edgeops_api_email and edgeops_api_key are"),
        ({"edgeops_connection": {}}, "base_url: a URL is needed", "base_url: a URL is needed"),
        ({"edgeops_connection": {}, "edgeops_base_url": "x"}, "base_url: a URL is needed", "edgeops_base_url: a URL is needed"),
        ({}, "route: is new", "role_monitor_route: is new"),
        ({}, "job.filter: is none", "role_job.filter: is none"),
        ({}, "The service has no job", "The service has no job"),
    ],
)  # fmt: skip
def test_refusals_name_variables(variables: dict[str, t.Any], message: str, named: str) -> None:
    names = variable_names(ROLE, variables)
    assert with_names({"msg": message}, names)["msg"] == named
