# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import re
import typing as t
from urllib.parse import unquote, unquote_plus

from ._core import Json
from ._redact import MASK, clean_text

# Schemes to which the service writes a challenge, and those that bring their own credentials or need none.
NEED_TOKEN = frozenset(("s3", "gs", "azure", "sumo"))
NEED_NO_TOKEN = frozenset(("r2", "https", "splunk", "datadog"))
# With either option an s3 address brings its keys, or is another store that speaks the same protocol.
KEYS_IN_ADDRESS: t.Mapping[str, frozenset[str]] = {"s3": frozenset(("access-key-id", "endpoint"))}

# Schemes whose path is the credential.
SECRET_PATH = frozenset(("sumo",))

_SECRET_WORDS = ("secret", "token", "password", "sig")


def is_secret(name: str) -> bool:
    """Whether an option of a destination holds something that no output may show; an `access-key-id` may be read."""
    lowered = name.strip().lower()
    return lowered.startswith("header_") or lowered.endswith("key") or any(word in lowered for word in _SECRET_WORDS)


def needs_token(scheme: str, options: t.Collection[str]) -> bool | None:
    """Whether the service asks for a proof of ownership; None for a scheme that nothing is known about."""
    if scheme in NEED_NO_TOKEN or KEYS_IN_ADDRESS.get(scheme, frozenset()).intersection(options):
        return False
    return True if scheme in NEED_TOKEN else None


_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")
_AUTHORITY = re.compile(r"(?:\[[^\]@]*\]|[^:@%#\s\[\]]*)(?::[0-9]*)?")
_STARS = re.compile(r"\*+")


class Option(t.NamedTuple):
    """One option of the query: decoded name, and the text after its first `=` (None where there is no `=`)."""

    name: str
    value: str | None
    secret: bool


class Destination(t.NamedTuple):
    """`SCHEME://[USER@]AUTHORITY[PATH][?OPTIONS]`; `sound` is false where the text cannot be cut up with confidence."""

    scheme: str
    user: str | None
    authority: str
    path: str
    options: tuple[Option, ...]
    sound: bool = True

    @property
    def has_secret_path(self) -> bool:
        """Whether the path is a credential."""
        return self.scheme in SECRET_PATH


def parse(text: str) -> Destination:
    """The parts of a destination, of a malformed one as well."""
    scheme, mark, rest = text.partition("://")
    if not mark or not _SCHEME.fullmatch(scheme):
        return Destination("", None, "", text, (), sound=False)
    place, _mark, query = rest.partition("?")
    authority, slash, path = place.partition("/")
    user, at, host = authority.rpartition("@")
    options = tuple(_options(query, hashed="#" in place))
    sound = bool(_AUTHORITY.fullmatch(host)) and "@" not in unquote(path) and not any(map(str.isspace, place))
    # A stray `@` behind the authority may end a password with a slash or a question mark in it.
    sound = sound and (bool(host) or not at) and not any("@" in option.name for option in options)
    return Destination(scheme.lower(), user if at else None, host, slash + path, options, sound)


def _options(query: str, hashed: bool) -> t.Iterator[Option]:
    secret = False
    for piece in query.split("&") if query else ():
        name, equals, value = piece.partition("=")
        # A fragment goes on to the end, whatever it looks like.
        hashed = hashed or "#" in name
        name = unquote_plus(name)
        # A piece without `=` behind a secret is most likely the rest of that secret, cut at an `&` in it.
        secret = hashed or is_secret(unquote_plus(name)) or _has_user(value) or (secret and not equals)
        yield Option(name, value if equals else None, secret)
        hashed = hashed or "#" in value


def _has_user(value: str) -> bool:
    """Whether a value is an address with a user, and so perhaps a password, of its own."""
    return "@" in unquote_plus(value).partition("//")[2]


def same(requested: str, present: str) -> bool:
    """Whether two destinations are one; an option that the service shows as asterisks only is unknown and counts as equal."""
    if requested == present:
        return True
    one, other = parse(requested), parse(present)
    if not (one.sound and other.sound):
        return unquote(requested) == unquote(present)
    return _place(one) == _place(other) and _same_options(one.options, other.options)


def is_assumed_same(requested: str, present: str) -> bool:
    """Return whether two destinations count as one only because the service masks options of the present one."""
    if requested == present or not same(requested, present):
        return False
    ours, theirs = (sorted(parse(text).options, key=lambda option: option.name) for text in (requested, present))
    return any(unquote_plus(one.value or "") != unquote_plus(other.value or "") for one, other in zip(ours, theirs, strict=True))


def _place(destination: Destination) -> tuple[str | None, ...]:
    parts = (destination.user, destination.authority, destination.path)
    return (destination.scheme, *(part if part is None else unquote(part) for part in parts))


def _same_options(requested: t.Sequence[Option], present: t.Sequence[Option]) -> bool:
    ours, theirs = (sorted(options, key=lambda option: option.name) for options in (requested, present))
    return [option.name for option in ours] == [option.name for option in theirs] and all(
        map(_same_value, (option.value for option in ours), (option.value for option in theirs))
    )


def _same_value(requested: str | None, present: str | None) -> bool:
    if requested is None or present is None:
        return requested is present
    return bool(_STARS.fullmatch(unquote(present))) or unquote_plus(requested) == unquote_plus(present)


def takes_token(text: str) -> bool | None:
    """Whether the service asks for a proof of ownership of this destination; None where that is not known."""
    destination = parse(text)
    return needs_token(destination.scheme, [option.name for option in destination.options])


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


# Texts of the service that may quote an unknown destination: an earlier one, or that of another client.


# Only what has been searched for secrets may be cut.
_MAX_TEXT = 2000

# Tried at the beginning of a word only: anywhere else it would take quadratic time for nothing.
_SCHEME_IN_TEXT = r"(?<![A-Za-z0-9+.-])([A-Za-z][A-Za-z0-9+.-]*)"
_ADDRESS = re.compile(rf"{_SCHEME_IN_TEXT}:(?:\\?/){{2}}[^\s\"'<>`]+")
# The same percent-encoded, with or without its slashes; what is behind the scheme then hardly is for reading.
_ENCODED = re.compile(rf"{_SCHEME_IN_TEXT}(?:%3A(?:%2F|/){{2}}|:(?:%2F){{2}})[^\s\"'<>`]+", re.IGNORECASE)


def without_secrets(text: str) -> str:
    """The text with every address in it as far as it may be read."""
    return _ADDRESS.sub(_public, _ENCODED.sub(rf"\1://{MASK}", text))


def _public(found: re.Match[str]) -> str:
    shown = public_destination(found[0].replace("\\/", "/"))
    options = "&".join(f"{name}={value}" for name, value in shown["options"].items())
    return f"{found[1]}://{shown['address']}{'?' if options else ''}{options}"


def readable_failure(result: dict[str, Json]) -> dict[str, Json]:
    """A failed result whose texts of the service have a readable length, and addresses without their secrets."""
    errors = [{**error, "message": readable_text(error["message"])} for error in result["error"]["errors"]]
    return {**result, "msg": readable_text(result["msg"]), "error": {**result["error"], "errors": errors}}


def readable_text(text: str) -> str:
    """Return what a message or a warning may show of a text: one printable line of a readable length, no address with its secrets."""
    return clean_text(without_secrets(text)[:_MAX_TEXT])
