# SPDX-License-Identifier: GPL-3.0-or-later

"""Pages that a browser recorded (HAR 1.2): the document, and what was loaded with it, also by scripts."""

from __future__ import annotations

import base64
import binascii
import datetime
import json
import typing as t

from .._core import Json, invalid_option
from .._text import dict_of, format_time, parse_time
from .facts import Unread
from .received import Response
from .url import Address, parse, plain

_REDIRECTS = range(300, 400)
_SCRIPT_TYPES = ("javascript", "ecmascript")


class Exchange(t.NamedTuple):
    """A request of a recording and its answer."""

    address: Address
    page: str | None
    kind: str
    at: datetime.datetime | None
    status: int
    response: t.Mapping[str, Json]


def parse_har(place: str, content: bytes) -> list[Exchange]:
    """Return the exchanges of a recording; raise `invalid_option` for a file that is none."""
    try:
        recorded = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise invalid_option(place, "the file is not a recording: it is not JSON") from None
    log = dict_of(dict_of(recorded).get("log"))
    entries = log.get("entries")
    if not isinstance(entries, list):
        raise invalid_option(place, "the file is not a recording in HAR 1.2: it has no list log.entries")
    return [_exchange(f"{place}: log.entries[{index}]", entry) for index, entry in enumerate(entries)]


def _exchange(place: str, entry: Json) -> Exchange:
    if not isinstance(entry, dict):
        raise invalid_option(place, "must be an object")
    request, response = dict_of(entry.get("request")), dict_of(entry.get("response"))
    url, status = request.get("url"), response.get("status")
    address = parse(url) if isinstance(url, str) else None
    if address is None:
        raise invalid_option(f"{place}.request.url", "must be a URL")
    if isinstance(status, bool) or not isinstance(status, int):
        raise invalid_option(f"{place}.response.status", "must be a number")
    page, kind = entry.get("pageref"), entry.get("_resourceType")
    return Exchange(
        address,
        page if isinstance(page, str) else None,
        kind.lower() if isinstance(kind, str) else "",
        parse_time(entry.get("startedDateTime")),
        status,
        response,
    )


def find_recorded(exchanges: t.Sequence[Exchange], wanted: Address) -> Response:
    """Return the recorded answer of a page; raise `Unread` for none."""
    asked = [each for each in exchanges if each.address == wanted]
    if not asked:
        raise Unread("the recording has no request for it")
    first = asked[-1]
    document = _final(exchanges, first)
    if document is None:
        raise Unread("the recording has no answer for it that is no redirect")
    response = document.response
    content = dict_of(response.get("content"))
    beside = [each for each in exchanges if each is not document and each.page == document.page]
    return Response(
        address=document.address,
        status=document.status,
        headers=_headers(response),
        body=_body(content),
        recorded_at=format_time(document.at) if document.at else None,
        loaded_scripts=tuple(dict.fromkeys(_url(each.address) for each in beside if _is_script(each))),
        loaded_frames=tuple(dict.fromkeys(_url(each.address) for each in beside if _is_frame(each, document, exchanges))),
    )


def _final(exchanges: t.Sequence[Exchange], first: Exchange) -> Exchange | None:
    """Return the answer at the end of the redirects of a request."""
    current, seen = first, 0
    while current.status in _REDIRECTS and seen <= len(exchanges):
        target = _location(current)
        position = exchanges.index(current)
        following = [each for each in exchanges[position + 1 :] if target is not None and each.address == target]
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
        if not isinstance(name, str) or not isinstance(value, str):
            raise Unread("the recording has a header without name or value")
        # Browsers join what was sent several times with line ends.
        headers[name.lower()] = (*headers.get(name.lower(), ()), *value.split("\n"))
    return headers


def _body(content: t.Mapping[str, Json]) -> bytes:
    text = content.get("text")
    if not isinstance(text, str):
        raise Unread("the recording lacks the content of its answer; save it with content")
    if content.get("encoding") == "base64":
        try:
            return base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            raise Unread("the content of its answer in the recording is not Base64") from None
    # Text was decoded by the browser, and is read as it is.
    return b"\xef\xbb\xbf" + text.encode("utf-8", "surrogatepass")


def _url(address: Address) -> str:
    """Return what names a resource in each recording: those that a script made have another name each time."""
    return str(address) if address.authority else f"{address.scheme}:"


def _media_type(exchange: Exchange) -> str:
    return str(dict_of(exchange.response.get("content")).get("mimeType") or "").lower()


def _is_script(exchange: Exchange) -> bool:
    return exchange.kind == "script" or any(word in _media_type(exchange) for word in _SCRIPT_TYPES)


def _is_frame(exchange: Exchange, document: Exchange, exchanges: t.Sequence[Exchange]) -> bool:
    """Return whether an answer is a document in the page, and not the page or what redirected to it; not every browser says which it is."""
    if exchange.address == document.address or exchange.kind not in ("document", ""):
        return False
    if not exchange.kind and "html" not in _media_type(exchange):
        return False
    return not (exchange.status in _REDIRECTS and _final(exchanges, exchange) is document)


def age_of(recorded_at: str | None, at: datetime.datetime) -> float | None:
    """Return how many days before a time a recording was made, counted in days of UTC; None if it does not say."""
    made = parse_time(recorded_at)
    return None if made is None else (at.date() - made.date()).days
