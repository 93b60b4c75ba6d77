#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: adoption_summary
short_description: Report whether a delivery with the files of an adoption would change a zone
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
requirements: [python >= 3.10]
description:
  - Returns which hosts M(edgeops.observability.zone_variables_files) did not adopt, and which would be changed, or could not be verified, with the
    files. It comes after the role P(edgeops.observability.log_delivery#role) was run in check mode on the hosts that
    M(edgeops.observability.zone_variables_files) names, with the variables of the files.
  - Use it with C(run_once), in a play that has these hosts. It does not fail; a task after it fails each host of RV(failed_hosts) with its own reason.
extends_documentation_fragment:
  - edgeops.observability.attributes.nothing
  - edgeops.observability.attributes
options:
  files:
    description: The name of the variable in which the result of M(edgeops.observability.zone_variables_files) is registered.
    type: str
    required: true
  loaded:
    description:
      - The name of the variable in which the task that loaded the files is registered, which may have a loop. A host whose files could not be
        loaded could not be verified.
      - If omitted, the files count as loaded, such as with an inventory that contains them.
    type: str
  registered:
    description: The name of the variable in which the role is registered.
    type: str
    default: log_delivery_result
seealso:
  - module: edgeops.observability.zone_variables_files
"""

EXAMPLES = r"""
- name: Read the zone as variables of the role
  edgeops.observability.zone_variables_info:
    label: "{{ inventory_hostname }}"
  register: described

- name: Write the files of the zones
  edgeops.observability.zone_variables_files:
    dest: "{{ playbook_dir }}/inventory"
    group_hosts: "{{ groups.all }}"
    zones: "{{ ansible_play_hosts | map('extract', hostvars, 'described') }}"
  register: written
  run_once: true

- name: Predict what a delivery with the files would change
  ansible.builtin.import_role:
    name: edgeops.observability.log_delivery
  check_mode: true

- name: Summarise the adoption
  edgeops.observability.adoption_summary:
    files: written
  register: adoption
  run_once: true

- name: Fail for each zone that was not adopted, or would be changed
  ansible.builtin.fail:
    msg: "{{ adoption.failed_hosts[inventory_hostname] }}"
  when: inventory_hostname in adoption.failed_hosts
"""

RETURN = r"""
lines:
  description:
    - What would be changed, equal differences of three or more hosts in one line, and the lines of
      M(edgeops.observability.zone_variables_files).
  returned: success
  type: list
  elements: str
  sample:
    - "shop.example: script_monitor.enabled: true -> false"
    - "1 zone adopted, 2 settings left out: see inventory/ADOPTED.md"
failed_hosts:
  description: The reason for each host that was not adopted, could not be verified, or would be changed.
  returned: success
  type: dict
  sample: {blog.example: "the zone could not be verified: permission: the token lacks Logs Write"}
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
