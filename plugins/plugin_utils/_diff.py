# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import typing as t

from ..module_utils._core import Json
from ..module_utils._redact import clean_text
from ..module_utils._text import shorten

# A diff of a module in lines for people.

MAX_LINE_LENGTH = 100


def diff_lines(diff: Json) -> list[str]:
    """Return one line for each member in which the two sides of a module's `diff` differ.

    Accept a diff or a result that contains one; a result without a diff gives no lines.
    """
    if isinstance(diff, dict) and "before" not in diff:
        diff = diff.get("diff")
    if diff is None:
        return []
    if not isinstance(diff, dict) or not {"before", "after"} <= diff.keys():
        raise ValueError("must be a diff with 'before' and 'after', or a result that contains one")
    return list(map(clean_text, _lines("", diff["before"], diff["after"])))


def _lines(place: str, before: Json, after: Json) -> t.Iterator[str]:
    if before == after:
        return
    if isinstance(before, dict) and isinstance(after, dict) and before and after:
        for name in sorted({**before, **after}):
            yield from _lines(f"{place}.{name}" if place else name, before.get(name), after.get(name))
    elif not place:
        yield _whole(before, after)
    elif {} in (before, after) and isinstance(before, dict) and isinstance(after, dict):
        yield f"{place}: {_whole(before, after)}"
    else:
        yield f"{place}: {_change(before, after)}"


def _whole(before: Json, after: Json) -> str:
    if not before:
        return "does not exist; would be created"
    return "exists; would be removed" if not after else _change(before, after)


def _change(before: Json, after: Json) -> str:
    was, will = plain_list(before), plain_list(after)
    if was is not None and will is not None:
        added = [f"+{_text(item)}" for item in will if item not in was]
        gone = [f"-{_text(item)}" for item in was if item not in will]
        if added or gone:
            return shorten(" ".join(added + gone), MAX_LINE_LENGTH)
    return " -> ".join(shorten(_text(value), MAX_LINE_LENGTH) for value in (before, after))


def plain_list(value: Json) -> t.Sequence[Json] | None:
    """Return a list without objects and lists in it; None for anything else."""
    is_plain = isinstance(value, (list, tuple)) and not any(isinstance(item, (dict, list)) for item in value)
    return value if isinstance(value, (list, tuple)) and is_plain else None


def _text(value: Json) -> str:
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False, default=str)
