# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .facts import CONNECT_SRC, DEFAULT_SRC, DIRECTIVES, REFINING, SCRIPT_SRC, SELF, UNSAFE_EVAL, UNSAFE_INLINE, WORKER_SRC
from .matching import covers, in_effect, is_hidden
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


# Code in pages, and schemes without a host: no listing shows them. This much of it is allowed where nothing is restricted.
_HIDDEN = {SCRIPT_SRC: (UNSAFE_INLINE, UNSAFE_EVAL, "blob:", "data:"), CONNECT_SRC: ("blob:", "data:")}


class Narrowing(t.NamedTuple):
    """Where a policy allows less than another one: listed directives, others, and what listings hide, by listed directive and source."""

    listed: tuple[str, ...]
    unlisted: tuple[str, ...]
    hidden: tuple[tuple[str, str], ...]


def narrowing(old: Policy, new: Policy) -> Narrowing:
    """Return where a policy allows less than another one."""
    unlisted: set[str] = set()
    for name in DIRECTIVES:
        lost = missing(old, new, name)
        if name in (DEFAULT_SRC, *LISTED) or not lost:
            continue
        if name in REFINING and name not in {*old.directives, *new.directives}:
            continue  # what it would refine counts
        homes = {home[0] for home in (old.governing(name), new.governing(name)) if home}
        if name == WORKER_SRC and homes <= {SCRIPT_SRC}:
            unlisted.update((name,) if _loses_workers(old, new, lost) else ())
        else:
            unlisted.update(homes if len(homes) == 1 and name not in homes else (name,))
    hidden = ((name, source) for name in LISTED for source in _lost_hidden(old, new, name))
    return Narrowing(tuple(name for name in LISTED if missing(old, new, name)), tuple(sorted(unlisted)), tuple(hidden))


def _loses_workers(old: Policy, new: Policy, lost: t.Sequence[str]) -> bool:
    """Return whether workers may be lost with sources of scripts. Browsers load them only from the page's own site, or without a host."""
    had, has = old.governing(WORKER_SRC), new.governing(WORKER_SRC)
    allowed = in_effect(WORKER_SRC, has[1]) if has else ()
    has_own = any(covers(source, SELF) for source in allowed)
    if had is None:
        return not has_own or not {"blob:", "data:"} <= set(allowed)
    return any(is_hidden(source) or not has_own for source in lost if source == SELF or not source.startswith("'"))


def _lost_hidden(old: Policy, new: Policy, directive: str) -> list[str]:
    had, has = old.governing(directive), new.governing(directive)
    if has is None:
        return []
    lost = _HIDDEN[directive] if had is None else missing(old, new, directive)
    allowed = {SELF, *in_effect(directive, has[1])}
    return [source for source in lost if is_hidden(source) and source not in allowed]
