# SPDX-License-Identifier: GPL-3.0-or-later

"""The changes that records prove, row by row: who was seen, changed, gone and authorised, and how each finding ended."""

import typing as t
from pathlib import Path

import pytest
from support.chains import SCOPE, script, write_baseline, write_chain
from support.years import HOST, ZONE, Audit, about, day_of, digest, entry, record, write

from ansible_collections.edgeops.observability.plugins.plugin_utils._evidence import document as documents
from ansible_collections.edgeops.observability.plugins.plugin_utils._evidence.calendar import calendar
from ansible_collections.edgeops.observability.plugins.plugin_utils._evidence.page import render

A, B = {"a": "1"}, {"a": "1", "b": "1"}
ONE = {"a": entry("1")}
OPTIONS: dict[str, t.Any] = dict.fromkeys(("expected_heads", "until", "zone_names", "max_gap_days", "title"))


def read(folder: Path) -> documents.Document:
    options = {**OPTIONS, "evidence_dir": str(folder), "dest": "d", "since": "2026-01-01", "at": day_of(3)}
    return documents.read(documents.desire(options, {}))


def events(folder: Path, *audits: Audit) -> list[tuple[str, str, str]]:
    """Return what happened after the first audit: what, which script, and what is said."""
    write(folder, audits)
    return rows(folder)


def rows(folder: Path) -> list[tuple[str, str, str]]:
    return [
        (event.what, (event.script_url or event.entry).removeprefix("https://cdn.example/"), event.message)
        for event in read(folder).changes
        if event.at.day > 1
    ]


def test_new_script_is_authorised(tmp_path: Path) -> None:
    history = events(
        tmp_path, Audit(0, A, ONE), Audit(1, B, ONE), Audit(2, B, {**ONE, "b": entry("1", authorised_on="2026-01-03")})
    )
    assert history == [
        ("seen", "b.js", ""),
        ("opened", "b.js", f"new: 1 hash seen: {digest('1')}"),
        ("authorised", "b.js", ""),
        ("closed", "b.js", "new: authorised, after 1 day"),
    ]


def test_nothing_is_authorised_in_the_first_record(tmp_path: Path) -> None:
    write(tmp_path, [Audit(0, A, ONE), Audit(1, A, {"a": entry("1", justification="another")})])
    assert [event.what for event in read(tmp_path).changes] == ["seen"]


def test_script_that_was_always_authorised_is_only_seen(tmp_path: Path) -> None:
    assert events(tmp_path, Audit(0, A, {**ONE, "b": entry("1")}), Audit(1, B, {**ONE, "b": entry("1")})) == [
        ("seen", "b.js", "")
    ]


def test_entry_that_nobody_authorised_is_no_authorisation(tmp_path: Path) -> None:
    incomplete = entry("1", authorised_by="")
    history = events(tmp_path, Audit(0, A, ONE), Audit(1, B, ONE), Audit(2, B, {**ONE, "b": incomplete}))
    assert history[2:] == [
        ("opened", "b", "unjustified: m"),
        ("closed", "b.js", "new: still not authorised (unjustified), after 1 day"),
    ]


def test_entry_authorises_from_its_day_on(tmp_path: Path) -> None:
    later = {**ONE, "b": entry("1", authorised_on="2026-01-04")}
    history = events(tmp_path, Audit(0, A, ONE), Audit(1, B, ONE), Audit(2, B, later), Audit(3, B, later))
    assert history[2:] == [
        ("closed", "b.js", "new: still not authorised, after 1 day"),
        ("authorised", "b.js", ""),
    ]
    assert [event.at.day for event in read(tmp_path).changes if event.what == "authorised"] == [4]


def test_script_is_authorised_on_the_day_of_its_entry(tmp_path: Path) -> None:
    """An audit that took the entry for an authorisation before its day does not make it one."""
    later = {**ONE, "b": entry("1", authorised_on="2026-01-03")}
    assert events(tmp_path, Audit(0, A, ONE), Audit(1, B, later), Audit(2, B, later)) == [
        ("seen", "b.js", ""),
        ("authorised", "b.js", ""),
    ]
    assert [event.at.day for event in read(tmp_path).changes][1:] == [2, 3]


def test_completed_entry_authorises(tmp_path: Path) -> None:
    history = events(tmp_path, Audit(0, A, {"a": entry("1", owner="")}), Audit(1, A, ONE))
    assert history == [("authorised", "a.js", ""), ("closed", "a", "unjustified: complete, authorised by j.doe, after 1 day")]


def test_changed_back_is_no_authorisation(tmp_path: Path) -> None:
    history = events(tmp_path, Audit(0, A, ONE), Audit(1, {"a": "2"}, ONE), Audit(2, A, ONE))
    assert [(what, message.partition(":")[2] or message) for what, _script, message in history[1:]] == [
        ("opened", f" 1 hash seen: {digest('2')}"),
        ("changed", f"the hash was {digest('2')}, is {digest('1')}"),
        ("closed", " changed back, after 1 day"),
    ]


def test_script_of_a_host_that_is_not_looked_at_is_not_gone(tmp_path: Path) -> None:
    limited = {"hosts": ["x.example"]}
    history = events(tmp_path, Audit(0, B, ONE), Audit(1, A, ONE, scope=limited), Audit(2, A, ONE))
    assert [row for row in history if row[1] == "b.js"] == [
        ("closed", "b.js", "new: not resolved, no longer looked at, after 1 day"),
        ("gone", "b.js", ""),
    ]


def test_script_of_a_status_that_is_not_asked_for_is_not_gone(tmp_path: Path) -> None:
    """It may have got the status that nobody asks for any more, whatever its status was."""
    history = events(tmp_path, Audit(0, B, ONE), Audit(1, A, ONE, scope={"status": ["active"]}), Audit(2, A, ONE))
    assert [row for row in history if row[1] == "b.js"] == [
        ("closed", "b.js", "new: not resolved, no longer looked at, after 1 day"),
        ("gone", "b.js", ""),
    ]


def test_infrequent_script_is_gone_only_if_infrequent_ones_are_asked_for(tmp_path: Path) -> None:
    def audits(second: list[str]) -> list[dict[str, t.Any]]:
        items = [script(), script("https://cdn.example/b.js", status="infrequent")]
        scopes: list[dict[str, t.Any]] = [{"status": ["infrequent", "active"]}, {"status": second}]
        return [
            {"at": day_of(day), "scope": {**SCOPE, **scope}, "inventory": items[: 2 - day]} for day, scope in enumerate(scopes)
        ]

    for statuses, expected in ((["active"], []), ([], []), (["active", "infrequent"], ["gone"])):
        write_chain(tmp_path, audits(statuses), ZONE)
        assert [row[0] for row in rows(tmp_path) if row[0] != "scope"] == expected


def test_status_that_was_never_asked_for_does_not_keep_a_script(tmp_path: Path) -> None:
    active = {"status": ["active"]}
    assert events(tmp_path, Audit(0, B, {**ONE, "b": entry("1")}, scope=active), Audit(1, A, ONE, scope=active)) == [
        ("gone", "b.js", "")
    ]


def test_nothing_is_gone_while_the_monitor_is_off(tmp_path: Path) -> None:
    history = events(tmp_path, Audit(0, B, ONE), Audit(1, {}, ONE, monitor=False), Audit(2, B, ONE))
    assert [row for row in history if "monitor" not in row[2] and "nothing" not in row[2]] == [
        ("closed", "b.js", "new: not resolved, no longer looked at, after 1 day"),
        ("opened", "b.js", f"new: 1 hash seen: {digest('1')}"),
    ]


def test_hidden_finding_stays_in_what_is_open(tmp_path: Path) -> None:
    write(tmp_path, [Audit(0, B, ONE), Audit(1, {}, ONE, monitor=False)])
    (chain,) = read(tmp_path).chains
    assert [(finding.kind, finding.place) for finding in chain.history.hidden] == [("new", "https://cdn.example/b.js")]


def test_malicious_script_is_no_longer_reported(tmp_path: Path) -> None:
    history = events(tmp_path, Audit(0, A, ONE), Audit(1, A, ONE, more=[("malicious", "a")]), Audit(2, A, ONE))
    assert history[-1] == ("closed", "a.js", "malicious: no longer reported, after 1 day")


@pytest.mark.parametrize(
    ("flag", "how", "words"),
    [
        (
            None,
            "not resolved, no longer shown",
            "not known whether resolved: after 1 day the service no longer shows who reports it",
        ),
        (False, "no longer reported", "no longer reported as such after 1 day and still in use then"),
    ],
)
def test_report_that_is_not_shown_is_not_taken_back(tmp_path: Path, *, flag: bool | None, how: str, words: str) -> None:
    """A plan may hide who reports a script; only flags that say so end a report."""
    records = []
    for day in range(2):
        members, entries = record(Audit(day, A, ONE, more=[("reported", "a")] if not day else ()), None)
        flags = {} if flag is None else dict.fromkeys(("url_reported_malicious", "domain_reported_malicious"), flag)
        inventory = [{**item, "script": {**item["script"], **flags}} for item in members["inventory"]]
        records.append({**members, "inventory": inventory, "baseline_digest": write_baseline(tmp_path, entries)})
    write_chain(tmp_path, records, ZONE)
    assert rows(tmp_path) == [("closed", "a.js", f"reported: {how}, after 1 day")]
    assert (
        read(tmp_path).verdict[0]
        == f"1 script was reported as malicious, {words} (already at the first audit, nobody knows since when)"
    )


def test_score_of_malicious_scripts_is_a_part_of_the_scope(tmp_path: Path) -> None:
    history = events(tmp_path, Audit(0, A, ONE), Audit(1, A, ONE, scope={"malicious": "below 20"}))
    assert history == [("scope", "", "the score of malicious scripts was the default of the route, is below 20")]


def test_finding_of_an_entry_ends(tmp_path: Path) -> None:
    required = {"b": entry("1", required=True)}
    history = events(
        tmp_path, Audit(0, A, {**ONE, **required}), Audit(1, B, {**ONE, **required}), Audit(2, A, {**ONE, **required})
    )
    assert [row for row in history if row[1] == "b"] == [
        ("closed", "b", "gone: listed again, after 1 day"),
        ("opened", "b", "gone: m"),
    ]
    history = events(tmp_path, Audit(0, A, {**ONE, **required}), Audit(1, A, ONE))
    assert history == [("closed", "b", "gone: not resolved, the entry removed, after 1 day")]
    history = events(
        tmp_path,
        Audit(0, A, {**ONE, "b": entry("1", required=True, hosts=["shop.example"])}),
        Audit(1, A, {**ONE, "b": entry("1", hosts=["shop.example"])}, scope={"hosts": ["x.example"]}),
    )
    assert history[-1] == ("closed", "b", "gone: not resolved, no longer looked at, after 1 day")
    history = events(
        tmp_path, Audit(1, A, {"a": entry("1", review_by="2026-01-01")}), Audit(2, A, {"a": entry("1", review_by="2027-01-01")})
    )
    assert history[-1] == ("closed", "a", "expired: review is due by 2027-01-01 now, after 1 day")


def test_one_gap_is_one_row(tmp_path: Path) -> None:
    history = events(tmp_path, Audit(0, A, ONE), Audit(2, A, ONE, more=[("evidence_gap", None)]))
    assert history == [("gap", "", "m")], "a gap for the audit, though none for the document"
    write(tmp_path, [Audit(-20, A, ONE), Audit(1, A, ONE, more=[("evidence_gap", None)]), Audit(2, A, ONE)])
    assert rows(tmp_path) == [("gap", "", "no audit on 1 day, between 2025-12-12 06:00 and 2026-01-02 06:00")]


def findings_of(*items: tuple[str | None, str]) -> list[dict[str, t.Any]]:
    return [{**about("new"), "script_url": url, "host": host} for url, host in items]


def test_url_is_compared_without_fragment_and_case_of_its_host(tmp_path: Path) -> None:
    """The finding has the normalised URL, the inventory that of the service."""
    raw, plain = "HTTPS://CDN.Example/a.js#v2", "https://cdn.example/a.js"
    item = {**script(raw, "Shop.Example"), "findings": ["new"]}
    whole = {"inventory": [item], "findings": findings_of((plain, "shop.example")), "passed": False}
    write_chain(tmp_path, [{"at": day_of(0), **whole}, {"at": day_of(1), **whole}], ZONE)
    (chain,) = read(tmp_path).chains
    assert [(event.what, event.script_url, event.host) for event in chain.history.events] == [
        ("seen", plain, "shop.example"),
        ("opened", plain, "shop.example"),
    ]
    assert [(row.script_url, row.is_authorised) for row in chain.history.listed()] == [(plain, False)]


def test_scripts_without_a_url_are_told_apart(tmp_path: Path) -> None:
    """By host and hash, without a hash by their id; two of one host and hash are one row that says so."""
    items = [
        script(None, hash="a" * 64, script_id="1"),
        script(None, hash="a" * 64, script_id="2"),
        script(None, hash="b" * 64, script_id="3"),
        script(None, hash=None, script_id="4"),
        script("", hash=None, script_id="5"),
    ]
    items = [{**item, "findings": ["new"]} for item in items]
    findings = findings_of(*[(None, "shop.example")] * len(items))
    write_chain(tmp_path, [{"at": day_of(0), "inventory": items, "findings": findings, "passed": False}], ZONE)
    (chain,) = read(tmp_path).chains
    alike = "2 scripts without a visible URL that have this hash"
    assert [(row.seen.hash[:1], row.message) for row in chain.history.listed()] == [
        ("", "new"),
        ("", "new"),
        ("a", f"{alike}, new"),
        ("b", "new"),
    ]
    assert [event.what for event in chain.history.events] == ["seen"] * 4 + ["opened"] * 4
    assert max(event.message for event in chain.history.events if event.what == "seen") == alike
    document = read(tmp_path)
    assert document.verdict[:2] == [
        "5 scripts were added without authorisation, still not resolved after 3 days (already at the first audit, nobody knows since when)",
        "5 of 5 scripts have no authorisation on record",
    ]
    numbers = dict(reversed(number) for number in documents.numbers(document))
    assert (numbers["scripts at the end"], numbers["findings not resolved"]) == ("5", "5")
    assert [opened.message.partition("; ")[2] for opened in chain.history.open.values() if opened.alike > 1] == [alike]


def test_inventory_of_an_older_record_cannot_be_read_any_more(tmp_path: Path) -> None:
    write_chain(
        tmp_path,
        [
            {"at": day_of(0), "inventory": [script()]},
            {"at": day_of(1), "inventory": []},
            {"at": day_of(2), "inventory_same_as": 1},
        ],
        ZONE,
    )
    document = read(tmp_path)
    assert document.valid
    assert document.verdict[:2] == [
        "No script was listed in 1 of 3 audits, on 1 day: that does not mean that there was none, and these audits prove nothing",
        "The inventory cannot be read in 1 of 3 audits, on 1 day: what these audits saw is not known",
    ]
    assert not [event for event in document.changes if event.what == "gone"]


@pytest.mark.parametrize("part", ["findings", "inventory"])
def test_finding_in_one_part_of_a_record_holds(tmp_path: Path, part: str) -> None:
    """Whichever part of a record lacks what the audit found, the other one says it."""
    records = []
    for day in range(3):
        members, entries = record(Audit(day, B if day else A, ONE, more=[("malicious", "b")] if day else ()), None)
        if part == "findings":
            members["findings"] = []
        else:
            members["inventory"] = [{**item, "findings": []} for item in members["inventory"]]
        records.append({**members, "baseline_digest": write_baseline(tmp_path, entries)})
    write_chain(tmp_path, records, ZONE)
    assert [sentence.partition(",")[0] for sentence in read(tmp_path).verdict[:3]] == [
        "1 script was malicious",
        "1 script was added without authorisation",
        "1 of 2 scripts has no authorisation on record",
    ]


def test_audit_that_found_the_monitor_off_could_not_see(tmp_path: Path) -> None:
    write(tmp_path, [Audit(day, A, ONE, more=[("monitor_off", None)]) for day in range(4)])
    assert (
        read(tmp_path).verdict[0]
        == "The script monitor was off in 4 of 4 audits, on 4 days: no script was watched then, and these audits prove nothing"
    )


def test_malicious_script_whose_verdict_is_hidden_is_not_harmless(tmp_path: Path) -> None:
    records = []
    for day in range(2):
        members, entries = record(Audit(day, A, ONE, more=[("malicious", "a")] if not day else ()), None)
        verdict = [{**item, "script": {**item["script"], "malicious": None if day else True}} for item in members["inventory"]]
        records.append({**members, "inventory": verdict, "baseline_digest": write_baseline(tmp_path, entries)})
    write_chain(tmp_path, records, ZONE)
    assert (
        read(tmp_path).verdict[0]
        == "1 script was malicious, no longer looked at and so not resolved after 3 days (already at the first audit, nobody knows since when)"
    )


def test_script_that_is_not_authorised_says_so_in_the_table(tmp_path: Path) -> None:
    """An entry of a later day has a name in each column, and authorises nothing yet."""
    write(tmp_path, [Audit(0, A, {"a": entry("1", authorised_on="2027-01-01")})])
    ((chain, history),) = read(tmp_path).of_scripts
    assert [(row.entry, row.message) for row in history.listed()] == [("a", "not authorised")]
    assert [(kind, opened.message) for kind, opened in chain.history.unresolved] == [
        ("not authorised", "no entry of the baseline authorises it")
    ]


@pytest.mark.parametrize(
    ("second", "word"),
    [
        (Audit(1, B, {**ONE, "b": entry("1", owner="")}), "added"),
        (Audit(1, {"a": "2"}, {"a": entry("1", "2", owner="")}), "changed"),
    ],
)
def test_what_comes_with_an_incomplete_entry_is_not_authorised(tmp_path: Path, second: Audit, word: str) -> None:
    write(tmp_path, [Audit(0, A, ONE), second])
    assert read(tmp_path).verdict[0] == f"1 script was {word} without authorisation, still not resolved after 2 days"


def test_scripts_that_audits_no_longer_look_at_are_named(tmp_path: Path) -> None:
    both = {**ONE, "b": entry("1")}
    write(tmp_path, [Audit(0, B, both), Audit(1, {"https://x.example/x.js": "1"}, both, scope={"hosts": ["x.example"]})])
    document = read(tmp_path)
    assert ("1", "script at the end (2 more no longer looked at)") in documents.numbers(document)
    seen = "on shop.example (last seen on 2026-01-01 06:00)"
    assert f"no longer look at: https://cdn.example/a.js {seen}, https://cdn.example/b.js {seen}." in render(document).decode()


def test_finding_that_nobody_put_in_order_is_listed_until_its_script_is_gone(tmp_path: Path) -> None:
    def kinds(*audits: Audit) -> list[str]:
        write(tmp_path, audits)
        (chain,) = read(tmp_path).chains
        return [kind for kind, _opened in chain.history.unresolved]

    hidden, unpinned = Audit(0, {"a": None}, ONE), Audit(1, {"a": None}, {"a": entry(authorised_on="2026-01-02")})
    assert kinds(hidden, unpinned) == ["unverified"]
    assert kinds(hidden, unpinned, Audit(2, {"b": "1"}, {"b": entry("1", authorised_on="2026-01-03")})) == []


def test_number_of_scripts_is_not_known_where_the_last_audit_could_not_see(tmp_path: Path) -> None:
    write(tmp_path, [Audit(0, A, ONE), Audit(1, A, ONE, monitor=False)])
    document = read(tmp_path)
    assert ("0", "scripts at the end (not known in 1 zone)") in documents.numbers(document)
    assert "not known which scripts on 2026-01-02 06:00" in render(document).decode()


def test_day_is_not_green_where_its_audit_proves_nothing(tmp_path: Path) -> None:
    """Neither with a record that was written later, nor with one whose baseline is missing, nor where hosts were left out."""
    write(tmp_path, [Audit(0, A, ONE, written=2), Audit(1, A, ONE), Audit(2, A, {"a": entry("1", justification="another")})])
    document = read(tmp_path)
    label = calendar(document.chains[0].history.audits, document.desired.period).label
    assert label == "3 audits on 3 days, 0 of them with findings, 1 that prove nothing"
    for path in (tmp_path / "baselines").iterdir():
        path.unlink()
    document = read(tmp_path)
    label = calendar(document.chains[0].history.audits, document.desired.period).label
    assert label == "3 audits on 3 days, 0 of them with findings, 3 that prove nothing"
    write(tmp_path, [Audit(0, A, ONE, scope={"hosts": ["shop.example"]}), Audit(1, A, ONE)])
    document = read(tmp_path)
    label = calendar(document.chains[0].history.audits, document.desired.period).label
    assert label == "2 audits on 2 days, 0 of them with findings, 1 on which not everything was looked at"


def test_script_is_not_gone_where_one_of_its_host_is_listed_without_its_url(tmp_path: Path) -> None:
    """Another plan shows no URLs: the same scripts are listed, and nobody can tell which."""
    shown, hidden = script("https://evil.example/x.js"), script(None)
    write_chain(
        tmp_path,
        [
            {
                "at": day_of(0),
                "inventory": [{**shown, "findings": ["new"]}],
                "findings": findings_of(("https://evil.example/x.js", HOST)),
                "passed": False,
            },
            *({"at": day_of(day), "inventory": [hidden]} for day in (1, 2)),
        ],
        ZONE,
    )
    document = read(tmp_path)
    assert "gone" not in {event.what for event in document.changes}
    assert document.verdict[0] == (
        "1 script was added without authorisation, no longer looked at and so not resolved after 3 days"
        " (already at the first audit, nobody knows since when)"
    )


def test_changes_that_no_authorisation_names_are_said(tmp_path: Path) -> None:
    """An entry that is not pinned takes any content."""
    loose = {"a": entry()}
    history = events(tmp_path, *(Audit(day, {"a": str(day)}, loose) for day in range(3)))
    assert all(
        message.endswith("; its entry takes any hash, so that no authorisation names this one") for _what, _s, message in history
    )
    assert read(tmp_path).verdict[0] == "1 script is not pinned and changed 2 times: no authorisation names what it is now"
    write(tmp_path, [Audit(day, A, loose) for day in range(3)])
    assert read(tmp_path).verdict[0] == "At least every seven days: yes"


def test_monitor_whose_setting_changed_between_audits_is_said(tmp_path: Path) -> None:
    monitor = {"enabled": True, "sampled": True}
    write_chain(
        tmp_path,
        [
            {"at": day_of(day), "monitor": {**monitor, "updated_at": day_of(min(day, 1) - 0.5)}, "inventory": [script()]}
            for day in range(3)
        ],
        ZONE,
    )
    assert rows(tmp_path) == [
        ("scope", "", "the setting of the script monitor was changed on 2026-01-01 18:00, since the audit before")
    ]
    assert read(tmp_path).verdict[0] == (
        "In 1 of 3 audits, the setting of the script monitor had been changed since the audit before:"
        " nobody knows whether it watched all the time"
    )


def test_one_time_of_a_setting_is_no_change(tmp_path: Path) -> None:
    """The times of audits may be behind the clock of the service."""
    monitor = {"enabled": True, "sampled": True, "updated_at": day_of(30)}
    write_chain(tmp_path, [{"at": day_of(day), "monitor": monitor, "inventory": [script()]} for day in range(3)], ZONE)
    assert not rows(tmp_path) and "setting" not in read(tmp_path).verdict[0]


@pytest.mark.parametrize(
    ("member", "word"),
    [("malicious", "malicious"), ("url_reported_malicious", "reported"), ("domain_reported_malicious", "reported")],
)
def test_verdict_of_the_service_holds_without_a_finding(tmp_path: Path, member: str, word: str) -> None:
    item = script()
    item["script"][member] = True
    write_chain(tmp_path, [{"at": day_of(day), "inventory": [item]} for day in range(3)], ZONE)
    assert read(tmp_path).verdict[0].startswith(f"1 script was {word}")
    assert "still not resolved after 3 days" in read(tmp_path).verdict[0]


def test_zone_of_the_inventory_without_evidence_is_said(tmp_path: Path) -> None:
    write(tmp_path, [Audit(day, A, ONE) for day in range(3)])
    options = {**OPTIONS, "evidence_dir": str(tmp_path), "dest": "d", "since": "2026-01-01", "at": day_of(3)}
    names = {ZONE: "shop", "b" * 32: "pay"}
    document = documents.read(documents.desire(options, names))
    assert document.verdict[0] == "1 zone of the inventory has no evidence here, and nothing is said of it: pay"
    named = documents.read(documents.desire({**options, "zone_names": names}, names))
    assert named.verdict[0] == "1 zone was not audited: pay, so that nothing is known of what it had"
    assert ("1", "zone without audits") in documents.numbers(named)


def test_days_that_are_still_to_come_do_not_count(tmp_path: Path) -> None:
    write(tmp_path, [Audit(day, A, ONE) for day in range(3)])
    options = {
        **OPTIONS,
        "evidence_dir": str(tmp_path),
        "dest": "d",
        "since": "2026-01-01",
        "at": day_of(3),
        "until": "2026-02-01",
    }
    later = "The period ends later: days that\nare still to come do not count."
    assert later in render(documents.read(documents.desire(options, {}))).decode()
    assert later not in render(read(tmp_path)).decode()


def test_script_whose_finding_is_not_resolved_says_so_in_the_table(tmp_path: Path) -> None:
    write(tmp_path, [Audit(0, {"a": None}, ONE), Audit(1, {"a": None}, {"a": entry(authorised_on="2026-01-02")})])
    ((_chain, history),) = read(tmp_path).of_scripts
    assert [row.message for row in history.listed()] == ["unverified is not resolved"]


def test_files_that_look_like_evidence_and_are_not_read_are_said(tmp_path: Path) -> None:
    """A chain that was renamed or packed does not go unnoticed."""
    write(tmp_path, [Audit(day, A, ONE) for day in range(3)])
    for name in (f"{ZONE}.pages.jsonl.gz", "notes.yml.bak", "shop.example.jsonl"):
        (tmp_path / name).write_bytes(b"")
    names = f"{ZONE}.pages.jsonl.gz, shop.example.jsonl"
    assert read(tmp_path).verdict[0] == (
        f"2 files of the folder look like evidence, and were not read, because no zone has such an id: {names}"
    )
