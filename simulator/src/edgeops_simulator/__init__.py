# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A stateful stand-in for a zone's script monitor, custom log fields and log delivery jobs."""

from __future__ import annotations

__version__ = "1.0.0"
