# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an adoption writes passes the linters that its readers use."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ansible_collections.edgeops.observability.plugins.module_utils._adopt.files import desire, write

CONFIGURATION = "{extends: default, rules: {line-length: {max: 160}}}"


def test_yamllint(tmp_path: Path) -> None:
    value = {"key": "a", "operator": "eq", "value": "x" * 200}
    jobs = [{"name": "{{ a }}", "fields": ["A", "B"], "filter": {"where": {"and": [value]}}}]
    zone = {
        "zone": "shop.example",
        "zone_id": "0" * 32,
        "variables": {"log_delivery_jobs": jobs},
        "vault": ["v"],
        "vault_destinations": [{"job_id": 7, "name": None, "dataset": "http_requests", "destination_conf": "{{ v }}"}],
        "left_out": [],
        "notes": [],
    }
    options = {"dest": str(tmp_path), "group": "all", "overwrite": False, "date": "2026-11-21", "zones": [zone]}
    write(desire({**options, "script_baselines": {"shop.example": [{"name": "s", "owner": None}]}}))
    host = (tmp_path / "host_vars" / "shop.example" / "adopted.yml").read_text(encoding="utf-8")
    assert "script_baseline:" in host and "adopted on 2026-11-21" in host
    command = [sys.executable, "-m", "yamllint", "--strict", "-d", CONFIGURATION, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
