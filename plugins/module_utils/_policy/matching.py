# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import functools
import re
import typing as t
from urllib.parse import quote, unquote, urlsplit

from .._redact import clean_text
from .facts import (
    EMPTY,
    FRAME_ANCESTORS,
    NONE,
    REPORT_SAMPLE,
    REPORTED_WORDS,
    SCRIPT_DIRECTIVES,
    SELF,
    STRICT_DYNAMIC,
    UNSAFE_EVAL,
    UNSAFE_INLINE,
    WASM_EVAL,
)
from .parse import HOST_SOURCE, UNENCODED, Policy, Sources

# How browsers match a resource against a policy (Content Security Policy Level 3, 6.7.2), as far as a report shows it.

# The schemes that a source with this scheme allows as well, because they are at least as secure.
_UPGRADES: t.Mapping[str, frozenset[str]] = {
    "http": frozenset(("http", "https")),
    # Level 3 has http and https as well, which Chromium blocks.
    "ws": frozenset(("ws", "wss")),
}
_NETWORK = frozenset(("http", "https", "ws", "wss"))
_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*", re.IGNORECASE)
# An address without a host, such as `data:`; of these, a host is needed.
_ONLY_SCHEME = re.compile(r"(?!(?:https?|wss?):)[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_HASH_OR_NONCE = ("'sha", "'nonce-")


class Resource(t.NamedTuple):
    """What a page loaded or tried to load: the directive concerned, a URL or a word such as `inline`, and where."""

    directive: str
    url: str
    host: str = ""
    page: str = ""
    # How often it was reported; None if it is listed and not reported.
    times: int | None = None


class Origin(t.NamedTuple):
    scheme: str
    host: str
    port: int | None


class Location(t.NamedTuple):
    """The parts of a URL that sources are compared with."""

    origin: Origin
    path: str


class HostSource(t.NamedTuple):
    scheme: str
    host: str
    port: int | None
    path: str


@functools.lru_cache(maxsize=4096)
def _host_source(source: str) -> HostSource | None:
    """Return the parts of a source with a host; None for a keyword, a hash or a scheme."""
    match = HOST_SOURCE.fullmatch(source)
    return HostSource(match[1] or "", match[2], int(match[3]) if match[3] else None, match[4] or "") if match else None


@functools.lru_cache(maxsize=4096)
def locate(url: str) -> Location | None:
    """Return the parts of a URL with a host; None for any other text."""
    try:
        parts = urlsplit(url)
        # For browsers, a host with a dot at its end is another one.
        scheme, host = parts.scheme.lower(), parts.hostname or ""
        return Location(Origin(scheme, host, parts.port or _PORTS.get(scheme)), parts.path) if scheme and host else None
    except ValueError:
        return None


def source_of(url: str) -> str:
    """Return the source that would allow a resource: its address without query, its scheme, or a keyword; `empty` without an address."""
    if not url.strip():
        return EMPTY
    word = REPORTED_WORDS.get(url.lower())
    if word:
        return word
    location = locate(url)
    if location is not None:
        scheme, host, port = location.origin
        port_text = "" if port == _PORTS.get(scheme) else f":{port}"
        return f"{scheme}://{clean_text(host)}{port_text}{quote(location.path, safe=UNENCODED)}"
    scheme = url.partition(":")[0]
    return f"{scheme.lower()}:" if _SCHEME.fullmatch(scheme) else clean_text(url)


def is_allowed(policy: Policy, resource: Resource) -> bool:
    """Return whether a policy allows a resource, as far as it is named."""
    governing = policy.governing(resource.directive)
    if governing is None:
        return True
    if resource.directive == FRAME_ANCESTORS:
        # Browsers name the page, or nothing, and never who embeds it.
        return "*" in governing[1]
    return _any_matches(in_effect(resource.directive, governing[1]), resource)


def may_allow(policy: Policy, resource: Resource) -> bool:
    """Return whether a policy allows a listed resource, or might: what the listing hides of it counts in favour of the policy.

    It can hide the page, on which `'self'` and sources without a scheme depend, and the path of an address.
    """
    policies = [policy]
    location = locate(resource.url)
    if location is not None and location.path in ("", "/"):
        policies.append(policy._replace(directives={name: _without_paths(own) for name, own in policy.directives.items()}))
    pages = [resource.page]
    if locate(resource.page) is None:
        pages = [f"https://{resource.host}", f"http://{resource.host}"] if resource.host else [resource.url]
    return any(is_allowed(policy, resource._replace(page=page)) for policy in policies for page in pages)


def _without_paths(sources: Sources) -> Sources:
    parts = [(source, _host_source(source)) for source in sources]
    return tuple(source.removesuffix(part.path) if part and part.path else source for source, part in parts)


def is_named(policy: Policy, resource: Resource) -> bool:
    """Return whether a source of a policy is about a resource, even if other sources switch it off."""
    governing = policy.governing(resource.directive)
    return governing is not None and _any_matches(governing[1], resource)


def is_readable(url: str) -> bool:
    """Return whether an address can be compared with sources: it has a host, or at least a scheme."""
    return locate(url) is not None or bool(_ONLY_SCHEME.match(url))


def is_hidden(source: str) -> bool:
    """Return whether what a source allows has no address with a host: a keyword, a hash, or a scheme such as `blob:`."""
    return source.startswith("'") or (source.endswith(":") and source[:-1] not in _NETWORK)


def switched_off(directive: str, sources: Sources) -> Sources:
    """Return the sources that others of the same directive switch off."""
    kept = in_effect(directive, sources)
    return tuple(source for source in sources if source not in (*kept, NONE, REPORT_SAMPLE))


def governs(policy: Policy, directive: str) -> str:
    """Return the directive of a policy that governs another one; the other one itself if none does."""
    governing = policy.governing(directive)
    return governing[0] if governing else directive


def in_effect(directive: str, sources: Sources) -> Sources:
    """Return the sources that count (Content Security Policy Level 3, 6.7.3 and 8.2).

    A hash, a nonce and, for scripts, 'strict-dynamic' switch off 'unsafe-inline'; the latter also switches off hosts, schemes and 'self'.
    """
    is_strict = STRICT_DYNAMIC in sources and directive in SCRIPT_DIRECTIVES
    has_inline = not is_strict and not any(source.startswith(_HASH_OR_NONCE) for source in sources)
    ignored = {NONE, REPORT_SAMPLE, *(() if has_inline else (UNSAFE_INLINE,)), *((SELF,) if is_strict else ())}
    return tuple(source for source in sources if source not in ignored and (source.startswith("'") or not is_strict))


def newly_allows(old: Policy, new: Policy, resource: Resource) -> bool:
    """Return whether a policy may allow, with a source of its own, what another one allows on paper and browsers blocked all the same.

    Such a report is about a redirect, of which it names the address before it. After a redirect paths do not count, and what leads to a
    second scheme or port of the same host is no reason to believe that nothing is blocked. So only a source for more hosts counts.
    """
    present, governing = old.governing(resource.directive), new.governing(resource.directive)
    if present is None or governing is None:
        return present is not None
    location = locate(resource.url)
    if location is None:
        return False
    had, has = (
        {_hosts(source, location) for source in _matching(in_effect(resource.directive, sources), resource)}
        for _name, sources in (present, governing)
    )
    return any(not any(_fits_host(known, host) for known in had) for host in has)


def _hosts(source: str, location: Location) -> str:
    """Return for which hosts a source is that matches a location."""
    parts = _host_source(source)
    return parts.host if parts else location.origin.host if source == SELF else "*"


def _any_matches(sources: Sources, resource: Resource) -> bool:
    return bool(_matching(sources, resource))


def _matching(sources: Sources, resource: Resource) -> list[str]:
    """Return the sources that match a resource."""
    word = REPORTED_WORDS.get(resource.url.lower())
    if word:
        return [source for source in sources if source == word or (word == WASM_EVAL and source == UNSAFE_EVAL)]
    location = locate(resource.url)
    page = locate(resource.page) or locate(f"https://{resource.host}")
    if location is None:
        scheme = resource.url.partition(":")[0].lower()
        return [source for source in sources if source == f"{scheme}:"]
    return [source for source in sources if _matches(source, location, page.origin if page else None)]


def _matches(source: str, location: Location, page: Origin | None) -> bool:
    url = location.origin
    if source == "*":
        return url.scheme in _NETWORK
    if source == SELF:
        return page is not None and _is_same_site(page, url)
    if source.endswith(":"):
        return _fits_scheme(source[:-1], url.scheme)
    parts = _host_source(source)
    if parts is None:
        return False
    # Without a scheme, that of the page counts: a page of https connects with wss only where a source says so, or 'self'.
    scheme = parts.scheme or (page.scheme if page else "https")
    if not _fits_scheme(scheme, url.scheme) or (scheme != url.scheme and parts.port not in (None, 80)):
        return False
    fits_port = _fits_port(parts, url, upgraded=scheme != url.scheme)
    return fits_port and _fits_host(parts.host, url.host) and _fits_path(parts.path, location.path)


def _fits_scheme(scheme: str, actual: str) -> bool:
    return scheme == actual or actual in _UPGRADES.get(scheme, ())


def _fits_host(host: str, actual: str) -> bool:
    """Return whether the host of a source is, or stands for, a host or all those of a second source."""
    return host in ("*", actual) or (host.startswith("*.") and actual.endswith(host[1:]) and len(actual) > len(host) - 1)


def _fits_port(source: HostSource, url: Origin, *, upgraded: bool) -> bool:
    """Return whether the port of a source fits; browsers take 443 for 80 only together with the safe form of the scheme."""
    if source.port is None:
        return url.port == _PORTS.get(url.scheme)
    return source.port == url.port or (source.port == 80 and url.port == 443 and upgraded)


def _fits_path(source_path: str, actual: str) -> bool:
    if not source_path:
        return True
    allowed, path = unquote(source_path), unquote(actual) or "/"
    return path.startswith(allowed) if allowed.endswith("/") else path == allowed


def _is_same_site(page: Origin, url: Origin) -> bool:
    both_default = page.port == _PORTS.get(page.scheme) and url.port == _PORTS.get(url.scheme)
    secure = url.scheme in ("https", "wss") or (page.scheme == "http" and url.scheme == "ws")
    return page.host == url.host and (page.port == url.port or both_default) and (page.scheme == url.scheme or secure)


def covers(broad: str, narrow: str) -> bool:
    """Return whether everything that one source allows is allowed by another one."""
    if broad == narrow:
        return True
    inner, outer = _host_source(narrow), _host_source(broad)
    scheme = inner.scheme if inner else narrow[:-1] if narrow.endswith(":") else None
    if broad == "*":
        return narrow == SELF or (scheme is not None and (scheme in _NETWORK or scheme == ""))
    if broad.endswith(":"):
        return bool(scheme) and _fits_scheme(broad[:-1], str(scheme))
    if outer is None or inner is None:
        return False
    # Without a scheme, that of the page counts, and https is as good as any.
    is_scheme = _fits_scheme(outer.scheme, inner.scheme) if outer.scheme else inner.scheme in ("", "https")
    is_path = not outer.path or outer.path == inner.path or (outer.path.endswith("/") and inner.path.startswith(outer.path))
    return is_scheme and _fits_host(outer.host, inner.host) and outer.port == inner.port and is_path
