# SPDX-License-Identifier: GPL-3.0-or-later

"""The shape of code: what stays equal when a server writes other texts and numbers into it each time."""

from __future__ import annotations

import json
import re
import typing as t

from .inline import hash_of

SHAPE = "shape-"

_LINE_ENDS = "\n\r\u2028\u2029"
_WORD = re.compile(r"(?:[\w$#\u200c\u200d]|\\u(?:[0-9A-Fa-f]{4}|\{[0-9A-Fa-f]+\}))+")
_NUMBER = re.compile(
    r"0[xX][0-9a-fA-F_]+n?|0[oO][0-7_]+n?|0[bB][01_]+n?|(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9_]+)?n?"
)
_BLANK = re.compile(r"(?:(?![\n\r\u2028\u2029])[\s\ufeff])+")
_LINE_COMMENT = re.compile(r"//[^\n\r\u2028\u2029]*")
_BLOCK_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_STRING = {quote: re.compile(rf"{quote}(?:[^{quote}\\\n\r]|\\(?:\r\n|.))*{quote}", re.DOTALL) for quote in ("'", '"')}
_TEMPLATE = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*", re.DOTALL)
_EXPRESSION = re.compile(
    r"/(?![*/])(?:[^\\/\[\n\r\u2028\u2029]|\\[^\n\r\u2028\u2029]|\[(?:[^\]\\\n\r\u2028\u2029]|\\[^\n\r\u2028\u2029])*\])+/\w*"
)
# After one of these words a slash begins a regular expression; after any other it divides.
_BEFORE_EXPRESSION = frozenset(("return", "typeof", "case", "delete", "void", "throw", "new", "instanceof", "in", "do", "else"))
# After these it depends on where they stand.
_UNCLEAR = frozenset(
    (
        "of",
        "yield",
        "await",
        "let",
        "async",
        "get",
        "set",
        "static",
        "extends",
        "default",
        "from",
        "break",
        "continue",
        "debugger",
    )
)
_ESCAPE = re.compile(
    r"\\(?:x(?P<byte>[0-9A-Fa-f]{2})|u(?P<unit>[0-9A-Fa-f]{4})|u\{(?P<code>[0-9A-Fa-f]+)\}|(?P<octal>[0-3]?[0-7]{1,2})|(?P<end>\r\n|[\n\r\u2028\u2029])"
    r"|(?P<other>.))",
    re.DOTALL,
)
_LETTERS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v"}
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_HOST = re.compile(r"[^/\\?#]*")
# Of an address with such a scheme the rest is code.
_ALL_CODE = ("javascript:", "data:", "vbscript:")


class _Unclear(Exception):
    """Code in which a reader cannot tell what is text."""


def shape_of(code: str) -> str | None:
    """Return the hash of the shape of code; None where a reader cannot tell its texts from the rest of it."""
    try:
        shape = "".join(_Reader(code).read())
    except _Unclear:
        return None
    return SHAPE + hash_of(shape).removeprefix("sha256-")


class _Reader:
    """Reads code from its start to its end; `previous` is what stands before a slash."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.position = 0
        self.previous = ""
        # For each open brace, whether it is that of `${`.
        self.braces: list[bool] = []
        self.at_line_start = True

    def read(self) -> t.Iterator[str]:
        """Yield the shape in parts: blanks and comments as one blank, ends of lines as they are."""
        if self.code.startswith("#!"):
            raise _Unclear
        was_blank = False
        while self.position < len(self.code):
            space = self._space()
            if space is None:
                part = self._token(self.code[self.position])
                self.at_line_start = False
            else:
                part = space
                self.at_line_start = self.at_line_start or space != " "
            if part != " " or not was_blank:
                yield part
            was_blank = part == " "
        if self.braces:
            raise _Unclear

    def _space(self) -> str | None:
        """Return what stands for a blank, a comment or the end of a line; None where there is none."""
        character = self.code[self.position]
        if character in _LINE_ENDS:
            self.position += 1
            return character
        if self._take(_BLANK):
            return " "
        if self.code[self.position : self.position + 2] not in ("//", "/*"):
            return None
        comment = self._take(_LINE_COMMENT) or self._take(_BLOCK_COMMENT)
        if comment is None:
            raise _Unclear
        # A comment over several lines ends a line.
        return "\n" if any(end in comment for end in _LINE_ENDS) else " "

    def _take(self, pattern: re.Pattern[str]) -> str | None:
        match = pattern.match(self.code, self.position)
        if match is None or not match[0]:
            return None
        self.position = match.end()
        return match[0]

    def _token(self, character: str) -> str:
        if self.code.startswith("<!--", self.position) or (self.at_line_start and self.code.startswith("-->", self.position)):
            raise _Unclear  # a comment in a script, and operators in a module
        if character in "'\"":
            return self._string(character)
        if character == "`":
            self.position += 1
            return "`" + self._template()
        if character == "/":
            return self._slash()
        is_number = character.isdigit() or (character == "." and self.code[self.position + 1 : self.position + 2].isdigit())
        if is_number and self._take(_NUMBER):
            self.previous = "0"
            return "0"
        if word := self._take(_WORD):
            # A word after a dot is a name, whatever it is called.
            self.previous = "name" if self.previous == "." else word
            return word
        return self._operator(character)

    def _operator(self, character: str) -> str:
        self.position += 1
        is_doubled = character in "+-" and self.previous == character and self.code[self.position - 2] == character
        self.previous = character * 2 if is_doubled else character
        if character == "{":
            self.braces.append(False)
        elif character == "}":
            if not self.braces:
                raise _Unclear
            if self.braces.pop():
                return "}" + self._template()
        elif character in ("\\", "@"):
            raise _Unclear
        return character

    def _string(self, quote: str) -> str:
        text = self._take(_STRING[quote])
        if text is None:
            raise _Unclear
        self.previous = "text"
        return json.dumps(_kept(text[1:-1]))

    def _template(self) -> str:
        """Return the mark of a text in a template, up to its end or to the next code in it."""
        text = self._take(_TEMPLATE) or ""
        mark = json.dumps(_kept(text))[1:-1] or '"'
        if self.code.startswith("${", self.position):
            self.position += 2
            self.braces.append(True)
            self.previous = "{"
            return mark + "${"
        if not self.code.startswith("`", self.position):
            raise _Unclear
        self.position += 1
        self.previous = "text"
        return mark + "`"

    def _slash(self) -> str:
        previous = self.previous
        if previous in (")", "}", "++", "--") or previous in _UNCLEAR:
            raise _Unclear
        is_value = previous in ("]", "text", "0", "name") or (
            bool(_WORD.fullmatch(previous)) and previous not in _BEFORE_EXPRESSION
        )
        if is_value:
            self.position += 1
            self.previous = "/"
            return "/"
        expression = self._take(_EXPRESSION)
        if expression is None:
            raise _Unclear
        self.previous = "text"
        return expression


def _kept(text: str) -> str:
    """Return what of a text belongs to the shape: where it leads to, if it begins as an address does."""
    meaning = _ESCAPE.sub(_meaning, text).lstrip("".join(map(chr, range(33))))
    plain = meaning.replace("\t", "").replace("\n", "").replace("\r", "")
    scheme = _SCHEME.match(plain)
    if scheme and scheme[0].lower() in _ALL_CODE:
        return plain
    rest = plain[scheme.end() :] if scheme else plain
    slashes = len(rest) - len(rest.lstrip("/\\"))
    if not scheme and slashes < 2:
        return ""
    host = _HOST.match(rest, slashes)
    return (scheme[0].lower() if scheme else "") + ("//" + (host[0] if host else "") if slashes or _is_special(scheme) else "")


def _is_special(scheme: re.Match[str] | None) -> bool:
    """Return whether what follows a scheme is a host even without slashes."""
    return scheme is not None and scheme[0].lower() in ("http:", "https:", "ws:", "wss:", "ftp:")


def _meaning(escape: re.Match[str]) -> str:
    kind = escape.lastgroup or ""
    text = escape[kind]
    if kind == "octal":
        return chr(int(text, 8))
    if kind in ("byte", "unit", "code"):
        number = int(text, 16)
        return chr(number) if number < 0x110000 else ""
    return "" if kind == "end" else _LETTERS.get(text, text)
