# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._baseline.pattern import without_query
from .._core import ENFORCE_RULE, WEAKEN_RULE, Effect, Json
from .._observed import Known, Unknown
from .._policy.comparison import LISTED, Difference, compare, narrowing
from .._policy.facts import EXTENSIONS, SCRIPT_SRC
from .._policy.matching import Resource, governs, is_allowed, may_allow, source_of
from .._policy.parse import Policy
from .._redact import clean_text
from .._text import shorten
from .facts import ACTIONS, LOG
from .rule import Evidence, Rule
from .violations import Seen, Window

# What a change of a rule enforces or no longer enforces, what has to be known before it is written, and what was seen.


def effects_of(before: Rule | None, after: Rule | None) -> tuple[Effect, ...]:
    """Return what a change of a rule enforces, and what of it is no longer enforced; both where it is not known whether it enforces."""
    rule = after or before
    subject = rule.description if rule else None
    known = all(side is None or side.enforces is side.may_enforce for side in (before, after))
    if not known:
        return (Effect(ENFORCE_RULE, subject), Effect(WEAKEN_RULE, subject)) if _decides(before) != _decides(after) else ()
    had, has = before is not None and before.enforces, after is not None and after.enforces
    if had is not has:
        return (Effect(ENFORCE_RULE if has else WEAKEN_RULE, subject),)
    if before is None or after is None or not has:
        return ()
    moved = ("expression",) if before.expression != after.expression else ()
    difference = compare(before.policy, after.policy) if before.text != after.text else Difference((), ())
    sides = ((ENFORCE_RULE, difference.lost), (WEAKEN_RULE, difference.gained))
    return tuple(Effect(name, subject, tuple(sorted((*moved, *detail)))) for name, detail in sides if moved or detail)


def _decides(rule: Rule | None) -> object:
    return None if rule is None else (rule.action, rule.enabled, rule.expression, rule.text)


def begins(before: Rule | None, after: Rule) -> bool:
    """Return whether a rule begins to enforce, as far as is known."""
    if before is None or not before.may_enforce:
        return after.may_enforce
    return after.enforces and not before.enforces


def blocks_more(before: Rule | None, after: Rule | None) -> bool:
    """Return whether more may be blocked after a change than before."""
    if after is None or not after.may_enforce:
        return False
    if before is None or begins(before, after):
        return True
    if before.text == after.text:
        return before.expression != after.expression
    return before.expression != after.expression or bool(compare(before.policy, after.policy).lost)


def has_reports(before: Rule | None, after: Rule | None) -> bool:
    """Return whether to ask what a rule reported; what an enforced rule reported it blocks already."""
    return before is not None and after is not None and blocks_more(before, after) and begins(before, after)


def is_unseen(before: Rule | None, after: Rule | None) -> bool:
    """Return whether nobody can have seen what a change blocks: the rule is new, evaluates nothing now, or its policy cannot be told."""
    return blocks_more(before, after) and not _is_evaluated(before)


def _is_evaluated(rule: Rule | None) -> bool:
    return (
        rule is not None and rule.enabled and rule.action in ACTIONS and rule.policy is not None and bool(rule.policy.directives)
    )


def is_moved(before: Rule | None, after: Rule | None) -> bool:
    """Return whether a rule is to block on other requests than now."""
    return before is not None and after is not None and blocks_more(before, after) and before.expression != after.expression


def is_in_use(rule: Rule | None, resource: Resource) -> bool:
    """Return whether a listed resource is one that a rule does not block at present, as far as that is known."""
    return rule is None or rule.policy is None or not _is_evaluated(rule) or may_allow(rule.policy, resource)


def is_silent(rule: Rule, evidence: Evidence) -> bool:
    """Return whether a logged rule has certainly no report at all."""
    return _logged(rule, evidence) == ((), ())


def is_outdated(rule: Rule, evidence: Evidence) -> bool:
    """Return whether no report of a logged rule shows that its present policy was seen.

    A report that the policy allows, and that is not of the last day, is of an earlier policy. Extensions of browsers and reports without
    an address are blocked by each policy, so that they may be of an earlier one, too.
    """
    seen, reports, policy = _logged(rule, evidence), evidence.reports, rule.policy
    if seen is None or seen.gaps or not seen.resources or policy is None or not isinstance(reports, Known):
        return False
    lately = reports.value.recent
    return all(
        is_of_no_page(resource) or (is_allowed(policy, resource) and (resource.directive, source_of(resource.url)) not in lately)
        for resource in seen.resources
    )


def is_of_no_page(resource: Resource) -> bool:
    """Return whether a report says nothing about the pages of a zone: an extension of a browser, or no address."""
    return not resource.url or resource.url.partition(":")[0].lower() in EXTENSIONS


def _logged(rule: Rule, evidence: Evidence) -> Seen | None:
    """Return what was reported of a rule that is logged; None if that is not known."""
    is_logged = rule.enabled and rule.action == LOG and isinstance(evidence.reports, Known)
    return evidence.reports.value.only_of(rule.id) if is_logged and isinstance(evidence.reports, Known) else None


def narrowed_listings(before: Rule | None, after: Rule | None) -> tuple[str, ...]:
    """Return the listed directives in which a change allows less than the present policy."""
    if before is None or after is None or not blocks_more(before, after) or before.policy is None or after.policy is None:
        return ()
    return narrowing(before.policy, after.policy).listed


def governed_listings(policy: Policy | None) -> tuple[str, ...]:
    """Return the directives that show whether a policy that nobody reported works: those that it governs, or the scripts."""
    governed = tuple(name for name in LISTED if policy is not None and policy.governing(name))
    return governed or (SCRIPT_SRC,)


class Blocked(t.NamedTuple):
    """A source that a policy blocks: the directive that governs it, how often, on which hosts, and an example page."""

    directive: str
    source: str
    times: int | None
    hosts: tuple[str, ...]
    page: str | None

    def show(self) -> dict[str, Json]:
        members = {"directive": self.directive, "source": self.source, "count": self.times}
        return {**members, "hosts": list(self.hosts), "page": self.page}

    def describe(self) -> str:
        """Return the source for a message, with the place where it was seen."""
        often = [] if self.times is None else ["once" if self.times == 1 else f"{self.times} times"]
        hosts = [f"on {', '.join(self.hosts[:3])}{' and more' if len(self.hosts) > 3 else ''}"] if self.hosts else []
        page = [f"such as {shorten(self.page, 200)}"] if self.page else []
        where = ", ".join((*often, *hosts, *page))
        return f"{self.directive} {shorten(self.source, 200)}{f' ({where})' if where else ''}"


def grouped(policy: Policy | None, resources: t.Iterable[Resource]) -> tuple[Blocked, ...]:
    """Return resources by source and the directive of a policy that governs them, the most frequent first."""
    groups: dict[tuple[str, str], list[Resource]] = {}
    for resource in resources:
        directive = governs(policy, resource.directive) if policy else resource.directive
        groups.setdefault((directive, source_of(resource.url)), []).append(resource)
    blocked = []
    for (directive, source), group in groups.items():
        counts = [resource.times for resource in group if resource.times is not None]
        hosts = tuple(sorted({clean_text(resource.host) for resource in group if resource.host}))
        pages = sorted(
            (-(resource.times or 0), clean_text(without_query(resource.page.partition("#")[0])))
            for resource in group
            if resource.page
        )
        page = pages[0][1] if pages else None
        blocked.append(Blocked(directive, source, sum(counts) if counts else None, hosts, page))
    return tuple(sorted(blocked, key=lambda source: (-(source.times or 0), source.directive, source.source)))


def show_violations(
    window: Window | None,
    resources: t.Sequence[Resource],
    gaps: t.Sequence[Unknown],
    blocked: t.Sequence[Blocked],
) -> dict[str, Json]:
    """Return what was asked for as results contain it; without a window, a listing."""
    counts = [resource.times for resource in resources if resource.times is not None]
    return {
        "available": not gaps,
        "reason": gaps[0].message if gaps else None,
        "since": window.since if window else None,
        "until": window.until if window else None,
        "shortened": window.shortened if window else None,
        "total": None if gaps or window is None else sum(counts),
        "blocked": [source.show() for source in blocked],
    }
