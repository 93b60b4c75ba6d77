# SPDX-License-Identifier: GPL-3.0-or-later

"""Files that runs read: evidence, earlier reports, the state of the event source. Something is wrong in each, or it proves something."""

import dataclasses
import json
import shutil
import typing as t
from pathlib import Path

from properties import decisions
from properties.decisions import EVERYTHING, HOST, Decision, Place, ended, reported, told
from properties.trouble import BUCKET, IN_ZONE, SCRIPT, ZONE_ID, ago
from support.samples import fleet

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._events.state import StateFile


@dataclasses.dataclass(frozen=True)
class File:
    """A file, the run that reads it, and what it has to tell.

    `allowed` are losses that the contract answers otherwise, and `places` those that are looked at, if not all.
    """

    path: Path
    run: t.Callable[[], Decision]
    tells: tuple[str, ...]
    allowed: frozenset[tuple[str, str]] = frozenset()
    places: tuple[str, ...] = ()


def _chain(simulator: t.Any, folder: Path) -> File:
    """Three audits of a zone, whose chain is invalid as soon as anything of it is gone."""
    place = Place(simulator, IN_ZONE, folder)
    evidence = folder / "evidence"
    simulator.reset(
        zones=[{"id": ZONE_ID, "name": HOST}], script_monitor={ZONE_ID: {"enabled": True}}, scripts={ZONE_ID: [SCRIPT]}
    )
    for day in (1, 2, 3):
        audited = place.run("script_audit", {"baseline": [], "evidence_dir": str(evidence), "at": f"2026-10-0{day}T06:00:00Z"})
    heads = {ZONE_ID: audited["evidence"]["head"]}

    def run() -> Decision:
        result = place.local("script_evidence_info", {"evidence_dir": str(evidence), "expected_heads": heads})
        if result.get("failed"):
            return ended(result["msg"])
        return told(() if result["valid"] else {"invalid"})

    path = evidence / f"{ZONE_ID}.jsonl"
    assert run().tells == frozenset()

    def is_found() -> Decision:
        # Of a whole chain there is nothing to tell.
        return told({"invalid"}) if path.read_bytes() == whole else run()

    whole = path.read_bytes()
    return File(path, lambda: run() if not path.exists() else is_found(), ("invalid",))


def _merged(simulator: t.Any, folder: Path) -> File:
    """The report of a slice, with a difference and a failing job."""
    record = {**fleet.drifted(HOST), "jobs": [fleet.job(state="failing", last_error=ago(1))]}
    return _of_reports(simulator, folder, record, ("drifted", "job_failing"), "merge")


def _too_old(simulator: t.Any, folder: Path) -> File:
    """The report of a slice whose audits are too old to say how the zone is now."""
    return _of_reports(simulator, folder, fleet.record(HOST), (EVERYTHING,), "merge", at="2026-01-01T00:00:00Z")


def _previous(simulator: t.Any, folder: Path) -> File:
    """The last report, which knows since when a job has never delivered anything."""
    job = {**fleet.job(state="never", last_complete=None), "destination_conf": BUCKET}
    record = {**fleet.record(HOST), "jobs": [job]}
    # A missing file is that of a first report.
    allowed = frozenset({("", "absent")})
    return _of_reports(simulator, folder, record, ("job_silent",), "previous", now=[record], at=ago(24 * 30), allowed=allowed)


def _of_reports(
    simulator: t.Any,
    folder: Path,
    record: dict[str, t.Any],
    tells: tuple[str, ...],
    option: str,
    *,
    now: t.Sequence[t.Any] = (),
    at: str | None = None,
    allowed: frozenset[tuple[str, str]] = frozenset(),
) -> File:
    place = Place(simulator, IN_ZONE, folder)
    earlier = folder / "earlier"
    args = {"zones": [record], "dest": str(earlier), "formats": ["json"], "at": at or ago(1)}
    place.local("audit_report", args)
    path = earlier / "report.json"
    kept = shutil.copy(path, folder / "report.json")
    named: dict[str, t.Any] = {option: [str(kept)] if option == "merge" else str(kept)}
    others = list(now) or [fleet.record("blog.example")]
    return File(Path(kept), lambda: reported(place, others, tells, **named), tells, allowed)


def _state(_simulator: t.Any, folder: Path) -> File:
    """The state of the event source, which is refused, and never reset, as soon as it cannot be read."""
    path = folder / "state.json"
    file = StateFile(str(path))
    file.open()
    file.note(ZONE_ID, decisions.KNOWN, [])
    file.save()
    file.close()
    whole = json.loads(path.read_bytes())

    def run() -> Decision:
        again = StateFile(str(path))
        try:
            again.open()
        except Failure as failure:
            return ended(str(failure))
        finally:
            again.close()
        # What is stored of a whole file can be compared.
        return told({EVERYTHING} if path.exists() and json.loads(path.read_bytes()) == whole else ())

    # Without a file the source starts again. What it wrote itself is not taken apart further than its parts.
    return File(path, run, (EVERYTHING,), frozenset({("", "absent"), ("zones", "emptied")}), ("", "version", "pending", "zones"))


FILES: t.Mapping[str, t.Callable[[t.Any, Path], File]] = {
    "chain of evidence": _chain,
    "merged report": _merged,
    "merged report that is too old": _too_old,
    "previous report": _previous,
    "state of the event source": _state,
}
