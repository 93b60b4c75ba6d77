# SPDX-License-Identifier: GPL-3.0-or-later

"""One run of ansible-playbook in its own folder, isolated from the configuration of the machine."""

import contextlib
import dataclasses
import json
import os
import signal
import subprocess
import sys
import typing as t
from pathlib import Path

from ansible.release import __version__

from . import artifact
from .outcome import FAILED, Entry, Outcome

HARNESS = Path(__file__).resolve().parent
BIN = Path(sys.executable).parent
# The version of ansible-core that runs, for what differs between versions.
CORE = tuple(map(int, __version__.split(".")[:2]))
LOCAL: dict[str, t.Any] = {"ansible_connection": "local", "ansible_python_interpreter": "{{ ansible_playbook_python }}"}


@dataclasses.dataclass(frozen=True)
class Place:
    """The folder of one run; files of the test are in `input`, all other files are written by the run."""

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
        """Write an input file, as JSON, which is valid YAML without quoting."""
        self.input.mkdir(parents=True, exist_ok=True)
        path = self.input / name
        path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1), encoding="utf-8")
        return path

    def environment(self, forks: int = 5) -> dict[str, str]:
        """Return an environment with the caller's search path and coverage settings only."""
        for name in ("home", "tmp"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        # A module that is sent by a pipe warns where it has to make this folder.
        (self.folder / "home" / ".ansible" / "tmp").mkdir(mode=0o700, parents=True, exist_ok=True)
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
            # Ten times the default interval, because polling for results takes processor time from the tasks.
            "ANSIBLE_CONFIG": str(self.write("ansible.cfg", "[defaults]\ninternal_poll_interval = 0.01\n")),
            "ANSIBLE_HOME": str(self.folder / "home" / "ansible"),
            "ANSIBLE_LOG_PATH": str(self.log),
            "ANSIBLE_COLLECTIONS_PATH": f"{self.input / 'collections'}{os.pathsep}{artifact.installed()}",
            "ANSIBLE_CALLBACK_PLUGINS": str(HARNESS / "callback_plugins"),
            "ANSIBLE_CALLBACKS_ENABLED": "edgeops_record",
            # Saves five shells for each module that does not run in the controller's process.
            "ANSIBLE_PIPELINING": "true",
            "ANSIBLE_RETRY_FILES_ENABLED": "false",
            "ANSIBLE_NOCOLOR": "1",
            "ANSIBLE_FORKS": str(forks),
            "EDGEOPS_RECORD": str(self.record),
        }


def inventory(hosts: t.Mapping[str, t.Mapping[str, t.Any]] | None) -> dict[str, t.Any]:
    """Return an inventory of hosts with variables, each with a local connection and the controller's interpreter."""
    return {"all": {"vars": LOCAL, "hosts": {name: dict(variables) for name, variables in (hosts or {"localhost": {}}).items()}}}


def execute(
    command: t.Sequence[str], environment: t.Mapping[str, str], cwd: Path, timeout: float, typed: str = ""
) -> tuple[int, str, str]:
    """Run a command with `typed` as its input; return exit code, output and errors. On a timeout its whole process group is killed."""
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
    """Return the results in order, each with the requests between the start of its task and the start of the next task."""
    results: list[Outcome] = []
    lines = [json.loads(line) for line in record.splitlines()]
    starts = [line["monotonic"] for line in lines if line["event"] == "start"]
    spans = zip(starts, [*starts[1:], float("inf")], strict=False)  # a run without tasks has an end only
    entries: list[Entry] = []
    for line in lines:
        if line["event"] == "start":
            start, end = next(spans)
            entries = [entry for entry in journal if start <= entry["monotonic"] < end]
        if line["event"] != "result":
            continue
        # ansible-core removes `failed` from the results that callbacks get.
        failed = {"failed": True} if line["status"] in FAILED else {}
        result = {**line["result"], **failed}
        results.append(Outcome(line["name"], line["action"], line["host"], line["status"], result, line["check_mode"], entries))
    return results


def parts(record: str, journal: t.Sequence[Entry], begins: t.Callable[[str], bool]) -> dict[str, tuple[str, list[Entry]]]:
    """Return the lines and the requests of each part of a run, by the name of the play with which it begins."""
    lines = [(json.loads(line), line) for line in record.splitlines()]
    starts = {each["name"]: each["monotonic"] for each, _line in lines if each["event"] == "play" and begins(each["name"])}
    found = {}
    for (name, start), end in zip(starts.items(), [*starts.values(), float("inf")][1:], strict=True):
        own = [line for each, line in lines if start <= each["monotonic"] < end]
        found[name] = ("\n".join(own), [entry for entry in journal if start <= entry["monotonic"] < end])
    return found
