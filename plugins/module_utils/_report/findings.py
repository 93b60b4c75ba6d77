# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import typing as t

from .._logpush import logpull_options
from .._logpush.coverage import Coverage, log_field_coverage, selected_fields
from .._logpush.facts import DATASET
from .._logpush.job import Identity, labels
from .._text import canonical, dict_of, distinct, duration, list_of
from .._zone.result import Diff, ReportedJob, ZoneResult
from .document import Copied
from .facts import DESTINATION_ANSWERS, DIFFERENCE, MANAGED, NOTE, PERSONAL_FIELDS
from .items import Observation, destination_text, found, plural
from .options import AuditRecord, Scripts

# What an audit finds in a zone: differences from the desired state, and findings and notes about jobs, scripts and fields.


def labelled(jobs: t.Sequence[ReportedJob]) -> list[tuple[str, ReportedJob]]:
    """Return each job with its label, the same one that its differences have."""
    identities = [Identity(str(job.get("name") or ""), _dataset(job), job_number(job)) for job in jobs]
    return list(zip(distinct(labels(identities)), jobs, strict=True))


def _dataset(job: ReportedJob) -> str:
    return str(job.get("dataset") or DATASET)


def job_number(job: ReportedJob) -> int | None:
    """Return the id of a job."""
    number = job.get("id")
    return number if isinstance(number, int) and not isinstance(number, bool) else None


def differences(result: ZoneResult, jobs: t.Sequence[ReportedJob]) -> t.Iterator[Observation]:
    """Yield each member in which the managed resources of a zone differ from their desired state."""
    stopped = {label: _reason(job) for label, job in labelled(jobs) if _disabled_by_service(job)}
    for resource in MANAGED:
        outcome = result.get(resource) or {}
        differing = list(_of_resource(resource, outcome.get("diff") or {}))
        if not differing and outcome.get("changed"):
            differing = [Observation(DIFFERENCE, None, None, resource=resource)]
        for each in differing:
            why = stopped.get(each.subject or "") if (resource, each.member) == ("jobs", "enabled") else None
            yield each._replace(remark=f"; the service disabled it: {why}") if why else each


def _of_resource(resource: str, diff: Diff) -> t.Iterator[Observation]:
    before, after = diff.get("before") or {}, diff.get("after") or {}
    if resource == "custom_fields":
        yield from _of_custom_fields(before, after)
    elif resource != "jobs":
        yield from _members(resource, None, "", before, after)
    else:
        for label in sorted({**before, **after}):
            one, other = before.get(label) or None, after.get(label) or None
            if isinstance(one, dict) and isinstance(other, dict):
                yield from _members("jobs", label, "", one, other)
            elif one or other:
                yield Observation(DIFFERENCE, label, None, one, other, "jobs")


def _of_custom_fields(before: Copied, after: Copied) -> list[Observation]:
    """Return the differing lists; the rules contain the same names, and count only if no list differs."""
    one, other = ({**side, **dict_of(side.get("custom_fields")), "custom_fields": None} for side in (before, after))
    differing = list(_members("custom_fields", None, "", one, other))
    return [each for each in differing if each.member != "rules"] or differing


def _members(resource: str, subject: str | None, place: str, before: Copied, after: Copied) -> t.Iterator[Observation]:
    for name in sorted({**before, **after}):
        one, other, path = before.get(name), after.get(name), f"{place}{name}"
        if one == other:
            continue
        if isinstance(one, dict) and isinstance(other, dict) and one and other:
            yield from _members(resource, subject, f"{path}.", one, other)
        else:
            yield Observation(DIFFERENCE, subject, path, one, other, resource)


def health(jobs: t.Sequence[ReportedJob]) -> t.Iterator[Observation]:
    """Yield jobs that fail, that the service disabled, that never delivered, or whose last delivery is old."""
    for label, job in labelled(jobs):
        state, last = health_state(job), _last(job)
        if state == "failing":
            yield found("job_failing", label, f"its deliveries fail: {_reason(job) or 'the service gives no reason'}{last}")
        elif _disabled_by_service(job):
            yield found(
                "job_disabled_by_service", label, f"the service disabled it after failed deliveries: {_reason(job)}{last}"
            )
        elif state == "never":
            yield found("job_never", label, "the job has not delivered anything yet")
        elif state == "stale":
            yield found("job_stale", label, f"the job delivers nothing{last}; a quiet zone may be fine")


def health_state(job: ReportedJob) -> str:
    """Return the state of a job as `logpush_job_info` reports it."""
    state = (job.get("health") or {}).get("state")
    return state if isinstance(state, str) else "unknown"


def _disabled_by_service(job: ReportedJob) -> bool:
    return health_state(job) == "disabled" and bool(job.get("error_message"))


def _reason(job: ReportedJob) -> str:
    return str(job.get("error_message") or (job.get("health") or {}).get("message") or "").rstrip(".")


def _last(job: ReportedJob) -> str:
    """Return when the last delivery was, as the end of a sentence."""
    lag = (job.get("health") or {}).get("lag_seconds")
    return f"; the last delivery was {duration(lag)} ago" if isinstance(lag, (int, float)) and lag > 0 else ""


def unlisted(result: ZoneResult, jobs: t.Sequence[ReportedJob]) -> t.Iterator[Observation]:
    """Yield jobs of the zone that no item declares, except those that would be deleted, which are differences."""
    outcome = result.get("jobs") or {}
    diff = outcome.get("diff") or {}
    before, after = diff.get("before") or {}, diff.get("after") or {}
    known = {job.get("id"): (label, job) for label, job in labelled(jobs)}
    for own, plain in labelled(outcome.get("unlisted_jobs") or ()):
        label, job = known.get(plain.get("id"), (own, plain))
        if label in before and label not in after:
            continue
        where = job.get("destination")
        target = f" to {destination_text(where)}" if isinstance(where, dict) and where.get("scheme") else ""
        verb = "delivers" if job.get("enabled") else "is disabled, and would deliver"
        names = _personal_fields(job)
        personal = f", with personal data ({', '.join(names)})" if names else ""
        yield found("unlisted_job", label, f"no item declares it; it {verb} {_dataset(job)}{target}{personal}")


def _personal_fields(job: ReportedJob) -> list[str]:
    """Return the fields that a job selects and that identify a person, or what one person does."""
    return sorted(PERSONAL_FIELDS.get(_dataset(job), frozenset()).intersection(selected_fields(job)))


def coverage(check: Coverage, jobs: t.Sequence[ReportedJob]) -> t.Iterator[Observation]:
    """Yield the notes of `log_field_coverage`: custom fields that no job delivers, and fields of jobs that stay empty."""
    unselected, unconfigured = list(check.get("unselected") or ()), list(check.get("unconfigured") or ())
    sentences = [str(sentence).rstrip(".") for sentence in check.get("sentences") or ()]
    sentences += ["the custom fields of the zone and the fields of its jobs do not fit"] * (
        len(unselected) + len(unconfigured) - len(sentences)
    )
    texts: dict[str, list[str]] = {}
    for part, sentence in zip(unselected, sentences, strict=False):
        texts.setdefault(str(part.get("field")), []).append(sentence)
    for field, several in texts.items():
        yield found("fields_not_selected", None, "; ".join(several), member=field)
    called = {canonical([job.get("name"), job.get("id")]): label for label, job in labelled(jobs)}
    for part, sentence in zip(unconfigured, sentences[len(unselected) :], strict=False):
        name, number = part.get("job_name"), part.get("job_id")
        label = called.get(canonical([name, number])) or labelled([{"name": name, "id": number, "dataset": DATASET}])[0][0]
        yield found("field_stays_empty", label, sentence, member=str(part.get("field")))


def required(fields: t.Mapping[str, t.Sequence[str]], jobs: t.Sequence[ReportedJob] | None) -> t.Iterator[Observation]:
    """Yield required log fields that no job delivers for all records."""
    for dataset, names in sorted(fields.items()):
        complete = [job for job in jobs or () if _delivers_all(job, dataset)]
        delivered = {name for job in complete for name in selected_fields(job)}
        reason = "the jobs of the zone were not read" if jobs is None else "no enabled job delivers it of all records"
        for name in sorted(set(names) - delivered):
            yield found("missing_field", dataset, f"{name} of {dataset} is required: {reason}", member=name)


def _delivers_all(job: ReportedJob, dataset: str) -> bool:
    """Return whether a job is enabled and has neither a filter nor a sample rate."""
    if _dataset(job) != dataset or job.get("enabled") is not True:
        return False
    options, text = job.get("output_options"), job.get("logpull_options")
    if isinstance(options, dict) and options:
        rate = options.get("sample_rate")
    else:
        rate = logpull_options.parse(text).get(logpull_options.SAMPLE) if isinstance(text, str) else None
    return not job.get("filter") and not job.get("filter_attack_traffic") and _is_whole(rate)


def _is_whole(rate: object) -> bool:
    """Return whether a sample rate means all records: none, 0 and 1 do."""
    try:
        return not rate or (isinstance(rate, (str, int, float)) and float(rate) in (0.0, 1.0))
    except ValueError:
        return False


def scripts(audit: Scripts) -> t.Iterator[Observation]:
    """Yield the findings of `script_audit`, or the verdicts of `script_monitor_info` for a zone without a baseline."""
    for each in audit.get("findings") or ():
        kind = str(each.get("kind"))
        subject = canonical([each.get("script_url"), each.get("host"), each.get("entry")])
        yield found(kind, subject, str(each.get("message") or kind))
    if "findings" not in audit:
        for script in audit.get("scripts") or ():
            yield from _verdicts(script)


def _verdicts(script: Copied) -> t.Iterator[Observation]:
    subject = canonical([script.get("script_url"), script.get("host"), None])
    reasons = ", ".join(str(reason) for reason in list_of(script.get("malicious_reasons")))
    if script.get("malicious") is True:
        yield found("malicious", subject, f"the script is malicious{': ' if reasons else ''}{reasons}")
    if script.get("url_reported_malicious") is True or script.get("domain_reported_malicious") is True:
        what = "URL" if script.get("url_reported_malicious") is True else "domain"
        yield found("reported", subject, f"its {what} is reported as malicious")


def delivery(rows: t.Sequence[Copied], jobs: t.Sequence[ReportedJob] | None) -> t.Iterator[Observation]:
    """Yield jobs that lost records for good, and enabled jobs without any upload."""
    called = {job.get("id"): label for label, job in labelled(jobs or ())}
    by_job = {row.get("job_id"): row for row in rows}
    for number, row in by_job.items():
        dropped = row.get("dropped_records")
        if isinstance(dropped, int) and dropped > 0:
            yield found("records_dropped", called.get(number, f"job {number}"), _dropped(row, dropped))
    for label, job in labelled(jobs or ()):
        row = by_job.get(job.get("id"), {"uploads": 0})
        if (
            job.get("enabled") is True
            and row.get("uploads") == 0
            and not row.get("failed_uploads")
            and health_state(job) != "never"
        ):
            yield found("no_upload", label, "nothing was uploaded in the window; a quiet zone may be fine")


def _dropped(row: Copied, dropped: int) -> str:
    statuses = sorted(dict_of(row.get("statuses")).items())
    answers = [_answer(str(code), number) for code, number in statuses if not str(code).startswith("2")]
    batches = row.get("failed_uploads")
    of = f" in {plural(batches, 'batch', 'batches')}" if isinstance(batches, int) else ""
    return f"{plural(dropped, 'record')} dropped{of}{': ' if answers else ''}{', '.join(answers)}"


def _answer(code: str, number: object) -> str:
    times = "once" if number == 1 else f"{number} times"
    if code == "0":
        return f"no answer {times}"
    meaning = f" ({DESTINATION_ANSWERS[code]})" if code in DESTINATION_ANSWERS else ""
    return f"{'HTTP' if len(code) == 3 else 'error'} {code}{meaning} {times}"


# What a survey finds in zones without a declared state, and what it compares between their destinations.


class Destinations:
    """The zones of each account by the host or bucket that their jobs deliver to."""

    def __init__(self, records: t.Iterable[AuditRecord]) -> None:
        self._zones: dict[str | None, dict[str, set[str]]] = collections.defaultdict(lambda: collections.defaultdict(set))
        for record in records:
            for job in record.jobs or ():
                target = _target(job)
                if target:
                    self._zones[record.account_id][target].add(record.zone)

    def is_single(self, account: str | None, target: str) -> bool:
        """Return whether only one zone delivers there, while other zones of the account share a destination."""
        return len(self._zones[account][target]) == 1 and max(map(len, self._zones[account].values())) > 1

    def is_usual(self, account: str | None, target: str) -> bool:
        """Return whether no destination of the account is used by more zones than this one."""
        return len(self._zones[account][target]) == max(map(len, self._zones[account].values()))


def survey(record: AuditRecord, destinations: Destinations) -> t.Iterator[Observation]:
    """Yield the notes that only a survey has; its findings about jobs and scripts are those of any audit."""
    result = record.result or {}
    for resource, message in record.unreadable:
        yield found("not_readable", None, message, resource=resource)
    if record.jobs is not None and all(job.get("enabled") is False for job in record.jobs):
        reason = "every Logpush job of it is disabled" if record.jobs else "no Logpush job delivers logs of it"
        yield found("no_job", None, reason)
    monitor = (result.get("script_monitor") or {}).get("script_monitor")
    if dict_of(monitor).get("enabled") is False:
        yield found("monitor_off", None, "the script monitor is disabled", resource="script_monitor", kind=NOTE)
    for label, job in labelled(record.jobs or ()):
        target = _target(job)
        if target:
            yield from _of_destination(label, job, target, record.account_id, destinations)


def covered(record: AuditRecord) -> Coverage | None:
    """Return the result of `log_field_coverage` if custom fields and jobs were read; None otherwise."""
    result = record.result or {}
    fields = (result.get("custom_fields") or {}).get("custom_fields")
    if record.coverage is not None or record.jobs is None or not isinstance(fields, dict):
        return record.coverage
    return log_field_coverage(fields, record.jobs)


def _of_destination(
    label: str, job: ReportedJob, target: str, account: str | None, destinations: Destinations
) -> t.Iterator[Observation]:
    if destinations.is_single(account, target):
        yield found("single_destination", label, f"no other zone delivers to {target}")
    names = ", ".join(_personal_fields(job))
    if names and job.get("enabled") is True and not destinations.is_usual(account, target):
        yield found("personal_data", label, f"delivers {names} to {target}, which is not where most zones deliver")


def _target(job: ReportedJob) -> str:
    """Return scheme and host or bucket of a job's destination; "" if they are masked."""
    public = job.get("destination")
    if not isinstance(public, dict) or not public.get("scheme") or not public.get("address"):
        return ""
    host = str(public["address"]).rpartition("@")[2].partition("/")[0]
    return f"{public['scheme']}://{host}" if host else ""
