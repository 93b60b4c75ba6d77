# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import os
import threading
import time
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._errors import Failure, invalid_option
from ansible_collections.edgeops.observability.plugins.module_utils._events.durable import open_file, replace_file, take_lock
from ansible_collections.edgeops.observability.plugins.module_utils._events.event import Event, is_event
from ansible_collections.edgeops.observability.plugins.module_utils._events.known import Known, decode, encode
from ansible_collections.edgeops.observability.plugins.module_utils._filter.suggest import shown
from ansible_collections.edgeops.observability.plugins.module_utils._json import (
    finite_float,
    is_integer,
    no_constant,
    unique_members,
)
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json

VERSION = 1
# Of the time that passes, at most this part is spent on saving while a poll goes on.
_SAVING_SHARE = 0.05


class StateFile:
    """What is known of each zone, and the events that may not have been received yet; the file is this process's alone.

    Zones are kept as the lines that are written, which take the least memory and cost nothing to write again.
    """

    def __init__(self, path: str, monotonic: t.Callable[[], float] = time.monotonic) -> None:
        self.path = path
        self.pending: list[Event] = []
        self._zones: dict[str, str] = {}
        self._names: dict[str, str] = {}
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
            self._lock = take_lock(self.path)
        try:
            self._load()
        except BaseException:
            self.close()
            raise

    @property
    def is_due(self) -> bool:
        """Whether there is something to save, and the last time that was done is long enough ago for what it cost."""
        return self._is_changed and self._monotonic() >= self._next_save

    def zone(self, zone_id: str) -> Known | None:
        """Return what is known of a zone."""
        line = self._zones.get(zone_id)
        return None if line is None else decode(json.loads(line))

    def names(self) -> dict[str, str]:
        """Return the names of zones that were stored before, by id."""
        return self._names

    def note(self, zone_id: str, known: Known, events: t.Sequence[Event]) -> None:
        """Remember a zone together with the events that lead to it."""
        line = encode(known)
        if events or self._zones.get(zone_id) != line:
            self._zones[zone_id] = line
            self.pending.extend(events)
            self._is_changed = True

    def forget(self, events: t.Sequence[Event]) -> None:
        """Take events that were received off the pending ones."""
        received = {id(event) for event in events}
        if received:
            self.pending = [event for event in self.pending if id(event) not in received]
            self._is_changed = True

    def save(self) -> None:
        """Write everything, so that after a crash either the old or the new state is there."""
        with self._guard:
            if self._lock is None or not self._is_changed:
                return
            begin = self._monotonic()
            try:
                replace_file(self.path, self._lines())
            except OSError as error:
                raise invalid_option("state_file", f"{self.path} cannot be written: {error.strerror or error}") from None
            self._is_changed = False
            end = self._monotonic()
            self._next_save = end + (end - begin) / _SAVING_SHARE

    def close(self) -> None:
        """Let another process have the file; nothing is written after this."""
        with self._guard:
            self._is_closed = True
            if self._lock is not None:
                os.close(self._lock)
                self._lock = None

    def _lines(self) -> t.Iterator[str]:
        yield f'{{"version":{VERSION},\n"pending":{json.dumps(self.pending)},\n"zones":{{'
        separator = "\n"
        for zone_id, line in sorted(self._zones.items()):
            yield f"{separator}{json.dumps(zone_id)}:{line}"
            separator = ",\n"
        yield "}}\n"

    def _load(self) -> None:
        try:
            with open_file(self.path) as file:
                # A hook for each object lets other threads of this process have their turn; parsing in one go would not.
                document = json.load(file, object_pairs_hook=unique_members, parse_constant=no_constant, parse_float=finite_float)
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
        if not is_integer(document["version"]) or document["version"] != VERSION:
            raise invalid_option(
                "state_file",
                f"{self.path} has version {shown(document['version'])}, and this version of the collection reads {VERSION}."
                " Use another path, or move the file away to start again.",
            )
        zones, pending = document.get("zones"), document.get("pending")
        if not isinstance(zones, dict) or not isinstance(pending, list) or not all(map(is_event, pending)):
            raise self._damaged("zones or pending events are missing in it")
        try:
            for zone_id, zone in zones.items():
                known = decode(zone)
                self._zones[zone_id] = encode(known)
                self._names.update({zone_id: known.name} if known.name else {})
        except ValueError as error:
            raise self._damaged(str(error)) from None
        self.pending = pending

    def _damaged(self, reason: str) -> Failure:
        return invalid_option(
            "state_file",
            f"{self.path} is damaged: {reason}. Restore it, or move it away to start again without the known state.",
        )
