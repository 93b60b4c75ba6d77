#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: audit_report
short_description: Write the report of an audit of many zones
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
requirements: [python >= 3.10]
description:
  - Writes the result of an audit of many Cloudflare zones to files, for managers, operators, auditors and CI jobs.
  - The report lists the drift from the desired state, findings and notes of each zone, and compares them with the previous report.
  - "Each zone and account is shown with one status in every format, the first that fits: V(unaudited), V(drifted) (a difference),
    V(findings), V(unmanaged) (nothing is declared), V(compliant). Waived differences and findings do not count."
  - The same problem has the same id in every format and in every run. Equal options and O(at) give identical files.
  - Runs on the controller, whatever the connection of the host. Files are also written in check mode, and RV(ignore:changed) is always V(false).
  - One task of it, with C(run_once), ends a play in the same way as the playbook C(edgeops.observability.check). If O(zones) is omitted, it reports
    on all hosts of the play. The statistics C(edgeops_check), C(edgeops_plan_id) and C(edgeops_report) are set as C(ansible.builtin.set_stats) does,
    unless the task fails; so keep it from failing where a report was made, and let each host fail by RV(failed_hosts), as the example shows.
extends_documentation_fragment:
  - edgeops.observability.attributes.local
  - edgeops.observability.attributes
options:
  zones:
    description:
      - The results of the audit, one record for each zone or account. If omitted, the records of the hosts of the play, see O(registered).
      - A record has C(zone), its name, and C(zone_id). That of an account has C(account_id) and no C(zone_id), and so C(scope=account).
        Of a zone, C(account_id) is the account that it belongs to, and C(account_name) its name.
      - C(result) is the result of the role P(edgeops.observability.log_delivery#role) or of M(edgeops.observability.zone_observability) in check and
        diff mode. Its members C(custom_fields), C(jobs) and C(script_monitor) have the C(changed), C(diff) and C(plan_id) of the single modules, and
        are empty if a resource is not managed. Each of C(jobs.unlisted_jobs) that would not be deleted is the finding V(unlisted_job).
      - C(jobs) is the list that M(edgeops.observability.logpush_job_info) returns, or its result. If omitted, C(result.listed_jobs).
      - C(coverage) is the result of the filter P(edgeops.observability.log_field_coverage#filter), C(scripts) the result of
        M(edgeops.observability.script_audit), C(delivery) the rows of M(edgeops.observability.logpush_delivery_info), or its result. That
        of several zones may stand in each of their records, which takes its own rows by its C(zone_id).
      - Of an account, C(notifications) is the result of M(edgeops.observability.notification_policy_info), for the note V(no_alert), C(cost) the cost
        that M(edgeops.observability.logpush_delivery_info) returns, and C(boundary) has the C(regions) of its Customer Metadata Boundary.
      - C(fields) has results of M(edgeops.observability.logpush_dataset_info) by dataset. C(pages) is the result of M(edgeops.observability.page_audit).
      - C(error), with C(kind) and C(message), is the reason why a zone could not be audited, or not as a whole. The zone is then V(unaudited).
      - Each member may be the result of a task that failed or was unreachable. The zone is then V(unaudited) too, and what was read of it is still
        shown, judged and counted. C(coverage), C(delivery), C(cost), C(notifications) and C(fields) that the token or the plan does not show are the note
        V(not_readable) only, a C(boundary) stands in the list of what was not audited; an error of the service leaves the zone V(unaudited).
        A record with neither C(result) nor C(error) is V(unmanaged).
      - A task failed if its result says so or has an C(error), also if C(failed_when) kept it from failing its host. If the task of C(result) was
        skipped, nothing was compared, and the zone is V(unaudited); another skipped result counts as omitted.
      - A member that names another zone or account than the record, as that of a task with C(run_once), was not read. The zone is V(unaudited).
        The same applies to a C(result) that is not one of a comparison, or of which a member does not say whether it is C(changed).
        What C(changed_when) makes of a task that compared all members adds nothing to them.
      - With C(declared=false), as in the records of M(edgeops.observability.survey_info), nothing is declared for the zone. C(result) has the results of
        M(edgeops.observability.log_custom_fields_info) and M(edgeops.observability.script_monitor_info) as C(custom_fields) and C(script_monitor), and
        C(scripts) may be that of M(edgeops.observability.script_monitor_info). Jobs that cannot be read, and an error of the service, make it V(unaudited);
        another part that the token or the plan does not show is the note V(not_readable).
      - The notes of a survey are V(no_job), V(monitor_off), V(violations) and those of the field coverage.
    type: list
    elements: dict
  registered:
    description:
      - Names of the variables in which the tasks of the hosts of the play were registered, if O(zones) is omitted.
      - A host that has no variable with the name of O(registered.result) or O(registered.scripts) is V(unaudited), because its task did not run.
        Another name that no host of the play has is refused, if a host was compared, so that a misspelt one is not taken for what nothing declares.
        Where nothing has to be read of any host, set the variable to V(null).
      - O(registered.scripts) and O(registered.pages) are required if a variable of a host, C(edgeops_audit_scripts) or C(edgeops_pages), asks for them.
        A host whose audit was skipped although its variable asks for it is V(unaudited).
      - The address is that of the host, and a result that names another zone or account is not taken for its own, so that it is V(unaudited). If the host
        has no id, as with C(zone_name), the address is that of the result, unless one result is registered for several hosts, as by C(run_once).
        A host on which several zones were compared, as by a role in a loop, is V(unaudited), because it has the result of the last one only.
        C(zone_account) and C(account_name), as the inventory plugin
        P(edgeops.observability.zones#inventory) sets them, give the name of the account.
    type: dict
    suboptions:
      result:
        description: The result of the role P(edgeops.observability.log_delivery#role). If omitted, V(log_delivery_result).
        type: str
      jobs:
        description: The result of M(edgeops.observability.logpush_job_info), for zones whose jobs the role does not manage.
        type: str
      coverage:
        description: The result of the filter P(edgeops.observability.log_field_coverage#filter), set as a fact.
        type: str
      delivery:
        description: The result of M(edgeops.observability.logpush_delivery_info), also of one task for all zones. What O(delivery) asks for takes its place.
        type: str
      cost:
        description: The C(cost) of M(edgeops.observability.logpush_delivery_info), set as a fact, for accounts.
        type: str
      notifications:
        description: The result of M(edgeops.observability.notification_policy_info), for accounts.
        type: str
      fields:
        description: Results of M(edgeops.observability.logpush_dataset_info) by dataset, set as a fact.
        type: str
      boundary:
        description: The C(regions) of the Customer Metadata Boundary, for accounts.
        type: str
      pages:
        description: The result of M(edgeops.observability.page_audit).
        type: str
      scripts:
        description:
          - The result of M(edgeops.observability.script_audit). A host whose audit was refused by its own C(fail_on) is in RV(failed_hosts) too.
        type: str
  delivery:
    description:
      - Whether to ask for the delivery facts of the hosts of the play that have jobs, as M(edgeops.observability.logpush_delivery_info) does,
        with the connection of each host. Zones with the same connection are asked for together. Has no effect with O(zones).
      - If omitted, the variable C(edgeops_audit_delivery) of the playbooks.
    type: bool
    default: false
  fields:
    description:
      - Whether to ask for the fields of each dataset that jobs of the hosts of the play deliver, once a host and dataset, and for the Customer Metadata
        Boundary of each account host, for the findings V(field_removed) and V(region_gap). Has no effect with O(zones).
      - If omitted, the variable C(edgeops_audit_fields) of the playbooks.
    type: bool
    default: false
  monthly_budget_usd:
    description:
      - What the Logpush of an account may cost in a month, in US dollars, a number above 0. What it has cost so far is projected over the days of the
        month; above this it is the finding V(over_budget). In the first three days of a month only what was used so far is compared.
      - If O(zones) is omitted, O(delivery) and an account among the hosts of the play are needed, and the variable C(edgeops_monthly_budget_usd) of an
        account host is the budget of this account. With O(zones), C(cost) of a record is compared.
    type: raw
  rates:
    description:
      - Prices for O(monthly_budget_usd), as in O(edgeops.observability.logpush_delivery_info#module:rates).
      - If omitted, the variable C(edgeops_rates) of the playbooks, and the published prices for what that omits.
    type: dict
    suboptions:
      internal:
        description: Price of what is delivered to R2 and Pipelines.
        type: dict
        suboptions:
          usd_per_gb:
            description: US dollars for a gigabyte.
            type: float
          free_gb:
            description: Gigabytes of a month that are free.
            type: float
      external:
        description: Price of what is delivered to other destinations.
        type: dict
        suboptions:
          usd_per_gb:
            description: US dollars for a gigabyte.
            type: float
          free_gb:
            description: Gigabytes of a month that are free.
            type: float
  expected:
    description: Names of the zones that the audit must cover. A zone without a record is V(unaudited). A report without zones is refused.
    type: list
    elements: str
  dest:
    description:
      - The folder of the files. It is created with mode V(0750) if it is missing.
      - Files are replaced in one step. C(report.prom) has mode V(0644), because a collector of metrics runs as another user, all others V(0640).
        If one of them cannot be written or replaced, none is.
      - If omitted, the variable C(edgeops_report_dir) of the playbooks, or else a temporary folder.
    type: path
    required: true
  formats:
    description:
      - V(json) writes C(report.json), which has a JSON Schema in C(extensions/schemas/audit-report-1.json) of the collection.
      - V(html) writes C(report.html), one page without scripts.
      - V(junit) writes C(report.xml), with a suite for each zone and a case for each resource.
      - V(markdown) writes C(report.md), of at most 60,000 characters; it reports what it omits.
      - V(metrics) writes C(report.prom), OpenMetrics text. Alert rules and a dashboard are in C(examples/monitoring) of the collection.
      - If omitted, the variable C(edgeops_report_formats) of the playbooks.
    type: list
    elements: str
    choices: [json, html, junit, markdown, metrics]
    default: [json, html, junit]
  previous:
    description:
      - The C(report.json) of an earlier run, to compare with. If it does not exist, this report is the first.
      - It is refused if a member is missing or of another type than in the JSON Schema. The same applies to O(merge).
      - Problems that this run did not judge, such as those of an unaudited zone or of a page that is not declared any more,
        are RV(comparison.unknown), never resolved. They stay in the report and are not counted.
      - If omitted, the variable C(edgeops_report_previous) of the playbooks.
    type: path
  keep:
    description:
      - Number of earlier reports whose counts the report contains, for the trend on the page.
      - If omitted, the variable C(edgeops_report_keep) of the playbooks.
    type: int
    default: 30
  max_age_days:
    description:
      - A zone of a report in O(merge) whose audit is older than this number of days at the time of O(at) is V(unaudited), with the date as its reason.
      - At most 3650.
      - If omitted, the variable C(edgeops_report_max_age_days) of the playbooks.
    type: int
    default: 7
  merge:
    description:
      - Further C(report.json) files, such as those of the other slices of one job.
      - If several reports have a zone, the latest audit of it is used, and of audits at the same time the one with the worse status. A report in which
        the zone is V(unaudited) counts as of the time of the report. A row of a zone for which nothing is declared, as of a survey, replaces no audit
        that is V(unaudited), V(drifted) or V(findings), and replaces another one only if it is V(findings) itself.
      - A zone is known by its id, or by its name if one of the reports has no id of it. An audit that is older than that of O(previous) does not say how
        the zone is now, so that the zone is V(unaudited).
      - An audit that is dated later than O(at) is a warning and hides nothing. Up to five minutes later it counts as of O(at), so that the clocks of the
        machines of one job may differ; further ahead it is not known when it was, and the zone is V(unaudited) unless another report has an audit of it.
      - The waivers of a merged report apply to the zones that are taken from it, and to no others.
      - If omitted, the variable C(edgeops_report_merge) of the playbooks.
    type: list
    elements: path
    default: []
  waivers:
    description:
      - Differences, findings and notes that are accepted for a time. They are marked in every format, but not counted in RV(outcome) or O(fail_on).
      - An omitted pattern matches everything; an empty one is refused. Patterns are shell patterns (C(*), C(?), C([...])) and case-sensitive.
      - After the last day a waived problem counts again, and the expired waiver is the finding V(expired_waiver).
      - A waiver that matches nothing, although everything that it could match was audited, is the note V(unmatched_waiver).
      - If omitted, the variable C(edgeops_waivers) of the playbooks.
    type: list
    elements: dict
    default: []
    suboptions:
      zone:
        description: Pattern for the name of the zone.
        type: str
      resource:
        description:
          - Pattern for the resource. Those are V(custom_fields), V(jobs), V(script_monitor), V(content_security_rules), V(scripts), V(health),
            V(coverage), V(delivery), V(fields), V(notifications) and V(pages).
        type: str
      type:
        description: Pattern for the type, V(difference) or one of findings and notes such as V(unlisted_job). RV(lines) show the types.
        type: str
      member:
        description: Pattern for the member, such as V(enabled), or the name of a missing log field.
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
      - Log fields by dataset. A field that no enabled job delivers of all records, with neither a filter nor a sample rate, is the finding V(missing_field).
        A job with a transformer proves no field, because its query decides, nor does one with a C(record_template), except those that this
        names as V({{.ClientIP}}), and one of another C(kind) than V(edge); the finding then names what decides.
      - A record without C(jobs) does not show that a field is delivered. Fields of a dataset that accounts do not have are not required of accounts,
        and those of a dataset that zones do not have not of zones.
      - If omitted, the variable C(edgeops_required_fields) of the playbooks.
    type: dict
    default: {}
  silent_after_days:
    description:
      - An enabled job without an error, a filter and C(kind=edge) that has delivered nothing for so many days is the finding V(job_silent). So is one
        that has delivered nothing for a day while another job of the same dataset and zone delivered within the last hour.
      - Of a job that has never delivered, the only one of its zone too, the time counts from the first report that noted it, see O(previous).
      - From 1 to 3650.
      - If omitted, the variable C(edgeops_silent_after_days) of the playbooks.
    type: int
    default: 7
  fail_on:
    description:
      - What fails the task, with RV(ignore:error.kind=gate), after the files are written and sent. Waived items do not count.
      - V(unaudited) and V(unmanaged) are hosts with that status. V(drifted) is any difference and V(findings) any finding, B(whatever status) the
        host shows. Each type of finding or note can be named as well; notes count in no other way.
      - A type that is named also fails a host of which this run was asked to judge it and could not, and each host that is V(unaudited). What was not
        asked for fails nothing.
      - If omitted, the variable C(edgeops_fail_on) of the playbooks.
    type: list
    elements: str
    choices: [unaudited, drifted, findings, unmanaged, malicious, reported, page_unread, script_new, inline_new, frame_new, form_new,
      header_changed, redirected, page_new, job_failing, job_disabled_by_service, job_silent, records_dropped, field_removed, region_gap,
      enforcement_refused, changed, new, monitor_off, history_broken, unlisted_job, unlisted_rule, missing_field, over_budget,
      expired_waiver, unverified, expired, unjustified, gone, nothing_seen, evidence_gap, not_readable, no_job, job_stale,
      fields_not_selected, field_stays_empty, no_upload, losses_unknown, violations, no_alert, unmatched_waiver, job_never, unused]
    default: []
  at:
    description: The time of the audit, as V(2026-11-22T06:00:00Z). If omitted, the current time.
    type: str
  title:
    description:
      - The title of the report. If omitted, V(Fleet audit), or V(Survey) if all records have C(declared=false).
      - If omitted, the variable C(edgeops_report_title) of the playbooks.
    type: str
  put_url:
    description:
      - Where to send the files as well, each with C(PUT) to this URL, a slash, and its name; any status of 2xx is success. The folder O(dest) is on the
        controller, and an execution environment does not keep it.
      - It is sent with the proxies and certificates of the environment (E(HTTPS_PROXY), E(REQUESTS_CA_BUNDLE)), and a redirect is not followed.
      - A file that does not arrive fails the task, with RV(ignore:error.kind=gate), after all files were tried.
      - If omitted, the variable C(edgeops_report_put_url) of the playbooks.
    type: str
  put_headers:
    description:
      - Headers for O(put_url), such as C(Authorization). Their values are in no output.
      - If omitted, the variable C(edgeops_report_put_headers) of the playbooks.
    type: dict
  reads_only:
    description:
      - With V(true) no report is made. RV(reads) names the hosts of which the report needs more than O(registered.result) has, so that a play of each
        further part has only its hosts. It comes after the comparison, and only O(registered.result) has to be registered then.
    type: bool
    default: false
  validate_only:
    description:
      - With V(true) no report is made, and nothing is gathered. The other options are validated, the earlier reports are read, and O(dest) is checked,
        which a playbook does before it reads any zone.
    type: bool
    default: false
seealso:
  - module: edgeops.observability.logpush_job_info
"""

EXAMPLES = r"""
# A play of your own that ends like the playbook check: three tasks.
- name: Compare each zone with its desired state
  ansible.builtin.import_role:
    name: edgeops.observability.log_delivery
  check_mode: true
  diff: true
  ignore_errors: true  # the report names what could not be compared

- name: Report on the hosts of the play
  edgeops.observability.audit_report:
    dest: "{{ playbook_dir }}/report"
    fail_on: [unaudited, malicious]
  register: audited
  failed_when: audited.failed_hosts is not defined  # no report was made
  run_once: true

- name: Fail each zone with its own reason
  ansible.builtin.fail:
    msg: "{{ audited.failed_hosts[inventory_hostname] }}"
  when: inventory_hostname in audited.failed_hosts

- name: Report on two zones, and compare with the previous report
  edgeops.observability.audit_report:
    dest: "{{ playbook_dir }}/report"
    previous: "{{ playbook_dir }}/report/report.json"
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

- name: Fail if a zone needs attention, after the report is written
  edgeops.observability.audit_report:
    dest: "{{ playbook_dir }}/report"
    formats: [json, html, junit, markdown, metrics]
    zones:
      - zone: shop.example.com
        zone_id: 023e105f4ecef8ad9ca31a8372d0c353
        result:
          custom_fields: {changed: false, diff: {before: {}, after: {}}, plan_id: sha256:00}
    fail_on: [unaudited, drifted, findings]
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
  description: The first of V(unaudited), V(drifted), V(findings), V(unmanaged) and V(compliant) that a zone has.
  returned: success
  type: str
  sample: unaudited
counts:
  description: Numbers of this run. Items that are waived, or carried over from an earlier report, are in no number but C(waived).
  returned: success
  type: dict
  contains:
    zones:
      description: Number of zones, without accounts.
      type: int
      sample: 2
    accounts:
      description: Number of accounts.
      type: int
      sample: 0
    statuses:
      description: Number of zones and accounts by status, each in one.
      type: dict
      sample: {unaudited: 1, drifted: 0, findings: 0, unmanaged: 0, compliant: 1}
    differences:
      description: Number of differences.
      type: int
      sample: 0
    findings:
      description: Number of findings.
      type: int
      sample: 0
    notes:
      description: Number of notes.
      type: int
      sample: 0
    severities:
      description: Number of differences and findings by severity.
      type: dict
      sample: {high: 0, medium: 0, low: 0, info: 0}
    waived:
      description: Number of items that a waiver covers.
      type: int
      sample: 0
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
      sample: 9c56cc51b374c3ba189210d5b6d4bf57
    new:
      description: Not in the previous report. Empty without a previous report.
      type: list
      elements: str
      sample: [b5bb9d8014a0f9b1]
    resolved:
      description: No longer found, although this run looked at the same thing again, or because that does not exist any more.
      type: list
      elements: str
      sample: []
    changed:
      description: Still found, with other values.
      type: list
      elements: str
      sample: []
    persisting:
      description: Still found, unchanged.
      type: list
      elements: str
      sample: []
    unknown:
      description: Not judged by this run, for example those of zones that it did not audit.
      type: list
      elements: str
      sample: [d61e19c8a2f07f41]
plan_id:
  description:
    - One digest of the plans of all zones of the run, to approve them together.
    - V(null) if a zone is unaudited.
  returned: success
  type: str
  sample: sha256:0f3c9d1b7a5e48c2f6b1d0a9e8c7b6a5f4e3d2c1b0a99887766554433221100f
failed_hosts:
  description:
    - The hosts for which O(fail_on) fails, each with its own reason. Only there if the report was made.
    - With O(zones) omitted, what is about no host of the play, such as a zone of O(merge) or a file that could not be sent, is the reason of the first host.
  returned: success
  type: dict
  sample: {blog.example.com: "permission: the token does not cover this zone"}
hosts:
  description:
    - Host patterns for the play that ends the run, one for each host of RV(failed_hosts), and for one host that does not fail. A play of these hosts
      fails each with its own reason, and prints nothing for the others. Empty with O(zones).
  returned: success
  type: list
  elements: str
  sample: [blog.example]
reads:
  description:
    - Host patterns for the plays that read what the comparison of a host does not show.
    - V(jobs) are zones and accounts for which something other than their jobs is declared, for M(edgeops.observability.logpush_job_info); V(scripts) are
      zones with C(edgeops_audit_scripts), for M(edgeops.observability.script_audit); V(notifications) are accounts, for
      M(edgeops.observability.notification_policy_info); V(pages) are hosts with C(edgeops_pages), for M(edgeops.observability.page_audit).
    - A host that could not be compared, because its task failed, was skipped, or is of another zone, is below V(pages) only. One whose changes a policy
      refused was compared.
  returned: with O(reads_only)
  type: dict
  sample: {jobs: [], scripts: [shop.example], notifications: [], pages: [shop.example]}
without_baseline:
  description: The hosts below C(scripts) of RV(reads) that set no C(edgeops_script_baseline), and whose scripts can be audited with an empty baseline only.
  returned: with O(reads_only)
  type: list
  elements: str
  sample: []
hosts_by_status:
  description: The sorted names of the zones and accounts of this run by status, each in one list.
  returned: success
  type: dict
  sample: {unaudited: [blog.example.com], drifted: [], findings: [], unmanaged: [], compliant: [shop.example.com]}
lines:
  description:
    - The report for the terminal, a line for each difference, finding and note that counts; of one kind in one zone at most 20,
      of each type at least one, then how many more. Of a survey, notes are counted by type.
    - Then the verdict, which begins with what is most severe, the counts, what was not audited, what to do next, and the path of the page;
      after a survey the command of the adoption.
  returned: success
  type: list
  elements: str
  sample:
    - "shop.example.com difference: script monitor: enabled is false, should be true (new)"
    - "shop.example.com finding job_failing (high): job edge-logs: its deliveries fail: 403; should be: every delivery succeeds"
    - "1 failing job in 1 zone; 1 zone drifted; 1 of 2 zones is compliant."
    - The report is /srv/audit/report.html
error:
  description: Why the task failed, as data for a playbook. After a failure of the kind V(gate) the other values are returned as well.
  returned: failure
  type: dict
  sample: {kind: gate, method: null, path: null, status: null, errors: [], request_id: null, attempts: 0}
"""
