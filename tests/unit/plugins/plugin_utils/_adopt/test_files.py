# SPDX-License-Identifier: GPL-3.0-or-later

import os
import stat
import typing as t
import unittest.mock
from pathlib import Path

import pytest
import yaml

from ansible_collections.edgeops.observability.plugins.module_utils._core import CONFLICT, INVALID_OPTION, Failure
from ansible_collections.edgeops.observability.plugins.plugin_utils._adopt import files

ID = "023e105f4ecef8ad9ca31a8372d0c353"


def zone(name: str = "shop.example", zone_id: str | None = ID, **members: t.Any) -> dict[str, t.Any]:
    empty: dict[str, t.Any] = {"vault": [], "vault_destinations": [], "left_out": [], "notes": []}
    return {"zone": name, "zone_id": zone_id, "variables": {"log_delivery_script_monitor_enabled": True}, **empty, **members}


def texts(*zones: dict[str, t.Any]) -> dict[str, str]:
    """Return the files of an adoption of all hosts of a group."""
    return files.texts_of(zones, "all", True, "2026-11-21")


def params(dest: Path, *zones: dict[str, t.Any], **options: t.Any) -> dict[str, t.Any]:
    hosts = [zone["zone"] for zone in zones if "zone" in zone] or ["shop.example"]
    usual = {
        "group": "all",
        "group_hosts": hosts,
        "overwrite": False,
        "date": "2026-11-21",
        "script_baselines": {},
        "page_baselines": {},
    }
    return {"dest": str(dest), "zones": list(zones or [zone()]), **usual, **options}


def adopt(dest: Path, *zones: dict[str, t.Any], **options: t.Any) -> bool:
    desired = files.desire(params(dest, *zones, **options))
    changed = files.report(desired).result["changed"]
    if changed:
        files.write(desired)
    return bool(changed)


def tree(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_second_adoption_changes_nothing(tmp_path: Path) -> None:
    assert adopt(tmp_path) is True
    first = tree(tmp_path)
    assert sorted(first) == [
        "ADOPTED.md",
        "group_vars/all/adopted.yml",
        "host_vars/shop.example/adopted.yml",
        "vault-example.txt",
    ]
    assert adopt(tmp_path, date="2027-01-01") is False
    assert tree(tmp_path) == first
    assert stat.S_IMODE((tmp_path / "ADOPTED.md").stat().st_mode) == 0o640


def test_foreign_file_is_kept(tmp_path: Path) -> None:
    target = tmp_path / "host_vars" / "shop.example" / "adopted.yml"
    target.parent.mkdir(parents=True)
    target.write_text("mine: true\n")
    with pytest.raises(Failure) as caught:
        adopt(tmp_path)
    assert caught.value.kind == CONFLICT and str(target) in str(caught.value)
    assert tree(tmp_path) == {"host_vars/shop.example/adopted.yml": "mine: true\n"}
    assert adopt(tmp_path, overwrite=True) is True
    assert "mine" not in target.read_text()


@pytest.mark.parametrize(
    ("options", "place"),
    [
        ({"zones": []}, "zones"),
        ({"zones": [zone("..")]}, "zones[0].zone"),
        ({"zones": [zone("a/b")]}, "zones[0].zone"),
        ({"zones": [zone("a\nb")]}, "zones[0].zone"),
        ({"zones": [zone(), zone()]}, "zones"),
        ({"zones": [zone("ü" * 128)]}, "zones[0].zone"),
        ({"zones": [zone("a\ud800")]}, "zones[0].zone"),
        ({"zones": [zone(zone_id="../1")]}, "zones[0].zone_id"),
        ({"zones": [zone("a", "AB"), zone("b", "ab")]}, "zones"),
        ({"zones": [zone(vault=[1])]}, "zones[0].vault[0]"),
        ({"script_baselines": {"shop.example": "x"}}, "script_baselines.shop.example"),
        ({"dest": ""}, "dest"),
        ({"group": "../x"}, "group"),
        ({"date": "today"}, "date"),
        ({"date": "2026-99-99"}, "date"),
    ],
)
def test_invalid_options_are_refused_before_a_write(tmp_path: Path, options: dict[str, t.Any], place: str) -> None:
    with pytest.raises(Failure) as caught:
        files.desire({**params(tmp_path), **options})
    assert caught.value.kind == INVALID_OPTION and str(caught.value).startswith(f"{place}: ")
    assert not tree(tmp_path)


@pytest.mark.parametrize(
    ("prepare", "dest", "said"),
    [
        (lambda folder: (folder / "file").write_text("mine\n"), "file/inventory", ""),
        (lambda folder: (folder / "host_vars").write_text("mine\n"), "", ""),
        (lambda folder: (folder / "vault-example.txt").mkdir(), "", ""),
        (lambda folder: (folder / "link").symlink_to(folder / "gone"), "link", ""),
        (lambda folder: None, "a" * 300, ""),
        (lambda folder: None, "a\0b", ""),
        *([(lambda folder: (folder / "host_vars").mkdir(mode=0o500), "", "")] if os.geteuid() else []),
        # A symbolic link would lead out of the folder, and opening a named pipe would block.
        (lambda folder: (folder / "host_vars").symlink_to(folder), "", "symbolic link"),
        (lambda folder: (folder / "ADOPTED.md").symlink_to(folder / "gone"), "", "symbolic link"),
        (lambda folder: os.mkfifo(folder / "ADOPTED.md"), "", "not a regular file"),
    ],
)
def test_unusable_dest_is_refused(tmp_path: Path, prepare: t.Callable[[Path], object], dest: str, said: str) -> None:
    """The task fails with a clear message, in check mode as well, and writes nothing."""
    prepare(tmp_path)
    before = tree(tmp_path)
    with pytest.raises(Failure, match=rf"^dest: .*{said}") as caught:
        files.report(files.desire(params(tmp_path / dest, overwrite=True)))
    assert caught.value.kind == INVALID_OPTION
    assert tree(tmp_path) == before


def test_failed_write_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the disk is full at the second file, existing files are unchanged, and new folders are removed."""
    adopt(tmp_path)
    before = tree(tmp_path)
    monkeypatch.setattr(os, "fsync", unittest.mock.Mock(side_effect=[None, OSError(28, "No space left on device")]))
    desired = files.desire(params(tmp_path, zone(notes=["x"]), zone("blog.example", "1"), overwrite=True))
    with pytest.raises(Failure, match=r"dest: .* cannot be written: .*No space left") as caught:
        files.write(desired)
    assert caught.value.kind == INVALID_OPTION
    assert tree(tmp_path) == before and not (tmp_path / "host_vars" / "blog.example").exists()


def test_date_in_a_value_is_a_difference(tmp_path: Path) -> None:
    """Only the date in comments is ignored in the comparison."""
    jobs = [zone(variables={"log_delivery_jobs": [{"name": f"adopted on 2026-11-{day}"}]}) for day in (20, 21)]
    assert adopt(tmp_path, jobs[0]) is True
    with pytest.raises(Failure, match="would be replaced"):
        adopt(tmp_path, jobs[1])


def test_hostile_text_in_the_summary_is_escaped() -> None:
    text = texts(zone(left_out=[{"what": "<script>\n# x", "why": "`[a](b)`"}]))["ADOPTED.md"]
    assert "<script>" not in text.replace("\\<", "") and "\n# x" not in text


def with_secret(name: str, zone_id: str, key: str, path: str = "vault_a_job") -> dict[str, t.Any]:
    conf = f"https://h/{path}?token={{{{ {key} | urlencode }}}}"
    destination = {"job_id": 7, "name": None, "dataset": "d", "destination_conf": conf}
    return zone(name, zone_id, vault=[key], vault_destinations=[destination])


@pytest.mark.parametrize(
    ("zones", "secrets"),
    [
        (
            [("shop.example", "a" * 32, "shop_example_job7"), ("shop-example", "b" * 32, "shop_example_job7")],
            ["shop_example_aaaaaaaa_job7", "shop_example_bbbbbbbb_job7"],
        ),
        (
            [("a.b", "a" * 31 + "1", "a_b_job7"), ("a-b", "a" * 31 + "2", "a_b_job7")],
            [f"a_b_{'a' * 31}1_job7", f"a_b_{'a' * 31}2_job7"],
        ),
        ([("a", "b1", "a_job1_job2"), ("a.job1", "b2", "a_job1_job2")], ["a_b1_job1_job2", "a_job1_b2_job2"]),
    ],
)
def test_two_zones_never_share_a_secret(zones: list[tuple[str, str, str]], secrets: list[str]) -> None:
    """Names of variables contain as much of the zone id as needed to differ, even if names and secrets form equal texts."""
    contents = texts(*(with_secret(name, zone_id, f"vault_{key}_token") for name, zone_id, key in zones))
    example = yaml.safe_load(contents["vault-example.txt"])
    for (name, _id, _key), secret in zip(zones, secrets, strict=True):
        conf = f"https://h/vault_a_job?token={{{{ vault_{secret}_token | urlencode }}}}"
        assert example[name][0]["destination_conf"] == conf
        assert contents["ADOPTED.md"].replace("\\_", "_").count(f"vault_{secret}_token") == 1


def with_jobs(name: str, *jobs: dict[str, t.Any]) -> dict[str, t.Any]:
    return zone(name, f"{sum(name.encode()):x}", variables={"log_delivery_jobs": list(jobs)})


@pytest.mark.parametrize("values", [(1, True), (1, 1.0), (0, False), ("1", 1)])
def test_filters_that_look_equal_are_not_common(values: tuple[t.Any, t.Any]) -> None:
    """Filters distinguish true and 1, although they are equal in Python."""
    one, other = [{"filter": {"key": "k", "operator": "in", "value": [value]}} for value in values]
    assert files.common_defaults([with_jobs("a", one), with_jobs("b", other)]) == {}
    assert files.common_defaults([with_jobs("a", one), with_jobs("b", one)]) == one


def test_common_options_are_those_of_all_jobs() -> None:
    """Members with the same value in all jobs are common, except destinations, because jobs of other zones would get them."""
    low = {"dataset": "http_requests", "frequency": "low"}
    shared = {**low, "destination_conf": "s3://b/x?region=r"}
    zones = [with_jobs("a", {"name": "x", **shared, "enabled": False}), with_jobs("b", {"name": "y", **shared, "enabled": 0})]
    assert files.common_defaults(zones) == low
    written = yaml.safe_load(texts(*zones)["host_vars/a/adopted.yml"])
    assert written == {"log_delivery_jobs": [{"name": "x", "destination_conf": "s3://b/x?region=r", "enabled": False}]}
    assert files.common_defaults([]) == {}
    assert files.common_defaults([with_jobs("a", {"name": "x", **low})]) == {}


@pytest.mark.parametrize(
    ("at_default", "other"),
    [
        ({"filter": ""}, {"filter": {"key": "k", "operator": "eq", "value": 1}}),
        ({"transformer": ""}, {"transformer": "redact"}),
        ({"filter_attack_traffic": False}, {"filter_attack_traffic": True}),
        ({"option_flags": {"CVE-2021-44228": True, "sample": 1}}, {"option_flags": {"sample": 0.5}}),
        ({"output_options": {"sample_rate": 1}}, {"output_options": {"sample_rate": 0.5}}),
        ({"destination_address": "s3://b"}, {}),
    ],
)
def test_what_decides_delivery_at_its_default_stands_at_the_job(at_default: dict[str, t.Any], other: dict[str, t.Any]) -> None:
    assert files.common_defaults([with_jobs(name, at_default) for name in "ab"]) == {}
    assert files.common_defaults([with_jobs(name, other) for name in "ab"]) == other


@pytest.mark.parametrize(
    ("hosts", "grouped"), [(["a", "b"], True), (["a", "b", "c"], False), (["a"], False), ([], False), (None, False)]
)
def test_group_file_needs_the_whole_group(tmp_path: Path, hosts: list[str] | None, grouped: bool) -> None:
    """A group file would change the hosts that were not adopted, and would not apply to those outside of the group."""
    job = {"name": "x", "dataset": "http_requests", "frequency": "low"}
    contents = files.desire(params(tmp_path, with_jobs("a", job), with_jobs("b", job), group="edge", group_hosts=hosts)).texts
    assert ("group_vars/edge/adopted.yml" in contents) is grouped
    host = yaml.safe_load(contents["host_vars/a/adopted.yml"])
    if grouped:
        assert yaml.safe_load(contents["group_vars/edge/adopted.yml"]) == {
            "log_delivery_job_defaults": {"dataset": "http_requests", "frequency": "low"}
        }
        assert host == {"log_delivery_jobs": [{"name": "x"}]}
    else:
        # The other defaults of the group must not change the jobs either.
        assert host == {"log_delivery_job_defaults": {}, "log_delivery_jobs": [job]}


def test_account_is_a_host(tmp_path: Path) -> None:
    account = zone("account_1", None, account_id="1", variables={"log_delivery_jobs": [{"job_id": 4}]})
    contents = files.desire(params(tmp_path, zone(), account)).texts
    assert "# The account account_1 (1) as it was adopted on" in contents["host_vars/account_1/adopted.yml"]
    assert "Account id: 1" in contents["ADOPTED.md"]


def test_misleading_characters_are_escaped() -> None:
    """Characters on which a terminal or an editor acts are escaped in quoted values, which keep their content; comments remain one line.

    libyaml, which Ansible prefers, refuses files with unpaired surrogates.
    """
    text = "a\u202eb\u200b\u2028\U000e0041c"
    written = files.yaml_text([text, "a\nkey: value"], {"x": text, "y": "\u00fc", "z": "a\ud800"})
    assert not {"\u202e", "\u200b", "\u2028", "\U000e0041"} & set(written)
    assert yaml.safe_load(written) == {"x": text, "y": "\u00fc", "z": "a\ufffd"}
    assert "# a key: value" in written.splitlines()


def test_line_to_copy_is_one_line() -> None:
    text = texts(with_secret("a", "1", "vault_x", "a " * 200))["vault-example.txt"]
    (line,) = [line.strip() for line in text.splitlines() if "vault_x" in line]
    assert line.startswith('destination_conf: "https://h/a a') and line.endswith('?token={{ vault_x | urlencode }}"')


def test_fleet_is_adopted_in_parts(tmp_path: Path) -> None:
    """The lists of what was left out keep the zones of earlier parts; what they say of a zone of this part is not replaced unasked."""
    left_out, group = [{"what": "jobs", "why": "x"}], {"group_hosts": ["a", "b", "c"]}
    first, second = (
        zone(
            name, f"0{name}", left_out=left_out, vault_destinations=[{"destination_conf": f"s3://{name}/{{{{ vault_{name} }}}}"}]
        )
        for name in ("b", "a")
    )
    assert adopt(tmp_path, first, **group) and adopt(tmp_path, second, **group)
    whole = tree(tmp_path)
    assert whole["ADOPTED.md"].startswith("# Adopted zones\n\n2 zones and accounts, adopted on 2026-11-21.\n\n## a\n")
    assert whole["ADOPTED.md"].count("- Left out: ") == 2 and "\n## b\n" in whole["ADOPTED.md"]
    assert list(yaml.safe_load(whole["vault-example.txt"])) == ["a", "b"]
    assert adopt(tmp_path, first, **group, date="2026-11-22") is False and tree(tmp_path) == whole, "only the date would differ"
    changed = {**first, "left_out": []}
    with pytest.raises(Failure, match=r"ADOPTED\.md would be replaced"):
        adopt(tmp_path, changed, **group)
    assert adopt(tmp_path, changed, **group, overwrite=True)
    assert tree(tmp_path)["ADOPTED.md"].count("- Left out: ") == 1 and "## a\n" in tree(tmp_path)["ADOPTED.md"]
    (tmp_path / "ADOPTED.md").write_text("my own notes\n")
    with pytest.raises(Failure, match=r"ADOPTED\.md would be replaced"):
        adopt(tmp_path, first, **group)
