# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import html
import json
import time
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.edgeops.observability.plugins.module_utils._redact import (
    MASK,
    Needle,
    Plain,
    clean_text,
    needles_of,
    possible,
    scrub,
    text_without,
)

# Few characters, so that a secret often is in a text, and some that JSON writes in more than one way.
TEXTS = st.sampled_from('ab1.-"\\/\n\x7f\u00e9\ud83d\ude00\U0001f600')
JSON = st.recursive(
    st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(TEXTS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(TEXTS), inner, max_size=3),
)
SECRET = 'p@ss/w+r d"é'
SPELLINGS = {
    "as it is": SECRET,
    "percent-encoded": quote(SECRET, safe=""),
    "percent-encoded but for slashes": quote(SECRET),
    "in lower case": quote(SECRET, safe="").replace("%2F", "%2f").replace("%2B", "%2b").replace("%C3%A9", "%c3%a9"),
    "as form data": quote_plus(SECRET),
    "in JSON": json.dumps(SECRET)[1:-1],
    "in JSON with umlauts": json.dumps(SECRET, ensure_ascii=False)[1:-1],
    "in JSON with escaped slashes": json.dumps(SECRET)[1:-1].replace("/", "\\/"),
    "in code": repr(SECRET)[1:-1],
    "in base64": base64.b64encode(SECRET.encode()).decode(),
    "in base64 for URLs": base64.urlsafe_b64encode(SECRET.encode()).decode().rstrip("="),
    "percent-encoded in mixed case": quote(SECRET, safe="").replace("%2F", "%2f").replace("%A9", "%a9"),
    "percent-encoded twice": quote(quote(SECRET, safe=""), safe=""),
    "percent-encoded in part": SECRET.replace("/", "%2F").replace(" ", "+"),
    "percent-encoded in full": "".join(f"%{byte:02x}" for byte in SECRET.encode()),
    "in JSON in JSON": json.dumps(json.dumps(SECRET))[3:-3],
    "in JSON with every character escaped": "".join(f"\\u{ord(character):04X}" for character in SECRET),
    "in HTML": html.escape(SECRET),
    "in code, byte by byte": "".join(f"\\x{ord(character):02x}" for character in SECRET),
}


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS.keys())
@pytest.mark.parametrize("known", [SECRET, quote(SECRET, safe=""), quote_plus(SECRET)], ids=["plain", "encoded", "form"])
def test_every_usual_spelling_is_masked(spelling, known):
    masked = scrub({"msg": f"before {spelling} after", "list": [[spelling]]}, [known])
    assert masked["msg"].startswith(f"before {MASK}")
    assert spelling not in json.dumps(masked, ensure_ascii=False)


@pytest.mark.parametrize(
    ("value", "secrets", "expected"),
    [
        ({"a": "planted-secret", "planted-secret": 1}, ["planted-secret"], {"a": MASK, MASK: 1}),
        ({"name": "name"}, ["name"], {"name": MASK}),
        ("abcdefghi", ["abcdef", "cdefghi"], MASK),
        ("xabcdefghix", ["abcdef", "abcdefghi"], f"x{MASK}x"),
        ("job1 is 1 of 11", ["1"], f"job1 is {MASK} of 11"),
        ("********", ["********"], "********"),
        ("a text", ["", "other"], "a text"),
        ((1, None, True, 2.5), ["1"], [1, None, True, 2.5]),
        ("x \ud800secret", ["\ud800secret"], f"x {MASK}"),
        ("one planted-secret two planted-secret three", ["planted-secret"], f"one {MASK} two {MASK} three"),
        ({"eightlet": 1, "sevenle": "sevenle"}, ["eightlet", "sevenle"], {MASK: 1, "sevenle": MASK}),
        ({"ab12 planted-secret": 1}, ["ab12", "planted-secret"], {f"ab12 {MASK}": 1}),
        ({"planted-secret ab12": 1}, ["ab12", "planted-secret"], {f"{MASK} ab12": 1}),
        ("oneonetwotwo", ["oneone", "twotwo"], MASK * 2),
        ("hidden so far: ***", ["***"], "hidden so far: ***"),
        ("key XXXX", ["XXXX"], f"key {MASK}"),
        ("key it\\'s\\x7fhere", ["it's\x7fhere\""], "key it\\'s\\x7fhere"),
        ("key it\\'s\\x7f\"here", ["it's\x7f\"here"], f"key {MASK}"),
        ("key YWJjZA==", ["abcd"], f"key {MASK}=="),
        ("key c2VjcmVX.", ["secreW"], f"key {MASK}."),
    ],
)
def test_what_is_masked_and_what_stays(value, secrets, expected):
    assert scrub(value, secrets) == expected


def test_no_secrets_return_the_same_object():
    """Without secrets the very same value is returned."""
    value = {"a": [1]}
    assert scrub(value, []) is value


def test_no_match_returns_the_same_object():
    """Where nothing is to be masked, the very same value is returned."""
    value = {"a": ["planted", 1, None], "b": {"c": 'pl"anted'}}
    assert scrub(value, ["planted-secret"]) is value


def test_a_part_of_a_secret_is_no_secret():
    value = ["planted-secre", "lanted-secret"]
    assert scrub(value, ["planted-secret"]) is value
    assert text_without(value, ["planted-secret"]) == json.dumps(value)


class Odd:
    """More than JSON can say."""


LOOP: list[object] = []
LOOP.append(LOOP)


@pytest.mark.parametrize("value", [{"a": Odd()}, {"a": float("nan")}, {"a": {1, 2}}, LOOP])
def test_non_json_value_is_not_cleared(value):
    """What is no JSON is not called free of secrets."""
    assert text_without(value, ["planted-secret"]) is None


def test_a_secret_beside_what_is_no_json_is_masked():
    odd = Odd()
    assert scrub({"a": odd, "b": "a planted%2Dsecret"}, ["planted-secret"]) == {"a": odd, "b": f"a {MASK}"}


@given(JSON, st.lists(st.text(TEXTS, min_size=1, max_size=3), max_size=3))
def test_a_look_at_the_whole_misses_no_secret(value, secrets):
    text = text_without(value, secrets)
    assert text is None or not any(secret in member for member in _texts(value) for secret in secrets)
    # As texts, because two halves of one character are read as that character.
    assert text is None or json.dumps(json.loads(text)) == json.dumps(value)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name, member in value.items():
            yield from (name, *_texts(member))
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    else:
        yield value if isinstance(value, str) else str(value)


@given(st.text(min_size=4), st.text(), st.text())
def test_no_text_keeps_a_secret(secret, before, after):
    if secret.strip("*") and secret not in MASK:
        masked = scrub(before + secret + after, [secret])
        assert secret not in masked.replace(MASK, "\0")
        assert scrub(masked, [secret]).count(MASK) >= 1


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("plain, text: (\u00e9) \u6c34", "plain, text: (\u00e9) \u6c34"),
        ("a\x1b[2Jb", "a [2Jb"),
        ("one\ntwo\r\nthree\u2028four\x85", "one two  three four "),
        ("a\x9b31mb\u202egnp\u200b", "a 31mb gnp "),
        ("half \ud83d", "half  "),
    ],
)
def test_texts_of_the_service_are_one_line(text, clean):
    assert clean_text(text) == clean


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
def test_escapes_are_decoded(text, content, places):
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
def test_what_is_looked_for(secret, shown):
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
def test_a_first_look(text, secret, may):
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
def test_where_a_secret_is(text, secret, masked):
    assert scrub(text, [secret]) == masked


@pytest.mark.parametrize("text", ["%" * 3000, "\\" * 3000, "%25" * 3000, "a" * 3000, "\\u00" * 3000])
@pytest.mark.parametrize("secret", ["a" * 60, "\\" * 60, "%25" * 20, "\\%a" * 20])
def test_a_search_takes_no_time_for_hostile_texts(text, secret):
    began = time.process_time()
    scrub([text + "!", secret], [secret + "?"])
    assert time.process_time() - began < 2
