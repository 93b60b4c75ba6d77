# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: diff_lines
short_description: The diff of a module in short lines
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
requirements: [python >= 3.10]
description:
  - Describes the C(diff) of a state module of this collection with one short line for each member that differs, for example to report drift.
  - Secrets are masked in the diff, so a changed secret is only reported as changed. The playbook C(edgeops.observability.check) uses it for its report.
options:
  _input:
    description:
      - The result of a state module that ran in diff mode, or its C(diff) alone.
      - The result of C(edgeops.observability.zone_observability), which is that of the role, needs no diff mode. Another result without C(diff)
        gives no lines.
    type: dict
    required: true
  by_host:
    description:
      - The input is a dictionary of such results by the names of their hosts.
      - Each line begins with the hosts that it is about. What differs equally in three or more hosts is one line.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Check whether the zone has drifted
  edgeops.observability.log_custom_fields:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    request_fields: [x-trace-id]
  check_mode: true
  diff: true
  register: outcome

- name: Show the differences
  ansible.builtin.debug:
    msg: "{{ outcome | edgeops.observability.diff_lines }}"

- name: Show the differences of all zones, equal ones once
  ansible.builtin.debug:
    msg: "{{ dict(ansible_play_hosts | zip(outcomes)) | edgeops.observability.diff_lines(by_host=true) }}"
  run_once: true
  vars:
    outcomes: "{{ ansible_play_hosts | map('extract', hostvars, 'outcome') }}"
"""

RETURN = r"""
_value:
  description:
    - One line for each member that differs.
    - Names added to or removed from a list have a plus or a minus; other values are before and after an arrow, shortened if they are long.
  type: list
  elements: str
  sample:
    - "request_fields: +x-trace-id -x-old"
    - "enabled: false -> true"
    - "36 zones, such as api.example.com: jobs.edge-logs.enabled: false -> true"
"""

from ansible_collections.edgeops.observability.plugins.plugin_utils._supported import check_supported

check_supported()

import typing as t

from ansible.errors import AnsibleFilterError

from ansible_collections.edgeops.observability.plugins.plugin_utils._diff import diff_lines as describe
from ansible_collections.edgeops.observability.plugins.plugin_utils._diff import lines_of_hosts
from ansible_collections.edgeops.observability.plugins.plugin_utils._untrusted import untrusted


def diff_lines(diff: t.Any, by_host: bool = False) -> list[str]:
    """Return the lines, texts of the service as no template; raise what is wrong as the error of a template."""
    try:
        return untrusted(lines_of_hosts(diff) if by_host else describe(diff))
    except ValueError as error:
        raise AnsibleFilterError(f"diff_lines: {error}") from None


class FilterModule:
    """The plugin class that Ansible loads."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        return {"diff_lines": diff_lines}
