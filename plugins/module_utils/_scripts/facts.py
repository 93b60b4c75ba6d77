# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t

from .._core import Json
from .._script_monitor import ON_PAGES, ROUTES

# Both routes, one after the other.
AUTO = "auto"
ROUTE_CHOICES = (AUTO, *ROUTES)
# The newer names of fields, each with the one in results.
PAGE_SHIELD_NAMES: t.Mapping[str, str] = {
    "id": "script_id",
    "url": "script_url",
    "first_page_url": "seen_on_first",
    "page_urls": "seen_on",
    "url_contains_cdn_cgi_path": "appears_in_cdn_cgi_path",
}


class MaliciousScores(t.NamedTuple):
    """On which side of which threshold a score means malicious."""

    when: str
    threshold: int


# page_shield counts from 1 (surely malicious) to 99 (surely clean) (cloudflare-docs, client-side-security/reference/api, 2026).
MALICIOUS_SCORES: t.Mapping[str, MaliciousScores] = {
    "script_monitor": MaliciousScores("above", 50),
    "page_shield": MaliciousScores("below", 10),
}


def is_malicious(score: float, when: str, threshold: int) -> bool:
    """Return whether a score means malicious; one that equals the threshold does not."""
    return score > threshold if when == "above" else score < threshold


ROUTE_OPTION: t.Mapping[str, dict[str, t.Any]] = {"route": {"type": "str", "choices": list(ROUTE_CHOICES), "default": AUTO}}
# Omitted, they are those of the route that answers.
MALICIOUS_OPTIONS: t.Mapping[str, dict[str, t.Any]] = {
    "malicious_threshold": {"type": "int"},
    "malicious_when": {"type": "str", "choices": ["above", "below"]},
}

# Whether the service looks at a sample of the visits only; None: not documented (cloudflare-docs, client-side-security, 2026).
SAMPLED: t.Mapping[str, bool | None] = {"script_monitor": None, "page_shield": True}

# What the monitor lists; only page_shield has routes for the last two.
RESOURCES = SCRIPTS, CONNECTIONS, COOKIES = ("scripts", "connections", "cookies")

SCORE = "js_integrity_score"
# What a script can have, in the order of the documentation; the verdicts are the collection's own, the last scores Page Shield's.
MEMBERS = (
    "script_id",
    "script_url",
    "host",
    "status",
    "added_at",
    "first_seen_at",
    "last_seen_at",
    "seen_on_first",
    "seen_on",
    "versions",
    "hash",
    SCORE,
    "fetched_at",
    "count",
    "appears_in_cdn_cgi_path",
    "url_reported_malicious",
    "malicious_url_categories",
    "domain_reported_malicious",
    "malicious_domain_categories",
    "malicious",
    "malicious_reasons",
    "malware_score",
    "magecart_score",
    "cryptomining_score",
    "dataflow_score",
    "obfuscation_score",
)

# Flags that report the URL or the domain of a script as malicious.
REPORTED = ("url_reported_malicious", "domain_reported_malicious")

# What an audit can find, in the order of reports.
SCRIPT_FINDINGS = (
    "malicious",
    "reported",
    "new",
    "changed",
    "unverified",
    "expired",
    "unjustified",
    "gone",
    "unused",
    "monitor_off",
    "nothing_seen",
    "evidence_gap",
    "history_broken",
)
# An entry without a matching script does not fail the audit by default.
FAILURES = frozenset(SCRIPT_FINDINGS) - {"unused"}
ALL = "all"
DEFAULT_STATUSES = ON_PAGES

# The service forgets scripts that are seen seldom after five days.
DEFAULT_MAX_GAP_DAYS = 5.0
# With `details: findings`, scripts that are read singly; a first audit of a large zone must not spend the budget of a day.
MAX_DETAILS = 500

_DIGEST = re.compile(r"[0-9a-f]{64}")


def is_digest(value: Json) -> t.TypeGuard[str]:
    """Return whether a value is a SHA-256 in lower case, as records and entries contain it."""
    return isinstance(value, str) and _DIGEST.fullmatch(value) is not None
