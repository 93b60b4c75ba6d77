#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: notification_webhook
short_description: Manage a webhook that notification policies can name
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
description:
  - Manages one webhook of a Cloudflare account, to which notification policies send their alerts; see M(edgeops.observability.notification_policy).
  - The service sends a test message to the address when a webhook is created. If it is refused, the task fails with the kind V(rejected) and the text
    of the service.
  - The service never shows the secret of a webhook, and of the address of a chat service only a part. What could be compared is in RV(compared).
extends_documentation_fragment:
  - edgeops.observability.connection
  - edgeops.observability.connection.account
  - edgeops.observability.connection.approval
  - edgeops.observability.attributes
options:
  state:
    description:
      - V(present) creates or updates the webhook.
      - V(absent) deletes it. As long as notification policies name it, this is a V(conflict) with their names, and nothing is sent.
    type: str
    choices: [present, absent]
    default: present
  name:
    description:
      - Name of the webhook. Names are not unique; two webhooks of this name are a V(conflict).
      - Together with O(webhook_id), the webhook is renamed, for which O(url) is needed too; the name of another one is a V(conflict).
    type: str
  webhook_id:
    description: Identifier of an existing webhook. One of O(name) and O(webhook_id) is required.
    type: str
  url:
    description:
      - Address to which alerts are sent, beginning with V(https://). It is a secret, and in no result, diff or message.
      - Required for a new webhook and for each change, because an update replaces the whole webhook.
      - Compared are scheme and host, the path as far as the service shows it, and the query if it shows one.
    type: str
  secret:
    description:
      - Secret that the service sends along in the header C(cf-webhook-auth). It can be set, and never read or compared.
      - If omitted from an update, the task warns, because a secret that was set is gone unless the service keeps it.
    type: str
  send_url:
    description:
      - When O(url) and O(secret) are sent. V(if_different) sends them if the name or what can be compared of the address differs.
        If the service shows nothing of the address, the task fails as V(bad_response) instead.
      - V(always) sends them in each run, which is a change in each run, to rotate a secret or a part of the address that the service does not show.
    type: str
    choices: [if_different, always]
    default: if_different
notes:
  - With Cloudflare, reading needs an API token with the permission Notifications Read, writing one with Notifications Write, for the account.
  - A creation without a response is not repeated. The module lists the webhooks again and continues with the one of this name if it was created.
  - After a creation the webhooks are listed once more. If another run created one of this name at the same time, the task fails with the kind
    V(conflict) and names both; nothing is deleted.
seealso:
  - module: edgeops.observability.notification_policy
  - module: edgeops.observability.notification_policy_info
"""

EXAMPLES = r"""
- name: Tell the chat of operations
  edgeops.observability.notification_webhook:
    account_id: 9a7806061c88ada191ed06f989cc3dac
    name: Chat of operations
    url: https://chat.example.com/hooks/operations

- name: Rotate its secret, which is a change in each run
  edgeops.observability.notification_webhook:
    account_id: 9a7806061c88ada191ed06f989cc3dac
    name: Chat of operations
    url: https://chat.example.com/hooks/operations
    secret: "{{ vaulted_chat_secret }}"
    send_url: always

- name: Delete a webhook that no policy names
  edgeops.observability.notification_webhook:
    account_id: 9a7806061c88ada191ed06f989cc3dac
    name: Chat of operations
    state: absent
"""

RETURN = r"""
account_id:
  description: The id of the account.
  returned: success
  type: str
  sample: 9a7806061c88ada191ed06f989cc3dac
notification_webhook:
  description:
    - The webhook without its address and secret, or V(null) after a deletion. In check mode the predicted one, in which what the service makes keeps
      its current value.
  returned: success
  type: dict
  contains:
    id:
      description: Identifier of the webhook. V(null) in check mode if it would be created.
      type: str
      sample: b115d5ec15c641ee8b7692c449b5227b
    name:
      description: Name of the webhook.
      type: str
      sample: Chat of operations
    type:
      description: Type of the webhook, which the service finds out from the address, or V(null).
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
compared:
  description:
    - What of the webhook that the service shows was compared with the options - V(name), and of the address V(scheme), V(host), V(path) and V(query).
      V(path) is missing if the service shows only a part of it, which was compared all the same. Empty after a deletion, and V(null) in check mode if
      the webhook would be created.
  returned: success
  type: list
  elements: str
  sample: [name, scheme, host, path]
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
      description: V(mute_alert) if the address moves to another host while an enabled notification policy names the webhook.
      type: str
      sample: mute_alert
    subject:
      description: Name of the webhook.
      type: str
      sample: Chat of operations
    detail:
      description: What changes, V(url).
      type: list
      elements: str
      sample: [url]
error:
  description: Why the task failed, as data for a playbook.
  returned: failure
  type: dict
  sample: {kind: rejected, method: POST, path: /accounts/9a7806061c88ada191ed06f989cc3dac/alerting/v3/destinations/webhooks, status: 400,
    errors: [{code: 17102, message: the test message was refused}], request_id: 8a1f0c6d5e4b3a21-FRA, attempts: 1}
"""

from ansible_collections.edgeops.observability.plugins.module_utils._supported import check_supported

check_supported()

from ansible_collections.edgeops.observability.plugins.module_utils._engine.module import run_module
from ansible_collections.edgeops.observability.plugins.module_utils._notifications.task import WEBHOOK_TASK as TASK


def main() -> None:
    run_module(TASK)


if __name__ == "__main__":
    main()
