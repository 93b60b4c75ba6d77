# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .facts import CONNECT_SRC, DEFAULT_SRC, DIRECTIVES, SCRIPT_SRC, SELF, UNSAFE_EVAL, UNSAFE_INLINE
from .matching import covers, in_effect
from .parse import PLACE, Policy

# What one policy allows and another one does not. Directives count with what they fall back to.


class Difference(t.NamedTuple):
    """What one policy no longer allows of another one, and what it newly allows: a source with its directive, or a directive alone."""

    lost: tuple[str, ...]
    gained: tuple[str, ...]


def compare(old: Policy | None, new: Policy | None) -> Difference:
    """Compare two policies by what they allow; of one that cannot be told, anything may differ."""
    if old == new:
        return Difference((), ())
    if old is None or new is None or not old.directives or not new.directives:
        return Difference((PLACE,), (PLACE,))
    return Difference(tuple(_details(old, new)), tuple(_details(new, old)))


def _details(one: Policy, other: Policy) -> list[str]:
    """Return what one policy allows and another one does not: by source, by the name alone of a directive that only one of them has."""
    details = []
    for name in sorted({*one.directives, *other.directives}):
        sources = missing(one, other, name)
        if name in one.directives and name in other.directives:
            details += [f"{name} {source}" for source in sources]
        elif sources:
            details.append(name)
    # A directive that neither has can move from one fallback to another, as workers do from `child-src` to `script-src`.
    for name in DIRECTIVES:
        homes = {home[0] for home in (one.governing(name), other.governing(name)) if home}
        if name not in homes and len(homes) > 1 and not homes & set(details):
            details += [f"{name} {source}" for source in missing(one, other, name)]
    return sorted(details)


def missing(one: Policy, other: Policy, directive: str) -> list[str]:
    """Return the sources of a directive that another policy does not allow; "*" stands for no restriction."""
    narrow, broad = one.governing(directive), other.governing(directive)
    if broad is None:
        return []
    if narrow is None:
        return ["*"]
    allowed = in_effect(directive, broad[1])
    return [source for source in in_effect(directive, narrow[1]) if not any(covers(other, source) for other in allowed)]


# The directives for which the zone lists what was loaded.
LISTED = (SCRIPT_SRC, CONNECT_SRC)


class Narrowing(t.NamedTuple):
    """Where a policy allows less than another one: listed directives, those that no listing shows, and code in pages that has no address."""

    listed: tuple[str, ...]
    unlisted: tuple[str, ...]
    code: tuple[str, ...]


def narrowing(old: Policy, new: Policy) -> Narrowing:
    """Return where a policy allows less than another one."""
    listed: list[str] = []
    unlisted: set[str] = set()
    for name in DIRECTIVES:
        if name == DEFAULT_SRC or not missing(old, new, name):
            continue
        homes = {home[0] for home in (old.governing(name), new.governing(name)) if home}
        if name in LISTED:
            listed.append(name)
        elif homes != {SCRIPT_SRC}:  # what falls back to it in both is listed with the scripts
            unlisted.update(homes if len(homes) == 1 and name not in homes else (name,))
    return Narrowing(tuple(listed), tuple(sorted(unlisted)), tuple(_lost_code(old, new)))


def _lost_code(old: Policy, new: Policy) -> list[str]:
    had, has = old.governing(SCRIPT_SRC), new.governing(SCRIPT_SRC)
    if has is None:
        return []
    lost = (UNSAFE_INLINE, UNSAFE_EVAL) if had is None else missing(old, new, SCRIPT_SRC)
    allowed = {SELF, *in_effect(SCRIPT_SRC, has[1])}
    return [keyword for keyword in lost if keyword.startswith("'") and keyword not in allowed]
