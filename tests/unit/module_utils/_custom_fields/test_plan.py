# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from support.samples.custom_fields import FOREIGN, NONE, items, own, params, row, ruleset

from ansible_collections.edgeops.observability.plugins.module_utils._core import INVALID_OPTION, REJECTED, Failure, plan_id
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.facts import FIELD_KINDS
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.options import desire
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.plan import plan
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.state import read_ruleset

SEEN = {"id": "rs", "version": "5", "last_updated": "2026-01-02T00:00:00Z"}
SERVER_MADE = ("version", "last_updated")


def planned(current, **options):
    return plan(desire(params(**options)), None if current is None else read_ruleset(current))


def sent(current, **options):
    """The rules of the one PUT."""
    (request,) = planned(current, **options).requests
    assert request.operation == "rulesets.update"
    assert request.ids == {"ruleset_id": "rs"}
    assert list(request.body) == ["rules"]
    return request.body["rules"]


def without(document, *names):
    return {name: value for name, value in document.items() if name not in names}


def refusal(current, **options):
    with pytest.raises(Failure) as caught:
        planned(current, **options)
    assert caught.value.kind == INVALID_OPTION
    return str(caught.value)


# (what our rule has, what the task gives, what our rule has then); the same on both sides means that nothing is sent.
PRESENT = {
    "same names in another order": (
        {"request_fields": ["b", "a"]},
        {"request_fields": ["a", "b"]},
        {"request_fields": ["b", "a"]},
    ),
    "same names in other capitals": ({"request_fields": ["a"]}, {"request_fields": ["A "]}, {"request_fields": ["a"]}),
    "a name is added, those there keep their place": (
        {"request_fields": ["z", "b"]},
        {"request_fields": ["a", "b", "z"]},
        {"request_fields": ["z", "b", "a"]},
    ),
    "a list replaces all names of its kind": (
        {"request_fields": ["a", "b"]},
        {"request_fields": ["c"]},
        {"request_fields": ["c"]},
    ),
    "omitted kinds are left alone": (
        {"request_fields": ["a"], "cookie_fields": ["C"], "raw_response_fields": ["x+"]},
        {"request_fields": ["b"]},
        {"request_fields": ["b"], "cookie_fields": ["C"], "raw_response_fields": ["x+"]},
    ),
    "an empty list empties its kind": (
        {"request_fields": ["a"], "cookie_fields": ["C"]},
        {"request_fields": []},
        {"cookie_fields": ["C"]},
    ),
    "an empty list adds nothing without purge": (
        {"request_fields": ["a"]},
        {"request_fields": [], "purge": False},
        {"request_fields": ["a"]},
    ),
    "names are added without purge": (
        {"request_fields": ["b"]},
        {"request_fields": ["a"], "cookie_fields": ["C"], "purge": False},
        {"request_fields": ["b", "a"], "cookie_fields": ["C"]},
    ),
    "cookies differ by capitals": ({"cookie_fields": ["tier"]}, {"cookie_fields": ["Tier"]}, {"cookie_fields": ["Tier"]}),
    "cookies that differ by capitals are two": (
        {"cookie_fields": ["tier"]},
        {"cookie_fields": ["TIER", "Tier"], "purge": False},
        {"cookie_fields": ["tier", "TIER", "Tier"]},
    ),
    "no list leaves all kinds alone": ({"request_fields": ["a"]}, {}, {"request_fields": ["a"]}),
    "all five kinds": (
        {"request_fields": ["a"]},
        {kind: [f"n{number}"] for number, kind in enumerate(FIELD_KINDS)},
        {kind: [f"n{number}"] for number, kind in enumerate(FIELD_KINDS)},
    ),
    "flags of names that stay are left alone": (
        {"response_fields": ["a+", "b+"]},
        {"response_fields": ["a", "c"]},
        {"response_fields": ["a+", "c"]},
    ),
    "flags are set": (
        {"response_fields": ["a"], "raw_response_fields": ["b"]},
        {"preserve_duplicates": ["a", "B"]},
        {"response_fields": ["a+"], "raw_response_fields": ["b+"]},
    ),
    "omitted flags are removed": (
        {"response_fields": ["a+", "b"]},
        {"preserve_duplicates": ["b"]},
        {"response_fields": ["a", "b+"]},
    ),
    "no flag at all": ({"response_fields": ["a+"]}, {"preserve_duplicates": []}, {"response_fields": ["a"]}),
    "flags are only added without purge": (
        {"response_fields": ["a+", "b"]},
        {"preserve_duplicates": ["b"], "purge": False},
        {"response_fields": ["a+", "b+"]},
    ),
    "a name moves from raw to transformed": (
        {"request_fields": ["a"]},
        {"request_fields": [], "transformed_request_fields": ["a"]},
        {"transformed_request_fields": ["a"]},
    ),
    "a header in capitals on the service is put right where it is asked for": (
        {"request_fields": ["X-A"], "response_fields": ["X-B"]},
        {"request_fields": ["x-a"]},
        {"request_fields": ["x-a"], "response_fields": ["X-B"]},
    ),
}


@pytest.mark.parametrize(("there", "given", "then"), PRESENT.values(), ids=PRESENT)
def test_present(there, given, then):
    current = ruleset(own(**there))
    result = planned(current, **given)
    if there == then:
        assert result.requests == ()
        assert result.before == result.after
        assert not result.changed
    else:
        assert sent(current, **given) == [without(own(**then), *SERVER_MADE)]
        assert result.before != result.after
        assert result.changed
    names = {kind: sorted(name.rstrip("+") for name in then.get(kind, ())) for kind in FIELD_KINDS}
    flags = sorted(name[:-1] for kind in FIELD_KINDS for name in then.get(kind, ()) if name.endswith("+"))
    assert result.result["custom_fields"] == result.after["custom_fields"] == {**names, "preserve_duplicates": flags}
    assert result.result["ruleset"] == row(**SEEN, rule_id="r1", ref="ref-r1")


def test_echoed_defaults_are_no_change():
    """A flag that is false, and a rule without `enabled`, which is enabled."""
    members = {"action_parameters": {"response_fields": [{"name": "a", "preserve_duplicates": False}]}}
    current = ruleset(without(own(members=members), "enabled"))
    assert planned(current, response_fields=["a"]).requests == ()
    assert planned(current, preserve_duplicates=[]).requests == ()


@pytest.mark.parametrize(
    ("members", "before"),
    [
        ({"enabled": False}, {"enabled": False}),
        ({"expression": 'http.host eq "a"'}, {"expression": 'http.host eq "a"'}),
    ],
)
def test_inactive_rule_is_activated(members, before):
    """A rule that is disabled or limited to some requests is enabled for all."""
    current = ruleset(own(members=members, request_fields=["a"]))
    (rule,) = sent(current, request_fields=["a"])
    assert (rule["id"], rule["ref"], rule["enabled"], rule["expression"]) == ("r1", "ref-r1", True, "true")
    result = planned(current, request_fields=["a"])
    assert before.items() <= result.before["rules"][0].items()
    assert result.after["rules"][0]["enabled"] is True


@pytest.mark.parametrize(
    ("there", "given", "then"),
    [("theirs", None, "theirs"), ("theirs", "ours", "ours"), ("theirs", "", ""), ("", None, ""), ("ours", "ours", "ours")],
)
def test_omitted_description_is_kept(there, given, then):
    """The description is kept unless it is given."""
    current = ruleset(own(members={"description": there}, request_fields=["a"]))
    result = planned(current, request_fields=["a"], description=given)
    assert result.after["rules"][0]["description"] == then
    assert bool(result.requests) == (there != then)


def test_unknown_rule_members_are_kept():
    """Members that are not ours to know are kept."""
    rule = own(members={"logging": {"enabled": False}, "ratelimit": None}, request_fields=["a"])
    rule["action_parameters"]["future_fields"] = [{"name": "x"}]
    rule["action_parameters"]["request_fields"][0]["future"] = 1
    (after,) = sent(ruleset(rule), cookie_fields=["C"])
    assert after["logging"] == {"enabled": False}
    assert "ratelimit" not in after
    assert after["action_parameters"] == {
        "future_fields": [{"name": "x"}],
        "request_fields": [{"name": "a", "future": 1}],
        "cookie_fields": [{"name": "C"}],
    }


def test_foreign_rules_are_sent_back():
    """Rules with other actions go back in their place, without the members that the service generates."""
    second = {**FOREIGN, "id": "f2", "action": "future_action", "future_member": [1]}
    current = ruleset(FOREIGN, own(request_fields=["a"]), second)
    first_sent, ours, second_sent = sent(current, request_fields=["b"])
    assert [first_sent, second_sent] == [without(rule, *SERVER_MADE) for rule in (FOREIGN, second)]
    assert ours["id"] == "r1"


def test_refused_write_names_foreign_rules():
    """A refused write names the rules that it carried."""
    second = {"id": "f2", "action": "skip", "expression": "true", "version": "1"}
    (request,) = planned(ruleset(FOREIGN, own(request_fields=["a"]), second), request_fields=["b"]).requests
    assert request.if_it_fails == (
        "The request also carried, unchanged, the rules with other actions:"
        " f1 (set_config: action, action_parameters, description, enabled, expression, id, logging, ref);"
        " f2 (skip: action, expression, id)."
    )
    (request,) = planned(ruleset(own(request_fields=["a"])), request_fields=["b"]).requests
    assert request.if_it_fails == ""


def test_a_new_rule_follows_the_rules_of_others():
    theirs, ours = sent(ruleset(FOREIGN), request_fields=["b", "a"], response_fields=["c"], preserve_duplicates=["c"])
    assert theirs["id"] == "f1"
    assert ours == {
        "action": "log_custom_field",
        "expression": "true",
        "description": "Custom log fields",
        "enabled": True,
        "action_parameters": {"request_fields": items("a", "b"), "response_fields": items("c+")},
    }
    assert planned(ruleset(FOREIGN), request_fields=["a"]).result["ruleset"] == row(**SEEN)


def test_missing_entry_point_is_created():
    """A missing entry point is created and then filled."""
    result = planned(None, cookie_fields=["C"], description="mine", ruleset_name="n", ruleset_description="d")
    create, update = result.requests
    assert create.operation == "rulesets.create"
    assert create.body == {"name": "n", "kind": "zone", "description": "d", "phase": "http_log_custom_fields"}
    assert create.creates
    assert REJECTED in create.look_again_on
    assert update.operation == "rulesets.update"
    assert update.id_from_answer == "ruleset_id"
    assert update.body["rules"][0]["description"] == "mine"
    assert update.if_it_fails == (
        "The entry point ruleset was created, but it is not certain that it contains the rule; run the task again."
    )
    assert result.before == {"custom_fields": NONE, "rules": []}
    assert result.result == {"custom_fields": {**NONE, "cookie_fields": ["C"]}, "ruleset": row()}


def test_further_rules_are_folded_into_the_first():
    current = ruleset(
        own("r1", request_fields=["a"], response_fields=["x"]),
        FOREIGN,
        own("r2", request_fields=["b"], response_fields=["x+", "y"], cookie_fields=["C"]),
    )
    ours, theirs = sent(current, request_fields=["c"])
    assert (ours["id"], theirs["id"]) == ("r1", "f1")
    assert ours["action_parameters"] == {
        "request_fields": items("c"),
        "response_fields": items("x+", "y"),
        "cookie_fields": items("C"),
    }
    result = planned(current, request_fields=["c"])
    seen = {"description": "Custom log fields", "enabled": True, "expression": "true"}
    first = {**NONE, "request_fields": ["a"], "response_fields": ["x"]}
    second = {
        **NONE,
        "request_fields": ["b"],
        "response_fields": ["x", "y"],
        "cookie_fields": ["C"],
        "preserve_duplicates": ["x"],
    }
    merged = {**second, "request_fields": ["c"]}
    assert result.before == {
        "custom_fields": {**second, "request_fields": ["a", "b"]},
        "rules": [{"id": "r1", **seen, "custom_fields": first}, {"id": "r2", **seen, "custom_fields": second}],
    }
    assert result.after == {"custom_fields": merged, "rules": [{"id": "r1", **seen, "custom_fields": merged}]}


def test_single_rule_fields_are_shown_once():
    """The fields of a single rule are shown once."""
    result = planned(ruleset(own(request_fields=["a"])), request_fields=["b"])
    seen = {"id": "r1", "description": "Custom log fields", "enabled": True, "expression": "true"}
    assert result.before == {"custom_fields": {**NONE, "request_fields": ["a"]}, "rules": [seen]}
    assert result.after == {"custom_fields": {**NONE, "request_fields": ["b"]}, "rules": [seen]}


def test_folding_alone_is_a_change():
    current = ruleset(own("r1", request_fields=["a"]), own("r2", request_fields=["a"]))
    result = planned(current, request_fields=["a"])
    assert result.before["custom_fields"] == result.after["custom_fields"]
    assert result.before != result.after
    assert [rule["id"] for rule in sent(current, request_fields=["a"])] == ["r1"]


def test_without_purge_further_rules_stay():
    """Further rules stay without purge, and what they log is not added to the main rule."""
    current = ruleset(own("r1", request_fields=["a"]), own("r2", request_fields=["b"], response_fields=["x"]))
    assert planned(current, request_fields=["b"], purge=False).requests == ()
    first, second = sent(current, request_fields=["b", "c"], response_fields=["x"], preserve_duplicates=["x"], purge=False)
    assert first["action_parameters"] == {"request_fields": items("a", "c")}
    assert second["action_parameters"] == {"request_fields": items("b"), "response_fields": items("x+")}


def test_without_purge_disabled_rule_stays():
    """A disabled rule neither counts as logging, nor is it enabled without purge."""
    current = ruleset(own("off", members={"enabled": False}, request_fields=["a"]), own("on", request_fields=["b"]))
    first, second = sent(current, request_fields=["a"], purge=False)
    assert (first["id"], first["enabled"]) == ("off", False)
    assert (second["id"], second["action_parameters"]) == ("on", {"request_fields": items("b", "a")})
    result = planned(current, request_fields=["a"], purge=False)
    assert result.before != result.after
    assert result.result["ruleset"]["rule_id"] == "on"


def test_flag_needs_a_logged_name():
    """A flag needs a name that is given or stays."""
    current = ruleset(own(response_fields=["stays"], cookie_fields=["C"]))
    assert planned(current, preserve_duplicates=["stays"]).changed
    assert refusal(current, preserve_duplicates=["gone", "stays"]).startswith("preserve_duplicates: 'gone' ")
    assert refusal(current, response_fields=["new"], preserve_duplicates=["stays"]).startswith("preserve_duplicates: 'stays' ")
    assert planned(current, response_fields=["new"], preserve_duplicates=["stays"], purge=False).changed
    assert refusal(current, preserve_duplicates=["C"]).startswith("preserve_duplicates: 'c' ")


def test_limit_counts_the_resulting_fields():
    """The limit counts the resulting fields over all kinds and rules."""
    current = ruleset(own("r1", request_fields=["a", "b"]), own("r2", cookie_fields=["C", "D"]))
    for purge in (True, False):
        assert refusal(current, response_fields=["x", "y"], field_limit=4, purge=purge).startswith(
            "field_limit: 6 custom fields (request_fields 2, response_fields 2, cookie_fields 2) are 2 more than the limit of 4"
        )
    assert planned(current, request_fields=["c"], field_limit=3).changed
    assert planned(current, response_fields=["x"], field_limit=0).changed


def test_limit_counts_a_name_once_for_each_kind():
    """A name that several rules log is one custom field, a request and a response header of one name are two."""
    current = ruleset(own("r1", request_fields=["a", "b"]), own("r2", request_fields=["a", "b"], response_fields=["a"]))
    assert planned(current, cookie_fields=["C"], field_limit=4, purge=False).changed
    assert refusal(current, cookie_fields=["C"], field_limit=3, purge=False).startswith(
        "field_limit: 4 custom fields (request_fields 2, response_fields 1, cookie_fields 1) are 1 more than the limit of 3"
    )


def test_the_range_header_is_a_warning():
    result = planned(None, request_fields=["Range", "a"])
    assert len(result.warnings) == 1
    assert "'range'" in result.warnings[0]
    assert planned(None, transformed_request_fields=["range"]).warnings
    assert planned(None, response_fields=["range"]).warnings == ()
    assert planned(None, state="absent", request_fields=["range"]).warnings == ()


ABSENT = {
    "no list removes every rule": ([own("r1", request_fields=["a"]), own("r2", cookie_fields=["C"])], {}, []),
    "no list removes a disabled rule": ([own(members={"enabled": False}, request_fields=["a"])], {}, []),
    "names are removed": (
        [own(request_fields=["a", "b"], cookie_fields=["C"])],
        {"request_fields": ["A"]},
        [own(request_fields=["b"], cookie_fields=["C"])],
    ),
    "a kind without names goes": (
        [own(request_fields=["a"], cookie_fields=["C"])],
        {"request_fields": ["a"]},
        [own(cookie_fields=["C"])],
    ),
    "the last name takes the rule with it": ([own(request_fields=["a"])], {"request_fields": ["a", "other"]}, []),
    "an empty list removes nothing": ([own(request_fields=["a"])], {"request_fields": []}, None),
    "a name that does not exist changes nothing": (
        [own(cookie_fields=["tier"])],
        {"cookie_fields": ["Tier"], "request_fields": ["x"]},
        None,
    ),
    "names go from every rule, and from a disabled one": (
        [own("r1", request_fields=["a"]), own("r2", members={"enabled": False}, request_fields=["a", "b"])],
        {"request_fields": ["a"]},
        [own("r2", members={"enabled": False}, request_fields=["b"])],
    ),
    "flags of names that stay are kept": (
        [own(response_fields=["a+", "b+"])],
        {"response_fields": ["a"]},
        [own(response_fields=["b+"])],
    ),
    "a rule that logs nothing is no concern of a list": ([own()], {"request_fields": ["a"]}, None),
    "nothing there": ([], {}, None),
}


@pytest.mark.parametrize(("there", "given", "then"), ABSENT.values(), ids=ABSENT)
def test_absent(there, given, then):
    current = ruleset(*there, FOREIGN)
    result = planned(current, state="absent", **given)
    if then is None:
        assert result.requests == ()
        assert result.before == result.after
    else:
        assert sent(current, state="absent", **given) == [without(rule, *SERVER_MADE) for rule in (*then, FOREIGN)]
        assert result.before != result.after
    assert result.result["ruleset"]["id"] == "rs"
    if then == [] or not there:
        assert result.result["custom_fields"] == NONE
        assert (result.result["ruleset"]["rule_id"], result.result["ruleset"]["ref"]) == (None, None)


def test_absent_keeps_rule_with_unknown_kinds():
    """state=absent keeps a rule that logs kinds that this module does not know."""
    rule = own(request_fields=["a"])
    rule["action_parameters"]["future_fields"] = [{"name": "x"}]
    (after,) = sent(ruleset(rule), state="absent", request_fields=["a"])
    assert after["action_parameters"] == {"future_fields": [{"name": "x"}]}


def test_absent_without_a_ruleset_makes_none():
    result = planned(None, state="absent")
    assert result.requests == ()
    assert result.result == {"custom_fields": NONE, "ruleset": None}


def digest(current, **options):
    return plan_id({"zone_id": "z"}, planned(current, **options))


def test_plan_id_covers_managed_state_only():
    """The plan id depends on managed state, and on nothing else."""
    ours = own(request_fields=["a"])
    approved = digest(ruleset(FOREIGN, ours), request_fields=["b"])
    later = {**ours, "version": "9", "last_updated": "2027-01-01T00:00:00Z"}
    assert digest(ruleset({**FOREIGN, "enabled": True, "new": 1}, later, version="88"), request_fields=["b"]) == approved
    assert digest(ruleset(ours), request_fields=["b"]) == approved
    for other in (
        own(request_fields=["a", "c"]),
        own("r9", request_fields=["a"]),
        own(members={"enabled": False}, request_fields=["a"]),
    ):
        assert digest(ruleset(FOREIGN, other), request_fields=["b"]) != approved
    assert digest({**ruleset(FOREIGN, ours), "id": "rs9"}, request_fields=["b"]) != approved
    assert digest(ruleset(FOREIGN, ours), request_fields=["c"]) != approved
    assert digest(ruleset(FOREIGN, own(request_fields=["b"])), request_fields=["b"]) != approved


def test_plan_basis_has_every_rule():
    """The current state is in the plan rule by rule, even if nothing is written."""
    one = {"id": "r1", "description": "Custom log fields", "enabled": True, "expression": "true"}
    first, second = {**NONE, "request_fields": ["a"]}, {**NONE, "cookie_fields": ["C"]}
    result = planned(ruleset(own("r1", request_fields=["a"]), own("r2", cookie_fields=["C"])), purge=False)
    assert result.requests == ()
    assert result.basis == {
        "ruleset_id": "rs",
        "custom_fields": {**first, "cookie_fields": ["C"]},
        "rules": [{**one, "custom_fields": first}, {**one, "id": "r2", "custom_fields": second}],
    }
    alone = planned(ruleset(own(request_fields=["a"])))
    assert alone.basis == {"ruleset_id": "rs", "custom_fields": first, "rules": [{**one, "custom_fields": first}]}
    assert planned(None, state="absent").basis == {"ruleset_id": None, "custom_fields": NONE, "rules": []}


@pytest.mark.parametrize("members", [{"enabled": False}, {"expression": 'http.host eq "a"'}])
def test_names_of_a_rule_that_was_off_are_shown(members):
    """What becomes active although the task does not give it is in the diff, rule by rule."""
    off = own("off", members=members, request_fields=["a"], cookie_fields=["Cart", "Id"])
    on = own("on", request_fields=["b"], cookie_fields=["Id"])
    made = planned(ruleset(on, off), request_fields=["a", "b"])
    assert [rule["custom_fields"]["cookie_fields"] for rule in made.before["rules"]] == [["Id"], ["Cart", "Id"]]
    assert [rule["custom_fields"]["cookie_fields"] for rule in made.after["rules"]] == [["Cart", "Id"]]
    assert [rule["id"] for rule in made.after["rules"]] == ["on"]


@pytest.mark.parametrize(
    ("options", "gone"),
    [
        ({"request_fields": ["a", "b", "c"]}, None),
        ({"request_fields": ["b"]}, ("request_fields: a",)),
        ({"transformed_request_fields": ["a"], "request_fields": ["b"]}, ("request_fields: a",)),
        ({"state": "absent", "cookie_fields": ["C"]}, ("cookie_fields: C",)),
        ({"state": "absent"}, ("cookie_fields: C", "request_fields: a", "request_fields: b")),
        ({"request_fields": ["c"], "purge": False}, None),
    ],
)
def test_effects_name_what_goes(options, gone):
    """A name that goes is an effect, also where it moves to another type; an added one is none."""
    found = planned(ruleset(own(request_fields=["a", "b"], cookie_fields=["C"])), **options).effects
    assert [(effect.name, effect.subject, effect.detail) for effect in found] == (
        [("drop_custom_fields", None, gone)] if gone else []
    )


NOTHING_LEFT = "no custom field would be left in any list; to remove them all, use state: absent"
CLASH = "(raw) and in {} (transformed) at once; the service logs a header one way or the other"
ALL_KINDS = ", ".join(FIELD_KINDS)
SENTENCES = [
    *(
        (ruleset(own(**there)), {**given, "purge": purge}, sentence)
        for purge in (True, False)
        for there, given, sentence in [
            (
                {"request_fields": ["b", "a"]},
                {"transformed_request_fields": ["A", "b"]},
                "transformed_request_fields: 'a', 'b' would be in request_fields " + CLASH.format("transformed_request_fields"),
            ),
            (
                {"transformed_request_fields": ["a"]},
                {"request_fields": ["a"]},
                "request_fields: 'a' would be in request_fields " + CLASH.format("transformed_request_fields"),
            ),
            (
                {"response_fields": ["x"]},
                {"raw_response_fields": ["x"]},
                "raw_response_fields: 'x' would be in raw_response_fields " + CLASH.format("response_fields"),
            ),
            (
                {"raw_response_fields": ["x"]},
                {"response_fields": ["x"]},
                "response_fields: 'x' would be in raw_response_fields " + CLASH.format("response_fields"),
            ),
            (
                {"response_fields": ["x"]},
                {"preserve_duplicates": ["z", "x", "y"]},
                "preserve_duplicates: 'y', 'z' would be in neither response_fields nor raw_response_fields",
            ),
        ]
    ),
    (
        ruleset(own("r1", cookie_fields=["C"]), own("r2", request_fields=["a"])),
        {"transformed_request_fields": ["a"], "purge": False},
        "transformed_request_fields: 'a' would be in request_fields " + CLASH.format("transformed_request_fields"),
    ),
    (None, {}, f"{ALL_KINDS}: {NOTHING_LEFT}"),
    (None, {"request_fields": []}, f"request_fields: {NOTHING_LEFT}"),
    (ruleset(FOREIGN), {"request_fields": [], "purge": False}, f"request_fields: {NOTHING_LEFT}"),
    (
        ruleset(own(cookie_fields=["C"])),
        {"request_fields": [], "cookie_fields": []},
        f"request_fields, cookie_fields: {NOTHING_LEFT}",
    ),
    (ruleset(own()), {}, f"{ALL_KINDS}: {NOTHING_LEFT}"),
]


@pytest.mark.parametrize(("current", "given", "sentence"), SENTENCES)
def test_desired_state_that_the_service_would_refuse(current, given, sentence):
    """Names that the zone already has count as well."""
    assert refusal(current, **given) == sentence
