# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import json
import re
import typing as t
from urllib.parse import unquote, unquote_plus

from ._core import Json
from ._redact import MASK, clean_text

# How much of a path may be shown: all of it, only parts that cannot be a key, the same without the last part, nothing.
WHOLE, PLAIN_PARTS, ALL_BUT_LAST, NOTHING = ("whole", "plain parts", "all but the last part", "nothing")


class Scheme(t.NamedTuple):
    """What is known of a type of destination: whatever is not readable here is masked everywhere.

    `challenge`: whether the service asks for a proof of ownership, None where that is not documented.
    `max_bytes` and `max_records`: what the destination takes in one upload. `fixed`: its uploads have a size of their own.
    """

    path: str
    options: frozenset[str]
    challenge: bool | None
    max_bytes: int = 0
    max_records: int = 0
    fixed: bool = False


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BUCKET = _names("region sse endpoint account-id access-key-id")
_HEC = _names("channel sourcetype insecure-skip-verify insecure")
# From the pages of Cloudflare's documentation about each destination, as of October 2026.
SCHEMES: t.Mapping[str, Scheme] = {
    "s3": Scheme(WHOLE, _BUCKET, challenge=True),
    "r2": Scheme(WHOLE, _BUCKET, challenge=False),
    "gs": Scheme(WHOLE, frozenset(), challenge=True),
    "azure": Scheme(WHOLE, _names("sv ss srt sr st se sp spr"), challenge=True),
    "bq": Scheme(WHOLE, frozenset(), challenge=False, max_bytes=10_000_000, max_records=50_000),
    "kinesis": Scheme(WHOLE, _names("region sts-assume-role-arn access-key-id"), challenge=None),
    "https": Scheme(PLAIN_PARTS, _names("tags format"), challenge=False),
    "http": Scheme(PLAIN_PARTS, _names("tags format"), challenge=False),
    "splunk": Scheme(PLAIN_PARTS, _HEC, challenge=False),
    "sentinelone": Scheme(PLAIN_PARTS, _HEC, challenge=None),
    "datadog": Scheme(
        PLAIN_PARTS, _names("ddsource service host ddtags"), challenge=False, max_bytes=5_000_000, max_records=1000, fixed=True
    ),
    "sumo": Scheme(ALL_BUT_LAST, frozenset(), challenge=True),
    "ibmcl": Scheme(NOTHING, frozenset(), challenge=None, max_bytes=2_000_000),
}
_UNKNOWN = Scheme(PLAIN_PARTS, frozenset(), challenge=None)
# New Relic is an https destination.
_NEW_RELIC = re.compile(r"log-api\.(?:[a-z0-9-]+\.)?newrelic\.com")
_NEW_RELIC_MAX_BYTES = 5_000_000
# With either option an s3 address brings its keys, or is another store with the same protocol.
_KEYS_IN_ADDRESS = frozenset(("access-key-id", "endpoint"))

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")
_AUTHORITY = re.compile(r"(?:\[[^\]@]*\]|[^:@%#\s\[\]]*)(?::[0-9]*)?")
_STARS = re.compile(r"\*+")

# A part of a path that cannot be a key: short, of harmless characters, without a long run as random texts have.
_MAX_PLAIN_PART = 24
_PLAIN_PART = re.compile(r"[A-Za-z0-9._~{}-]*")
_RUN = re.compile(r"[A-Za-z0-9]{12,}")
_WORD_OR_NUMBER = re.compile(r"[A-Za-z]?[a-z]+|[A-Z]{1,15}|[0-9]+")
# The part behind this one is a key in Datadog's older addresses.
_BEFORE_KEY = "input"

# `;NAME=VALUE` in a path, an older way to write options.
_PARAMETER = re.compile(r"(?<=;)([^;=]*)=([^;]*)")
# A value under another name that reads like a word, a number or a switch is masked, but too common to be searched for.
_COMMON_VALUE = re.compile(r"[A-Za-z_.-]{0,16}|[0-9]{1,5}")
_SECRET_WORDS = ("secret", "token", "pass", "pwd", "key", "sig", "auth", "jwt", "session", "cred", "code", "header_")
# A word that is long enough to be a credential by itself.
_TELLING_PART = 8
_SHORTEST_MASK = 3


class Part(t.NamedTuple):
    """One part of a path, between slashes."""

    text: str
    secret: bool


class Option(t.NamedTuple):
    """One option of the query: decoded name, and the text after its first `=` (None where there is no `=`)."""

    name: str
    value: str | None
    secret: bool


class Destination(t.NamedTuple):
    """`SCHEME://[USER@]AUTHORITY[PATH][?OPTIONS]` and its text; `sound` is false if the text cannot be parsed with confidence."""

    scheme: str
    user: str | None
    authority: str
    parts: tuple[Part, ...]
    options: tuple[Option, ...]
    sound: bool = True
    text: str = ""

    @property
    def facts(self) -> Scheme:
        """Return what is known of this type of destination."""
        return SCHEMES.get(self.scheme, _UNKNOWN)

    @property
    def path(self) -> str:
        """Return the path as it was written, its first slash included."""
        return "".join(f"/{part.text}" for part in self.parts)


# The functions below accept a destination as text, or parsed, so that one that is kept is parsed once.
Conf: t.TypeAlias = "str | Destination"


def parse(conf: Conf) -> Destination:
    """Return the parts of a destination, also of a malformed one."""
    if isinstance(conf, Destination):
        return conf
    text = conf
    scheme, mark, rest = text.partition("://")
    if not mark or not _SCHEME.fullmatch(scheme):
        return Destination("", None, "", (Part(text, secret=True),), (), sound=False, text=text)
    scheme = scheme.lower()
    facts = SCHEMES.get(scheme, _UNKNOWN)
    place, _mark, query = rest.partition("?")
    authority, slash, path = place.partition("/")
    user, at, host = authority.rpartition("@")
    options = tuple(_options(query, facts.options, hashed="#" in place))
    sound = bool(_AUTHORITY.fullmatch(host)) and "@" not in unquote(path) and not any(map(str.isspace, place))
    # An `@` after the authority may end a password that contains a slash or a question mark.
    sound = sound and (bool(host) or not at) and not any("@" in option.name for option in options)
    parts = tuple(_parts(facts.path, path)) if slash else ()
    return Destination(scheme, user if at else None, host, parts, options, sound, text)


def _parts(rule: str, path: str) -> t.Iterator[Part]:
    texts = path.split("/")
    last = max((index for index, text in enumerate(texts) if text), default=0)
    hashed = False
    for index, text in enumerate(texts):
        # A fragment goes on to the end, whatever it looks like.
        hashed = hashed or "#" in text
        if rule == WHOLE:
            readable = ";" not in text
        else:
            readable = rule != NOTHING and _is_plain(unquote(text)) and texts[index - 1 : index] != [_BEFORE_KEY]
            readable = readable and (rule != ALL_BUT_LAST or index != last)
        yield Part(text, bool(text) and (hashed or not readable))


def _is_plain(part: str) -> bool:
    return len(part) <= _MAX_PLAIN_PART and bool(_PLAIN_PART.fullmatch(part)) and _has_no_key(part)


def _has_no_key(text: str) -> bool:
    return all(_WORD_OR_NUMBER.fullmatch(run) for run in _RUN.findall(text))


def _options(query: str, readable: frozenset[str], hashed: bool) -> t.Iterator[Option]:
    for piece in query.split("&") if query else ():
        name, equals, value = piece.partition("=")
        hashed = hashed or "#" in piece
        name = unquote_plus(name)
        # Text without `=` may be the rest of a secret that contains `&`.
        shown = name.lower() in readable and bool(equals) and not hashed and not _holds_more(value)
        yield Option(name, value if equals else None, not shown)


def _holds_more(value: str) -> bool:
    """Return whether a value is an address with a user, and so perhaps a password, or has parameters of its own."""
    decoded = unquote_plus(value)
    return "@" in decoded.partition("//")[2] or ";" in decoded


def takes_token(conf: Conf) -> bool | None:
    """Return whether the service asks for a proof of ownership of this destination; None if that is not known."""
    parts = parse(conf)
    if parts.scheme == "s3" and not _KEYS_IN_ADDRESS.isdisjoint(option.name.lower() for option in parts.options):
        return False
    return parts.facts.challenge


def closest_scheme(conf: Conf) -> str | None:
    """Return the known scheme that an unknown one of a destination was meant to be: empty if none is close, None if it is known."""
    scheme = parse(conf).scheme
    if scheme in SCHEMES:
        return None
    import difflib  # noqa: PLC0415  # only a mistake needs it, and it is slow to import

    close = difflib.get_close_matches(scheme, sorted(SCHEMES), n=1, cutoff=0.7)
    return next(iter(close), "") or next((known for known in SCHEMES if scheme.startswith(known)), "")


def upload_limits(conf: Conf) -> Scheme:
    """Return what is known of a destination, with the limits of uploads to it; 0 means no limit."""
    parts = parse(conf)
    is_new_relic = parts.scheme == "https" and _NEW_RELIC.fullmatch(parts.authority.lower().partition(":")[0])
    return parts.facts._replace(max_bytes=_NEW_RELIC_MAX_BYTES) if is_new_relic else parts.facts


# Whether two destinations are one, and where they differ.


def same_destination(requested: Conf, present: Conf) -> bool:
    """Return whether two destinations are equal; an option that the service shows as asterisks only is unknown and counts as equal."""
    one, other = parse(requested), parse(present)
    if one.text == other.text:
        return True
    if not (one.sound and other.sound):
        return unquote(one.text) == unquote(other.text)
    return _place(one) == _place(other) and _same_options(one.options, other.options)


def is_assumed_same(requested: Conf, present: Conf) -> bool:
    """Return whether two destinations count as one only because the service masks options of the present one."""
    one, other = parse(requested), parse(present)
    if one.text == other.text or not same_destination(one, other):
        return False
    ours, theirs = (sorted(each.options, key=lambda option: option.name) for each in (one, other))
    return any(unquote_plus(mine.value or "") != unquote_plus(its.value or "") for mine, its in zip(ours, theirs, strict=True))


def leads_elsewhere(before: Conf | None, after: Conf) -> bool:
    """Return whether records would go to another place, and not only with another secret; in doubt they do."""
    if before is None or same_destination(after, before):
        return False
    one, other = parse(before), parse(after)
    if not (one.sound and other.sound) or "#" in one.text + other.text:
        return True
    return _place(one._replace(user=None)) != _place(other._replace(user=None)) or _visible(one, other) != _visible(other, one)


def _visible(destination: Destination, other: Destination) -> list[tuple[str, str | None]]:
    """Return the options that determine where records go, without those that the service masks on either side."""
    names = destination.facts.options
    masked = {
        option.name for each in (destination, other) for option in each.options if _STARS.fullmatch(unquote(option.value or ""))
    }
    return sorted(
        (option.name, "" if option.value is None else unquote_plus(option.value))
        for option in destination.options
        if option.name.lower() in names and option.name not in masked
    )


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


# What outputs show of a destination.

CHANGED = f"{MASK} (changed)"
SENT_AGAIN = "(sent again)"


def public_destination(conf: Conf | None) -> dict[str, Json]:
    """Return scheme, address and options for the user, everything masked that is not known to be readable."""
    if not conf:
        return {"scheme": None, "address": None, "options": {}}
    parts = parse(conf)
    if not parts.sound:
        return {"scheme": parts.scheme or None, "address": MASK, "options": {}}
    user = "" if parts.user is None else f"{MASK}@"
    path = "".join(f"/{_public_part(part)}" for part in parts.parts)
    return {"scheme": parts.scheme, "address": f"{user}{parts.authority}{path}", "options": _public_options(parts.options)}


def _public_part(part: Part) -> str:
    return MASK if part.secret else part.text


def _public_options(options: t.Iterable[Option]) -> dict[str, str]:
    """Return options by name; the values of a repeated name are joined with commas."""
    shown: dict[str, str] = {}
    for option in options:
        if option.value is None:
            continue
        value = MASK if option.secret else option.value
        name = option.name if _has_plain_name(option) else MASK
        shown[name] = f"{shown[name]},{value}" if name in shown else value
    return shown


def _has_plain_name(option: Option) -> bool:
    return _has_no_key(option.name) and "#" not in option.name


def public_change(before: Conf | None, after: Conf) -> tuple[dict[str, Json], dict[str, Json]]:
    """Return both public forms, with what changed behind a mask marked, so that they differ exactly if the destinations do."""
    old, new = public_destination(before), public_destination(after)
    if before is None or same_destination(after, before):
        return old, old if before is not None else new
    was, will = (_masked_options(parse(conf)) for conf in (before, after))
    options = {
        name: CHANGED if name in was and name in will and _differ(was[name], will[name]) else shown
        for name, shown in new["options"].items()
    }
    marked = {**new, "options": options}
    moved = old["address"] == new["address"] and _place(parse(before)) != _place(parse(after))
    return old, {**marked, "address": f"{new['address']} (changed)"} if moved or marked == old else marked


def public_resend(conf: Conf) -> tuple[dict[str, Json], dict[str, Json]]:
    """Return both public forms of a destination that is sent although it looks equal, with what may change behind a mask marked."""
    shown = public_destination(conf)
    masked = _masked_options(parse(conf))
    options = {name: f"{value} {SENT_AGAIN}" if name in masked else value for name, value in shown["options"].items()}
    return shown, {**shown, "options": options} if masked else {**shown, "address": f"{shown['address']} {SENT_AGAIN}"}


def _masked_options(destination: Destination) -> dict[str, list[str]]:
    masked: dict[str, list[str]] = {}
    for option in destination.options if destination.sound else ():
        if option.secret and option.value is not None:
            masked.setdefault(option.name, []).append(unquote_plus(option.value))
    return masked


def _differ(was: t.Sequence[str], will: t.Sequence[str]) -> bool:
    """Return whether masked values differ; what the service itself masks may well be the same."""
    return was != will and any(value.strip("*") for value in was)


def holds_mask(conf: Conf) -> bool:
    """Return whether a destination has asterisks in place of a secret, for example because it was copied from an output."""
    parts = parse(conf)
    masked = [unquote_plus(option.value) for option in parts.options if option.secret and option.value]
    masked += [parts.user] if parts.user else []
    masked += [unquote(part.text) for part in parts.parts if part.secret]
    return any(len(text) >= _SHORTEST_MASK and not text.strip("*") for text in masked)


# What no output may hold, wherever it comes from.


def secret_parts(conf: Conf | None) -> frozenset[str]:
    """Return every string of a destination that no output may hold; all of it if it cannot be parsed with confidence."""
    if not conf:
        return frozenset()
    parts = parse(conf)
    if not parts.sound:
        return frozenset((parts.text, parts.text.partition("://")[2])) - {""}
    found: set[str] = set()
    for option in parts.options:
        value = option.name if option.value is None else option.value
        if option.secret and (_sounds_secret(option.name) or not _COMMON_VALUE.fullmatch(value)):
            found |= {value, *_credentials(value)}
        if not _has_plain_name(option):
            found |= {option.name, *option.name.split("#")}
    if parts.user:
        found |= {parts.user, *parts.user.split(":", 1)}
    last = next((part for part in reversed(parts.parts) if part.text), None)
    for part in parts.parts:
        is_key = parts.facts.path == ALL_BUT_LAST and part is last
        if part.secret and (is_key or not _COMMON_VALUE.fullmatch(part.text)):
            found |= {part.text, part.text.partition("#")[2]}
        found |= {value for name, value in _PARAMETER.findall(part.text) if _sounds_secret(name)}
    return frozenset(text for text in found if text)


def _sounds_secret(name: str) -> bool:
    return any(word in name.lower() for word in _SECRET_WORDS)


def _credentials(value: str) -> t.Iterator[str]:
    """Yield what a service may quote of a value alone: the word behind its scheme, and what that holds in Base64."""
    for whole in {*unquote(value).split(), *unquote_plus(value).split()}:
        yield from (piece for piece in whole.split("#") if "#" in whole)
        word = whole.removeprefix("base64:")
        if len(word) < _TELLING_PART:
            continue
        yield word
        try:
            decoded = base64.b64decode(word, validate=True).decode()
        except ValueError:
            continue
        if decoded.isprintable():
            yield from (part for part in (decoded, decoded.partition(":")[2]) if part)
        yield from _members(decoded)


def _members(text: str) -> t.Iterator[str]:
    """Yield the secrets of a key file, which is a JSON object."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return
    for name, value in found.items() if isinstance(found, dict) else ():
        if isinstance(value, str) and _sounds_secret(name) and not _COMMON_VALUE.fullmatch(value):
            yield value


# Texts of the service may quote an unknown destination: an earlier one, or that of another client.

# Shorten text only after masking its secrets: half a secret would not be recognized.
_MAX_TEXT = 2000

# Match only at the start of a word; otherwise the search takes quadratic time.
_SCHEME_IN_TEXT = r"(?<![A-Za-z0-9+.-])([A-Za-z][A-Za-z0-9+.-]*)"
_ADDRESS = re.compile(rf"{_SCHEME_IN_TEXT}:(?:\\?/){{2}}[^\s\"'<>`]+")
# The same percent-encoded, with or without its slashes; what is behind the scheme then hardly is for reading.
_ENCODED = re.compile(rf"{_SCHEME_IN_TEXT}(?:%3A(?:%2F|/){{2}}|:(?:%2F){{2}})[^\s\"'<>`]+", re.IGNORECASE)


def without_secrets(text: str) -> str:
    """Return the text with the secrets of every address in it masked."""
    return _ADDRESS.sub(_public, _ENCODED.sub(rf"\1://{MASK}", text))


def _public(found: re.Match[str]) -> str:
    shown = public_destination(found[0].replace("\\/", "/"))
    options = "&".join(f"{name}={value}" for name, value in shown["options"].items())
    return f"{found[1]}://{shown['address']}{'?' if options else ''}{options}"


def readable_failure(result: dict[str, Json]) -> dict[str, Json]:
    """Return a failed result whose texts of the service have a readable length, and addresses without their secrets."""
    errors = [{**error, "message": readable_text(error["message"])} for error in result["error"]["errors"]]
    return {**result, "msg": readable_text(result["msg"]), "error": {**result["error"], "errors": errors}}


def readable_text(text: str) -> str:
    """Return what a message or a warning may show of a text: one printable line of a readable length, no address with its secrets."""
    return clean_text(without_secrets(text)[:_MAX_TEXT])
