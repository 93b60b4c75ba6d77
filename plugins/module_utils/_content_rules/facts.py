# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._observed import Meaning

# What Cloudflare documents about content security rules (cloudflare-docs, client-side-security/rules, 2026).

# `log` reports what a policy would block, `allow` enforces it.
ACTIONS = LOG, ALLOW = ("log", "allow")
# The third action of a rule, which evaluates no policy of its own (types of the vendor's SDKs, 2026).
ADD_REPORTING = "add_reporting_directives"
MAX_LENGTH = 6000
# Violations are kept for 30 days; the advised time in `log` is a week.
DEFAULT_LOOK_BACK_DAYS, MAX_LOOK_BACK_DAYS = 7, 30
REFUSE, ACCEPT = UNOBSERVED = ("refuse", "allow")

# Members of the service's answers that may be absent: nothing of a report but its place, and nothing of a rule (POST requires all five).
MAY_BE_ABSENT: t.Mapping[str, Meaning] = {
    "reports[].dimensions.host": Meaning("", "no page is known, so that 'self' allows nothing"),
    "reports[].dimensions.pageURL": Meaning("", "no page is known; the host counts as one with https"),
    "listing[].host": Meaning("", "the service shows none for some scripts (API reference, page_shield/scripts)"),
    "listing[].first_page_url": Meaning(
        "", "page attribution is part of Business and higher plans (client-side-security, 2026-08-14)"
    ),
}


def absent_as(path: str, text: object) -> str:
    """Return a text of the service; what it means that it is absent if it is null."""
    return str(MAY_BE_ABSENT[path].value if text is None else text)
