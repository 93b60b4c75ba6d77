# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import collections.abc
import json
import re
import typing as t
from urllib.parse import unquote, unquote_plus

from ._core import Json

# The ways in which a secret may be written, and where it is in a text.


# A shorter secret is hidden only where it stands alone: a header of "1" must not blot every digit of a report.
_FREELY_HIDDEN = 4
# Characters of Base64 that one cannot meet by chance; what begins in the middle of a group is less certain.
_SHORTEST_BASE64 = (5, 6, 6)
# What stands for another character in a URL, in JSON, in code or in HTML. Backslashes are dropped: they escape, or are escaped.
_ESCAPE = re.compile(
    r"%(?:25)*(?P<percent>[0-9A-Fa-f]{2})|\\+u(?P<pair>[dD][89a-bA-B][0-9A-Fa-f]{2}\\+u[dD][c-fC-F][0-9A-Fa-f]{2})"
    r"|\\+(?:u(?P<unit>[0-9A-Fa-f]{4})|x(?P<byte>[0-9A-Fa-f]{2})|U(?P<code>00(?:0[0-9A-Fa-f]|10)[0-9A-Fa-f]{4}))"
    r"|&(?P<entity>amp|lt|gt|quot|apos|#39);|(?P<other>[^\x00-\x7f])|\\+"
)
_ENTITIES: t.Mapping[str, str] = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'", "#39": "'"}
# A space may be written as a plus sign, and JSON and code write a line break as a letter.
_SAME = str.maketrans("+\n\r\t\b\f", " nrtbf")
_WORDS = re.compile(r"[A-Za-z0-9]+")
_WORD_CODES = "(?:3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa])"
_ESCAPED_WORDS = tuple(re.compile(start + _WORD_CODES) for start in ("%(?:25)*", r"\\u00", r"\\x"))
_BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_ ")


class Plain(t.NamedTuple):
    """A text as the bytes that its escapes stand for, and for each of them where its escape begins and ends."""

    content: str
    starts: t.Sequence[int]
    ends: t.Sequence[int]

    @classmethod
    def of(cls, text: str) -> Plain:
        """Decode a text; `content` holds a character for each byte."""
        size = len(text)
        if not _ESCAPE.search(text):
            return cls(text.translate(_SAME), range(size), range(1, size + 1))
        pieces: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        done = 0
        for found in _ESCAPE.finditer(text):
            start, end = found.span()
            decoded = _meaning(found)
            pieces += [text[done:start], decoded]
            starts += [*range(done, start), *[start] * len(decoded)]
            ends += [*range(done + 1, start + 1), *[end] * len(decoded)]
            done = end
        return cls(
            "".join([*pieces, text[done:]]).translate(_SAME), [*starts, *range(done, size)], [*ends, *range(done + 1, size + 1)]
        )


def _meaning(escape: re.Match[str]) -> str:
    """The bytes that an escape stands for; nothing for a backslash."""
    kind, digits = escape.lastgroup, escape[escape.lastgroup or 0]
    if kind == "percent":
        decoded = chr(int(digits, 16))
    elif kind == "pair":
        units = bytes.fromhex(digits[:4] + digits[-4:])
        decoded = _in_bytes(units.decode("utf-16-be"))
    elif kind in ("unit", "byte", "code"):
        decoded = _in_bytes(chr(int(digits, 16)))
    else:
        decoded = _ENTITIES[digits] if kind == "entity" else _in_bytes(digits) if kind == "other" else ""
    return "" if decoded == "\\" else decoded


def _in_bytes(text: str) -> str:
    return text.encode(errors="surrogatepass").decode("latin-1")


class Needle(t.NamedTuple):
    """What to look for, as it is written and as bytes; before and after Base64 of a part, one more character may hold bits of it."""

    text: str
    forms: frozenset[str]
    before: bool
    after: bool

    @classmethod
    def of(cls, text: str, before: bool = False, after: bool = False) -> Needle:
        """A needle; its own escapes are decoded as well, as they are in a text that holds it as it is."""
        literal = _in_bytes(text).replace("\\", "").translate(_SAME)
        return cls(text, frozenset((literal, Plain.of(text).content)) - {""}, before, after)

    def spans(self, text: str, plain: Plain) -> t.Iterator[tuple[int, int]]:
        """Where it is in a text, in any of its spellings."""
        yield from self._occurrences(text, self.text)
        for form in self.forms:
            for first, last in self._occurrences(plain.content, form):
                start = first - (self.before and plain.content[first - 1 : first] in _BASE64)
                stop = last + (self.after and plain.content[last : last + 1] in _BASE64)
                # The backslash before an escaped character is a part of it.
                yield len(text[: plain.starts[start]].rstrip("\\")), plain.ends[stop - 1]

    def _occurrences(self, text: str, part: str) -> t.Iterator[tuple[int, int]]:
        start = text.find(part)
        while start >= 0:
            stop = start + len(part)
            if len(self.text) >= _FREELY_HIDDEN or not any(map(_is_word, (text[start - 1 : start], text[stop : stop + 1]))):
                yield start, stop
            start = text.find(part, start + 1)


def _is_word(character: str) -> bool:
    return character.isascii() and character.isalnum()


class Look:
    """A first look at the JSON form of a value, for the few secrets that may be in it."""

    def __init__(self, text: str) -> None:
        self._text = text
        # Hardly any program escapes letters and digits; what else is escaped does not matter for the parts between it.
        self._decoded = (
            _ESCAPE.sub(_meaning, text).translate(_SAME) if any(escape.search(text) for escape in _ESCAPED_WORDS) else ""
        )

    def may_show(self, needle: Needle) -> bool:
        """Whether a needle may be there; one without letters and digits always may."""
        part = max(_WORDS.findall(needle.text), key=len, default="")
        if part in self._text or not self._decoded:
            return part in self._text
        return any(part in self._decoded for part in _WORDS.findall(needle.text))


def needles_of(secret: str) -> t.Iterator[Needle]:
    """A secret as it is, and in Base64 in both alphabets wherever it is in a longer text: what only its own bytes decide."""
    yield Needle.of(secret)
    raw = secret.encode(errors="surrogatepass")
    for shift in range(3):
        first, last = -(-shift * 8 // 6), (shift + len(raw)) * 8 // 6
        if last - first >= _SHORTEST_BASE64[shift]:
            for encode in (base64.b64encode, base64.urlsafe_b64encode):
                yield Needle.of(encode(bytes(shift) + raw).decode()[first:last], shift > 0, (shift + len(raw)) % 3 > 0)


MASK = "********"

# Names of members belong to the documented result, so that only what can hardly be a plain word is hidden in them.
_HIDDEN_IN_NAMES = 8


def clean_text(text: str) -> str:
    """Return a text of the service as one line that a terminal only shows: what is not printable becomes a space."""
    return text if text.isprintable() else "".join(character if character.isprintable() else " " for character in text)


def scrub(value: Json, secrets: t.Collection[str]) -> Json:
    """The same JSON value with every secret, however URLs, JSON, code, HTML or Base64 write it, replaced by asterisks."""
    plain = {form for secret in secrets if secret.strip("*") for form in (secret, unquote(secret), unquote_plus(secret)) if form}
    # Almost always there is nothing to hide, which one look at the whole shows; a long listing has a million texts.
    text = text_without(value, ()) if plain else ""
    look = None if text is None else Look(text)
    needles = [needle for form in plain for needle in needles_of(form) if look is None or look.may_show(needle)]
    hidden = _scrub(value, needles, 0) if needles else value
    return value if hidden == value else hidden


def text_without(value: Json, secrets: t.Iterable[str]) -> str | None:
    """The value as JSON text if no secret is in it; None where one may be, or where the value is more than JSON can say."""
    try:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return None
    # JSON writes character by character, so that what is in a text is in its JSON form, too.
    return None if any(json.dumps(secret)[1:-1] in text for secret in secrets) else text


def _scrub(value: Json, needles: t.Sequence[Needle], least: int) -> Json:
    if isinstance(value, str):
        return _hide(value, needles, least)
    if isinstance(value, collections.abc.Mapping):
        return {_scrub(name, needles, _HIDDEN_IN_NAMES): _scrub(member, needles, 0) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_scrub(item, needles, 0) for item in value]
    return value


def _hide(text: str, needles: t.Sequence[Needle], least: int) -> str:
    """Overlapping finds are hidden as one, so that no end of a secret is left over."""
    plain = Plain.of(text)
    spans = sorted(span for needle in needles for span in needle.spans(text, plain))
    pieces: list[str] = []
    end = 0
    for start, stop in spans:
        if stop - start < least:
            continue
        if start >= end:
            pieces += [text[end:start], MASK]
        end = max(end, stop)
    return "".join(pieces) + text[end:]
