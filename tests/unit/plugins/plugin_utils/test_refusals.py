# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._zone.task import TASK
from ansible_collections.edgeops.observability.plugins.plugin_utils._refusals import refusal

ZONE = {"zone_id": "a"}
ROLE = {name: f"log_delivery_{name}" for name in TASK.arguments()["argument_spec"]} | {
    "route": "log_delivery_script_monitor_route"
}
PLAYBOOK = {"timeout": "edgeops_timeout"}


@pytest.mark.parametrize(
    ("given", "names", "place", "said"),
    [
        ({}, ROLE, "log_delivery_zone_id", "missing required"),
        ({**ZONE, "route": "elsewhere"}, ROLE, "log_delivery_script_monitor_route", "page_shield"),
        ({**ZONE, "state": "gone"}, ROLE, "log_delivery_state", "present, absent"),
        ({**ZONE, "custom_fields": ["x-a"]}, ROLE, "log_delivery_custom_fields", "dict"),
        ({**ZONE, "custom_fields": {"headers": []}}, ROLE, "log_delivery_custom_fields.headers", "request_headers"),
        ({**ZONE, "custom_fields": {"cookies": 5.5}}, ROLE, None, ""),
        ({**ZONE, "custom_fields": {"cookies": {"a": 1}}}, ROLE, "log_delivery_custom_fields.cookies", "list"),
        ({**ZONE, "job": {"max_upload_bytes": "much"}}, ROLE, "log_delivery_job.max_upload_bytes", "int"),
        ({**ZONE, "jobs": [{}, {"kind": "odd"}]}, ROLE, "log_delivery_jobs[1].kind", "edge"),
        (
            {**ZONE, "jobs": [{"output_options": {"sample_rate": "x"}}]},
            ROLE,
            "log_delivery_jobs[0].output_options.sample_rate",
            "",
        ),
        ({**ZONE, "jobs": [{}, {"bogus": 1}]}, {}, "jobs[1].bogus", "jobs.bogus"),
        ({**ZONE, "jobs": ["a"]}, ROLE, "log_delivery_jobs", "dict"),
        ({**ZONE, "job_defaults": {"bogus": 1}}, ROLE, "log_delivery_job_defaults.bogus", "job_defaults.bogus"),
        ({**ZONE, "expected_plan_ids": {"job": "a"}}, ROLE, "log_delivery_expected_plan_ids.job", "custom_fields"),
        ({**ZONE, "timeout": "soon"}, PLAYBOOK, "edgeops_timeout", "float"),
        # The words of AnsibleModule name these already.
        ({**ZONE, "timeout": "soon"}, {}, None, ""),
        ({**ZONE, "job": {"bogus": 1}}, {}, None, ""),
        (ZONE, ROLE, None, ""),
    ],
)
def test_refusals_name_what_the_user_wrote(given: dict[str, t.Any], names: dict[str, str], place: str | None, said: str) -> None:
    found = refusal(TASK.arguments(), given, names)
    if place is None:
        assert found is None
    else:
        assert found is not None and found.startswith(f"{place}: ") and said in found
