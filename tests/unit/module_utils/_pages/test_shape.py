# SPDX-License-Identifier: GPL-3.0-or-later

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._pages.shape import shape_of

SAME = {
    "texts": ("a = 'x' + 1", 'a = "yz" + 22'),
    "numbers": ("x(0x1F, 1e5, .5, 1_000n)", "x(1, 2, 3, 4)"),
    "escapes": (r"f('a\'b\n')", "f('')"),
    "template text": ("`a${b}c`", "`other${b}text`"),
    "nested templates": ("`a${`b${c}`}d`", "`x${`y${c}`}z`"),
    "comments": ("a /* one */ b // two", "a  b "),
    "comment over lines": ("a /* x\n y */ b", "a \n b"),
    "blanks": ("a\t\u00a0 b", "a b"),
    "paths of one host": ("l='https://a.example/x?1'", "l='https://a.example/y#2'"),
    "paths without a scheme": ("l='//a.example/x'", 'l="//a.example/y"'),
    "after a name": ("a/b/c + '1'", "a/b/c + '2'"),
}
DIFFERENT = {
    "names": ("a.b('x')", "a.c('x')"),
    "operators": ("a + 1", "a - 1"),
    "ends of lines": ("return 'x'", "return\n'x'"),
    "line separator in a comment": ("// a \u2028 evil()", "// a evil()"),
    "code in a template": ("`${a}`", "`${b}`"),
    "host": ("l='https://a.example/'", "l='https://evil.example/'"),
    "host in escapes": (r"l='\x68ttps:\/\/evil.example/'", "l='https://a.example/'"),
    "host with backslashes": (r"l='\\\\evil.example/x'", r"l='\\\\a.example/x'"),
    "host after blanks": (r"l=' \thttps://evil.example/'", "l=' https://a.example/'"),
    "host behind user": ("l='https://a.example@evil.example/'", "l='https://a.example/'"),
    "host over lines": ("l='ht\\\ntps://evil.example'", "l='x'"),
    "host without slashes": ("l='https:evil.example/x'", "l='https:a.example/x'"),
    "scheme": ("l='data:text/javascript,x()'", "l='data:text/javascript,y()'"),
    "code in an address": ("l='javascript:x()'", "l='javascript:y()'"),
    "host in a template": ("`https://evil.example/${x}`", "`https://a.example/${x}`"),
    "regular expression": ("x = /a'b/", "x = /a'c/"),
    "text or number": ("a = 'x'", "a = 1"),
}
UNCLEAR = [
    "if (x) /a/.test(y)",
    "a = {}\n/x/g",
    "a++ /b/ c",
    "x <!-- y",
    "a()\n--> b",
    "'open",
    "`open",
    "`${a`",
    "/* open",
    "/open",
    "a }",
    "#!/bin/js",
    "x = yield /a/",
    "@decorated class A {}",
]


@pytest.mark.parametrize("name", SAME)
def test_other_values_have_the_same_shape(name: str) -> None:
    one, other = SAME[name]
    assert shape_of(one) == shape_of(other) is not None


@pytest.mark.parametrize("name", DIFFERENT)
def test_other_code_has_another_shape(name: str) -> None:
    one, other = DIFFERENT[name]
    assert shape_of(one) != shape_of(other)
    assert shape_of(one) is not None or shape_of(other) is not None


@pytest.mark.parametrize("code", UNCLEAR)
def test_no_shape_where_a_reader_cannot_tell(code: str) -> None:
    assert shape_of(code) is None


def test_long_code_takes_no_long_time() -> None:
    for code in (
        "'x'+" * 100000,
        "(" * 200000,
        "`${" * 50000,
        "/" * 100000,
        "\\" * 100000,
        "a /**/" * 50000,
        "'" + "\\'" * 200000,
    ):
        shape_of(code)


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("document['cookie']", "document['title']"),
        ("f('ev' + 'il')", "f('o' + 'k')"),
        ("String.fromCharCode(101, 118)", "String.fromCharCode(0, 0)"),
    ],
)
def test_what_a_shape_ignores_is_documented(code: str, what: str) -> None:
    """The guide names each of these: an attacker can hide in them."""
    assert shape_of(code) == shape_of(what)
