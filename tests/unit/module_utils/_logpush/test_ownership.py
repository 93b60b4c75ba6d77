# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

import pytest
from support.refusals import refusal

from ansible_collections.edgeops.observability.plugins.module_utils._core import Answer, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._destination import parse as parse_destination
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.ownership import (
    Proof,
    changes,
    conclude,
    desire,
    plan,
    secrets,
)

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
    assert (changes(ASK), changes(VALIDATE)) == (True, False)
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
