# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: select_custom_log_fields
short_description: Add the custom log fields to the options of a Logpush job
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
requirements:
  - python >= 3.10
description:
  - Adds C(RequestHeaders), C(ResponseHeaders) and C(Cookies) to the log fields of a log delivery (Logpush) job, if the list of custom fields that they
    carry is not empty.
  - Fields that the job already selects are kept in their order, without duplicates. If every list is empty, the options are returned unchanged.
  - The fields are added to C(output_options.field_names) or to C(logpull_options) if the job uses that option, otherwise to C(fields).
positional: _custom_fields
options:
  _input:
    description: Options of M(edgeops.observability.logpush_job).
    type: dict
    required: true
  _custom_fields:
    description:
      - Lists of custom fields.
      - With the names that the role P(edgeops.observability.log_delivery#role) uses (C(request_headers), C(response_headers), C(cookies)) or with those
        of M(edgeops.observability.log_custom_fields) (C(request_fields), C(transformed_request_fields), C(response_fields), C(raw_response_fields),
        C(cookie_fields)).
    type: dict
    required: true
seealso:
  - plugin: edgeops.observability.log_field_coverage
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Select the custom log fields of the zone
  vars:
    job:
      name: edge-logs
      fields: [ClientRequestHost, EdgeResponseStatus]
    custom_fields:
      request_fields: [x-trace-id]
      cookie_fields: []
  ansible.builtin.debug:
    # ["ClientRequestHost", "EdgeResponseStatus", "RequestHeaders"]
    msg: "{{ (job | edgeops.observability.select_custom_log_fields(custom_fields)).fields }}"
"""

RETURN = r"""
_value:
  description: The options with the added fields; other options are unchanged.
  type: dict
  sample:
    name: edge-logs
    fields: [ClientRequestHost, EdgeResponseStatus, RequestHeaders]
"""

import typing as t

from ansible.errors import AnsibleFilterError

from ansible_collections.edgeops.observability.plugins.module_utils._logpush.coverage import select_custom_log_fields as extended


def select_custom_log_fields(job: t.Any, custom_fields: t.Any) -> dict[str, t.Any]:
    """Call the pure function; raise its error as the error of a template."""
    try:
        return extended(job, custom_fields)
    except ValueError as error:
        raise AnsibleFilterError(f"select_custom_log_fields: {error}") from None


class FilterModule:
    """The plugin class that Ansible loads."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """The filter by its name."""
        return {"select_custom_log_fields": select_custom_log_fields}
