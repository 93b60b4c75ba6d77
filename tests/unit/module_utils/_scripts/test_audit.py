# SPDX-License-Identifier: GPL-3.0-or-later

"""Audits of a given listing, with evidence in a real folder."""

import datetime
import itertools
import json
import os
import typing as t
from pathlib import Path

import pytest
from support.audited import records
from support.refusals import refusal

from ansible_collections.edgeops.observability.plugins.module_utils._address import Address
from ansible_collections.edgeops.observability.plugins.module_utils._chain.evidence import unless_overtaken
from ansible_collections.edgeops.observability.plugins.module_utils._core import Answer, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._scripts import audit as audits
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.facts import SCRIPT_FINDINGS
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.task import audit_scripts
from ansible_collections.edgeops.observability.plugins.plugin_utils._evidence import verification

A, B, C = ("a" * 64, "b" * 64, "c" * 64)
AT = "2026-11-21T06:00:00Z"
ZONE = "0" * 32
# When the run of a test writes its record, by the machine's clock.
WRITTEN = "2026-11-21T00:03:00Z"
SECRET = "planted-secret-3b9c"
DEFAULTS = {
    **dict.fromkeys(("hosts", "malicious_threshold", "malicious_when", "evidence_dir", "expected_head")),
    **dict.fromkeys(("pages", "status", "fail_on"), ()),
    "zone_id": ZONE,
    "route": "script_monitor",
    "details": "findings",
    "max_gap_days": 5.0,
    "at": AT,
}
FULL = {"owner": "o", "justification": "j", "authorised_by": "a"}


def script(number: int = 1, **members: t.Any) -> dict[str, t.Any]:
    return {"script_id": f"{number:032x}", "script_url": f"https://cdn/{number}.js", "host": "shop", "hash": A, **members}


def entry(name: str = "one", url: str = "https://cdn/1.js", **members: t.Any) -> dict[str, t.Any]:
    return {"name": name, "url": url, "hashes": [A], **FULL, **members}


def run(
    listing: t.Any,
    baseline: t.Any,
    singles: t.Any = (),
    *,
    enabled: bool = True,
    behind: float = 0,
    meanwhile: t.Callable[[], object] = lambda: None,
    **options: t.Any,
) -> t.Any:
    """Run an audit; `read` are the ids of the scripts that it read one by one, `meanwhile` is called after its beginning."""
    read: list[str] = []

    class Client:
        address = Address("zone", ZONE)
        secrets = (SECRET,)
        warnings: t.ClassVar[list[str]] = []
        behind: datetime.timedelta
        time = datetime.datetime(2026, 11, 21, tzinfo=datetime.timezone.utc)

        def call(self, operation: str) -> Answer:
            self.time += datetime.timedelta(minutes=3)  # the time of the audit is taken before the first request
            meanwhile()
            return Answer({"enabled": enabled, "updated_at": None})

        def items(self, operation: str, **_paging: t.Any) -> list[t.Any]:
            return [dict(script) for script in listing]

        def find(self, operation: str, ids: t.Mapping[str, str]) -> Answer | None:
            read.append(ids["script_id"])
            single = next((single for single in singles if single["script_id"] == ids["script_id"]), None)
            return single and Answer(single)

    client = Client()
    client.behind = datetime.timedelta(minutes=behind)
    audit = audits.desire({**DEFAULTS, "baseline": baseline, **options})
    done = unless_overtaken(lambda: audit_scripts(audit, t.cast("t.Any", client), lambda: client.time))
    return done._replace(result={**done.result, "read": sorted(read)})


def found(conclusion: t.Any) -> list[tuple[str, str | None, str | None]]:
    return [(finding["kind"], finding["script_url"], finding["entry"]) for finding in conclusion.result["findings"]]


def kinds(conclusion: t.Any) -> list[str]:
    return [finding["kind"] for finding in conclusion.result["findings"]]


URL = "https://cdn/1.js"


@pytest.mark.parametrize(
    ("seen", "declared", "expected"),
    [
        ({}, {}, []),
        ({"hash": B}, {}, [("changed", URL, "one")]),
        ({"hash": B.upper()}, {"hashes": [A, B]}, []),
        ({"hash": A}, {"hashes": []}, [("changed", URL, "one")]),
        ({"hash": None}, {}, [("unverified", URL, "one")]),
        ({"hash": ""}, {}, [("unverified", URL, "one")]),
        ({"hash": 7}, {}, [("unverified", URL, "one")]),
        ({"hash": B}, {"integrity": "unpinned", "integrity_reason": "r"}, []),
        ({"hash": None}, {"integrity": "unpinned", "integrity_reason": "r"}, []),
        ({"js_integrity_score": 51}, {}, [("malicious", URL, "one")]),
        ({"js_integrity_score": 50}, {}, []),
        ({"url_reported_malicious": True}, {}, [("reported", URL, "one")]),
        ({"domain_reported_malicious": True, "hash": B}, {}, [("reported", URL, "one"), ("changed", URL, "one")]),
        ({"malicious_url_categories": ["Malware"]}, {}, [("reported", URL, "one")]),
        ({"url_reported_malicious": False, "malicious_url_categories": []}, {}, []),
        ({}, {"review_by": "2026-11-20"}, [("expired", None, "one")]),
        ({}, {"review_by": "2026-11-21"}, []),
        ({}, {"justification": " "}, [("unjustified", None, "one")]),
        ({}, {"authorised_by": ""}, [("unjustified", None, "one")]),
        ({}, {"owner": "\u200b\u3164"}, [("unjustified", None, "one")]),
        ({}, {"authorised_on": "2026-11-22"}, [("unjustified", None, "one")]),
        ({}, {"authorised_on": "2026-11-21"}, []),
        ({"script_url": "https://cdn/2.js"}, {}, [("new", "https://cdn/2.js", None), ("unused", None, "one")]),
        ({"script_url": "https://cdn/2.js"}, {"required": True}, [("new", "https://cdn/2.js", None), ("gone", None, "one")]),
        ({"script_url": None}, {}, [("new", None, None), ("unused", None, "one")]),
        ({"host": None}, {"hosts": ["shop"]}, [("new", URL, None), ("unused", None, "one")]),
        ({"script_url": URL + "#part"}, {}, []),
    ],
)
def test_script_and_entry_have_their_findings(seen: t.Any, declared: t.Any, expected: t.Any) -> None:
    done = run([script(**seen)], [entry(**declared)])
    assert found(done) == expected
    assert done.result["passed"] is not any(kind != "unused" for kind, _url, _entry in expected)
    assert done.result["summary"] == {kind: [finding[0] for finding in expected].count(kind) for kind in SCRIPT_FINDINGS}
    (item,) = done.result["inventory"]
    mine = {kind for kind, _url, _entry in expected} - ({"gone", "unused"} if item["entry"] is None else set())
    assert set(item["findings"]) == mine
    of_entry = [finding["message"] for finding in done.result["findings"] if finding["script_url"] is None and finding["entry"]]
    assert all(message.startswith("the entry 'one' ") for message in of_entry)


@pytest.mark.parametrize(
    ("seen", "declared", "message"),
    [
        ({"script_url": "https://cdn/2.js"}, {}, "no entry of the baseline covers it"),
        ({"script_url": None}, {}, "the service shows no URL, so no entry covers it"),
        ({"hash": B}, {}, f"1 hash seen that the entry does not list: {B}"),
        ({"hash": "odd"}, {}, "1 hash seen that the entry does not list: 'odd'"),
        (
            {"hash": None},
            {},
            (
                "the entry is pinned, and the service shows no hash; the plan of the account may hide it, and integrity unpinned with"
                " an integrity_reason needs none"
            ),
        ),
        ({"js_integrity_score": 51}, {}, "js_integrity_score 51 is above 50"),
        ({"malicious_url_categories": ["M"]}, {}, "the URL or the domain is reported as malicious; URL category: M"),
        ({}, {"review_by": "2026-11-20"}, "the entry 'one' had to be reviewed by 2026-11-20"),
        ({}, {"owner": None, "authorised_by": ""}, "the entry 'one' has no owner, authorised_by"),
    ],
)
def test_message_describes_the_finding(seen: t.Any, declared: t.Any, message: str) -> None:
    assert run([script(**seen)], [entry(**declared)]).result["findings"][0]["message"] == message


def test_missing_hash_is_a_finding() -> None:
    done = run([{"script_id": "1"}, {"script_id": "2"}, {"script_id": "3", "script_url": URL}], [entry()])
    assert found(done) == [("new", None, None), ("new", None, None), ("unverified", URL, "one")]
    assert [item["entry"] for item in done.result["inventory"]] == [None, None, "one"]
    assert done.result["proposals"] == [], "what has no URL cannot be an entry"


def test_audit_without_scripts_does_not_pass() -> None:
    done = run([], [], enabled=False)
    assert kinds(done) == ["monitor_off", "nothing_seen"]
    assert (done.result["passed"], done.result["evidence"]) == (False, {"seq": None, "head": None})
    assert done.result["findings"][1]["message"].endswith("because the script monitor is disabled")
    (nothing,) = run([], []).result["findings"]
    assert "samples" in nothing["message"] and "100 requests" in nothing["message"]


def test_hosts_restrict_missing_scripts() -> None:
    entries = [
        entry("a", "https://cdn/a.js", hosts=["shop.example"]),
        entry("b", "https://cdn/b.js", hosts=["blog.example"], required=True),
        entry("c", "https://cdn/c.js"),
    ]
    for limit, missed in (("Shop.example", "ac"), ("*.example", "bac"), ("blog*", "bc"), ("*log*", "bc"), ("example", "c")):
        assert [name for _kind, _url, name in found(run([script()], entries, hosts=[limit]))][1:] == list(missed), limit


def test_script_with_several_ids_is_one_script() -> None:
    listing = [script(1, last_seen_at="2026-02-01"), script(1, script_id="f", hash=B, last_seen_at="2026-01-01")]
    done = run(listing, [entry()])
    assert found(done) == [("changed", URL, "one")]
    (item,) = done.result["inventory"]
    assert item["script"]["hash"] == A


@pytest.mark.parametrize(("first", "kind"), [({"hash": B}, "changed"), ({"url_reported_malicious": True}, "reported")])
@pytest.mark.parametrize("details", ["findings", "all", "none"])
def test_what_a_script_showed_before_it_moved_is_not_lost(first: t.Any, kind: str, details: str) -> None:
    """While one status is listed after the other, a script can move, so that it is listed twice."""
    for listing in ([script(**first), script()], [script(), script(**first)]):
        done = run(listing, [entry()], [script(versions=[])], details=details)
        assert found(done) == [(kind, URL, "one")]
        assert len(done.result["inventory"]) == 1 and len(done.result["read"]) == (details != "none")


@pytest.mark.parametrize("hidden", [None, "", 7])
def test_hash_of_one_script_says_nothing_about_another_of_its_address(hidden: t.Any) -> None:
    """The service lists an address once for each content; where it shows no hash of one of them, the entry is not verified."""
    listing = [script(1, script_id="f"), script(1, script_id="e", hash=hidden)]
    assert found(run(listing, [entry()])) == [("unverified", URL, "one")]
    assert found(run(listing, [entry()], [script(1, script_id="e", hash=A, versions=[])], details="all")) == []


@pytest.mark.parametrize(
    ("fail_on", "refused"),
    [
        ([], ""),
        (["gone", "unused"], "fail_on: the audit of the scripts found 1 unused. "),
        (["all"], "fail_on: the audit of the scripts found 1 new, 1 changed. "),
        (["new", "gone"], "fail_on: the audit of the scripts found 1 new. "),
    ],
)
def test_fail_on_selects_findings(fail_on: list[str], refused: str) -> None:
    done = run([script(hash=B), script(2)], [entry(), entry("two", "https://kept/")], fail_on=fail_on)
    assert done.result["passed"] is False, "whatever fails the task"
    assert done.refused.startswith(refused) and bool(done.refused) is bool(refused)
    assert run([script()], [entry(), entry("two", "https://kept/")], fail_on=["all"]).refused == ""


@pytest.mark.parametrize(
    ("listing", "enabled", "fail_on", "refused"),
    [
        ([script(hash=None)], True, ["changed"], "1 unverified"),
        ([script(hash=None)], True, ["malicious"], ""),
        ([], True, ["malicious"], "1 nothing_seen"),
        ([], False, ["gone"], "1 monitor_off, 1 nothing_seen"),
        ([script()], False, ["new"], "1 monitor_off"),
        ([script()], False, [], ""),
    ],
)
def test_what_hides_a_finding_fails_as_it_does(listing: t.Any, enabled: bool, fail_on: list[str], refused: str) -> None:
    """An audit that could see nothing, and a hash that nobody can compare, are never better than what they hide."""
    done = run(listing, [entry()], enabled=enabled, fail_on=fail_on)
    assert done.refused.startswith(f"fail_on: the audit of the scripts found {refused}. ") if refused else not done.refused


@pytest.mark.parametrize("url", [7, True, ["https://cdn/1.js"], {}])
def test_url_of_another_type_is_refused(url: t.Any) -> None:
    kind, message = refusal(run, [script(script_url=url)], [entry()])
    assert kind == "bad_response" and "in 'script_url'" in message


@pytest.mark.parametrize(
    "versions",
    [None, 7, {}, [None], [{"fetched_at": "2026-11-21T07:00:00Z"}], [{"hash": None}], [{"hash": 7, "fetched_at": "never"}]],
)
def test_versions_that_are_not_shown_are_unverified(tmp_path: Path, versions: t.Any) -> None:
    """A hash that changed and changed back may be among them."""
    options = {"evidence_dir": str(tmp_path), "details": "all"}
    run([script()], [entry()], [script(versions=[])], **options)
    options["at"] = "2026-11-21T08:00:00Z"
    listed = {**options, "evidence_dir": str(tmp_path / "listed"), "details": "none"}
    run([script()], [entry()], **{**listed, "at": AT})
    expected = [] if versions is None else [("unverified", URL, "one")]
    assert found(run([script(versions=versions)], [entry()], **listed)) == expected, "a listing need not have versions"
    done = run([script()], [entry()], [script(versions=versions)], **options)
    assert found(done) == [("unverified", URL, "one")]
    assert done.result["findings"][0]["message"].endswith(
        "does not show the hash of each version since its versions were last read"
    )
    options["at"] = "2026-11-21T09:00:00Z"
    old = script(
        versions=[{"hash": None, "fetched_at": "2026-11-21T07:00:00Z"}, {"hash": A, "fetched_at": "2026-11-21T08:30:00Z"}]
    )
    assert found(run([script()], [entry()], [old], **options)) == [("unverified", URL, "one")], "nobody has seen its hash yet"
    options["at"] = "2026-11-21T10:00:00Z"
    late = script(versions=[{"hash": B, "fetched_at": "2026-11-21T07:00:00Z"}])
    assert found(run([script()], [entry()], [late], **options)) == [("changed", URL, "one")]
    options["at"] = "2026-11-21T11:00:00Z"
    assert found(run([script()], [entry()], [late], **options)) == []


def test_proposals_have_no_justification() -> None:
    """A baseline with all proposals covers all scripts, but has no justifications."""
    listing = [script(1, hash=B), script(2), script(2, script_id="f", host="blog"), script(3, script_url="https://cdn/3.js?v=1")]
    listing += [script(4, script_url="https://cdn/3.js?v=2", hash=None), script(5, script_url="https://cdn/{{ x }}/")]
    # An entry for such a URL would be a pattern, and authorise other scripts as well.
    listing += [script(6, script_url="https://cdn/**"), script(7, script_url="https://cdn/a*.js")]
    first = run(listing, [entry(), entry("kept", "https://kept/")])
    proposals = first.result["proposals"]
    assert [(proposal["name"], proposal["url"], proposal["hosts"]) for proposal in proposals] == [
        ("one", URL, []),
        ("cdn-2.js", "https://cdn/2.js", ["blog", "shop"]),
        ("cdn-3.js", "https://cdn/3.js?v=1", ["shop"]),
        ("cdn-3.js-2", "https://cdn/3.js?v=2", ["shop"]),
    ], "what is no URL has no proposal"
    assert proposals[0]["hashes"] == [A, B] and proposals[1]["hashes"] == [A]
    assert {proposal[name] for proposal in proposals for name in FULL} == {None}
    second = run(listing, [*proposals, entry("kept", "https://kept/")])
    assert set(kinds(second)) == {"unverified", "unjustified", "unused", "new"}
    assert second.result["summary"]["unjustified"] == 4 and second.result["summary"]["new"] == 3


@pytest.mark.parametrize(
    ("pages", "members", "expected"),
    [
        ([], {"seen_on": ["https://shop/pay"]}, None),
        (["https://shop/pay"], {}, None),
        (["https://shop/pay"], {"seen_on": 7, "seen_on_first": ["https://shop/pay"]}, None),
        (["https://shop/pay"], {"seen_on": ["https://shop/pay?x=1#a", "https://shop/"]}, ["https://shop/pay?x=1#a"]),
        (["https://shop/pay/**"], {"seen_on": ["https://shop/"], "seen_on_first": "https://SHOP/pay/1"}, ["https://SHOP/pay/1"]),
        (["https://shop/pay/*"], {"seen_on_first": "https://shop/pay/1/2", "seen_on": None}, []),
    ],
)
def test_findings_have_pages(pages: t.Any, members: t.Any, expected: t.Any) -> None:
    done = run([script(2, **members)], [entry()], pages=pages)
    assert [finding["pages"] for finding in done.result["findings"]] == [expected, None], "an entry is on no page"


@pytest.mark.parametrize(
    ("details", "expected"),
    [("none", []), ("findings", ["malicious", "new"]), ("all", ["fine", "malicious", "new"])],
)
def test_scripts_read_one_by_one(details: str, expected: list[str]) -> None:
    listing = [script(1, script_id="fine"), script(2, script_id="new")]
    listing.append(script(1, script_id="malicious", host="b", js_integrity_score=99))
    done = run(listing, [entry(review_by="2020-01-01")], [script(2, script_id="new", seen_on=["here"])], details=details)
    assert done.result["read"] == expected
    assert [item["script"].get("seen_on") for item in done.result["inventory"]][-1] == (None if details == "none" else ["here"])


@pytest.mark.parametrize(
    ("listed", "single", "expected"),
    [
        ({"js_integrity_score": 90}, {"js_integrity_score": None}, ["malicious"]),
        ({"js_integrity_score": 90}, {"js_integrity_score": 10}, ["malicious"]),
        ({}, {"js_integrity_score": 90}, ["malicious"]),
        ({"url_reported_malicious": True}, {"url_reported_malicious": None}, ["reported"]),
        ({"domain_reported_malicious": True}, {"domain_reported_malicious": False}, ["reported"]),
        ({"malicious_url_categories": ["Malware"]}, {"malicious_url_categories": []}, ["reported"]),
        ({"hash": B}, {"hash": A}, ["changed"]),
        ({"hash": A}, {"hash": B}, ["changed"]),
    ],
)
def test_details_keep_all_findings(listed: t.Any, single: t.Any, expected: list[str]) -> None:
    done = run([script(**listed)], [entry()], [{"script_id": script()["script_id"], **single}], details="all")
    assert kinds(done) == expected
    (item,) = done.result["inventory"]
    assert item["findings"] == expected


def test_details_complete_the_listing() -> None:
    """The result has the members of both answers, and the verdict uses all of them."""
    dates = {"first_seen_at": "2026-01-01T00:00:00Z", "last_seen_at": "2026-11-20T00:00:00Z"}
    listed = script(js_integrity_score=90, malicious_url_categories=["Malware"], **dates)
    single = {"script_id": listed["script_id"], "first_seen_at": None, "malicious_url_categories": None, "seen_on": ["here"]}
    (item,) = run([listed], [entry()], [single], details="all").result["inventory"]
    reasons = ["js_integrity_score 90 is above 50", "URL category: Malware"]
    assert item["script"] == {**listed, "seen_on": ["here"], "malicious": True, "malicious_reasons": reasons}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2026-02-01T10:00:00Z", "2026-02-01T10:00:00.5Z"),
        ("2026-02-01T12:00:00+03:00", "2026-02-01T10:00:00Z"),
        ("2026-02-01T10:00:00Z", "2026-02-01T08:00:00-05:00"),
        ("yesterday", "2026-02-01T10:00:00Z"),
        (7, "2026-02-01T10:00:00Z"),
    ],
)
def test_last_seen_is_the_latest_time(one: t.Any, other: str) -> None:
    listing = [script(script_id="f", last_seen_at=one), script(script_id="e", last_seen_at=other)]
    (item,) = run(listing, [entry()]).result["inventory"]
    assert item["script"]["last_seen_at"] == other


def test_first_audit_reads_limited_details(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audits, "MAX_DETAILS", 2)
    done = run([script(1, hash=B), script(2), script(3)], [entry()])
    assert done.result["read"] == [script(1)["script_id"], script(2)["script_id"]]
    assert "only 2 of them" in done.warnings[0]


def test_versions_since_the_last_record_are_compared(tmp_path: Path) -> None:
    """A hash that changed and changed back between two audits is found; changes before the first audit are not."""
    versions = [{"hash": B, "fetched_at": "2026-11-21T07:00:00.5Z"}, {"hash": C, "fetched_at": "2026-11-21T05:00:00Z"}]
    single = script(versions=versions)
    options = {"evidence_dir": str(tmp_path), "details": "all"}
    assert found(run([script()], [entry()], [single], **options)) == []
    assert found(run([script()], [entry()], [single], **options, at="2026-11-21T08:00:00Z")) == [("changed", URL, "one")]
    assert found(run([script()], [entry()], [single], **options, at="2026-11-21T09:00:00Z")) == []
    options["at"] = "2026-11-21T10:00:00Z"
    odd = script(versions=[{"hash": B}, {"fetched_at": "2030-01-01T00:00:00Z"}, None, 7])
    assert found(run([script()], [entry()], [odd], **options)) == [("changed", URL, "one")], "a version without a time counts"
    assert found(run([script(hash=None)], [entry()], [script(hash=None, versions=7)], **options)) == [("unverified", URL, "one")]


@pytest.mark.parametrize(
    ("listing", "options", "expected"),
    [
        ([script()], {"details": "all"}, []),
        ([script()], {"details": "findings"}, ["changed"]),
        ([script()], {"details": "none"}, ["changed"]),
        ([script(2, host="blog")], {"details": "all", "hosts": ["blog"]}, ["changed"]),
        ([], {"details": "all", "status": ["infrequent"]}, ["changed"]),
        ([script(hash=C)], {"details": "findings"}, []),
        ([script(hash=C)], {"details": "none"}, ["changed"]),
    ],
)
def test_audit_that_reads_no_versions_hides_none_from_the_next(
    tmp_path: Path, listing: t.Any, options: t.Any, expected: list[str]
) -> None:
    """A hash came and went between two audits that read all versions; the one in between saw the script with findings only, or not at all."""
    single = script(versions=[{"hash": B, "fetched_at": "2026-11-22T12:00:00Z"}])
    baseline, place = [entry(hashes=[A]), entry("two", "https://cdn/2.js")], {"evidence_dir": str(tmp_path)}
    run([script()], baseline, [single], **place, details="all")
    run(listing, baseline, [single], **place, **options, at="2026-11-23T06:00:00Z")
    done = run([script()], baseline, [single], **place, details="all", at="2026-11-24T06:00:00Z")
    assert [kind for kind in kinds(done) if kind != "unused"] == expected
    again = run([script()], baseline, [single], **place, details="all", at="2026-11-25T06:00:00Z")
    assert [kind for kind in kinds(again) if kind != "unused"] == [], "each version is news once"


@pytest.mark.parametrize(
    ("listing", "options", "expected"),
    [
        ([script()], {}, []),
        ([script()], {"hosts": ["shop"]}, ["evidence_gap"]),
        ([script()], {"status": ["infrequent"]}, ["evidence_gap"]),
        ([], {}, ["evidence_gap"]),
        ([script()], {"enabled": False}, ["evidence_gap"]),
    ],
)
def test_audit_that_saw_less_fills_no_gap(tmp_path: Path, listing: t.Any, options: t.Any, expected: list[str]) -> None:
    """What nobody looked at for more than five days, the service has forgotten."""
    place = {"evidence_dir": str(tmp_path)}
    run([script()], [entry()], **place)
    run(listing, [entry()], **place, **options, at="2026-11-25T06:00:00Z")
    done = run([script()], [entry()], **place, at="2026-11-28T06:00:00Z")
    assert kinds(done) == expected
    for finding in done.result["findings"]:
        assert finding["message"].startswith("the last record that saw as much is 7 days old")


def test_audit_of_everything_fills_the_gap_of_a_part(tmp_path: Path) -> None:
    place = {"evidence_dir": str(tmp_path)}
    run([script()], [entry()], **place, hosts=["shop"])
    run([script()], [entry()], **place, at="2026-11-25T06:00:00Z")
    assert kinds(run([script()], [entry()], **place, hosts=["shop"], at="2026-11-28T06:00:00Z")) == []


@pytest.mark.parametrize(("hosts", "expected"), [([], ["unused"]), (["shop"], ["unused"]), (["blog"], ["changed", "unused"])])
def test_versions_of_a_script_that_was_never_listed_are_old_to_an_audit_of_its_host(
    tmp_path: Path, hosts: list[str], expected: list[str]
) -> None:
    baseline, place = [entry(), entry("two", "https://cdn/2.js")], {"evidence_dir": str(tmp_path), "details": "all"}
    other = script(2, host=(hosts or ["shop"])[0])
    run([script(2)], baseline, [script(2, versions=[])], **place)
    run([other], baseline, [{**other, "versions": []}], **place, hosts=hosts, at="2026-11-23T06:00:00Z")
    single = script(versions=[{"hash": B, "fetched_at": "2026-11-22T12:00:00Z"}])
    assert kinds(run([script()], baseline, [single], **place, at="2026-11-24T06:00:00Z")) == expected


@pytest.mark.parametrize(
    ("fetched", "later", "expected"),
    [
        ("2026-11-22T12:00:00Z", [A, B], []),
        # Authorised for a while, and served again after that.
        ("2026-11-23T12:00:00Z", [A, B], ["changed"]),
        # What was listed was not authorised.
        ("2026-11-22T12:00:00Z", [A], ["changed"]),
    ],
)
def test_version_that_was_authorised_while_it_was_served_is_no_news(
    tmp_path: Path, fetched: str, later: list[str], expected: list[str]
) -> None:
    """After a deployment, the baseline has the new hash alone; an audit in between has seen the old one with the baseline of its time."""
    place = {"evidence_dir": str(tmp_path)}
    versions = [{"hash": B, "fetched_at": fetched}]
    run([script()], [entry()], [script(versions=[])], **place, details="all")
    run([script(hash=B)], [entry(hashes=later)], **place, details="none", at="2026-11-23T06:00:00Z")
    done = run(
        [script(hash=C)],
        [entry(hashes=[C])],
        [script(hash=C, versions=versions)],
        **place,
        details="all",
        at="2026-11-24T06:00:00Z",
    )
    assert kinds(done) == expected


def test_equal_inventory_is_stored_once(tmp_path: Path) -> None:
    options = {"evidence_dir": str(tmp_path)}
    heads = [run([script(count=n, last_seen_at=str(n))], [entry()], **options).result["evidence"] for n in range(3)]
    run([script(), script(2)], [entry()], **options)
    kept = records(tmp_path, ZONE)
    of_each = [(record["seq"], record.get("inventory_same_as"), len(record.get("inventory", ()))) for record in kept]
    assert of_each == [(1, None, 1), (2, 1, 0), (3, 1, 0), (4, None, 2)]
    assert heads == [{"seq": record["seq"], "head": record["digest"]} for record in kept[:3]]
    assert {(record["at"], record["written_at"]) for record in kept} == {(AT, WRITTEN)}
    kept_members = "script_id script_url host status hash js_integrity_score first_seen_at malicious"
    assert set(kept[0]["inventory"][0]["script"]) == set(kept_members.split())
    members = "v seq at written_at zone_id prev monitor scope baseline_digest findings passed collection_version digest"
    assert set(kept[0]) - {"inventory"} == set(kept[1]) - {"inventory_same_as"} == set(members.split())
    assert kept[3]["findings"][0]["kind"] == "new" and kept[3]["passed"] is False


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, None),
        ({"malicious_threshold": 50, "malicious_when": "above"}, None),
        ({"malicious_threshold": -1}, "above -1"),
        ({"malicious_when": "below"}, "below 50"),
        ({"route": "page_shield", "malicious_threshold": 50}, "below 50"),
    ],
)
def test_record_has_the_scores_that_mean_malicious_unless_the_route_decides(
    tmp_path: Path, options: dict[str, t.Any], expected: str | None
) -> None:
    run([script()], [entry()], evidence_dir=str(tmp_path), **options)
    assert records(tmp_path, ZONE)[0]["scope"].get("malicious") == expected


def test_time_of_an_audit_is_before_its_first_request(tmp_path: Path) -> None:
    run([script()], [entry()], evidence_dir=str(tmp_path), at=None)
    assert records(tmp_path, ZONE)[0]["at"] == "2026-11-21T00:00:00Z"


@pytest.mark.parametrize("overtaken", [1, 2, 3])
def test_audit_that_another_one_overtook_is_repeated(tmp_path: Path, overtaken: int) -> None:
    """A record with a time before that of the one before it would break the chain for ever, although nobody touched it."""
    others = [f"2026-11-21T00:{minute:02}:00Z" for minute in (2, 5, 8)[:overtaken]]
    left = iter(others)

    def meanwhile() -> None:
        for at in itertools.islice(left, 1):
            run([script()], [entry()], evidence_dir=str(tmp_path), at=at)

    options: dict[str, t.Any] = {"evidence_dir": str(tmp_path), "at": None, "meanwhile": meanwhile}
    if overtaken > 2:
        kind, message = refusal(run, [script()], [entry()], **options)
        assert (
            kind == "conflict"
            and "its time, 2026-11-21T00:06:00Z, is before that of the last record, 2026-11-21T00:08" in message
        )
    else:
        assert kinds(run([script()], [entry()], **options)) == []
        others.append(f"2026-11-21T00:{3 * overtaken:02}:00Z")
    assert [record["at"] for record in records(tmp_path, ZONE)] == others
    (zone,) = verification.report(verification.desire({"evidence_dir": str(tmp_path), "expected_heads": None})).result["zones"]
    assert zone["valid"]


@pytest.mark.parametrize(
    ("at", "expected"),
    [("2026-11-26T06:00:01Z", []), ("2026-11-27T00:00:00Z", ["evidence_gap"]), ("2026-11-01T00:00:00Z", ["history_broken"])],
)
def test_more_than_five_days_without_audit_are_a_finding(tmp_path: Path, at: str, expected: list[str]) -> None:
    run([script()], [entry()], evidence_dir=str(tmp_path))
    assert kinds(run([script()], [entry()], evidence_dir=str(tmp_path), at=at)) == expected


def test_evidence_contains_no_secret(tmp_path: Path) -> None:
    listed, declared = script(script_url=f"https://cdn/{SECRET}.js"), entry(justification=f"asked with {SECRET}")
    run([listed], [declared], evidence_dir=str(tmp_path))
    files = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == 2 and all("********" in text and SECRET not in text for text in files)


def test_record_has_the_scope_of_the_audit(tmp_path: Path) -> None:
    options: dict[str, t.Any] = {"hosts": ["*.Shop"], "status": ["active"], "pages": ["https://shop/pay*"], "details": "none"}
    run([script()], [entry()], evidence_dir=str(tmp_path), fail_on=["changed", "new"], **options)
    run([script()], [entry()], evidence_dir=str(tmp_path), route="page_shield")
    first, second = records(tmp_path, ZONE)
    assert first["scope"] == {**options, "fail_on": ["new", "changed"], "route": "script_monitor"}
    assert (first["monitor"]["sampled"], second["monitor"]["sampled"]) == (None, True)


def test_baselines_are_stored_with_justifications(tmp_path: Path) -> None:
    """Each baseline is stored once; if one is edited, the record is invalid, and if one is missing, that is reported."""

    def verified() -> t.Any:
        (zone,) = verification.report(verification.desire({"evidence_dir": str(tmp_path), "expected_heads": None})).result[
            "zones"
        ]
        return zone["valid"], zone["message"]

    for owner in ("o", "o", "p"):
        run([script()], [entry(owner=owner)], evidence_dir=str(tmp_path))
    digests = [record["baseline_digest"] for record in records(tmp_path, ZONE)]
    files = {file.stem: file for file in (tmp_path / "baselines").iterdir()}
    assert set(files) == set(digests) and len(files) == 2 and digests[0] == digests[1]
    (kept,) = json.loads(files[digests[2]].read_text())
    assert (kept["owner"], kept["justification"], kept["authorised_by"]) == ("p", "j", "a")
    assert files[digests[2]].stat().st_mode & 0o777 == 0o640
    assert verified() == (True, "3 records are valid")
    files[digests[2]].write_text(files[digests[2]].read_text().replace('"p"', '"q"'))
    edited = f"baselines/{digests[2]}.json has another digest"
    assert verified() == (False, f"record 3 names a baseline that was edited: {edited}")
    files[digests[2]].unlink()
    os.mkfifo(files[digests[2]])
    unreadable = f"record 3 names a baseline that cannot be read: {digests[2]}.json is not a regular file"
    assert verified() == (False, unreadable)
    files[digests[2]].unlink()
    missing = "1 of 2 baselines that they name are missing in the folder baselines"
    assert verified() == (True, f"3 records are valid; {missing}")
    run([script()], [entry(owner="p")], evidence_dir=str(tmp_path))
    assert verified() == (True, "4 records are valid"), "the next audit keeps it again"


@pytest.mark.parametrize(
    ("versions", "expected"),
    [
        ([(A, "2026-11-02")], ["unverified"]),
        ([(B, "2026-11-02")], ["unverified"]),
        ([(A, "2026-11-02"), (A, "2026-11-22")], []),
        ([(A, "2026-11-02"), (B, "2026-11-22")], ["changed"]),
        ([], ["unverified"]),
    ],
)
@pytest.mark.parametrize("details", ["findings", "all"])
def test_version_before_the_last_record_stands_for_no_hash(
    tmp_path: Path, details: str, versions: t.Any, expected: list[str]
) -> None:
    """The hash is hidden exactly where a fetch failed since then; without an earlier record no version says more."""
    single = script(hash=None, versions=[{"hash": digest, "fetched_at": f"{day}T00:00:00Z"} for digest, day in versions])
    options = {"evidence_dir": str(tmp_path), "details": details}
    assert kinds(run([script(hash=None)], [entry()], [single], **options)) == ["unverified"]
    assert kinds(run([script(hash=None)], [entry()], [single], **options, at="2026-11-23T06:00:00Z")) == expected


@pytest.mark.parametrize(("details", "expected"), [("all", ["unverified"]), ("none", []), ("findings", [])])
def test_listed_script_that_is_not_found_singly_is_unverified(tmp_path: Path, details: str, expected: list[str]) -> None:
    """As one whose answer has no versions: what it was since the last record is not known."""
    options = {"evidence_dir": str(tmp_path), "details": details}
    assert kinds(run([script()], [entry()], [], **options)) == []
    assert kinds(run([script()], [entry()], [], **options, at="2026-11-23T06:00:00Z")) == expected


def test_record_dated_in_the_future_hides_nothing(tmp_path: Path) -> None:
    """Changes and missed audits are found even if a record is dated in the future."""
    versions = [{"hash": B, "fetched_at": "2026-11-24T00:00:00Z"}]
    options = {"evidence_dir": str(tmp_path), "details": "all"}
    for at in (AT, "2030-01-01T00:00:00Z"):
        run([script()], [entry()], **options, at=at)
    for at in ("2026-11-28T06:00:00Z", "2026-11-28T07:00:00Z"):
        done = run([script()], [entry()], [script(versions=versions)], **options, at=at)
        assert kinds(done) == ["changed", "evidence_gap", "history_broken"], at
    assert "record 3 has the time 2026-11-28T06:00:00Z, before" in done.result["findings"][-1]["message"]


@pytest.mark.parametrize("required", [True, False])
def test_entry_behind_a_more_specific_one_is_neither_gone_nor_unused(required: bool) -> None:
    others = [entry("all", "https://cdn/**", required=required), entry("any", "https://cdn/1*", required=required)]
    others += [entry("tie", "https://cdn/*.js", required=required)]
    assert found(run([script()], [entry(), *others])) == []
    kind = "gone" if required else "unused"
    assert found(run([script(2)], [entry(), *others[:2]])) == [(kind, None, "any"), ("unused", None, "one")]


@pytest.mark.parametrize("score", [10, 90])
def test_messages_contain_no_control_characters(score: int) -> None:
    categories = ["a\x1b[31mb", "c\nd", "e\x9b1mf", {"g": "\u202e"}]
    listed = script(js_integrity_score=score, malicious_url_categories=categories, malicious_domain_categories=categories)
    done = run([listed], [entry()])
    assert all(finding["message"].isprintable() for finding in done.result["findings"])
    (item,) = done.result["inventory"]
    assert item["script"]["malicious_url_categories"] == categories


@pytest.mark.parametrize("details", ["none", "findings", "all"])
def test_ambiguous_baseline_writes_no_file(tmp_path: Path, details: str) -> None:
    with pytest.raises(Failure, match=r"match 'https://cdn/1.js' on 'shop' equally well"):
        run([script()], [entry(), entry("two")], evidence_dir=str(tmp_path), details=details)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("line", [b'{"seq":1e999}\n', b"\0" * 100 + b"\n"])
def test_damaged_evidence_is_a_finding(tmp_path: Path, line: bytes) -> None:
    """The audit is completed and recorded, and its records can be read."""
    (tmp_path / f"{ZONE}.jsonl").write_bytes(line)
    for number in (2, 3):
        done = run([script()], [entry()], evidence_dir=str(tmp_path))
        assert found(done) == [("history_broken", None, None)]
        last = json.loads((tmp_path / f"{ZONE}.jsonl").read_bytes().splitlines()[-1])
        assert done.result["evidence"] == {"seq": number, "head": last["digest"]}
        assert "inventory" in last, "a record refers to none of a broken chain"


@pytest.mark.parametrize(("behind", "kinds"), [(0, []), (10, ["changed"])])
def test_version_has_the_time_of_the_service(tmp_path: Path, behind: float, kinds: list[str]) -> None:
    """Just after an audit, the clock of a service that is behind shows a time before it."""
    options: dict[str, t.Any] = {"details": "all", "evidence_dir": str(tmp_path), "behind": behind}
    pinned = [entry(hashes=[A], integrity="pinned")]
    versions = [{"hash": A, "fetched_at": "2026-10-01T00:00:00Z"}]
    run([script(hash=A)], pinned, [script(hash=A, versions=versions)], at="2026-11-20T00:00:00Z", **options)
    versions.append({"hash": B, "fetched_at": "2026-11-19T23:51:00Z"})
    done = run([script(hash=A)], pinned, [script(hash=A, versions=versions)], at="2026-11-21T00:00:00Z", **options)
    assert [kind for kind, _url, _host in found(done)] == kinds


def test_expected_head_detects_truncation(tmp_path: Path) -> None:
    options = {"evidence_dir": str(tmp_path)}
    head = [run([script()], [entry()], **options).result["evidence"]["head"] for _number in range(3)][1]
    file = tmp_path / f"{ZONE}.jsonl"
    assert found(run([script()], [entry()], expected_head=head.upper(), **options)) == [], "later records may have been added"
    for kept in (1, 0):
        file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:kept]))
        done = run([script()], [entry()], expected_head=head, **options)
        assert found(done) == [("history_broken", None, None)]
        assert records(tmp_path, ZONE)[-1]["findings"][0]["kind"] == "history_broken"


@pytest.mark.parametrize(
    ("options", "place"),
    [
        ({"at": "yesterday"}, "at: "),
        ({"pages": ["https://shop/", "pay"]}, "pages[1]: "),
        ({"max_gap_days": 0.0}, "max_gap_days: "),
        ({"max_gap_days": 0.5}, "max_gap_days: "),
        ({"max_gap_days": float("nan")}, "max_gap_days: "),
        ({"expected_head": "f" * 63, "evidence_dir": "h"}, "expected_head: "),
        ({"expected_head": "f" * 64, "evidence_dir": ""}, "expected_head: "),
        ({"hosts": ["a,b"]}, "hosts[0]: "),
    ],
)
def test_invalid_options_are_refused(options: t.Any, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    kind, message = refusal(audits.desire, {**DEFAULTS, "baseline": [], **options})
    assert kind == "invalid_option" and message.startswith(place)
    assert not list(tmp_path.iterdir())
