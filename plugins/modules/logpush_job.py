#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: logpush_job
short_description: Manage a log delivery (Logpush) job of a zone or an account
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
description:
  - Creates, changes or deletes a log delivery (Logpush) job, which delivers the logs of one Cloudflare zone or account to a destination.
  - The options are the desired state. An omitted option is neither compared nor sent.
    In the comparison, a member that is absent, V(null), empty or V(0) counts as having its documented default.
  - If the current state equals the desired state, nothing is written, because the service contacts the destination again on each write.
    Check mode reports drift.
  - What is documented not to go together, such as a destination and a format of times, a dataset and a member, or an address that Cloudflare cannot
    reach, is a warning, also in check mode. What Cloudflare certainly refuses fails before anything is written.
extends_documentation_fragment:
  - edgeops.observability.connection
  - edgeops.observability.connection.address
  - edgeops.observability.connection.approval
  - edgeops.observability.attributes
options:
  state:
    description: With V(present) the job is created or updated. With V(absent) it is deleted; a job that does not exist is no failure.
    type: str
    choices: [present, absent]
    default: present
  name:
    description:
      - Name of the job. Without O(job_id), the job is identified by O(name) and O(dataset). One of O(name) and O(job_id) is required.
      - The service does not enforce unique names. Two jobs with this name and dataset fail as V(conflict), and the message lists their ids.
      - With O(job_id) the job is renamed; with O(state=absent), only O(job_id) is used.
      - Names are checked by the service. Cloudflare accepts up to 512 letters, digits, V(-), V(_) and V(.); other characters, and longer names, are a warning.
    type: str
  job_id:
    description:
      - Identifier of the job, a number above 0. It takes precedence over O(name).
      - A job that does not exist is V(not_found) with O(state=present), and no change with O(state=absent).
      - If the API has no route that shows jobs, as for a zone that does not exist, the task fails as V(not_found) in both states.
    type: int
  dataset:
    description:
      - Dataset that the job delivers, up to 256 letters, digits, V(_) and V(-). The default of zones is V(http_requests), as in Cloudflare's API.
      - With O(account_id) it is required to create a job. If omitted there, a job is identified by its O(name) alone.
      - A dataset that exists only for zones, or only for accounts, is refused where it does not exist. An unknown name is a warning.
      - It cannot change on an existing job, see O(recreate). With O(name), another dataset is another job.
    type: str
  destination_conf:
    description:
      - Destination of the logs, as V(SCHEME://ADDRESS?OPTIONS), up to 4096 characters. Required to create a job.
      - Cloudflare's schemes are V(r2), V(gs), V(s3), V(azure), V(bq) (BigQuery), V(kinesis), V(https), V(splunk), V(datadog), V(sumo) (Sumo Logic),
        V(sentinelone) and V(ibmcl) (IBM Cloud Logs). New Relic is an V(https) destination.
      - A scheme that is close to a known one is refused, any other is a warning.
      - Cloudflare delivers over HTTPS only, to public hosts with a certificate of a public authority. Of the parts in braces it replaces C({DATE}) only,
        for V(s3), V(r2), V(gs) and V(azure). V(r2) needs C(account-id), C(access-key-id) and C(secret-access-key), V(splunk) needs C(channel).
      - The destination of a job of another type cannot become V(datadog), see O(recreate).
      - An address of V(s3), V(r2), V(gs), V(azure), V(bq) or V(kinesis) whose options lack their question mark is refused, because they may be secrets.
        What the service has of this kind is masked from there on, with a warning.
      - It may contain credentials and is masked. An option that the service masks with asterisks is assumed to be equal, with a warning;
        all other parts are compared. The order and the percent-encoding of the options are ignored. See O(send_destination).
      - A secret that consists of asterisks, as in a masked output, is never sent, but refused.
      - What else the service masks, and a write would send back with what the task omits (a parameter of the options, or with O(recreate) a member
        without an option), fails as V(bad_response) before anything is written.
      - In user information, a hash, a backslash and an at sign must be percent-encoded, because programs differ in which host such an address names.
    type: str
  destination_address:
    description:
      - Where the job must deliver to, as RV(edgeops.observability.logpush_job#module:job.destination) shows it, so that a job whose secret
        O(destination_conf) is not declared cannot be led elsewhere unseen. Compared and never sent.
      - V(SCHEME://ADDRESS) with those readable options that decide where records go (C(account-id), C(endpoint), C(region),
        C(sts-assume-role-arn), C(insecure-skip-verify) and C(insecure)), such as V(s3://edge-logs/all?region=eu-west-1). Such an option that is
        omitted must be absent at the job, or off, except C(region), which is then not compared. Where outputs mask the value, as of
        C(header_Host), it is written as V(********), and only that it is there is compared.
      - A part that outputs mask is written as V(********) and is not compared, as in V(https://********@logs.example.com/in). In clear it is
        refused, as is any other option. Where a secret part alone decides whose account receives the records, as for V(datadog), a warning says so.
      - If the job delivers elsewhere or does not exist, nothing is written, and the task fails as V(conflict) with RV(refusals), the diff, the plan
        and its effects.
      - With O(destination_conf) it only has to agree with it.
    type: str
  ownership_challenge:
    description:
      - The token that proves the ownership of the destination, up to 4096 characters. M(edgeops.observability.logpush_ownership) requests it;
        the service writes it to a file at the destination.
      - Sent only if the job is created or its destination is sent, see O(send_destination). A token is valid once, but may stay in the task.
      - Cloudflare requires it for V(s3) without keys or endpoint in the address, V(gs), V(azure) and V(sumo).
        There, a missing token is a warning if the destination is sent. For the other schemes a token that would be sent is a warning.
      - If the token is a JSON Web Token that has expired, or belongs to another zone or destination, the task fails before anything is written.
        Its signature is not verified.
    type: str
  send_destination:
    description:
      - When to send O(destination_conf) and O(ownership_challenge) to a job that exists.
      - V(if_different) sends them if the destination differs from that of the service.
      - V(if_masked) sends them also if the service masks a part of the destination, so that it cannot be compared. Use it once to rotate a secret.
      - V(always) sends them in every run, which is a change.
      - A destination that is assumed to be equal, because the service masks a part of it, is reported with a warning.
    type: str
    choices: [if_different, if_masked, always]
    default: if_different
  fields:
    description:
      - Names of the log fields of a record. The order does not matter, and duplicates are ignored.
      - Custom log fields are delivered only with V(RequestHeaders), V(ResponseHeaders), V(Cookies) or V(ResponseFields).
      - O(fields), O(timestamp_format) and O(option_flags) are parts of C(logpull_options) of the job; an omitted part is not changed.
    type: list
    elements: str
  timestamp_format:
    description: Format of timestamps in a record. The default of the service is V(unixnano).
    type: str
    choices: [rfc3339, rfc3339ms, rfc3339ns, unix, unixnano]
  option_flags:
    description:
      - Further parameters of C(logpull_options) by name, with V(true), V(false), a number or a string, such as C(CVE-2021-44228) or C(sample).
      - V(false) removes a parameter. Parameters that are not listed are kept.
    type: dict
  logpull_options:
    description:
      - O(fields), O(timestamp_format) and O(option_flags) as text, up to 4096 characters. For example V(fields=ClientIP,RayID&timestamps=rfc3339).
      - Compared as a query. The order of names and parameters and the percent-encoding are ignored; parameters that are not listed are kept.
      - Field names after the format, as in V(&timestamps=rfc3339,ClientIP), are refused, and so is a format that O(timestamp_format) does not have.
        A parameter whose name is nearly that of a documented one is a warning.
    type: str
  output_options:
    description:
      - The output options in the newer format. Cannot be used with O(fields), O(timestamp_format), O(option_flags) or O(logpull_options).
      - Merged with the current options of the job, compared with their defaults, and sent as a whole, because the service replaces them as a whole.
      - A job with the older format changes to this one, if the result differs. Suboptions that are omitted take over the fields, the timestamp format,
        the sample rate and the flags of its C(logpull_options); the diff shows both formats.
      - The older options for a job that uses this format fail as V(conflict).
    type: dict
    suboptions:
      field_names:
        description: Names of the log fields of a record. Duplicates are ignored; the order matters only for V(csv), where it is the order of columns.
        type: list
        elements: str
      output_type:
        description:
          - Format of the delivered files. The default of the service is V(ndjson).
          - It sets the defaults of O(output_options.record_prefix) and O(output_options.record_suffix).
        type: str
        choices: [ndjson, csv]
      timestamp_format:
        description: Format of timestamps in a record. The default of the service is V(unixnano).
        type: str
        choices: [rfc3339, rfc3339ms, rfc3339ns, unix, unixnano]
      sample_rate:
        description: Fraction of the records that is delivered, above 0 and at most 1. The default of the service is 1, all of them.
        type: float
      cve_2021_44228:
        description:
          - Whether C(${) is replaced by C(x{) in delivered records, so that CVE-2021-44228 cannot be exploited with them.
            The default of the service is V(false).
          - Sent, and returned, as C(CVE-2021-44228).
        type: bool
      merge_subrequests:
        description: Whether a subrequest is part of the record of its request, for the dataset V(http_requests). The default of the service is V(false).
        type: bool
      batch_prefix:
        description: Text before each file. Empty by default.
        type: str
      batch_suffix:
        description: Text after each file. Empty by default.
        type: str
      record_prefix:
        description: Text before each record. By default an opening brace for V(ndjson), and empty for V(csv).
        type: str
      record_suffix:
        description: Text after each record. By default a closing brace and a line end for V(ndjson), and a line end for V(csv).
        type: str
      record_delimiter:
        description: Text between two records. Empty by default.
        type: str
      field_delimiter:
        description: Text between two fields. A comma by default.
        type: str
      record_template:
        description: A Go template for a record, in place of the fields joined with delimiters. Empty by default.
        type: str
  filter:
    description:
      - Which records are delivered, as an expression in data or in JSON text. V("") removes the filter; then every record is delivered.
      - The filter describes the records that are delivered. To exclude records, use a negated operator such as C(!eq) or C(!in).
      - A condition is C({key, operator, value}). C(and) and C(or) contain lists of conditions and can be nested. The outer C(where) can be omitted.
        Operators are C(eq), C(!eq), C(lt), C(leq), C(gt), C(geq), C(startsWith), C(endsWith), C(contains), C(!startsWith), C(!endsWith), C(!contains),
        C(in) and C(!in).
      - Compared as an expression, not as text. See O(validate_filter) for the limits.
      - If the service does not return filters, the filter is sent in every run, with a warning.
    type: raw
  enabled:
    description:
      - Whether the job is enabled. If omitted, it is not changed, and a new job is disabled, which is Cloudflare's default.
      - Cloudflare disables a job that could not deliver for a day. With V(true) the next run enables it again, with a warning.
    type: bool
  kind:
    description:
      - Type of the job. V(edge) is for the dataset V(http_requests) of zones only. The default of the service is an empty string.
      - It cannot change on an existing job, see O(recreate).
    type: str
    choices: ['', edge]
  frequency:
    description: How often the job delivers. The default of the service is V(high). Deprecated by Cloudflare in favour of the C(max_upload_*) members.
    type: str
    choices: [high, low]
  max_upload_bytes:
    description:
      - Maximum number of uncompressed bytes in one file, 5000000 to 1000000000, or V(0) for the default of the service.
    type: int
  max_upload_interval_seconds:
    description:
      - Maximum number of seconds between two files, 30 to 300, or V(0) for the default of the service, 30.
    type: int
  max_upload_records:
    description:
      - Maximum number of records in one file, 1000 to 1000000, or V(0) for the default of the service, 100000.
    type: int
  filter_attack_traffic:
    description:
      - Whether requests that Cloudflare classifies as attack traffic are left out. For the datasets V(http_requests), V(firewall_events) and
        V(network_analytics_logs). The default of the service is V(false).
    type: bool
  transformer:
    description:
      - Name of the transformer, a query of the account that changes records before they are delivered. An empty string removes the transformer.
      - It is looked up in the account of the zone or of the task, which takes two requests for a zone, and one for an account.
        A name that no transformer has is V(invalid_option), one that several have is V(conflict).
      - Cannot be used together with O(transformer_id). Jobs that deliver CSV cannot have a transformer.
      - M(edgeops.observability.logpush_transformer) manages transformers.
    type: str
  transformer_id:
    description:
      - Identifier of the transformer, a query of the account that changes records before they are delivered. V(0) removes the transformer.
      - Without the transformer, the job delivers what the transformer left out; see V(change_transformer) in RV(effects).
    type: int
  recreate:
    description:
      - Whether the job may be deleted and re-created if O(dataset) or O(kind) differs, or if its destination would become one of the type V(datadog).
        Otherwise such a difference fails as V(conflict) before any write.
      - Omitted options are copied from the old job, except O(destination_conf), which is required.
      - If another job already has the name and the dataset of the new one, the task fails as V(conflict) before any write.
      - The new job has another id. If its creation fails, the message reports that the old job was deleted.
    type: bool
    default: false
  validate_filter:
    description:
      - Whether to check the limits of the service, 30 operators and 1000 bytes, before sending. The syntax is always checked.
    type: bool
    default: true
  validate_fields:
    description:
      - Whether to compare the names of the fields with those of the dataset before a list of fields is written, also in check mode. The service
        accepts a misspelt name, and delivers records without that field.
      - An unknown name fails as V(invalid_option), with its path and the nearest name.
      - Takes one request for each dataset and task, and none if the set of fields does not change.
      - If the service does not list the fields of a dataset, or does not permit it (status 403, 404 or 405), names are not checked.
    type: bool
    default: true
  create_without_listing:
    description:
      - What to do with O(name) if the service cannot list jobs (HTTP status 404 or 405). With V(true), the job is created in each run, with a warning.
        Otherwise, and always with O(state=absent), the task fails as V(not_found).
    type: bool
    default: false
notes:
  - With Cloudflare, reading and writing Logpush jobs need an API token with the permission Logs Write.
  - A creation without a response is not repeated. The module lists the jobs again and adopts the job if it was created.
  - After a creation the jobs are listed once more. If another run created a job with this name and dataset first, the task fails with the
    kind V(conflict), names both jobs and the one to delete, and deletes nothing. If this listing fails, the task fails as well. RV(ignore:changed) is V(true)
    in both cases. If the listing does not show the new job yet, it is read again for some seconds; then a warning states what to do before the next run.
  - With Cloudflare, changes become effective after 10 to 15 minutes.
seealso:
  - module: edgeops.observability.logpush_job_info
  - module: edgeops.observability.logpush_ownership
  - module: edgeops.observability.log_custom_fields
"""

EXAMPLES = r"""
- name: Deliver the requests of one host with their custom fields
  edgeops.observability.logpush_job:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    name: shop-logs
    destination_conf: s3://example-bucket/http/{DATE}?region=us-west-2
    ownership_challenge: "{{ ownership_token | default(omit) }}"
    fields: [ClientIP, ClientRequestHost, EdgeResponseStatus, RayID, RequestHeaders]
    timestamp_format: rfc3339
    filter:
      and:
        - {key: ClientRequestHost, operator: eq, value: shop.example.com}
        - {key: EdgeResponseStatus, operator: geq, value: 400}
    enabled: true

- name: Remove the filter, so that every record is delivered
  edgeops.observability.logpush_job:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    name: shop-logs
    filter: ""

- name: Use the newer format of the output options
  edgeops.observability.logpush_job:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    name: shop-logs
    output_options:
      field_names: [ClientIP, ClientRequestHost, EdgeResponseStatus, RayID, RequestHeaders]
      timestamp_format: rfc3339ms
      sample_rate: 0.5

- name: Deliver to a bucket with an access key, at most one file a minute
  edgeops.observability.logpush_job:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    name: archive
    destination_conf: "s3://archive/http?region=auto&endpoint=store.example.com&access-key-id=EXAMPLEID&secret-access-key={{ store_key | urlencode }}"
    fields: [ClientIP, RayID]
    max_upload_interval_seconds: 60
    enabled: true

- name: Remove the job
  edgeops.observability.logpush_job:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    name: shop-logs
    state: absent
"""

RETURN = r"""
zone_id:
  description: The id of the zone, also if O(zone_name) names it.
  returned: if the task is about a zone
  type: str
  sample: 023e105f4ecef8ad9ca31a8372d0c353
account_id:
  description: The id of the account.
  returned: if the task is about an account
  type: str
  sample: 9a7806061c88ada191ed06f989cc3dac
job:
  description:
    - The job as the service returns it, without secrets. In check mode the predicted one.
    - Members that the service omits have their documented default. V(null) with O(state=absent).
  returned: success
  type: dict
  contains:
    id:
      description: Identifier of the job. V(null) for a job that would be created.
      type: int
      sample: 1234567
    name:
      description: Name of the job, or V(null).
      type: str
      sample: edge-logs
    dataset:
      description: Dataset that the job delivers.
      type: str
      sample: http_requests
    enabled:
      description: Whether the job delivers.
      type: bool
      sample: true
    kind:
      description: Kind of the job, V(edge) or an empty text.
      type: str
      sample: ""
    frequency:
      description: How often the job delivers, V(high) or V(low).
      type: str
      sample: high
    fields:
      description: Names of the log fields of a record, from either format of the output options, or V(null).
      type: list
      elements: str
      sample: [ClientIP, RayID, RequestHeaders]
    timestamp_format:
      description: Format of timestamps in a record, from either format of the output options, or V(null).
      type: str
      sample: rfc3339
    option_flags:
      description: Further parameters by name, from either format of the output options, or V(null).
      type: dict
      sample: {CVE-2021-44228: true, sample: 0.5}
    logpull_options:
      description: The output options in the older format, or V(null).
      type: str
      sample: fields=ClientIP,RayID,RequestHeaders&timestamps=rfc3339
    output_options:
      description: The output options in the newer format, with the names of the API, or V(null).
      type: dict
      sample: null
    filter:
      description: The filter as JSON text, or V(null) where there is none.
      type: str
      sample: '{"where":{"and":[{"key":"ClientRequestHost","operator":"eq","value":"shop.example.com"}]}}'
    max_upload_bytes:
      description: Maximum number of uncompressed bytes in one file, or V(null) for the default of the service.
      type: int
      sample: 5000000
    max_upload_interval_seconds:
      description: Maximum number of seconds between two files.
      type: int
      sample: 30
    max_upload_records:
      description: Maximum number of records in one file.
      type: int
      sample: 100000
    filter_attack_traffic:
      description: Whether attack traffic is left out.
      type: bool
      sample: false
    transformer_id:
      description: Identifier of the transformer, or V(null).
      type: int
      sample: null
    transformer:
      description: Name of the transformer, or V(null) if O(transformer) is omitted.
      type: str
      sample: redact-addresses
    other:
      description: Members that no option names, without secrets. Updates and re-creations keep them.
      type: dict
      sample: {merge_subrequests: true}
    last_complete:
      description: Until when logs were delivered, or V(null).
      type: str
      sample: "2026-03-02T09:41:33Z"
    last_error:
      description: When a delivery failed last, or V(null).
      type: str
      sample: null
    error_message:
      description: Why the last delivery failed, or V(null).
      type: str
      sample: null
    destination:
      description: Where the job delivers. Masked are user information, and whatever of the address and the options is not known to be readable.
      type: dict
      contains:
        scheme:
          description: Scheme of the destination, or V(null) if the service does not return it.
          type: str
          sample: s3
        address:
          description: The part between the scheme and the options.
          type: str
          sample: example-bucket/http/{DATE}
        options:
          description: The options by name. Several values of a name are joined with commas.
          type: dict
          sample: {region: us-west-2, access-key-id: EXAMPLEID, secret-access-key: "********"}
    filter_explained:
      description: A sentence about which records are delivered.
      type: str
      sample: A record is delivered only if ClientRequestHost is "shop.example.com"; all other records are left out.
    filter_budget:
      description: How much of the limits of the service the filter uses. V(null) if there is no filter that can be parsed.
      type: dict
      contains:
        operators:
          description: Number of comparisons.
          type: int
          sample: 1
        operators_limit:
          description: Maximum number of comparisons.
          type: int
          sample: 30
        bytes:
          description: Length of the text that is sent.
          type: int
          sample: 92
        bytes_limit:
          description: Maximum number of bytes.
          type: int
          sample: 1000
    undeclared:
      description:
        - What the task omits, and therefore does not compare, of what decides where the job delivers and which records -
          V(destination), V(filter), V(transformer), V(sample_rate) and, where the dataset has it, V(filter_attack_traffic).
      type: list
      elements: str
      sample: [transformer, sample_rate]
refusals:
  description: Why the plan was refused as V(conflict). RV(job), RV(plan_id) and RV(effects) are returned too, with the diff in diff mode.
  returned: failure, if the job does not deliver to O(destination_address)
  type: list
  elements: dict
  contains:
    job:
      description: The job, as in RV(effects[].subject).
      type: str
      sample: edge-logs
    member:
      description: The option that was compared, V(destination_address).
      type: str
      sample: destination_address
    is:
      description: Where the job delivers. V(null) if there is no such job.
      type: str
      sample: s3://other-bucket/all?region=eu-west-1
    should_be:
      description: Where it must deliver to.
      type: str
      sample: s3://edge-logs/all?region=eu-west-1
plan_id:
  description: A digest of the managed state that was read and of the writes that follow from it, for O(expected_plan_id).
  returned: success
  type: str
  sample: sha256:0f3c9d1b7a5e48c2f6b1d0a9e8c7b6a5f4e3d2c1b0a99887766554433221100f
effects:
  description: What the task destroys, or in check mode would, sorted by name and subject. The playbook C(deliver) refuses what C(edgeops_allow) does not name.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description:
        - One of V(change_destination), V(change_filter), V(change_transformer), V(delete_job), V(disable_job), V(drop_job_fields),
          V(recreate_job) and V(reduce_sample_rate).
      type: str
      sample: drop_job_fields
    subject:
      description: The job, by its name; C(name/dataset/id) if the name is empty or repeated in the zone.
      type: str
      sample: edge-logs
    detail:
      description: The log fields that go, for V(drop_job_fields); otherwise, and where a list is written in place of the default of the service, V(null).
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
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.task import JOB_TASK as TASK


def main() -> None:
    run_module(TASK)


if __name__ == "__main__":
    main()
