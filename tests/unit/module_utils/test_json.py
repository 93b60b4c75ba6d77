# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._text import json_type


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("{}", "an object"),
        ("[]", "a list"),
        ('""', "a string"),
        ("true", "a boolean"),
        ("1", "a number"),
        ("1.5", "a number"),
        ("null", "null"),
    ],
)
def test_each_type_of_json_has_a_name(text: str, name: str) -> None:
    assert json_type(json.loads(text)) == name


def test_foreign_type_has_its_python_name() -> None:
    """A type that JSON does not have is named as Python names it."""
    assert json_type(b"") == "a value of type bytes"
