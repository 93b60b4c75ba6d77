#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: audit_report
short_description: Write the report of an audit of many zones
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
requirements:
  - python >= 3.10
description:
  - Writes the result of an audit of many Cloudflare zones to files, for operators, auditors and CI jobs.
  - The report lists the drift from the desired state, findings and notes of each zone, and compares them with the previous report.
  - The same problem has the same id in every format and in every run. Equal options and O(at) give identical files.
  - Runs on the controller and contacts no service. Files are also written in check mode, and RV(ignore:changed) is always V(false).
extends_documentation_fragment:
  - edgeops.observability.attributes.local
  - edgeops.observability.attributes
options:
  zones:
    description:
      - The results of the audit, one record for each zone.
      - A record has C(zone), the name of the zone, and C(zone_id).
      - C(result) is the result of the role P(edgeops.observability.log_delivery#role) in check and diff mode.
        Its members C(custom_fields), C(jobs) and C(script_monitor) have the C(changed), C(diff) and C(plan_id) of the single modules, and are empty
        if a resource is not managed.
      - C(jobs) is the list that M(edgeops.observability.logpush_job_info) returns. C(coverage) is the result of the filter
        P(edgeops.observability.log_field_coverage#filter). C(scripts) is the result of a script audit.
      - C(error), with C(kind) and C(message), is the reason why a zone could not be audited. The zone is then V(unaudited),
        as is one with a result of a task that failed or was unreachable.
      - A zone without C(error) and without a managed resource is V(unmanaged).
    type: list
    elements: dict
    required: true
  expected:
    description:
      - Names of the zones that the audit must cover. A zone without a record is V(unaudited).
      - A report without zones is refused.
    type: list
    elements: str
  dest:
    description:
      - The folder of the files. It is created with mode V(0750) if it is missing.
      - Files are replaced in one step and have mode V(0640). If one of them cannot be written or replaced, none is.
    type: path
    required: true
  formats:
    description:
      - V(json) writes C(report.json), which has a JSON Schema in C(extensions/schemas/audit-report-1.json) of the collection.
      - V(html) writes C(report.html), one page without scripts. It needs Jinja2, which ansible-core depends on.
      - V(junit) writes C(report.xml), with a suite for each zone and a case for each resource.
      - V(markdown) writes C(report.md), of at most 60,000 characters; it reports what it omits.
      - V(metrics) writes C(report.prom), OpenMetrics text.
    type: list
    elements: str
    choices: [json, html, junit, markdown, metrics]
    default: [json, html, junit]
  previous:
    description:
      - The C(report.json) of an earlier run, to compare with. If it does not exist, this report is the first.
      - It is refused if a member is missing or of another type than in the JSON Schema. The same holds for O(merge).
      - Problems of zones that this run did not audit are RV(comparison.unknown), never resolved. They stay in the report and are not counted.
    type: path
  merge:
    description:
      - Further C(report.json) files, such as those of the other slices of one job.
      - If several reports have a zone, the latest audit of it is used. A zone is known by its id, or by its name if one of the reports has no id of it.
      - A zone whose record has C(error) stays V(unaudited), unless a later audit of it is merged.
      - The waivers of a merged report apply to the zones that are taken from it, and to no others.
    type: list
    elements: path
    default: []
  waivers:
    description:
      - Differences and findings that are accepted for a time. They are listed, but not counted in RV(outcome) or O(fail_on).
      - An omitted pattern matches everything; an empty one is refused. Patterns are shell patterns (C(*), C(?), C([...])) and case-sensitive.
      - After the last day a waived problem counts again, and the expired waiver is a finding.
    type: list
    elements: dict
    default: []
    suboptions:
      zone:
        description: Pattern for the name of the zone.
        type: str
      resource:
        description: Pattern for the resource, such as V(jobs) or V(scripts).
        type: str
      member:
        description: Pattern for the member, such as V(enabled), or the kind of a finding.
        type: str
      subject:
        description: Pattern for the subject, such as the label of a job.
        type: str
      reason:
        description: Why it is accepted. Required.
        type: str
      owner:
        description: Who is responsible for it. Required.
        type: str
      until:
        description: The last day, in UTC, as V(2026-12-31). Required.
        type: str
  required_fields:
    description:
      - Log fields by dataset. A field that no enabled job without a filter delivers is a finding.
      - A record without C(jobs) does not show that a field is delivered.
    type: dict
    default: {}
  fail_on:
    description:
      - What fails the task, with RV(ignore:error.kind=gate), after the files are written.
    type: list
    elements: str
    choices: [drifted, finding, unaudited, unmanaged]
    default: []
  at:
    description:
      - The time of the audit, as V(2026-11-22T06:00:00Z). If omitted, the current time.
    type: str
  title:
    description:
      - The title of the report.
    type: str
    default: Fleet audit
  validate_only:
    description:
      - With V(true) no report is made. The other options are validated, the earlier reports are read, and O(dest) is checked, which a playbook does before
        it reads any zone. O(zones) may be empty.
    type: bool
    default: false
notes:
  - On a connection that is not local the files are written on the target; use C(delegate_to=localhost) there.
seealso:
  - module: edgeops.observability.logpush_job_info
"""

EXAMPLES = r"""
- name: Report on two zones, and compare with the previous report
  edgeops.observability.audit_report:
    dest: /tmp/edgeops-example-report
    previous: /tmp/edgeops-example-report/report.json
    expected: [shop.example.com, blog.example.com]
    zones:
      - zone: shop.example.com
        zone_id: 023e105f4ecef8ad9ca31a8372d0c353
        result:
          custom_fields: {}
          jobs: {}
          script_monitor:
            changed: true
            diff: {before: {enabled: false}, after: {enabled: true}}
            plan_id: sha256:0f3c9d1b7a5e48c2f6b1d0a9e8c7b6a5f4e3d2c1b0a99887766554433221100f
      - zone: blog.example.com
        zone_id: 372e67954025e0ba6aaa6d586b9e0b59
        error: {kind: permission, message: the token does not cover this zone}
    waivers:
      - zone: shop.*
        resource: script_monitor
        reason: enabled with the next release
        owner: web@example.com
        until: "2099-12-31"
  delegate_to: localhost
  run_once: true

- name: Fail if a zone has drifted, after the report is written
  edgeops.observability.audit_report:
    dest: /tmp/edgeops-example-report
    formats: [json, html, junit, markdown, metrics]
    zones:
      - zone: shop.example.com
        zone_id: 023e105f4ecef8ad9ca31a8372d0c353
        result:
          custom_fields: {changed: false, diff: {before: {}, after: {}}, plan_id: sha256:00}
    fail_on: [drifted, finding, unaudited]
  delegate_to: localhost
  run_once: true
"""

RETURN = r"""
files:
  description: The paths of the files that were written, in the order of O(formats).
  returned: success
  type: list
  elements: str
  sample: [/srv/audit/report.json, /srv/audit/report.html, /srv/audit/report.xml]
outcome:
  description: The worst result, V(unaudited), V(findings), V(drifted), V(unmanaged) or V(clean).
  returned: success
  type: str
  sample: drifted
counts:
  description: Number of zones by status, and of differences, findings and notes. Waived problems are counted as C(waived) only.
  returned: success
  type: dict
  sample:
    zones: 2
    compliant: 0
    drifted: 1
    unaudited: 1
    unmanaged: 0
    differences: 0
    findings: 0
    notes: 0
    waived: 1
report_id:
  description: Identifies the content of the report.
  returned: success
  type: str
  sample: 3a7bd3e2360a3d29eea436fcfb7e44c7
comparison:
  description: Ids of problems by their change since the previous report.
  returned: success
  type: dict
  contains:
    previous_id:
      description: The RV(report_id) of the previous report. V(null) for the first.
      type: str
      returned: success
      sample: 9c56cc51b374c3ba189210d5b6d4bf57
    new:
      description: Not in the previous report. Empty without a previous report.
      type: list
      elements: str
      returned: success
      sample: [b5bb9d8014a0f9b1]
    resolved:
      description: No longer found.
      type: list
      elements: str
      returned: success
      sample: []
    changed:
      description: Still found, with other values.
      type: list
      elements: str
      returned: success
      sample: []
    persisting:
      description: Still found, unchanged.
      type: list
      elements: str
      returned: success
      sample: []
    unknown:
      description: Of zones that this run did not audit.
      type: list
      elements: str
      returned: success
      sample: [d61e19c8a2f07f41]
plan_id:
  description:
    - One digest of the plans of all zones of the run, to approve them together.
    - V(null) if a zone is unaudited.
  returned: success
  type: str
  sample: 0f3c9d1b7a5e48c2f6b1d0a9e8c7b6a5f4e3d2c1b0a99887766554433221100f
refused_zones:
  description: Names of the zones for which O(fail_on) fails.
  returned: success
  type: list
  elements: str
  sample: []
error:
  description: Why the task failed, as data for a playbook. After a failure of the kind V(gate) the other values are returned as well.
  returned: failure
  type: dict
  sample:
    kind: gate
    method: null
    path: null
    status: null
    errors: []
    request_id: null
    attempts: 0
"""

from ansible_collections.edgeops.observability.plugins.module_utils._engine.module import run_module
from ansible_collections.edgeops.observability.plugins.module_utils._engine.task import LocalTask, Spec
from ansible_collections.edgeops.observability.plugins.module_utils._report.audit import audit
from ansible_collections.edgeops.observability.plugins.module_utils._report.facts import (
    DEFAULT_FORMATS,
    DEFAULT_TITLE,
    FILES,
    GATES,
)
from ansible_collections.edgeops.observability.plugins.module_utils._report.options import desire
from ansible_collections.edgeops.observability.plugins.module_utils._report.waivers import MEMBERS

TASK = LocalTask(
    name="audit_report",
    spec=Spec(
        options={
            "zones": {"type": "list", "elements": "dict", "required": True},
            "expected": {"type": "list", "elements": "str"},
            "dest": {"type": "path", "required": True},
            "formats": {"type": "list", "elements": "str", "choices": list(FILES), "default": list(DEFAULT_FORMATS)},
            "previous": {"type": "path"},
            "merge": {"type": "list", "elements": "path", "default": []},
            "waivers": {
                "type": "list",
                "elements": "dict",
                "default": [],
                "options": {name: {"type": "str"} for name in MEMBERS},
            },
            "required_fields": {"type": "dict", "default": {}},
            "fail_on": {"type": "list", "elements": "str", "choices": list(GATES), "default": []},
            "at": {"type": "str"},
            "title": {"type": "str", "default": DEFAULT_TITLE},
            "validate_only": {"type": "bool", "default": False},
        },
    ),
    desire=desire,
    report=audit,
)


def main() -> None:
    run_module(TASK)


if __name__ == "__main__":
    main()
