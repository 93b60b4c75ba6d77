# SPDX-License-Identifier: GPL-3.0-or-later

import json
import os
from pathlib import Path

import pytest
from support.samples.fleet import AT, drifted, full, record, report, zone_id

from ansible_collections.edgeops.observability.plugins.module_utils._core import INVALID_OPTION, Failure
from ansible_collections.edgeops.observability.plugins.plugin_utils._report.earlier import REPORT, read_previous, read_report
from ansible_collections.edgeops.observability.plugins.plugin_utils._report.formats import render_json

SCHEMA = Path(__file__).parents[5] / "extensions" / "schemas" / "audit-report-1.json"


def stored(tmp_path, content):
    path = tmp_path / "report.json"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return str(path)


RENAMED = report(
    {**record("new"), "zone_id": zone_id("old")}, previous=report({**drifted("new"), "zone_id": None}, record("old"))
)


@pytest.mark.parametrize(
    "made", [full(), report(record("a"), {**record("a"), "zone": "b"}), RENAMED, report(record("b"), previous=RENAMED)]
)
def test_report_is_read_back(tmp_path, made):
    """Reports may contain two hosts for one zone, or a name that now belongs to a host without an id."""
    read = read_report("merge[0]", stored(tmp_path, render_json(made)))
    assert read == {**made, "trend": [*made["trend"], {"at": made["generated_at"], "counts": made["counts"]}]}


def test_other_minor_versions_are_read(tmp_path):
    """Members of later versions are ignored, and members that earlier versions lack have defaults."""
    made = report(drifted("a"))
    made["schema_version"], made["zones"][0]["later"], made["zones"][0]["items"][0]["resource"] = "1.7", 1, "later"
    del made["zones"][0]["items"][0]["carried"], made["zones"][0]["carried"], made["zones"][0]["resources"], made["trend"]
    read = read_report("previous", stored(tmp_path, made))
    (row,) = read["zones"]
    assert (row["items"][0]["resource"], row["items"][0]["carried"], row["carried"], row["resources"]) == (
        "later",
        False,
        False,
        [],
    )
    assert "later" not in row and [point["at"] for point in read["trend"]] == [AT]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        *(
            (lambda made, text=text: text, "is not JSON")
            for text in (b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"a": NaN}', b'{"a": 1, "a": 1}')
        ),
        (lambda made: b'{"schema_version": 1e999}', "1e999 is too large a number"),
        (lambda made: [], "has no schema_version"),
        (lambda made: {**made, "schema_version": 1.0}, "has no schema_version"),
        (lambda made: {**made, "schema_version": "2.0"}, "has schema version '2.0'; this release reads 1.0"),
        (lambda made: {**made, "zones": [1]}, "zones[0]: must be a dictionary, not 1"),
        (lambda made: {**made, "zones": made["zones"] * 2}, "zones[1].zone: 'a' is a duplicate"),
        (lambda made: {**made, "zones": [{**made["zones"][0], "status": "fine"}]}, "zones[0].status: 'fine' is not valid"),
        (
            lambda made: {**made, "zones": [{**made["zones"][0], "items": [{**made["zones"][0]["items"][0], "type": ""}]}]},
            "zones[0].items[0].type: ",
        ),
        (
            lambda made: {**made, "zones": [{**made["zones"][0], "items": made["zones"][0]["items"] * 2}]},
            "zones[0].items: an id is a duplicate",
        ),
        (
            lambda made: {**made, "zones": [{**made["zones"][0], "items": []}]},
            "zones[0].status is drifted, but items has nothing that counts",
        ),
        (
            lambda made: {**made, "zones": [{**made["zones"][0], "status": "compliant"}]},
            "zones[0].status is compliant, but items has difference that counts",
        ),
        (
            lambda made: {**made, "counts": {**made["counts"], "differences": 5}},
            "counts.differences is 5, but the zones have 1",
        ),
    ],
)
def test_invalid_report(tmp_path, change, message):
    with pytest.raises(Failure) as caught:
        read_previous(stored(tmp_path, change(report(drifted("a")))))
    assert caught.value.kind == INVALID_OPTION
    assert str(caught.value).startswith(f"previous: '{tmp_path}/report.json' ")
    assert message in str(caught.value)


def test_report_must_be_a_file(tmp_path):
    """A named pipe is refused at once; a missing previous report is ignored, a missing slice is an error."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    reasons = {"": "Is a directory", "pipe": "it is not a regular", "pipe/report.json": "Not a directory", "loop": "Too many"}
    for name, reason in reasons.items():
        with pytest.raises(Failure, match=f"cannot be read: {reason}"):
            read_previous(str(tmp_path / name))
    assert read_previous(str(tmp_path / "report.json")) is None
    with pytest.raises(Failure, match=r"merge\[0\]: .*No such file"):
        read_report("merge[0]", str(tmp_path / "report.json"))


def test_shipped_schema_agrees_with_the_code():
    """`PYTHONPATH=.venvs/collections python scripts/schema.py` writes the file."""
    assert json.loads(SCHEMA.read_text(encoding="utf-8")) == REPORT
