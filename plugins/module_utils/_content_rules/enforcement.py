# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._baseline.pattern import without_query
from .._core import ENFORCE_RULE, WEAKEN_RULE, Effect, Json
from .._policy.comparison import Difference, compare, missing
from .._policy.facts import CONNECT_SRC, SCRIPT_SRC, SELF, UNSAFE_EVAL, UNSAFE_INLINE
from .._policy.matching import Resource, governs, in_effect, is_allowed, source_of
from .._policy.parse import Policy
from .._redact import clean_text
from .._text import shorten
from .options import DesiredRule
from .rule import Observation, Rule

# What a change of a rule enforces or no longer enforces, what it would block, and whether that is known well enough to write it.

REPORTS, LISTING = "reports", "listing"
# The directives for which the zone lists what was loaded.
LISTED = (SCRIPT_SRC, CONNECT_SRC)
_MAX_SHOWN = 5
_MOVED = "its expression changes, so that nobody has seen what it would block on other requests"


def effects_of(before: Rule | None, after: Rule | None) -> tuple[Effect, ...]:
    """Return what a change of a rule enforces, and what of it is no longer enforced."""
    had, has = before is not None and before.enforces, after is not None and after.enforces
    rule = after or before
    subject = rule.description if rule else None
    if had is not has:
        return (Effect(ENFORCE_RULE if has else WEAKEN_RULE, subject),)
    if before is None or after is None or not has:
        return ()
    moved = ("expression",) if before.expression != after.expression else ()
    difference = compare(before.policy, after.policy) if before.value != after.value else Difference((), ())
    sides = ((ENFORCE_RULE, difference.lost), (WEAKEN_RULE, difference.gained))
    return tuple(Effect(name, subject, tuple(sorted((*moved, *detail)))) for name, detail in sides if moved or detail)


def to_look_at(before: Rule | None, after: Rule | None) -> str | None:
    """Return what to ask for before this change is written: what the rule reported, what the zone lists, or nothing."""
    if before is None or after is None or not after.enforces:
        return None
    if not before.enforces:
        return REPORTS
    stricter = before.expression == after.expression and before.policy is not None and before.value != after.value
    return LISTING if stricter and compare(before.policy, after.policy).lost else None


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


def blocked_by(policy: Policy | None, resources: t.Iterable[Resource]) -> tuple[Blocked, ...]:
    """Return what a policy blocks of these resources, each source once, the most frequent first; without a policy, all of them."""
    groups: dict[tuple[str, str], list[Resource]] = {}
    for resource in resources:
        if policy is None or not is_allowed(policy, resource):
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
    return tuple(sorted(blocked, key=lambda each: (-(each.times or 0), each.directive, each.source)))


def show_violations(observation: Observation | None, blocked: t.Sequence[Blocked]) -> dict[str, Json] | None:
    """Return what was asked for as results contain it; None where nothing was asked."""
    if observation is None:
        return None
    counts = [resource.times for resource in observation.resources if resource.times is not None]
    is_listing = observation.since is None
    return {
        "available": not observation.reason,
        "reason": observation.reason or None,
        "since": observation.since,
        "until": observation.until,
        "total": None if observation.reason or is_listing else sum(counts),
        "blocked": [each.show() for each in blocked],
    }


class Verdict(t.NamedTuple):
    """What is known of a change: the violations, why it must not be written ("" if it may), the refusals, and warnings."""

    violations: dict[str, Json] | None = None
    refused: str = ""
    refusals: tuple[dict[str, Json], ...] = ()
    warnings: tuple[str, ...] = ()


def judge(desired: DesiredRule, before: Rule | None, after: Rule | None, observation: Observation | None) -> Verdict:
    """Return what a change would block, and whether it must not be written because of that, or because nothing is known."""
    begins = after is not None and after.enforces and not (before is not None and before.enforces)
    resources = observation.resources if observation else ()
    blocked: tuple[Blocked, ...] = ()
    if after is not None and after.policy is not None:
        if not begins and before is not None and before.policy is not None:
            # What the present policy blocks is not lost by the new one.
            present = before.policy
            resources = tuple(resource for resource in resources if is_allowed(present, resource))
        blocked = blocked_by(after.policy, resources)
    violations = show_violations(observation, blocked)
    if after is None or not after.enforces:
        return Verdict(violations)
    refused = [each for each in blocked if not desired.accepts(each.source)]
    title = f"content security rule {after.description!r}"
    if refused:
        return Verdict(
            violations,
            f"{title} would block {_describe(refused, observation)}",
            tuple({"rule": after.description, **each.show()} for each in refused),
        )
    unknown = _unknown(before, after, observation)
    if unknown and not desired.allows_unobserved:
        nothing: dict[str, Json] = {"directive": None, "source": None, "count": None, "hosts": [], "page": None}
        advice = (
            "Set action to log and look at its violations after some days, or set unobserved to allow."
            if begins
            else "Log a second rule with the new policy first, or set unobserved to allow."
        )
        return Verdict(
            violations, f"{title} would be enforced, and {unknown}. {advice}", ({"rule": after.description, **nothing},)
        )
    return Verdict(violations, warnings=_warnings(title, desired, begins, observation, unknown))


def _describe(refused: t.Sequence[Blocked], observation: Observation | None) -> str:
    more = f", and {len(refused) - _MAX_SHOWN} more sources" if len(refused) > _MAX_SHOWN else ""
    sources = "; ".join(each.describe() for each in refused[:_MAX_SHOWN])
    counted = observation is not None and observation.since is not None
    how = "that browsers reported (counts are sampled)" if counted else "that its pages load now, according to the script monitor"
    number = f"{len(refused)} source{'' if len(refused) == 1 else 's'}"
    return f"{number} {how}: {sources}{more}. Add them to directives, or to accept_blocked."


def _unknown(before: Rule | None, after: Rule, observation: Observation | None) -> str:
    """Return why it is not known what an enforcing rule would block; "" if it is."""
    unreadable = observation.reason.rstrip(".") if observation else ""
    if before is None:
        return "it is new, so that nobody has seen yet what it would block"
    if before.enforces:
        return _unknown_change(before, after, unreadable)
    if not before.enabled:
        return "it is disabled, so that nobody has seen lately what it would block"
    if before.expression != after.expression:
        return _MOVED
    return f"its violations cannot be read: {unreadable}" if unreadable else ""


def _unlisted_code(old: Policy | None, new: Policy | None) -> list[str]:
    """Return what a policy no longer allows of the code in pages, which has no address that the zone could list."""
    if old is None or new is None:
        return []
    had, has = old.governing(SCRIPT_SRC), new.governing(SCRIPT_SRC)
    if has is None:
        return []
    lost = (UNSAFE_INLINE, UNSAFE_EVAL) if had is None else missing(old, new, SCRIPT_SRC)
    allowed = {SELF, *in_effect(has[1])}
    words = [each for each in lost if each.startswith("'") and each not in allowed]
    if UNSAFE_INLINE in allowed:
        words = [each for each in words if not each.startswith("'sha")]
    return [f"{SCRIPT_SRC} without {each}" for each in words]


def _unknown_change(before: Rule, after: Rule, unreadable: str) -> str:
    """Return why it is not known what a change of an enforced rule would block; "" if it is."""
    if before.expression != after.expression:
        return _MOVED
    lost = compare(before.policy, after.policy).lost if before.value != after.value else ()
    if lost and before.policy is None:
        return "its present policy cannot be parsed, so that it cannot be compared"
    unlisted = [*sorted({each.split()[0] for each in lost} - set(LISTED)), *_unlisted_code(before.policy, after.policy)]
    if unlisted:
        return f"no listing of the zone shows what {', '.join(unlisted)} would block"
    return f"the listing of the zone cannot be read: {unreadable}" if unreadable else ""


def _warnings(title: str, desired: DesiredRule, begins: bool, observation: Observation | None, unknown: str) -> tuple[str, ...]:
    if unknown:
        return (f"{title} is enforced although {unknown}.",)
    if begins and observation and not observation.resources:
        days = f"the last {desired.look_back_days} days"
        return (f"{title} is enforced although browsers reported nothing in {days}: its expression may match no visited page.",)
    return ()
