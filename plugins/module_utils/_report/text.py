# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# Text of the service and of scanned sites, made harmless for a page, a table or a line.
import itertools
import re
import typing as t

_REPLACEMENT = "\ufffd"
# Control characters, halves of characters, non-characters, and marks that change the direction of the text around them.
_UNSAFE = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)
_BREAKS = re.compile(r"[\t\r\n]+")


def line(text: object, limit: int = 0) -> str:
    """A text on one line without characters that act on what shows them; cut, saying so, where it is longer than the limit."""
    plain = _BREAKS.sub(" ", str(text))
    if limit and len(plain) > limit:
        plain = f"{plain[:limit]}... ({len(plain)} characters)"
    return _UNSAFE.sub(_REPLACEMENT, plain)


def distinct(texts: t.Iterable[str]) -> list[str]:
    """The texts, with a number behind each that is there already."""
    found: dict[str, None] = {}
    for text in texts:
        forms = itertools.chain([text], (f"{text}#{number}" for number in itertools.count(2)))
        found[next(form for form in forms if form not in found)] = None
    return list(found)


def until(waiver: dict[str, object]) -> str:
    """A waiver in words."""
    return f"{waiver['reason']} ({waiver['owner']}, until {waiver['until']})"
