# SPDX-License-Identifier: GPL-3.0-or-later

import json
import math
import random
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._filter.compare import compile_filter, same_filter
from ansible_collections.edgeops.observability.plugins.module_utils._filter.lint import findings
from ansible_collections.edgeops.observability.plugins.module_utils._filter.parse import parse, read_echo
from ansible_collections.edgeops.observability.plugins.module_utils._filter.text import budget, explain, explain_echo, to_text
from ansible_collections.edgeops.observability.plugins.module_utils._filter.tree import OPERATORS

# Few values, so that conditions overlap; includes all pairs that are easily confused.
TEXTS = st.sampled_from(["", "a", "ab", "b", "/a", "1", "1.0", "10e-1", "2", "-3", "true", "x1"])
NUMBERS = st.sampled_from([0, 1, 1.0, 2, -3, 0.5, 2**53, 2**53 + 1, float(2**53)])
NUMBER_TEXTS = st.sampled_from(["1", "1.0", "10e-1", "2", "-3", "0.5", "9007199254740993"])
KEYS = st.sampled_from(["p", "q"])


def condition(operator, value):
    return st.builds(lambda key, operand: {"key": key, "operator": operator, "value": operand}, KEYS, value)


def values_of(operator):
    base = operator.lstrip("!")
    if base == "eq":
        return TEXTS | NUMBERS | st.booleans()
    if base == "in":
        return st.lists(TEXTS | NUMBERS, min_size=1, max_size=4)
    return NUMBERS | NUMBER_TEXTS if base in ("lt", "leq", "gt", "geq") else TEXTS


CONDITIONS = st.one_of([condition(operator, values_of(operator)) for operator in OPERATORS])
EXPRESSIONS = st.recursive(
    CONDITIONS,
    lambda inner: st.builds(
        lambda op, parts: {op: parts}, st.sampled_from(["and", "or"]), st.lists(inner, min_size=1, max_size=3)
    ),
    max_leaves=8,
)
# All values that matter for the texts and numbers above, and values next to them.
POOL = [
    None,
    *("", "a", "ab", "b", "bab", "/a", "/ab", "1", "1.0", "10e-1", "1.5", "2", "-3", "0.5", "true", "x1", "9007199254740993"),
]
POOL += [0, 1, 1.0, 1.5, 2, 3, -3, -4, 0.5, 2**53, 2**53 + 1, float(2**53), True, False, math.nan]
POOL += [{}, [], ["a"], ["ab", "1"], ["", 1], [1]]
# Each value of one field with six values of the other: many more records than each example could draw.
GRID = [
    {"p": one, "q": other}
    for turn in range(6)
    for one, other in zip(POOL, random.Random(turn).sample(POOL, len(POOL)), strict=True)
]
GRID += [{}, {"p": 1}, {"q": "a"}]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()) | st.sampled_from(OPERATORS),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["where", "and", "or", "key", "operator", "value"]) | st.text(max_size=3) | st.integers(),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


def reference_number(value):
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    if isinstance(value, str):
        try:
            return (
                reference_number(json.loads(value)) if value.strip() == value and not isinstance(json.loads(value), str) else None
            )
        except ValueError:
            return None
    return Fraction(repr(value)) if math.isfinite(value) else None


def reference_equal(one, other):
    if isinstance(one, str) or isinstance(other, str) or isinstance(one, bool) or isinstance(other, bool):
        return type(one) is type(other) and one == other
    left, right = reference_number(one), reference_number(other)
    return left is not None and left == right


def reference(expression, record):  # noqa: PLR0911  # one return for each operator is simplest
    if "and" in expression:
        return all(reference(part, record) for part in expression["and"])
    if "or" in expression:
        return any(reference(part, record) for part in expression["or"])
    operator, value, actual = expression["operator"], expression["value"], record.get(expression["key"])
    if operator.startswith("!"):
        return not reference({**expression, "operator": operator[1:]}, record)
    if actual is None:
        return False
    if operator in ("eq", "in"):
        return any(reference_equal(operand, actual) for operand in (value if operator == "in" else [value]))
    if operator in ("startsWith", "endsWith"):
        if not isinstance(actual, str):
            return False
        return (actual[: len(value)] if operator == "startsWith" else actual[max(0, len(actual) - len(value)) :]) == value
    if operator == "contains":
        return (
            value in actual
            if isinstance(actual, str)
            else isinstance(actual, list) and value in [item for item in actual if item.__class__ is str]
        )
    left, right = reference_number(actual), reference_number(value)
    if left is None:
        return False
    return {"lt": left < right, "leq": left <= right, "gt": left > right, "geq": left >= right}[operator]


def delivered_records(tree):
    return list(map(compile_filter(tree), GRID))


def rearranged(expression, chance):
    """Return an equal expression in another spelling."""
    if "key" in expression:
        changed = dict(reversed(expression.items()))
        value = changed["value"]
        if isinstance(value, list):
            changed["value"] = chance.sample(value, len(value)) + chance.sample(value, chance.randrange(len(value)))
        elif not isinstance(value, bool) and isinstance(value, int) and abs(value) < 2**50:
            changed["value"] = float(value)
    else:
        ((op, parts),) = expression.items()
        parts = [rearranged(part, chance) for part in parts]
        parts += [rearranged(part, chance) for part in chance.sample(parts, chance.randrange(len(parts)))]
        chance.shuffle(parts)
        cut = chance.randrange(len(parts) + 1)
        changed = {op: [*parts[:cut], {op: parts[cut:]}]} if cut < len(parts) and chance.random() < 0.5 else {op: parts}
    return {chance.choice(["and", "or"]): [changed]} if chance.random() < 0.3 else changed


@given(EXPRESSIONS)
def test_text_is_stable(expression):
    text = to_text(parse(expression))
    assert to_text(parse(text)) == text
    assert same_filter(parse(text), parse(expression))
    sent = json.loads(text)["where"]
    assert sent == ({"and": [expression]} if "key" in expression else expression)
    assert budget(parse(expression))["operators"] == text.count('"operator":')


@given(EXPRESSIONS, st.randoms(use_true_random=False))
def test_equality_ignores_spelling(expression, chance):
    other = rearranged(expression, chance)
    assert same_filter(parse(expression), parse(other))
    assert same_filter(parse(other), parse({"where": expression}))
    assert delivered_records(parse(expression)) == delivered_records(parse(other))


@given(EXPRESSIONS, EXPRESSIONS)
def test_equal_expressions_deliver_the_same_records(one, other):
    left, right = parse(one), parse(other)
    assert same_filter(left, left)
    assert same_filter(left, right) is same_filter(right, left)
    if same_filter(left, right):
        assert delivered_records(left) == delivered_records(right)


@given(EXPRESSIONS)
def test_evaluator_agrees_with_reference(expression):
    assert delivered_records(parse(expression)) == [reference(expression, record) for record in GRID]


VALUES = st.lists(
    st.builds(lambda value: {"key": "p", "operator": "eq", "value": value}, TEXTS | NUMBERS), min_size=1, max_size=3
)


@given(VALUES)
def test_excluding_values_deliver_no_record(conditions):
    tree = parse({"and": conditions})
    excluded = any("no record can meet" in text for text in findings(tree))
    assert excluded is (len({parse(condition).form for condition in conditions}) > 1)
    assert not (excluded and True in delivered_records(tree))


def read(value):
    try:
        tree = parse(value)
    except Failure as failure:
        check_refusal(value, failure)
        return
    text = to_text(tree)
    text.encode()
    assert to_text(parse(text)) == text
    assert same_filter(parse(text), tree)
    list(findings(tree))
    assert explain(tree) == explain_echo(text)


def check_refusal(value, failure):
    assert failure.kind == "invalid_option" and failure.message.startswith(("filter.where", "filter: is "))
    failure.message.encode()
    assert not isinstance(value, str) or read_echo(value) is None


@given(JSON)
def test_any_data_is_parsed_or_refused(value):
    read(value)
    read({"and": [value]})
    read({"key": "a", "operator": "in", "value": value})
    read({"key": "a", "operator": "eq", "value": value})


@given(st.text(st.characters()) | JSON.map(lambda value: json.dumps(value, default=str, skipkeys=True)))
def test_any_text_is_parsed_or_refused(text):
    read(text)
