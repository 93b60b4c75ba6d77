# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.edgeops.observability.plugins.module_utils._core import INVALID_OPTION, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._engine import task as engine_options
from ansible_collections.edgeops.observability.plugins.module_utils._zones import ALL_ADDRESSES

ZONE = "023e105f4ecef8ad9ca31a8372d0c353"
OPTIONS = {name: option.get("default") for name, option in engine_options.CONNECTION_OPTIONS.items()}
OPTIONS |= {"api_token": "task-token", "zone_id": ZONE, "zone_name": None, "account_id": None}
NOTHING = {"api_token": None, "api_email": None, "api_key": None}


def connect(environ=None, **given_options):
    return engine_options.connection({**OPTIONS, **given_options}, environ or {}, ALL_ADDRESSES)


def refusal(environ=None, **given_options) -> str:
    with pytest.raises(Failure) as caught:
        connect(environ, **given_options)
    assert caught.value.kind == INVALID_OPTION
    return str(caught.value)


@pytest.mark.parametrize(
    ("url", "used"),
    [
        ("https://api.example.com/client/v4/", "https://api.example.com/client/v4"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("https://[::1]:8443/v4", "https://[::1]:8443/v4"),
        ("", engine_options.DEFAULT_BASE_URL),
    ],
)
def test_base_url_drops_the_trailing_slash(url, used):
    assert connect(base_url=url).base_url == used


@pytest.mark.parametrize(
    "url",
    [
        "ftp://api.example.com",
        "api.example.com/client/v4",
        "https://:443/v4",
        "https://api.example.com:port/v4",
        "https://api.example.com/v4\r\nX-Evil: 1",
        "https://[::1/v4",
        "https://api.example.com/v4?",
        "https://api.example.com/v4#",
        "https://admin:s3cr3t@api.example.com/v4",
    ],
)
def test_invalid_base_url_is_refused(url):
    """A base URL that is no plain HTTP address is refused, and the message does not repeat its user information."""
    message = refusal(base_url=url)
    assert message.startswith("base_url: ") and "s3cr3t" not in message


def test_the_inventory_has_no_zone():
    assert engine_options.connection(OPTIONS, {}).address is None


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ({"zone_name": "Shop.Example"}, ("zone", "", "shop.example")),
        ({"zone_id": "", "zone_name": "shop.example"}, ("zone", "", "shop.example")),
        ({"account_id": "9A"}, ("account", "9A", "")),
        ({"zone_id": "ab", "zone_name": "", "account_id": ""}, ("zone", "ab", "")),
    ],
)
def test_addresses(given, address):
    assert connect(**{"zone_id": None, **given}).address == address


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"zone_id": "", "account_id": ""}, "zone_id: zone_id, zone_name or account_id: one of them is required"),
        ({"account_id": "b", "zone_name": "a"}, "zone_name: zone_id, zone_name or account_id: only one of them can be set, and"),
        ({"zone_name": "contains:shop"}, "zone_name: 'contains:shop' is not the name of a zone"),
        ({"zone_name": "a" * 254}, "zone_name: 'aaa"),
        ({"zone_id": "abc/../def"}, "zone_id: 'abc/../def' is not 1 to 32 hexadecimal digits"),
        ({"account_id": "x"}, "account_id: 'x' is not 1 to 32 hexadecimal digits"),
    ],
)
def test_other_addresses_are_refused(given, message):
    assert refusal(**{"zone_id": None, **given}).startswith(message)


PAIR = {"api_email": "me@example.com", "api_key": "task-key"}
ENV_TOKEN = {"CLOUDFLARE_API_TOKEN": "env-token"}
ENV_PAIR = {"CLOUDFLARE_EMAIL": "env@example.com", "CLOUDFLARE_API_KEY": "env-key"}


@pytest.mark.parametrize(
    ("options", "environ", "used"),
    [
        ({"api_token": "task-token"}, {}, ("task-token", None, None)),
        ({"api_token": "task-token", **PAIR}, ENV_TOKEN, ("task-token", None, None)),
        ({"api_token": "task-token", "api_email": "me@example.com"}, {}, ("task-token", None, None)),
        (PAIR, ENV_TOKEN, (None, "me@example.com", "task-key")),
        ({**PAIR, "api_token": ""}, ENV_TOKEN, (None, "me@example.com", "task-key")),
        ({}, {**ENV_TOKEN, **ENV_PAIR, "CLOUDFLARE_TOKEN": "older"}, ("env-token", None, None)),
        ({}, {**ENV_PAIR, "CLOUDFLARE_TOKEN": "older"}, ("older", None, None)),
        ({}, {**ENV_PAIR, "CLOUDFLARE_API_TOKEN": ""}, (None, "env@example.com", "env-key")),
    ],
)
def test_task_credentials_take_precedence(options, environ, used):
    found = connect(environ, **{**NOTHING, **options})
    assert (found.token, found.email, found.key) == used


@pytest.mark.parametrize(
    ("options", "named"),
    [({"api_email": "me@example.com"}, "api_key"), ({"api_key": "task-key"}, "api_email")],
)
def test_incomplete_task_credentials_are_refused(options, named):
    message = refusal({**ENV_TOKEN, **ENV_PAIR}, **{**NOTHING, **options})
    assert message.startswith(f"{named}: ") and "task-key" not in message


@pytest.mark.parametrize("environ", [{}, {"CLOUDFLARE_EMAIL": "env@example.com"}, {"CLOUDFLARE_API_KEY": "env-key"}])
def test_missing_credentials_name_both_options(environ):
    message = refusal(environ, **NOTHING)
    for name in ("api_token", "CLOUDFLARE_API_TOKEN", "api_email", "api_key", "CLOUDFLARE_EMAIL", "CLOUDFLARE_API_KEY"):
        assert name in message


@pytest.mark.parametrize("option", ["api_token", "api_email", "api_key"])
@pytest.mark.parametrize("value", ["tok en", "token\n", "tokén", "\x00"])
def test_invalid_credential_is_refused(option, value):
    message = refusal(**{**NOTHING, **(PAIR if option != "api_token" else {}), option: value})
    assert message.startswith(f"{option}: ") and value not in message


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("timeout", 0.0),
        ("timeout", 3600.5),
        ("timeout", float("nan")),
        ("retries", -1),
        ("retry_wait_max", -1),
        ("request_budget", "many"),
    ],
)
def test_invalid_number_is_refused(option, value):
    assert refusal(**{option: value}).startswith(f"{option}: ")


@pytest.mark.parametrize(
    ("validate", "path", "verify"),
    [(True, None, True), (False, None, False), (False, __file__, False), (True, __file__, __file__)],
)
def test_certificates_are_verified_by_default(validate, path, verify):
    assert connect(validate_certs=validate, ca_path=path).verify == verify


@given(st.text() | st.text().map("https://{}".format), st.text())
def test_arbitrary_text_never_crashes(url, zone):
    with contextlib.suppress(Failure):
        assert connect(base_url=url, zone_id=zone).address == ("zone", zone, "")


def test_an_empty_text_means_omitted():
    """For connection options alone: elsewhere an empty text can mean something, as with `filter`."""
    empty, kept = dict.fromkeys(engine_options.CONNECTION_OPTIONS, ""), {"filter": "", "zone_id": ""}
    assert engine_options.without_empty({**empty, **kept}) == kept
    omitted, kept = dict.fromkeys(engine_options.CONNECTION_OPTIONS), {"timeout": 0, "validate_certs": False}
    assert engine_options.without_empty({**omitted, **kept}) == kept
