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
from urllib.parse import quote, quote_plus, unquote, unquote_plus

from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json

MASK = "********"

# A shorter secret is hidden only where it stands alone: a header of "1" must not blot every digit of a report.
_FREELY_HIDDEN = 4
# Names of members belong to the documented result, so that only what can hardly be a plain word is hidden in them.
_HIDDEN_IN_NAMES = 8


def clean_text(text: str) -> str:
    """Return a text of the service as one line that a terminal only shows: what is not printable becomes a space."""
    return text if text.isprintable() else "".join(character if character.isprintable() else " " for character in text)


def scrub(value: Json, secrets: t.Collection[str]) -> Json:
    """The same JSON value with every secret, in any of its usual spellings, replaced by asterisks."""
    spellings = {spelling for secret in secrets for spelling in _spellings(secret)}
    # Almost always there is nothing to hide, which one look at the whole shows; a long listing has a million texts.
    return _scrub(value, spellings) if spellings and text_without(value, spellings) is None else value


def text_without(value: Json, secrets: t.Iterable[str]) -> str | None:
    """The value as JSON text if no secret is in it; None where one may be, or where the value is more than JSON can say."""
    try:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return None
    # JSON writes character by character, so that what is in a text is in its JSON form, too.
    return None if any(json.dumps(secret)[1:-1] in text for secret in secrets) else text


def _scrub(value: Json, spellings: t.Collection[str]) -> Json:
    if isinstance(value, str):
        return _hide(value, spellings)
    if isinstance(value, collections.abc.Mapping):
        in_names = [spelling for spelling in spellings if len(spelling) >= _HIDDEN_IN_NAMES]
        return {_scrub(name, in_names): _scrub(member, spellings) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_scrub(item, spellings) for item in value]
    return value


def _hide(text: str, spellings: t.Collection[str]) -> str:
    """Overlapping finds are hidden as one, so that no end of a secret is left over."""
    spans = sorted(span for spelling in spellings if spelling in text for span in _spans(text, spelling))
    pieces: list[str] = []
    end = 0
    for start, stop in spans:
        if start >= end:
            pieces += [text[end:start], MASK]
        end = max(end, stop)
    return "".join(pieces) + text[end:]


def _spans(text: str, spelling: str) -> t.Iterator[tuple[int, int]]:
    pattern = re.escape(spelling)
    if len(spelling) < _FREELY_HIDDEN:
        pattern = rf"(?<![A-Za-z0-9]){pattern}(?![A-Za-z0-9])"
    for found in re.finditer(f"(?={pattern})", text):
        yield found.start(), found.start() + len(spelling)


def _spellings(secret: str) -> set[str]:
    """The secret as it may meet us in URLs, in JSON text and in headers."""
    if not secret or not secret.strip("*"):
        return set()
    plain = {secret, unquote(secret), unquote_plus(secret)}
    encoded = {
        encode(form, safe=safe, errors="surrogatepass")
        for form in plain
        for encode in (quote, quote_plus)
        for safe in ("", "/", "/=", "/=+:")
    }
    lower = {re.sub(r"%[0-9A-F]{2}", lambda code: code.group().lower(), form) for form in encoded if "%" in form}
    in_json = {json.dumps(form, ensure_ascii=ascii_only)[1:-1] for form in plain for ascii_only in (True, False)}
    in_json |= {form.replace("/", "\\/") for form in in_json}
    in_code = {repr(form)[1:-1] for form in plain}
    return {form for form in plain | encoded | lower | in_json | in_code | _in_base64(plain) if form}


def _in_base64(plain: t.Iterable[str]) -> set[str]:
    found: set[str] = set()
    for form in plain:
        raw = form.encode(errors="surrogatepass")
        if len(raw) >= _FREELY_HIDDEN:
            found |= {encode(raw).decode().rstrip("=") for encode in (base64.b64encode, base64.urlsafe_b64encode)}
    return found


def place_of(error: Exception) -> str:
    """Type and line of an unforeseen exception; its text is left out because it may quote a secret."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace else "an unknown place"
    return f"{type(error).__name__} at {where}. Please report this."
