# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from support.samples.filters import both, either, of

from ansible_collections.edgeops.observability.plugins.module_utils._filter.compare import same_filter
from ansible_collections.edgeops.observability.plugins.module_utils._filter.parse import parse

A, B, C = of("eq", 1), of("contains", "x", "b"), of("eq", 2, "c")

EQUAL = [
    (A, {"where": A}),
    (A, both(A)),
    (A, either(both(either(A)))),
    (both(A, B), both(B, A)),
    (both(A, both(B, C)), both(A, B, C)),
    (both(A, either(both(B, C))), both(C, B, A)),
    (either(A, either(B, either(C))), either(either(C, B), A)),
    (both(A, A), A),
    (both(C, either(A, B)), both(either(B, A), C, either(A, B, A))),
    (of("in", ["x", "y"]), of("in", ["y", "x"])),
    (of("!in", ["x", "y", "x"]), of("!in", ["x", "y"])),
    (of("in", [1, 1.0, 2]), of("in", [2.0, 1])),
    (of("eq", 30), of("eq", 30.0)),
    (of("eq", 0), of("eq", -0.0)),
    (of("eq", 10**300), of("eq", 1e300)),
    # Other spellings of numbers: test_literals_compare_as_numbers.
    (of("leq", 0.1), of("leq", "0.1")),
    (of("gt", 2**80), of("gt", str(2**80))),
    (of("geq", "1e9999999"), of("geq", "10e9999998")),
]

DIFFERENT = [
    (A, B),
    (A, of("!eq", 1)),
    (A, of("eq", 1, "b")),
    (both(A, B), either(A, B)),
    (both(A, B), both(A, B, C)),
    (both(A, either(B, C)), either(A, both(B, C))),
    (of("eq", 30), of("eq", "30")),
    (of("eq", True), of("eq", 1)),
    (of("eq", True), of("eq", "true")),
    (of("eq", True), of("eq", False)),
    (of("in", [1]), of("in", ["1"])),
    (of("in", [1]), of("eq", 1)),
    (of("in", ["1"]), of("in", ["1e0"])),
    (of("eq", "30.0"), of("eq", "30")),
    (of("eq", 2**53), of("eq", 2**53 + 1)),
    (of("lt", str(2**53)), of("lt", 2**53 + 1)),
    (of("lt", "1e9999999"), of("lt", "1e9999998")),
    (of("contains", "a,b"), of("contains", 'a","b')),
    (of("in", ["a", "b"]), of("in", ["a,b"])),
    (both(of("eq", 1, "and")), both(of("eq", 1, "and"), B)),
]


@pytest.mark.parametrize(("one", "other", "equal"), [*((*pair, True) for pair in EQUAL), *((*pair, False) for pair in DIFFERENT)])
def test_equality(one, other, equal):
    assert same_filter(parse(one), parse(other)) is equal
