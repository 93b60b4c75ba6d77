# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ...module_utils._core import CONTENT_SECURITY_RULES, CUSTOM_FIELDS, JOBS, PARTS, SCRIPT_MONITOR
from ...module_utils._version import VERSION

DEFAULT_TITLE = "Fleet audit"
SURVEY_TITLE = "Survey"
# Number of earlier reports whose counts a report contains for its chart.
DEFAULT_KEEP, MAX_KEEP = 30, 1000
# Days after which the row of a merged report is too old, and after which a job that delivers nothing is silent.
DEFAULT_MAX_AGE_DAYS = DEFAULT_SILENT_DAYS = 7
MAX_DAYS = 3650

# The file of each format.
FILES: t.Mapping[str, str] = {
    "json": "report.json",
    "html": "report.html",
    "junit": "report.xml",
    "markdown": "report.md",
    "metrics": "report.prom",
}
DEFAULT_FORMATS = ("json", "html", "junit")

# The status of a zone is the first of these that applies; the outcome of a report is the first that a zone has.
UNAUDITED, DRIFTED, FINDINGS, UNMANAGED, COMPLIANT = STATUSES = ("unaudited", "drifted", "findings", "unmanaged", "compliant")
NEEDS_ATTENTION = (UNAUDITED, DRIFTED, FINDINGS)

DIFFERENCE, FINDING, NOTE = KINDS = ("difference", "finding", "note")

# What the role manages, and what else an audit reads.
MANAGED = PARTS
_READ = ("scripts", "health", "coverage", "delivery")
RESOURCES = (*MANAGED, *_READ, "fields", "notifications", "pages")

# The parts of a zone or an account, and those of its jobs, each with its words.
PARTS_OF_HOSTS: t.Mapping[str, str] = {
    CUSTOM_FIELDS: "custom fields",
    JOBS: "jobs",
    SCRIPT_MONITOR: "script monitor",
    CONTENT_SECURITY_RULES: "content security rules",
    "scripts": "scripts",
    "pages": "pages",
    "boundary": "boundary",
    "delivery": "delivery",
}
PARTS_OF_JOBS: t.Mapping[str, str] = {
    "destinations": "destinations",
    "filters": "filters",
    "transformers": "transformers",
    "sample_rates": "sample rates",
}
PARTS_AUDITED = (*PARTS_OF_HOSTS, *PARTS_OF_JOBS)

HIGH, MEDIUM, LOW, INFO = SEVERITIES = ("high", "medium", "low", "info")


# `documentation` of galaxy.yml: each release has its own.
SITE = f"https://edgeops.github.io/edgeops.observability/{VERSION}"


class Action(t.NamedTuple):
    """What to do about items of some types: a heading, a sentence, and the page of the guide."""

    title: str
    advice: str
    guide: str

    @property
    def url(self) -> str:
        """Return the address of the guide."""
        return f"{SITE}/docsite/{self.guide}"


# In the order in which a report names them.
ACTIONS = (
    AUDIT,
    SCRIPTS,
    AUTHORISE,
    PAGES,
    REPAIR,
    SILENCE,
    ENABLE,
    REPLACE,
    ENFORCE,
    RESTORE,
    DECLARE,
    DECLARE_RULES,
    SELECT,
    BASELINE,
    BUDGET,
    RENEW,
    LOOK,
) = (
    Action(
        "Find out why zones could not be audited",
        "What could not be read is not known: correct the cause, then run the audit again.",
        "reference_errors.html",
    ),
    Action(
        "Examine scripts on your pages",
        "Find out who added or changed them, then remove them from the site, or authorise them in the baseline.",
        "guide_payment_scripts.html",
    ),
    Action(
        "Authorise payment pages that have no entry yet",
        "Nothing of them can be compared: run the playbook adopt, review the entries that it proposes, then run the audit again.",
        "guide_payment_pages.html",
    ),
    Action(
        "Examine payment pages",
        "Find out who changed headers, inline code, frames or forms, then undo it, or authorise it in the baseline of the pages.",
        "guide_payment_pages.html",
    ),
    Action(
        "Repair log delivery",
        "Records are lost while a job fails. Correct the destination or its permissions first, then enable the job again.",
        "guide_job_health.html",
    ),
    Action(
        "Find out why jobs deliver nothing",
        "See whether the zone has traffic of this dataset; for a quiet zone raise edgeops_silent_after_days, or waive the finding.",
        "guide_job_health.html",
    ),
    Action(
        "Enable script monitors",
        "Without it no script is seen. Enable it where scripts are to be audited, or leave these zones out with edgeops_target.",
        "guide_payment_scripts.html",
    ),
    Action(
        "Replace what a job can no longer deliver",
        "Such a job goes on without an error and delivers less: select other fields, or deliver the dataset in another way.",
        "guide_delivery_facts.html",
    ),
    Action(
        "Complete content security rules before they enforce",
        "Add each source that belongs to your pages to the rule, or accept that it is blocked; a rule that was never logged logs first.",
        "guide_content_security_rules.html",
    ),
    Action(
        "Bring zones back to their desired state",
        "Review the differences; the playbook deliver applies the desired state. If the change was intended, change the variables.",
        "guide_safe_delivery.html",
    ),
    Action(
        "Declare or delete undeclared jobs",
        "Add each to log_delivery_jobs if it is yours, otherwise delete it: it sends your logs to its destination.",
        "guide_fleets.html",
    ),
    Action(
        "Declare or delete undeclared content security rules",
        "Add each to log_delivery_content_security_rules if it is yours, otherwise delete it.",
        "guide_content_security_rules.html",
    ),
    Action(
        "Deliver the log fields that you require",
        "Select the fields in an enabled job that has neither a filter nor a sample rate.",
        "guide_custom_fields.html",
    ),
    Action(
        "Complete the script baseline and its evidence",
        "Review the entries, and see that each audit can look at the scripts.",
        "guide_payment_scripts.html",
    ),
    Action(
        "Deliver less, or raise the budget",
        "A filter, a sample rate or fewer fields deliver fewer bytes; the amount is an estimate.",
        "guide_delivery_facts.html",
    ),
    Action("Renew or remove waivers that ended", "What they covered counts again.", "guide_waivers.html"),
    Action("Worth a look", "Nothing has to be done about notes.", "reference_report.html"),
)


class Type(t.NamedTuple):
    """A type of items: kind, severity, resource and action of each, the text for what should be, and the words for one and for several."""

    kind: str
    severity: str
    resource: str
    action: Action
    should_be: str | None = None
    one: str = "finding"
    many: str = ""


def _of_pages(should_be: str, one: str, many: str, action: Action = PAGES) -> Type:
    return Type(FINDING, HIGH, "pages", action, should_be, one, many)


def _pages_with(what: str) -> tuple[str, str]:
    """Return the words for one payment page with something, and for several."""
    return f"payment page with {what}", f"payment pages with {what}"


# Of each severity the worst first.
TYPES: t.Mapping[str, Type] = {
    "malicious": Type(FINDING, HIGH, "scripts", SCRIPTS, "no malicious script on the pages of the zone", "malicious script"),
    "reported": Type(
        FINDING, HIGH, "scripts", SCRIPTS, "no script whose URL or domain is reported as malicious", "reported script"
    ),
    "page_unread": _of_pages("a page that can be read", "payment page could not be read", "payment pages could not be read"),
    "script_new": _of_pages("only scripts that its entry authorises", *_pages_with("a script that nobody authorised")),
    "inline_new": _of_pages("only inline code that its entry authorises", *_pages_with("inline code that nobody authorised")),
    "frame_new": _of_pages("only frames that its entry authorises", *_pages_with("a frame that nobody authorised")),
    "form_new": _of_pages("only forms that send where its entry says", *_pages_with("a form that nobody authorised")),
    "header_changed": _of_pages("the headers of its entry", *_pages_with("changed headers")),
    "redirected": _of_pages("the page itself", "redirected payment page", "redirected payment pages"),
    "page_new": _of_pages(
        "covered by an entry of the baseline", "payment page without an entry", "payment pages without an entry", AUTHORISE
    ),
    "job_failing": Type(FINDING, HIGH, "health", REPAIR, "every delivery succeeds", "failing job"),
    "job_disabled_by_service": Type(
        FINDING, HIGH, "health", REPAIR, "enabled again, after its destination accepts deliveries", "disabled job"
    ),
    "job_silent": Type(FINDING, HIGH, "health", SILENCE, "delivers what the zone has", "silent job"),
    "records_dropped": Type(
        FINDING, HIGH, "delivery", REPAIR, "no record is dropped", "job that lost records", "jobs that lost records"
    ),
    "field_removed": Type(FINDING, HIGH, "fields", REPLACE, "a field that the dataset has", "removed log field"),
    "region_gap": Type(
        FINDING,
        HIGH,
        "jobs",
        REPLACE,
        "a dataset that the region of the account supports",
        "job outside the region of its account",
        "jobs outside the region of their account",
    ),
    "enforcement_refused": Type(
        FINDING,
        HIGH,
        "content_security_rules",
        ENFORCE,
        "a policy that blocks nothing the pages need",
        "refused content security rule",
    ),
    "changed": Type(FINDING, HIGH, "scripts", SCRIPTS, "content whose hash the baseline lists", "changed script"),
    "new": Type(FINDING, HIGH, "scripts", SCRIPTS, "covered by an entry of the baseline, or removed from the site", "new script"),
    "monitor_off": Type(FINDING, HIGH, "scripts", ENABLE, "enabled", "disabled script monitor"),
    "history_broken": Type(
        FINDING,
        HIGH,
        "scripts",
        BASELINE,
        "records that form one unbroken chain",
        "broken chain of evidence",
        "broken chains of evidence",
    ),
    "unlisted_job": Type(FINDING, MEDIUM, "jobs", DECLARE, "declared in log_delivery_jobs, or deleted", "undeclared job"),
    "unlisted_rule": Type(
        FINDING,
        MEDIUM,
        "content_security_rules",
        DECLARE_RULES,
        "declared in log_delivery_content_security_rules, or deleted",
        "undeclared content security rule",
    ),
    "missing_field": Type(
        FINDING, MEDIUM, "fields", SELECT, "selected by an enabled job without filter and sample rate", "missing log field"
    ),
    "over_budget": Type(
        FINDING, MEDIUM, "delivery", BUDGET, "within the budget", "account over its budget", "accounts over their budget"
    ),
    "expired_waiver": Type(FINDING, MEDIUM, "jobs", RENEW, "renewed or removed", "expired waiver"),
    "unverified": Type(
        FINDING, MEDIUM, "scripts", BASELINE, "a hash that can be compared with the baseline", "unverified script"
    ),
    "expired": Type(FINDING, MEDIUM, "scripts", BASELINE, "reviewed, with a later review_by", "overdue review"),
    "unjustified": Type(FINDING, MEDIUM, "scripts", BASELINE, None, "unjustified script"),
    "gone": Type(
        FINDING,
        MEDIUM,
        "scripts",
        BASELINE,
        "present on the site, since the entry is required",
        "script that is gone",
        "scripts that are gone",
    ),
    "nothing_seen": Type(
        FINDING,
        MEDIUM,
        "scripts",
        BASELINE,
        None,
        "audit that saw no script",
        "audits that saw no script",
    ),
    "evidence_gap": Type(
        FINDING,
        MEDIUM,
        "scripts",
        BASELINE,
        "",
        "gap in the evidence",
        "gaps in the evidence",
    ),
    "not_readable": Type(NOTE, LOW, "jobs", LOOK),
    "no_job": Type(NOTE, LOW, "jobs", LOOK),
    "job_stale": Type(NOTE, LOW, "health", LOOK),
    "fields_not_selected": Type(NOTE, LOW, "coverage", LOOK, "selected by a job of http_requests"),
    "field_stays_empty": Type(NOTE, LOW, "coverage", LOOK, "selected only if the zone has such custom fields"),
    "no_upload": Type(NOTE, LOW, "delivery", LOOK),
    "losses_unknown": Type(NOTE, LOW, "delivery", LOOK),
    "violations": Type(NOTE, LOW, "content_security_rules", LOOK, "allowed by the rule, or gone from the pages"),
    "no_alert": Type(NOTE, LOW, "notifications", LOOK, "covered by an enabled notification policy"),
    "unmatched_waiver": Type(NOTE, LOW, "jobs", LOOK, "corrected or removed"),
    "job_never": Type(NOTE, INFO, "health", LOOK),
    "unused": Type(NOTE, INFO, "scripts", LOOK),
}
# An unknown type comes from a later version; it counts as severe.
UNKNOWN_TYPE = Type(FINDING, HIGH, "scripts", SCRIPTS)
DIFFERENCE_TYPE = Type(DIFFERENCE, MEDIUM, "jobs", RESTORE)

# What replaces items that could not be judged: notes (with their resource) and findings, by the type of the items. Where `fail_on` names
# the type of the items, a host fails by what replaces them.
StandIn = tuple[str, str]
_UNREAD = "not_readable"
_HEALTH: tuple[StandIn, ...] = (("health", _UNREAD),)
_COVERAGE: tuple[StandIn, ...] = (("coverage", _UNREAD),)
_LOSSES: tuple[StandIn, ...] = (("delivery", "losses_unknown"), ("delivery", _UNREAD))
_RULES: tuple[StandIn, ...] = (("content_security_rules", _UNREAD),)
_SCRIPTS: tuple[StandIn, ...] = (
    *(("scripts", name) for name in ("monitor_off", "nothing_seen", _UNREAD)),
    *(("script_monitor", name) for name in ("monitor_off", _UNREAD)),  # as a survey has them
)
# A page that leads elsewhere is not the page that was to be judged.
_PAGES: tuple[StandIn, ...] = (("pages", "page_unread"), ("pages", "redirected"), ("pages", _UNREAD))
STAND_INS: t.Mapping[str, tuple[StandIn, ...]] = {
    **dict.fromkeys(("job_failing", "job_disabled_by_service", "job_silent", "job_never", "job_stale"), _HEALTH),
    **dict.fromkeys(("missing_field", "fields_not_selected", "field_stays_empty"), _COVERAGE),
    **dict.fromkeys(("records_dropped", "no_upload"), _LOSSES),
    "over_budget": (("delivery", _UNREAD),),
    "field_removed": (("fields", _UNREAD),),
    "no_alert": (("notifications", _UNREAD),),
    **dict.fromkeys(("enforcement_refused", "unlisted_rule", "violations"), _RULES),
    **dict.fromkeys(("malicious", "reported", "new", "unverified"), _SCRIPTS),
    # Of entries of both baselines.
    **dict.fromkeys(("expired", "unjustified", "gone", "unused"), (*_SCRIPTS, *_PAGES)),
    "monitor_off": (("scripts", _UNREAD), ("script_monitor", _UNREAD)),
    "nothing_seen": (("scripts", "monitor_off"), ("scripts", _UNREAD)),
    "changed": (*_SCRIPTS, ("scripts", "unverified")),
    **dict.fromkeys((name for name, of_type in TYPES.items() if of_type.resource == "pages" and name != "page_unread"), _PAGES),
}
# Parts that this run was to audit and could not, in whose place such types stand too.
GAPS_OF_TYPES: t.Mapping[str, str] = {**dict.fromkeys(("records_dropped", "no_upload"), "delivery"), "region_gap": "boundary"}

# Types of items about waivers, and the members of a waiver that are patterns.
EXPIRED, UNMATCHED = OF_WAIVERS = ("expired_waiver", "unmatched_waiver")
OF_ITEMS: tuple[t.Literal["resource", "type", "member", "subject"], ...] = ("resource", "type", "member", "subject")
PATTERNS: tuple[t.Literal["zone", "resource", "type", "member", "subject"], ...] = ("zone", *OF_ITEMS)

# The choices of `fail_on`: what a host is, what it has, and the types of findings and notes.
GATES = (UNAUDITED, DRIFTED, FINDINGS, UNMANAGED, *TYPES)
# What of these names items of a kind, whatever the status of the host.
GATES_OF_KINDS: t.Mapping[str, str] = {DRIFTED: DIFFERENCE, FINDINGS: FINDING}

# Meanings of the status of an upload: the HTTP status of the destination, or an error code of the service.
DESTINATION_ANSWERS: t.Mapping[str, str] = {
    "1105": "the host name of the destination cannot be resolved",
    "400": "the destination refused the batch",
    "401": "the credentials are wrong or have ended",
    "403": "the credentials may not write there",
    "404": "the bucket or path does not exist",
    "408": "the destination was too slow",
    "413": "the batch is too large for the destination",
    "429": "the destination asks for fewer requests",
    "500": "an error of the destination",
    "502": "an error of the destination",
    "503": "the destination is overloaded or down",
    "504": "the destination was too slow",
}


def type_of(name: str) -> Type:
    """Return a type of items by its name, `difference` included."""
    return DIFFERENCE_TYPE if name == DIFFERENCE else TYPES.get(name, UNKNOWN_TYPE)


def type_place(name: str) -> int:
    """Return the place of a type in its table, which begins with what is worst; a type of a later version comes first."""
    return _PLACES.get(name, -1)


_PLACES: t.Mapping[str, int] = {name: place for place, name in enumerate(TYPES)}
