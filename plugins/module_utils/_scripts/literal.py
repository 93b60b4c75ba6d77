# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# ansible-core before 2.19 gives a template's list that holds a date as text: Python's own notation, `datetime.date(2027, 4, 1)`.
import json
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._errors import invalid_option
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json

if t.TYPE_CHECKING:
    import ast


def parse_literal(option: str, text: str) -> Json:
    """Parse data that arrives as text, in JSON or in Python's notation; dates become texts. Nothing of it is evaluated."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    import ast  # noqa: PLC0415  # only such text needs it

    try:
        return _value(ast.parse(text.strip(), mode="eval").body)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        raise invalid_option(option, "a list of entries is needed, and this text is none") from None


def _value(node: ast.expr) -> Json:
    import ast  # noqa: PLC0415  # imported by the caller already

    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_value(item) for item in node.elts]
    if isinstance(node, ast.Dict) and all(node.keys):
        return {_value(key): _value(value) for key, value in zip(node.keys, node.values, strict=True) if key is not None}
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("datetime.date", "datetime.datetime"):
        year, month, day = (_value(argument) for argument in node.args[:3])
        return f"{year:04d}-{month:02d}-{day:02d}"
    raise ValueError("neither data nor a date")
