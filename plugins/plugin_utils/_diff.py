# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import difflib
import json
import math
import typing as t

from ..module_utils._address import ACCOUNT, ZONE
from ..module_utils._core import PARTS, Json
from ..module_utils._difference import CREATE, DELETE, FILTER, UPDATE, Difference, of_members
from ..module_utils._filter.text import explain_echo
from ..module_utils._redact import clean_text
from ..module_utils._schema import valid
from ..module_utils._text import canonical, shorten
from ..module_utils._zone.result import ZoneResult, differences_of
from ._words import MIN_FOLDED, hosts_such_as, yaml_text

# Differences in lines for people: short ones, the lines of a unified diff, and equal ones of several zones once.

MAX_LINE_LENGTH = 100
T = t.TypeVar("T")


def diff_lines(diff: Json) -> list[str]:
    """Return one line for each member in which the two sides of a module's `diff` differ.

    Accept a diff or a result that contains one; a result of a zone without a diff has those of its parts, others give no lines.
    """
    return [line_of(difference) for difference in _differences(diff)]


def _differences(diff: Json) -> list[Difference]:
    if isinstance(diff, dict) and "before" not in diff:
        if "diff" not in diff and any(name in diff for name in PARTS):
            result = valid(ZoneResult, diff)
            if result is None:
                raise ValueError("is not the result of zone_observability, although it has its parts")
            return differences_of(result)
        diff = diff.get("diff")
    if diff is None:
        return []
    if not isinstance(diff, dict) or not {"before", "after"} <= diff.keys():
        raise ValueError("must be a diff with 'before' and 'after', or a result that contains one")
    return of_members(diff["before"], diff["after"])


def lines_of_hosts(results: Json) -> list[str]:
    """Return the lines of results by the names of their hosts, each with who it is about: equal differences of several are one line."""
    if not isinstance(results, dict):
        raise ValueError("must be a dictionary of results by host")
    pairs = [(name, difference) for name, result in results.items() for difference in _differences(result)]
    return folded_lines(pairs, {name: _scope(result) for name, result in results.items()})


def folded_lines(pairs: t.Iterable[tuple[str, Difference]], scopes: t.Mapping[str, str]) -> list[str]:
    """Return the lines of differences, each with the hosts that it is about: equal differences of several are one line."""
    return [
        f"{clean_text(hosts_such_as(names, [scopes[name] for name in names]))}: {line_of(difference)}"
        for names, difference in fold(pairs, key=list, least=MIN_FOLDED)
    ]


def _scope(result: Json) -> str:
    is_account = isinstance(result, dict) and result.get("account_id") and not result.get("zone_id")
    return ACCOUNT if is_account else ZONE


def line_of(difference: Difference) -> str:
    """Return a difference in a short line."""
    place = ".".join(part for part in (difference.resource, difference.subject, difference.path) if part)
    return clean_text(f"{place}: {_words(difference)}" if place else _words(difference))


def _words(difference: Difference) -> str:
    path, before, after = difference.path or "", difference.before, difference.after
    if difference.action != UPDATE:
        return {CREATE: "does not exist; would be created", DELETE: "exists; would be removed"}[difference.action]
    if difference.path is None and difference.secret:
        return "would be changed; what differs is secret"
    was, will = plain_list(before), plain_list(after)
    if was is not None and will is not None:
        added = [f"+{_text(path, item)}" for item in will if item not in was]
        gone = [f"-{_text(path, item)}" for item in was if item not in will]
        if added or gone:
            return shorten(" ".join(added + gone), MAX_LINE_LENGTH)
    return " -> ".join(shorten(_text(path, value), MAX_LINE_LENGTH) for value in (before, after))


def plain_list(value: Json) -> t.Sequence[Json] | None:
    """Return a list without objects and lists in it, and a text of several lines as its lines; None for anything else."""
    if isinstance(value, str) and "\n" in value.strip():
        return value.splitlines()
    is_plain = isinstance(value, (list, tuple)) and not any(isinstance(item, (dict, list)) for item in value)
    return value if isinstance(value, (list, tuple)) and is_plain else None


def _text(path: str, value: Json) -> str:
    if isinstance(value, dict) and path.rpartition(".")[2] == FILTER:
        return explain_echo(value)
    # A text of white space alone would not be seen.
    return value if isinstance(value, str) and value.strip() else json.dumps(value, ensure_ascii=False, default=str)


def unified(differences: t.Sequence[Difference], name: str) -> list[str]:
    """Return differences as the lines of a unified diff, both sides written as YAML; `name`: what they are of."""
    sides = (_tree(differences, "before"), _tree(differences, "after"))
    old, new = (yaml_text((), side, math.inf).splitlines()[1:] if side else [] for side in sides)
    lines = difflib.unified_diff(old, new, f"{name} before", f"{name} after", lineterm="")
    return [clean_text(text) for text in lines]


def _tree(differences: t.Sequence[Difference], side: t.Literal["before", "after"]) -> dict[str, Json]:
    """Return one side of differences as data by resource and subject, without what does not exist there."""
    tree: dict[str, t.Any] = {}
    for difference in differences:
        value = difference.before if side == "before" else difference.after
        if difference.path is not None:
            # The place of a member is one name, because names of members may have dots.
            part = tree.setdefault(difference.resource, {})
            (part if difference.subject is None else part.setdefault(difference.subject, {}))[difference.path] = value
        elif value is not None and difference.subject is not None:
            tree.setdefault(difference.resource, {})[difference.subject] = value
    return tree


def fold(pairs: t.Iterable[tuple[str, T]], key: t.Callable[[T], Json], least: int = 2) -> list[tuple[list[str], T]]:
    """Return each value with the names that have an equal one, in the order of the first; fewer than `least` names stand alone.

    The keys of values are compared, which are data and no texts.
    """
    groups: dict[str, list[tuple[str, T]]] = {}
    for name, value in pairs:
        groups.setdefault(canonical(key(value)), []).append((name, value))
    parts = [part for group in groups.values() for part in ([group] if len(group) >= least else [[pair] for pair in group])]
    return [([name for name, _value in part], part[0][1]) for part in parts]
