# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._filter.parse import parse
from ansible_collections.edgeops.observability.plugins.module_utils._filter.text import PHRASES, explain, explain_echo
from ansible_collections.edgeops.observability.plugins.module_utils._filter.tree import OPERATORS


def of(operator, value, key="a"):
    return {"key": key, "operator": operator, "value": value}


CLAUSES = [
    (of("eq", "x"), 'a is "x"'),
    (of("!eq", True), "a is not true"),
    (of("lt", "5"), 'a is less than "5"'),
    (of("leq", 5.5), "a is at most 5.5"),
    (of("gt", 5), "a is greater than 5"),
    (of("geq", 5), "a is at least 5"),
    (of("startsWith", "\u20ac"), 'a starts with "\u20ac"'),
    (of("!startsWith", "/"), 'a does not start with "/"'),
    (of("endsWith", "/"), 'a ends with "/"'),
    (of("!endsWith", "/"), 'a does not end with "/"'),
    (of("contains", "/"), 'a contains "/"'),
    (of("!contains", "/"), 'a does not contain "/"'),
    (of("in", ["x", 2]), 'a is one of "x", 2'),
    (of("!in", ["x"]), 'a is none of "x"'),
    ({"and": [of("eq", 1)]}, "a is 1"),
    ({"and": [of("eq", 1), of("eq", 2, "b")]}, "a is 1 and b is 2"),
    ({"or": [of("eq", 1), of("eq", 2, "b")]}, "a is 1 or b is 2"),
    (
        {"or": [{"and": [{"or": [of("eq", 1), of("eq", 2)]}, of("eq", 3, "b")]}, of("eq", 4)]},
        "((a is 1 or a is 2) and b is 3) or a is 4",
    ),
    ({"and": [of("eq", 1), {"or": [of("eq", 2, "b")]}]}, "a is 1 and b is 2"),
    ({"and": [{"or": [of("eq", 1), of("eq", 2)]}]}, "a is 1 or a is 2"),
    ({"and": [{"and": [{"or": [of("eq", 1), of("eq", 2)]}]}, of("eq", 3, "b")]}, "(a is 1 or a is 2) and b is 3"),
]


@pytest.mark.parametrize(("expression", "clause"), CLAUSES)
def test_sentence(expression, clause):
    sentence = f"A record is delivered only if {clause}; all other records are left out."
    assert explain(parse(expression)) == sentence
    assert explain_echo(expression) == sentence


def test_every_operator_has_its_own_phrase():
    assert set(PHRASES) == set(OPERATORS)
    assert len(set(PHRASES.values())) == len(OPERATORS)


@pytest.mark.parametrize("nothing", [None, ""])
def test_no_filter(nothing):
    assert explain(None) == explain_echo(nothing) == "Every record is delivered: there is no filter."


@pytest.mark.parametrize("text", ["{", "[]", '{"where":{}}', 5])
def test_filter_that_is_not_understood(text):
    assert explain_echo(text) == "The filter could not be understood, so it is not known which records are delivered."
