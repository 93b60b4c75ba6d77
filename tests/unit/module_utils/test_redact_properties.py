# SPDX-License-Identifier: GPL-3.0-or-later

"""Secrets in any mixture of spellings, and in Base64 of a longer text."""

import base64
import json
import re
from urllib.parse import quote

from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.edgeops.observability.plugins.module_utils._redact import MASK, scrub


def mixed(draw: st.DrawFn, text: str) -> str:
    """Return a text in which each character is encoded independently."""
    ways = [
        lambda one: one,
        lambda one: quote(one, safe=""),
        lambda one: quote(one, safe="").lower() if not one.isalnum() else one,
        lambda one: "".join(f"%{byte:02X}" for byte in one.encode()),
        lambda one: json.dumps(one)[1:-1],
        lambda one: "".join(f"\\u{int(unit, 16):04x}" for unit in re.findall("....", one.encode("utf-16-be").hex())),
        lambda one: one.replace(" ", "+").replace("/", "\\/"),
    ]
    # A percent sign must be encoded, because it would be read as the start of an escape.
    return "".join(draw(st.sampled_from(ways))(one) if one != "%" else "%25" for one in text)


def _is_clear(text: str) -> bool:
    """Return whether no backslash at an end of the text could belong to the text around it."""
    return text == text.strip("\\")


@settings(max_examples=300)
@given(st.data())
def test_no_mixture_of_spellings_is_shown(data):
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
def test_base64_of_a_longer_text_is_masked(secret, before, after):
    """The Base64 of a destination can contain a secret at any offset in a group of four characters."""
    raw = secret.encode()
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        text = encode(before + raw + after).decode()
        masked = scrub(f"({text})", [secret])
        assert masked.startswith("(") and masked.endswith(")") and masked.count(MASK) == 1
        assert len(masked) - len(MASK) <= len(text) + 2 - len(raw) * 4 // 3
        assert scrub({"a": text.replace("/", "\\/")}, [secret]) != {"a": text.replace("/", "\\/")}
