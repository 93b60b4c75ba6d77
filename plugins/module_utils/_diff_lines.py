# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json
from ansible_collections.edgeops.observability.plugins.module_utils._redact import clean_text

LONGEST = 100


def diff_lines(diff: Json) -> list[str]:
    """One line for each member in which the two sides of a module's `diff` differ.

    The diff may come alone or in a whole result; a result without one has nothing to describe.
    """
    if isinstance(diff, dict) and "before" not in diff:
        diff = diff.get("diff")
    if diff is None:
        return []
    if not isinstance(diff, dict) or not {"before", "after"} <= diff.keys():
        raise ValueError("a diff with 'before' and 'after', or the result that holds one, is needed")
    return list(map(clean_text, _lines("", diff["before"], diff["after"])))


def _lines(place: str, before: Json, after: Json) -> t.Iterator[str]:
    if before == after:
        return
    if _members(before) and _members(after):
        for name in sorted({**before, **after}):
            yield from _lines(f"{place}.{name}" if place else name, before.get(name), after.get(name))
    elif not place:
        yield _whole(before, after)
    elif {} in (before, after) and isinstance(before, dict) and isinstance(after, dict):
        yield f"{place}: {_whole(before, after)}"
    else:
        yield f"{place}: {_change(before, after)}"


def _members(side: Json) -> bool:
    return isinstance(side, dict) and bool(side)


def _whole(before: Json, after: Json) -> str:
    if not before:
        return "is not there and would be created"
    return "is there and would be removed" if not after else _change(before, after)


def _change(before: Json, after: Json) -> str:
    if _plain_list(before) and _plain_list(after):
        added = [f"+{_text(item)}" for item in after if item not in before]
        gone = [f"-{_text(item)}" for item in before if item not in after]
        if added or gone:
            return _cut(" ".join(added + gone))
    return f"{_cut(_text(before))} -> {_cut(_text(after))}"


def _plain_list(side: Json) -> bool:
    return isinstance(side, (list, tuple)) and not any(isinstance(item, (dict, list)) for item in side)


def _text(value: Json) -> str:
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False, default=str)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
