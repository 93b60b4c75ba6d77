# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import hashlib
import itertools
import os
import typing as t

from .._core import Conclusion, Json, invalid_option
from .._files import open_regular, read_regular
from .._text import canonical, format_time, line, list_of, shown
from .._zones import is_zone_id
from .chain import Chain, Problem, Record, is_digest, read_chain
from .evidence import BASELINES
from .facts import FINDINGS

# Evidence, verified where it lies: files are only read, and no service is asked.

_SUFFIX = ".jsonl"
# Of what is printed; the result has everything.
_MAX_OPEN, _MAX_LINE = 20, 400


class Archive(t.NamedTuple):
    """A folder of evidence, and the heads that are known from elsewhere, by zone."""

    folder: str
    expected_heads: t.Mapping[str, str]


class Story:
    """What the valid records of a chain say: findings by kind, the findings of the last one, and changes of what was looked at."""

    def __init__(self) -> None:
        self.findings = dict.fromkeys(FINDINGS, 0)
        self.open: list[Json] = []
        self.scope_changes: list[dict[str, Json]] = []
        self.baselines: dict[str, int] = {}
        self._scope: dict[str, Json] | None = None

    def see(self, record: Record) -> None:
        """Add a record to the totals."""
        self.open = [each for each in list_of(record.get("findings")) if isinstance(each, dict) and each.get("kind") in FINDINGS]
        for finding in self.open:
            self.findings[finding["kind"]] += 1
        if is_digest(record.get("baseline_digest")):
            self.baselines.setdefault(record["baseline_digest"], record["seq"])
        scope = record.get("scope")
        if not isinstance(scope, dict):
            return
        before, self._scope = self._scope, scope
        members = [] if before is None else sorted(name for name in {**before, **scope} if before.get(name) != scope.get(name))
        if before is not None and members:
            self.scope_changes.append(
                {
                    "seq": record["seq"],
                    "at": record["at"],
                    "before": {name: before.get(name) for name in members},
                    "after": {name: scope.get(name) for name in members},
                }
            )


class Read(t.NamedTuple):
    """A file of evidence as it was read."""

    chain: Chain
    story: Story
    is_there: bool
    torn_bytes: int = 0


def desire(params: t.Mapping[str, t.Any]) -> Archive:
    """Return the archive of validated options; refuse heads that are no digests."""
    heads = {}
    for zone_id, head in (params["expected_heads"] or {}).items():
        place = f"expected_heads[{zone_id!r}]"
        if not is_zone_id(str(zone_id)):
            raise invalid_option(place, "a zone id is 1 to 32 hexadecimal digits")
        if not isinstance(head, str) or not is_digest(head.lower()):
            raise invalid_option(place, f"{shown(head)} is not 64 hexadecimal digits")
        heads[str(zone_id).lower()] = head.lower()
    return Archive(params["evidence_dir"], heads)


def report(archive: Archive) -> Conclusion:
    """Return each chain with its first bad record; an archive without any chain is not valid."""
    try:
        found = {name.removesuffix(_SUFFIX) for name in os.listdir(archive.folder) if name.endswith(_SUFFIX)}
    except OSError as error:
        raise invalid_option("evidence_dir", f"{archive.folder!r} cannot be read: {error.strerror}") from None
    there = {zone for zone in found if is_zone_id(zone)}
    zones = sorted(there | (archive.expected_heads.keys() - {zone.lower() for zone in there}))
    verified = [_verify(archive, zone) for zone in zones]
    return Conclusion({"zones": verified, "valid": bool(verified) and all(each["valid"] for each in verified)})


def _verify(archive: Archive, zone_id: str) -> dict[str, Json]:
    read = _read(archive.folder, zone_id)
    chain, times = read.chain, read.chain.times
    missing, edited = _check_baselines(archive.folder, read.story.baselines)
    problem = chain.problem or edited or _find_missing(read, archive.expected_heads.get(zone_id.lower()))
    gaps = [(later - earlier).total_seconds() for earlier, later in itertools.pairwise(times)]
    return {
        "zone_id": zone_id,
        "valid": problem is None,
        "message": str(problem) if problem else _sentence(read, missing),
        "records": chain.records,
        "first": format_time(times[0]) if times else None,
        "last": format_time(times[-1]) if times else None,
        "longest_gap_days": round(max(gaps) / 86400, 3) if gaps else None,
        "findings": read.story.findings,
        "open": read.story.open,
        "scope_changes": read.story.scope_changes,
        "head": chain.head,
    }


def _check_baselines(folder: str, baselines: t.Mapping[str, int]) -> tuple[int, Problem | None]:
    """Return how many of the baselines that records name are missing, and the first record whose baseline was edited."""
    missing = 0
    for digest, record in baselines.items():
        try:
            content = read_regular(os.path.join(folder, BASELINES, f"{digest}.json"))
        except OSError:
            missing += 1
            continue
        if hashlib.sha256(content).hexdigest() != digest:
            return missing, Problem(record, f"names a baseline that was edited: {BASELINES}/{digest}.json has another digest")
    return missing, None


def _sentence(read: Read, missing: int) -> str:
    count = read.chain.records
    text = "1 record is valid" if count == 1 else f"{count} records are valid"
    if read.torn_bytes:
        text += f"; an incomplete last line of {read.torn_bytes} bytes is left of a run that was killed while it was writing"
    if missing:
        text += f"; {missing} of {len(read.story.baselines)} baselines that they name are missing in the folder {BASELINES}"
    return text


def _find_missing(read: Read, head: str | None) -> Problem | None:
    """Return what is wrong with a chain that is valid in itself."""
    records = read.chain.records
    if not read.is_there:
        return Problem(1, "is missing: there is no file for the zone")
    if head is not None and head not in read.chain.heads:
        return Problem(records + 1, f"is missing: none of the {records} records has the expected head")
    return None if records else Problem(1, f"is missing: the file {'has no complete line' if read.torn_bytes else 'is empty'}")


def _read(folder: str, zone_id: str) -> Read:
    torn = 0
    story = Story()

    def whole(file: t.Iterable[bytes]) -> t.Iterator[bytes]:
        nonlocal torn
        for each in file:
            if each.endswith(b"\n"):
                yield each
            else:
                torn = len(each)

    try:
        with open(open_regular(os.path.join(folder, zone_id + _SUFFIX), os.O_RDONLY), "rb") as file:
            chain = read_chain(whole(file), zone_id.lower(), story.see)
    except FileNotFoundError:
        return Read(Chain(), story, False)
    except OSError as error:
        # One file that another user put in the way must not hide what is wrong with the others.
        return Read(Chain(problem=Problem(1, f"cannot be read: {error.strerror}")), story, True)
    return Read(chain, story, True, torn)


def describe(zone: t.Mapping[str, Json], name: str = "") -> list[str]:
    """Return the lines about a zone of a result, with its name if that is known: what an assessor asks for first."""
    called = f"{name} {zone['zone_id']}".strip()
    return [line(f"{called}: {text}", _MAX_LINE) for text in _texts(zone)]


def _texts(zone: t.Mapping[str, Json]) -> t.Iterator[str]:
    yield zone["message"]
    if zone["first"] is None:
        return
    gap = zone["longest_gap_days"]
    yield f"audits from {zone['first']} to {zone['last']}" + ("" if gap is None else f", at most {gap:g} days apart")
    yield f"head {zone['head']}"
    found = [f"{count} {kind}" for kind, count in zone["findings"].items() if count]
    yield f"findings in all records: {', '.join(found) or 'none'}; open in the last one: {len(zone['open'])}"
    for finding in zone["open"][:_MAX_OPEN]:
        place = " on ".join(str(finding[name]) for name in ("script_url", "host") if finding.get(name))
        yield "open: " + ": ".join(filter(None, (finding["kind"], place, str(finding.get("message") or ""))))
    if len(zone["open"]) > _MAX_OPEN:
        yield f"open: {len(zone['open']) - _MAX_OPEN} more"
    for change in zone["scope_changes"]:
        members = [
            f"{name} was {canonical(change['before'][name])}, is {canonical(now)}" for name, now in change["after"].items()
        ]
        yield f"record {change['seq']} ({change['at']}) looked at something else than the one before it: {'; '.join(members)}"
