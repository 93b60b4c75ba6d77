#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: survey_info
short_description: Read all zones and accounts that the credentials can read
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
description:
  - Lists the zones and accounts of Cloudflare that the credentials can read. Reads the log delivery (Logpush) jobs
    of each with their health, and for zones also the custom log fields and the status of the script monitor. The playbook
    C(edgeops.observability.survey) makes a report of the result.
  - Several zones are read at the same time, within O(request_budget). After each tenth of them a line shows the progress and the estimated time. A
    module that runs in a process of its own shows no such line, see C(edgeops_in_process).
  - Fails only if the zones cannot be listed, or if there is nothing to read. Anything else that cannot be read is a part of the result with C(failed).
extends_documentation_fragment:
  - edgeops.observability.connection
  - edgeops.observability.attributes.info
  - edgeops.observability.attributes
attributes:
  check_mode:
    details:
      - The module only reads, in check mode or otherwise. GraphQL queries are sent with C(POST).
options:
  names:
    description:
      - Only the zones with these names, in any letter case. A name that no zone has is a warning.
      - With O(names) or O(statuses), accounts are read only if O(account_ids) is set.
      - If omitted, the member C(edgeops_survey.names) of the variable of the playbook.
    type: list
    elements: str
    default: []
  statuses:
    description:
      - Only the zones with one of these statuses, V(initializing), V(pending), V(active) or V(moved); another one is a warning.
      - If omitted, the member C(edgeops_survey.statuses) of the variable of the playbook.
    type: list
    elements: str
    default: []
  account_ids:
    description:
      - Only these accounts and their zones. An account that the service does not list is read as well, so that it is not left out unseen.
      - If omitted, the member C(edgeops_survey.account_ids) of the variable of the playbook.
    type: list
    elements: str
    default: []
  scripts:
    description:
      - Whether to read the scripts on the pages of the zones as well.
      - If omitted, the variable C(edgeops_audit_scripts) of the playbooks.
    type: bool
    default: false
  delivery:
    description: Whether to read what the jobs delivered and lost in the last day, as M(edgeops.observability.logpush_delivery_info) does.
    type: bool
    default: true
  fields:
    description:
      - Whether to read the fields of each dataset that a job which is not disabled delivers, once a zone or account and dataset, and the Customer
        Metadata Boundary of each account. If omitted, the variable C(edgeops_audit_fields).
    type: bool
    default: false
  costs:
    description:
      - Whether to read what each account costs in the month so far, as M(edgeops.observability.logpush_delivery_info) does. If omitted, whether the
        variable C(edgeops_monthly_budget_usd) is set.
    type: bool
    default: false
notes:
  - The survey has no address; one that C(module_defaults) of the group C(edgeops.observability.zone) set is ignored.
  - With Cloudflare, the API token needs the permissions of the modules that read the same of one zone. Without the right to list accounts, the accounts
    of the zones are read, and their C(result) has the reason.
seealso:
  - module: edgeops.observability.audit_report
  - module: edgeops.observability.logpush_job_info
"""

EXAMPLES = r"""
- name: Read all active zones
  edgeops.observability.survey_info:
    statuses: [active]
  register: fleet

- name: Write the report
  edgeops.observability.audit_report:
    zones: "{{ fleet.zones }}"
    dest: "{{ playbook_dir }}/survey"
"""

RETURN = r"""
zones:
  description:
    - A record for each zone, sorted by name, then for each account, as M(edgeops.observability.audit_report) takes them.
    - A part that could not be read has C(failed), C(msg) and C(error) with C(kind), C(path), C(status) and C(errors).
  returned: success
  type: list
  elements: dict
  contains:
    zone:
      description: The name of the zone or account, as the inventory plugin P(edgeops.observability.zones#inventory) names its host.
      type: str
      sample: shop.example
    zone_id:
      description: The id of the zone.
      type: str
      returned: if the record is of a zone
      sample: 023e105f4ecef8ad9ca31a8372d0c353
    account_id:
      description: The id of the account, or of that of the zone; V(null) if the service does not name it.
      type: str
      returned: unless accounts could not be listed, and no zone names one
      sample: 9a7806061c88ada191ed06f989cc3dac
    account_name:
      description: The name of the account, or of the one that the zone belongs to; V(null) if the service does not name it.
      type: str
      sample: Example GmbH
    declared:
      description: Always V(false), because nothing is declared for the zone or account.
      type: bool
      sample: false
    scope:
      description: Whether the record is of a V(zone) or of an V(account).
      type: str
      sample: zone
    jobs:
      description: The result of M(edgeops.observability.logpush_job_info), with RV(ignore:jobs).
      type: dict
      sample: {"jobs": []}
    result:
      description:
        - C(custom_fields) and C(script_monitor), the results of M(edgeops.observability.log_custom_fields_info) and of
          M(edgeops.observability.script_monitor_info).
        - Of accounts, why they could not be listed.
      type: dict
      returned: if the record is of a zone, or if accounts could not be listed
      sample: {"script_monitor": {"script_monitor": {"enabled": true, "updated_at": "2026-11-20T10:00:00Z"}}}
    coverage:
      description: The result of the filter P(edgeops.observability.log_field_coverage#filter), which also shows whether the rule is disabled.
      type: dict
      returned: if the zone has custom log fields and its jobs could be read
      sample: {"arrives": true, "unselected": [], "unconfigured": [], "sentences": []}
    scripts:
      description: The result of M(edgeops.observability.script_monitor_info), V(null) without O(scripts). If the service refuses to list every script, it
        has the reason as C(incomplete).
      type: dict
      returned: if the record is of a zone
      sample:
    notifications:
      description:
        The result of M(edgeops.observability.notification_policy_info), or the failure.
      type: dict
      returned: if the record is of an account
      sample: {notification_policies: [], webhooks: [], available_alerts: {failing_logpush_job_disabled_alert: A Logpush job was disabled.}}
    delivery:
      description: >-
        The rows of M(edgeops.observability.logpush_delivery_info), or C(available) and C(reason) if there are none.
      type: raw
      returned: if there are jobs, and with O(delivery)
      sample: []
    fields:
      description: The results of M(edgeops.observability.logpush_dataset_info) by dataset, each or its failure.
      type: dict
      returned: if the jobs could be read, and with O(fields)
      sample: {http_requests: {fields: {RayID: ID of the request.}}}
    boundary:
      description: The C(regions) of the Customer Metadata Boundary and C(allow_out_of_region_access), or the failure.
      type: dict
      returned: if the record is of an account, and with O(fields)
      sample: {regions: [eu], allow_out_of_region_access: false}
    cost:
      description: What M(edgeops.observability.logpush_delivery_info) returns as C(cost), or the failure.
      type: dict
      returned: if the record is of an account, and with O(costs)
      sample: {month: 2026-11, currency: USD, amount: 41.2, estimated: true, excluded: []}
error:
  description: Why the task failed, as data for a playbook.
  returned: failure
  type: dict
  sample: {kind: authentication, method: GET, path: /zones, status: 401,
    errors: [], request_id: 8a1f0c6d5e4b3a21-FRA, attempts: 1}
"""

from ansible_collections.edgeops.observability.plugins.module_utils._supported import check_supported

check_supported()

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._address import FILTER_OPTIONS, parse_filters
from ansible_collections.edgeops.observability.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.observability.plugins.module_utils._core import Conclusion
from ansible_collections.edgeops.observability.plugins.module_utils._engine.module import run_module
from ansible_collections.edgeops.observability.plugins.module_utils._engine.task import InfoTask, Params, Spec
from ansible_collections.edgeops.observability.plugins.module_utils._zone.survey import survey


class SurveyInfo(InfoTask[Params]):
    name = "survey_info"
    spec = Spec(
        options={
            **FILTER_OPTIONS,
            "scripts": {"type": "bool", "default": False},
            "delivery": {"type": "bool", "default": True},
            "fields": {"type": "bool", "default": False},
            "costs": {"type": "bool", "default": False},
        }
    )
    addresses = ()

    def __init__(self, display: t.Callable[[str], None] = lambda text: None) -> None:
        """`display` is called with each line about the progress."""
        self._display = display

    desire = staticmethod(parse_filters)

    def report(self, client: Client, desired: Params) -> Conclusion:
        return survey(client, desired, self._display)


TASK = SurveyInfo()


def main() -> None:
    run_module(TASK)


if __name__ == "__main__":
    main()
