# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._errors import Failure, invalid_option
from ansible_collections.edgeops.observability.plugins.module_utils._filter.number import MAX_NUMBER_TEXT, Written
from ansible_collections.edgeops.observability.plugins.module_utils._filter.structure import (
    MAX_DEPTH,
    Reader,
    RepeatedMembers,
    under_where,
)
from ansible_collections.edgeops.observability.plugins.module_utils._filter.tree import Tree
from ansible_collections.edgeops.observability.plugins.module_utils._json import no_constant


def parse(value: object, place: str = "filter") -> Tree:
    """The tree of an expression that is given as data or as the JSON text of it.

    `place` names the option; a `Failure` names the place in it, always with `where`, written or not.
    """
    path = f"{place}.where"
    try:
        data = _load(value, path) if isinstance(value, str) else value
        return Reader().read(under_where(data, path), path)
    except RecursionError:
        raise invalid_option(path, f"is nested more than {MAX_DEPTH} levels deep") from None


def read_echo(text: object) -> Tree | None:
    """The tree of the filter of a job, as the service reports it; None where there is none or it cannot be understood."""
    try:
        return parse(text)
    except Failure:
        return None


def _load(text: str, path: str) -> object:
    if not text.strip():
        raise invalid_option(path, "is empty: give a condition, or 'and' or 'or' of conditions")
    try:
        return json.loads(
            str.__str__(text),
            object_pairs_hook=_members,
            parse_constant=no_constant,
            parse_int=lambda digits: _number(digits, int),
            parse_float=lambda digits: _number(digits, float),
        )
    except json.JSONDecodeError as error:
        raise invalid_option(path, f"is not valid JSON: line {error.lineno}, column {error.colno}: {error.msg}") from None
    except ValueError as error:
        # A constant that JSON lacks, or an integer too long to be read.
        raise invalid_option(path, f"is not valid JSON: {error}") from None


def _members(pairs: list[tuple[str, t.Any]]) -> dict[str, t.Any]:
    members = dict(pairs)
    if len(members) == len(pairs):
        return members
    seen: set[str] = set()
    marked = RepeatedMembers(members)
    for name, _unused in pairs:
        if name in seen:
            marked.repeated = name
            break
        seen.add(name)
    return marked


def _number(digits: str, plain: type[int] | type[float]) -> int | float | Written:
    """The plain number if it is written like this; otherwise the writing is kept, because it is what gets sent."""
    if len(digits) > MAX_NUMBER_TEXT:
        raise ValueError("a number has too many digits")
    number = plain(digits)
    return number if repr(number) == digits else Written(digits)
