# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._destination import (
    readable_failure,
    readable_text,
    without_secrets,
)

M = "********"


@pytest.mark.parametrize(
    ("text", "readable"),
    [
        ("no address: here // nor there", "no address: here // nor there"),
        ("see https://docs.example/api/jobs?page=2", f"see https://docs.example/api/jobs?page={M}"),
        ('Put "s3://b/p?region=x&secret-access-key=abc": refused', f'Put "s3://b/p?region=x&secret-access-key={M}": refused'),
        ("https://user:pass@h.example/in", f"https://{M}@h.example/in"),
        ("sumo://h.example/receiver/v1/http/abc==", f"sumo://h.example/receiver/v1/http/{M}"),
        ("https:\\/\\/u:p@h.example\\/in", f"https://{M}@h.example/in"),
        ("s3%3A%2F%2Fb%2Fp%3Fsecret%3Dabc then", f"s3://{M} then"),
        ("s3%3a//b/p%3Fsecret%3Dabc", f"s3://{M}"),
        ("s3:%2F%2Fb%2Fp%3Fsecret%3Dabc", f"s3://{M}"),
        ("see https://h.example/in?url=https://u:p@i.example", f"see https://h.example/in?url={M}"),
        ("s3://b c://d?token=x", f"s3://b c://d?token={M}"),
    ],
)
def test_addresses_in_text_are_masked(text: str, readable: str) -> None:
    assert without_secrets(text) == readable
    assert without_secrets(readable) == readable


@pytest.mark.parametrize("text", ["x" * 100_000, "x:/" * 30_000, "s3%3A%2F%2F" * 9000, "a" * 50_000 + "://u:p@h/"])
def test_long_words_take_no_time(text: str) -> None:
    # Quadratic time would run into the test's own time limit.
    assert "u:p" not in without_secrets(text)


def test_text_is_one_line_of_limited_length() -> None:
    assert readable_text("no\nhttps://u:p@h.example/") == f"no https://{M}@h.example/"
    assert readable_text("x" * 2001) == "x" * 2000


def test_failure_texts_are_readable() -> None:
    text, shown = "no\nhttps://u:p@h.example/", f"no https://{M}@h.example/"
    result = {"failed": True, "msg": text, "error": {"kind": "rejected", "errors": [{"code": 1, "message": text}]}}
    error = {"kind": "rejected", "errors": [{"code": 1, "message": shown}]}
    assert readable_failure(result) == {"failed": True, "msg": shown, "error": error}
