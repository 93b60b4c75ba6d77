# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: log_field_coverage
short_description: Custom log fields that no Logpush job delivers
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
requirements: [python >= 3.10]
description:
  - Compares the custom log fields of a zone with the fields that its log delivery (Logpush) jobs select, and reports the differences.
  - A custom field is delivered only by a job of the dataset C(http_requests) that selects C(RequestHeaders), C(ResponseHeaders), C(Cookies) or, for
    C(preserve_duplicates), C(ResponseFields), and such a field of a job stays empty if the zone has no custom fields of that type.
  - Disabled jobs are included. Jobs of other datasets are ignored.
  - A result of a task that failed or was skipped is an error, because it does not tell what the zone has.
positional: _jobs
options:
  _input:
    description:
      - The custom log fields of the zone.
      - The result of M(edgeops.observability.log_custom_fields_info) or M(edgeops.observability.log_custom_fields), or its C(custom_fields) alone.
    type: dict
    required: true
  _jobs:
    description: The jobs of the zone. The result of M(edgeops.observability.logpush_job_info) or M(edgeops.observability.logpush_job), or a list of jobs.
    type: raw
    required: true
seealso:
  - module: edgeops.observability.log_custom_fields
  - module: edgeops.observability.logpush_job_info
"""

EXAMPLES = r"""
- name: Read the custom log fields
  edgeops.observability.log_custom_fields_info:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
  register: custom_fields

- name: Read the log delivery jobs
  edgeops.observability.logpush_job_info:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
  register: jobs

- name: Report custom fields that are not delivered
  ansible.builtin.debug:
    msg: "{{ (custom_fields | edgeops.observability.log_field_coverage(jobs)).sentences }}"
"""

RETURN = r"""
_value:
  description: The differences.
  type: dict
  contains:
    arrives:
      description: Whether there are no differences.
      type: bool
      returned: always
      sample: false
    unselected:
      description: Custom fields that no job selects, or only one in which a transformer, a record template or its C(kind) decides, one item for each type.
      type: list
      elements: dict
      returned: always
      sample:
        - kind: cookie_fields
          names: [session]
          field: Cookies
    unconfigured:
      description: Fields that a job selects although the zone has no custom fields of that type, one item for each.
      type: list
      elements: dict
      returned: always
      sample:
        - job_id: 1
          job_name: edge-logs
          field: ResponseHeaders
    sentences:
      description: The same as text, one sentence for each item.
      type: list
      elements: str
      returned: always
      sample:
        - "cookie_fields (session) reach no log: no job that was looked at ('edge-logs') selects Cookies."
"""

from ansible_collections.edgeops.observability.plugins.plugin_utils._supported import check_supported

check_supported()

import typing as t

from ansible.errors import AnsibleFilterError

from ansible_collections.edgeops.observability.plugins.module_utils._logpush.coverage import Coverage
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.coverage import log_field_coverage as compare
from ansible_collections.edgeops.observability.plugins.plugin_utils._untrusted import untrusted


def log_field_coverage(custom_fields: t.Any, jobs: t.Any) -> Coverage:
    """Return the differences, texts of the service as no template; raise what is wrong as the error of a template."""
    try:
        return untrusted(compare(custom_fields, jobs))
    except ValueError as error:
        raise AnsibleFilterError(f"log_field_coverage: {error}") from None


class FilterModule:
    """The plugin class that Ansible loads."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        return {"log_field_coverage": log_field_coverage}
