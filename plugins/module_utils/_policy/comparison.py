# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .matching import covers, in_effect
from .parse import PLACE, Policy


class Difference(t.NamedTuple):
    """What one policy no longer allows of another one, and what it newly allows: a source with its directive, or a directive alone."""

    lost: tuple[str, ...]
    gained: tuple[str, ...]


def compare(old: Policy | None, new: Policy | None) -> Difference:
    """Compare two policies by what they allow; of one that cannot be parsed, anything may differ."""
    if old is None or new is None:
        return Difference((), ()) if old is new else Difference((PLACE,), (PLACE,))
    lost: list[str] = []
    gained: list[str] = []
    for name in sorted({*old.directives, *new.directives}):
        by_name = name not in old.directives or name not in new.directives
        for one, other, details in ((old, new, lost), (new, old, gained)):
            sources = missing(one, other, name)
            details.extend(([name] if sources else []) if by_name else [f"{name} {source}" for source in sources])
    return Difference(tuple(lost), tuple(gained))


def missing(one: Policy, other: Policy, directive: str) -> list[str]:
    """Return the sources of a directive that another policy does not allow; "*" stands for no restriction."""
    narrow, broad = one.governing(directive), other.governing(directive)
    if broad is None:
        return []
    if narrow is None:
        return ["*"]
    allowed = in_effect(broad[1])
    return [source for source in in_effect(narrow[1]) if not any(covers(each, source) for each in allowed)]
