# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections.abc
import functools
import json
import re
import typing as t

from .._core import Failure, invalid_option
from .._text import did_you_mean, nearest, no_constant, quoted, shorten, unique_members
from .tree import (
    AND,
    MEMBERSHIP,
    NEGATION,
    OPERATORS,
    OR,
    ORDER,
    TEXT,
    Condition,
    Group,
    Scalar,
    Tree,
    Value,
    WrittenNumber,
    exact,
)

MEMBERS = ("key", "operator", "value")
JsonObject: t.TypeAlias = "collections.abc.Mapping[str, object]"

# More levels than fit into a text that the service accepts, yet few enough for recursion.
MAX_DEPTH = 128
# An integer this long takes more text than a whole filter may have.
MAX_INTEGER_BITS = 4096

# Names from other languages whose nearest spelling here would be a different operator.
MEANT = {
    "lte": "leq",
    "gte": "geq",
    "ne": "!eq",
    "neq": "!eq",
    "=": "eq",
    "!=": "!eq",
    "<=": "leq",
    ">=": "geq",
    "<": "lt",
    ">": "gt",
    "lessthan": "lt",
    "greaterthan": "gt",
}
# How the names of negations begin in other languages.
_NEGATED = re.compile(r"!|(?:does ?|is ?)?not ?|n(?=in$)")

_EXPECTED = "a condition {key, operator, value}, {and: [...]} or {or: [...]}"
_LOOKS = (
    "is not a filter expression, which looks like {{key: {}, operator: {}, value: {}}}; several of them are joined with {{and: [...]}}"
    " or {{or: [...]}}"
)
_EXAMPLE = _LOOKS.format("EdgeResponseStatus", "geq", 500)
# What only the language of rules has, in which many write filters of other products.
_RULES_LANGUAGE = re.compile(r"[<>=~]|\b(?:eq|ne|lt|le|gt|ge|contains|matches|in|and|or|not)\b")
_WORDS = (*MEMBERS, "where", AND, OR)


def parse(value: object, place: str = "filter") -> Tree:
    """Return the tree of an expression that is given as data or as JSON text.

    `place` names the option; a `Failure` names the place in it, always with `where`, written or not.
    """
    path = f"{place}.where"
    try:
        data = _load(value, path, place) if isinstance(value, str) else value
        _refuse_another_form(data, place)
        if isinstance(data, collections.abc.Mapping) and list(data) == ["where"]:
            data = data["where"]
        return _read(data, path)
    except RecursionError:
        raise invalid_option(path, f"is nested more than {MAX_DEPTH} levels deep") from None


@functools.lru_cache(maxsize=256)
def read_echo(text: str) -> Tree | None:
    """Return the tree of a filter as the service reports it, also with other names of operators; None if it cannot be understood.

    The trees are cached, because each job is read several times.
    """
    try:
        data = _translated(_load(text, "filter", "filter"))
        return None if isinstance(data, str) else parse(data)
    except (Failure, RecursionError):
        return None


def _translated(data: object) -> object:
    """Return an expression with the operators of this language in the place of their other names."""
    if isinstance(data, dict):
        return {
            name: MEANT.get(value, value) if name == "operator" and isinstance(value, str) else _translated(value)
            for name, value in data.items()
        }
    return [_translated(item) for item in data] if isinstance(data, list) else data


def _refuse_another_form(data: object, place: str) -> None:
    """Refuse a dictionary that has nothing of an expression, such as `{EdgeResponseStatus: 500}`."""
    if not isinstance(data, collections.abc.Mapping) or not data or any(name in _WORDS for name in data):
        return
    (name, value), *others = data.items()
    if any(isinstance(key, str) and nearest(key, _WORDS) for key in data):
        return
    is_pair = not others and isinstance(name, str) and isinstance(value, (str, int, float))
    raise invalid_option(place, _LOOKS.format(shorten(name), "eq", _quoted(value)) if is_pair else _EXAMPLE)


def _load(text: str, path: str, place: str) -> object:
    if not text.strip():
        raise invalid_option(path, "is empty: give a condition, or 'and' or 'or' of conditions")
    try:
        return json.loads(
            str.__str__(text), object_pairs_hook=unique_members, parse_constant=no_constant, parse_float=WrittenNumber
        )
    except json.JSONDecodeError as error:
        if not text.lstrip().startswith(("{", "[", '"')):
            language = "is in the rules language, which Logpush does not use: it " if _RULES_LANGUAGE.search(text) else ""
            raise invalid_option(place, language + _EXAMPLE) from None
        raise invalid_option(path, f"is not valid JSON: line {error.lineno}, column {error.colno}: {error.msg}") from None
    except ValueError as error:
        # A repeated member, `NaN` or an infinity, or an integer with too many digits.
        raise invalid_option(path, f"is not valid JSON: {error}") from None


def _read(data: object, path: str, depth: int = 0) -> Tree:
    """Return the condition or group that `data` describes."""
    if depth > MAX_DEPTH:
        raise RecursionError
    if not isinstance(data, collections.abc.Mapping) or not data:
        raise invalid_option(path, f"must be {_EXPECTED}, not {'an empty object' if data == {} else _quoted(data)}")
    op = next((name for name in data if name in ("where", AND, OR)), None)
    if op is None:
        return _condition(data, path)
    if len(data) > 1:
        others = ", ".join(_quoted(name) for name in data if name != op)
        raise invalid_option(path, f"{op!r} must be the only member, found beside it: {others}")
    if op == "where":
        raise invalid_option(path, "'where' may only be the outermost member")
    items, place = data[op], f"{path}.{op}"
    if not isinstance(items, (list, tuple)):
        raise invalid_option(place, f"must be a list of conditions, not {_quoted(items)}")
    if not items:
        raise invalid_option(place, "must not be empty")
    return Group(op, tuple([_read(item, f"{place}[{index}]", depth + 1) for index, item in enumerate(items)]))


def _condition(members: JsonObject, path: str) -> Condition:
    missing = [name for name in MEMBERS if name not in members]
    for name in members:
        if name not in MEMBERS:
            meant = nearest(name, (*MEMBERS, AND, OR)) if isinstance(name, str) else ""
            raise invalid_option(path, f"{_quoted(name)} is not a member of an expression{did_you_mean(meant)}")
    if missing:
        raise invalid_option(path, f"{missing[0]!r} is missing: a condition has the members key, operator and value")
    key, operator, value = (members[name] for name in MEMBERS)
    if not isinstance(key, str):
        raise invalid_option(f"{path}.key", f"must be a string, the name of a log field, not {_quoted(key)}")
    if not key.strip():
        raise invalid_option(f"{path}.key", "must not be empty: it is the name of a log field")
    if not isinstance(operator, str):
        raise invalid_option(f"{path}.operator", f"must be a string, the name of an operator, not {_quoted(operator)}")
    if operator not in OPERATORS:
        raise invalid_option(f"{path}.operator", f"{_quoted(operator)} is not an operator{did_you_mean(_meant(operator))}")
    return Condition(_text(key, f"{path}.key"), str.__str__(operator), _value(operator, value, f"{path}.value"))


def _meant(operator: str) -> str:
    """Return the nearest operator, of a negation the nearest negation: any other would deliver what is to be kept back."""
    name = operator[:64].strip().lower().replace("_", "")
    negation = _NEGATED.match(name)
    if name in MEANT or not negation:
        return MEANT.get(name) or nearest(name, OPERATORS)
    positive = MEANT.get(name[negation.end() :], name[negation.end() :])
    return "" if positive in ORDER else nearest(NEGATION + positive, [name for name in OPERATORS if name.startswith(NEGATION)])


def _value(operator: str, value: object, path: str) -> Value:
    """Return the value of a condition as plain types; raise `Failure` if the operator does not take its type."""
    if operator in MEMBERSHIP:
        if not isinstance(value, (list, tuple)):
            raise invalid_option(path, f"must be a list of strings or numbers for {operator!r}, not {_quoted(value)}")
        if not value:
            raise invalid_option(path, f"must not be empty for {operator!r}")
        return tuple([_scalar(item, f"{path}[{index}]") for index, item in enumerate(value)])
    if operator in TEXT and not isinstance(value, str):
        raise invalid_option(path, f"must be a string for {operator!r}, not {_quoted(value)}")
    if operator in ORDER and exact(value) is None:
        expected = f"must be a number, or a string that is a JSON number, for {operator!r}"
        raise invalid_option(path, f"{expected}, not {_quoted(value)}")
    if isinstance(value, bool):
        return value
    hint = f" for {operator!r} (a list goes with {operator.replace('eq', 'in')!r})" if isinstance(value, (list, tuple)) else ""
    return _scalar(value, path, f"must be a string, a number, true or false{hint}")


def _scalar(value: object, path: str, expected: str = "must be a string or a number") -> Scalar:
    """Return a string or a number as a plain type; raise `Failure` for anything else, and for what cannot be sent."""
    if isinstance(value, str):
        return _text(value, path)
    if exact(value) is None or not isinstance(value, (WrittenNumber, float, int)):
        raise invalid_option(path, f"{expected}, not {_quoted(value)}")
    if isinstance(value, (WrittenNumber, float)):
        return value if isinstance(value, WrittenNumber) else float(value)
    number = int(value)
    if number.bit_length() > MAX_INTEGER_BITS:
        raise invalid_option(path, "is a number too large to be sent")
    return number


def _text(value: str, path: str) -> str:
    text = str.__str__(value)
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise invalid_option(path, f"{_quoted(text)} has a lone surrogate, which cannot be sent as UTF-8")
    return text


def _quoted(value: object) -> str:
    """Return a value for a message, a number as it was written."""
    return shorten(value.text) if isinstance(value, WrittenNumber) else quoted(value)
