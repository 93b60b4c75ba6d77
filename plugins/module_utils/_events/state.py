# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
import types
import typing as t

from .._core import Failure, Json, conflict, invalid_option
from .._files import lock, open_regular, read_regular, replace_file
from .._schema import valid
from .._text import canonical, finite_float, is_integer, no_constant, quoted, unique_members
from .facts import Event

# A script is identified by its URL without fragment and the host that loads it, because the service changes its id at times.
Identity = tuple[str, str]


class Script(t.NamedTuple):
    """What is compared of a script: every hash that is listed for it, the verdict, and why it was reported.

    `details` are what else the service lists of it; they are shown in events, and not stored.
    """

    hashes: tuple[str, ...]
    malicious: bool | None
    reported: tuple[str, ...]
    details: t.Mapping[str, Json] = types.MappingProxyType({})


class Job(t.NamedTuple):
    """What is compared of a job: its members without secrets, a digest of its destination, and the state of its health.

    `details` are its health as reported; they are shown in events, and not stored.
    """

    members: t.Mapping[str, Json]
    destination: str
    health: str
    details: t.Mapping[str, Json] = types.MappingProxyType({})


class Rule(t.NamedTuple):
    """What is compared of a content security rule: its members, and what browsers reported of it, None if that cannot be read.

    `details` are these reports by directive and source; they are shown in events, and not stored.
    """

    members: t.Mapping[str, Json]
    violated: frozenset[tuple[str, str]] | None
    details: t.Mapping[tuple[str, str], Json] = types.MappingProxyType({})


class Known(t.NamedTuple):
    """Known state of a zone; None for parts that were never read."""

    name: str | None = None
    readable: bool = True
    scripts: t.Mapping[Identity, Script] | None = None
    jobs: t.Mapping[int, Job] | None = None
    monitor: bool | None = None
    fields: t.Mapping[str, Json] | None = None
    rules: t.Mapping[str, Rule] | None = None


NOTHING = Known()


class _StoredParts(t.TypedDict, total=False):
    # A part that was never read is not stored.
    # URL, host, hashes, verdict and reports of each script.
    scripts: list[tuple[str, str, list[str], bool | None, list[str]]]
    # Id, members, digest of the destination, and health of each job.
    jobs: list[tuple[int, dict[str, Json], str, str]]
    # Id, members, and directive and source of what was reported of each rule.
    rules: list[tuple[str, dict[str, Json], list[tuple[str, str]] | None]]


class StoredZone(_StoredParts):
    """The known state of a zone as the file has it; a tuple is a list there.

    The monitor and the fields are read together, and null before that.
    """

    name: str | None
    readable: bool
    monitor: bool | None
    fields: dict[str, Json] | None


def encode(known: Known) -> str:
    """Return the zone as one line of JSON; equal states give equal lines."""
    document: dict[str, Json] = {"name": known.name, "readable": known.readable, "monitor": known.monitor, "fields": known.fields}
    if known.scripts is not None:
        document["scripts"] = [[*identity, *known.scripts[identity][:3]] for identity in sorted(known.scripts)]
    if known.jobs is not None:
        document["jobs"] = [[number, *known.jobs[number][:3]] for number in sorted(known.jobs)]
    if known.rules is not None:
        document["rules"] = [
            [number, rule.members, None if rule.violated is None else sorted(map(list, rule.violated))]
            for number, rule in sorted(known.rules.items())
        ]
    return canonical(document)


def decode(stored: StoredZone) -> Known:
    """Return the zone of a line."""
    scripts, jobs, rules = stored.get("scripts"), stored.get("jobs"), stored.get("rules")
    return Known(
        stored["name"],
        stored["readable"],
        None if scripts is None else {(url, host): Script(tuple(h), bad, tuple(why)) for url, host, h, bad, why in scripts},
        None if jobs is None else {number: Job(members, where, health) for number, members, where, health in jobs},
        stored["monitor"],
        stored["fields"],
        None
        if rules is None
        else {
            number: Rule(members, None if seen is None else frozenset((directive, source) for directive, source in seen))
            for number, members, seen in rules
        },
    )


def _has_duplicate(stored: StoredZone, known: Known) -> bool:
    """Return whether a zone of the file has two scripts, jobs or rules of one identity."""
    parts = ((known.scripts, stored.get("scripts")), (known.jobs, stored.get("jobs")), (known.rules, stored.get("rules")))
    return any(len(part or ()) < len(listed or ()) for part, listed in parts)


_VERSION = 1
_MODE = 0o600
# Maximum share of the time of a poll that is spent on saving.
_SAVING_SHARE = 0.05


def _take_lock(path: str) -> int:
    """Lock a file beside the state file, which is replaced and cannot be locked itself; the lock ends with this process."""
    name = f"{path}.lock"
    try:
        handle = open_regular(name, os.O_RDWR | os.O_CREAT, _MODE)
    except OSError as error:
        raise invalid_option("state_file", f"{name} cannot be opened: {error.strerror or error}") from None
    try:
        lock(handle, wait=False)
    except OSError:
        os.close(handle)
        raise conflict(
            f"state_file: {path} is locked: another event source uses it. Each source needs a file of its own."
        ) from None
    return handle


class StateFile:
    """The known state of each zone, and the pending events, which may not have been received; locked for other processes.

    Zones are kept as the lines that are written, which take the least memory and cost nothing to write again.
    """

    def __init__(self, path: str, monotonic: t.Callable[[], float] = time.monotonic) -> None:
        self.path = path
        self.pending: list[Event] = []
        # The names of zones that were stored before, by the keys of targets.
        self.names: dict[str, str] = {}
        self._zones: dict[str, str] = {}
        self._monotonic = monotonic
        self._next_save = 0.0
        self._is_changed = False
        self._guard = threading.Lock()
        self._lock: int | None = None
        self._is_closed = False

    def open(self) -> None:
        """Take the lock and read the file; a missing one is empty."""
        with self._guard:
            if self._is_closed:
                return
            self._lock = _take_lock(self.path)
        try:
            self._load()
        except BaseException:
            self.close()
            raise

    @property
    def is_due(self) -> bool:
        """Return whether there are changes to save, and enough time has passed since the last save for its cost."""
        return self._is_changed and self._monotonic() >= self._next_save

    def zone(self, zone_id: str) -> Known | None:
        """Return the known state of a zone; None if it was never read."""
        line = self._zones.get(zone_id)
        return None if line is None else decode(json.loads(line))

    def note(self, zone_id: str, known: Known, events: t.Sequence[Event]) -> None:
        """Store the state of a zone together with the events that led to it."""
        line = encode(known)
        if events or self._zones.get(zone_id) != line:
            self._zones[zone_id] = line
            self.pending.extend(events)
            self._is_changed = True

    def forget(self, count: int) -> None:
        """Remove the first events, which were received, from the pending ones."""
        if count:
            del self.pending[:count]
            self._is_changed = True

    def save(self) -> None:
        """Write the file atomically, so that a crash leaves either the old or the new state."""
        with self._guard:
            if self._lock is None or not self._is_changed:
                return
            begin = self._monotonic()
            try:
                replace_file(self.path, (text.encode("ascii") for text in self._lines()), _MODE)
            except OSError as error:
                raise invalid_option("state_file", f"{self.path} cannot be written: {error.strerror or error}") from None
            self._is_changed = False
            end = self._monotonic()
            self._next_save = end + (end - begin) / _SAVING_SHARE

    def close(self) -> None:
        """Release the file for another process; write nothing after this."""
        with self._guard:
            self._is_closed = True
            if self._lock is not None:
                os.close(self._lock)
                self._lock = None

    def _lines(self) -> t.Iterator[str]:
        yield f'{{"version":{_VERSION},\n"pending":{json.dumps(self.pending)},\n"zones":{{'
        for number, (zone_id, line) in enumerate(sorted(self._zones.items())):
            yield f"{',' if number else ''}\n{json.dumps(zone_id)}:{line}"
        yield "}}\n"

    def _load(self) -> None:
        try:
            content = read_regular(self.path)
            with contextlib.suppress(OSError):  # of another owner, who decides
                os.chmod(self.path, _MODE)
            # The hook for each object lets other threads run; parsing without hooks would block them.
            document = json.loads(content, object_pairs_hook=unique_members, parse_constant=no_constant, parse_float=finite_float)
        except FileNotFoundError:
            return
        except OSError as error:
            raise invalid_option("state_file", f"{self.path} cannot be read: {error.strerror or error}") from None
        except (ValueError, RecursionError):
            raise self._damaged("it is empty, or not JSON") from None
        self._take(document)

    def _take(self, document: Json) -> None:
        if not isinstance(document, dict) or "version" not in document:
            raise self._damaged("it is not a JSON object with a version")
        if not is_integer(document["version"]) or document["version"] != _VERSION:
            raise invalid_option(
                "state_file",
                f"{self.path} has version {quoted(document['version'])}, and this version of the collection reads {_VERSION}."
                " Use another path, or move the file away to start again.",
            )
        zones, pending = document.get("zones"), valid(list[Event], document.get("pending"))
        if not isinstance(zones, dict) or pending is None:
            raise self._damaged("zones or pending events are missing in it")
        for zone_id, member in zones.items():
            zone = valid(StoredZone, member)
            known = None if zone is None else decode(zone)
            if (
                zone is None
                or known is None
                or (known.monitor is None) is not (known.fields is None)
                or _has_duplicate(zone, known)
            ):
                raise self._damaged("a zone in it is not of the form that this version writes")
            self._zones[zone_id] = encode(known)
            if zone["name"]:
                self.names[zone_id] = zone["name"]
        self.pending = pending

    def _damaged(self, reason: str) -> Failure:
        return invalid_option(
            "state_file",
            f"{self.path} is damaged: {reason}. Restore it, or move it away to start again without the known state.",
        )
