#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: evidence_report
short_description: Make a document for an assessor from the evidence of script audits
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
requirements: [python >= 3.10]
description:
  - Makes a page and a table for a period from the records that M(edgeops.observability.script_audit) keeps, and from nothing else. The page begins with a
    sentence for each thing that has to be said, the worst first. Then come a calendar of the audits, every change in the order of time, the inventory at the
    end of the period, what is not resolved, and how to verify it all.
  - A script is called authorised only if the baseline of a record authorises it, and gone only if an audit that would have listed it did not. A finding
    is called verified, listed again, completed or no longer reported only if a record shows that; otherwise the page says that it is not resolved, and
    what was changed instead, such as "no longer pinned", "no longer required", "no longer looked at" or "judged by another threshold".
  - The sentences are about, in this order, an invalid chain, an incomplete last line (also one that a later audit moved aside), a broken history, what was
    added or changed without authorisation, audits that could not see, days without an audit, what was not looked at, what has no authorisation on record,
    authorisations that are older than what they authorise or were dated back, whether each zone and each of its payment pages was audited at least every
    seven days, records that were not written at the time of their audit, and whether every audit is accounted for.
  - An audit of a disabled script monitor, and one that lists no script, does not count for "at least every seven days".
  - Chains of payment pages (C(ZONE_ID.pages.jsonl)) in O(evidence_dir) have a calendar of their own; their changes stand among the others, and the state
    of each page at the end of the period after the inventory. C(evidence.csv) then has rows of the kinds C(page) and C(page_change), and the columns
    C(page) and C(subject).
  - Runs on the controller and contacts no service. The files are written in check mode, too, because the document changes nothing else.
extends_documentation_fragment:
  - edgeops.observability.attributes.info
  - edgeops.observability.attributes.local
  - edgeops.observability.attributes
options:
  evidence_dir:
    description:
      - Folder of the evidence, as in M(edgeops.observability.script_evidence_info).
      - If omitted, the variable C(edgeops_evidence_dir) of the host.
    type: path
    required: true
  expected_heads:
    description:
      - Digests that were stored outside of O(evidence_dir), by zone id, as in M(edgeops.observability.script_evidence_info).
      - If omitted, the variable C(edgeops_expected_heads), and those of hosts as there.
    type: dict
  dest:
    description:
      - If omitted, the variable C(edgeops_evidence_report_dir) of the host.
      - Folder of C(evidence.html) and C(evidence.csv). It is created if it does not exist, with mode C(0750); the files have mode C(0640) and replace earlier
        ones at once.
    type: path
    required: true
  since:
    description:
      - First day of the period, in UTC, such as V(2026-01-01).
      - If omitted, the variable C(edgeops_evidence_since) of the host, otherwise the day a year before O(until).
    type: str
  until:
    description:
      - Last day of the period, in UTC; it is included. If omitted, the variable
        C(edgeops_evidence_until) of the host, otherwise the day of O(at). Days after O(at) are not counted as days without an audit.
    type: str
  zone_names:
    description:
      - Names of the zones by their ids, for the reader. Zones of the inventory need none. A zone without a name is shown by its id.
      - A zone that is named here and has no record in the period is listed as not audited. A zone with audits of one kind only, scripts or payment pages,
        is listed as without the other, if the folder has a chain of that kind.
      - Of zones of the inventory that have no evidence in O(evidence_dir) and are not named here, the page says only how many there are, and which.
    type: dict
  max_gap_days:
    description:
      - More days than this, in UTC, between two audits are a gap, also before the first audit of a period that was chosen with O(since), and after the last
        one.
      - If omitted, 5 days for audits of scripts and 7 for those of payment pages. A value that is given holds for both.
    type: float
  title:
    description:
      - Title of the page.
      - If omitted, V(Evidence of script audits), and V(Evidence of audits of scripts and payment pages) where pages were audited.
    type: str
  at:
    description:
      - Time at which the document is made, in RFC 3339. If omitted, now. The same evidence, options and time give the same bytes.
    type: str
notes:
  - Notes about changes stand in the file C(notes.yml) of O(evidence_dir), a list of dictionaries with C(zone_id), C(script_url) or C(page), C(date) (the day of
    the change, in UTC), C(text) and C(author), each once. A note is shown beside the change that it is about, and
    the file with its digest; notes that fit no change are listed.
  - The page loads nothing and runs nothing. It can be printed, which is how most assessors keep it.
  - Of what was not audited, C(evidence.csv) has a row of the kind C(inventory) or C(page) whose C(what) is C(not_audited) instead of C(listed), with the time
    of its last audit if there is one - a zone without an audit in the period, and a payment page that the last audit left out. It begins with a row of the
    kind C(verdict) for each sentence of the page that is no good news, so that it never looks better than the page.
  - A payment page that led elsewhere was not read - what earlier audits found there is not resolved by what they found elsewhere, nor by a recording that is
    older than the finding.
  - In C(evidence.csv), text that a spreadsheet would evaluate, or split and evaluate, is quoted and has an apostrophe before it.
seealso:
  - module: edgeops.observability.script_audit
  - module: edgeops.observability.script_evidence_info
"""

EXAMPLES = r"""
- name: Make the document of the year
  edgeops.observability.evidence_report:
    evidence_dir: evidence
    dest: assessment
    since: 2026-01-01
    until: 2026-12-31
    zone_names:
      023e105f4ecef8ad9ca31a8372d0c353: shop.example.com
  register: document

- name: Show its first sentence
  ansible.builtin.debug:
    msg: "{{ document.lines }}"
"""

RETURN = r"""
files:
  description: Paths of the page and of the table.
  returned: success
  type: list
  elements: str
  sample: [/srv/audit/assessment/evidence.html, /srv/audit/assessment/evidence.csv]
valid:
  description: Whether every chain is valid, the records before and after the period included.
  returned: success
  type: bool
  sample: true
lines:
  description: What the document says first, its numbers, and the path of the page.
  returned: success
  type: list
  elements: str
  sample:
    - >-
      2 scripts were changed without authorisation, both authorised within 3 days but in use before that. At least every seven days: yes. Every one of
      312 audits of 3 zones is accounted for. These answers count audits from the first one on, and say that the records in the folder are unbroken, whatever
      they found.
    - 3 zones audited, 312 audits, 41 scripts at the end, 2 changes of scripts, 0 findings not resolved, 0 gaps
    - The document is /srv/audit/assessment/evidence.html
zones:
  description: The chains, as RV(edgeops.observability.script_evidence_info#module:zones), with the records of the period.
  returned: success
  type: list
  elements: dict
  sample:
    - zone_id: 023e105f4ecef8ad9ca31a8372d0c353
      kind: scripts
      valid: true
      message: 312 records are valid
      records: 312
      first: "2026-01-01T06:00:00Z"
      last: "2026-12-31T06:00:00Z"
      longest_gap_days: 1.0
      findings: {malicious: 0, new: 1, changed: 2}
      open: []
      scope_changes: []
      head: 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae
error:
  description: Why the task failed, as data for a playbook.
  returned: failure
  type: dict
  sample: {kind: invalid_option, method: null, path: null, status: null, errors: [], request_id: null, attempts: 0}
"""
