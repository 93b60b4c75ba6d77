# SPDX-License-Identifier: GPL-3.0-or-later

import pytest
from support.refusals import refusal as kind_and_message
from support.samples.custom_fields import FLAGS, FOREIGN, KINDS, NONE, items, own, params, row, ruleset

from ansible_collections.edgeops.observability.plugins.module_utils._core import INVALID_OPTION, REJECTED, plan_id
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.options import desire
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.plan import plan
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.state import read_ruleset

REQUEST, TRANSFORMED, RESPONSE, RAW, COOKIES = KINDS
SEEN = {"id": "rs", "version": "5", "last_updated": "2026-01-02T00:00:00Z"}
RULE = {"id": "r1", "description": "Custom log fields", "enabled": True, "expression": "true"}


def planned(current, **options):
    return plan(desire(params(**options)), None if current is None else read_ruleset(current))


def sent(current, **options):
    """Return the rules in the only PUT."""
    (request,) = planned(current, **options).requests
    assert (request.operation, request.ids, list(request.body)) == ("rulesets.update", {"ruleset_id": "rs"}, ["rules"])
    return request.body["rules"]


def writable(rule):
    """Return a rule without the members that only the service sets."""
    return {name: value for name, value in rule.items() if name not in ("version", "last_updated")}


def refusal(current, **options):
    kind, message = kind_and_message(planned, current, **options)
    assert kind == INVALID_OPTION
    return message


EACH = {kind: [f"n{number}"] for number, kind in enumerate(KINDS)}
# (our rule, options of the task, our rule afterwards); if both rules are equal, nothing is sent.
PRESENT = {
    "same names in another order": ({REQUEST: ["b", "a"]}, {REQUEST: ["a", "b"]}, {REQUEST: ["b", "a"]}),
    "same names in other capitals": ({REQUEST: ["a"]}, {REQUEST: ["A "]}, {REQUEST: ["a"]}),
    "added names go last": ({REQUEST: ["z", "b"]}, {REQUEST: ["a", "b", "z"]}, {REQUEST: ["z", "b", "a"]}),
    "a list replaces all names of its kind": ({REQUEST: ["a", "b"]}, {REQUEST: ["c"]}, {REQUEST: ["c"]}),
    "omitted kinds are left alone": ({REQUEST: ["a"], RAW: ["x+"]}, {REQUEST: ["b"]}, {REQUEST: ["b"], RAW: ["x+"]}),
    "an empty list empties its kind": ({REQUEST: ["a"], COOKIES: ["C"]}, {REQUEST: []}, {COOKIES: ["C"]}),
    "names are added without purge": ({REQUEST: ["b"]}, {REQUEST: ["a"], "purge": False}, {REQUEST: ["b", "a"]}),
    "cookies differ by capitals": ({COOKIES: ["tier"]}, {COOKIES: ["Tier"]}, {COOKIES: ["Tier"]}),
    "all five kinds": ({REQUEST: ["a"]}, EACH, EACH),
    "flags of names that stay are left alone": ({RESPONSE: ["a+", "b+"]}, {RESPONSE: ["a", "c"]}, {RESPONSE: ["a+", "c"]}),
    "flags are set": ({RESPONSE: ["a"], RAW: ["b"]}, {FLAGS: ["a", "B"]}, {RESPONSE: ["a+"], RAW: ["b+"]}),
    "omitted flags are removed": ({RESPONSE: ["a+", "b"]}, {FLAGS: ["b"]}, {RESPONSE: ["a", "b+"]}),
    "no flag at all": ({RESPONSE: ["a+"]}, {FLAGS: []}, {RESPONSE: ["a"]}),
    "flags are added without purge": ({RESPONSE: ["a+", "b"]}, {FLAGS: ["b"], "purge": False}, {RESPONSE: ["a+", "b+"]}),
    "a name moves from raw to transformed": ({REQUEST: ["a"]}, {REQUEST: [], TRANSFORMED: ["a"]}, {TRANSFORMED: ["a"]}),
    "a given name loses its capitals": ({REQUEST: ["A"], RESPONSE: ["B"]}, {REQUEST: ["a"]}, {REQUEST: ["a"], RESPONSE: ["B"]}),
}


@pytest.mark.parametrize(("there", "options", "then"), PRESENT.values(), ids=PRESENT)
def test_requested_kinds_replace_current_names(there, options, then):
    current = ruleset(own(**there))
    result = planned(current, **options)
    assert result.changed is (result.before != result.after) is (there != then)
    if there == then:
        assert result.requests == ()
    else:
        assert sent(current, **options) == [writable(own(**then))]
    names = {kind: sorted(name.rstrip("+") for name in then.get(kind, ())) for kind in KINDS}
    flags = sorted(name[:-1] for kind in KINDS for name in then.get(kind, ()) if name.endswith("+"))
    assert result.result["custom_fields"] == result.after["custom_fields"] == {**names, FLAGS: flags}
    assert result.result["ruleset"] == row(**SEEN, rule_id="r1", ref="ref-r1")


def test_echoed_defaults_are_no_change():
    """A flag that is false equals no flag, and a rule without `enabled` is enabled."""
    rule = own(members={"action_parameters": {RESPONSE: [{"name": "a", FLAGS: False}]}})
    del rule["enabled"]
    assert planned(ruleset(rule), response_fields=["a"]).requests == ()
    assert planned(ruleset(rule), preserve_duplicates=[]).requests == ()


@pytest.mark.parametrize("members", [{"enabled": False}, {"expression": 'http.host eq "a"'}])
def test_inactive_rule_is_activated(members):
    current = ruleset(own(members=members, request_fields=["a"]))
    (rule,) = sent(current, request_fields=["a"])
    assert (rule["id"], rule["ref"], rule["enabled"], rule["expression"]) == ("r1", "ref-r1", True, "true")
    result = planned(current, request_fields=["a"])
    assert members.items() <= result.before["rules"][0].items()
    assert result.after["rules"][0]["enabled"] is True


@pytest.mark.parametrize(
    ("there", "description", "then"),
    [("theirs", None, "theirs"), ("theirs", "ours", "ours"), ("theirs", "", ""), ("", None, ""), ("ours", "ours", "ours")],
)
def test_omitted_description_is_kept(there, description, then):
    result = planned(
        ruleset(own(members={"description": there}, request_fields=["a"])), request_fields=["a"], description=description
    )
    assert result.after["rules"][0]["description"] == then
    assert bool(result.requests) == (there != then)


def test_unknown_rule_members_are_kept():
    rule = own(members={"logging": {"enabled": False}, "ratelimit": None}, request_fields=["a"])
    rule["action_parameters"]["future_fields"] = [{"name": "x"}]
    rule["action_parameters"][REQUEST][0]["future"] = 1
    (after,) = sent(ruleset(rule), cookie_fields=["C"])
    assert after["logging"] == {"enabled": False}
    assert "ratelimit" not in after
    others = {"future_fields": [{"name": "x"}], REQUEST: [{"name": "a", "future": 1}]}
    assert after["action_parameters"] == {**others, COOKIES: [{"name": "C"}]}
    (after,) = sent(ruleset(rule), state="absent", request_fields=["a"])
    assert after["action_parameters"] == {"future_fields": [{"name": "x"}]}, "it logs what this module does not know"


def test_foreign_rules_are_sent_back():
    """Foreign rules keep their positions; the failure of a refused write names them."""
    second = {**FOREIGN, "id": "f2", "action": "future_action", "future_member": [1]}
    current = ruleset(FOREIGN, own(request_fields=["a"]), second)
    first_sent, ours, second_sent = sent(current, request_fields=["b"])
    assert [first_sent, second_sent] == [writable(FOREIGN), writable(second)]
    assert ours["id"] == "r1"
    (request,) = planned(current, request_fields=["b"]).requests
    known = "action, action_parameters, description, enabled, expression"
    assert request.if_it_fails == (
        "The request also carried, unchanged, the rules with other actions:"
        f" f1 (set_config: {known}, id, logging, ref); f2 (future_action: {known}, future_member, id, logging, ref)."
    )
    (request,) = planned(ruleset(own(request_fields=["a"])), request_fields=["b"]).requests
    assert request.if_it_fails == ""


@pytest.mark.parametrize(
    ("rules", "place"),
    [
        ([own(request_fields=["a"]), {**FOREIGN, "action_parameters": {"key": "********"}}], "rules[1].action_parameters.key"),
        ([{**own(request_fields=["a"]), "newer": {"token": "***"}}], "rules[0].newer.token"),
    ],
)
def test_what_the_service_masks_is_not_sent_back(rules, place):
    assert planned(ruleset(*rules), request_fields=["a"]).requests == ()
    kind, message = kind_and_message(planned, ruleset(*rules), request_fields=["b"])
    assert kind == "bad_response" and message.startswith(f"The ruleset rs: the service masks {place}, and the write would")


def test_new_rule_is_after_foreign_rules():
    theirs, ours = sent(ruleset(FOREIGN), request_fields=["b", "a"], response_fields=["c"], preserve_duplicates=["c"])
    assert theirs["id"] == "f1"
    expected = writable(own(request_fields=["a", "b"], response_fields=["c+"]))
    assert ours == {name: value for name, value in expected.items() if name not in ("id", "ref")}
    assert planned(ruleset(FOREIGN), request_fields=["a"]).result["ruleset"] == row(**SEEN)


def test_missing_entry_point_is_created():
    result = planned(None, cookie_fields=["C"], description="mine", ruleset_name="n", ruleset_description="d")
    create, update = result.requests
    assert (create.operation, update.operation, update.id_from_answer) == ("rulesets.create", "rulesets.update", "ruleset_id")
    assert create.body == {"name": "n", "kind": "zone", "description": "d", "phase": "http_log_custom_fields"}
    assert create.creates and REJECTED in create.look_again_on
    assert update.body["rules"][0]["description"] == "mine"
    assert update.if_it_fails == (
        "The entry point ruleset was created, but it is not certain that it contains the rule; run the task again."
    )
    assert result.before == {"custom_fields": NONE, "rules": []}
    assert result.result == {"custom_fields": {**NONE, COOKIES: ["C"]}, "ruleset": row(), "undeclared": []}


def test_further_rules_are_merged_into_the_first():
    current = ruleset(
        own("r1", request_fields=["a"], response_fields=["x"]),
        FOREIGN,
        own("r2", request_fields=["b"], response_fields=["x+", "y"], cookie_fields=["C"]),
    )
    ours, theirs = sent(current, request_fields=["c"])
    assert (ours["id"], theirs["id"]) == ("r1", "f1")
    assert ours["action_parameters"] == {REQUEST: items("c"), RESPONSE: items("x+", "y"), COOKIES: items("C")}
    result = planned(current, request_fields=["c"])
    first = {**NONE, REQUEST: ["a"], RESPONSE: ["x"]}
    second = {**NONE, REQUEST: ["b"], RESPONSE: ["x", "y"], COOKIES: ["C"], FLAGS: ["x"]}
    merged = {**second, REQUEST: ["c"]}
    assert result.before == {
        "custom_fields": {**second, REQUEST: ["a", "b"]},
        "rules": [{**RULE, "custom_fields": first}, {**RULE, "id": "r2", "custom_fields": second}],
    }
    assert result.after == {"custom_fields": merged, "rules": [{**RULE, "custom_fields": merged}]}


def test_single_rule_fields_are_shown_once():
    result = planned(ruleset(own(request_fields=["a"])), request_fields=["b"])
    assert result.before == {"custom_fields": {**NONE, REQUEST: ["a"]}, "rules": [RULE]}
    assert result.after == {"custom_fields": {**NONE, REQUEST: ["b"]}, "rules": [RULE]}


def test_without_purge_further_rules_are_kept():
    """Fields of further rules are not added to the main rule; a disabled rule logs nothing and stays disabled."""
    current = ruleset(own("r1", request_fields=["a"]), own("r2", request_fields=["b"], response_fields=["x"]))
    assert planned(current, request_fields=["b"], purge=False).requests == ()
    first, second = sent(current, request_fields=["b", "c"], response_fields=["x"], preserve_duplicates=["x"], purge=False)
    assert first["action_parameters"] == {REQUEST: items("a", "c")}
    assert second["action_parameters"] == {REQUEST: items("b"), RESPONSE: items("x+")}
    current = ruleset(own("off", members={"enabled": False}, request_fields=["a"]), own("on", request_fields=["b"]))
    first, second = sent(current, request_fields=["a"], purge=False)
    assert (first["id"], first["enabled"]) == ("off", False)
    assert (second["id"], second["action_parameters"]) == ("on", {REQUEST: items("b", "a")})
    result = planned(current, request_fields=["a"], purge=False)
    assert result.before != result.after
    assert result.result["ruleset"]["rule_id"] == "on"


def test_flag_needs_a_requested_or_kept_name():
    current = ruleset(own(response_fields=["stays"], cookie_fields=["C"]))
    assert planned(current, preserve_duplicates=["stays"]).changed
    assert planned(current, response_fields=["new"], preserve_duplicates=["stays"], purge=False).changed
    for options, named in (
        ({FLAGS: ["gone", "stays"]}, "gone"),
        ({RESPONSE: ["new"], FLAGS: ["stays"]}, "stays"),
        ({FLAGS: ["C"]}, "c"),
    ):
        assert refusal(current, **options).startswith(f"preserve_duplicates: {named!r} ")


def test_limit_counts_the_resulting_fields():
    """The limit covers all kinds and rules: a name in several rules counts once, a name of a request and of a response header twice."""
    current = ruleset(own("r1", request_fields=["a", "b"]), own("r2", request_fields=["a"], cookie_fields=["C", "D"]))
    for purge in (True, False):
        assert refusal(current, response_fields=["a", "y"], field_limit=4, purge=purge).startswith(
            "field_limit: 6 custom fields (request_fields 2, response_fields 2, cookie_fields 2) are 2 more than the limit of 4"
        )
    assert planned(current, response_fields=["a", "y"], field_limit=6, purge=False).changed
    assert planned(current, request_fields=["c"], field_limit=3).changed
    assert planned(current, response_fields=["x"], field_limit=0).changed


def test_range_header_is_a_warning():
    (warning,) = planned(None, request_fields=["Range", "a"]).warnings
    assert "'range'" in warning
    assert planned(None, transformed_request_fields=["range"]).warnings
    assert planned(None, response_fields=["range"]).warnings == ()
    assert planned(None, state="absent", request_fields=["range"]).warnings == ()


OFF = {"enabled": False}
# (our rules, options of the task, our rules afterwards); None if nothing is sent.
ABSENT = {
    "no list removes every rule": ([own("r1", request_fields=["a"]), own("r2", cookie_fields=["C"])], {}, []),
    "names are removed, and those that stay keep their flags": (
        [own(request_fields=["a"], response_fields=["a+", "b+"], cookie_fields=["C"])],
        {REQUEST: ["A"], RESPONSE: ["a"]},
        [own(response_fields=["b+"], cookie_fields=["C"])],
    ),
    "the last name takes the rule with it": ([own(request_fields=["a"])], {REQUEST: ["a", "other"]}, []),
    "an empty list removes nothing": ([own(request_fields=["a"])], {REQUEST: []}, None),
    "a name that does not exist changes nothing": ([own(cookie_fields=["tier"])], {COOKIES: ["Tier"], REQUEST: ["x"]}, None),
    "names go from every rule, and from a disabled one": (
        [own("r1", request_fields=["a"]), own("r2", members=OFF, request_fields=["a", "b"])],
        {REQUEST: ["a"]},
        [own("r2", members=OFF, request_fields=["b"])],
    ),
    "a rule that logs nothing is no concern of a list": ([own()], {REQUEST: ["a"]}, None),
    "nothing there": ([], {}, None),
}


@pytest.mark.parametrize(("there", "options", "then"), ABSENT.values(), ids=ABSENT)
def test_named_fields_are_removed(there, options, then):
    current = ruleset(*there, FOREIGN)
    result = planned(current, state="absent", **options)
    assert (result.before == result.after) is (then is None)
    if then is None:
        assert result.requests == ()
    else:
        assert sent(current, state="absent", **options) == [writable(rule) for rule in (*then, FOREIGN)]
    assert result.result["ruleset"]["id"] == "rs"
    if then == [] or not there:
        assert result.result == {"custom_fields": NONE, "ruleset": row(**SEEN), "undeclared": []}


@pytest.mark.parametrize(
    ("options", "undeclared"),
    [
        ({"request_fields": ["a"]}, ["raw_response_fields", "cookie_fields", "preserve_duplicates"]),
        ({"request_fields": ["a"], "cookie_fields": ["C"], "preserve_duplicates": ["v"]}, ["raw_response_fields"]),
        ({"request_fields": ["a"], "cookie_fields": [], "raw_response_fields": []}, []),
        ({"state": "absent", "request_fields": ["a"]}, []),
    ],
)
def test_lists_with_names_that_the_task_leaves_alone_are_told(options, undeclared):
    """Somebody adds a name to another list than those that are declared: no difference, and never unseen."""
    current = ruleset(own(request_fields=["a"], cookie_fields=["C"], raw_response_fields=["v+"]))
    assert planned(current, **options).result["undeclared"] == undeclared


def digest(current, **options):
    return plan_id({"zone_id": "z"}, planned(current, **options))


def test_plan_id_covers_managed_state_only():
    ours = own(request_fields=["a"])
    approved = digest(ruleset(FOREIGN, ours), request_fields=["b"])
    later = {**ours, "version": "9", "last_updated": "2027-01-01T00:00:00Z"}
    assert digest(ruleset({**FOREIGN, "enabled": True, "new": 1}, later, version="88"), request_fields=["b"]) == approved
    assert digest(ruleset(ours), request_fields=["b"]) == approved
    others = [own(request_fields=["a", "c"]), own("r9", request_fields=["a"]), own(members=OFF, request_fields=["a"])]
    for other in (*others, own(request_fields=["b"])):
        assert digest(ruleset(FOREIGN, other), request_fields=["b"]) != approved
    assert digest({**ruleset(FOREIGN, ours), "id": "rs9"}, request_fields=["b"]) != approved
    assert digest(ruleset(FOREIGN, ours), request_fields=["c"]) != approved


def test_plan_basis_has_every_rule():
    first, second = {**NONE, REQUEST: ["a"]}, {**NONE, COOKIES: ["C"]}
    result = planned(ruleset(own("r1", request_fields=["a"]), own("r2", cookie_fields=["C"])), purge=False)
    assert result.requests == ()
    assert result.basis == {
        "ruleset_id": "rs",
        "custom_fields": {**first, COOKIES: ["C"]},
        "rules": [{**RULE, "custom_fields": first}, {**RULE, "id": "r2", "custom_fields": second}],
    }
    alone = planned(ruleset(own(request_fields=["a"])))
    assert alone.basis == {"ruleset_id": "rs", "custom_fields": first, "rules": [{**RULE, "custom_fields": first}]}
    missing = planned(None, state="absent")
    assert missing.basis == {"ruleset_id": None, "custom_fields": NONE, "rules": []}
    assert (missing.requests, missing.result) == ((), {"custom_fields": NONE, "ruleset": None, "undeclared": []})


@pytest.mark.parametrize("members", [OFF, {"expression": 'http.host eq "a"'}])
def test_names_of_an_activated_rule_are_in_the_diff(members):
    """Names that become active without being in the options are in the diff of each rule."""
    off = own("off", members=members, request_fields=["a"], cookie_fields=["Cart", "Id"])
    made = planned(ruleset(off, own("on", request_fields=["b"], cookie_fields=["Id"])), request_fields=["a", "b"])
    assert [rule["custom_fields"][COOKIES] for rule in made.before["rules"]] == [["Cart", "Id"], ["Id"]]
    assert [(rule["id"], rule["custom_fields"][COOKIES]) for rule in made.after["rules"]] == [("on", ["Cart", "Id"])]


@pytest.mark.parametrize(
    ("options", "gone"),
    [
        ({REQUEST: ["a", "b", "c"]}, None),
        ({REQUEST: ["b"]}, ("request_fields: a",)),
        ({TRANSFORMED: ["a"], REQUEST: ["b"]}, ("request_fields: a",)),
        ({"state": "absent", COOKIES: ["C"]}, ("cookie_fields: C",)),
        ({"state": "absent"}, ("cookie_fields: C", "request_fields: a", "request_fields: b")),
        ({REQUEST: ["c"], "purge": False}, None),
    ],
)
def test_effects_name_removed_fields(options, gone):
    """A removed name is an effect, even if it moves to another type; an added name is not."""
    effects = planned(ruleset(own(request_fields=["a", "b"], cookie_fields=["C"])), **options).effects
    expected = [("drop_custom_fields", None, gone)] if gone else []
    assert [(effect.name, effect.subject, effect.detail) for effect in effects] == expected


@pytest.mark.parametrize("purge", [True, False])
@pytest.mark.parametrize(
    ("there", "options", "names", "raw", "transformed"),
    [
        ({REQUEST: ["b", "a"]}, {TRANSFORMED: ["A", "b"]}, "'a', 'b'", REQUEST, TRANSFORMED),
        ({TRANSFORMED: ["a"]}, {REQUEST: ["a"]}, "'a'", REQUEST, TRANSFORMED),
        ({RESPONSE: ["x"]}, {RAW: ["x"]}, "'x'", RAW, RESPONSE),
        ({RAW: ["x"]}, {RESPONSE: ["x"]}, "'x'", RAW, RESPONSE),
    ],
)
def test_header_is_either_raw_or_transformed(there, options, names, raw, transformed, purge):
    """Names that the zone already has in any rule count as well."""
    sentence = (
        f"{next(iter(options))}: {names} would be in {raw} (raw) and in {transformed} (transformed) at once;"
        " the service logs a header one way or the other"
    )
    assert refusal(ruleset(own(**there)), **options, purge=purge) == sentence
    assert purge or refusal(ruleset(own("r0", cookie_fields=["C"]), own(**there)), **options, purge=False) == sentence


NOTHING_LEFT = "no custom field would be left in any list; to remove them all, use state: absent"


@pytest.mark.parametrize(
    ("current", "options", "sentence"),
    [
        (None, {}, f"{', '.join(KINDS)}: {NOTHING_LEFT}"),
        (None, {REQUEST: []}, f"request_fields: {NOTHING_LEFT}"),
        (ruleset(own(cookie_fields=["C"])), {REQUEST: [], COOKIES: []}, f"request_fields, cookie_fields: {NOTHING_LEFT}"),
        (
            ruleset(own(response_fields=["x"])),
            {FLAGS: ["z", "x", "y"]},
            "preserve_duplicates: 'y', 'z' would be in neither response_fields nor raw_response_fields",
        ),
    ],
)
def test_desired_state_that_the_service_would_refuse(current, options, sentence):
    assert refusal(current, **options) == sentence
