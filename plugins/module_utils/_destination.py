# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import operator
import re
import typing as t
from urllib.parse import quote, unquote, unquote_plus

from ._core import Json
from ._destination_schemes import ALL_BUT_LAST, INSECURE, NOTHING, SCHEMES, UNKNOWN, WHOLE, Scheme
from ._redact import MASK
from ._text import shorten

# New Relic is an https destination.
_NEW_RELIC = re.compile(r"log-api\.(?:[a-z0-9-]+\.)?newrelic\.com")
_NEW_RELIC_MAX_BYTES = 5_000_000
# With either option, an s3 address contains its keys or names another store with the same protocol.
ENDPOINT = "endpoint"
_KEYS_IN_ADDRESS = frozenset(("access-key-id", ENDPOINT))
_ENDPOINT_END = re.compile(r"[?#;\\\x00-\x20\x7f]")

# The names of all options that a type of destination has.
_OPTION_NAMES = frozenset().union(*(scheme.options | scheme.required for scheme in SCHEMES.values()))

_REGION = re.compile(r"[A-Za-z0-9-]*")
_PLACEHOLDER = re.compile(r"<[A-Za-z][A-Za-z0-9 _.-]*>")

# What the service replaces in an address.
DATE = "{DATE}"
_TEMPLATE_PART = re.compile(r"\{[^{}]*\}")
# Schemes whose address begins with a host that receives the records.
_WITH_HOST = ("https", "http", "splunk", "datadog", "sentinelone")
# Names without a domain, and domains that no public name ends with.
_PRIVATE_NAME = re.compile(r"[^.]+|.*\.(?:local|localhost|localdomain|internal|intranet|lan|home\.arpa|corp)\.?")

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")
_AUTHORITY = re.compile(r"(?:\[[^\]@]*\]|[^:@%#\s\[\]]*)(?::[0-9]*)?")
# User information with one of these: some parsers end the host before it, and others behind the `@`.
_AMBIGUOUS = re.compile(r"[#\\@\x00-\x20\x7f]")
_END = re.compile(r"[/?]")
STARS = re.compile(r"\*+")

# A part of a path that cannot be a key: short, of harmless characters, without a long run as random texts have.
_PLAIN_PART = re.compile(r"[A-Za-z0-9._~{}-]{0,24}")
# Such a run, unless it is a word or a number as a whole.
_RANDOM_RUN = re.compile(r"(?<![A-Za-z0-9])(?!(?:[A-Za-z]?[a-z]+|[A-Z]{1,15}|[0-9]+)(?![A-Za-z0-9]))[A-Za-z0-9]{12,}")
# The part after one that is named like a secret is a key; so is the one after `input` in Datadog's older addresses.
_BEFORE_KEY = re.compile(
    r"input|(?:.*[^a-z])?[a-z]*(?:token|key|secret|auth|authorization|password|passwd|pwd|sig|signature|credential)s?",
    re.IGNORECASE,
)
# A value without anything that may separate it from a further option, however that is written; and that of a switch.
_PLAIN_VALUE = re.compile(r"[\w.:/,+@*{}\[\]-]*")
_SWITCH = re.compile(r"true|false|yes|no|on|off|[01]|\**|", re.IGNORECASE)
# What the service replaces is no key, wherever it stands.
_REPLACED = re.compile(r"\{[A-Z]+\}")

# What the service shows in place of a secret.
ASTERISKS = re.compile(r"\*{3,}")


class Part(t.NamedTuple):
    """One part of a path, between slashes; `named`: the part before it says that it is a secret.

    `masked` is what outputs show of a secret one: of a fragment, what stands before it.
    """

    text: str
    secret: bool
    named: bool = False
    masked: str = MASK

    @property
    def shown(self) -> str:
        return self.masked if self.secret else self.text


class Option(t.NamedTuple):
    """One option of the query: decoded name, and the text after its first `=` (None where there is no `=`).

    `plain_name`: whether the name may be shown, because no key is part of it. `masked` is what outputs show of a secret value: of an
    endpoint with user information, its host.
    """

    name: str
    value: str | None
    secret: bool
    plain_name: bool = True
    masked: str = MASK

    @property
    def shown(self) -> str:
        return self.masked if self.secret or self.value is None else self.value

    @property
    def lower_name(self) -> str:
        """Return the name as the tables have it."""
        return self.name.strip().lower()


class Destination(t.NamedTuple):
    """`SCHEME://[USER@]AUTHORITY[PATH][?OPTIONS]` and its text; `sound` is false if the text cannot be parsed with confidence.

    `facts` is what is known of its type.
    """

    text: str
    scheme: str = ""
    user: str | None = None
    authority: str = ""
    parts: tuple[Part, ...] = ()
    options: tuple[Option, ...] = ()
    sound: bool = False
    facts: Scheme = UNKNOWN


def parse(text: str) -> Destination:
    """Return the parts of a destination, also of a malformed one."""
    scheme, mark, rest = text.partition("://")
    if not mark or not _SCHEME.fullmatch(scheme):
        return Destination(text, parts=(Part(text, secret=True),))
    scheme = scheme.lower()
    facts = SCHEMES.get(scheme, UNKNOWN)
    place, _mark, query = rest.partition("?")
    authority, slash, path = place.partition("/")
    user, at, host = authority.rpartition("@")
    if scheme == "https" and _NEW_RELIC.fullmatch(host.lower().partition(":")[0]):
        facts = facts._replace(max_bytes=_NEW_RELIC_MAX_BYTES, unix_times=True, hidden_account=True)
    options = tuple(_options(query, facts.options, hashed="#" in place))
    sound = bool(_AUTHORITY.fullmatch(host)) and "@" not in unquote(path) and not any(map(str.isspace, place))
    # What follows a bucket may be options without their question mark.
    sound = sound and not (facts.path == WHOLE and _holds_options(host))
    # An `@` after the authority may end a password that contains a slash or a question mark.
    sound = sound and (bool(host) or not at) and not any("@" in option.name for option in options)
    sound = sound and not _is_ambiguous(authority)
    # What decides where records go, and cannot be shown, cannot be compared either.
    sound = sound and not any(
        option.secret and option.masked == MASK and option.lower_name in facts.deciding for option in options if option.value
    )
    parts = tuple(_parts(facts.path, path)) if slash else ()
    return Destination(text, scheme, user if at else None, host, parts, options, sound, facts)


def _is_ambiguous(authority: str) -> bool:
    """Return whether parsers differ about which host an authority names."""
    user, _at, host = authority.rpartition("@")
    return bool(_AMBIGUOUS.search(user) or _AMBIGUOUS.search(host))


def ambiguous_host(conf: str) -> bool:
    """Return whether parsers differ about which host an address names: it must not be sent, and delivers to no place that is known."""
    return _is_ambiguous(_END.split(conf.partition("://")[2], maxsplit=1)[0])


def _parts(rule: str, path: str) -> t.Iterator[Part]:
    texts = path.split("/")
    last = max((index for index, text in enumerate(texts) if text), default=0)
    hidden, last_named = False, ""
    for index, whole in enumerate(texts):
        text, hash_mark, _fragment = whole.partition("#")
        # A fragment, or options without their question mark, go on to the end, whatever they look like.
        hidden = hidden or (rule == WHOLE and _holds_options(whole))
        if rule == WHOLE:
            readable = ";" not in text
        elif rule == NOTHING or (rule == ALL_BUT_LAST and index == last):
            readable = False
        elif _BEFORE_KEY.fullmatch(last_named):
            readable = _REPLACED.fullmatch(text) is not None
        else:
            readable = _PLAIN_PART.fullmatch(unquote(text)) is not None and not _RANDOM_RUN.search(unquote(text))
        readable = readable and not hidden
        named = bool(text) and not readable and _BEFORE_KEY.fullmatch(last_named) is not None
        masked = f"{text}#{MASK}" if hash_mark and (readable or not text) and not hidden else MASK
        yield Part(whole, bool(whole) and (bool(hash_mark) or not readable), named, masked)
        hidden = hidden or bool(hash_mark)
        last_named = unquote(text) or last_named


def _holds_options(text: str) -> bool:
    """Return whether a bucket or a part of a path holds `&`, or an option by a name that a type of destination has, or that of a secret."""
    if "&" in text:
        return True
    names = (piece.partition("=") for piece in re.split("[;#?&]", unquote(text)))
    return any(equals and (name.lower() in _OPTION_NAMES or _BEFORE_KEY.fullmatch(name)) for name, equals, _value in names)


def lacks_question_mark(destination: Destination) -> bool:
    """Return whether an address has options without the question mark before them."""
    texts = (destination.authority, *(part.text for part in destination.parts))
    return destination.facts.path == WHOLE and any(map(_holds_options, texts))


def _options(query: str, readable: frozenset[str], hashed: bool) -> t.Iterator[Option]:
    for piece in query.split("&") if query else ():
        name, equals, value = piece.partition("=")
        hashed = hashed or "#" in piece
        name, decoded = unquote_plus(name), unquote_plus(value)
        # A value may be an address with a user, and so perhaps a password; text without `=` may be the rest of a secret with `&`.
        holds_more = "@" in decoded.partition("//")[2] or not _shape(name).fullmatch(decoded)
        is_readable = name.lower() in readable and bool(equals) and not hashed and not holds_more
        plain_name, masked = "#" not in name and not _RANDOM_RUN.search(name), MASK
        if name.lower() == ENDPOINT and ENDPOINT in readable and "@" in decoded and not hashed:
            is_readable, masked = False, _without_user(decoded)
        yield Option(name, value if equals else None, not is_readable, plain_name, masked)


def _shape(name: str) -> re.Pattern[str]:
    return _SWITCH if name.lower() in INSECURE else _PLAIN_VALUE


def _without_user(endpoint: str) -> str:
    """Return an endpoint with its user information masked, because its host decides; all masked if parsers differ about the host."""
    scheme, mark, rest = endpoint.partition("://") if "://" in endpoint else ("", "", endpoint)
    user, _at, place = rest.rpartition("@")
    readable = _ENDPOINT_END.split(place, maxsplit=1)[0]
    if _AMBIGUOUS.search(user) or _END.search(user) or not readable:
        return MASK
    more = MASK if readable != place else ""
    return quote(f"{scheme}{mark}{MASK}@{readable}{more}", safe="/:@*[]")


def endpoint_users(destination: Destination) -> list[str]:
    """Return the user information of endpoints."""
    values = (unquote_plus(option.value) for option in destination.options if option.value and option.masked != MASK)
    return [value.rpartition("@")[0].rpartition("/")[2] for value in values]


def takes_token(destination: Destination) -> bool | None:
    """Return whether the service requires a proof of ownership of this destination; None if that is not known."""
    names = {option.name.lower() for option in destination.options}
    if destination.scheme == "s3" and not _KEYS_IN_ADDRESS.isdisjoint(names):
        return False
    return destination.facts.challenge


def is_private_host(destination: Destination) -> bool:
    """Return whether the service certainly cannot reach the host of a destination, because it is not a public one."""
    import ipaddress  # noqa: PLC0415  # slow to import, and only needed for a new destination

    hosts = [unquote(destination.authority)] if destination.scheme in _WITH_HOST else []
    endpoints = (option.value for option in destination.options if option.value and option.name.lower() == ENDPOINT)
    hosts += [unquote_plus(endpoint).rpartition("://")[2].partition("/")[0].rpartition("@")[2] for endpoint in endpoints]
    for host in hosts:
        name = host.lower().partition("]")[0].removeprefix("[") if host.startswith("[") else host.lower().partition(":")[0]
        try:
            is_private = not ipaddress.ip_address(name).is_global
        except ValueError:
            is_private = _PRIVATE_NAME.fullmatch(name) is not None
        if is_private:
            return True
    return False


def template_parts(destination: Destination) -> list[str]:
    """Return the parts of an address in braces, which the service may replace."""
    return [shorten(part) for part in _TEMPLATE_PART.findall(unquote(destination.text.partition("?")[0]))]


def misshapen_options(destination: Destination) -> t.Iterator[str]:
    """Yield what is wrong with the value of a readable option, as the end of a sentence about the option."""
    for option in destination.options:
        name, value = option.name.lower(), unquote_plus(option.value or "")
        if name == ENDPOINT and "://" in value:
            yield f"{name} is a host alone, without {value.partition('://')[0]}://"
        elif name == "region" and not _REGION.fullmatch(value):
            yield f"{name} has other characters than letters, digits and hyphens"


def has_placeholder(destination: Destination) -> bool:
    """Return whether an address has a word in angle brackets, as examples have in place of a value."""
    return _PLACEHOLDER.search(unquote(destination.text)) is not None


def white_space(destination: Destination) -> str:
    """Return where a destination has white space that the service does not accept; "" if nowhere."""
    if any(map(str.isspace, destination.text)):
        return "the address"
    names = [option.name for option in destination.options if option.plain_name and any(map(str.isspace, option.name))]
    return f"the name of the option {names[0]!r}" if names else ""


def closest_scheme(scheme: str) -> str:
    """Return the known scheme that an unknown one was meant to be; "" if none is close."""
    import difflib  # noqa: PLC0415  # only a mistake needs it, and it is slow to import

    close = difflib.get_close_matches(scheme, sorted(SCHEMES), n=1, cutoff=0.7)
    return next(iter(close), "") or next(
        (known for known in SCHEMES if scheme.startswith(known) or _has_one_other_letter(scheme, known)), ""
    )


def _has_one_other_letter(one: str, other: str) -> bool:
    return len(one) == len(other) and sum(map(operator.ne, one, other)) == 1


# Whether two destinations are one, and where they differ.


def same_destination(requested: Destination, present: Destination) -> bool:
    """Return whether two destinations are equal; an option that the service shows as asterisks only is unknown and counts as equal."""
    if requested.text == present.text:
        return True
    if not (requested.sound and present.sound):
        return unquote(requested.text) == unquote(present.text)
    ours, theirs = _settings(requested), _settings(present)
    return (
        _place(requested) == _place(present)
        and len(ours) == len(theirs)
        and all(
            mine == its or (name == its_name and None not in (mine, its) and STARS.fullmatch(its or ""))
            for (name, mine), (its_name, its) in zip(ours, theirs, strict=True)
        )
    )


def meaning(destination: Destination) -> Json:
    """Return a destination with its secrets as data that is equal for all spellings of it."""
    return [*_place(destination), _settings(destination)] if destination.sound else unquote(destination.text)


def is_assumed_same(requested: Destination, present: Destination) -> bool:
    """Return whether two destinations count as one only because the service masks options of the present one."""
    is_sound = requested.sound and present.sound
    return is_sound and same_destination(requested, present) and _settings(requested) != _settings(present)


def leads_elsewhere(before: Destination, after: Destination) -> bool:
    """Return whether records would go to another place, and not only with another secret; in doubt they do."""
    if same_destination(after, before):
        return False
    if not (before.sound and after.sound) or "#" in before.text + after.text:
        return True
    masked = {name for side in (before, after) for name, value in _settings(side) if STARS.fullmatch(value or "")}
    # The options that determine where records go, without those that the service masks on either side.
    was, will = (
        sorted(
            (name, value or "") for name, value in _settings(side) if name.lower() in side.facts.options and name not in masked
        )
        for side in (before, after)
    )
    # Another user is another secret.
    return _place(before)[1:] != _place(after)[1:] or was != will


def _place(destination: Destination) -> tuple[str | None, ...]:
    """Return user, scheme, authority and the parts of the path, each decoded: an encoded slash is part of a name."""
    user = None if destination.user is None else unquote(destination.user)
    return (user, destination.scheme, unquote(destination.authority), *(unquote(part.text) for part in destination.parts))


def _settings(destination: Destination) -> list[tuple[str, str | None]]:
    """Return the options with decoded values, sorted by name; the order of equal names counts."""
    decoded = ((option.name, None if option.value is None else unquote_plus(option.value)) for option in destination.options)
    return sorted(decoded, key=lambda setting: setting[0])


# What outputs show of a destination.

CHANGED = f"{MASK} (changed)"
SENT_AGAIN = "(sent again)"


class PublicDestination(t.TypedDict):
    """A destination as results show it; all None and empty if there is none."""

    scheme: str | None
    address: str | None
    options: dict[str, str]


def public_destination(destination: Destination | None) -> PublicDestination:
    """Return scheme, address and options for the user, everything masked that is not known to be readable.

    The values of an option that is given several times are joined with commas.
    """
    if destination is None:
        return {"scheme": None, "address": None, "options": {}}
    if not destination.sound:
        return {"scheme": destination.scheme or None, "address": MASK, "options": {}}
    user = "" if destination.user is None else f"{MASK}@"
    path = "".join(f"/{part.shown}" for part in destination.parts)
    options: dict[str, str] = {}
    for option in destination.options:
        if option.value is not None:
            name, value = option.name if option.plain_name else MASK, option.shown
            options[name] = f"{options[name]},{value}" if name in options else value
    return {"scheme": destination.scheme, "address": f"{user}{destination.authority}{path}", "options": options}


def public_change(before: Destination | None, after: Destination) -> tuple[PublicDestination, PublicDestination]:
    """Return the public forms of two destinations that differ, with what changed behind a mask marked, so that they differ as well."""
    old, new = public_destination(before), public_destination(after)
    if before is None:
        return old, new
    was, will = _masked_options(before), _masked_options(after)
    # What the service itself masks may well be the same.
    changed = {
        name for name in was.keys() & will.keys() if was[name] != will[name] and any(value.strip("*") for value in was[name])
    }
    marked: PublicDestination = {
        **new,
        "options": {
            name: _marked(text, old["options"].get(name)) if name in changed else text for name, text in new["options"].items()
        },
    }
    moved = old["address"] == new["address"] and _place(before) != _place(after)
    return old, {**marked, "address": f"{new['address']} (changed)"} if moved or marked == old else marked


def _marked(text: str, old: str | None) -> str:
    """Return what is shown of a changed secret value: of an endpoint also its host, which may be the same."""
    if text.strip(f"{MASK},"):
        return f"{text} (changed)" if text == old else text
    return CHANGED


def public_resend(destination: Destination) -> tuple[PublicDestination, PublicDestination]:
    """Return both public forms of a destination that is sent although it looks equal, with what may change behind a mask marked."""
    public = public_destination(destination)
    masked = _masked_options(destination)
    options = {name: f"{value} {SENT_AGAIN}" if name in masked else value for name, value in public["options"].items()}
    return public, {**public, "options": options} if masked else {**public, "address": f"{public['address']} {SENT_AGAIN}"}


def _masked_options(destination: Destination) -> dict[str, list[str]]:
    masked: dict[str, list[str]] = {}
    for option in destination.options if destination.sound else ():
        if option.secret and option.value is not None:
            masked.setdefault(option.name, []).append(unquote_plus(option.value))
    return masked


def holds_mask(destination: Destination) -> bool:
    """Return whether a destination has asterisks in place of a secret, for example because it was copied from an output."""
    texts = [unquote_plus(option.value) for option in destination.options if option.secret and option.value]
    texts += [destination.user or "", *(unquote(part.text).rpartition("#")[2] for part in destination.parts if part.secret)]
    texts += endpoint_users(destination)
    return any(ASTERISKS.fullmatch(text) for text in texts)
