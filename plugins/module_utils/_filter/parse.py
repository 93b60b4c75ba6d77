# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import collections.abc
import functools
import itertools
import json
import typing as t

from .._core import Failure, invalid_option
from .._text import did_you_mean, nearest, no_constant, shorten, shown
from .tree import (
    JOINS,
    MAX_INTEGER_BITS,
    MAX_NUMBER_TEXT,
    MEANT,
    MEMBERSHIP,
    NEGATION,
    OPERATORS,
    ORDER,
    TEXT,
    Condition,
    Group,
    Scalar,
    Tree,
    Value,
    Written,
    exact,
)

MEMBERS = ("key", "operator", "value")
JsonObject: t.TypeAlias = "collections.abc.Mapping[str, object]"

# More levels than fit into a text that the service accepts, yet few enough for recursion.
MAX_DEPTH = 128
# Data that refers to itself would never end.
MAX_NODES = 10_000

_EXPECTED = "a condition {key, operator, value}, {and: [...]} or {or: [...]}"
_NOT = ("not_", "not-", "not ", "not")


class RepeatedMembers(dict[str, t.Any]):
    """A JSON object in which a member is repeated."""

    repeated: str = ""


def parse(value: object, place: str = "filter") -> Tree:
    """Return the tree of an expression that is given as data or as JSON text.

    `place` names the option; a `Failure` names the place in it, always with `where`, written or not.
    """
    path = f"{place}.where"
    try:
        data = _load(value, path) if isinstance(value, str) else value
        members, where = _members(data, path, ("where",))
        return _read(members["where"] if where else members, path, itertools.count(1))
    except RecursionError:
        raise invalid_option(path, f"is nested more than {MAX_DEPTH} levels deep") from None


@functools.lru_cache(maxsize=256)
def read_echo(text: str) -> Tree | None:
    """Return the tree of a filter as the service reports it, also with other names of operators; None if it cannot be understood.

    The trees are cached, because each job is read several times.
    """
    try:
        return parse(text)
    except Failure:
        pass
    try:
        return parse(_translated(_load(text, "filter")))
    except (Failure, RecursionError):
        return None


def _translated(data: object) -> object:
    """Return an expression with the operators of this language in the place of their other names."""
    if isinstance(data, dict) and not isinstance(data, RepeatedMembers):
        return {
            name: MEANT.get(value, value) if name == "operator" and isinstance(value, str) else _translated(value)
            for name, value in data.items()
        }
    return [_translated(item) for item in data] if isinstance(data, list) else data


def _read(data: object, path: str, counter: t.Iterator[int], depth: int = 0) -> Tree:
    """Return the condition or group that `data` describes."""
    nodes = next(counter)
    if depth > MAX_DEPTH:
        raise invalid_option(_start(path), f"is nested more than {MAX_DEPTH} levels deep")
    if nodes > MAX_NODES:
        raise invalid_option(_start(path), f"has more than {MAX_NODES} conditions and groups")
    members, join = _members(data, path, JOINS)
    if join is None:
        return _condition(members, path)
    items, place = members[join], f"{path}.{join}"
    if not is_list(items):
        raise invalid_option(place, f"must be a list of conditions, not {_shown(items)}")
    if not items:
        raise invalid_option(place, "must not be empty")
    return Group(join, tuple([_read(item, f"{place}[{index}]", counter, depth + 1) for index, item in enumerate(items)]))


def _members(data: object, path: str, sole: t.Collection[str]) -> tuple[JsonObject, str | None]:
    """Return the members of an object, and which of the names in `sole` is its only member."""
    if not isinstance(data, collections.abc.Mapping):
        raise invalid_option(path, f"must be {_EXPECTED}, not {_shown(data)}")
    if isinstance(data, RepeatedMembers):
        raise invalid_option(path, f"the member {_shown(data.repeated)} is given more than once")
    for name in data:
        if not isinstance(name, str):
            raise invalid_option(path, f"the name of a member must be a string, not {_shown(name)}")
    if not data:
        raise invalid_option(path, f"must be {_EXPECTED}, not an empty object")
    only = next((name for name in data if name in sole), None)
    if only is not None and len(data) > 1:
        others = ", ".join(_shown(name) for name in data if name != only)
        raise invalid_option(path, f"{only!r} must be the only member, found beside it: {others}")
    return data, only


def _condition(members: JsonObject, path: str) -> Condition:
    missing = [name for name in MEMBERS if name not in members]
    for name in members:
        if name == "where":
            raise invalid_option(path, "'where' may only be the outermost member")
        if name not in MEMBERS:
            # Next to members of a condition, only the missing ones can be meant.
            meant = nearest(name, MEMBERS + JOINS if len(missing) == len(MEMBERS) else missing)
            raise invalid_option(path, f"{_shown(name)} is not a member of an expression{did_you_mean(meant)}")
    if missing:
        raise invalid_option(path, f"{missing[0]!r} is missing: a condition has the members key, operator and value")
    key, operator, value = (members[name] for name in MEMBERS)
    if not isinstance(key, str):
        raise invalid_option(f"{path}.key", f"must be a string, the name of a log field, not {_shown(key)}")
    if not key.strip():
        raise invalid_option(f"{path}.key", "must not be empty: it is the name of a log field")
    if not isinstance(operator, str):
        raise invalid_option(f"{path}.operator", f"must be a string, the name of an operator, not {_shown(operator)}")
    if operator not in OPERATORS:
        hint = did_you_mean(_meant_operator(operator))
        raise invalid_option(f"{path}.operator", f"{_shown(operator)} is not an operator{hint}")
    return Condition(_text(key, f"{path}.key"), str.__str__(operator), _value(operator, value, f"{path}.value"))


def _value(operator: str, value: object, path: str) -> Value:
    """Return the value of a condition as plain types; raise `Failure` if the operator does not take its type."""
    if operator in MEMBERSHIP:
        if not is_list(value):
            raise invalid_option(path, f"must be a list of strings or numbers for {operator!r}, not {_shown(value)}")
        if not value:
            raise invalid_option(path, f"must not be empty for {operator!r}")
        return tuple([_scalar(item, f"{path}[{index}]", "must be a string or a number") for index, item in enumerate(value)])
    if operator in ORDER:
        expected = f"must be a number, or a string that is a JSON number, for {operator!r}"
        found = _scalar(value, path, expected)
        if exact(found) is None:
            raise invalid_option(path, f"{expected}, not {_shown(found)}")
        return found
    if operator in TEXT and not isinstance(value, str):
        raise invalid_option(path, f"must be a string for {operator!r}, not {_shown(value)}")
    if isinstance(value, bool):
        return value
    hint = f" for {operator!r} (a list goes with {operator.replace('eq', 'in')!r})" if is_list(value) else ""
    return _scalar(value, path, f"must be a string, a number, true or false{hint}")


def _scalar(value: object, path: str, expected: str) -> Scalar:
    """Return a string or a number as a plain type; raise `Failure` for anything else, and for what cannot be sent."""
    if isinstance(value, str):
        return _text(value, path)
    if exact(value) is None:
        raise invalid_option(path, f"{expected}, not {_shown(value)}")
    if isinstance(value, Written):
        return value
    if isinstance(value, float):
        return float(value)
    number = int(t.cast(int, value))
    if number.bit_length() > MAX_INTEGER_BITS:
        raise invalid_option(path, "is a number too large to be sent")
    return number


def _text(value: str, path: str) -> str:
    """Return a string as a plain `str`; raise `Failure` if it cannot be encoded as UTF-8."""
    text = str.__str__(value)
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise invalid_option(path, f"{_shown(text)} has a lone surrogate, which cannot be sent as UTF-8")
    return text


def is_list(value: object) -> t.TypeGuard[collections.abc.Sequence[object]]:
    """Return whether a value is a list, a tuple or a sequence of a template engine, but not text."""
    return isinstance(value, collections.abc.Sequence) and not isinstance(value, (str, bytes, bytearray, memoryview))


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
    marked = RepeatedMembers(members)
    marked.repeated = next(name for name, count in collections.Counter(name for name, _value in pairs).items() if count > 1)
    return marked


def _number(digits: str, plain: type[int] | type[float]) -> int | float | Written:
    """Return a plain number if Python writes it the same way; otherwise keep the notation, because it is sent."""
    if len(digits) > MAX_NUMBER_TEXT:
        raise ValueError("a number has too many digits")
    number = plain(digits)
    return number if repr(number) == digits else Written(digits)


def _start(path: str) -> str:
    """Return the readable start of a path that may have hundreds of steps."""
    steps = path.split(".")
    return ".".join(steps[:4]) + ("..." if len(steps) > 4 else "")


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
