# SPDX-License-Identifier: GPL-3.0-or-later

import json

import pytest
from support.samples.filters import both, either, of

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._filter.parse import parse
from ansible_collections.edgeops.observability.plugins.module_utils._filter.text import (
    budget,
    check_limits,
    explain,
    explain_echo,
    to_data,
    to_text,
)
from ansible_collections.edgeops.observability.plugins.module_utils._filter.tree import conditions

# The text after `{"where":`, without its end.
TEXTS = [
    (of("eq", 1), '{"and":[{"key":"a","operator":"eq","value":1}]}'),
    (both(of("eq", 1)), '{"and":[{"key":"a","operator":"eq","value":1}]}'),
    (either(of("eq", 1)), '{"or":[{"key":"a","operator":"eq","value":1}]}'),
    (either(of("eq", 2), of("lt", 1)), '{"or":[{"key":"a","operator":"eq","value":2},{"key":"a","operator":"lt","value":1}]}'),
    *[
        (of(operator, value), f'{{"and":[{{"key":"a","operator":"{operator}","value":{text}}}]}}')
        for operator, value, text in [
            ("eq", 30.0, "30.0"),
            ("eq", True, "true"),
            ("lt", "3e1", '"3e1"'),
            ("in", ["b", "a", "b", 1], '["b","a","b",1]'),
            ("eq", "\u00fc\u20ac\U0001f600", '"\u00fc\u20ac\U0001f600"'),
            ("eq", 'q"\\/', '"q\\"\\\\/"'),
            ("eq", "\u2028\u00a0", '"\u2028\u00a0"'),
        ]
    ],
]


@pytest.mark.parametrize(("expression", "text"), TEXTS)
def test_filter_is_sent_as_compact_json(expression, text):
    text = f'{{"where":{text}}}'
    assert to_text(parse(expression)) == text
    assert to_text(parse(text)) == text
    assert to_text(parse(json.dumps(expression))) == text


def many(count):
    return parse(either(*[both(of("eq", 1))] * count))


def sized(size, letter="x"):
    """Return an expression whose text has this number of bytes."""
    bare = len(to_text(parse(of("eq", ""))))
    width = len(letter.encode())
    text = letter * ((size - bare) // width)
    return parse(of("eq", text + "x" * (size - bare - width * len(text))))


def refusal(tree, **place):
    with pytest.raises(Failure) as caught:
        check_limits(tree, **place)
    assert caught.value.kind == "invalid_option"
    return str(caught.value)


@pytest.mark.parametrize("letter", ["x", "\u00fc", "\U0001f600"])
def test_limit_of_bytes_is_inclusive(letter):
    assert len(to_text(sized(1000, letter)).encode()) == 1000
    assert check_limits(sized(1000, letter)) is None
    assert refusal(sized(1001, letter)) == "filter: 1001 bytes are 1 more than the limit of 1000"
    assert refusal(sized(1234, letter), place="job.filter") == "job.filter: 1234 bytes are 234 more than the limit of 1000"


def test_every_exceeded_limit_is_named():
    size = len(to_text(many(32)).encode())
    exceeded = f"{size} bytes are {size - 1000} more than the limit of 1000"
    assert refusal(many(30)).startswith("filter: ") and "operators" not in refusal(many(30))
    assert refusal(many(32)) == f"filter: 32 operators are 2 more than the limit of 30; {exceeded}"


def test_operators_and_bytes_are_counted():
    assert budget(parse(of("eq", "\u20ac"))) == {"operators": 1, "operators_limit": 30, "bytes": 61, "bytes_limit": 1000}
    nested = parse(either(of("eq", 1), both(of("eq", 2), either(of("eq", 3)))))
    assert budget(nested)["operators"] == 3
    places = [(place, condition.value) for place, condition in conditions(nested)]
    assert places == [("filter.where.or[0]", 1), ("filter.where.or[1].and[0]", 2), ("filter.where.or[1].and[1].or[0]", 3)]


CLAUSES = [
    (of("eq", "x"), 'a is "x"'),
    (of("!eq", True), "a is not true"),
    (of("lt", "5"), 'a is less than "5"'),
    (of("leq", 5.5), "a is at most 5.5"),
    (of("gt", 5), "a is greater than 5"),
    (of("geq", 5), "a is at least 5"),
    (of("startsWith", "\u20ac"), 'a starts with "\u20ac"'),
    (of("!startsWith", "/"), 'a does not start with "/"'),
    (of("endsWith", "/"), 'a ends with "/"'),
    (of("!endsWith", "/"), 'a does not end with "/"'),
    (of("contains", "/"), 'a contains "/"'),
    (of("!contains", "/"), 'a does not contain "/"'),
    (of("in", ["x", 2]), 'a is one of "x", 2'),
    (of("!in", ["x"]), 'a is none of "x"'),
    (both(of("eq", 1), of("eq", 2, "b")), "a is 1 and b is 2"),
    (either(both(either(of("eq", 1), of("eq", 2)), of("eq", 3, "b")), of("eq", 4)), "((a is 1 or a is 2) and b is 3) or a is 4"),
    (both(either(of("eq", 1), of("eq", 2))), "a is 1 or a is 2"),
    (both(both(either(of("eq", 1), of("eq", 2))), of("eq", 3, "b")), "(a is 1 or a is 2) and b is 3"),
]


@pytest.mark.parametrize(("expression", "clause"), CLAUSES)
def test_filter_is_explained_in_a_sentence(expression, clause):
    sentence = f"A record is delivered only if {clause}; all other records are left out."
    assert explain(parse(expression)) == sentence
    assert explain_echo(json.dumps(expression)) == sentence


def test_no_filter_delivers_every_record():
    assert explain(None) == explain_echo(None) == explain_echo("") == "Every record is delivered: there is no filter."


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ('{"where": {"and": [{"key": "a", "operator": "eq", "value": 1}]}}', {"where": {"and": [of("eq", 1)]}}),
        ('{"key": "a", "value": [1.5, 3e1, -0.25, 30.0]}', {"key": "a", "value": [1.5, 30.0, -0.25, 30.0]}),
        # Returned as text: a member that is there twice, numbers that Python would change, and text that is not a JSON object.
        ('{"key": "a", "value": 1, "value": 2}', '{"key": "a", "value": 1, "value": 2}'),
        *[
            (text, text)
            for text in ('{"value": 0.1000000000000000055}', '{"value": 1e400}', '{"value": NaN}', "{", "[1]", "5", "")
        ],
        pytest.param("[" * 99_999, "[" * 99_999, id="too deep"),
    ],
)
def test_text_is_data_unless_numbers_would_change(text, data):
    assert to_data(text) == data


def test_filter_of_a_diff_is_explained():
    expression = both(of("eq", "\u20ac"), of("lt", 5))
    assert explain_echo(expression) == explain(parse(expression))
    assert explain_echo({"where": expression}) == explain(parse(expression))


def test_other_names_of_operators_are_understood_in_echoes():
    """Other names are converted at any depth and in lists; a value that looks like an operator is not."""
    for name, operator in (("lte", "leq"), ("gte", "geq"), ("ne", "!eq"), ("<", "lt"), ("!=", "!eq")):
        written = either(of("eq", "lte"), both(of(name, 5), of("in", ["ne"])))
        meant = either(of("eq", "lte"), both(of(operator, 5), of("in", ["ne"])))
        assert explain_echo(json.dumps(written)) == explain(parse(meant))


@pytest.mark.parametrize("text", ["{", "[]", '{"where":{}}', 5])
def test_invalid_filter_is_not_explained(text):
    assert explain_echo(text) == "The filter could not be understood, so it is not known which records are delivered."
