# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import typing as t

from ...module_utils._content_rules.facts import DEFAULT_LOOK_BACK_DAYS
from ...module_utils._core import CONTENT_SECURITY_RULES
from ...module_utils._policy.facts import STRICT_DYNAMIC
from ...module_utils._policy.matching import Resource, in_effect, is_allowed
from ...module_utils._policy.parse import Policy, read_policy
from ...module_utils._text import dict_of, is_integer, list_of
from ...module_utils._zone.result import ZoneResult
from .._words import plural
from .document import Copied
from .items import Problem, problem

# What an audit finds in the content security rules of a zone.


def rules(result: ZoneResult) -> t.Iterator[Problem]:
    """Yield content security rules that must not be enforced yet, that are not known whole, and those that no item declares."""
    refused: dict[str, list[str]] = collections.defaultdict(list)
    # The refusal of a job is a difference.
    for refusal in (item for item in result.get("refusals") or () if "rule" in item):
        refused[str(refusal.get("rule"))].append(_blocked(refusal))
    for description, sources in refused.items():
        known = [source for source in sources if source]
        reason = f"it would block {plural(len(known), 'source')}: {_first(known)}"
        if not known:
            reason = "it is not known yet what it would block"
        yield problem("enforcement_refused", description, f"it is not enforced, because {reason}")
    managed = result.get("content_security_rules") or {}
    for description, seen in dict_of(managed.get("violations")).items():
        # Whoever accepts that a rule enforces unobserved is told all the same what is not known.
        if seen and description not in refused and dict_of(seen).get("available") is not True:
            reason = f"what it blocks is not known whole: {dict_of(seen).get('reason')}"
            yield problem("not_readable", description, reason, resource=CONTENT_SECURITY_RULES)
    for label, rule in labelled_rules(item for item in managed.get("content_security_rules") or () if item):
        policy = read_policy(str(rule.get("value") or ""))
        if names := ", ".join(policy.unknown if policy else ()):
            reason = f"its policy has directives that are not known, so that what they allow is not: {names}"
            yield problem("not_readable", label, reason, "known directives", resource=CONTENT_SECURITY_RULES)
    for label, rule in labelled_rules(managed.get("unlisted_rules") or ()):
        action = rule.get("action")
        does = {"allow": "it enforces", "log": "it logs"}.get(str(action), f"its action is {action}")
        does = "it is disabled" if rule.get("enabled") is False else does
        yield problem("unlisted_rule", label, f"no item declares it; {does}")


def labelled_rules(rules: t.Iterable[Copied]) -> list[tuple[str, Copied]]:
    """Return rules with their descriptions, which need not be unique; a repeated one is followed by the id."""
    named = [(labels_of_rule(rule), rule) for rule in rules]
    count = collections.Counter(plain for (plain, _full), _rule in named)
    return [(plain if count[plain] == 1 else full, rule) for (plain, full), rule in named]


def labels_of_rule(rule: Copied) -> tuple[str, str]:
    """Return the label of a rule, and that of one whose description others have."""
    plain = str(rule.get("description") or rule.get("id"))
    return plain, f"{plain} (id {rule.get('id')})"


def violations(rules: t.Iterable[Copied]) -> t.Iterator[Problem]:
    """Yield what browsers reported of content security rules: what their policies block, and what these allow by now."""
    for label, rule in labelled_rules(rules):
        seen = dict_of(rule.get("violations"))
        sources = [dict_of(source) for source in list_of(seen.get("blocked"))]
        value = rule.get("value")
        policy = read_policy(value) if isinstance(value, str) else None
        allowed = [source for source in sources if policy is not None and _allows(policy, source)]
        blocked = [source for source in sources if source not in allowed]
        if seen and seen.get("available") is not True:
            reason = f"its violations cannot be read: {seen.get('reason')}"
            yield problem("not_readable", label, reason, resource=CONTENT_SECURITY_RULES)
        verb = "blocks" if rule.get("action") == "allow" else "would block"
        texts = [f"it {verb} {_counted(blocked)}"] if blocked else []
        texts += [f"browsers reported {_counted(allowed)}; {_ALLOWED_BY_NOW}"] if allowed else []
        if texts:
            yield problem("violations", label, "; ".join(texts), None if blocked else "")


# The window of a survey.
_ALLOWED_BY_NOW = (
    f"its policy allows them now: reports from before it did are shown for {DEFAULT_LOOK_BACK_DAYS} days, and reports that still come"
    " mean a redirect, or a keyword that switches sources off"
)


def _counted(sources: t.Sequence[Copied]) -> str:
    return f"{plural(len(sources), 'source')}: {_first([_blocked(source) or 'a source that is not shown' for source in sources])}"


def _allows(policy: Policy, blocked: Copied) -> bool:
    """Return whether a policy allows a reported source on each host where it was reported."""
    directive, source, hosts = (blocked.get(name) for name in ("directive", "source", "hosts"))
    if not isinstance(directive, str) or not isinstance(source, str) or not source:
        return False
    governing = policy.governing(directive)
    if governing is None:
        # A directive that is not known may be the one that blocks it.
        return bool(policy.directives) and not policy.unknown
    if STRICT_DYNAMIC in governing[1] or source.startswith("'"):
        return source in in_effect(directive, governing[1])
    names = [str(host) for host in list_of(hosts)] or [""]
    return all(is_allowed(policy, Resource(directive, source, host)) for host in names)


def _blocked(blocked: Copied) -> str:
    """Return a source that a rule blocks, with its directive and how often it was reported; "" if nothing is known of it."""
    source, directive = blocked.get("source"), blocked.get("directive")
    if not source and not directive:
        return ""
    often = f" ({plural(count, 'report')})" if is_integer(count := blocked.get("count")) else ""
    return f"{directive or 'unknown directive'} {source or 'without an address'}{often}"


def _first(texts: t.Sequence[str]) -> str:
    more = f" and {len(texts) - _MAX_SOURCES} more" if len(texts) > _MAX_SOURCES else ""
    return ", ".join(texts[:_MAX_SOURCES]) + more


_MAX_SOURCES = 10
