# SPDX-License-Identifier: GPL-3.0-or-later

"""The text of a document, decoded as browsers do (Encoding standard).

Python's codecs drop bytes where a sequence is invalid, and take names that browsers do not know. Both can hide code that a browser runs.
"""

from __future__ import annotations

import html
import re
import typing as t

from .facts import Unread
from .url import BLANKS, lower

UTF_8, WINDOWS_1252, ISO_2022_JP, REPLACEMENT = "utf-8", "windows-1252", "iso-2022-jp", "replacement"
X_USER_DEFINED = "x-user-defined"
_PRESCANNED = 1024
# Of tags that may name an encoding; each begins a reading of its own, also within another one.
_MAX_LOOKED_AT = 16 * 1024 * 1024
_ANY_CASE = re.IGNORECASE | re.ASCII
_ADVICE = "send charset in the header Content-Type"
_BAD = "\ufffd"

# Every label of the standard, by encoding.
_LABELS = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
    "ibm866": "866 cp866 csibm866 ibm866",
    "iso-8859-2": "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
    "iso-8859-3": "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3",
    "iso-8859-4": "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4",
    "iso-8859-5": "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988",
    "iso-8859-6": "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e iso-8859-6-i iso-ir-127"
    " iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987",
    "iso-8859-7": "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987"
    " sun_eu_greek",
    "iso-8859-8": "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8"
    " iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical",
    "iso-8859-10": "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6",
    "iso-8859-13": "iso-8859-13 iso8859-13 iso885913",
    "iso-8859-14": "iso-8859-14 iso8859-14 iso885914",
    "iso-8859-15": "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9",
    "iso-8859-16": "iso-8859-16",
    "koi8-r": "cskoi8r koi koi8 koi8-r koi8_r",
    "koi8-u": "koi8-ru koi8-u",
    "macintosh": "csmacintosh mac macintosh x-mac-roman",
    "windows-874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
    "windows-1250": "cp1250 windows-1250 x-cp1250",
    "windows-1251": "cp1251 windows-1251 x-cp1251",
    "windows-1252": "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1"
    " iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252",
    "windows-1253": "cp1253 windows-1253 x-cp1253",
    "windows-1254": "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 windows-1254"
    " x-cp1254",
    "windows-1255": "cp1255 windows-1255 x-cp1255",
    "windows-1256": "cp1256 windows-1256 x-cp1256",
    "windows-1257": "cp1257 windows-1257 x-cp1257",
    "windows-1258": "cp1258 windows-1258 x-cp1258",
    "x-mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "gb18030": "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk gb18030",
    "big5": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
    "euc-jp": "cseucpkdfmtjapanese euc-jp x-euc-jp",
    "iso-2022-jp": "csiso2022jp iso-2022-jp",
    "shift_jis": "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
    "euc-kr": "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949",
    REPLACEMENT: "csiso2022kr hz-gb-2312 iso-2022-cn iso-2022-cn-ext iso-2022-kr replacement",
    "utf-16be": "unicodefffe utf-16be",
    "utf-16le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
    X_USER_DEFINED: X_USER_DEFINED,
}
ENCODINGS: t.Mapping[str, str] = {label: name for name, labels in _LABELS.items() for label in labels.split()}
# Encodings of one byte a character, by the codec of Python that has the same table.
_SINGLE = {
    **{name: name for name in _LABELS if name.startswith(("iso-8859-", "koi8-", "ibm"))},
    **{f"windows-{number}": f"cp{number}" for number in (874, *range(1250, 1259))},
    "macintosh": "mac_roman",
    "x-mac-cyrillic": "mac_cyrillic",
}
# Where the table of Python has a hole, these have a control character.
_WITH_CONTROLS = frozenset(f"windows-{number}" for number in (1250, 1251, 1252, 1254, 1256, 1258))
_ASCII = re.compile(rb"[\x00-\x7f]+")
_ASCII_BUT_ESCAPES = re.compile(rb"[\x00-\x0d\x10-\x1a\x1c-\x7f]+")


def encoding_of(label: str | None) -> str | None:
    """Return the encoding that a label names, None if browsers do not know it."""
    return ENCODINGS.get(lower(label.strip(BLANKS))) if label else None


def _encoding_of_meta(label: str | None) -> str | None:
    """Return the encoding that a label in a document names: it cannot be UTF-16, because the label itself was read."""
    name = encoding_of(label)
    if name in ("utf-16be", "utf-16le"):
        return UTF_8
    return WINDOWS_1252 if name == X_USER_DEFINED else name


_WORD = r"[A-Za-z0-9!#$&*+.^_`|~:-]+"
# A type with its parameters, as every browser reads it. Some find a comma in quotes.
_CONTENT_TYPE = re.compile(rf"[ \t]*({_WORD}/{_WORD})((?:[ \t]*;[ \t]*(?:{_WORD}=(?:{_WORD}|\"[^\"\\,]*\"))?)*)[ \t]*")
_MAX_CONTENT_TYPE = 500
_PARAMETER = re.compile(rf"({_WORD})=(?:({_WORD})|\"([^\"]*)\")")


class ContentType(t.NamedTuple):
    """A type in lower case, and the label of the encoding that is sent with it, None for none."""

    essence: str
    label: str | None


def parse_content_type(value: str) -> ContentType | None:
    """Return the type that a header or a `data:` address names; None for a value of which readers may make different types."""
    match = _CONTENT_TYPE.fullmatch(value[: _MAX_CONTENT_TYPE + 1])
    if match is None or len(value) > _MAX_CONTENT_TYPE:
        return None
    labels = [plain or quoted for name, plain, quoted in _PARAMETER.findall(match[2]) if lower(name) == "charset"]
    if len(labels) > 1 or not all(re.fullmatch(_WORD, label) for label in labels):
        return None
    return ContentType(lower(match[1]), labels[0] if labels else None)


_META = re.compile(r"<meta(?=[\t\n\f\r />])", _ANY_CASE)
# An attribute as browsers find it in a tag, with its value in quotes or without.
_ATTRIBUTE = re.compile(
    r"[\t\n\f\r /]*([^\t\n\f\r />][^\t\n\f\r />=]*)"
    r"(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:\"([^\"]*)\"|'([^']*)'|([^\t\n\f\r >\"'][^\t\n\f\r >]*)?))?"
)
_CHARSET = re.compile(r"charset[\t\n\f\r ]*=[\t\n\f\r ]*[\"']?[\t\n\f\r ]*([^\t\n\f\r ;\"']+)", _ANY_CASE)
# What can stand before the `meta` with the encoding without that browsers, of which some look only at bytes, may find another one or none.
_BEFORE = re.compile(
    r"(?:[\t\n\f\r ]+|<!doctype[^<>]*>|<!--(?!-?>)(?:[^<>-]|-(?!-))*-->|<title>[^<]*</title>"
    r"|<(?!meta[^>]*charset)(?:html|head|meta|link|base)"
    r"(?:[\t\n\f\r ]+[a-z0-9:_-]+(?:=(?:\"[^<>\"]*\"|'[^<>']*'|[^\t\n\f\r \"'<>=`]+))?)*[\t\n\f\r ]*/?>)*",
    _ANY_CASE,
)
_PLAIN_META = re.compile(
    r"<meta[\t\n\f\r ]+(?:http-equiv=([\"']?)content-type\1[\t\n\f\r ]+content=([\"'])[a-z/+-]+;[ ]?charset=(?P<typed>[a-z0-9_:.-]+)\2"
    r"|charset=(?:([\"'])(?P<quoted>[a-z0-9_:.-]+)\4|(?P<plain>[a-z0-9_:.-]+)(?=[\t\n\f\r >])))[\t\n\f\r ]*/?>",
    _ANY_CASE,
)


def _declared(text: str) -> t.Iterator[str]:
    """Yield the encodings that a text may declare in a `meta`, wherever it stands: browsers do not agree on where they look."""
    left = _MAX_LOOKED_AT
    for tag in _META.finditer(text):
        position = tag.end()
        while attribute := _ATTRIBUTE.match(text, position):
            left -= attribute.end() - position
            position = attribute.end()
            if left < 0:
                raise Unread(f"it has many elements that may name its encoding; {_ADVICE}")
            value = html.unescape(attribute[2] or attribute[3] or attribute[4] or "")
            name = lower(attribute[1])
            labels = [value] if name == "charset" else _CHARSET.findall(value) if name == "content" else []
            yield from filter(None, map(_encoding_of_meta, labels))


def _plainly_declared(body: bytes) -> str | None:
    """Return the encoding that a document names where every browser finds it."""
    text = body[:_PRESCANNED].decode("latin-1")
    before = _BEFORE.match(text)
    meta = _PLAIN_META.match(text, before.end() if before else 0)
    return _encoding_of_meta(meta["typed"] or meta["quoted"] or meta["plain"]) if meta else None


# A backslash or a backtick after a byte that can be the first of two: some browsers guess an encoding of which it is the second.
_MAYBE_PAIR = re.compile(rb"[\x81-\xfe][\\`]")


def decode(body: bytes, label: str | None) -> str:
    """Return the text of a document that was sent with the label of an encoding; raise `Unread` where browsers would not agree on it."""
    for mark, marked in ((b"\xef\xbb\xbf", UTF_8), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le")):
        if body.startswith(mark):
            return decode_text(body[len(mark) :], marked)
    named = encoding_of(label)
    if named:
        return decode_text(body, named)
    name = _plainly_declared(body)
    if name is None and re.search(rb"\x1b[$(]|\x00", body):
        raise Unread(
            f"it names no encoding where each browser looks, and contains bytes that some may take for another one; {_ADVICE}"
        )
    if name is None:
        name = UTF_8 if _is_utf_8(body) else WINDOWS_1252
        if name == WINDOWS_1252 and _MAYBE_PAIR.search(body):
            raise Unread(
                f"it names no encoding, and what ends a text in its code is a part of a character in some encodings; {_ADVICE}"
            )
    text = decode_text(body, name)
    if any(declared != name for declared in (*_declared(body[:_PRESCANNED].decode("latin-1")), *_declared(text))):
        raise Unread(
            f"it names several encodings, or one where not each browser looks, such as after its first {_PRESCANNED} bytes; {_ADVICE}"
        )
    return text


def _is_utf_8(body: bytes) -> bool:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def decode_text(body: bytes, name: str) -> str:
    if name == REPLACEMENT:
        raise Unread("its encoding is one that browsers refuse to decode")
    if name in (UTF_8, "utf-16le", "utf-16be"):
        return body.decode(name, "replace")
    if name == X_USER_DEFINED:
        return "".join(chr(byte if byte < 0x80 else 0xF700 + byte) for byte in body)
    if name in _SINGLE:
        text = body.decode(_SINGLE[name], "surrogateescape")
        return re.sub("[\udc80-\udcff]", lambda hole: chr(ord(hole[0]) - 0xDC00) if name in _WITH_CONTROLS else _BAD, text)
    if name == ISO_2022_JP:
        return "".join(_iso_2022_jp(body))
    return "".join(_sequences(body, _STEPS[name]))


def _sequences(body: bytes, step: t.Callable[[bytes, int], tuple[str, int]]) -> t.Iterator[str]:
    """Yield the characters of an encoding with sequences of bytes; `step` returns a character and how many bytes it takes."""
    position = 0
    while position < len(body):
        plain = _ASCII.match(body, position)
        if plain:
            yield plain[0].decode("ascii")
            position = plain.end()
        else:
            text, size = step(body, position)
            yield text
            position += size


def _pair(body: bytes, position: int, codec: str) -> tuple[str, int]:
    """Return the character of two bytes. A second byte that is ASCII is not lost with an invalid first one."""
    pair = body[position : position + 2]
    try:
        text = pair.decode(codec)
    except UnicodeDecodeError:
        text = ""
    if len(pair) == 2 and 0 < len(text) < 3 and text[-1] != chr(pair[1]):
        return text, 2
    return _BAD, 2 if len(pair) == 2 and pair[1] >= 0x80 else 1


def _gb18030(body: bytes, position: int) -> tuple[str, int]:
    if body[position] in (0x80, 0xFF):
        return ("\u20ac" if body[position] == 0x80 else _BAD), 1
    four = body[position : position + 4]
    if len(four) > 1 and 0x30 <= four[1] <= 0x39:
        is_whole = len(four) == 4 and 0x81 <= four[2] <= 0xFE and 0x30 <= four[3] <= 0x39
        # The first byte alone is lost where the others do not complete it.
        return (four.decode("gb18030", "replace")[:1], 4) if is_whole else (_BAD, 1)
    return _pair(body, position, "gb18030")


def _big5(body: bytes, position: int) -> tuple[str, int]:
    return (_BAD, 1) if body[position] in (0x80, 0xFF) else _pair(body, position, "big5hkscs")


def _euc_kr(body: bytes, position: int) -> tuple[str, int]:
    return (_BAD, 1) if body[position] in (0x80, 0xFF) else _pair(body, position, "cp949")


def _shift_jis(body: bytes, position: int) -> tuple[str, int]:
    byte = body[position]
    if 0xA1 <= byte <= 0xDF:
        return chr(0xFF61 - 0xA1 + byte), 1
    if byte == 0x80:
        return "\x80", 1
    return (_BAD, 1) if byte in (0xA0, 0xFD, 0xFE, 0xFF) else _pair(body, position, "cp932")


def _euc_jp(body: bytes, position: int) -> tuple[str, int]:
    byte, rest = body[position], body[position + 1 : position + 3]
    if byte == 0x8E and rest and 0xA1 <= rest[0] <= 0xDF:
        return chr(0xFF61 - 0xA1 + rest[0]), 2
    if byte == 0x8F and rest and 0xA1 <= rest[0] <= 0xFE:
        if len(rest) == 2 and 0xA1 <= rest[1] <= 0xFE:
            return body[position : position + 3].decode("euc_jp", "replace")[:1], 3
        return _BAD, 3 if len(rest) == 2 and rest[1] >= 0x80 else 2
    if byte in (0x8E, 0x8F) or 0xA1 <= byte <= 0xFE:
        return _pair(body, position, "euc_jp")
    return _BAD, 1


_STEPS = {"gb18030": _gb18030, "big5": _big5, "euc-kr": _euc_kr, "shift_jis": _shift_jis, "euc-jp": _euc_jp}
_ESCAPES = {b"(B": "ascii", b"(J": "roman", b"(I": "katakana", b"$@": "pairs", b"$B": "pairs"}


def _iso_2022_jp(body: bytes) -> t.Iterator[str]:
    """Yield the characters of a text that changes its alphabet with escape sequences."""
    position, state, was_escape = 0, "ascii", False
    while position < len(body):
        byte = body[position]
        following = _ESCAPES.get(body[position + 1 : position + 3]) if byte == 0x1B else None
        if following:
            # Two sequences with nothing between them are an error.
            yield _BAD if was_escape else ""
            state, was_escape = following, True
            position += 3
            continue
        was_escape = False
        plain = _ASCII_BUT_ESCAPES.match(body, position) if state == "ascii" else None
        text, size = (plain[0].decode("ascii"), len(plain[0])) if plain else _of_state(body, position, state)
        yield text
        position += size


def _of_state(body: bytes, position: int, state: str) -> tuple[str, int]:
    byte = body[position]
    if state in ("ascii", "roman") and byte < 0x80 and byte not in (0x0E, 0x0F, 0x1B):
        return {0x5C: "\xa5", 0x7E: "\u203e"}.get(byte, chr(byte)) if state == "roman" else chr(byte), 1
    if state == "katakana" and 0x21 <= byte <= 0x5F:
        return chr(0xFF61 - 0x21 + byte), 1
    if state == "pairs" and 0x21 <= byte <= 0x7E:
        second = body[position + 1] if position + 1 < len(body) else 0
        if 0x21 <= second <= 0x7E:
            return bytes((byte | 0x80, second | 0x80)).decode("euc_jp", "replace")[:1], 2
        # An escape sequence that follows a first byte still counts.
        return _BAD, 1 if second == 0x1B or not second else 2
    return _BAD, 1
