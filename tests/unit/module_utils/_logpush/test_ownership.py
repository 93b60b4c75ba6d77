# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import json
import typing as t

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.refusals import refusal

from ansible_collections.edgeops.observability.plugins.module_utils._core import Answer, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._destination import parse
from ansible_collections.edgeops.observability.plugins.module_utils._destination import parse as parse_destination
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.ownership import (
    Proof,
    conclude,
    desire,
    plan,
    read_claims,
    secrets,
    why_refused,
)
from ansible_collections.edgeops.observability.plugins.module_utils._zones import Address

KEYS = "https://host/in?header_Authorization=planted"
ASK = desire({"destination_conf": "gs://bucket", "ownership_challenge": None})
VALIDATE = desire({"destination_conf": "gs://bucket", "ownership_challenge": " token\n"})


def concluded(desired, answer):
    return conclude(desired, Answer(answer, None, 200, 1, None))


def test_asking_changes_and_validating_does_not() -> None:
    asked, validated = plan(ASK), plan(VALIDATE)
    assert [(request.operation, request.body) for request in asked.requests + validated.requests] == [
        ("logpush_ownership.create", {"destination_conf": "gs://bucket"}),
        ("logpush_ownership.validate", {"destination_conf": "gs://bucket", "ownership_challenge": "token"}),
    ]
    assert (plan(ASK).changed, plan(VALIDATE).changed) == (True, False)
    assert not asked.creates
    assert (asked.before, asked.after) == (
        {},
        {"challenge": {"destination": {"scheme": "gs", "address": "bucket", "options": {}}}},
    )
    assert asked.warnings == validated.warnings == ()
    assert validated.before == validated.after
    assert asked.result == {"ownership": {"filename": None, "valid": None, "message": None}}
    assert validated.result == {"ownership": {"valid": None}}


def test_unneeded_challenge_is_a_warning() -> None:
    """Where no proof is needed, asking for one is a warning."""
    desired = desire({"destination_conf": KEYS, "ownership_challenge": None})
    found = plan(desired)
    assert found.warnings == ("destination_conf: the service requires no proof of ownership for this type of destination.",)
    assert "planted" not in f"{found.after}{found.warnings}"
    # The address around a secret stays readable.
    assert secrets(desired) == {"planted"}
    assert "token" in secrets(VALIDATE)
    assert None not in secrets(ASK)


def test_a_token_is_taken_without_its_line_end() -> None:
    assert desire({"destination_conf": "gs://bucket", "ownership_challenge": " token\n"}) == Proof(
        parse_destination("gs://bucket"), "token"
    )
    assert desire({"destination_conf": "gs://bucket", "ownership_challenge": None}) == Proof(
        parse_destination("gs://bucket"), None
    )


EMPTY = "ownership_challenge: is empty; omit the option to request a challenge"


@pytest.mark.parametrize(
    ("token", "sentence"),
    [("", EMPTY), (" ", EMPTY), ("a b", "ownership_challenge: contains white space, which no token has")],
)
def test_an_empty_token_is_not_a_question(token: str, sentence: str) -> None:
    assert refusal(desire, {"destination_conf": "gs://bucket", "ownership_challenge": token}) == ("invalid_option", sentence)


UNUSABLE = "The service's answer about the ownership has no usable '{}'."


@pytest.mark.parametrize(
    ("answer", "kind", "message"),
    [
        ({"valid": False, "message": "denied"}, "rejected", "The service could not write a challenge: denied"),
        ({"valid": False}, "rejected", "The service could not write a challenge."),
        ({"valid": False, "message": ""}, "rejected", "The service could not write a challenge."),
        ({}, "bad_response", UNUSABLE.format("valid")),
        ({"valid": None}, "bad_response", UNUSABLE.format("valid")),
        ({"valid": "true"}, "bad_response", UNUSABLE.format("valid")),
        ({"valid": 1}, "bad_response", UNUSABLE.format("valid")),
        ({"valid": True, "filename": 1}, "bad_response", UNUSABLE.format("filename")),
    ],
)
def test_answers_that_are_failures(answer: dict[str, t.Any], kind: str, message: str) -> None:
    with pytest.raises(Failure) as caught:
        concluded(ASK, answer)
    assert (caught.value.kind, caught.value.status) == (kind, 200)
    assert str(caught.value) == message


def test_answers_that_are_results() -> None:
    answer = {"valid": True, "filename": "f", "message": "", "other": 1}
    assert concluded(ASK, answer).result == {"ownership": {"filename": "f", "valid": True, "message": ""}}
    assert concluded(ASK, {"valid": True}).result == {"ownership": {"filename": None, "valid": True, "message": None}}
    assert concluded(VALIDATE, answer).result == {"ownership": {"valid": True}}
    message = "The token is not a valid proof of ownership of the destination."
    assert refusal(concluded, VALIDATE, {"valid": False}) == ("rejected", message)


def test_texts_of_the_service_are_masked() -> None:
    """Whatever address a message quotes, no secret of it is returned."""
    desired = desire({"destination_conf": KEYS, "ownership_challenge": None})
    text = f"wrote to {KEYS} and before to s3://other?region=a&secret-access-key=unknown"
    found = concluded(desired, {"valid": True, "filename": KEYS, "message": text}).result["ownership"]
    masked = "https://host/in?header_Authorization=********"
    assert found == {
        "filename": masked,
        "valid": True,
        "message": f"wrote to {masked} and before to s3://other?region=a&secret-access-key=********",
    }


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
