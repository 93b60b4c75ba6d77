# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import functools
import typing as t

from .._api.client import Client
from .._chain.evidence import Evidence, LastRecord, now, unless_overtaken
from .._chain.kinds import SCRIPTS
from .._core import HOLDS_DATA, Conclusion, Json
from .._engine.run import Run
from .._engine.task import Spec, StateTask, Task
from .._redact import scrub
from .audit import Audit, with_singles
from .audit import desire as desire_audit
from .earlier import EarlierAudits
from .facts import ALL, DEFAULT_MAX_GAP_DAYS, DEFAULT_STATUSES, MALICIOUS_OPTIONS, ROUTE_OPTION, SCRIPT_FINDINGS
from .listing import judged, observe
from .monitor import DesiredMonitor, MonitorState, conclude, desire, plan
from .read import all_scripts, monitor, read_singly


class ScriptMonitor(StateTask[DesiredMonitor, MonitorState]):
    """The script monitor of a zone."""

    name = "script_monitor"
    spec = Spec(
        options={"enabled": {"type": "bool", "required": True}, **ROUTE_OPTION},
    )

    desire = staticmethod(desire)

    def read(self, client: Client, desired: DesiredMonitor) -> MonitorState:
        return monitor(client, desired.route)

    plan = staticmethod(plan)
    conclude = staticmethod(conclude)


TASK = ScriptMonitor()


def audit_scripts(audit: Audit, client: Client, now: t.Callable[[], datetime.datetime]) -> Conclusion:
    """Read, judge, keep the evidence, and report; `now` is the clock of this machine."""
    evidence = Evidence.prepare(audit.keeping.folder, client.address.id, SCRIPTS) if audit.keeping.folder else None
    # Before the first request, so that what the service fetches meanwhile is new to the next audit.
    at = audit.keeping.at or now()
    state = monitor(client, audit.query.route)
    query = audit.query.on_route(state.route)
    listing = judged(all_scripts(client, query), query)
    # The first look only chooses what to read singly, and the second one asks for the same matches.
    find = functools.cache(audit.baseline.match)
    identifiers, warnings = audit.choose_details(listing, find)
    answers = {single["script_id"]: single for single in read_singly(client, query, identifiers)}
    singles = {identifier: answers.get(identifier) for identifier in identifiers}
    seen = observe(with_singles(listing, singles, query))
    # Entries that match equally well are refused here, before a file of evidence exists.
    matches = [find(script.url, script.host) for script in seen]

    def report(last: LastRecord, earlier: EarlierAudits | None) -> dict[str, t.Any]:
        # A first audit has nothing to compare versions with.
        news = [earlier.news_of(script) if earlier else None for script in seen]
        rows = [audit.row_of(*about, singles) for about in zip(seen, matches, news, strict=True)]
        return audit.result_of(rows, state.status, last, at)

    if evidence is None:
        result = {**report(LastRecord(), None), "evidence": {"seq": None, "head": None}}
    else:
        earlier, hide = EarlierAudits(at, client.behind), functools.partial(scrub, secrets=client.secrets)
        baselines: dict[str, Json] = {"baseline_digest": hide([entry.declared for entry in audit.baseline.entries])}
        with evidence.opened(earlier.add) as records:
            last = records.find_last(audit.keeping, at, now(), baselines).that_saw(earlier.last_as_wide(query))
            warnings += records.warn_of_missing()
            result = report(last, earlier if records.chain.records else None)
            record = records.keep(at, now(), audit.to_keep(result, query), baselines, hide)
            result["evidence"] = {"seq": record["seq"], "head": record["digest"]}
    return Conclusion(result, warnings, audit.refusal(result["summary"]))


class ScriptAudit(Task):
    """The audit of a zone's scripts. It writes nothing to the service, and keeps its evidence in check mode too."""

    name = "script_audit"
    spec = Spec(
        options={
            "baseline": {"type": "raw", "required": True, HOLDS_DATA: True},
            "fail_on": {"type": "list", "elements": "str", "choices": [ALL, *SCRIPT_FINDINGS], "default": []},
            "details": {"type": "str", "choices": ["findings", "none", "all"], "default": "findings"},
            "evidence_dir": {"type": "path"},
            "expected_head": {"type": "str"},
            "max_gap_days": {"type": "float", "default": DEFAULT_MAX_GAP_DAYS},
            "at": {"type": "str"},
            "hosts": {"type": "list", "elements": "str"},
            "pages": {"type": "list", "elements": "str", "default": []},
            "status": {"type": "list", "elements": "str", "default": list(DEFAULT_STATUSES)},
            **MALICIOUS_OPTIONS,
            **ROUTE_OPTION,
        },
        required_by={"expected_head": ["evidence_dir"]},
    )

    def perform(self, run: Run) -> None:
        """Audit, keep the evidence, and report."""
        audit = desire_audit(run.params)
        client = run.connect(self.addresses)
        run.report(unless_overtaken(lambda: audit_scripts(audit, client, now)))


AUDIT_TASK = ScriptAudit()
