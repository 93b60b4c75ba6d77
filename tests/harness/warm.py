# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Commands of ansible-core as forks of a process that has imported it, which is most of what a short run takes.

What imports read is the same for all runs of such a process: another configuration has another process. The folder of the
run is part of the configuration, and has the same name for all: a link that moves on.
"""

from __future__ import annotations

import atexit
import dataclasses
import json
import socket
import subprocess
import sys
import tempfile
import threading
import typing as t
from pathlib import Path

SERVER = Path(__file__).resolve().with_name("warm_server.py")
COMMANDS = tuple(Path(sys.executable).parent / name for name in ("ansible-playbook", "ansible-inventory"))
# Read when something asks for them. Everything else may have been read at import.
READ_LATE = ("CLOUDFLARE_", "EDGEOPS_", "REPORT_STORAGE_", "TMPDIR", "XDG_STATE_HOME")
# Each holds about 60 MB.
MAX_SERVERS = 3

Key = frozenset[tuple[str, str]]
Ended = tuple[int, str, str]


@dataclasses.dataclass
class Run:
    """A command in the folder `input` of the folder of a run."""

    command: t.Sequence[str]
    environment: t.Mapping[str, str]
    cwd: Path

    @property
    def folder(self) -> str:
        return str(self.cwd.parent)

    def linked(self, link: str, names: tuple[str, ...] = ("ANSIBLE_",)) -> dict[str, str]:
        """The environment with the link in place of the folder wherever ansible-core reads its configuration."""
        return {
            name: value.replace(self.folder, link) if name.startswith(names) else value
            for name, value in self.environment.items()
        }

    def key(self) -> Key:
        """What has to be the same for runs of one process."""
        return frozenset(
            (name, value.replace(self.folder, "")) for name, value in self.environment.items() if not name.startswith(READ_LATE)
        )

    def fits(self) -> bool:
        """Whether this is a command of ansible-core with the configuration of the run's folder, and not measured."""
        own = self.environment.get("ANSIBLE_CONFIG") == str(self.cwd / "ansible.cfg")
        return Path(self.command[0]) in COMMANDS and own and "COVERAGE_PROCESS_START" not in self.environment


class Server:
    """One such process. It ends, and removes its folder, when the connection closes."""

    def __init__(self, run: Run) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="warm-"))
        self._log = self.folder / "log"
        (self.folder / "first").mkdir()
        self._lead_to(self.folder / "first")
        self._connection, theirs = socket.socketpair()
        with theirs, self._log.open("wb") as stderr:
            self._process = subprocess.Popen(  # our own script
                [sys.executable, str(SERVER), str(theirs.fileno()), str(self.folder)],
                env=run.linked(self.link, ("ANSIBLE_", "HOME", *READ_LATE)),
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                pass_fds=[theirs.fileno()],
            )
        self._stream = self._connection.makefile("rw", encoding="utf-8")

    @property
    def link(self) -> str:
        return str(self.folder / "run")

    def execute(self, run: Run, timeout: float) -> Ended:
        """Run to the end, or end the whole process group when the time is over."""
        self._lead_to(run.cwd.parent)
        outputs = {name: self.folder / name for name in ("stdout", "stderr")}
        request = {"command": list(run.command), "environment": run.linked(self.link), "cwd": str(run.cwd), "timeout": timeout}
        request.update({name: str(path) for name, path in outputs.items()})
        print(json.dumps(request), file=self._stream, flush=True)
        answer = self._stream.readline()
        assert answer, f"the process for runs has ended: {self._log.read_text(encoding='utf-8')}"
        code, expired = json.loads(answer)
        stdout, stderr = (path.read_text(encoding="utf-8", errors="replace") for path in outputs.values())
        assert not expired, f"not finished after {timeout} s\n{stdout[-4000:]}\n{stderr[-4000:]}"
        return code, stdout, stderr

    def close(self) -> None:
        self._stream.close()
        self._connection.close()
        self._process.wait()

    def _lead_to(self, folder: Path) -> None:
        following = self.folder / "following"
        following.symlink_to(folder)
        following.replace(self.link)


class Servers:
    """The processes of this test process, by what their runs have in common. One run at a time."""

    def __init__(self, most: int = MAX_SERVERS) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._servers: dict[Key, Server] = {}
        self._seen: set[Key] = set()
        atexit.register(self.close)

    def __iter__(self) -> t.Iterator[Server]:
        return iter(self._servers.values())

    def execute(self, run: Run, timeout: float, *, repeated: bool = False) -> Ended | None:
        """The end of a run; None if it needs a process of its own, such as the only one of its configuration so far."""
        if not run.fits() or not self._lock.acquire(blocking=False):
            return None
        try:
            server = self._server(run, repeated)
            return server.execute(run, timeout) if server else None
        finally:
            self._lock.release()

    def close(self) -> None:
        while self._servers:
            self._servers.popitem()[1].close()

    def _server(self, run: Run, repeated: bool) -> Server | None:
        key = run.key()
        if key not in self._seen:
            self._seen.add(key)
            if not repeated:
                return None
        server = self._servers.pop(key, None) or Server(run)
        while len(self._servers) >= self._most:
            self._servers.pop(next(iter(self._servers))).close()
        # The one that was used last is the last one to go.
        self._servers[key] = server
        return server
