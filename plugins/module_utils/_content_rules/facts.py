# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# What Cloudflare documents about content security rules (cloudflare-docs, client-side-security/rules, 2026).

# `log` reports what a policy would block, `allow` enforces it.
ACTIONS = LOG, ALLOW = ("log", "allow")
MAX_LENGTH = 6000
# Violations are kept for 30 days; the advised time in `log` is a week.
DEFAULT_LOOK_BACK_DAYS, MAX_LOOK_BACK_DAYS = 7, 30
REFUSE, ACCEPT = UNOBSERVED = ("refuse", "allow")
