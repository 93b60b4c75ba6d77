# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
import yaml
from ansible.errors import AnsibleFilterError
from jinja2 import StrictUndefined, UndefinedError

from ansible_collections.edgeops.observability.plugins.test import passes_logpush_filter as module

passes = module.TestModule().tests()["passes_logpush_filter"]
A = {"key": "a", "operator": "eq", "value": 1}


def test_offers_the_documented_test_only():
    assert list(module.TestModule().tests()) == [yaml.safe_load(module.DOCUMENTATION)["name"]] == ["passes_logpush_filter"]


def test_examples_hold():
    (task,) = yaml.safe_load(module.EXAMPLES)
    names = task["vars"]
    assert passes(names["error"], names["expression"]) is True
    assert passes(names["health_check"], names["expression"]) is False


@pytest.mark.parametrize("expression", [A, {"where": A}, '{"where":{"and":[{"key":"a","operator":"eq","value":1}]}}'])
def test_every_form_of_an_expression(expression):
    assert passes({"a": 1}, expression) is True
    assert passes({"a": "1"}, expression) is False
    assert passes({}, expression) is False


def test_wrong_expression_is_a_template_error():
    with pytest.raises(AnsibleFilterError) as caught:
        passes({}, {**A, "operator": "lte"})
    assert "filter.where.operator: 'lte' is not an operator (did you mean 'leq'?)" in str(caught.value)


@pytest.mark.parametrize(("record", "kind"), [("x", "str"), ([A], "list"), (None, "NoneType"), (5, "int")])
def test_non_dictionary_record_is_an_error(record, kind):
    """Record that is no dictionary is a template error."""
    with pytest.raises(AnsibleFilterError, match=f"a log record must be a dictionary, not {kind}"):
        passes(record, A)


def test_size_is_not_limited():
    assert passes({"a": 1}, {"and": [A] * 31}) is True


def test_undefined_variable_is_named():
    with pytest.raises(UndefinedError, match="expression_of_mine"):
        passes({}, StrictUndefined(name="expression_of_mine"))
