#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: token_info
short_description: Report what a token may read, and which permissions it lacks
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
description:
  - Reads each product of Cloudflare once, because no route shows what a token may do. Returns what could be read,
    which permission gives the rest, and what to tick in the form in which tokens are made.
  - Returns the status of a token that is not active any more. Fails only if there are no usable credentials, if nobody answers, or as O(required_for) says.
extends_documentation_fragment:
  - edgeops.observability.connection
  - edgeops.observability.attributes.info
  - edgeops.observability.attributes
attributes:
  check_mode:
    details:
      - The module only reads, in check mode or otherwise. GraphQL queries are sent with C(POST).
options:
  zone_id:
    description:
      - The zone to look at. If the task has no address, that of its host; if the host has none either, the first zone that the token lists.
      - With O(account_id) alone it is the first listed zone of this account, or else the first one; with O(required_for) none is looked at then.
    type: str
  zone_name:
    description: The zone to look at, by its name, in place of O(zone_id).
    type: str
  account_id:
    description: The account to look at. If omitted, the first account that the token lists, or else the account of the zone.
    type: str
  gather:
    description:
      - Whether to look at each distinct credential of the hosts of the play, with the connection of each host; use C(run_once) with it.
      - Of each credential the first host is looked at, and up to nine more as long as nothing can be read.
      - With O(required_for), only hosts of which these playbooks read something, such as zones for which something is declared.
    type: bool
    default: false
  show:
    description:
      - Whether the task prints RV(lines) if something is missing, as C(ansible.builtin.debug) prints its message. The result then has
        nothing but these, because Ansible prints a result as a whole.
    type: bool
    default: false
  required_for:
    description:
      - Playbooks that have to be able to read something. The task fails with RV(ignore:error.kind=authentication) if the token has expired or is disabled,
        and with RV(ignore:error.kind=permission) if nothing that one of these playbooks reads can be read. A token that the service does not call
        active, or whose end has passed, does not pass either.
      - Only what these playbooks read is looked at; without an account in the addresses, only what they read of a zone.
    type: list
    elements: str
    choices: [survey, check, deliver, adopt]
    default: []
  products:
    description:
      - Only these products are looked at. If omitted, all are.
      - If omitted with O(gather) and O(required_for), those that the variables of the hosts need, such as V(delivery) with C(edgeops_audit_delivery).
    type: list
    elements: str
    choices: [jobs, custom_fields, script_monitor, content_security_rules, transformers, notifications, delivery]
seealso:
  - module: edgeops.observability.survey_info
"""

EXAMPLES = r"""
- name: Look at what the token may read
  edgeops.observability.token_info:
  register: looked_at

- name: Show what is missing for an audit, and stop if it could read nothing, with the token of each host of the play
  edgeops.observability.token_info:
    gather: true
    required_for: [check]
    show: true
  run_once: true
"""

RETURN = r"""
zone_id:
  description: The id of the zone that was looked at; V(null) if there is none, or if the task names an account alone.
  returned: success, without O(gather), and not where O(show) prints
  type: str
  sample: 023e105f4ecef8ad9ca31a8372d0c353
account_id:
  description: The id of the account that was looked at; V(null) if there is none.
  returned: success, without O(gather), and not where O(show) prints
  type: str
  sample: 9a7806061c88ada191ed06f989cc3dac
token:
  description:
    - Status and times of the token. V(null) where the service does not show them, such as for an e-mail address with a key.
    - With O(gather), those of the first credential.
  returned: success, but not where O(show) prints
  type: dict
  sample: {status: active, not_before: "2026-07-01T05:20:00Z", expires_on: "2027-01-01T00:00:00Z"}
permissions:
  description: What the token may read, a row for each product and scope. With O(gather), that of the first credential.
  returned: success, but not where O(show) prints
  type: list
  elements: dict
  contains:
    product:
      description: One of V(zones), V(accounts), V(custom_fields), V(jobs), V(script_monitor), V(content_security_rules), V(delivery), V(transformers)
        and V(notifications).
      type: str
      sample: jobs
    scope:
      description: Whether it was read of a V(zone) or of an V(account).
      type: str
      sample: zone
    readable:
      description: Whether it could be read. V(null) where that cannot be told, because there is no zone or account, no such route, or an error, and
        where it was not looked at.
      type: bool
      sample: false
    permission:
      description: The permission that reading it needs.
      type: str
      sample: Logs Write
    needed_for:
      description: The playbooks that read it.
      type: list
      elements: str
      sample: [survey, check, deliver, adopt]
missing:
  description: What to tick in the form in which tokens are made; empty if everything could be read. With O(gather), of all credentials.
  returned: success, but not where O(show) prints
  type: list
  elements: str
  sample: [Zone > Logs > Edit]
credentials:
  description: What was found of each distinct credential of the hosts of the play.
  returned: with O(gather), but not where O(show) prints
  type: list
  elements: dict
  contains:
    hosts:
      description: The hosts with this credential.
      type: list
      elements: str
      sample: [shop.example.com, blog.example.com]
    token:
      description: As RV(token).
      type: dict
      sample: {status: active, not_before: null, expires_on: null}
    permissions:
      description: As RV(permissions).
      type: list
      elements: dict
      sample: [{product: jobs, scope: zone, readable: true, permission: Logs Write, needed_for: [survey, check, deliver, adopt]}]
lines:
  description: What is missing, for which playbook, and what to tick, for the terminal.
  returned: success
  type: list
  elements: str
  sample:
    - The token is active, and expires at 2027-01-01T00:00:00Z.
    - "The token cannot read 1 of 11 products. Tick in the form of the token:"
    - "  Zone > Logs > Edit  (Logs Write: jobs; for survey, check, deliver, adopt)"
error:
  description: Why the task failed, as data for a playbook.
  returned: failure
  type: dict
  sample: {kind: unavailable, method: GET, path: /zones, status: null, errors: [], request_id: null, attempts: 5}
"""

from ansible_collections.edgeops.observability.plugins.module_utils._supported import check_supported

check_supported()

from ansible_collections.edgeops.observability.plugins.module_utils._address import ALL_ADDRESSES
from ansible_collections.edgeops.observability.plugins.module_utils._engine.module import run_module
from ansible_collections.edgeops.observability.plugins.module_utils._engine.task import InfoTask, Spec
from ansible_collections.edgeops.observability.plugins.module_utils._zone.token import (
    PLAYBOOKS,
    PRODUCT_NAMES,
    DesiredToken,
    desire,
    report,
)


class TokenInfo(InfoTask[DesiredToken]):
    name = "token_info"
    spec = Spec(
        options={
            **{name: {"type": "str"} for name in ALL_ADDRESSES},
            "gather": {"type": "bool", "default": False},
            "show": {"type": "bool", "default": False},
            "required_for": {"type": "list", "elements": "str", "choices": list(PLAYBOOKS), "default": []},
            "products": {"type": "list", "elements": "str", "choices": list(PRODUCT_NAMES)},
        }
    )
    addresses = ()

    desire = staticmethod(desire)
    report = staticmethod(report)


TASK = TokenInfo()


def main() -> None:
    run_module(TASK)


if __name__ == "__main__":
    main()
