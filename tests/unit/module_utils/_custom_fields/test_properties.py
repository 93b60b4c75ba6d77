# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import copy

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ansible_collections.edgeops.observability.plugins.module_utils._core import INVALID_OPTION, Answer, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.facts import FIELD_KINDS, RESPONSE_KINDS
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.options import desire, normal_name
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.plan import plan
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.result import conclude
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.state import read_ruleset

NAMES = st.sampled_from(["a", "b", "c", "A", "C-c"])
LISTS = st.none() | st.lists(NAMES, max_size=4)
OPTIONS = st.fixed_dictionaries(
    {
        "state": st.sampled_from(["present", "present", "absent"]),
        **dict.fromkeys(FIELD_KINDS, LISTS),
        "preserve_duplicates": st.none() | st.lists(NAMES, max_size=2),
        "purge": st.booleans(),
        "description": st.none() | st.sampled_from(["", "mine"]),
        "ruleset_name": st.just("n"),
        "ruleset_description": st.just("d"),
        "field_limit": st.sampled_from([0, None]),
        "base_url": st.just("http://127.0.0.1"),
    }
)


@st.composite
def rules(draw):
    """Rules as a service may have them: ours and others', in any order and in any condition."""
    documents = []
    for number in range(draw(st.integers(0, 3))):
        document = {
            "id": f"r{number}",
            "ref": f"ref{number}",
            "version": "1",
            "action": draw(st.sampled_from(["log_custom_field", "log_custom_field", "set_config"])),
            "expression": draw(st.sampled_from(["true", "true", "false"])),
            "enabled": draw(st.booleans()),
            "action_parameters": {},
        }
        for kind in draw(st.sets(st.sampled_from(FIELD_KINDS))):
            entries = [{"name": name} for name in sorted(draw(st.sets(NAMES, min_size=1)))]
            for entry in entries if kind in RESPONSE_KINDS else ():
                if draw(st.booleans()):
                    entry["preserve_duplicates"] = draw(st.booleans())
            document["action_parameters"][kind] = entries
        documents.append(document)
    return documents


def served(version, rules_sent):
    """The service's answer to a PUT."""
    made = [
        {"id": f"new{version}", "ref": f"new{version}", **copy.deepcopy(rule), "version": str(version)} for rule in rules_sent
    ]
    return {"id": "rs", "version": str(version), "rules": made}


def unless_refused(function, *arguments):
    """What the function gives; input that it refuses as an invalid option is not of interest, any other failure is."""
    try:
        return function(*arguments)
    except Failure as failure:
        assume(failure.kind != INVALID_OPTION)
        raise


@settings(max_examples=400, deadline=None)
@given(options=OPTIONS, current=st.none() | rules())
def test_applied_plan_is_idempotent(options, current):
    """A plan that is applied leaves nothing to do, and rules of others alone."""
    ruleset = None if current is None else read_ruleset({"id": "rs", "version": "1", "rules": current})
    desired = unless_refused(desire, options)
    first = unless_refused(plan, desired, ruleset)
    assert (first.before == first.after) == (not first.requests)
    if not first.requests:
        return
    body = first.requests[-1].body
    ours = [rule for rule in body["rules"] if rule["action"] == "log_custom_field"]
    assert all(items for rule in ours for items in rule["action_parameters"].values())
    assert not (desired.present and desired.purge) or len(ours) == 1
    answer = served(2, body["rules"])
    after = read_ruleset(answer)
    conclusion = conclude(
        None,
        ruleset,
        first,
        [Answer(one, None, 200, 1, None) for one in ([{"id": "rs", "version": "1"}, answer] if ruleset is None else [answer])],
    )
    assert conclusion.warnings == ()
    assert conclusion.result["custom_fields"] == first.result["custom_fields"]
    second = plan(desired, after)
    assert second.requests == ()
    others = [rule for rule in current or () if rule["action"] == "set_config"]
    assert [{**rule.document, "version": "1"} for rule in after.rules if not rule.own] == others


@given(kind=st.sampled_from(FIELD_KINDS), text=st.text("aB-_1 \t\u212a", min_size=1, max_size=6))
def test_normal_name_is_idempotent(kind, text):
    """The normal form of a name is its own normal form."""
    once = unless_refused(normal_name, "place", kind, text)
    assert normal_name("place", kind, once) == once
