# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.edgeops.observability.plugins.module_utils._plan.destination import parse, same, takes_token
from ansible_collections.edgeops.observability.plugins.module_utils._plan.destination_public import (
    public_change,
    public_destination,
    secret_parts,
)
from ansible_collections.edgeops.observability.plugins.module_utils._redact import MASK

KEYS = "s3://bucket/dir?region=auto&access-key-id=ID&secret-access-key=planted%2Fkey"


@pytest.mark.parametrize(
    ("wanted", "present", "equal"),
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
        ("no destination", "another", False),
    ],
)
def test_same(wanted: str, present: str, equal: bool) -> None:
    assert same(wanted, present) is equal


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
    ],
)
def test_public(conf: str, address: str, options: dict[str, str]) -> None:
    assert public_destination(conf) == {"scheme": conf.partition(":")[0], "address": address, "options": options}
    assert any("planted" in secret or "nted" in secret for secret in secret_parts(conf))


@pytest.mark.parametrize("conf", ["planted", "user:planted@host", "?token=planted", "://planted"])
def test_what_is_no_destination_shows_nothing(conf: str) -> None:
    assert "planted" not in str(public_destination(conf))
    assert conf in secret_parts(conf)


def test_none_is_no_destination() -> None:
    assert public_destination(None) == {"scheme": None, "address": None, "options": {}}
    assert secret_parts(None) == frozenset()


@given(st.text(max_size=30), st.sampled_from(("secret-access-key", "TOKEN", "header_X", "x-Sig-y", "a_KEY", "Password")))
def test_a_secret_option_never_shows_whatever_it_holds(noise: str, name: str) -> None:
    shown = public_destination(f"s3://bucket/dir?{name}=planted-value{noise}&region=auto")
    assert "planted" not in str(shown)


@given(st.text(max_size=60))
def test_every_text_has_parts_and_is_the_same_as_itself(text: str) -> None:
    parse(text)
    public_destination(text)
    assert same(text, text)
    assert text in secret_parts(text) or not text


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
    ],
)
def test_a_change_shows_without_its_value(before: str, after: str) -> None:
    old, new = public_change(before, after)
    assert old == public_destination(before)
    assert new != old
    assert "planted" not in f"{old}{new}"
    assert "other" not in f"{old}{new}"


def test_what_the_service_hides_is_not_said_to_change() -> None:
    masked = KEYS.replace("planted%2Fkey", "*****")
    assert public_change(masked, KEYS)[0] == public_change(masked, KEYS)[1]
    _old, new = public_change(masked, KEYS.replace("auto", "eu"))
    assert new["options"] == {"region": "eu", "access-key-id": "ID", "secret-access-key": MASK}


@pytest.mark.parametrize("conf", ["s3://bucket/dir#planted", "s3://bucket/dir?region=a#planted"])
def test_what_follows_a_hash_is_secret(conf: str) -> None:
    assert "planted" in secret_parts(conf)


def test_a_secret_that_changes_is_marked_where_it_is() -> None:
    old, new = public_change(KEYS, KEYS.replace("planted", "other"))
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
    ],
)
def test_who_needs_a_token(conf: str, needed: bool | None) -> None:
    assert takes_token(conf) is needed
