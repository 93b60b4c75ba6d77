# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# What a request carries, as it goes over the wire.
import json
import typing as t
from urllib.parse import quote, urlencode

from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json

QueryIn = t.Mapping[str, t.Any]


def encode_body(body: Json) -> bytes | None:
    """Return a body as JSON; None for none."""
    if body is None:
        return None
    try:
        return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(body, separators=(",", ":"), allow_nan=False).encode("ascii")


def encode_query(query: QueryIn | None) -> str:
    """Return a query as the end of a URL, without members that are None; "" for none."""
    pairs = [(name, _query_value(value)) for name, value in (query or {}).items() if value is not None]
    return "?" + urlencode(pairs, quote_via=quote, safe=",*") if pairs else ""


def _query_value(value: t.Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(_query_value(item) for item in value)
    return str(value)
