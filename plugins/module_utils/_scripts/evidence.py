# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# What is kept of an audit: one record of the chain, the same in check mode.
import datetime
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.baseline import Baseline
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.chain import VERSION as RECORD_VERSION
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.chain import Chain, digest_of
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.findings import LastRecord
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.history import History
from ansible_collections.edgeops.observability.plugins.module_utils._times import format_time, parse_time
from ansible_collections.edgeops.observability.plugins.module_utils._version import VERSION

Result = dict[str, Json]
Hide = t.Callable[[Json], Json]

# Of a script, what moves only with a reason; times of the last sight and counters would make every record a whole one.
_KEPT = ("script_id", "script_url", "host", "status", "hash", "js_integrity_score", "first_seen_at", "malicious")


def keep(
    history: History | None,
    expected_head: str | None,
    conclude: t.Callable[[LastRecord], Result],
    hide: Hide,
    baseline: Baseline,
    at: datetime.datetime,
) -> tuple[Result, tuple[str, ...]]:
    """Return the result of an audit with `evidence`, which is on the disk by then, and warnings."""
    if history is None:
        return {**conclude(LastRecord()), "evidence": {"seq": None, "head": None}}, ()
    with history.opened() as file:
        result = conclude(_last(file.chain, expected_head))
        record = hide(_record(history.zone_id, result, baseline, at))
        written = file.append(_shortened(record, file.chain))
        warnings = (file.warning,) if file.warning else ()
    return {**result, "evidence": {"seq": written["seq"], "head": written["digest"]}}, warnings


def _last(chain: Chain, expected_head: str | None) -> LastRecord:
    """Return what the audit needs of the chain."""
    at = parse_time(chain.last.get("at")) if chain.last else None
    problem = f"{chain.problem}" if chain.problem else None
    if problem is None and chain.last and at is None:
        problem = f"record {chain.records} has no usable time, so what changed since cannot be told"
    if problem is None and expected_head is not None and expected_head not in chain.heads:
        problem = f"none of the {chain.records} records has the expected head: records at the end are missing, or all of them"
    return LastRecord(at, problem)


def _record(zone_id: str, result: Result, baseline: Baseline, at: datetime.datetime) -> Result:
    return {
        "v": RECORD_VERSION,
        "at": format_time(at),
        "zone_id": zone_id,
        "monitor": result["script_monitor"],
        "baseline_digest": digest_of([entry.declared for entry in baseline.entries]),
        "inventory": [{**item, "script": _kept(item["script"])} for item in result["inventory"]],
        "findings": result["findings"],
        "passed": result["passed"],
        "collection_version": VERSION,
    }


def _kept(script: t.Mapping[str, Json]) -> Result:
    return {name: script.get(name) for name in _KEPT}


def _shortened(record: Result, chain: Chain) -> Result:
    """Return the record with a reference in place of an inventory that is the same as the last whole one."""
    same = chain.inventory
    if chain.problem is not None or same is None or same["inventory"] != record["inventory"]:
        return record
    return {**{name: value for name, value in record.items() if name != "inventory"}, "inventory_same_as": same["seq"]}
