# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import json
import typing as t

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.edgeops.observability.plugins.module_utils._plan.ownership_token import fault, read_claims

ZONE = "023e105f4ecef8ad9ca31a8372d0c353"
S3 = "s3://bucket/dir?region=a"
NOW = 1_000_000.0


def segment(value: t.Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def token(claims: t.Any, header: t.Any = None) -> str:
    return f"{segment({'alg': 'HS256'} if header is None else header)}.{segment(claims)}.c2lnbmF0dXJl"


@pytest.mark.parametrize(
    ("claims", "says"),
    [
        ({"exp": NOW + 1, "zone_id": ZONE.upper(), "destination_conf": S3}, None),
        ({"exp": NOW}, "expired 0 seconds ago"),
        ({"exp": NOW - 3 * 86400}, "expired 3 days ago"),
        ({"exp": NOW - 7200.5}, "expired 2 hours ago"),
        ({"exp": NOW - 600}, "expired 10 minutes ago"),
        ({"exp": True}, None),
        ({"exp": "soon"}, None),
        ({"zone_id": "f" * 32}, "another zone"),
        ({"zone": "f" * 32}, "another zone"),
        ({"zone": "example.com"}, None),
        ({"destination_conf": "s3://bucket/dir?region=%61"}, None),
        ({"destination_conf": "s3://bucket/other?region=a"}, "another destination"),
        ({"dest": "a hash of it"}, None),
        ({}, None),
        ([], None),
    ],
)
def test_what_can_be_told_without_the_key(claims: t.Any, says: str | None) -> None:
    found = fault(token(claims), ZONE, S3, NOW)
    if says is None:
        assert found is None
    else:
        assert found is not None
        assert says in found
        assert "s3://" not in found


@pytest.mark.parametrize(
    "text", ["", "opaque", "a.b.c", "..", token({"exp": 1}, header={}), token({"exp": 1}, header=1), "é.é.é", "bm8.bm8.bm8"]
)
def test_any_other_text_is_left_to_the_service(text: str) -> None:
    assert read_claims(text) is None
    assert fault(text, ZONE, S3, NOW) is None


@given(st.text())
def test_no_text_breaks_the_look(text: str) -> None:
    fault(text, ZONE, S3, NOW)
