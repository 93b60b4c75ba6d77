#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: zone_variables_info
short_description: Read the current state of a zone as variables of the role
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
description:
  - Reads the custom log fields, the log delivery (Logpush) jobs, the script monitor and the content security rules (Client-side security, formerly Page
    Shield) of a Cloudflare zone, and returns them as variables of the role P(edgeops.observability.log_delivery#role).
  - A run of the role with these variables changes nothing. RV(left_out) lists the settings that cannot be declared without a change, with the reason.
  - A destination with a secret is not returned. As long as C(destination_conf) is omitted, it is neither compared nor changed.
  - The playbook C(edgeops.observability.adopt) uses this module for all zones of an inventory.
extends_documentation_fragment:
  - edgeops.observability.connection
  - edgeops.observability.connection.address
  - edgeops.observability.route
  - edgeops.observability.attributes.info
  - edgeops.observability.attributes
options:
  label:
    description:
      - What the zone or the account is called in the files, which becomes part of the names in RV(vault), and the name of its folder below C(host_vars).
        A name that no folder can have is refused.
      - If omitted, the id of the zone or account.
    type: str
notes:
  - The token needs the permission to read each of them. If reading is not permitted, the task fails, but content security rules, which most plans do
    not have, are then in RV(left_out).
  - If the API has no route for the list of jobs or for the script monitor, it is listed in RV(left_out). If it has no route for rulesets, as for a zone
    that does not exist, the task fails as V(not_found).
seealso:
  - module: edgeops.observability.zone_variables_files
"""

EXAMPLES = r"""
- name: Read a zone that was configured by hand
  edgeops.observability.zone_variables_info:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    label: shop.example
  register: zone

- name: Show the variables, and the settings that are not in them
  ansible.builtin.debug:
    msg:
      - "{{ zone.variables }}"
      - "{{ zone.left_out }}"
"""

RETURN = r"""
zone_id:
  description: The id of the zone, also if O(zone_name) names it.
  returned: if the task is about a zone
  type: str
  sample: 023e105f4ecef8ad9ca31a8372d0c353
account_id:
  description: The id of the account.
  returned: if the task is about an account
  type: str
  sample: 9a7806061c88ada191ed06f989cc3dac
zone:
  description: O(label), or the id of the zone or account if it is omitted.
  returned: success
  type: str
  sample: shop.example
variables:
  description:
    - Variables of the role, in the order in which they are written to a file.
    - Members that have the service's default are omitted, apart from V(enabled=false) and from what decides which records a job delivers, and where.
    - A zone or account without jobs has an empty list of them, which declares that there is none.
  returned: success
  type: dict
  sample:
    log_delivery_custom_fields: {request_fields: [x-trace-id]}
    log_delivery_jobs:
      - {name: shop-logs, dataset: http_requests, fields: [ClientIP, RayID, RequestHeaders], timestamp_format: rfc3339, option_flags: {sample: 1},
         filter: '', transformer: '', filter_attack_traffic: false, destination_address: 's3://logs/shop?region=us-west-2'}
    log_delivery_script_monitor_enabled: true
    log_delivery_content_security_rules: [{description: checkout, action: log, expression: 'true', directives: {script-src: ["'self'"]}}]
vault:
  description: Names of the variables for the secrets of destinations.
  returned: success
  type: list
  elements: str
  sample: [vault_shop_example_job7_secret_access_key]
vault_destinations:
  description: Each destination with a secret, as the text to declare after the variables in RV(vault) are set.
  returned: success
  type: list
  elements: dict
  contains:
    job_id:
      description: The identifier of the job.
      type: int
      sample: 7
    name:
      description: The name of the job, V(null) for one without.
      type: str
      sample: shop-logs
    dataset:
      description: The dataset of the job.
      type: str
      sample: http_requests
    destination_conf:
      description: The destination with variables in place of its secrets.
      type: str
      sample: "s3://logs/shop?region=us-west-2&secret-access-key={{ vault_shop_example_job7_secret_access_key | urlencode }}"
left_out:
  description: Settings of the zone that are not in RV(variables).
  returned: success
  type: list
  elements: dict
  contains:
    what:
      description: The setting.
      type: str
      sample: destination_conf of job 7 (shop-logs)
    why:
      description: The reason.
      type: str
      sample: it contains a secret; vault-example.txt shows how to declare it
notes:
  description: Further information about the zone.
  returned: success
  type: list
  elements: str
  sample: ["No setting of this zone is managed: the role does not change it."]
error:
  description: Why the task failed, as data for a playbook.
  returned: failure
  type: dict
  sample: {kind: permission, method: GET, path: /zones/023e105f4ecef8ad9ca31a8372d0c353/logpush/jobs, status: 403,
    errors: [{code: 1004, message: not allowed}], request_id: 8a1f0c6d5e4b3a21-FRA, attempts: 1}
"""

from ansible_collections.edgeops.observability.plugins.module_utils._supported import check_supported

check_supported()

from ansible_collections.edgeops.observability.plugins.module_utils._address import ALL_ADDRESSES
from ansible_collections.edgeops.observability.plugins.module_utils._engine.module import run_module
from ansible_collections.edgeops.observability.plugins.module_utils._engine.task import InfoTask, Params, Spec
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.facts import ROUTE_OPTION
from ansible_collections.edgeops.observability.plugins.module_utils._zone.variables import desire, report


class ZoneVariablesInfo(InfoTask[Params]):
    name = "zone_variables_info"
    spec = Spec(
        options={"label": {"type": "str"}, **ROUTE_OPTION},
    )
    addresses = ALL_ADDRESSES

    desire = staticmethod(desire)
    report = staticmethod(report)


TASK = ZoneVariablesInfo()


def main() -> None:
    run_module(TASK)


if __name__ == "__main__":
    main()
