# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ...module_utils._address import ACCOUNT, ZONE
from ...module_utils._logpush.coverage import log_field_coverage
from ...module_utils._logpush.health import NEVER, UNKNOWN
from ...module_utils._logpush.personal_fields import personal_fields
from ...module_utils._observed import Cause, Known, Observed, Unknown, is_unasked
from ...module_utils._text import dict_of, is_integer
from ...module_utils._zone.record import ZoneRecord, result_of, value_of
from ...module_utils._zone.registered import Reason
from ...module_utils._zone.result import ReportedJob
from ...module_utils._zone.told import Told, is_told_of, owner_of
from . import alerts, bills, content_rules, findings, log_fields, survey
from .comparison import by_number, first_seen, match
from .document import NOTHING, Copied, JobRow, Row, RowError, ScriptRow, identity
from .facts import COMPLIANT, MANAGED, UNAUDITED, UNMANAGED
from .items import Problem, difference_problem, items_of, problem
from .judged import Seen, judged_of, pages_of
from .not_audited import gaps_of
from .options import DesiredReport

# Rows of the report from the records of a run, one for each zone and account.

_NO_ACCOUNT: Observed[Copied] = Unknown(Cause.NOT_ASKED, "no account of the run shows it")


class Accounts(t.NamedTuple):
    """What the records of a run say of the accounts: the notes about who is told, and the records of the accounts themselves, by id.

    `known_alerts` are those of which it is known who is told: scope, name of the host, and type of the alert.
    `asks_fields` is whether the run audits log fields, and with them the boundaries of accounts; `asks_alerts`, whether it is to tell who is
    told: where it has an account, or `fail_on` names it.
    """

    notes: alerts.Notes
    known_alerts: t.Collection[tuple[str, str, str]]
    records: t.Mapping[str, ZoneRecord]
    asks_fields: bool
    asks_alerts: bool

    def owner(self, record: ZoneRecord) -> ZoneRecord | None:
        """Return the record of the account of a zone, or of an account; None if it is not in the run."""
        return self.records.get(owner_of(record))

    def boundary(self, record: ZoneRecord) -> Observed[Copied]:
        """Return the boundary of the account of a zone, or of an account."""
        owner = self.owner(record)
        if owner is not None and not is_unasked(owner["boundary"]):
            return owner["boundary"]
        if not self.asks_fields:
            return Unknown(Cause.NOT_ASKED, "edgeops_audit_fields is false")
        if is_unasked(record["fields"]) and not value_of(record["jobs"]):
            # Nothing is asked of a host without a declaration.
            return Unknown(Cause.NOT_READABLE if _lacks_listing(record) else Cause.NOT_ASKED, "its jobs were not read")
        if owner is not None:
            return Unknown(Cause.NOT_ASKED, "the boundary of the account was not asked for")
        return Unknown(
            Cause.NOT_READABLE, "its account is not in the run" if record["account_id"] else "its account is not known"
        )

    def alerts_of(self, record: ZoneRecord) -> set[str] | None:
        """Return the alerts of a host of which it is known who is told; None if the policies of its account were not read."""
        owner = self.owner(record)
        if owner is None or not isinstance(owner["notifications"], Known):
            return None
        return {alert for scope, host, alert in self.known_alerts if (scope, host) == (record["scope"], record["zone"])}

    def unknown_recipients(self, record: ZoneRecord) -> str:
        """Return why it is not known who is told of a zone whose account the run does not have; "" if it has, or nobody asks."""
        number = record["account_id"]
        # A survey lists the accounts that it finds.
        is_asked = self.asks_alerts or (number is not None and not record["declared"])
        if record["scope"] != ZONE or not is_asked or self.owner(record) is not None or not is_told_of(record):
            return ""
        # The account of a declared zone is that of the inventory, which the service was not asked for.
        unnamed = "its account is not known" if record["declared"] else "the service does not name its account"
        why = f"its account {number} is not in the run" if number else unnamed
        add = "name its account in account_ids of edgeops_survey"
        if record["declared"]:
            add = (
                f"add a host with account_id: {number}"
                if number
                else "set account_id at its host, and add a host with this account_id"
            )
        elif not number:
            add = ""
        text = f"{why}, so it is not known who is told of its jobs and scripts"
        return f"{text}; {add}" if add else text


def accounts_of(desired: DesiredReport, who: Told) -> Accounts:
    """Return what the records of a run say of accounts."""
    owners = {owner: record for record in desired.records if record["scope"] == ACCOUNT and (owner := owner_of(record))}
    read = (part for record in desired.records for part in (record["fields"], record["boundary"]))
    asks_fields = desired.asks_fields or not all(map(is_unasked, read))
    asks_alerts = bool(owners) or "no_alert" in desired.fail_on
    return Accounts(alerts.notes_of(who.gaps), who.known, owners, asks_fields, asks_alerts)


def rows_of(desired: DesiredReport, who: Told, before: t.Sequence[Row]) -> list[Row]:
    """Return the rows; `who` is told, and `before` are the rows of the previous report."""
    accounts = accounts_of(desired, who)
    named = list(map(_named, desired.records))
    places, _left = match(named, before)
    olds = [None if place is None else before[place] for place in places]
    rows = zip(desired.records, named, olds, strict=True)
    return [_row_of(_with_deliveries(record, old), row, old, desired, accounts) for record, row, old in rows]


def _named(record: ZoneRecord) -> Row:
    """Return the row of a host of which nothing is known."""
    return {
        **NOTHING,
        "zone": record["zone"],
        "zone_id": record["zone_id"],
        "account_id": record["account_id"],
        "scope": record["scope"],
        "account_name": record["account_name"],
    }


def _with_deliveries(record: ZoneRecord, old: Row | None) -> ZoneRecord:
    """Return a record with the last deliveries that the previous report had and the service does not show any more: a job that delivered once never did not."""
    jobs = record["jobs"]
    known = {number: job["last_complete"] for number, job in by_number(old["jobs"] if old else None).items()}
    if not isinstance(jobs, Known) or not known:
        return record
    text = "the service does not show any more when the job delivered last; an earlier report has {}"
    remembered: list[ReportedJob] = []
    for job in jobs.value:
        last = known.get(findings.job_number(job) or 0) if findings.health_state(job) == NEVER else None
        health = {**(job.get("health") or {}), "state": UNKNOWN, "message": text.format(last)}
        remembered.append({**job, "last_complete": last, "health": health} if last else job)
    return {**record, "jobs": Known(remembered)}


def _row_of(record: ZoneRecord, named: Row, old: Row | None, desired: DesiredReport, accounts: Accounts) -> Row:
    owner, jobs, audit, pages = identity(named), value_of(record["jobs"]), value_of(record["scripts"]), value_of(record["pages"])
    problems = list(_problems(record, desired, accounts))
    items = items_of(owner, problems, desired.at)
    shown = None if jobs is None else [_job(label, job) for label, job in findings.labelled(jobs)]
    since = first_seen({**named, "jobs": shown}, old)
    noted = {str(item["subject"]): since.get(item["id"], desired.at) for item in items if item["type"] == "job_never"}
    silent = list(findings.silent(jobs or (), desired.at, desired.silent_after_days, noted))
    error = _error(record["error"]) or _unread_page(items)
    managed = {name: part for name in MANAGED if (part := result_of(record).get(name))} if record["declared"] else {}
    delivery, bill = value_of(record["delivery"]), bills.shown(_bill(record, desired))
    return {
        **named,
        "status": UNAUDITED if error else COMPLIANT if managed or pages else UNMANAGED,
        "audited_at": None if error else desired.at,
        # The plan of a zone that could not be audited as a whole is not one to approve.
        "plan_ids": {name: None if error else (managed.get(name) or {}).get("plan_id") for name in MANAGED},
        # Together, because of two problems of one place one is shown.
        "items": items_of(owner, [*problems, *silent], desired.at),
        "error": error,
        "evidence": _evidence((audit or {}).get("evidence"), (pages or {}).get("evidence")),
        "delivery": delivery.rows if delivery else None,
        "budget": bill,
        "proposals": (audit or {}).get("proposals"),
        "resources": _resources(record, desired, accounts),
        "jobs": shown,
        "inventory": None if audit is None else [_script(script) for script in audit.get("inventory") or ()],
        "not_audited": gaps_of(record, accounts.boundary(record), desired.asks_delivery),
        "pages": pages_of(record, desired.at),
        "judged": judged_of(
            Seen(
                record,
                (*problems, *silent),
                accounts.boundary(record),
                desired.required_fields,
                accounts.alerts_of(record),
                bill is not None,
            )
        ),
    }


def _error(reason: Reason | None) -> RowError | None:
    """Return a reason as the report has it: with the permission only where one is missing."""
    if reason is None:
        return None
    error: RowError = {"kind": reason["kind"], "message": reason["message"]}
    return {**error, "permission": reason["permission"]} if reason["permission"] else error


def _unread_page(items: t.Iterable[t.Mapping[str, t.Any]]) -> RowError | None:
    """Return why a zone is unaudited of whose payment pages one could not be read."""
    unread = [item for item in items if item["type"] == "page_unread"]
    if not unread:
        return None
    said = str(unread[0]["is"]).removeprefix("the page could not be read: ")
    return {"kind": "unavailable", "message": f"a payment page could not be read: {said}"}


def _evidence(scripts: Copied | None, pages: Copied | None) -> Copied | None:
    """Return the last records of the two chains of evidence; None if nothing was recorded."""
    return {**(scripts or {"seq": None, "head": None}), "pages": pages or None} if scripts or pages else None


def _problems(record: ZoneRecord, desired: DesiredReport, accounts: Accounts) -> t.Iterator[Problem]:
    """Yield what the audit found; whatever was read counts, also where something else could not be read."""
    result, listed = result_of(record), value_of(record["jobs"])
    jobs = listed or ()
    for name, reason in record["unreadable"]:
        yield problem("not_readable", None, reason["brief"], resource=name)
    if record["declared"]:
        yield from map(difference_problem, findings.differences(result, jobs))
        yield from findings.unlisted(result, jobs)
        yield from content_rules.rules(result)
    else:
        yield from survey.notes(record)
    yield from accounts.notes.get((record["scope"], record["zone"]), ())
    if why := accounts.unknown_recipients(record):
        yield problem("not_readable", None, why, resource="notifications")
    yield from findings.health(jobs, desired.silent_after_days)
    if _lacks_listing(record):
        unlisted = "its jobs were not listed, so that it is not known whether they deliver; list them with logpush_job_info"
        yield problem("not_readable", None, unlisted, resource="health")
    if (scripts := value_of(record["scripts"])) is not None:
        yield from findings.scripts(scripts)
    if (pages := value_of(record["pages"])) is not None:
        yield from findings.pages(pages)
    yield from _coverage(record, jobs)
    if (delivery := value_of(record["delivery"])) is not None:
        yield from findings.delivery(delivery.rows, listed)
    if desired.asks_fields and is_unasked(record["fields"]) and (jobs or _lacks_listing(record)):
        unread = "the fields of its datasets were not read, so that it is not known whether its jobs lost some"
        yield problem("not_readable", None, unread, resource="fields")
    yield from log_fields.removed(record["fields"], jobs)
    yield from log_fields.outside_region(accounts.boundary(record), jobs)
    yield from bills.over_budget(record, _bill(record, desired), desired.records)
    if _requires_fields(record):
        yield from findings.required(desired.required_fields, record["scope"], listed)


def _bill(record: ZoneRecord, desired: DesiredReport) -> bills.Bill | None:
    return bills.bill_of(record, desired.budget, desired.rates, desired.at, desired.records)


def _lacks_listing(record: ZoneRecord) -> bool:
    """Return whether something is declared for a zone or an account, and nothing was to list its jobs."""
    jobs = record["jobs"]
    is_managed = record["declared"] and any(result_of(record).get(name) for name in MANAGED)
    return is_managed and record["error"] is None and isinstance(jobs, Unknown) and jobs.cause is Cause.NOT_ASKED


def _coverage(record: ZoneRecord, jobs: t.Sequence[ReportedJob]) -> t.Iterator[Problem]:
    """Yield which custom fields are not delivered, worked out here if the record does not say it and has what tells it."""
    managed = result_of(record).get("custom_fields") or {}
    coverage, fields = record["coverage"], managed.get("custom_fields")
    if isinstance(coverage, Known):
        yield from findings.coverage(coverage.value, jobs)
    elif fields is None and coverage.cause is Cause.NOT_ASKED and "custom_fields" in managed:
        yield problem("not_readable", None, "its custom fields are not shown (null)", resource="coverage")
    elif fields is not None and coverage.cause is Cause.NOT_ASKED and _lacks_listing(record):
        unlisted = "its jobs were not listed, so that it is not known which custom fields are delivered"
        yield problem("not_readable", None, unlisted, resource="coverage")
    elif coverage.cause is Cause.NOT_ASKED and isinstance(record["jobs"], Known) and fields is not None:
        try:
            worked_out = log_field_coverage(fields, jobs)
        except ValueError as error:
            unknown = f"which custom fields are delivered is not known: {error}"
            yield problem("not_readable", None, unknown, resource="coverage")
        else:
            yield from findings.coverage(worked_out, jobs)


def _requires_fields(record: ZoneRecord) -> bool:
    """Return whether the run would know which fields are delivered: not of a zone that it does not read."""
    if isinstance(record["jobs"], Known):
        return True
    return record["error"] is None and (not record["declared"] or any(result_of(record).get(name) for name in MANAGED))


def _resources(record: ZoneRecord, desired: DesiredReport, accounts: Accounts) -> list[str]:
    """Return the resources that were read, and what else was looked at."""
    looked: list[str] = [name for name in MANAGED if result_of(record).get(name)]
    has_jobs = isinstance(record["jobs"], Known)
    looked += ["jobs"] if has_jobs and "jobs" not in looked else []
    owner = record if record["scope"] == ACCOUNT else accounts.owner(record)
    parts: dict[str, Observed[t.Any]] = {
        "scripts": record["scripts"],
        "health": record["jobs"],
        "coverage": record["coverage"],
        "delivery": record["delivery"],
        "notifications": owner["notifications"] if owner else _NO_ACCOUNT,
        "pages": record["pages"],
        "log_fields": record["fields"],
        "boundary": accounts.boundary(record),
        "cost": record["cost"],
    }
    looked += [name for name, part in parts.items() if isinstance(part, Known)]
    compares_fields = bool(desired.required_fields) or not record["declared"]
    return looked + (["fields"] if compares_fields and (record["error"] is None or has_jobs) else [])


def _job(label: str, job: ReportedJob) -> JobRow:
    last, explained = job.get("last_complete"), job.get("filter_explained")
    transformer, transformer_id = job.get("transformer"), job.get("transformer_id")
    dataset = job.get("dataset")
    return {
        "job": label,
        "job_id": findings.job_number(job),
        "dataset": dataset if isinstance(dataset, str) else None,
        "destination": dict_of(job.get("destination")) or None,
        "filter_explained": explained if isinstance(explained, str) else None,
        "transformer": transformer if transformer and isinstance(transformer, str) else None,
        "transformer_id": transformer_id if transformer_id and is_integer(transformer_id) else None,
        "personal_fields": personal_fields(job),
        "health": findings.health_state(job),
        "last_complete": last if isinstance(last, str) else None,
    }


def _script(listed: Copied) -> ScriptRow:
    """Return a script that the audit saw, with the entry of the baseline that covers it."""
    script = dict_of(listed.get("script"))
    return {"script_url": script.get("script_url") or script.get("url"), "host": script.get("host"), "entry": listed.get("entry")}
