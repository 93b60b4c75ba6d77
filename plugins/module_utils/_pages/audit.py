# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import contextlib
import datetime
import typing as t

from .._chain.evidence import Evidence, LastRecord, now
from .._chain.kinds import PAGES, REQUEST_HEADERS, USER_AGENT
from .._chain.records import Record
from .._core import Conclusion, Json, invalid_option
from .._files import read_regular
from .._redact import clean_text, scrub
from .compare import Comparison, Finding, Seen, extract_of, find_entry, find_in_entries, in_order
from .facts import FAILURES, PAGE_FINDINGS, REDIRECTED, UNREAD, Unread
from .fetch import Fetcher, NoAnswer
from .har import Exchange, age_of, find_recorded, parse_har
from .options import USER_AGENT as DEFAULT_USER_AGENT
from .options import Options, Page
from .propose import LeftOut, propose
from .received import Read, read_response
from .request_headers import readable

# Findings about a page itself, for which an entry can be proposed.
_OF_PAGES = frozenset(("page_new", "header_changed", "script_new", "inline_new", "frame_new", "form_new", "gone"))
# The members of a script that results contain.
_SHOWN = ("url", "integrity", "crossorigin", "kind", "line")
# What of these findings is kept: both sides change only if the page does.
_WITH_TEXTS = frozenset(("header_changed", REDIRECTED))


class Audit(t.NamedTuple):
    """The audit of the pages of a zone."""

    options: Options
    zone_id: str | None

    def perform(self, secrets: t.Collection[str]) -> Conclusion:
        """Read every page, judge, keep the evidence, and report."""
        options, folder = self.options, self.options.keeping.folder
        if folder and self.zone_id is None:
            raise invalid_option("zone_id", "evidence_dir needs it: a chain belongs to a zone")
        recordings = {page.har: _recording(page, page.har) for page in options.pages if page.har is not None}
        evidence = Evidence.prepare(folder, self.zone_id, PAGES) if folder and self.zone_id else None
        # Before the first request, so that what changes meanwhile is new to the next audit.
        at = options.keeping.at or now()
        # An entry that does not say which of two holds is refused before a page is read.
        entries = {page.url: find_entry(options.entries, page.url) for page in options.pages}
        with contextlib.closing(Fetcher(options)) as fetcher:
            seen = [_see(page, fetcher, options, recordings, at) for page in options.pages]
        today = at.date().isoformat()
        comparisons = [Comparison(view, entries[view.page.url], options.scripts, options.headers, today) for view in seen]
        of_pages = [finding for comparison in comparisons for finding in comparison.findings]
        of_pages += find_in_entries(options.entries, comparisons, today)

        def report(last: LastRecord) -> dict[str, t.Any]:
            of_audit = last.find(at, options.keeping.max_gap_days, PAGES)
            findings = [*of_pages, *(Finding(kind, None, None, None, None, None, text) for kind, text in of_audit)]
            return _report(options, comparisons, in_order(findings))

        warnings = tuple(
            f"{view.page.place}.har: left out is {text}, because the last one in the recording is the document. Record a page once."
            for view in seen
            for text in _other_recordings(view)
        )
        if evidence is None:
            result = {**report(LastRecord()), "evidence": {"seq": None, "head": None}}
        else:
            baselines: dict[str, Json] = {
                "pages_baseline_digest": scrub([entry.declared for entry in options.entries], secrets),
                "baseline_digest": scrub([entry.declared for entry in options.scripts.entries], secrets),
            }
            with evidence.opened() as records:
                result = report(records.find_last(options.keeping, at, now(), baselines))
                warnings += records.warn_of_missing()
                kept = _to_keep(options, comparisons, result)
                record = records.keep(at, now(), kept, baselines, lambda value: scrub(value, secrets))
                result["evidence"] = {"seq": record["seq"], "head": record["digest"]}
        return Conclusion(result, warnings, _refusal(options, result["summary"]))


def _recording(page: Page, path: str) -> list[Exchange]:
    place = f"{page.place}.har"
    try:
        content = read_regular(path)
    except OSError as error:
        raise invalid_option(place, f"the file cannot be read: {error.strerror}") from None
    return parse_har(place, content)


def _see(
    page: Page,
    fetcher: Fetcher,
    options: Options,
    recordings: t.Mapping[str, t.Sequence[Exchange]],
    at: datetime.datetime,
) -> Seen:
    """Read a page as often as it is asked for; equal documents are parsed once."""
    reads: list[Read] = []
    unread: str | None = None
    for _fetch in range(1 if page.har is not None else options.fetches):
        try:
            response = fetcher.fetch(page) if page.har is None else find_recorded(recordings[page.har], page.address)
            reads.append(read_response(response, reads))
            unread = unread or reads[-1].document.doubt
            age = age_of(response.recorded_at, at) if page.har is not None else 0
            if age is None:
                raise Unread("the recording does not say when it was made")
            if age < 0:
                raise Unread(f"its recording is of {response.recorded_at}, after this audit")
            if age > options.keeping.max_gap_days:
                raise Unread(f"its recording is of {response.recorded_at}, more than {options.keeping.max_gap_days:g} days ago")
        except NoAnswer as reason:
            unread = unread or str(reason)
            break
        except Unread as reason:
            unread = unread or str(reason)
    return Seen(page, tuple(reads), unread)


def _report(options: Options, comparisons: t.Sequence[Comparison], findings: t.Sequence[Finding]) -> dict[str, t.Any]:
    """Return the result of the audit, but for the record that is kept of it."""
    counts = collections.Counter(finding.kind for finding in findings)
    names = {entry.name: 1 for entry in options.entries}
    proposals = []
    left_out: dict[str, list[LeftOut]] = {}
    for comparison in comparisons:
        url = comparison.seen.page.url
        about = [finding.kind for finding in findings if finding.page == url]
        if comparison.seen.unread is None and _OF_PAGES.intersection(about):
            proposal, left_out[url] = propose(comparison, names)
            proposals.append(proposal)
    return {
        "pages": [_page(comparison, left_out.get(comparison.seen.page.url, ())) for comparison in comparisons],
        "summary": {kind: counts[kind] for kind in PAGE_FINDINGS},
        "findings": [finding.report() for finding in findings],
        "passed": not any(kind in FAILURES for kind in counts),
        "proposals": proposals,
    }


def _page(comparison: Comparison, left_out: t.Sequence[LeftOut]) -> dict[str, t.Any]:
    """Return what was seen of a page; of one that could not be read, only its URL and source are known."""
    seen, is_recorded = comparison.seen, comparison.seen.page.har is not None
    page: dict[str, t.Any] = {
        "url": seen.page.url,
        "final_url": None,
        "source": "har" if is_recorded else "fetch",
        "recorded_at": None,
        "status": None,
        "entry": comparison.entry.name if comparison.entry else None,
        "headers": {},
        "left_out": [],
        "scripts": [],
        "inline": [],
        "frames": [],
        "forms": [],
    }
    return page | _contents(comparison, left_out, is_recorded) if seen.reads else page


def _contents(comparison: Comparison, left_out: t.Sequence[LeftOut], is_recorded: bool) -> dict[str, t.Any]:
    """Return what was read of a page."""
    seen = comparison.seen
    response = seen.first.response
    others = [LeftOut(text, "the last one in the recording is the document") for text in _other_recordings(seen)]
    values = {name: seen.values(seen.first, name) for name in comparison.names}
    sampled = [
        LeftOut(text, "the policy with which the service samples what browsers load")
        for text in seen.left_out(comparison.headers)
    ]
    return {
        "final_url": clean_text(str(response.address)),
        "recorded_at": response.recorded_at,
        "status": response.status,
        "headers": {name: _value(texts) for name, texts in values.items()},
        "left_out": [{"what": clean_text(omission.what), "why": omission.why} for omission in (*others, *sampled, *left_out)],
        "scripts": [{name: getattr(script, name) for name in _SHOWN} for script in seen.scripts()],
        "inline": [
            {
                "hash": code.inline.hash,
                "shape": code.shape,
                "kind": code.inline.kind,
                "dynamic": code.is_dynamic,
                "line": code.inline.line,
                "extract": extract_of(code.inline.code, is_recorded=is_recorded),
            }
            for code in seen.code()
        ],
        "frames": [{"url": frame.url, "line": frame.line} for frame in seen.frames()],
        "forms": [{"origin": origin, "line": line} for origin, line in seen.forms().items()],
    }


def _other_recordings(seen: Seen) -> t.Iterator[str]:
    """Yield how many documents of a page its recording has that were loaded apart from the one that was read."""
    count = seen.first.response.other_recordings if seen.reads else 0
    if count:
        yield f"{count} other documents of the page" if count > 1 else "1 other document of the page"


def _value(texts: t.Sequence[str]) -> str | list[str] | None:
    """Return the value of a header, a list if it is sent several times, None if it is not sent."""
    cleaned = [clean_text(text) for text in texts]
    return None if not cleaned else cleaned[0] if len(cleaned) == 1 else cleaned


def _to_keep(options: Options, comparisons: t.Sequence[Comparison], result: t.Mapping[str, t.Any]) -> Record:
    """Return what the evidence contains of a result: what changes only if the page is changed, and what was looked at."""
    pages = [{**page, **_lasting(page)} for page in result["pages"]]
    for page in pages:
        del page["left_out"]
    # Of a recording, nobody sent any.
    sent: dict[str, Json] = {page.url: readable(page.headers) for page in options.pages if page.headers and page.har is None}
    return {
        "scope": {
            "pages": [comparison.seen.page.url for comparison in comparisons],
            "headers": list(options.headers),
            "fetches": options.fetches,
            "fail_on": [kind for kind in PAGE_FINDINGS if kind in options.fail_on],
            # The default names the release, and a new one is no change of what is audited.
            USER_AGENT: None if options.user_agent == DEFAULT_USER_AGENT else options.user_agent,
            REQUEST_HEADERS: sent or None,
        },
        "pages": pages,
        "findings": [_kept_finding(finding) for finding in result["findings"]],
        "passed": result["passed"],
    }


def _kept_finding(finding: t.Mapping[str, t.Any]) -> dict[str, Json]:
    texts = ("is", "should_be") if finding["kind"] in _WITH_TEXTS else ()
    return {name: finding[name] for name in ("kind", "page", "subject", *texts)}


def _lasting(page: t.Mapping[str, t.Any]) -> dict[str, Json]:
    """Return the lists of a page without lines and extracts, sorted, dynamic code by its shape."""

    def kept(items: t.Iterable[t.Mapping[str, t.Any]], *names: str) -> list[dict[str, Json]]:
        unique = {repr(row): row for row in ({name: item[name] for name in names} for item in items)}
        return [unique[key] for key in sorted(unique)]

    inline = [{**code, "hash": None if code["dynamic"] and code["shape"] else code["hash"]} for code in page["inline"]]
    return {
        "scripts": kept(page["scripts"], "url", "integrity", "crossorigin", "kind"),
        "inline": kept(inline, "hash", "shape", "kind", "dynamic"),
        "frames": kept(page["frames"], "url"),
        "forms": kept(page["forms"], "origin"),
    }


def _refusal(options: Options, summary: t.Mapping[str, int]) -> str:
    """Return why the task fails although the audit is complete; "" if nothing that fails it was found."""
    # A page that could not be read, or that led elsewhere, may have any of them.
    deciding = {*options.fail_on, UNREAD, REDIRECTED} if options.fail_on else options.fail_on
    counts = ", ".join(f"{count} {kind}" for kind, count in summary.items() if count and kind in deciding)
    if not counts:
        return ""
    return f"fail_on: the audit of the pages found {counts}. See findings; authorise what is right in the baseline, or remove it."
