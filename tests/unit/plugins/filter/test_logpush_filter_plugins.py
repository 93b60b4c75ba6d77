# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
import yaml
from ansible.errors import AnsibleFilterError
from jinja2 import StrictUndefined, UndefinedError

from ansible_collections.edgeops.observability.plugins.filter import explain_logpush_filter, logpush_filter

A = {"key": "EdgeResponseStatus", "operator": "geq", "value": 500}
PLUGINS = [(logpush_filter, "logpush_filter"), (explain_logpush_filter, "explain_logpush_filter")]


def plugin(module, name):
    return module.FilterModule().filters()[name]


def examples(module):
    """The expressions of the documented examples with the assertion or message that uses them."""
    return [task["vars"]["expression"] for task in yaml.safe_load(module.EXAMPLES)]


@pytest.mark.parametrize(("module", "name"), PLUGINS)
def test_offers_the_documented_filter_only(module, name):
    assert list(module.FilterModule().filters()) == [yaml.safe_load(module.DOCUMENTATION)["name"]] == [name]


@pytest.mark.parametrize(("module", "name"), PLUGINS)
def test_examples_are_valid(module, name):
    assert examples(module)
    assert all(plugin(module, name)(expression) for expression in examples(module))


def test_text():
    text = '{"where":{"and":[{"key":"EdgeResponseStatus","operator":"geq","value":500}]}}'
    for expression in (A, {"where": A}, text, {"and": [A]}):
        assert plugin(*PLUGINS[0])(expression) == text


def test_sentence_is_the_documented_one():
    (expression,) = examples(explain_logpush_filter)
    documented = yaml.safe_load(explain_logpush_filter.RETURN)["_value"]["sample"]
    assert plugin(*PLUGINS[1])(expression) == documented.strip()


@pytest.mark.parametrize(("module", "name"), PLUGINS)
def test_wrong_expression_is_a_template_error(module, name):
    with pytest.raises(AnsibleFilterError) as caught:
        plugin(module, name)({"and": [A, {**A, "operator": "lte"}]})
    assert "filter.where.and[1].operator: 'lte' is not an operator (did you mean 'leq'?)" in str(caught.value)


def test_limits_belong_to_the_text_only():
    expression = {"or": [A] * 31}
    with pytest.raises(AnsibleFilterError) as caught:
        plugin(*PLUGINS[0])(expression)
    assert "31 operators are 1 more than the limit of 30" in str(caught.value)
    assert "bytes are" in str(caught.value)
    assert plugin(*PLUGINS[1])(expression)


@pytest.mark.parametrize(("module", "name"), PLUGINS)
def test_undefined_variable_is_named(module, name):
    with pytest.raises(UndefinedError, match="expression_of_mine"):
        plugin(module, name)(StrictUndefined(name="expression_of_mine"))
