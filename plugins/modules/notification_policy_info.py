#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: notification_policy_info
short_description: Read the notification policies of an account
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
description:
  - Returns the notification policies of one Cloudflare account - all, or those that match all options -, the webhooks that they can name, when policies
    are silenced, and the alerts that the account may use.
  - What cannot be read with these credentials or for this account, or what the service answers in an unknown form, is V(null) with a warning.
extends_documentation_fragment:
  - edgeops.observability.connection
  - edgeops.observability.connection.account
  - edgeops.observability.attributes.info
  - edgeops.observability.attributes
options:
  name:
    description: Return policies of this name. Names are not unique.
    type: str
  policy_id:
    description: Return the policy with this identifier. If it does not exist, the list is empty.
    type: str
  history_days:
    description: Also return what was sent in so many days, at most 30. V(0) does not ask for it.
    type: int
    default: 0
notes:
  - With Cloudflare, reading needs an API token with the permission Notifications Read for the account.
seealso:
  - module: edgeops.observability.notification_policy
  - module: edgeops.observability.notification_webhook
"""

EXAMPLES = r"""
- name: Read all policies
  edgeops.observability.notification_policy_info:
    account_id: 9a7806061c88ada191ed06f989cc3dac
  register: notifications

- name: Show the policies that tell of disabled jobs
  ansible.builtin.debug:
    msg: "{{ notifications.notification_policies | selectattr('alert_type', 'equalto', 'failing_logpush_job_disabled_alert') | map(attribute='name') }}"
"""

RETURN = r"""
account_id:
  description: The id of the account.
  returned: success
  type: str
  sample: 9a7806061c88ada191ed06f989cc3dac
notification_policies:
  description: The policies, sorted by RV(notification_policies[].id). Empty if there is none.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: Identifier of the policy.
      type: str
      sample: 0da2b59ef11845bdb6c4a2b7a1f05e41
    name:
      description: Name of the policy.
      type: str
      sample: Log delivery
    description:
      description: Description of the policy, empty if it has none.
      type: str
      sample: Jobs that Cloudflare disabled
    enabled:
      description: Whether the policy is enabled.
      type: bool
      sample: true
    alert_type:
      description: What the policy is about.
      type: str
      sample: failing_logpush_job_disabled_alert
    alert_interval:
      description: How often the alert may be repeated, empty for the default of the service.
      type: str
      sample: 30m
    filters:
      description: What the policy is restricted to, as lists by name. Empty if it is not restricted.
      type: dict
      sample: {zones: [023e105f4ecef8ad9ca31a8372d0c353]}
    mechanisms:
      description: Recipients by type.
      type: dict
      contains:
        email:
          description: Addresses.
          type: list
          elements: str
          sample: [ops@example.com]
        webhooks:
          description: Ids of webhooks.
          type: list
          elements: str
          sample: [b115d5ec15c641ee8b7692c449b5227b]
        pagerduty:
          description: Ids of PagerDuty services.
          type: list
          elements: str
          sample: []
    created:
      description: When the policy was created.
      type: str
      sample: "2026-10-02T09:41:33Z"
    modified:
      description: When the policy was last written.
      type: str
      sample: "2026-10-05T10:00:00Z"
webhooks:
  description: The webhooks, sorted by RV(webhooks[].id), without their addresses, which are secrets. V(null) with a warning if the service does not list them.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: Identifier of the webhook.
      type: str
      sample: b115d5ec15c641ee8b7692c449b5227b
    name:
      description: Name of the webhook.
      type: str
      sample: Chat of operations
    type:
      description: Type of the webhook, or V(null).
      type: str
      sample: generic
    host:
      description: Host of its address, or V(null).
      type: str
      sample: chat.example.com
    last_success:
      description: When something was delivered last, or V(null).
      type: str
      sample: "2026-10-02T09:41:33Z"
    last_failure:
      description: When a delivery failed last, or V(null).
      type: str
      sample: null
available_alerts:
  description: The description of each alert that the account may use, by its type. V(null) with a warning if the service does not list them.
  returned: success
  type: dict
  sample: {failing_logpush_job_disabled_alert: A Logpush job was disabled.}
silences:
  description: When policies are silenced, of all policies of the account, sorted. V(null) with a warning if the service does not list them.
  returned: success
  type: list
  elements: dict
  contains:
    policy_id:
      description: Identifier of the policy.
      type: str
      sample: 0da2b59ef11845bdb6c4a2b7a1f05e41
    start_time:
      description: When the silence begins.
      type: str
      sample: "2026-11-28T20:00:00Z"
    end_time:
      description: When it ends.
      type: str
      sample: "2026-11-29T04:00:00Z"
history:
  description:
    - How often each alert was sent in O(history_days), and when last, by its type. V(null) if it was not asked for, or with a warning if the service
      does not list it.
  returned: success
  type: dict
  sample: {failing_logpush_job_disabled_alert: {count: 2, last_sent: '2026-11-26T03:10:00Z'}}
error:
  description: Why the task failed, as data for a playbook.
  returned: failure
  type: dict
  sample: {kind: permission, method: GET, path: /accounts/9a7806061c88ada191ed06f989cc3dac/alerting/v3/policies, status: 403,
    errors: [{code: 1004, message: not allowed}], request_id: 8a1f0c6d5e4b3a21-FRA, attempts: 1}
"""

from ansible_collections.edgeops.observability.plugins.module_utils._supported import check_supported

check_supported()

from ansible_collections.edgeops.observability.plugins.module_utils._engine.module import run_module
from ansible_collections.edgeops.observability.plugins.module_utils._notifications.task import INFO_TASK as TASK


def main() -> None:
    run_module(TASK)


if __name__ == "__main__":
    main()
