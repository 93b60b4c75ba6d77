# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import typing as t

from ...module_utils._chain.kinds import PAGES, SCRIPTS
from ...module_utils._text import line
from .._words import named, plural
from .answers import Sentence, accounted, count_late, explained, frequencies, written
from .audits import MONITOR_OFF, NO_BASELINE, NOT_READABLE, NOTHING_SEEN, PAGE_UNREAD, Period
from .chains import MAX_PAGE, NOUNS, Lacking, Texts, Told, about_kind, audited_of, count_zones, kinds_of, of_kind_words, one_or
from .events import BY_AUTHORISATION, ENDS, UNPROVEN, Episode, days_between
from .verification import MAYBE_CUT, not_read, without_evidence

# What the document says first: a sentence for each thing that holds, the worst first. Nobody reads on if it is green.


def sentences(chains: t.Sequence[Told], period: Period, lacking: Lacking) -> list[Sentence]:
    """Return the sentences about a period, without a full stop."""
    worse = [Sentence(text) for part in _WORSE for text in part(chains, period, lacking)]
    late = [Sentence(text) for text in written(chains, period)]
    how_often = list(frequencies(chains, lacking.zones))
    is_met = all(frequency.is_met for frequency in how_often)
    doubt = " by the times that the records name" if count_late(chains) else ""
    answers, whole = [frequency.sentence(doubt) for frequency in how_often], list(accounted(chains))
    if worse or late or not is_met:
        # Beside bad news, these two would be taken for good news.
        answers, whole = explained(answers, whole)
    # An answer that is good news never comes before what makes it doubtful.
    told = [*late, *answers] if is_met else [*answers, *late]
    return [sentence._replace(text=sentence.text[:1].upper() + sentence.text[1:]) for sentence in (*worse, *told, *whole)]


def _invalid(chains: t.Sequence[Told], _period: Period, _lacking: Lacking) -> Texts:
    broken = [chain for chain in chains if chain.problem]
    if broken:
        more = f", and {plural(len(broken) - 1, 'further chain')} with invalid evidence" if len(broken) > 1 else ""
        yield f"the evidence is not valid: in {broken[0].zone}{of_kind_words(broken[0])}, {broken[0].problem}{more}"


def _torn(chains: t.Sequence[Told], _period: Period, _lacking: Lacking) -> Texts:
    for words, lines in (
        ("the last line is incomplete", [(chain, chain.torn) for chain in chains if chain.torn]),
        ("a line was incomplete and moved to the file .torn", [(chain, chain.moved) for chain in chains if chain.moved]),
    ):
        if lines:
            where = named(f"{chain.zone}{of_kind_words(chain)}" for chain, _torn in lines)
            read = named(torn.words for _chain, torn in lines if torn.words)
            yield f"{words} in {where}, so that audits may be missing: {MAYBE_CUT}{f'; {read}' if read else ''}"


def _unread_files(_chains: t.Sequence[Told], _period: Period, lacking: Lacking) -> Texts:
    if lacking.files:
        yield not_read(lacking.files)


def _broken_history(chains: t.Sequence[Told], _period: Period, _lacking: Lacking) -> Texts:
    broken = sorted((audit.at, chain.zone) for chain in chains for audit in chain.history.audits if audit.has_broken_history)
    if broken:
        at, zone = broken[0]
        where = f"first in {zone} on {at.date().isoformat()}"
        yield f"{plural(len(broken), 'audit')} found that the history was broken, {where}: earlier records may have been changed or removed"


# Words for findings.
_REPORTED: t.Mapping[str, str] = {"malicious": "malicious", "reported": "reported as malicious"}
# What was added or changed without authorisation. The words of a payment page follow its number.
_UNAUTHORISED: t.Mapping[str, str] = {"new": "added", "changed": "changed"}
PAGE_WORDS: t.Mapping[str, str] = {
    "page_new": "that nobody authorised",
    "script_new": "with scripts that nobody authorised",
    "inline_new": "with inline code that nobody authorised",
    "frame_new": "with frames that nobody authorised",
    "form_new": "with forms that nobody authorised",
    "header_changed": "with headers that differ from the authorised ones",
    "redirected": "that led to another address than the authorised one",
    "gone": "without a script or frame that its entry requires",
}


def _unauthorised(chains: t.Sequence[Told], period: Period, _lacking: Lacking) -> Texts:
    audited = audited_of(chains)
    scripts = [chain.history for chain in audited if chain.kind is SCRIPTS]
    for kind, words in _REPORTED.items():
        yield from _ended([e for history in scripts for e in history.findings(kind)], "script", words, period)
    for kind, word in _UNAUTHORISED.items():
        episodes = [episode for history in scripts for episode in history.unauthorised if episode.kind == kind]
        yield from _ended(episodes, "script", f"{word} without authorisation", period)
    gone = [episode for history in scripts for episode in history.findings("gone")]
    yield from _ended(gone, "required script", "not listed", period)
    for kind, words in PAGE_WORDS.items():
        episodes = [e for chain in audited if chain.kind is PAGES for e in chain.history.unauthorised if e.kind == kind]
        if episodes:
            pages = _worst_of_pages(episodes)
            yield f"{plural(len({episode.place for episode in pages}), 'payment page')} {words}{_ends(pages, period)}"


def _worst_of_pages(episodes: t.Sequence[Episode]) -> list[Episode]:
    """Return an episode for each page: how the worst of several ended, over the longest time."""
    pages: dict[str, Episode] = {}
    for episode in episodes:
        known = pages.setdefault(episode.place, episode)
        worst = max(known, episode, key=lambda each: (_place_of(each.how), (each.end or _NEVER) - each.since))
        pages[episode.place] = worst._replace(is_first=known.is_first or episode.is_first)
    return list(pages.values())


_PLACES = {end: place for place, end in enumerate(ENDS)}
_NEVER = datetime.datetime.max.replace(tzinfo=datetime.timezone.utc)


def _place_of(how: str) -> int:
    return _PLACES.get(how, _PLACES[UNPROVEN])


def _ended(episodes: t.Sequence[Episode], noun: str, words: str, period: Period, many: str = "") -> Texts:
    if episodes:
        number = _count(episodes)
        yield f"{plural(number, noun, many)} {one_or(number, 'was', 'were')} {words}{_ends(episodes, period)}"


def _count(episodes: t.Sequence[Episode]) -> int:
    """Return the number of what it happened to; scripts that nothing tells apart are one episode."""
    return sum(episode.alike for episode in episodes)


def _ends(episodes: t.Sequence[Episode], period: Period) -> str:
    """Return how all of this ended, and how long it took at most."""
    by_end: dict[str, list[Episode]] = {end: [] for end in ENDS}
    for episode in episodes:
        by_end[episode.how if episode.how in by_end else UNPROVEN].append(episode)
    now = datetime.datetime.combine(period.last, datetime.time.max, datetime.timezone.utc)
    now = min(now, max(period.at, *(episode.since for episode in episodes)))
    parts, total = [], _count(episodes)
    for end, ended in by_end.items():
        if ended:
            spans = [(episode.since, episode.end or now) for episode in ended]
            time = days_between(*max(spans, key=lambda span: span[1] - span[0]))
            differ = len({days_between(*span) for span in spans}) > 1 and end != BY_AUTHORISATION
            all_of_several = {2: "both "}.get(_count(ended), "all ") if total > 1 and end == BY_AUTHORISATION else ""
            number = all_of_several if len(ended) == len(episodes) else f"{_count(ended):,} "
            parts.append(number + ENDS[end].format(f"up to {time}" if differ else time))
    return ", " + ", ".join(parts) + _since_the_first_audit(episodes)


def _since_the_first_audit(episodes: t.Sequence[Episode]) -> str:
    first, total = _count([episode for episode in episodes if episode.is_first]), _count(episodes)
    number = "" if first == total else f"{first:,} of them "
    return f" ({number}already at the first audit, nobody knows since when)" if first else ""


# Of audits: why they could not see, and what that means, in a sentence that begins with it and one that ends with it.
_BLIND: t.Mapping[str, tuple[str, str]] = {
    MONITOR_OFF: ("the script monitor was off in {}", "no script was watched then, and these audits prove nothing"),
    NOTHING_SEEN: ("no script was listed in {}", "that does not mean that there was none, and these audits prove nothing"),
    NOT_READABLE: ("the inventory cannot be read in {}", "what these audits saw is not known"),
    PAGE_UNREAD: ("could not be read in {}", "what browsers received then is not known"),
    NO_BASELINE: ("the baseline is missing of {}", "what was authorised then is not known"),
}


# Of payment pages; one that led elsewhere was not read.
_UNREAD = ("page_unread", "redirected")


def _blind(chains: t.Sequence[Told], period: Period, _lacking: Lacking) -> Texts:
    for reason, (words, meaning) in _BLIND.items():
        kind = PAGES if reason == PAGE_UNREAD else SCRIPTS
        all_audits = [audit for chain in chains if chain.kind is kind or reason == NO_BASELINE for audit in chain.history.audits]
        blind = [audit for audit in all_audits if reason in audit.blind]
        if blind:
            days = len({audit.day for audit in blind})
            unread = {e.place for chain in chains if kind is PAGES for name in _UNREAD for e in chain.history.findings(name)}
            pages = f"{plural(max(len(unread), 1), 'payment page')} " if kind is PAGES else ""
            yield pages + words.format(
                f"{len(blind):,} of {plural(len(all_audits), 'audit')}, on {plural(days, 'day')}: {meaning}"
            )
    episodes = [e for chain in audited_of(chains) if chain.kind is SCRIPTS for e in chain.history.findings("unverified")]
    audits = [audit for chain in chains if chain.kind is SCRIPTS for audit in chain.history.audits]
    switched = sum(audit.is_new_setting for audit in audits)
    if switched:
        words = "the setting of the script monitor had been changed since the audit before: nobody knows whether it watched all the time"
        yield f"in {switched:,} of {plural(len(audits), 'audit')}, {words}"
    words = "not verified, because the service shows no hash, so that no audit could see a change"
    yield from _ended(episodes, "pinned script", words, period)


def _not_audited(chains: t.Sequence[Told], period: Period, lacking: Lacking) -> Texts:
    for kind in kinds_of(chains):
        of_kind, about = [chain for chain in chains if chain.kind is kind], about_kind(kind, chains)
        gaps = [(gap, chain.zone) for chain in of_kind for gap in chain.history.gaps]
        if gaps:
            gap, zone = max(gaps, key=lambda gap: (gap[0].days, gap[1]))
            # Two zones may have one name.
            zones = count_zones([chain for chain in of_kind if chain.history.gaps])
            days, longest = (
                plural(sum(gap.days for gap, _name in gaps), "day"),
                f"from {gap.first.isoformat()} to {gap.last.isoformat()}",
            )
            where = f"in {zones:,} of {plural(count_zones(of_kind), 'zone')}"
            if len(gaps) > 1:
                of_zones = "those of all zones added up, " if zones > 1 else ""
                longest = f"{of_zones}in {len(gaps):,} gaps, the longest in {zone} with {plural(gap.days, 'day')} {longest}"
            yield f"there was no audit{about} on {days} {where}, {longest}"
        late = [(first, chain.zone) for chain in of_kind if (first := _first_audited(chain, period))]
        if late:
            what = f"was first audited{about_kind(kind, chains, 'for')} on"
            yield f"{named(f'zone {zone} {what} {day}' for day, zone in sorted(late))}: nothing is known of the days before"
    pages = sorted((*late, chain.zone) for chain in chains for late in chain.history.late_pages)
    if pages:
        texts = named(f"{line(url, MAX_PAGE)} in {zone} on {day}" for day, url, zone in pages)
        what = one_or(len(pages), "was first audited", "were first audited")
        yield f"{plural(len(pages), 'payment page')} {what} long after the period began: {texts}, and nothing is known of the days before"
    yield from _not_at_all(chains, lacking.zones)
    names = lacking.inventory
    if names:
        yield without_evidence(names)


def _not_at_all(chains: t.Sequence[Told], missing: t.Sequence[str]) -> Texts:
    """Yield which zones have no audit of any kind, and which have none of one kind, but one of the other."""
    zones = {chain.zone_id: chain.zone for chain in chains}
    # A chain that is not valid is said first, whatever can be read of it.
    seen = {(chain.zone_id, chain.kind.name) for chain in chains if chain.history.audits or chain.problem}
    anything = {zone_id for zone_id, _kind in seen}
    unseen = sorted([*missing, *(name for zone_id, name in zones.items() if zone_id not in anything)])
    if unseen:
        was, they = one_or(len(unseen), "was", "were"), one_or(len(unseen), "it", "they")
        yield f"{plural(len(unseen), 'zone')} {was} not audited: {named(unseen)}, so that nothing is known of what {they} had"
    for kind in kinds_of(chains):
        lacking = sorted(zones[zone_id] for zone_id in anything if (zone_id, kind.name) not in seen)
        if lacking:
            what = f"{one_or(len(lacking), 'has', 'have')} no audit of {NOUNS[kind.name]}"
            yield f"{plural(len(lacking), 'zone')} {what}: {named(lacking)}, so that nothing is known of them there"


def _first_audited(chain: Told, period: Period) -> str:
    """Return the day of the first audit, if it is long after the beginning of a period that nobody has chosen; "" otherwise."""
    history = chain.history
    if not history.audits or history.earlier or period.is_since_given:
        return ""
    first = history.audits[0].day
    return first.isoformat() if (first - period.first).days > history.max_gap_days else ""


def _scope(chains: t.Sequence[Told], _period: Period, _lacking: Lacking) -> Texts:
    for kind in kinds_of(chains):
        of_kind, about = [chain for chain in chains if chain.kind is kind], about_kind(kind, chains)
        all_audits = sum(len(chain.history.audits) for chain in of_kind)
        limited = [(chain.zone, audit.left_out) for chain in of_kind for audit in chain.history.audits if audit.left_out]
        if limited:
            where = named(f"in {zone} {what}" for zone, what in dict.fromkeys(limited))
            yield f"{len(limited):,} of {plural(all_audits, 'audit')}{about} did not look at everything, which proves nothing of what was left out: {where}"


def _unaudited_entries(chains: t.Sequence[Told], _period: Period, _lacking: Lacking) -> Texts:
    names = [
        f"{line(name, MAX_PAGE)} in {chain.zone}" for chain in audited_of(chains) for name in chain.history.unaudited_entries
    ]
    if names:
        entries = plural(len(names), "entry", "entries")
        yield f"{entries} of the baseline {one_or(len(names), 'authorises', 'authorise')} a payment page that no audit looked at: {named(names)}"


def _without_authorisation(chains: t.Sequence[Told], period: Period, _lacking: Lacking) -> Texts:
    audited = audited_of(chains)
    for of_kind, noun in ((SCRIPTS, "script"), (PAGES, "payment page")):
        counts = [chain.history.count_authorised() for chain in audited if chain.kind is of_kind]
        total = sum(number for _authorised, number in counts)
        without = total - sum(authorised for authorised, _number in counts)
        if without:
            yield f"{without:,} of {plural(total, noun)} {one_or(without, 'has', 'have')} no authorisation on record"
    changes = [chain.history.unpinned for chain in audited]
    scripts, times = (sum(numbers) for numbers in zip(*changes, strict=True)) if changes else (0, 0)
    if scripts:
        words = f"{one_or(scripts, 'is', 'are')} not pinned and changed {plural(times, 'time')}"
        yield f"{plural(scripts, 'script')} {words}: no authorisation names what {one_or(scripts, 'it is', 'they are')} now"
    for kind, words in (
        ("unjustified", "without owner, justification or authorised_by and authorised nothing"),
        ("expired", "past the day of review and authorised nothing any more"),
    ):
        episodes = [e for chain in audited for e in chain.history.findings(kind)]
        yield from _ended(episodes, "entry", words, period, "entries")


def _dates(chains: t.Sequence[Told], _period: Period, _lacking: Lacking) -> Texts:
    outdated, redated, early, undated = (_count_dated(chains, name) for name in ("outdated", "redated", "early", "undated"))
    if outdated:
        words = one_or(outdated, "is older than what it authorises", "are older than what they authorise")
        yield f"{plural(outdated, 'authorisation')} {words}: dated back, or given for something else than what is in use"
    if redated:
        words = one_or(redated, "was dated back: it has", "were dated back: they have")
        yield f"{plural(redated, 'authorisation')} {words} an earlier date than earlier records say"
    if early:
        words = one_or(early, "has a date after an audit that relied on it", "have a date after an audit that relied on them")
        authorises = one_or(early, "it authorises", "they authorise")
        yield f"{plural(early, 'authorisation')} {words}: before that day {authorises} nothing, and what was in use was not authorised"
    if undated:
        has, it_was = one_or(undated, "has", "have"), one_or(undated, "it was", "they were")
        yield f"{plural(undated, 'authorisation')} {has} no date, so that nobody can tell whether {it_was} given in time"


def _count_dated(chains: t.Sequence[Told], name: str) -> int:
    """Return the number of authorisations; one baseline that two chains of a zone name is counted once."""
    return len(
        {(chain.zone_id, dated) for chain in chains for dates in chain.history.all_dates for dated in getattr(dates, name)}
    )


# What is said before the answers.
_WORSE = (
    _invalid,
    _torn,
    _broken_history,
    _unauthorised,
    _blind,
    _not_audited,
    _unread_files,
    _scope,
    _unaudited_entries,
    _without_authorisation,
    _dates,
)
