# SPDX-License-Identifier: GPL-3.0-or-later

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.samples.custom_fields import FLAGS, KINDS, answer_to, own, params, ruleset

from ansible_collections.edgeops.observability.plugins.module_utils._core import INVALID_OPTION, Answer, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.facts import RESPONSE_KINDS
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.options import desire, normal_name
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.plan import plan
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.result import conclude
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.state import read_ruleset

NAMES = st.sampled_from(["a", "b", "c", "A", "C-c"])
DESIRED = st.builds(
    params,
    state=st.sampled_from(["present", "present", "absent"]),
    **dict.fromkeys(KINDS, st.none() | st.lists(NAMES, max_size=4)),
    preserve_duplicates=st.none() | st.lists(NAMES, max_size=2),
    purge=st.booleans(),
    description=st.none() | st.sampled_from(["", "mine"]),
    field_limit=st.sampled_from([0, None]),
)


@st.composite
def rules(draw):
    """Return rules as a service may have them: ours and those of others, in any order and state."""
    documents = []
    for number in range(draw(st.integers(0, 3))):
        rule = own(
            f"r{number}",
            {
                "action": draw(st.sampled_from(["log_custom_field", "log_custom_field", "set_config"])),
                "expression": draw(st.sampled_from(["true", "true", "false"])),
                "enabled": draw(st.booleans()),
            },
            **{kind: sorted(draw(st.sets(NAMES, min_size=1))) for kind in draw(st.sets(st.sampled_from(KINDS)))},
        )
        if rule["action"] == "set_config":
            rule["action_parameters"] = {"bic": True}
        for kind in RESPONSE_KINDS:
            for item in rule["action_parameters"].get(kind, ()):
                if draw(st.booleans()):
                    item[FLAGS] = draw(st.booleans())
        documents.append(rule)
    return documents


def unless_refused(function, *arguments):
    """Return the result; ignore examples that are refused as an invalid option, but no other failure."""
    try:
        return function(*arguments)
    except Failure as failure:
        assume(failure.kind != INVALID_OPTION)
        raise


@settings(max_examples=400, deadline=None)
@given(options=DESIRED, current=st.none() | rules())
def test_applied_plan_is_idempotent(options, current):
    """After a plan is applied, the next plan changes nothing, and rules of others are unchanged."""
    state = None if current is None else read_ruleset(ruleset(*current))
    desired = unless_refused(desire, options)
    first = unless_refused(plan, desired, state)
    assert (first.before == first.after) == (not first.requests)
    if not first.requests:
        return
    answer = answer_to(first)
    after = read_ruleset(answer)
    sent = [rule for rule in answer["rules"] if rule["action"] == "log_custom_field"]
    assert all(names for rule in sent for names in rule["action_parameters"].values())
    assert not (desired.present and desired.purge) or len(sent) == 1
    created = [{"id": "rs", "version": "5"}] if state is None else []
    conclusion = conclude(None, state, first, [Answer(one) for one in (*created, answer)])
    assert (conclusion.warnings, conclusion.result["custom_fields"]) == ((), first.result["custom_fields"])
    assert plan(desired, after).requests == ()
    seen = {"version": "1", "last_updated": "2026-01-01T00:00:00Z"}
    others = [rule for rule in current or () if rule["action"] == "set_config"]
    assert [{**rule.document, **seen} for rule in after.rules if not rule.own] == others


@given(kind=st.sampled_from(KINDS), text=st.text("aB-_1 \t\u212a", min_size=1, max_size=6))
def test_normal_name_is_idempotent(kind, text):
    once = unless_refused(normal_name, "place", kind, text)
    assert normal_name("place", kind, once) == once
