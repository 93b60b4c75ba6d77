# SPDX-License-Identifier: GPL-3.0-or-later

import pytest
from support.samples.filters import both, either, of

from ansible_collections.edgeops.observability.plugins.module_utils._filter.lint import MAX_STEPS, findings, impossible
from ansible_collections.edgeops.observability.plugins.module_utils._filter.parse import parse

B = of("eq", 1, "b")


def is_impossible(*goals, steps=MAX_STEPS):
    return impossible(*goals, steps=iter(range(steps)))


def warnings(expression):
    return list(findings(parse(expression)))


NEVER = [
    both(of("eq", 1), of("eq", 2)),
    both(of("in", [1, 2]), of("in", ["1", 3])),
    both(of("in", [1, 2]), of("!eq", 1), of("!eq", 2)),
    both(of("geq", 5), of("lt", 5)),
    both(of("gt", 5), of("leq", 5)),
    both(of("startsWith", "/a"), of("startsWith", "/b")),
    both(of("startsWith", "/api"), of("!startsWith", "/")),
    both(of("endsWith", ".js"), of("!endsWith", "s")),
    both(of("contains", "x"), of("!contains", "x")),
    both(B, either(of("eq", 1), of("eq", 2)), of("eq", 3)),
    both(either(of("eq", 1), B), of("eq", 2), of("eq", 2, "b")),
]

ALWAYS = [
    either(of("!eq", 1), of("!eq", 2)),
    either(of("!startsWith", "/a"), of("!startsWith", "/b")),
    either(of("!contains", "x"), of("contains", "x")),
    either(of("!eq", 5), of("lt", 10)),
    either(both(of("!eq", 1), B), of("eq", 1), of("!eq", 1, "b")),
]

NEITHER = [
    of("!eq", 1),
    of("!contains", ""),
    both(of("eq", 1), of("eq", 2, "b")),
    both(of("in", [1, 2]), of("in", [2, 3])),
    both(of("geq", 5), of("leq", "5")),
    both(of("startsWith", "/"), of("startsWith", "/a"), of("endsWith", "a")),
    both(of("startsWith", "/a"), of("!startsWith", "/ab")),
    both(of("contains", "ab"), of("!contains", "a")),
    both(of("startsWith", "5"), of("gt", 4)),
    either(of("lt", 5), of("geq", 5)),
    either(both(of("eq", 1), B), both(of("eq", 2), of("!eq", 1, "b"))),
]
DELIVERS = "a filter names the records that are delivered, not those that are left out"
NEVER_TEXT = (
    f"never true: no record can meet all of this; {DELIVERS}; "
    "to deliver what meets any one of several conditions use 'or', or 'in' with a list of values"
)
ALWAYS_TEXT = (
    f"always true: every record meets this; {DELIVERS}; "
    "to leave out several values join their negations with 'and', or list the values with '!in'"
)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        *((expression, NEVER_TEXT) for expression in NEVER),
        *((expression, ALWAYS_TEXT) for expression in ALWAYS),
        *((expression, None) for expression in NEITHER),
    ],
)
def test_constant(expression, text):
    tree = parse(expression)
    assert is_impossible((tree, True)) is (text == NEVER_TEXT)
    assert is_impossible((tree, False)) is (text == ALWAYS_TEXT)
    found = [warning for warning in warnings(expression) if "no effect" not in warning]
    assert found == ([f"filter.where: {text}"] if text else [])


@pytest.mark.parametrize(
    ("expression", "needless"),
    [
        (both(of("eq", 1), B, of("eq", 1.0)), {"and[2]": "and[0]"}),
        (both(of("gt", 5), of("gt", 3)), {"and[1]": "and[0]"}),
        (both(of("leq", 5), of("lt", 5)), {"and[0]": "and[1]"}),
        (both(of("in", [1]), of("eq", 1)), {"and[1]": "and[0]"}),
        (both(of("startsWith", "/"), of("startsWith", "/a")), {"and[0]": "and[1]"}),
        (both(B, either(B, of("eq", 1))), {"and[1]": "and[0]"}),
        (either(of("gt", 5), of("gt", 3)), {"or[0]": "or[1]"}),
        (either(of("!eq", 1), of("eq", 2)), {"or[1]": "or[0]"}),
        (either(B, both(B, B)), {"or[1].and[1]": "or[1].and[0]", "or[1]": "or[0]"}),
        (both(B, of("eq", 1)), {}),
        (both(of("contains", "ab"), of("contains", "a")), {}),
        (either(of("lt", 5), of("geq", 5)), {}),
    ],
)
def test_siblings_without_effect(expression, needless):
    assert warnings(expression) == [
        f"filter.where.{place}: has no effect beside filter.where.{other}; remove one of them"
        for place, other in needless.items()
    ]


def test_repeated_values():
    assert warnings(both(B, of("in", ["x", 1, "1", "x"]))) == [
        "filter.where.and[1].value[3]: repeats filter.where.and[1].value[0]; remove one of them"
    ]
    assert warnings(both(B, of("in", [1, "1"]))) == []


def test_parts_are_named_unless_the_whole_is_constant():
    never, always = both(of("eq", 1), of("eq", 2)), either(of("!eq", 1), of("!eq", 2))
    parts = either(B, never), both(of("eq", 1, "d"), always)
    assert warnings(both(of("eq", 1, "c"), *parts)) == [
        f"filter.where.and[1].or[1]: {NEVER_TEXT}",
        f"filter.where.and[2].and[1]: {ALWAYS_TEXT}",
    ]
    assert warnings(both(B, never)) == [f"filter.where: {NEVER_TEXT}"]


def test_up_to_a_hundred_conditions_are_looked_at():
    conditions = [of("eq", index) for index in range(101)]
    assert len(warnings(both(*conditions[:100]))) == 1
    assert warnings(both(*conditions)) == []


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
    assert list(findings(pigeons(3, 2))) == [f"filter.where: {NEVER_TEXT}"]
