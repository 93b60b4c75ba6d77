#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: log_custom_fields
short_description: Manage the custom log fields (headers and cookies) of a zone
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
description:
  - Manages the custom log fields of one Cloudflare zone as desired state. These are request headers, response headers and cookies whose values are added to
    the log records of the dataset C(http_requests). In Cloudflare's documentation they are the custom fields of Logpush.
  - A log delivery (Logpush) job delivers them only if it selects C(RequestHeaders), C(ResponseHeaders), C(Cookies) or, for every value of a header in
    O(preserve_duplicates), C(ResponseFields); see M(edgeops.observability.logpush_job).
  - They are stored in one rule with the action C(log_custom_field), in the zone's ruleset of the phase C(http_log_custom_fields). The ruleset is created if
    it does not exist. The rule keeps its C(id) and C(ref).
  - If the current state equals the desired state, nothing is written, because every write creates a new version of the ruleset. Check mode reports drift.
  - Rules with other actions in the same ruleset are sent back with all their members but C(version) and C(last_updated), because a write replaces all
    rules. If the service refuses one of them, nothing is written, and the message contains these rules and the error of the service.
extends_documentation_fragment:
  - edgeops.observability.connection
  - edgeops.observability.connection.zone
  - edgeops.observability.connection.approval
  - edgeops.observability.attributes
options:
  state:
    description:
      - With V(present), the names in the lists are logged, by one enabled rule with the expression V(true).
      - With V(absent), the names in the lists are removed; V([]) removes nothing. Without any list every rule
        with the action C(log_custom_field) is removed. The ruleset itself and its other rules are kept.
      - O(preserve_duplicates), O(purge), O(description), O(field_limit), O(ruleset_name) and O(ruleset_description) are ignored with V(absent).
    type: str
    choices: [present, absent]
    default: present
  request_fields:
    description:
      - Request headers as the client sent them. If omitted, they are not changed.
      - With O(purge=true), V([]) removes all; with O(purge=false), it adds nothing.
      - Header names are trimmed and lower-cased, and must be a token of RFC 9110. The order and duplicates are ignored.
    type: list
    elements: str
  transformed_request_fields:
    description:
      - Request headers after the zone's transformations. Treated like O(request_fields).
      - A header that is also in O(request_fields), or would stay there, is refused. Part of Cloudflare's API since April 2025.
    type: list
    elements: str
  response_fields:
    description: Response headers as the client receives them, after the zone's transformations. Treated like O(request_fields).
    type: list
    elements: str
  raw_response_fields:
    description:
      - Response headers as the origin sent them. Treated like O(request_fields).
      - A header that is also in O(response_fields), or would stay there, is refused. Part of Cloudflare's API since April 2025.
    type: list
    elements: str
  cookie_fields:
    description: Cookies of the request. Names are case-sensitive. A name that is empty or contains white space, V(=), V(;) or V(,) is refused.
    type: list
    elements: str
  preserve_duplicates:
    description:
      - Response headers of which every value is logged if the header is repeated. Otherwise only the first value is logged.
      - A name that is neither in O(response_fields) nor in O(raw_response_fields), and would not stay there, is refused.
      - With O(purge=true) the list replaces the current one, so that V([]) removes the flag from all response headers. With O(purge=false) flags are only
        added.
      - If omitted, the flags of names that stay are not changed. With O(state=absent) it is ignored together with other lists, and refused without them.
    type: list
    elements: str
  purge:
    description:
      - With V(true), each list replaces the current list of its type, and further rules with the action C(log_custom_field) are merged into one,
        with all their names of the omitted types.
      - This includes rules that are disabled or have an expression other than V(true). Their names of the omitted types are then logged for every request;
        the diff shows each rule with its names. To drop such names, give a list for their type.
      - With V(false), the names are added to the current ones, and further rules are not changed. A name that one of them already logs is not added again.
      - Of several rules, the first enabled one with the expression V(true) is kept, or else the first.
    type: bool
    default: true
  description:
    description: Description of the rule. If omitted, that of an existing rule is kept, and a new one gets V(Custom log fields).
    type: str
  ruleset_name:
    description: Name of the ruleset. Used only if it has to be created.
    type: str
    default: Zone-level phase entry point
  ruleset_description:
    description: Description of the ruleset. Used only if it has to be created.
    type: str
    default: Custom log fields of this zone
  field_limit:
    description:
      - Maximum number of custom fields of the zone in total. More are refused before anything is written. V(0) turns the check off.
      - A name counts once for each type, in however many rules it is.
      - If omitted, 40 in total; 100 of each type if the host of O(base_url) is C(api.cloudflare.com), as Cloudflare documents it.
    type: int
notes:
  - With Cloudflare, custom log fields need an Enterprise plan, and an API token with the permission Logs Write.
  - An API may truncate the value of a custom field, such as at 8 KB; Cloudflare documents no limit of it.
  - Cloudflare accepts the request header C(Range) but does not log it; the module warns about it.
  - A write sends all rules of the ruleset. If the service masks a part of one with asterisks, it fails as V(bad_response) before anything is written.
  - The service cannot lock a ruleset. If its C(version) shows another write between the read and the write of this module, the module warns.
seealso:
  - module: edgeops.observability.log_custom_fields_info
  - module: edgeops.observability.logpush_job
"""

EXAMPLES = r"""
- name: Log three headers and a cookie
  edgeops.observability.log_custom_fields:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    request_fields: [content-type, x-request-id]
    response_fields: [server-timing]
    cookie_fields: [SessionTier]

- name: Log every value of a repeated response header as the origin sent it
  edgeops.observability.log_custom_fields:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    raw_response_fields: [set-cookie, x-cache]
    preserve_duplicates: [set-cookie]

- name: Add a header to the current custom log fields
  edgeops.observability.log_custom_fields:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    request_fields: [x-trace-id]
    purge: false

- name: Raise the limit for a zone that accepts more than 40 fields
  edgeops.observability.log_custom_fields:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    transformed_request_fields: [x-client-country, x-client-tier]
    field_limit: 500

- name: Stop logging one cookie
  edgeops.observability.log_custom_fields:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    state: absent
    cookie_fields: [SessionTier]

- name: Remove all custom log fields
  edgeops.observability.log_custom_fields:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    state: absent
"""

RETURN = r"""
zone_id:
  description: The id of the zone, also if O(zone_name) names it.
  returned: if the task is about a zone
  type: str
  sample: 023e105f4ecef8ad9ca31a8372d0c353
custom_fields:
  description: The custom log fields of the zone, over all rules with the action C(log_custom_field). In check mode the predicted ones.
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
undeclared:
  description: The lists of RV(custom_fields) that the task omits and that have names, so that a change of them is not seen. Empty with O(state=absent).
  returned: success
  type: list
  elements: str
  sample: [cookie_fields]
ruleset:
  description:
    - The ruleset and the rule of the custom fields; V(null) if there is none and none would be created.
    - In check mode, members that the service sets keep their current value, and all are V(null) for a ruleset that would be created.
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
      description: Identifier of the rule; V(null) if there is no rule, or if it would be created.
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
plan_id:
  description: A digest of the managed state that was read and of the writes that follow from it, for O(expected_plan_id).
  returned: success
  type: str
  sample: sha256:4be1a7c05f2d98e36a1b7c40d5e2f3986b7a1c0d9e8f2a3b4c5d6e7f8091a2b3
effects:
  description: What the task destroys, or in check mode would, sorted by name and subject. The playbook C(deliver) refuses what C(edgeops_allow) does not name.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: V(drop_custom_fields) if a name is removed from any type, or moves to another type.
      type: str
      sample: drop_custom_fields
    subject:
      description: Always V(null), because the custom fields belong to the zone.
      type: str
      sample: null
    detail:
      description: The names that go, each with its type.
      type: list
      elements: str
      sample: ['request_fields: x-trace-id']
error:
  description: Why the task failed, as data for a playbook.
  returned: failure
  type: dict
  sample: {kind: rejected, method: PUT, path: /zones/023e105f4ecef8ad9ca31a8372d0c353/rulesets/2f2feab2026849078ba485f918791bdc, status: 400,
    errors: [{code: 20120, message: exceeded maximum number of custom fields}], request_id: 8a1f0c6d5e4b3a21-FRA, attempts: 1}
"""

from ansible_collections.edgeops.observability.plugins.module_utils._supported import check_supported

check_supported()

from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.task import TASK
from ansible_collections.edgeops.observability.plugins.module_utils._engine.module import run_module


def main() -> None:
    run_module(TASK)


if __name__ == "__main__":
    main()
