# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import ast
import datetime
import hashlib
import json
import math
import re
import typing as t
import unicodedata

from ._core import Json, invalid_option

# The names of the JSON types in messages, by Python type.
JSON_TYPES: t.Mapping[type, str] = {
    dict: "an object",
    list: "a list",
    str: "a string",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    type(None): "null",
}


def json_type(value: Json) -> str:
    """Return the name of a value's type for messages, such as "a list"; a type that JSON lacks by its Python name.

    Values of templates have types of ansible-core, which are those of JSON with more.
    """
    words = (words for kind, words in JSON_TYPES.items() if isinstance(value, kind))
    return next(words, f"a value of type {type(value).__name__}")


def is_integer(value: Json) -> t.TypeGuard[int]:
    """Return whether a value is a JSON integer; in Python, booleans are integers as well."""
    return isinstance(value, int) and not isinstance(value, bool)


def plain_id(sent: Json) -> str:
    """Return an id as it is compared: the service shows some with hyphens or in capitals."""
    return str(sent).replace("-", "").strip().lower()


def is_same_id(one: Json, other: Json) -> bool:
    return plain_id(one) == plain_id(other)


def list_of(value: Json) -> list[Json]:
    """Return a value if it is a list, otherwise an empty list."""
    return value if isinstance(value, list) else []


def dict_of(value: Json) -> dict[str, Json]:
    """Return a value if it is an object, otherwise an empty one."""
    return value if isinstance(value, dict) else {}


def parse_data(text: str) -> Json:
    """Parse JSON, or Python's notation, in which ansible-core before 2.19 passes data of a template; dates become text.

    Evaluates nothing. Raise `ValueError` with the reason of the JSON parser, which does not repeat the text.
    """
    try:
        return json.loads(text, object_pairs_hook=unique_members)
    except (ValueError, RecursionError) as error:
        reason = str(error)
    try:
        value: Json = ast.literal_eval(_DatesAsText().visit(ast.parse(text.strip(), mode="eval")))
        json.dumps(value)  # Python has more, such as sets
        return value
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        raise ValueError(reason) from None


class _DatesAsText(ast.NodeTransformer):
    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        names = [key.value for key in node.keys if isinstance(key, ast.Constant)]
        if len(set(names)) != len(names):
            raise ValueError  # of the two the last one would count
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if ast.unparse(node.func) not in ("datetime.date", "datetime.datetime"):
            return node  # which is no literal
        year, month, day = (ast.literal_eval(argument) for argument in node.args[:3])
        return ast.Constant(f"{year:04d}-{month:02d}-{day:02d}")


def unique_members(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    """Return the members of a JSON object; raise `ValueError` for a duplicate name (hook of the parser)."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("an object has two members of one name")
    return members


def no_constant(name: str) -> t.NoReturn:
    """Raise `ValueError` for a number that JSON lacks, such as NaN (hook of the parser)."""
    raise ValueError(f"{name!r} is not a JSON number")


def finite_float(text: str) -> float:
    """Return a JSON number as a float; raise `ValueError` if it exceeds the range of floats (hook of the parser)."""
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text[:60]} is too large a number")
    return number


def canonical(value: Json) -> str:
    """Return a value as sorted, compact ASCII JSON: equal values give equal texts."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest_of(value: Json) -> str:
    return hashlib.sha256(canonical(value).encode("ascii")).hexdigest()


_RFC_3339 = re.compile(
    r"(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,6})\d*)?( ?[Zz]|[+-]\d{2}:\d{2})?",
)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


# Earlier than every other time.
NEVER = datetime.datetime.min.replace(tzinfo=datetime.timezone.utc)


def parse_time(text: object) -> datetime.datetime | None:
    """Parse a time in RFC 3339, in UTC if it has no offset; return None for anything else."""
    match = _RFC_3339.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        return None
    offset = "+00:00" if (match[4] or "Z").strip() in "Zz" else match[4]
    try:
        time = datetime.datetime.fromisoformat(f"{match[1]}T{match[2]}.{match[3] or '0':0<6}{offset}")
        return time.astimezone(datetime.timezone.utc)
    except (ValueError, OverflowError):
        return None


def parse_http_date(text: str) -> float | None:
    """Return the timestamp of an HTTP date, None for anything else."""
    from email.utils import parsedate_to_datetime  # noqa: PLC0415  # slow to import, and rarely needed

    try:
        time = parsedate_to_datetime(text)
        return time.replace(tzinfo=time.tzinfo or datetime.timezone.utc).timestamp()
    except (TypeError, ValueError, OverflowError, IndexError):
        return None


def format_time(time: datetime.datetime) -> str:
    """Return a time in RFC 3339, in UTC with seconds."""
    return time.astimezone(datetime.timezone.utc).replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


def parse_date(text: object) -> str | None:
    """Return the day of a date, or of the date of a time, as YYYY-MM-DD; None for anything else."""
    if not isinstance(text, str) or not (_DAY.fullmatch(text.strip()) or parse_time(text)):
        return None
    try:
        return datetime.date.fromisoformat(text.strip()[:10]).isoformat()
    except ValueError:
        return None


def duration(seconds: float) -> str:
    """Return a length of time for people, such as "30 hours"."""
    for unit, length in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    whole = math.ceil(seconds)
    return f"{whole} second{'' if whole == 1 else 's'}"


# More than a lifetime; Python has no longer span than some thousand of them.
_MAX_SPAN_SECONDS = 10**10


def span_of(seconds: int) -> datetime.timedelta:
    """Return the span of a limit of the service; one that exceeds every use is cut."""
    return datetime.timedelta(seconds=min(seconds, _MAX_SPAN_SECONDS))


def pause_text(seconds: float) -> str:
    """Return a pause in seconds, followed by a readable duration if it is long."""
    return f"{math.ceil(seconds)} s{f' ({duration(seconds)})' if seconds >= 600 else ''}"


def need_time(place: str, text: str) -> datetime.datetime:
    """Parse a time in RFC 3339; refuse anything else as an invalid option."""
    time = parse_time(text)
    if time is None:
        raise invalid_option(place, f"{text[:60]!r} is not a time such as 2026-11-21T06:00:00Z")
    return time


def need_date(place: str, text: str) -> str:
    """Return the day of a date, or of the date of a time; refuse anything else as an invalid option."""
    day = parse_date(text)
    if day is None:
        raise invalid_option(place, f"{text[:60]!r} is not a date such as 2027-04-01")
    return day


# Below this share of equal characters a name is not taken for a misspelling of another one.
_FOLDER_NAME = re.compile(r"[^\x00-\x1f\x7f/\\\ud800-\udfff]+")
_MAX_NAME_BYTES = 255


def need_folder_name(place: str, name: str) -> str:
    """Return a name; raise `invalid_option` if it cannot be the name of a folder."""
    unfit = not _FOLDER_NAME.fullmatch(name) or name in (".", "..") or name.strip() != name
    if unfit or len(name.encode()) > _MAX_NAME_BYTES:
        raise invalid_option(place, f"{name!r} cannot be the name of a folder")
    return name


_MIN_SIMILARITY = 0.5


def nearest(name: str, known: t.Iterable[str]) -> str:
    """Return the (first) known name that is most similar to `name`, ignoring case; "" if none is similar enough to be meant."""
    import difflib  # noqa: PLC0415  # slow to import, and only needed after a mistake

    def similarity(one: str, other: str) -> float:
        ratio = difflib.SequenceMatcher(None, one, other).ratio()
        return max(ratio, _MIN_SIMILARITY) if one and one in other else ratio

    def has_the_words_of_name(other: str) -> bool:
        """Return whether most letters of a name of several words are in words that the other name has, too, perhaps misspelled."""
        words, others = (text.replace("-", "_").split("_") for text in (lower_name, other))
        there = [word for word in words if any(similarity(word, theirs) >= _MIN_SIMILARITY for theirs in others)]
        return len(words) == 1 or lower_name in other or 2 * sum(map(len, there)) > sum(map(len, words))

    lower_name = name.lower()
    best, score = "", 0.0
    for other in known:
        ratio = similarity(lower_name, other.lower())
        if ratio >= _MIN_SIMILARITY and ratio > score and has_the_words_of_name(other.lower()):
            best, score = other, ratio
    return best


def did_you_mean(name: str) -> str:
    """Return the end of a message that suggests a name; "" for no name."""
    return f" (did you mean {name!r}?)" if name else ""


def quoted(value: object) -> str:
    """Return the representation of a value for a message, shortened if it is long."""
    if not isinstance(value, (str, int, float)):
        return json_type([] if isinstance(value, tuple) else value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and value.bit_length() > 256:
        return "a very large number"
    return shorten(repr(str.__str__(value) if isinstance(value, str) else value))


def shorten(text: str, limit: int = 60) -> str:
    """Return a text for a message, cut to a maximum length."""
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


# Control characters, surrogates, non-characters, and marks that change the direction of text.
_UNSAFE = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)
_BREAKS = re.compile(r"[\t\r\n]+")


def line(text: object, limit: int = 0) -> str:
    """Return a text on one line without control and direction characters; if it exceeds the limit, cut it and append its length."""
    plain = _BREAKS.sub(" ", str(text))
    if limit and len(plain) > limit:
        plain = f"{plain[:limit]}... ({len(plain)} characters)"
    return _UNSAFE.sub("\ufffd", plain)


# Letters and signs that are shown as nothing: the fillers of Hangul, and the blank of Braille.
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")


def has_text(value: object) -> t.TypeGuard[str]:
    """Return whether a value is text of which a reader sees anything: a letter, a number, a sign."""
    return isinstance(value, str) and any(unicodedata.category(sign)[0] in "LNPS" and sign not in _BLANK for sign in value)
