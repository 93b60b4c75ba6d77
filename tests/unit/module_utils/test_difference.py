# SPDX-License-Identifier: GPL-3.0-or-later

import json

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils import _difference as difference
from ansible_collections.edgeops.observability.plugins.module_utils._destination import CHANGED
from ansible_collections.edgeops.observability.plugins.module_utils._filter.compare import arranged
from ansible_collections.edgeops.observability.plugins.module_utils._filter.parse import parse
from ansible_collections.edgeops.observability.plugins.module_utils._filter.text import to_text
from ansible_collections.edgeops.observability.plugins.module_utils._zone.result import deleted_jobs


@pytest.mark.parametrize(
    ("part", "before", "after", "expected"),
    [
        ("script_monitor", {"enabled": False}, {"enabled": True}, [(None, "enabled", "update", False, True)]),
        ("jobs", {"a": {}}, {"a": {"name": "a"}}, [("a", None, "create", None, {"name": "a"})]),
        ("jobs", {"a": {"name": "a"}}, {"a": {}}, [("a", None, "delete", {"name": "a"}, None)]),
        ("jobs", {"a": {"o": {"x": 1, "y": 2}}}, {"a": {"o": {"x": 1, "y": 3}}}, [("a", "o.y", "update", 2, 3)]),
        ("jobs", {"a": {"o": {"x": 1}}}, {"a": {"o": {}}}, [("a", "o", "delete", {"x": 1}, {})]),
        # A filter is one member.
        ("jobs", {"a": {"filter": {"where": 1}}}, {"a": {"filter": {"where": 2}}}, [("a", "filter", "update", {"where": 1}, {"where": 2})]),
        # A transformer is shown by its name where that was read.
        (
            "jobs",
            {"a": {"transformer_id": 5, "transformer": "redact"}},
            {"a": {"transformer_id": 7, "transformer": None}},
            [("a", "transformer_id", "update", "redact", 7)],
        ),
        # Two of one name are told apart by their ids.
        (
            "jobs",
            {"a": {"transformer_id": 5, "transformer": "redact"}},
            {"a": {"transformer_id": 7, "transformer": "redact"}},
            [("a", "transformer_id", "update", 5, 7)],
        ),
        # What a rule is beside its names is no matter of the lists: a waiver of a list is none of a rule that is disabled.
        (
            "custom_fields",
            {"custom_fields": {"x": []}, "rules": [{"id": "r", "enabled": False, "custom_fields": {"x": []}}]},
            {"custom_fields": {"x": ["n"]}, "rules": [{"id": "r", "enabled": True, "custom_fields": {"x": ["n"]}}]},
            [
                (None, "rules", "update", [{"id": "r", "enabled": False}], [{"id": "r", "enabled": True}]),
                (None, "x", "update", [], ["n"]),
            ],
        ),
        (
            "custom_fields",
            {"custom_fields": {"x": []}, "rules": [{"id": "r", "custom_fields": {"x": []}}, {"id": "s"}]},
            {"custom_fields": {"x": ["n"]}, "rules": [{"id": "r", "custom_fields": {"x": ["n"]}}]},
            [(None, "x", "update", [], ["n"])],
        ),
        ("custom_fields", {"custom_fields": {"x": []}, "rules": []}, {"custom_fields": {"x": ["n"]}, "rules": [1]}, [(None, "x", "update", [], ["n"])]),
        ("custom_fields", {"rules": [1]}, {"rules": [2]}, [(None, "rules", "update", [1], [2])]),
        ("jobs", {"a": {"enabled": True}}, {"a": {"enabled": True}}, []),
    ],
)  # fmt: skip
def test_difference_has_place_action_and_both_sides(part, before, after, expected):
    made = difference.of_part(part, before, after, changed=bool(expected))
    assert [(item.subject, item.path, item.action, item.before, item.after) for item in made] == expected
    assert {item.resource for item in made} <= {part}


def test_what_cannot_be_seen_is_a_secret():
    (made,) = difference.of_part("jobs", {"a": {"x": 1}}, {"a": {"x": 1}}, changed=True)
    assert made.secret and (made.path, made.action) == (None, "update")
    (made,) = difference.of_members({"destination": {"key": "*"}}, {"destination": {"key": CHANGED}})
    assert made.secret and made.path == "destination.key"


def test_deleted_jobs_are_those_without_a_desired_state():
    diff = {"before": {"gone": {"id": 1}, "kept": {"id": 2}}, "after": {"gone": {}, "kept": {"id": 2}}}
    assert deleted_jobs({"diff": diff}) == {"gone"}


def condition(value, key="EdgeResponseStatus", operator="geq"):
    return {"key": key, "operator": operator, "value": value}


HOST = condition("a", "ClientRequestHost", "eq")


@pytest.mark.parametrize(
    ("present", "desired", "expected"),
    [
        (condition(500), {"and": [condition(400)]}, {"and": [condition(500)]}),
        ({"and": [HOST, condition(500)]}, {"and": [condition(400), HOST]}, {"and": [condition(500), HOST]}),
        ({"and": [{"or": [condition(500), HOST]}]}, {"or": [HOST, condition(400)]}, {"or": [HOST, condition(500)]}),
        ({"and": [HOST, condition(500)]}, {"and": [condition(400)]}, {"and": [HOST, condition(500)]}),
        ({"or": [HOST, condition(500)]}, {"and": [HOST, condition(400)]}, {"or": [HOST, condition(500)]}),
    ],
)
def test_present_filter_has_the_form_of_the_desired_one(present, desired, expected):
    tree = parse(present)
    made = arranged(tree, parse(desired))
    assert made.form == tree.form
    assert json.loads(to_text(made)) == {"where": expected}
