# SPDX-License-Identifier: GPL-3.0-or-later

import datetime

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._difference import of_part
from ansible_collections.edgeops.observability.plugins.plugin_utils._diff import MAX_LINE_LENGTH, diff_lines, fold, unified


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ({"enabled": False}, {"enabled": True}, ["enabled: false -> true"]),
        ({"fields": ["b", "a"]}, {"fields": ["a", "c"]}, ["fields: +c -b"]),
        ({"fields": ["b", "a"]}, {"fields": ["a", "b"]}, ['fields: ["b", "a"] -> ["a", "b"]']),
        ({"options": {"a": 1, "b": 2}}, {"options": {"a": 1, "b": 3}}, ["options.b: 2 -> 3"]),
        ({"options": {"a": 1}}, {"options": {}}, ["options: exists; would be removed"]),
        ({"jobs": {"a": {}}}, {"jobs": {"a": {"b": 1}}}, ["jobs.a: does not exist; would be created"]),
        ({"a": 1}, {"a": 1, "b": 2}, ["b: null -> 2"]),
        ({"filter": "x", "b": 1}, {"filter": "", "b": 2}, ["b: 1 -> 2", 'filter: x -> ""']),
        ({"delimiter": "\n"}, {"delimiter": " "}, ['delimiter: "\\n" -> " "']),
        ({"name": ["über"]}, {"name": {}}, ['name: ["über"] -> {}']),
        ({}, {"name": "n"}, ["does not exist; would be created"]),
        ({"name": "n"}, None, ["exists; would be removed"]),
        ("one text", "another", ["one text -> another"]),
        ({"since": datetime.date(2026, 1, 2)}, {"since": None}, ['since: "2026-01-02" -> null']),
    ],
)
def test_one_line_for_each_member_that_differs(before, after, lines):
    assert diff_lines({"before": before, "after": after}) == lines
    assert diff_lines({"changed": True, "diff": {"before": before, "after": after}}) == lines


FILTER = {"where": {"and": [{"key": "EdgeResponseStatus", "operator": "geq", "value": 500}]}}


def test_filter_is_one_sentence_and_text_of_several_lines_a_list():
    other = {"where": {"and": [{"key": "EdgeResponseStatus", "operator": "geq", "value": 400}]}}
    (line,) = diff_lines({"before": {"filter": FILTER}, "after": {"filter": other}})
    assert line.startswith("filter: A record is delivered only if EdgeResponseStatus is at least 500; ")
    assert diff_lines({"before": {"query": "SELECT a\nFROM b"}, "after": {"query": "SELECT a\nFROM c"}}) == [
        "query: +FROM c -FROM b"
    ]


def test_result_of_a_zone_needs_no_diff_mode():
    part = {"changed": True, "diff": {"before": {"edge": {"enabled": False}}, "after": {"edge": {"enabled": True}}}}
    assert diff_lines({"changed": True, "jobs": part, "custom_fields": {}}) == ["jobs.edge.enabled: false -> true"]


def test_unified_diff_of_a_filter_shows_one_line():
    other = {"where": {"and": [{"key": "EdgeResponseStatus", "operator": "geq", "value": 400}]}}
    before = {"edge": {"filter": FILTER, "query": "a\nb"}}
    lines = unified(of_part("jobs", before, {"edge": {"filter": other, "query": "a\nc"}}), "shop")
    assert [text.strip() for text in lines if text[0] in "+-" and text[1] == " "] == [
        "-            value: 500",
        "+            value: 400",
        "-      b",
        "+      c",
    ]


def test_equal_values_fold_with_their_names():
    pairs = [("a", {"x": 1}), ("b", {"x": True}), ("c", {"x": 1}), ("d", {"x": "1"})]
    assert fold(pairs, key=lambda value: value) == [(["a", "c"], {"x": 1}), (["b"], {"x": True}), (["d"], {"x": "1"})]
    assert len(fold(pairs, key=lambda value: value, least=3)) == 4


def test_long_values_are_shortened():
    (line,) = diff_lines({"before": {"filter": "a" * MAX_LINE_LENGTH}, "after": {"filter": "b" * (MAX_LINE_LENGTH + 1)}})
    assert line == f"filter: {'a' * MAX_LINE_LENGTH} -> {'b' * (MAX_LINE_LENGTH - 3)}..."
    (line,) = diff_lines({"before": {"filter": "a" * 500}, "after": {"filter": "b" * 500}})
    assert line == f"filter: {'a' * (MAX_LINE_LENGTH - 3)}... -> {'b' * (MAX_LINE_LENGTH - 3)}..."
    (line,) = diff_lines({"before": {"fields": []}, "after": {"fields": ["x" * 60, "y" * 60]}})
    assert len(line) == len("fields: ") + MAX_LINE_LENGTH and line.endswith("...")


@pytest.mark.parametrize("result", [None, {}, {"changed": False}, {"changed": False, "diff": None}])
def test_no_diff_has_no_lines(result):
    assert diff_lines(result) == []


@pytest.mark.parametrize("other", ["text", [], {"diff": []}, {"before": {}}])
def test_other_input_is_refused(other):
    with pytest.raises(ValueError, match="must be a diff") as refusal:
        diff_lines(other)
    assert str(refusal.value) == "must be a diff with 'before' and 'after', or a result that contains one"


def test_service_text_adds_no_lines():
    (line,) = diff_lines({"before": {"name": "a"}, "after": {"name": "b\x1b[2J\nzone9 failed"}})
    assert line == "name: a -> b [2J zone9 failed"
