# SPDX-License-Identifier: GPL-3.0-or-later

import os
import stat
from pathlib import Path

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._core import INVALID_OPTION, Failure
from ansible_collections.edgeops.observability.plugins.plugin_utils._dest import write_files

NEW = {"report.json": b"new", "report.html": b"new"}
MODES = {"report.json": 0o640, "report.html": 0o644}


def mode(path):
    return stat.S_IMODE(Path(path).stat().st_mode)


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("mask", [0o000, 0o077])
def test_files_have_the_documented_modes(tmp_path, mask):
    """The mode of an existing folder is not changed."""
    tmp_path.chmod(0o777)
    before = os.umask(mask)
    try:
        paths = write_files(str(tmp_path / "made" / "here"), NEW, MODES) + write_files(str(tmp_path), NEW, MODES)
    finally:
        os.umask(before)
    assert paths == [str(folder / name) for folder in (tmp_path / "made" / "here", tmp_path) for name in NEW]
    assert (mode(tmp_path / "made" / "here"), mode(tmp_path)) == (0o750, 0o777)
    assert [mode(path) for path in paths] == [0o640, 0o644] * 2
    assert content(tmp_path) == NEW


@pytest.mark.parametrize("name", NEW)
def test_all_files_are_written_or_none(tmp_path, name):
    """If one file cannot be replaced because a folder has its name, no file is written."""
    for other in NEW:
        (tmp_path / other).mkdir() if other == name else (tmp_path / other).write_bytes(b"old")
    with pytest.raises(Failure, match=r"is a folder, so a file cannot be written there. Nothing was written") as caught:
        write_files(str(tmp_path), NEW, MODES)
    assert caught.value.kind == INVALID_OPTION
    assert content(tmp_path) == {other: b"old" for other in NEW if other != name}


@pytest.mark.parametrize("kept", [0, 1])
def test_full_disk_keeps_existing_files(tmp_path, monkeypatch, kept):
    """If the second file fails, the old files are kept; a new folder is removed."""
    write_files(str(tmp_path / "old"), dict.fromkeys(NEW, b"old"), MODES)
    synced = iter([None] * kept)

    def fsync(descriptor):
        if next(synced, 1) is not None:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fsync)
    for name in ("old", "made"):
        with pytest.raises(Failure, match="cannot be written: No space left on device"):
            write_files(str(tmp_path / name), NEW, MODES)
    assert content(tmp_path / "old") == dict.fromkeys(NEW, b"old")
    assert not (tmp_path / "made").exists()


def test_link_is_replaced_and_not_followed(tmp_path):
    (tmp_path / "elsewhere").write_bytes(b"old")
    (tmp_path / "report.json").symlink_to(tmp_path / "elsewhere")
    write_files(str(tmp_path), NEW, MODES)
    assert (tmp_path / "elsewhere").read_bytes() == b"old"
    assert not (tmp_path / "report.json").is_symlink()
    for dest in ("elsewhere", "elsewhere/below"):
        with pytest.raises(Failure, match=r"^dest: .* cannot be written"):
            write_files(str(tmp_path / dest), NEW, MODES)
