#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: logpush_transformer
short_description: Manage a transformer, the query that Logpush records pass through
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
description:
  - Manages one transformer of a Cloudflare account - an SQL query that every record of a Logpush job passes through before it is delivered, for
    example to redact addresses. A job refers to it with O(edgeops.observability.logpush_job#module:transformer).
  - O(samples) are unit tests of the query. The service itself runs them on each run of the task, in check mode too, and nothing is written if one fails.
  - A changed query changes what every job that refers to the transformer delivers; see V(change_transformer) in RV(effects).
extends_documentation_fragment:
  - edgeops.observability.connection
  - edgeops.observability.connection.account
  - edgeops.observability.connection.approval
  - edgeops.observability.attributes
attributes:
  check_mode:
    details:
      - Check mode sends only C(GET) requests and those that run O(samples), which change nothing. It predicts the result, the diff and the plan.
options:
  state:
    description:
      - V(present) creates or updates the transformer.
      - V(absent) deletes it. As long as jobs refer to it, this is a V(conflict) that names them, and nothing is sent.
    type: str
    choices: [present, absent]
    default: present
  name:
    description:
      - Name of the transformer, at most 255 bytes. Names are not unique; two transformers of this name are a V(conflict).
      - Together with O(transformer_id), the transformer is renamed; the name of another one is a V(conflict).
    type: str
  transformer_id:
    description: Identifier of an existing transformer, a number above 0. One of O(name) and O(transformer_id) is required.
    type: int
  sql:
    description:
      - The query, at most 10240 bytes - one V(SELECT) whose V(FROM) names the dataset, without joins, subqueries, aggregates, window functions and
        V(ORDER BY). Required for a new transformer. If omitted, the query is kept.
      - Queries are compared without blanks at the ends of lines and at the end. Each written query is a new version, so it is only sent if it differs.
      - The normal case is a file - V({{ lookup('ansible.builtin.file', 'redact.sql'\) }}).
    type: str
  description:
    description: Description of the transformer, at most 4096 characters. If omitted, it is kept.
    type: str
  samples:
    description:
      - Unit tests of the query, as a list of dictionaries with V(name), V(input), and one of V(expected) and V(absent).
      - V(name) is shown in results and messages, and is unique in the list.
      - V(input) is a record as the job would deliver it without the transformer.
      - V(expected) is the whole record that must be delivered, a list of records if the query makes several, or V(null) if the record must be filtered
        out.
      - V(absent) is a list of members, none of which may be delivered, not even as null. A dot leads into a member, as in V(RequestHeaders.authorization);
        a name without a dot is looked for at any depth, and a dot at an end is refused. A record must be delivered, so that a query that filters
        out everything does not pass.
      - A V(null) inside a sample is the value null and does not mean omitted.
      - A sample that fails ends the task with the kind V(gate), and the result has RV(samples), the diff and the plan. A sample that cannot be run
        fails the task, too. A query that the service refuses is V(invalid_option).
      - Samples are not run with O(state=absent).
    type: list
    elements: dict
    default: []
notes:
  - With Cloudflare, reading and writing transformers need an API token with the permission Logs Write for the account.
  - After a creation the transformers are listed once more. If another run created one of this name at the same time, the task fails with the kind
    V(conflict) and names both; nothing is deleted.
  - Transformers are for jobs that deliver NDJSON. A query that fails on a record fails the batch, and the job shows the reason in its error message.
seealso:
  - module: edgeops.observability.logpush_transformer_info
  - module: edgeops.observability.logpush_job
"""

EXAMPLES = r"""
- name: Redact the addresses of clients
  edgeops.observability.logpush_transformer:
    account_id: 9a7806061c88ada191ed06f989cc3dac
    name: redact-addresses
    description: Keep the network of the client only
    sql: |
      SELECT * EXCEPT (ClientIP),
        regexp_replace(
          regexp_replace(ClientIP, '^(([0-9a-fA-F]+:){0,2}[0-9a-fA-F]+)?:.*$', '\1::'),
          '[.][0-9]+$', '.0'
        ) AS ClientIP
      FROM http_requests
      WHERE ClientRequestHost <> 'internal.example.com'

- name: The same query with its unit tests
  edgeops.observability.logpush_transformer:
    account_id: 9a7806061c88ada191ed06f989cc3dac
    name: redact-addresses
    sql: |
      SELECT * EXCEPT (ClientIP),
        regexp_replace(
          regexp_replace(ClientIP, '^(([0-9a-fA-F]+:){0,2}[0-9a-fA-F]+)?:.*$', '\1::'),
          '[.][0-9]+$', '.0'
        ) AS ClientIP
      FROM http_requests
      WHERE ClientRequestHost <> 'internal.example.com'
    samples:
      - name: the last number of an IPv4 address is lost
        input: {ClientIP: 192.0.2.17, ClientRequestHost: shop.example.com}
        expected: {ClientIP: 192.0.2.0, ClientRequestHost: shop.example.com}
      - name: the first three groups of an IPv6 address are kept
        input: {ClientIP: '2001:db8:12:34::5', ClientRequestHost: shop.example.com}
        expected: {ClientIP: '2001:db8:12::', ClientRequestHost: shop.example.com}
      - name: internal requests are filtered out
        input: {ClientIP: 192.0.2.17, ClientRequestHost: internal.example.com}
        expected: null

- name: Delete a transformer that no job refers to
  edgeops.observability.logpush_transformer:
    account_id: 9a7806061c88ada191ed06f989cc3dac
    name: redact-addresses
    state: absent
"""

RETURN = r"""
account_id:
  description: The id of the account.
  returned: success
  type: str
  sample: 9a7806061c88ada191ed06f989cc3dac
transformer:
  description: The transformer, or V(null) after a deletion. In check mode the predicted one, in which what the service makes keeps its current value.
  returned: success
  type: dict
  contains:
    id:
      description: Identifier of the transformer. V(null) in check mode if it would be created.
      type: int
      sample: 7
    name:
      description: Name of the transformer.
      type: str
      sample: redact-addresses
    description:
      description: Description of the transformer, empty if it has none.
      type: str
      sample: Keep the network of the client only
    dataset:
      description: The dataset that the query reads, V(null) if the service does not show it.
      type: str
      sample: http_requests
    sql:
      description: The query, without blanks at the ends of its lines and at its end.
      type: str
      sample: SELECT * EXCEPT (ClientIP) FROM http_requests
    version:
      description: Number of the newest version of the query, V(null) if the service does not list versions.
      type: int
      sample: 3
    created_at:
      description: When the transformer was created.
      type: str
      sample: "2026-10-02T09:41:33Z"
    updated_at:
      description: When the transformer was last written.
      type: str
      sample: "2026-10-05T10:00:00Z"
    associated_jobs:
      description: The Logpush jobs of the account and its zones that refer to the transformer, V(null) if the service does not show them.
      type: list
      elements: dict
      contains:
        id:
          description: Identifier of the job.
          type: int
          sample: 1234567
        name:
          description: Name of the job, or V(null).
          type: str
          sample: edge-logs
        scope:
          description: V(zone) or V(account), or V(null) if the service names neither.
          type: str
          sample: zone
        zone_id:
          description: Id of the zone that the job belongs to.
          returned: if the job belongs to a zone
          type: str
          sample: 023e105f4ecef8ad9ca31a8372d0c353
        account_id:
          description: Id of the account that the job belongs to.
          returned: if the job belongs to the account
          type: str
          sample: 9a7806061c88ada191ed06f989cc3dac
samples:
  description: The result of each of O(samples), in their order. Also returned if one failed.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the sample.
      type: str
      sample: the last number of an IPv4 address is lost
    passed:
      description: Whether the query does what the sample demands.
      type: bool
      sample: false
    delivered:
      description: The records that would be delivered, almost always one; empty if the record would be filtered out.
      type: list
      elements: dict
      sample: [{ClientIP: 192.0.2.17, ClientRequestHost: shop.example.com}]
    differences:
      description: The members that differ from the expected record, or that would be delivered and must not be; a dot leads into a member.
      type: list
      elements: str
      sample: [ClientIP]
plan_id:
  description: A digest of the managed state that was read and of the writes that follow from it, for O(expected_plan_id).
  returned: success
  type: str
  sample: sha256:0f3c9d1b7a5e48c2f6b1d0a9e8c7b6a5f4e3d2c1b0a99887766554433221100f
effects:
  description: What the task destroys, or in check mode would, sorted by name and subject.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: V(change_transformer) if the query of a transformer changes that jobs refer to.
      type: str
      sample: change_transformer
    subject:
      description: Name of the transformer.
      type: str
      sample: redact-addresses
    detail:
      description:
        - The jobs that deliver other records then, each as the id of its zone or account, V(/), and the id of the job. V(null) if the service does not
          show which jobs refer to the transformer.
      type: list
      elements: str
      sample: [023e105f4ecef8ad9ca31a8372d0c353/1234567]
error:
  description: Why the task failed, as data for a playbook.
  returned: failure
  type: dict
  sample: {kind: invalid_option, method: POST, path: /accounts/9a7806061c88ada191ed06f989cc3dac/logpush/transformers/preview, status: 400,
    errors: [{code: 1004, message: 'invalid SQL: No field named ClientIp'}], request_id: 8a1f0c6d5e4b3a21-FRA, attempts: 1}
"""

from ansible_collections.edgeops.observability.plugins.module_utils._supported import check_supported

check_supported()

from ansible_collections.edgeops.observability.plugins.module_utils._engine.module import run_module
from ansible_collections.edgeops.observability.plugins.module_utils._transformers.task import TASK


def main() -> None:
    run_module(TASK)


if __name__ == "__main__":
    main()
