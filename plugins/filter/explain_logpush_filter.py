# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: explain_logpush_filter
author:
  - edgeops.observability contributors (@edgeops)
requirements: [python >= 3.10]
version_added: 1.0.0
short_description: Explain in a sentence which records a Logpush filter delivers
description:
  - Describes a filter expression of a log delivery (Logpush) job in a sentence.
  - A filter describes the records that are B(delivered), not those that are excluded.
  - The syntax of the expression is checked as by P(edgeops.observability.logpush_filter#filter), but not the limits.
positional: _input
options:
  _input:
    description: The expression, or the JSON text of it, such as the filter that the service returns. The outer C(where) can be omitted.
    type: raw
    required: true
seealso:
  - plugin: edgeops.observability.logpush_filter
    plugin_type: filter
  - plugin: edgeops.observability.passes_logpush_filter
    plugin_type: test
"""

EXAMPLES = r"""
- name: Explain a filter
  ansible.builtin.debug:
    msg: "{{ expression | edgeops.observability.explain_logpush_filter }}"
  vars:
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
  description: The sentence.
  type: str
  sample: >-
    A record is delivered only if EdgeResponseStatus is at least 500 and ClientRequestPath does not start with "/health";
    all other records are left out.
"""

from ansible_collections.edgeops.observability.plugins.plugin_utils._supported import check_supported

check_supported()

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._filter.text import explain
from ansible_collections.edgeops.observability.plugins.plugin_utils._expression import with_expression
from ansible_collections.edgeops.observability.plugins.plugin_utils._untrusted import untrusted


def explain_logpush_filter(expression: object) -> str:
    """Return a sentence about the records that a job with this filter delivers."""
    return untrusted(with_expression(expression, explain))


class FilterModule:
    """The plugin class that Ansible loads."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        return {"explain_logpush_filter": explain_logpush_filter}
