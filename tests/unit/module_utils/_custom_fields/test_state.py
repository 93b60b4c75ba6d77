# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from support.refusals import refusal
from support.samples.custom_fields import NONE, row

from ansible_collections.edgeops.observability.plugins.module_utils._core import BAD_RESPONSE
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.result import report
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.state import read_ruleset


def own(**members):
    return {"id": "r1", "action": "log_custom_field", "expression": "true", "action_parameters": {}, **members}


def of(*rules):
    return {"id": "rs", "rules": list(rules)}


def with_fields(items):
    return of(own(action_parameters={"request_fields": items}))


FIELDS = "rs, rules[0].action_parameters.request_fields"


@pytest.mark.parametrize(
    ("document", "named"),
    [
        ([], "it is not an object"),
        ({"id": 7, "rules": []}, "it has no id"),
        ({"id": "", "rules": []}, "it has no id"),
        ({"id": "rs", "rules": None}, "rs has null in 'rules'"),
        ({"id": "rs", "version": 5, "rules": []}, "rs has a number in 'version'"),
        ({"id": "rs", "last_updated": 5, "rules": []}, "rs has a number in 'last_updated'"),
        (of(None), "rs, rules[0] is null"),
        (of(own(), "skip"), "rs, rules[1] is a string"),
        (of({"action": "skip"}), "rs, rules[0] has no id"),
        (of({"id": "a", "action": 1}), "rs, rules[0] has no action"),
        (of(own(), own(action="skip")), "rs has two rules of one id"),
        (of(own(description=[])), "rs, rules[0] has a list in 'description'"),
        (of(own(expression=True)), "rs, rules[0] has a boolean in 'expression'"),
        (of(own(ref=1)), "rs, rules[0] has a number in 'ref'"),
        (of(own(enabled="true")), "rs, rules[0] has a string in 'enabled'"),
        (of({"id": "a", "action": "log_custom_field"}), "rs, rules[0].action_parameters is null"),
        (with_fields({"name": "a"}), f"{FIELDS} is an object"),
        (with_fields(["a"]), f"{FIELDS}[0] has no name"),
        (with_fields([{"name": "a"}, {"name": 1}]), f"{FIELDS}[1] has no name"),
        (with_fields([{"name": ""}]), f"{FIELDS}[0] has no name"),
        (with_fields([{"name": "a", "preserve_duplicates": "no"}]), f"{FIELDS}[0] has a string in 'preserve_duplicates'"),
    ],
)
def test_garbled_ruleset_names_the_bad_member(document, named):
    sentence = f"The service's answer holds a ruleset that cannot be used: {named}."
    assert refusal(read_ruleset, document) == (BAD_RESPONSE, sentence)


def test_omitted_rules_differ_from_no_rules():
    assert read_ruleset({"id": "rs"}).rules is None
    assert read_ruleset({"id": "rs", "rules": []}).rules == ()


def test_foreign_rules_are_not_inspected():
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
    assert report(None) == {"custom_fields": NONE, "ruleset": None}
    assert report(read_ruleset(of(own()))) == {"custom_fields": NONE, "ruleset": row(id="rs", rule_id="r1")}


def test_the_report_is_over_all_rules():
    rules = [
        own(action_parameters={"response_fields": [{"name": "b"}]}, ref="one"),
        own(id="r2", action_parameters={"response_fields": [{"name": "b", "preserve_duplicates": True}, {"name": "a"}]}),
    ]
    found = report(read_ruleset({"id": "rs", "version": "3", "rules": rules}))
    assert found["custom_fields"]["response_fields"] == ["a", "b"]
    assert found["custom_fields"]["preserve_duplicates"] == ["b"]
    assert (found["ruleset"]["rule_id"], found["ruleset"]["ref"]) == ("r1", "one")
