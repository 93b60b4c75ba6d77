#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: zone_observability
short_description: Manage custom log fields, Logpush jobs, script monitor and content security rules of a zone in one task
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
description:
  - Applies the desired state of the custom log fields, the log delivery (Logpush) jobs, the script monitor and the content security rules (Client-side
    security, formerly Page Shield) of one Cloudflare zone in one task. Check mode reports drift.
  - Each of these is not changed if its options are omitted.
  - Makes the same plans as M(edgeops.observability.log_custom_fields), M(edgeops.observability.logpush_jobs),
    M(edgeops.observability.script_monitor) and M(edgeops.observability.content_security_rule). All are read in parallel, and every plan is made,
    before the first write.
  - Writes the custom fields, then the jobs, the script monitor and the rules; with O(state=absent) the rules, then the jobs before the custom fields.
    If a write fails, the rest is not sent. The message names what was written, and the next run continues from there.
  - The role P(edgeops.observability.log_delivery#role) runs this module.
extends_documentation_fragment:
  - edgeops.observability.jobs.zone
  - edgeops.observability.connection
  - edgeops.observability.connection.address
  - edgeops.observability.route
  - edgeops.observability.attributes
options:
  state:
    description:
      - With V(present) the custom fields are configured first, then the jobs, which select the log fields that carry them.
      - With V(absent) the jobs are deleted, then the names in O(custom_fields); every custom field, if O(custom_fields.request_fields),
        O(custom_fields.response_fields) and O(custom_fields.cookie_fields) are set and no list contains a name.
    type: str
    choices: [present, absent]
    default: present
  custom_fields:
    description:
      - The custom log fields of the zone. If omitted, or without any list, custom fields are not changed.
      - A list replaces the current list of its type, an empty list removes it, an omitted type is not changed.
      - Several rules are merged into one, also rules that are disabled or have an expression other than V(true), as with
        O(edgeops.observability.log_custom_fields#module:purge). Their names of omitted types are then logged for every request; the diff shows each rule.
    type: dict
    suboptions:
      request_fields:
        description: Names of request headers, logged as the client sent them.
        type: list
        elements: str
      response_fields:
        description: Names of response headers, logged as the client receives them.
        type: list
        elements: str
      cookie_fields:
        description: Names of cookies, case-sensitive.
        type: list
        elements: str
      transformed_request_fields:
        description: Names of request headers, logged after transformation.
        type: list
        elements: str
      raw_response_fields:
        description: Names of response headers, logged as the origin sent them.
        type: list
        elements: str
      preserve_duplicates:
        description: Names of response headers, in either list, of which every value is logged. If omitted, the flags of names that stay are not changed.
        type: list
        elements: str
  unlisted_jobs:
    description:
      - What to do with jobs of the zone that are not listed, as O(edgeops.observability.logpush_jobs#module:unlisted_jobs).
      - Used only with O(job) or O(jobs).
    type: str
    choices: [ignore, report, absent]
    default: ignore
  script_monitor_enabled:
    description: Whether the script monitor is enabled. If omitted, it is not changed.
    type: bool
  content_security_rules:
    description:
      - The content security rules. Each item takes the options of M(edgeops.observability.content_security_rule), which describes them in full.
      - Rules that are not listed are not changed. With O(state=absent) the listed rules are removed. If omitted, no rule is changed.
      - Two items for the same rule are refused. A plan that would block what browsers reported is refused as a whole, before anything is written.
    type: list
    elements: dict
    suboptions:
      state:
        description: Whether the rule exists.
        type: str
        choices: [present, absent]
        default: present
      description:
        description: Description of the rule. One of this and O(content_security_rules[].rule_id) is required.
        type: str
      rule_id:
        description: Id of the rule.
        type: str
      action:
        description: V(log) makes browsers report what the policy would block, V(allow) makes them block it.
        type: str
        choices: [log, allow]
      expression:
        description: The requests for which the rule counts, in Cloudflare's rules language.
        type: str
      directives:
        description: The policy, a dictionary from directives to lists of sources, or its text.
        type: raw
      enabled:
        description: Whether the rule is in effect.
        type: bool
      script_baseline:
        description: Authorised scripts, which become sources of C(script-src).
        type: raw
      look_back_days:
        description: Days whose violations are looked at before a rule enforces.
        type: int
        default: 7
      accept_blocked:
        description: What an enforced rule may block although it is in use, addresses, patterns, hosts, keywords, schemes, or V(empty).
        type: list
        elements: str
        default: []
      unobserved:
        description: What happens where it is not known what a rule would block.
        type: str
        choices: [refuse, allow]
        default: refuse
  expected_plan_ids:
    description:
      - The RV(plan_ids) of an approved check run. If one of the plans differs, nothing is written, and the task fails as V(conflict).
      - The members are C(custom_fields), C(jobs), C(script_monitor) and C(content_security_rules). One that is omitted is not compared.
        V(null) approves a part that has no plan, because the task does not manage it. An empty text approves no plan.
    type: dict
attributes:
  diff_mode:
    details:
      - The diff has the members C(custom_fields), C(jobs), C(script_monitor) and C(content_security_rules) if they differ; of the jobs and rules, only
        those that differ. It is the same in check mode and in the real run.
notes:
  - With Cloudflare, the API token needs the permissions Logs Write and Page Shield Write, for the options that are used.
  - C(RequestHeaders), C(ResponseHeaders), C(Cookies) and, with C(preserve_duplicates), C(ResponseFields) are added to the fields of each job of the
    dataset V(http_requests) if the list for them in O(custom_fields) is not empty.
seealso:
  - module: edgeops.observability.log_custom_fields
  - module: edgeops.observability.logpush_jobs
  - module: edgeops.observability.script_monitor
  - module: edgeops.observability.content_security_rule
  - module: edgeops.observability.log_custom_fields_info
  - module: edgeops.observability.logpush_job_info
  - module: edgeops.observability.script_monitor_info
"""

EXAMPLES = r"""
- name: Log two headers, deliver to two destinations, and monitor scripts
  edgeops.observability.zone_observability:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    custom_fields:
      request_fields: [x-trace-id]
      response_fields: [server-timing]
    job_defaults:
      fields: [ClientIP, ClientRequestHost, EdgeResponseStatus, RayID]
    jobs:
      - name: archive
        destination_conf: s3://example-archive/http/{DATE}?region=us-west-2
      - name: errors
        destination_conf: https://logs.example.com/errors
        filter: {key: EdgeResponseStatus, operator: geq, value: 500}
    script_monitor_enabled: true
    content_security_rules:
      - description: checkout
        action: log
        expression: starts_with(raw.http.request.uri.path, "/checkout")
        directives: {script-src: ["'self'", https://js.stripe.com/v3/]}

- name: Remove the jobs, then every custom field
  edgeops.observability.zone_observability:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    state: absent
    custom_fields: {request_fields: [], response_fields: [], cookie_fields: []}
    jobs:
      - name: archive
      - name: errors
"""

RETURN = r"""
zone_id:
  description: The id of the zone, also if O(zone_name) names it.
  returned: if the task is about a zone
  type: str
  sample: 023e105f4ecef8ad9ca31a8372d0c353
account_id:
  description: The id of the account, or of the account that the zone belongs to.
  returned: if the task is about an account, or if an answer that resolved O(zone_name) or a C(transformer) named the account of the zone
  type: str
  sample: 9a7806061c88ada191ed06f989cc3dac
custom_fields:
  description: The result of M(edgeops.observability.log_custom_fields). An empty mapping if they are not managed.
  returned: success
  type: dict
  contains:
    changed: &changed
      description: Whether this part changed. In check mode whether it would.
      type: bool
      returned: if managed
      sample: true
    diff: &diff
      description: The C(before) and C(after) of this part, also without diff mode.
      type: dict
      returned: if managed
      sample: {before: {}, after: {}}
    effects: &effects
      description: What this part destroys, as in RV(effects).
      type: list
      elements: dict
      returned: if managed
      sample: []
    plan_id: &plan_id
      description: The plan of this part, for O(expected_plan_ids).
      type: str
      returned: if managed
      sample: sha256:0f3c9d1b7a5e48c2f6b1d0a9e8c7b6a5f4e3d2c1b0a99887766554433221100f
    custom_fields:
      description: The names by type.
      type: dict
      returned: if managed
      sample: {request_fields: [x-trace-id], response_fields: [], cookie_fields: []}
    ruleset:
      description: The ruleset and the rule of the custom fields.
      type: dict
      returned: if managed
      sample: {id: 2f2feab2026849078ba485f918791bdc, version: '3', rule_id: 3a03d665bac047339bb530ecb439a90d}
    undeclared:
      description: The lists that have names and that O(custom_fields) omits, so that a change of them is not seen.
      type: list
      elements: str
      returned: if managed
      sample: [cookie_fields]
jobs:
  description: The result of M(edgeops.observability.logpush_jobs). An empty mapping if they are not managed.
  returned: success
  type: dict
  contains:
    changed: *changed
    diff: *diff
    effects: *effects
    plan_id: *plan_id
    jobs:
      description:
        - The jobs in the order of the items, V(null) for those that are absent.
        - The C(undeclared) of a job are those of what decides where it delivers, and which records, that neither its item nor O(job_defaults) sets.
      type: list
      elements: dict
      returned: if managed
      sample: [{id: 1234567, name: archive, dataset: http_requests, enabled: true, undeclared: [transformer, sample_rate]}]
    unlisted_jobs:
      description: Jobs that are not listed.
      type: list
      elements: dict
      returned: if managed
      sample: [{id: 1234568, name: old-logs, dataset: http_requests, enabled: false}]
script_monitor:
  description: The result of M(edgeops.observability.script_monitor). An empty mapping if it is not managed.
  returned: success
  type: dict
  contains:
    changed: *changed
    diff: *diff
    effects: *effects
    plan_id: *plan_id
    script_monitor:
      description: The status.
      type: dict
      returned: if managed
      sample: {enabled: true, updated_at: '2026-03-02T09:41:33.358104Z', other: {}}
content_security_rules:
  description: The results of M(edgeops.observability.content_security_rule). An empty mapping if no rules are managed.
  returned: success
  type: dict
  contains:
    changed: *changed
    diff: *diff
    effects: *effects
    plan_id: *plan_id
    content_security_rules:
      description: The rules in the order of the items, V(null) for those that are absent.
      type: list
      elements: dict
      returned: if managed
      sample: [{id: c9ef84a6bf5e47138c75d95e2f933e8f, description: checkout, action: log, enabled: true}]
    violations:
      description: What was looked at before a rule enforces more, by the description of the rule; V(null) for a rule that needs no look.
      type: dict
      returned: if managed
      sample: {checkout: null}
    unlisted_rules:
      description: Rules that are not listed, sorted by id.
      type: list
      elements: dict
      returned: if managed
      sample: [{id: d2bf84a6bf5e47138c75d95e2f933e8f, description: blog, action: log, enabled: true}]
refusals:
  description:
    - Why the plan was refused. All other values are returned too.
    - Of a rule, as V(gate), as RV(edgeops.observability.content_security_rule#module:refusals). Of a job, as V(conflict), as
      RV(edgeops.observability.logpush_job#module:refusals). If both are refused, as V(conflict).
  returned: failure, if a rule was refused because of what it would block, or a job does not deliver to its C(destination_address)
  type: list
  elements: dict
  sample: [{rule: checkout, directive: script-src, source: 'https://cdn.example.net/a.js', count: 12, hosts: [shop.example.com],
    page: 'https://shop.example.com/checkout'}]
replaces:
  description:
    - The ids of other zones and accounts whose results the registered variable of this host had before in this run, V(unknown) for one whose task failed
      before it knew its zone. M(edgeops.observability.audit_report) takes the host for V(unaudited) then, and
      M(edgeops.observability.delivery_plan) for one that could not be predicted, because it reads one result for each host.
    - Not in the predictions and deliveries of the playbooks of this collection.
  returned: if there are any
  type: list
  elements: str
  sample: [372e67954025e0ba6aaa6d586b9e0b59]
listed_jobs:
  description:
    - All jobs of the zone as they were listed before the first write, with their health, as M(edgeops.observability.logpush_job_info) returns them.
    - V(null) if the task does not manage jobs, or if the service does not list them.
  returned: success
  type: list
  elements: dict
  sample:
    - {id: 1234567, name: archive, dataset: http_requests, enabled: true,
       health: {state: healthy, since: '2026-03-02T09:41:33Z', lag_seconds: 42, message: 'The last delivery was at 2026-03-02T09:41:33Z.'}}
coverage:
  description:
    - Custom log fields that no job selects, and selected log fields that stay empty, as P(edgeops.observability.log_field_coverage#filter).
    - An empty mapping unless the task manages custom fields and at least one job with C(state=present).
  returned: success
  type: dict
  sample: {arrives: true, unselected: [], unconfigured: [], sentences: []}
plan_ids:
  description: The plans of the parts, for O(expected_plan_ids). V(null) for a part that is not managed.
  returned: success
  type: dict
  contains:
    custom_fields:
      description: The plan of the custom fields.
      type: str
      sample: sha256:0f3c9d1b7a5e48c2f6b1d0a9e8c7b6a5f4e3d2c1b0a99887766554433221100f
    jobs:
      description: The plan of the jobs.
      type: str
      sample: sha256:7b5e48c2f6b1d0a90f3c9d1b7a5e48c2e8c7b6a5f4e3d2c1b0a99887766554433
    script_monitor:
      description: The plan of the script monitor.
      type: str
      sample: null
    content_security_rules:
      description: The plan of the content security rules.
      type: str
      sample: null
effects:
  description: What the task destroys, or in check mode would, sorted by name and subject. The playbook C(deliver) refuses what C(edgeops_allow) does not name.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: An effect of the module of a part, such as M(edgeops.observability.logpush_jobs).
      type: str
      sample: drop_job_fields
    subject:
      description: The job or the rule, by its name or description; V(null) for custom fields and the script monitor.
      type: str
      sample: edge-logs
    detail:
      description: The names that go; V(null) if no names go.
      type: list
      elements: str
      sample: [ClientIP]
error:
  description: Why the task failed, as data for a playbook.
  returned: failure
  type: dict
  sample: {kind: rejected, method: POST, path: /zones/023e105f4ecef8ad9ca31a8372d0c353/logpush/jobs, status: 400,
    errors: [{code: 1002, message: error validating destination}], request_id: 8a1f0c6d5e4b3a21-FRA, attempts: 1}
"""

from ansible_collections.edgeops.observability.plugins.module_utils._supported import check_supported

check_supported()

from ansible_collections.edgeops.observability.plugins.module_utils._engine.module import run_module
from ansible_collections.edgeops.observability.plugins.module_utils._zone.task import TASK


def main() -> None:
    run_module(TASK)


if __name__ == "__main__":
    main()
