# SPDX-License-Identifier: GPL-3.0-or-later

import re
from urllib.parse import unquote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.refusals import refusal

from ansible_collections.edgeops.observability.plugins.module_utils import _destination, _destination_secrets
from ansible_collections.edgeops.observability.plugins.module_utils._destination import parse, public_destination
from ansible_collections.edgeops.observability.plugins.module_utils._destination_secrets import secret_parts
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.options import check_destination
from ansible_collections.edgeops.observability.plugins.module_utils._redact import MASK

KEY_FILE = "eyJwcml2YXRlX2tleSI6ICJwbGFudGVkLTEyMzQ1Njc4OTAifQ=="
KEYS = "s3://bucket/dir?region=auto&access-key-id=ID&secret-access-key=planted%2Fkey"


@pytest.mark.parametrize(
    ("requested", "present", "equal", "assumed"),
    [
        (KEYS, KEYS, True, False),
        ("s3://bucket/dir?region=a&sse=AES256", "s3://bucket/dir?sse=AES256&region=a", True, False),
        ("s3://bucket/d%69r?region=a%2Fb", "S3://bucket/dir?region=a/b", True, False),
        # Masked values are assumed to be equal.
        (KEYS, KEYS.replace("planted%2Fkey", "****"), True, True),
        (KEYS, "s3://bucket/dir?secret-access-key=*****&region=auto&access-key-id=ID", True, True),
        ("r2://bucket?flag&key=a", "r2://bucket?flag&key=*****", True, True),
        (KEYS, KEYS.replace("planted%2Fkey", "**x**"), False, False),
        (KEYS, KEYS.replace("planted%2Fkey", "****").replace("auto", "eu"), False, False),
        (KEYS, KEYS.replace("&secret-access-key=planted%2Fkey", ""), False, False),
        ("s3://bucket", "gs://bucket", False, False),
        # An encoded slash is part of a name.
        ("https://host/a/b", "https://host/a%2Fb", False, False),
        ("https://user:one@host/in", "https://user:two@host/in", False, False),
        ("https://host/in?a", "https://host/in?a=", False, False),
        ("no destination", "no%20destination", True, False),
        ("https://u:p%2Fq@host/in", "https://u:p/q@host/in", True, False),
        ("no destination", "another", False, False),
    ],
)
def test_equal_and_masked_destinations_are_the_same(requested: str, present: str, equal: bool, assumed: bool) -> None:
    assert _destination.same_destination(parse(requested), parse(present)) is equal
    assert _destination.is_assumed_same(parse(requested), parse(present)) is assumed


def test_destination_has_its_parts() -> None:
    assert parse("no destination") == _destination.Destination(
        "no destination", parts=(_destination.Part("no destination", secret=True),), sound=False
    )
    text = "HTTPS://u@h:1/d?tags&tags=c=d&my%2Dkey=k&FORMAT=f"
    assert parse(text) == _destination.Destination(
        text,
        scheme="https",
        user="u",
        authority="h:1",
        parts=(_destination.Part("d", secret=False),),
        options=(
            _destination.Option("tags", None, secret=True),
            _destination.Option("tags", "c=d", secret=True),
            _destination.Option("my-key", "k", secret=True),
            _destination.Option("FORMAT", "f", secret=False),
        ),
        sound=True,
        facts=_destination.SCHEMES["https"],
    )


# Masked parts are between the angle brackets.
SHOWN = [
    # One row for each scheme: options that its documentation shows not to be secrets are readable, all others masked.
    "s3://bucket/dir?region=auto&access-key-id=ID&secret-access-key=<planted%2Fkey>",
    "r2://b/web/{DATE}?account-id=a1&access-key-id=AK&secret-access-key=<planted>",
    "gs://b/web/{DATE}?anything=<planted-1>",
    "azure://a.example/c?sv=1&ss=b&sp=w&se=2031&SIG=<planted>",
    "bq://projects/p/datasets/d/tables/t?credentials=<base64:cGxhbnRlZA==planted>",
    "kinesis://s?region=eu&sts-assume-role-arn=arn:aws:iam::1:role/r&sts-external-id=<planted-1>",
    "splunk://h/services/collector/raw?channel=c&HEADER_Authorization=<planted>",
    "sentinelone://h/services/collector/raw?sourcetype=cf&header_Authorization=<planted>",
    "datadog://h/api/v2/logs?header_DD-API-KEY=<planted>&ddsource=cf&ddtags=env:x",
    "datadog://h/v1/input/<short>?x=<planted-1>",
    "sumo://h/receiver/v1/http/<planted>",
    "ibmcl://i.example/<logs>/<v1>/<singles>?ibm_api_key=<planted>",
    "https://log-api.newrelic.com/log/v1?Api-Key=<planted>&format=cloudflare",
    "new://h/in?region=<planted-1>",
    "https://<u:p>@h:8080/in?header_X=<planted>",
    # Parts of a path that may be keys.
    "https://h/token/<planted2>",
    "https://h/api-key/<planted>/in",
    "https://h/v1/Secrets/<planted>/{DATE}",
    "https://h/accessToken//<planted>",
    "datadog://h/auth/<planted>",
    "new://h/password/<planted>",
    "https://hooks.example/services/T0001/B0001/<abc123def456planted>",
    "https://h/bulk/<%70lanted012345>/x",
    "https://h/bulk/<aBcDeFgHiJkLplanted>",
    "https://h/bulk/<planted-planted-planted-x>",
    "https://h/<in;token=planted>/x",
    "s3://b/<in;token=planted>/<x>",
    # The value of any option.
    *(f"https://h/in?{name}=<planted-1>" for name in ("code", "auth", "pass", "pwd", "jwt", "session", "a")),
    "https://h/in?<abc123def456planted>=<x>",
    "https://h/in?tags=<b;password=planted>",
    "https://h/in?tags=<https%3A%2F%2Fplanted%40other>",
    "https:///in?token=<planted>",
    # Of the user information of an endpoint, its host is no part.
    "s3://b?endpoint=https://<u:planted>@h/",
    "s3://b?endpoint=<planted>@h:9000&region=a",
    "s3://b?endpoint=https://<u:planted>@h/<?sig=planted2>",
    # A fragment extends to the end, whatever it contains.
    "https://h/in#<planted>",
    "https://h/in#<pla>?tags=<planted-1>",
    "https://h/in#<pla>/<planted-1>",
    "https://h/in?<a#planted>=<x>&tags=<c>",
    "https://h/in?tags=<b#planted>&format=<c>",
    # Texts that cannot be parsed reliably.
    "https://<user:pla/nted@h/in>",
    "https://<user:pla?nted@h/in>",
    "https://<user%3Aplanted%40h/in>",
    "https://<user:12/planted@h/in>",
    "s3://<user:12/planted%40h/in>",
    "https://<user:12?planted@h/in>",
    "https://<user:planted@/in>",
    # Texts of which parsers name different hosts.
    "https://<u:planted@evil.example#@h/in>",
    "https://<u:planted#@h/in>",
    "https://<u:planted@evil.example\\@h/in>",
    "https://<h\\.evil.example/in?tags=planted>",
    "https://<u:planted@x@h/in>",
    "https://<u:\x01planted@h/in>",
    "s3://<b?endpoint=https://u:planted%23@h>",
    "s3://<b?endpoint=https://u:planted/@h>",
    "s3://<b?region=a;b=planted>",
    "s3://<b#&endpoint=planted>",
]


def shown(public: _destination.PublicDestination) -> str:
    options = "&".join(f"{name}={value}" for name, value in public["options"].items())
    return f"{public['scheme']}://{public['address']}{'?' if options else ''}{options}"


@pytest.mark.parametrize("conf", ["https://h/sig/{DATE}/in", "https://h/authors/design/signals/keyboard/tokens"])
def test_ordinary_paths_are_readable(conf: str) -> None:
    assert shown(public_destination(parse(conf))) == conf and not secret_parts(parse(conf))


@pytest.mark.parametrize("marked", SHOWN)
def test_secret_parts_are_masked(marked: str) -> None:
    conf = re.sub("[<>]", "", marked)
    assert shown(public_destination(parse(conf))) == re.sub("<.*?>", MASK, marked)
    assert any("planted" in unquote_plus(secret) or "nted" in secret for secret in secret_parts(parse(conf)))


@pytest.mark.parametrize(
    ("conf", "public"),
    [
        ("https://h/in?a%2Dkey=planted", f"https://h/in?a-key={MASK}"),
        ("https://h/in?tags=1&tags=2&key=planted&key=planted", f"https://h/in?tags=1,2&key={MASK},{MASK}"),
        ("https://h/in?my-key=pla&nted12&tags=1", f"https://h/in?my-key={MASK}&tags=1"),
    ],
)
def test_options_are_shown_decoded_and_joined(conf: str, public: str) -> None:
    """Names are decoded, values of one name are joined, and text without a value is omitted."""
    assert shown(public_destination(parse(conf))) == public


@pytest.mark.parametrize("conf", ["planted", "user:planted@host", "?token=planted", "://planted"])
def test_malformed_destination_is_masked(conf: str) -> None:
    assert public_destination(parse(conf)) == {"scheme": None, "address": MASK, "options": {}}
    assert conf in secret_parts(parse(conf))
    assert public_destination(None) == {"scheme": None, "address": None, "options": {}}
    assert secret_parts(None) == frozenset()


@pytest.mark.parametrize(
    ("conf", "secrets"),
    [
        ("planted", {"planted"}),
        ("https://u:pla://nted@h", {"https://u:pla://nted@h", "u:pla://nted@h"}),
        ("s3://bucket/logs?region=auto&access-key-id=ID", set()),
        ("https://h/in?header_Authorization=Splunk%20planted-1", {"Splunk%20planted-1", "planted-1"}),
        ("https://h/in?header_A=Splunk+planted-1", {"Splunk+planted-1", "planted-1"}),
        ("https://h?a=Basic%20dXNlcjpwbGFudGVk", {"Basic%20dXNlcjpwbGFudGVk", "dXNlcjpwbGFudGVk", "user:planted", "planted"}),
        ("https://u:pl:anted@h/in", {"u:pl:anted", "u", "pl:anted"}),
        ("sumo://u@h/Xy/abcdefgh/1234567/?token=t&a=b&c", {"u", "1234567", "t"}),
        ("https://h/in;token=t;a=b?c=d;sig=s", {"in;token=t;a=b", "t", "d;sig=s"}),
        ("https://h/in#a#b", {"in#a#b", "a#b"}),
        ("https://h?a#planted&b&c=d", {"a#planted", "a", "planted"}),
        # Switches, words and numbers are masked in the destination, but not searched for in other texts.
        ("https://h/in?debug=true&version=12&env=production&serial=AB12CD", {"AB12CD"}),
        (
            f"bq://projects/p?credentials=base64:{KEY_FILE}",
            {
                f"base64:{KEY_FILE}",
                KEY_FILE,
                '{"private_key": "planted-1234567890"}',
                ' "planted-1234567890"}',
                "planted-1234567890",
            },
        ),
        ("https://h?a=//u:p@i", {"//u:p@i"}),
        ("https://h?key=AAECAwQFBgc%3D", {"AAECAwQFBgc%3D", "AAECAwQFBgc="}),
        (
            "https://h?key=eyJrZXkiOiAxLCAiYSI6ICJiMSJ9",
            {"eyJrZXkiOiAxLCAiYSI6ICJiMSJ9", '{"key": 1, "a": "b1"}', ' 1, "a": "b1"}'},
        ),
    ],
)
def test_secret_parts_are_found(conf: str, secrets: set[str]) -> None:
    assert secret_parts(parse(conf)) == secrets


@given(st.text(max_size=30), st.sampled_from(("secret-access-key", "TOKEN", "header_X", "x-Sig-y", "a_KEY", "Password")))
def test_secret_option_is_always_masked(noise: str, name: str) -> None:
    assert "planted" not in str(public_destination(parse(f"s3://bucket/dir?{name}=planted-value{noise}&region=auto")))


@given(st.text(max_size=60))
def test_any_text_is_parsed(text: str) -> None:
    """A destination equals itself, and only a malformed one is a secret as a whole."""
    public_destination(parse(text))
    assert _destination.same_destination(parse(text), parse(text))
    assert (text in secret_parts(parse(text))) == (bool(text) and not parse(text).sound)


CHANGED = f"{MASK} (changed)"


@pytest.mark.parametrize(
    ("before", "after", "public"),
    [
        (None, "s3://bucket", "s3://bucket"),
        ("s3://bucket", "s3://other", "s3://other"),
        (KEYS, KEYS.replace("planted", "other"), KEYS.replace("planted%2Fkey", CHANGED)),
        (KEYS.replace("planted%2Fkey", "*t*"), KEYS.replace("planted", "other"), KEYS.replace("planted%2Fkey", CHANGED)),
        ("sumo://host/planted", "sumo://host/other", f"sumo://host/{CHANGED}"),
        ("https://u:planted@host", "https://u:other@host", f"https://{MASK}@host (changed)"),
        ("https://u:plan/ted@host", "https://u:oth/er@host", f"https://{CHANGED}"),
        ("https://host?key=a&key=b", "https://host?key=b&key=a", f"https://host?key={CHANGED}"),
        # If another part differs, neither an unchanged secret nor one that the service masks is marked as changed.
        (KEYS, KEYS.replace("auto", "eu"), KEYS.replace("auto", "eu").replace("planted%2Fkey", MASK)),
        ("s3://bucket?region=a&key=***", "s3://bucket?region=b&key=t", f"s3://bucket?region=b&key={MASK}"),
        # A changed path and a changed option are both marked.
        ("https://h/k0123456789ab?tags=a", "https://h/k9876543210ab?tags=b", f"https://h/{CHANGED}?tags=b"),
    ],
)
def test_diff_marks_a_changed_secret_only_alone(before: str | None, after: str, public: str) -> None:
    old, new = _destination.public_change(before and parse(before), parse(after))
    assert old == public_destination(before and parse(before)) != new
    assert shown(new) == public


@pytest.mark.parametrize(
    ("conf", "masked"),
    [
        (KEYS, False),
        (KEYS.replace("planted%2Fkey", "**"), False),
        (KEYS.replace("planted%2Fkey", "***"), True),
        (KEYS.replace("planted%2Fkey", "%2A%2A%2A"), True),
        ("https://****@h/in", True),
        ("sumo://h/****", True),
        ("s3://****", False),
    ],
)
def test_mask_is_detected(conf: str, masked: bool) -> None:
    assert _destination.holds_mask(parse(conf)) is masked


@pytest.mark.parametrize(
    ("needed", "confs"),
    [
        (True, "s3://bucket?region=a gs://b azure://b sumo://b/c"),
        (False, f"{KEYS} s3://bucket?endpoint=e r2://b https://b http://b splunk://b datadog://b bq://projects/p"),
        (None, "kinesis://s sentinelone://h ibmcl://h new://b no_destination"),
    ],
)
def test_destinations_that_need_ownership(needed: bool | None, confs: str) -> None:
    assert {_destination.takes_token(parse(conf)) for conf in confs.split()} == {needed}


@pytest.mark.parametrize(
    ("before", "after", "elsewhere"),
    [
        (KEYS, KEYS.replace("planted", "other"), False),
        (KEYS, KEYS.replace("/dir", "/other"), True),
        (KEYS, "s3://bucket/dir?region=auto&access-key-id=ID", False),
        (KEYS.replace("auto", "****"), KEYS.replace("planted", "other"), False),
        ("https://u:one@h/in", "https://u:two@h/in", False),
        ("https://h/in?tags=x", "https://h/in?tags=y", True),
        ("https://h/a@b?key=c", "https://h/a@b?key=d", True),
        ("https://h/in?a=x@y@z", "https://h/in#a=x", True),
        ("https://h/in", "http://h/in", True),
        ("https://h/%69n", "https://h/in", False),
    ],
)
def test_change_of_the_receiver(before: str, after: str, elsewhere: bool) -> None:
    assert _destination.leads_elsewhere(parse(before), parse(after)) is elsewhere


@pytest.mark.parametrize(
    ("scheme", "closest"),
    [
        ("gcs", "gs"),
        ("htps", "https"),
        ("sumologic", "sumo"),
        ("s4", "s3"),
        ("r3", "s3"),
        ("r4", "r2"),
        ("bg", "bq"),
        ("ab", ""),
        ("pipelines", ""),
    ],
)
def test_similar_scheme_is_suggested(scheme: str, closest: str) -> None:
    assert _destination.closest_scheme(scheme) == closest


@pytest.mark.parametrize(
    ("conf", "limits"),
    [
        ("https://log-api.eu.newrelic.com/log/v1", (5_000_000, 0)),
        ("https://log-api.example/log/v1", (0, 0)),
        ("bq://projects/p", (10_000_000, 50_000)),
        ("s3://b", (0, 0)),
    ],
)
def test_scheme_has_its_upload_limits(conf: str, limits: tuple[int, int]) -> None:
    assert (parse(conf).facts.max_bytes, parse(conf).facts.max_records) == limits


def test_resent_secret_is_marked() -> None:
    """A destination that is sent again is marked at its secrets, or at its address if it has none."""
    secret, plain = public_destination(parse(KEYS)), public_destination(parse("s3://bucket/dir"))
    marked = {**secret["options"], "secret-access-key": f"{MASK} (sent again)"}
    assert _destination.public_resend(parse(KEYS)) == (secret, {**secret, "options": marked})
    assert _destination.public_resend(parse("s3://bucket/dir")) == (plain, {**plain, "address": "bucket/dir (sent again)"})


@pytest.mark.parametrize(
    ("text", "readable"),
    [
        ("see https://docs.example/api/jobs?page=2", f"see https://docs.example/api/jobs?page={MASK}"),
        ('Put "s3://b/p?region=x&secret-access-key=abc": refused', f'Put "s3://b/p?region=x&secret-access-key={MASK}": refused'),
        ("sumo://h.example/receiver/v1/http/abc==", f"sumo://h.example/receiver/v1/http/{MASK}"),
        ("https:\\/\\/u:p@h.example\\/in", f"https://{MASK}@h.example/in"),
        ("s3%3A%2F%2Fb%2Fp%3Fsecret%3Dabc then", f"s3://{MASK} then"),
        ("s3%3a//b/p%3Fsecret%3Dabc", f"s3://{MASK}"),
        ("s3:%2F%2Fb%2Fp%3Fsecret%3Dabc", f"s3://{MASK}"),
        ("see https://h.example/in?url=https://u:p@i.example", f"see https://h.example/in?url={MASK}"),
        ("s3://b c://d?token=x", f"s3://b c://d?token={MASK}"),
    ],
)
def test_addresses_in_text_are_masked(text: str, readable: str) -> None:
    assert _destination_secrets.without_secrets(text) == readable
    assert _destination_secrets.without_secrets(readable) == readable


@pytest.mark.parametrize("text", ["x" * 100_000, "x:/" * 30_000, "s3%3A%2F%2F" * 9000, "a" * 50_000 + "://u:p@h/"])
def test_long_words_take_linear_time(text: str) -> None:
    # With quadratic time, this would exceed the time limit of the test.
    assert "u:p" not in _destination_secrets.without_secrets(text)


def test_text_is_one_line_of_limited_length() -> None:
    assert _destination_secrets.readable_text("no\nhttps://u:p@h.example/") == f"no https://{MASK}@h.example/"
    assert _destination_secrets.readable_text("x" * 2001) == "x" * 2000


def test_failure_texts_are_readable() -> None:
    text, readable = "no\nhttps://u:p@h.example/", f"no https://{MASK}@h.example/"
    result = {"failed": True, "msg": text, "error": {"kind": "rejected", "errors": [{"code": 1, "message": text}]}}
    error = {"kind": "rejected", "errors": [{"code": 1, "message": readable}]}
    assert _destination_secrets.readable_failure(result) == {"failed": True, "msg": readable, "error": error}


S = "PlantedNoKey123"


@pytest.mark.parametrize(
    ("conf", "address"),
    [
        (f"r2://logs/web/account-id=0123&access-key-id=AKID&secret-access-key={S}", f"logs/web/{MASK}"),
        (f"s3://logs/web/&region=auto&access-key-id=AKID&secret-access-key={S}", f"logs/web/{MASK}"),
        (f"azure://acct.blob.core.windows.net/logs/sv=2024-11-04&ss=b&sig={S}", f"acct.blob.core.windows.net/logs/{MASK}"),
        (f"s3://logs/web#region=x&secret-access-key={S}", f"logs/{MASK}"),
        (f"s3://logs/web%3Fregion=x&secret-access-key={S}/in", f"logs/{MASK}/{MASK}"),
        (f"s3://logs/web%3Fsecret-access-key={S}", f"logs/{MASK}"),
        (f"s3://logs/web;secret-access-key={S}", f"logs/{MASK}"),
        (f"gs://logs/Secret_Token={S}/more", f"logs/{MASK}/{MASK}"),
        (f"bq://projects/p/datasets/d/tables/t&credentials=base64:{S}", f"projects/p/datasets/d/tables/{MASK}"),
        (f"kinesis://stream&region=x&secret-access-key={S}", MASK),
        (f"s3://logs&secret-access-key={S}/web", MASK),
    ],
)
def test_options_without_their_question_mark_are_masked(conf: str, address: str) -> None:
    """Nothing of them is shown, neither as the destination nor where the service quotes a secret alone."""
    assert public_destination(parse(conf)) == {"scheme": conf.partition(":")[0], "address": address, "options": {}}
    assert _destination.lacks_question_mark(parse(conf))
    assert S in str(secret_parts(parse(conf))) and S not in _destination_secrets.without_secrets(f"error at {conf}")
    kind, message = refusal(check_destination, conf)
    assert kind == "invalid_option" and "the options lack their question mark" in message and S not in message


@pytest.mark.parametrize(
    "conf", ["s3://logs/dt={DATE}/in", "gs://logs/a=b", "https://h.example/region=x", "s3://b/R%26D?region=x"]
)
def test_a_folder_with_an_equals_sign_is_none(conf: str) -> None:
    assert not _destination.lacks_question_mark(parse(conf)) and check_destination(conf).sound


@pytest.mark.parametrize(
    "conf",
    [
        f"r2://logs/web?region=auto?secret-access-key={S}",
        f"splunk://hec.example:8088/services/collector/raw?channel=1?header_Authorization=Splunk%20{S}",
        f"azure://acct.blob.core.windows.net/logs?sv=2024%26sig%3D{S}",
        f"s3://logs/web?region=eu-west-1%26access-key-id%3DAK%26secret-access-key%3D{S}",
        f"s3://logs/web?region=eu-west-1%2526secret-access-key%253D{S}",
        f"s3://logs/web?region=eu-west-1,secret-access-key={S}",
        f"s3://logs/web?region=eu-west-1%0Asecret-access-key={S}",
        f"r2://logs/web?account-id=01/secret-access-key={S}",
        f"azure://acct.blob.core.windows.net/logs?sp=w,sig={S}",
        f"datadog://h.example/logs?ddsource=cloudflare,header_DD-API-KEY={S}",
        f"splunk://h.example/raw?insecure-skip-verify={S}",
        f"splunk://h.example/raw?sourcetype=token={S}",
    ],
)
def test_value_that_holds_a_further_option_is_masked(conf: str) -> None:
    """A separator that is missing or encoded makes the secret part of the value before it."""
    assert S not in str(public_destination(parse(conf)))
    assert S not in _destination_secrets.without_secrets(f"error at {conf}") and S in str(secret_parts(parse(conf)))


@pytest.mark.parametrize(
    "conf",
    [
        "s3://b/x?region=eu-west-1&endpoint=https://[2001:db8::1]:9000/minio&sse=aws:kms",
        "kinesis://x?region=a&sts-assume-role-arn=arn:aws:iam::123456789012:role/Team@logs%2Bx.y",
        "azure://a.blob.core.windows.net/c?sv=2024-11-04&st=2026-01-01T00:00:00Z&spr=https,http&sp=rcw",
        "datadog://h/api/v2/logs?ddsource=cloudflare&ddtags=env:prod,team:web&host={DATE}",
        "splunk://h/raw?insecure-skip-verify=False&channel=0b1c-2d",
    ],
)
def test_ordinary_values_are_readable(conf: str) -> None:
    assert not [option.name for option in parse(conf).options if option.secret]
