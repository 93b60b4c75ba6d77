#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: logpush_delivery_info
short_description: Read what log delivery (Logpush) jobs delivered and lost
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
description:
  - Returns for each log delivery (Logpush) job what Cloudflare measured of its deliveries in a window of time. A job can be healthy by its own
    status and lose batches all the same.
  - Optionally returns what an account delivered by day, and what the deliveries of the month cost.
  - Never fails because the plan or the token has no such data; RV(available) and RV(reason) report that.
extends_documentation_fragment:
  - edgeops.observability.connection
  - edgeops.observability.connection.address
  - edgeops.observability.attributes.info
  - edgeops.observability.attributes
attributes:
  check_mode:
    details:
      - The module only reads, in check mode or otherwise. GraphQL queries are sent with C(POST).
options:
  zone_ids:
    description:
      - Ids of zones, each 1 to 32 hexadecimal digits, in place of O(zone_id). Up to 10 zones are read with one query.
      - Exactly one of O(zone_ids), O(zone_id), O(zone_name) and O(account_id) is required.
    type: list
    elements: str
  since:
    description: How many hours to look back, from 1 to 720. A plan that shows less shortens the window, with a warning.
    type: int
    default: 24
  costs:
    description:
      - Whether to return RV(usage) and RV(cost). Needs O(account_id).
      - The jobs of the account are listed as well, to leave out V(workers_trace_events), which is not paid by the gigabyte. If the token cannot
        list them, which needs Logs Write, RV(cost.assumptions) says so.
    type: bool
    default: false
  rates:
    description: Prices for O(costs), for accounts with a contract of their own. What is omitted is as Cloudflare published it on 2026-10-02.
    type: dict
    suboptions:
      internal:
        description: Deliveries to R2 and Pipelines.
        type: dict
        suboptions:
          usd_per_gb:
            description: Price of a gigabyte in US dollars. If omitted, 0.03.
            type: float
          free_gb:
            description: Gigabytes of a month without a price. If omitted, 25.
            type: float
      external:
        description: Deliveries to all other destinations.
        type: dict
        suboptions:
          usd_per_gb:
            description: Price of a gigabyte in US dollars. If omitted, 0.10.
            type: float
          free_gb:
            description: Gigabytes of a month without a price. If omitted, 25.
            type: float
notes:
  - With Cloudflare, the API token needs the permission Account Analytics Read, for zones also Analytics Read of the zones.
  - Queries have a budget of their own, 300 in 300 seconds, as Cloudflare counts them apart from other requests. With O(request_budget=none) they
    have none.
  - The facts of the last ten minutes may be incomplete.
seealso:
  - module: edgeops.observability.logpush_job_info
"""

EXAMPLES = r"""
- name: Read what the jobs of all zones delivered and lost since yesterday
  edgeops.observability.logpush_delivery_info:
    zone_ids: "{{ groups['zones'] | map('extract', hostvars, 'zone_id') }}"
  register: delivery
  run_once: true

- name: Report jobs that lost records
  ansible.builtin.debug:
    msg: "Job {{ item.job_id }} of zone {{ item.zone_id }} lost {{ item.dropped_records }} records."
  loop: "{{ delivery.jobs | selectattr('dropped_records') }}"
  loop_control:
    label: "{{ item.job_id }}"
  run_once: true

- name: Read what the deliveries of an account cost this month
  edgeops.observability.logpush_delivery_info:
    account_id: 9a7806061c88ada191ed06f989cc3dac
    since: 720
    costs: true
  register: bill

- name: Show the amount and what it is based on
  ansible.builtin.debug:
    msg: "{{ [bill.cost.amount ~ ' ' ~ bill.cost.currency] + bill.cost.assumptions }}"
  when: bill.available
"""

RETURN = r"""
zone_id:
  description: The id of the zone, also if O(zone_name) names it.
  returned: if the task is about one zone
  type: str
  sample: 023e105f4ecef8ad9ca31a8372d0c353
account_id:
  description: The id of the account.
  returned: if the task is about an account
  type: str
  sample: 9a7806061c88ada191ed06f989cc3dac
available:
  description: Whether there are delivery facts of at least one zone, or of the account.
  returned: success
  type: bool
  sample: true
reason:
  description: Why there are none; V(null) if there are.
  returned: success
  type: str
  sample:
unavailable:
  description: Why there are none of some of the zones, or of the account, by its id.
  returned: success
  type: dict
  sample: {}
shortened:
  description:
    - Of which zones, or that of the account, the plan shows fewer hours than O(since), by id. What happened before them is not known, which is
      not the same as nothing. A warning says so as well.
  returned: success
  type: dict
  sample: {023e105f4ecef8ad9ca31a8372d0c353: {hours: 1, requested: 24}}
window:
  description: The window of time that the facts are of. With different plans, the longest one.
  returned: success
  type: dict
  contains:
    since:
      description: Its start.
      type: str
      sample: "2026-11-22T08:00:00Z"
    until:
      description: Its end.
      type: str
      sample: "2026-11-23T08:00:00Z"
jobs:
  description: The facts of each job that delivered or failed to deliver in the window. A member that the service does not offer is V(null).
  returned: success
  type: list
  elements: dict
  contains:
    zone_id:
      description: The zone of the job.
      type: str
      returned: if the task is about zones
      sample: 023e105f4ecef8ad9ca31a8372d0c353
    account_id:
      description: The account of the job.
      type: str
      returned: if the task is about an account
      sample: 9a7806061c88ada191ed06f989cc3dac
    job_id:
      description: The id of the job.
      type: int
      sample: 4
    uploads:
      description: >-
        Batches that were delivered. Null, as C(records), C(bytes) and C(bytes_compressed), if neither the outcome nor a status of 200 tells it of each
        batch.
      type: int
      sample: 1440
    records:
      description: Records that were delivered.
      type: int
      sample: 812034
    failed_uploads:
      description: Batches that were lost, because their last try failed.
      type: int
      sample: 2
    dropped_records:
      description: Records of the batches that were lost.
      type: int
      sample: 1204
    retries:
      description: Tries that failed and were repeated.
      type: int
      sample: 7
    bytes:
      description: Bytes that were delivered, before compression.
      type: int
      sample: 904411220
    bytes_compressed:
      description: Bytes that were delivered, as they were sent.
      type: int
      sample: 90441122
    statuses:
      description: >-
        Batches by the status of their last try: the HTTP status of the destination, or an error code of Cloudflare such as V(1105).
      type: dict
      sample: {"200": 1440, "403": 2}
    first:
      description: The start of the first hour with an upload.
      type: str
      sample: "2026-11-22T08:00:00Z"
    last:
      description: The time of the last upload.
      type: str
      sample: "2026-11-23T07:59:12Z"
usage:
  description: What the service bills, by day of this month. V(null) without O(costs), or if the service does not offer it.
  returned: success
  type: list
  elements: dict
  contains:
    date:
      description: The day.
      type: str
      sample: "2026-11-22"
    billable_bytes:
      description: The bytes of that day.
      type: int
      sample: 41200345110
cost:
  description: What the deliveries of this month cost so far. V(null) without O(costs), or if the plan shows neither billed nor delivered bytes.
  returned: success
  type: dict
  contains:
    month:
      description: The month.
      type: str
      sample: 2026-11
    currency:
      description: Always V(USD).
      type: str
      sample: USD
    amount:
      description: The amount of both parts.
      type: float
      sample: 3.95
    internal:
      description: Deliveries to R2 and Pipelines, with C(gb), C(free_gb) and C(amount).
      type: dict
      sample: {"gb": 40.0, "free_gb": 25.0, "amount": 0.45}
    external:
      description: Deliveries to all other destinations, with C(gb), C(free_gb) and C(amount).
      type: dict
      sample: {"gb": 60.0, "free_gb": 25.0, "amount": 3.5}
    since:
      description: >-
        Since when the bytes of the amount are counted: the start of the month, or later where the plan shows neither what is billed nor all
        deliveries of the month.
      type: str
      sample: "2026-11-01T00:00:00Z"
    missing_days:
      description: >-
        The days of the month of which RV(usage) has no row, each with the bytes that were delivered on it as far as the account shows, and
        V(null) where it does not show that day. Empty if the bytes are estimated. Of today a row may come late, unless there is no row at all.
      type: dict
      sample: {"2026-11-03": 5120345110, "2026-11-04": null}
    jobs:
      description: >-
        The jobs whose deliveries of the month the account shows. An account may not show those of the jobs of its zones.
      type: list
      elements: int
      sample: [42]
    estimated:
      description: Whether the bytes are those of delivered batches, because the service does not offer what it bills.
      type: bool
      sample: false
    excluded:
      description: Datasets of the account's jobs that are left out of the amount, because they are not paid by the gigabyte.
      type: list
      elements: str
      sample: [workers_trace_events]
    assumptions:
      description: What the amount is based on, in sentences.
      type: list
      elements: str
      sample: ["The amount is for the month so far, for deliveries only: transformers are not included."]
error:
  description: Why the task failed, as data for a playbook.
  returned: failure
  type: dict
  sample: {kind: unavailable, method: POST, path: /graphql, status: 503,
    errors: [{code: null, message: unable to execute query}], request_id: 8a1f0c6d5e4b3a21-FRA, attempts: 5}
"""

from ansible_collections.edgeops.observability.plugins.module_utils._supported import check_supported

check_supported()

from ansible_collections.edgeops.observability.plugins.module_utils._engine.module import run_module
from ansible_collections.edgeops.observability.plugins.module_utils._engine.task import InfoTask, Spec
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.delivery import (
    DELIVERY_ADDRESSES,
    DELIVERY_OPTIONS,
    DesiredFacts,
    desire,
)
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.read import report_delivery


class LogpushDeliveryInfo(InfoTask[DesiredFacts]):
    name = "logpush_delivery_info"
    spec = Spec(options=DELIVERY_OPTIONS)
    addresses = DELIVERY_ADDRESSES

    desire = staticmethod(desire)
    report = staticmethod(report_delivery)


TASK = LogpushDeliveryInfo()


def main() -> None:
    run_module(TASK)


if __name__ == "__main__":
    main()
