# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import re

from ansible_collections.edgeops.observability.plugins.module_utils._errors import invalid_option

_RFC_3339 = re.compile(
    r"(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,6})\d*)?( ?[Zz]|[+-]\d{2}:\d{2})?",
)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def parse_time(text: object) -> datetime.datetime | None:
    """Parse a time in RFC 3339, in UTC if it has no offset; return None for anything else."""
    found = _RFC_3339.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None:
        return None
    offset = "+00:00" if (found[4] or "Z").strip() in "Zz" else found[4]
    try:
        time = datetime.datetime.fromisoformat(f"{found[1]}T{found[2]}.{found[3] or '0':0<6}{offset}")
        return time.astimezone(datetime.timezone.utc)
    except (ValueError, OverflowError):
        return None


def format_time(time: datetime.datetime) -> str:
    """Return a time in RFC 3339, in UTC with seconds."""
    return time.astimezone(datetime.timezone.utc).replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


def parse_date(text: object) -> str | None:
    """Return the day of a date, or of the date of a time, as YYYY-MM-DD; None for anything else."""
    if not isinstance(text, str) or not (_DAY.fullmatch(text.strip()) or parse_time(text)):
        return None
    try:
        return datetime.date.fromisoformat(text.strip()[:10]).isoformat()
    except ValueError:
        return None


def need_time(place: str, text: str) -> datetime.datetime:
    """Parse a time in RFC 3339; refuse anything else as an invalid option."""
    time = parse_time(text)
    if time is None:
        raise invalid_option(place, f"{text[:60]!r} is not a time such as 2026-11-21T06:00:00Z")
    return time


def need_date(place: str, text: str) -> str:
    """Return the day of a date, or of the date of a time; refuse anything else as an invalid option."""
    day = parse_date(text)
    if day is None:
        raise invalid_option(place, f"{text[:60]!r} is not a date such as 2027-04-01")
    return day
