#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: validate_variables
short_description: Validate the variables of the hosts of a run before anything is read
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
requirements: [python >= 3.10]
description:
  - Refuses variables that begin with one of O(prefixes) and do not exist, with the nearest name and the hosts that have them. A misspelt safety rail would
    otherwise protect nothing.
  - A variable counts wherever it is set, in the inventory, in a play, an C(import_playbook) or a role, with C(set_fact) or on the command line.
  - Evaluates the variables that are known and set, strictly. One that cannot be evaluated fails the task, with its name.
  - Without O(known) the variables are those of this collection. Those that are about a run as a whole must be equal for all hosts, and have a valid
    value. Those of a zone alone, such as its connection, are left to the tasks of the zone, so that an error fails no other zone.
  - With C(run_once) the task validates the variables of all hosts of its play, otherwise those of its own host.
extends_documentation_fragment:
  - edgeops.observability.attributes.nothing
  - edgeops.observability.attributes
options:
  prefixes:
    description: The beginnings of the names that are validated.
    type: list
    elements: str
    default: [edgeops_, log_delivery_]
  known:
    description:
      - The names that exist. If omitted, those of the playbooks and of the role of this collection.
      - If this is set, all of them are evaluated for each host.
    type: list
    elements: str
  required:
    description: Names of variables that must be set and not empty.
    type: list
    elements: str
    default: []
  hosts:
    description:
      - The hosts that the run is about, if these are not all hosts of the play. Others are not validated.
      - If the play has none of them, the task fails, because a run without any host must not pass.
      - The task fails as well if an inventory source of the run does not exist, could not be listed by P(edgeops.observability.zones#inventory), or
        is a file of hosts that Ansible cannot parse, because its hosts would be left out without a word. Of a script or another inventory plugin,
        from which no host comes, a warning says that this cannot be told.
    type: list
    elements: str
  keep_going:
    description:
      - Whether a variable of one host that cannot be evaluated fails only this host. The task goes on, and RV(refused) names the host with the reason,
        so that a play can leave it out.
      - Then the variables of the role are evaluated too, with an ansible-core before 2.19, because the failure of a task there would repeat a job
        with its secrets.
    type: bool
    default: false
seealso:
  - ref: ansible_collections.edgeops.observability.docsite.reference_playbooks
    description: The variables of the playbooks.
"""

EXAMPLES = r"""
- name: Refuse misspelt variables of this collection
  edgeops.observability.validate_variables:
  run_once: true

- name: Validate the variables of a role of your own
  edgeops.observability.validate_variables:
    prefixes: [acme_]
    known: [acme_owner, acme_stage]
    required: [acme_owner]
  vars:
    acme_owner: web@example.com
"""

RETURN = r"""
run:
  description:
    - The switches of the run, true or false, as they were read, with their defaults. Empty without the prefix C(edgeops_), and with O(known).
    - Text such as V(y), V(on) and V(1) is read as in a module, while Jinja's filter C(bool) takes some of it for false.
  returned: success
  type: dict
  sample: {edgeops_guard: true, edgeops_verify_token: true, edgeops_stop_on_failure: false, edgeops_deliver_partial: true}
hosts:
  description: The hosts whose variables were validated, each with the switches that may differ from host to host, as they were read.
  returned: success
  type: dict
  sample: {shop.example: {edgeops_audit_scripts: true}}
given:
  description: The names of the variables of the run that are set, without their values.
  returned: success
  type: list
  elements: str
  sample: [edgeops_fail_on, edgeops_report_dir]
refused:
  description: The hosts with a variable that cannot be evaluated, each with the reason. Empty without O(keep_going).
  returned: success
  type: dict
  sample: {shop.example: "log_delivery_job: cannot be evaluated: 'acme_bucket' is undefined"}
refused_hosts:
  description:
    - Host patterns of RV(refused), for a play that fails these hosts, and for others that leave them out. For a name with characters that a pattern
      cannot hold it is a regular expression.
  returned: success
  type: list
  elements: str
  sample: [shop.example]
error:
  description: Why the task failed, as data for a playbook.
  returned: failure
  type: dict
  sample: {kind: invalid_option, method: null, path: null, status: null, errors: [], request_id: null, attempts: 0}
"""
