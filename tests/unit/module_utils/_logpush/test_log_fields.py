# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.edgeops.observability.plugins.module_utils._logpush.coverage import (
    carriers_of,
    select_custom_log_fields,
    selected_fields,
)

LISTS = {"request_fields": ["x-a"], "response_fields": [], "cookie_fields": ["Cart"]}


@pytest.mark.parametrize(
    ("lists", "carriers"),
    [
        ({}, []),
        ({"request_fields": [], "response_fields": [], "cookie_fields": []}, []),
        ({"request_fields": None}, []),
        ({"request_fields": ["x-a"]}, ["RequestHeaders"]),
        ({"response_fields": ["x-a"]}, ["ResponseHeaders"]),
        ({"cookie_fields": ["Cart"]}, ["Cookies"]),
        ({"response_fields": ["x-a"], "preserve_duplicates": ["x-a"]}, ["ResponseHeaders", "ResponseFields"]),
        ({"transformed_request_fields": ["x-a"], "raw_response_fields": ["x-b"]}, ["RequestHeaders", "ResponseHeaders"]),
        (
            {"request_fields": ["x-a"], "response_fields": ["x-b"], "cookie_fields": ["c"]},
            ["RequestHeaders", "ResponseHeaders", "Cookies"],
        ),
    ],
)
def test_a_list_that_is_not_empty_wants_its_field(lists, carriers):
    assert carriers_of(lists) == carriers


@pytest.mark.parametrize(
    ("job", "extended"),
    [
        ({"name": "n"}, {"name": "n", "fields": ["RequestHeaders", "Cookies"]}),
        ({"fields": None}, {"fields": ["RequestHeaders", "Cookies"]}),
        ({"fields": ["ClientIP", "Cookies"]}, {"fields": ["ClientIP", "Cookies", "RequestHeaders"]}),
        ({"fields": "ClientIP, RayID"}, {"fields": ["ClientIP", "RayID", "RequestHeaders", "Cookies"]}),
        ({"fields": [" ClientIP ", "", 7]}, {"fields": ["ClientIP", 7, "RequestHeaders", "Cookies"]}),
        ({"fields": ""}, {"fields": ["RequestHeaders", "Cookies"]}),
        (
            {"logpull_options": "fields=ClientIP,Cookies&timestamps=rfc3339"},
            {"logpull_options": "fields=ClientIP,Cookies,RequestHeaders&timestamps=rfc3339"},
        ),
        (
            {"logpull_options": "timestamps=unix&fields=A%2CCookies"},
            {"logpull_options": "timestamps=unix&fields=A%2CCookies,RequestHeaders"},
        ),
        (
            {"logpull_options": "?fields=ClientIP &timestamps=unix"},
            {"logpull_options": "fields=ClientIP,RequestHeaders,Cookies&timestamps=unix"},
        ),
        (
            {"logpull_options": "timestamps=unix& %66ields=ClientIP&fields=Cookies"},
            {"logpull_options": "timestamps=unix& %66ields=ClientIP,RequestHeaders&fields=Cookies"},
        ),
        ({"logpull_options": "?fields=RequestHeaders, Cookies"}, {"logpull_options": "?fields=RequestHeaders, Cookies"}),
        ({"logpull_options": "timestamps=unix"}, {"logpull_options": "fields=RequestHeaders,Cookies&timestamps=unix"}),
        ({"logpull_options": ""}, {"logpull_options": "fields=RequestHeaders,Cookies"}),
        (
            {"logpull_options": "fields&timestamps=unix"},
            {"logpull_options": "fields=RequestHeaders,Cookies&timestamps=unix"},
        ),
        ({"logpull_options": "fields="}, {"logpull_options": "fields=RequestHeaders,Cookies"}),
        (
            {"output_options": {"field_names": ["ClientIP"], "output_type": "csv"}},
            {"output_options": {"field_names": ["ClientIP", "RequestHeaders", "Cookies"], "output_type": "csv"}},
        ),
        ({"output_options": {}}, {"output_options": {"field_names": ["RequestHeaders", "Cookies"]}}),
        ({"output_options": "ndjson"}, {"output_options": "ndjson"}),
    ],
)
def test_the_fields_go_where_the_callers_own_are(job, extended):
    assert select_custom_log_fields(job, LISTS) == extended


def test_no_custom_fields_is_no_change():
    """Without custom fields the caller's own fields stay as they are."""
    job = {"fields": ["Cookies", "ClientIP"], "filter": None}
    assert select_custom_log_fields(job, {"request_fields": [], "cookie_fields": []}) == job


JOB_NEEDED = "the options of a Logpush job must be a dictionary, or its JSON text"
LISTS_NEEDED = "custom fields must be a dictionary of lists"


@pytest.mark.parametrize(
    ("job", "lists", "sentence"),
    [
        ("name=n", {}, JOB_NEEDED),
        (None, {}, JOB_NEEDED),
        ([], {}, JOB_NEEDED),
        ({}, "x-a", LISTS_NEEDED),
        ({}, ["x-a"], LISTS_NEEDED),
    ],
)
def test_invalid_input_is_refused(job, lists, sentence):
    """Other input is refused, and the message does not repeat it."""
    with pytest.raises(ValueError, match="must be") as refusal:
        select_custom_log_fields(job, lists)
    assert str(refusal.value) == sentence


NAMES = st.lists(st.sampled_from(["ClientIP", "RayID", "RequestHeaders", "ResponseHeaders", "Cookies"]), unique=True)


@given(own=NAMES, lists=st.fixed_dictionaries({}, optional={name: st.lists(st.just("x")) for name in LISTS}))
def test_selection_is_equal_and_idempotent(own, lists):
    """Every form selects the same fields, and a second time adds nothing."""
    expected = set(own) | set(carriers_of(lists))
    forms = [{"fields": own}, {"logpull_options": f"fields={','.join(own)}"}, {"output_options": {"field_names": own}}]
    for form in forms:
        once = select_custom_log_fields(form, lists)
        assert select_custom_log_fields(once, lists) == once
        selected = once["fields"] if "fields" in once else selected_fields(once)
        assert set(selected) == expected
        assert selected[: len(own)] == own
