# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.utils.unsafe_proxy import wrap_var

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.plugin_utils._arguments import parsed, serialised, validated


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ("text", "text"),
        ("é\u2028", "é\u2028"),
        (12345678901234567890, 12345678901234567890),
        (1.5, 1.5),
        (None, None),
        ((1, 2), [1, 2]),
        ({1: "a", None: "b"}, {"1": "a", "null": "b"}),
        (datetime.date(2024, 2, 29), "2024-02-29"),
        (wrap_var("{{ text }}"), "{{ text }}"),
    ],
)
def test_values_are_what_a_module_gets(value: object, plain: object) -> None:
    found = serialised({"option": value})["option"]
    assert found == plain
    assert type(found) is type(plain)


def test_yaml_loses_its_tags() -> None:
    loaded = DataLoader().load("{list: [1, yes], text: some, day: 2024-02-29}")
    found = serialised(loaded)
    assert found == {"list": [1, True], "text": "some", "day": "2024-02-29"}
    assert {type(value) for value in found.values()} == {list, str}


def test_what_has_no_json_is_refused() -> None:
    with pytest.raises(TypeError):
        serialised({"option": object()})


@pytest.mark.parametrize(
    ("given", "params"),
    [({"a": "1"}, {"a": 1, "b": "x", "c": None}), ({"a": 1, "c": ["y"]}, {"a": 1, "b": "x", "c": ["y"]})],
)
def test_options_are_converted_and_completed(given: dict[str, t.Any], params: dict[str, t.Any]) -> None:
    specification = {
        "argument_spec": {"a": {"type": "int"}, "b": {"default": "x"}, "c": {"type": "list", "elements": "str", "no_log": True}}
    }
    checked = validated(specification, given, "action")
    assert (checked.params, checked.error) == (params, None)
    assert checked.secrets == set(given.get("c", ()))


SPEC = {
    "jobs": {"type": "list", "elements": "dict", "options": {"name": {"type": "str"}}},
    "job": {"type": "dict", "options": {"name": {"type": "str"}}},
    "names": {"type": "list", "elements": "str"},
}


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"jobs": '[{"name": "a"}]', "job": ' {"name": "b"}'}, {"jobs": [{"name": "a"}], "job": {"name": "b"}}),
        ({"jobs": wrap_var("[]")}, {"jobs": []}),
        ({"jobs": "", "job": None}, {"jobs": [], "job": None}),
        ({"jobs": " ", "job": " "}, {"jobs": [], "job": None}),
        # What ansible-core before 2.19 makes of a dict in a template.
        ({"job": "{'name': None}"}, {"job": {"name": None}}),
        ({"job": "name=a", "names": '["a"]', "other": "{"}, {"job": {"name": "a"}, "names": '["a"]', "other": "{"}),
    ],
)
def test_json_text_becomes_data(given: dict[str, t.Any], found: dict[str, t.Any]) -> None:
    """Of options with suboptions only; every other option has its own way to read text."""
    assert parsed(SPEC, given) == found


@pytest.mark.parametrize("text", ['[{"name": "secret", ]', "secret", "[" * 5000, "[secret()]"])
def test_other_text_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(Failure, match=r"^role_jobs: not JSON: ") as caught:
        parsed(SPEC, {"jobs": text, "option_prefix": "role_"})
    with pytest.raises(Failure, match=r"^job: not JSON: "):
        parsed(SPEC, {"job": text})
    assert "secret" not in caught.value.message
