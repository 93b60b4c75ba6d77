# SPDX-License-Identifier: GPL-3.0-or-later

import base64
import functools
import gzip
import json

import pytest
import yaml
from ansible.errors import AnsibleFilterError
from jinja2 import StrictUndefined, UndefinedError

from ansible_collections.edgeops.observability.plugins.filter import (
    diff_lines,
    explain_logpush_filter,
    find_log_record,
    log_field_coverage,
    logpush_filter,
)
from ansible_collections.edgeops.observability.plugins.test import passes_logpush_filter

A = {"key": "EdgeResponseStatus", "operator": "geq", "value": 500}
TEXT = '{"where":{"and":[{"key":"EdgeResponseStatus","operator":"geq","value":500}]}}'
to_text = logpush_filter.FilterModule().filters()["logpush_filter"]
explain = explain_logpush_filter.FilterModule().filters()["explain_logpush_filter"]
passes = passes_logpush_filter.TestModule().tests()["passes_logpush_filter"]
# Each takes an expression.
PLUGINS = [to_text, explain, functools.partial(passes, {})]


@pytest.mark.parametrize("module", [logpush_filter, explain_logpush_filter, passes_logpush_filter])
def test_offers_the_documented_plugin_only(module):
    offered = module.TestModule().tests() if module is passes_logpush_filter else module.FilterModule().filters()
    assert list(offered) == [yaml.safe_load(module.DOCUMENTATION)["name"]] == [module.__name__.rpartition(".")[2]]


def test_documented_sentence_is_that_of_the_example():
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


def test_limits_belong_to_the_text_only():
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
def test_refusal_names_the_filter_only(module, name, good, bad):
    function = module.FilterModule().filters()[name]
    assert function(*good) is not None
    with pytest.raises(AnsibleFilterError, match=f"^{name}: ") as refusal:
        function(*bad)
    assert "no mapping" not in str(refusal.value)


find = find_log_record.FilterModule().filters()["find_log_record"]
FIRST = {"RayID": "8a1f0c6d5e4b3a20", "Status": 200, "Path": "/"}
SECOND = {"RayID": "8a1f0c6d5e4b3a21", "Status": 503, "Path": "/ä", "Bot": True, "RequestHeaders": {"x.y": "z"}}
RECORDS = f"{json.dumps(FIRST)}\n\n{json.dumps(SECOND, ensure_ascii=False)}"
# Without a time, so that the names of tests are the same in every process.
PACKED = gzip.compress(RECORDS.encode(), mtime=0)
CONTENTS = [
    RECORDS,
    RECORDS.encode(),
    PACKED,
    PACKED + gzip.compress(b"", mtime=0),
    base64.b64encode(PACKED).decode(),
    PACKED.decode("latin-1"),
]


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize(
    ("ray_id", "members", "record"),
    [
        ("8a1f0c6d5e4b3a21", {}, SECOND),
        ("8A1F0C6D5E4B3A21-FRA", {}, SECOND),
        (None, {"Status": 503, "Path": "/ä"}, SECOND),
        (None, {"Status": 503.0}, SECOND),
        (None, {"Bot": True}, SECOND),
        (None, {"Bot": 1}, None),
        ({"RequestHeaders.x.y": "z"}, {"Status": 503}, SECOND),
        ({"Path.x": "z"}, {}, None),
        (None, {"Missing": None}, None),
        ("8a1f0c6d5e4b3a21", {"Status": 200}, None),
    ],
)
def test_first_record_with_these_values(content, ray_id, members, record):
    assert find(content, ray_id, **members) == record
    assert find("", ray_id, **members) is None


@pytest.mark.parametrize(
    ("content", "arguments", "words"),
    [
        (RECORDS, {}, "a Ray ID or the value of a member is required"),
        (RECORDS, {"wanted": "planted"}, "must have 16 hexadecimal digits"),
        (["planted"], {"a": 1}, "must be a string or bytes"),
        ('{"a":2}\nplanted', {"a": 1}, "line 2 of the content is not a record"),
        ("[1]", {"a": 1}, "line 1 of the content is not a record"),
        (PACKED[:-9], {"a": 1}, "not a complete gzip file"),
        ("\x1f\x8b\u20ac", {"a": 1}, "cannot be decoded"),
        ("H4sIä", {"a": 1}, "cannot be decoded"),
    ],
)
def test_contents_without_sense(content, arguments, words):
    with pytest.raises(AnsibleFilterError, match=f"^find_log_record: .*{words}") as refusal:
        find(content, **arguments)
    assert "planted" not in str(refusal.value)
