# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import re
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._json import (
    JSON_TYPES,
    finite_float,
    json_type,
    no_constant,
    unique_members,
)
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json

_DEPTH = 64
# Each takes far more memory than the two bytes that it may be in a body; the largest page of a listing has a tenth of them.
_MAX_CONTAINERS = 200_000
# Half a character: these may only come in pairs, which a search in the JSON text cannot tell.
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class BadEnvelope(Exception):
    """An answer that does not have the documented form; the text names what is wrong with it."""


def decode(body: bytes, content_type: str = "") -> Json:
    """The JSON of a body, read strictly: what two readers could understand differently is refused."""
    if body.count(b"{") + body.count(b"[") > _MAX_CONTAINERS:
        raise BadEnvelope(f"its body holds more than {_MAX_CONTAINERS} objects and lists")
    try:
        text = body.decode("utf-8")
        value = json.loads(text, object_pairs_hook=unique_members, parse_constant=no_constant, parse_float=finite_float)
        if _SURROGATE.search(text):
            _encode_texts(value)
    except (ValueError, RecursionError) as error:
        raise BadEnvelope(_not_json(body, content_type, error)) from None
    if _too_deep(value):
        raise BadEnvelope(f"its body is nested more than {_DEPTH} levels deep")
    return value


def open_envelope(value: Json, expected: tuple[type, ...]) -> tuple[Json, dict[str, Json] | None]:
    """`result` and `result_info` of a decoded answer that reports success; `expected` are the types of the result, none for any."""
    if not isinstance(value, dict):
        raise BadEnvelope(f"its body is {json_type(value)} instead of an object")
    if not isinstance(value.get("success", True), bool):
        raise BadEnvelope("`success` is not a boolean")
    if expected:
        if "success" not in value:
            raise BadEnvelope("`success` is missing")
        if "result" not in value:
            raise BadEnvelope("`result` is missing")
        if not isinstance(value["result"], expected):
            names = " or ".join(JSON_TYPES[kind] for kind in expected)
            raise BadEnvelope(f"`result` is {json_type(value['result'])} instead of {names}")
    info = value.get("result_info")
    if info is not None and not isinstance(info, dict):
        raise BadEnvelope(f"`result_info` is {json_type(info)} instead of an object")
    return value.get("result"), info


def _not_json(body: bytes, content_type: str, error: Exception) -> str:
    if not body.strip():
        return "its body is empty"
    kind = "".join(c for c in content_type.partition(";")[0].strip()[:40] if c.isprintable())
    says = f" (it says {kind})" if kind and "json" not in kind else ""
    why = {UnicodeDecodeError: "not UTF-8", UnicodeEncodeError: "half a character", RecursionError: "nested too deep"}
    detail = why.get(type(error), getattr(error, "msg", None) or str(error)[:80])
    return f"its body is not valid JSON{says}: {detail}"


def _too_deep(value: Json) -> bool:
    level = [value] if isinstance(value, (dict, list)) else []
    for _depth in range(_DEPTH):
        if not level:
            return False
        level = [child for item in level for child in _children(item) if isinstance(child, (dict, list))]
    return bool(level)


def _children(item: Json) -> t.Iterable[Json]:
    return item.values() if isinstance(item, dict) else item


def _encode_texts(value: Json) -> None:
    """Raise `UnicodeEncodeError` if a text in the value has half a character; no depth is too large, as it is not known yet."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            item.encode()
        elif isinstance(item, dict):
            waiting += (*item, *item.values())
        elif isinstance(item, list):
            waiting += item
