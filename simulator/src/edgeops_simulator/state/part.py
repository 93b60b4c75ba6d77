# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import copy
import typing as t

from edgeops_simulator.jsontext import KIND_NAMES, is_a

Document = dict[str, t.Any]
_P = t.TypeVar("_P", bound="Part")
_T = t.TypeVar("_T", bound="Table")


class BadSeed(ValueError):
    """A seed or snapshot does not have the documented form."""


def need(kind: type, value: t.Any, place: str) -> t.Any:
    if not is_a(value, kind):
        raise BadSeed(f"{place} is not {KIND_NAMES[kind]}")
    return value


class JobIds:
    """The ids of jobs, which count up over all zones and accounts and are never reused."""

    def __init__(self, following: int = 1) -> None:
        self.following = following

    def take(self) -> int:
        """Return the id of a new job."""
        job_id, self.following = self.following, self.following + 1
        return job_id

    def skip(self, job_id: int) -> None:
        """Continue after this id."""
        self.following = max(self.following, job_id + 1)


class Part(dict[t.Any, t.Any]):
    """One part of the state of a zone or account: how a seed sets it, and how a snapshot contains it.

    Seeds are checked only as far as the state needs it, not against the rules of the API.
    """

    in_log = True
    """Whether requests can change it, so that it belongs into the log of writes."""

    @classmethod
    def load(cls: type[_P], ids: JobIds, document: t.Any, place: str) -> _P:
        return cls(copy.deepcopy(need(dict, document, place)))

    def save(self) -> t.Any:
        return copy.deepcopy(dict(self))


class Table(Part):
    """A part that is a list of objects in seeds and snapshots, stored by id."""

    members: t.ClassVar[t.Mapping[str, type]] = {}
    """The members that the state itself looks at, as far as an object has them."""

    @classmethod
    def load(cls: type[_T], ids: JobIds, document: t.Any, place: str) -> _T:
        made = cls()
        for index, item in enumerate(need(list, document, place)):
            need(dict, item, f"{place}[{index}]")
            for name, kind in cls.members.items():
                if item.get(name) is not None:
                    need(kind, item[name], f"{place}[{index}].{name}")
            made.add(ids, item, index)
        return made

    def add(self, ids: JobIds, item: Document, index: int) -> None:
        """Add one object of a document, with defaults for omitted members."""
        raise NotImplementedError

    def save(self) -> t.Any:
        return copy.deepcopy(list(self.values()))


class Observed(Table):
    """A part that requests to the API cannot change, such as scripts. It is never copied, because it may be large."""

    in_log = False
    id_name = "id"

    def __init__(self, *items: t.Any) -> None:
        super().__init__(*items)
        self.listings: dict[t.Any, list[Document]] = {}
        """Cached listings, so that the time for a page depends on its items, not on those of the zone."""

    def add(self, ids: JobIds, item: Document, index: int) -> None:
        own_id = item.get(self.id_name) or f"{index + 1:032x}"
        self[own_id] = item if self.id_name in item else {self.id_name: own_id, **item}

    def save(self) -> t.Any:
        return list(self.values())
