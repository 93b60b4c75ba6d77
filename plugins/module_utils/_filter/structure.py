# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections.abc
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._errors import invalid_option
from ansible_collections.edgeops.observability.plugins.module_utils._filter import operators
from ansible_collections.edgeops.observability.plugins.module_utils._filter.suggest import (
    did_you_mean,
    meant_operator,
    nearest,
    shown,
)
from ansible_collections.edgeops.observability.plugins.module_utils._filter.tree import Condition, Group, Tree
from ansible_collections.edgeops.observability.plugins.module_utils._filter.values import is_list, read_text, read_value

MEMBERS = ("key", "operator", "value")
JsonObject: t.TypeAlias = "collections.abc.Mapping[str, object]"

# More levels than fit into the text that the service accepts, and few enough for recursion.
MAX_DEPTH = 128
# Only data that refers to itself, or a mistake, is larger; reading it would not end.
MAX_NODES = 10_000

_EXPECTED = "a condition {key, operator, value}, {and: [...]} or {or: [...]}"


class RepeatedMembers(dict[str, t.Any]):
    """An object of a JSON text that gives one of its members more than once."""

    repeated: str = ""


class Reader:
    """Turns data into a tree, and names where it cannot; it reads one expression."""

    def __init__(self) -> None:
        self._nodes = 0

    def read(self, data: object, path: str, depth: int = 0) -> Tree:
        """The condition or group that `data` describes."""
        self._count(path, depth)
        members = _members(data, path)
        joins = [name for name in members if name in operators.JOINS]
        if not joins:
            return _condition(members, path)
        if len(members) > 1:
            raise invalid_option(path, f"{joins[0]!r} must be the only member, found beside it: {_others(members, joins[0])}")
        return self._group(joins[0], members[joins[0]], path, depth)

    def _group(self, op: str, data: object, path: str, depth: int) -> Group:
        place = f"{path}.{op}"
        if not is_list(data):
            raise invalid_option(place, f"must be a list of conditions, not {shown(data)}")
        if not data:
            raise invalid_option(place, "must not be empty")
        children = []
        for index, item in enumerate(data):
            children.append(self.read(item, f"{place}[{index}]", depth + 1))
        return Group(op, tuple(children))

    def _count(self, path: str, depth: int) -> None:
        self._nodes += 1
        if depth > MAX_DEPTH:
            raise invalid_option(_start(path), f"is nested more than {MAX_DEPTH} levels deep")
        if self._nodes > MAX_NODES:
            raise invalid_option(_start(path), f"has more than {MAX_NODES} conditions and groups")


def under_where(data: object, path: str) -> object:
    """What stands under the outer `where`, which may be left out."""
    if not isinstance(data, collections.abc.Mapping) or "where" not in data:
        return data
    members = _members(data, path)
    if len(members) > 1:
        raise invalid_option(path, f"'where' must be the only member, found beside it: {_others(members, 'where')}")
    return members["where"]


def _members(data: object, path: str) -> JsonObject:
    if not isinstance(data, collections.abc.Mapping):
        raise invalid_option(path, f"must be {_EXPECTED}, not {shown(data)}")
    if isinstance(data, RepeatedMembers):
        raise invalid_option(path, f"the member {shown(data.repeated)} is given more than once")
    for name in data:
        if not isinstance(name, str):
            raise invalid_option(path, f"the name of a member must be text, not {shown(name)}")
    if not data:
        raise invalid_option(path, f"must be {_EXPECTED}, not an empty object")
    return data


def _condition(members: JsonObject, path: str) -> Condition:
    for name in members:
        if name == "where":
            raise invalid_option(path, "'where' may only be the outermost member")
        if name not in MEMBERS:
            hint = did_you_mean(_nearest_member(name, members))
            raise invalid_option(path, f"{shown(name)} is not a member of an expression{hint}")
    for name in MEMBERS:
        if name not in members:
            raise invalid_option(path, f"{name!r} is missing: a condition has the members key, operator and value")
    key = _key(members["key"], f"{path}.key")
    operator = _operator(members["operator"], f"{path}.operator")
    return Condition(key, operator, read_value(operator, members["value"], f"{path}.value"))


def _nearest_member(name: str, members: JsonObject) -> str:
    """Beside other members of a condition, one that it still lacks is meant; alone it may be anything."""
    if not any(member in members for member in MEMBERS):
        return nearest(name, MEMBERS + operators.JOINS)
    return nearest(name, [member for member in MEMBERS if member not in members])


def _key(value: object, path: str) -> str:
    if not isinstance(value, str):
        raise invalid_option(path, f"must be text, the name of a log field, not {shown(value)}")
    if not value.strip():
        raise invalid_option(path, "must not be empty: it is the name of a log field")
    return read_text(value, path)


def _operator(value: object, path: str) -> str:
    if not isinstance(value, str):
        raise invalid_option(path, f"must be text, the name of an operator, not {shown(value)}")
    if value not in operators.OPERATORS:
        raise invalid_option(path, f"{shown(value)} is not an operator{did_you_mean(meant_operator(value))}")
    return str.__str__(value)


def _others(members: JsonObject, known: str) -> str:
    return ", ".join(shown(name) for name in members if name != known)


def _start(path: str) -> str:
    """The part of a path that a user can read when the whole of it is hundreds of steps long."""
    steps = path.split(".")
    return ".".join(steps[:4]) + ("..." if len(steps) > 4 else "")
