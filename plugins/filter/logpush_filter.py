# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: logpush_filter
author:
  - edgeops.observability contributors (@edgeops)
requirements: [python >= 3.10]
version_added: 1.0.0
short_description: Validate a Logpush filter and return its JSON text
description:
  - Validates a filter expression of a log delivery (Logpush) job, and returns the JSON text that is sent to the service.
  - A filter describes the records that are B(delivered), not those that are excluded.
  - A condition is a dictionary of C(key), the name of a log field, C(operator), and C(value).
  - A dictionary with the single member C(and) or C(or) combines a list of conditions, and can be nested.
  - The operators C(eq) and C(!eq) take text, a number, or a boolean.
  - The operators C(lt), C(leq), C(gt), and C(geq) take a number, or text that is a JSON number.
  - The operators C(startsWith), C(endsWith), C(contains), C(!startsWith), C(!endsWith), and C(!contains) take text.
  - The operators C(in) and C(!in) take a list of texts or numbers that is not empty.
  - An error contains the path of the mistake, for example C(filter.where.and[1].operator).
positional: _input
options:
  _input:
    description: The expression, or the JSON text of it. The outer C(where) can be omitted.
    type: raw
    required: true
notes:
  - The service accepts at most 30 operators and 1000 bytes of text in a filter. A filter that exceeds a limit is an error.
    Every comparison counts as an operator, C(and) and C(or) do not.
  - The option O(edgeops.observability.logpush_job#module:filter) also accepts the expression itself, without this plugin.
  - Before ansible-core 2.19, a template that consists of JSON text only is turned into a dictionary again.
seealso:
  - plugin: edgeops.observability.explain_logpush_filter
    plugin_type: filter
  - plugin: edgeops.observability.passes_logpush_filter
    plugin_type: test
  - module: edgeops.observability.logpush_job
"""

EXAMPLES = r"""
- name: Show the text of a filter
  ansible.builtin.debug:
    msg: "The text is {{ expression | edgeops.observability.logpush_filter }}"
  vars:
    expression:
      and:
        - key: ClientRequestHost
          operator: endsWith
          value: .example.com
        - or:
            - key: EdgeResponseStatus
              operator: geq
              value: 500
            - key: ClientRequestMethod
              operator: in
              value: [POST, PUT, DELETE]

- name: Fail for a filter that the service would refuse
  ansible.builtin.assert:
    that: (expression | edgeops.observability.logpush_filter | string | length) > 0
  vars:
    expression:
      key: EdgeResponseStatus
      operator: "!eq"
      value: 200
"""

RETURN = r"""
_value:
  description: The JSON text of the expression with C(where), without white space. A single condition becomes an C(and) of one.
  type: str
  sample: '{"where":{"and":[{"key":"EdgeResponseStatus","operator":"!eq","value":200}]}}'
"""

from ansible_collections.edgeops.observability.plugins.plugin_utils._supported import check_supported

check_supported()

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._filter.text import check_limits, to_text
from ansible_collections.edgeops.observability.plugins.module_utils._filter.tree import Tree
from ansible_collections.edgeops.observability.plugins.plugin_utils._expression import with_expression
from ansible_collections.edgeops.observability.plugins.plugin_utils._untrusted import untrusted


def logpush_filter(expression: object) -> str:
    """Return the JSON text of an expression within the limits of the service."""
    return untrusted(with_expression(expression, _text))


def _text(tree: Tree) -> str:
    check_limits(tree)
    return to_text(tree)


class FilterModule:
    """The plugin class that Ansible loads."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        return {"logpush_filter": logpush_filter}
