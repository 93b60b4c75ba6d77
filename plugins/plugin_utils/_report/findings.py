# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import typing as t

from ...module_utils._difference import Difference
from ...module_utils._logpush import logpull_options
from ...module_utils._logpush.coverage import Coverage, dataset_of, decided_by, selected_fields, unreadable_content
from ...module_utils._logpush.facts import DATASET, DATASETS, EDGE
from ...module_utils._logpush.health import (
    DISABLED,
    FAILING,
    HEALTHY,
    MAX_CLOCK_SKEW_SECONDS,
    NEVER,
    STALE,
    STATES,
    UNKNOWN,
)
from ...module_utils._logpush.job import Identity, labels
from ...module_utils._logpush.personal_fields import personal_fields
from ...module_utils._logpush.used_fields import filter_of
from ...module_utils._observed import Unknown
from ...module_utils._scripts.listing import reports_of
from ...module_utils._text import canonical, dict_of, duration, is_integer, list_of, parse_time
from ...module_utils._zone.record import Pages, Scripts
from ...module_utils._zone.result import ReportedJob, ZoneResult, deleted_jobs, differences_of
from .._words import distinct, plural
from .document import Copied
from .facts import DESTINATION_ANSWERS
from .items import Problem, destination_text, problem

# What an audit finds in a zone: differences from the desired state, and findings and notes about jobs, scripts and fields.
# Others have their texts in `_scripts/audit.py` (scripts), `content_rules.py`, `alerts.py` (notifications), `survey.py` (zones without a declared state) and
# `waivers.py`. What should be is in the table of types in `facts.py`.


def labelled(jobs: t.Sequence[ReportedJob]) -> list[tuple[str, ReportedJob]]:
    """Return each job with its label, the same one that its differences have."""
    identities = [Identity(str(job.get("name") or ""), dataset_of(job) or "", job_number(job)) for job in jobs]
    return list(zip(distinct(labels(identities)), jobs, strict=True))


def job_number(job: ReportedJob) -> int | None:
    """Return the id of a job."""
    number = job.get("id")
    return number if is_integer(number) else None


def differences(result: ZoneResult, jobs: t.Sequence[ReportedJob]) -> list[Difference]:
    """Return what differs in the managed parts of a zone, with why the service disabled a job."""
    stopped = {label: f"the service disabled it: {_reason(job)}" for label, job in labelled(jobs) if _disabled_by_service(job)}
    return differences_of(result, stopped)


def health(jobs: t.Sequence[ReportedJob], silent_after_days: int) -> t.Iterator[Problem]:
    """Yield jobs that fail, that the service disabled, that never delivered, whose last delivery is old, or of which that is not known."""
    for label, job in labelled(jobs):
        state, last = health_state(job), _last(job)
        if state == FAILING:
            yield problem("job_failing", label, f"its deliveries fail: {_reason(job) or 'the service gives no reason'}{last}")
        elif _disabled_by_service(job):
            yield problem(
                "job_disabled_by_service", label, f"the service disabled it after failed deliveries: {_reason(job)}{last}"
            )
        elif state == NEVER:
            yield problem("job_never", label, "the job has not delivered anything yet")
        elif state == STALE:
            why = "; its filter may match nothing" if job.get("filter") else "; a quiet zone may be fine"
            # What is quiet for so long is a finding.
            is_quiet = job.get("filter") or not _is_longer(job, silent_after_days)
            yield problem("job_stale", label, f"the job delivers nothing{last}{why if is_quiet else ''}")
        if reason := _unknown_health(job, state):
            yield problem("not_readable", label, reason, "a health that the service shows", resource="health")


def _is_longer(job: ReportedJob, days: int) -> bool:
    """Return whether the last delivery of a job was more days ago than that."""
    lag = (job.get("health") or {}).get("lag_seconds")
    return isinstance(lag, (int, float)) and lag >= days * _DAY


def silent(jobs: t.Sequence[ReportedJob], at: str, days: int, noted: t.Mapping[str, str]) -> t.Iterator[Problem]:
    """Yield jobs that should deliver and do not: for days, or for a day beside a job of the same dataset that does.

    `noted` has since when a report knows of a job that it has never delivered, by its label; also the only job of a zone counts.
    """
    now = parse_time(at)
    times = {label: parse_time(job.get("last_complete")) for label, job in labelled(jobs)}
    last = {label: None if health_state(job) == NEVER else times[label] for label, job in labelled(jobs)}
    for label, job in labelled(jobs):
        since = last[label] or parse_time(noted.get(label))
        if now is None or since is None or _should_deliver(job) is False:
            continue
        quiet = (now - since).total_seconds()
        if not last[label] and quiet < -MAX_CLOCK_SKEW_SECONDS:
            text = (
                f"it has never delivered, and the earlier report dates its first note of that {duration(-quiet)} after this one"
            )
            text += ", so that it is not known since when"
            yield problem("not_readable", label, text, "an earlier report with times before this one", resource="health")
            continue
        siblings = [other for other, its in labelled(jobs) if other != label and dataset_of(its) == dataset_of(job)]
        beside = next(
            (sibling for sibling in siblings if (time := last[sibling]) and abs((now - time).total_seconds()) <= _HOUR), ""
        )
        what = (
            f"the last delivery was {duration(quiet)} ago"
            if last[label]
            else f"it has never delivered, noted {duration(quiet)} ago"
        )
        if beside and quiet >= _DAY:
            what += f", while job {beside} of the same dataset delivers"
        elif quiet < days * _DAY:
            continue
        if _should_deliver(job):
            yield problem("job_silent", label, what)
        else:
            text = f"{what}, and its filter could not be understood, so that it is not known whether it should deliver"
            yield problem("not_readable", label, text, "a filter that can be understood", resource="health")


_HOUR, _DAY = 3600, 86_400


def _should_deliver(job: ReportedJob) -> bool | None:
    """Return whether a job is enabled and has no error, and nothing keeps records from it; None if its filter cannot be told."""
    is_failing = health_state(job) == FAILING or bool(job.get("error_message"))
    if job.get("enabled") is not True or is_failing or job.get("kind") == EDGE:
        return False
    own = filter_of(job)
    return None if isinstance(own, Unknown) else own.value is None


def _unknown_health(job: ReportedJob, state: str) -> str:
    """Return why it is not known whether a job delivers; "" if it is."""
    if not isinstance(job.get("enabled"), bool):
        return "the service does not show whether the job is enabled"
    if dataset_of(job) is None:
        return "the service does not show which dataset the job delivers, so that it cannot be compared with others"
    if state in (STALE, HEALTHY) and parse_time(job.get("last_complete")) is None:
        return "the service does not show when the job delivered last"
    if state in STATES and state != UNKNOWN:
        return ""
    said = (job.get("health") or {}).get("message")
    return said.rstrip(".") if isinstance(said, str) and said else "the service does not show whether the job delivers"


def health_state(job: ReportedJob) -> str:
    """Return the state of a job as `logpush_job_info` reports it."""
    state = (job.get("health") or {}).get("state")
    return state if isinstance(state, str) else UNKNOWN


def _disabled_by_service(job: ReportedJob) -> bool:
    return health_state(job) == DISABLED and bool(job.get("error_message"))


def _reason(job: ReportedJob) -> str:
    return str(job.get("error_message") or (job.get("health") or {}).get("message") or "").rstrip(".")


def _last(job: ReportedJob) -> str:
    """Return when the last delivery was, as the end of a sentence."""
    lag = (job.get("health") or {}).get("lag_seconds")
    return f"; the last delivery was {duration(lag)} ago" if isinstance(lag, (int, float)) and lag > 0 else ""


def unlisted(result: ZoneResult, jobs: t.Sequence[ReportedJob]) -> t.Iterator[Problem]:
    """Yield jobs of the zone that no item declares, except those that would be deleted, which are differences."""
    outcome = result.get("jobs") or {}
    deleted = deleted_jobs(outcome)
    known = {number: (label, job) for label, job in labelled(jobs) if (number := job_number(job)) is not None}
    for own, plain in labelled(outcome.get("unlisted_jobs") or ()):
        label, job = known.get(job_number(plain) or 0, (own, plain))
        if label in deleted:
            continue
        where = dict_of(job.get("destination"))
        target = f" to {destination_text(where)}" if where.get("scheme") else ""
        verb = _VERBS.get(str(job.get("enabled")), "may deliver")
        dataset = dataset_of(job) or "a dataset that the service does not show"
        names = personal_fields(job)
        personal = f", with personal data ({', '.join(names)})" if names else ""
        if names is None:
            personal = ", whose fields are not known"
        yield problem("unlisted_job", label, f"no item declares it; it {verb} {dataset}{target}{personal}")


# By whether a job is enabled, which the service may not show.
_VERBS: t.Mapping[str, str] = {"True": "delivers", "False": "is disabled, and would deliver"}


def coverage(check: Coverage, jobs: t.Sequence[ReportedJob]) -> t.Iterator[Problem]:
    """Yield the notes of `log_field_coverage`: custom fields that no job delivers, and fields of jobs that stay empty."""
    for label, job in labelled(jobs):
        if hidden := unreadable_content(job):
            text = f"which fields the job delivers is not known: the service shows {hidden} of another type than documented"
            yield problem("not_readable", label, text, resource="coverage")
    unselected, unconfigured = check.get("unselected") or (), check.get("unconfigured") or ()
    sentences = [str(sentence).rstrip(".") for sentence in check.get("sentences") or ()]
    texts: dict[str, list[str]] = collections.defaultdict(list)
    # Sentences of a coverage that was written to a file may be missing; what they are about is not.
    sentences += ["it is not known why"] * (len(unselected) + len(unconfigured) - len(sentences))
    for part, sentence in zip(unselected, sentences, strict=False):
        texts[str(part.get("field"))].append(sentence)
    for field, several in texts.items():
        yield problem("fields_not_selected", None, "; ".join(several), member=field)
    called = {canonical([job.get("name"), job.get("id")]): label for label, job in labelled(jobs)}
    for part, sentence in zip(unconfigured, sentences[len(unselected) :], strict=False):
        name, number = part.get("job_name"), part.get("job_id")
        label = called.get(canonical([name, number])) or labelled([{"name": name, "id": number, "dataset": DATASET}])[0][0]
        yield problem("field_stays_empty", label, sentence, member=str(part.get("field")))


def required(fields: t.Mapping[str, t.Sequence[str]], scope: str, jobs: t.Sequence[ReportedJob] | None) -> t.Iterator[Problem]:
    """Yield required log fields that no job delivers for all records; a dataset that zones do not have is not demanded of them."""
    elsewhere = {name for other, names in DATASETS.items() if other != scope for name in names} - DATASETS[scope]
    for dataset, names in sorted(fields.items()):
        if dataset in elsewhere:
            continue
        complete = [job for job in jobs or () if _delivers_all(job, dataset)]
        decisions = [(name, decided_by(job, name)) for job in complete for name in selected_fields(job)]
        delivered = {name for name, decision in decisions if not decision}
        decided = {name: decision for name, decision in decisions if decision}
        reason = "the jobs of the zone were not read" if jobs is None else "no enabled job delivers it of all records"
        for name in sorted(set(names) - delivered):
            yield problem("missing_field", dataset, f"{name} of {dataset} is required: {decided.get(name, reason)}", member=name)


def _delivers_all(job: ReportedJob, dataset: str) -> bool:
    """Return whether a job is enabled and has neither a filter nor a sample rate."""
    if dataset_of(job) != dataset or job.get("enabled") is not True or job.get("filter") or job.get("filter_attack_traffic"):
        return False
    options, text = dict_of(job.get("output_options")), job.get("logpull_options")
    rate: object = options.get("sample_rate")
    if not options:
        parameters = logpull_options.parse(text if isinstance(text, str) else None)
        if logpull_options.SAMPLE in logpull_options.repeated(parameters):
            return False
        rate = parameters.get(logpull_options.SAMPLE)
    try:
        # All records are delivered without a rate, and with 1.
        return rate in (None, "") or (isinstance(rate, (str, int, float)) and rate is not True and float(rate) == 1.0)
    except ValueError:
        return False


def scripts(audit: Scripts) -> t.Iterator[Problem]:
    """Yield the findings of `script_audit`, or the verdicts of `script_monitor_info` for a zone without a baseline."""
    listed = audit.get("findings") or ()
    is_off = any(finding.get("kind") == "monitor_off" for finding in listed)
    for finding in listed:
        kind = finding.get("kind")
        if is_off and kind == "nothing_seen":
            continue  # because of the monitor, whose finding stands in its place
        subject = canonical([finding.get("script_url"), finding.get("host"), finding.get("entry")])
        if isinstance(kind, str) and kind:
            yield problem(kind, subject, str(finding.get("message") or kind))
        else:
            yield problem("not_readable", subject, "it is not known what was found of the script", resource="scripts")
    if reason := audit.get("incomplete"):
        yield problem("not_readable", None, str(reason).rstrip("."), resource="scripts")
    if "findings" not in audit:
        for script in audit.get("scripts") or ():
            yield from _verdicts(script)


def _verdicts(script: Copied) -> t.Iterator[Problem]:
    subject = canonical([script.get("script_url"), script.get("host"), None])
    reasons = ", ".join(str(reason) for reason in list_of(script.get("malicious_reasons")))
    if script.get("malicious") is True:
        yield problem("malicious", subject, f"the script is malicious{': ' if reasons else ''}{reasons}")
    reports = reports_of(script)
    if reports:
        what = "domain" if reports[0] == "domain_reported_malicious" else "URL"
        yield problem("reported", subject, f"its {what} is reported as malicious")


def pages(audit: Pages) -> t.Iterator[Problem]:
    """Yield the findings of `page_audit`."""
    for finding in audit.get("findings") or ():
        kind = str(finding.get("kind"))
        subject = canonical([finding.get("page"), finding.get("subject")])
        should_be = finding.get("should_be")
        item = problem(kind, subject, str(finding.get("message") or kind), resource="pages")
        yield item if should_be is None else item._replace(desired=str(should_be))


def delivery(rows: t.Sequence[Copied], jobs: t.Sequence[ReportedJob] | None) -> t.Iterator[Problem]:
    """Yield jobs that lost records for good, jobs of which the plan does not show what they lost, and enabled jobs without any upload."""
    called = {job_number(job): label for label, job in labelled(jobs or ())}
    by_job = {row.get("job_id"): row for row in rows}
    for number, row in by_job.items():
        label = called[number] if is_integer(number) and number in called else f"job {number}"
        dropped, uploads, failed = (_count(row, name) for name in ("dropped_records", "uploads", "failed_uploads"))
        if dropped:
            yield problem("records_dropped", label, _dropped(row, dropped))
        elif dropped is None and (unknown := _losses_unknown(row)):
            yield problem("losses_unknown", label, unknown)
        elif uploads is None or (failed is None and row.get("failed_uploads") is not None):
            yield problem("losses_unknown", label, "the plan does not show how many uploads there were")
    for label, job in labelled(jobs or ()):
        row = by_job.get(job_number(job), {"uploads": 0})
        idle = row.get("uploads") == 0 and not row.get("failed_uploads")
        if idle and job.get("enabled") is not False and health_state(job) not in (DISABLED, NEVER):
            yield problem("no_upload", label, "nothing was uploaded in the window; a quiet zone may be fine")


def _count(row: Copied, name: str) -> int | None:
    """Return a number of a row; None if it is not known."""
    number = row.get(name)
    return number if is_integer(number) and number >= 0 else None


def _losses_unknown(row: Copied) -> str:
    """Return what the plan does not show of losses; "" where it shows that there are none."""
    failed, statuses = _count(row, "failed_uploads"), row.get("statuses")
    if failed is not None:
        return f"{plural(failed, 'upload')} failed; the plan does not show how many records{_answers(row)}" if failed > 0 else ""
    if not isinstance(statuses, dict):
        return "the plan does not show whether uploads failed"
    answers = _answers(row)
    return (
        f"the plan does not show whether records were lost{answers}"
        if answers or (not statuses and _count(row, "uploads"))
        else ""
    )


def _dropped(row: Copied, dropped: int) -> str:
    batches = _count(row, "failed_uploads")
    of = "" if batches is None else f" in {plural(batches, 'batch', 'batches')}"
    return f"{plural(dropped, 'record')} dropped{of}{_answers(row)}"


def _answers(row: Copied) -> str:
    """Return the answers of the destination that were no success, as the end of a sentence."""
    answers = []
    statuses = {str(code): number for code, number in dict_of(row.get("statuses")).items()}
    for code, number in sorted(statuses.items()):
        times = "once" if number == 1 else f"{number} times"
        meaning = f" ({DESTINATION_ANSWERS[code]})" if code in DESTINATION_ANSWERS else ""
        if code == "0":
            answers.append(f"no answer {times}")
        elif not code.startswith("2"):
            answers.append(f"{'HTTP' if len(code) == 3 else 'error'} {code}{meaning} {times}")
    return f": {', '.join(answers)}" if answers else ""
