# SPDX-License-Identifier: GPL-3.0-or-later

import base64
import html
import json
import time
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.edgeops.observability.plugins.module_utils import _redact
from ansible_collections.edgeops.observability.plugins.module_utils._redact import MASK, scrub

# Few characters, so that secrets often occur in texts, and some that JSON can write in several ways.
TEXTS = st.sampled_from('ab1.-"\\/\n\x7f\u00e9\ud83d\ude00\U0001f600')
JSON = st.recursive(
    st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(TEXTS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(TEXTS), inner, max_size=3),
)
SECRET = 'p@ss/w+r d"é'
# Cases that `test_redact_properties.py` does not mix.
SPELLINGS = {
    "as it is": SECRET,
    "as form data": quote_plus(SECRET),
    "in JSON with umlauts": json.dumps(SECRET, ensure_ascii=False)[1:-1],
    "in JSON in JSON": json.dumps(json.dumps(SECRET))[3:-3],
    "percent-encoded twice": quote(quote(SECRET, safe=""), safe=""),
    "in code": repr(SECRET)[1:-1],
    "in code, byte by byte": "".join(f"\\x{ord(character):02x}" for character in SECRET),
    "in HTML": html.escape(SECRET),
    "in HTML, by number": "".join(f"&#{ord(character)};" if not character.isalnum() else character for character in SECRET),
    "in HTML, by hexadecimal number": "".join(f"&#x{ord(c):X};" if not c.isalnum() else c for c in SECRET),
    "in capitals": SECRET.upper(),
    "without capitals": SECRET.lower(),
    "in hexadecimal digits": SECRET.encode().hex(),
    "in hexadecimal capitals": SECRET.encode().hex().upper(),
    "in base64": base64.b64encode(SECRET.encode()).decode(),
    "in base64 for URLs": base64.urlsafe_b64encode(SECRET.encode()).decode().rstrip("="),
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
        ("abcdefghi", ["abcdef", "cdefghi"], MASK),
        ("job1 is 1 of 11", ["1"], f"job1 is {MASK} of 11"),
        ("********", ["********"], "********"),
        ("a text", ["", "other"], "a text"),
        ((1, None, True, 2.5), ["1"], [1, None, True, 2.5]),
        ("x \ud800secret", ["\ud800secret"], f"x {MASK}"),
        ({"eightlet": 1, "sevenle": "sevenle"}, ["eightlet", "sevenle"], {MASK: 1, "sevenle": MASK}),
        ({"settings sevenle": 1}, ["sevenle"], {"settings sevenle": 1}),
        ({"ab12 planted-secret": 1}, ["ab12", "planted-secret"], {f"ab12 {MASK}": 1}),
        ("oneonetwotwo", ["oneone", "twotwo"], MASK * 2),
        ("key it\\'s\\x7fhere", ["it's\x7fhere\""], "key it\\'s\\x7fhere"),
        ("key it\\'s\\x7f\"here", ["it's\x7f\"here"], f"key {MASK}"),
        ("key YWJjZA==", ["abcd"], f"key {MASK}=="),
        ("key c2VjcmVX.", ["secreW"], f"key {MASK}."),
    ],
)
def test_secrets_are_masked_in_any_value(value, secrets, expected):
    assert scrub(value, secrets) == expected


@pytest.mark.parametrize("secrets", [[], ["planted-secret"]])
def test_no_match_returns_the_same_object(secrets):
    value = {"a": ["planted-secre", 1, None], "b": {"c": 'lanted-secret and pl"anted'}}
    assert scrub(value, secrets) is value
    assert _redact.text_without(value, secrets) == json.dumps(value)


@pytest.mark.parametrize("odd", [object(), float("nan"), {1, 2}])
def test_other_values_than_json_are_not_cleared(odd):
    value = {"a": odd, "b": "a planted%2Dsecret"}
    assert _redact.text_without(value, ["other"]) is None
    assert scrub(value, ["planted-secret"]) == {"a": odd, "b": f"a {MASK}"}


@given(JSON, st.lists(st.text(TEXTS, min_size=1, max_size=3), max_size=3))
def test_quick_search_misses_no_secret(value, secrets):
    text = _redact.text_without(value, secrets)
    assert text is None or not any(secret in member for member in _texts(value) for secret in secrets)
    # Compared as text, because two surrogates are parsed as one character.
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
def test_any_text_is_masked(secret, before, after):
    if secret.strip("*") and secret not in MASK:
        assert secret not in scrub(before + secret + after, [secret]).replace(MASK, "\0")


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("plain, text: (\u00e9) \u6c34", "plain, text: (\u00e9) \u6c34"),
        ("one\ntwo\r\nthree\u2028four\x85", "one two  three four "),
        ("a\x9b31mb\u202egnp\u200b", "a 31mb gnp "),
    ],
)
def test_texts_of_the_service_are_one_line(text, clean):
    assert _redact.clean_text(text) == clean


@pytest.mark.parametrize(
    ("text", "content", "places"),
    [
        ("a+b", "a b", [(0, 1), (1, 2), (2, 3)]),
        ("%25252fx", "/x", [(0, 7), (7, 8)]),
        ("%2", "%2", [(0, 1), (1, 2)]),
        ("a\\\\u0041z", "aAz", [(0, 1), (1, 8), (8, 9)]),
        ("\\ud83d\\ude00", "\xf0\x9f\x98\x80", [(0, 12)] * 4),
        ("\\U0001f600", "\xf0\x9f\x98\x80", [(0, 10)] * 4),
        ("&amp;&#39;&lt;", "&'<", [(0, 5), (5, 10), (10, 14)]),
        ('\\"\\/', '"/', [(1, 2), (3, 4)]),
        ("%5c\\x5Cq", "q", [(7, 8)]),
        ("\ud800", "\xed\xa0\x80", [(0, 1)] * 3),
        ("a\\n\n", "ann", [(0, 1), (2, 3), (3, 4)]),
    ],
)
def test_escapes_are_decoded(text, content, places):
    plain = _redact.Plain.of(text)
    assert (plain.content, [*zip(plain.starts, plain.ends, strict=True)]) == (content, places)


def test_base64_is_searched_at_each_offset():
    assert {needle.text for needle in _redact.needles_of("abc")} == {"abc"}
    needles = {"??>>~~", "3f3f3e3e7e7e", "3F3F3E3E7E7E", "Pz8+Pn5+", "Pz8-Pn5-", "8/Pj5+f", "8_Pj5-f", "/Pz4+fn", "_Pz4-fn"}
    assert {needle.text for needle in _redact.needles_of("??>>~~")} == needles


@pytest.mark.parametrize(
    ("text", "secret", "may"),
    [
        ("an edge-token is here", "edge-token", True),
        ("an edge is here", "edge-token", False),
        ("%65dge, %74oken", "edge-token", True),
        ("anything", "-/-/-", True),
        ("zz only", "zz-edgetoken", False),
    ],
)
def test_quick_search_finds_only_possible_secrets(text, secret, may):
    assert bool(_redact.possible([_redact.Needle(secret)], text)) is may


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
        # `abcdef` at each offset in a group of Base64, with the following characters.
        ("-YWJjZGVm-", "abcdef", f"-{MASK}-"),
        ("-eGFiY2RlZnk-", "abcdef", f"-e{MASK}k-"),
        ("-eHhhYmNkZWY-", "abcdef", f"-eH{MASK}-"),
    ],
)
def test_secret_is_masked_by_its_surroundings(text, secret, masked):
    assert scrub(text, [secret]) == masked


KEY = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYzExampleKey"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (KEY[:22] + "...", MASK + "..."),
        ("x" + KEY[1:], "x" + MASK),
        (f"({KEY[5:28]}) and ({KEY[12:36]})", f"({MASK}) and ({MASK})"),
        (quote(KEY[:25], safe="") + "%20", MASK + "%20"),
        # Too little of it, and parts that do not follow each other.
        (KEY[:20], KEY[:20]),
        (KEY[:16] + KEY[:16], KEY[:16] + KEY[:16]),
    ],
)
def test_larger_part_of_a_secret_is_masked(text, shown):
    assert scrub({"msg": text}, [KEY]) == {"msg": shown}


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("https://hooks.example.com/services", "https://hooks.example.com/services/T00/B00"),
        ("fifteencharacte", "fifteencharacter"),
        ("cannot be read as a whole", "cannot be read as a whole, ever"),
    ],
)
def test_part_that_is_no_secret_is_shown(text, secret):
    assert scrub(text, [secret]) == text


@pytest.mark.parametrize("text", ["\\" * 3000, "%25" * 3000, "a" * 3000, "\\u00" * 3000])
@pytest.mark.parametrize("secret", ["a" * 60, "%25" * 20, "\\%a" * 20])
def test_hostile_texts_are_searched_in_seconds(text, secret):
    began = time.process_time()
    scrub([text + "!", secret], [secret + "?"])
    assert time.process_time() - began < 2
