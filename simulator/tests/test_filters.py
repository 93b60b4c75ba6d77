# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

import pytest

from edgeops_simulator.filters.evaluate import passes

RECORD = {"Host": "a.example", "Status": 503, "Bytes": "12", "Bot": True, "Tags": ["x", 1], "Nothing": None}
CASES = [
    ("Host", "eq", "a.example", True), ("Status", "eq", 503, True), ("Status", "eq", 503.0, True), ("Status", "eq", "503", False),
    ("Bot", "eq", True, True), ("Bot", "eq", 1, False), ("Status", "!eq", "503", True),
    ("Status", "geq", "500", True), ("Status", "lt", 503, False), ("Status", "leq", 503, True), ("Bytes", "gt", 11.5, True), ("Bytes", "gt", "12", False),
    ("Host", "gt", 1, False), ("Bot", "geq", 0, False), ("Bytes", "lt", "0x20", False),
    ("Host", "startsWith", "a.", True), ("Host", "endsWith", ".com", False),
    ("Host", "!startsWith", "b", True), ("Host", "!endsWith", ".example", False),
    ("Host", "contains", "exam", True), ("Host", "!contains", "exam", False),
    ("Tags", "contains", "x", True), ("Tags", "contains", "1", False), ("Status", "contains", "5", False),
    ("Status", "in", [1, 503], True), ("Status", "in", ["503"], False), ("Host", "!in", ["b"], True),
    ("Nothing", "eq", "", False), ("Missing", "lt", 1, False),
    ("Missing", "!eq", 1, True), ("Missing", "!in", [1], True), ("Nothing", "!contains", "a", True),
]  # fmt: skip


@pytest.mark.parametrize(("key", "operator", "value", "outcome"), CASES)
def test_condition_selects_records(key: str, operator: str, value: t.Any, outcome: bool) -> None:
    condition = {"key": key, "operator": operator, "value": value}
    assert passes(RECORD, condition) is outcome
    assert passes(RECORD, {"and": [condition, condition]}) is outcome
    assert passes(RECORD, {"or": [{"key": "Host", "operator": "eq", "value": "no"}, {"and": [condition]}]}) is outcome
