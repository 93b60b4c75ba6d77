# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._filter.parse import parse
from ansible_collections.edgeops.observability.plugins.module_utils._filter.text import budget, check, scalar_text, to_text


def of(value, key="a", operator="eq"):
    return {"value": value, "operator": operator, "key": key}


TEXTS = [
    (of(1), '{"where":{"and":[{"key":"a","operator":"eq","value":1}]}}'),
    ({"and": [of(1)]}, '{"where":{"and":[{"key":"a","operator":"eq","value":1}]}}'),
    ({"or": [of(1)]}, '{"where":{"or":[{"key":"a","operator":"eq","value":1}]}}'),
    ({"and": [{"and": [of(1)]}]}, '{"where":{"and":[{"and":[{"key":"a","operator":"eq","value":1}]}]}}'),
    (
        {"where": {"or": [of(2), of(1)]}},
        '{"where":{"or":[{"key":"a","operator":"eq","value":2},{"key":"a","operator":"eq","value":1}]}}',
    ),
    *[
        (of(value, operator=operator), f'{{"where":{{"and":[{{"key":"a","operator":"{operator}","value":{text}}}]}}}}')
        for operator, value, text in [
            ("eq", 30, "30"),
            ("eq", 30.0, "30.0"),
            ("eq", "30", '"30"'),
            ("eq", True, "true"),
            ("eq", False, "false"),
            ("lt", "3e1", '"3e1"'),
            ("in", ["b", "a", "b", 1], '["b","a","b",1]'),
            ("eq", 10**30, "1" + "0" * 30),
            ("eq", "\u00fc\u20ac\U0001f600", '"\u00fc\u20ac\U0001f600"'),
            ("eq", 'q"\\/', '"q\\"\\\\/"'),
            ("eq", "\n\x01", '"\\n\\u0001"'),
            ("eq", "\u2028\u00a0", '"\u2028\u00a0"'),
        ]
    ],
]


@pytest.mark.parametrize(("expression", "text"), TEXTS)
def test_text_that_is_sent(expression, text):
    assert to_text(parse(expression)) == text
    assert to_text(parse(text)) == text
    assert to_text(parse(json.dumps(expression))) == text


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_what_json_cannot_say_is_never_sent(number):
    with pytest.raises(ValueError, match="not JSON compliant"):
        scalar_text(number)


def many(count):
    return parse({"or": [{"and": [of(1)]} for _index in range(count)]})


def sized(size, letter="x"):
    """An expression whose text has exactly so many bytes."""
    bare = len(to_text(parse(of(""))))
    width = len(letter.encode())
    text = letter * ((size - bare) // width)
    return parse(of(text + "x" * (size - bare - width * len(text))))


def refusal(tree, **place):
    with pytest.raises(Failure) as caught:
        check(tree, **place)
    assert caught.value.kind == "invalid_option"
    return str(caught.value)


def test_operators_at_the_limit():
    assert budget(many(30))["operators"] == 30
    assert "operators" not in refusal(many(30))
    assert "31 operators are 1 more than the limit of 30" in refusal(many(31))
    assert "45 operators are 15 more than the limit of 30" in refusal(many(45))


@pytest.mark.parametrize("letter", ["x", "\u00fc", "\u20ac", "\U0001f600"])
def test_bytes_at_the_limit(letter):
    assert len(to_text(sized(1000, letter)).encode()) == 1000
    assert check(sized(1000, letter)) is None
    assert refusal(sized(1001, letter)) == "filter: 1001 bytes are 1 more than the limit of 1000"
    assert refusal(sized(1234, letter), place="job.filter") == "job.filter: 1234 bytes are 234 more than the limit of 1000"


def test_every_exceeded_limit_is_named():
    size = len(to_text(many(32)).encode())
    assert refusal(many(32)) == (
        f"filter: 32 operators are 2 more than the limit of 30; {size} bytes are {size - 1000} more than the limit of 1000"
    )


def test_budget():
    assert budget(parse(of("\u20ac"))) == {"operators": 1, "operators_limit": 30, "bytes": 61, "bytes_limit": 1000}
    assert budget(parse({"or": [of(1), {"and": [of(1), {"or": [of(1)]}]}]}))["operators"] == 3
