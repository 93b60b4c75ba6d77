# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import copy
import json
import os
import typing as t
from pathlib import Path

import jsonschema
import pytest
from support.samples.fleet import audit, drifted, finding, full, record, report

from ansible_collections.edgeops.observability.plugins.module_utils._core import INVALID_OPTION, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._report.earlier import REPORT, read_previous, read_report
from ansible_collections.edgeops.observability.plugins.module_utils._report.formats import render_json
from ansible_collections.edgeops.observability.plugins.module_utils._schema import problems

SCHEMA = Path(__file__).parents[4] / "extensions" / "schemas" / "audit-report-1.json"
NOTHING = object()


def stored(tmp_path, content):
    path = tmp_path / "report.json"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return str(path)


def changed(made, zones=(), **members):
    """The report with other members of its first zone."""
    return {**made, "zones": [*zones, {**made["zones"][0], **members}]}


def test_report_is_read_as_it_was(tmp_path):
    made = report(drifted("a", scripts=audit(finding())), waivers=[])
    read = read_report("previous", stored(tmp_path, render_json(made)))
    assert (read.report_id, list(read.rows), list(read.waivers)) == (made["report_id"], made["zones"], made["waivers"])


def test_later_minor_version_is_read(tmp_path):
    """Members of a later minor version are ignored."""
    made = report(drifted("a"))
    made["schema_version"], made["zones"][0]["later"], made["zones"][0]["items"][0]["resource"] = "1.7", 1, "later"
    assert read_report("previous", stored(tmp_path, made)).rows[0]["items"][0]["resource"] == "later"


def test_what_may_be_left_out(tmp_path):
    """A report that another program wrote has the members that are promised, and no more."""
    made = report(drifted("a"))
    row = made["zones"][0]
    assert read_report("previous", stored(tmp_path, {**made, "zones": [without(row, "carried", "resources")]})).rows == (
        {**row, "resources": []},
    )
    items = [without(item, "carried") for item in row["items"]]
    assert read_report("merge[0]", stored(tmp_path, changed(made, items=items))).rows == (row,)


def without(members, *names):
    return {name: value for name, value in members.items() if name not in names}


def test_missing_previous_report(tmp_path):
    assert read_previous(str(tmp_path / "report.json")) is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        *((lambda made, text=text: text, "is not JSON") for text in (b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"a": NaN}')),
        (lambda made: b'{"schema_version": 1e999}', "1e999 is too large a number"),
        (lambda made: [], "has no schema_version"),
        (lambda made: {**made, "schema_version": 1.0}, "has no schema_version"),
        (lambda made: {**made, "schema_version": "2.0"}, "has schema version '2.0'; this release reads 1.0"),
        (lambda made: {**made, "schema_version": "1.x"}, "schema_version: '1.x'"),
        (lambda made: {**made, "counts": None}, "counts: must be a dictionary, not null"),
        (lambda made: {**made, "zones": [1]}, "zones[0]: must be a dictionary, not 1"),
        (lambda made: {**made, "zones": made["zones"] * 2}, "zones[1].zone: 'a' is a duplicate"),
        (lambda made: {**made, "waivers": [{"zone": "a"}]}, "waivers[0].reason: is missing"),
        (lambda made: changed(made, zone_id=None, zones=made["zones"]), "zones[1].zone: 'a' is a duplicate"),
        (lambda made: changed(made, status="fine"), "zones[0].status: 'fine' is not valid"),
        (lambda made: changed(made, audited_at="yesterday"), "zones[0].audited_at: 'yesterday'"),
        (lambda made: changed(made, items=[{"id": "x"}]), "zones[0].items[0].kind: is missing"),
        (lambda made: changed(made, items=made["zones"][0]["items"] * 2), "zones[0].items[1].id: "),
        (lambda made: changed(made, items=[{**made["zones"][0]["items"][0], "id": "0A" * 8}]), "zones[0].items[0].id: '0A0A"),
    ],
)
def test_unusable_report(tmp_path, change, message):
    """Each message once; which values the schema refuses is compared with a validator below."""
    with pytest.raises(Failure) as caught:
        read_previous(stored(tmp_path, change(report(drifted("a")))))
    assert caught.value.kind == INVALID_OPTION
    assert str(caught.value).startswith(f"previous: '{tmp_path}/report.json' ")
    assert message in str(caught.value)


def test_only_a_file_is_a_report(tmp_path):
    """A pipe is refused, not waited for."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(Failure, match="cannot be read: Is a directory"):
        read_previous(str(tmp_path))
    with pytest.raises(Failure, match="cannot be read: it is not a regular file"):
        read_previous(str(tmp_path / "pipe"))


def test_shipped_schema_is_the_one_that_is_checked():
    """`PYTHONPATH=.venvs/collections python scripts/schema.py` writes it."""
    assert json.loads(SCHEMA.read_text(encoding="utf-8")) == REPORT


def test_slice_has_to_be_there(tmp_path):
    with pytest.raises(Failure, match=r"merge\[0\]: .*No such file"):
        read_report("merge[0]", str(tmp_path / "report.json"))


def places(value: t.Any, *path: t.Any) -> t.Iterator[tuple[t.Any, ...]]:
    """Every place in a report, of lists the first member; what differs in a problem may be anything."""
    yield path
    members = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for name, member in members:
        if name not in ("is", "should_be", "evidence"):
            yield from places(member, *path, name)


def altered(made: t.Any, path: tuple[t.Any, ...], value: t.Any) -> t.Any:
    """The report with another value in one place, or with nothing there."""
    made = copy.deepcopy(made)
    around = made
    for name in path[:-1]:
        around = around[name]
    if value is NOTHING:
        del around[path[-1]]
    else:
        around[path[-1]] = value
    return made


def test_what_the_schema_refuses_is_not_read():
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker())
    made = full()
    made["zones"] = [next(row for row in made["zones"] if row["inventory"]), next(row for row in made["zones"] if row["error"])]
    assert not list(problems(REPORT, made))
    read_otherwise = []
    for path in places(made):
        for value in (NOTHING, 5, "x", None, [], {}, True)[0 if path and isinstance(path[-1], str) else 1 :]:
            given = altered(made, path, value) if path else value
            if bool(list(problems(REPORT, given))) is validator.is_valid(given):
                read_otherwise.append((path, value))
    assert not read_otherwise


@pytest.mark.parametrize("zones", [[record("a"), {**record("a"), "zone": "b"}], [full()]])
def test_every_report_can_be_read_again(tmp_path, zones):
    """Also one of two hosts for one zone."""
    made = zones[0] if "report_id" in zones[0] else report(*zones)
    assert read_report("merge[0]", stored(tmp_path, render_json(made))).rows == tuple(made["zones"])
