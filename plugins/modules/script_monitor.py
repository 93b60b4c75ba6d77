#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: script_monitor
short_description: Enable or disable the script monitor (Page Shield) of a zone
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
description:
  - Enables or disables the script monitor of one Cloudflare zone. Cloudflare calls it Client-side security, formerly Page Shield; see O(route).
  - O(enabled) is the desired state. The status is read once, and written once if it differs. Check mode reports drift.
extends_documentation_fragment:
  - edgeops.observability.connection
  - edgeops.observability.connection.zone
  - edgeops.observability.connection.approval
  - edgeops.observability.route
  - edgeops.observability.attributes
options:
  enabled:
    description: Whether scripts on the pages of the zone are monitored.
    type: bool
    required: true
notes:
  - With Cloudflare, writing needs an API token with the permission Page Shield Write (or Zone Settings Write), reading one with Page Shield Read.
seealso:
  - module: edgeops.observability.script_monitor_info
"""

EXAMPLES = r"""
- name: Monitor the scripts of a zone
  edgeops.observability.script_monitor:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    enabled: true

- name: Disable the monitor, with a fixed route
  edgeops.observability.script_monitor:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    enabled: false
    route: page_shield
"""

RETURN = r"""
zone_id:
  description: The id of the zone, also if O(zone_name) names it.
  returned: if the task is about a zone
  type: str
  sample: 023e105f4ecef8ad9ca31a8372d0c353
script_monitor:
  description: The status of the script monitor. In check mode the predicted one.
  returned: success
  type: dict
  contains:
    enabled:
      description: Whether monitoring is enabled.
      type: bool
      sample: true
    updated_at:
      description:
        - When the status was last written, ISO 8601.
        - V(null) if the service does not return it. In check mode the current value.
      type: str
      sample: "2026-03-02T09:41:33.358104Z"
    other:
      description: Further settings that the service shows, as it shows them. They are never changed.
      type: dict
      sample: {use_cloudflare_reporting_endpoint: true, use_connection_url_path: false}
plan_id:
  description: A digest of the managed state that was read and of the writes that follow from it, for O(expected_plan_id).
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
      description: V(disable_monitor) if the script monitor is disabled.
      type: str
      sample: disable_monitor
    subject:
      description: Always V(null), because the script monitor belongs to the zone.
      type: str
      sample: null
    detail:
      description: Always V(null).
      type: list
      elements: str
      sample: null
error:
  description: Why the task failed, as data for a playbook.
  returned: failure
  type: dict
  sample: {kind: permission, method: PUT, path: /zones/023e105f4ecef8ad9ca31a8372d0c353/script_monitor, status: 403,
    errors: [{code: 1004, message: not allowed}], request_id: 8a1f0c6d5e4b3a21-FRA, attempts: 1}
"""

from ansible_collections.edgeops.observability.plugins.module_utils._supported import check_supported

check_supported()

from ansible_collections.edgeops.observability.plugins.module_utils._engine.module import run_module
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.task import TASK


def main() -> None:
    run_module(TASK)


if __name__ == "__main__":
    main()
