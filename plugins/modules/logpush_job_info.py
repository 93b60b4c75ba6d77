#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: logpush_job_info
short_description: Read the log delivery (Logpush) jobs of a zone or an account
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
description:
  - Returns the log delivery (Logpush) jobs of one Cloudflare zone or account with their health - all jobs, or those that match all options.
extends_documentation_fragment:
  - edgeops.observability.connection
  - edgeops.observability.connection.address
  - edgeops.observability.attributes.info
  - edgeops.observability.attributes
options:
  name:
    description: Return jobs of this name. Names are not unique.
    type: str
  dataset:
    description: Return jobs of this dataset, and those whose dataset the service does not show.
    type: str
  job_id:
    description: Return the job with this identifier, a number above 0. If it does not exist, the list is empty.
    type: int
  stale_after:
    description: After how many seconds without a delivery the RV(jobs[].health.state) of a job is V(stale).
    type: int
    default: 3600
notes:
  - A member of a job that has another type than documented is V(null), a filter its JSON text; a warning names it.
    A task that may write fails as V(bad_response).
  - With Cloudflare, reading and writing Logpush jobs need an API token with the permission Logs Write.
  - If the service cannot list jobs, the task fails as V(not_found), unless O(job_id) is set and the service returns this job.
seealso:
  - module: edgeops.observability.logpush_job
"""

EXAMPLES = r"""
- name: Read all jobs
  edgeops.observability.logpush_job_info:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
  register: delivery

- name: Show the jobs that are disabled or failing, with the reason
  ansible.builtin.debug:
    msg: "{{ item.name }} is {{ item.health.state }}: {{ item.health.message }}"
  loop: "{{ delivery.jobs | selectattr('health.state', 'in', ['disabled', 'failing']) }}"
  loop_control:
    label: "{{ item.id }}"

- name: Read one job by its name
  edgeops.observability.logpush_job_info:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    name: shop-logs
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
jobs:
  description: The jobs, sorted by RV(jobs[].id), without secrets. Empty if there is none. Members that the service omits have their documented default.
  returned: success
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
    dataset:
      description: Dataset that the job delivers.
      type: str
      sample: http_requests
    enabled:
      description: Whether the job delivers.
      type: bool
      sample: true
    kind:
      description: Kind of the job, V(edge) or an empty text.
      type: str
      sample: ""
    frequency:
      description: How often the job delivers, V(high) or V(low).
      type: str
      sample: high
    fields:
      description: Names of the log fields of a record, from either format of the output options, or V(null).
      type: list
      elements: str
      sample: [ClientIP, RayID, RequestHeaders]
    timestamp_format:
      description: Format of timestamps in a record, from either format of the output options, or V(null).
      type: str
      sample: rfc3339
    option_flags:
      description: Further parameters by name, from either format of the output options, or V(null).
      type: dict
      sample: {CVE-2021-44228: true, sample: 0.5}
    logpull_options:
      description: The output options in the older format, or V(null).
      type: str
      sample: fields=ClientIP,RayID,RequestHeaders&timestamps=rfc3339
    output_options:
      description: The output options in the newer format, with the names of the API, or V(null).
      type: dict
      sample: null
    filter:
      description: The filter as JSON text, or V(null) where there is none.
      type: str
      sample: '{"where":{"and":[{"key":"ClientRequestHost","operator":"eq","value":"shop.example.com"}]}}'
    max_upload_bytes:
      description: Maximum number of uncompressed bytes in one file, or V(null) for the default of the service.
      type: int
      sample: 5000000
    max_upload_interval_seconds:
      description: Maximum number of seconds between two files.
      type: int
      sample: 30
    max_upload_records:
      description: Maximum number of records in one file.
      type: int
      sample: 100000
    filter_attack_traffic:
      description: Whether attack traffic is left out.
      type: bool
      sample: false
    transformer_id:
      description: Identifier of the transformer, or V(null).
      type: int
      sample: null
    transformer:
      description: Name of the transformer, or V(null) always, because only its identifier is read.
      type: str
      sample: null
    other:
      description: Members that no option names, without secrets. Updates and re-creations keep them.
      type: dict
      sample: {merge_subrequests: true}
    last_complete:
      description: Until when logs were delivered, or V(null).
      type: str
      sample: "2026-03-02T09:41:33Z"
    last_error:
      description: When a delivery failed last, or V(null).
      type: str
      sample: null
    error_message:
      description: Why the last delivery failed, or V(null).
      type: str
      sample: null
    destination:
      description: Where the job delivers. Masked are user information, and whatever of the address and the options is not known to be readable.
      type: dict
      contains:
        scheme:
          description: Scheme of the destination, or V(null) where the API does not return it.
          type: str
          sample: s3
        address:
          description: What is between the scheme and the options.
          type: str
          sample: example-bucket/http/{DATE}
        options:
          description: The options by name. The values of a name that is there several times are joined with commas.
          type: dict
          sample: {region: us-west-2, access-key-id: EXAMPLEID, secret-access-key: "********"}
    filter_explained:
      description: A sentence about which records are delivered.
      type: str
      sample: A record is delivered only if ClientRequestHost is "shop.example.com"; all other records are left out.
    filter_budget:
      description: How much of the limits of the service the filter uses. V(null) if there is no filter that can be parsed.
      type: dict
      contains:
        operators:
          description: Number of comparisons.
          type: int
          sample: 1
        operators_limit:
          description: Maximum number of comparisons.
          type: int
          sample: 30
        bytes:
          description: Length of the text that is sent.
          type: int
          sample: 92
        bytes_limit:
          description: Maximum number of bytes.
          type: int
          sample: 1000
    unreadable:
      description: >-
        Members that the service shows with another type than documented, so that they are V(null) here and it is not known which records
        or fields the job delivers.
      type: list
      elements: str
      sample: [output_options.field_names]
    health:
      description: Whether the job delivers, as far as the service shows it.
      type: dict
      contains:
        state:
          description:
            - V(disabled) - RV(jobs[].enabled) is false. If there is an RV(jobs[].error_message), the service disabled the job.
            - V(failing) - there is an RV(jobs[].error_message), or RV(jobs[].last_error) is later than RV(jobs[].last_complete) or stands alone.
            - V(never) - there is no RV(jobs[].last_complete).
            - V(stale) - RV(jobs[].last_complete) is more than O(stale_after) seconds ago. A zone without traffic has nothing to deliver.
            - V(healthy) - none of these.
            - V(unknown) - the service shows none of the three members, RV(jobs[].last_complete) is no time or more than five minutes in the future,
              RV(jobs[].error_message) is not text, or RV(jobs[].enabled) is not shown. RV(jobs[].health.message) says which.
            - The first that fits in this order counts.
          type: str
          sample: failing
        since:
          description:
            - The last failed delivery if the job is V(failing) or was disabled by the service; the last delivery if it is V(stale) or V(healthy).
            - RFC 3339 in UTC. V(null) if there is no such time.
          type: str
          sample: "2026-03-02T09:44:10Z"
        lag_seconds:
          description: How many seconds ago the last delivery was, or V(null) if there is none.
          type: int
          sample: 157
        message:
          description: The same as a sentence, with the service's reason but without secrets.
          type: str
          sample: "The last delivery failed at 2026-03-02T09:44:10Z: access denied by the bucket policy"
error:
  description: Why the task failed, as data for a playbook.
  returned: failure
  type: dict
  sample: {kind: permission, method: GET, path: /zones/023e105f4ecef8ad9ca31a8372d0c353/logpush/jobs, status: 403,
    errors: [{code: 1004, message: reading job for product is not allowed}], request_id: 8a1f0c6d5e4b3a21-FRA, attempts: 1}
"""

from ansible_collections.edgeops.observability.plugins.module_utils._supported import check_supported

check_supported()

from ansible_collections.edgeops.observability.plugins.module_utils._address import ALL_ADDRESSES
from ansible_collections.edgeops.observability.plugins.module_utils._engine.module import run_module
from ansible_collections.edgeops.observability.plugins.module_utils._engine.task import InfoTask, Spec
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.facts import DEFAULT_STALE_AFTER, MEMBERS
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.options import JobQuery, desire_report
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.read import report


class LogpushJobInfo(InfoTask[JobQuery]):
    name = "logpush_job_info"
    spec = Spec(
        options={
            "name": dict(MEMBERS["name"].option or {}),
            "dataset": {"type": "str"},
            "job_id": {"type": "int"},
            "stale_after": {"type": "int", "default": DEFAULT_STALE_AFTER},
        }
    )
    addresses = ALL_ADDRESSES

    desire = staticmethod(desire_report)
    report = staticmethod(report)


TASK = LogpushJobInfo()


def main() -> None:
    run_module(TASK)


if __name__ == "__main__":
    main()
