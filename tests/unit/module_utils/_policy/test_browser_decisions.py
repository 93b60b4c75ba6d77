# SPDX-License-Identifier: GPL-3.0-or-later

"""Matching agrees with what a browser decided; `scripts/record_browser_decisions.py` recorded it."""

import json
import typing as t
from pathlib import Path

from ansible_collections.edgeops.observability.plugins.module_utils._policy.matching import Resource, is_allowed, source_of
from ansible_collections.edgeops.observability.plugins.module_utils._policy.parse import read_policy

RECORDED = json.loads(Path(__file__).with_name("browser_decisions.json").read_text(encoding="utf-8"))["cases"]


def name(case: dict[str, t.Any]) -> str:
    return f"{case['policy']} | {case['page'].partition(':')[0]} | {case['url']}"


def agrees(case: dict[str, t.Any]) -> bool:
    policy = read_policy(case["policy"])
    assert policy is not None, name(case)
    allowed = is_allowed(policy, Resource(case["directive"], case["url"], "shop.example", case["page"]))
    if "redirect" in case:
        # Browsers report the address before the redirect, which the policy may allow on paper. What they allow they allow throughout.
        return allowed or not case["allowed"]
    return allowed is case["allowed"]


def test_matching_agrees_with_the_browser() -> None:
    assert [name(case) for case in RECORDED if not agrees(case)] == []


def test_browser_reports_the_address_before_a_redirect() -> None:
    blocked = [case for case in RECORDED if "redirect" in case and not case["allowed"]]
    assert len(blocked) >= 3 and all(source_of(case["reported"]) == source_of(case["url"]) for case in blocked)


def test_recording_has_every_kind_of_case() -> None:
    assert len(RECORDED) >= 200 and {case["allowed"] for case in RECORDED} == {True, False}
    for part in ("'strict-dynamic'", "*.", "sha256", "data:", "ws:"):
        assert any(part in case["policy"] or part in case["url"] for case in RECORDED), part
