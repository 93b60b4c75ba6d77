# SPDX-License-Identifier: GPL-3.0-or-later

import collections
import json

import pytest
from support.samples.filters import of

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._filter import tree as operators
from ansible_collections.edgeops.observability.plugins.module_utils._filter.parse import MAX_DEPTH, parse, read_echo
from ansible_collections.edgeops.observability.plugins.module_utils._filter.tree import Group

A = {"key": "a", "operator": "eq", "value": 1}


def refusal(value, *place):
    with pytest.raises(Failure) as caught:
        parse(value, *place)
    assert caught.value.kind == "invalid_option"
    return str(caught.value)


NUMBERS = [0, -3, 30.0, "0", "-0", "30", "-1.5", "0.10", "1e3", "1E+3", "2.5e-07", "1e999999999", "1e-000000000009"]
NUMBERS += ["-1E+99999999999999999999", "1" * 4096]


@pytest.mark.parametrize(("operator", "value"), [("eq", 2**4096 - 1), ("in", [1, "1"]), *(("lt", number) for number in NUMBERS)])
def test_value_is_kept_as_given(operator, value):
    """For other values see test_text_is_stable."""
    tree = parse(of(operator, value))
    expected = tuple(value) if isinstance(value, list) else value
    assert (tree.key, tree.operator, tree.value) == ("a", operator, expected)
    assert type(tree.value) is type(expected)


SCALAR = "must be a string, a number, true or false"
NUMBER = "must be a number, or a string that is a JSON number, for 'lt'"
NO_NUMBERS = [(True, "true"), (False, "false"), (None, "null"), ([1], "a list")]
NO_NUMBERS += [
    (text, f"'{text}'") for text in ("", "x", " 1", "1 ", "+1", "01", ".5", "1.", "0x10", "1_000", "NaN", "Infinity", "1e")
]
NO_NUMBERS += [("\u0663", "'\u0663'"), ("1\n", "'1\\n'"), ("1" * 4097, "'" + "1" * 56 + "...")]
NO_NUMBERS += [("x" * 58, "'" + "x" * 58 + "'"), ("x" * 59, "'" + "x" * 56 + "...")]
WRONG_VALUES = [
    ("eq", None, f".value: {SCALAR}, not null"),
    ("eq", {"x": 1}, f".value: {SCALAR}, not an object"),
    ("eq", float("-inf"), f".value: {SCALAR}, not -inf"),
    ("eq", b"x", f".value: {SCALAR}, not a value of type bytes"),
    ("eq", [1], f".value: {SCALAR} for 'eq' (a list goes with 'in'), not a list"),
    ("!eq", (1,), f".value: {SCALAR} for '!eq' (a list goes with '!in'), not a list"),
    ("eq", 2**4096, ".value: is a number too large to be sent"),
    ("eq", "\udfff", ".value: '\\udfff' has a lone surrogate, which cannot be sent as UTF-8"),
    ("eq", "\ud800", ".value: '\\ud800' has a lone surrogate, which cannot be sent as UTF-8"),
    *[("lt", value, f".value: {NUMBER}, not {text}") for value, text in NO_NUMBERS],
    *[(name, 5, f".value: must be a string for {name!r}, not 5") for name in operators.TEXT],
    ("startsWith", 2**300, ".value: must be a string for 'startsWith', not a very large number"),
    ("startsWith", 2**256 - 1, f".value: must be a string for 'startsWith', not {str(2**256)[:57]}..."),
    ("in", "200,201", ".value: must be a list of strings or numbers for 'in', not '200,201'"),
    ("in", [], ".value: must not be empty for 'in'"),
    ("in", ["a", True], ".value[1]: must be a string or a number, not true"),
    ("!in", [1, [2]], ".value[1]: must be a string or a number, not a list"),
    ("in", ["\ud800"], ".value[0]: '\\ud800' has a lone surrogate, which cannot be sent as UTF-8"),
]


@pytest.mark.parametrize(("operator", "value", "message"), WRONG_VALUES)
def test_wrong_value_is_refused_with_its_place(operator, value, message):
    assert refusal({"and": [A, of(operator, value)]}) == f"filter.where.and[1]{message}"


SUGGESTIONS = {
    "eq": ["=", "EQ", "equals", " eq "],
    "!eq": ["ne", "neq", "!=", "!"],
    "lt": ["<", "lessThan", "less_than"],
    "leq": ["lte", "le", "LTE", "<="],
    "gt": [">", "greaterThan"],
    "!in": ["nin", "notIn", "not in", "not_in"],
    "!contains": ["notContains", "not_contains", "doesNotContain"],
    "geq": ["gte", "ge", ">="],
    "startsWith": ["starts_with"],
    "!startsWith": ["!starts", "notStartsWith"],
    "contains": ["contain"],
}


@pytest.mark.parametrize(("name", "meant"), [(name, meant) for meant in SUGGESTIONS for name in SUGGESTIONS[meant]])
def test_unknown_operator_has_a_suggestion(name, meant):
    assert refusal({"where": {"and": [A, of(name, 1)]}}) == (
        f"filter.where.and[1].operator: {name!r} is not an operator (did you mean {meant!r}?)"
    )


@pytest.mark.parametrize(
    ("name", "ending"),
    [
        ("\u00df", "'\u00df' is not an operator"),
        ("", "'' is not an operator"),
        # The opposite operator is not suggested.
        ("!gte", "'!gte' is not an operator"),
        ("eq" * 50_000, "eqeq... is not an operator"),
        # Only the start of a long operator is compared.
        ("lte".ljust(64) + "x", "... is not an operator (did you mean 'leq'?)"),
        ("lte".ljust(63) + "x", "... is not an operator"),
    ],
)
def test_dissimilar_operator_has_no_suggestion(name, ending):
    message = refusal(of(name, 1))
    assert message.startswith("filter.where.operator: ") and message.endswith(ending) and len(message) < 200


EXPECTED = "must be a condition {key, operator, value}, {and: [...]} or {or: [...]}"
INCOMPLETE = "is missing: a condition has the members key, operator and value"
NO_MEMBER = "is not a member of an expression"
# The message after `filter.where`.
WRONG_SHAPES = [
    (None, f": {EXPECTED}, not null"),
    ([A], f": {EXPECTED}, not a list"),
    ({}, f": {EXPECTED}, not an empty object"),
    ({"where": {}}, f": {EXPECTED}, not an empty object"),
    ({"where": "{}"}, f": {EXPECTED}, not '{{}}'"),
    ({"where": A, "x": 1, "y": 2}, ": 'where' must be the only member, found beside it: 'x', 'y'"),
    ({"where": {"where": A}}, ": 'where' may only be the outermost member"),
    ({"and": [{"where": A}]}, ".and[0]: 'where' may only be the outermost member"),
    ({"and": []}, ".and: must not be empty"),
    ({"and": "x"}, ".and: must be a list of conditions, not 'x'"),
    ({"and": A}, ".and: must be a list of conditions, not an object"),
    ({"and": [A], "or": [A]}, ": 'and' must be the only member, found beside it: 'or'"),
    ({"or": [A], "key": 1}, ": 'or' must be the only member, found beside it: 'key'"),
    ({"and": [A, {"or": [A, {"and": [5]}]}]}, f".and[1].or[1].and[0]: {EXPECTED}, not 5"),
    ({"key": "a"}, f": 'operator' {INCOMPLETE}"),
    ({**A, "note": "x"}, f": 'note' {NO_MEMBER}"),
    ({"key": "a", "op": "eq", "value": 1}, f": 'op' {NO_MEMBER} (did you mean 'operator'?)"),
    ({"AND": [A]}, f": 'AND' {NO_MEMBER} (did you mean 'and'?)"),
    ({**A, "key": " \t"}, ".key: must not be empty: it is the name of a log field"),
    ({**A, "key": 5}, ".key: must be a string, the name of a log field, not 5"),
    ({**A, "key": "\ud83d"}, ".key: '\\ud83d' has a lone surrogate, which cannot be sent as UTF-8"),
    ({**A, "operator": 5}, ".operator: must be a string, the name of an operator, not 5"),
    ({**A, 5: "x"}, f": 5 {NO_MEMBER}"),
    ({**A, "operator": None}, ".operator: must be a string, the name of an operator, not null"),
]


@pytest.mark.parametrize(("value", "message"), WRONG_SHAPES)
def test_wrong_shape_is_refused_with_its_place(value, message):
    assert refusal(value) == f"filter.where{message}"
    assert refusal(value, "job.filter") == f"job.filter.where{message}"


LOOKS = "is not a filter expression, which looks like {key: EdgeResponseStatus, operator: geq, value: 500}; several of them are joined"
RULES = f"is in the rules language, which Logpush does not use: it {LOOKS}"
PAIR = LOOKS.replace("geq, value: 500", "eq, value: {}")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"EdgeResponseStatus": 500}, PAIR.replace("{}", "500")),
        ({"EdgeResponseStatus": "de"}, PAIR.replace("{}", "'de'")),
        ('{"EdgeResponseStatus": 500}', PAIR.replace("{}", "500")),
        ({"EdgeResponseStatus": [500]}, LOOKS),
        ({"EdgeResponseStatus": 500, "ClientIP": "x"}, LOOKS),
        ({None: 1}, LOOKS),
        ("EdgeResponseStatus >= 500", RULES),
        ('http.host eq "shop.example.com"', RULES),
        ("EdgeResponseStatus", LOOKS),
    ],
)
def test_message_shows_an_expression(value, message):
    assert refusal(value).startswith(f"filter: {message}")
    assert refusal(value, "job.filter").startswith(f"job.filter: {message}")


WRONG_TEXTS = [
    ("", "is empty: give a condition, or 'and' or 'or' of conditions"),
    ('{"and":\n  [}', "is not valid JSON: line 2, column 4: Expecting value"),
    ('  {"and": }', "is not valid JSON: line 1, column 11: Expecting value"),
    (" [{]", "is not valid JSON: line 1, column 4: Expecting property name enclosed in double quotes"),
    ('\n"text', "is not valid JSON: line 2, column 1: Unterminated string starting at"),
    ("NaN", "is not valid JSON: 'NaN' is not a JSON number"),
    ('{"key":"a","operator":"eq","value":-Infinity}', "is not valid JSON: '-Infinity' is not a JSON number"),
    ('{"key":"a","key":"b","operator":"eq","value":1}', "is not valid JSON: an object has two members of one name"),
    ('"text"', f"{EXPECTED}, not 'text'"),
    ("1.50", f"{EXPECTED}, not 1.50"),
    ("1." + "0" * 58, f"{EXPECTED}, not 1." + "0" * 58),
    ("1." + "0" * 59, f"{EXPECTED}, not 1." + "0" * 55 + "..."),
    ("[" * 100_000, f"is nested more than {MAX_DEPTH} levels deep"),
]


@pytest.mark.parametrize(("text", "message"), WRONG_TEXTS)
def test_wrong_text_is_refused_with_its_place(text, message):
    assert refusal(text) == f"filter.where: {message}"


@pytest.mark.parametrize(
    ("value", "problem"),
    [("1" * 4096, "is a number too large to be sent"), ("1." + "0" * 4095, f"{SCALAR}, not 1.{'0' * 55}...")],
)
def test_numbers_of_maximum_length_are_refused_with_their_reason(value, problem):
    assert refusal(f'{{"key":"a","operator":"eq","value":{value}}}') == f"filter.where.value: {problem}"


@pytest.mark.parametrize("form", [lambda data: data, lambda data: {"where": data}, lambda data: json.dumps(data, indent=2)])
def test_outer_where_is_optional(form):
    expected = "Group('or', (Condition('a', 'eq', 1), Group('and', (Condition('a', 'in', ('x', 2)),))))"
    assert repr(parse(form({"or": [A, {"and": [of("in", ["x", 2])]}]}))) == expected


def nested(levels):
    data = A
    for _level in range(levels):
        data = {"and": [data]}
    return data


def test_depth_has_a_limit():
    assert isinstance(parse(nested(MAX_DEPTH)), Group)
    loop = {"and": []}
    loop["and"] += [loop, loop]
    for data in (nested(MAX_DEPTH + 1), loop):
        assert refusal(data) == f"filter.where: is nested more than {MAX_DEPTH} levels deep"


class Text(str):
    def __str__(self):
        return "tagged"

    __repr__ = __str__


class Number(float):
    pass


def test_tagged_values_become_plain():
    condition = collections.UserDict({Text("key"): Text("a"), "operator": Text("in"), "value": (Text("x"), 1)})
    tree = parse(collections.UserDict({"where": collections.UserDict({"and": [condition]})}))
    (child,) = tree.children
    assert [repr(part) for part in (child.key, child.operator, *child.value)] == ["'a'", "'in'", "'x'", "1"]
    assert type(parse(of("eq", Text("x"))).value) is str and type(parse(of("eq", Number(1.5))).value) is float


def test_tagged_text_is_shown_plain_in_messages():
    assert refusal(of("lt", Text("x"))) == f"filter.where.value: {NUMBER}, not 'x'"
    assert refusal(of(Text("lte"), 1)) == "filter.where.operator: 'lte' is not an operator (did you mean 'leq'?)"
    assert refusal({Text("kye"): 1}) == "filter.where: 'kye' is not a member of an expression (did you mean 'key'?)"


@pytest.mark.parametrize(
    "echo", ["", "{", "5", "null", "{}", "[]", '{"where":{"and":[]}}', "\ud800", "[" * 100_000, json.dumps(json.dumps(A))]
)
def test_invalid_filter_of_the_service_is_none(echo):
    assert read_echo(echo) is None


@pytest.mark.parametrize(("other", "ours"), [("eq", "eq"), ("neq", "!eq"), ("ne", "!eq"), ("lte", "leq"), ("gte", "geq")])
def test_other_operator_names_of_the_service_are_understood(other, ours):
    """The service may return names of operators from other languages; in options these are refused."""
    # Mutation testing runs the tests in copies of a process that has run them already: the cache would hide mutants.
    read_echo.cache_clear()
    echo = f'{{ "where":{{"or":[{{"value":1,"operator":"{other}","key":"a"}}]}}}}'
    assert read_echo(echo).form == parse(echo.replace(other, ours)).form
