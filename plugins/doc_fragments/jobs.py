# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# Written by scripts/job_options.py from the documentation of logpush_job: write there, and run it.


class ModuleDocFragment:
    """Options with jobs: each job takes the options of the module logpush_job."""

    DOCUMENTATION: str = r"""
options:
  jobs:
    description:
    - The jobs. Each item takes the options of M(edgeops.observability.logpush_job), which describes them in full.
    - Two items for the same job are refused, and so is an empty list together with O(unlisted_jobs=absent).
    type: list
    elements: dict
    required: true
    suboptions:
      state:
        description:
        - With V(present) the job is created or updated.
        type: str
        choices:
        - present
        - absent
        default: present
      name:
        description:
        - Name of the job.
        type: str
      job_id:
        description:
        - Identifier of the job, a number above 0.
        type: int
      dataset:
        description:
        - Dataset that the job delivers, up to 256 letters, digits, V(_) and V(-).
        type: str
      destination_conf:
        description:
        - Destination of the logs, as V(SCHEME://ADDRESS?OPTIONS), up to 4096 characters.
        type: str
      destination_address:
        description:
        - Where the job must deliver to, as RV(edgeops.observability.logpush_job#module:job.destination) shows it, so that a job whose secret
          O(jobs[].destination_conf) is not declared cannot be led elsewhere unseen.
        type: str
      ownership_challenge:
        description:
        - The token that proves the ownership of the destination, up to 4096 characters.
        type: str
      send_destination:
        description:
        - When to send O(jobs[].destination_conf) and O(jobs[].ownership_challenge) to a job that exists.
        - If omitted, O(send_destination) for all jobs.
        type: str
        choices:
        - if_different
        - if_masked
        - always
      fields:
        description:
        - Names of the log fields of a record.
        type: list
        elements: str
      timestamp_format:
        description:
        - Format of timestamps in a record.
        type: str
        choices:
        - rfc3339
        - rfc3339ms
        - rfc3339ns
        - unix
        - unixnano
      option_flags:
        description:
        - Further parameters of C(logpull_options) by name, with V(true), V(false), a number or a string, such as C(CVE-2021-44228) or C(sample).
        type: dict
      logpull_options:
        description:
        - O(jobs[].fields), O(jobs[].timestamp_format) and O(jobs[].option_flags) as text, up to 4096 characters.
        type: str
      output_options:
        description:
        - The output options in the newer format.
        type: dict
        suboptions:
          field_names:
            description:
            - Names of the log fields of a record.
            type: list
            elements: str
          output_type:
            description:
            - Format of the delivered files.
            type: str
            choices:
            - ndjson
            - csv
          timestamp_format:
            description:
            - Format of timestamps in a record.
            type: str
            choices:
            - rfc3339
            - rfc3339ms
            - rfc3339ns
            - unix
            - unixnano
          sample_rate:
            description:
            - Fraction of the records that is delivered, above 0 and at most 1.
            type: float
          cve_2021_44228:
            description:
            - Whether C(${) is replaced by C(x{) in delivered records, so that CVE-2021-44228 cannot be exploited with them.
            type: bool
          merge_subrequests:
            description:
            - Whether a subrequest is part of the record of its request, for the dataset V(http_requests).
            type: bool
          batch_prefix:
            description:
            - Text before each file.
            type: str
          batch_suffix:
            description:
            - Text after each file.
            type: str
          record_prefix:
            description:
            - Text before each record.
            type: str
          record_suffix:
            description:
            - Text after each record.
            type: str
          record_delimiter:
            description:
            - Text between two records.
            type: str
          field_delimiter:
            description:
            - Text between two fields.
            type: str
          record_template:
            description:
            - A Go template for a record, in place of the fields joined with delimiters.
            type: str
      filter:
        description:
        - Which records are delivered, as an expression in data or in JSON text.
        type: raw
      enabled:
        description:
        - Whether the job is enabled.
        type: bool
      kind:
        description:
        - Type of the job.
        type: str
        choices:
        - ''
        - edge
      frequency:
        description:
        - How often the job delivers.
        type: str
        choices:
        - high
        - low
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
        - Whether requests that Cloudflare classifies as attack traffic are left out.
        type: bool
      transformer:
        description:
        - Name of the transformer, a query of the account that changes records before they are delivered.
        type: str
      transformer_id:
        description:
        - Identifier of the transformer, a query of the account that changes records before they are delivered.
        type: int
      recreate:
        description:
        - Whether the job may be deleted and re-created if O(jobs[].dataset) or O(jobs[].kind) differs, or if its destination would become one
          of the type V(datadog).
        type: bool
        default: false
      validate_filter:
        description:
        - Whether to check the limits of the service, 30 operators and 1000 bytes, before sending.
        type: bool
        default: true
      validate_fields:
        description:
        - Whether to compare the names of the fields with those of the dataset before a list of fields is written, also in check mode.
        type: bool
        default: true
      create_without_listing:
        description:
        - What to do with O(jobs[].name) if the service cannot list jobs (HTTP status 404 or 405).
        type: bool
        default: false
"""

    ZONE: str = r"""
options:
  job:
    description:
    - The log delivery (Logpush) job, which takes the options of M(edgeops.observability.logpush_job), which describes them in full. The default
      of O(job.enabled) is V(true).
    - Cannot be used together with O(jobs), unless that list is empty. If both are omitted, jobs are neither read nor changed.
    type: dict
    suboptions:
      name:
        description:
        - Name of the job.
        type: str
      job_id:
        description:
        - Identifier of the job, a number above 0.
        type: int
      dataset:
        description:
        - Dataset that the job delivers, up to 256 letters, digits, V(_) and V(-).
        type: str
      destination_conf:
        description:
        - Destination of the logs, as V(SCHEME://ADDRESS?OPTIONS), up to 4096 characters.
        type: str
      destination_address:
        description:
        - Where the job must deliver to, as RV(edgeops.observability.logpush_job#module:job.destination) shows it, so that a job whose secret
          O(job.destination_conf) is not declared cannot be led elsewhere unseen.
        type: str
      ownership_challenge:
        description:
        - The token that proves the ownership of the destination, up to 4096 characters.
        type: str
      send_destination:
        description:
        - When to send O(job.destination_conf) and O(job.ownership_challenge) to a job that exists.
        - If omitted here and in the defaults, V("if_different").
        type: str
        choices:
        - if_different
        - if_masked
        - always
      fields:
        description:
        - Names of the log fields of a record.
        type: list
        elements: str
      timestamp_format:
        description:
        - Format of timestamps in a record.
        type: str
        choices:
        - rfc3339
        - rfc3339ms
        - rfc3339ns
        - unix
        - unixnano
      option_flags:
        description:
        - Further parameters of C(logpull_options) by name, with V(true), V(false), a number or a string, such as C(CVE-2021-44228) or C(sample).
        type: dict
      logpull_options:
        description:
        - O(job.fields), O(job.timestamp_format) and O(job.option_flags) as text, up to 4096 characters.
        type: str
      output_options:
        description:
        - The output options in the newer format.
        type: dict
        suboptions:
          field_names:
            description:
            - Names of the log fields of a record.
            type: list
            elements: str
          output_type:
            description:
            - Format of the delivered files.
            type: str
            choices:
            - ndjson
            - csv
          timestamp_format:
            description:
            - Format of timestamps in a record.
            type: str
            choices:
            - rfc3339
            - rfc3339ms
            - rfc3339ns
            - unix
            - unixnano
          sample_rate:
            description:
            - Fraction of the records that is delivered, above 0 and at most 1.
            type: float
          cve_2021_44228:
            description:
            - Whether C(${) is replaced by C(x{) in delivered records, so that CVE-2021-44228 cannot be exploited with them.
            type: bool
          merge_subrequests:
            description:
            - Whether a subrequest is part of the record of its request, for the dataset V(http_requests).
            type: bool
          batch_prefix:
            description:
            - Text before each file.
            type: str
          batch_suffix:
            description:
            - Text after each file.
            type: str
          record_prefix:
            description:
            - Text before each record.
            type: str
          record_suffix:
            description:
            - Text after each record.
            type: str
          record_delimiter:
            description:
            - Text between two records.
            type: str
          field_delimiter:
            description:
            - Text between two fields.
            type: str
          record_template:
            description:
            - A Go template for a record, in place of the fields joined with delimiters.
            type: str
      filter:
        description:
        - Which records are delivered, as an expression in data or in JSON text.
        type: raw
      enabled:
        description:
        - Whether the job is enabled.
        type: bool
      kind:
        description:
        - Type of the job.
        type: str
        choices:
        - ''
        - edge
      frequency:
        description:
        - How often the job delivers.
        type: str
        choices:
        - high
        - low
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
        - Whether requests that Cloudflare classifies as attack traffic are left out.
        type: bool
      transformer:
        description:
        - Name of the transformer, a query of the account that changes records before they are delivered.
        type: str
      transformer_id:
        description:
        - Identifier of the transformer, a query of the account that changes records before they are delivered.
        type: int
      recreate:
        description:
        - Whether the job may be deleted and re-created if O(job.dataset) or O(job.kind) differs, or if its destination would become one of the
          type V(datadog).
        - If omitted here and in the defaults, V(false).
        type: bool
      validate_filter:
        description:
        - Whether to check the limits of the service, 30 operators and 1000 bytes, before sending.
        - If omitted here and in the defaults, V(true).
        type: bool
      validate_fields:
        description:
        - Whether to compare the names of the fields with those of the dataset before a list of fields is written, also in check mode.
        - If omitted here and in the defaults, V(true).
        type: bool
      create_without_listing:
        description:
        - What to do with O(job.name) if the service cannot list jobs (HTTP status 404 or 405).
        - If omitted here and in the defaults, V(false).
        type: bool
  jobs:
    description:
    - The log delivery (Logpush) jobs. Each item takes the options of M(edgeops.observability.logpush_job), which describes them in full. The
      default of O(jobs[].enabled) is V(true).
    - If omitted and O(job) too, jobs are neither read nor changed.
    - Cannot be used together with O(job). Two items for the same job are refused.
    - 'An empty list declares that there is no job: all are unlisted; O(unlisted_jobs=absent) refuses it. Beside it, O(job) is the job.'
    type: list
    elements: dict
    suboptions:
      state:
        description:
        - With V(present) the job is created or updated.
        - If omitted here and in the defaults, V("present").
        type: str
        choices:
        - present
        - absent
      name:
        description:
        - Name of the job.
        type: str
      job_id:
        description:
        - Identifier of the job, a number above 0.
        type: int
      dataset:
        description:
        - Dataset that the job delivers, up to 256 letters, digits, V(_) and V(-).
        type: str
      destination_conf:
        description:
        - Destination of the logs, as V(SCHEME://ADDRESS?OPTIONS), up to 4096 characters.
        type: str
      destination_address:
        description:
        - Where the job must deliver to, as RV(edgeops.observability.logpush_job#module:job.destination) shows it, so that a job whose secret
          O(jobs[].destination_conf) is not declared cannot be led elsewhere unseen.
        type: str
      ownership_challenge:
        description:
        - The token that proves the ownership of the destination, up to 4096 characters.
        type: str
      send_destination:
        description:
        - When to send O(jobs[].destination_conf) and O(jobs[].ownership_challenge) to a job that exists.
        - If omitted here and in the defaults, V("if_different").
        type: str
        choices:
        - if_different
        - if_masked
        - always
      fields:
        description:
        - Names of the log fields of a record.
        type: list
        elements: str
      timestamp_format:
        description:
        - Format of timestamps in a record.
        type: str
        choices:
        - rfc3339
        - rfc3339ms
        - rfc3339ns
        - unix
        - unixnano
      option_flags:
        description:
        - Further parameters of C(logpull_options) by name, with V(true), V(false), a number or a string, such as C(CVE-2021-44228) or C(sample).
        type: dict
      logpull_options:
        description:
        - O(jobs[].fields), O(jobs[].timestamp_format) and O(jobs[].option_flags) as text, up to 4096 characters.
        type: str
      output_options:
        description:
        - The output options in the newer format.
        type: dict
        suboptions:
          field_names:
            description:
            - Names of the log fields of a record.
            type: list
            elements: str
          output_type:
            description:
            - Format of the delivered files.
            type: str
            choices:
            - ndjson
            - csv
          timestamp_format:
            description:
            - Format of timestamps in a record.
            type: str
            choices:
            - rfc3339
            - rfc3339ms
            - rfc3339ns
            - unix
            - unixnano
          sample_rate:
            description:
            - Fraction of the records that is delivered, above 0 and at most 1.
            type: float
          cve_2021_44228:
            description:
            - Whether C(${) is replaced by C(x{) in delivered records, so that CVE-2021-44228 cannot be exploited with them.
            type: bool
          merge_subrequests:
            description:
            - Whether a subrequest is part of the record of its request, for the dataset V(http_requests).
            type: bool
          batch_prefix:
            description:
            - Text before each file.
            type: str
          batch_suffix:
            description:
            - Text after each file.
            type: str
          record_prefix:
            description:
            - Text before each record.
            type: str
          record_suffix:
            description:
            - Text after each record.
            type: str
          record_delimiter:
            description:
            - Text between two records.
            type: str
          field_delimiter:
            description:
            - Text between two fields.
            type: str
          record_template:
            description:
            - A Go template for a record, in place of the fields joined with delimiters.
            type: str
      filter:
        description:
        - Which records are delivered, as an expression in data or in JSON text.
        type: raw
      enabled:
        description:
        - Whether the job is enabled.
        type: bool
      kind:
        description:
        - Type of the job.
        type: str
        choices:
        - ''
        - edge
      frequency:
        description:
        - How often the job delivers.
        type: str
        choices:
        - high
        - low
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
        - Whether requests that Cloudflare classifies as attack traffic are left out.
        type: bool
      transformer:
        description:
        - Name of the transformer, a query of the account that changes records before they are delivered.
        type: str
      transformer_id:
        description:
        - Identifier of the transformer, a query of the account that changes records before they are delivered.
        type: int
      recreate:
        description:
        - Whether the job may be deleted and re-created if O(jobs[].dataset) or O(jobs[].kind) differs, or if its destination would become one
          of the type V(datadog).
        - If omitted here and in the defaults, V(false).
        type: bool
      validate_filter:
        description:
        - Whether to check the limits of the service, 30 operators and 1000 bytes, before sending.
        - If omitted here and in the defaults, V(true).
        type: bool
      validate_fields:
        description:
        - Whether to compare the names of the fields with those of the dataset before a list of fields is written, also in check mode.
        - If omitted here and in the defaults, V(true).
        type: bool
      create_without_listing:
        description:
        - What to do with O(jobs[].name) if the service cannot list jobs (HTTP status 404 or 405).
        - If omitted here and in the defaults, V(false).
        type: bool
  job_defaults:
    description:
    - Default options of each job. An option of O(job) or of an item of O(jobs) replaces the default as a whole.
    type: dict
    suboptions:
      name:
        description:
        - Name of the job.
        type: str
      job_id:
        description:
        - Identifier of the job, a number above 0.
        type: int
      dataset:
        description:
        - Dataset that the job delivers, up to 256 letters, digits, V(_) and V(-).
        type: str
      destination_conf:
        description:
        - Destination of the logs, as V(SCHEME://ADDRESS?OPTIONS), up to 4096 characters.
        type: str
      destination_address:
        description:
        - Where the job must deliver to, as RV(edgeops.observability.logpush_job#module:job.destination) shows it, so that a job whose secret
          O(job_defaults.destination_conf) is not declared cannot be led elsewhere unseen.
        type: str
      ownership_challenge:
        description:
        - The token that proves the ownership of the destination, up to 4096 characters.
        type: str
      send_destination:
        description:
        - When to send O(job_defaults.destination_conf) and O(job_defaults.ownership_challenge) to a job that exists.
        - If omitted here and in the defaults, V("if_different").
        type: str
        choices:
        - if_different
        - if_masked
        - always
      fields:
        description:
        - Names of the log fields of a record.
        type: list
        elements: str
      timestamp_format:
        description:
        - Format of timestamps in a record.
        type: str
        choices:
        - rfc3339
        - rfc3339ms
        - rfc3339ns
        - unix
        - unixnano
      option_flags:
        description:
        - Further parameters of C(logpull_options) by name, with V(true), V(false), a number or a string, such as C(CVE-2021-44228) or C(sample).
        type: dict
      logpull_options:
        description:
        - O(job_defaults.fields), O(job_defaults.timestamp_format) and O(job_defaults.option_flags) as text, up to 4096 characters.
        type: str
      output_options:
        description:
        - The output options in the newer format.
        type: dict
        suboptions:
          field_names:
            description:
            - Names of the log fields of a record.
            type: list
            elements: str
          output_type:
            description:
            - Format of the delivered files.
            type: str
            choices:
            - ndjson
            - csv
          timestamp_format:
            description:
            - Format of timestamps in a record.
            type: str
            choices:
            - rfc3339
            - rfc3339ms
            - rfc3339ns
            - unix
            - unixnano
          sample_rate:
            description:
            - Fraction of the records that is delivered, above 0 and at most 1.
            type: float
          cve_2021_44228:
            description:
            - Whether C(${) is replaced by C(x{) in delivered records, so that CVE-2021-44228 cannot be exploited with them.
            type: bool
          merge_subrequests:
            description:
            - Whether a subrequest is part of the record of its request, for the dataset V(http_requests).
            type: bool
          batch_prefix:
            description:
            - Text before each file.
            type: str
          batch_suffix:
            description:
            - Text after each file.
            type: str
          record_prefix:
            description:
            - Text before each record.
            type: str
          record_suffix:
            description:
            - Text after each record.
            type: str
          record_delimiter:
            description:
            - Text between two records.
            type: str
          field_delimiter:
            description:
            - Text between two fields.
            type: str
          record_template:
            description:
            - A Go template for a record, in place of the fields joined with delimiters.
            type: str
      filter:
        description:
        - Which records are delivered, as an expression in data or in JSON text.
        type: raw
      enabled:
        description:
        - Whether the job is enabled.
        type: bool
      kind:
        description:
        - Type of the job.
        type: str
        choices:
        - ''
        - edge
      frequency:
        description:
        - How often the job delivers.
        type: str
        choices:
        - high
        - low
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
        - Whether requests that Cloudflare classifies as attack traffic are left out.
        type: bool
      transformer:
        description:
        - Name of the transformer, a query of the account that changes records before they are delivered.
        type: str
      transformer_id:
        description:
        - Identifier of the transformer, a query of the account that changes records before they are delivered.
        type: int
      recreate:
        description:
        - Whether the job may be deleted and re-created if O(job_defaults.dataset) or O(job_defaults.kind) differs, or if its destination would
          become one of the type V(datadog).
        - If omitted here and in the defaults, V(false).
        type: bool
      validate_filter:
        description:
        - Whether to check the limits of the service, 30 operators and 1000 bytes, before sending.
        - If omitted here and in the defaults, V(true).
        type: bool
      validate_fields:
        description:
        - Whether to compare the names of the fields with those of the dataset before a list of fields is written, also in check mode.
        - If omitted here and in the defaults, V(true).
        type: bool
      create_without_listing:
        description:
        - What to do with O(job_defaults.name) if the service cannot list jobs (HTTP status 404 or 405).
        - If omitted here and in the defaults, V(false).
        type: bool
"""
