#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: content_security_rule_info
short_description: Read the content security rules of a zone, and what browsers reported of them
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
description:
  - Returns the content security rules (formerly Page Shield policies) of one Cloudflare zone, and with O(violations) what browsers reported of each.
  - A zone without rules is no failure.
extends_documentation_fragment:
  - edgeops.observability.connection
  - edgeops.observability.connection.zone
  - edgeops.observability.attributes.info
  - edgeops.observability.attributes
options:
  description:
    description: Only the rules with exactly this description.
    type: str
  rule_id:
    description: Only the rule with this id.
    type: str
  violations:
    description: Whether to return what browsers reported, with one query for all rules.
    type: bool
    default: false
  look_back_days:
    description: Days of which violations are returned, from 1 to 30.
    type: int
    default: 7
notes:
  - With Cloudflare, reading needs an API token with the permission Page Shield Read, and Zone Analytics Read and Account Analytics Read for violations.
  - The counts of violations are sampled by the service.
seealso:
  - module: edgeops.observability.content_security_rule
"""

EXAMPLES = r"""
- name: Read what the rules of a zone reported in the last two weeks
  edgeops.observability.content_security_rule_info:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    violations: true
    look_back_days: 14
  register: zone

- name: Show the sources that each policy lacks
  ansible.builtin.debug:
    msg: "{{ item.description }}: {{ item.violations.blocked | map(attribute='source') | join(', ') }}"
  loop: "{{ zone.content_security_rules }}"
  loop_control:
    label: "{{ item.id }}"
"""

RETURN = r"""
zone_id:
  description: The id of the zone, also if O(zone_name) names it.
  returned: if the task is about a zone
  type: str
  sample: 023e105f4ecef8ad9ca31a8372d0c353
content_security_rules:
  description: The rules, sorted by id. Nothing found is an empty list.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: Identifier of the rule.
      type: str
      sample: c9ef84a6bf5e47138c75d95e2f933e8f
    description:
      description: Description of the rule. Several rules can have the same.
      type: str
      sample: checkout
    action:
      description: V(log), V(allow), or V(add_reporting_directives) of a rule that evaluates no policy of its own.
      type: str
      sample: log
    expression:
      description: The requests for which the rule counts.
      type: str
      sample: http.host eq "shop.example.com"
    enabled:
      description: Whether the rule is in effect.
      type: bool
      sample: true
    directives:
      description: The policy by directive, with sorted sources. V(null) if the policy of the service cannot be parsed.
      type: dict
      sample: {script-src: ["'self'", 'https://js.stripe.com/v3/']}
    value:
      description: The policy as the service has it.
      type: str
      sample: script-src 'self' https://js.stripe.com/v3/
    violations:
      description:
        - What browsers reported of the rule, also what its policy allows on paper, as
          RV(edgeops.observability.content_security_rule#module:violations) describes it.
      returned: with O(violations)
      type: dict
      sample: {available: true, reason: null, since: '2026-03-02T09:41:33Z', until: '2026-03-09T09:41:33Z', shortened: null, total: 12,
        blocked: [{directive: script-src, source: 'https://cdn.example.net/a.js', count: 12, hosts: [shop.example.com],
        page: 'https://shop.example.com/checkout'}]}
error:
  description: Why the task failed, as data for a playbook.
  returned: failure
  type: dict
  sample: {kind: permission, method: GET, path: /zones/023e105f4ecef8ad9ca31a8372d0c353/page_shield/policies, status: 403,
    errors: [{code: 10000, message: Authentication error}], request_id: 8a1f0c6d5e4b3a21-FRA, attempts: 1}
"""

from ansible_collections.edgeops.observability.plugins.module_utils._supported import check_supported

check_supported()

from ansible_collections.edgeops.observability.plugins.module_utils._content_rules.options import (
    QUERY_OPTIONS,
    RuleQuery,
    desire_query,
)
from ansible_collections.edgeops.observability.plugins.module_utils._content_rules.read import report
from ansible_collections.edgeops.observability.plugins.module_utils._engine.module import run_module
from ansible_collections.edgeops.observability.plugins.module_utils._engine.task import InfoTask, Spec


class ContentSecurityRuleInfo(InfoTask[RuleQuery]):
    name = "content_security_rule_info"
    spec = Spec(options=QUERY_OPTIONS)

    desire = staticmethod(desire_query)
    report = staticmethod(report)


TASK = ContentSecurityRuleInfo()


def main() -> None:
    run_module(TASK)


if __name__ == "__main__":
    main()
