# SPDX-License-Identifier: GPL-3.0-or-later

from pathlib import Path

from harness.modules import checked, task_of


def test_only_the_step_of_writing_writes(tmp_path: Path) -> None:
    task, folder = task_of("audit_report"), tmp_path / "report"
    params = checked(task, {"zones": [{"zone": "a", "zone_id": "0a"}], "dest": str(folder)}).validated_parameters
    desired = task.desire(params)
    document = task.compose(desired)
    assert not folder.exists()
    written = task.write(desired, document)
    assert (
        task.conclude(desired, document, written).result["files"]
        == written.files
        == sorted(map(str, folder.iterdir()), key=written.files.index)
    )
