# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ._core import conflict


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
        own = next((item for item in items if item.id == number), None)
        others = [item for item in same if item.id != number]
        if own is not None and own.name != name and others:
            raise conflict(
                f"name: {nouns.one} {_ids(others)} is already named {name!r}, so that {nouns.one} {number} cannot get this name: two of one"
                " name could not be told apart. Rename or delete the other one first."
            )
        return own
    if len(same) > 1:
        raise conflict(f"name: the {nouns.several} {_ids(same)} are all named {name!r}; set {nouns.option} to select one.")
    return same[0] if same else None


def _ids(items: t.Iterable[Named]) -> str:
    return ", ".join(str(number) for number in sorted(item.id for item in items))
