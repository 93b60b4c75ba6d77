# SPDX-License-Identifier: GPL-3.0-or-later

"""Response headers, and what a document says in their place, in a form in which equal meanings are equal."""

from __future__ import annotations

import collections
import re
import typing as t
from urllib.parse import urlsplit

from .facts import CSP, CSP_REPORT_ONLY, HSTS, POLICIES
from .url import lower, words_of

NONCE = "'nonce-*'"

# Any other nonce is none for browsers, so that it does not switch off 'unsafe-inline'.
_NONCE = re.compile(r"'nonce-(?:[A-Za-z0-9+/_-]+={0,2}|\*)'", re.IGNORECASE | re.ASCII)
_MARK = re.compile(re.escape(NONCE), re.IGNORECASE | re.ASCII)
_KEYWORD = re.compile(r"'(?!sha[0-9]+-|nonce-)[a-z0-9-]+'", re.IGNORECASE | re.ASCII)
_PLACE = re.compile(r"\A(?:[a-z][a-z0-9+.-]*:)?(?://)?[^/']*", re.IGNORECASE | re.ASCII)
_WITH_SOURCES = re.compile(r".*-src(?:-elem|-attr)?|base-uri|form-action|frame-ancestors|navigate-to")
# What HTTP allows around a value; a folded line has its end in it.
_BLANKS = "\t\n\r "
_QUOTED = re.compile(r'"([^"]*)"')
_IGNORE_CASE = frozenset(("x-frame-options", "x-content-type-options", "referrer-policy"))
# Headers with addresses that reports are sent to; their queries carry numbers of releases.
_REPORTING = frozenset(("reporting-endpoints", "report-to"))
_QUERY = re.compile(r"(\"[^\"?]*)\?[^\"]*(?=\")")
_SAMPLED_PATH, _SAMPLED_HOST = "/cdn-cgi/script_monitor/report", "csp-reporting.cloudflare.com"

Directives = dict[str, tuple[str, ...]]


class Difference(t.NamedTuple):
    """What a header is and should be, as text; of a policy only what differs. None: it is absent."""

    name: str
    is_text: str | None
    should_be: str | None


def parse_policies(values: t.Iterable[str]) -> list[Directives]:
    """Return the policies of several headers; each comma begins one, as browsers read them. A directive counts where it comes first."""
    policies = []
    for text in (part for value in values for part in value.split(",")):
        policy: Directives = {}
        for name, words in _directives(text):
            policy.setdefault(name, words)
        if policy:
            policies.append(policy)
    return policies


def find_duplicate(value: str) -> str | None:
    """Return a directive that a policy has twice, which its author cannot have meant; None if there is none."""
    for text in value.split(","):
        names = [name for name, _words in _directives(text)]
        duplicates = [name for name in names if names.count(name) > 1]
        if duplicates:
            return duplicates[0]
    return None


def _directives(text: str) -> t.Iterator[tuple[str, tuple[str, ...]]]:
    for part in text.split(";"):
        words = words_of(part)
        if words:
            name = lower(words[0])
            yield name, tuple(_sources(name, words[1:]))


def _sources(directive: str, words: t.Iterable[str]) -> list[str]:
    """Return the words of a directive: nonces as one mark each, spelled the same where case means nothing."""
    sources: list[str] = []
    for word in dict.fromkeys(words):
        if _NONCE.fullmatch(word):
            sources.append(NONCE)  # two of them are two
        elif directive == "report-uri":
            sources.append(word.partition("?")[0])
        elif _WITH_SOURCES.fullmatch(directive):
            sources.append(_source(word))
        else:
            sources.append(word)
    return sources


def _source(word: str) -> str:
    if _KEYWORD.fullmatch(word):
        return lower(word)
    if word.startswith("'"):
        return word
    return _PLACE.sub(lambda place: lower(place[0]), word, count=1)


def policy_text(policy: Directives) -> str:
    return "; ".join(" ".join((name, *words)) for name, words in policy.items())


def _policy_key(policy: Directives) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple(sorted((name, tuple(sorted(words))) for name, words in policy.items()))


def is_sampled(policy: Directives, host: str) -> bool:
    """Return whether a policy is the one with which the service samples what browsers load; it comes and goes by itself."""
    addresses = policy.get("report-uri", ())
    if len(addresses) != 1 or "report-to" in policy:
        return False
    try:
        parts = urlsplit(addresses[0])
        name = parts.hostname
    except ValueError:
        return False
    return parts.path == _SAMPLED_PATH and (name in (_SAMPLED_HOST, host) or (name is None and not parts.scheme))


def shown(name: str, values: t.Sequence[str], host: str) -> tuple[list[str], list[str]]:
    """Return the values of a header as they are shown and compared, and those that are left out."""
    if name not in POLICIES:
        return [_plain(name, value) for value in values], []
    # The mark in what was sent is no nonce.
    policies = parse_policies(_MARK.sub("'nonce-'", value) for value in values)
    sampled = [policy for policy in policies if name == CSP_REPORT_ONLY and is_sampled(policy, host)]
    return [policy_text(policy) for policy in policies if policy not in sampled], [policy_text(policy) for policy in sampled]


def _plain(name: str, value: str) -> str:
    text = value.strip(_BLANKS)
    return _QUERY.sub(r"\1", text) if name in _REPORTING else text


def key_of(name: str, values: t.Sequence[str]) -> t.Any:
    """Return what is equal for equal meanings of a header."""
    if name in POLICIES:
        return sorted(map(_policy_key, parse_policies(values)))
    if name == HSTS:
        return [sorted(_hsts(value)) for value in values]
    texts = [_plain(name, value) for value in values]
    return [lower(text) for text in texts] if name in _IGNORE_CASE else texts


def _hsts(value: str) -> t.Iterator[str]:
    for part in value.split(";"):
        name, equals, number = part.strip(_BLANKS).partition("=")
        if name:
            yield lower(name.strip(_BLANKS)) + equals + _QUOTED.sub(r"\1", number.strip(_BLANKS))


def compare(name: str, seen: t.Sequence[str], declared: t.Sequence[str]) -> Difference | None:
    """Return how the values of a header differ from those that are declared, None if they do not."""
    if key_of(name, seen) == key_of(name, declared):
        return None
    if name in POLICIES and seen and declared:
        is_text, should_be = _of_policies(seen, declared)
    else:
        is_text, should_be = ", ".join(seen), ", ".join(declared)
    return Difference(name, is_text or None, should_be or None)


def _of_policies(seen: t.Sequence[str], declared: t.Sequence[str]) -> tuple[str, str]:
    """Return what of policies is too much, and what is missing."""
    ours, theirs = parse_policies(seen), parse_policies(declared)
    same = collections.Counter(map(_policy_key, ours)) & collections.Counter(map(_policy_key, theirs))
    left, right = _without(ours, same), _without(theirs, same)
    if len(left) == 1 and len(right) == 1:
        return _more(left[0], right[0]), _more(right[0], left[0])
    return ", ".join(map(policy_text, left)), ", ".join(map(policy_text, right))


def _without(policies: t.Sequence[Directives], same: t.Mapping[t.Any, int]) -> list[Directives]:
    rest, kept = collections.Counter(same), []
    for policy in policies:
        if rest[_policy_key(policy)]:
            rest[_policy_key(policy)] -= 1
        else:
            kept.append(policy)
    return kept


def _more(one: Directives, other: Directives) -> str:
    """Return what one policy has and another one lacks."""
    parts = []
    for name, words in one.items():
        if name not in other:
            parts.append(" ".join((name, *words)))
            continue
        extra = collections.Counter(words) - collections.Counter(other[name])
        if extra:
            parts.append(" ".join((name, *extra.elements())))
    return "; ".join(parts)


def is_only_reported(name: str, seen: t.Mapping[str, t.Sequence[str]], declared: t.Sequence[str]) -> bool:
    """Return whether a policy that should be enforced is only reported."""
    if name != CSP:
        return False
    reported = {_policy_key(policy) for policy in parse_policies(seen.get(CSP_REPORT_ONLY, ()))}
    enforced = {_policy_key(policy) for policy in parse_policies(seen.get(CSP, ()))}
    return any(_policy_key(policy) in reported - enforced for policy in parse_policies(declared))
