# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._logpush.items import IGNORE, UNLISTED
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.spec import OPTIONS
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json
from ansible_collections.edgeops.observability.plugins.module_utils._zone.facts import ALL_LISTS, PARTS
from ansible_collections.edgeops.observability.plugins.module_utils._zone.tasks.script_monitor import TASK as MONITOR


def _without_defaults(options: t.Mapping[str, t.Mapping[str, Json]]) -> dict[str, dict[str, Json]]:
    """Options of a job whose omission can be seen, so that `job_defaults` have a say."""
    return {name: {key: value for key, value in option.items() if key != "default"} for name, option in options.items()}


_ITEM = _without_defaults(OPTIONS)
_JOB = {name: option for name, option in _ITEM.items() if name != "state"}

# The options of a zone as a whole, in the words of AnsibleModule.
ZONE_SPEC: dict[str, dict[str, Json]] = {
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "custom_fields": {"type": "dict", "options": {name: {"type": "list", "elements": "str"} for name in ALL_LISTS}},
    "job": {"type": "dict", "options": _JOB},
    "jobs": {"type": "list", "elements": "dict", "options": _ITEM},
    "job_defaults": {"type": "dict", "options": _JOB},
    "unlisted_jobs": {"type": "str", "choices": list(UNLISTED), "default": IGNORE},
    "script_monitor_enabled": {"type": "bool"},
    "route": MONITOR.spec.options["route"],
    "expected_plan_ids": {"type": "dict", "options": {name: {"type": "str"} for name in PARTS}},
    "option_prefix": {"type": "str", "default": ""},
}
