# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._selection import Nouns, select

NOUNS = Nouns("policy", "policies", "policy_id")


class Item(t.NamedTuple):
    id: int | str
    name: str


ITEMS = [Item("0123abcd", "a"), Item("ffff", "b")]


@pytest.mark.parametrize("spelling", ["0123abcd", "0123ABCD", "0123-abcd"])
def test_id_is_found_in_each_spelling_of_the_service(spelling: str) -> None:
    """Otherwise what is to be absent would stay, and the result would say that it is not there."""
    assert select(ITEMS, NOUNS, None, spelling) == ITEMS[0]
    assert select(ITEMS, NOUNS, "c", spelling) == ITEMS[0]
    with pytest.raises(Failure, match="policy ffff is already named 'b'"):
        select(ITEMS, NOUNS, "b", spelling)
    assert select([Item(4, "a")], NOUNS, "b", 4) == Item(4, "a")
