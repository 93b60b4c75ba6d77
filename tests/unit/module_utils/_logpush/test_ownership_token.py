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

from ansible_collections.edgeops.observability.plugins.module_utils._destination import parse
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.ownership import read_claims, why_refused
from ansible_collections.edgeops.observability.plugins.module_utils._zones import Address

ZONE = "023e105f4ecef8ad9ca31a8372d0c353"
ADDRESS = Address("zone", ZONE)
S3 = "s3://bucket/dir?region=a"
DESTINATION = parse(S3)
NOW = 1_000_000.0


def segment(value: t.Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def token(claims: t.Any, header: t.Any = None) -> str:
    return f"{segment({'alg': 'HS256'} if header is None else header)}.{segment(claims)}.c2lnbmF0dXJl"


EXPIRED = "the token has expired {} ago; request a new challenge with the module logpush_ownership"
OWNER = "the token belongs to {}, and a challenge is valid only for the zone or account that requested it"
ELSEWHERE = (
    "the token belongs to another destination; a challenge is valid for exactly the destination_conf that it was requested for"
)
F = "f" * 32


@pytest.mark.parametrize(
    ("claims", "sentence"),
    [
        ({"exp": NOW + 1, "zone_id": ZONE.upper(), "destination_conf": S3}, None),
        ({"exp": NOW}, EXPIRED.format("0 seconds")),
        ({"exp": NOW - 119}, EXPIRED.format("119 seconds")),
        ({"exp": NOW - 120}, EXPIRED.format("2 minutes")),
        ({"exp": NOW - 7200.5}, EXPIRED.format("2 hours")),
        ({"exp": NOW - 2 * 86400}, EXPIRED.format("2 days")),
        ({"exp": -(10**400)}, EXPIRED.format("12 days")),
        ({"exp": float("-inf")}, EXPIRED.format("12 days")),
        ({"exp": True}, None),
        ({"exp": "soon"}, None),
        ({"zone_id": F}, OWNER.format(f"another zone ({F})")),
        ({"zone": F}, OWNER.format(f"another zone ({F})")),
        ({"zone_tag": "ab"}, OWNER.format("another zone (ab)")),
        ({"zone": "example.com"}, None),
        ({"account_id": F}, None),
        ({"destination_conf": "s3://bucket/dir?region=%61"}, None),
        ({"destination_conf": "s3://bucket/other?region=a"}, ELSEWHERE),
        ({"destination": "s3://other/dir"}, ELSEWHERE),
        ({"dest": "a hash of it"}, None),
        ({}, None),
        ([], None),
    ],
)
def test_what_can_be_told_without_the_key(claims: t.Any, sentence: str | None) -> None:
    assert why_refused(token(claims), ADDRESS, DESTINATION, NOW) == sentence


@pytest.mark.parametrize(
    "text", ["", "opaque", "a.b.c", "..", token({"exp": 1}, header={}), token({"exp": 1}, header=1), "é.é.é", "bm8.bm8.bm8"]
)
def test_any_other_text_is_left_to_the_service(text: str) -> None:
    assert read_claims(text) is None
    assert why_refused(text, ADDRESS, DESTINATION, NOW) is None


def test_base64url_characters_are_decoded() -> None:
    """The characters of base64 that tokens replace are read."""
    claims = {"note": "~?>~~?>>~???>>>"}
    assert {"-", "_"} <= set(segment(claims))
    assert read_claims(token(claims)) == claims


@pytest.mark.parametrize("signs", ["!", "=", "!!!!", " \n \n"])
def test_stray_characters_make_no_token(signs: str) -> None:
    """What is not base64url throughout is no token."""
    header, claims, signature = token({"exp": 1}).split(".")
    assert read_claims(f"{header}.{claims[:4]}{signs}{claims[4:]}.{signature}") is None


@given(st.text())
def test_no_text_breaks_the_look(text: str) -> None:
    why_refused(text, ADDRESS, DESTINATION, NOW)


@pytest.mark.parametrize(
    ("claims", "message"),
    [
        ({"account_id": ZONE}, None),
        ({"account_id": ZONE, "zone_id": "f" * 32}, None),
        ({"account_id": "f" * 32}, "another account (ffff"),
        ({"zone_id": ZONE}, "the zone 023e"),
    ],
)
def test_owner_of_an_account(claims: t.Any, message: str | None) -> None:
    found = why_refused(token(claims), Address("account", ZONE), DESTINATION, NOW)
    assert (message in found) if message and found else found is message
