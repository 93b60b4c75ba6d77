# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import fnmatch
import typing as t

from ...module_utils._core import Json
from ...module_utils._script_monitor import ON_PAGES
from ...module_utils._text import list_of

# What an audit looked at: without it, no finding means nothing.


def looks_at(limits: t.Sequence[str], host: str) -> bool:
    """Return whether a listing that was limited to some hosts, perhaps with stars, shows this host."""
    return not limits or any(fnmatch.fnmatchcase(host, limit.lower()) for limit in limits)


def leaves_out(scope: t.Mapping[str, t.Any]) -> str:
    """Return what an audit of scripts did not look at of the pages of a zone, in words; "" if it looked at everything."""
    parts = [f"only the hosts {', '.join(scope['hosts'])}"] if scope["hosts"] else []
    # Without any status, the service lists active scripts.
    missing = [status for status in ON_PAGES if status not in (scope["status"] or ON_PAGES[:1])]
    parts += [f"no {' and '.join(missing)} scripts"] if missing else []
    return ", ".join(parts)


def changes_of(before: t.Mapping[str, Json], after: t.Mapping[str, Json]) -> str:
    """Return in words what two audits looked at differently, "" if they did not."""
    names = sorted(name for name in {**before, **after} if before.get(name) != after.get(name))
    return "; ".join(f"{name} was {_words(before.get(name))}, is {_words(after.get(name))}" for name in names)


def _words(value: Json) -> str:
    items = list_of(value)
    if items:
        return ", ".join(map(str, items))
    return "not limited" if value in ([], None, "") else str(value)
