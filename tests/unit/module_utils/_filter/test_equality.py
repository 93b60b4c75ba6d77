# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._filter.compare import canonical, same_filter
from ansible_collections.edgeops.observability.plugins.module_utils._filter.parse import parse


def of(value, operator="eq", key="a"):
    return {"key": key, "operator": operator, "value": value}


A, B, C = of(1), of("x", "contains", "b"), of(2, key="c")

EQUAL = [
    (A, {"where": A}),
    (A, {"and": [A]}),
    (A, {"or": [{"and": [{"or": [A]}]}]}),
    ({"and": [A, B]}, {"and": [B, A]}),
    ({"and": [A, {"and": [B, C]}]}, {"and": [A, B, C]}),
    ({"and": [A, {"or": [{"and": [B, C]}]}]}, {"and": [C, B, A]}),
    ({"or": [A, {"or": [B, {"or": [C]}]}]}, {"or": [{"or": [C, B]}, A]}),
    ({"and": [A, A]}, A),
    ({"and": [A, {"or": [A, A]}]}, A),
    ({"or": [{"and": [A, B]}, {"and": [B, A]}]}, {"and": [A, B]}),
    ({"and": [C, {"or": [A, B]}]}, {"and": [{"or": [B, A]}, C, {"or": [A, B, A]}]}),
    (of(["x", "y"], "in"), of(["y", "x"], "in")),
    (of(["x", "y", "x"], "!in"), of(["x", "y"], "!in")),
    (of([1, 1.0, 2], "in"), of([2.0, 1], "in")),
    (of(30), of(30.0)),
    (of(0), of(-0.0)),
    (of(10**16), of(1e16)),
    (of(10**300), of(1e300)),
    *[
        (of(one, name), of(other, name))
        for name in ("lt", "leq", "gt", "geq")
        for one, other in [
            (30, "30"),
            (30, 30.0),
            ("30", "30.0"),
            ("30", "3e1"),
            ("300e-1", 30),
            ("-0", 0),
            (0.1, "0.1"),
            (0, "0e5"),
            ("0.00", 0),
            (-5, "-5"),
            (2**80, str(2**80)),
            ("1e9999999", "10e9999998"),
            (1000, "1E+3"),
            ("1e000000000003", 1000),
        ]
    ],
]

DIFFERENT = [
    (A, B),
    (of(1), of(1, "!eq")),
    (of(1), of(1, key="b")),
    ({"and": [A, B]}, {"or": [A, B]}),
    ({"and": [A, B]}, {"and": [A, B, C]}),
    ({"and": [A, {"or": [B, C]}]}, {"or": [A, {"and": [B, C]}]}),
    (of(30), of("30")),
    (of(30), of("3e1")),
    (of(True), of(1)),
    (of(False), of(0)),
    (of(True), of("true")),
    (of(True), of(False)),
    (of([1], "in"), of(["1"], "in")),
    (of([1], "in"), of(1)),
    (of(["1"], "in"), of(["1e0"], "in")),
    (of("30.0"), of("30")),
    (of(2**53), of(2**53 + 1)),
    (of(str(2**53), "lt"), of(2**53 + 1, "lt")),
    (of(5, "lt"), of(-5, "lt")),
    (of(5, "lt"), of(50, "lt")),
    (of("1e9999999", "lt"), of("1e9999998", "lt")),
    (of("a,b", "contains"), of('a","b', "contains")),
    (of(["a", "b"], "in"), of(["a,b"], "in")),
    (of("x"), of("X")),
]


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_counts_as_the_same(one, other):
    assert same_filter(parse(one), parse(other))
    assert hash(canonical(parse(one))) == hash(canonical(parse(other)))


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_is_a_change(one, other):
    assert not same_filter(parse(one), parse(other))


def test_canonical_text():
    tree = parse({"or": [of(["b", 1], "in"), {"and": [A, of(True)]}]})
    assert canonical(tree) == 'or(["a","in",["\\"b\\"","1e0"]],and(["a","eq","1e0"],["a","eq","true"]))'


def test_is_computed_once():
    tree = parse({"and": [A, B]})
    assert canonical(tree) is canonical(tree)
    assert tree.memo["canonical"] is canonical(tree)
