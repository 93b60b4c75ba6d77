# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._core import Json
from .._custom_fields.facts import COOKIE_FIELDS, FIELD_KINDS, PRESERVE_DUPLICATES, REQUEST_FIELDS, RESPONSE_FIELDS
from .._logpush.jobs import IGNORE, UNLISTED
from .._logpush.options import OPTIONS
from .._scripts.task import TASK as MONITOR

# The members of `custom_fields`.
ALL_LISTS = (*FIELD_KINDS, PRESERVE_DUPLICATES)
# If these lists are set and all lists are empty, `state: absent` removes every custom field.
EVERY_TYPE = (REQUEST_FIELDS, RESPONSE_FIELDS, COOKIE_FIELDS)


def _without_defaults(options: t.Mapping[str, t.Mapping[str, Json]]) -> dict[str, dict[str, Json]]:
    """Return the options of a job without defaults, so that an omitted option is None and `job_defaults` apply."""
    return {name: {key: value for key, value in option.items() if key != "default"} for name, option in options.items()}


_ITEM = _without_defaults(OPTIONS)
_JOB = {name: option for name, option in _ITEM.items() if name != "state"}

# The options of a zone, as an argument spec of AnsibleModule.
ZONE_SPEC: dict[str, dict[str, Json]] = {
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "custom_fields": {"type": "dict", "options": {name: {"type": "list", "elements": "str"} for name in ALL_LISTS}},
    "job": {"type": "dict", "options": _JOB},
    "jobs": {"type": "list", "elements": "dict", "options": _ITEM},
    "job_defaults": {"type": "dict", "options": _JOB},
    "unlisted_jobs": {"type": "str", "choices": list(UNLISTED), "default": IGNORE},
    "script_monitor_enabled": {"type": "bool"},
    "route": MONITOR.spec.options["route"],
    # No suboptions, because AnsibleModule would set an omitted member (not compared) to null (approves that there is no plan).
    "expected_plan_ids": {"type": "dict"},
}
