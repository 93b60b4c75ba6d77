# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._chain import kinds
from .._observed import Meaning
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

    def __str__(self) -> str:
        return f"{self.when} {self.threshold}"

    def has(self, score: float) -> bool:
        """Return whether a score means malicious; one that equals the threshold does not."""
        return score > self.threshold if self.when == "above" else score < self.threshold

    def includes(self, other: MaliciousScores) -> bool:
        """Return whether each score that means malicious to the other one does to this one."""
        if self.when != other.when:
            return False
        return self.threshold <= other.threshold if self.when == "above" else self.threshold >= other.threshold


# page_shield counts from 1 (surely malicious) to 99 (surely clean) (cloudflare-docs, client-side-security/reference/api, 2026).
MALICIOUS_SCORES: t.Mapping[str, MaliciousScores] = {
    "script_monitor": MaliciousScores("above", 50),
    "page_shield": MaliciousScores("below", 10),
}
# In the scope of a record, where they are not those of the route: as `below 20`.
SCORES = kinds.SCORES


def parse_scores(text: str) -> MaliciousScores:
    """Return the scores that a record names."""
    when, threshold = text.split()
    return MaliciousScores(when, int(threshold))


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

_PLAN = "depends on the plan of the account (service interface, 2.3, rule 1; client-side-security, reference/api, 2026)"
_SINGLE = "only the answer for a single script has it (service interface, 2.3)"
# Members of answers that may be absent or null, and what that means. All others are needed.
MAY_BE_ABSENT: t.Mapping[str, Meaning] = {
    "script_monitor.updated_at": Meaning(None, "the service has no time before the first change"),
    "scripts[].script_url": Meaning(None, f"not shown: no entry of a baseline covers the script; {_PLAN}"),
    "scripts[].host": Meaning(None, f"not shown: only entries for any host cover the script; {_PLAN}"),
    "scripts[].status": Meaning(None, f"not shown; {_PLAN}"),
    "scripts[].hash": Meaning(None, f"not shown: a pinned script is unverified; {_PLAN}"),
    "scripts[].js_integrity_score": Meaning(None, f"no verdict; {_PLAN}"),
    "scripts[].url_reported_malicious": Meaning(None, f"no verdict; {_PLAN}"),
    "scripts[].domain_reported_malicious": Meaning(None, f"no verdict; {_PLAN}"),
    "scripts[].malicious_url_categories": Meaning((), f"present when the URL is reported (service interface, 2.3); {_PLAN}"),
    "scripts[].malicious_domain_categories": Meaning(
        (), f"related to domain_reported_malicious (service interface, 2.3); {_PLAN}"
    ),
    "scripts[].last_seen_at": Meaning(None, f"not shown: earlier than the others of the same URL and host; {_PLAN}"),
    "scripts[].versions": Meaning((), f"none in a listing: {_SINGLE}"),
    "scripts[].seen_on": Meaning((), f"pages are not shown: {_SINGLE}; {_PLAN}"),
    "scripts[].seen_on_first": Meaning(None, f"pages are not shown; {_PLAN}"),
}

# Flags that report the URL or the domain of a script as malicious.
REPORTED = ("url_reported_malicious", "domain_reported_malicious")
# All that says so.
REPORTS = (*REPORTED, "malicious_url_categories", "malicious_domain_categories")

# What an audit can find, in the order of reports.
SCRIPT_FINDINGS = kinds.SCRIPTS.findings
# An entry without a matching script does not fail the audit by default.
FAILURES = frozenset(SCRIPT_FINDINGS) - {kinds.UNUSED}
ALL = "all"
DEFAULT_STATUSES = ON_PAGES

DEFAULT_MAX_GAP_DAYS = kinds.SCRIPTS.max_gap_days
# With `details: findings`, scripts that are read singly; a first audit of a large zone must not spend the budget of a day.
MAX_DETAILS = 500
