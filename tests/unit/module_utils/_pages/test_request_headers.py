# SPDX-License-Identifier: GPL-3.0-or-later

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._pages.request_headers import readable, secrets_of_pages

URL = "https://shop.example/de/checkout2026"


@pytest.mark.parametrize(
    ("headers", "secrets"),
    [
        ({"Authorization": "Bearer c4nary", "cookie": "session=77aa"}, {"Bearer c4nary", "session=77aa"}),
        ({"X-Key": "4711-0815"}, {"4711-0815"}),
        ({"X-Key": "correcthorsebatterystaple"}, {"correcthorsebatterystaple"}),
        # A page may repeat a part alone.
        ({"Authorization": "Bearer t0ken-99aa"}, {"Bearer t0ken-99aa", "t0ken-99aa"}),
        ({"Cookie": "lang=de; sid=77aa88bb99"}, {"lang=de; sid=77aa88bb99", "77aa88bb99"}),
        (
            {"Authorization": "Basic dXNlcjpwYXNzLTQ3MTE="},
            {"Basic dXNlcjpwYXNzLTQ3MTE=", "dXNlcjpwYXNzLTQ3MTE", "user:pass-4711", "pass-4711"},
        ),
        # The name says it.
        ({"X-Preview-Password": "hunter", "X-Session": "s"}, {"hunter", "s"}),
        # They say which variant of the page is asked for.
        ({"Accept-Language": "de-DE,de;q=0.9,en;q=0.8", "USER-AGENT": "Audit/1.0 (planted)", "Accept": "text/html, */*"}, set()),
        # Too short for a credential, or a word.
        ({"X-Audit": "1", "X-Env": "de", "X-Stage": "new", "X-Zone": "unauthorised"}, set()),
        # The URL says it in clear.
        ({"X-Release": "checkout2026"}, set()),
        ({}, set()),
    ],
)
def test_only_credentials_are_secrets(headers, secrets):
    assert secrets_of_pages([{"url": URL, "request_headers": headers}, "https://shop.example/other"]) == secrets


@pytest.mark.parametrize("pages", [None, "text", [1, {}], [{"url": 1, "request_headers": ["x"]}], {"a": 1}])
def test_other_arguments_have_no_secrets(pages):
    assert secrets_of_pages(pages) == set()


def test_only_what_describes_is_readable():
    headers = {"X-Env": "de", "Accept-Language": "de", "Cookie": "session=77aa"}
    assert readable(headers) == {"accept-language": "de", "cookie": None, "x-env": None}
