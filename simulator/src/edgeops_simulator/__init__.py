# SPDX-License-Identifier: GPL-3.0-or-later
"""A stateful simulator of Cloudflare's API for script monitors, custom log fields and Logpush jobs."""

from __future__ import annotations

__version__ = "1.0.0"
