# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._zone.task import TASK
from ansible_collections.edgeops.observability.plugins.plugin_utils._refusals import refusal

ZONE = {"zone_id": "a"}


@pytest.mark.parametrize(
    ("given", "place", "said"),
    [
        ({"custom_fields": {"cookie_fields": 5.5}}, None, ""),
        ({"jobs": [{}, {"kind": "odd"}]}, "jobs[1].kind", "edge"),
        ({"jobs": [{"output_options": {"sample_rate": "x"}}]}, "jobs[0].output_options.sample_rate", ""),
        ({"jobs": [{}, {"fieldz": 1}]}, "jobs[1].fieldz", "unsupported parameter (did you mean 'fields'?)"),
        ({"job": {"fieldz": 1}}, "job.fieldz", "unsupported parameter (did you mean 'fields'?)"),
        # The words of AnsibleModule name these already.
        ({"timeout": "soon"}, None, ""),
        ({}, None, ""),
    ],
)
def test_refusals_name_the_item(given, place, said):
    found = refusal(TASK.arguments(), {**ZONE, **given})
    if place is None:
        assert found is None
    else:
        assert found is not None and found.startswith(f"{place}: ") and said in found
