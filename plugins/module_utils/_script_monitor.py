# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# What the API and several resources know of the script monitor.

# Cloudflare renamed routes and fields in 2022; results keep the names of the first one (cloudflare-docs, page-shield API reference).
ROUTES = ("script_monitor", "page_shield")
# The statuses of what is on the pages of a zone now.
ON_PAGES = ("active", "infrequent")
# Documented by the service.
MAX_PER_PAGE = 100
