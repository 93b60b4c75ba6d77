# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._core import Json
from .._observed import Cause, Unknown
from .._policy.comparison import LISTED, narrowing
from .._policy.facts import FRAME_ANCESTORS, REPORTABLE, SCRIPT_ELEMENTS, STRICT_DYNAMIC, UNREPORTED
from .._policy.matching import Resource, governs, is_allowed, is_named, newly_allows, source_of
from .._policy.parse import Policy
from .enforcement import (
    Blocked,
    begins,
    blocks_more,
    grouped,
    has_reports,
    is_in_use,
    is_moved,
    is_outdated,
    is_silent,
    narrowed_listings,
    show_violations,
)
from .facts import ACTIONS, ADD_REPORTING
from .options import DesiredRule
from .rule import Rule, RuleState
from .violations import Seen

# "Log first": a change after which more is blocked than before is written only if what is known says that it blocks nothing that is in use.

_MAX_SHOWN = 5
_NOT_ASKED = Unknown(Cause.NOT_ASKED, "they were not asked for")
_NOTHING: dict[str, Json] = {"directive": None, "source": None, "count": None, "hosts": [], "page": None}


class Verdict(t.NamedTuple):
    """What is known of a change: the violations, why it must not be written ("" if it may), the refusals, and warnings."""

    violations: dict[str, Json] | None = None
    refused: str = ""
    refusals: tuple[dict[str, Json], ...] = ()
    warnings: tuple[str, ...] = ()


class _Change(t.NamedTuple):
    """A change after which more is blocked, with all that was seen of what it blocks."""

    before: Rule | None
    after: Rule
    reported: Seen
    recent: frozenset[tuple[str, str]]
    window: str
    listed: Seen
    silent: bool
    outdated: bool

    @property
    def begins(self) -> bool:
        return begins(self.before, self.after)

    @property
    def moved(self) -> bool:
        return is_moved(self.before, self.after)


def judge(desired: DesiredRule, state: RuleState, after: Rule | None) -> Verdict:
    """Return what a change would block, and whether it must not be written because of that, or because nothing is known."""
    if after is None or not blocks_more(state.rule, after):
        return Verdict()
    change = _change(state, after)
    reported, doubtful = _reported(change)
    blocked = grouped(after.policy, (*reported, *_listed(change)))
    violations = _violations(state, change, blocked)
    title = f"content security rule {after.description!r}"
    refused = [source for source in blocked if not desired.accepts(source.source)]
    unseen = _unobserved(desired, change)
    texts, refusals = [], [source.show() for source in refused]
    if refused:
        named = {
            _key(after.policy, resource)
            for resource in reported
            if after.policy and (is_named(after.policy, resource) or is_allowed(after.policy, resource))
        }
        texts.append(f"{title} would block {_describe(after.policy, refused, named)}")
    if unseen and not desired.allows_unobserved:
        refusals.append(_NOTHING)
        advice = (
            "Set action to log and look at its violations after some days, or set unobserved to allow."
            if change.begins
            else "Log a second rule with the new policy first, or set unobserved to allow."
        )
        texts.append(f"{title} would be enforced, and {'; '.join(unseen)}. {advice}")
    if texts:
        return Verdict(violations, " ".join(texts), tuple({"rule": after.description, **refusal} for refusal in refusals))
    return Verdict(violations, warnings=tuple(_warnings(title, change, unseen, doubtful)))


def _change(state: RuleState, after: Rule) -> _Change:
    before, (reports, listing) = state.rule, state.evidence
    reported, recent, window = Seen(), frozenset[tuple[str, str]](), ""
    if reports is None and has_reports(before, after):
        reports = _NOT_ASKED
    if isinstance(reports, Unknown):
        reported = Seen(gaps=(reports,))
    elif reports is not None and before is not None:
        reported, recent = reports.value.only_of(before.id), reports.value.recent
        window = reports.value.window.text
    silent, outdated = (
        before is not None and begins(before, after) and applies(before, state.evidence) for applies in (is_silent, is_outdated)
    )
    if listing is None:
        listing = Seen(gaps=(_NOT_ASKED,) if silent or outdated or narrowed_listings(before, after) else ())
    return _Change(before, after, reported, recent, window, listing, silent, outdated)


def _reported(change: _Change) -> tuple[list[Resource], list[Resource]]:
    """Return the reported resources that the new policy blocks, and those of which only older reports say so."""
    old, new = change.before.policy if change.before else None, change.after.policy
    blocked: list[Resource] = []
    doubtful: list[Resource] = []
    for resource in change.reported.resources:
        if new is None or not is_allowed(new, resource):
            blocked.append(resource)
        elif old is not None and is_allowed(old, resource) and not newly_allows(old, new, resource):
            # Browsers decide: the policy allows it on paper, and they reported it all the same.
            is_recent = (resource.directive, source_of(resource.url)) in change.recent
            (blocked if is_recent else doubtful).append(resource)
    return blocked, doubtful


def _listed(change: _Change) -> list[Resource]:
    """Return the listed resources that the present policy allows, as far as the listing shows it, and the new one blocks."""
    new = change.after.policy
    if new is None:
        return []
    return [
        resource for resource in change.listed.resources if is_in_use(change.before, resource) and not is_allowed(new, resource)
    ]


def _violations(state: RuleState, change: _Change, blocked: t.Sequence[Blocked]) -> dict[str, Json] | None:
    reports, listing = state.evidence
    if reports is None and listing is None:
        return None
    window = None if reports is None or isinstance(reports, Unknown) else reports.value.window
    gaps = (*change.reported.gaps, *change.listed.gaps)
    return show_violations(window, change.reported.resources, gaps, blocked)


def _key(policy: Policy | None, resource: Resource) -> tuple[str, str]:
    return governs(policy, resource.directive) if policy else resource.directive, source_of(resource.url)


def _describe(policy: Policy | None, refused: t.Sequence[Blocked], named: t.Collection[tuple[str, str]]) -> str:
    """Return what would be blocked and what to do; what a source of the policy names already is never one to add."""
    framed = [source for source in refused if source.directive == FRAME_ANCESTORS]
    absent = [source for source in refused if source not in framed and (source.directive, source.source) not in named]
    had = [source for source in refused if source not in framed and source not in absent]
    texts = []
    if framed:
        texts.append(
            f"{_count(framed)}: {_list(framed)}. Browsers name the page and not who embeds it, so that no source of {FRAME_ANCESTORS} can"
            " be compared: make sure that each site that embeds the page is allowed, then add them to accept_blocked."
        )
    if absent:
        strict = any(STRICT_DYNAMIC in (policy.sources(source.directive) or ()) for source in absent) if policy else False
        advice = "Add them to directives, or to accept_blocked."
        if strict:
            advice = f"Hosts and schemes beside {STRICT_DYNAMIC} have no effect: remove it, or add them to accept_blocked."
        texts.append(f"{_count(absent)}: {_list(absent)}. {advice}")
    if had:
        texts.append(
            f"{_count(had)}, although sources of the policy name them or none of its directives governs them: {_list(had)}."
            " The reason is a redirect (browsers name the address before it), a keyword that switches other sources off, or a policy that was"
            " changed since, whose reports end 24 hours after the last one. Add the address after the redirect, remove the keyword, wait a"
            " day, or add them to accept_blocked."
        )
    return " It would also block ".join(texts)


def _count(sources: t.Sequence[Blocked]) -> str:
    counted = [source.times is not None for source in sources]
    reported, listed = "browsers reported (counts are sampled)", "its pages load now, according to the script monitor"
    how = reported if all(counted) else f"{reported}, or that {listed}" if any(counted) else listed
    return f"{len(sources)} source{'' if len(sources) == 1 else 's'} that {how}"


def _list(sources: t.Sequence[Blocked]) -> str:
    more = f", and {len(sources) - _MAX_SHOWN} more sources" if len(sources) > _MAX_SHOWN else ""
    return f"{'; '.join(source.describe() for source in sources[:_MAX_SHOWN])}{more}"


def _unobserved(desired: DesiredRule, change: _Change) -> list[str]:
    """Return why it is not known what a change would block; nothing if it is."""
    if change.before is None:
        return ["it is new, so that nobody has seen yet what it would block"]
    return [*_unknown_rule(change.before, change), *_unknown_policy(change.before, change.after), *_unknown_use(desired, change)]


def _unknown_rule(rule: Rule, change: _Change) -> t.Iterator[str]:
    if change.begins and not rule.enabled:
        yield "it is disabled, so that nobody has seen lately what it would block"
    if rule.action == ADD_REPORTING:
        yield f"its present action is {ADD_REPORTING}, which evaluates no policy of its own"
    elif rule.action not in ACTIONS:
        yield f"its present action {rule.action!r} is not known, and so not whether it enforces"
    if rule.expression != change.after.expression:
        yield "its expression changes, so that nobody has seen what it would block on other requests"


def _unknown_policy(before: Rule, after: Rule) -> t.Iterator[str]:
    names = [*after.policy.directives, *map(str.lower, after.policy.unknown)] if after.policy else []
    unreported = [name for name in names if name in UNREPORTED or name not in REPORTABLE]
    if unreported and begins(before, after):
        yield f"browsers do not report what {', '.join(unreported)} would block"
    if after.policy is None:
        yield "its policy cannot be parsed, so that it is not known what it blocks"
    elif not after.policy.directives:
        yield "its policy has no directive that is known, so that it is not known what it blocks"
    elif before.policy is None or not before.policy.directives:
        yield "its present policy cannot be parsed, so that it cannot be compared"
    else:
        less = narrowing(before.policy, after.policy)
        hidden = [f"{governs(after.policy, directive)} without {source}" for directive, source in less.hidden]
        code = [text for text in hidden if text.endswith("'")]
        for names in ([*less.unlisted], code, [text for text in hidden if text not in code]):
            if names:
                yield f"no listing of the zone shows what {', '.join(names)} would block"


def _unknown_use(desired: DesiredRule, change: _Change) -> t.Iterator[str]:
    if change.reported.gaps:
        yield f"its violations cannot be read: {_reasons(change.reported.gaps)}"
    if change.listed.gaps:
        incomplete = all(gap.kind is None for gap in change.listed.gaps)
        yield f"the listing of the zone cannot be read{' as complete' if incomplete else ''}: {_reasons(change.listed.gaps)}"
    policy = change.after.policy
    if policy is None or not (change.silent or change.outdated or change.moved or change.reported.gaps):
        return
    known = _listed(change)
    unseen = [resource for resource in change.listed.resources if resource not in known and not is_allowed(policy, resource)]
    if blocked := [source for source in grouped(policy, unseen) if not desired.accepts(source.source)]:
        if change.silent or change.outdated:
            why = _nothing_reported(change)
        else:
            why = "what browsers reported is not known" if change.reported.gaps else "nobody has seen it on these requests"
        yield f"{why}, although the zone lists what it would block: {_list(blocked)}; so nobody has seen it work"


def _nothing_reported(change: _Change) -> str:
    what = "nothing of its pages that its present policy blocks" if change.outdated else "nothing"
    return f"browsers reported {what} in the last {change.window}"


def _reasons(gaps: t.Sequence[Unknown]) -> str:
    return "; ".join(dict.fromkeys(gap.message.rstrip(".") for gap in gaps))


def _warnings(title: str, change: _Change, unseen: t.Sequence[str], doubtful: t.Sequence[Resource]) -> t.Iterator[str]:
    if unseen:
        yield f"{title} is enforced although {'; '.join(unseen)}."
    if doubtful:
        sources = _list(grouped(change.after.policy, doubtful))
        yield (
            f"{title}: browsers reported what its policy allows on paper, but not in the last 24 hours: {sources}. A redirect, a keyword"
            " that switches other sources off, or a policy that was changed since can be the reason."
        )
    if change.silent and not unseen:
        hidden = (
            [name for name in change.after.policy.directives if name not in (*LISTED, SCRIPT_ELEMENTS)]
            if change.after.policy
            else []
        )
        unlisted = f" no listing shows what {', '.join(hidden)} would block," if hidden else ""
        yield (
            f"{title} is enforced although {_nothing_reported(change)}: nothing that the zone lists would be blocked,{unlisted} and"
            " its expression may match no visited page."
        )
