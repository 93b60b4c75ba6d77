# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: passes_logpush_filter
author:
  - edgeops.observability contributors (@edgeops)
requirements: [python >= 3.10]
version_added: 1.0.0
short_description: Whether a Logpush filter delivers a record
description:
  - Tests whether a log delivery (Logpush) job with the filter expression would B(deliver) a log record.
  - A field that is missing or null does not match any operator, except those that begin with an exclamation mark.
  - The operators C(eq) and C(in) compare type and value. The text V("200") and the number V(200) differ.
    V(30) and V(30.0) are the same number, and V(true) is not a number.
  - The operators C(lt), C(leq), C(gt), and C(geq) need a number, or text that is a JSON number, on both sides.
  - The operator C(contains) tests for a part of a text, or for a member of a list.
positional: _input
options:
  _input:
    description: The log record, a dictionary of the names and values of log fields.
    type: dict
    required: true
  expression:
    description:
      - The filter expression, or the JSON text of it. Its syntax is checked as by P(edgeops.observability.logpush_filter#filter), but not the limits.
    type: raw
    required: true
seealso:
  - plugin: edgeops.observability.logpush_filter
    plugin_type: filter
  - plugin: edgeops.observability.explain_logpush_filter
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Verify that errors are delivered and health checks are not
  ansible.builtin.assert:
    that:
      - error is edgeops.observability.passes_logpush_filter(expression)
      - health_check is not edgeops.observability.passes_logpush_filter(expression)
  vars:
    error:
      ClientRequestPath: /shop
      EdgeResponseStatus: 502
    health_check:
      ClientRequestPath: /health
      EdgeResponseStatus: 502
    expression:
      and:
        - key: EdgeResponseStatus
          operator: geq
          value: 500
        - key: ClientRequestPath
          operator: "!startsWith"
          value: /health
"""

RETURN = r"""
_value:
  description: V(true) if a job with this filter delivers the record, V(false) if it does not.
  type: bool
  sample: true
"""

from ansible_collections.edgeops.observability.plugins.plugin_utils._supported import check_supported

check_supported()

import collections.abc
import typing as t

from ansible.errors import AnsibleFilterError

from ansible_collections.edgeops.observability.plugins.module_utils._filter.compare import LogRecord, compile_filter
from ansible_collections.edgeops.observability.plugins.plugin_utils._expression import with_expression


def passes_logpush_filter(record: LogRecord, expression: object) -> bool:
    """Whether a job with this filter delivers the record."""
    test = with_expression(expression, compile_filter)
    if not isinstance(record, collections.abc.Mapping):
        raise AnsibleFilterError(f"a log record must be a dictionary, not {type(record).__name__}")
    return test(record)


class TestModule:
    """The plugin class that Ansible loads."""

    def tests(self) -> dict[str, t.Callable[..., t.Any]]:
        return {"passes_logpush_filter": passes_logpush_filter}
