# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# The collection's version as the service sees it in `User-Agent`; no module can read galaxy.yml, so a test compares the two.
VERSION = "1.0.0"
