# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._core import BAD_RESPONSE, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.facts import FIELD_KINDS
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.result import report
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.state import read_ruleset


def own(**members):
    return {"id": "r1", "action": "log_custom_field", "expression": "true", "action_parameters": {}, **members}


def with_fields(items):
    return {"id": "rs", "rules": [own(action_parameters={"request_fields": items})]}


GARBLED = {
    "a list": ([], "it is not an object"),
    "no id": ({"rules": []}, "it has no id"),
    "an id that is no text": ({"id": 7, "rules": []}, "it has no id"),
    "an empty id": ({"id": "", "rules": []}, "it has no id"),
    "null rules": ({"id": "rs", "rules": None}, "rs has null in 'rules'"),
    "an object of rules": ({"id": "rs", "rules": {}}, "rs has an object in 'rules'"),
    "text rules": ({"id": "rs", "rules": "none"}, "rs has a string in 'rules'"),
    "a rule that is null": ({"id": "rs", "rules": [None]}, "rs, rules[0] is null"),
    "a rule that is text": ({"id": "rs", "rules": [own(), "skip"]}, "rs, rules[1] is a string"),
    "a rule without id": ({"id": "rs", "rules": [{"action": "skip"}]}, "rs, rules[0] has no id"),
    "a rule without action": ({"id": "rs", "rules": [{"id": "a"}]}, "rs, rules[0] has no action"),
    "a rule with a number for an action": ({"id": "rs", "rules": [{"id": "a", "action": 1}]}, "rs, rules[0] has no action"),
    "rs has two rules of one id": ({"id": "rs", "rules": [own(), own(action="skip")]}, "rs has two rules of one id"),
    "a version that is a number": ({"id": "rs", "version": 5, "rules": []}, "rs has a number in 'version'"),
    "a time that is a number": ({"id": "rs", "last_updated": 5, "rules": []}, "rs has a number in 'last_updated'"),
    "a description that is a list": ({"id": "rs", "rules": [own(description=[])]}, "rs, rules[0] has a list in 'description'"),
    "an expression that is a truth value": (
        {"id": "rs", "rules": [own(expression=True)]},
        "rs, rules[0] has a boolean in 'expression'",
    ),
    "a ref that is a number": ({"id": "rs", "rules": [own(ref=1)]}, "rs, rules[0] has a number in 'ref'"),
    "enabled as text": ({"id": "rs", "rules": [own(enabled="true")]}, "rs, rules[0] has a string in 'enabled'"),
    "no parameters": (
        {"id": "rs", "rules": [{"id": "a", "action": "log_custom_field"}]},
        "rs, rules[0].action_parameters is null",
    ),
    "parameters that are a list": (
        {"id": "rs", "rules": [own(action_parameters=[])]},
        "rs, rules[0].action_parameters is a list",
    ),
    "a kind that is an object": (with_fields({"name": "a"}), "rs, rules[0].action_parameters.request_fields is an object"),
    "an item that is text": (with_fields(["a"]), "rs, rules[0].action_parameters.request_fields[0] has no name"),
    "an item without a name": (with_fields([{"name": "a"}, {}]), "rs, rules[0].action_parameters.request_fields[1] has no name"),
    "a name that is a number": (with_fields([{"name": 1}]), "rs, rules[0].action_parameters.request_fields[0] has no name"),
    "an empty name": (with_fields([{"name": ""}]), "rs, rules[0].action_parameters.request_fields[0] has no name"),
    "a flag that is text": (
        with_fields([{"name": "a", "preserve_duplicates": "no"}]),
        "rs, rules[0].action_parameters.request_fields[0] has a string in 'preserve_duplicates'",
    ),
}


@pytest.mark.parametrize(("document", "named"), GARBLED.values(), ids=GARBLED)
def test_garbled_ruleset_names_the_bad_member(document, named):
    """A garbled ruleset is a bad response that names what was wrong."""
    with pytest.raises(Failure) as caught:
        read_ruleset(document)
    assert caught.value.kind == BAD_RESPONSE
    assert str(caught.value) == f"The service's answer holds a ruleset that cannot be used: {named}."


def test_omitted_rules_differ_from_no_rules():
    """Rules that the answer omits are not the same as no rules."""
    assert read_ruleset({"id": "rs"}).rules is None
    assert read_ruleset({"id": "rs", "rules": []}).rules == ()


def test_foreign_rules_are_not_inspected():
    """Rules with other actions are not looked into."""
    strange = {"id": "f", "action": "new_action", "action_parameters": None, "expression": 5, "enabled": "maybe"}
    (rule,) = read_ruleset({"id": "rs", "rules": [strange]}).rules
    assert rule.to_send() == strange


def test_only_cookie_names_are_case_sensitive():
    """Names that differ by capitals are one header and two cookies."""
    lists = {"request_fields": [{"name": "X-A"}, {"name": "x-a"}], "cookie_fields": [{"name": "T"}, {"name": "t"}]}
    found = report(read_ruleset({"id": "rs", "rules": [own(action_parameters=lists)]}))["custom_fields"]
    assert found["request_fields"] == ["X-A"]
    assert found["cookie_fields"] == ["T", "t"]


def test_report_always_has_every_member():
    """The report has every member, whatever the service omits."""
    empty = {kind: [] for kind in (*FIELD_KINDS, "preserve_duplicates")}
    assert report(None) == {"custom_fields": empty, "ruleset": None}
    assert report(read_ruleset({"id": "rs", "rules": [own()]})) == {
        "custom_fields": empty,
        "ruleset": {"id": "rs", "version": None, "rule_id": "r1", "ref": None, "last_updated": None},
    }


def test_the_report_is_over_all_rules():
    rules = [
        own(action_parameters={"response_fields": [{"name": "b"}]}, ref="one"),
        own(id="r2", action_parameters={"response_fields": [{"name": "b", "preserve_duplicates": True}, {"name": "a"}]}),
    ]
    found = report(read_ruleset({"id": "rs", "version": "3", "rules": rules}))
    assert found["custom_fields"]["response_fields"] == ["a", "b"]
    assert found["custom_fields"]["preserve_duplicates"] == ["b"]
    assert (found["ruleset"]["rule_id"], found["ruleset"]["ref"]) == ("r1", "one")
