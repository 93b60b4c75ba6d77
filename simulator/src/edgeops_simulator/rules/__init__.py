# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations
