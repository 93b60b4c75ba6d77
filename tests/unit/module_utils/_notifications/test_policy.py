# SPDX-License-Identifier: GPL-3.0-or-later

import re
import typing as t

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._core import BAD_RESPONSE, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._notifications.alerts import (
    filter_warnings,
    parse_alerts,
)
from ansible_collections.edgeops.observability.plugins.module_utils._notifications.options import desire
from ansible_collections.edgeops.observability.plugins.module_utils._notifications.plan import PolicyState, is_id, plan
from ansible_collections.edgeops.observability.plugins.module_utils._notifications.policy import parse_policy
from ansible_collections.edgeops.observability.plugins.module_utils._notifications.webhook import parse_webhook, view_webhook
from ansible_collections.edgeops.observability.plugins.module_utils._observed import Cause, Unknown

SENT: dict[str, t.Any] = {
    "id": "p",
    "name": "n",
    "description": "",
    "enabled": True,
    "alert_type": "x",
    "alert_interval": "",
    "filters": {"zones": ["z1", "z2"], "empty": []},
    "mechanisms": {"email": [{"id": "a"}, {"id": "b"}], "webhooks": None},
    "created": "2026-10-01T00:00:00Z",
    "modified": "2026-10-01T00:00:00Z",
}
OMITTED = dict.fromkeys(("policy_id", "alert_type", "mechanisms", "filters", "description", "enabled", "alert_interval"))
WEBHOOK = {"id": "w", "name": "n", "type": "generic", "url": "https://h.example/x", "last_success": None, "last_failure": None}


def desired(**options: t.Any) -> t.Any:
    return desire({"state": "present", "name": "n", **OMITTED, **options})


@pytest.mark.parametrize(
    ("options", "detail"),
    [
        ({"mechanisms": {"email": ["a", "b", "c"]}}, "none"),
        ({"mechanisms": {"email": ["a", "c"]}}, ("email: b",)),
        ({"mechanisms": {"email": [], "pagerduty": ["p"]}}, ("email: a", "email: b")),
        ({"filters": {}}, "none"),
        ({"filters": {"zones": ["z1", "z2", "z3"]}}, "none"),
        ({"filters": {"zones": ["z1"]}}, ("filters.zones: z2",)),
        ({"filters": {"zones": ["z1", "z2"], "more": ["m"]}}, ("filters.more",)),
        ({"filters": {"more": ["m"]}}, ("filters.more",)),
        ({"description": "d"}, "none"),
        ({"enabled": False, "filters": {"more": ["m"]}}, None),
        ({"state": "absent"}, None),
    ],
)
def test_effects_that_mute_a_policy(options: t.Any, detail: t.Any) -> None:
    """An enabled policy is deleted or disabled, loses a mechanism, or gets a narrower filter."""
    made = plan(desired(**options), PolicyState(parse_policy(SENT)))
    assert made.requests
    assert [effect.detail for effect in made.effects] == ([] if detail == "none" else [detail])
    silent = plan(desired(**options), PolicyState(parse_policy({**SENT, "enabled": False})))
    assert not silent.effects


@pytest.mark.parametrize("filters", [None, {"zones": ["z1"]}])
def test_what_could_not_be_compared_is_a_warning(filters: t.Any) -> None:
    """Of a new policy both its alert and its filters are compared with the same list."""
    new = desired(alert_type="x", filters=filters, mechanisms={"email": ["a"]})
    warnings = plan(new, PolicyState(None, Unknown(Cause.NO_RIGHT, "no right"))).warnings
    assert [text.partition(":")[0] for text in warnings] == ["alert_type", *(["filters"] if filters else [])]


@pytest.mark.parametrize("value", ["", " ", ["z1", ""]])
def test_empty_text_of_a_filter_is_refused(value: t.Any) -> None:
    """A filter with an empty text takes nothing in, and could not be written again."""
    place = "filters.zones[1]" if isinstance(value, list) else "filters.zones"
    with pytest.raises(Failure) as refused:
        desired(filters={"zones": value})
    assert str(refused.value).startswith(f"{place}: is empty")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"mechanisms": {"email": ["b", "a", "b"], "webhooks": []}},
        {"filters": {"zones": ["z2", "z1"], "other": []}},
        {"alert_type": "x", "description": "", "alert_interval": ""},
    ],
)
def test_equivalent_options_are_no_change(options: t.Any) -> None:
    made = plan(desired(**options), PolicyState(parse_policy(SENT)))
    assert not made.requests and made.before == made.after


MASKED = {"id": "w", "name": "h", "url": "https://h.example/********", "weight": 1}


def test_policy_names_a_webhook_by_its_id_alone() -> None:
    """What the service shows of the webhook, whose address it masks, is not sent back; unknown members of the item are."""
    sent = {**SENT, "mechanisms": {"email": [{"id": "a"}], "webhooks": [MASKED]}}
    for options in ({"description": "d"}, {"mechanisms": {"webhooks": ["d" * 32]}}, {"mechanisms": {"email": ["b"]}}):
        (request,) = plan(desired(**options), PolicyState(parse_policy(sent))).requests
        items = [{"id": "d" * 32}] if "webhooks" in options.get("mechanisms", ()) else [{"id": "w", "weight": 1}]
        assert t.cast("t.Any", request.body)["mechanisms"]["webhooks"] == items


@pytest.mark.parametrize(
    ("masked", "place"),
    [
        ({"newer": {"secret": "********"}}, "newer.secret"),
        ({"mechanisms": {"email": [{"id": "a", "key": "***"}]}}, "mechanisms.email[0].key"),
        ({"mechanisms": {"email": [{"id": "a"}], "chat": [{"url": "https://c.example/***/x"}]}}, "mechanisms.chat[0].url"),
    ],
)
def test_what_the_service_masks_is_not_sent_back(masked: t.Any, place: str) -> None:
    state = PolicyState(parse_policy({**SENT, **masked}))
    assert not plan(desired(description=""), state).requests
    with pytest.raises(
        Failure, match=rf"^The notification policy 'n' \(id p\): the service masks {re.escape(place)}, and"
    ) as caught:
        plan(desired(description="d"), state)
    assert caught.value.kind == BAD_RESPONSE


@pytest.mark.parametrize(
    "changes",
    [
        {"id": ""},
        {"id": 1},
        {"name": None},
        {"enabled": "true"},
        {"alert_type": None},
        {"filters": []},
        {"filters": {"zones": {"z1": 1}}},
        {"mechanisms": []},
        {"mechanisms": None},
        {"mechanisms": {"email": {}}},
        {"mechanisms": {"email": [{"id": 1}]}},
        {"description": 1},
        {"modified": {}},
    ],
)
def test_invalid_policy_is_refused(changes: t.Any) -> None:
    with pytest.raises(Failure) as failure:
        parse_policy({**SENT, **changes})
    assert failure.value.kind == BAD_RESPONSE


@pytest.mark.parametrize("zones", ["z1", ["z1", ""]])
def test_filter_that_is_no_list_of_texts_is_not_written_over(zones: t.Any) -> None:
    """It is shown, and what it restricts is not known."""
    shown = parse_policy({**SENT, "filters": {"zones": zones}})
    with pytest.raises(Failure) as failure:
        plan(desired(), PolicyState(shown))
    assert failure.value.kind == BAD_RESPONSE and "filters.zones of the notification policy" in failure.value.message


@pytest.mark.parametrize(
    "sent", [{"P": [1]}, {"P": [{"type": 1}]}, {"P": [{"type": "a", "description": 1}]}, {"P": {}}, {"P": None}]
)
def test_invalid_alerts_are_refused(sent: t.Any) -> None:
    with pytest.raises(Failure):
        parse_alerts(sent)


@pytest.mark.parametrize(
    ("url", "host"), [("https://u:p@h.example:8443/x?k=v", "h.example"), ("https://[", None), (None, None), ("x", None)]
)
def test_webhook_address_is_reduced_to_its_host(url: t.Any, host: str | None) -> None:
    webhook = parse_webhook({**WEBHOOK, "url": url})
    assert webhook.host == host and "k=v" not in str(view_webhook(webhook))


@pytest.mark.parametrize("changes", [{"id": None}, {"id": ""}, {"name": 1}, {"url": 1}, {"last_failure": {}}])
def test_invalid_webhook_is_refused(changes: t.Any) -> None:
    with pytest.raises(Failure) as failure:
        parse_webhook({**WEBHOOK, **changes})
    assert failure.value.kind == BAD_RESPONSE


@pytest.mark.parametrize(
    ("text", "expected"), [("0" * 32, True), ("0da2b59e-f118-45bd-b6c4-a2b7a1f05e41", True), ("Chat", False), ("", False)]
)
def test_id_is_hexadecimal_or_a_uuid(text: str, expected: bool) -> None:
    assert is_id(text) is expected


OPTIONS = [
    {"Key": "zones", "AvailableValues": None, "ComparisonOperator": "==", "Range": "1-n"},
    {"Key": "slo", "AvailableValues": [{"ID": "99.9", "Description": "d"}, {"ID": "99.7"}], "Range": "0-1"},
]


@pytest.mark.parametrize(
    ("options", "filters", "told"),
    [
        (OPTIONS, {"zones": ["z"], "slo": ["99.9"]}, []),
        (OPTIONS, {}, ["filters.zones: 'a' requires this filter"]),
        (OPTIONS, {"zone": ["z"]}, ["filters.zone: 'a' has no such filter", "filters.zones: 'a' requires"]),
        (OPTIONS, {"zones": ["z"], "slo": ["99.99"]}, ["filters.slo: the service does not offer '99.99' for 'a'"]),
        ([], {"zones": ["z"]}, ["filters.zones: 'a' has no such filter according to the service (it has none)"]),
        # What cannot be told is not compared, and says so.
        (None, {"zones": ["z"]}, ["filters: were not compared"]),
        ("x", {"zones": ["z"]}, ["filters: were not compared"]),
        ([{"Key": None}], {"zones": ["z"]}, ["filters: were not compared"]),
        ([{"Key": "slo", "AvailableValues": [{}]}], {"slo": ["z"]}, ["filters: were not compared"]),
        (None, {}, []),
    ],
)
def test_filters_are_compared_with_what_the_service_offers(options: t.Any, filters: t.Any, told: list[str]) -> None:
    alerts = parse_alerts({"P": [{"type": "a", "filter_options": options}]})
    texts = filter_warnings("a", filters, alerts)
    assert [text[: len(start)] for text, start in zip(texts, told, strict=True)] == told


def test_unknown_filter_is_named_with_the_nearest_one() -> None:
    alerts = parse_alerts({"P": [{"type": "a", "filter_options": OPTIONS[:1]}]})
    assert "did you mean 'zones'?" in filter_warnings("a", {"zone": ["z"], "zones": ["z"]}, alerts)[0]
