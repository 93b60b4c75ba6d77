# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: common_variables
short_description: Variables that several zones have in common
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
requirements:
  - python >= 3.10
description:
  - Splits the variables of several zones into options that all their log delivery (Logpush) jobs have in common, for a group, and the others, for
    each host.
  - Only O(ignore:log_delivery_job_defaults) becomes common, with the options that are equal in all jobs of all zones. A variable of a group must not
    manage hosts that were not adopted.
options:
  _input:
    description:
      - A list of mappings with C(zone), the name of the host, and C(variables), as M(edgeops.observability.zone_variables_info) returns them.
        Other members are ignored.
    type: list
    elements: dict
    required: true
"""

EXAMPLES = r"""
- name: Split the variables of two zones
  ansible.builtin.debug:
    msg: "{{ zones | edgeops.observability.common_variables }}"
  vars:
    zones:
      - zone: shop.example
        variables:
          log_delivery_jobs:
            - {name: shop-logs, dataset: http_requests, frequency: low}
      - zone: blog.example
        variables:
          log_delivery_jobs:
            - {name: blog-logs, dataset: http_requests, frequency: low}
"""

RETURN = r"""
_value:
  description: The common variables, and the others of each zone.
  type: dict
  contains:
    common:
      description: Variables for the group.
      type: dict
    zones:
      description: The variables of each zone without the common ones, by the name of the zone.
      type: dict
  sample:
    common:
      log_delivery_job_defaults: {dataset: http_requests, frequency: low}
    zones:
      shop.example:
        log_delivery_jobs: [{name: shop-logs}]
      blog.example:
        log_delivery_jobs: [{name: blog-logs}]
"""

import typing as t

from ansible.errors import AnsibleFilterError

from ansible_collections.edgeops.observability.plugins.module_utils._adopt.zone import common_variables as split


def common_variables(items: t.Any) -> dict[str, t.Any]:
    """Call the pure function; raise its refusal as the template's error."""
    try:
        return split(items)
    except ValueError as error:
        raise AnsibleFilterError(f"common_variables: {error}") from None


class FilterModule:
    """The plugin class that Ansible loads."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """The filter by its name."""
        return {"common_variables": common_variables}
