# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible.errors import AnsibleFilterError

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._filter.parse import parse
from ansible_collections.edgeops.observability.plugins.module_utils._filter.tree import Tree
from ansible_collections.edgeops.observability.plugins.plugin_utils._ansible_core import raise_if_undefined

Result = t.TypeVar("Result")


def with_expression(expression: object, use: t.Callable[[Tree], Result]) -> Result:
    """Parse a filter expression from a template and return the result of `use`; raise `AnsibleFilterError` if it is invalid."""
    raise_if_undefined(expression)
    try:
        return use(parse(expression))
    except Failure as failure:
        raise AnsibleFilterError(str(failure)) from failure
