# SPDX-License-Identifier: GPL-3.0-or-later

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._pages.headers import compare, shown
from ansible_collections.edgeops.observability.plugins.module_utils._pages.url import parse

CSP = "content-security-policy"
SAME = [
    (CSP, ["default-src 'self'; img-src *"], ["IMG-SRC  *;; default-src 'SELF';"]),
    (CSP, ["script-src 'nonce-abc'"], ["script-src 'nonce-xyz'"]),
    (CSP, ["script-src a.example; script-src evil.example"], ["script-src a.example"]),
    (CSP, ["default-src a, img-src b"], ["img-src b", "default-src a"]),
    (CSP, ["report-uri https://r.example/?v=1"], ["report-uri https://r.example/?v=2"]),
    (CSP, ["script-src HTTPS://CDN.example/Path"], ["script-src https://cdn.example/Path"]),
    ("strict-transport-security", ['max-age="1"; includeSubDomains'], ["INCLUDESUBDOMAINS;max-age=1"]),
    ("x-frame-options", ["deny"], ["DENY"]),
    ("reporting-endpoints", ['a="https://r.example/?1"'], ['a="https://r.example/?2"']),
]
# Blanks for Python, and parts of a word for browsers, which then enforce nothing.
NO_BLANKS = ("\x0b", "\x1c", "\x1f", "\x85", "\xa0", "\u2003")
DIFFERENT = [
    (CSP, ["script-src 'nonce-a' 'nonce-b'"], ["script-src 'nonce-*'"]),
    (CSP, ["script-src cdn.example/path"], ["script-src cdn.example/Path"]),
    (CSP, ["script-src 'sha256-AAAA'"], ["script-src 'sha256-aaaa'"]),
    (CSP, ["trusted-types Foo"], ["trusted-types foo"]),
    (CSP, ["default-src a"], ["default-src a", "default-src a"]),
    (CSP, ["default-src 'self'"], ["default-src self"]),
    ("permissions-policy", ["camera=()"], ["Camera=()"]),
    ("strict-transport-security", ["max-age=1"], ["max-age=1; preload"]),
    ("referrer-policy", ["no-referrer"], ["no-referrer", "no-referrer"]),
    ("access-control-allow-origin", [], ["*"]),
    ("strict-transport-security", ["max-age=1"], ['max-age="1']),
    ("x-frame-options", ["DENY"], ["DENY\xa0"]),
    (CSP, ["worker-src a.example"], ["wor\u212aer-src a.example"]),
    (CSP, ["script-src k.example"], ["script-src \u212a.example"]),
    *((CSP, ["script-src 'nonce-*'"], [f"script-src 'nonce-{text}'"]) for text in ("", "{{nonce}}", "a b", "a=b", "\u212a")),
    *((CSP, ["default-src 'self'"], [f"default-src{blank}'self'"]) for blank in NO_BLANKS),
    *((CSP, ["default-src 'self'"], [f"{blank}default-src 'self'"]) for blank in NO_BLANKS),
    *((CSP, ["default-src 'self'"], [f"default-src 'self'{blank}"]) for blank in NO_BLANKS),
]


@pytest.mark.parametrize(("name", "one", "other"), SAME)
def test_equal_meanings_do_not_differ(name: str, one: list[str], other: list[str]) -> None:
    assert compare(name, one, other) is None and compare(name, other, one) is None


@pytest.mark.parametrize(("name", "one", "other"), DIFFERENT)
def test_other_meanings_differ(name: str, one: list[str], other: list[str]) -> None:
    assert compare(name, one, other) is not None and compare(name, other, one) is not None


def test_difference_of_a_policy_is_what_differs() -> None:
    difference = compare(
        CSP, ["script-src 'self' https://evil.example; img-src *"], ["script-src 'self'; frame-ancestors 'none'; img-src *"]
    )
    assert difference is not None
    assert (difference.is_text, difference.should_be) == ("script-src https://evil.example", "frame-ancestors 'none'")


def test_sampled_policy_of_the_service_is_left_out() -> None:
    name, sampled = (
        f"{CSP}-report-only",
        "script-src 'none'; report-uri https://csp-reporting.cloudflare.com/cdn-cgi/script_monitor/report?m=x",
    )
    kept, left_out = shown(name, [sampled, "default-src 'self'"], "shop.example")
    assert (kept, len(left_out)) == (["default-src 'self'"], 1)
    for other in (
        sampled.replace("csp-reporting.cloudflare.com", "evil.example"),
        sampled + " https://evil.example/",
        sampled + "; report-to x",
        sampled.replace("/report?", "/report/?"),
    ):
        assert shown(name, [other], "shop.example")[1] == []
    assert shown(CSP, [sampled], "shop.example")[1] == [], "one that is enforced is compared"
    assert shown(name, [sampled.replace("https://csp-reporting.cloudflare.com", "https://shop.example")], "shop.example")[0] == []


ADDRESSES = {
    "https://a.example/x": "https://a.example/x",
    "\\\\evil.example\\x": "https://evil.example/x",
    "/\t/evil.example/x": "https://evil.example/x",
    "https:evil": "https://shop.example/pay/evil",
    "http:evil.example/": "http://evil.example/",
    "HTTPS://EVIL.example:443": "https://evil.example/",
    "//evil.example:0443/": "https://evil.example/",
    "https://2130706433/": "https://127.0.0.1/",
    "https://[::1]:8/": "https://[::1]:8/",
    "https://%65vil.example/": "https://evil.example/",
    "https://\uff45vil\u3002example/": "https://evil.example/",
    "https://stra\u00dfe.example/": "https://xn--strae-oqa.example/",
    "a/%2e%2E/../../x": "https://shop.example/x",
    "?q": "https://shop.example/pay/checkout?q",
    "#x": "https://shop.example/pay/checkout",
    "data:,x": "data:,x",
    "https://a b/": None,
    "https://a:99999/": None,
    "https://1.2.3.4.5/": None,
}


@pytest.mark.parametrize("text", ADDRESSES)
def test_addresses_are_those_of_browsers(text: str) -> None:
    address = parse(text, parse("https://shop.example/pay/checkout"))
    assert (None if address is None else str(address)) == ADDRESSES[text]


@pytest.mark.parametrize(
    "host", ["localhost", "x.localhost", "127.0.0.1", "127.1", "0", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]", "LOCALHOST."]
)
def test_this_machine_is_recognised(host: str) -> None:
    address = parse(f"http://{host}:8080/x")
    assert address is not None and address.is_loopback


def test_mark_of_a_nonce_in_an_answer_is_no_nonce() -> None:
    for sent in ("'nonce-*'", "'NONCE-*'"):
        (text,), _left_out = shown(CSP, [f"script-src 'unsafe-inline' {sent}"], "shop.example")
        assert compare(CSP, [text], ["script-src 'unsafe-inline' 'nonce-*'"]) is not None
    (text,), _left_out = shown(CSP, ["script-src 'unsafe-inline' 'nonce-YWJj='"], "shop.example")
    assert compare(CSP, [text], ["script-src 'unsafe-inline' 'nonce-*'"]) is None
