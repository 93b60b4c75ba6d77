# SPDX-License-Identifier: GPL-3.0-or-later

"""Each request of a page audit fails once: the page is unread, nothing is green, and no evidence is lost."""

import json
import typing as t
from pathlib import Path

import pytest
from faults import direct
from faults.scenarios import ZONE
from support.site import Page, Site

# A page that is on another path, and is fetched twice.
ADDRESSES = ["/checkout", "/pay", "/checkout", "/pay"]
PAYMENT = Page(b"<!doctype html><title>Pay</title><script>pay()</script>")
AUTHORISED = {"owner": "a@example.com", "justification": "card checkout", "authorised_by": "j.doe"}
FAULTS = {
    "500": Page(b"<p>broken", status=500),
    "403": Page(b"<p>who are you", status=403),
    "429": Page(b"<p>later", (("Retry-After", "900"),), status=429),
    "empty": Page(b""),
    "short": Page(b"<p>x", (("Content-Length", "100"), ("Connection", "close"))),
    "away": Page(b"", (("Location", "http://elsewhere.example/pay"),), status=302),
    "no html": Page(b"{}", content_type="application/json"),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("index", range(len(ADDRESSES)))
def test_page_with_a_fault_is_unread(
    simulator: t.Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, index: int, cases: t.Any
) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    chain = tmp_path / f"{ZONE}.pages.jsonl"
    with Site().running() as site:

        def answer(sound: Page) -> t.Callable[[], Page]:
            return lambda: FAULTS[fault] if failing and len(site.requests) > index else sound

        def audit(baseline: t.Any) -> dict[str, t.Any]:
            site.requests.clear()
            options = {"pages": [{"url": site.url("/checkout")}], "baseline": baseline, "evidence_dir": str(tmp_path)}
            return direct.run("page_audit", simulator, ZONE, options)

        failing = False
        site.pages["/checkout"] = answer(Page(b"", (("Location", "/pay"),), status=302))
        site.pages["/pay"] = answer(PAYMENT)
        baseline = [{**proposal, **AUTHORISED, "page": site.url("/*")} for proposal in audit([])["proposals"]]
        assert [path for _method, path, _headers in site.requests] == ADDRESSES
        assert audit(baseline)["passed"]
        before = chain.read_text(encoding="utf-8")
        failing = True
        result = audit(baseline)
        failing = False
        recovered = audit(baseline)
    assert not result["passed"] and "page_unread" in [finding["kind"] for finding in result["findings"]], result
    after = chain.read_text(encoding="utf-8")
    assert after.startswith(before) and [json.loads(line)["seq"] for line in after.splitlines()] == [1, 2, 3, 4]
    assert recovered["passed"], recovered["findings"]
    cases["faults at requests of a page audit"] += 1
