# SPDX-License-Identifier: GPL-3.0-or-later

from pathlib import Path

import pytest

from ansible_collections.edgeops.observability.plugins.plugin_utils._adopt.task import next_command

DELIVER = "ansible-playbook edgeops.observability.deliver"
SETTING = "ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED=false"


@pytest.mark.parametrize(("needs_hosts", "before"), [(False, ""), (True, f"{SETTING} ")])
def test_folder_without_hosts_is_accepted(needs_hosts: bool, before: str, tmp_path: Path) -> None:
    """The folder with the files has variables only, which fails a run if each source has to list hosts."""
    hosts = tmp_path / "my zones.yml"
    hosts.touch()
    command = next_command([str(hosts)], "inventory", needs_hosts)
    assert command == f"{before}{DELIVER} -i '{hosts}' -i inventory --check --diff"
