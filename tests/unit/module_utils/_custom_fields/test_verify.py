# SPDX-License-Identifier: GPL-3.0-or-later

import pytest
from support.refusals import refusal
from support.samples.custom_fields import FLAGS, FOREIGN, KINDS, NONE, answer_to, items, own, params, row, ruleset

from ansible_collections.edgeops.observability.plugins.module_utils._core import BAD_RESPONSE, Answer, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.options import desire
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.plan import plan
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.result import conclude
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.state import read_ruleset

OURS = own(request_fields=["old"])
# Enabled, and without members that the service may omit.
THEIRS = {**FOREIGN, "enabled": True, "ref": "f1", "expression": "true"}
del THEIRS["description"]
CURRENT = ruleset(THEIRS, OURS)
ANSWERED = {"id": "rs", "version": "6", "last_updated": "2026-01-03T00:00:00Z"}
OPTIONS = {"request_fields": ["a", "b"], "response_fields": ["x"], "preserve_duplicates": ["x"]}


def planned(current, **options):
    ruleset = read_ruleset(current) if current else None
    return ruleset, plan(desire(params(**{**OPTIONS, **options})), ruleset)


def concluded(change=lambda answer: None, *, current="usual", first=(), attempts=1, version="6", **options):
    ruleset, planned_run = planned(CURRENT if current == "usual" else current, **options)
    answer = answer_to(planned_run, version)
    change(answer)
    return conclude(None, ruleset, planned_run, [Answer(one, attempts=attempts) for one in (*first, answer)])


def test_result_is_the_answer():
    conclusion = concluded()
    assert conclusion.warnings == ()
    assert conclusion.result["custom_fields"]["request_fields"] == ["a", "b"]
    assert conclusion.result["custom_fields"]["preserve_duplicates"] == ["x"]
    assert conclusion.result["ruleset"] == row(**ANSWERED, rule_id="r1", ref="ref-r1")


def test_a_new_rule_is_found_by_its_action():
    conclusion = concluded(current={**CURRENT, "rules": [THEIRS]})
    assert conclusion.result["ruleset"]["rule_id"] == "made"


def ours(**members):
    return lambda answer: answer["rules"][-1].update(members)


def theirs(**members):
    return lambda answer: answer["rules"][0].update(members)


def fields(**kinds):
    changed = {kind: names and items(*names) for kind, names in kinds.items()}
    return lambda answer: answer["rules"][-1]["action_parameters"].update(changed)


@pytest.mark.parametrize(
    "change",
    [
        fields(request_fields=["b", "a"]),
        lambda answer: answer["rules"][-1]["action_parameters"]["request_fields"][0].update(preserve_duplicates=False),
        fields(cookie_fields=None, response_fields=["X+"]),
        ours(logging={"enabled": True}, enabled=None),
        lambda answer: answer["rules"].reverse(),
        theirs(description="", logging=None, enabled=None),
    ],
)
def test_equivalent_answer_is_no_difference(change):
    assert concluded(change).warnings == ()


def test_ref_may_be_set_by_the_service():
    nameless = {name: value for name, value in THEIRS.items() if name != "ref"}
    assert concluded(theirs(ref="f1"), current={**CURRENT, "rules": [nameless, OURS]}).warnings == ()


DIFFERENCES = {
    "a name is missing": (fields(request_fields=["a"]), "rule r1 differs in request_fields"),
    "a kind is missing": (fields(response_fields=None), "rule r1 differs in response_fields, preserve_duplicates"),
    "a kind is too many": (fields(cookie_fields=["C"]), "rule r1 differs in cookie_fields"),
    "a flag is missing": (fields(response_fields=["x"]), "rule r1 differs in preserve_duplicates"),
    "disabled": (ours(enabled=False), "rule r1 differs in enabled"),
    "another expression": (ours(expression="false"), "rule r1 differs in expression"),
    "another description": (ours(description="other"), "rule r1 differs in description"),
    "another ref": (ours(ref="other"), "rule r1 differs in ref"),
    "another id": (ours(id="other"), "rule r1 is missing; rule other was not asked for"),
    "our rule is gone": (lambda answer: answer["rules"].pop(), "rule r1 is missing"),
    "their rule is gone": (lambda answer: answer["rules"].pop(0), "rule f1 is missing"),
    "their rule became one of ours": (theirs(action="log_custom_field"), "rule f1 differs in action"),
    "our rule does something else": (
        ours(action="skip", action_parameters=None),
        "rule r1 differs in action, action_parameters",
    ),
    "their rule differs": (theirs(expression="false"), "rule f1 differs in expression"),
    "their rule has other parameters": (theirs(action_parameters={}), "rule f1 differs in action_parameters"),
    "their rule is off": (theirs(enabled=False), "rule f1 differs in enabled"),
    "a further rule": (lambda answer: answer["rules"].append({**THEIRS, "id": "f9"}), "rule f9 was not asked for"),
    "no rules": (lambda answer: answer.pop("rules"), "it shows no rules"),
    "another ruleset": (lambda answer: answer.update(id="other"), "it is of ruleset other, not rs"),
}


@pytest.mark.parametrize(("change", "named"), DIFFERENCES.values(), ids=DIFFERENCES)
def test_different_answer_names_the_difference(change, named):
    sentence = f"The service accepted the write, but its response differs from the desired state: {named}."
    assert refusal(concluded, change) == (BAD_RESPONSE, sentence)


@pytest.mark.parametrize("rules", [None, {}, [None], [{"action": "log_custom_field"}]])
def test_invalid_answer_is_a_bad_response(rules):
    assert refusal(concluded, lambda answer: answer.update(rules=rules))[0] == BAD_RESPONSE


def test_missing_new_rule_is_reported():
    with pytest.raises(Failure, match="rule that is new is missing"):
        concluded(lambda answer: answer["rules"].pop(), current={**CURRENT, "rules": [THEIRS]})


@pytest.mark.parametrize("change", [lambda answer: answer.update(rules=[]), lambda answer: answer.pop("rules")])
def test_empty_result_may_omit_rules(change):
    nothing = dict.fromkeys((*KINDS, FLAGS))
    conclusion = concluded(change, current={**CURRENT, "rules": [OURS]}, state="absent", **nothing)
    assert conclusion.result == {"custom_fields": NONE, "ruleset": row(**ANSWERED), "undeclared": []}


@pytest.mark.parametrize(
    ("read", "answered", "attempts", "warns"),
    [
        ("5", "6", 1, False),
        ("5", "7", 1, True),
        ("9", "10", 1, False),
        ("5", "7", 2, False),
        (None, "7", 1, False),
        ("5", None, 1, False),
        ("5", "²", 1, False),
    ],
)
def test_foreign_write_is_a_warning(read, answered, attempts, warns):
    sentence = (
        f"Ruleset rs went from version {read} to {answered} although this run wrote once: another client changed it"
        " between the read and the write, and that change may have been replaced."
    )
    warnings = concluded(current={**CURRENT, "version": read}, version=answered, attempts=attempts).warnings
    assert warnings == ((sentence,) if warns else ())


@pytest.mark.parametrize(("answered", "warns"), [("2", False), ("3", True)])
def test_foreign_write_after_creation_is_a_warning(answered, warns):
    created = {"id": "rs", "version": "1", "rules": None}
    conclusion = concluded(current=None, first=(created,), version=answered)
    assert bool(conclusion.warnings) == warns
    assert conclusion.result["ruleset"]["rule_id"] == "made"
