#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: script_evidence_info
short_description: Verify the evidence of script audits
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
requirements: [python >= 3.10]
description:
  - Reads the evidence that M(edgeops.observability.script_audit) writes, and names the first record of each zone that was edited, inserted, swapped,
    follows a record that was deleted, has a time before that of the record before it, or is not written as records are.
  - Reads files on the host where it runs. It does not contact the service, and needs no credentials.
  - The playbook C(edgeops.observability.verify_evidence) runs it and fails for an invalid chain.
extends_documentation_fragment:
  - edgeops.observability.attributes.info
  - edgeops.observability.attributes.local
  - edgeops.observability.attributes
options:
  evidence_dir:
    description:
      - Folder of the evidence. Each file C(ZONE_ID.jsonl) (scripts) and C(ZONE_ID.pages.jsonl) (payment pages) in it is verified, with the baselines
        that its records name; one that cannot be read is an invalid chain, and so is one with a baseline that was edited or cannot be read. A
        baseline that is missing is only reported, and so are incomplete last lines, also those that an audit moved to C(ZONE_ID.jsonl.torn).
      - If omitted, the variable C(edgeops_evidence_dir) of the host.
    type: path
    required: true
  expected_heads:
    description:
      - Digests that were stored outside of O(evidence_dir), by zone id, because a chain alone does not show that its last records were removed. A chain is
        invalid if no record has the digest, or if there is no file for the zone. The head of payment pages is under C(ZONE_ID.pages).
      - If omitted, the variable C(edgeops_expected_heads), and C(edgeops_expected_head) and C(edgeops_expected_pages_head) of each host of the inventory
        that has C(zone_id). Two that differ are an error.
    type: dict
notes:
  - The chain is tamper-evident, not tamper-proof. A user who can write the whole chain can replace it, which only a digest stored elsewhere shows.
seealso:
  - module: edgeops.observability.script_audit
"""

EXAMPLES = r"""
- name: Verify the evidence of all zones
  edgeops.observability.script_evidence_info:
    evidence_dir: "{{ edgeops_evidence_dir | default(playbook_dir) }}"
  register: verified

- name: Show the chains
  ansible.builtin.debug:
    msg: "{{ verified.lines }}"
"""

RETURN = r"""
valid:
  description: Whether all chains are valid; V(false) if there is no chain.
  returned: success
  type: bool
  sample: true
lines:
  description:
    - Whether all chains are valid and why not, or what they do not show (an incomplete last line, a missing baseline), then a few lines about each. A zone
      of the inventory is named.
    - Files that look like evidence and were not read are named last.
    - Zones of the inventory without any evidence are counted in the first line and named at the end; they do not make RV(valid) false, because not
      every zone is audited for its scripts. With O(expected_heads) a missing chain does.
  returned: success
  type: list
  elements: str
  sample:
    - "Valid: 1 chain, which says that the records are unbroken, whatever the audits found"
    - "shop.example 023e105f4ecef8ad9ca31a8372d0c353: 52 records are valid"
zones:
  description: The chains, sorted by zone id.
  returned: success
  type: list
  elements: dict
  contains:
    zone_id:
      description: The zone, from the name of the file.
      type: str
      sample: 023e105f4ecef8ad9ca31a8372d0c353
    kind:
      description: What the chain is about, V(scripts) or payment V(pages).
      type: str
      sample: scripts
    valid:
      description: Whether all records are valid, and the expected head is in the chain.
      type: bool
      sample: true
    message:
      description: A sentence for the user. For an invalid chain it begins with the number of the first record that is invalid or missing, and the reason.
      type: str
      sample: 52 records are valid
    records:
      description: Number of audits, one record each.
      type: int
      sample: 52
    first:
      description: Time of the first record; V(null) if there is none.
      type: str
      sample: "2025-11-24T06:00:00Z"
    last:
      description: Time of the last record before the first invalid one; V(null) if there is none.
      type: str
      sample: "2026-11-21T06:00:00Z"
    longest_gap_days:
      description: The longest time between two consecutive records, in days; V(null) if there are not two.
      type: float
      sample: 7.0
    findings:
      description: Number of findings of each kind in all valid records. For scripts they are those of RV(edgeops.observability.script_audit#module:summary).
      type: dict
      sample: {"new": 3, "changed": 0}
    open:
      description: The findings of the last valid record, as in RV(edgeops.observability.script_audit#module:findings).
      type: list
      elements: dict
      sample: []
    scope_changes:
      description:
        - The records whose audit did not look at the same as the one before, each with C(seq), C(at), and in C(before) and C(after) the members of the
          scope that differ.
      type: list
      elements: dict
      sample: [{seq: 12, at: "2026-02-09T06:00:00Z", before: {hosts: []}, after: {hosts: [shop.example.com]}}]
    head:
      description: Digest of the last record; V(null) if there is none.
      type: str
      sample: 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae
error:
  description: Why the task failed, as data for a playbook.
  returned: failure
  type: dict
  sample: {kind: invalid_option, method: null, path: null, status: null, errors: [], request_id: null, attempts: 0}
"""
