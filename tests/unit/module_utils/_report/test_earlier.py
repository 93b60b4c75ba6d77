# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from support.samples.fleet import AT, audit, drifted, finding, full, record, report, zone_id

from ansible_collections.edgeops.observability.plugins.module_utils._core import INVALID_OPTION, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._report.audit import RENDERERS
from ansible_collections.edgeops.observability.plugins.module_utils._report.earlier import REPORT, read_previous, read_report

SCHEMA = Path(__file__).parents[4] / "extensions" / "schemas" / "audit-report-1.json"


def stored(tmp_path, content):
    path = tmp_path / "report.json"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return str(path)


def changed(made, zones=(), **members):
    """The report with other members of its first zone."""
    return {**made, "zones": [*zones, {**made["zones"][0], **members}]}


def test_report_is_read_as_it_was(tmp_path):
    made = report(drifted("a", scripts=audit(finding())), waivers=[])
    read = read_report("previous", stored(tmp_path, RENDERERS["json"](made)))
    assert read["trend"].pop() == {"at": AT, "counts": made["counts"]}
    assert read == made


def test_later_minor_version_is_read(tmp_path):
    """Members of a later minor version are ignored."""
    made = report(drifted("a"))
    made["schema_version"], made["zones"][0]["later"], made["zones"][0]["items"][0]["resource"] = "1.7", 1, "later"
    assert read_report("previous", stored(tmp_path, made))["zones"][0]["items"][0]["resource"] == "later"


def test_optional_members_may_be_missing(tmp_path):
    made = report(drifted("a"))
    (row,) = made["zones"]
    items = [{name: value for name, value in item.items() if name != "carried"} for item in row["items"]]
    plain = {name: value for name, value in row.items() if name not in ("carried", "resources")}
    read = read_report("merge[0]", stored(tmp_path, {**made, "zones": [{**plain, "items": items}]}))
    assert read["zones"] == [{**row, "resources": []}]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        *((lambda made, text=text: text, "is not JSON") for text in (b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"a": NaN}')),
        (lambda made: b'{"schema_version": 1e999}', "1e999 is too large a number"),
        (lambda made: [], "has no schema_version"),
        (lambda made: {**made, "schema_version": 1.0}, "has no schema_version"),
        (lambda made: {**made, "schema_version": "2.0"}, "has schema version '2.0'; this release reads 1.0"),
        (lambda made: {**made, "zones": [1]}, "zones[0]: must be a dictionary, not 1"),
        (lambda made: {**made, "zones": made["zones"] * 2}, "zones[1].zone: 'a' is a duplicate"),
        (lambda made: changed(made, status="fine"), "zones[0].status: 'fine' is not valid"),
        (lambda made: changed(made, items=made["zones"][0]["items"] * 2), "zones[0].items: an id is a duplicate"),
    ],
)
def test_unusable_report(tmp_path, change, message):
    with pytest.raises(Failure) as caught:
        read_previous(stored(tmp_path, change(report(drifted("a")))))
    assert caught.value.kind == INVALID_OPTION
    assert str(caught.value).startswith(f"previous: '{tmp_path}/report.json' ")
    assert message in str(caught.value)


def test_only_a_file_is_a_report(tmp_path):
    """A pipe is refused, not waited for; a missing previous report is none, and a missing slice a mistake."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    reasons = {
        "": "Is a directory",
        "pipe": "it is not a regular file",
        "pipe/report.json": "Not a directory",
        "loop": "Too many",
    }
    for name, reason in reasons.items():
        with pytest.raises(Failure, match=f"cannot be read: {reason}"):
            read_previous(str(tmp_path / name))
    assert read_previous(str(tmp_path / "report.json")) is None
    with pytest.raises(Failure, match=r"merge\[0\]: .*No such file"):
        read_report("merge[0]", str(tmp_path / "report.json"))


def test_shipped_schema_is_the_one_that_is_checked():
    """`PYTHONPATH=.venvs/collections python scripts/schema.py` writes it."""
    assert json.loads(SCHEMA.read_text(encoding="utf-8")) == REPORT


RENAMED = report(
    {**record("new"), "zone_id": zone_id("old")}, previous=report({**drifted("new"), "zone_id": None}, record("old"))
)
LATER = report(record("b"), previous=RENAMED)


@pytest.mark.parametrize("made", [report(record("a"), {**record("a"), "zone": "b"}), full(), RENAMED, LATER])
def test_every_report_can_be_read_again(tmp_path, made):
    """Also one of two hosts for one zone, and of a zone that got the name of one without an id."""
    assert read_report("merge[0]", stored(tmp_path, RENDERERS["json"](made)))["zones"] == made["zones"]
