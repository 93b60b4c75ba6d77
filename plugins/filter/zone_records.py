# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: zone_records
short_description: Records of audited zones for a report
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
requirements:
  - python >= 3.10
description:
  - Turns the results that the playbook C(edgeops.observability.check) registered for each host into the records for
    O(edgeops.observability.audit_report#module:zones) of M(edgeops.observability.audit_report).
  - It reads the variables C(log_delivery_result), C(edgeops_check_jobs), C(edgeops_check_custom_fields), C(edgeops_check_scripts),
    C(edgeops_check_error), C(log_delivery_zone_id) and C(zone_id) of each host.
  - A host without results has an C(error).
positional: _hostvars
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
seealso:
  - plugin: edgeops.observability.audit_summary
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Show the records of the zones of the play
  ansible.builtin.debug:
    msg: "{{ ansible_play_hosts_all | edgeops.observability.zone_records(hostvars) }}"
  run_once: true
"""

RETURN = r"""
_value:
  description: One record for each host, in their order.
  type: list
  elements: dict
  sample:
    - zone: shop.example.com
      zone_id: 023e105f4ecef8ad9ca31a8372d0c353
      error: {kind: unavailable, message: it could not be reached}
"""

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._report.model import zone_records


class FilterModule:
    """The plugin class that Ansible loads."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Return the filter by its name."""
        return {"zone_records": zone_records}
