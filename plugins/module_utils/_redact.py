# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections.abc
import json
import os
import typing as t
from urllib.parse import unquote, unquote_plus

from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json
from ansible_collections.edgeops.observability.plugins.module_utils._spellings import Look, Needle, Plain, needles_of

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


def place_of(error: Exception) -> str:
    """Type and line of an unforeseen exception; its text is left out because it may quote a secret."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace else "an unknown place"
    return f"{type(error).__name__} at {where}. Please report this."
