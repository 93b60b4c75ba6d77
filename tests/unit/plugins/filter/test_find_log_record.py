# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import gzip
import json

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.edgeops.observability.plugins.filter import find_log_record as plugin

find = plugin.FilterModule().filters()["find_log_record"]
FIRST = {"RayID": "8a1f0c6d5e4b3a20", "Status": 200, "Path": "/"}
SECOND = {"RayID": "8a1f0c6d5e4b3a21", "Status": 503, "Path": "/ä", "Bot": True, "RequestHeaders": {"x.y": "z"}}
TEXT = f"{json.dumps(FIRST)}\n\n{json.dumps(SECOND, ensure_ascii=False)}"
# Without a time, so that the names of tests are the same in every process.
PACKED = gzip.compress(TEXT.encode(), mtime=0)


CONTENTS = [
    TEXT,
    TEXT.encode(),
    PACKED,
    PACKED + gzip.compress(b"", mtime=0),
    base64.b64encode(PACKED).decode(),
    PACKED.decode("latin-1"),
]


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize(
    ("ray_id", "members", "record"),
    [
        ("8a1f0c6d5e4b3a21", {}, SECOND),
        ("8A1F0C6D5E4B3A21-FRA", {}, SECOND),
        (None, {"Status": 503, "Path": "/ä"}, SECOND),
        (None, {"Status": 503.0}, SECOND),
        (None, {"Bot": True}, SECOND),
        (None, {"Bot": 1}, None),
        ({"RequestHeaders.x.y": "z"}, {"Status": 503}, SECOND),
        ({"Path.x": "z"}, {}, None),
        (None, {"Missing": None}, None),
        ("8a1f0c6d5e4b3a21", {"Status": 200}, None),
    ],
)
def test_first_record_with_these_values(content, ray_id, members, record):
    assert find(content, ray_id, **members) == record
    assert find("", ray_id, **members) is None


@pytest.mark.parametrize(
    ("content", "arguments", "words"),
    [
        (TEXT, {}, "a Ray ID or the value of a member is required"),
        (TEXT, {"wanted": "planted"}, "must have 16 hexadecimal digits"),
        (["planted"], {"a": 1}, "must be a string or bytes"),
        ('{"a":2}\nplanted', {"a": 1}, "line 2 of the content is not a record"),
        ("[1]", {"a": 1}, "line 1 of the content is not a record"),
        (PACKED[:-9], {"a": 1}, "not a complete gzip file"),
        ("\x1f\x8b\u20ac", {"a": 1}, "cannot be decoded"),
        ("H4sIä", {"a": 1}, "cannot be decoded"),
    ],
)
def test_refusals(content, arguments, words):
    with pytest.raises(AnsibleFilterError, match=f"^find_log_record: .*{words}") as refusal:
        find(content, **arguments)
    assert "planted" not in str(refusal.value)
