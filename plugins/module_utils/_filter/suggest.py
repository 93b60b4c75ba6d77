# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._filter.number import Written
from ansible_collections.edgeops.observability.plugins.module_utils._filter.operators import MEANT, NEGATION, OPERATORS
from ansible_collections.edgeops.observability.plugins.module_utils._json import json_type

# Words that other languages put before an operator where this one has an exclamation mark.
_NOT = ("not_", "not-", "not ", "not")


def nearest(name: str, known: t.Iterable[str]) -> str:
    """The (first) known name that looks most like `name`, whatever its letter case; empty if none has anything in common."""
    import difflib  # noqa: PLC0415  # only a mistake needs it, and it is slow to import

    scores = [
        (0.0, ""),
        *((difflib.SequenceMatcher(None, name.lower(), other.lower()).ratio(), other) for other in known),
    ]
    return max(scores, key=lambda pair: pair[0])[1]


def meant_operator(name: str) -> str:
    """Return the operator that a user who wrote `name` most likely meant."""
    given = name[:64].strip().lower()
    for word in _NOT:
        if given.startswith(word):
            given = NEGATION + given[len(word) :]
            break
    return MEANT.get(given) or nearest(given, OPERATORS)


def did_you_mean(name: str) -> str:
    """The end of a message that names an alternative, or nothing."""
    return f" (did you mean {name!r}?)" if name else ""


def shown(value: object) -> str:
    """A value for a message: as Python writes it, cut where it would drown the sentence."""
    if isinstance(value, Written):
        return _cut(value.text)
    if not isinstance(value, (str, int, float)):
        return json_type([] if isinstance(value, tuple) else value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and value.bit_length() > 256:
        return "a very large number"
    return _cut(repr(str.__str__(value) if isinstance(value, str) else value))


def _cut(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
