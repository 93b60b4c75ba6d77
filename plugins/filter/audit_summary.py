# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: audit_summary
short_description: Audited zones by status, with a line for each difference
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
requirements:
  - python >= 3.10
description:
  - Summarizes the records of P(edgeops.observability.zone_records#filter) for the output of the playbook C(edgeops.observability.check).
options:
  _input:
    description: The records.
    type: list
    elements: dict
    required: true
seealso:
  - plugin: edgeops.observability.zone_records
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Show the drift of the zones of the play
  ansible.builtin.debug:
    msg: "{{ (ansible_play_hosts_all | edgeops.observability.zone_records(hostvars) | edgeops.observability.audit_summary).lines }}"
  run_once: true
"""

RETURN = r"""
_value:
  description: The zones by status.
  type: dict
  contains:
    zones:
      description: Names of all zones.
      type: list
      elements: str
      returned: always
      sample: [shop.example.com]
    compliant:
      description: Names of zones in their desired state.
      type: list
      elements: str
      returned: always
      sample: []
    drifted:
      description: C(zone), C(zone_id) and C(differences) of zones that have drifted; lines for C(custom_fields), C(jobs) and C(script_monitor).
      type: list
      elements: dict
      returned: always
      sample:
        - zone: shop.example.com
          zone_id: 023e105f4ecef8ad9ca31a8372d0c353
          differences: {custom_fields: [], jobs: ["edge-logs.enabled: false -> true"], script_monitor: []}
    failed:
      description: C(zone), C(zone_id) and C(error) of zones that could not be audited.
      type: list
      elements: dict
      returned: always
      sample: []
    unknown:
      description: Names of zones that could not be reached.
      type: list
      elements: str
      returned: always
      sample: []
    unmanaged:
      description: Names of zones without variables of the role.
      type: list
      elements: str
      returned: always
      sample: []
    findings:
      description: C(zone), C(zone_id) and C(findings) of the script audit, a line for each.
      type: list
      elements: dict
      returned: always
      sample: []
    notes:
      description: C(zone), C(zone_id) and C(notes) of the cross-check.
      type: list
      elements: dict
      returned: always
      sample: []
    lines:
      description: The same as text; the counts are the last line.
      type: list
      elements: str
      returned: always
      sample:
        - "shop.example.com drifted: jobs: edge-logs.enabled: false -> true"
        - "1 checked: 0 compliant, 1 drifted, 0 unmanaged, 0 failed"
"""

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._report.model import summary


class FilterModule:
    """The plugin class that Ansible loads."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Return the filter by its name."""
        return {"audit_summary": summary}
