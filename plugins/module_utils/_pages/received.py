# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t

from .._core import PARTIAL_CONTENT
from .._text import quoted
from .document import read_document
from .encoding import decode, parse_content_type
from .facts import Unread
from .found import Document, Frame, Script, once
from .url import BLANKS, Address, lower, parse, words_of

# What an answer is, wherever it comes from: a page, or a recording.

# What bot protections answer with in place of the page: of Cloudflare a header says so, others are known by what they send.
_CHALLENGES = (
    re.compile(rb"/cdn-cgi/challenge-platform/|_cf_chl_opt"),
    re.compile(rb"captcha-delivery\.com|geo\.captcha-delivery"),
    re.compile(rb"_Incapsula_Resource|/_Incapsula"),
    re.compile(rb"px-captcha|perimeterx", re.IGNORECASE),
    re.compile(rb"sec-if-cpt-container|/akam/1[0-9]/pixel|bm-verify="),
    re.compile(rb"awsWafCookieDomainList|awswaf\.com/.*challenge"),
)
_CHALLENGE_STATUSES = frozenset((202, 401, 403, 405, 429, 503))
_ADVICE = "record the page with a browser and give the file as har"
# The parts of a Link header; a comma in quotes or in an address does not end one.
_LINK = re.compile(r"<([^>]*)>((?:[^\",]|\"(?:[^\"\\]|\\.)*(?:\"|$))*)")
_PARAMETER = re.compile(
    rf";[{BLANKS}]*([\w!#$&+.^`|~*-]+)[{BLANKS}]*(?:=[{BLANKS}]*(?:\"((?:[^\"\\]|\\.)*)(?:\"|$)|([^{BLANKS};,\"]*)))?", re.ASCII
)


class Response(t.NamedTuple):
    """An answer; `body` is empty where it was not read.

    `recorded_at` and what a browser loaded beside it come from a recording, which may have documents of the page that were loaded apart.
    """

    address: Address
    status: int
    headers: t.Mapping[str, tuple[str, ...]]
    body: bytes = b""
    recorded_at: str | None = None
    other_recordings: int = 0
    loaded_scripts: tuple[Script, ...] = ()
    loaded_frames: tuple[Frame, ...] = ()

    def header(self, name: str) -> str:
        return ", ".join(self.headers.get(name, ()))

    @property
    def is_challenge(self) -> bool:
        """Return whether a bot protection answered in place of the page."""
        if "challenge" in self.header("cf-mitigated").lower():
            return True
        is_refusal = self.status in _CHALLENGE_STATUSES
        return is_refusal and ("x-datadome" in self.headers or any(pattern.search(self.body[:65536]) for pattern in _CHALLENGES))

    @property
    def is_document(self) -> bool:
        """Return whether the body is worth reading: that of a page, or of what may be a challenge in its place."""
        return 200 <= self.status < 300 or self.status in _CHALLENGE_STATUSES


class Read(t.NamedTuple):
    """A response that was read as a page."""

    response: Response
    document: Document
    # The document without what a recording or a header adds, and what it was made of.
    parsed: Document
    key: tuple[bytes, str | None, Address]


def read_response(response: Response, earlier: t.Iterable[Read] = ()) -> Read:
    """Return the page of an answer, and parse no document that an earlier one has; raise `Unread` for any other answer."""
    if response.is_challenge:
        raise Unread(f"a bot protection answered with a challenge in place of the page (HTTP {response.status}); {_ADVICE}")
    if response.status == PARTIAL_CONTENT:
        raise Unread(f"the answer is only a part of it (HTTP {response.status})")
    if not 200 <= response.status < 300:
        raise Unread(f"its status is {response.status}")
    kinds = response.headers.get("content-type", ())
    if len(kinds) != 1:
        raise Unread("it names no type (Content-Type)" if not kinds else "it names several types (Content-Type)")
    kind = parse_content_type(kinds[0])
    if kind is None:
        raise Unread(f"readers may not agree on its type ({quoted(kinds[0][:60])})")
    if kind.essence != "text/html":
        raise Unread(f"its type is {kind.essence[:60]!r}, and only text/html is read")
    if not response.body.strip():
        raise Unread("it is empty")
    # Headers such as the date differ in each answer.
    key = (response.body, kind.label, response.address)
    known = next((read.parsed for read in earlier if read.key == key), None)
    parsed = known or read_document(decode(response.body, kind.label), response.address)
    return Read(response, _with_loaded(parsed, response), parsed, key)


def _with_loaded(document: Document, response: Response) -> Document:
    """Return a document with the scripts that headers preload, and with what a browser loaded beside it."""
    scripts = list(document.scripts)
    for value in response.headers.get("link", ()):
        scripts += _preloads(value, response.address)
    # Of these the document tells more, such as that they are only preloaded.
    known = {script.url for script in scripts}
    scripts += [script for script in response.loaded_scripts if script.url not in known]
    return document._replace(scripts=tuple(once(scripts)), frames=tuple(once([*document.frames, *response.loaded_frames])))


def _preloads(value: str, base: Address) -> t.Iterator[Script]:
    """Yield the scripts that a Link header lets a browser load."""
    for match in _LINK.finditer(value):
        parameters: dict[str, str] = {}
        for name, in_quotes, plain in _PARAMETER.findall(match[2]):
            parameters.setdefault(lower(name), in_quotes or plain)
        relations = words_of(lower(parameters.get("rel", "")))
        is_script = "modulepreload" in relations or ("preload" in relations and lower(parameters.get("as", "")) == "script")
        address = parse(match[1], base)
        if is_script:
            kind = "modulepreload" if "modulepreload" in relations else "preload"
            url = match[1] if address is None else str(address)
            yield Script(url, parameters.get("integrity"), parameters.get("crossorigin"), kind, None, is_live=False)
