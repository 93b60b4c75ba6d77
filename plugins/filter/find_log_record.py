# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: find_log_record
author:
  - edgeops.observability contributors (@edgeops)
requirements: [python >= 3.10]
version_added: 1.0.0
short_description: Find a record in delivered logs
description:
  - Returns the first record of a delivered log file that has a Ray ID or other values, or V(none).
  - Proves a log delivery (Logpush) job from end to end, with the file that the collection of your storage, or M(ansible.builtin.uri), has read.
positional: _wanted
options:
  _input:
    description:
      - The content of one file, newline-delimited JSON, plain or compressed with gzip.
      - Text or bytes. The Base64 text of a compressed file, as M(ansible.builtin.slurp) returns it, is accepted as well.
    type: raw
    required: true
  _wanted:
    description:
      - The Ray ID of the record, as in C(RayID) or in the response header C(CF-Ray), with or without the data center at its end.
      - Or a dictionary of log fields and values, all of which the record must have. A custom field is C(RequestHeaders.NAME), and so on.
      - One of this and a keyword argument is required.
    type: raw
  _members:
    description:
      - Further values of log fields as keyword arguments, such as C(ClientRequestPath="/health").
      - Values are compared with their type. The text V("200") and the number V(200) differ.
    type: dict
seealso:
  - plugin: edgeops.observability.passes_logpush_filter
    plugin_type: test
  - module: edgeops.observability.logpush_job_info
"""

EXAMPLES = r"""
- name: Verify that the logs of a bucket have the record of a request
  ansible.builtin.assert:
    that: (delivered | edgeops.observability.find_log_record(header)) is not none
  vars:
    header: 8a1f0c6d5e4b3a21-FRA
    delivered: |
      {"RayID":"8a1f0c6d5e4b3a20","ClientRequestPath":"/","EdgeResponseStatus":200}
      {"RayID":"8a1f0c6d5e4b3a21","ClientRequestPath":"/health","EdgeResponseStatus":503}

- name: Show the record of a path that failed
  ansible.builtin.debug:
    msg: "{{ delivered | edgeops.observability.find_log_record(ClientRequestPath='/health', EdgeResponseStatus=503) }}"
  vars:
    delivered: |
      {"RayID":"8a1f0c6d5e4b3a20","ClientRequestPath":"/","EdgeResponseStatus":200}
      {"RayID":"8a1f0c6d5e4b3a21","ClientRequestPath":"/health","EdgeResponseStatus":503}
"""

RETURN = r"""
_value:
  description: The record, or V(none) if the file has no such record.
  type: dict
  sample:
    RayID: 8a1f0c6d5e4b3a21
    ClientRequestPath: /health
    EdgeResponseStatus: 503
"""

import base64
import collections.abc
import gzip
import io
import json
import re
import typing as t
import zlib

from ansible.errors import AnsibleFilterError

from ansible_collections.edgeops.observability.plugins.module_utils._filter.tree import identity
from ansible_collections.edgeops.observability.plugins.plugin_utils._untrusted import untrusted

_GZIP = b"\x1f\x8b"
# The same in Base64.
_GZIP_TEXT = "H4sI"
_RAY_ID = re.compile(r"([0-9a-f]{16})(?:-[a-z]{3})?", re.IGNORECASE)


def find_log_record(content: t.Any, wanted: t.Any = None, **members: t.Any) -> dict[str, t.Any] | None:
    """Return the first record with these values, as text that is no template; None if there is none."""
    named = wanted if isinstance(wanted, collections.abc.Mapping) else {}
    expected = {name: identity(value) for name, value in {**named, **members}.items()}
    if wanted is not None and not isinstance(wanted, collections.abc.Mapping):
        found = _RAY_ID.fullmatch(str(wanted).strip())
        if not found:
            raise AnsibleFilterError("find_log_record: the Ray ID must have 16 hexadecimal digits, as in 8a1f0c6d5e4b3a21-FRA")
        expected["RayID"] = identity(found[1].lower())
    if not expected:
        raise AnsibleFilterError("find_log_record: a Ray ID or the value of a member is required")
    try:
        data = io.BytesIO(_bytes(content))
        # Decompressed line by line.
        with gzip.open(data) if data.getvalue().startswith(_GZIP) else data as lines:
            for number, line in enumerate(lines, 1):
                record = _record(line, number)
                if record and all(value in _values(record, name) for name, value in expected.items()):
                    return t.cast("dict[str, t.Any]", untrusted(record))
    except (OSError, EOFError, zlib.error):
        raise AnsibleFilterError("find_log_record: the content is not a complete gzip file") from None
    return None


def _values(record: dict[str, t.Any], name: str) -> list[t.Hashable]:
    """Return the value of a member, or of a member of it behind a dot, in a list; an empty one if there is none."""
    if name in record:
        return [identity(record[name])]
    outer, _dot, inner = name.partition(".")
    return _values(record[outer], inner) if isinstance(record.get(outer), dict) else []


def _bytes(content: t.Any) -> bytes:
    if isinstance(content, (bytes, bytearray)):
        return bytes(content)
    if not isinstance(content, str):
        raise AnsibleFilterError("find_log_record: the content of a file must be a string or bytes")
    try:
        if content.startswith(_GZIP_TEXT):
            return base64.b64decode(content)
        return content.encode("latin-1" if content.startswith(_GZIP.decode("latin-1")) else "utf-8")
    except ValueError:
        raise AnsibleFilterError("find_log_record: the content of the file cannot be decoded") from None


def _record(line: bytes, number: int) -> dict[str, t.Any] | None:
    if not line.strip():
        return None
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise AnsibleFilterError(f"find_log_record: line {number} of the content is not a record in JSON")
    return found


class FilterModule:
    """The plugin class that Ansible loads."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        return {"find_log_record": find_log_record}
