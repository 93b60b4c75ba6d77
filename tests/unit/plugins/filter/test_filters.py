# SPDX-License-Identifier: GPL-3.0-or-later

import functools

import pytest
import yaml
from ansible.errors import AnsibleFilterError
from jinja2 import StrictUndefined, UndefinedError

from ansible_collections.edgeops.observability.plugins.filter import (
    diff_lines,
    explain_logpush_filter,
    log_field_coverage,
    logpush_filter,
)
from ansible_collections.edgeops.observability.plugins.test import passes_logpush_filter

A = {"key": "EdgeResponseStatus", "operator": "geq", "value": 500}
TEXT = '{"where":{"and":[{"key":"EdgeResponseStatus","operator":"geq","value":500}]}}'
to_text = logpush_filter.FilterModule().filters()["logpush_filter"]
explain = explain_logpush_filter.FilterModule().filters()["explain_logpush_filter"]
passes = passes_logpush_filter.TestModule().tests()["passes_logpush_filter"]
# Each of these has an expression as its argument.
PLUGINS = [to_text, explain, functools.partial(passes, {})]


@pytest.mark.parametrize("module", [logpush_filter, explain_logpush_filter, passes_logpush_filter])
def test_offers_the_documented_plugin_only(module):
    offered = module.TestModule().tests() if module is passes_logpush_filter else module.FilterModule().filters()
    assert list(offered) == [yaml.safe_load(module.DOCUMENTATION)["name"]] == [module.__name__.rpartition(".")[2]]


def test_documented_sentence_agrees_with_the_example():
    (task,) = yaml.safe_load(explain_logpush_filter.EXAMPLES)
    assert explain(task["vars"]["expression"]) == yaml.safe_load(explain_logpush_filter.RETURN)["_value"]["sample"].strip()


@pytest.mark.parametrize("expression", [A, {"where": A}, TEXT, {"and": [A]}])
def test_every_form_of_an_expression(expression):
    assert to_text(expression) == TEXT
    assert passes({"EdgeResponseStatus": 500}, expression) is True
    assert passes({"EdgeResponseStatus": 499}, expression) is False


@pytest.mark.parametrize("plugin", PLUGINS)
def test_wrong_expression_is_a_template_error(plugin):
    with pytest.raises(AnsibleFilterError, match=r"filter\.where\.and\[1\]\.operator: 'lte' is not an operator"):
        plugin({"and": [A, {**A, "operator": "lte"}]})


@pytest.mark.parametrize("plugin", PLUGINS)
def test_undefined_variable_is_named(plugin):
    with pytest.raises(UndefinedError, match="expression_of_mine"):
        plugin(StrictUndefined(name="expression_of_mine"))


def test_limits_apply_to_the_text_only():
    expression = {"or": [A] * 31}
    with pytest.raises(AnsibleFilterError, match=r"31 operators are 1 more than the limit of 30; \d+ bytes are"):
        to_text(expression)
    assert explain(expression) and passes({"EdgeResponseStatus": 500}, expression) is True


@pytest.mark.parametrize(("record", "kind"), [("x", "str"), ([A], "list"), (None, "NoneType")])
def test_non_dictionary_record_is_an_error(record, kind):
    with pytest.raises(AnsibleFilterError, match=f"a log record must be a dictionary, not {kind}"):
        passes(record, A)


@pytest.mark.parametrize(
    ("module", "name", "good", "bad"),
    [
        (log_field_coverage, "log_field_coverage", ({"custom_fields": None}, []), ("no mapping", [])),
        (diff_lines, "diff_lines", ({"changed": False},), ("no mapping",)),
    ],
)
def test_error_names_the_filter(module, name, good, bad):
    function = module.FilterModule().filters()[name]
    assert function(*good) is not None
    with pytest.raises(AnsibleFilterError, match=f"^{name}: ") as refusal:
        function(*bad)
    assert "no mapping" not in str(refusal.value)
