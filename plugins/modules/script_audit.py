#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: script_audit
short_description: Compare the scripts of a zone with a baseline of authorised scripts, and keep evidence
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
description:
  - Reads the scripts that the script monitor (Client-side security, formerly Page Shield) of a Cloudflare zone lists, finds the entry of
    O(baseline) for each, and returns the inventory with all findings.
  - With O(evidence_dir), each audit adds a record to a chain of evidence, also in check mode, because the record is the product of an audit.
  - Nothing is written to the service. The guide R(payment page scripts,ansible_collections.edgeops.observability.docsite.guide_payment_scripts)
    describes what this covers of PCI DSS 4.0.1 6.4.3 and 11.6.1.
  - If the service refuses to list every script (with the same content as another one, or served by Cloudflare itself), the module fails with the kind
    V(rejected) and keeps no evidence, because nothing can be told of scripts that are not listed.
  - A script is identified by its URL, without the fragment, and the host on which it was seen. The C(script_id) of the service is not stable.
extends_documentation_fragment:
  - edgeops.observability.connection
  - edgeops.observability.connection.zone
  - edgeops.observability.route
  - edgeops.observability.route.verdict
  - edgeops.observability.attributes.info
  - edgeops.observability.attributes
attributes:
  check_mode:
    details:
      - Sends only C(GET) requests. The record of evidence is also written in check mode.
  idempotent:
    details:
      - Each run adds a record to O(evidence_dir).
options:
  baseline:
    description:
      - The authorised scripts, a list of entries. An empty list makes every script V(new).
      - "Members of an entry: C(name) (required, unique), C(url) (required), C(hosts) (default: any host), C(owner), C(justification),
        C(authorised_by), C(authorised_on), C(review_by), C(integrity) (V(pinned), the default, or V(unpinned) with C(integrity_reason)), C(hashes),
        C(required) (default V(false))."
      - C(url) is one URL, or a pattern in which C(*) matches text within a segment and C(**) matches across segments.
        The query of a script is compared only if C(url) has a C(?).
      - No pattern matches a URL with user information, a C(.) or C(..) segment, a backslash or an encoded slash, because it could lead elsewhere
        than it looks like. An entry may have exactly such a URL, but none with user information. A C(*) at the end of a host with other text is an error.
      - An entry with an exact URL takes precedence over a pattern, and a pattern with a longer literal prefix over a shorter one. Two entries that
        match a listed script equally well are an error.
      - C(hashes) are SHA-256 of 64 hexadecimal digits. C(review_by) and C(authorised_on) are dates; the day of C(review_by) is included,
        and an entry authorises nothing before C(authorised_on), in UTC. Text of which nothing can be seen is none.
      - Also accepted as JSON text, or in Python's notation, in which ansible-core before 2.19 passes a templated list with a date.
      - If omitted, the variable C(edgeops_script_baseline) of the host. The task needs one of the two.
    type: raw
    required: true
  fail_on:
    description:
      - The findings that fail the task with the kind V(gate), after the evidence is written. The failed result has all return values.
      - V(all) means every finding but V(unused). With an empty list no finding fails the task. RV(summary) describes the findings.
      - With any finding in the list V(monitor_off) and V(nothing_seen) fail the task, too, and with V(changed) also V(unverified), because they hide what the
        others would find.
      - If omitted, the variable C(edgeops_script_fail_on) of the host.
    type: list
    elements: str
    choices: [all, malicious, reported, new, changed, unverified, expired, unjustified, gone, unused, monitor_off, nothing_seen, evidence_gap,
      history_broken]
    default: []
  details:
    description:
      - Which scripts are also read individually, with one request each, for their C(versions) and C(seen_on).
      - V(findings) reads scripts with a finding, at most 500, and those that are only V(new) last. V(all) also detects a hash that changed
        and changed back between two records.
    type: str
    choices: [findings, none, all]
    default: findings
  evidence_dir:
    description:
      - Folder of the evidence, one file for each zone, C(ZONE_ID.jsonl). It is created if it is missing.
      - A relative path starts at the working directory of C(ansible-playbook), for tasks on a local connection.
      - A record has the time, the status of the monitor and whether it samples, what was looked at (hosts, status, pages, O(fail_on), O(details), the
        route, and O(malicious_when) and O(malicious_threshold) where they are not those of the route), the inventory, the findings, and the digests of the
        baseline and of the record before it.
      - Each baseline is kept as C(baselines/DIGEST.json), with who authorised which script, and why.
      - A folder that is not writable, or is reached through a symbolic link of another user, is an error before any request.
      - An incomplete last line, of a run that was killed while it was writing or of a file whose end was cut off, moves to C(ZONE_ID.jsonl.torn) with a
        warning. As long as that file lies there, M(edgeops.observability.script_evidence_info) and M(edgeops.observability.evidence_report) say that an
        audit may be missing. No other line is ever rewritten.
      - If omitted, the variable C(edgeops_evidence_dir) of the host.
    type: path
  expected_head:
    description:
      - The RV(evidence.head) of an earlier record, stored outside of O(evidence_dir), because a chain alone does not show that its last records were
        removed. If no record has this digest, the finding is V(history_broken).
      - If omitted, the variable C(edgeops_expected_head) of the host, or what C(edgeops_expected_heads) has for the zone.
    type: str
  max_gap_days:
    description:
      - Days of UTC, from 1 on, after which the last record is too old, the finding V(evidence_gap). Cloudflare removes infrequent scripts after five days.
      - A record of an audit that saw no script, or asked for fewer hosts or statuses than this one, does not count.
    type: float
    default: 5.0
  at:
    description:
      - The time of the audit in RFC 3339. If omitted, now.
      - An audit without it that another audit of the zone overtakes, which began later and was recorded earlier, is repeated.
    type: str
  hosts:
    description:
      - Only scripts that were seen on these host names. Each may have a V(*) at its start or at its end.
      - Entries of the baseline for other hosts are then neither V(gone) nor V(unused).
    type: list
    elements: str
  pages:
    description:
      - URLs of pages, such as payment pages, or patterns of them as in C(url) of O(baseline).
      - The findings about a script then list in RV(findings[].pages) which of these pages load it. Everything else stays the same.
      - The service shows pages for scripts that are read individually, see O(details), and depending on the plan of the account in its listing.
    type: list
    elements: str
    default: []
  status:
    description: Only scripts with these statuses. Each status takes one listing. With an empty list the service returns V(active) scripts.
    type: list
    elements: str
    default: [active, infrequent]
notes:
  - The API does not return the content of a script, and depending on the plan of the account no hash. A pinned script without a hash is
    V(unverified), never unchanged.
  - With Cloudflare, reading needs an API token with the permission Page Shield Read (or Zone Settings Read).
seealso:
  - module: edgeops.observability.script_monitor_info
  - module: edgeops.observability.script_evidence_info
"""

EXAMPLES = r"""
- name: Compare the scripts of the shop with the baseline
  edgeops.observability.script_audit:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    evidence_dir: evidence
    baseline:
      - name: stripe
        url: https://js.stripe.com/v3/**
        hosts: [shop.example.com]
        owner: payments@example.com
        justification: card fields of the checkout
        authorised_by: j.doe
        authorised_on: "2026-10-01"
        review_by: "2027-04-01"
        integrity: unpinned
        integrity_reason: the vendor releases without notice
  register: audit

- name: Show the findings
  ansible.builtin.debug:
    msg: "{{ item.kind }}: {{ item.script_url }} {{ item.entry }}: {{ item.message }}"
  loop: "{{ audit.findings }}"
  loop_control:
    label: "{{ item.kind }}"

- name: Write the head of the chain to the log of the job
  ansible.builtin.debug:
    msg: "record {{ audit.evidence.seq }} of this zone has the digest {{ audit.evidence.head }}"
"""

RETURN = r"""
zone_id:
  description: The id of the zone, also if O(zone_name) names it.
  returned: if the task is about a zone
  type: str
  sample: 023e105f4ecef8ad9ca31a8372d0c353
script_monitor:
  description: The status of the script monitor.
  returned: success, and failure with the kind C(gate)
  type: dict
  contains:
    enabled:
      description: Whether monitoring is enabled.
      type: bool
      sample: true
    updated_at:
      description: When the status was last written, ISO 8601; V(null) if the service does not return it.
      type: str
      sample: "2026-03-02T09:41:33.358104Z"
summary:
  description: Number of findings of each kind.
  returned: success, and failure with the kind C(gate)
  type: dict
  contains:
    malicious:
      description: Scripts whose score means malicious.
      type: int
      sample: 0
    reported:
      description: Scripts whose URL or domain is reported as malicious.
      type: int
      sample: 0
    new:
      description: Scripts without an entry.
      type: int
      sample: 1
    changed:
      description:
        - Scripts of a pinned entry with a hash that the entry does not list. Compared are the hash of the listing, and with O(details) those of the
          versions that the service fetched after the last record of O(evidence_dir) whose audit read the versions of this script.
        - A version that a record lists with a baseline that authorised it then does not count.
        - An older version never stands for a hash that the service does not show; such a script is RV(summary.unverified).
      type: int
      sample: 0
    unverified:
      description:
        - Scripts of a pinned entry without a hash from the service, or with such a version whose hash it does not show.
        - They stay so while the service lists that version without its hash. Who has looked at the script accepts that by one audit with O(details=all)
          whose entry has C(integrity=unpinned) and the reason; with the pinned entry again, later versions are compared.
        - With O(details), this includes scripts that the service lists and does not find when they are read individually, from the second record on.
      type: int
      sample: 0
    expired:
      description: Entries whose C(review_by) is past.
      type: int
      sample: 0
    unjustified:
      description: Entries without owner, justification or C(authorised_by), or whose C(authorised_on) is later than the day of the audit.
      type: int
      sample: 0
    gone:
      description: Entries with C(required=true) that match no listed script.
      type: int
      sample: 0
    unused:
      description: Other entries that match no listed script.
      type: int
      sample: 0
    monitor_off:
      description: 1 if the script monitor is disabled.
      type: int
      sample: 0
    nothing_seen:
      description: 1 if the service lists no script. Cloudflare samples what browsers report, and lists nothing before about an hour and 100 requests.
      type: int
      sample: 0
    evidence_gap:
      description: 1 if the last record is older than O(max_gap_days).
      type: int
      sample: 0
    history_broken:
      description: 1 if the chain of evidence is invalid, a baseline that it names was edited, O(expected_head) is not in it, or the last record is later
        than the audit.
      type: int
      sample: 0
inventory:
  description: The scripts, sorted by URL and host.
  returned: success, and failure with the kind C(gate)
  type: list
  elements: dict
  contains:
    script:
      description: The script as in RV(edgeops.observability.script_monitor_info#module:scripts); if several have this URL and host, the one seen last.
      type: dict
      sample: {"script_url": "https://js.stripe.com/v3/", "host": "shop.example.com"}
    entry:
      description: Name of the entry that covers it, or V(null).
      type: str
      sample: stripe
    findings:
      description: The kinds of the findings about the script and about its entry.
      type: list
      elements: str
      sample: []
findings:
  description: The findings, sorted by kind, URL, host and entry.
  returned: success, and failure with the kind C(gate)
  type: list
  elements: dict
  contains:
    kind:
      description: One of the members of RV(summary).
      type: str
      sample: new
    script_url:
      description: URL of the script; V(null) if the finding is about an entry, or about the audit as a whole.
      type: str
      sample: https://cdn.example.net/checkout.js
    host:
      description: Host of the script, or V(null).
      type: str
      sample: shop.example.com
    entry:
      description: Name of the entry, or V(null).
      type: str
      sample:
    message:
      description: A sentence for the user.
      type: str
      sample: no entry of the baseline covers it
    pages:
      description: Pages that match O(pages) and load the script; V(null) without O(pages), for other findings, and if the service shows no pages of it.
      type: list
      elements: str
      sample: ["https://shop.example.com/checkout"]
passed:
  description: Whether there is no finding but V(unused).
  returned: success, and failure with the kind C(gate)
  type: bool
  sample: false
proposals:
  description:
    - Entries for the baseline, for scripts that are new, and changed entries with the hashes seen added.
    - Their owner, justification and C(authorised_by) are V(null), because adopting a script does not authorise it; until they are set, the entries
      are V(unjustified).
  returned: success, and failure with the kind C(gate)
  type: list
  elements: dict
  sample:
    - name: cdn.example.net-checkout.js
      url: https://cdn.example.net/checkout.js
      hosts: [shop.example.com]
      owner:
      justification:
      authorised_by:
      authorised_on:
      review_by:
      integrity: pinned
      integrity_reason:
      hashes: [9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08]
      required: false
evidence:
  description: The record that this audit added.
  returned: success, and failure with the kind C(gate)
  type: dict
  contains:
    seq:
      description: Number of the record, from 1; V(null) without O(evidence_dir).
      type: int
      sample: 12
    head:
      description: Digest of the record, to be kept elsewhere and passed as O(expected_head) to a later audit; V(null) without O(evidence_dir).
      type: str
      sample: 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae
error:
  description: Why the task failed, as data for a playbook.
  returned: failure
  type: dict
  sample: {kind: gate, method: null, path: null, status: null, errors: [], request_id: null, attempts: 0}
"""

from ansible_collections.edgeops.observability.plugins.module_utils._supported import check_supported

check_supported()

from ansible_collections.edgeops.observability.plugins.module_utils._engine.module import run_module
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.task import AUDIT_TASK as TASK


def main() -> None:
    run_module(TASK)


if __name__ == "__main__":
    main()
