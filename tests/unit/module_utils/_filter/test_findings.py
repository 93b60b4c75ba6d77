# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from support.samples.filters import both, either, of

from ansible_collections.edgeops.observability.plugins.module_utils._filter import lint as rules
from ansible_collections.edgeops.observability.plugins.module_utils._filter.lint import MAX_DEPTH, MAX_STEPS, findings, impossible
from ansible_collections.edgeops.observability.plugins.module_utils._filter.parse import parse

B = of("eq", 1, "b")


def is_impossible(*goals, steps=MAX_STEPS):
    return impossible(*goals, steps=iter(range(steps)))


NEVER = [
    both(of("eq", 1), of("eq", 2)),
    both(of("eq", 1), of("eq", "1")),
    both(of("eq", 1), of("eq", True)),
    both(of("in", [1, 2]), of("in", ["1", 3])),
    both(of("in", [1, 2]), of("!eq", 1), of("!eq", 2)),
    both(of("eq", 1), of("!in", [1.0])),
    both(of("gt", 5), of("lt", "5")),
    both(of("geq", 5), of("lt", 5)),
    both(of("gt", 5), of("leq", 5)),
    both(of("gt", 6), of("lt", 5)),
    both(of("eq", 4), of("gt", 5)),
    both(of("eq", "x"), of("gt", 5)),
    both(of("startsWith", "/a"), of("startsWith", "/b")),
    both(of("endsWith", ".js"), of("endsWith", ".css")),
    both(of("startsWith", "/api"), of("!startsWith", "/")),
    both(of("endsWith", ".js"), of("!endsWith", "s")),
    both(of("startsWith", "/api"), of("!contains", "ap")),
    both(of("endsWith", "/api"), of("!contains", "ap")),
    both(of("startsWith", "x"), of("contains", "bots"), of("!contains", "bot")),
    both(of("contains", "x"), of("!contains", "x")),
    both(of("startsWith", "x"), of("!endsWith", "")),
    both(of("startsWith", "x"), of("!contains", "")),
    both(of("eq", "abc"), of("!startsWith", "a")),
    both(B, either(of("eq", 1), of("eq", 2)), of("eq", 3)),
    both(either(of("eq", 1), B), of("eq", 2), of("eq", 2, "b")),
]

ALWAYS = [
    either(of("!eq", 1), of("!eq", 2)),
    either(of("!eq", 1), of("eq", 1)),
    either(of("!in", [1, 2]), of("!eq", 3)),
    either(of("!startsWith", "/a"), of("!startsWith", "/b")),
    either(of("!startsWith", "/a"), of("startsWith", "/")),
    either(of("!contains", "x"), of("contains", "x")),
    either(of("!eq", 5), of("lt", 10)),
    either(B, of("!eq", 1), of("!eq", 2)),
    either(both(of("!eq", 1), B), of("eq", 1), of("!eq", 1, "b")),
]

NEITHER = [
    of("!eq", 1),
    of("startsWith", ""),
    of("!contains", ""),
    both(of("eq", 1), of("eq", 2, "b")),
    both(of("in", [1, 2]), of("in", [2, 3])),
    both(of("geq", 5), of("leq", "5")),
    both(of("geq", 5), of("leq", 5), of("!eq", 5)),
    both(of("gt", 5), of("lt", 6)),
    both(of("!eq", 1), of("!eq", 2)),
    both(of("!startsWith", "/a"), of("!startsWith", "/b")),
    both(of("startsWith", "/"), of("startsWith", "/a"), of("endsWith", "a")),
    both(of("startsWith", "/a"), of("!startsWith", "/ab")),
    both(of("contains", "ab"), of("!contains", "a")),
    both(of("contains", "ab"), of("!contains", "")),
    both(of("contains", "x"), of("contains", "y")),
    both(of("contains", "x"), of("!startsWith", "x")),
    both(of("startsWith", "x"), of("!contains", "y")),
    both(of("startsWith", "5"), of("gt", 4)),
    both(of("gt", "15"), of("startsWith", "2"), of("!contains", "1")),
    either(of("lt", 5), of("geq", 5)),
    either(of("!eq", 1), of("!eq", 1, "b")),
    either(of("!contains", "x"), of("!contains", "y")),
    either(of("!startsWith", "/a"), of("!startsWith", "/ab")),
    either(of("!eq", 1), of("gt", 5)),
]


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        *((expression, rules.NEVER) for expression in NEVER),
        *((expression, rules.ALWAYS) for expression in ALWAYS),
        *((expression, None) for expression in NEITHER),
    ],
)
def test_constant(expression, kind):
    tree = parse(expression)
    assert is_impossible((tree, True)) is (kind == rules.NEVER)
    assert is_impossible((tree, False)) is (kind == rules.ALWAYS)
    found = findings(tree)
    whole = [(each.kind, each.node) for each in found if each.path == "filter.where"]
    assert whole == [(kind, tree)] if kind else not {each.kind for each in found} & {rules.NEVER, rules.ALWAYS}


CLEAN = [
    of("eq", 1),
    both(B, of("eq", 1)),
    either(of("eq", 1), of("eq", 2)),
    both(of("!eq", 1), of("!eq", 2)),
    both(of("geq", 500), of("lt", 600)),
    both(of("endsWith", ".example.com"), either(of("geq", 500, "s"), of("in", ["POST", "PUT"], "m"))),
    either(of("!eq", "/health", "path"), of("!eq", 200, "status")),
    either(of("!eq", 1), of("eq", 2, "b")),
    either(both(of("eq", 1), B), both(of("eq", 2), of("!eq", 1, "b"))),
    both(of("contains", "ab"), of("contains", "a")),
    of("in", [1, "1"]),
]
W = "filter.where"
DELIVERS = "a filter names the records that are delivered, not those that are left out"
NEVER_TEXT = (
    f"never true: no record can meet all of this; {DELIVERS}; "
    "to deliver what meets any one of several conditions use 'or', or 'in' with a list of values"
)
ALWAYS_TEXT = (
    f"always true: every record meets this; {DELIVERS}; "
    "to leave out several values join their negations with 'and', or list the values with '!in'"
)
EXCLUSION_TEXT = (
    f"'or' of negations leaves out a record only if it fails all of them; to leave out each of these use 'and'; {DELIVERS}"
)

WARNINGS = [
    *((expression, []) for expression in CLEAN),
    (both(B, both(of("eq", 1), of("eq", 2))), [f"{W}: {NEVER_TEXT}", f"{W}.and[1]: {NEVER_TEXT}"]),
    (either(B, both(of("eq", 1), of("eq", 2))), [f"{W}.or[1]: {NEVER_TEXT}"]),
    (both(B, either(of("!eq", 1), of("!eq", 2))), [f"{W}.and[1]: {ALWAYS_TEXT}"]),
    (
        both(of("eq", 1), of("eq", 2), either(of("!eq", 1), of("!eq", 2))),
        [f"{W}.and[2]: {ALWAYS_TEXT}", f"{W}: {NEVER_TEXT}"],
    ),
    (both(of("eq", 1), B, of("eq", 1.0)), [f"{W}.and[2]: repeats {W}.and[0]; remove one of them"]),
    (
        either(B, both(B, B)),
        [
            f"{W}.or[1].and[1]: repeats {W}.or[1].and[0]; remove one of them",
            f"{W}.or[1]: repeats {W}.or[0]; remove one of them",
        ],
    ),
    (both(of("gt", 5), of("gt", 3)), [f"{W}.and[1]: has no effect: {W}.and[0] already implies it; remove one of them"]),
    (both(of("leq", 5), of("lt", 5)), [f"{W}.and[0]: has no effect: {W}.and[1] already implies it; remove one of them"]),
    (both(of("geq", 5), of("gt", 5)), [f"{W}.and[0]: has no effect: {W}.and[1] already implies it; remove one of them"]),
    (both(of("gt", 3), of("gt", 5)), [f"{W}.and[0]: has no effect: {W}.and[1] already implies it; remove one of them"]),
    (
        both(of("in", [1]), of("eq", 1)),
        [f"{W}.and[1]: has no effect: {W}.and[0] already implies it; remove one of them"],
    ),
    (
        either(of("gt", 5), of("gt", 3)),
        [f"{W}.or[0]: has no effect: {W}.or[1] already lets through all that it does; remove one of them"],
    ),
    (
        either(of("startsWith", "/"), of("startsWith", "/a")),
        [f"{W}.or[1]: has no effect: {W}.or[0] already lets through all that it does; remove one of them"],
    ),
    (
        either(of("!eq", 1), of("eq", 2)),
        [f"{W}.or[1]: has no effect: {W}.or[0] already lets through all that it does; remove one of them"],
    ),
    (
        both(B, either(B, of("eq", 1))),
        [f"{W}.and[1]: has no effect: {W}.and[0] already implies it; remove one of them"],
    ),
    (of("in", [1, 2, 1.0]), [f"{W}.value[2]: repeats {W}.value[0]; remove one of them"]),
    (either(B, of("in", ["x", "x"])), [f"{W}.or[1].value[1]: repeats {W}.or[1].value[0]; remove one of them"]),
    (either(of("!contains", "x"), of("!contains", "y")), [f"{W}: {EXCLUSION_TEXT}"]),
    (both(B, either(of("!contains", "x"), of("!endsWith", "y"))), [f"{W}.and[1]: {EXCLUSION_TEXT}"]),
    (either(of("!contains", "x"), of("!contains", "x")), [f"{W}.or[1]: repeats {W}.or[0]; remove one of them"]),
    (either(of("!contains", "x"), of("!contains", "y"), B), []),
]


@pytest.mark.parametrize(("expression", "warnings"), WARNINGS)
def test_warning(expression, warnings):
    assert list(map(str, findings(parse(expression)))) == warnings


def test_place_names_the_option():
    assert list(map(str, findings(parse(of("in", [1, 1])), "job.filter"))) == [
        "job.filter.where.value[1]: repeats job.filter.where.value[0]; remove one of them"
    ]


def test_up_to_a_hundred_conditions_are_looked_at():
    def repeated(count):
        return parse({"and": [of("eq", 1, f"k{index}") for index in range(count - 1)] + [of("eq", 1, "k0")]})

    assert [finding.kind for finding in findings(repeated(100))] == [rules.DUPLICATE]
    assert findings(repeated(101)) == []


def pigeons(width, holes):
    """Unsatisfiable, and hard to prove: more fields than values, no two of which may agree."""
    fields = [f"p{index}" for index in range(width)]
    some = [either(*[of("eq", hole, field) for hole in range(holes)]) for field in fields]
    apart = [
        either(of("!eq", hole, one), of("!eq", hole, other))
        for hole in range(holes)
        for one in fields
        for other in fields
        if one < other
    ]
    return parse(both(*some, *apart))


def test_a_proof_that_is_too_long_is_given_up():
    assert is_impossible((pigeons(3, 2), True))
    assert not is_impossible((pigeons(3, 2), True), steps=10)
    assert not is_impossible((pigeons(9, 8), True))


@pytest.mark.parametrize(
    ("steps", "answers"),
    [(2, [False, False]), (3, [True, False]), (5, [True, False]), (6, [True, True])],
)
def test_steps_are_for_all_questions_together(steps, answers):
    left = iter(range(steps))
    tree = parse(both(of("eq", 1), of("eq", 2)))
    assert [impossible((tree, True), steps=left), impossible((tree, True), steps=left)] == answers


@pytest.mark.parametrize(("alternatives", "proved"), [(MAX_DEPTH, True), (MAX_DEPTH + 1, False)])
def test_a_proof_that_is_too_deep_is_given_up(alternatives, proved):
    values = list(range(1, alternatives))
    # Only all of them together contradict each other, so that the order in which they are looked at does not matter.
    tree = parse(both(either(of("in", values)), *[either(of("!eq", value)) for value in values]))
    assert is_impossible((tree, True)) is proved
    assert bool(findings(tree)) is proved
