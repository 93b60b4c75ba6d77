# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import itertools
import operator
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ansible_collections.edgeops.observability.plugins.module_utils._filter.compare import compile_filter, same_filter
from ansible_collections.edgeops.observability.plugins.module_utils._filter.parse import parse
from ansible_collections.edgeops.observability.plugins.module_utils._filter.text import explain, to_text
from ansible_collections.edgeops.observability.plugins.module_utils._filter.tree import MAX_EXPONENT, exact

# As JSON writes numbers; Python would write each of the second row differently.
WRITTEN = ["0", "30", "-1", "1.5", "0.1", "-0.0", "1e+16", "123456789012345678901234567890"]
WRITTEN += ["1.50", "1e2", "1E2", "1e16", "0.10", "100e-2", "1e-400", "0.1000000000000000055511151231257827", "1e99999999999"]
LITERALS = st.from_regex(r"-?(0|[1-9][0-9]{0,3})(\.[0-9]{1,4})?([eE][+-]?[0-9]{1,2})?", fullmatch=True)
COMPARISONS = {"lt": operator.lt, "leq": operator.le, "gt": operator.gt, "geq": operator.ge}


def text_with(value, name="eq"):
    return f'{{"where":{{"and":[{{"key":"a","operator":"{name}","value":{value}}}]}}}}'


@pytest.mark.parametrize("literal", WRITTEN)
def test_number_is_sent_as_text_gives_it(literal):
    assert to_text(parse(text_with(literal))) == text_with(literal)
    assert to_text(parse(text_with(f"[{literal}]", "in"))) == text_with(f"[{literal}]", "in")
    assert to_text(parse(text_with(literal, "geq"))) == text_with(literal, "geq")
    assert explain(parse(text_with(literal))) == f"A record is delivered only if a is {literal}; all other records are left out."


@given(LITERALS)
def test_literal_keeps_spelling_and_value(literal):
    assume(literal != "-0")
    tree = parse(text_with(literal))
    assert to_text(tree) == text_with(literal)
    assert compile_filter(parse(text_with(literal, "geq")))({"a": literal})


@given(LITERALS, LITERALS)
def test_literals_compare_as_numbers(one, other):
    left, right = Fraction(one), Fraction(other)
    assert same_filter(parse(text_with(one)), parse(text_with(other))) is (left == right)
    assert same_filter(parse(text_with(one, "lt")), parse(text_with(f'"{other}"', "lt"))) is (left == right)
    for name, compare in COMPARISONS.items():
        assert compile_filter(parse(text_with(other, name)))({"a": one}) is compare(left, right)
        assert compile_filter(parse(text_with(f'"{other}"', name)))({"a": one}) is compare(left, right)


@pytest.mark.parametrize(
    ("value", "found"),
    [("1.50", 1.5), ("1e2", 100), ("100", 100.0), ("-0", 0), ("0.1", 0.1)],
)
def test_written_number_equals_the_number(value, found):
    tree = parse(text_with(value))
    assert compile_filter(tree)({"a": found})
    assert not compile_filter(tree)({"a": value}), "text is not a number"
    assert same_filter(tree, parse({"key": "a", "operator": "eq", "value": found}))
    assert compile_filter(parse(text_with(f"[7,{value}]", "in")))({"a": found})


# In strictly rising order; the members of a row are one number, also where it is beyond what any log field holds.
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
