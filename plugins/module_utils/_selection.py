# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ._core import Failure, conflict
from ._text import is_same_id


class Named(t.Protocol):
    """An object of a listing with a name that need not be unique."""

    @property
    def id(self) -> int | str: ...

    @property
    def name(self) -> str: ...


Item = t.TypeVar("Item", bound=Named)


class Nouns(t.NamedTuple):
    """What messages call one object and several, and the option with its id."""

    one: str
    several: str
    option: str


def select(items: t.Sequence[Item], nouns: Nouns, name: str | None, number: int | str | None) -> Item | None:
    """Return the object with an id, or else with a name.

    Two of one name are a conflict, and so is renaming one to the name that another has.
    """
    same = [item for item in items if name is not None and item.name == name]
    if number is not None:
        own = next((item for item in items if is_same_id(item.id, number)), None)
        others = [item for item in same if item is not own]
        if own is not None and own.name != name and others:
            raise conflict(
                f"name: {nouns.one} {_in_order(item.id for item in others)} is already named {name!r}, so that {nouns.one} {number}"
                " cannot get this name: two of one name could not be told apart. Rename or delete the other one first."
            )
        return own
    if len(same) > 1:
        raise ambiguous("name", nouns.several, (item.id for item in same), f"{name!r}", nouns.option)
    return same[0] if same else None


def ambiguous(option: str, several: str, ids: t.Iterable[int | str | None], called: str, selects: str) -> Failure:
    """Return the failure for an option with the name of several objects; `selects` names what tells them apart."""
    return conflict(f"{option}: the {several} {_in_order(ids)} are all named {called}; set {selects} to select one.")


def _in_order(ids: t.Iterable[int | str | None]) -> str:
    """Return ids as text: numbers by their value, others by their letters."""
    return ", ".join(sorted(map(str, ids), key=lambda number: (len(number) if number.isdecimal() else 0, number)))
