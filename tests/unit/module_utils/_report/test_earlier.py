# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json

import pytest
from support.samples.fleet import audit, drifted, finding, report

from ansible_collections.edgeops.observability.plugins.module_utils._errors import INVALID_OPTION, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._report import json_file
from ansible_collections.edgeops.observability.plugins.module_utils._report.earlier import read_previous, read_report


def stored(tmp_path, content):
    path = tmp_path / "report.json"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return str(path)


def test_report_is_read_as_it_was(tmp_path):
    made = report(drifted("a", scripts=audit(finding())), waivers=[])
    read = read_report("previous", stored(tmp_path, json_file.render(made)))
    assert (read.report_id, list(read.rows), list(read.waivers)) == (made["report_id"], made["zones"], made["waivers"])


def test_later_minor_version_is_read(tmp_path):
    """Members of a later minor version are ignored."""
    made = report(drifted("a"))
    made["schema_version"], made["zones"][0]["later"], made["zones"][0]["items"][0]["resource"] = "1.7", 1, "later"
    assert read_report("previous", stored(tmp_path, made)).rows[0]["items"][0]["resource"] == "later"


def test_missing_previous_report(tmp_path):
    assert read_previous(str(tmp_path / "report.json")) is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda made: b"", "is not JSON"),
        (lambda made: b"{", "is not JSON"),
        (lambda made: b"\xff\xfe", "is not JSON"),
        (lambda made: b"[" * 100_000, "is not JSON"),
        (lambda made: b'{"schema_version": NaN}', "is not JSON"),
        (lambda made: [], "has no schema_version"),
        (lambda made: {}, "has no schema_version"),
        (lambda made: {**made, "schema_version": "2.0"}, "has schema version '2.0'; this release reads 1.0"),
        (lambda made: {**made, "schema_version": 1.0}, "has no schema_version"),
        (lambda made: {**made, "zones": {}}, "report_id, zones or waivers is missing"),
        (lambda made: {**made, "waivers": [1]}, "waivers holds something else"),
        (lambda made: {**made, "zones": [1]}, "zones[0] is 1, not an object"),
        (lambda made: {**made, "zones": [{**made["zones"][0], "status": "fine"}]}, "zones[0].status is 'fine'"),
        (lambda made: {**made, "zones": [{**made["zones"][0], "zone": 1}]}, "zones[0].zone is missing or of another type"),
        (lambda made: {**made, "zones": [{**made["zones"][0], "items": [{"id": "x"}]}]}, "zones[0].items[0].kind is missing"),
    ],
)
def test_unusable_report(tmp_path, change, message):
    with pytest.raises(Failure) as caught:
        read_previous(stored(tmp_path, change(report(drifted("a")))))
    assert caught.value.kind == INVALID_OPTION
    assert str(caught.value).startswith("previous: ")
    assert message in str(caught.value)


def test_folder_is_no_report(tmp_path):
    with pytest.raises(Failure, match="cannot be read: Is a directory"):
        read_previous(str(tmp_path))


def test_slice_has_to_be_there(tmp_path):
    with pytest.raises(Failure, match=r"merge\[0\]: .*No such file"):
        read_report("merge[0]", str(tmp_path / "report.json"))
