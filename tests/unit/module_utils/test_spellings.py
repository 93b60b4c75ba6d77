# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import json
import re
import time
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.edgeops.observability.plugins.module_utils._redact import MASK, scrub
from ansible_collections.edgeops.observability.plugins.module_utils._spellings import Look, Plain, needles_of


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
    ],
)
def test_a_first_look(text: str, secret: str, may: bool) -> None:
    assert Look(text).may_show(next(needles_of(secret))) is may


def mixed(draw: st.DrawFn, text: str) -> str:
    """A text of which each character is written in a way of its own."""
    ways = [
        lambda one: one,
        lambda one: quote(one, safe=""),
        lambda one: quote(one, safe="").lower() if not one.isalnum() else one,
        lambda one: "".join(f"%{byte:02X}" for byte in one.encode()),
        lambda one: json.dumps(one)[1:-1],
        lambda one: "".join(f"\\u{int(unit, 16):04x}" for unit in re.findall("....", one.encode("utf-16-be").hex())),
        lambda one: one.replace(" ", "+").replace("/", "\\/"),
    ]
    # A bare percent sign among escapes is not a spelling of itself.
    return "".join(draw(st.sampled_from(ways))(one) if one != "%" else "%25" for one in text)


def _is_clear(text: str) -> bool:
    """Whether no backslash of a text could as well belong to what is around it."""
    return text == text.strip("\\")


@settings(max_examples=300)
@given(st.data())
def test_no_mixture_of_spellings_is_shown(data: st.DataObject) -> None:
    secret = data.draw(
        st.text('abXY19 /+%&="\\\n\u00e9\U0001f600', min_size=4, max_size=20).filter(_is_clear),
        label="secret",
    )
    around = st.text("zw. ", max_size=4)
    before, after = data.draw(around), data.draw(around)
    spelled = data.draw(st.composite(mixed)(secret), label="spelling")
    assert scrub([f"{before}({spelled}){after}"], [secret]) == [f"{before}({MASK}){after}"]


@settings(max_examples=200)
@given(st.text("abXY19/+?~\u00e9", min_size=6, max_size=30), st.binary(max_size=7), st.binary(max_size=7))
def test_base64_of_a_longer_text_is_masked(secret: str, before: bytes, after: bytes) -> None:
    """A whole destination in Base64 holds each of its secrets at any place of a group of four characters."""
    raw = secret.encode()
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        text = encode(before + raw + after).decode()
        masked = scrub(f"({text})", [secret])
        assert masked.startswith("(") and masked.endswith(")") and masked.count(MASK) == 1
        assert len(masked) - len(MASK) <= len(text) + 2 - len(raw) * 4 // 3
        assert scrub({"a": text.replace("/", "\\/")}, [secret]) != {"a": text.replace("/", "\\/")}


@pytest.mark.parametrize("text", ["%" * 3000, "\\" * 3000, "%25" * 3000, "a" * 3000, "\\u00" * 3000])
@pytest.mark.parametrize("secret", ["a" * 60, "\\" * 60, "%25" * 20, "\\%a" * 20])
def test_a_search_takes_no_time_for_hostile_texts(text: str, secret: str) -> None:
    began = time.process_time()
    scrub([text + "!", secret], [secret + "?"])
    assert time.process_time() - began < 2
