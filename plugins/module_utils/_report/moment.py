# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import re

from ansible_collections.edgeops.observability.plugins.module_utils._errors import Failure, invalid_option

_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(\.\d+)?( ?[Zz]|[+-]\d\d:\d\d)?")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def parse_moment(place: str, text: str) -> str:
    """An RFC 3339 time in UTC with seconds and `Z`; a time without an offset is UTC."""
    found = _MOMENT.fullmatch(text.strip())
    if found:
        day, clock, _fraction, offset = found.groups()
        zone = "+00:00" if not offset or offset.strip() in "Zz" else offset
        try:
            return in_utc(datetime.datetime.fromisoformat(f"{day}T{clock}{zone}"))
        except (ValueError, OverflowError):
            pass
    raise invalid_option(place, f"{text[:60]!r} is not a time such as 2026-11-22T06:00:00Z")


def parse_day(place: str, text: str) -> str:
    """A date as YYYY-MM-DD."""
    if _DAY.fullmatch(text.strip()):
        try:
            return datetime.date.fromisoformat(text.strip()).isoformat()
        except ValueError:
            pass
    raise invalid_option(place, f"{text[:60]!r} is not a date such as 2026-12-31")


def in_utc(moment: datetime.datetime) -> str:
    """RFC 3339 with seconds and `Z`."""
    return moment.astimezone(datetime.timezone.utc).replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


def now() -> str:
    """The present time in UTC."""
    return in_utc(datetime.datetime.now(datetime.timezone.utc))


def unix_seconds(moment: object) -> int:
    """Unix time of an RFC 3339 text; 0 where there is none."""
    try:
        text = parse_moment("", moment if isinstance(moment, str) else "")
    except Failure:
        return 0
    return int(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp())
