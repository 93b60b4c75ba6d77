# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ...module_utils._chain.kinds import KINDS, PAGES, SCRIPTS, Kind
from ...module_utils._chain.torn import Torn
from .chronicle import Chronicle

# What the sentences of a document are made from.

Texts = t.Iterator[str]


class Told(t.NamedTuple):
    """What is known of one chain: the zone with its name, the kind, why the chain is not valid, and its history in the period.

    `torn` is its last line, if that is incomplete, and `moved` are such lines of former audits, which lie beside it.
    """

    zone_id: str
    zone: str
    kind: Kind
    problem: str | None
    history: Chronicle
    torn: Torn | None = None
    moved: Torn | None = None


# Of the URL of a page in a sentence.
MAX_PAGE = 120
NOUNS: t.Mapping[str, str] = {SCRIPTS.name: "scripts", PAGES.name: "payment pages"}


class Lacking(t.NamedTuple):
    """What the folder has no chain of: zones that the document is about, those of the inventory that it is not about, and files that were not read."""

    zones: t.Sequence[str] = ()
    inventory: t.Sequence[str] = ()
    files: t.Sequence[str] = ()


def audited_of(chains: t.Sequence[Told]) -> list[Told]:
    """Return the chains with a record in the period; the others count in no number."""
    return [chain for chain in chains if chain.history.audits]


def kinds_of(chains: t.Sequence[Told]) -> list[Kind]:
    return [kind for kind in KINDS if any(chain.kind is kind for chain in chains)]


def count_zones(chains: t.Sequence[Told]) -> int:
    """Return the number of zones; one whose files differ in the case of its id has two chains of a kind."""
    return len({chain.zone_id for chain in chains})


def about_kind(kind: Kind, chains: t.Sequence[Told], word: str = "of") -> str:
    """Return of what a sentence is that is said of each kind; "" if there are only scripts."""
    return "" if kinds_of(chains) == [SCRIPTS] else f" {word} {NOUNS[kind.name]}"


def of_kind_words(chain: Told) -> str:
    """Return what tells the chain of a zone from the one of its scripts."""
    return "" if chain.kind is SCRIPTS else f" ({NOUNS[chain.kind.name]})"


def one_or(number: int, one: str, many: str) -> str:
    return one if number == 1 else many
