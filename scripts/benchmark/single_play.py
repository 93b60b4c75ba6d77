# SPDX-License-Identifier: GPL-3.0-or-later

"""Measure one play of a few tasks on localhost: time, processor time, and memory of its largest process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import typing as t
from pathlib import Path

NOTHING: t.Mapping[str, t.Any] = {"ansible.builtin.debug": {"msg": "nothing"}}
# Runs each play in a new process, because RUSAGE_CHILDREN has the maximum memory of all children so far.
PARENT = """
import json, resource, subprocess, sys, time
began = time.perf_counter()
done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
if done.returncode:
    sys.exit(done.stdout[-3000:] + done.stderr[-3000:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))
"""


class Cost(t.NamedTuple):
    """Seconds, processor seconds, and peak megabytes of any process."""

    seconds: float
    processor: float
    memory: float

    def row(self, what: str) -> list[str]:
        """Return a row of a table with the columns of `HEADER`."""
        return [what, f"{self.seconds:.2f}", f"{self.processor:.2f}", f"{self.memory:.0f}"]


HEADER = ("what", "seconds", "CPU s", "peak MB")


def cost_of(tasks: t.Sequence[t.Mapping[str, t.Any]], environment: t.Mapping[str, str]) -> Cost:
    """Run the tasks in a play of their own."""
    play = {"hosts": "localhost", "connection": "local", "gather_facts": False, "tasks": list(tasks)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "play.json")
        path.write_text(json.dumps([play]), encoding="utf-8")
        command = [
            sys.executable,
            "-c",
            PARENT,
            str(Path(sys.executable).parent / "ansible-playbook"),
            "-i",
            "localhost,",
            str(path),
        ]
        surroundings = {**os.environ, **environment, "HOME": folder}
        done = subprocess.run(command, env=surroundings, stdout=subprocess.PIPE, text=True, check=True)  # our own code
    return Cost(*json.loads(done.stdout))
