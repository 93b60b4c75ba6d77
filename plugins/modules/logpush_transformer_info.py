#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: logpush_transformer_info
short_description: Read the transformers of an account
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
description:
  - Returns the transformers of one Cloudflare account with their queries - all, or those that match all options. A transformer is an SQL query that
    every record of a Logpush job passes through before it is delivered.
extends_documentation_fragment:
  - edgeops.observability.connection
  - edgeops.observability.connection.account
  - edgeops.observability.attributes.info
  - edgeops.observability.attributes
options:
  name:
    description: Return transformers of this name. Names are not unique.
    type: str
  transformer_id:
    description: Return the transformer with this identifier, a number above 0. If it does not exist, the list is empty.
    type: int
notes:
  - With Cloudflare, reading transformers needs an API token with the permission Logs Write for the account.
  - Each transformer takes two requests beside the listing, one for its query and one for its version.
seealso:
  - module: edgeops.observability.logpush_transformer
"""

EXAMPLES = r"""
- name: Read all transformers
  edgeops.observability.logpush_transformer_info:
    account_id: 9a7806061c88ada191ed06f989cc3dac
  register: account

- name: Show which jobs each of them changes
  ansible.builtin.debug:
    msg: "{{ item.name }} (version {{ item.version }}): {{ item.associated_jobs | map(attribute='name') | join(', ') }}"
  loop: "{{ account.transformers }}"
  loop_control:
    label: "{{ item.id }}"
"""

RETURN = r"""
account_id:
  description: The id of the account.
  returned: success
  type: str
  sample: 9a7806061c88ada191ed06f989cc3dac
transformers:
  description: The transformers, sorted by RV(transformers[].id). Empty if there is none.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: Identifier of the transformer.
      type: int
      sample: 7
    name:
      description: Name of the transformer.
      type: str
      sample: redact-addresses
    description:
      description: Description of the transformer, empty if it has none.
      type: str
      sample: Keep the network of the client only
    dataset:
      description: The dataset that the query reads, V(null) if the service does not show it.
      type: str
      sample: http_requests
    sql:
      description: The query, without blanks at the ends of its lines and at its end.
      type: str
      sample: SELECT * EXCEPT (ClientIP) FROM http_requests
    version:
      description: Number of the newest version of the query, V(null) if the service does not list versions.
      type: int
      sample: 3
    created_at:
      description: When the transformer was created.
      type: str
      sample: "2026-10-02T09:41:33Z"
    updated_at:
      description: When the transformer was last written.
      type: str
      sample: "2026-10-05T10:00:00Z"
    associated_jobs:
      description: The Logpush jobs of the account and its zones that refer to the transformer, V(null) if the service does not show them.
      type: list
      elements: dict
      contains:
        id:
          description: Identifier of the job.
          type: int
          sample: 1234567
        name:
          description: Name of the job, or V(null).
          type: str
          sample: edge-logs
        scope:
          description: V(zone) or V(account), or V(null) if the service names neither.
          type: str
          sample: zone
        zone_id:
          description: Id of the zone that the job belongs to.
          returned: if the job belongs to a zone
          type: str
          sample: 023e105f4ecef8ad9ca31a8372d0c353
        account_id:
          description: Id of the account that the job belongs to.
          returned: if the job belongs to the account
          type: str
          sample: 9a7806061c88ada191ed06f989cc3dac
error:
  description: Why the task failed, as data for a playbook.
  returned: failure
  type: dict
  sample: {kind: permission, method: GET, path: /accounts/9a7806061c88ada191ed06f989cc3dac/logpush/transformers, status: 403,
    errors: [{code: 1004, message: transformer feature is not available for this account}], request_id: 8a1f0c6d5e4b3a21-FRA, attempts: 1}
"""

from ansible_collections.edgeops.observability.plugins.module_utils._supported import check_supported

check_supported()

from ansible_collections.edgeops.observability.plugins.module_utils._engine.module import run_module
from ansible_collections.edgeops.observability.plugins.module_utils._transformers.task import INFO_TASK as TASK


def main() -> None:
    run_module(TASK)


if __name__ == "__main__":
    main()
