# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import collections.abc
import json
import os
import re
import typing as t
from urllib.parse import unquote, unquote_plus

from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json

MASK = "********"

# A shorter secret is hidden only where it stands alone: a header of "1" must not blot every digit of a report.
_FREELY_HIDDEN = 4
# Names of members belong to the documented result, so that only what can hardly be a plain word is hidden in them.
_HIDDEN_IN_NAMES = 8
# Characters of Base64 that one cannot meet by chance; what begins in the middle of a group is less certain.
_SHORTEST_BASE64 = (5, 6, 6)
_ENTITIES: t.Mapping[str, str] = {"&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "(?:apos|#39)"}
_LETTERS: t.Mapping[str, str] = {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f"}
# What stands for another character in a URL, in JSON, in code or in HTML; the rest of what these write is dropped.
_ESCAPE = re.compile(
    r"%(?:25)*([0-9A-Fa-f]{2})|\\+u00([0-9A-Fa-f]{2})|\\+x([0-9A-Fa-f]{2})|&(?:(amp|lt|gt|quot|apos)|#39);|\\+|\+"
)
_WORDS = re.compile(r"[A-Za-z0-9]+")
_WORD_CODES = "(?:3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa])"
_ESCAPED_WORDS = tuple(re.compile(start + _WORD_CODES) for start in ("%(?:25)*", r"\\u00", r"\\x"))
_BY_ENTITY = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'", None: "'"}


def clean_text(text: str) -> str:
    """Return a text of the service as one line that a terminal only shows: what is not printable becomes a space."""
    return text if text.isprintable() else "".join(character if character.isprintable() else " " for character in text)


def scrub(value: Json, secrets: t.Collection[str]) -> Json:
    """The same JSON value with every secret, however URLs, JSON, code, HTML or Base64 write it, replaced by asterisks."""
    plain = {form for secret in secrets if secret.strip("*") for form in (secret, unquote(secret), unquote_plus(secret)) if form}
    # Almost always there is nothing to hide, which one look at the whole shows; a long listing has a million texts.
    text = text_without(value, ()) if plain else ""
    look = None if text is None else _Look(text)
    patterns = [re.compile(f"(?=({pattern}))", re.DOTALL) for form in plain for pattern in _patterns(form, look)]
    hidden = _scrub(value, patterns, 0) if patterns else value
    return value if hidden == value else hidden


def text_without(value: Json, secrets: t.Iterable[str]) -> str | None:
    """The value as JSON text if no secret is in it; None where one may be, or where the value is more than JSON can say."""
    try:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return None
    # JSON writes character by character, so that what is in a text is in its JSON form, too.
    return None if any(json.dumps(secret)[1:-1] in text for secret in secrets) else text


def _scrub(value: Json, patterns: t.Sequence[re.Pattern[str]], least: int) -> Json:
    if isinstance(value, str):
        return _hide(value, patterns, least)
    if isinstance(value, collections.abc.Mapping):
        return {_scrub(name, patterns, _HIDDEN_IN_NAMES): _scrub(member, patterns, 0) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_scrub(item, patterns, 0) for item in value]
    return value


def _hide(text: str, patterns: t.Sequence[re.Pattern[str]], least: int) -> str:
    """Overlapping finds are hidden as one, so that no end of a secret is left over."""
    spans = sorted(found.span(1) for pattern in patterns for found in pattern.finditer(text))
    pieces: list[str] = []
    end = 0
    for start, stop in spans:
        if stop - start < least:
            continue
        if start >= end:
            pieces += [text[end:start], MASK]
        end = max(end, stop)
    return "".join(pieces) + text[end:]


class _Look:
    """A first look at the JSON form of a value, for the few secrets that may be in it."""

    def __init__(self, text: str) -> None:
        self._text = text
        # Hardly any program escapes letters and digits; what else is escaped does not matter for the parts between it.
        self._decoded = _decoded(text) if any(escape.search(text) for escape in _ESCAPED_WORDS) else ""

    def may_show(self, secret: str) -> bool:
        """Whether a secret may be there; one of which decoding would drop a part always may."""
        part = max(_WORDS.findall(secret), key=len, default="")
        if part in self._text or not self._decoded:
            return part in self._text
        exact = secret.isascii() and secret.isprintable()
        return not exact or secret in self._decoded or _decoded(secret) in self._decoded


def _patterns(secret: str, look: _Look | None) -> t.Iterator[str]:
    """The patterns of a secret, as it is and in Base64, that a first look does not rule out."""
    if look is None or look.may_show(secret):
        pattern = _any_spelling(secret)
        yield pattern if len(secret) >= _FREELY_HIDDEN else f"(?<![A-Za-z0-9]){pattern}(?![A-Za-z0-9])"
    for before, core, after in _in_base64(secret.encode(errors="surrogatepass")):
        if look is None or look.may_show(core):
            yield f"{before}{_any_spelling(core)}{after}"


def _any_spelling(text: str) -> str:
    """A pattern for a text of which each character is in any of its spellings."""
    # Backslashes are counted together: one by one, each could be the escape of the next one in very many ways.
    runs = (found[0] for found in re.finditer(r"\\+|[^\\]", text))
    return "".join(_backslashes(len(run)) if run[0] == "\\" else _any_character(run) for run in runs)


def _backslashes(number: int) -> str:
    return rf"(?:(?i:%(?:25){{0,3}}5c|\\{{1,8}}(?:u00|x)5c){{{number}}}|\\{{{number},{8 * number}}})"


def _any_character(character: str) -> str:
    percent = "".join(f"%(?:25){{0,3}}{byte:02x}" for byte in character.encode(errors="surrogatepass"))
    units = character.encode("utf-16-be", errors="surrogatepass").hex()
    unicode = "".join(rf"\\{{1,8}}u{units[start : start + 4]}" for start in range(0, len(units), 4))
    escapes = [percent, unicode, rf"\\{{1,8}}(?:x{ord(character):02x}|U{ord(character):08x})"]
    if character in _ENTITIES:
        escapes.append(f"&{_ENTITIES[character]};")
    if character in _LETTERS:
        escapes.append(rf"\\{{1,8}}{_LETTERS[character]}")
    plus = r"|\+" if character == " " else ""
    return rf"(?:(?i:{'|'.join(escapes)})|\\{{0,8}}{re.escape(character)}{plus})"


def _in_base64(raw: bytes) -> t.Iterator[tuple[str, str, str]]:
    """What Base64 in both alphabets makes of bytes wherever they are in a longer text: patterns around what only they decide."""
    for shift in range(3):
        first, last = -(-shift * 8 // 6), (shift + len(raw)) * 8 // 6
        if last - first < _SHORTEST_BASE64[shift]:
            continue
        before, after = ("[A-Za-z0-9+/_-]?" if bits % 6 else "" for bits in (shift * 8, (shift + len(raw)) * 8))
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            yield before, encode(bytes(shift) + raw).decode()[first:last], after


def _decoded(text: str) -> str:
    """The text without any way to write a character that is not the character, for a comparison with another such text."""
    return _ESCAPE.sub(_character, text)


def _character(found: re.Match[str]) -> str:
    digits = found[1] or found[2] or found[3]
    if digits:
        character = chr(int(digits, 16))
        return " " if character == "+" else "" if character == "\\" else character
    return _BY_ENTITY[found[4]] if found[0][0] == "&" else " " if found[0] == "+" else ""


def place_of(error: Exception) -> str:
    """Type and line of an unforeseen exception; its text is left out because it may quote a secret."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace else "an unknown place"
    return f"{type(error).__name__} at {where}. Please report this."
