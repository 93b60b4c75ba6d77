# SPDX-License-Identifier: GPL-3.0-or-later

import pytest
from support.refusals import refusal

from ansible_collections.edgeops.observability.plugins.module_utils._core import BAD_RESPONSE, INVALID_OPTION, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._scripts import listing

OPTIONS = {
    **dict.fromkeys(("script_id", "hosts", "page_url", "malicious_threshold", "malicious_when")),
    "resources": ["scripts"],
    "status": [],
    "per_page": 100,
    "malicious_only": False,
    "members": [],
    "route": "script_monitor",
}


def query(**given_options) -> listing.ScriptQuery:
    return listing.desire({**OPTIONS, **given_options})


def settled(route="script_monitor", **given_options) -> listing.ScriptQuery:
    """Return a query for a known route."""
    return query(route="auto", **given_options).on_route(route)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"per_page": 0}, "per_page: 0 is not between 1 and 100"),
        ({"per_page": 101}, "per_page: 101 is not between 1 and 100"),
        ({"script_id": "../../rulesets"}, "script_id: '../../rulesets' is not a script identifier"),
        ({"hosts": ["a", " "]}, "hosts[1]: '' is empty or holds a comma; give each item as one of the list"),
        ({"hosts": [" a,b "]}, "hosts[0]: 'a,b' is empty or holds a comma; give each item as one of the list"),
        ({"status": [""]}, "status[0]: '' is empty or holds a comma; give each item as one of the list"),
        ({"page_url": [","]}, "page_url[0]: ',' is empty or holds a comma; give each item as one of the list"),
        ({"members": ["host", "url"]}, "members[1]: 'url' is not a member of a script (did you mean 'script_url'?)"),
        ({"resources": ["cookies"]}, "resources: the route script_monitor has no cookies; omit route, or set page_shield"),
    ],
)
def test_invalid_query_is_refused(options, message):
    assert refusal(query, **options) == (INVALID_OPTION, message)


def test_query_parameters_are_trimmed_and_unique():
    options = {"status": ["active"], "malicious_threshold": 20, "malicious_when": "below", "malicious_only": True}
    parsed = query(**options, script_id="ab12", per_page=1, hosts=[" a.example", "a.example", "*.b.example"])
    assert parsed == listing.ScriptQuery(
        "script_monitor", "ab12", ("a.example", "*.b.example"), ("active",), 1, 20, "below", malicious_only=True
    )


@pytest.mark.parametrize(
    ("score", "above", "below"), [(51, True, False), (50, False, False), (49, False, True), (None, None, None)]
)
def test_threshold_is_exclusive(score, above, below):
    for when, expected in (("above", above), ("below", below)):
        query = settled(malicious_threshold=50, malicious_when=when)
        (script,) = listing.report([{"script_id": "a", "js_integrity_score": score}], query)["scripts"]
        assert script["malicious"] is expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, ("above", 50)),
        ({"route": "page_shield"}, ("below", 10)),
        ({"route": "page_shield", "malicious_when": "above", "malicious_threshold": 0}, ("above", 0)),
        ({"malicious_when": "below"}, ("below", 50)),
    ],
)
def test_verdict_follows_the_route(options, expected):
    parsed = settled(**options)
    assert (parsed.malicious_when, parsed.threshold) == expected


def test_script_has_its_members_and_reasons():
    sent = {"script_id": "ab", "js_integrity_score": 87, "id": 7, "url": "kept under its own name", "new_member": {"kept": [1]}}
    sent |= {"malicious_url_categories": ["Malware"], "malicious_domain_categories": ["Phishing"]}
    (script,) = listing.report([sent], settled())["scripts"]
    categories = ["URL category: Malware", "domain category: Phishing"]
    assert script == {**sent, "malicious": True, "malicious_reasons": ["js_integrity_score 87 is above 50", *categories]}
    (script,) = listing.report([{**sent, "js_integrity_score": 3}], settled())["scripts"]
    assert (script["malicious"], script["malicious_reasons"]) == (False, categories), "the score alone decides"


def test_page_shield_names_are_translated():
    kept = {"host": "h", "js_integrity_score": 3}
    sent = {"id": "ab", "url": "u", "first_page_url": "f", "page_urls": ["p"], "url_contains_cdn_cgi_path": True, **kept}
    (script,) = listing.report([sent], settled(route="page_shield"))["scripts"]
    names = {"script_id": "ab", "script_url": "u", "seen_on_first": "f", "seen_on": ["p"], "appears_in_cdn_cgi_path": True}
    verdict = {"malicious": True, "malicious_reasons": ["js_integrity_score 3 is below 10"]}
    assert script == {**names, **kept, **verdict}


def test_member_with_two_values_is_refused():
    """An answer with both names of a member has one value for both, or nobody can tell which of them holds."""
    sent = {"id": "ab", "url": "https://evil.example/a.js", "script_url": "https://shop.example/a.js"}
    with pytest.raises(Failure, match="Script ab has two values, in 'url' and in 'script_url'"):
        listing.judged([sent], settled(route="page_shield"))
    (script,) = listing.judged([{**sent, "script_url": sent["url"]}], settled(route="page_shield"))
    assert script["script_url"] == sent["url"]


@pytest.mark.parametrize("other", [{"script_url": "https://evil.example/a.js"}, {"host": "pay.example"}])
def test_two_scripts_of_one_identifier_are_refused(other):
    """The one that comes later must not hide the other; a script that moved from one listing to the next is one script."""
    script = {"script_id": "a", "script_url": "https://shop.example/a.js", "host": "shop.example", "status": "active"}
    (known,) = listing.report([script, {**script, "status": "infrequent"}], settled())["scripts"]
    assert known["status"] == "infrequent"
    with pytest.raises(Failure, match="two scripts with the identifier a"):
        listing.judged([script, {**script, **other}], settled())


def test_summary_counts_before_the_filter():
    listed = [
        {"script_id": "c", "js_integrity_score": 90, "status": "active", "host": "one"},
        {"script_id": "a", "js_integrity_score": 10, "status": "active", "host": "two"},
        {"script_id": "b", "status": None},
        {"script_id": "c", "js_integrity_score": 90, "status": "active", "host": "one"},
    ]
    filtered = listing.report(listed, settled(malicious_only=True))
    whole = listing.report(listed, settled())
    ids = [[script["script_id"] for script in report["scripts"]] for report in (filtered, whole)]
    assert ids == [["c"], ["a", "b", "c"]], "each once, sorted"
    counts = {"total": 3, "malicious": 1, "not_malicious": 1, "unknown": 1}
    named = {"by_status": {"active": 2, "unknown": 1}, "by_host": {"one": 1, "two": 1, "unknown": 1}}
    assert filtered["summary"] == whole["summary"] == {**counts, **named}


LISTED = [
    {"script_id": "b", "js_integrity_score": 90, "status": "active", "host": "one", "malicious_url_categories": ["Malware"]},
    {"script_id": "a", "js_integrity_score": 10, "status": "active", "host": "two", "malware_score": 3},
]


def test_scripts_have_the_requested_members():
    """Scripts have these members in the order of the option, without duplicates, and only those that the service returns."""
    report = listing.report(LISTED, settled(members=["malware_score", "host", "malicious", "host"]))
    assert [list(script.items()) for script in report["scripts"]] == [
        [("malware_score", 3), ("host", "two"), ("malicious", False)],
        [("host", "one"), ("malicious", True)],
    ]
    report = listing.report(LISTED, settled(members=["host"], malicious_only=True))
    assert (report["scripts"], report["summary"]) == ([{"host": "one"}], listing.report(LISTED, settled())["summary"])


@pytest.mark.parametrize(
    ("item", "sentence"),
    [
        (None, "A monitored script is null, not an object."),
        ({}, "A monitored script has no identifier."),
        ({"script_id": ""}, "A monitored script has no identifier."),
        ({"script_id": 7}, "A monitored script has no identifier."),
        ({"script_id": "a", "js_integrity_score": "90"}, "Script a has a string in 'js_integrity_score'."),
        ({"script_id": "a", "js_integrity_score": True}, "Script a has a boolean in 'js_integrity_score'."),
        ({"script_id": "a", "status": ["active"]}, "Script a has a list in 'status'."),
        ({"script_id": "a", "host": {}}, "Script a has an object in 'host'."),
        ({"script_id": "a", "url_reported_malicious": "true"}, "Script a has a string in 'url_reported_malicious'."),
        ({"script_id": "a", "domain_reported_malicious": 1}, "Script a has a number in 'domain_reported_malicious'."),
        ({"script_id": "a", "malicious_url_categories": "Malware"}, "Script a has a string in 'malicious_url_categories'."),
    ],
)
def test_invalid_script_is_a_bad_response(item, sentence):
    assert refusal(listing.report, [item], settled()) == (BAD_RESPONSE, sentence)
