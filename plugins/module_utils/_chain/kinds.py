# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import types
import typing as t

from .._core import Json
from .._text import parse_time

# What a record of a chain contains. Records are never rewritten, so that this is what every later release has to read.

RECORD_VERSION = 1
BASELINES = "baselines"
# An entry without anything that matches it, the one finding that fails no audit.
UNUSED = "unused"
# A script whose hash, or one of a version, is not known.
UNVERIFIED = "unverified"

# In the scope of a record of scripts: which scores mean malicious, if these are not those of the route.
SCORES = "malicious"
# In the scope of a record of pages: the user agent, null for the default, and by page the headers with which it was asked for, null for those whose
# value may be a credential. The first records lack both.
USER_AGENT, REQUEST_HEADERS = "user_agent", "request_headers"
_SCORES = re.compile(r"(?:above|below) -?[0-9]{1,4000}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_Check = t.Callable[[Json], bool]


def is_digest(value: Json) -> t.TypeGuard[str]:
    """Return whether a value is a SHA-256 in lower case, as records and entries contain it."""
    return isinstance(value, str) and _DIGEST.fullmatch(value) is not None


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


def _is_optional_text(value: Json) -> bool:
    return value is None or isinstance(value, str)


def _is_flag(value: Json) -> bool:
    return isinstance(value, bool)


def _is_number(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_texts(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_time(value: Json) -> bool:
    return parse_time(value) is not None


def _is_scores(value: Json) -> bool:
    return isinstance(value, str) and _SCORES.fullmatch(value) is not None


def _is_object(value: Json) -> bool:
    return isinstance(value, dict)


def _are_headers_of_pages(value: Json) -> bool:
    return value is None or (
        isinstance(value, dict)
        and all(isinstance(headers, dict) and all(map(_is_optional_text, headers.values())) for headers in value.values())
    )


def _has(members: t.Mapping[str, _Check], optional: t.Mapping[str, _Check] = types.MappingProxyType({})) -> _Check:
    """Return the check of an object that has all of these members, and perhaps optional and other ones."""
    checks, more = tuple(members.items()), tuple(optional.items())

    def check(value: Json) -> bool:
        return (
            isinstance(value, dict)
            and all(name in value and is_valid(value[name]) for name, is_valid in checks)
            and all(name not in value or is_valid(value[name]) for name, is_valid in more)
        )

    return check


def _each(check: _Check) -> _Check:
    """Return the check of a list of such items."""
    return lambda value: isinstance(value, list) and all(map(check, value))


def _find(kinds: t.Collection[str], *members: str) -> _Check:
    """Return the check of findings: of one of these kinds, each with these members, which are text or null."""
    return _each(_has({"kind": tuple(kinds).__contains__, **dict.fromkeys(members, _is_optional_text)}))


class Kind(t.NamedTuple):
    """What a chain is about.

    `marks` are the members that tell records of the kind from others. `state` is the member with what an audit saw; a record with the
    same as an earlier one has the number of that one in `<state>_same_as` instead. `baselines` are the members that name the baselines
    of an audit by their digests, `findings` the types of findings, in the order of reports. After more than `max_gap_days` of UTC
    without an audit there is a gap, which means `gap`. `members` has a check for every other member; those of the chain itself, which
    tie a record to the one before it, have rules of their own in `records.py`.
    """

    name: str
    suffix: str
    marks: t.Mapping[str, Json]
    state: str
    baselines: tuple[str, ...]
    findings: tuple[str, ...]
    max_gap_days: float
    gap: str
    members: t.Mapping[str, _Check]

    @property
    def same(self) -> str:
        return f"{self.state}_same_as"

    def key(self, zone_id: str) -> str:
        """Return the name of a zone's chain, as in `expected_heads`."""
        return zone_id.lower() + self.suffix.removesuffix(".jsonl")


# Beside `v`, `seq`, `at`, `written_at` (which the first records lack), `zone_id`, `prev` and `digest`.
_COMMON: t.Mapping[str, _Check] = {"passed": _is_flag, "collection_version": _is_text}

_TEXT_OR_NULL = (str, type(None))


def _is_listed(item: Json) -> bool:
    """Return whether this is a script of an inventory with its entry and findings; a year has more than a million, so this is no table."""
    if not isinstance(item, dict) or not isinstance(script := item.get("script"), dict):
        return False
    # A number stands for a member that is missing.
    return (
        isinstance(script.get("script_id"), str)
        and isinstance(script.get("script_url", 0), _TEXT_OR_NULL)
        and isinstance(script.get("host", 0), _TEXT_OR_NULL)
        and isinstance(script.get("status", 0), _TEXT_OR_NULL)
        and isinstance(script.get("hash", 0), _TEXT_OR_NULL)
        and isinstance(item.get("entry", 0), _TEXT_OR_NULL)
        and (item.get("findings") == [] or _are_findings(item.get("findings")))
    )


def _are_findings(value: Json) -> bool:
    """Return whether these are types of findings about scripts; a type that nobody knows may mean that a script is not authorised."""
    return isinstance(value, list) and all(kind in _SCRIPT_FINDINGS for kind in value)


_SCRIPT_FINDINGS = (
    "malicious",
    "reported",
    "new",
    "changed",
    UNVERIFIED,
    "expired",
    "unjustified",
    "gone",
    UNUSED,
    "monitor_off",
    "nothing_seen",
    "evidence_gap",
    "history_broken",
)
# Of these, those about a script; the others are about an entry, or about the audit itself.
OF_SCRIPTS = frozenset(("malicious", "reported", "new", "changed", UNVERIFIED))
SCRIPTS = Kind(
    name="scripts",
    suffix=".jsonl",
    marks={},
    state="inventory",
    baselines=("baseline_digest",),
    findings=_SCRIPT_FINDINGS,
    max_gap_days=5.0,
    gap="the service forgets infrequent scripts after five days, so that changes in between are unknown",
    members={
        **_COMMON,
        "monitor": _has({"enabled": _is_flag}),
        "baseline_digest": is_digest,
        "scope": _has(
            {
                **dict.fromkeys(("hosts", "status", "pages", "fail_on"), _is_texts),
                **dict.fromkeys(("details", "route"), _is_text),
            },
            {SCORES: _is_scores},
        ),
        "inventory": _each(_is_listed),
        "findings": _find(_SCRIPT_FINDINGS, "script_url", "host", "entry", "message"),
    },
)

_PAGE_FINDINGS = (
    "page_unread",
    "page_new",
    "header_changed",
    "script_new",
    "inline_new",
    "frame_new",
    "form_new",
    "gone",
    "redirected",
    "expired",
    "unjustified",
    "evidence_gap",
    "history_broken",
    UNUSED,
)
# Of a page that could not be read, only the URL is known. Nothing in it changes by itself: a nonce is a mark, dynamic code its shape.
_PAGE = _has(
    {
        "url": _is_text,
        **dict.fromkeys(("final_url", "source", "recorded_at", "entry"), _is_optional_text),
        "status": lambda value: value is None or _is_number(value),
        "headers": _is_object,
        "scripts": _each(_has({"url": _is_text, **dict.fromkeys(("integrity", "crossorigin", "kind"), _is_optional_text)})),
        "inline": _each(_has({"hash": _is_optional_text, "shape": _is_optional_text, "kind": _is_text, "dynamic": _is_flag})),
        "frames": _each(_has({"url": _is_text})),
        "forms": _each(_has({"origin": _is_text})),
    }
)
PAGES = Kind(
    name="pages",
    suffix=".pages.jsonl",
    marks={"kind": "pages"},
    state="pages",
    baselines=("pages_baseline_digest", "baseline_digest"),
    findings=_PAGE_FINDINGS,
    max_gap_days=7.0,
    gap="changes in between are unknown",
    members={
        **_COMMON,
        "pages_baseline_digest": is_digest,
        # That of the scripts which the audit took as authorised.
        "baseline_digest": is_digest,
        "scope": _has(
            {**dict.fromkeys(("pages", "headers", "fail_on"), _is_texts), "fetches": _is_number},
            {USER_AGENT: _is_optional_text, REQUEST_HEADERS: _are_headers_of_pages},
        ),
        "pages": _each(_PAGE),
        "findings": _find(_PAGE_FINDINGS, "page", "subject"),
    },
)
KINDS = (SCRIPTS, PAGES)


def find_unusable(record: t.Mapping[str, Json], kind: Kind) -> str:
    """Return the first member of a record that is missing or cannot be what it says, "" if there is none."""
    for name, check in kind.members.items():
        if name == kind.state and name not in record:
            continue  # the rule of `<state>_same_as` applies
        if name not in record or not check(record[name]):
            return name
    return "written_at" if "written_at" in record and not _is_time(record["written_at"]) else ""
