# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import typing as t
from urllib.parse import unquote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.edgeops.observability.plugins.module_utils._destination import (
    Destination,
    Option,
    is_assumed_same,
    parse,
    public_change,
    public_destination,
    public_resend,
    same,
    secret_parts,
    takes_token,
)
from ansible_collections.edgeops.observability.plugins.module_utils._redact import MASK, scrub

KEYS = "s3://bucket/dir?region=auto&access-key-id=ID&secret-access-key=planted%2Fkey"


@pytest.mark.parametrize(
    ("requested", "present", "equal"),
    [
        ("s3://bucket/dir?region=a&sse=AES256", "s3://bucket/dir?sse=AES256&region=a", True),
        ("s3://bucket/d%69r?region=a%2Fb", "S3://bucket/dir?region=a/b", True),
        (KEYS, KEYS.replace("planted%2Fkey", "****"), True),
        (KEYS, KEYS.replace("auto", "*****"), True),
        (KEYS, KEYS.replace("planted%2Fkey", "**x**"), False),
        (KEYS, KEYS.replace("planted%2Fkey", "****").replace("auto", "eu"), False),
        (KEYS, KEYS.replace("&secret-access-key=planted%2Fkey", ""), False),
        (KEYS.replace("planted%2Fkey", "****"), KEYS, False),
        ("s3://bucket/dir", "s3://bucket/Dir", False),
        ("s3://bucket", "gs://bucket", False),
        ("https://user:one@host/in", "https://user:two@host/in", False),
        ("https://host/in?a=1&a=2", "https://host/in?a=1", False),
        ("https://host/in?a", "https://host/in?a=", False),
        ("no destination", "no destination", True),
        ("no destination", "no%20destination", True),
        ("https://u:p%2Fq@host/in", "https://u:p/q@host/in", True),
        ("no destination", "another", False),
    ],
)
def test_same(requested: str, present: str, equal: bool) -> None:
    assert same(requested, present) is equal


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("no destination", Destination("", None, "", "no destination", (), sound=False)),
        ("S3://b/d", Destination("s3", None, "b", "/d", ())),
        (
            "https://u@h:1?a&b=c=d&my%2Dkey=k&rest&e=f",
            Destination(
                "https",
                "u",
                "h:1",
                "",
                (
                    Option("a", None, secret=False),
                    Option("b", "c=d", secret=False),
                    Option("my-key", "k", secret=True),
                    Option("rest", None, secret=True),
                    Option("e", "f", secret=False),
                ),
            ),
        ),
    ],
)
def test_parts(text: str, parts: Destination) -> None:
    assert parse(text) == parts


@pytest.mark.parametrize(
    ("conf", "address", "options"),
    [
        (KEYS, "bucket/dir", {"region": "auto", "access-key-id": "ID", "secret-access-key": MASK}),
        (
            "https://u:p@host:8080/in?header_X=planted&Api-Key=planted",
            f"{MASK}@host:8080/in",
            {"header_X": MASK, "Api-Key": MASK},
        ),
        ("datadog://host/v1?header_DD-API-KEY=planted&ddsource=cf", "host/v1", {"header_DD-API-KEY": MASK, "ddsource": "cf"}),
        ("splunk://host/in?channel=c&HEADER_Authorization=planted", "host/in", {"channel": "c", "HEADER_Authorization": MASK}),
        ("sumo://host/receiver/planted", f"host/{MASK}", {}),
        ("azure://acc.example.com/c?sv=1&SIG=planted", "acc.example.com/c", {"sv": "1", "SIG": MASK}),
        ("https://host/in?secret%2Dkey=planted", "host/in", {"secret-key": MASK}),
        ("https://host/in?a=1&a=2&token=planted&token=planted", "host/in", {"a": "1,2", "token": f"{MASK},{MASK}"}),
        ("https://host/in?my-key=pla&nted&x=1", "host/in", {"my-key": MASK, "x": "1"}),
        (
            "https://host/in;token=planted/x?a=b;password=planted#planted",
            f"host/in;token={MASK}/x",
            {"a": f"b;password={MASK}#{MASK}"},
        ),
        ("https://host/in#planted", f"host/in#{MASK}", {}),
        ("https://user:pla/nted@host/in", MASK, {}),
        ("https://user:pla?nted@host/in", MASK, {}),
        ("https://user%3Aplanted%40host/in", MASK, {}),
        ("https://user:12/planted@host/in", MASK, {}),
        ("https://user:12?planted@host/in", MASK, {}),
        ("https://user:planted@/in", MASK, {}),
        ("https:///in?token=planted", "/in", {"token": MASK}),
        ("https://host/in;v=1/x?a&token=planted", "host/in;v=1/x", {"a": "", "token": MASK}),
        ("sumo://host/?token=planted", "host/", {"token": MASK}),
        ("sumo://host/X?token=planted", f"host/{MASK}", {"token": MASK}),
        # A fragment goes on to the end, whatever it looks like.
        ("https://host/in#pla?nted", f"host/in#{MASK}", {}),
        ("https://host/in#pla?b=nted", f"host/in#{MASK}", {"b": MASK}),
        ("https://host/in?a#planted", "host/in", {}),
        ("https://host/in?a#pla=nted&b=c", "host/in", {f"a#{MASK}": MASK, "b": MASK}),
        ("https://host/in?a=b#pla&nted", "host/in", {"a": f"b#{MASK}"}),
        ("https://host/in?a=b#pla&x=y&c=nted", "host/in", {"a": f"b#{MASK}", "x": MASK, "c": MASK}),
        # An address within an option may have a user of its own.
        ("https://host/in?url=https://user:planted@other&a=b", "host/in", {"url": MASK, "a": "b"}),
        ("https://host/in?url=https%3A%2F%2Fplanted%40other", "host/in", {"url": MASK}),
        (
            "https://host/in?url=https://other/&mail=a@b&token=planted",
            "host/in",
            {"url": "https://other/", "mail": "a@b", "token": MASK},
        ),
    ],
)
def test_public(conf: str, address: str, options: dict[str, str]) -> None:
    assert public_destination(conf) == {"scheme": conf.partition(":")[0], "address": address, "options": options}
    assert any("planted" in secret or "nted" in secret for secret in secret_parts(conf))


@pytest.mark.parametrize("conf", ["planted", "user:planted@host", "?token=planted", "://planted"])
def test_what_is_no_destination_shows_nothing(conf: str) -> None:
    assert public_destination(conf) == {"scheme": None, "address": MASK, "options": {}}
    assert conf in secret_parts(conf)


@pytest.mark.parametrize(
    ("conf", "secrets"),
    [
        ("planted", {"planted"}),
        ("https://u:pla://nted@h", {"https://u:pla://nted@h", "u:pla://nted@h"}),
        ("s3://bucket/logs?region=auto&access-key-id=ID", set()),
        ("https://h/in?header_Authorization=Splunk%20planted-1", {"Splunk%20planted-1", "planted-1"}),
        ("https://h/in?header_A=Splunk+planted-1", {"Splunk+planted-1", "planted-1"}),
        (
            "https://h?header_A=Basic%20dXNlcjpwbGFudGVk",
            {"Basic%20dXNlcjpwbGFudGVk", "dXNlcjpwbGFudGVk", "user:planted", "planted"},
        ),
        ("https://u:pl:anted@h/in", {"u:pl:anted", "u", "pl:anted"}),
        ("sumo://u@h/Xy/abcdefgh/1234567/?token=t&a=b&c", {"u", "Xy/abcdefgh/1234567", "abcdefgh", "t"}),
        ("https://h/in;token=t;a=b?c=d;sig=s", {"t", "s"}),
        ("https://h/in#a#b", {"a#b"}),
        ("https://h?a#planted&b&c=d", {"a#planted", "planted", "b", "d"}),
        ("https://h?a=//u:p@i", {"//u:p@i"}),
    ],
)
def test_what_no_output_may_hold(conf: str, secrets: set[str]) -> None:
    assert secret_parts(conf) == secrets


@given(st.text(max_size=60))
def test_a_destination_is_a_secret_as_a_whole_only_where_it_is_malformed(text: str) -> None:
    assert (text in secret_parts(text)) == (bool(text) and not parse(text).sound)


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
@pytest.mark.parametrize("form", [str, unquote_plus])
def test_message_about_a_destination_stays_readable(form: t.Callable[[str], str], encode: t.Callable[[bytes], bytes]) -> None:
    """Only the secrets in a message are masked, also where the whole is in Base64."""
    text = f"{KEYS} refused: {encode(form(KEYS).encode()).decode().rstrip('=')}."
    readable, encoded = scrub(text, secret_parts(KEYS)).split(" refused: ")
    assert readable == KEYS.replace("planted%2Fkey", MASK)
    assert encoded.startswith(encode(b"s3://bucket/dir?region=").decode()[:-4]) and encoded.endswith(f"{MASK}.")


def test_none_is_no_destination() -> None:
    assert public_destination(None) == {"scheme": None, "address": None, "options": {}}
    assert secret_parts(None) == frozenset()


@given(st.text(max_size=30), st.sampled_from(("secret-access-key", "TOKEN", "header_X", "x-Sig-y", "a_KEY", "Password")))
def test_secret_option_is_always_masked(noise: str, name: str) -> None:
    """A secret option never shows whatever it holds."""
    shown = public_destination(f"s3://bucket/dir?{name}=planted-value{noise}&region=auto")
    assert "planted" not in str(shown)


@given(st.text(max_size=60))
def test_any_text_equals_itself(text: str) -> None:
    """Every text has parts and is the same as itself."""
    parse(text)
    public_destination(text)
    assert same(text, text)
    assert text in secret_parts(text) or parse(text).sound or not text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (KEYS, KEYS.replace("planted", "other")),
        (KEYS, KEYS.replace("auto", "eu")),
        ("sumo://host/planted", "sumo://host/other"),
        ("https://u:planted@host", "https://u:other@host"),
        ("https://u:plan/ted@host", "https://u:oth/er@host"),
        ("https://host?token=a&token=b", "https://host?token=b&token=a"),
        ("https://host?a=1&a=2", "https://host?a=1%2C2"),
        ("user:planted@host", "user:other@host"),
        ("https://host?url=https://u:planted@h", "https://host?url=https://u:other@h"),
    ],
)
def test_a_change_shows_without_its_value(before: str, after: str) -> None:
    old, new = public_change(before, after)
    assert old == public_destination(before)
    assert new != old
    assert "planted" not in f"{old}{new}"
    assert "other" not in f"{old}{new}"


def test_masked_secret_is_no_change() -> None:
    """A secret that the service masks is not reported as changed."""
    masked = KEYS.replace("planted%2Fkey", "*****")
    assert public_change(masked, KEYS)[0] == public_change(masked, KEYS)[1]
    _old, new = public_change(masked, KEYS.replace("auto", "eu"))
    assert new["options"] == {"region": "eu", "access-key-id": "ID", "secret-access-key": MASK}


@pytest.mark.parametrize("conf", ["s3://bucket/dir#planted", "s3://bucket/dir?region=a#planted"])
def test_what_follows_a_hash_is_secret(conf: str) -> None:
    assert "planted" in secret_parts(conf)


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        (
            "sumo://host/planted",
            "sumo://host/other",
            {"scheme": "sumo", "address": f"host/{MASK} (changed)", "options": {}},
        ),
        # Beside another change, a secret that stays is not marked.
        (
            "s3://bucket?region=a&token=t",
            "s3://bucket?region=b&token=t",
            {"scheme": "s3", "address": "bucket", "options": {"region": "b", "token": MASK}},
        ),
        (None, "s3://bucket", {"scheme": "s3", "address": "bucket", "options": {}}),
        # One destination in two spellings is shown as the service spells it.
        ("s3://bucket/d%69r", "s3://bucket/dir", {"scheme": "s3", "address": "bucket/d%69r", "options": {}}),
    ],
)
def test_what_is_shown_afterwards(before: str | None, after: str, shown: dict[str, object]) -> None:
    assert public_change(before, after) == (public_destination(before), shown)


@pytest.mark.parametrize("secret", ["planted%2Fkey", "**X**", "X"])
def test_changed_secret_is_marked_in_place(secret: str) -> None:
    """A secret that changes is marked where it is."""
    old, new = public_change(KEYS.replace("planted%2Fkey", secret), KEYS.replace("planted", "other"))
    assert new.keys() == old.keys()
    assert new["address"] == old["address"]
    changed = [name for name in old["options"] if old["options"][name] != new["options"][name]]
    assert changed == ["secret-access-key"]


@pytest.mark.parametrize(
    ("conf", "needed"),
    [
        ("s3://bucket?region=a", True),
        (KEYS, False),
        ("s3://bucket?endpoint=e", False),
        ("gs://b", True),
        ("azure://b", True),
        ("sumo://b/c", True),
        ("r2://b", False),
        ("https://b", False),
        ("splunk://b", False),
        ("datadog://b", False),
        ("new://b", None),
        ("no destination", None),
    ],
)
def test_who_needs_a_token(conf: str, needed: bool | None) -> None:
    assert takes_token(conf) is needed


@pytest.mark.parametrize(
    ("desired", "present", "assumed"),
    [
        (KEYS, KEYS, False),
        (KEYS, KEYS.replace("planted%2Fkey", "*****"), True),
        (KEYS, "s3://bucket/dir?secret-access-key=*****&region=auto&access-key-id=ID", True),
        (KEYS, KEYS.replace("%2F", "%2f"), False),
        (KEYS, KEYS.replace("planted%2Fkey", "*****").replace("auto", "eu"), False),
        ("r2://bucket?flag&key=a", "r2://bucket?flag&key=*****", True),
        ("gs://bucket", "gs://bucket/other", False),
    ],
)
def test_masked_option_is_assumed_equal(desired: str, present: str, assumed: bool) -> None:
    """Two destinations count as one by assumption only where the service masks an option of the present one."""
    assert is_assumed_same(desired, present) is assumed


def test_resent_secret_is_marked() -> None:
    """A destination that is sent again is marked at its secrets, or at its address if it has none."""
    before, after = public_resend(KEYS)
    assert before == public_destination(KEYS)
    assert after == {**before, "options": {**before["options"], "secret-access-key": f"{MASK} (sent again)"}}
    before, after = public_resend("s3://bucket/dir?region=auto")
    assert before == public_destination("s3://bucket/dir?region=auto")
    assert after == {**before, "address": "bucket/dir (sent again)"}
