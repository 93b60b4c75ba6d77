#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: notification_policy
short_description: Manage a notification policy of an account
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
description:
  - Manages one notification policy of a Cloudflare account - an alert and its recipients. V(failing_logpush_job_disabled_alert) reports Logpush jobs
    that the service disabled, V(scriptmonitor_alert_new_resources) new scripts.
  - What the task omits is kept, members that have no option included. If the service masks one of them with asterisks, a change fails as
    V(bad_response) before anything is written, because an update sends the whole policy.
extends_documentation_fragment:
  - edgeops.observability.connection
  - edgeops.observability.connection.account
  - edgeops.observability.connection.approval
  - edgeops.observability.attributes
options:
  state:
    description: V(present) creates or updates the policy, V(absent) deletes it.
    type: str
    choices: [present, absent]
    default: present
  name:
    description:
      - Name of the policy. Names are not unique; two policies of this name are a V(conflict).
      - Together with O(policy_id), the policy is renamed; the name of another one is a V(conflict).
    type: str
  policy_id:
    description: Identifier of an existing policy. One of O(name) and O(policy_id) is required.
    type: str
  alert_type:
    description:
      - Type of the alert. Required for a new policy; cannot change on an existing one, which is a V(conflict).
      - M(edgeops.observability.notification_policy_info) lists the types that the account may use; another one is V(invalid_option). If the service does
        not list them, the task warns and goes on.
    type: str
  mechanisms:
    description: Recipients by type. Each type that is given replaces that type, the others are kept. An enabled policy needs at least one.
    type: dict
    suboptions:
      email:
        description: Addresses.
        type: list
        elements: str
      webhooks:
        description:
          - Ids or names of webhooks, which M(edgeops.observability.notification_webhook) manages. A name takes one more request; one that several
            webhooks have is a V(conflict).
        type: list
        elements: str
      pagerduty:
        description: Ids of PagerDuty services.
        type: list
        elements: str
  filters:
    description:
      - What the policy is restricted to, as lists of texts by name, such as C(zones) with the ids of zones. It replaces all filters; V({}) removes them.
      - The order never matters, and an empty list is the same as none.
      - A filter or a value that the service does not offer for this alert, and one that it calls required and that is missing, are warnings, because
        what the service says of them is not always right.
    type: dict
  description:
    description: Description of the policy.
    type: str
  enabled:
    description: Whether the policy is enabled. If omitted, a new policy is.
    type: bool
  alert_interval:
    description: How often the alert may be repeated, such as V(30m). An empty string means the default of the service.
    type: str
notes:
  - With Cloudflare, reading needs an API token with the permission Notifications Read, writing one with Notifications Write, for the account.
  - After a creation the policies are listed once more. If another run created one of this name at the same time, the task fails with the kind
    V(conflict) and names both; nothing is deleted.
  - Mail of V(failing_logpush_job_disabled_alert) holds the destination of the job.
seealso:
  - module: edgeops.observability.notification_policy_info
  - module: edgeops.observability.notification_webhook
"""

EXAMPLES = r"""
- name: Tell operations of jobs that the service disabled
  edgeops.observability.notification_policy:
    account_id: 9a7806061c88ada191ed06f989cc3dac
    name: Log delivery
    alert_type: failing_logpush_job_disabled_alert
    mechanisms:
      email: [ops@example.com]

- name: Tell security of new scripts of one zone
  edgeops.observability.notification_policy:
    account_id: 9a7806061c88ada191ed06f989cc3dac
    name: New scripts
    alert_type: scriptmonitor_alert_new_resources
    mechanisms:
      email: [security@example.com]
    filters:
      zones: [023e105f4ecef8ad9ca31a8372d0c353]

- name: Pause it
  edgeops.observability.notification_policy:
    account_id: 9a7806061c88ada191ed06f989cc3dac
    name: New scripts
    enabled: false
"""

RETURN = r"""
account_id:
  description: The id of the account.
  returned: success
  type: str
  sample: 9a7806061c88ada191ed06f989cc3dac
notification_policy:
  description: The policy, or V(null) after a deletion. In check mode the predicted one, in which what the service makes keeps its current value.
  returned: success
  type: dict
  contains:
    id:
      description: Identifier of the policy. V(null) in check mode if it would be created.
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
plan_id:
  description: A digest of the managed state that was read and of the writes that follow from it, for O(expected_plan_id).
  returned: success
  type: str
  sample: sha256:0f3c9d1b7a5e48c2f6b1d0a9e8c7b6a5f4e3d2c1b0a99887766554433221100f
effects:
  description: What the task destroys, or in check mode would, sorted by name and subject.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: V(mute_alert) if an enabled policy is deleted or disabled, loses a mechanism, or gets a filter that is narrower.
      type: str
      sample: mute_alert
    subject:
      description: Name of the policy.
      type: str
      sample: Log delivery
    detail:
      description: The mechanisms and values of filters that go, and filters that are new. V(null) if the policy is deleted or disabled.
      type: list
      elements: str
      sample: ["email: ops@example.com"]
error:
  description: Why the task failed, as data for a playbook.
  returned: failure
  type: dict
  sample: {kind: authentication, method: POST, path: /accounts/9a7806061c88ada191ed06f989cc3dac/alerting/v3/policies, status: 403,
    errors: [{code: 10000, message: not allowed}], request_id: 8a1f0c6d5e4b3a21-FRA, attempts: 1}
"""

from ansible_collections.edgeops.observability.plugins.module_utils._supported import check_supported

check_supported()

from ansible_collections.edgeops.observability.plugins.module_utils._engine.module import run_module
from ansible_collections.edgeops.observability.plugins.module_utils._notifications.task import TASK


def main() -> None:
    run_module(TASK)


if __name__ == "__main__":
    main()
