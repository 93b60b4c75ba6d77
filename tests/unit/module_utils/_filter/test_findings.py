# SPDX-License-Identifier: GPL-3.0-or-later

import pytest
from support.samples.filters import both, either, of

from ansible_collections.edgeops.observability.plugins.module_utils._filter.lint import findings
from ansible_collections.edgeops.observability.plugins.module_utils._filter.parse import parse

B = of("eq", 1, "b")


def warnings(expression):
    return list(findings(parse(expression)))


@pytest.mark.parametrize(
    ("expression", "places"),
    [
        (both(of("eq", 1), of("eq", 2)), ["and[1]"]),
        (both(of("eq", 1), of("eq", "1")), ["and[1]"]),
        (both(of("eq", True), B, of("eq", 1)), ["and[2]"]),
        (both(of("in", [1, 2]), of("in", ["1", 3])), ["and[1]"]),
        (both(of("in", [1, 2]), of("in", [2, 3]), of("in", [3, 1])), ["and[2]"]),
        (both(of("in", [1, 2]), of("eq", 3), of("eq", 4)), ["and[1]"]),
        (either(B, both(of("eq", 1), of("eq", 2))), ["or[1].and[1]"]),
    ],
)
def test_values_that_exclude_each_other_are_a_warning(expression, places):
    texts = warnings(expression)
    assert [text.partition(":")[0] for text in texts] == [f"filter.where.{place}" for place in places]
    assert all("no record can meet all of this" in text and "use 'or', or 'in'" in text for text in texts)


@pytest.mark.parametrize(
    ("expression", "repeated"),
    [
        (both(of("eq", 1), B, of("eq", 1.0)), {"and[2]": "and[0]"}),
        (either(B, of("in", ["x", "y"]), of("in", ["y", "x"])), {"or[2]": "or[1]"}),
        (both(either(B, of("gt", 5)), either(of("gt", "5"), B)), {"and[1]": "and[0]"}),
        (either(B, both(B, B)), {"or[1]": "or[0]", "or[1].and[1]": "or[1].and[0]"}),
    ],
)
def test_repeated_siblings_are_a_warning(expression, repeated):
    assert warnings(expression) == [
        f"filter.where.{place}: repeats filter.where.{first}; remove one of them" for place, first in repeated.items()
    ]


@pytest.mark.parametrize(
    "expression",
    [
        of("eq", 1),
        of("in", [1, 1]),
        both(of("eq", 1), B),
        both(of("eq", 1), of("in", [1.0, 2])),
        both(of("eq", 1), of("!eq", 1)),
        both(of("!eq", 1), of("!eq", 2)),
        both(of("geq", 5), of("lt", 5)),
        both(of("startsWith", "/a"), of("startsWith", "/b")),
        both(either(of("eq", 1), B), of("eq", 2), of("eq", 2, "b")),
        either(of("eq", 1), of("eq", 2)),
        either(of("!eq", 1), of("!eq", 2)),
        both(*[either(of("eq", n), of("eq", n + 1)) for n in range(100)]),
    ],
)
def test_other_expressions_have_no_findings(expression):
    assert warnings(expression) == []
