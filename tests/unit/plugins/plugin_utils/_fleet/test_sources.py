# SPDX-License-Identifier: GPL-3.0-or-later

"""A run without the hosts of one of its inventory sources would be taken for one of the fleet."""

import typing as t
from pathlib import Path

import pytest
from ansible.parsing.dataloader import DataLoader
from support.hosts_of_a_play import play

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.plugin_utils import _zone_files
from ansible_collections.edgeops.observability.plugins.plugin_utils._fleet.sources import DEFAULT_SOURCE, check_sources

OF_ZONES = "plugin: edgeops.observability.zones\n"


def check(*sources: str | Path, came_from: str | Path | None = None) -> list[str]:
    """Check the sources of a run with two hosts, one of which is not in the play and came from one of them."""
    hosts: dict[str, dict[str, t.Any]] = {"a.example": {}, "b.example": {"inventory_file": came_from and str(came_from)}}
    of_play = play(hosts, groups={"all": list(hosts)})._replace(hosts=("a.example",))
    return check_sources(of_play._replace(inventory=tuple(map(str, sources)), loader=DataLoader()))


def test_path_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    (tmp_path / "hosts").write_text("a.example\n")
    with pytest.raises(
        Failure, match=r"the inventory .*/missing\.yml does not exist, so that its hosts would be left out"
    ) as refused:
        check(tmp_path / "hosts", tmp_path / "missing.yml")
    assert refused.value.kind == "invalid_option"


def test_what_is_no_path_is_none_that_is_missing(tmp_path: Path) -> None:
    """A list of hosts, the default of Ansible, and what a plugin took for something else than a path."""
    assert check("a.example,", "b.example,a.example", "", DEFAULT_SOURCE) == []
    assert check(tmp_path / "cluster-7", came_from=tmp_path / "cluster-7") == []


@pytest.mark.parametrize("text", ["- hosts: all\n  tasks: []\n", "---\n", "# later\n"])
def test_yaml_that_lists_no_hosts_is_no_inventory(tmp_path: Path, text: str) -> None:
    """Such as a playbook in the folder of the inventory, of which Ansible warns."""
    (tmp_path / "hosts").write_text("a.example\n")
    (tmp_path / "site.yml").write_text(text)
    assert check(tmp_path) == []


def test_missing_file_of_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "fleet").mkdir()
    (tmp_path / "fleet" / "shops.zones.yml").symlink_to(tmp_path / "gone.zones.yml")
    with pytest.raises(Failure, match=r"fleet/shops\.zones\.yml does not exist"):
        check(tmp_path)


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("shops.zones.yml", OF_ZONES, "was not read by edgeops.observability.zones"),
        ("shops.yml", OF_ZONES, "has to end in .zones.yml"),
        ("shops.zones.yml", "plugin: [\n", "cannot be parsed"),
        ("hosts.yml", "all: {hosts: [\n", "cannot be parsed"),
        ("hosts.yml", "all: {hosts: [a.example]}\n", "cannot be parsed"),
        ("hosts", "[unclosed\na.example\n", "cannot be parsed"),
    ],
)
def test_file_that_is_not_read_is_refused(tmp_path: Path, name: str, text: str, why: str) -> None:
    (tmp_path / name).write_text(text)
    for source in (tmp_path, tmp_path / name):
        with pytest.raises(Failure, match=f"{name} .*{why}"):
            check(source)


def test_what_has_no_hosts_of_its_own_passes(tmp_path: Path) -> None:
    """Variables alone, groups of hosts of other files, an empty file, and what Ansible leaves out of a folder."""
    for path in ("host_vars/a.example/adopted.yml", "group_vars/all.yml", ".git/config.yml", "README.md", "ansible.cfg"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("[no inventory\n")
    (tmp_path / "hosts").touch()
    (tmp_path / "groups.yml").write_text("shops: {hosts: {a.example: {}}}\n")
    (tmp_path / "groups.constructed.yml").write_text("plugin: ansible.builtin.constructed\n")
    assert check(tmp_path) == []


@pytest.mark.parametrize("is_listed", [True, False])
def test_plugin_says_whether_it_listed_all_zones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_listed: bool) -> None:
    """Of a listed file without zones there is no host, and some hosts may come from one that could not be listed."""
    path = tmp_path / "shops.zones.yml"
    path.write_text(OF_ZONES)
    monkeypatch.setitem(_zone_files.LISTED, str(path), is_listed)
    if is_listed:
        assert check(path) == []
        return
    with pytest.raises(Failure, match=r"shops\.zones\.yml could not be listed") as refused:
        check(path, came_from=path)
    assert refused.value.kind == "unavailable"


@pytest.mark.parametrize(
    ("name", "text", "mode"), [("cloud.aws_ec2.yml", "plugin: amazon.aws.aws_ec2\n", 0o644), ("list", "#!/bin/sh\n", 0o755)]
)
def test_no_host_of_another_plugin_or_a_script_is_said(tmp_path: Path, name: str, text: str, mode: int) -> None:
    """It may have none; whether it could be read is known to Ansible alone."""
    (tmp_path / name).write_text(text)
    (tmp_path / name).chmod(mode)
    (warning,) = check(tmp_path / name)
    assert f"no host comes from the inventory {tmp_path / name}" in warning and "any_unparsed_is_failed" in warning
    assert check(tmp_path / name, came_from=tmp_path / name) == []
