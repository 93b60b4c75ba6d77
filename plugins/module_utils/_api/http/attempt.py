# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import threading

from ansible_collections.edgeops.observability.plugins.module_utils._api.http.deadline import Deadline


class Try:
    """One try of a request. `sent` says that a byte of it may have left; `fresh` forbids connections used before."""

    def __init__(self, seconds: float, *, fresh: bool = False) -> None:
        self.deadline = Deadline(seconds)
        self.fresh = fresh
        self.sent = False


class _Current(threading.local):
    attempt: Try


CURRENT = _Current()
