# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible.errors import AnsibleFilterError
from jinja2 import Undefined

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._filter.parse import parse
from ansible_collections.edgeops.observability.plugins.module_utils._filter.tree import Tree

Result = t.TypeVar("Result")


def with_expression(expression: object, use: t.Callable[[Tree], Result]) -> Result:
    """Parse a filter expression from a template and return the result of `use`; raise `AnsibleFilterError` if it is invalid."""
    if isinstance(expression, Undefined):
        # Raises the error that names the variable; cores before 2.19 pass undefined values to plugins.
        str(expression)
    try:
        return use(parse(expression))
    except Failure as failure:
        raise AnsibleFilterError(str(failure)) from failure
