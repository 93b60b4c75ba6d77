#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: zone_variables_files
short_description: Write the variables of existing zones to files of an inventory
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
requirements: [python >= 3.10]
description:
  - Writes what M(edgeops.observability.zone_variables_info) returned for several zones as C(group_vars) and C(host_vars) of an inventory, with an example
    of the variables for secrets and a list of the settings that were not adopted.
  - Options that the jobs of all zones have in common are written for the group as C(log_delivery_job_defaults), if the zones are all hosts of the group.
    Otherwise no file of the group is written, because it would change hosts that were not adopted. A destination is never among them.
  - A file with other content is replaced only with O(overwrite); otherwise the task fails before it writes any file. A difference in the date of the
    adoption alone does not count. An adoption of a part of the group adds its zones to C(ADOPTED.md) and C(vault-example.txt) of an earlier one.
  - If O(dest) cannot hold the files, the task fails, and no file is written or replaced. Runs on the controller and contacts no service.
extends_documentation_fragment:
  - edgeops.observability.attributes.local
  - edgeops.observability.attributes
attributes:
  check_mode:
    details:
      - Check mode writes no file, and predicts whether any would be written. No service is contacted in either mode.
  diff_mode:
    support: none
    details:
      - RV(files) lists the files; their content is not shown.
options:
  dest:
    description:
      - The folder of C(group_vars) and C(host_vars), normally that of the inventory. It is created if it is missing.
      - If omitted, the variable C(edgeops_adopt_dir) of the host.
    type: path
    required: true
  group:
    description:
      - The group for the common variables. If omitted, the variable C(edgeops_adopt_group) of the host.
    type: str
    default: all
  group_hosts:
    description:
      - The names of all hosts in the group. The file of the group is written only if they are the names of O(zones).
      - If omitted, the hosts that the inventory has in O(group), or none if O(zones) is set.
    type: list
    elements: str
  overwrite:
    description:
      - Whether a file with other content is replaced. If omitted, the variable C(edgeops_adopt_overwrite) of the host.
    type: bool
    default: false
  date:
    description: The date of the adoption, for the comments in the files. If omitted, today, in UTC.
    type: str
  zones:
    description:
      - The results of M(edgeops.observability.zone_variables_info) for the zones and accounts, one file of host variables each.
      - Members that are no return values of that module are ignored. Two results of one name, or of one zone or account, are refused.
      - If omitted, what the hosts of the play registered, see O(registered). A host that could not be read, or that shares its zone with another, is in
        RV(refused), and the others are written.
    type: list
    elements: dict
  registered:
    description:
      - Names of the variables in which the tasks of the hosts of the play were registered, if O(zones) is omitted.
      - The name for scripts or pages is refused if no host of the play has such a variable, and RV(reads) would name one of which it is read.
    type: dict
    suboptions:
      zone:
        description: The result of M(edgeops.observability.zone_variables_info). If omitted, V(zone_variables).
        type: str
      scripts:
        description: The result of M(edgeops.observability.script_audit), whose proposals become the script baselines. A script that is
          malicious or reported is left out, with the reason. If omitted, none.
        type: str
      pages:
        description: The result of M(edgeops.observability.page_audit), whose proposals become the page baselines. If omitted, none.
        type: str
  page_baselines:
    description: Entries for the page baselines, as the audit of pages proposes them, by the name of the zone.
    type: dict
    default: {}
  script_baselines:
    description: Entries for the script baselines, as the audit of scripts proposes them, by the name of the zone.
    type: dict
    default: {}
  reads_only:
    description:
      - With V(true) nothing is written. RV(reads) names the hosts of which the files need more than O(registered.zone) has, so that a play of each
        further part has only its hosts. It comes after the reading of the zones.
    type: bool
    default: false
seealso:
  - module: edgeops.observability.zone_variables_info
  - module: edgeops.observability.adoption_summary
"""

EXAMPLES = r"""
- name: Write the variables of a zone
  edgeops.observability.zone_variables_files:
    dest: "{{ playbook_dir }}/inventory"
    group_hosts: "{{ groups.all }}"
    date: "2026-11-21"
    zones:
      - zone: shop.example
        zone_id: 023e105f4ecef8ad9ca31a8372d0c353
        variables:
          log_delivery_script_monitor_enabled: true
        vault: []
        vault_destinations: []
        left_out: []
        notes: []
"""

RETURN = r"""
files:
  description: The paths of all files, also of those that needed no change.
  returned: success
  type: list
  elements: str
  sample:
    - inventory/ADOPTED.md
    - inventory/group_vars/all/adopted.yml
    - inventory/host_vars/shop.example/adopted.yml
    - inventory/vault-example.txt
dest:
  description: The folder of the files, as an absolute path.
  returned: success
  type: str
  sample: /srv/fleet/inventory
group:
  description: The group whose variables are in C(group_vars).
  returned: success
  type: str
  sample: all
adopted:
  description: The zones whose variables are in the files.
  returned: success
  type: list
  elements: str
  sample: [shop.example]
refused:
  description: The reason for each host of the play that was not adopted.
  returned: success
  type: dict
  sample: {blog.example: "the zone could not be read: permission: the token lacks Logs Read"}
hosts:
  description:
    - Host patterns for the play that verifies the files with the role in check mode, one for each adopted host and for each other host with an
      address in RV(group). Empty in check mode, in which there are no files.
  returned: success
  type: list
  elements: str
  sample: [shop.example, news.example]
hosts_with_files:
  description: Those of RV(hosts) that the files have variables of, for the play that loads these.
  returned: success
  type: list
  elements: str
  sample: [shop.example]
reads:
  description: Host patterns for the plays that read what baselines are made of. V(scripts) are zones whose script monitor is enabled, for
    M(edgeops.observability.script_audit), V(pages) hosts with C(edgeops_pages), for M(edgeops.observability.page_audit). Empty without O(reads_only).
  returned: success
  type: dict
  sample: {scripts: [shop.example], pages: []}
lines:
  description: The hosts that were not adopted, equal reasons of three or more once, what was left out, and the next command.
  returned: success
  type: list
  elements: str
  sample: ["1 zone adopted, 2 settings left out: see inventory/ADOPTED.md"]
error:
  description: Why the task failed, as data for a playbook.
  returned: failure
  type: dict
  sample: {kind: conflict, method: null, path: null, status: null, errors: [], request_id: null, attempts: 0}
"""
