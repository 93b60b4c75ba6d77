# SPDX-License-Identifier: GPL-3.0-or-later

"""Files of an adoption pass the linters that users run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ansible_collections.edgeops.observability.plugins.plugin_utils._adopt.files import desire, write

CONFIGURATION = "{extends: default, rules: {line-length: {max: 160}}}"
PLAYBOOK = """---
- name: Bring each zone into its desired state
  hosts: all
  connection: local
  gather_facts: false
  roles:
    - role: edgeops.observability.log_delivery
"""


@pytest.fixture(scope="module")
def adopted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the files of an adoption of a group and a host, with values that need quotes, long ones, and templates."""
    folder = tmp_path_factory.mktemp("adopted")
    long = {"key": "a", "operator": "eq", "value": "x" * 200}
    items = [
        {"name": "{{ a }}", "fields": ["A", "B"], "filter": {"where": {"and": [long]}}, "frequency": "low"},
        {"job_id": 7, "enabled": False, "option_flags": {"CVE-2021-44228": True, "sample": "0.5"}, "frequency": "low"},
    ]
    zone = {
        "zone": "shop.example",
        "zone_id": "0" * 32,
        "variables": {
            "log_delivery_custom_fields": {"request_fields": ["x-trace-id", "on"]},
            "log_delivery_jobs": items,
            "log_delivery_script_monitor_enabled": True,
        },
        "vault": ["vault_v"],
        "vault_destinations": [
            {"job_id": 7, "name": None, "dataset": "d", "destination_conf": "s3://b?key={{ vault_v | urlencode }}"}
        ],
        "left_out": [{"what": "filter of job 7", "why": "it cannot be read"}],
        "notes": [],
    }
    options = {"dest": str(folder), "group": "all", "group_hosts": ["shop.example"], "overwrite": False, "date": "2026-11-21"}
    baselines = {"shop.example": [{"name": "s", "owner": None}]}
    write(desire({**options, "zones": [zone], "script_baselines": baselines, "page_baselines": {}}))
    return folder


def run(folder: Path, *command: str) -> None:
    env = {**os.environ, "NO_COLOR": "1"}
    done = subprocess.run([sys.executable, "-m", *command], cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_yamllint(adopted: Path) -> None:
    host = (adopted / "host_vars" / "shop.example" / "adopted.yml").read_text(encoding="utf-8")
    assert "script_baseline:" in host and "adopted on 2026-11-21" in host
    assert "log_delivery_job_defaults:" in (adopted / "group_vars" / "all" / "adopted.yml").read_text(encoding="utf-8")
    run(adopted, "yamllint", "--strict", "-d", CONFIGURATION, ".")


def test_ansible_lint(adopted: Path) -> None:
    """Adopted files pass the strictest profile, in a project with a playbook that runs the role."""
    (adopted / "site.yml").write_text(PLAYBOOK, encoding="utf-8")
    files = ["site.yml", "vault-example.txt", "group_vars/all/adopted.yml", "host_vars/shop.example/adopted.yml"]
    run(adopted, "ansiblelint", "--offline", "--strict", "--profile", "production", *files)
