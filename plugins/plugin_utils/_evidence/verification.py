# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import hashlib
import itertools
import os
import types
import typing as t

from ...module_utils._address import is_zone_id, need_id
from ...module_utils._core import Conclusion, Json, invalid_option
from ...module_utils._files import open_regular, read_regular
from ...module_utils._scripts.evidence import BASELINES, Chain, Record, read_chain
from ...module_utils._scripts.facts import SCRIPT_FINDINGS, is_digest
from ...module_utils._text import canonical, dict_of, format_time, is_integer, line, list_of, parse_time, quoted

# Verifies evidence in its folder: files are only read, and no request is sent.

_SUFFIX = ".jsonl"
# Limits of the printed lines; the result is complete.
_MAX_OPEN, _MAX_LINE = 20, 400


class Archive(t.NamedTuple):
    """A folder of evidence, and the heads that were kept elsewhere, by zone."""

    folder: str
    expected_heads: t.Mapping[str, str]


See = t.Callable[[Record], object]


class Totals:
    """What the valid records of a chain contain: their times, findings by kind, those of the last record, changes of the scope, and baselines.

    Of records at times that `covers` refuses, only the baselines count.
    """

    def __init__(self, covers: t.Callable[[datetime.datetime], bool]) -> None:
        self._covers = covers
        self.times: list[datetime.datetime] = []
        self.findings = dict.fromkeys(SCRIPT_FINDINGS, 0)
        self.open: list[dict[str, Json]] = []
        self.scope_changes: list[dict[str, Json]] = []
        # The first record that names each baseline.
        self.baselines: dict[str, int] = {}
        self._scope: dict[str, Json] | None = None

    def add(self, record: Record) -> None:
        digest, number = record.get("baseline_digest"), record["seq"]
        if is_digest(digest) and is_integer(number):
            self.baselines.setdefault(digest, number)
        scope, before = dict_of(record.get("scope")), self._scope
        self._scope = scope or before
        at = parse_time(record["at"])
        if at is None or not self._covers(at):
            return
        self.times.append(at)
        self.open = [each for each in map(dict_of, list_of(record.get("findings"))) if each.get("kind") in SCRIPT_FINDINGS]
        for finding in self.open:
            self.findings[str(finding["kind"])] += 1
        if before is None or not scope:
            return
        members = sorted(name for name in {**before, **scope} if before.get(name) != scope.get(name))
        if members:
            was, now = ({name: side.get(name) for name in members} for side in (before, scope))
            self.scope_changes.append({"seq": number, "at": record["at"], "before": was, "after": now})


def desire(params: t.Mapping[str, t.Any]) -> Archive:
    """Return the archive of validated options; refuse invalid zone ids and heads."""
    heads = {}
    for zone_id, head in (params["expected_heads"] or {}).items():
        place = f"expected_heads[{zone_id!r}]"
        need_id(place, str(zone_id))
        if not isinstance(head, str) or not is_digest(head.lower()):
            raise invalid_option(place, f"{quoted(head)} is not 64 hexadecimal digits")
        heads[str(zone_id).lower()] = head.lower()
    return Archive(params["evidence_dir"], heads)


def zones_of(archive: Archive) -> list[str]:
    """Return the ids of the zones that have a chain, or whose head is expected; raise `invalid_option` for an unreadable folder."""
    try:
        names = {name.removesuffix(_SUFFIX) for name in os.listdir(archive.folder) if name.endswith(_SUFFIX)}
    except OSError as error:
        raise invalid_option("evidence_dir", f"{archive.folder!r} cannot be read: {error.strerror}") from None
    present = {zone for zone in names if is_zone_id(zone)}
    missing = archive.expected_heads.keys() - {zone.lower() for zone in present}
    return sorted(present | missing)


def report(archive: Archive, names: t.Mapping[str, str] = types.MappingProxyType({})) -> Conclusion:
    """Return each chain with its first invalid record; an archive without any chain is not valid. `names` are those of zones, by id."""
    verified = [verify(archive, zone_id)[0] for zone_id in zones_of(archive)]
    told = [(zone["valid"], describe(zone, names.get(zone["zone_id"].lower(), ""))) for zone in verified]
    bad = [lines[0] for valid, lines in told if not valid]
    if bad:
        first = f"Not valid: {'; '.join(bad)}"
    else:
        first = (
            f"Valid: {'1 chain' if len(told) == 1 else f'all {len(told)} chains'}"
            if told
            else "There is no evidence in the folder."
        )
    lines = [first, *(text for _valid, lines in told for text in lines)]
    return Conclusion({"zones": verified, "valid": is_valid(verified), "lines": lines})


def is_valid(verified: t.Sequence[t.Mapping[str, Json]]) -> bool:
    return bool(verified) and all(zone["valid"] for zone in verified)


def verify(
    archive: Archive,
    zone_id: str,
    covers: t.Callable[[datetime.datetime], bool] = lambda at: True,
    see: See = lambda record: None,
) -> tuple[dict[str, t.Any], Chain]:
    """Return a chain for the result, and as it was read; `see` gets each valid record.

    The chain is verified whole; what is about its records is about those at times that `covers` accepts, and empty or None without any.
    """
    folder, totals = archive.folder, Totals(covers)

    def add(record: Record) -> None:
        totals.add(record)
        see(record)

    try:
        with open(open_regular(os.path.join(folder, zone_id + _SUFFIX), os.O_RDONLY), "rb") as file:
            chain = read_chain(file, zone_id.lower(), add)
    except FileNotFoundError:
        chain = Chain(problem="record 1 is missing: there is no file for the zone")
    except OSError as error:
        # A file that cannot be read must not hide what is wrong with the others.
        chain = Chain(problem=f"record 1 cannot be read: {error.strerror}")
    missing, edited = _check_baselines(folder, totals.baselines)
    problem = chain.problem or edited or _find_missing(chain, archive.expected_heads.get(zone_id.lower()))
    times = totals.times
    gaps = [(later - earlier).total_seconds() for earlier, later in itertools.pairwise(times)]
    verdict = {
        "zone_id": zone_id,
        "valid": problem is None,
        "message": problem or _describe_valid(chain, missing, len(totals.baselines)),
        "records": chain.records,
        "first": format_time(times[0]) if times else None,
        "last": format_time(times[-1]) if times else None,
        "longest_gap_days": round(max(gaps) / 86400, 3) if gaps else None,
        "findings": totals.findings,
        "open": totals.open,
        "scope_changes": totals.scope_changes,
        "head": chain.head,
    }
    return verdict, chain


def _check_baselines(folder: str, baselines: t.Mapping[str, int]) -> tuple[int, str | None]:
    """Return how many of the baselines that records name are missing, and the first record whose baseline was edited."""
    missing = 0
    for digest, record in baselines.items():
        try:
            content = read_regular(os.path.join(folder, BASELINES, f"{digest}.json"))
        except OSError:
            missing += 1
            continue
        if hashlib.sha256(content).hexdigest() != digest:
            edited = f"names a baseline that was edited: {BASELINES}/{digest}.json has another digest"
            return missing, f"record {record} {edited}"
    return missing, None


def _find_missing(chain: Chain, head: str | None) -> str | None:
    """Return what a chain without an invalid record lacks."""
    if head is not None and head not in chain.heads:
        return f"record {chain.records + 1} is missing: none of the {chain.records} records has the expected head"
    return (
        None if chain.records else f"record 1 is missing: the file {'has no complete line' if chain.torn_bytes else 'is empty'}"
    )


def _describe_valid(chain: Chain, missing: int, baselines: int) -> str:
    text = "1 record is valid" if chain.records == 1 else f"{chain.records} records are valid"
    if chain.torn_bytes:
        text += f"; an incomplete last line of {chain.torn_bytes} bytes is left of a run that was killed while it was writing"
    if missing:
        text += f"; {missing} of {baselines} baselines that they name are missing in the folder {BASELINES}"
    return text


def describe(zone: t.Mapping[str, t.Any], name: str = "") -> list[str]:
    """Return the printed lines about a zone of the result, for an assessor; `name` is that of the zone, if it is known."""
    called = f"{name} {zone['zone_id']}".strip()
    return [line(f"{called}: {text}", _MAX_LINE) for text in _texts(zone)]


def _texts(zone: t.Mapping[str, t.Any]) -> t.Iterator[str]:
    yield zone["message"]
    if zone["first"] is None:
        return
    gap = zone["longest_gap_days"]
    yield f"audits from {zone['first']} to {zone['last']}" + ("" if gap is None else f", at most {gap:g} days apart")
    yield f"head {zone['head']}"
    counts = [f"{count} {kind}" for kind, count in zone["findings"].items() if count]
    yield f"findings in all records: {', '.join(counts) or 'none'}; open in the last one: {len(zone['open'])}"
    for finding in zone["open"][:_MAX_OPEN]:
        place = " on ".join(str(finding[name]) for name in ("script_url", "host") if finding.get(name))
        yield "open: " + ": ".join(filter(None, (str(finding["kind"]), place, str(finding.get("message") or ""))))
    if len(zone["open"]) > _MAX_OPEN:
        yield f"open: {len(zone['open']) - _MAX_OPEN} more"
    for change in zone["scope_changes"]:
        members = [
            f"{name} was {canonical(change['before'][name])}, is {canonical(now)}" for name, now in change["after"].items()
        ]
        yield f"record {change['seq']} ({change['at']}) looked at something else than the one before it: {'; '.join(members)}"
