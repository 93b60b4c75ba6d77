# SPDX-License-Identifier: GPL-3.0-or-later

import datetime

import pytest

from ansible_collections.edgeops.observability.plugins.plugin_utils._diff import MAX_LINE_LENGTH, diff_lines


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
