#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: logpush_dataset_info
short_description: Read the log fields of a Logpush dataset
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
description:
  - Returns the log fields that log delivery (Logpush) jobs of one zone or account can select from a dataset, with their descriptions.
  - With Cloudflare, the fields depend on the plan of the zone or account.
extends_documentation_fragment:
  - edgeops.observability.connection
  - edgeops.observability.connection.address
  - edgeops.observability.attributes.info
  - edgeops.observability.attributes
options:
  dataset:
    description: The dataset, up to 256 letters, digits, V(_) and V(-). An unknown dataset fails as V(not_found).
    type: str
    required: true
notes:
  - Cloudflare's guide asks for an API token with the permission Logs Write, while its description of the API names Logs Read for this route.
seealso:
  - module: edgeops.observability.logpush_job
  - module: edgeops.observability.logpush_job_info
"""

EXAMPLES = r"""
- name: Read the fields of the dataset
  edgeops.observability.logpush_dataset_info:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    dataset: http_requests
  register: dataset

- name: Show the fields about the cache
  ansible.builtin.debug:
    msg: "{{ dataset.fields | select('search', 'Cache') }}"
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
fields:
  description: The fields by name, sorted, each with its description, which may be empty.
  returned: success
  type: dict
  sample: {ClientIP: IP address of the client., RayID: ID of the request.}
error:
  description: Why the task failed, as data for a playbook.
  returned: failure
  type: dict
  sample: {kind: not_found, method: GET, path: /zones/023e105f4ecef8ad9ca31a8372d0c353/logpush/datasets/http_request/fields, status: 404,
    errors: [{code: 1002, message: unknown dataset}], request_id: 8a1f0c6d5e4b3a21-FRA, attempts: 1}
"""

from ansible_collections.edgeops.observability.plugins.module_utils._supported import check_supported

check_supported()

from ansible_collections.edgeops.observability.plugins.module_utils._address import ALL_ADDRESSES
from ansible_collections.edgeops.observability.plugins.module_utils._engine.module import run_module
from ansible_collections.edgeops.observability.plugins.module_utils._engine.task import InfoTask, Spec
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.options import desire_dataset
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.read import report_fields


class LogpushDatasetInfo(InfoTask[str]):
    name = "logpush_dataset_info"
    spec = Spec(options={"dataset": {"type": "str", "required": True}})
    addresses = ALL_ADDRESSES

    desire = staticmethod(desire_dataset)
    report = staticmethod(report_fields)


TASK = LogpushDatasetInfo()


def main() -> None:
    run_module(TASK)


if __name__ == "__main__":
    main()
