# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re

import hypothesis
import pytest
from hypothesis import strategies as st

from ansible_collections.edgeops.observability.plugins.module_utils._errors import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.pattern import (
    normalize_url,
    parse_pattern,
    without_query,
)


def fits(pattern: str, url: str) -> bool:
    parsed = parse_pattern("url", pattern)
    normal = normalize_url(url)
    return parsed.matches(normal if parsed.has_query else without_query(normal))


@pytest.mark.parametrize(
    ("pattern", "url", "expected"),
    [
        ("https://a.example/x.js", "https://a.example/x.js", True),
        ("https://a.example/x.js", "https://a.example/x.js?v=1", True),
        ("https://a.example/x.js", "https://a.example/x.js#top", True),
        ("https://a.example/x.js?v=1", "https://a.example/x.js?v=1", True),
        ("https://a.example/x.js?v=1", "https://a.example/x.js?v=2", False),
        ("https://a.example/x.js?v=1", "https://a.example/x.js", False),
        ("https://A.Example/x.js", "https://a.example/x.js", True),
        ("https://a.example/X.js", "https://a.example/x.js", False),
        ("http://a.example/x.js", "https://a.example/x.js", False),
        ("https://a.example/v3/*", "https://a.example/v3/", True),
        ("https://a.example/v3/*", "https://a.example/v3/a.js", True),
        ("https://a.example/v3/*", "https://a.example/v3/a.js?x=/", True),
        ("https://a.example/v3/*", "https://a.example/v3/b/a.js", False),
        ("https://a.example/v3/**", "https://a.example/v3/b/a.js", True),
        ("https://a.example/**/a.js", "https://a.example/b/c/a.js", True),
        ("https://a.example/**/a.js", "https://a.example/a.js", False),
        ("https://*.a.example/x.js", "https://b.a.example/x.js", True),
        ("https://*.a.example/x.js", "https://evil.example/.a.example/x.js", False),
        ("https://a.example/*.js?v=*", "https://a.example/x.js?v=17", True),
        ("https://a.example/*.js?v=*", "https://a.example/x.js", False),
        ("https://a.example/*-*.js", "https://a.example/x-y-z.js", True),
        ("https://a.example/*-a*", "https://a.example/-a-a", True),
        ("https://a.example/a*a", "https://a.example/a", False),
        ("https://a.example/x.js", "data:text/javascript,1", False),
    ],
)
def test_what_a_pattern_matches(pattern: str, url: str, expected: bool) -> None:
    assert fits(pattern, url) is expected


def reference(pattern: str, url: str) -> bool:
    """The same by a regular expression, which may take very long."""
    parts = re.split(r"(\*+)", pattern)
    expression = "".join(
        re.escape(part) if place % 2 == 0 else "[^/]*" if part == "*" else ".*" for place, part in enumerate(parts)
    )
    return re.fullmatch(expression, url if "?" in pattern else url.partition("?")[0], re.DOTALL) is not None


@hypothesis.given(st.text("ab/*?", max_size=9), st.text("ab/?", max_size=12))
@hypothesis.settings(max_examples=1500)
def test_matching_is_that_of_the_expression(pattern: str, url: str) -> None:
    pattern, url = f"https://h/{pattern}", f"https://h/{url}"
    assert fits(pattern, url) is reference(pattern, url)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "stripe",
        "//a.example/x.js",
        "ftp://a.example/x.js",
        "https://",
        "https:///x.js",
        "https://a.example/x y",
        "*",
        "https://user@a.example/x.js",
        "https://a.example/x.js#a",
        "https://a.example\\b",
        "javascript:alert(1)",
        "https://?a",
    ],
)
def test_what_is_no_url_is_refused(text: str) -> None:
    with pytest.raises(Failure, match=r"^baseline\[2\]\.url: .* is not a URL: ") as caught:
        parse_pattern("baseline[2].url", text)
    assert caught.value.kind == "invalid_option"
