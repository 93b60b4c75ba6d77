# SPDX-License-Identifier: GPL-3.0-or-later

"""Check what an ansible-core and a Python that are too old say of the collection in a folder: `too_old.py FOLDER`.

It runs in the environment of that ansible-core; the version of each is part of the message.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

NEEDS, HAS = "needs ansible-core 2.16 and Python 3.10 or newer", "this is ansible-core 2.15.13 on Python 3.9"
COMMANDS = (
    ("ansible-playbook", "script_monitor.yml"),
    ("ansible-playbook", "audit_report.yml"),
    ("ansible-inventory", "-i", "fleet.zones.yml", "--list"),
)


def main() -> None:
    """Run a module, an action and the inventory; each fails with the message, once."""
    folder = Path(sys.argv[1])
    environment = {**os.environ, "HOME": str(folder), "ANSIBLE_COLLECTIONS_PATH": str(folder)}
    environment |= {"ANSIBLE_NOCOLOR": "1", "COLUMNS": "1000"}
    (folder / "fleet.zones.yml").write_text("plugin: edgeops.observability.zones\n", encoding="utf-8")
    for plugin in ("script_monitor", "audit_report"):
        play = [{"hosts": "localhost", "gather_facts": False, "tasks": [{f"edgeops.observability.{plugin}": {}}]}]
        (folder / f"{plugin}.yml").write_text(json.dumps(play), encoding="utf-8")
    for command in COMMANDS:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        said = " ".join((done.stdout + done.stderr).split())
        if done.returncode not in (0, 1, 4) or said.count(NEEDS) != 1 or HAS not in said or "Traceback" in said:
            sys.exit(f"{' '.join(command)}: {said}")


if __name__ == "__main__":
    main()
