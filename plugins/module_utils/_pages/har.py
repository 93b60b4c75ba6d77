# SPDX-License-Identifier: GPL-3.0-or-later

"""Pages that a browser recorded (HAR 1.2): the document, and what was loaded with it, also by scripts."""

from __future__ import annotations

import base64
import binascii
import datetime
import json
import re
import typing as t

from .._core import Json, invalid_option
from .._text import dict_of, format_time, parse_time, unique_members
from .facts import LOADED, Unread
from .found import Frame, Script
from .received import Response
from .url import Address, parse, plain

_REDIRECTS = range(300, 400)
_DOCUMENT, _SCRIPT, _OTHER = "document", "script", "other"
# What a request is for, as browsers name it in `_resourceType` and in the header Sec-Fetch-Dest, which no page can set.
_KINDS: t.Mapping[str, str] = {
    **dict.fromkeys(["document", "iframe", "frame", "subdocument", "embed", "object", "fencedframe"], _DOCUMENT),
    **dict.fromkeys(["script", "worker", "sharedworker", "serviceworker", "audioworklet", "paintworklet"], _SCRIPT),
    **dict.fromkeys(
        [
            "stylesheet",
            "style",
            "image",
            "media",
            "audio",
            "video",
            "track",
            "font",
            "texttrack",
            "xhr",
            "fetch",
            "empty",
            "prefetch",
            "eventsource",
            "websocket",
            "manifest",
            "signedexchange",
            "ping",
            "cspviolationreport",
            "report",
            "preflight",
            "json",
            "dictionary",
        ],
        _OTHER,
    ),
}
# By the type of an answer, where nothing says what its request was for. Browsers take any other type for a script, or may.
_SCRIPT_TYPES = ("javascript", "ecmascript", "jscript", "livescript")
_DOCUMENT_TYPES = ("html", "xml")
_OTHER_TYPES = ("image/", "font/", "audio/", "video/", "text/css", "application/font", "application/json")
_WITHOUT_BODY = (204, 205)
# No document has only these characters, because each has a tag.
_BASE64 = re.compile(r"[A-Za-z0-9+/\r\n]+={0,2}\s*")
# Says in a body how it is encoded.
BOM = b"\xef\xbb\xbf"


class Exchange(t.NamedTuple):
    """A request of a recording and its answer."""

    address: Address
    page: str | None
    kind: str | None
    # Whether the browser itself says so, and not only the type of the answer.
    is_stated: bool
    method: str | None
    at: datetime.datetime | None
    status: int
    response: t.Mapping[str, Json]


def parse_har(place: str, content: bytes) -> list[Exchange]:
    """Return the exchanges of a recording; raise `invalid_option` for a file that is none."""
    try:
        recorded = json.loads(content.decode("utf-8-sig"), object_pairs_hook=unique_members)
    except (ValueError, RecursionError):
        raise invalid_option(place, "the file is not a recording: it is not JSON, or has two members of one name") from None
    log = dict_of(dict_of(recorded).get("log"))
    entries = log.get("entries")
    if not isinstance(entries, list):
        raise invalid_option(place, "the file is not a recording in HAR 1.2: it has no list log.entries")
    listed = log.get("pages")
    pages = [dict_of(page).get("id") for page in listed] if isinstance(listed, list) and listed else None
    return [_exchange(f"{place}: log.entries[{index}]", entry, pages) for index, entry in enumerate(entries)]


def _exchange(place: str, entry: Json, pages: t.Container[Json] | None) -> Exchange:
    if not isinstance(entry, dict):
        raise invalid_option(place, "must be an object")
    request, response = dict_of(entry.get("request")), dict_of(entry.get("response"))
    url, status = request.get("url"), response.get("status")
    address = parse(url) if isinstance(url, str) else None
    if address is None:
        raise invalid_option(f"{place}.request.url", "must be a URL")
    if isinstance(status, bool) or not isinstance(status, int):
        raise invalid_option(f"{place}.response.status", "must be a number")
    page, method = entry.get("pageref"), request.get("method")
    stated = _stated_kind(entry.get("_resourceType"), request)
    kind = _kind_of(stated, response)
    return Exchange(
        address,
        page if isinstance(page, str) and (pages is None or page in pages) else None,
        kind,
        kind is not None and kind == stated,
        method if isinstance(method, str) else None,
        parse_time(entry.get("startedDateTime")),
        status,
        response,
    )


def _stated_kind(stated: Json, request: t.Mapping[str, Json]) -> str | None:
    """Return what the browser says that a request is for, None for nothing that is known."""
    destination = next((value for name, value in _fields(request) if name == "sec-fetch-dest"), None)
    kinds = [_KINDS.get(name.lower()) for name in (stated, destination) if isinstance(name, str)]
    # One that either calls a script is one.
    return _SCRIPT if _SCRIPT in kinds else next(filter(None, kinds), None)


def _kind_of(stated: str | None, response: t.Mapping[str, Json]) -> str | None:
    """Return what a request is for, None if nothing tells."""
    types = _media_types(response)
    if any(word in media_type for media_type in types for word in _SCRIPT_TYPES):
        return _SCRIPT
    if stated is not None:
        return stated
    if any(word in media_type for media_type in types for word in _DOCUMENT_TYPES):
        return _DOCUMENT
    return _OTHER if types and all(media_type.startswith(_OTHER_TYPES) for media_type in types) else None


def _fields(message: t.Mapping[str, Json]) -> t.Iterator[tuple[str, Json]]:
    """Yield the headers of a message that have a name, in lower case."""
    listed = message.get("headers")
    for item in listed if isinstance(listed, list) else ():
        name = dict_of(item).get("name")
        if isinstance(name, str):
            yield name.lower(), dict_of(item).get("value")


def _media_types(response: t.Mapping[str, Json]) -> list[str]:
    """Return the types that a recording states for an answer, as the browser read it and in its headers."""
    stated = [
        dict_of(response.get("content")).get("mimeType"),
        *(value for name, value in _fields(response) if name == "content-type"),
    ]
    return [text.lower() for text in stated if isinstance(text, str) and text]


def find_recorded(exchanges: t.Sequence[Exchange], address: Address) -> Response:
    """Return the recorded answer of a page; raise `Unread` for none."""
    asked = [exchange for exchange in exchanges if exchange.address == address and exchange.kind in (_DOCUMENT, None)]
    if not asked:
        raise Unread("the recording has no request for it")
    document = _final(exchanges, asked[-1])
    if document is None:
        raise Unread("the recording has no answer for it that is no redirect")
    copies = [
        exchange
        for exchange in exchanges
        if exchange.address in (address, document.address)
        and exchange.kind in (_DOCUMENT, None)
        and exchange.status not in _REDIRECTS
    ]
    of_page = [copy for copy in copies if copy.address == document.address and _is_of_page(copy, document)]
    document = of_page[-1] if of_page else document
    beside = [exchange for exchange in exchanges if exchange is not document and _is_of_page(exchange, document)]
    response = document.response
    content = dict_of(response.get("content"))
    return Response(
        address=document.address,
        status=document.status,
        headers=_headers(response),
        body=_body(content),
        recorded_at=format_time(document.at) if document.at else None,
        # Those of the same page count as frames.
        other_recordings=sum(not (_is_of_page(copy, document) or _is_same(copy, document)) for copy in copies),
        loaded_scripts=tuple(
            Script(_url(exchange.address), None, None, LOADED, None, _is_live(exchange))
            for exchange in beside
            if _is_script(exchange)
        ),
        loaded_frames=tuple(
            Frame(_url(exchange.address), None, _is_live(exchange))
            for exchange in beside
            if _is_frame(exchange, document, exchanges)
        ),
    )


def _is_of_page(exchange: Exchange, document: Exchange) -> bool:
    """Return whether a request belongs to the page of a document; one that does not say so may belong to any page."""
    return exchange.page is None or document.page is None or exchange.page == document.page


def _is_same(exchange: Exchange, document: Exchange) -> bool:
    """Return whether an answer is the document once more, so that it hides nothing."""
    return (exchange.address, exchange.status, exchange.response) == (document.address, document.status, document.response)


def _final(exchanges: t.Sequence[Exchange], first: Exchange) -> Exchange | None:
    """Return the answer at the end of the redirects of a request."""
    current, seen = first, 0
    while current.status in _REDIRECTS and seen <= len(exchanges):
        target = _location(current)
        position = exchanges.index(current)
        following = [exchange for exchange in exchanges[position + 1 :] if target is not None and exchange.address == target]
        if not following:
            return None
        current, seen = following[0], seen + 1
    return None if current.status in _REDIRECTS else current


def _location(exchange: Exchange) -> Address | None:
    text = exchange.response.get("redirectURL") or next(iter(_headers(exchange.response).get("location", ())), "")
    return parse(text, exchange.address) if isinstance(text, str) and plain(text) else None


def _headers(response: t.Mapping[str, Json]) -> dict[str, tuple[str, ...]]:
    headers: dict[str, tuple[str, ...]] = {}
    listed = response.get("headers")
    if not isinstance(listed, list):
        raise Unread("the recording has no headers of its answer")
    for item in listed:
        name, value = dict_of(item).get("name"), dict_of(item).get("value")
        if not isinstance(name, str) or not name.strip() or not isinstance(value, str):
            raise Unread("the recording has a header without name or value")
        # Browsers join what was sent several times with line ends.
        headers[name.lower()] = (*headers.get(name.lower(), ()), *value.split("\n"))
    return headers


def _body(content: t.Mapping[str, Json]) -> bytes:
    text = content.get("text")
    if not isinstance(text, str):
        raise Unread("the recording lacks the content of its answer; save it with content")
    encoding, size = content.get("encoding"), content.get("size")
    if encoding == "base64":
        try:
            body = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            raise Unread("the content of its answer in the recording is not Base64") from None
        longest = len(body)
    elif encoding in (None, ""):
        if _BASE64.fullmatch(text):
            raise Unread("the content of its answer in the recording may be Base64, which the recording does not say")
        # Text was decoded by the browser, and is read as it is.
        body = BOM + text.encode("utf-8", "surrogatepass")
        longest = _max_size(text, body, str(content.get("mimeType")))
    else:
        raise Unread("the content of its answer in the recording has an unknown encoding")
    if size is not None and (isinstance(size, bool) or not isinstance(size, (int, float))):
        raise Unread("the recording has no usable length of the content of its answer")
    if size is not None and not size <= longest:
        raise Unread("the recording has only a part of the content of its answer")
    return body


def _max_size(text: str, body: bytes, media_type: str) -> int:
    """Return how many bytes a browser can have received for a text at most."""
    if "utf-16" not in media_type.lower() and (text.isascii() or "utf-8" in media_type.lower()):
        return len(body)
    return max(len(body), 2 * len(text) + 2)


def _url(address: Address) -> str:
    """Return what names a resource in each recording: those that a script made have another name each time."""
    return str(address) if address.authority else f"{address.scheme}:"


def _is_live(exchange: Exchange) -> bool:
    """Return whether a recording shows that an answer was there, and used for what it is."""
    return exchange.is_stated and 0 < exchange.status < 400


def _is_script(exchange: Exchange) -> bool:
    """Return whether an answer is a script, or can be one because nothing tells what it is."""
    if exchange.kind is not None:
        return exchange.kind == _SCRIPT
    has_body = exchange.status not in _WITHOUT_BODY and not (exchange.status in _REDIRECTS and _location(exchange))
    return has_body and exchange.method in ("GET", None)


def _is_frame(exchange: Exchange, document: Exchange, exchanges: t.Sequence[Exchange]) -> bool:
    """Return whether an answer is a document in the page, also an earlier one of its address, and not what redirected to it."""
    if exchange.kind != _DOCUMENT or exchange.status not in _REDIRECTS:
        return exchange.kind == _DOCUMENT and not _is_same(exchange, document)
    final = _final(exchanges, exchange)
    return document.address not in (exchange.address, final and final.address)


def age_of(recorded_at: str | None, at: datetime.datetime) -> float | None:
    """Return how many days before a time a recording was made, counted in days of UTC; None if it does not say."""
    made = parse_time(recorded_at)
    return None if made is None else (at.date() - made.date()).days
