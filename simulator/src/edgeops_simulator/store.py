# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import os
import pathlib
import typing as t

from edgeops_simulator.state.owners import Owner
from edgeops_simulator.state.service import ACCOUNT_KEY, Service


def _open_private(path: pathlib.Path, flags: int) -> t.TextIO:
    """Open a file that only its owner can read, regardless of the umask and of an existing file: the state may contain credentials."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | flags, 0o600)
    os.fchmod(descriptor, 0o600)
    return os.fdopen(descriptor, "w", encoding="utf-8")


class Store:
    """The state file and the log of later changes, which also survive a kill of the process."""

    def __init__(self, path: pathlib.Path) -> None:
        self._path = path
        self._log_path = path.with_name(path.name + ".log")
        self._log: t.TextIO | None = None

    def load(self, service: Service) -> bool:
        """Load the state of an earlier run. An incomplete last line is ignored, because its request was never answered."""
        if not self._path.exists():
            return False
        service.load(json.loads(self._path.read_text("utf-8")))
        if self._log_path.exists():
            for line in self._log_path.read_text("utf-8").splitlines():
                try:
                    document = json.loads(line)
                except ValueError:
                    break
                service.load(document)
        return True

    def save(self, service: Service) -> None:
        """Write the whole state atomically, and empty the log."""
        self.close()
        new = self._path.with_name(self._path.name + ".new")
        with _open_private(new, os.O_TRUNC) as stream:
            json.dump(service.save(), stream)
            stream.flush()
            os.fsync(stream.fileno())
        new.replace(self._path)
        self._log_path.unlink(missing_ok=True)

    def append(self, service: Service, owner: Owner) -> None:
        """Append one zone or account to the log. Parts that requests cannot change, such as scripts, are omitted."""
        key = ACCOUNT_KEY + owner.id if owner.kind == "account" else owner.id
        document = {name: {key: part.save()} for name, part in owner.parts().items() if part.in_log}
        if self._log is None:
            self._log = _open_private(self._log_path, os.O_APPEND)
        self._log.write(json.dumps({**document, "next_job_id": service.job_ids.following}) + "\n")
        self._log.flush()

    def close(self) -> None:
        if self._log is not None:
            self._log.close()
            self._log = None
