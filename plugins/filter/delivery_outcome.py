# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: delivery_outcome
short_description: Outcome of a delivery for each zone
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
requirements:
  - python >= 3.10
description:
  - Summarizes the results that the playbook C(edgeops.observability.deliver) registered for each host, for its output.
  - It reads the variables C(log_delivery_result), C(edgeops_delivered) and C(edgeops_check_error) of each host.
positional: _hostvars, _to_deliver, _stopped
options:
  _input:
    description: Names of the hosts.
    type: list
    elements: str
    required: true
  _hostvars:
    description: The variable C(hostvars).
    type: dict
    required: true
  _to_deliver:
    description: Names of the zones to write. Any other zone was only predicted.
    type: list
    elements: str
    required: true
  _stopped:
    description: Why the run ended before its last batch. Empty if it did not.
    type: str
    default: ""
seealso:
  - plugin: edgeops.observability.zone_records
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Show the outcome of each zone
  ansible.builtin.debug:
    msg: "{{ (['shop.example'] | edgeops.observability.delivery_outcome(variables, ['shop.example'])).lines }}"
  vars:
    variables:
      shop.example:
        edgeops_delivered: changed
"""

RETURN = r"""
_value:
  description: The outcome.
  type: dict
  contains:
    lines:
      description: The counts, and a line for each zone that changed, failed or was not reached.
      type: list
      elements: str
    failed:
      description: The reason by the name of each zone that failed or was not reached.
      type: dict
  sample:
    lines:
      - "2 zones: 1 changed, 0 unchanged, 1 failed, 0 not reached"
      - shop.example changed
      - "blog.example failed: authentication: ..."
    failed:
      blog.example: "authentication: ..."
"""

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._delivery.outcome import delivery_outcome


class FilterModule:
    """The plugin class that Ansible loads."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Return the filter by its name."""
        return {"delivery_outcome": delivery_outcome}
