# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections.abc
import functools
import json
import typing as t

from .._core import Failure, invalid_option
from .._text import did_you_mean, nearest, no_constant, shorten, shown
from . import tree as operators
from .tree import (
    MAX_INTEGER_BITS,
    MAX_NUMBER_TEXT,
    MEANT,
    NEGATION,
    OPERATORS,
    Condition,
    Group,
    Scalar,
    Tree,
    Value,
    Written,
    exact,
    is_number,
)

_NOT = ("not_", "not-", "not ", "not")


def read_value(operator: str, value: object, path: str) -> Value:
    """Return the value of a condition as plain types; raise `Failure` if the operator does not take its type."""
    if operator in operators.MEMBERSHIP:
        return _set_members(operator, value, path)
    if operator in operators.TEXT:
        return _text_only(operator, value, path)
    if operator in operators.ORDER:
        return _orderable(operator, value, path)
    if isinstance(value, bool):
        return bool(value)
    return _text_or_number(value, path, f"must be a string, a number, true or false{_list_hint(operator, value)}")


def read_text(value: str, path: str) -> str:
    """Return the value as a plain `str`; raise `Failure` if it cannot be encoded as UTF-8."""
    text = str.__str__(value)
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise invalid_option(path, f"{_shown(text)} has a lone surrogate, which cannot be sent as UTF-8")
    return text


def is_list(value: object) -> t.TypeGuard[collections.abc.Sequence[object]]:
    """Return whether a value is a list, a tuple or a sequence of a template engine, but not text."""
    return isinstance(value, collections.abc.Sequence) and not isinstance(value, (str, bytes, bytearray, memoryview))


def _set_members(operator: str, value: object, path: str) -> Value:
    if not is_list(value):
        raise invalid_option(path, f"must be a list of strings or numbers for {operator!r}, not {_shown(value)}")
    items = list(value)
    if not items:
        raise invalid_option(path, f"must not be empty for {operator!r}")
    return tuple(_text_or_number(item, f"{path}[{index}]", "must be a string or a number") for index, item in enumerate(items))


def _text_only(operator: str, value: object, path: str) -> str:
    if isinstance(value, str):
        return read_text(value, path)
    raise invalid_option(path, f"must be a string for {operator!r}, not {_shown(value)}")


def _orderable(operator: str, value: object, path: str) -> Scalar:
    expected = f"must be a number, or a string that is a JSON number, for {operator!r}"
    found = _text_or_number(value, path, expected)
    if exact(found) is None:
        raise invalid_option(path, f"{expected}, not {_shown(found)}")
    return found


def _text_or_number(value: object, path: str, expected: str) -> Scalar:
    if isinstance(value, str):
        return read_text(value, path)
    if not is_number(value):
        raise invalid_option(path, f"{expected}, not {_shown(value)}")
    if isinstance(value, Written):
        return value
    if isinstance(value, float):
        return float(value)
    number = int(value)
    if number.bit_length() > MAX_INTEGER_BITS:
        raise invalid_option(path, "is a number too large to be sent")
    return number


def _list_hint(operator: str, value: object) -> str:
    return f" for {operator!r} (a list goes with {operator.replace('eq', 'in')!r})" if is_list(value) else ""


MEMBERS = ("key", "operator", "value")
JsonObject: t.TypeAlias = "collections.abc.Mapping[str, object]"

# More levels than fit into a text that the service accepts, yet few enough for recursion.
MAX_DEPTH = 128
# Data that refers to itself would never end.
MAX_NODES = 10_000

_EXPECTED = "a condition {key, operator, value}, {and: [...]} or {or: [...]}"


class RepeatedMembers(dict[str, t.Any]):
    """A JSON object in which a member is repeated."""

    repeated: str = ""


class Reader:
    """Convert the data of one expression to a tree; raise `Failure` with the path of what is invalid."""

    def __init__(self) -> None:
        self._nodes = 0

    def read(self, data: object, path: str, depth: int = 0) -> Tree:
        """Return the condition or group that `data` describes."""
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
            raise invalid_option(place, f"must be a list of conditions, not {_shown(data)}")
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
    """Return the content of the outer `where`, which is optional."""
    if not isinstance(data, collections.abc.Mapping) or "where" not in data:
        return data
    members = _members(data, path)
    if len(members) > 1:
        raise invalid_option(path, f"'where' must be the only member, found beside it: {_others(members, 'where')}")
    return members["where"]


def _members(data: object, path: str) -> JsonObject:
    if not isinstance(data, collections.abc.Mapping):
        raise invalid_option(path, f"must be {_EXPECTED}, not {_shown(data)}")
    if isinstance(data, RepeatedMembers):
        raise invalid_option(path, f"the member {_shown(data.repeated)} is given more than once")
    for name in data:
        if not isinstance(name, str):
            raise invalid_option(path, f"the name of a member must be a string, not {_shown(name)}")
    if not data:
        raise invalid_option(path, f"must be {_EXPECTED}, not an empty object")
    return data


def _condition(members: JsonObject, path: str) -> Condition:
    for name in members:
        if name == "where":
            raise invalid_option(path, "'where' may only be the outermost member")
        if name not in MEMBERS:
            hint = did_you_mean(_nearest_member(name, members))
            raise invalid_option(path, f"{_shown(name)} is not a member of an expression{hint}")
    for name in MEMBERS:
        if name not in members:
            raise invalid_option(path, f"{name!r} is missing: a condition has the members key, operator and value")
    key = _key(members["key"], f"{path}.key")
    operator = _operator(members["operator"], f"{path}.operator")
    return Condition(key, operator, read_value(operator, members["value"], f"{path}.value"))


def _nearest_member(name: str, members: JsonObject) -> str:
    """Return the hint for an unknown member: next to members of a condition, only the missing ones are candidates."""
    if not any(member in members for member in MEMBERS):
        return nearest(name, MEMBERS + operators.JOINS)
    return nearest(name, [member for member in MEMBERS if member not in members])


def _key(value: object, path: str) -> str:
    if not isinstance(value, str):
        raise invalid_option(path, f"must be a string, the name of a log field, not {_shown(value)}")
    if not value.strip():
        raise invalid_option(path, "must not be empty: it is the name of a log field")
    return read_text(value, path)


def _operator(value: object, path: str) -> str:
    if not isinstance(value, str):
        raise invalid_option(path, f"must be a string, the name of an operator, not {_shown(value)}")
    if value not in operators.OPERATORS:
        raise invalid_option(path, f"{_shown(value)} is not an operator{did_you_mean(_meant_operator(value))}")
    return str.__str__(value)


def _others(members: JsonObject, known: str) -> str:
    return ", ".join(_shown(name) for name in members if name != known)


def _start(path: str) -> str:
    """Return the readable start of a path that may have hundreds of steps."""
    steps = path.split(".")
    return ".".join(steps[:4]) + ("..." if len(steps) > 4 else "")


def parse(value: object, place: str = "filter") -> Tree:
    """Return the tree of an expression that is given as data or as JSON text.

    `place` names the option; a `Failure` names the place in it, always with `where`, written or not.
    """
    path = f"{place}.where"
    try:
        data = _load(value, path) if isinstance(value, str) else value
        return Reader().read(under_where(data, path), path)
    except RecursionError:
        raise invalid_option(path, f"is nested more than {MAX_DEPTH} levels deep") from None


def read_echo(text: object) -> Tree | None:
    """Return the tree of a filter as the service reports it, also with other names of operators; None if it cannot be understood.

    The trees are cached, because each job is read several times.
    """
    return _read_text(text) if isinstance(text, str) and len(text) <= _MAX_REMEMBERED else _read_echo(text)


# Far longer than any text that the service accepts.
_MAX_REMEMBERED = 10_000


def _read_echo(text: object) -> Tree | None:
    try:
        return parse(text)
    except Failure:
        pass
    try:
        return parse(_translated(_load(text, "filter") if isinstance(text, str) else text))
    except (Failure, RecursionError):
        return None


@functools.lru_cache(maxsize=256)
def _read_text(text: str) -> Tree | None:
    return _read_echo(text)


def _translated(data: object) -> object:
    """Return an expression with the operators of this language in the place of their other names."""
    if isinstance(data, dict) and not isinstance(data, RepeatedMembers):
        return {
            name: MEANT.get(value, value) if name == "operator" and isinstance(value, str) else _translated(value)
            for name, value in data.items()
        }
    return [_translated(item) for item in data] if isinstance(data, list) else data


def _load(text: str, path: str) -> object:
    if not text.strip():
        raise invalid_option(path, "is empty: give a condition, or 'and' or 'or' of conditions")
    try:
        return json.loads(
            str.__str__(text),
            object_pairs_hook=_unique_pairs,
            parse_constant=no_constant,
            parse_int=lambda digits: _number(digits, int),
            parse_float=lambda digits: _number(digits, float),
        )
    except json.JSONDecodeError as error:
        raise invalid_option(path, f"is not valid JSON: line {error.lineno}, column {error.colno}: {error.msg}") from None
    except ValueError as error:
        # `NaN` or an infinity, or an integer with too many digits.
        raise invalid_option(path, f"is not valid JSON: {error}") from None


def _unique_pairs(pairs: list[tuple[str, t.Any]]) -> dict[str, t.Any]:
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
    """Return a plain number if Python writes it the same way; otherwise keep the notation, because it is sent."""
    if len(digits) > MAX_NUMBER_TEXT:
        raise ValueError("a number has too many digits")
    number = plain(digits)
    return number if repr(number) == digits else Written(digits)


def _meant_operator(name: str) -> str:
    """Return the operator that a user who wrote `name` most likely meant."""
    given = name[:64].strip().lower()
    for word in _NOT:
        if given.startswith(word):
            given = NEGATION + given[len(word) :]
            break
    return MEANT.get(given) or nearest(given, OPERATORS)


def _shown(value: object) -> str:
    """Return a value for a message, a number as it was written."""
    return shorten(value.text) if isinstance(value, Written) else shown(value)
