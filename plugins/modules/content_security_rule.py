#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: content_security_rule
short_description: Manage a content security rule of a zone, and enforce it only where it would block nothing
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
description:
  - Manages one content security rule (formerly Page Shield policy) of a Cloudflare zone as desired state. It defines which scripts, connections and other
    resources the pages that match its expression may load.
  - A rule with the action V(log) makes browsers report what it would block, one with V(allow) makes them block it.
  - A change after which more is blocked than before (a rule begins to enforce, or an enforced one gets stricter) is written only if what is known says
    that it blocks nothing that is in use, in check mode too. Known are the reports of browsers about the rule, and the scripts and connections that the
    script monitor lists. Anything else fails the task as V(gate) before anything is written, with the sources to add. See the guide
    R(Enforce the baseline,ansible_collections.edgeops.observability.docsite.guide_content_security_rules).
  - After a creation the rules are listed once more. If another run created one of this description at the same time, the task fails with the kind
    V(conflict) and names both; nothing is deleted.
  - Policies are compared by what they say. The order of directives and sources, duplicates, and capitals in names and hosts never make a change.
extends_documentation_fragment:
  - edgeops.observability.connection
  - edgeops.observability.connection.zone
  - edgeops.observability.connection.approval
  - edgeops.observability.attributes
options:
  state:
    description: Whether the rule exists. With V(absent) only O(description) or O(rule_id) counts.
    type: str
    choices: [present, absent]
    default: present
  description:
    description:
      - Description of the rule. Without O(rule_id), the rule with exactly this description is managed; two such rules fail as V(conflict) with their ids.
      - With O(rule_id), the rule gets this description. One of both is required.
    type: str
  rule_id:
    description: Id of the rule. A rule that does not exist is V(not_found), or no change with O(state=absent).
    type: str
  action:
    description: V(log) makes browsers report what the policy would block, V(allow) makes them block it. Required for a new rule.
    type: str
    choices: [log, allow]
  expression:
    description:
      - The requests for which the rule counts, in Cloudflare's rules language. Required for a new rule. Blanks at the ends are ignored.
      - A rule for a path needs C(raw.http.request.uri.path) where URLs are rewritten.
    type: str
  directives:
    description:
      - The policy, a dictionary from directives such as V(script-src) to lists of sources; a text in place of a list is split at blanks. The text of a
        policy, V(script-src 'self'; connect-src 'self'), is accepted too. Required for a new rule, unless O(script_baseline) is set. Replaces the policy.
      - Sources are schemes (V(https:)), hosts, URLs without a query, and keywords and hashes in single quotes. A V(*) is possible alone, or as the leftmost
        label of a host. Nonces are not supported by the service.
      - V('none') stands alone, an empty list is refused, and C(upgrade-insecure-requests) takes an empty list.
      - C(script-src-elem), C(script-src-attr), C(style-src-elem) and C(style-src-attr) are compared like all others, because browsers take them in place
        of C(script-src) and C(style-src). The service does not document them, so that declaring one is a warning.
      - A policy has at most 6,000 characters. Directives of the current policy that this module does not know are kept, after all others.
    type: raw
  enabled:
    description: Whether the rule is in effect. If omitted, it is not changed, and V(true) for a new rule.
    type: bool
  script_baseline:
    description:
      - Authorised scripts, as O(edgeops.observability.script_audit#module:baseline). Each entry becomes a source of C(script-src), in addition to those of
        O(directives); without O(directives), in addition to what the rule has.
      - An exact URL becomes the URL without its query, a pattern the longest form that a source can have, such as V(https://js.stripe.com/v3/).
        Each entry that allows more in this form is a warning. An internationalised host gets its ASCII form, a dot at the end of a host is removed.
        An entry that would become a mere scheme, or that no source can express, is refused.
      - An entry without C(authorised_by) becomes no source, with a warning. Adopting is not authorising. One that authorises nothing today, because
        C(review_by) is past or C(authorised_on) is still to come, becomes a source with a warning.
      - What is added is added to what is in effect. A policy that has C(default-src) and no C(script-src) gets a C(script-src) with the sources of both.
      - A rule counts on all pages that match O(expression), whatever C(hosts) an entry has.
    type: raw
  look_back_days:
    description:
      - Days whose violations are looked at before a rule enforces, from 1 to 30, counted back from the time of the service.
      - Where the plan shows fewer days, the time is shortened, with a warning.
    type: int
    default: 7
  accept_blocked:
    description:
      - What an enforced rule may block although it is in use. URLs without a query or patterns of them, as C(url) in
        O(edgeops.observability.script_audit#module:baseline), hosts, keywords in single quotes such as V('unsafe-eval'), schemes such as
        V(chrome-extension:), which stand for every address of the scheme, and V(empty) for reports without an address.
    type: list
    elements: str
    default: []
  unobserved:
    description:
      - What happens where it is not known what a rule would block. V(refuse) fails the task as V(gate) before anything is written.
      - That is so if the rule is new or disabled, if its current action is neither V(log) nor V(allow), if its current or new policy cannot be parsed,
        if its O(expression) changes, and if its violations cannot be read or one of them cannot be told.
      - What a logged rule allowed was never reported. Where the new policy allows less of it, and where a logged rule has no report at all, the scripts
        and connections that the zone lists are compared. What no listing shows is not known, which are other directives than C(script-src) and
        C(connect-src), workers, also where they fall back to C(script-src), code in pages (V('unsafe-inline'), V('unsafe-eval'), hashes and
        V('strict-dynamic')), and what has no host (V(blob:), V(data:)). So is everything if the listing cannot be read or is empty, or if the
        script monitor is off.
      - Browsers ignore C(upgrade-insecure-requests) and C(sandbox) as long as a rule is only logged, so that nobody knows what they would block.
      - What is known to be blocked is refused with V(allow), too.
    type: str
    choices: [refuse, allow]
    default: refuse
attributes:
  check_mode:
    details:
      - Check mode sends only C(GET) requests and the query for violations, and predicts the result, the diff and the plan of the real run.
notes:
  - With Cloudflare, content security rules are part of Client-Side Security Advanced, and an API token needs the permission Page Shield Write.
    Reading violations needs Zone Analytics Read and Account Analytics Read.
  - The counts of violations are sampled by the service. Violations do not trigger alerts.
  - The most restrictive policy of a page wins, also against one that the origin sends. At most one enforced rule for a page is advised.
seealso:
  - module: edgeops.observability.content_security_rule_info
  - module: edgeops.observability.script_audit
  - module: edgeops.observability.zone_observability
"""

EXAMPLES = r"""
- name: Log first. Report what the checkout loads from elsewhere than the shop and the payment provider
  edgeops.observability.content_security_rule:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    description: checkout
    action: log
    expression: http.host eq "shop.example.com" and starts_with(raw.http.request.uri.path, "/checkout")
    directives:
      script-src: ["'self'", https://js.stripe.com/v3/]
      connect-src: ["'self'", https://api.stripe.com]

- name: Allow the scripts of the baseline, too
  edgeops.observability.content_security_rule:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    description: checkout
    script_baseline:
      - name: map
        url: https://maps.example.com/**
        justification: map of the shops
        authorised_by: j.doe
        owner: web@example.com

- name: Enforce the rule after a week of reports, unless it would block something else than the old chat
  edgeops.observability.content_security_rule:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    description: checkout
    action: allow
    accept_blocked: [chat.example.net]

- name: Roll back
  edgeops.observability.content_security_rule:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    description: checkout
    action: log

- name: Remove the rule
  edgeops.observability.content_security_rule:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    description: checkout
    state: absent
"""

RETURN = r"""
zone_id:
  description: The id of the zone, also if O(zone_name) names it.
  returned: if the task is about a zone
  type: str
  sample: 023e105f4ecef8ad9ca31a8372d0c353
content_security_rule:
  description: The rule, in check mode the predicted one. V(null) with O(state=absent).
  returned: success
  type: dict
  contains:
    id:
      description: Identifier of the rule. V(null) for a rule that would be created.
      type: str
      sample: c9ef84a6bf5e47138c75d95e2f933e8f
    description:
      description: Description of the rule.
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
  description: What was looked at before the rule enforces more. V(null) if the plan needs no look.
  returned: success
  type: dict
  contains:
    available:
      description: Whether all of it could be read and relied on. What was seen of it is in RV(violations.blocked) all the same.
      type: bool
      sample: true
    reason:
      description: The first reason why not, otherwise V(null).
      type: str
      sample: null
    since:
      description: Begin of the time span. V(null) if only the listed scripts and connections were looked at.
      type: str
      sample: '2026-03-02T09:41:33Z'
    until:
      description: End of the time span, or V(null).
      type: str
      sample: '2026-03-09T09:41:33Z'
    shortened:
      description: How many hours of those that O(look_back_days) asks for the plan shows, as C(hours) and C(requested). V(null) for all of them.
      type: dict
      sample: {hours: 24.0, requested: 168}
    total:
      description: How many violations were reported, as far as the service samples them. V(null) if they could not be read, or if a listing was looked at.
      type: int
      sample: 12
    blocked:
      description: What the policy of the plan blocks of it, the most frequent first, also what O(accept_blocked) accepts.
      type: list
      elements: dict
      contains:
        directive:
          description: The directive that governs it.
          type: str
          sample: script-src
        source:
          description: The source that would allow it, an address without query, a scheme or a keyword; V(empty) for a report without an address.
          type: str
          sample: https://cdn.example.net/a.js
        count:
          description: How often it was reported. V(null) if it is listed.
          type: int
          sample: 12
        hosts:
          description: The hosts of the pages, sorted.
          type: list
          elements: str
          sample: [shop.example.com]
        page:
          description: A page that loads it, or V(null).
          type: str
          sample: https://shop.example.com/checkout
refusals:
  description: Why the plan was refused as V(gate). Members that are not known are V(null), all but C(rule) where nothing was observed.
  returned: failure, if it was refused because of what it would block
  type: list
  elements: dict
  sample: [{rule: checkout, directive: script-src, source: 'https://cdn.example.net/a.js', count: 12, hosts: [shop.example.com],
    page: 'https://shop.example.com/checkout'}]
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
      description:
        - V(enforce_rule) if a rule begins to enforce, or an enforced one gets stricter.
        - V(weaken_rule) if an enforced rule is deleted, disabled or only logged, or gets looser.
        - Both if the current action is not known, so that it is not known whether the rule enforces.
      type: str
      sample: enforce_rule
    subject:
      description: The description of the rule.
      type: str
      sample: checkout
    detail:
      description:
        - What an enforced rule no longer allows, or newly allows, a source with its directive, a directive that appears or disappears, or C(expression).
        - V(null) if the rule begins or ends to enforce.
      type: list
      elements: str
      sample: [script-src https://cdn.example.net]
error:
  description: Why the task failed, as data for a playbook.
  returned: failure
  type: dict
  sample: {kind: gate, method: null, path: null, status: null, errors: [], request_id: null, attempts: 0}
"""

from ansible_collections.edgeops.observability.plugins.module_utils._supported import check_supported

check_supported()

from ansible_collections.edgeops.observability.plugins.module_utils._content_rules.task import TASK
from ansible_collections.edgeops.observability.plugins.module_utils._engine.module import run_module


def main() -> None:
    run_module(TASK)


if __name__ == "__main__":
    main()
