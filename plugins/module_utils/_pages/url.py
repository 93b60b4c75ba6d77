# SPDX-License-Identifier: GPL-3.0-or-later

"""Addresses as browsers read them (URL standard), which is not how Python does: they take a backslash for a slash and drop line ends."""

from __future__ import annotations

import ipaddress
import re
import string
import typing as t
import unicodedata
from urllib.parse import quote, unquote_to_bytes

# What ends a word for browsers; Python takes more characters for blanks, and more letters for capitals.
BLANKS = "\t\n\f\r "
_WORD = re.compile(rf"[^{BLANKS}]+")
_CAPITALS = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_BLANK = "".join(map(chr, range(33)))
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_DEFAULT_PORTS: t.Mapping[str, int] = {"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21}
_SLASHES = re.compile(r"[/\\]+")
_END_OF_HOST = re.compile(r"[/\\?#]")
_FORBIDDEN_IN_HOST = re.compile(r"[\x00-\x20\"#%/:<>?@\[\\\]^`{|}\x7f]")
_ONE_DOT = frozenset((".", "%2e"))
_TWO_DOTS = frozenset(("..", ".%2e", "%2e.", "%2e%2e"))
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")
# What is not encoded, beside letters, digits and -._~ (the standard's sets, turned around).
_IN_PATH = "!$%&'()*+,/:;=@[]"
_IN_QUERY = "!$%&()*+,/:;=@[]|\\?^`{}"
_DOTS = str.maketrans("\u3002\uff0e\uff61", "...", "\u00ad\u200b\u2060\ufeff" + "".join(map(chr, range(0xFE00, 0xFE10))))


class Address(t.NamedTuple):
    """An address that a browser can follow: `authority` with user information, empty for what has no host."""

    scheme: str
    authority: str
    rest: str

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.rest}" if self.scheme in _DEFAULT_PORTS else f"{self.scheme}:{self.rest}"

    @property
    def origin(self) -> str:
        """Return scheme, host and port; of what has none, the scheme with its colon."""
        return f"{self.scheme}://{self.authority.rpartition('@')[2]}" if self.authority else f"{self.scheme}:"

    @property
    def host(self) -> str:
        return re.sub(r":[0-9]+$", "", self.authority.rpartition("@")[2])

    @property
    def has_user(self) -> bool:
        return "@" in self.authority

    @property
    def is_loopback(self) -> bool:
        """Return whether the host is this machine, by its text: nothing is resolved."""
        host = self.host.rstrip(".")
        if host == "localhost" or host.endswith(".localhost"):
            return True
        try:
            address = ipaddress.ip_address(host.strip("[]"))
        except ValueError:
            return False
        mapped = getattr(address, "ipv4_mapped", None) or address
        return mapped.is_loopback or mapped.is_unspecified


def words_of(text: str) -> list[str]:
    """Return the words of a text, as browsers separate them."""
    return _WORD.findall(text)


def lower(text: str) -> str:
    """Return a text without capitals, as browsers compare: the letters of ASCII have them alone."""
    return text.translate(_CAPITALS)


def plain(text: str) -> str:
    """Return the text of an address without what browsers drop before they look at it."""
    return text.strip(_BLANK).replace("\t", "").replace("\n", "").replace("\r", "")


def parse(text: str, base: Address | None = None) -> Address | None:
    """Return the address that a browser makes of a text, without fragment; None where it makes none."""
    text = plain(text)
    match = _SCHEME.match(text)
    if match:
        scheme, rest = match[1].lower(), text[match.end() :]
        if scheme not in _DEFAULT_PORTS:
            return Address(scheme, "", rest.partition("#")[0])
        if base is None or base.scheme != scheme or rest.startswith("//"):
            return _with_host(scheme, _SLASHES.sub("", rest, count=1) if rest[:1] in ("/", "\\") else rest)
        text = rest
    if base is None or not base.authority:
        return None
    if len(text) > 1 and text[0] in "/\\" and text[1] in "/\\":
        return _with_host(base.scheme, text.lstrip("/\\"))
    path, query = _parts(text)
    base_path, base_query = _parts(base.rest)
    if not path:
        return base._replace(rest=_joined(base_path, base_query if query is None else query))
    if path[0] not in "/\\":
        path = base_path[: base_path.rfind("/") + 1] + path
    return base._replace(rest=_joined(path, query))


def _parts(text: str) -> tuple[str, str | None]:
    """Return path and query of an address without its host, and without fragment."""
    path, mark, query = text.partition("#")[0].partition("?")
    return path, query if mark else None


def _with_host(scheme: str, text: str) -> Address | None:
    end = _END_OF_HOST.search(text)
    authority, rest = (text[: end.start()], text[end.start() :]) if end else (text, "")
    user, at, place = authority.rpartition("@")
    host, port = _host_and_port(place)
    if host is None or port is None:
        return None
    number = f":{int(port)}" if port and int(port) != _DEFAULT_PORTS[scheme] else ""
    return Address(scheme, f"{quote(user, safe='!$%&()*+,;=:')}{at}{host}{number}", _joined(*_parts(rest)))


def _host_and_port(place: str) -> tuple[str | None, str | None]:
    """Return the host in the form in which browsers send it, and its port, "" for none; None for what cannot be one."""
    match = re.fullmatch(r"(\[[^\]]*\]|[^:]*)(?::([0-9]*))?", place, re.DOTALL)
    if match is None or (match[2] and int(match[2][:6]) > 65535):
        return None, None
    return _host(match[1]), match[2] or ""


def _host(text: str) -> str | None:
    if text.startswith("["):
        try:
            return f"[{ipaddress.IPv6Address(text[1:-1]).compressed}]"
        except ValueError:
            return None
    host = unquote_to_bytes(text).decode("utf-8", "replace")
    if not host.isascii():
        # As the standard maps names, with the characters that its tables drop; IDNA of Python maps some letters to others.
        host = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", host.translate(_DOTS)).lower())
        host = ".".join(
            label if label.isascii() else "xn--" + label.encode("punycode").decode("ascii") for label in host.split(".")
        )
    host = host.lower()
    if not host or _FORBIDDEN_IN_HOST.search(host):
        return None
    return _number_as_host(host) if _NUMBER.fullmatch(host.removesuffix(".").rpartition(".")[2]) else host


def _number_as_host(host: str) -> str | None:
    """Return the IPv4 address that a host ending in a number is."""
    parts = host.removesuffix(".").split(".")
    if len(parts) > 4 or not all(map(_NUMBER.fullmatch, parts)):
        return None
    try:
        numbers = [
            int(part[2:] or "0", 16) if part[:2] in ("0x", "0X") else int(part, 8 if part[0] == "0" and part != "0" else 10)
            for part in parts
        ]
    except ValueError:
        return None
    *first, last = numbers
    if any(number > 255 for number in first) or last >= 256 ** (5 - len(numbers)):
        return None
    value = last + sum(number << 8 * (3 - index) for index, number in enumerate(first))
    return str(ipaddress.IPv4Address(value))


def _joined(path: str, query: str | None) -> str:
    segments: list[str] = []
    parts = re.split(r"[/\\]", path[1:] if path[:1] in ("/", "\\") else path)
    for index, segment in enumerate(parts):
        is_last = index == len(parts) - 1
        if segment.lower() in _TWO_DOTS:
            del segments[-1:]
        elif segment.lower() not in _ONE_DOT:
            segments.append(segment)
            continue
        if is_last:
            segments.append("")
    text = "/" + quote("/".join(segments), safe=_IN_PATH, errors="replace")
    return text if query is None else f"{text}?{quote(query, safe=_IN_QUERY, errors='replace')}"
