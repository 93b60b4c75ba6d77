# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import importlib

import pytest
from ansible.errors import AnsibleFilterError

FILTERS = {
    "log_field_coverage": (({"custom_fields": None}, []), ("no mapping", [])),
    "diff_lines": (({"changed": False},), ("no mapping",)),
}


@pytest.fixture(params=sorted(FILTERS))
def filter_case(request):
    plugin = importlib.import_module(f"ansible_collections.edgeops.observability.plugins.filter.{request.param}")
    return request.param, plugin.FilterModule().filters()[request.param], *FILTERS[request.param]


def test_the_filter_answers_by_its_name(filter_case):
    _name, function, good, _bad = filter_case
    assert function(*good) is not None


def test_refusal_names_the_filter_only(filter_case):
    """A refusal names the filter, and does not repeat the input."""
    name, function, _good, bad = filter_case
    with pytest.raises(AnsibleFilterError, match=f"^{name}: ") as refusal:
        function(*bad)
    assert "no mapping" not in str(refusal.value)
