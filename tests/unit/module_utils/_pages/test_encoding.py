# SPDX-License-Identifier: GPL-3.0-or-later

"""Where an encoding may stand: what only some readers find there would hide code from the others."""

import base64
import hashlib

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._pages.encoding import decode, parse_content_type
from ansible_collections.edgeops.observability.plugins.module_utils._pages.facts import Unread
from ansible_collections.edgeops.observability.plugins.module_utils._pages.inline import Inline, text_of_data

# Characters with this encoding, and a script without it.
HIDDEN = b"\x1b$B<script>run()</script>\x1b(B"
JAPANESE = "iso-2022-jp"
FOUND_BY_ALL = [
    f"<meta charset={JAPANESE}>",
    f"<!DOCTYPE html>\n<!-- a - b --><html lang=en><head data-x1>\n<title>Pay</title><meta name=viewport content='a=b'><META CHARSET='{JAPANESE}'/>",
    f"<meta http-equiv='Content-Type' content=\"text/html; charset={JAPANESE.upper()}\" />",
]
# Chromium 156 executes the script in most of these, and other readers do not.
NOT_FOUND_BY_ALL = [
    f"<!-- <meta charset={JAPANESE}> -->",
    f"<title><meta charset={JAPANESE}></title>",
    f"<script><meta charset={JAPANESE}></script>",
    f"<style><meta charset={JAPANESE}></style>",
    f"<textarea><meta charset={JAPANESE}></textarea>",
    f"<noscript><meta charset={JAPANESE}></noscript>",
    f"<template><meta charset={JAPANESE}></template>",
    f'<p title="<meta charset={JAPANESE}>">',
    f"<!x <meta charset={JAPANESE}> >",
    f"<?x <meta charset={JAPANESE}> ?>",
    f"</x <meta charset={JAPANESE}>>",
    f'<meta name=description content="charset={JAPANESE}">',
    f'<meta content="text/html; charset={JAPANESE}">',
    f'<meta http-equiv="content-type " content="text/html; charset={JAPANESE}">',
    '<meta charset="iso&#x2d;2022-jp">',
    f"<meta charset={JAPANESE}/>",
    f"<meta x charset=utf-8 charset={JAPANESE}>",
    f"<meta charset='{JAPANESE}>",
    f"<p><meta charset={JAPANESE}>",
    "<p>" * 400 + f"<meta charset={JAPANESE}>",
]


@pytest.mark.parametrize("head", FOUND_BY_ALL)
def test_encoding_that_every_reader_finds_is_taken(head: str) -> None:
    assert "<script>" not in decode(head.encode() + HIDDEN, None)


@pytest.mark.parametrize("head", NOT_FOUND_BY_ALL)
def test_encoding_that_not_every_reader_finds_is_refused(head: str) -> None:
    with pytest.raises(Unread, match="each browser looks"):
        decode(head.encode() + HIDDEN, None)


# Without a byte that is special, the only sign is that another encoding is named at all.
@pytest.mark.parametrize(
    "head",
    [
        "<p title='<meta x=\"'><meta charset=shift_jis>\">",
        '<meta x="<meta y=\'" charset=shift_jis>',
        '<meta x=a"b charset=shift_jis>',
        '<meta http-equiv=content-type content="text/html;x; charset = shift_jis">',
        "<meta charset=utf-8><!-- <meta charset=shift_jis> -->",
        "<meta/x/charset=shift_jis>",
    ],
)
def test_another_encoding_is_found_wherever_it_stands(head: str) -> None:
    with pytest.raises(Unread, match="several encodings"):
        decode(head.encode() + b"<p>\x95A", None)


def test_end_of_a_text_that_can_be_half_of_a_character_is_refused() -> None:
    """Chromium guesses Shift_JIS in a text of Japanese, and executes what another reader takes for a part of a text."""
    japanese = ("\u3053\u308c\u306f" * 50).encode("shift_jis")
    for half in (b"'\x95\\'; run(); ''", b"`\x95``; run()"):
        with pytest.raises(Unread, match="names no encoding"):
            decode(b"<p>" + japanese + b"<script>x = " + half + b"</script>", None)
    assert "caf\u00e9 \\" in decode(b"<p>caf\xe9 \\", None)


def test_encoding_of_a_comment_is_ignored_if_it_is_that_of_the_document() -> None:
    assert decode("<!-- <meta charset=utf-8> -->\u00e9".encode(), None).endswith("\u00e9")


@pytest.mark.parametrize(
    ("value", "essence", "label"),
    [
        ("text/html", "text/html", None),
        (" Text/HTML ;charset=UTF-8 ; ", "text/html", "UTF-8"),
        ('text/html;x="charset=a; b";; Charset="utf-8"', "text/html", "utf-8"),
        ("text/html; xcharset=a; charset=iso_8859-1:1987", "text/html", "iso_8859-1:1987"),
    ],
)
def test_type_and_encoding_of_a_header(value: str, essence: str, label: str | None) -> None:
    assert parse_content_type(value) == (essence, label)


@pytest.mark.parametrize(
    "value",
    [
        "text/html; charset=utf-8, image/svg+xml",
        'text/html; a=", image/svg+xml"',
        "text/html; charset='utf-16le'",
        "text/html; charset = utf-16le",
        "text/html; charset=utf-16le x",
        "text/html; charset=utf-8; charset=utf-16le",
        'text/html; charset="utf\\-16le"',
        'text/html; charset="utf-16le',
        'text/html; charset=" utf-16le"',
        "text/html; charset=\xa0utf-16le",
        "text/html\x0b; charset=utf-8",
        "text/html charset=utf-8",
        "text/html" + ";" * 999,
        "text/html;" + " " * 99999 + "x",
        "",
    ],
)
def test_type_that_readers_may_not_agree_on_is_none(value: str) -> None:
    assert parse_content_type(value) is None


def test_address_with_an_encoding_that_readers_may_not_agree_on_is_itself_the_code() -> None:
    """Otherwise it would have the hash of code that is authorised."""
    plain = text_of_data("data:text/javascript;charset=utf-16le;base64,YQA=")
    digest = base64.b64encode(hashlib.sha256(b"a").digest()).decode()
    assert (plain, Inline("script", plain, None).hash) == ("a", f"sha256-{digest}")
    assert text_of_data("data:text/javascript;charset='utf-16le';base64,YQA=") != plain
    assert text_of_data("data:,a") == text_of_data("data:;base64,YQ==") == "a"
