#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: run_step
short_description: Decide a step of the playbooks of this collection
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
requirements: [python >= 3.10]
description:
  - Internal to the playbooks C(deliver), C(check), C(adopt), C(survey) and C(verify_evidence) and to the role
    P(edgeops.observability.log_delivery#role). Do not use it in plays of your own.
  - Reads the variables of all hosts of a run and decides what concerns the run as a whole. Runs on the controller and sends no request.
extends_documentation_fragment:
  - edgeops.observability.attributes.local
  - edgeops.observability.attributes
attributes:
  check_mode:
    details:
      - The module changes nothing, in check mode or otherwise.
  diff_mode:
    details:
      - The module changes nothing.
options:
  step:
    description:
      - V(names) refuses unknown variables of the role.
      - V(validate) validates the variables of the run before any request. Unknown ones are refused with the nearest name.
      - V(evaluate) compares the predicted changes of all zones with the safety rails. A refusal is a failure of the kind V(gate) that names
        every zone, what it would lose and what to do. A plan that differs from the approved one is a V(conflict).
      - V(canary) decides after a batch of zones whether the run continues. V(conclude) reports the outcome of each zone of a delivery.
      - V(ask) selects the hosts that read delivery facts, V(gather) returns the records of an audit, and V(judge) decides which zones fail a check.
      - V(adopt) selects the zones of an adoption, V(adopted) reports its outcome, and V(verified) reports on a verification of evidence.
    type: str
    required: true
    choices: [names, validate, evaluate, canary, conclude, ask, gather, judge, adopt, adopted, verified]
  playbook:
    description: The playbook of the run, for O(step=validate).
    type: str
    choices: [deliver, check, adopt, survey, verify_evidence]
  hosts:
    description: The hosts of the step, for O(step=validate), O(step=adopt) and O(step=adopted).
    type: list
    elements: str
  soaked:
    description: Whether the health of the jobs was read after the batch, for O(step=canary).
    type: bool
    default: false
  stop_on_failure:
    description: Whether a zone that failed stops the run, for O(step=canary).
    type: bool
    default: false
  to_deliver:
    description: The zones that the delivery was to write, for O(step=conclude).
    type: list
    elements: str
  stopped:
    description: Why the run stopped before its last batch, for O(step=conclude).
    type: str
  zones:
    description: The records of the zones, for O(step=judge) and O(step=adopted).
    type: list
    elements: dict
  asked:
    description: The zones whose delivery facts each host has read, for O(step=gather).
    type: dict
  report:
    description: The result of M(edgeops.observability.audit_report) for O(step=judge), of M(edgeops.observability.script_evidence_info) for O(step=verified).
    type: dict
  group_hosts:
    description: The hosts of the group of an adoption, for O(step=adopt).
    type: list
    elements: str
  refused:
    description: The zones that are not adopted, with the reasons, for O(step=adopted).
    type: dict
  dest:
    description: The folder of the files, for O(step=adopted).
    type: path
  sent:
    description: The results of sending the files of the report, for O(step=judge).
    type: dict
seealso:
  - module: edgeops.observability.zone_observability
  - module: edgeops.observability.audit_report
"""

EXAMPLES = r"""
- name: Refuse misspelt variables of the role
  edgeops.observability.run_step:
    step: names
"""

RETURN = r"""
lines:
  description: The lines for the user.
  returned: for the steps that end a play
  type: list
  elements: str
  sample: ["3 zones: 1 would change (0 additions, 1 change, 0 deletions), 2 unchanged, 0 failed"]
rails: {description: The safety rails in force.,
  returned: with O(step=validate) and O(playbook=deliver), type: list, elements: str, sample: ["destructive changes that are allowed: none"]}
changed_zones: {description: Names of the zones that a delivery would write to.,
  returned: with O(step=evaluate), type: list, elements: str, sample: [shop.example]}
plan_id: {description: One digest of the plans of all zones. V(null) if a zone could not be predicted.,
  returned: with O(step=evaluate), type: str, sample: "sha256:0f3c9d1b7a5e48c2f6b1d0a9e8c7b6a5f4e3d2c1b0a99887766554433221100f"}
effects: {description: "What the changes would destroy, by the name of the zone.",
  returned: with O(step=evaluate), type: dict, sample: {shop.example: [{name: delete_job, subject: edge-logs, detail: null}]}}
failing: {description: "The reason for each zone that fails the run, by its name.",
  returned: "with O(step=conclude), O(step=judge) and O(step=adopted)", type: dict, sample: {}}
hosts: {description: The hosts of the run., returned: with O(step=validate), type: list, elements: raw, sample: [shop.example]}
batches: {description: The sizes of the batches., returned: with O(step=validate), type: list, elements: raw, sample: [1, "100%"]}
guard: {description: Whether the safety rails apply., returned: with O(step=validate), type: bool, sample: true}
stop_on_failure: {description: Whether a zone that failed stops the run., returned: with O(step=validate), type: bool, sample: false}
soak_seconds: {description: Seconds between a batch and the second look at the health of its jobs., returned: with O(step=validate), type: int, sample: 0}
dest: {description: The folder for files., returned: with O(step=validate), type: str, sample: "/home/me/reports"}
is_temporary: {description: Whether the folder is a temporary one for this run., returned: with O(step=validate), type: bool, sample: false}
formats: {description: The formats of the report., returned: with O(step=validate), type: list, elements: raw, sample: [json, html]}
previous: {description: The previous report., returned: with O(step=validate), type: str, sample: "/home/me/reports/report.json"}
merge: {description: Reports of slices., returned: with O(step=validate), type: list, elements: raw, sample: []}
title: {description: The title of the report., returned: with O(step=validate), type: str, sample: Fleet audit}
keep: {description: How many earlier summaries a report carries., returned: with O(step=validate), type: int, sample: 30}
max_age_days: {description: How old the audit of a merged report may be., returned: with O(step=validate), type: int, sample: 7}
silent_after_days: {description: After how many days a job is silent., returned: with O(step=validate), type: int, sample: 7}
waivers: {description: The waivers of the report., returned: with O(step=validate), type: list, elements: raw, sample: []}
required_fields: {description: "The log fields that a job must deliver, by dataset.", returned: with O(step=validate), type: dict, sample: {}}
fail_on: {description: Statuses of zones and types of findings that fail the run.,
  returned: with O(step=validate), type: list, elements: raw, sample: [drifted]}
audit_delivery: {description: Whether delivery facts are part of the audit., returned: with O(step=validate), type: bool, sample: false}
scripts: {description: Whether a survey reads scripts., returned: with O(step=validate) and O(playbook=survey), type: bool, sample: false}
names: {description: Names of the zones of a survey., returned: with O(step=validate) and O(playbook=survey), type: list, elements: raw, sample: []}
statuses: {description: Statuses of the zones of a survey., returned: with O(step=validate) and O(playbook=survey), type: list, elements: raw, sample: []}
account_ids: {description: Accounts of a survey., returned: with O(step=validate) and O(playbook=survey), type: list, elements: raw, sample: []}
asked: {description: The options of the task of each host that reads delivery facts.,
  returned: with O(step=ask), type: dict, sample: {shop.example: {zone_ids: ["023e105f4ecef8ad9ca31a8372d0c353"]}}}
is_put: {description: Whether the files of the report are sent., returned: with O(step=validate), type: bool, sample: false}
group: {description: The group of adopted zones., returned: with O(step=validate), type: str, sample: all}
overwrite: {description: Whether files of an adoption are replaced., returned: with O(step=validate), type: bool, sample: false}
to_deliver: {description: Names of the zones that are written., returned: with O(step=evaluate), type: list, elements: raw, sample: [shop.example]}
plan_ids: {description: The plans of each zone.,
  returned: with O(step=evaluate), type: dict, sample: {shop.example: {custom_fields: null, jobs: null, script_monitor: null}}}
unhealthy: {description: The reason for each zone with a job that is worse than before., returned: with O(step=canary), type: dict, sample: {}}
stopped: {description: Why the run stops. Empty if it does not., returned: with O(step=canary), type: str, sample: ""}
zones: {description: The records of the zones., returned: with O(step=gather), type: list, elements: raw, sample: []}
check: {description: The result of the check as data.,
  returned: with O(step=judge), type: dict, sample: {lines: [], unaudited: [], drifted: [], findings: [], unmanaged: [], compliant: [shop.example]}}
script_baselines: {description: Entries for the script baselines., returned: with O(step=adopt), type: dict, sample: {}}
refused: {description: "The reason for each zone that is not adopted, by its name.", returned: with O(step=adopt), type: dict, sample: {}}
to_verify: {description: The hosts that are verified., returned: with O(step=adopt), type: list, elements: raw, sample: [shop.example]}
invalid: {description: Why evidence is not valid. Empty if it is., returned: with O(step=verified), type: str, sample: ""}
addressed: {description: "The hosts of the play that fails, which are those of RV(failing) and one more if there is one.",
  returned: with O(step=judge), type: list, elements: str, sample: []}
error:
  description: Why the step failed, as data for a playbook.
  returned: failure
  type: dict
  sample: {kind: gate, method: null, path: null, status: null, errors: [], request_id: null, attempts: 0}
"""
