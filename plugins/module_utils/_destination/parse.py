# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t
from urllib.parse import unquote, unquote_plus

from ansible_collections.edgeops.observability.plugins.module_utils._destination.facts import (
    SECRET_PATH,
    is_secret,
    needs_token,
)

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
