#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: delivery_guard
short_description: Evaluate whether a predicted delivery to many zones may be applied
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
requirements:
  - python >= 3.10
description:
  - Evaluates what M(edgeops.observability.zone_observability), or the role P(edgeops.observability.log_delivery#role), predicted for the zones of a run
    in check mode with diff. If a rule refuses it, the task fails before anything is written.
  - Each destructive change has a name - V(disable_monitor), V(empty_fields) (the last custom log field of a zone),
    V(drop_job_fields) (a job loses a field), V(delete_job), V(disable_job), V(recreate_job), V(clear_filter) and V(change_destination). A changed secret
    alone is no V(change_destination).
  - A refusal is a failure with the kind V(gate); the message names every zone, what it would lose and what to do.
  - Runs on the controller and contacts no service.
extends_documentation_fragment:
  - edgeops.observability.attributes.local
  - edgeops.observability.attributes
attributes:
  check_mode:
    details:
      - The module changes nothing, in check mode or otherwise.
  diff_mode:
    details:
      - The module changes nothing.
options:
  zones:
    description:
      - All zones of the run, one record each.
      - A record has C(zone), the name of the zone, and C(zone_id), C(result), the predicted result, or C(error) with C(message), the reason why
        there is no result. With C(error), C(zone_id) may be V(null).
      - If omitted, only the other options are validated, which a playbook does before its first request.
    type: list
    elements: dict
  zone_allow:
    description:
      - Lists by the name of the zone that take precedence over O(allow). V(null) and V(false) mean omitted.
    type: dict
    default: {}
  guard:
    description:
      - Whether the rules apply to the run. With V(false) an approved plan is refused, because nothing would be compared with it.
    type: bool
    default: true
  max_destructive_zones:
    description:
      - The maximum number of zones with a destructive change that O(allow) does not name, as a number or a percentage of all zones of the run.
      - If omitted, V(30%) for 10 zones and more, unless a plan is approved.
    type: str
  max_changed_zones:
    description:
      - The maximum number of zones with any change, as a number or a percentage of all zones of the run. If omitted, there is no maximum.
    type: str
  allow:
    description:
      - Names of the destructive changes that are allowed, as a list or as comma-separated text. If set, also if empty, any other is refused.
    type: raw
  approved_plan_id:
    description:
      - The RV(plan_id) that was approved, such as RV(edgeops.observability.audit_report#module:plan_id). Another plan, or an empty string, is a V(conflict).
    type: str
  approved_plan:
    description:
      - The F(report.json) of M(edgeops.observability.audit_report) that was approved. The plans of the zones of this run are compared one by one, so
        that a run may cover a slice of the zones.
    type: path
  deliver_partial:
    description:
      - Whether the plan may be applied although a zone could not be predicted.
    type: bool
    default: true
seealso:
  - module: edgeops.observability.zone_observability
  - module: edgeops.observability.audit_report
"""

EXAMPLES = r"""
- name: Validate the rules before the first request
  edgeops.observability.delivery_guard:
    max_destructive_zones: 10%
    allow: [drop_job_fields]

- name: Predict the zone
  edgeops.observability.zone_observability:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    script_monitor_enabled: true
  check_mode: true
  diff: true
  register: predicted

- name: Refuse destructive changes
  edgeops.observability.delivery_guard:
    zones:
      - zone: shop.example
        zone_id: 023e105f4ecef8ad9ca31a8372d0c353
        result: "{{ predicted }}"
    allow: []
  register: evaluated

- name: Apply the evaluated plan
  edgeops.observability.zone_observability:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    script_monitor_enabled: true
    expected_plan_ids: "{{ predicted.plan_ids }}"
  when: "'shop.example' in evaluated.changed_zones"
"""

RETURN = r"""
changed_zones:
  description: Names of the zones that a delivery would write to.
  returned: success
  type: list
  elements: str
  sample: [shop.example]
destructive:
  description: The destructive changes by the name of the zone, allowed ones included.
  returned: success
  type: dict
  sample:
    shop.example: [drop_job_fields]
unpredicted_zones:
  description: Names of the zones that could not be predicted.
  returned: success
  type: list
  elements: str
  sample: []
plan_id:
  description:
    - One digest of the plans of all zones.
    - V(null) if a zone could not be predicted.
  returned: success
  type: str
  sample: 0f3c9d1b7a5e48c2f6b1d0a9e8c7b6a5f4e3d2c1b0a99887766554433221100f
error:
  description: Why the task failed, as data for a playbook. After a failure of the kind V(gate) the other values are returned as well.
  returned: failure
  type: dict
  sample:
    kind: gate
    method: null
    path: null
    status: null
    errors: []
    request_id: null
    attempts: 0
"""

from ansible_collections.edgeops.observability.plugins.module_utils._delivery.guard import report
from ansible_collections.edgeops.observability.plugins.module_utils._delivery.options import desire
from ansible_collections.edgeops.observability.plugins.module_utils._engine.module import run_module
from ansible_collections.edgeops.observability.plugins.module_utils._engine.task import LocalTask, Spec

TASK = LocalTask(
    name="delivery_guard",
    spec=Spec(
        options={
            "zones": {"type": "list", "elements": "dict"},
            "zone_allow": {"type": "dict", "default": {}},
            "guard": {"type": "bool", "default": True},
            "max_destructive_zones": {"type": "str"},
            "max_changed_zones": {"type": "str"},
            "allow": {"type": "raw"},
            "approved_plan_id": {"type": "str"},
            "approved_plan": {"type": "path"},
            "deliver_partial": {"type": "bool", "default": True},
        },
    ),
    desire=desire,
    report=report,
)


def main() -> None:
    run_module(TASK)


if __name__ == "__main__":
    main()
