#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: log_custom_fields_info
short_description: Read the custom log fields (headers and cookies) of a zone
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
description:
  - Returns the custom log fields of one Cloudflare zone, of all rules with the action C(log_custom_field) in its ruleset of the phase
    C(http_log_custom_fields), and the ids of the ruleset and the rule.
  - In Cloudflare's documentation they are the custom fields of Logpush. A zone without custom log fields is no failure; its lists are empty.
extends_documentation_fragment:
  - edgeops.observability.connection
  - edgeops.observability.connection.zone
  - edgeops.observability.attributes.info
  - edgeops.observability.attributes
notes:
  - With Cloudflare, reading needs an API token with the permission Logs Read.
  - The names of a rule that is disabled are returned as well.
seealso:
  - module: edgeops.observability.log_custom_fields
"""

EXAMPLES = r"""
- name: Read the custom log fields of a zone
  edgeops.observability.log_custom_fields_info:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
  register: logged

- name: Show the cookies that are logged
  ansible.builtin.debug:
    msg: "{{ logged.custom_fields.cookie_fields }}"

- name: Show the id of the ruleset, if there is one
  ansible.builtin.debug:
    msg: "{{ 'none' if logged.ruleset is none else logged.ruleset.id }}"
"""

RETURN = r"""
zone_id:
  description: The id of the zone, also if O(zone_name) names it.
  returned: if the task is about a zone
  type: str
  sample: 023e105f4ecef8ad9ca31a8372d0c353
custom_fields:
  description: The custom log fields of the zone, over all rules with the action C(log_custom_field).
  returned: success
  type: dict
  contains:
    request_fields:
      description: Request headers as the client sent them, sorted.
      type: list
      elements: str
      sample: [content-type, x-request-id]
    transformed_request_fields:
      description: Request headers after the zone's transformations, sorted.
      type: list
      elements: str
      sample: [x-client-country]
    response_fields:
      description: Response headers as the client receives them, sorted.
      type: list
      elements: str
      sample: [server-timing]
    raw_response_fields:
      description: Response headers as the origin sent them, sorted.
      type: list
      elements: str
      sample: [set-cookie, x-cache]
    cookie_fields:
      description: Cookies of the request, sorted.
      type: list
      elements: str
      sample: [SessionTier]
    preserve_duplicates:
      description: Response headers of which every value is logged, sorted.
      type: list
      elements: str
      sample: [set-cookie]
ruleset:
  description: The ruleset and the rule of the custom fields; V(null) if there is none.
  returned: success
  type: dict
  contains:
    id:
      description: Identifier of the ruleset.
      type: str
      sample: 2f2feab2026849078ba485f918791bdc
    version:
      description: Version of the ruleset, a number as text.
      type: str
      sample: "7"
    rule_id:
      description: Identifier of the rule; V(null) if there is no rule.
      type: str
      sample: 3a03d665bac047339bb530ecb439a90d
    ref:
      description: Reference of the rule; V(null) like RV(ruleset.rule_id), or if the service does not return it.
      type: str
      sample: 3a03d665bac047339bb530ecb439a90d
    last_updated:
      description: When the ruleset was last written, ISO 8601; V(null) if the service does not return it.
      type: str
      sample: "2026-03-02T09:41:33.358104Z"
error:
  description: Why the task failed, as data for a playbook.
  returned: failure
  type: dict
  sample: {kind: authentication, method: GET, path: /zones/023e105f4ecef8ad9ca31a8372d0c353/rulesets/phases/http_log_custom_fields/entrypoint, status: 403,
    errors: [{code: 10000, message: Authentication error}], request_id: 8a1f0c6d5e4b3a21-FRA, attempts: 1}
"""

from ansible_collections.edgeops.observability.plugins.module_utils._supported import check_supported

check_supported()

from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.read import report_fields
from ansible_collections.edgeops.observability.plugins.module_utils._engine.module import run_module
from ansible_collections.edgeops.observability.plugins.module_utils._engine.task import InfoTask, Params, Spec


class LogCustomFieldsInfo(InfoTask[None]):
    name = "log_custom_fields_info"
    spec = Spec(options={})

    def desire(self, params: Params) -> None:
        """Ask for nothing in particular."""

    report = staticmethod(report_fields)


TASK = LogCustomFieldsInfo()


def main() -> None:
    run_module(TASK)


if __name__ == "__main__":
    main()
