# SPDX-License-Identifier: GPL-3.0-or-later

"""Histories of audits in which something is wrong, and what can be taken away from their records, baselines and files."""

import json
import re
import typing as t
from pathlib import Path

from properties import losses
from properties.decisions import Decision, ended, told
from properties.losses import FileLoss, member_losses, place_of
from support.chains import PAGES_SCOPE, line_of, page, write_baseline, write_chain
from support.years import ZONE, daily, day_of, entry, write

from ansible_collections.edgeops.observability.plugins.module_utils._chain.kinds import PAGES
from ansible_collections.edgeops.observability.plugins.module_utils._chain.records import seal
from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.plugin_utils._evidence import document, verification

# What the first paragraph says, in the order of the contract: the worst first. The last ones are no trouble.
SENTENCES = (
    "evidence is not valid",
    "incomplete",
    "history was broken",
    "malicious|without authorisation|that nobody authorised|required script|that differ from|that led to another|without a script or frame",
    "monitor was off|No script was listed|cannot be read|could not be read|baseline is missing|not verified|nobody knows whether it watched",
    "no audit on|first audited|not audited|no audit of|no evidence here|look(s|) like evidence",
    "did not look at everything|no audit looked at",
    "no authorisation on record|no authorisation names|owner, justification or|past the day of review",
    "older than what|a date after|dated back|has no date|have no date",
    "seven days: not met",
    "were written more|was written more|not say when",
    "seven days: yes",
    "accounted for",
)
DAYS = range(3)
A, B = {"a": "1"}, {"a": "1", "b": "1"}
ONE = {"a": entry("1")}


def rank(sentence: str) -> int:
    return next(place for place, words in enumerate(SENTENCES) if re.search(words, sentence))


def _scripts(*audits: t.Any) -> t.Callable[[Path], Path]:
    return lambda folder: write(folder, [audit for part in audits for audit in part])


def _pages(
    *states: tuple[dict[str, t.Any], list[dict[str, t.Any]]], scope: t.Mapping[str, t.Any] = PAGES_SCOPE
) -> t.Callable[[Path], Path]:
    declared = {"name": "checkout", "page": page()["url"], "owner": "o", "justification": "j", "authorised_by": "me"}
    declared |= {"authorised_on": "2025-12-01", "review_by": None, "headers": {}, "inline": []}

    def made(folder: Path) -> Path:
        digest = write_baseline(folder, [declared])
        return write_chain(
            folder,
            [
                {
                    "at": day_of(day),
                    "written_at": day_of(day),
                    "scope": scope,
                    "pages_baseline_digest": digest,
                    "pages": [state],
                    "findings": findings,
                    "passed": not findings,
                }
                for day, (state, findings) in enumerate(states)
            ],
            ZONE,
            PAGES,
        )

    return made


_SKIMMED = page(inline=[{"hash": "sha256-x", "shape": None, "kind": "script", "dynamic": False}])
_FOUND = [{"kind": "inline_new", "page": page()["url"], "subject": "sha256-x"}]
_UNREAD = [{"kind": "page_unread", "page": page()["url"], "subject": None}]
HISTORIES: t.Mapping[str, t.Callable[[Path], Path]] = {
    "new script": _scripts(daily(DAYS, B, ONE)),
    "changed script": _scripts(daily([0], A, ONE), daily([1, 2], {"a": "2"}, ONE)),
    "malicious script": _scripts(daily(DAYS, A, ONE, more=[("malicious", "a")])),
    "monitor off": _scripts(daily(DAYS, A, ONE, monitor=False)),
    "nothing listed": _scripts(daily(DAYS, {}, ONE)),
    "broken history": _scripts(daily([0, 1], A, ONE), daily([2], A, ONE, more=[("history_broken", None)])),
    "gap": _scripts(daily([0, 7], A, ONE)),
    "fewer hosts": _scripts(daily(DAYS, A, ONE, scope={"hosts": ["a.example"]})),
    "unjustified entry": _scripts(daily(DAYS, A, {"a": entry("1", owner="")})),
    "older authorisation": _scripts(daily([0], A, ONE), daily([1, 2], {"a": "2"}, {"a": entry("1", "2")})),
    "written together": _scripts(daily(DAYS, A, ONE, written=8)),
    "inline code": _pages((page(), []), (_SKIMMED, _FOUND), (_SKIMMED, _FOUND)),
    "page that could not be read": _pages((page(), []), (page(status=None), _UNREAD)),
    "headers left out": _pages((page(), []), (page(), []), scope={**PAGES_SCOPE, "headers": []}),
}


_OPTIONS: dict[str, t.Any] = {
    **dict.fromkeys(("expected_heads", "max_gap_days", "title")),
    "dest": "unused",
    "since": "2026-01-01",
    "until": "2026-01-08",
    "at": day_of(7),
    "zone_names": {ZONE: "pay.example"},
}


def verdict(folder: Path) -> Decision:
    """Return how bad the document says it is: each rank from that of its worst sentence on, so that a better one lacks some."""
    try:
        said = document.read(document.desire({**_OPTIONS, "evidence_dir": str(folder)}, {})).verdict
    except Failure as failure:
        return ended(str(failure))
    return told(SENTENCES[min(map(rank, said)) :], ". ".join(said))


def chain_info(folder: Path) -> Decision:
    """Return what a verification of the chain tells: that it is not valid or not whole, and what was found, lately too."""
    result = verification.report(verification.desire({"evidence_dir": str(folder), "expected_heads": None})).result
    if not result["valid"] or any(words in text for text in result["lines"] for words in ("incomplete", "are missing")):
        return ended("; ".join(result["lines"]))
    (zone,) = result["zones"]
    kinds = {f"found {kind}" for kind, count in zone["findings"].items() if count}
    return told(kinds | {f"open {finding['kind']}" for finding in zone["open"]}, "; ".join(result["lines"]))


def _resealed(lines: t.Sequence[bytes], number: int, record: t.Mapping[str, t.Any]) -> bytes | None:
    """Return the lines with another record in a place, as an audit that knew less would have written them; None if it cannot be one."""
    before = list(lines[:number])
    prev = json.loads(before[-1])["digest"] if before else None
    for changed in (record, *map(json.loads, lines[number + 1 :])):
        if not isinstance(changed, dict):
            return None
        sealed = seal({**{name: value for name, value in changed.items() if name != "digest"}, "prev": prev})
        prev = sealed["digest"]
        before.append(line_of(sealed))
    return b"".join(before)


# What an audit may have truly seen or compared: another truth, and no lack of knowledge.
_OTHER_TRUTHS = re.compile(
    r"^(at|scope\.(hosts|pages|status|headers).*|findings(\[\])?|inventory(\[\])?|pages(\[\])?|passed|collection_version|.*_at)$"
)


def record_losses(path: Path) -> t.Iterator[FileLoss]:
    """Yield what can be taken away from the members of each record, as an audit that knew less would have written it."""
    lines = path.read_bytes().splitlines(keepends=True)
    for number, line in enumerate(lines):
        record = json.loads(line)
        for where, kind, change in member_losses(record):
            if where[0] in ("digest", "prev") or _OTHER_TRUTHS.match(place_of(where)):
                continue
            content = _resealed(lines, number, change(json.loads(line)))
            if content is not None:
                yield FileLoss("chain.jsonl", f"record {place_of(where)}", kind, content)


def _is_beginning(content: bytes | None, whole: bytes) -> bool:
    """Return whether only whole lines at the end are gone, which no chain can see by itself: its head is kept elsewhere for that."""
    return bool(content) and whole.startswith(content or b"") and (content or b"").endswith(b"\n")


_OF_FILES = ("absent", "empty", "cut", "missing", "repeated")


def all_losses(folder: Path) -> t.Iterator[tuple[Path, FileLoss]]:
    """Yield what can be taken away from a chain, from the members of its records, and from its baselines."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            of_file = losses.file_losses("chain.jsonl" if path.name.endswith("l") else "baseline", path.read_bytes())
            whole = path.read_bytes()
            yield from (
                (path, loss)
                for loss in of_file
                if (loss.kind in _OF_FILES or not path.name.endswith("l")) and not _is_beginning(loss.content, whole)
            )
            if path.name.endswith("l"):
                yield from ((path, loss) for loss in record_losses(path))
