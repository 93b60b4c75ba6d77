# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ...module_utils._chain.kinds import SCRIPTS
from ...module_utils._text import line
from .._words import plural
from .audits import MAX_DELAY, Audit, Period, Slow
from .chains import MAX_PAGE, Texts, Told, about_kind, audited_of, count_zones, kinds_of, one_or

# The answers of a document: whether audits were often enough, at the times that their records name, and whether each is accounted for.


class Sentence(t.NamedTuple):
    """A sentence of the document; `is_good`: it is one of the answers that are good news by themselves."""

    text: str
    is_good: bool = False

    def followed_by(self, text: str) -> Sentence:
        return self._replace(text=f"{self.text}. {text}")


class Frequency(t.NamedTuple):
    """Whether audits of one kind were often enough.

    `about` names the kind where there are several. In `lacking` of `total` zones they were not, in `first` for the first time; `others` have no
    chain of this kind.
    """

    about: str
    lacking: int
    total: int
    others: int
    first: tuple[Slow, str] | None

    @property
    def is_met(self) -> bool:
        return not self.lacking

    def sentence(self, doubt: str = "") -> Sentence:
        """Return the answer; `doubt` is what it rests on, behind an answer that is good news."""
        zones = plural(self.total if self.lacking else self.total + self.others, "zone")
        if self.is_met:
            of_all = f" in {self.total:,} of {zones}" if self.others else ""
            return Sentence(f"at least every seven days: yes{self.about}{of_all}{doubt}", is_good=True)
        first = f", first {_when(*self.first)} without an audit in between that could see" if self.first else ""
        return Sentence(f"at least every seven days: not met in {self.lacking:,} of {zones}{self.about}{first}")


def explained(answers: t.Sequence[Sentence], whole: t.Sequence[Sentence]) -> tuple[list[Sentence], list[Sentence]]:
    """Return the answers, with a sentence behind the last of them that says what they do not say."""
    is_yes = any(answer.is_good for answer in answers)
    if whole:
        return [*answers], [*whole[:-1], whole[-1].followed_by(_OF_BOTH if is_yes else _OF_RECORDS)]
    return [*answers[:-1], answers[-1].followed_by(_OF_AUDITS)] if is_yes else [*answers], []


_OF_AUDITS = "This counts audits from the first one on, whatever they found"
_OF_RECORDS = "This says that the records in the folder are unbroken, whatever they found"
_OF_BOTH = (
    "These answers count audits from the first one on, and say that the records in the folder are unbroken, whatever they found"
)


def frequencies(chains: t.Sequence[Told], missing: t.Sequence[str]) -> t.Iterator[Frequency]:
    """Yield for each kind whether there was an audit at least every seven days; `missing` are zones without any chain."""
    for kind in kinds_of(chains):
        of_kind = [chain for chain in chains if chain.kind is kind]
        others, about = count_zones(chains) - count_zones(of_kind), about_kind(kind, chains, "for")
        slow = [chain for chain in of_kind if chain.history.slow]
        first = min(((span, chain.zone) for chain in slow if (span := chain.history.slow)), default=None)
        # Not every zone has a payment page; where one is, browsers load scripts.
        never = len(missing) + (others if kind is SCRIPTS else 0)
        yield Frequency(about, count_zones(slow) + never, count_zones(of_kind) + never, others, first)


def _when(span: Slow, zone: str) -> str:
    page = f" ({line(span.page, MAX_PAGE)})" if span.page else ""
    return f"{zone}{page} from {span.first} to {span.last}"


def count_late(chains: t.Sequence[Told]) -> int:
    """Return the number of records that were written long after, or before, the time that they name."""
    return sum(audit.delay is not None and audit.delay > MAX_DELAY for chain in chains for audit in chain.history.audits)


def written(chains: t.Sequence[Told], period: Period) -> Texts:
    audits: list[Audit] = [audit for chain in chains for audit in chain.history.audits]
    late = count_late(chains)
    if late:
        words = (
            f"{one_or(late, 'was', 'were')} written more than a day from the time that {one_or(late, 'it names', 'they name')}"
        )
        yield f"{plural(late, 'record')} {words}, and {one_or(late, 'does', 'do')} not prove an audit at that time"
    silent = sum(audit.delay is None for audit in audits)
    ahead = sum(audit.day > period.last for audit in audits)
    if ahead:
        yield f"{plural(ahead, 'audit')} {one_or(ahead, 'is', 'are')} dated after the day of this document, and {one_or(ahead, 'proves', 'prove')} nothing"
    if silent:
        it_was = one_or(silent, "it was", "they were")
        words = f"{one_or(silent, 'does', 'do')} not say when {it_was} written"
        yield f"{plural(silent, 'record')} {words}, so that nobody can tell whether {it_was} written at the time of the audit"


def accounted(chains: t.Sequence[Told]) -> t.Iterator[Sentence]:
    if any(chain.problem or chain.torn or chain.moved for chain in chains):
        return
    parts = []
    for kind in kinds_of(chains):
        audited = [chain for chain in audited_of(chains) if chain.kind is kind]
        audits = sum(len(chain.history.audits) for chain in audited)
        if audits:
            parts.append(
                f"every one of {plural(audits, 'audit')}{about_kind(kind, chains)} of {plural(count_zones(audited), 'zone')}"
            )
    if parts:
        yield Sentence(f"{' and '.join(parts)} is accounted for", is_good=True)
