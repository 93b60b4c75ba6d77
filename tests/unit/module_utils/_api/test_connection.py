# SPDX-License-Identifier: GPL-3.0-or-later

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.edgeops.observability.plugins.module_utils._address import ALL_ADDRESSES
from ansible_collections.edgeops.observability.plugins.module_utils._api.connection import (
    CONNECTION_OPTIONS,
    DEFAULT_BASE_URL,
    parse_budget,
    parse_connection,
    without_empty,
)
from ansible_collections.edgeops.observability.plugins.module_utils._core import INVALID_OPTION, Failure

OPTIONS = {name: option.get("default") for name, option in CONNECTION_OPTIONS.items()}
OPTIONS |= {"api_token": "task-token", "zone_id": "ab", "zone_name": None, "account_id": None}
NO_TOKEN, NO_ZONE = {"api_token": None}, {"zone_id": None}
EMAIL, KEY = {"api_email": "me@example.com"}, {"api_key": "canary-key"}
PAIR = {**NO_TOKEN, **EMAIL, **KEY}
ENV_TOKEN = {"CLOUDFLARE_API_TOKEN": "env-token"}
ENV_PAIR = {"CLOUDFLARE_EMAIL": "env@example.com", "CLOUDFLARE_API_KEY": "env-key"}
ONE_OF = "zone_id, zone_name or account_id"


def connect(environ=None, **options):
    return parse_connection({**OPTIONS, **options}, environ or {}, ALL_ADDRESSES)


@pytest.mark.parametrize(
    ("options", "member", "value"),
    [
        ({"base_url": "https://api.example.com/client/v4/"}, "base_url", "https://api.example.com/client/v4"),
        ({"base_url": "http://127.0.0.1:8080"}, "base_url", "http://127.0.0.1:8080"),
        ({"base_url": "https://[::1]:8443/v4"}, "base_url", "https://[::1]:8443/v4"),
        ({"base_url": ""}, "base_url", DEFAULT_BASE_URL),
        ({"zone_id": "", "zone_name": "Shop.Example"}, "address", ("zone", "", "shop.example", "")),
        ({**NO_ZONE, "account_id": "9A"}, "address", ("account", "9A", "", "")),
        ({"zone_name": "", "account_id": ""}, "address", ("zone", "ab", "", "")),
        ({"validate_certs": False}, "verify", False),
        ({"validate_certs": False, "ca_path": __file__}, "verify", False),
        ({"ca_path": __file__}, "verify", __file__),
        ({"timeout": 3600}, "timeout", 3600.0),
        ({"retries": 0}, "retries", 0),
    ],
)
def test_options_are_normalized(options, member, value):
    assert getattr(connect(**options), member) == value


def test_inventory_has_no_zone():
    assert parse_connection(OPTIONS, {}).address is None


@pytest.mark.parametrize(
    ("options", "environ", "used"),
    [
        ({**EMAIL, **KEY}, ENV_TOKEN, ("task-token", None, None)),
        (PAIR, ENV_TOKEN, (None, "me@example.com", "canary-key")),
        ({**PAIR, "api_token": ""}, ENV_TOKEN, (None, "me@example.com", "canary-key")),
        (NO_TOKEN, {**ENV_TOKEN, **ENV_PAIR, "CLOUDFLARE_TOKEN": "older"}, ("env-token", None, None)),
        (NO_TOKEN, {**ENV_PAIR, "CLOUDFLARE_TOKEN": "older"}, ("older", None, None)),
        (NO_TOKEN, {**ENV_PAIR, "CLOUDFLARE_API_TOKEN": ""}, (None, "env@example.com", "env-key")),
    ],
)
def test_task_credentials_take_precedence(options, environ, used):
    connection = connect(environ, **options)
    assert (connection.token, connection.email, connection.key) == used


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"base_url": "ftp://api.example.com"}, "base_url: an http or https URL is needed, such as "),
        ({"base_url": "https://:443/v4"}, "base_url: an http"),
        ({"base_url": "https://api.example.com:port/v4"}, "base_url: an http"),
        ({"base_url": "https://api.example.com/v4\r\nX-Evil: 1"}, "base_url: an http"),
        ({"base_url": "https://[::1/v4"}, "base_url: an http"),
        ({"base_url": "https://api.example.com/v4?"}, "base_url: a query"),
        ({"base_url": "https://api.example.com/v4#"}, "base_url: a query"),
        ({"base_url": "https://admin:canary@api.example.com/v4"}, "base_url: user information"),
        ({"zone_id": "", "account_id": ""}, f"zone_id: {ONE_OF}: one of them is required"),
        ({"account_id": "b", "zone_name": "a"}, f"zone_id: {ONE_OF}: only one of them can be set, and zone_id and zone_name and"),
        ({**NO_ZONE, "zone_name": "contains:shop"}, "zone_name: 'contains:shop' is not the name of a zone"),
        ({**NO_ZONE, "zone_name": "a" * 254}, "zone_name: 'aaa"),
        ({"zone_id": "abc/../def"}, "zone_id: 'abc/../def' is not 1 to 32 hexadecimal digits"),
        ({**NO_ZONE, "account_id": "x"}, "account_id: 'x' is not 1 to 32 hexadecimal digits"),
        ({**NO_TOKEN, **EMAIL}, "api_key: "),
        ({**NO_TOKEN, **KEY}, "api_email: "),
        *(({**PAIR, option: f"canary{end}"}, f"{option}: ") for option in PAIR for end in (" ", "\n", "é", "\0")),
        ({"timeout": 0.0}, "timeout: "),
        ({"timeout": 3600.5}, "timeout: "),
        ({"timeout": float("nan")}, "timeout: "),
        ({"retries": -1}, "retries: "),
        ({"retry_wait_max": -1}, "retry_wait_max: "),
        ({"request_budget": "many"}, "request_budget: "),
    ],
)
def test_invalid_connections_are_refused(options, message):
    """Invalid options are refused with any environment; messages contain no secrets."""
    with pytest.raises(Failure) as caught:
        connect(ENV_TOKEN | ENV_PAIR, **options)
    assert caught.value.kind == INVALID_OPTION
    assert str(caught.value).startswith(message) and "canary" not in str(caught.value)


@pytest.mark.parametrize("environ", [{}, {"CLOUDFLARE_EMAIL": "env@example.com"}, {"CLOUDFLARE_API_KEY": "env-key"}])
def test_missing_credentials_name_both_options(environ):
    with pytest.raises(Failure) as caught:
        connect(environ, **NO_TOKEN)
    for name in ("api_token", "CLOUDFLARE_API_TOKEN", "api_email", "api_key", "CLOUDFLARE_EMAIL", "CLOUDFLARE_API_KEY"):
        assert name in str(caught.value)


@given(st.text() | st.text().map("https://{}".format), st.text())
def test_arbitrary_text_never_crashes(url, zone):
    with contextlib.suppress(Failure):
        assert connect(base_url=url, zone_id=zone).address == ("zone", zone, "")


def test_empty_text_means_omitted():
    """This applies to connection options only: an empty `filter`, for example, has a meaning."""
    empty, kept = dict.fromkeys(CONNECTION_OPTIONS, ""), {"filter": "", "zone_id": ""}
    assert without_empty({**empty, **kept}) == kept
    omitted, kept = dict.fromkeys(CONNECTION_OPTIONS), {"timeout": 0, "validate_certs": False}
    assert without_empty({**omitted, **kept}) == kept


@pytest.mark.parametrize(("text", "meaning"), [("1200/300", (1200, 300.0)), (" 1/1 ", (1, 1.0)), ("None", None)])
def test_budget_is_parsed(text, meaning):
    assert parse_budget(text) == meaning


@pytest.mark.parametrize("text", ["", "0/5", "5/0", "5", "5/", "5/5/5", "-1/5", "1.5/5", "65537/1", "1/86401", "٣/٣", "1e3/5"])
def test_invalid_budgets_are_refused(text):
    with pytest.raises(Failure, match=r"^request_budget: "):
        parse_budget(text)
