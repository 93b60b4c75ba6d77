# SPDX-License-Identifier: GPL-3.0-or-later

import datetime
import json
import typing as t

import hypothesis
import pytest
from hypothesis import strategies as st
from support.refusals import refusal

from ansible_collections.edgeops.observability.plugins.module_utils._baseline import pattern
from ansible_collections.edgeops.observability.plugins.module_utils._baseline.entries import (
    Baseline,
    is_authorised,
    parse_baseline,
    why_unauthorised,
)
from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure

URL = "https://a.example/x.js"
HASH = "ab" * 32
WHOLE = {
    "name": "shop",
    "url": URL,
    "hosts": ["Shop.example", "shop.example"],
    "owner": "o",
    "justification": "j",
    "authorised_by": "a",
    "authorised_on": "2026-10-01",
    "review_by": "2027-04-01",
    "integrity": "pinned",
    "integrity_reason": None,
    "hashes": [HASH.upper()],
    "required": True,
}


def test_complete_entry_is_parsed() -> None:
    (entry,) = parse_baseline([WHOLE])
    assert (entry.name, entry.place, entry.pattern.text) == ("shop", "baseline[0]", URL)
    assert (entry.hosts, entry.hashes) == ({"shop.example"}, {HASH})
    assert (entry.pinned, entry.declared) == (True, {**WHOLE, "hosts": ["shop.example"], "hashes": [HASH]})


@pytest.mark.parametrize("text", ["\u200b", " \u2060\ufeff ", "\u00ad\u200e", "\u2800", "\u3164", "\u034f", "\x07", "\ue000"])
def test_text_that_nobody_sees_is_empty(text: str) -> None:
    (entry,) = parse_baseline([{**WHOLE, "owner": text, "justification": text, "authorised_by": f"{text}a"}])
    assert (entry.declared["owner"], entry.declared["justification"]) == (None, None)
    why = "has no owner, justification"
    assert why_unauthorised(entry.declared, "2026-10-01") == why
    assert why_unauthorised({**entry.declared, "owner": text, "justification": text}, "2026-10-01") == why
    assert refusal(parse_baseline, [{**WHOLE, "name": text}]) == ("invalid_option", "baseline[0].name: an entry needs it")


def test_entry_authorises_nothing_before_its_day() -> None:
    assert why_unauthorised(WHOLE, "2026-09-30") == "is authorised only from 2026-10-01 on"
    assert why_unauthorised({**WHOLE, "owner": ""}, "2026-09-30") == "has no owner and is authorised only from 2026-10-01 on"
    assert [is_authorised(WHOLE, day) for day in ("2026-09-30", "2026-10-01")] == [False, True]


def test_omitted_members_have_defaults() -> None:
    (entry,) = parse_baseline([{"name": "shop", "url": URL}])
    assert (entry.hosts, entry.hashes, entry.pinned) == (set(), set(), True)
    members = {"name": "shop", "url": URL, "hosts": [], "integrity": "pinned", "hashes": [], "required": False}
    assert entry.declared == {**dict.fromkeys(WHOLE), **members}, "every member is there, for the digest and for proposals"


@pytest.mark.parametrize("date", ["2027-04-01", "2027-04-01T00:00:00", "2027-04-01T00:00:00+00:00", datetime.date(2027, 4, 1)])
def test_date_becomes_text(date: object) -> None:
    assert parse_baseline([{**WHOLE, "review_by": date}])[0].declared["review_by"] == "2027-04-01"


def test_text_of_a_template_is_parsed() -> None:
    """ansible-core before 2.19 passes a list that contains a date as text."""
    dated = {**WHOLE, "review_by": datetime.date(2027, 4, 1), "authorised_on": datetime.datetime(2026, 10, 1, 3, 4)}  # noqa: DTZ001 # no zone in YAML
    assert parse_baseline(repr([dated])) == parse_baseline([WHOLE]) == parse_baseline(json.dumps([WHOLE]))


@pytest.mark.parametrize(
    "text",
    [
        *("", "name: a", "[x for x in y]", "(" * 500, "{**a}", "[{[1]: 2}]", "{{}: 2}"),
        *("[open('x')]", "[datetime.date(1)]", "[datetime.date('a','b','c')]"),
    ],
)
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(Failure, match=r"^baseline: must be a list of entries; this text cannot be parsed as one$"):
        parse_baseline(text)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": " "}, r"baseline[1].name: an entry needs it"),
        ({"name": "first"}, r"baseline[1].name: 'first' is already the name of baseline[0]"),
        ({"name": 7}, r"baseline[1].name: 7 is not a string; put it in quotes"),
        ({"url": None}, r"baseline[1].url: an entry needs it"),
        ({"url": "js.stripe.com"}, r"baseline[1].url: 'js.stripe.com' is not a URL"),
        ({"hashes": [HASH, "abc"]}, r"baseline[1].hashes[1]: 'abc' is not a SHA-256 of 64 hexadecimal digits"),
        ({"hashes": [10**63]}, r"put it in quotes"),
        ({"hashes": HASH}, r"baseline[1].hashes: must be a list, not"),
        ({"hosts": ["*.example.com"]}, r"baseline[1].hosts[0]: '*.example.com' is not a host name"),
        ({"review_by": "next year"}, r"baseline[1].review_by: 'next year' is not a date such as 2027-04-01"),
        ({"review_by": "2027-02-30"}, r"baseline[1].review_by: "),
        ({"review_by": 20270401}, r"baseline[1].review_by: "),
        ({"integrity": "checked"}, r"baseline[1].integrity: 'checked' is neither 'pinned' nor 'unpinned'"),
        ({"integrity": "unpinned"}, r"baseline[1].integrity_reason: a script that is not pinned needs a reason"),
        ({"required": "perhaps"}, r"baseline[1].required: 'perhaps' is neither true nor false"),
        ({"ownr": "me"}, r"baseline[1]: 'ownr' is not a member of an entry (did you mean 'owner'?)"),
    ],
)
def test_invalid_entry_is_named_by_its_place(change: dict[str, object], message: str) -> None:
    kind, text = refusal(parse_baseline, [{"name": "first", "url": URL}, {**WHOLE, **change}])
    assert kind == "invalid_option" and message in text


@pytest.mark.parametrize("value", [None, 7, {"name": "a"}, ["a"], [None]])
def test_baseline_must_be_a_list_of_dictionaries(value: object) -> None:
    with pytest.raises(Failure, match=r"^baseline"):
        parse_baseline(value)


def baseline(*entries: t.Any) -> Baseline:
    """Return a baseline of URLs, or of pairs of a URL and its hosts; the URL is also the name."""
    pairs = [(entry, None) if isinstance(entry, str) else entry for entry in entries]
    return Baseline(parse_baseline([{"name": f"{url} {hosts}", "url": url, "hosts": hosts} for url, hosts in pairs]))


def found(made: Baseline, url: str, host: str | None = "h") -> str | None:
    entry = made.match(url, host).entry
    return entry.name.rpartition(" ")[0] if entry else None


def test_hosts_are_compared_before_precedence() -> None:
    made = baseline(("https://a/x.js", ["one"]), "https://a/*")
    assert found(made, "https://a/x.js", "one") == "https://a/x.js"
    assert found(made, "https://a/x.js", "ONE") == "https://a/x.js"
    assert found(made, "https://a/x.js", "two") == "https://a/*"
    assert found(made, "https://a/x.js", None) == "https://a/*", "an unknown host matches no host pattern"


@pytest.mark.parametrize("url", ["https://a/../x.js", "https://a/x"])
def test_pattern_covers_no_misleading_or_shorter_url(url: str) -> None:
    made = baseline("https://a/**", "https://a/*/a/long/end/of/a/pattern.js")
    assert found(made, url) == (None if ".." in url else "https://a/**")


@pytest.mark.parametrize(
    "pair",
    [
        (("https://a/x.js", ["h"]), ("https://a/x.js", None)),
        (("https://a/*.js", None), ("https://a/*s", None)),
        (("https://a/**", None), ("https://a/*", None)),
        (("https://a/*", ["h", "i"]), ("https://a/*", ["h"])),
    ],
)
def test_ambiguous_match_names_both_entries(pair: t.Any) -> None:
    made = baseline(*pair)
    kind, message = refusal(made.match, "https://a/x.js", "h")
    assert kind == "invalid_option"
    assert all(name in message for name in ("baseline: ", "(baseline[0])", "(baseline[1])", "'https://a/x.js'"))
    assert found(made, "https://b/x.js") is None, "entries that could tie are no error where nothing listed matches both"


URLS = st.builds("https://h/{}".format, st.text("ab/?", max_size=6))
PATTERNS = st.builds("https://h/{}".format, st.text("ab/?*", max_size=6))


@hypothesis.given(st.lists(st.tuples(PATTERNS, st.sampled_from([None, ["h"], ["i"]])), max_size=8), URLS)
@hypothesis.settings(max_examples=800)
def test_match_is_the_most_specific_entry(pairs: list[t.Any], url: str) -> None:
    """Exact entries take precedence over patterns, and longer literal prefixes over shorter ones."""
    distinct = list({f"{text} {hosts}": (text, hosts) for text, hosts in pairs}.values())
    made = baseline(*distinct)
    fitting = [entry for entry in made.entries if entry.covers("h") and entry.pattern.covers(url)]
    ranks = [(entry.pattern.is_exact, len(entry.pattern.text.partition("*")[0])) for entry in fitting]
    best = [entry for entry, rank in zip(fitting, ranks, strict=True) if rank == max(ranks)]
    if len(best) > 1:
        with pytest.raises(Failure):
            made.match(url, "h")
    else:
        assert made.match(url, "h").entry == (best[0] if best else None)


@pytest.mark.parametrize("shape", ["https://cdn{}.a/*", "https://cdn.a/{}/**", "https://cdn.a/{}.js"])
def test_lookup_compares_at_most_one_entry(shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []
    matches = pattern.Pattern.matches
    monkeypatch.setattr(pattern.Pattern, "matches", lambda self, url: compared.append(url) or matches(self, url))
    made = baseline(*(shape.format(f"n{number:03}") for number in range(500)))
    urls = [shape.format(f"n{number:03}").replace("**", "x/y").replace("*", "x") for number in range(1000)]
    assert [found(made, url) is not None for url in urls] == [number < 500 for number in range(1000)]
    assert len(compared) <= len(urls)
