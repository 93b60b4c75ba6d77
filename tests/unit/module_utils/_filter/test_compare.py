# SPDX-License-Identifier: GPL-3.0-or-later

import itertools
import operator
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.samples.filters import both, either, of

from ansible_collections.edgeops.observability.plugins.module_utils._filter.compare import compile_filter, same_filter
from ansible_collections.edgeops.observability.plugins.module_utils._filter.parse import parse
from ansible_collections.edgeops.observability.plugins.module_utils._filter.text import explain, to_text
from ansible_collections.edgeops.observability.plugins.module_utils._filter.tree import MAX_EXPONENT, OPERATORS, exact

A, B, C = of("eq", 1), of("contains", "x", "b"), of("eq", 2, "c")

# For other spellings of groups and numbers see test_equality_ignores_spelling and test_literals_compare_as_numbers.
EQUAL = [
    (both(A, either(both(B, C))), both(C, B, A)),
    (both(A, A), A),
    (both(C, either(A, B)), both(either(B, A), C, either(A, B, A))),
    (of("!in", ["x", "y", "x"]), of("!in", ["y", "x"])),
    (of("in", [1, 1.0, 2]), of("in", [2.0, 1])),
    (of("eq", 0), of("eq", -0.0)),
    (of("eq", 10**300), of("eq", 1e300)),
    (of("gt", 2**80), of("gt", str(2**80))),
]
DIFFERENT = [
    (A, of("!eq", 1)),
    (A, of("eq", 1, "b")),
    (both(A, B), either(A, B)),
    (both(A, B), both(A, B, C)),
    (both(A, either(B, C)), either(A, both(B, C))),
    (of("eq", 30), of("eq", "30")),
    (of("eq", True), of("eq", 1)),
    (of("in", [1]), of("in", ["1"])),
    (of("in", [1]), of("eq", 1)),
    (of("eq", "30.0"), of("eq", "30")),
    (of("eq", 2**53), of("eq", 2**53 + 1)),
    (of("contains", "a,b"), of("contains", 'a","b')),
    (of("in", ["a", "b"]), of("in", ["a,b"])),
    (both(of("eq", 1, "and")), both(of("eq", 1, "and"), B)),
]


@pytest.mark.parametrize(("one", "other", "equal"), [*((*pair, True) for pair in EQUAL), *((*pair, False) for pair in DIFFERENT)])
def test_filters_are_equal_if_they_mean_the_same(one, other, equal):
    assert same_filter(parse(one), parse(other)) is equal


NAN, INF = float("nan"), float("inf")
# Operator, value of the filter, values of the record that pass, and values that do not. For groups, missing fields and
# negations see test_evaluator_agrees_with_reference.
ROWS = [
    ("eq", "1", ["1"], [1, 1.0, True, "1.0", "", ["1"], {"1": 1}]),
    ("eq", 1, [1, 1.0], ["1", True, 2, [1], NAN, INF]),
    ("eq", 0.1, [0.1], ["0.1", 0, 0.1000001]),
    ("eq", True, [True], [1, "true", False, 1.0]),
    ("eq", 1e16, [10**16], [10**16 + 1]),
    ("lt", 5, [4, 4.9, "4", "-1e9", -7], [5, 5.0, "5", 6, "x", "", True, False, [1], NAN, -INF, " 4"]),
    ("leq", 5, [5, 5.0, "5", "50e-1", 4], [5.1, "5.1", 6, True, "five", INF]),
    ("gt", "5", [6, 5.1, "6", "1e999999999", "1e9999999999"], [5, "5", 4, True, "x", INF, NAN, "1e-9999999999", "-1e9999999999"]),
    ("geq", 0.1, [0.1, "0.1", "0.10"], [0.09, "0.09", False, None]),
    ("startsWith", "ab", ["ab", "abc"], ["a", "xab", "AB", ["ab"], 5, True]),
    ("endsWith", "ab", ["ab", "xab"], ["abx", "b", ["ab"], 5]),
    ("contains", "ab", ["ab", "xaby", ["x", "ab"], ("ab",)], ["a b", ["xab"], [], {"ab": 1}, 5, "", [5]]),
    ("in", ["x", 1], ["x", 1, 1.0], ["1", True, "X", ["x"], 2, NAN]),
]
NEGATIONS = [(f"!{row[0]}", row[1], row[3], row[2]) for row in ROWS if f"!{row[0]}" in OPERATORS]


@pytest.mark.parametrize(("operator", "value", "passing", "failing"), ROWS + NEGATIONS)
def test_condition_passes_matching_values(operator, value, passing, failing):
    test = compile_filter(parse(of(operator, value)))
    assert [actual for actual in passing if test({"a": actual}) is not True] == []
    assert [actual for actual in failing if test({"a": actual}) is not False] == []


# Numbers as JSON writes them; Python would write each number of the second row differently.
WRITTEN = ["0", "30", "-1", "1.5", "-0.0", "1e+16", "123456789012345678901234567890"]
WRITTEN += ["1.50", "1e2", "1E2", "1e16", "100e-2", "1e-400", "0.1000000000000000055511151231257827", "1e99999999999"]
LITERALS = st.from_regex(r"-?(0|[1-9][0-9]{0,3})(\.[0-9]{1,4})?([eE][+-]?[0-9]{1,2})?", fullmatch=True)
COMPARISONS = {"lt": operator.lt, "leq": operator.le, "gt": operator.gt, "geq": operator.ge}


def text_with(value, name="eq"):
    return f'{{"where":{{"and":[{{"key":"a","operator":"{name}","value":{value}}}]}}}}'


@pytest.mark.parametrize("literal", WRITTEN)
def test_number_is_sent_as_written(literal):
    for text in (text_with(literal), text_with(f"[{literal}]", "in"), text_with(literal, "geq")):
        assert to_text(parse(text)) == text
    assert explain(parse(text_with(literal))) == f"A record is delivered only if a is {literal}; all other records are left out."


@given(LITERALS, LITERALS)
def test_literals_compare_as_numbers(one, other):
    left, right = Fraction(one), Fraction(other)
    assert same_filter(parse(text_with(one)), parse(text_with(other))) is (left == right)
    assert same_filter(parse(text_with(one, "lt")), parse(text_with(f'"{other}"', "lt"))) is (left == right)
    for name, compare in COMPARISONS.items():
        assert compile_filter(parse(text_with(other, name)))({"a": one}) is compare(left, right)
        assert compile_filter(parse(text_with(f'"{other}"', name)))({"a": one}) is compare(left, right)


@pytest.mark.parametrize(("value", "number"), [("1.50", 1.5), ("1e2", 100), ("100", 100.0), ("-0", 0), ("0.1", 0.1)])
def test_number_in_text_equals_the_number(value, number):
    tree = parse(text_with(value))
    assert compile_filter(tree)({"a": number})
    assert not compile_filter(tree)({"a": value}), "text is not a number"
    assert same_filter(tree, parse(of("eq", number)))
    assert compile_filter(parse(text_with(f"[7,{value}]", "in")))({"a": number})


# In strictly ascending order; all members of a row are the same number, even beyond the range of log fields.
RISING = [
    ["-1e999999999999999999999", "-2e999999999"],
    [f"-9e{MAX_EXPONENT}", f"-90e{MAX_EXPONENT - 1}", f"-0.9e{MAX_EXPONENT + 1}"],
    ["-1", "-10e-1"],
    ["0", "-0", "0e99999999999", "0.00e-99999999999", "1e-99999999999999999999"],
    [f"1e-{MAX_EXPONENT}", f"10e-{MAX_EXPONENT + 1}"],
    ["0.5"],
    ["1", "1.0", "1e0"],
    ["30", "30.0", "3e1", "0.30e2"],
    [f"9.99e{MAX_EXPONENT}"],
    [f"1e{MAX_EXPONENT + 1}", "1e99999999999999999999999999"],
]


def test_numbers_are_ordered():
    for (low, ones), (high, others) in itertools.product(enumerate(RISING), repeat=2):
        for one, other in itertools.product(ones, others):
            assert (exact(one) < exact(other)) is (low < high), (one, other)
            assert (exact(one) >= exact(other)) is (low >= high), (one, other)
            assert (exact(one) == exact(other)) is (low == high), (one, other)
            assert (hash(exact(one)) == hash(exact(other))) is (low == high), (one, other)
