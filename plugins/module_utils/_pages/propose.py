# SPDX-License-Identifier: GPL-3.0-or-later

"""Entries that would authorise what a page shows, without an authorisation."""

from __future__ import annotations

import re
import typing as t

from .._baseline.entries import add_name
from .._baseline.pattern import is_url
from .compare import Comparison
from .facts import OF_DOCUMENT
from .options import MEMBERS, NOBODY, SELF, Declared, Line


class LeftOut(t.NamedTuple):
    """What no entry can authorise, and why."""

    what: str
    why: str


def propose(comparison: Comparison, names: dict[str, int]) -> tuple[Declared, list[LeftOut]]:
    """Return the entry that would take the place of that of a page, and what it leaves out; a page under a pattern gets one of its own."""
    seen, entry = comparison.seen, comparison.entry
    left_out: list[LeftOut] = []
    replaced = entry if entry is not None and entry.pattern.is_exact else None
    own = seen.page.address.origin
    values = {name: seen.values(seen.first, name) for name in (*comparison.headers, *OF_DOCUMENT)}
    declared = {
        "name": replaced.name if replaced else add_name(seen.page.url, names, "page"),
        "page": seen.page.url,
        "headers": {name: texts[0] if len(texts) == 1 else texts for name, texts in values.items() if texts},
        "scripts": _lines(
            comparison, "script", [script.url for script in seen.scripts() if comparison.needs_line(script)], left_out
        ),
        "inline": _inline(comparison, left_out),
        "frames": _lines(comparison, "frame", [frame.url for frame in seen.frames()], left_out),
        "forms": sorted(filter(None, (_form(origin, own, left_out) for origin in seen.forms()))),
    }
    return {**dict.fromkeys(MEMBERS), **declared, **NOBODY}, left_out


def _lines(comparison: Comparison, kind: str, urls: t.Iterable[str], left_out: list[LeftOut]) -> list[t.Any]:
    """Return the lines of the entry that fit something, and a line for each other URL."""
    entry = comparison.entry
    lines: t.Sequence[Line] = () if entry is None else entry.scripts if kind == "script" else entry.frames
    declared = () if entry is None else entry.declared[f"{kind}s"]
    kept = [entry for entry, line in zip(declared, lines, strict=True) if f"{kind} {line.pattern.text}" in comparison.used]
    added = []
    for url in dict.fromkeys(urls):
        if any(line.pattern.covers(url) for line in lines):
            continue
        if is_url(url) and "*" not in url:
            added.append(url)
        else:
            why = "it has a star, which would make a pattern of it" if "*" in url else "it is no URL that an entry can name"
            left_out.append(LeftOut(f"{kind} {url}", why))
    return [*kept, *sorted(added)]


def _inline(comparison: Comparison, left_out: list[LeftOut]) -> list[str]:
    authorised = comparison.entry.inline if comparison.entry else frozenset[str]()
    names: set[str] = set()
    for code in comparison.seen.code():
        known = {code.inline.hash, code.shape} & authorised
        if known:
            names.update(filter(None, known))
        elif code.is_dynamic and code.shape is None:
            left_out.append(
                LeftOut(f"inline code in line {code.inline.line}", "it is another one in each fetch, and has no shape")
            )
        else:
            names.add(code.subject)
    return sorted(names)


def _form(origin: str, own: str, left_out: list[LeftOut]) -> str | None:
    if origin == own:
        return SELF
    if re.fullmatch(r"[a-z][a-z0-9+.-]*:", origin) or is_url(origin):
        return origin
    left_out.append(LeftOut(f"form {origin}", "it is no origin"))
    return None
