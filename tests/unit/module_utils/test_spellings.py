# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import time

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._redact import (
    MASK,
    Needle,
    Plain,
    needles_of,
    possible,
    scrub,
)


@pytest.mark.parametrize(
    ("text", "content", "places"),
    [
        ("a+b", "a b", [(0, 1), (1, 2), (2, 3)]),
        ("%2Fx", "/x", [(0, 3), (3, 4)]),
        ("%25252fx", "/x", [(0, 7), (7, 8)]),
        ("%2", "%2", [(0, 1), (1, 2)]),
        ("a\\\\u0041z", "aAz", [(0, 1), (1, 8), (8, 9)]),
        ("\\ud83d\\ude00", "\xf0\x9f\x98\x80", [(0, 12)] * 4),
        ("\\U0001f600", "\xf0\x9f\x98\x80", [(0, 10)] * 4),
        ("\\xe9", "\xc3\xa9", [(0, 4)] * 2),
        ("\u00e9", "\xc3\xa9", [(0, 1)] * 2),
        ("%C3%A9", "\xc3\xa9", [(0, 3), (3, 6)]),
        ("&amp;&#39;&lt;", "&'<", [(0, 5), (5, 10), (10, 14)]),
        ('\\"\\/', '"/', [(1, 2), (3, 4)]),
        ("%5c\\x5Cq", "q", [(7, 8)]),
        ("a\\\\b", "ab", [(0, 1), (3, 4)]),
        ("\ud800", "\xed\xa0\x80", [(0, 1)] * 3),
        ("a\\n\n", "ann", [(0, 1), (2, 3), (3, 4)]),
    ],
)
def test_escapes_are_decoded(text: str, content: str, places: list[tuple[int, int]]) -> None:
    plain = Plain.of(text)
    assert (plain.content, [*zip(plain.starts, plain.ends, strict=True)]) == (content, places)


@pytest.mark.parametrize(
    ("secret", "shown"),
    [
        ("abc", {"abc"}),
        ("abcd", {"abcd", "YWJjZ"}),
        ("\ud800b", {"\ud800b", "7aCAY"}),
        ("abcdef", {"abcdef", "YWJjZGVm", "FiY2RlZ", "hYmNkZW"}),
        ("??>>~~", {"??>>~~", "Pz8+Pn5+", "Pz8-Pn5-", "8/Pj5+f", "8_Pj5-f", "/Pz4+fn", "_Pz4-fn"}),
    ],
)
def test_what_is_looked_for(secret: str, shown: set[str]) -> None:
    assert {needle.text for needle in needles_of(secret)} == shown


@pytest.mark.parametrize(
    ("text", "secret", "may"),
    [
        ("an edge-token is here", "edge-token", True),
        ("a token is here", "edge-token", True),
        ("an edge is here", "edge-token", False),
        ("%65dge, %74oken", "edge-token", True),
        ("%2f, nothing else", "edge-token", False),
        ("anything", "-/-/-", True),
        ("zz only", "zz-edgetoken", False),
    ],
)
def test_a_first_look(text: str, secret: str, may: bool) -> None:
    assert bool(possible([Needle(secret)], text)) is may


@pytest.mark.parametrize(
    ("text", "secret", "masked"),
    [
        ('say \\"abc\\" now', '"abc"', f"say {MASK} now"),
        ("x%5Cabcd%5cx", "abcd", f"x%5C{MASK}%5cx"),
        ("a1b %31 1", "1", f"a1b {MASK} {MASK}"),
        ("a%31b", "1", "a%31b"),
        ("%C3%A9t\\u00e9 \u00e9t\u00e9", "\u00e9t\u00e9", f"{MASK} {MASK}"),
        ("1a- 1-", "1", f"1a- {MASK}-"),
        ("ab%5Cu0041", "ab\\u0041", MASK),
        ("abc", "\\" * 4, "abc"),
        ("-eGFiY2RlZmd5-", "abcdefg", f"-e{MASK}5-"),
        ("aaaa", "aaa", "aaaa"),
        ("aaaaa", "aaaa", MASK),
        # `abcdef` at each place of a group, with what follows it.
        ("-YWJjZGVm-", "abcdef", f"-{MASK}-"),
        ("-eGFiY2RlZnk-", "abcdef", f"-e{MASK}k-"),
        ("-eHhhYmNkZWY-", "abcdef", f"-eH{MASK}-"),
    ],
)
def test_where_a_secret_is(text: str, secret: str, masked: str) -> None:
    assert scrub(text, [secret]) == masked


@pytest.mark.parametrize("text", ["%" * 3000, "\\" * 3000, "%25" * 3000, "a" * 3000, "\\u00" * 3000])
@pytest.mark.parametrize("secret", ["a" * 60, "\\" * 60, "%25" * 20, "\\%a" * 20])
def test_a_search_takes_no_time_for_hostile_texts(text: str, secret: str) -> None:
    began = time.process_time()
    scrub([text + "!", secret], [secret + "?"])
    assert time.process_time() - began < 2
