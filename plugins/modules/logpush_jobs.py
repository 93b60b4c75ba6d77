#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: logpush_jobs
short_description: Manage all log delivery (Logpush) jobs of a zone or an account
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
description:
  - Creates, changes and deletes the log delivery (Logpush) jobs of one Cloudflare zone or account in one task, and optionally deletes all others.
  - The items are the desired state; check mode reports drift. The jobs of the zone are listed once, whatever the number of items.
  - All items are validated, and all their plans made, before the first write.
  - Writes are sent in this order - deletions of items, re-creations, updates, creations, deletions of unlisted jobs. If one fails, the rest is not sent.
    The message names the jobs that were written, and the next run continues from there.
extends_documentation_fragment:
  - edgeops.observability.jobs
  - edgeops.observability.connection
  - edgeops.observability.connection.address
  - edgeops.observability.connection.approval
  - edgeops.observability.attributes
options:
  send_destination:
    description: When to send the destinations of jobs that exist, for items that omit O(jobs[].send_destination).
    type: str
    choices: [if_different, if_masked, always]
    default: if_different
  unlisted_jobs:
    description:
      - What to do with jobs that are not in O(jobs).
      - With V(ignore) they are not changed and not returned. With V(report) they are returned, which is never a change. With V(absent) they are deleted.
      - If the service cannot list jobs, V(report) is a warning, and V(absent) fails as V(not_found).
    type: str
    choices: [ignore, report, absent]
    default: ignore
notes:
  - With Cloudflare, reading and writing Logpush jobs need an API token with the permission Logs Write.
  - In a diff the key of a job is its name, or C(name/dataset/id) if the name is empty or an older job has it.
seealso:
  - module: edgeops.observability.logpush_job
  - module: edgeops.observability.logpush_job_info
  - module: edgeops.observability.log_custom_fields
"""

EXAMPLES = r"""
- name: Deliver all requests to an archive, and errors to an endpoint
  edgeops.observability.logpush_jobs:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    jobs:
      - name: archive
        destination_conf: s3://example-archive/http/{DATE}?region=us-west-2
        fields: [ClientIP, ClientRequestHost, EdgeResponseStatus, RayID]
        enabled: true
      - name: errors
        destination_conf: https://logs.example.com/errors
        fields: [ClientRequestHost, EdgeResponseStatus, RayID]
        filter: {key: EdgeResponseStatus, operator: geq, value: 500}
        enabled: true

- name: Delete all other jobs
  edgeops.observability.logpush_jobs:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    jobs:
      - name: archive
      - name: errors
    unlisted_jobs: absent
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
  description:
    - The jobs in the order of the items, as the service returns them, without secrets. In check mode the predicted ones.
    - V(null) for an item with O(jobs[].state=absent).
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: Identifier of the job. V(null) for a job that would be created.
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
      description: Name of the transformer, or V(null) if O(jobs[].transformer) is omitted.
      type: str
      sample: redact-addresses
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
    undeclared:
      description:
        - What the task omits, and therefore does not compare, of what decides where the job delivers and which records -
          V(destination), V(filter), V(transformer), V(sample_rate) and, where the dataset has it, V(filter_attack_traffic).
      type: list
      elements: str
      sample: [transformer, sample_rate]
unlisted_jobs:
  description:
    - Jobs of the zone that no item names, sorted by id. With O(unlisted_jobs=absent) those that are deleted, with O(unlisted_jobs=ignore) an empty
      list. V(null) if the service cannot list jobs.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: Identifier of the job.
      type: int
      sample: 1234568
    name:
      description: Name of the job, or V(null).
      type: str
      sample: old-logs
    dataset:
      description: Dataset that the job delivers.
      type: str
      sample: http_requests
    enabled:
      description: Whether the job delivers.
      type: bool
      sample: false
refusals:
  description: Why the plan was refused as V(conflict), as RV(edgeops.observability.logpush_job#module:refusals). All other values are returned too.
  returned: failure, if a job does not deliver to its C(destination_address)
  type: list
  elements: dict
  sample: [{job: edge-logs, member: destination_address, is: 's3://other-bucket/all?region=eu-west-1',
    should_be: 's3://edge-logs/all?region=eu-west-1'}]
plan_id:
  description: A digest of the managed state that was read and of the writes that follow from it, over all items, for O(expected_plan_id).
  returned: success
  type: str
  sample: sha256:0f3c9d1b7a5e48c2f6b1d0a9e8c7b6a5f4e3d2c1b0a99887766554433221100f
effects:
  description: What the task destroys, or in check mode would, sorted by name and subject. The playbook C(deliver) refuses what C(edgeops_allow) does not name.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description:
        - One of V(change_destination), V(change_filter), V(change_transformer), V(delete_job), V(disable_job), V(drop_job_fields),
          V(recreate_job) and V(reduce_sample_rate).
      type: str
      sample: drop_job_fields
    subject:
      description: The job, by its name; C(name/dataset/id) if the name is empty or repeated in the zone.
      type: str
      sample: edge-logs
    detail:
      description: The log fields that go, for V(drop_job_fields); otherwise, and where a list is written in place of the default of the service, V(null).
      type: list
      elements: str
      sample: [ClientIP]
error:
  description: Why the task failed, as data for a playbook.
  returned: failure
  type: dict
  sample: {kind: rejected, method: POST, path: /zones/023e105f4ecef8ad9ca31a8372d0c353/logpush/jobs, status: 400,
    errors: [{code: 1002, message: error validating destination}], request_id: 8a1f0c6d5e4b3a21-FRA, attempts: 1}
"""

from ansible_collections.edgeops.observability.plugins.module_utils._supported import check_supported

check_supported()

from ansible_collections.edgeops.observability.plugins.module_utils._engine.module import run_module
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.task import JOBS_TASK as TASK


def main() -> None:
    run_module(TASK)


if __name__ == "__main__":
    main()
