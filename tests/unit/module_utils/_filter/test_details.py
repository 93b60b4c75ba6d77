# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._filter.compare import canonical
from ansible_collections.edgeops.observability.plugins.module_utils._filter.lint import Prover, findings
from ansible_collections.edgeops.observability.plugins.module_utils._filter.parse import parse
from ansible_collections.edgeops.observability.plugins.module_utils._filter.tree import (
    MAX_EXPONENT,
    Written,
    canonical_number,
    exact,
)


def of(operator, value, key="a"):
    return {"key": key, "operator": operator, "value": value}


@pytest.mark.parametrize(("number", "text"), [(0, "0"), (-30, "-3e1"), (30, "3e1"), (101, "101e0")])
def test_text_of_a_number(number, text):
    assert canonical_number(number) == text


@pytest.mark.parametrize("text", [f"1e{MAX_EXPONENT}", f"12e{MAX_EXPONENT - 1}", f"1e-{MAX_EXPONENT}"])
def test_numbers_beyond_a_float_keep_their_size(text):
    number = exact(Written(text))
    assert number is not None
    assert canonical_number(number) == text


def test_huge_number_spellings_are_equal():
    """Spellings of one number beyond a float are one number."""
    one, same, other = (exact(Written(text)) for text in ("1e9999999", "10e9999998", "2e9999999"))
    assert one == same != other
    assert hash(one) == hash(same) != hash(other)
    assert repr(parse('{"key":"a","operator":"eq","value":1.50}').value) == "Written('1.50')"


def test_places_start_with_the_option_name():
    """Places are named in the option `filter`, unless another is given."""
    for given, place in (((), "filter.where"), (("other",), "other.where")):
        with pytest.raises(Failure) as caught:
            parse("{", *given)
        assert caught.value.message.startswith(place)


def test_bound_is_not_read_as_text():
    tree = parse({"and": [of("gt", "15"), of("startsWith", "2"), of("!contains", "1")]})
    assert not Prover().never(tree)


@pytest.mark.parametrize(
    ("expression", "kinds"),
    [
        ({"and": [of("gt", 5), of("gt", 3)]}, ["shadowed"]),
        ({"and": [of("gt", 5), of("gt", 5), of("gt", 3)]}, ["duplicate", "shadowed"]),
        ({"and": [of("gt", 3), of("gt", 5), of("gt", 1)]}, ["shadowed", "shadowed"]),
        ({"or": [of("!contains", "x"), of("!contains", "y")]}, ["exclusion"]),
        (of("in", [1, 1]), ["duplicate"]),
    ],
)
def test_finding_has_its_kind_and_node(expression, kinds):
    found = findings(parse(expression))
    assert [finding.kind for finding in found] == kinds
    assert all(finding.node is not None for finding in found)


def test_longest_integer_in_a_text():
    with pytest.raises(Failure, match="is a number too large to be sent"):
        parse('{"key":"a","operator":"eq","value":' + "1" * 4096 + "}")


def test_separators_of_the_canonical_text():
    assert canonical(parse(of("eq", 1))) == '["a","eq","1e0"]'
