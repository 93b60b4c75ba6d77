# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._filter.evaluate import holds
from ansible_collections.edgeops.observability.plugins.module_utils._filter.number import Exact, exact
from ansible_collections.edgeops.observability.plugins.module_utils._filter.operators import NEGATION
from ansible_collections.edgeops.observability.plugins.module_utils._filter.tree import Condition

_FINITE = ("eq", "in")
_INVERSE = {"lt": "geq", "leq": "gt", "gt": "leq", "geq": "lt"}
_OVERLAP: dict[str, t.Callable[[str, str], bool]] = {"startsWith": str.startswith, "endsWith": str.endswith}


class Literal(t.NamedTuple):
    """A condition that shall hold, or shall not."""

    condition: Condition
    truth: bool

    @property
    def needed(self) -> bool:
        """Whether the field has to be there, and to be as the operator without its `!` says."""
        return self.condition.operator.startswith(NEGATION) is not self.truth

    @property
    def base(self) -> str:
        return self.condition.operator.lstrip(NEGATION)

    def holds(self, value: object) -> bool:
        return holds(self.condition, value) is self.truth


def contradict(literals: t.Sequence[Literal]) -> bool:
    """Whether no value of one field, nor its absence, can satisfy all of these; False where that is not certain."""
    needed = [literal for literal in literals if literal.needed]
    if not needed:
        return False
    for literal in needed:
        if literal.base in _FINITE:
            return not any(all(each.holds(value) for each in literals) for value in _values(literal))
    forbidden = [literal for literal in literals if not literal.needed]
    return _empty_range(needed, forbidden) or _texts_exclude(needed) or _text_forbidden(needed, forbidden)


def _values(literal: Literal) -> tuple[object, ...]:
    value = literal.condition.value
    return value if isinstance(value, tuple) else (value,)


def _empty_range(needed: t.Sequence[Literal], forbidden: t.Sequence[Literal]) -> bool:
    """Bounds that no number is within; once one bound asks for a number, the denial of another is a bound as well."""
    bounds = [(each.base, exact(each.condition.value)) for each in needed if each.base in _INVERSE]
    if not bounds:
        return False
    bounds += [(_INVERSE[each.base], exact(each.condition.value)) for each in forbidden if each.base in _INVERSE]
    lower = [(t.cast(Exact, number), base == "gt") for base, number in bounds if base in ("gt", "geq")]
    upper = [(t.cast(Exact, number), base == "lt") for base, number in bounds if base in ("lt", "leq")]
    return any(low > high or (low == high and (above or below)) for low, above in lower for high, below in upper)


def _texts_exclude(needed: t.Sequence[Literal]) -> bool:
    """Two beginnings, or two endings, of which neither is part of the other."""
    for base, overlaps in _OVERLAP.items():
        texts = [str(each.condition.value) for each in needed if each.base == base]
        if any(not overlaps(one, other) and not overlaps(other, one) for one in texts for other in texts):
            return True
    return False


def _text_forbidden(needed: t.Sequence[Literal], forbidden: t.Sequence[Literal]) -> bool:
    """A text that has to be there includes one that must not be."""
    is_text = any(each.base in _OVERLAP for each in needed)
    return any(
        _includes(has.base, str(has.condition.value), no.base, str(no.condition.value), is_text)
        for has in needed
        for no in forbidden
        if has.base not in _INVERSE and no.base not in _INVERSE and no.base not in _FINITE
    )


def _includes(has: str, text: str, base: str, part: str, is_text: bool) -> bool:
    if is_text and not part:
        return True
    if has == base and has in _OVERLAP:
        return _OVERLAP[has](text, part)
    # Of a list, `contains` says that it has exactly that member, so a part of the text proves something of texts only.
    return base == "contains" and (part in text if is_text else part == text)
