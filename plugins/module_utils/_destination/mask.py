# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import re
import typing as t
from urllib.parse import unquote, unquote_plus

from ansible_collections.edgeops.observability.plugins.module_utils._destination.facts import is_secret
from ansible_collections.edgeops.observability.plugins.module_utils._destination.parse import (
    Destination,
    Option,
    parse,
    same,
)
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json
from ansible_collections.edgeops.observability.plugins.module_utils._redact import MASK

CHANGED = f"{MASK} (changed)"
SENT_AGAIN = "(sent again)"

# `;NAME=VALUE` in a path or in a value, an older way to write options.
_PARAMETER = re.compile(r"(?<=;)([^;=/]*)=([^;/]*)")
# A segment of a path, or a word of a header, that is long enough to be a credential by itself.
_TELLING_PART = 8
_SHORTEST_MASK = 3


def public_destination(conf: str | None) -> dict[str, Json]:
    """Scheme, address and options for the user, every secret part masked; of a malformed destination only the scheme."""
    if not conf:
        return {"scheme": None, "address": None, "options": {}}
    parts = parse(conf)
    if not parts.sound:
        return {"scheme": parts.scheme or None, "address": MASK, "options": {}}
    user = "" if parts.user is None else f"{MASK}@"
    path = f"/{MASK}" if parts.has_secret_path and parts.path.strip("/") else _readable(parts.path)
    return {"scheme": parts.scheme, "address": f"{user}{parts.authority}{path}", "options": _public_options(parts.options)}


def public_change(before: str | None, after: str) -> tuple[dict[str, Json], dict[str, Json]]:
    """Both public forms, with what changed behind a mask marked, so that they differ exactly if the destinations do."""
    old, new = public_destination(before), public_destination(after)
    if before is None or same(after, before):
        return old, old if before is not None else new
    was, will = (_hidden_options(parse(conf)) for conf in (before, after))
    options = {
        name: CHANGED if name in was and name in will and _differ(was[name], will[name]) else shown
        for name, shown in new["options"].items()
    }
    new = {**new, "options": options}
    return old, new if new != old else {**new, "address": f"{new['address']} (changed)"}


def public_resend(conf: str) -> tuple[dict[str, Json], dict[str, Json]]:
    """Return both public forms of a destination that is sent although it looks equal, with what may change behind a mask marked."""
    shown = public_destination(conf)
    hidden = _hidden_options(parse(conf))
    options = {name: f"{value} {SENT_AGAIN}" if name in hidden else value for name, value in shown["options"].items()}
    return shown, {**shown, "options": options} if hidden else {**shown, "address": f"{shown['address']} {SENT_AGAIN}"}


def holds_mask(conf: str) -> bool:
    """Whether a destination has asterisks in the place of a secret, as one that was copied from an output has."""
    parts = parse(conf)
    hidden = [unquote_plus(option.value) for option in parts.options if option.secret and option.value]
    hidden += [parts.user] if parts.user else []
    hidden += [parts.path.strip("/")] if parts.has_secret_path else []
    return any(len(text) >= _SHORTEST_MASK and not text.strip("*") for text in hidden)


def secret_parts(conf: str | None) -> frozenset[str]:
    """Every string of a destination that no output may hold; the whole of it where it cannot be cut up with confidence."""
    if not conf:
        return frozenset()
    parts = parse(conf)
    if not parts.sound:
        return frozenset((conf, conf.partition("://")[2])) - {""}
    found: set[str] = set()
    for option in parts.options:
        if option.secret:
            found |= {option.value or option.name, *_credentials(option.value or option.name)}
    if parts.user:
        found |= {parts.user, *parts.user.split(":", 1)}
    if parts.has_secret_path:
        found |= {parts.path.strip("/"), *(part for part in parts.path.split("/") if len(part) >= _TELLING_PART)}
    for text in filter(None, (parts.path, *(text for option in parts.options for text in (option.name, option.value)))):
        found |= {value for name, value in _PARAMETER.findall(text) if is_secret(unquote_plus(name))}
        found.add(text.partition("#")[2])
    return frozenset(found) - {""}


def _credentials(value: str) -> t.Iterator[str]:
    """What a service may quote of a header alone: the word behind its scheme, and what that holds in Base64."""
    for word in {*unquote(value).split(), *unquote_plus(value).split()}:
        if len(word) < _TELLING_PART:
            continue
        yield word
        try:
            decoded = base64.b64decode(word, validate=True).decode()
        except ValueError:
            continue
        if decoded.isprintable():
            yield from (part for part in (decoded, decoded.partition(":")[2]) if part)


def _public_options(options: t.Iterable[Option]) -> dict[str, str]:
    """Options by name; the values of a repeated name are joined with commas."""
    shown: dict[str, str] = {}
    for option in options:
        if option.secret and option.value is None:
            continue
        value = MASK if option.secret else _readable(option.value or "")
        name = _readable(option.name)
        shown[name] = f"{shown[name]},{value}" if name in shown else value
    return shown


def _readable(text: str) -> str:
    """A part of the address without the secrets that a parameter or a fragment in it may hold."""
    kept, mark, _fragment = text.partition("#")
    kept = _PARAMETER.sub(lambda found: f"{found[1]}={MASK}" if is_secret(unquote_plus(found[1])) else found[0], kept)
    return f"{kept}#{MASK}" if mark else kept


def _hidden_options(destination: Destination) -> dict[str, list[str]]:
    hidden: dict[str, list[str]] = {}
    for option in destination.options:
        if option.secret and option.value is not None:
            hidden.setdefault(option.name, []).append(unquote_plus(option.value))
    return hidden


def _differ(was: t.Sequence[str], will: t.Sequence[str]) -> bool:
    """Whether hidden values differ; what the service itself hides may well be the same."""
    return was != will and any(value.strip("*") for value in was)
