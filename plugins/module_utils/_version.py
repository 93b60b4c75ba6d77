# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# The collection's version as the service sees it in `User-Agent`; no module can read galaxy.yml, so a test compares the two.
VERSION = "1.0.0"
