# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import re
import typing as t

from ...module_utils._chain.kinds import KINDS, PAGES, SCRIPTS, Kind
from ...module_utils._chain.torn import Torn
from ...module_utils._text import line
from .._words import named, plural
from .audits import MAX_DELAY, MONITOR_OFF, NO_BASELINE, NOT_READABLE, NOTHING_SEEN, PAGE_UNREAD, Audit, Period, Slow
from .chronicle import Chronicle
from .events import BY_AUTHORISATION, ENDS, UNPROVEN, Episode, days_between
from .verification import MAYBE_CUT

# What the document says first: a sentence for each thing that holds, the worst first. Nobody reads on if it is green.


class Told(t.NamedTuple):
    """What is known of one chain: the zone with its name, the kind, why the chain is not valid, and its history in the period.

    `torn` is its last line, if that is incomplete, and `moved` are such lines of former audits, which lie beside it.
    """

    zone_id: str
    zone: str
    kind: Kind
    problem: str | None
    history: Chronicle
    torn: Torn | None = None
    moved: Torn | None = None


# Of the URL of a page in a sentence.
_MAX_PAGE = 120
NOUNS: t.Mapping[str, str] = {SCRIPTS.name: "scripts", PAGES.name: "payment pages"}


class Lacking(t.NamedTuple):
    """What the folder has no chain of: zones that the document is about, those of the inventory that it is not about, and files that were not read."""

    zones: t.Sequence[str] = ()
    inventory: t.Sequence[str] = ()
    files: t.Sequence[str] = ()


def sentences(chains: t.Sequence[Told], period: Period, lacking: Lacking) -> list[str]:
    """Return the sentences about a period, without a full stop."""
    worse = [text for part in _WORSE for text in part(chains, period, lacking)]
    answers, late = list(_frequency(chains, lacking.zones)), list(_written(chains, period))
    whole = list(_accounted(chains))
    is_met, is_late = not any(_NOT_MET in text for text in answers), bool(_late(chains))
    if worse or late or not is_met:
        # Beside bad news, these two would be taken for good news.
        answers = [f"{text} by the times that the records name" if is_late and _NOT_MET not in text else text for text in answers]
        answers, whole = _explained(answers, whole)
    # An answer that is good news never comes before what makes it doubtful.
    told = [*late, *answers] if is_met else [*answers, *late]
    return [text[:1].upper() + text[1:] for text in (*worse, *told, *whole)]


def _explained(answers: t.Sequence[str], whole: t.Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the answers with a sentence behind the last of them that says what they do not say."""
    is_yes = any(_NOT_MET not in text for text in answers)
    if whole:
        return [*answers], [*whole[:-1], f"{whole[-1]}. {_OF_BOTH if is_yes else _OF_RECORDS}"]
    return [*answers[:-1], f"{answers[-1]}. {_OF_AUDITS}"] if is_yes and answers else [*answers], []


_NOT_MET = ": not met in "
_GOOD = re.compile("At least every seven days: yes|Every one of ")


def is_good(sentence: str) -> bool:
    """Return whether a sentence is one of the two answers that are good news by themselves."""
    return bool(_GOOD.match(sentence))


_OF_AUDITS = "This counts audits from the first one on, whatever they found"
_OF_RECORDS = "This says that the records in the folder are unbroken, whatever they found"
_OF_BOTH = (
    "These answers count audits from the first one on, and say that the records in the folder are unbroken, whatever they found"
)


_Texts = t.Iterator[str]


def _invalid(chains: t.Sequence[Told], _period: Period, _lacking: Lacking) -> _Texts:
    broken = [chain for chain in chains if chain.problem]
    if broken:
        more = f", and {plural(len(broken) - 1, 'further chain')} with invalid evidence" if len(broken) > 1 else ""
        yield f"the evidence is not valid: in {broken[0].zone}{_of_kind(broken[0])}, {broken[0].problem}{more}"


def _torn(chains: t.Sequence[Told], _period: Period, _lacking: Lacking) -> _Texts:
    for words, lines in (
        ("the last line is incomplete", [(chain, chain.torn) for chain in chains if chain.torn]),
        ("a line was incomplete and moved to the file .torn", [(chain, chain.moved) for chain in chains if chain.moved]),
    ):
        if lines:
            where = named(f"{chain.zone}{_of_kind(chain)}" for chain, _torn in lines)
            read = named(torn.words for _chain, torn in lines if torn.words)
            yield f"{words} in {where}, so that audits may be missing: {MAYBE_CUT}{f'; {read}' if read else ''}"


def _unread_files(_chains: t.Sequence[Told], _period: Period, lacking: Lacking) -> _Texts:
    files = lacking.files
    if files:
        was = _one_or(len(files), "looks like evidence, and was", "look like evidence, and were")
        yield f"{plural(len(files), 'file')} of the folder {was} not read, because no zone has such an id: {named(files)}"


def _broken_history(chains: t.Sequence[Told], _period: Period, _lacking: Lacking) -> _Texts:
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


def _unauthorised(chains: t.Sequence[Told], period: Period, _lacking: Lacking) -> _Texts:
    audited = _audited(chains)
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


def _ended(episodes: t.Sequence[Episode], noun: str, words: str, period: Period, many: str = "") -> _Texts:
    if episodes:
        number = _count(episodes)
        yield f"{plural(number, noun, many)} {_one_or(number, 'was', 'were')} {words}{_ends(episodes, period)}"


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


def _blind(chains: t.Sequence[Told], period: Period, _lacking: Lacking) -> _Texts:
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
    episodes = [e for chain in _audited(chains) if chain.kind is SCRIPTS for e in chain.history.findings("unverified")]
    audits = [audit for chain in chains if chain.kind is SCRIPTS for audit in chain.history.audits]
    switched = sum(audit.is_new_setting for audit in audits)
    if switched:
        words = "the setting of the script monitor had been changed since the audit before: nobody knows whether it watched all the time"
        yield f"in {switched:,} of {plural(len(audits), 'audit')}, {words}"
    words = "not verified, because the service shows no hash, so that no audit could see a change"
    yield from _ended(episodes, "pinned script", words, period)


def _not_audited(chains: t.Sequence[Told], period: Period, lacking: Lacking) -> _Texts:
    for kind in _kinds(chains):
        of_kind, about = [chain for chain in chains if chain.kind is kind], _about(kind, chains)
        gaps = [(gap, chain.zone) for chain in of_kind for gap in chain.history.gaps]
        if gaps:
            gap, zone = max(gaps, key=lambda gap: (gap[0].days, gap[1]))
            zones = len({name for _gap, name in gaps})
            days, longest = (
                plural(sum(gap.days for gap, _name in gaps), "day"),
                f"from {gap.first.isoformat()} to {gap.last.isoformat()}",
            )
            where = f"in {zones:,} of {plural(len(of_kind), 'zone')}"
            if len(gaps) > 1:
                of_zones = "those of all zones added up, " if zones > 1 else ""
                longest = f"{of_zones}in {len(gaps):,} gaps, the longest in {zone} with {plural(gap.days, 'day')} {longest}"
            yield f"there was no audit{about} on {days} {where}, {longest}"
        late = [(first, chain.zone) for chain in of_kind if (first := _first_audited(chain, period))]
        if late:
            what = f"was first audited{_about(kind, chains, 'for')} on"
            yield f"{named(f'zone {zone} {what} {day}' for day, zone in sorted(late))}: nothing is known of the days before"
    pages = sorted((*late, chain.zone) for chain in chains for late in chain.history.late_pages)
    if pages:
        texts = named(f"{line(url, _MAX_PAGE)} in {zone} on {day}" for day, url, zone in pages)
        what = _one_or(len(pages), "was first audited", "were first audited")
        yield f"{plural(len(pages), 'payment page')} {what} long after the period began: {texts}, and nothing is known of the days before"
    yield from _not_at_all(chains, lacking.zones)
    names = lacking.inventory
    if names:
        has, it = _one_or(len(names), "has", "have"), _one_or(len(names), "it", "them")
        yield f"{plural(len(names), 'zone')} of the inventory {has} no evidence here, and nothing is said of {it}: {named(names)}"


def _not_at_all(chains: t.Sequence[Told], missing: t.Sequence[str]) -> _Texts:
    """Yield which zones have no audit of any kind, and which have none of one kind, but one of the other."""
    zones = {chain.zone_id: chain.zone for chain in chains}
    # A chain that is not valid is said first, whatever can be read of it.
    seen = {(chain.zone_id, chain.kind.name) for chain in chains if chain.history.audits or chain.problem}
    anything = {zone_id for zone_id, _kind in seen}
    unseen = sorted([*missing, *(name for zone_id, name in zones.items() if zone_id not in anything)])
    if unseen:
        was, they = _one_or(len(unseen), "was", "were"), _one_or(len(unseen), "it", "they")
        yield f"{plural(len(unseen), 'zone')} {was} not audited: {named(unseen)}, so that nothing is known of what {they} had"
    for kind in _kinds(chains):
        lacking = sorted(zones[zone_id] for zone_id in anything if (zone_id, kind.name) not in seen)
        if lacking:
            what = f"{_one_or(len(lacking), 'has', 'have')} no audit of {NOUNS[kind.name]}"
            yield f"{plural(len(lacking), 'zone')} {what}: {named(lacking)}, so that nothing is known of them there"


def _first_audited(chain: Told, period: Period) -> str:
    """Return the day of the first audit, if it is long after the beginning of a period that nobody has chosen; "" otherwise."""
    history = chain.history
    if not history.audits or history.earlier or period.is_since_given:
        return ""
    first = history.audits[0].day
    return first.isoformat() if (first - period.first).days > history.max_gap_days else ""


def _scope(chains: t.Sequence[Told], _period: Period, _lacking: Lacking) -> _Texts:
    for kind in _kinds(chains):
        of_kind, about = [chain for chain in chains if chain.kind is kind], _about(kind, chains)
        all_audits = sum(len(chain.history.audits) for chain in of_kind)
        limited = [(chain.zone, audit.left_out) for chain in of_kind for audit in chain.history.audits if audit.left_out]
        if limited:
            where = named(f"in {zone} {what}" for zone, what in dict.fromkeys(limited))
            yield f"{len(limited):,} of {plural(all_audits, 'audit')}{about} did not look at everything, which proves nothing of what was left out: {where}"


def _unaudited_entries(chains: t.Sequence[Told], _period: Period, _lacking: Lacking) -> _Texts:
    names = [f"{line(name, _MAX_PAGE)} in {chain.zone}" for chain in _audited(chains) for name in chain.history.unaudited_entries]
    if names:
        entries = plural(len(names), "entry", "entries")
        yield f"{entries} of the baseline {_one_or(len(names), 'authorises', 'authorise')} a payment page that no audit looked at: {named(names)}"


def _without_authorisation(chains: t.Sequence[Told], period: Period, _lacking: Lacking) -> _Texts:
    audited = _audited(chains)
    for of_kind, noun in ((SCRIPTS, "script"), (PAGES, "payment page")):
        counts = [chain.history.count_authorised() for chain in audited if chain.kind is of_kind]
        total = sum(number for _authorised, number in counts)
        without = total - sum(authorised for authorised, _number in counts)
        if without:
            yield f"{without:,} of {plural(total, noun)} {_one_or(without, 'has', 'have')} no authorisation on record"
    changes = [chain.history.unpinned for chain in audited]
    scripts, times = (sum(numbers) for numbers in zip(*changes, strict=True)) if changes else (0, 0)
    if scripts:
        words = f"{_one_or(scripts, 'is', 'are')} not pinned and changed {plural(times, 'time')}"
        yield f"{plural(scripts, 'script')} {words}: no authorisation names what {_one_or(scripts, 'it is', 'they are')} now"
    for kind, words in (
        ("unjustified", "without owner, justification or authorised_by and authorised nothing"),
        ("expired", "past the day of review and authorised nothing any more"),
    ):
        episodes = [e for chain in audited for e in chain.history.findings(kind)]
        yield from _ended(episodes, "entry", words, period, "entries")


def _dates(chains: t.Sequence[Told], _period: Period, _lacking: Lacking) -> _Texts:
    outdated, redated, early, undated = (_count_dated(chains, name) for name in ("outdated", "redated", "early", "undated"))
    if outdated:
        words = _one_or(outdated, "is older than what it authorises", "are older than what they authorise")
        yield f"{plural(outdated, 'authorisation')} {words}: dated back, or given for something else than what is in use"
    if redated:
        words = _one_or(redated, "was dated back: it has", "were dated back: they have")
        yield f"{plural(redated, 'authorisation')} {words} an earlier date than earlier records say"
    if early:
        words = _one_or(early, "has a date after an audit that relied on it", "have a date after an audit that relied on them")
        authorises = _one_or(early, "it authorises", "they authorise")
        yield f"{plural(early, 'authorisation')} {words}: before that day {authorises} nothing, and what was in use was not authorised"
    if undated:
        has, it_was = _one_or(undated, "has", "have"), _one_or(undated, "it was", "they were")
        yield f"{plural(undated, 'authorisation')} {has} no date, so that nobody can tell whether {it_was} given in time"


def _count_dated(chains: t.Sequence[Told], name: str) -> int:
    """Return the number of authorisations; one baseline that two chains of a zone name is counted once."""
    return len(
        {(chain.zone_id, dated) for chain in chains for dates in chain.history.all_dates for dated in getattr(dates, name)}
    )


def _frequency(chains: t.Sequence[Told], missing: t.Sequence[str]) -> _Texts:
    zones = {chain.zone_id for chain in chains}
    for kind in _kinds(chains):
        of_kind = [chain for chain in chains if chain.kind is kind]
        others, about = len(zones) - len({chain.zone_id for chain in of_kind}), _about(kind, chains, "for")
        slow = sorted((span, chain.zone) for chain in of_kind if (span := chain.history.slow))
        # Not every zone has a payment page; where one is, browsers load scripts.
        never = len(missing) + (others if kind is SCRIPTS else 0)
        total = len(of_kind) + never
        if slow or never:
            first = f", first {_when(*slow[0])} without an audit in between that could see" if slow else ""
            answer = f"{_NOT_MET}{len(slow) + never:,} of {plural(total, 'zone')}{about}{first}"
        else:
            of_all = f" in {total:,} of {plural(total + others, 'zone')}" if others else ""
            answer = f": yes{about}{of_all}"
        yield f"at least every seven days{answer}"


def _when(span: Slow, zone: str) -> str:
    page = f" ({line(span.page, _MAX_PAGE)})" if span.page else ""
    return f"{zone}{page} from {span.first} to {span.last}"


def _late(chains: t.Sequence[Told]) -> int:
    """Return the number of records that were written long after, or before, the time that they name."""
    return sum(audit.delay is not None and audit.delay > MAX_DELAY for chain in chains for audit in chain.history.audits)


def _written(chains: t.Sequence[Told], period: Period) -> _Texts:
    audits: list[Audit] = [audit for chain in chains for audit in chain.history.audits]
    late = _late(chains)
    if late:
        words = (
            f"{_one_or(late, 'was', 'were')} written more than a day from the time that {_one_or(late, 'it names', 'they name')}"
        )
        yield f"{plural(late, 'record')} {words}, and {_one_or(late, 'does', 'do')} not prove an audit at that time"
    silent = sum(audit.delay is None for audit in audits)
    ahead = sum(audit.day > period.last for audit in audits)
    if ahead:
        yield f"{plural(ahead, 'audit')} {_one_or(ahead, 'is', 'are')} dated after the day of this document, and {_one_or(ahead, 'proves', 'prove')} nothing"
    if silent:
        it_was = _one_or(silent, "it was", "they were")
        words = f"{_one_or(silent, 'does', 'do')} not say when {it_was} written"
        yield f"{plural(silent, 'record')} {words}, so that nobody can tell whether {it_was} written at the time of the audit"


def _accounted(chains: t.Sequence[Told]) -> _Texts:
    if any(chain.problem or chain.torn or chain.moved for chain in chains):
        return
    parts = []
    for kind in _kinds(chains):
        audited = [chain for chain in _audited(chains) if chain.kind is kind]
        audits = sum(len(chain.history.audits) for chain in audited)
        if audits:
            parts.append(f"every one of {plural(audits, 'audit')}{_about(kind, chains)} of {plural(len(audited), 'zone')}")
    if parts:
        yield f"{' and '.join(parts)} is accounted for"


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


def _audited(chains: t.Sequence[Told]) -> list[Told]:
    """Return the chains with a record in the period; the others count in no number."""
    return [chain for chain in chains if chain.history.audits]


def _kinds(chains: t.Sequence[Told]) -> list[Kind]:
    return [kind for kind in KINDS if any(chain.kind is kind for chain in chains)]


def _about(kind: Kind, chains: t.Sequence[Told], word: str = "of") -> str:
    """Return of what a sentence is that is said of each kind; "" if there are only scripts."""
    return "" if _kinds(chains) == [SCRIPTS] else f" {word} {NOUNS[kind.name]}"


def _of_kind(chain: Told) -> str:
    """Return what tells the chain of a zone from the one of its scripts."""
    return "" if chain.kind is SCRIPTS else f" ({NOUNS[chain.kind.name]})"


def _one_or(number: int, one: str, many: str) -> str:
    return one if number == 1 else many
