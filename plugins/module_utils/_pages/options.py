# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import functools
import math
import re
import typing as t

from .._baseline.entries import (
    AUTHORISATION,
    Baseline,
    day,
    flag,
    needed,
    optional_text,
    own_text,
    parse_baseline,
    parse_entries,
    parse_members,
)
from .._baseline.pattern import Pattern, is_url, parse_pattern
from .._chain.evidence import Keeping
from .._core import Json, invalid_option
from .._text import did_you_mean, nearest, quoted
from .._version import VERSION
from .facts import ALL, FAILURES, MAX_BYTES, MAX_FETCHES, MAX_TIMEOUT, OF_DOCUMENT, POLICIES
from .headers import find_duplicate
from .url import Address, parse

SELF = "'self'"
REQUIRED = "required"
_INLINE = re.compile(r"(?:sha256|shape)-[A-Za-z0-9+/]{43}=")
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:")
# An entry as plain data, with every member of MEMBERS.
Declared = dict[str, t.Any]


class Line(t.NamedTuple):
    """A line of an entry that names scripts or frames by a pattern."""

    pattern: Pattern
    needs_integrity: bool = False
    is_required: bool = False


class Entry(t.NamedTuple):
    """The authorised state of a page, or of the pages of a pattern."""

    place: str
    name: str
    pattern: Pattern
    headers: t.Mapping[str, tuple[str, ...]]
    scripts: tuple[Line, ...]
    inline: frozenset[str]
    frames: tuple[Line, ...]
    forms: frozenset[str]
    declared: Declared


class Page(t.NamedTuple):
    """A page to read: from its address, or from what a browser recorded."""

    place: str
    url: str
    address: Address
    har: str | None
    headers: t.Mapping[str, str]


USER_AGENT = f"Mozilla/5.0 (compatible; edgeops.observability/{VERSION})"


class Options(t.NamedTuple):
    """The validated options of an audit."""

    pages: tuple[Page, ...]
    entries: tuple[Entry, ...]
    scripts: Baseline
    headers: tuple[str, ...]
    fetches: int
    timeout: float
    max_bytes: int
    user_agent: str
    validate_certs: bool
    ca_path: str | None
    fail_on: frozenset[str]
    keeping: Keeping


def desire(params: t.Mapping[str, t.Any]) -> Options:
    """Return the audit of validated options; refuse invalid values."""
    for name, limit in (("fetches", MAX_FETCHES), ("timeout", MAX_TIMEOUT), ("max_bytes", MAX_BYTES)):
        value = params[name]
        if not math.isfinite(value) or value <= 0 or value > limit:
            raise invalid_option(name, f"{value!r} is not between {1 if isinstance(limit, int) else 'above 0'} and {limit:g}")
    if params["user_agent"] and not re.fullmatch(r"[\x20-\x7e]*", params["user_agent"]):
        raise invalid_option("user_agent", "must be printable ASCII")
    headers = tuple(dict.fromkeys(_header(f"headers[{index}]", name) for index, name in enumerate(params["headers"])))
    return Options(
        pages=_pages(params["pages"]),
        entries=parse_entries(params["baseline"], "baseline", functools.partial(_entry, headers=(*headers, *OF_DOCUMENT))),
        scripts=Baseline(parse_baseline(params["script_baseline"], "script_baseline")),
        headers=headers,
        fetches=params["fetches"],
        timeout=params["timeout"],
        max_bytes=params["max_bytes"],
        user_agent=params["user_agent"] or USER_AGENT,
        validate_certs=params["validate_certs"],
        ca_path=params["ca_path"] or None,
        fail_on=FAILURES if ALL in params["fail_on"] else frozenset(params["fail_on"]),
        keeping=Keeping.of(params),
    )


def _header(place: str, name: str) -> str:
    if not _HEADER.fullmatch(name):
        raise invalid_option(place, f"{quoted(name)} is not the name of a header")
    return name.lower()


def _pages(items: t.Sequence[t.Mapping[str, t.Any]]) -> tuple[Page, ...]:
    if not items:
        raise invalid_option("pages", "names no page")
    pages = [_page(f"pages[{index}]", item) for index, item in enumerate(items)]
    first: dict[str, Page] = {}
    for page in pages:
        known = first.setdefault(page.url, page)
        if known is not page:
            raise invalid_option(f"{page.place}.url", f"{quoted(page.url)} is already the page of {known.place}")
    return tuple(pages)


def _page(place: str, item: t.Mapping[str, t.Any]) -> Page:
    text = item["url"]
    address = parse(text) if text.isprintable() else None
    if address is None or address.scheme not in ("http", "https"):
        raise invalid_option(f"{place}.url", f"{quoted(text)} is not a URL: https:// and a host")
    if address.has_user:
        raise invalid_option(f"{place}.url", "must not have user information; send credentials in request_headers")
    if address.scheme == "http" and not address.is_loopback:
        raise invalid_option(f"{place}.url", f"{quoted(text)} is not https://, which is required for every host but this machine")
    headers = item.get("request_headers") or {}
    for name, value in headers.items():
        if not _HEADER.fullmatch(str(name)) or not isinstance(value, str) or not re.fullmatch(r"[\t\x20-\x7e\x80-\xff]*", value):
            # The value is a secret, and the name may be the first part of one.
            raise invalid_option(f"{place}.request_headers", "must be a dictionary of names of headers and their text")
    return Page(place, str(address), address, item.get("har") or None, headers)


def _entry(place: str, item: Json, headers: t.Sequence[str]) -> Entry:
    declared = parse_members(place, item, "name and page", MEMBERS)
    for name in declared["headers"]:
        if name not in headers:
            likely = did_you_mean(nearest(name, headers))
            raise invalid_option(f"{place}.headers", f"{quoted(name)} is not among the headers that are compared{likely}")
    return Entry(
        place=place,
        name=declared["name"],
        pattern=parse_pattern(f"{place}.page", declared["page"]),
        headers={name: (texts,) if isinstance(texts, str) else tuple(texts) for name, texts in declared["headers"].items()},
        scripts=tuple(_line(f"{place}.scripts[{index}]", line) for index, line in enumerate(declared["scripts"])),
        inline=frozenset(declared["inline"]),
        frames=tuple(_line(f"{place}.frames[{index}]", line) for index, line in enumerate(declared["frames"])),
        forms=frozenset(declared["forms"]),
        declared=declared,
    )


def _headers(place: str, value: Json) -> dict[str, str | list[str]]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise invalid_option(place, f"must be a dictionary of headers, not {quoted(value)}")
    headers: dict[str, str | list[str]] = {}
    for header, texts in value.items():
        if texts is None:
            continue  # absent
        name = str(header).lower()
        values = list(texts) if isinstance(texts, (list, tuple)) else [texts]
        if name in headers:
            raise invalid_option(place, f"{quoted(header)} stands twice; give a list for a header that is sent several times")
        if not values or not all(isinstance(text, str) for text in values):
            raise invalid_option(f"{place}.{header}", "must be text, or a list of texts for a header that is sent several times")
        for text in values if name in POLICIES else ():
            directive = find_duplicate(text)
            if directive:
                raise invalid_option(f"{place}.{header}", f"the policy has the directive {quoted(directive)} twice")
        headers[name] = texts if isinstance(texts, str) else values
    return headers


def _lines(place: str, value: Json, members: t.Collection[str]) -> list[t.Any]:
    """Return the lines of an entry: patterns of URLs, or dictionaries with these members."""
    if not isinstance(value, (list, tuple, type(None))):
        raise invalid_option(place, f"must be a list, not {quoted(value)}")
    return [_declared_line(f"{place}[{index}]", item, members) for index, item in enumerate(value or ())]


def _declared_line(place: str, item: Json, members: t.Collection[str]) -> str | dict[str, Json]:
    if isinstance(item, str):
        return item.strip()
    if not isinstance(item, dict):
        raise invalid_option(place, f"must be a URL or a dictionary with url, not {quoted(item)}")
    for member in item:
        if member not in members:
            likely = did_you_mean(nearest(str(member), members))
            raise invalid_option(place, f"{quoted(member)} is not a member of it{likely}")
    line: dict[str, Json] = {"url": needed(f"{place}.url", item.get("url"))}
    integrity = optional_text(f"{place}.integrity", item.get("integrity"))
    if integrity not in (None, REQUIRED):
        raise invalid_option(f"{place}.integrity", f"{quoted(integrity)} is not {REQUIRED!r}")
    if integrity:
        line["integrity"] = integrity
    if flag(f"{place}.required", item.get("required")):
        line["required"] = True
    return line


def _line(place: str, item: str | t.Mapping[str, t.Any]) -> Line:
    if isinstance(item, str):
        return Line(parse_pattern(place, item))
    pattern = parse_pattern(f"{place}.url", item["url"])
    return Line(pattern, item.get("integrity") == REQUIRED, bool(item.get("required")))


def _texts(place: str, value: Json, parse_item: t.Callable[[str, str], str]) -> list[str]:
    if not isinstance(value, (list, tuple, type(None))):
        raise invalid_option(place, f"must be a list, not {quoted(value)}")
    texts = []
    for index, item in enumerate(value or ()):
        if not isinstance(item, str):
            raise invalid_option(f"{place}[{index}]", f"{quoted(item)} is not a string; put it in quotes")
        texts.append(parse_item(f"{place}[{index}]", item.strip()))
    return sorted(set(texts))


def _inline(place: str, text: str) -> str:
    if not _INLINE.fullmatch(text):
        raise invalid_option(place, f"{quoted(text)} is neither sha256- nor shape- with 44 characters of Base64")
    return text


def _form(place: str, text: str) -> str:
    if text.lower() in (SELF, "self"):
        return SELF
    if _SCHEME.fullmatch(text.lower()):
        return text.lower()
    address = parse(text) if is_url(text) else None
    if address is None or "*" in text or address.rest != "/" or text.endswith("?"):
        raise invalid_option(
            place, f"{quoted(text)} is not an origin such as https://pay.example, 'self', or a scheme such as mailto:"
        )
    return address.origin


MEMBERS: t.Mapping[str, t.Callable[[str, Json], t.Any]] = {
    "name": needed,
    "page": needed,
    "headers": _headers,
    "scripts": functools.partial(_lines, members=("url", "integrity", "required")),
    "inline": functools.partial(_texts, parse_item=_inline),
    "frames": functools.partial(_lines, members=("url", "required")),
    "forms": functools.partial(_texts, parse_item=_form),
    "owner": own_text,
    "justification": own_text,
    "authorised_by": own_text,
    "authorised_on": day,
    "review_by": day,
}
NOBODY: t.Mapping[str, None] = dict.fromkeys((*AUTHORISATION, "authorised_on", "review_by"))
