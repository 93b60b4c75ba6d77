# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import typing as t

from ...module_utils._baseline.pattern import normalize_url, without_query
from ...module_utils._core import CONTENT_SECURITY_RULES, CUSTOM_FIELDS, JOBS, SCRIPT_MONITOR, Json
from ...module_utils._logpush.coverage import dataset_of, selected_fields
from ...module_utils._logpush.regions import boundary_of
from ...module_utils._notifications.facts import LOST_JOB, NEW_SCRIPTS
from ...module_utils._observed import Known, Observed, is_unasked
from ...module_utils._scripts.facts import REPORTED
from ...module_utils._text import canonical, dict_of, list_of, parse_time
from ...module_utils._zone.record import Scripts, ZoneRecord, part_of_hours, result_of, value_of
from ...module_utils._zone.result import ReportedJob, deleted_jobs
from .content_rules import labelled_rules, labels_of_rule
from .document import Copied, Item, Judged, PageRow, Row
from .facts import DIFFERENCE, MANAGED, TYPES
from .findings import job_number, labelled
from .items import Problem

# What a run could judge. An item of the previous report that is missing now is resolved only where this run made the observation that
# items of its type are judged from, and made it of the subject of the item: another part, another page or another kind of run that found
# nothing says nothing. Each observation is made below, under the name by which the table has it.

_WHOLE: Judged = {"only": None, "but": []}
_Judgements = t.Iterator[tuple[str, Judged]]
_OF_SCRIPTS = {"malicious": "verdicts", "reported": "reports", "new": "listing", "changed": "hashes", "unverified": "hashes"}
_OF_BASELINE = {"expired": "entries", "unjustified": "entries", "gone": "use", "unused": "use"}
# The listing of an audit, which has infrequent scripts as well.
WIDE = "wide listing"
_OF_CHAIN = ("history_broken", "evidence_gap")

# The observation from which items of a resource and a type are judged.
OBSERVATIONS: t.Mapping[tuple[str, str], str] = {
    **{(resource, DIFFERENCE): "declaration" for resource in MANAGED},
    **{("health", name): "health" for name in ("job_failing", "job_disabled_by_service", "job_silent", "job_never", "job_stale")},
    **{("coverage", name): "coverage" for name in ("fields_not_selected", "field_stays_empty")},
    **{("delivery", name): "delivery" for name in ("records_dropped", "no_upload", "losses_unknown")},
    (CONTENT_SECURITY_RULES, "enforcement_refused"): "declared rules",
    (CONTENT_SECURITY_RULES, "unlisted_rule"): "unlisted rules",
    **{("scripts", name): observation for names in (_OF_SCRIPTS, _OF_BASELINE) for name, observation in names.items()},
    **{("scripts", name): "chain" for name in _OF_CHAIN},
    **{("pages", name): "chain of pages" for name in _OF_CHAIN},
    **{("pages", name): "pages" for name in (*_OF_BASELINE, *(name for name, its in TYPES.items() if its.resource == "pages"))},
    (JOBS, "unlisted_job"): "declared jobs",
    (JOBS, "region_gap"): "region",
    (JOBS, "no_job"): "surveyed jobs",
    ("fields", "field_removed"): "log fields",
    ("fields", "missing_field"): "required fields",
    ("delivery", "over_budget"): "cost",
    ("scripts", "monitor_off"): "monitor",
    ("scripts", "nothing_seen"): "monitor that is on",
    (SCRIPT_MONITOR, "monitor_off"): "surveyed monitor",
    (CONTENT_SECURITY_RULES, "violations"): "surveyed rules",
    ("notifications", "no_alert"): "alerts",
    # A note that something could not be read is judged by reading it.
    **{(name, "not_readable"): f"read {name}" for name in (*MANAGED, "scripts", "fields", "notifications", "pages")},
    **{(name, "not_readable"): name for name in ("health", "coverage", "delivery")},
}


class Seen(t.NamedTuple):
    """What a run saw of a host: its record and what it found, the boundary of its account, and the fields that it requires of jobs.

    `alerts` are those of which it is known who is told, None if the policies of the account were not read.
    """

    record: ZoneRecord
    problems: t.Sequence[Problem]
    boundary: Observed[Copied]
    required: t.Mapping[str, t.Sequence[str]]
    alerts: t.Collection[str] | None
    has_bill: bool

    def unread(self, resource: str) -> set[str | None]:
        """Return the subjects of the notes about what could not be read of a resource."""
        notes = [found for found in self.problems if (found.type, found.resource) == ("not_readable", resource)]
        return {found.subject for found in notes if found.member == found.type}

    def unlike(self, observed: bool, resource: str, *further: str) -> Judged:
        """Return what was judged of jobs: all but those of a note and further ones, and none that exists if nothing was observed."""
        jobs = self.record["jobs"]
        labels = [label for label, _job in labelled(jobs.value if isinstance(jobs, Known) else ())]
        return _but((*self.unread(resource), *further) if observed else labels)


def judged_of(seen: Seen) -> dict[str, Judged]:
    """Return the observations that a run made of a host, each with its subjects."""
    made = (_of_parts(seen), _of_jobs(seen), _of_delivery(seen), _of_scripts(seen), _of_pages(seen))
    return {name: judged for judgements in made for name, judged in judgements}


def _but(subjects: t.Iterable[str | None]) -> Judged:
    return {"only": None, "but": sorted({subject or "" for subject in subjects})}


def _only(subjects: t.Iterable[str]) -> Judged:
    return {"only": sorted(set(subjects)), "but": []}


def _of_parts(seen: Seen) -> _Judgements:
    """Yield what was judged of the managed parts, and of those that a survey looks at without a declaration."""
    result, jobs = result_of(seen.record), seen.record["jobs"]
    for name in MANAGED:
        if result.get(name) or (name == JOBS and isinstance(jobs, Known)):
            yield f"read {name}", _WHOLE
    if seen.record["declared"]:
        # What is not declared any more does not differ from what is declared.
        yield "declaration", _WHOLE
        if result.get(CONTENT_SECURITY_RULES):
            yield "declared rules", _but(seen.unread(CONTENT_SECURITY_RULES))
            # One that is still there may have had its id in its label, beside another one of its description.
            unlisted = (result.get(CONTENT_SECURITY_RULES) or {}).get("unlisted_rules") or ()
            yield "unlisted rules", _but(label for rule in unlisted for label in labels_of_rule(rule))
    else:
        if isinstance(jobs, Known):
            yield "surveyed jobs", _WHOLE
        if isinstance(dict_of(dict_of(result.get(SCRIPT_MONITOR)).get(SCRIPT_MONITOR)).get("enabled"), bool):
            yield "surveyed monitor", _WHOLE
        listed = [dict_of(rule) for rule in list_of(dict_of(result.get(CONTENT_SECURITY_RULES)).get(CONTENT_SECURITY_RULES))]
        if result.get(CONTENT_SECURITY_RULES):
            yield "surveyed rules", _but(label for label, rule in labelled_rules(listed) if not _shows_violations(rule))
    if seen.alerts is not None:
        yield "read notifications", _WHOLE
        yield "alerts", _only(set(seen.alerts) - seen.unread("notifications"))


def _shows_violations(rule: Copied) -> bool:
    """Return whether what a rule blocks is known, of all the hours that were asked for."""
    seen = dict_of(rule.get("violations"))
    return seen.get("available") is True and not part_of_hours(seen.get("shortened"))


def _of_jobs(seen: Seen) -> _Judgements:
    """Yield what was judged of jobs. A job that is gone has no problem, whatever else could not be read."""
    record = seen.record
    if isinstance(record["fields"], Known):
        yield "read fields", _WHOLE
    managed, coverage = result_of(record).get(CUSTOM_FIELDS) or {}, record["coverage"]
    works_out = is_unasked(coverage) and managed.get(CUSTOM_FIELDS) is not None and isinstance(record["jobs"], Known)
    if (isinstance(coverage, Known) or works_out) and None not in seen.unread("coverage"):
        yield "coverage", _but(seen.unread("coverage"))
    if not isinstance(record["jobs"], Known):
        return
    jobs = labelled(record["jobs"].value)
    yield "health", seen.unlike(True, "health")
    yield "declared jobs", _but(_left_alone(record, jobs))
    region = boundary_of(seen.boundary.value) if isinstance(seen.boundary, Known) else None
    without_dataset = [label for label, job in jobs if dataset_of(job) is None]
    yield "region", seen.unlike(region is not None and region.is_known, "", *without_dataset)
    unread = seen.unread("fields")
    unlike = [label for label, job in jobs if dataset_of(job) in (None, *unread) or not selected_fields(job)]
    yield "log fields", seen.unlike(isinstance(record["fields"], Known) and None not in unread, "fields", *unlike)
    yield "required fields", _only(f"{dataset} {name}" for dataset, names in seen.required.items() for name in names)


def _left_alone(record: ZoneRecord, jobs: t.Sequence[tuple[str, ReportedJob]]) -> t.Iterator[str]:
    """Yield the jobs of which it is neither known that an item declares them, nor that none does."""
    part = result_of(record).get(JOBS) if record["declared"] else None
    told = [*(part.get("jobs") or ()), *(part.get("unlisted_jobs") or ())] if part else []
    known, deleted = {job_number(job) for job in told if job}, deleted_jobs(part) if part else set()
    yield from (label for label, job in jobs if job_number(job) not in known and label not in deleted)


def _of_delivery(seen: Seen) -> _Judgements:
    delivery = seen.record["delivery"]
    if isinstance(delivery, Known) and not delivery.value.shortened:
        unknown = [found.subject for found in seen.problems if found.type == "losses_unknown"]
        yield "delivery", _but((*seen.unread("delivery"), *unknown))
    if seen.has_bill:
        yield "cost", _WHOLE


def _of_scripts(seen: Seen) -> _Judgements:
    """Yield what was judged of scripts: verdicts of each audit and survey, the rest where there is a baseline."""
    audit = value_of(seen.record["scripts"])
    if audit is None:
        return
    yield "read scripts", _WHOLE
    kinds = {found.type for found in seen.problems if found.resource in ("scripts", SCRIPT_MONITOR)}
    listed, is_audit = listing_of(audit), "findings" in audit
    is_blind = bool(audit.get("incomplete")) or not kinds.isdisjoint(("monitor_off", "nothing_seen"))
    if not is_blind and (is_audit or listed):
        yield from _of_listing(audit, listed)
    if is_audit:
        yield "entries", _WHOLE
        yield WIDE, _WHOLE
        yield "monitor", _WHOLE
        if not is_blind:
            yield "use", _WHOLE
        if "monitor_off" not in kinds:
            yield "monitor that is on", _WHOLE
        if dict_of(audit.get("evidence")).get("head"):
            yield "chain", _WHOLE


def listing_of(audit: Scripts) -> list[tuple[Copied, Json]]:
    """Return the scripts that an audit or a survey saw, each with the name of its entry."""
    inventory = [(dict_of(row.get("script")), row.get("entry")) for row in audit.get("inventory") or ()]
    return inventory or [(script, None) for script in audit.get("scripts") or ()]


def _of_listing(audit: Scripts, listed: t.Sequence[tuple[Copied, Json]]) -> _Judgements:
    keys = [_script_key(script.get("script_url") or script.get("url"), script.get("host")) for script, _entry in listed]
    # A script that is shown without its URL or host may be any of an earlier report.
    hidden = [canonical(["*" if part is None else part for part in key]) for key in keys if None in key]
    unverified = [finding for finding in audit.get("findings") or () if finding.get("kind") == "unverified"]
    unhashed = [canonical(_script_key(finding.get("script_url"), finding.get("host"))) for finding in unverified]
    rows = list(zip(map(canonical, keys), listed, strict=True))
    unrated = [key for key, (script, _entry) in rows if not isinstance(script.get("malicious"), bool)]
    untold = [key for key, (script, _e) in rows if not all(isinstance(script.get(name), bool) for name in REPORTED)]
    is_audit = "findings" in audit
    # A survey lists no script that is infrequent.
    only = None if is_audit else sorted({key for key, _listed in rows})
    yield "verdicts", {**_but((*hidden, *unrated)), "only": only}
    yield "reports", {**_but((*hidden, *untold)), "only": only}
    if is_audit:
        yield "listing", _but(hidden)
        # Without an entry a hash is compared with nothing.
        yield "hashes", _but((*hidden, *unhashed, *(key for key, (_script, entry) in rows if entry is None)))


def _script_key(url: Json, host: Json) -> list[str | None]:
    """Return what tells scripts apart; an unknown part is None."""
    address = normalize_url(url) if isinstance(url, str) and url else None
    return [address, host.lower() if isinstance(host, str) and host else None]


def _of_pages(seen: Seen) -> _Judgements:
    pages = value_of(seen.record["pages"])
    if pages is not None:
        yield "read pages", _WHOLE
        yield "pages", _WHOLE
        if dict_of(pages.get("evidence")).get("head"):
            yield "chain of pages", _WHOLE


def pages_of(record: ZoneRecord, at: str) -> list[PageRow] | None:
    """Return how the payment pages were read that could be read; None if none were audited. `at` is the time of the run."""
    audit = value_of(record["pages"])
    if audit is None:
        return None
    return [_page(page, at) for page in audit.get("pages") or () if isinstance(page.get("final_url"), str)]


def _page(page: Copied, at: str) -> PageRow:
    entry, recorded = page.get("entry"), page.get("recorded_at")
    is_recorded = page.get("source") == "har"
    return {
        "page": str(page.get("url")),
        "led_to": _bare(str(page.get("final_url"))),
        "seen_at": str(recorded) if is_recorded else at,
        "source": str(page.get("source")),
        "entry": entry if isinstance(entry, str) else None,
        "headers": sorted(dict_of(page.get("headers"))),
    }


def _bare(url: str) -> str:
    """Return a URL without its query, which may be another one each time."""
    return without_query(normalize_url(url))


def is_judged(row: Row, old: Row, item: Item) -> bool:
    """Return whether the run of a row judged what an item of an earlier row is about, so that it is resolved if it is missing."""
    observation = OBSERVATIONS.get((item["resource"], item["type"]))
    subject = item["subject"]
    if item["type"] == "not_readable":
        if item["member"] == "over_budget":
            observation = "cost"
        elif item["resource"] == "notifications" and subject in (LOST_JOB, NEW_SCRIPTS):
            observation = "alerts"
    judged = row["judged"].get(observation or "")
    if judged is None:
        return False
    if observation == "pages":
        return _is_page_judged(row, old, item)
    if observation in _OF_SCRIPTS.values():
        return _is_script_judged(judged, item, is_wide=WIDE in old["judged"])
    if observation == "required fields":
        subject = f"{subject} {item['member']}"
    if judged["only"] is not None:
        return subject in judged["only"]
    return not judged["but"] if subject is None else not {subject, ""} & {*judged["but"]}


def script_of(item: Item) -> list[str | None] | None:
    """Return which script an item is about, whatever its entry; None if it is about none, or cannot be told."""
    try:
        url, host, _entry = json.loads(item["subject"] or "")
    except (ValueError, RecursionError, TypeError):  # an earlier report may hold anything there
        return None
    return _script_key(url, host)


def _is_script_judged(judged: Judged, item: Item, *, is_wide: bool) -> bool:
    """Return whether no script that was not judged may be that of an item; `*` is a part that the service does not show.

    What a wide listing had may be missing in one that has `only` active scripts.
    """
    own = script_of(item)
    if own is None or (is_wide and judged["only"] is not None and canonical(own) not in judged["only"]):
        return False

    def may_be(parts: t.Sequence[str | None]) -> bool:
        pairs = zip(parts, own, strict=True)
        return all(part == its or (part == "*") == (its is not None) for part, its in pairs)

    return not any(may_be(json.loads(text)) for text in judged["but"])


def _is_page_judged(row: Row, old: Row, item: Item) -> bool:
    """Return whether a page was read again as closely as when the item was found, and not at an earlier time.

    One that led to another address this time is not the page of the item. What is about an entry and no page is judged by any audit.
    """
    try:
        url, subject = json.loads(item["subject"] or "")
    except (ValueError, RecursionError, TypeError):  # an earlier report may hold anything there
        return False
    if url is None:
        return True
    page, before = _find(row["pages"], url), _find(old["pages"], url)
    if page is None or item["type"] in ("page_unread", "page_new"):
        return page is not None
    made, since = parse_time(page["seen_at"]), parse_time(before["seen_at"] if before else old["audited_at"])
    if made is None or since is None or made < since or (before and before["source"] == "har" != page["source"]):
        return False
    is_same = item["type"] == "redirected" or page["led_to"] in (_bare(url), before["led_to"] if before else None)
    is_compared = item["type"] != "header_changed" or subject in page["headers"]
    return is_same and is_compared and (page["entry"] is not None or item["type"] not in ("header_changed", "gone"))


def _find(pages: t.Iterable[PageRow] | None, url: Json) -> PageRow | None:
    return next((page for page in pages or () if page["page"] == url), None)


def kept_width(row: Row, old: Row, left: t.Iterable[Item]) -> dict[str, Judged]:
    """Return what a run observed, and that an earlier listing of scripts was wider, as long as a problem is from it."""
    is_left = WIDE in old["judged"] and any(item["resource"] == "scripts" for item in left)
    return {**row["judged"], **({WIDE: _WHOLE} if is_left else {})}


def kept_pages(row: Row, old: Row, left: t.Iterable[Item]) -> list[PageRow] | None:
    """Return how pages were read: as earlier where a problem was not judged, because it is compared with what it was found in."""
    found = [_page_of(item) for item in left if item["resource"] == "pages"]
    kept = {page["page"]: page for page in old["pages"] or () if page["page"] in found}
    pages = {page["page"]: page for page in row["pages"] or ()} | kept
    return [pages[url] for url in sorted(pages)] if pages or row["pages"] is not None else None


def _page_of(item: Item) -> Json:
    try:
        url, _subject = json.loads(item["subject"] or "")
    except (ValueError, RecursionError, TypeError):  # an earlier report may hold anything there
        return None
    return t.cast("Json", url)
