# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from support.samples.filters import of

from ansible_collections.edgeops.observability.plugins.module_utils._filter.compare import compile_filter
from ansible_collections.edgeops.observability.plugins.module_utils._filter.parse import parse
from ansible_collections.edgeops.observability.plugins.module_utils._filter.tree import OPERATORS

NAN, INF = float("nan"), float("inf")

# Operator, value of the filter, values of the record that pass, and values that do not. Groups and missing fields:
# test_evaluator_agrees_with_a_naive_one.
ROWS = [
    ("eq", "x", ["x"], ["X", "", "xx", ["x"], {"x": 1}, 0, True]),
    ("eq", "1", ["1"], [1, 1.0, True, "1.0"]),
    ("eq", 1, [1, 1.0], ["1", True, 2, [1], NAN, INF]),
    ("eq", 0.1, [0.1], ["0.1", 0, 0.1000001]),
    ("eq", True, [True], [1, "true", False, 1.0]),
    ("eq", False, [False], [0, "", "false", True]),
    ("eq", 2**53 + 1, [2**53 + 1], [2**53, float(2**53)]),
    ("eq", 1e16, [10**16], [10**16 + 1]),
    ("lt", 5, [4, 4.9, "4", "-1e9", -7], [5, 5.0, "5", 6, "x", "", True, False, [1], NAN, -INF, " 4"]),
    ("leq", 5, [5, 5.0, "5", "50e-1", 4], [5.1, "5.1", 6, True, "five", INF]),
    ("gt", "5", [6, 5.1, "6", "1e999999999", "1e9999999999"], [5, "5", 4, True, "x", INF, NAN, "1e-9999999999", "-1e9999999999"]),
    ("geq", "5", [5, "5.0", 6], [4, "4.99", False, None]),
    ("geq", 0.1, [0.1, "0.1", "0.10"], [0.09, "0.09"]),
    ("gt", 2**53, [2**53 + 1, str(2**53 + 1)], [2**53, float(2**53)]),
    ("startsWith", "ab", ["ab", "abc"], ["a", "xab", "AB", ["ab"], 5, True]),
    ("endsWith", "ab", ["ab", "xab"], ["abx", "b", ["ab"], 5]),
    ("contains", "ab", ["ab", "xaby", ["x", "ab"], ("ab",)], ["a b", ["xab"], [], {"ab": 1}, 5, "", [5]]),
    ("contains", "1", ["1", ["1"]], [[1], [True], 1]),
    ("startsWith", "", ["", "x"], [5, []]),
    ("in", ["x", 1], ["x", 1, 1.0], ["1", True, "X", ["x"], 2, NAN]),
    ("in", [0.5, "true"], [0.5, "true"], ["0.5", True, 5]),
]
NEGATIONS = [(f"!{row[0]}", row[1], row[3], row[2]) for row in ROWS if f"!{row[0]}" in OPERATORS]


@pytest.mark.parametrize(("operator", "value", "passing", "failing"), ROWS + NEGATIONS)
def test_condition(operator, value, passing, failing):
    test = compile_filter(parse(of(operator, value)))
    assert [found for found in passing if test({"a": found}) is not True] == []
    assert [found for found in failing if test({"a": found}) is not False] == []
