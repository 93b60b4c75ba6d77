# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._core import INVALID_OPTION, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._zone.task import TASK
from ansible_collections.edgeops.observability.plugins.plugin_utils._arguments import validated


def desire(**options: t.Any) -> t.Any:
    return TASK.desire(validated(TASK.arguments(), {"zone_id": "1", **options}, TASK.name).params)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"expected_plan_ids": {"job": "x"}}, r"expected_plan_ids\.job: not a part of a zone \(did you mean 'jobs'"),
        ({"expected_plan_ids": {"jobs": 1}}, r"expected_plan_ids\.jobs: must be a plan id, or null"),
        ({"jobs": [], "unlisted_jobs": "absent"}, "unlisted_jobs: 'absent' with an empty or omitted list of jobs"),
        ({"jobs": [{}], "job_defaults": {"fields": ["a"]}}, r"jobs\[0\]\.name: is empty"),
        ({"job": {"fields": ["a"]}}, r"job\.name: is empty"),
        ({"jobs": [{"name": "a"}], "job_defaults": {"fields": ["a", "b c"]}}, r"job_defaults\.fields\[1\]: "),
        ({"jobs": [{"name": "a", "fields": ["b c"]}], "job_defaults": {"fields": ["b c"]}}, r"jobs\[0\]\.fields\[0\]: "),
        (
            {"job": {"name": "a"}, "job_defaults": {"filter": {"key": "a", "operator": "x", "value": 1}}},
            r"job_defaults\.filter\.where",
        ),
        ({"unlisted_jobs": "absent"}, "unlisted_jobs: 'absent' with an empty or omitted list of jobs"),
        (
            {"zone_id": None, "account_id": "1", "custom_fields": {"cookie_fields": []}},
            "custom_fields: only zones have this, and account_id names an account; declare it in group_vars/zones, or as null in ",
        ),
        ({"zone_id": None, "account_id": "1", "script_monitor_enabled": True}, "script_monitor_enabled: only zones have this"),
    ],
)
def test_invalid_options_are_refused(options: dict[str, t.Any], said: str) -> None:
    with pytest.raises(Failure, match=f"^{said}") as caught:
        desire(**options)
    assert caught.value.kind == INVALID_OPTION


def test_only_given_parts_have_an_expected_plan() -> None:
    """Null approves that a part has no plan; an omitted part is not compared."""
    assert desire(expected_plan_ids={"jobs": None}).expected == {"jobs": None}
    assert desire().expected == {}
