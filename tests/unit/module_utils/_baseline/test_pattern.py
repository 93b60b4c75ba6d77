# SPDX-License-Identifier: GPL-3.0-or-later

import re

import hypothesis
import pytest
from hypothesis import strategies as st
from support.refusals import refusal

from ansible_collections.edgeops.observability.plugins.module_utils._baseline.pattern import normalize_url, parse_pattern


def matches(pattern: str, url: str) -> bool:
    return parse_pattern("url", pattern).covers(normalize_url(url))


@pytest.mark.parametrize(
    ("pattern", "url", "expected"),
    [
        ("https://a.example/x.js", "https://a.example/x.js", True),
        ("https://a.example/x.js", "https://a.example/x.js?v=1", True),
        ("https://a.example/x.js", "https://a.example/x.js#top", True),
        ("https://A.Example/x.js", "https://a.example/x.js", True),
        ("https://a.example/X.js", "https://a.example/x.js", False),
        ("http://a.example/x.js", "https://a.example/x.js", False),
        ("https://*.a.example/x.js", "https://b.a.example/x.js", True),
        ("https://*.a.example/x.js", "https://evil.example/.a.example/x.js", False),
        ("https://*/x.js", "https://b.example/x.js", True),
        ("https://*/x.js", "https://b.example/c/x.js", False),
        ("https://**", "https://b.example:8443/c/x.js", True),
        ("https://**/x.js", "https://b.example/c/x.js", True),
        ("https://a.example:8443/*", "https://a.example:8443/x.js", True),
        ("https://[::1]:8443/*", "https://[::1]:8443/x.js", True),
        ("HTTPS://A.EXAMPLE/*", "Https://a.Example/x.js", True),
        ("https://a.example/x.js", "data:text/javascript,1", False),
    ],
)
def test_pattern_matches(pattern: str, url: str, expected: bool) -> None:
    """Examples beyond path and query, for which a test below compares random patterns with regular expressions."""
    assert matches(pattern, url) is expected


def reference(pattern: str, url: str) -> bool:
    """Match with a regular expression, which can be very slow; path and query are matched separately."""

    def fit(pattern: str, text: str) -> bool:
        parts = re.split(r"(\*+)", pattern)
        expression = "".join(
            re.escape(part) if place % 2 == 0 else "[^/]*" if part == "*" else ".*" for place, part in enumerate(parts)
        )
        return re.fullmatch(expression, text, re.DOTALL) is not None

    path, mark, query = pattern.partition("?")
    url_path, url_mark, url_query = url.partition("?")
    return fit(path, url_path) and (not mark or (mark == url_mark and fit(query, url_query)))


@hypothesis.given(st.text("ab/*?", max_size=9), st.text("ab/?", max_size=12))
@hypothesis.settings(max_examples=1500)
def test_match_agrees_with_regular_expression(pattern: str, url: str) -> None:
    pattern, url = f"https://h/{pattern}", f"https://h/{url}"
    assert matches(pattern, url) is reference(pattern, url)


PREFIX = "https://js.example.com/v3/"
OTHER_HOSTS = (
    *(f"https://js.example.com{more}@evil.example" for more in ("", ":443", "%2f", "\\")),
    *(f"https://evil.example{mark}.js.example.com" for mark in "\\?#/"),
    *("https://js.example.com.evil.example", "https://js.example.com:8443", "https://js.example.com:x"),
    *("http://js.example.com", "//js.example.com"),
)
OTHER_PATHS = (
    *("../evil.js", "a/../../evil.js", "..", "./x.js", "..;a/evil.js", "..?a", "..\\evil.js"),
    *("%2e%2e/evil.js", ".%2E/evil.js", "%252e%252e/evil.js", "..%2fevil.js", "a%2Fevil.js", "a%5c..%5cevil.js", "a%252fevil.js"),
    *(".\t./evil.js", "a\nb.js", "a\x00b.js", "a b.js\u202e"),
)
MISLEADING = [*(f"{host}/v3/x.js" for host in OTHER_HOSTS), *(PREFIX + path for path in OTHER_PATHS)]


@pytest.mark.parametrize(
    "pattern", [f"{PREFIX}**", f"{PREFIX}*", "https://*.js.example.com/v3/**", "https://*js.example.com/v3/*"]
)
def test_misleading_url_matches_no_pattern(pattern: str) -> None:
    """Browsers request these URLs from another host or path than they seem to name."""
    assert [url for url in MISLEADING if matches(pattern, url)] == []
    assert [url for url in MISLEADING if matches(pattern + "?**", url) or matches(pattern + "?**", f"{url}?v=1")] == []


@pytest.mark.parametrize("url", ["https://a.example/@scope%2fname/x.js", "https://a.example/b/../x.js"])
def test_exact_url_is_compared_as_written(url: str) -> None:
    assert matches(url, url)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        *(
            (f"https://js.example{end}", "has a star at the end of its host")
            for end in (".com*", ".com**", ".*/x.js", ".com:*/x.js")
        ),
        *(
            (f"https://js.example.com{rest}", "has stars together with a . or .. segment")
            for rest in ("/a/../*", "/%2E%2e/*", "/a%2f*", ":x/*", "/a\\*")
        ),
    ],
)
def test_misleading_pattern_is_refused(text: str, reason: str) -> None:
    kind, message = refusal(parse_pattern, "baseline[2].url", text)
    assert kind == "invalid_option" and message.startswith(f"baseline[2].url: {text!r} {reason}")


@pytest.mark.parametrize(
    "text",
    [
        *("", "*", "stripe", "//a.example/x.js", "ftp://a.example/x.js", "javascript:alert(1)"),
        *("https://", "https:///x.js", "https://?a", "https://user@a.example/x.js", "https://a.example\\b"),
        *("https://a.example/x y", "https://a.example/x.js#a", "https://a.example/\x1b[31m", "https://a.example/\u202ex"),
    ],
)
def test_invalid_url_is_refused(text: str) -> None:
    kind, message = refusal(parse_pattern, "baseline[2].url", text)
    assert kind == "invalid_option" and message.startswith("baseline[2].url: ") and " is not a URL: " in message
