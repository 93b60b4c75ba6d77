# SPDX-License-Identifier: GPL-3.0-or-later
"""A stateful stand-in for a zone's script monitor, custom log fields and log delivery jobs."""

from __future__ import annotations

__version__ = "1.0.0"
