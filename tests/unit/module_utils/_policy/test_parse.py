# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._policy.facts import DIRECTIVES
from ansible_collections.edgeops.observability.plugins.module_utils._policy.parse import (
    Policy,
    parse_policy,
    read_policy,
    undocumented,
)

HASH = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
ONE_FORM = [
    ({"script-src": ["'self'"]}, "script-src 'self'"),
    (
        {"Script-Src": ["'SELF'", "'self'", "HTTPS://CDN.Example:8443/A/b.js"]},
        "script-src 'self' https://cdn.example:8443/A/b.js",
    ),
    ({"style-src": "data: *.cdn.example *", "connect-src": ["HTTPS:"]}, "connect-src https:; style-src * *.cdn.example data:"),
    ({"upgrade-insecure-requests": [], "script-src": ["'none'"]}, "script-src 'none'; upgrade-insecure-requests"),
    ({"upgrade-insecure-requests": "", "img-src": None}, "upgrade-insecure-requests"),
    ({"script-src": [HASH.replace("sha", "SHA")]}, f"script-src {HASH}"),
    (" script-src   'self'\t*.a.example ;; default-src 'none' ; ", "default-src 'none'; script-src 'self' *.a.example"),
    ('{"script-src": ["https://*.a.example/x/"]}', "script-src https://*.a.example/x/"),
]


@pytest.mark.parametrize(("value", "text"), ONE_FORM)
def test_policy_is_normalized(value: t.Any, text: str) -> None:
    policy = parse_policy(value)
    assert policy.text == text and parse_policy(text) == policy == read_policy(text)


REFUSED = [
    ({"scrpt-src": ["'self'"]}, "directives: 'scrpt-src' is not a directive (did you mean 'script-src'?)"),
    ({"script-src": ["'self'", "'nonce-abc'"]}, "directives.script-src[1]: the service does not support nonces"),
    ({"script-src": ["self"]}, "directives.script-src[0]: 'self' lacks its single quotes (did you mean ''self''?)"),
    ({"script-src": ["Unsafe-Inline"]}, "(did you mean ''unsafe-inline''?)"),
    ({"script-src": ["sha256-abc="]}, "(did you mean ''sha256-abc=''?)"),
    ({"script-src": ["a.*.example"]}, "directives.script-src[0]: 'a.*.example' has a * elsewhere"),
    ({"script-src": ["https://a.example:*"]}, "has a * elsewhere"),
    ({"script-src": ["https://a.example/*.js"]}, "has a * elsewhere"),
    ({"script-src": ["https://a.example/a.js?v=1"]}, "has a query or a fragment"),
    ({"script-src": ["a.example b.example"]}, "has a blank"),
    ({"script-src": ["a.example;"]}, "is not a source"),
    ({"script-src": ["https://a.example/x,y"]}, "is not a source"),
    ({"script-src": ["https://ä.example"]}, "is not a source"),
    ({"script-src": ["'self"]}, "is not a source"),
    ({"script-src": ["'none'", "'self'"]}, "directives.script-src[0]: 'none' cannot stand beside other sources"),
    ({"script-src": []}, "directives.script-src: has no sources; to allow none, write 'none'"),
    ("script-src", "directives.script-src: has no sources"),
    ({"upgrade-insecure-requests": ["'self'"]}, "directives.upgrade-insecure-requests: takes no sources"),
    ({"script-src": ["'self'"], "SCRIPT-SRC": ["*"]}, "directives.SCRIPT-SRC: the policy has this directive twice"),
    ("script-src *; script-src *", "directives.script-src: the policy has this directive twice"),
    ({"script-src": 5}, "directives.script-src: must be a list of sources, not 5"),
    ({"script-src": [True]}, "directives.script-src[0]: true is not a string; put it in quotes"),
    ({5: ["'self'"]}, "directives: 5 is not a directive"),
    (5, "directives: must be a dictionary of directives, or the text of a policy, not 5"),
    (["script-src"], "directives: must be a dictionary of directives"),
    (
        '{"script-src": ["*"], "script-src": ["\'self\'"]}',
        "directives: this text is neither a policy nor a dictionary in JSON, or has",
    ),
    ({"script-src": ["'self'", "data"]}, "directives.script-src[1]: 'data' lacks the colon of a scheme (did you mean data:?)"),
    ({"script-src": "https"}, "directives.script-src[0]: 'https' lacks the colon of a scheme (did you mean https:?)"),
    ("{broken", "directives: this text is neither a policy nor a dictionary in JSON"),
]


@pytest.mark.parametrize(("value", "message"), REFUSED)
def test_refusals_have_a_place(value: t.Any, message: str) -> None:
    with pytest.raises(Failure) as caught:
        parse_policy(value)
    assert caught.value.kind == "invalid_option" and message.replace("''", "'") in str(caught.value).replace("''", "'")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        *("script-src 'nonce-1'", "script-src", "img-src *; img-src *", "script-src \x1b[31m", "<b> x"),
        # Browsers split at blanks of ASCII alone, and ignore the case of its letters alone: to them these are names and sources that do nothing.
        *("script-src\xa0'self'", "script-src 'self'\xa0", "script-src 'self'\x0bb.example", "script-src\x85'self'"),
        # A comma begins another policy, which browsers enforce as well.
        *("report-to a, script-src 'none'", "script-src 'self'; sandbox, default-src 'none'", "x-unknown ,"),
        *("\xa0script-src 'self'", "wor\u212aer-src 'self'", "\u017fcript-src 'self'", "script-src 'un\u017fafe-inline'"),
    ],
)
def test_invalid_policy_of_the_service_is_none(text: str) -> None:
    assert read_policy(text) is None


def test_unknown_directives_are_kept_last_and_unchanged() -> None:
    policy = read_policy("Trusted-Types  A b ; script-src 'self';sandbox")
    assert policy is not None and policy.text == "script-src 'self'; Trusted-Types  A b; sandbox"
    assert policy.sources("trusted-types") == ("A", "b") and read_policy(policy.text) == policy


def test_directive_that_takes_the_place_of_another_is_compared() -> None:
    """It decides what scripts load, so that one more or one less is a difference, although it is not documented for the service."""
    policy = read_policy("script-src 'self'; Script-Src-Elem *")
    assert policy == parse_policy("script-src-elem *; script-src 'self'") != parse_policy("script-src 'self'")
    assert [text.partition(" is ")[0] for text in undocumented(policy)] == ["directives.script-src-elem:"]


def test_undocumented_keywords_are_warnings() -> None:
    policy = parse_policy(
        {"script-src": ["'strict-dynamic'", "'unsafe-eval'", HASH], "frame-ancestors": ["'self'", "'unsafe-inline'"]}
    )
    assert [text.partition(" is ")[0] for text in undocumented(policy)] == [
        "directives.frame-ancestors: 'unsafe-inline'", "directives.script-src: 'strict-dynamic'",
    ]  # fmt: skip


def test_sources_are_added_to_a_directive() -> None:
    assert parse_policy("script-src 'none'").with_sources("script-src", ["a.example"]).text == "script-src a.example"
    assert Policy({}).with_sources("script-src", ["b.example", "a.example"]).text == "script-src a.example b.example"


LABEL = st.text("abcXYZ019-_", min_size=1, max_size=6)
HOST = st.lists(LABEL, min_size=1, max_size=3).map(".".join)
PATH = st.just("") | st.text("abAB09%._~!$&'()+=:@-/", max_size=8).map(lambda text: f"/{text}")
SOURCES = st.one_of(
    st.sampled_from(["'self'", "'Unsafe-Eval'", "*", "HTTPS:", "data:", HASH, "'report-sample'"]),
    st.tuples(st.sampled_from(["", "https://", "WSS://"]), st.sampled_from(["", "*."]), HOST, st.sampled_from(["", ":8443"]), PATH).map("".join),
).filter(lambda source: not source.lower().startswith(("sha", "nonce-")))  # fmt: skip
POLICIES = st.dictionaries(
    st.sampled_from(sorted(set(DIRECTIVES) - {"upgrade-insecure-requests"})),
    st.lists(SOURCES, min_size=1, max_size=4),
    max_size=4,
)


@given(POLICIES, st.randoms())
def test_text_is_stable_and_order_is_ignored(directives: t.Any, random: t.Any) -> None:
    policy = parse_policy(directives)
    assert (
        parse_policy(policy.text or {}) == policy == read_policy(policy.text)
        and (parse_policy(policy.text or {})).text == policy.text
    )
    names = list(directives)
    random.shuffle(names)
    other = {name.upper(): random.sample(directives[name], len(directives[name])) * 2 for name in names}
    assert parse_policy(other) == policy and hash(parse_policy(other).text) == hash(policy.text)


@given(st.text(), st.text("'*; abc-srcipt:/.", max_size=40))
def test_any_text_is_parsed_or_refused(text: str, likely: str) -> None:
    """Any text of a user or the service is refused with its option path, or has a stable form; equality is an equivalence relation."""
    for policy_text in (text, likely, f"script-src {likely}"):
        policy = read_policy(policy_text)
        if policy is not None:
            assert read_policy(policy.text) == policy
        if policy is None or policy.kept:
            with pytest.raises(Failure, match=r"^directives"):
                parse_policy(policy_text)
        else:
            assert parse_policy(policy_text) == policy
