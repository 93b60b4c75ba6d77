# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# What was seen of one script: everything that the service lists under the same URL and host, because identifiers are not stable.
import datetime
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.inventory import Script
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.pattern import normalize_url
from ansible_collections.edgeops.observability.plugins.module_utils._times import parse_date, parse_time

Identity = tuple[str, str, str]
# Before every time; a script without a usable one was not seen last.
_NEVER = datetime.datetime.min.replace(tzinfo=datetime.timezone.utc)


class Observation(t.NamedTuple):
    """One script of a host, with all that was listed of it (`scripts`, the latest last)."""

    url: str | None
    host: str | None
    scripts: tuple[Script, ...]

    @property
    def latest(self) -> Script:
        """What was seen last under this URL and host."""
        return self.scripts[-1]

    def hashes(self, since: datetime.datetime | None) -> frozenset[str]:
        """Return the hashes listed, and those of versions that the service fetched after the last record."""
        found = [script.get("hash") for script in self.scripts]
        if since is not None:
            found += [version.get("hash") for version in self._versions() if _is_after(version.get("fetched_at"), since)]
        return frozenset(value.lower() for value in found if isinstance(value, str) and value)

    def _versions(self) -> t.Iterator[Script]:
        for script in self.scripts:
            versions = script.get("versions")
            yield from (version for version in (versions if isinstance(versions, list) else ()) if isinstance(version, dict))


def observe(scripts: t.Iterable[Script]) -> list[Observation]:
    """Return the observations in what was listed, sorted by URL and host."""
    found: dict[Identity, list[Script]] = {}
    for script in scripts:
        found.setdefault(_identity(script), []).append(script)
    return [_observation(key, found[key]) for key in sorted(found)]


def _identity(script: Script) -> Identity:
    host = str(script.get("host") or "").lower()
    url = script.get("script_url")
    if isinstance(url, str) and url:
        return normalize_url(url), host, ""
    # Without a URL nothing but the identifier distinguishes two scripts of a host.
    return "", host, script["script_id"]


def _observation(key: Identity, scripts: list[Script]) -> Observation:
    if len(scripts) > 1:  # of most there is one, whose time need not be read
        scripts = sorted(scripts, key=lambda script: (_last_seen(script), script["script_id"]))
    return Observation(key[0] or None, key[1] or None, tuple(scripts))


def _last_seen(script: Script) -> datetime.datetime:
    """Return when a script was seen last; a day means its beginning."""
    value = script.get("last_seen_at")
    return parse_time(value) or parse_time(f"{parse_date(value)}T00:00:00Z") or _NEVER


def _is_after(fetched_at: Json, since: datetime.datetime) -> bool:
    """Return whether a version came after a time; one without a usable time counts, so that nothing passes as unchanged."""
    time = parse_time(fetched_at)
    return time is None or time > since
