# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.logpush import KEYS, ZONE, jwt
from samples.logpush import S3 as CONF
from support.refusals import refusal

from ansible_collections.edgeops.observability.plugins.module_utils._address import ACCOUNT, Address
from ansible_collections.edgeops.observability.plugins.module_utils._address import ZONE as ZONE_SCOPE
from ansible_collections.edgeops.observability.plugins.module_utils._core import Answer, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._destination import parse
from ansible_collections.edgeops.observability.plugins.module_utils._logpush import ownership


def proof(destination: str = "gs://bucket", token: str | None = None) -> ownership.Proof:
    return ownership.desire({"destination_conf": destination, "ownership_challenge": token})


ASK, VALIDATE = proof(), proof(token=" token\n")


def concluded(desired: ownership.Proof, answer: t.Any) -> dict[str, t.Any]:
    return t.cast("t.Any", ownership.conclude(desired, Answer(answer), "20261126").result["ownership"])


def test_only_requesting_a_challenge_is_a_change() -> None:
    asked, validated = ownership.plan(ASK), ownership.plan(VALIDATE)
    assert [(request.operation, request.body) for request in asked.requests + validated.requests] == [
        ("logpush_ownership.create", {"destination_conf": "gs://bucket"}),
        ("logpush_ownership.validate", {"destination_conf": "gs://bucket", "ownership_challenge": "token"}),
    ]
    assert (ownership.plan(ASK).changed, ownership.plan(VALIDATE).changed, asked.creates) == (True, False, False)
    destination = {"scheme": "gs", "address": "bucket", "options": {}}
    assert (asked.before, asked.after) == ({}, {"challenge": {"destination": destination}})
    assert validated.before == validated.after
    assert asked.warnings == validated.warnings == ()
    assert asked.result == {"ownership": {"filename": None, "valid": None, "message": None}}
    assert validated.result == {"ownership": {"valid": None}}


def test_unneeded_challenge_is_a_warning() -> None:
    planned = ownership.plan(proof(KEYS))
    assert planned.warnings == ("destination_conf: the service requires no proof of ownership for this type of destination.",)
    assert "planted" not in f"{planned.after}{planned.warnings}"
    # Only the secret part of the destination is masked.
    assert [ownership.secrets(desired) for desired in (proof(KEYS), VALIDATE, ASK)] == [{"planted"}, {"token"}, frozenset()]


@pytest.mark.parametrize(
    ("token", "words"), [("", "is empty; omit the option"), (" ", "is empty; omit the option"), ("a b", "contains white space,")]
)
def test_empty_token_is_refused(token: str, words: str) -> None:
    kind, message = refusal(proof, token=token)
    assert kind == "invalid_option" and message.startswith(f"ownership_challenge: {words}")


PLACE = "The file lies under the date of the request in UTC, in place of {DATE}: web/20261126/challenge.txt"


@pytest.mark.parametrize(
    ("filename", "message", "text"),
    [
        ("web/{DATE}/challenge.txt", "", PLACE),
        ("web/{DATE}/challenge.txt", "written", f"written {PLACE}"),
        ("web/20261126/challenge.txt", "", ""),
        ("challenge.txt", None, None),
        (None, "written", "written"),
    ],
)
def test_message_has_the_path_with_the_date(filename: str | None, message: str | None, text: str | None) -> None:
    answer = {"valid": True, "filename": filename, "message": message}
    assert concluded(proof("gs://bucket/web/{DATE}"), answer) == {"valid": True, "filename": filename, "message": text}


UNUSABLE = "The service's answer about the ownership has no usable '{}'."


@pytest.mark.parametrize(
    ("desired", "answer", "kind", "message"),
    [
        (ASK, {"valid": False, "message": "denied"}, "rejected", "The service could not write a challenge: denied"),
        (ASK, {"valid": False, "message": ""}, "rejected", "The service could not write a challenge."),
        (VALIDATE, {"valid": False}, "rejected", "The token is not a valid proof of ownership of the destination."),
        (ASK, {}, "bad_response", UNUSABLE.format("valid")),
        (ASK, {"valid": 1}, "bad_response", UNUSABLE.format("valid")),
        (ASK, {"valid": True, "filename": 1}, "bad_response", UNUSABLE.format("filename")),
    ],
)
def test_invalid_and_negative_answers_fail(desired: ownership.Proof, answer: t.Any, kind: str, message: str) -> None:
    with pytest.raises(Failure) as caught:
        concluded(desired, answer)
    assert (caught.value.kind, caught.value.status, str(caught.value)) == (kind, 200, message)


def test_result_has_the_documented_members() -> None:
    answer = {"valid": True, "filename": "f", "message": "", "other": 1}
    assert concluded(ASK, answer) == {"filename": "f", "valid": True, "message": ""}
    assert concluded(VALIDATE, answer) == {"valid": True}
    assert concluded(ASK, {"valid": True}) == {"filename": None, "valid": True, "message": None}


def test_texts_of_the_service_are_masked() -> None:
    text = f"wrote to {KEYS} and before to s3://other?region=a&secret-access-key=unknown"
    result = concluded(proof(KEYS), {"valid": True, "filename": KEYS, "message": text})
    masked = KEYS.replace("planted", "********")
    before = "s3://other?region=a&secret-access-key=********"
    assert result == {"filename": masked, "valid": True, "message": f"wrote to {masked} and before to {before}"}


NOW = 1_000_000.0
OTHER = "f" * 32
FOREIGN = "the token belongs to {}, and a challenge is valid only for the zone or account that requested it"
ELSEWHERE = (
    "the token belongs to another destination; a challenge is valid for exactly the destination_conf that it was requested for"
)


def why(claims: t.Any, scope: str = ZONE_SCOPE) -> str | None:
    return ownership.why_refused(jwt(claims), Address(scope, ZONE), parse(CONF), NOW)


@pytest.mark.parametrize(("expires", "ago"), [(NOW + 1, None), (NOW, "0 seconds"), (-(10**400), "12 days"), ("1", None)])
def test_expired_token_is_named(expires: t.Any, ago: str | None) -> None:
    message = f"the token has expired {ago} ago; request a new challenge with the module logpush_ownership"
    assert why({"exp": expires}) == (message if ago else None)


@pytest.mark.parametrize(
    ("claims", "scope", "sentence"),
    [
        ({"exp": NOW + 1, "zone_id": ZONE.upper(), "destination_conf": CONF}, ZONE_SCOPE, None),
        ({"zone_id": OTHER}, ZONE_SCOPE, FOREIGN.format(f"another zone ({OTHER})")),
        ({"zone_id": "{{ 1 }}"}, ZONE_SCOPE, None),
        # The token of a zone may contain the account of the zone as well.
        ({"zone_id": ZONE, "account_id": OTHER}, ZONE_SCOPE, None),
        ({"account_id": ZONE}, ACCOUNT, None),
        ({"account_id": OTHER}, ACCOUNT, FOREIGN.format(f"another account ({OTHER})")),
        ({"zone_id": ZONE}, ACCOUNT, FOREIGN.format(f"the zone {ZONE}")),
        ({"destination_conf": CONF.replace("=a", "=%61")}, ZONE_SCOPE, None),
        ({"destination_conf": "s3://bucket/other?region=a"}, ZONE_SCOPE, ELSEWHERE),
        ({"destination_conf": "a hash of it"}, ZONE_SCOPE, None),
    ],
)
def test_token_of_another_owner_or_destination_is_named(claims: t.Any, scope: str, sentence: str | None) -> None:
    assert why(claims, scope) == sentence


@given(st.text() | st.sampled_from(("a.b.c", "..", "é.é.é", "bm8.bm8.bm8")))
def test_any_other_token_is_accepted(text: str) -> None:
    assert ownership.why_refused(text, Address(ZONE_SCOPE, ZONE), parse(CONF), NOW) is None
