# SPDX-License-Identifier: GPL-3.0-or-later

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.edgeops.observability.plugins.module_utils._policy.matching import (
    Resource,
    covers,
    governs,
    is_allowed,
    source_of,
)
from ansible_collections.edgeops.observability.plugins.module_utils._policy.parse import read_policy

PAGE = "https://shop.example/pay"
# Policy, directive in the browser's report, resource, whether it is allowed.
MATCHES = [
    ("script-src https://cdn.example/a.js", "script-src", "https://cdn.example/a.js?v=1", True),
    ("script-src https://cdn.example/a.js", "script-src", "https://cdn.example/a.js/b", False),
    ("script-src https://cdn.example/lib/", "script-src", "https://cdn.example/lib/x/a.js", True),
    ("script-src https://cdn.example/lib", "script-src", "https://cdn.example/lib/a.js", False),
    ("script-src https://cdn.example/%61.js", "script-src", "https://cdn.example/a.js", True),
    ("script-src https://cdn.example/A.js", "script-src", "https://cdn.example/a.js", False),
    ("script-src cdn.example", "script-src", "https://CDN.example/a.js", True),
    ("script-src cdn.example", "script-src", "http://cdn.example/a.js", False),
    ("script-src cdn.example", "script-src", "https://a.cdn.example/a.js", False),
    ("script-src *.cdn.example", "script-src", "https://b.a.cdn.example/a.js", True),
    ("script-src *.cdn.example", "script-src", "https://cdn.example/a.js", False),
    ("script-src *.cdn.example", "script-src", "https://evilcdn.example/a.js", False),
    ("script-src http://cdn.example", "script-src", "https://cdn.example/a.js", True),
    ("script-src https://cdn.example", "script-src", "http://cdn.example/a.js", False),
    ("script-src cdn.example:8443", "script-src", "https://cdn.example:8443/a.js", True),
    ("script-src cdn.example:8443", "script-src", "https://cdn.example/a.js", False),
    ("script-src cdn.example", "script-src", "https://cdn.example:8443/a.js", False),
    ("script-src http://cdn.example:80", "script-src", "https://cdn.example/a.js", True),
    ("script-src *", "script-src", "https://any.example/", True),
    ("script-src *", "script-src", "data:text/javascript,1", False),
    ("script-src *", "script-src", "blob", False),
    ("script-src data:", "script-src", "data", True),
    ("script-src https:", "script-src", "https://any.example/", True),
    ("script-src https:", "script-src", "http://any.example/", False),
    ("connect-src ws:", "connect-src", "wss://any.example/", True),
    ("connect-src 'self'", "connect-src", "wss://shop.example/live", True),
    ("connect-src shop.example", "connect-src", "wss://shop.example/live", False),
    ("connect-src *.shop.example", "connect-src", "wss://push.shop.example/live", False),
    ("default-src shop.example", "connect-src", "wss://shop.example/live", False),
    ("script-src http://a.example:8080", "script-src", "https://a.example:8080/a.js", False),
    ("script-src http://a.example:8080", "script-src", "http://a.example:8080/a.js", True),
    ("script-src http://a.example:80", "script-src", "https://a.example/a.js", True),
    # Reports of frames name the page, and not who embeds it.
    ("frame-ancestors 'self'", "frame-ancestors", PAGE, False),
    ("frame-ancestors https://shop.example", "frame-ancestors", PAGE, False),
    ("frame-ancestors *", "frame-ancestors", PAGE, True),
    ("script-src 'none'", "frame-ancestors", PAGE, True),
    ("script-src 'self'", "script-src", "https://shop.example/own.js", True),
    ("script-src 'self'", "script-src", "http://shop.example/own.js", False),
    ("script-src 'self'", "script-src", "https://shop.example:8443/own.js", False),
    ("script-src 'self'", "script-src", "https://www.shop.example/own.js", False),
    ("script-src 'none'", "script-src", "https://shop.example/own.js", False),
    ("script-src 'self'", "script-src", "inline", False),
    ("script-src 'unsafe-inline'", "script-src", "inline", True),
    ("script-src 'unsafe-inline' 'sha256-abc='", "script-src", "inline", False),
    ("script-src 'unsafe-inline' 'strict-dynamic'", "script-src-elem", "inline", False),
    ("script-src 'strict-dynamic' 'self' https: *.example https://cdn.example", "script-src", "https://cdn.example/a.js", False),
    ("script-src 'strict-dynamic' 'unsafe-eval'", "script-src", "eval", True),
    ("default-src 'strict-dynamic' https:", "script-src-elem", "https://cdn.example/a.js", False),
    ("default-src 'strict-dynamic' https:", "img-src", "https://cdn.example/a.png", True),
    # A source with port 80 allows 443 of the secure scheme only, and only where its own scheme is the other one.
    ("script-src cdn.example:80", "script-src", "https://cdn.example/a.js", False),
    ("script-src https://cdn.example:80", "script-src", "https://cdn.example/a.js", False),
    ("script-src http://cdn.example:80", "script-src", "http://cdn.example:443/a.js", False),
    ("script-src 'unsafe-eval'", "script-src", "eval", True),
    ("script-src 'unsafe-eval'", "script-src", "wasm-eval", True),
    ("script-src 'unsafe-inline'", "script-src", "eval", False),
    # Fallbacks to other directives.
    ("script-src cdn.example", "script-src-elem", "https://cdn.example/a.js", True),
    ("default-src 'self'", "script-src-elem", "https://cdn.example/a.js", False),
    ("default-src 'self'; script-src *", "worker-src", "https://cdn.example/a.js", True),
    ("default-src *; child-src 'self'", "frame-src", "https://cdn.example/", False),
    ("default-src 'none'", "form-action", "https://cdn.example/", True),
    ("script-src 'none'", "img-src", "https://cdn.example/a.png", True),
    ("script-src 'none'; script-src-elem cdn.example", "script-src-elem", "https://cdn.example/a.js", True),
    ("script-src cdn.example", "script-src", "", False),
    ("script-src cdn.example", "script-src", "https://[broken", False),
]


@pytest.mark.parametrize(("text", "directive", "url", "allowed"), MATCHES)
def test_policy_allows_matching_resources(text: str, directive: str, url: str, allowed: bool) -> None:
    policy = read_policy(text)
    assert policy is not None
    assert is_allowed(policy, Resource(directive, url, "shop.example", PAGE)) is allowed


def test_host_is_compared_without_a_page() -> None:
    policy = read_policy("script-src 'self'")
    assert policy is not None and is_allowed(policy, Resource("script-src", "https://shop.example/a.js", "shop.example"))


@pytest.mark.parametrize(
    ("text", "directive", "governing"),
    [
        ("default-src *", "script-src-elem", "default-src"),
        ("script-src *; default-src *", "script-src-attr", "script-src"),
        ("img-src *", "script-src", "script-src"),
    ],
)
def test_directive_or_its_fallback_governs(text: str, directive: str, governing: str) -> None:
    policy = read_policy(text)
    assert policy is not None and governs(policy, directive) == governing


@pytest.mark.parametrize(
    ("url", "source"),
    [
        ("https://CDN.example/a.js?token=1#x", "https://cdn.example/a.js"),
        ("https://cdn.example:443/a;b,c*.js", "https://cdn.example/a%3Bb%2Cc%2A.js"),
        ("https://cdn.example:8443", "https://cdn.example:8443"),
        ("inline", "'unsafe-inline'"),
        ("EVAL", "'unsafe-eval'"),
        ("data", "data:"),
        ("blob:https://x/1", "blob:"),
        ("\x1b[31m", " [31m"),
        ("", "empty"),
    ],
)
def test_resource_becomes_a_source(url: str, source: str) -> None:
    assert source_of(url) == source


@given(st.sampled_from([row[2] for row in MATCHES if "://" in row[2] and "[" not in row[2]]))
def test_source_for_a_resource_allows_it(url: str) -> None:
    policy = read_policy(f"script-src {source_of(url)}")
    assert policy is not None and is_allowed(policy, Resource("script-src", url, "shop.example", PAGE))


COVERS = [
    ("*", "cdn.example", True), ("*", "https:", True), ("*", "data:", False), ("*", "'self'", True), ("*", "'unsafe-inline'", False),
    ("https:", "https://cdn.example", True), ("https:", "http://cdn.example", False), ("https:", "'self'", False), ("https:", "cdn.example", False),
    ("*.example", "cdn.example", True), ("*.example", "*.cdn.example", True), ("*.cdn.example", "*.example", False),
    ("cdn.example", "https://cdn.example/a.js", True),
    ("cdn.example", "http://cdn.example", False), ("http://cdn.example", "https://cdn.example", True), ("https://cdn.example", "cdn.example", False),
    ("cdn.example/lib/", "cdn.example/lib/a.js", True), ("cdn.example/lib", "cdn.example/lib/a.js", False), ("cdn.example:8443", "cdn.example", False),
    ("'self'", "shop.example", False), ("shop.example", "'self'", False), ("http:", "https:", True), ("https:", "http:", False),
]  # fmt: skip


@pytest.mark.parametrize(("broad", "narrow", "expected"), COVERS)
def test_source_covers_narrower_sources(broad: str, narrow: str, expected: bool) -> None:
    assert covers(broad, narrow) is expected and covers(narrow, narrow)
