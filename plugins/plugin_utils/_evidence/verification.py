# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import itertools
import re
import types
import typing as t

from ...module_utils._address import need_id
from ...module_utils._chain.kinds import BASELINES, SCRIPTS, Kind, is_digest
from ...module_utils._chain.records import CheckedRecord
from ...module_utils._chain.torn import Torn
from ...module_utils._chain.verification import Source, Verified, find_chains, unread_files, zone_of
from ...module_utils._chain.verification import verify as verify_chain
from ...module_utils._core import Conclusion, Json, invalid_option
from ...module_utils._text import canonical, format_time, line, parse_time, quoted, shorten
from .._words import named, plural

# What the chains of a folder contain, as a result and in printed lines.

# Limits of the printed lines; the result is complete.
_MAX_OPEN, _MAX_LINE = 20, 400


class Archive(t.NamedTuple):
    """A folder of evidence, and the heads that were kept elsewhere, by the key of the chain."""

    folder: str
    expected_heads: t.Mapping[str, str]


See = t.Callable[[CheckedRecord], object]


class Totals:
    """What the valid records of a chain contain: their times, findings by kind, those of the last record, and changes of the scope.

    Records at times that `covers` refuses do not count.
    """

    def __init__(self, kind: Kind, covers: t.Callable[[datetime.datetime], bool]) -> None:
        self._covers = covers
        self.times: list[datetime.datetime] = []
        self.findings = dict.fromkeys(kind.findings, 0)
        self.open: list[dict[str, Json]] = []
        self.scope_changes: list[dict[str, Json]] = []
        self._scope: dict[str, Json] | None = None

    def add(self, record: CheckedRecord) -> None:
        scope, before = record["scope"], self._scope
        self._scope = scope
        at = parse_time(record["at"])
        if at is None or not self._covers(at):
            return
        self.times.append(at)
        self.open = record["findings"]
        for finding in record["findings"]:
            self.findings[finding["kind"]] += 1
        if before is None:
            return
        members = sorted(name for name in {**before, **scope} if before.get(name) != scope.get(name))
        if members:
            was, now = ({name: side.get(name) for name in members} for side in (before, scope))
            self.scope_changes.append({"seq": record["seq"], "at": record["at"], "before": was, "after": now})


def desire(params: t.Mapping[str, t.Any]) -> Archive:
    """Return the archive of validated options; refuse invalid keys of chains, and heads."""
    heads: dict[str, str] = {}
    for key, head in (params["expected_heads"] or {}).items():
        place = f"expected_heads[{key!r}]"
        need_id(place, zone_of(str(key).lower()))
        if not isinstance(head, str) or not is_digest(head.lower()):
            raise invalid_option(place, f"{quoted(head)} is not 64 hexadecimal digits")
        if heads.setdefault(str(key).lower(), head.lower()) != head.lower():
            raise invalid_option(place, "has another head in another spelling")
    return Archive(params["evidence_dir"], heads)


def chains_of(archive: Archive) -> list[Source]:
    """Return the chains in the folder, and those whose head is expected; raise `invalid_option` for an unreadable folder."""
    try:
        return find_chains(archive.folder, archive.expected_heads.keys())
    except OSError as error:
        raise invalid_option("evidence_dir", f"{archive.folder!r} cannot be read: {error.strerror}") from None


# Of a valid chain, nothing else is said.
_UNBROKEN = ", which says that the records are unbroken, whatever the audits found"


def report(archive: Archive, names: t.Mapping[str, str] = types.MappingProxyType({})) -> Conclusion:
    """Return each chain with its first invalid record; an archive without any chain is not valid.

    `names` are those of the zones of the inventory, by id. Not each of them needs evidence; whoever expects a chain gives its head.
    """
    chains = [verify(archive, source) for source in chains_of(archive)]
    verified = [row for row, _chain in chains]
    told = [(row["valid"], describe(row, names.get(row["zone_id"].lower(), ""))) for row in verified]
    bad = [lines[0] for valid, lines in told if not valid]
    if bad:
        first = f"Not valid: {'; '.join(bad)}"
    else:
        first = f"Valid: {'1 chain' if len(told) == 1 else f'all {len(told)} chains'}{_doubts([chain for _row, chain in chains])}"
        first = first if told else "There is no evidence in the folder."
    lines = [first, *(text for _valid, lines in told for text in lines)]
    known = {row["zone_id"].lower() for row in verified}
    lacking = sorted(called(name) for zone_id, name in names.items() if zone_id not in known)
    if told and lacking:
        lines = [
            f"{first}; nothing is said of {plural(len(lacking), 'zone')} without evidence",
            *lines[1:],
            without_evidence(lacking),
        ]
    if files := unread_files(archive.folder):
        lines.append(not_read(files))
    return Conclusion({"zones": verified, "valid": is_valid(verified), "lines": lines})


def _doubts(chains: t.Sequence[Verified]) -> str:
    """Return what valid chains do not show, or else only what it means that they are valid."""
    torn, without = sum(any(incomplete_lines(chain)) for chain in chains), sum(bool(chain.missing) for chain in chains)
    parts = [f", {torn} of them with an incomplete last line: records may be missing"] if torn else []
    parts += [f", {without} of them without a baseline: what was authorised cannot be shown"] if without else []
    return "".join(parts) or _UNBROKEN


def not_read(files: t.Sequence[str]) -> str:
    """Return that files may be evidence and are none of a zone, without a full stop."""
    was = "look like evidence, and were" if len(files) > 1 else "looks like evidence, and was"
    return f"{plural(len(files), 'file')} of the folder {was} not read, because no zone has such an id: {named(files)}"


def without_evidence(names: t.Sequence[str]) -> str:
    """Return that zones of the inventory have no evidence, without a full stop."""
    many = len(names) > 1
    zones, it = f"{plural(len(names), 'zone')} of the inventory {'have' if many else 'has'}", "them" if many else "it"
    return f"{zones} no evidence here, and nothing is said of {it}: {named(names)}"


def is_valid(verified: t.Sequence[t.Mapping[str, Json]]) -> bool:
    return bool(verified) and all(row["valid"] for row in verified)


def verify(
    archive: Archive,
    source: Source,
    covers: t.Callable[[datetime.datetime], bool] = lambda at: True,
    see: See = lambda record: None,
) -> tuple[dict[str, t.Any], Verified]:
    """Return a chain for the result, and as it was verified; `see` gets each valid record.

    The chain is verified whole; what is about its records is about those at times that `covers` accepts, and empty or None without any.
    """
    totals = Totals(source.kind, covers)

    def add(record: CheckedRecord) -> None:
        totals.add(record)
        see(record)

    verified = verify_chain(source, archive.expected_heads.get(source.key), add)
    chain, problem = verified.chain, verified.problem
    times = totals.times
    gaps = [(later - earlier).total_seconds() for earlier, later in itertools.pairwise(times)]
    row = {
        "zone_id": source.zone_id,
        "kind": source.kind.name,
        "valid": problem is None,
        "message": _describe(verified),
        "records": chain.records,
        "first": format_time(times[0]) if times else None,
        "last": format_time(times[-1]) if times else None,
        "longest_gap_days": round(max(gaps) / 86400, 3) if gaps else None,
        "findings": totals.findings,
        "open": totals.open,
        "scope_changes": totals.scope_changes,
        "head": chain.head,
    }
    return row, verified


def _describe(verified: Verified) -> str:
    chain, missing = verified.chain, len(verified.missing)
    parts = [verified.problem or ("1 record is valid" if chain.records == 1 else f"{chain.records} records are valid")]
    torn, moved = incomplete_lines(verified)
    if torn is not None:
        parts.append(f"an incomplete last line of {torn.size} bytes is no record: {MAYBE_CUT}")
        parts += [torn.words] if torn.words else []
    if moved is not None:
        parts.append(f"an incomplete line was moved to the file .torn beside it: {MAYBE_CUT}")
        parts += [moved.words] if moved.words else []
    if missing and not verified.problem:
        parts.append(f"{missing} of {len(verified.baselines)} baselines that they name are missing in the folder {BASELINES}")
    return "; ".join(parts)


# Nobody can tell the two apart afterwards.
MAYBE_CUT = "a run was killed while it was writing, or the end of the file was cut off"


def incomplete_lines(verified: Verified) -> tuple[Torn | None, Torn | None]:
    """Return the incomplete last line of a chain, and those that former audits moved away; a file without any record is not valid, and says so itself."""
    chain = verified.chain
    return (chain.torn if chain.records else None), chain.moved


_PLAIN_NAME = re.compile(r"\w[\w.-]*")
_MAX_NAME_LENGTH = 60


def called(name: str) -> str:
    """Return the name of a zone in a sentence: in quotes if it could be taken for a part of the sentence."""
    return name if _PLAIN_NAME.fullmatch(name) and len(name) <= _MAX_NAME_LENGTH else repr(shorten(name, _MAX_NAME_LENGTH))


def describe(zone: t.Mapping[str, t.Any], name: str = "") -> list[str]:
    """Return the printed lines about a zone of the result, for an assessor; `name` is that of the zone, if it is known."""
    kind = "" if zone["kind"] == SCRIPTS.name else f" ({zone['kind']})"
    place = f"{called(name) if name else ''} {zone['zone_id']}{kind}".strip()
    return [line(f"{place}: {text}", _MAX_LINE) for text in _texts(zone)]


def _texts(zone: t.Mapping[str, t.Any]) -> t.Iterator[str]:
    yield zone["message"]
    if zone["first"] is None:
        return
    gap, valid = zone["longest_gap_days"], "" if zone["valid"] else "valid "
    yield f"{valid}audits from {zone['first']} to {zone['last']}" + (
        "" if gap is None else f", at most {gap:g} {'day' if gap == 1 else 'days'} apart"
    )
    yield f"head {zone['head']}"
    counts = [f"{count} {kind}" for kind, count in zone["findings"].items() if count]
    yield f"findings in all {valid}records: {', '.join(counts) or 'none'}; open in the last one: {len(zone['open'])}"
    for finding in zone["open"][:_MAX_OPEN]:
        place = " on ".join(str(finding[name]) for name in ("script_url", "subject", "host", "page") if finding.get(name))
        yield "open: " + ": ".join(filter(None, (str(finding["kind"]), place, str(finding.get("message") or ""))))
    if len(zone["open"]) > _MAX_OPEN:
        yield f"open: {len(zone['open']) - _MAX_OPEN} more"
    for change in zone["scope_changes"]:
        members = [
            f"{name} was {canonical(change['before'][name])}, is {canonical(now)}" for name, now in change["after"].items()
        ]
        yield f"record {change['seq']} ({change['at']}) looked at something else than the one before it: {'; '.join(members)}"
