# SPDX-License-Identifier: GPL-3.0-or-later

"""Where readers of a document may disagree: in SVG and MathML that is more than a picture, what is text for one is an element for another."""

from __future__ import annotations

import re
import typing as t

_ATTRIBUTES = r"(?:[^<>\"']|\"[^\"]*\"|'[^']*')*"
# Attributes in which every reader finds the same ends.
_PLAIN = r"(?:[ \t\n\f\r/]+[^ \t\n\f\r<>\"'/=]+(?:[ \t\n\f\r]*=[ \t\n\f\r]*(?:\"[^\"]*\"|'[^']*'|[^ \t\n\f\r<>\"'=`]+))?)*[ \t\n\f\r/]*"
# An SVG in which nothing but shapes stands, and no text but that of titles and styles.
_SHAPES = (
    "animate|animateMotion|animateTransform|circle|clipPath|defs|ellipse|fe[A-Za-z]+|filter|g|image|line|linearGradient|marker|mask|metadata|mpath"
    "|path|pattern|polygon|polyline|radialGradient|rect|set|stop|switch|symbol|text|textPath|tspan|use|view"
)
_PICTURE = re.compile(
    rf"<svg(?=[\s/>]){_PLAIN}(?:(?<=/)>|>(?:[^<]|<(title|desc|style)(?=[\s>]){_PLAIN}>[^<]*</\1\s*>"
    rf"|</?(?:{_SHAPES})(?=[\s/>]){_PLAIN}>)*</svg\s*>)",
    re.IGNORECASE | re.ASCII,
)
_TAG = re.compile(rf"<([a-zA-Z][^\s/>]*)({_ATTRIBUTES})")
ACTIVE_TAGS = frozenset(("base", "button", "embed", "form", "frame", "iframe", "link", "meta", "object", "script", "template"))
_ACTIVE_ATTRIBUTES = re.compile(r"[\s/\"']on[a-z]+[\s]*=|javascript|srcdoc|formaction|&", re.IGNORECASE)


def find_doubt(text: str, foreign: t.Iterable[int], known: t.Container[int]) -> int | None:
    """Return where a tag begins that could be active and that no tree has as an element, if an SVG or MathML before it is no picture.

    `foreign` are the places where SVG and MathML begin, `known` those of all elements.
    """
    end = 0
    for start in sorted(foreign):
        if start < end:
            continue
        picture = _PICTURE.match(text, start)
        if picture is None:
            return _find_active(text, start, known)
        end = picture.end()
    return None


def _find_active(text: str, start: int, known: t.Container[int]) -> int | None:
    for tag in _TAG.finditer(text, start):
        if tag.start() not in known and (tag[1].lower() in ACTIVE_TAGS or _ACTIVE_ATTRIBUTES.search(tag[2])):
            return tag.start()
    return None
