# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from edgeops_simulator import clock
from edgeops_simulator.state.part import BadSeed, Document, JobIds, Table

_USUAL: Document = {
    "job_id": 1,
    "destination_type": "s3",
    "status": 200,
    "error": "",
    "success": 1,
    "final": 1,
    "records": 0,
    "bytes": 0,
    "bytes_compressed": 0,
    "duration": 0.2,
}


class Uploads(Table):
    """Each try to deliver a batch, which analytics reports. `final` is 1 for the last try of a batch."""

    in_log = False
    members: t.ClassVar[t.Mapping[str, type]] = {
        "datetime": str,
        **{name: type(value) for name, value in _USUAL.items()},
    }

    def add(self, ids: JobIds, item: Document, index: int) -> None:
        try:
            moment = clock.read(item["datetime"]) if item.get("datetime") else clock.stamp_seconds()
        except ValueError as problem:
            raise BadSeed(f"datetime of an upload: {problem}") from None
        self[len(self)] = {**_USUAL, **item, "datetime": moment}

    def record(self, moment: str, upload: Document, failure: t.Mapping[str, t.Any] | None = None) -> None:
        """Record the tries of one batch: those that fail and, unless the batch is lost, one that succeeds."""
        failed = failure or {"tries": 0, "lost": False}
        for number in range(1, failed["tries"] + 1):
            last = failed["lost"] and number == failed["tries"]
            members = {"status": failed["status"], "error": failed["error"], "success": 0, "final": int(last)}
            self[len(self)] = {**_USUAL, **upload, **members, "datetime": moment}
        if not failed["lost"]:
            self[len(self)] = {**_USUAL, **upload, "datetime": moment}
