# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json

from .._core import invalid_option
from .._text import no_constant, unique_members
from .parse import read_echo
from .tree import AND, Condition, Group, Scalar, Tree, WrittenNumber, conditions, exact


def to_text(tree: Tree) -> str:
    """Return the JSON text to send: no blanks, fixed order of members, escapes only where JSON requires them."""
    node = _node(tree)
    # A bare condition is documented by only one of the two descriptions of the service, `and` of one by both.
    return f'{{"where":{{"{AND}":[{node}]}}}}' if isinstance(tree, Condition) else f'{{"where":{node}}}'


def _node(tree: Tree) -> str:
    if isinstance(tree, Group):
        return f'{{"{tree.op}":[{",".join(map(_node, tree.children))}]}}'
    value = f"[{','.join(map(scalar_text, tree.value))}]" if isinstance(tree.value, tuple) else scalar_text(tree.value)
    return f'{{"key":{scalar_text(tree.key)},"operator":"{tree.operator}","value":{value}}}'


def scalar_text(value: Scalar) -> str:
    """Return a value as JSON; a number that was read from text keeps its notation."""
    return value.text if isinstance(value, WrittenNumber) else json.dumps(value, ensure_ascii=False, allow_nan=False)


def to_data(text: str) -> object:
    """Return the filter of a text as data; the text itself if it is no JSON, or if a member or a number of it would not be the same."""
    try:
        data = json.loads(text, object_pairs_hook=unique_members, parse_float=_same_number, parse_constant=no_constant)
    except (ValueError, RecursionError):
        return text
    return data if isinstance(data, dict) else text


def _same_number(text: str) -> float:
    number = float(text)
    if exact(number) != exact(WrittenNumber(text)):
        raise ValueError(text)
    return number


PHRASES = {
    "eq": "is",
    "!eq": "is not",
    "lt": "is less than",
    "leq": "is at most",
    "gt": "is greater than",
    "geq": "is at least",
    "startsWith": "starts with",
    "!startsWith": "does not start with",
    "endsWith": "ends with",
    "!endsWith": "does not end with",
    "contains": "contains",
    "!contains": "does not contain",
    "in": "is one of",
    "!in": "is none of",
}

UNREADABLE = "The filter could not be understood, so it is not known which records are delivered."


def explain(tree: Tree | None) -> str:
    """Return a sentence that explains which records the filter, or no filter, delivers."""
    if tree is None:
        return "Every record is delivered: there is no filter."
    return f"A record is delivered only if {_clause(tree)}; all other records are left out."


def explain_echo(text: object) -> str:
    """Return that sentence for the filter of a job as the service reports it, or as a diff shows it."""
    text = json.dumps(text, ensure_ascii=False) if isinstance(text, dict) else text
    tree = read_echo(text) if isinstance(text, str) else None
    return UNREADABLE if tree is None and text not in (None, "") else explain(tree)


def _clause(tree: Tree, nested: bool = False) -> str:
    if isinstance(tree, Condition):
        values = tree.value if isinstance(tree.value, tuple) else (tree.value,)
        return f"{tree.key} {PHRASES[tree.operator]} {', '.join(map(scalar_text, values))}"
    if len(tree.children) == 1:
        return _clause(tree.children[0], nested)
    clause = f" {tree.op} ".join(_clause(child, nested=True) for child in tree.children)
    return f"({clause})" if nested else clause


# Documented by the service.
MAX_FILTER_OPERATORS = 30
MAX_FILTER_BYTES = 1000


def budget(tree: Tree) -> dict[str, int]:
    """Return how much of each limit of the service the expression uses."""
    return {
        "operators": len(list(conditions(tree))),
        "operators_limit": MAX_FILTER_OPERATORS,
        "bytes": len(to_text(tree).encode("utf-8")),
        "bytes_limit": MAX_FILTER_BYTES,
    }


def check_limits(tree: Tree, place: str = "filter") -> None:
    """Raise `Failure` that names every limit of the service that the expression exceeds."""
    used = budget(tree)
    excess = {unit: used[unit] - used[f"{unit}_limit"] for unit in ("operators", "bytes")}
    exceeded = [
        f"{used[unit]} {unit} are {more} more than the limit of {used[f'{unit}_limit']}"
        for unit, more in excess.items()
        if more > 0
    ]
    if exceeded:
        raise invalid_option(place, "; ".join(exceeded))
