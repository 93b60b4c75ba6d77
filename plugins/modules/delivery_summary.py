#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: delivery_summary
short_description: Report how a delivery ended in each zone of a play
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
requirements: [python >= 3.10]
description:
  - Returns which zones a delivery changed, which failed and which were not reached, with a line for each difference. It comes after the role
    P(edgeops.observability.log_delivery#role) has written the zones of a plan of M(edgeops.observability.delivery_plan).
  - In check mode it reports what would be changed.
  - Use it with C(run_once). It does not fail; a task after it fails each host of RV(failed_hosts) with its own reason.
extends_documentation_fragment:
  - edgeops.observability.attributes.nothing
  - edgeops.observability.attributes
options:
  plan:
    description: The name of the variable in which the result of M(edgeops.observability.delivery_plan) is registered.
    type: str
    required: true
  registered:
    description:
      - The name of the variable in which the role is registered, for the prediction and for the delivery.
      - A prediction must be registered with C(changed_when=false), so that a zone that was not reached is not taken for one that was written.
      - What is registered is read as by O(edgeops.observability.delivery_plan#module:registered), so that a task counts as failed whatever C(failed_when) says.
    type: str
    default: log_delivery_result
seealso:
  - module: edgeops.observability.delivery_plan
"""

EXAMPLES = r"""
- name: Predict what the role would change
  ansible.builtin.import_role:
    name: edgeops.observability.log_delivery
  check_mode: true
  diff: true

- name: Evaluate the changes of all zones
  edgeops.observability.delivery_plan:
  register: planned
  run_once: true

- name: Bring the zone into the desired state
  ansible.builtin.import_role:
    name: edgeops.observability.log_delivery
  when: inventory_hostname in planned.written

- name: Summarise the delivery
  edgeops.observability.delivery_summary:
    plan: planned
  register: delivered
  run_once: true

- name: Fail for each zone that failed or was not reached
  ansible.builtin.fail:
    msg: "{{ delivered.failed_hosts[inventory_hostname] }}"
  when: inventory_hostname in delivered.failed_hosts
"""

RETURN = r"""
lines:
  description: The counts, and a line for each difference and for each zone that failed or was not reached; equal ones of three or more zones are one line.
  returned: success
  type: list
  elements: str
  sample:
    - "2 zones: 1 changed, 0 unchanged, 1 failed, 0 not reached"
    - "shop.example changed: script monitor: enabled was false, now true"
    - "blog.example failed: permission: the token lacks Page Shield Write"
changed_zones:
  description: The hosts that were changed, in check mode those that would be.
  returned: success
  type: list
  elements: str
  sample: [shop.example]
unchanged_zones:
  description: The hosts that already had their desired state.
  returned: success
  type: list
  elements: str
  sample: []
failed_zones:
  description: The hosts that failed, or because of which the rails refused the changes.
  returned: success
  type: list
  elements: str
  sample: [blog.example]
not_reached_zones:
  description: The hosts that could not be reached, or before which the run stopped.
  returned: success
  type: list
  elements: str
  sample: []
failed_hosts:
  description: The reason for each host that failed, or was not reached for a reason of its own.
  returned: success
  type: dict
  sample: {blog.example: "permission: the token lacks Page Shield Write"}
hosts:
  description:
    - Host patterns for the play that ends the run, one for each host of RV(failed_hosts), and for one host that does not fail. A play of these hosts
      fails each with its own reason, and prints nothing for the others.
  returned: success
  type: list
  elements: str
  sample: [blog.example]
error:
  description: Why the task failed, as data for a playbook.
  returned: failure
  type: dict
  sample: {kind: invalid_option, method: null, path: null, status: null, errors: [], request_id: null, attempts: 0}
"""
