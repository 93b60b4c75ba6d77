#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: delivery_plan
short_description: Evaluate the predicted changes of all zones of a play
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
requirements: [python >= 3.10]
description:
  - Returns what a delivery would change in all zones of its play, and evaluates the safety rails. It comes after the role
    P(edgeops.observability.log_delivery#role) in check mode, and before anything is written. The playbook C(edgeops.observability.deliver) uses it.
  - The rails are the variables of the hosts that C(deliver) has, such as C(edgeops_allow) and C(edgeops_max_changed_zones).
  - If a rail refuses the changes, the task fails with RV(ignore:error.kind=gate), and with V(conflict) if another plan was approved. The other values are
    returned all the same, so that a play can show the plan and fail each zone of RV(refused) with its own reason.
  - Use it with C(run_once), and without C(serial). All hosts of the play must be in one batch, because those of later batches have no prediction yet;
    otherwise the task fails. A zone whose prediction failed has no plan; it is left out unless C(edgeops_deliver_partial) is false.
extends_documentation_fragment:
  - edgeops.observability.attributes.local
  - edgeops.observability.attributes
attributes:
  check_mode:
    details:
      - The module changes nothing. In a run in check mode RV(written) is empty.
  diff_mode:
    support: none
    details:
      - The module changes nothing. With C(--diff), RV(lines) has the difference of each zone.
options:
  registered:
    description:
      - The name of the variable in which the prediction of each host is registered.
      - A host has no prediction, and counts as failed, if the task failed (also where C(failed_when) kept it from failing its host), was skipped, or is
        of another zone or account than the host, as with C(run_once), and if the result is not one of a comparison. The same applies to a host on
        which several zones were predicted, as by a role in a loop, because it has the prediction of the last one only.
    type: str
    default: log_delivery_result
  validate_only:
    description:
      - With V(true) nothing is evaluated. The rails are validated and an approved report is read, which a playbook does before it reads any zone.
    type: bool
    default: false
  leave_out:
    description: Hosts that are not written, with C(edgeops_guard) set to V(false) either, because they failed before anything could be read of them.
    type: list
    elements: str
    default: []
seealso:
  - module: edgeops.observability.delivery_summary
  - ref: ansible_collections.edgeops.observability.docsite.guide_safe_delivery
    description: The safety rails.
"""

EXAMPLES = r"""
- name: Validate the rails before any zone is read
  edgeops.observability.delivery_plan:
    validate_only: true
  run_once: true

# The role in check mode comes before.
- name: Evaluate the changes of all zones
  edgeops.observability.delivery_plan:
  register: planned
  run_once: true

- name: Show the plan
  ansible.builtin.debug:
    msg: "{{ planned.lines }}"
  run_once: true
"""

RETURN = r"""
lines:
  description: The rails in force, with C(--diff) the difference of each zone (equal ones once), the plan in a line, and why the rails refuse it.
  returned: always
  type: list
  elements: str
  sample: ["3 zones: 1 would change (0 additions, 1 change, 0 deletions), 2 unchanged, 0 failed"]
changed_zones:
  description: The hosts that would change.
  returned: always
  type: list
  elements: str
  sample: [shop.example]
written:
  description: The hosts that a delivery writes. Empty in check mode, and if a rail refuses the changes. All hosts if C(edgeops_guard) is false.
  returned: always
  type: list
  elements: str
  sample: [shop.example]
hosts:
  description:
    - RV(written) as host patterns, for C(hosts) of the play that writes. If nothing is written, the list is empty, which Ansible refuses as C(hosts).
    - The pattern of a host with the name of a group also matches the hosts of the group, so a task needs the condition that its host is in RV(written).
  returned: always
  type: list
  elements: str
  sample: [shop.example]
plan_id:
  description: One digest of the plans of all zones, as of M(edgeops.observability.audit_report). V(null) if a zone could not be predicted.
  returned: always
  type: str
  sample: "sha256:0f3c9d1b7a5e48c2f6b1d0a9e8c7b6a5f4e3d2c1b0a99887766554433221100f"
plan_ids:
  description: The plans of each host that was predicted, for C(expected_plan_ids) of its delivery.
  returned: always
  type: dict
  sample: {shop.example: {custom_fields: null, jobs: null, script_monitor: "sha256:7d1a54127b222502f5b79b5fb0803061152a44f92b37e23c6527baf665d4da9a"}}
effects:
  description: What the changes would destroy, by host.
  returned: always
  type: dict
  sample: {shop.example: [{name: delete_job, subject: edge-logs, detail: null}]}
refused:
  description: The reason for each host because of which the rails refuse the changes.
  returned: always
  type: dict
  sample: {}
error:
  description: Why the task failed, as data for a playbook.
  returned: failure
  type: dict
  sample: {kind: gate, method: null, path: null, status: null, errors: [], request_id: null, attempts: 0}
"""
