# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import collections.abc
import dataclasses
import functools
import json
import re
import typing as t
from urllib.parse import unquote, unquote_plus

from ._core import BAD_RESPONSE, Failure, Json

# Shorter secrets are masked only as whole words: a header value "1" must not mask every digit of a report.
FREELY_MASKED = 4
# From this length on a secret is found in capitals or without them, too: hosts are written so, and messages sometimes.
_IN_OTHER_CAPITALS = 12
# A message may repeat only a part of a secret: at least this many characters, and half of it, are masked, too. They are searched by
# pieces of this length, of letters and digits.
_SHORTEST_PART = 16
_PIECE = 8
_CREDENTIAL = re.compile(r"[A-Za-z0-9+/=_.~-]+")
# Minimum length of Base64 that cannot match by chance; a part that begins inside a group needs more.
_SHORTEST_BASE64 = (5, 6, 6)
# Escapes of URLs, JSON, code and HTML. Single backslashes are dropped, because they escape or are escaped.
_ESCAPE = re.compile(
    r"%(?:25)*(?P<percent>[0-9A-Fa-f]{2})|\\+u(?P<pair>[dD][89a-bA-B][0-9A-Fa-f]{2}\\+u[dD][c-fC-F][0-9A-Fa-f]{2})"
    r"|\\+(?:u(?P<unit>[0-9A-Fa-f]{4})|x(?P<byte>[0-9A-Fa-f]{2})|U(?P<code>00(?:0[0-9A-Fa-f]|10)[0-9A-Fa-f]{4}))"
    r"|&(?P<entity>amp|lt|gt|quot|apos);|&#(?:(?P<decimal>[0-9]{1,7})|[xX](?P<hex>[0-9A-Fa-f]{1,6}));|(?P<other>[^\x00-\x7f])|\\+"
)
_MAX_CODE = 0x10FFFF
_ENTITIES: t.Mapping[str, str] = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
# A space may be written as a plus sign, and JSON and code write a line break as a letter.
_SAME = str.maketrans("+\n\r\t\b\f", " nrtbf")
_WORDS = re.compile(r"[A-Za-z0-9]+")
_WORD_CODES = "(?:3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa])"
_ESCAPED_WORDS = tuple(re.compile(start + _WORD_CODES) for start in ("%(?:25)*", r"\\u00", r"\\x"))
_BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_ ")


class Plain(t.NamedTuple):
    """A text with its escapes decoded to bytes, and for each byte where its escape begins and ends in the text."""

    content: str
    starts: t.Sequence[int]
    ends: t.Sequence[int]

    @classmethod
    def of(cls, text: str) -> Plain:
        """Decode a text; `content` has a character for each byte."""
        pieces: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        done, size = 0, len(text)
        for match in _ESCAPE.finditer(text):
            start, end = match.span()
            decoded = _meaning(match)
            pieces += [text[done:start], decoded]
            starts += [*range(done, start), *[start] * len(decoded)]
            ends += [*range(done + 1, start + 1), *[end] * len(decoded)]
            done = end
        return cls(
            "".join([*pieces, text[done:]]).translate(_SAME), [*starts, *range(done, size)], [*ends, *range(done + 1, size + 1)]
        )


def _meaning(escape: re.Match[str]) -> str:
    """Return the bytes of an escape; "" for a backslash."""
    kind, digits = escape.lastgroup, escape[escape.lastgroup or 0]
    if kind == "percent":
        decoded = chr(int(digits, 16))
    elif kind == "pair":
        units = bytes.fromhex(digits[:4] + digits[-4:])
        decoded = _in_bytes(units.decode("utf-16-be"))
    elif kind in ("unit", "byte", "code", "hex", "decimal"):
        code = int(digits, 10 if kind == "decimal" else 16)
        decoded = _in_bytes(chr(code)) if code <= _MAX_CODE else escape[0]
    else:
        decoded = _ENTITIES[digits] if kind == "entity" else _in_bytes(digits) if kind == "other" else ""
    return "" if decoded == "\\" else decoded


def _in_bytes(text: str) -> str:
    return text.encode(errors="surrogatepass").decode("latin-1")


@dataclasses.dataclass(eq=False, repr=False)
class Needle:
    """What to search for; `before` and `after`: the adjacent Base64 character may contain bits of the secret."""

    text: str
    before: bool = False
    after: bool = False

    @functools.cached_property
    def forms(self) -> frozenset[str]:
        """Return the text as bytes, both literally and with its escapes decoded."""
        literal = _in_bytes(self.text).replace("\\", "").translate(_SAME)
        return frozenset((literal, Plain.of(self.text).content)) - {""}

    def spans(self, text: str, plain: Plain) -> t.Iterator[tuple[int, int]]:
        """Return the start and end of each occurrence in a text, in any spelling."""
        yield from self._occurrences(text, self.text)
        for form in self.forms:
            for first, last in self._occurrences(plain.content, form):
                start = first - (self.before and plain.content[first - 1 : first] in _BASE64)
                stop = last + (self.after and plain.content[last : last + 1] in _BASE64)
                # Include the backslash before an escaped character.
                yield len(text[: plain.starts[start]].rstrip("\\")), plain.ends[stop - 1]

    def _occurrences(self, text: str, part: str) -> t.Iterator[tuple[int, int]]:
        start = text.find(part)
        while start >= 0:
            stop = start + len(part)
            around = text[max(0, start - 1) : start] + text[stop : stop + 1]
            if len(self.text) >= FREELY_MASKED or not _WORDS.search(around):
                yield start, stop
            start = text.find(part, start + 1)


@dataclasses.dataclass(eq=False, repr=False)
class Piece(Needle):
    """A piece of a secret by which a larger part of it is found: `whole` is the secret as bytes, and the piece begins there at `at`."""

    whole: str = ""
    at: int = 0

    def spans(self, text: str, plain: Plain) -> t.Iterator[tuple[int, int]]:
        """Return the start and end of each part of the secret that is long enough."""
        content, whole, done = plain.content, self.whole, 0
        for first, last in self._occurrences(content, self.text):
            if first < done:
                continue
            start, done, left, right = first, last, self.at, self.at + len(self.text)
            while left and start and content[start - 1] == whole[left - 1]:
                left, start = left - 1, start - 1
            while right < len(whole) and content[done : done + 1] == whole[right]:
                right, done = right + 1, done + 1
            if right - left >= max(_SHORTEST_PART, len(whole) / 2):
                yield len(text[: plain.starts[start]].rstrip("\\")), plain.ends[done - 1]


def needles_of(secret: str) -> t.Iterator[Needle]:
    """Return needles for a secret and its larger parts, and for its hexadecimal digits and its Base64.

    Base64 is searched in both alphabets and at each of the three offsets in a longer text.
    """
    yield Needle(secret)
    if len(secret) >= _IN_OTHER_CAPITALS:
        yield from (Needle(form) for form in {secret.lower(), secret.upper()} - {secret})
    yield from _pieces_of(secret)
    raw = secret.encode(errors="surrogatepass")
    if len(secret) > _SHORTEST_BASE64[0]:
        yield from (Needle(raw.hex()), Needle(raw.hex().upper()))
    for shift in range(3):
        first, last = -(-shift * 8 // 6), (shift + len(raw)) * 8 // 6
        if last - first >= _SHORTEST_BASE64[shift]:
            for encode in (base64.b64encode, base64.urlsafe_b64encode):
                yield Needle(encode(bytes(shift) + raw).decode()[first:last], shift > 0, (shift + len(raw)) % 3 > 0)


def _pieces_of(secret: str) -> t.Iterator[Needle]:
    # Of credentials only: parts of an address or of a text in words are what messages say, too.
    if len(secret) >= _SHORTEST_PART and _CREDENTIAL.fullmatch(secret):
        whole = Plain.of(secret).content
        for word in _WORDS.finditer(whole):
            last = word.end() - _PIECE
            starts = [*range(word.start(), last, _PIECE), last] if last >= word.start() else []
            yield from (Piece(whole[at : at + _PIECE], whole=whole, at=at) for at in starts)


def possible(needles: t.Iterable[Needle], text: str) -> list[Needle]:
    """Return the needles that may be in the JSON form of a value; this fast search excludes most of them before the exact one."""
    # Only letters and digits are compared here, so the text is decoded only if these are escaped, which is rare.
    is_escaped = any(escape.search(text) for escape in _ESCAPED_WORDS)
    decoded = _ESCAPE.sub(_meaning, text).translate(_SAME) if is_escaped else ""
    candidates = []
    for needle in needles:
        words = _WORDS.findall(needle.text)
        if max(words, key=len, default="") in text or any(word in decoded for word in words):
            candidates.append(needle)
    return candidates


MASK = "********"

# What a service shows in place of a secret: asterisks alone, after the scheme of a credential, or as a part of an address or a parameter.
_WHOLE_MASK = re.compile(r"(?:[A-Za-z]+ )?\*{3,}")
_PART_MASK = re.compile(r"[=/@:?&;#,]\*{3,}(?![^=/@:?&;#,])")


def require_unmasked(kept: t.Mapping[str, Json], words: str, advice: str) -> None:
    """Refuse a write that would send back, of what only the service sets, asterisks as the value; `words` name the object."""
    if places := [place for name, value in kept.items() for place in _masked_places(name, value)]:
        raise Failure(
            BAD_RESPONSE,
            f"{words}: the service masks {', '.join(places)}, and the write would replace what it hides by asterisks. Nothing was written;"
            f" {advice}.",
        )


def _masked_places(place: str, value: Json) -> t.Iterator[str]:
    if isinstance(value, dict):
        for name, member in value.items():
            yield from _masked_places(f"{place}.{name}", member)
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from _masked_places(f"{place}[{index}]", item)
    elif isinstance(value, str) and (_WHOLE_MASK.fullmatch(value) or (len(value.split()) == 1 and _PART_MASK.search(value))):
        yield place


# Minimum length of what is masked in member names, which are mostly documented words.
_HIDDEN_IN_NAMES = 8


def clean_text(text: str) -> str:
    """Return a text as one line with a space in place of each unprintable character, so that it cannot control a terminal."""
    return text if text.isprintable() else "".join(character if character.isprintable() else " " for character in text)


Value = t.TypeVar("Value")


def scrub(value: Value, secrets: t.Collection[str]) -> Value:
    """Return a JSON value with every secret masked, also where URLs, JSON, code, HTML or Base64 encode it."""
    forms = {form for secret in secrets if secret.strip("*") for form in (secret, unquote(secret), unquote_plus(secret)) if form}
    if not forms:
        return value
    needles = [needle for form in forms for needle in needles_of(form)]
    # One search in the whole value is fast and mostly finds nothing; a long listing has a million texts.
    text = text_without(value, ())
    if text is not None:
        needles = possible(needles, text)
    hidden: t.Any = _scrub(value, needles, 0) if needles else value
    return value if hidden == value else hidden


def text_without(value: Json, secrets: t.Iterable[str]) -> str | None:
    """Return a value as JSON if it contains no secret; None if it may contain one or cannot be encoded."""
    try:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return None
    # JSON encodes each character separately, so a part of a text is also a part of its JSON form.
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
    """Return a text with secrets masked; overlapping occurrences are masked as one, so that no rest of a secret remains."""
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
