# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import dataclasses
import re
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._errors import Failure

# The path of an option at the start of a message, as in `filter.where.and[0].operator: ...`.
_PATH = re.compile(r"[a-z][a-z0-9_]*(?:\[\d+\]|\.[^\s:]+)*(?=[:,] )")


def moved(place: str, text: str) -> str:
    """Return a message about an option of one item as a message about that item's place among all options."""
    return f"{place}.{text}" if _PATH.match(text) else text


@contextlib.contextmanager
def within(place: str) -> t.Iterator[None]:
    """Give failures the place of the item that they are about, as in `jobs[1].filter: ...`."""
    try:
        yield
    except Failure as failure:
        message = moved(place, failure.message)
        raise dataclasses.replace(failure, message=message if message != failure.message else f"{place}: {message}") from failure
