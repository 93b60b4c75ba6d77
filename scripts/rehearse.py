# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs the installed collection once against the simulator: what is not in the artifact is not there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from edgeops_simulator.testing import running

PLAY = """
- hosts: localhost
  connection: local
  gather_facts: false
  vars:
    ansible_python_interpreter: "{{ ansible_playbook_python }}"
  tasks:
    - edgeops.observability.script_monitor:
        zone_id: "{{ zone }}"
        enabled: true
      vars:
        edgeops_in_process: "{{ item }}"
      loop: [true, false]
      register: monitor
    - ansible.builtin.assert:
        that:
          - monitor.results[0] is changed
          - monitor.results[1] is not changed
"""


def main() -> int:
    """In-process first, as an ordinary module after it."""
    folder = Path(sys.argv[1])
    (folder / "play.yml").write_text(PLAY, encoding="utf-8")
    with running() as simulator:
        command = ["ansible-playbook", "play.yml", "-i", "localhost,", "-e", f"zone={simulator.zone}"]
        return subprocess.run(command, cwd=folder, env={**os.environ, **simulator.environment()}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
