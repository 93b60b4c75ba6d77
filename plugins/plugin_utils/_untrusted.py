# SPDX-License-Identifier: GPL-3.0-or-later

"""Mark text of the service as data that Ansible never evaluates as a template."""

from __future__ import annotations

import re
import typing as t

from ._ansible_core import wrap_var

T = t.TypeVar("T")
# Letters, digits, spaces and these signs never begin a template, nor a `#jinja2:` header that changes the delimiters.
_PLAIN = re.compile(r"[\w .@-]*")


def untrusted(value: T) -> T:
    """Return a JSON value with its texts marked as unsafe, except plain words, so that exports stay readable."""
    marked: T = _marked(value)
    return marked


def _marked(value: t.Any) -> t.Any:
    if isinstance(value, dict):
        return {_marked(name): _marked(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_marked(item) for item in value]
    return wrap_var(value) if isinstance(value, str) and not _PLAIN.fullmatch(value) else value
