# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import typing as t
from urllib.parse import urlsplit

from ...module_utils._core import Json
from ...module_utils._pages.facts import REDIRECTED, UNREAD
from ...module_utils._pages.headers import key_of
from ...module_utils._text import canonical, list_of, parse_time
from .._words import plural
from .audits import moment
from .chronicle import Finding
from .dates import Entry, matches
from .events import BACK, NOT_REQUIRED, UNPROVEN, Ended

# What a record has of a payment page, and what an entry says of it.

# Parts of a page, with their words.
PARTS: t.Mapping[str, tuple[str, str]] = {
    "scripts": ("script", "scripts"),
    "inline": ("piece of inline code", "pieces of inline code"),
    "frames": ("frame", "frames"),
    "forms": ("form", "forms"),
}

Page = t.Mapping[str, t.Any]


class Look(t.NamedTuple):
    """How closely an audit looked at a page: what a browser recorded has more than the document, and more fetches may show more.

    `asked` is how it asked for the page, None if the record does not say.
    """

    is_recorded: bool = False
    fetches: int = 0
    asked: str | None = None

    def is_closer_than(self, other: Look) -> bool:
        return (self.is_recorded, self.fetches) > (other.is_recorded, other.fetches)

    def asks_otherwise_than(self, other: Look) -> bool:
        """Return whether a server may have sent something else only because of what it was asked with; browsers that recorded a page are alike."""
        return not (self.is_recorded or other.is_recorded) and self.asked != other.asked


def message_of(finding: t.Mapping[str, Json]) -> str:
    if "is" not in finding or "should_be" not in finding:
        return ""
    return f"is {finding['is'] or 'not set'}, should be {finding['should_be'] or 'not set'}"


def host_of(url: str) -> str:
    """Return the host of a URL, "" for one that cannot be read."""
    with contextlib.suppress(ValueError):
        return (urlsplit(url).hostname or "").lower()
    return ""


def patterns_of(lines: Json) -> list[Json]:
    """Return the patterns of the lines of an entry."""
    return [line.get("url") if isinstance(line, dict) else line for line in list_of(lines)]


# Where a page has what a finding is about.
HAS: t.Mapping[str, tuple[str, tuple[str, ...]]] = {
    "script_new": ("scripts", ("url",)),
    "expired": ("scripts", ("url",)),
    "unjustified": ("scripts", ("url",)),
    "inline_new": ("inline", ("hash", "shape")),
    "frame_new": ("frames", ("url",)),
    "form_new": ("forms", ("origin",)),
}


class Header(t.NamedTuple):
    """What a record shows of a header, and what the entry of its page says of it, in a form in which equal meanings are equal."""

    value: Json
    should_be: Json

    @classmethod
    def of(cls, name: str, page: Page, declared: Entry) -> Header | None:
        """Return what is known of a header; None if the record or the entry does not say it."""
        headers = declared.get("headers") or {}
        seen = _texts(page["headers"][name]) if name in page["headers"] else None
        should_be = _texts(headers.get(name)) if isinstance(headers, dict) else None
        return None if seen is None or should_be is None else cls(key_of(name, seen), key_of(name, should_be))


def _texts(value: Json) -> list[str] | None:
    """Return the values of a header, none if it is absent; None if they are no texts."""
    values = [] if value is None else value if isinstance(value, list) else [value]
    texts = [text for text in values if isinstance(text, str)]
    return texts if len(texts) == len(values) else None


def names_in(page: Page, kind: str) -> set[str]:
    """Return the names of what a page has of the part that a type of finding is about."""
    part, names = HAS[kind]
    return {item[name] for item in page[part] for name in names if item[name] is not None}


def names_of(page: Page, finding: Finding) -> set[str]:
    """Return the names of what a finding is about: code has its hash and its shape, and another audit may know it by either."""
    part, names = HAS[finding.kind]
    items = [item for item in page[part] if finding.detail in [item[name] for name in names]]
    return {finding.detail, *(item[name] for item in items for name in names if item[name] is not None)}


def end_of_required(pattern: str, page: Page, declared: Entry) -> Ended:
    """Return how it ended that a page had nothing that fits a line of its entry which requires something."""
    lines = [line for part in ("scripts", "frames") for line in list_of(declared.get(part)) if isinstance(line, dict)]
    if not any(line.get("url") == pattern and line.get("required") for line in lines):
        return Ended(NOT_REQUIRED)
    there = [item["url"] for part in ("scripts", "frames") for item in page[part]]
    return Ended(BACK if any(matches(pattern, url) for url in there) else UNPROVEN)


def differences(before: Page, now: Page) -> list[str]:
    """Return in words what differs between two states of a page."""
    changes = []
    for name in sorted({**before["headers"], **now["headers"]}):
        was, value = before["headers"].get(name), now["headers"].get(name)
        if was != value:
            changes.append(f"header {name} was {_text(was)}, is {_text(value)}")
    for part, words in PARTS.items():
        was, are = ({canonical(item) for item in side[part]} for side in (before, now))
        counts = [
            f"{word} {plural(len(items), *words)}" for word, items in (("added", are - was), ("removed", was - are)) if items
        ]
        changes += counts
    if before["final_url"] != now["final_url"]:
        changes.append(f"it led to {_text(before['final_url'])}, and leads to {_text(now['final_url'])}")
    if before["source"] != now["source"]:
        changes.append(f"it is {'read from a recording' if now['source'] == 'har' else 'fetched'} from now on")
    return changes


def was_read(page: Page) -> bool:
    """Return whether a record has the document of a page, of a time that is known."""
    is_dated = page["source"] != "har" or parse_time(page["recorded_at"]) is not None
    return page["status"] is not None and page["status"] // 100 == 2 and is_dated


def contents(page: Page, kinds: t.Container[str]) -> str:
    """Return in words what a page has, or why that is not known; `kinds` are the types of its findings."""
    if UNREAD in kinds or not was_read(page):
        return "could not be read"
    if REDIRECTED in kinds:
        return f"not read, because it led to {_text(page['final_url'])}"
    sent = sum(value is not None for value in page["headers"].values())
    parts = [plural(len(page[part]), *words) for part, words in PARTS.items()]
    return ", ".join([plural(sent, "compared header"), *parts]) + recorded_when(page)


def recorded_when(page: Page) -> str:
    """Return a clause about the recording from which a page was read, "" for one that was fetched."""
    made = parse_time(page["recorded_at"])
    return f"; read from a recording of {moment(made)}" if made and page["source"] == "har" else ""


def _text(value: Json) -> str:
    return "not set" if value is None else value if isinstance(value, str) else canonical(value)
