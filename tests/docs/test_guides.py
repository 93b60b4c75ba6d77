# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Guides as a reader follows them: their files saved in a project outside of the repository, their commands run in order.

Stock `ansible-playbook`, the installed artifact, and the simulator in place of the service.
"""

from __future__ import annotations

import re
import shlex
import typing as t
from pathlib import Path

import pytest
from blocks import ROOT, ZONE, blocks

from harness.process import Place, execute

NAME = "shop.example.com"
JOB = {
    "id": 7,
    "name": "edge-errors",
    "dataset": "http_requests",
    "enabled": True,
    "destination_conf": "s3://example-logs/errors?region=eu-west-1",
    "logpull_options": "fields=ClientRequestHost,EdgeResponseStatus&timestamps=rfc3339",
}
MASKED = {**JOB, "name": "archive", "destination_conf": "s3://example-archive/http/{DATE}?region=auto&endpoint=store.example.com"}
FLEET = "plugin: edgeops.observability.zones\nstatuses: [active]\n"


class Reader(t.NamedTuple):
    """What a reader of a guide brings along, and what is there at the end."""

    guide: str
    writes: int
    jobs: tuple[str, ...] = ("edge-errors",)
    files: t.Mapping[str, str] = {}
    seed: t.Mapping[str, t.Any] = {}
    fails: t.Mapping[str, int] = {}


READERS = (
    Reader("guide_first_zone", writes=3),
    Reader("guide_adopt", writes=0, seed={"jobs": {ZONE: [JOB]}}),
    Reader("guide_terraform", writes=0, seed={"jobs": {ZONE: [JOB]}}),
    Reader(
        "guide_waivers",
        writes=0,
        jobs=("edge-logs",),
        seed={"jobs": {ZONE: [{**JOB, "name": "edge-logs", "enabled": False}]}},
        files={"group_vars/all/desired.yml": "log_delivery_job: {name: edge-logs}\n"},
    ),
    Reader("guide_survey", writes=0, seed={"jobs": {ZONE: [JOB]}}),
    Reader(
        "guide_payment_scripts",
        writes=0,
        jobs=(),
        # The heads of the page are those of somebody else.
        fails={"edgeops_expected_heads": 2, "edgeops_audit_scripts": 2},
    ),
)


def commands(guide: str) -> list[list[str]]:
    """The calls of ansible-playbook in a guide, and the files that it moves."""
    text = (ROOT / "docs" / "docsite" / "rst" / f"{guide}.rst").read_text(encoding="utf-8")
    shell = "".join(re.findall(r"\.\. code-block:: shell\n\n((?:(?: +.*)?\n)+)", text))
    return [shlex.split(line, comments=True) for line in re.findall(r"^ +((?:ansible-playbook|mv) .*)$", shell, re.MULTILINE)]


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.guide)
def test_guide_works_as_pasted(reader: Reader, simulator: t.Any, tmp_path: Path) -> None:
    project = tmp_path / "project"
    given = {"fleet.zones.yml": FLEET, **reader.files}
    saved = {
        block.caption: block.text for block in blocks(f"docs/docsite/rst/{reader.guide}.rst") if block.caption and not block.mark
    }
    for name, text in {**saved, **given}.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        # A waiver of the page ends some day.
        (project / name).write_text(text.replace("2026-11-30", "2099-11-30"), encoding="utf-8")
    simulator.seed(zones=[{"id": ZONE, "name": NAME, "status": "active"}], **reader.seed)
    environment = {**Place(tmp_path / "place").environment(), **simulator.environment(), "PWD": str(project)}
    assert commands(reader.guide)
    for command in commands(reader.guide):
        code, output, errors = execute(command, environment, project, timeout=300)
        expected = next((wanted for words, wanted in reader.fails.items() if words in " ".join(command)), 0)
        assert code == expected, f"{shlex.join(command)}\n{output}{errors}"
    assert len(simulator.writes()) == reader.writes
    assert tuple(job["name"] for job in simulator.state(ZONE)["jobs"]) == reader.jobs


def test_adopted_files_are_an_inventory(simulator: t.Any, tmp_path: Path) -> None:
    """With a secret in the destination: the example of the vault disturbs nothing, and its line works once it is copied."""
    secret = f"{MASKED['destination_conf']}&access-key-id=AK&secret-access-key=planted-key-77"
    simulator.seed(zones=[{"id": ZONE, "name": NAME, "status": "active"}], jobs={ZONE: [{**MASKED, "destination_conf": secret}]})
    environment = {**Place(tmp_path / "place").environment(), **simulator.environment(), "PWD": str(tmp_path)}
    (tmp_path / "fleet.zones.yml").write_text(FLEET, encoding="utf-8")
    # As the guide to fleets advises: a folder that lists no hosts fails.
    environment["ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED"] = "true"
    adopt, move, deliver = commands("guide_adopt")[:3]
    for command in (adopt, move):
        assert execute(command, environment, tmp_path, timeout=300)[0] == 0
    code, output, errors = execute(deliver, environment, tmp_path, timeout=300)
    assert code == 0 and "1 unchanged" in output, output + errors
    shown = (tmp_path / "inventory" / "vault-example.txt").read_text(encoding="utf-8")
    (line,) = re.findall(r"^ *(destination_conf: .*)$", shown, re.MULTILINE)
    (variable,) = re.findall(r"\{\{ (vault_\w+)", line)
    adopted = tmp_path / "inventory" / "host_vars" / NAME / "adopted.yml"
    text = adopted.read_text(encoding="utf-8")
    adopted.write_text(re.sub(r"^( +)(- |  )name: archive$", rf"\g<0>\n\1  {line}", text, flags=re.MULTILINE), encoding="utf-8")
    (adopted.parent / "vault.yml").write_text(f"{variable}: planted-key-77\n", encoding="utf-8")
    code, output, errors = execute(deliver, environment, tmp_path, timeout=300)
    assert code == 0 and "1 unchanged" in output, output + errors
    assert not simulator.writes() and "planted-key-77" not in output
