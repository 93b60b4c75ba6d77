# SPDX-License-Identifier: GPL-3.0-or-later

"""One run of ansible-playbook in a folder of its own, cut off from the machine's configuration."""

import contextlib
import dataclasses
import json
import os
import signal
import subprocess
import sys
import typing as t
from pathlib import Path

from . import artifact
from .outcome import FAILED, Entry, Outcome

HARNESS = Path(__file__).resolve().parent
BIN = Path(sys.executable).parent
LOCAL: dict[str, t.Any] = {"ansible_connection": "local", "ansible_python_interpreter": "{{ ansible_playbook_python }}"}


@dataclasses.dataclass(frozen=True)
class Place:
    """The folder of one run; what the test wrote is in `input`, everything else comes from the run."""

    folder: Path

    @property
    def input(self) -> Path:
        return self.folder / "input"

    @property
    def record(self) -> Path:
        return self.folder / "record.jsonl"

    @property
    def log(self) -> Path:
        return self.folder / "ansible.log"

    def write(self, name: str, content: t.Any) -> Path:
        """Write an input file; JSON is YAML, and needs no quoting rules."""
        self.input.mkdir(parents=True, exist_ok=True)
        path = self.input / name
        path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1), encoding="utf-8")
        return path

    def environment(self, forks: int = 5) -> dict[str, str]:
        """Nothing of the caller's environment but the search path and what measures coverage."""
        for name in ("home", "tmp"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        kept = {
            name: value for name, value in os.environ.items() if name.startswith("COV_CORE_") or name == "COVERAGE_PROCESS_START"
        }
        return {
            **kept,
            "PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
            "HOME": str(self.folder / "home"),
            "TMPDIR": str(self.folder / "tmp"),
            "XDG_STATE_HOME": str(self.folder / "home" / "state"),
            "LC_ALL": "C.UTF-8",
            # Ten times the usual pause: waiting for a task then takes less of the processor.
            "ANSIBLE_CONFIG": str(self.write("ansible.cfg", "[defaults]\ninternal_poll_interval = 0.01\n")),
            "ANSIBLE_HOME": str(self.folder / "home" / "ansible"),
            "ANSIBLE_LOG_PATH": str(self.log),
            "ANSIBLE_COLLECTIONS_PATH": f"{self.input / 'collections'}{os.pathsep}{artifact.installed()}",
            "ANSIBLE_CALLBACK_PLUGINS": str(HARNESS / "callback_plugins"),
            "ANSIBLE_CALLBACKS_ENABLED": "edgeops_record",
            "ANSIBLE_RETRY_FILES_ENABLED": "false",
            "ANSIBLE_NOCOLOR": "1",
            "ANSIBLE_FORKS": str(forks),
            "EDGEOPS_RECORD": str(self.record),
        }


def inventory(hosts: t.Mapping[str, t.Mapping[str, t.Any]] | None) -> dict[str, t.Any]:
    """Hosts with their variables, each on a local connection with the controller's interpreter."""
    return {"all": {"vars": LOCAL, "hosts": {name: dict(variables) for name, variables in (hosts or {"localhost": {}}).items()}}}


def execute(
    command: t.Sequence[str], environment: t.Mapping[str, str], cwd: Path, timeout: float, typed: str = ""
) -> tuple[int, str, str]:
    """Exit code, output and errors of a command that reads what is typed; its whole process group ends when the time is over."""
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=dict(environment),
        stdin=subprocess.PIPE if typed else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )
    try:
        stdout, stderr = process.communicate(typed or None, timeout=timeout)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        stdout, stderr = process.communicate()
        raise AssertionError(f"not finished after {timeout} s\n{stdout[-4000:]}\n{stderr[-4000:]}") from None
    return process.returncode, stdout, stderr


def outcomes(record: str, journal: t.Sequence[Entry]) -> list[Outcome]:
    """The results in order, each with the requests that came in between the start of its task and that of the next."""
    found: list[Outcome] = []
    lines = [json.loads(line) for line in record.splitlines()]
    starts = [line["monotonic"] for line in lines if line["event"] == "start"]
    spans = zip(starts, [*starts[1:], float("inf")], strict=False)  # a run that ends before its first task has an end only
    entries: list[Entry] = []
    for line in lines:
        if line["event"] == "start":
            start, end = next(spans)
            entries = [entry for entry in journal if start <= entry["monotonic"] < end]
            continue
        # Callbacks get results without this member.
        failed = {"failed": True} if line["status"] in FAILED else {}
        result = {**line["result"], **failed}
        found.append(Outcome(line["name"], line["action"], line["host"], line["status"], result, line["check_mode"], entries))
    return found
