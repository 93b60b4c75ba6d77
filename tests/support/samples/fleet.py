# SPDX-License-Identifier: GPL-3.0-or-later

"""Records of audited zones, and reports on them made without a playbook."""

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._schema import completed
from ansible_collections.edgeops.observability.plugins.plugin_utils._report.document import Report
from ansible_collections.edgeops.observability.plugins.plugin_utils._report.earlier import as_previous
from ansible_collections.edgeops.observability.plugins.plugin_utils._report.model import build
from ansible_collections.edgeops.observability.plugins.plugin_utils._report.options import DesiredReport, desire

Json = t.Any

AT = "2026-11-22T06:00:00Z"
LATER = "2026-11-23T06:00:00Z"
WAIVER = {"reason": "known", "owner": "web@example.com", "until": "2026-12-31"}
HOSTILE = (
    "</script><script>alert(1)</script>",
    '" onmouseover="alert(1)',
    "'><img src=x onerror=alert(1)>",
    "{{ 7 * 7 }}{% raw %}",
    "nul \x00 esc \x1b[31m del \x7f c1 \x9b",
    "half \ud800 half \udfff \ufffe",
    "direction \u202e over \u2066",
    "| cell | `code` ``` **bold** [link](javascript:alert(1)) ![i](http://x) <!-- -->",
    "]]> & &amp; <![CDATA[",
    "line\nbreak\r\n# heading\n- item @team https://evil.example www.evil.example",
    "javascript:alert(1)",
    '\\ "quoted" \\n',
    "x" * 100_000,
)


def zone_id(zone: str) -> str:
    """Return an id that is derived from the name."""
    return zone.encode(errors="surrogatepass").hex()[:32]


def outcome(before: Json = None, after: Json = None, plan: str = "sha256:01") -> dict[str, Json]:
    """Return the result of one module, in check and diff mode."""
    return {"changed": before != after, "diff": {"before": before or {}, "after": after or {}}, "plan_id": plan}


def record(zone: str, *, monitor: Json = None, fields: Json = None, jobs: Json = None, **further: Json) -> dict[str, Json]:
    """Return the record of an audited zone; omitted parts are compliant."""
    parts = {"custom_fields": fields, "jobs": jobs, "script_monitor": monitor}
    return {
        "zone": zone,
        "zone_id": zone_id(zone),
        "result": {**{name: outcome(*part or ()) for name, part in parts.items()}, "listed_jobs": []},
        **further,
    }


def drifted(zone: str, **further: Json) -> dict[str, Json]:
    """Return the record of a zone whose script monitor is off but should be on."""
    return record(zone, monitor=({"enabled": False}, {"enabled": True}), **further)


def failed(zone: str, kind: str = "permission", message: str = "not allowed") -> dict[str, Json]:
    """Return the record of a zone that could not be audited."""
    return {"zone": zone, "zone_id": zone_id(zone), "error": {"kind": kind, "message": message}}


def unmanaged(zone: str, **further: Json) -> dict[str, Json]:
    """Return the record of a zone without managed parts."""
    return {"zone": zone, "zone_id": zone_id(zone), "result": {"custom_fields": {}, "jobs": {}, "script_monitor": {}}, **further}


def job(name: str = "edge", state: str = "healthy", **members: Json) -> dict[str, Json]:
    """Return a job with those members of `logpush_job_info` that the report reads."""
    return {
        "id": 1,
        "name": name,
        "dataset": "http_requests",
        "enabled": True,
        "filter": None,
        "logpull_options": "fields=ClientIP,RayID",
        "last_complete": "2026-11-22T05:00:00Z",
        "error_message": None,
        "health": {"state": state, "since": None, "lag_seconds": None, "message": ""},
        **members,
    }


def finding(kind: str = "new", url: str = "https://cdn.example.net/a.js", message: str = "no entry covers it") -> dict[str, Json]:
    """Return a finding of a script audit."""
    return {"kind": kind, "script_url": url, "host": "shop.example.com", "entry": None, "message": message}


def audit(*findings: Json, **members: Json) -> dict[str, Json]:
    """Return the result of a script audit."""
    return {"findings": list(findings), "inventory": [], "evidence": {"seq": 3, "head": "ab12"}, **members}


def desired(*zones: Json, **options: Json) -> DesiredReport:
    """Return validated options of `audit_report`, with its defaults."""
    omitted = dict.fromkeys(
        (
            "expected",
            "previous",
            "merge",
            "waivers",
            "required_fields",
            "fail_on",
            "put_url",
            "put_headers",
            "monthly_budget_usd",
            "rates",
        )
    )
    defaults = {"dest": "/nowhere", "formats": ["json"], "at": AT, "title": "Fleet audit", "keep": 30}
    days = {"max_age_days": 7, "silent_after_days": 7}
    declared = {"declared": False} if options.pop("survey", False) else {}
    records = [{**zone, **declared} for zone in zones]
    return desire(
        {
            **omitted,
            **defaults,
            **days,
            "validate_only": False,
            "reads_only": False,
            "delivery": False,
            "fields": False,
            "zones": records,
            **options,
        }
    )


def report(*zones: Json, previous: Json = None, slices: t.Sequence[Json] = (), **options: Json) -> dict[str, Json]:
    """Return the report on some zones, compared with a previous one, and merged from slices if there are any."""
    checked = desired(*zones, merge=["report.json"] * len(slices), **options)
    return build(checked, _read(previous) if previous else None, list(map(_read, slices)))


def _read(document: dict[str, Json]) -> Report:
    """Return a report as it is read from its file."""
    return as_previous(completed(Report, document))


def items(document: dict[str, Json], zone: str | None = None) -> list[dict[str, Json]]:
    """Return the items of a report, or of one of its zones."""
    return [item for row in document["zones"] if zone in (None, row["zone"]) for item in row["items"]]


def row(document: dict[str, Json], zone: str) -> dict[str, Json]:
    """Return the row of a zone."""
    entry: dict[str, Json] = next(entry for entry in document["zones"] if entry["zone"] == zone)
    return entry


def full(**options: Json) -> dict[str, Json]:
    """Return a report with every type of item, compared with a previous one."""
    jobs = [job(state="failing"), job("late", "stale"), job("idle", "never", last_complete=None)]
    listed = [{"script": {"url": "https://x/a.js", "host": "shop"}, "entry": None, "findings": ["new"]}]
    zones = [
        drifted("b.example", scripts=audit(finding(), inventory=listed)) | {"jobs": jobs},
        record("a.example", jobs=({"edge": {"enabled": False}}, {"edge": {"enabled": True}})),
        record("c.example"),
        unmanaged("d.example"),
        failed("e.example"),
    ]
    settings: dict[str, Json] = {
        "required_fields": {"http_requests": ["RayID", "X"]},
        "waivers": [{**WAIVER, "zone": "a.*"}],
        **options,
    }
    before = report(zones[0], drifted("e.example"), drifted("gone.example"))
    return report(*zones, previous=before, at=LATER, **settings)


def surveyed() -> dict[str, Json]:
    """Return the report of a survey: jobs at two destinations, a zone without a job, and one whose jobs could not be read."""
    bucket = {"scheme": "s3", "address": "acme-logs/http/{DATE}", "options": {"region": "eu-central-1"}}
    collector = {"scheme": "https", "address": "collector.example/in/********", "options": {}}
    every = "Every record is delivered: there is no filter."
    only = 'A record is delivered only if ClientRequestHost is "a"; all other records are left out.'
    refused = {"failed": True, "msg": "403", "error": {"kind": "permission", "path": "/zones/0a/logpush/jobs"}}
    return report(
        {"zone": "shop.example", "zone_id": zone_id("shop"), "jobs": [job(destination=bucket, filter_explained=every)]},
        {
            "zone": "blog.example",
            "zone_id": zone_id("blog"),
            "jobs": [
                job(destination={**bucket, "address": "acme-logs/blog"}, filter_explained=only, transformer="redact-ip"),
                job("debug", "disabled", id=2, enabled=False, destination=collector, dataset="made_up"),
            ],
        },
        {"zone": "silent.example", "zone_id": zone_id("silent"), "jobs": []},
        {"zone": "sealed.example", "zone_id": zone_id("sealed"), "jobs": refused},
        survey=True,
        title=None,
    )


def hostile(text: str) -> dict[str, Json]:
    """Return a report that has the given text in each place that holds text."""
    coverage = {"unselected": [{"kind": text}], "unconfigured": [{"job_name": text, "field": text}], "sentences": [text, text]}
    zone = record(
        f"zone {text}",
        fields=({"request_fields": [text]}, {"request_fields": [], text: text}),
        jobs=({text: {text: text}}, {text: {text: "x"}, f"{text}2": {"name": text}}),
        scripts=audit(
            dict.fromkeys(("kind", "script_url", "host", "entry", "message"), text),
            inventory=[{"script": {"url": text, "host": text}, "entry": text}],
            evidence={"seq": text, "head": text},
        ),
    )
    zone |= {"zone_id": text, "coverage": coverage, "jobs": [job(text, "failing", health={"state": "failing", "message": text})]}
    zone["result"]["jobs"]["plan_id"] = text
    waivers = [
        {"zone": "*", "resource": "jobs", "reason": text, "owner": text, "until": "2026-12-31"},
        {"zone": text, "subject": text, "member": text, "reason": text, "owner": text, "until": "2020-12-31"},
        {"resource": "custom_fields", "reason": text, "owner": text, "until": "2020-12-31"},
    ]
    error = {"zone": f"failed {text}", "error": {"kind": text, "message": text}}
    return report(zone, error, title=text, waivers=waivers, required_fields={text: [text]}, expected=[f"expected {text}"])


def showcase() -> dict[str, Json]:
    """Return the report of a typical fleet: 48 zones, a few of which need attention, after eleven days of reports."""
    made = None
    for day in range(12, 24):
        made = report(*_fleet(day), previous=made, at=f"2026-11-{day}T06:00:00Z", title="Edge audit", waivers=[_MIGRATION])
    assert made is not None
    return made


_MIGRATION = {**WAIVER, "zone": "intranet-*", "resource": "script_monitor", "reason": "enabled with the next release"}
_BUCKET = {"scheme": "s3", "address": "example-logs/http/{DATE}", "options": {"region": "eu-central-1"}}
_STRANGER = {"scheme": "https", "address": "collector.example.net/in", "options": {}}
_REFUSED = "AccessDenied: 403 from the bucket example-logs"
_SITES, _COUNTRIES = ("api", "blog", "docs", "intranet", "news", "pay", "shop", "www"), ("com", "de", "es", "fr", "it", "pl")


def _fleet(day: int) -> list[dict[str, Json]]:
    """Return the records of one day; drift and failures start and end between days."""
    records = {f"{site}-{country}.example": _zone(f"{site}-{country}.example") for site in _SITES for country in _COUNTRIES}
    failing = job(id=1, state="failing", destination=_BUCKET, error_message=_REFUSED)
    failing["health"] = {"state": "failing", "since": None, "lag_seconds": 108_000, "message": ""}
    unlisted = [job("edge-logs", id=1, destination=_BUCKET), job("debug", id=2, destination=_STRANGER)]
    skimmer = finding("malicious", "https://cdn.example.org/checkout.js", "integrity score 3: malicious; category Magecart")
    off = ({"enabled": False}, {"enabled": True})
    fields = ({"edge-logs": {"logpull_options": "fields=RayID"}}, {"edge-logs": {"logpull_options": "fields=RayID,ClientIP"}})
    changes: list[tuple[bool, dict[str, Json]]] = [
        (day >= 22, _zone("api-de.example", jobs_read=[failing])),
        (day >= 17, _zone("shop-fr.example", jobs_read=unlisted)),
        (day == 23, _zone("pay-com.example", scripts=audit(skimmer))),
        (day >= 13, _zone("intranet-pl.example", monitor=off)),
        (day >= 20, _zone("blog-es.example", jobs=fields)),
        (day in (14, 15, 16), _zone("news-it.example", monitor=off)),
        (day in (15, 18, 19, 23), failed("docs-com.example", "permission", "the token does not cover this zone")),
    ]
    records.update({record["zone"]: record for applies, record in changes if applies})
    records["shop-fr.example"]["result"]["jobs"]["unlisted_jobs"] = [{"id": 2, "name": "debug"}] if day >= 17 else []
    return list(records.values())


def _zone(name: str, *, jobs_read: Json = None, **members: Json) -> dict[str, Json]:
    read = jobs_read or [job("edge-logs", id=1, destination=_BUCKET)]
    delivered = {"job_id": 1, "uploads": 2880, "records": 1_204_511, "dropped_records": 0}
    return {**record(name, **members), "jobs": read, "delivery": [delivered, {**delivered, "job_id": 2}]}
