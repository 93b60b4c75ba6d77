# SPDX-License-Identifier: GPL-3.0-or-later

"""What a line has to be, and what each kind of record has to contain."""

import hashlib
import json
import typing as t

import pytest
from support.chains import AT, EMPTY, ZONE, line_of, page, record_line, resealed, script, unsealed

from ansible_collections.edgeops.observability.plugins.module_utils._chain.kinds import KINDS, PAGES, SCRIPTS, Kind
from ansible_collections.edgeops.observability.plugins.module_utils._chain.records import read_chain

ITSELF = {"v", "seq", "at", "written_at", "zone_id", "prev", "kind"}


def problem(line: bytes, kind: Kind = SCRIPTS) -> str | None:
    return read_chain([line], ZONE, kind).problem


def sealed_as_written(content: bytes) -> bytes:
    """Return a line whose digest is that of its bytes without the digest, whatever their form."""
    digest = hashlib.sha256(content + b"}").hexdigest()
    return content + f',"digest":"{digest}"'.encode() + b"}\n"


@pytest.mark.parametrize(
    "change",
    [
        lambda text: '{"passed":false,' + text[1:],  # a name twice
        lambda text: text.replace('"monitor":{', '"monitor":{"score":NaN,'),
        lambda text: text.replace('"monitor":{', '"monitor":{"score":1.0e2,'),
        lambda text: text.replace(":", ": "),
        lambda text: " " + text,
        lambda text: '{"z":1,' + text[1:],
        lambda text: text.replace('"m"', '"\\u006d"'),
        lambda text: text.replace('"m"', '"é"'),
    ],
)
def test_line_in_another_form_is_refused(change: t.Any) -> None:
    """Its digest fits its bytes, but another program could read something else in it."""
    text = json.dumps(unsealed(letter="m"), sort_keys=True, separators=(",", ":"))[:-1]
    assert problem(sealed_as_written(change(text).encode())) == (
        "record 1 is not a record: the line is not sorted, compact JSON in ASCII with each name once"
    )


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_record_of_each_kind_is_valid(kind: Kind) -> None:
    assert problem(record_line(kind), kind) is None
    other = PAGES if kind is SCRIPTS else SCRIPTS
    assert str(problem(record_line(kind), other)).startswith(f"record 1 is none of {other.name}")
    again = resealed(record_line(kind), kind.state, seq=2, prev=json.loads(record_line(kind))["digest"], **{kind.same: 1})
    assert read_chain([record_line(kind), again], ZONE, kind).problem is None


MEMBERS = [(kind, name) for kind in KINDS for name in unsealed(kind) if name not in ITSELF]


@pytest.mark.parametrize(("kind", "name"), MEMBERS, ids=[f"{kind.name}-{name}" for kind, name in MEMBERS])
def test_member_that_is_missing_or_of_another_type_is_found(kind: Kind, name: str) -> None:
    """A record without its findings must not look like one that found nothing."""
    assert set(kind.members) == {member for of, member in MEMBERS if of is kind}
    line = record_line(kind)
    missing = "refers to a record that has no" if name == kind.state else "has no usable"
    assert str(problem(resealed(line, name), kind)).startswith(f"record 1 {missing}")
    for value in (None, 7, {"a": 1}, [None], "x" * 64):
        if (name, value) != ("collection_version", "x" * 64):
            assert problem(resealed(line, **{name: value}), kind) == f"record 1 has no usable {name!r}", value


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        (SCRIPTS, "monitor", {"enabled": None}),
        (SCRIPTS, "scope", {**unsealed()["scope"], "hosts": None}),
        (SCRIPTS, "scope", {**unsealed()["scope"], "malicious": "above"}),
        (SCRIPTS, "scope", {**unsealed()["scope"], "malicious": 50}),
        (SCRIPTS, "findings", [{"kind": "unheard", "script_url": None, "host": None, "entry": None, "message": ""}]),
        (SCRIPTS, "findings", [{"kind": "new"}]),
        (SCRIPTS, "inventory", [{**script(), "script": None}]),
        (SCRIPTS, "inventory", [script(hash=7)]),
        (SCRIPTS, "inventory", [{**script(), "findings": [None]}]),
        (SCRIPTS, "written_at", None),
        (SCRIPTS, "written_at", "yesterday"),
        (SCRIPTS, "inventory_same_as", 1),
        (PAGES, "pages", [{**page(), "url": None}]),
        (PAGES, "pages", [{**page(), "scripts": None}]),
        (PAGES, "pages", [page(inline=[{"hash": None, "shape": None, "kind": "script", "dynamic": "yes"}])]),
        (PAGES, "findings", [{"kind": "new", "page": None, "subject": None}]),
        (PAGES, "scope", {**unsealed(PAGES)["scope"], "fetches": True}),
    ],
)
def test_part_of_a_member_is_found(kind: Kind, name: str, value: t.Any) -> None:
    message = problem(resealed(record_line(kind), **{name: value}), kind)
    assert message == (
        "record 1 has both inventory and inventory_same_as" if name == "inventory_same_as" else f"record 1 has no usable {name!r}"
    )


def test_first_records_have_no_time_of_writing() -> None:
    assert problem(resealed(record_line(), "written_at")) is None


def test_members_of_later_releases_are_ignored() -> None:
    assert problem(record_line(another={"digest": EMPTY}, at=AT)) is None


def test_digest_is_that_of_the_record_and_not_of_a_part() -> None:
    record = json.loads(record_line(a={"b": 1, "digest": EMPTY}))
    assert problem(line_of(record)) is None
    assert str(problem(line_of({**record, "passed": False}))).startswith("record 1 was edited")
