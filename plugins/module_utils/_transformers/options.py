# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t

from .._core import HOLDS_DATA, KEEPS_NULLS, STATE_OPTION, invalid_option
from . import facts
from .samples import Sample, parse_samples

# One of these is required to identify a transformer.
IDENTITY = ("name", "transformer_id")

OPTIONS: dict[str, dict[str, t.Any]] = {
    **STATE_OPTION,
    "name": {"type": "str", HOLDS_DATA: True},
    "transformer_id": {"type": "int"},
    "sql": {"type": "str", HOLDS_DATA: True},
    "description": {"type": "str", HOLDS_DATA: True},
    # Without suboptions, because AnsibleModule does not distinguish a null in them from an omitted one.
    "samples": {"type": "list", "elements": "dict", "default": [], KEEPS_NULLS: True, HOLDS_DATA: True},
}

Params = t.Mapping[str, t.Any]
_BLANKS = " \t"
_LINE_END = re.compile(r"[ \t]*(?:\r\n|\r|\n)")


class DesiredTransformer(t.NamedTuple):
    """The desired state of a transformer; None stands for an omitted option."""

    present: bool
    name: str | None
    transformer_id: int | None
    sql: str | None
    description: str | None
    samples: tuple[Sample, ...]


class TransformerQuery(t.NamedTuple):
    """Which transformers to report; None for any."""

    name: str | None
    transformer_id: int | None


def desire(params: Params) -> DesiredTransformer:
    name, sql, description = (params[option] for option in ("name", "sql", "description"))
    _check_id(params["transformer_id"])
    if params["transformer_id"] is None and not name:
        raise invalid_option("name", "is empty; without transformer_id it is required")
    if name == "":
        raise invalid_option("name", "is empty; omit it to keep the name")
    _check_size("name", name, facts.MAX_NAME_BYTES)
    if sql is not None and not normal(sql):
        raise invalid_option("sql", "is empty; omit it to keep the query")
    _check_size("sql", sql, facts.MAX_SQL_BYTES)
    if len(description or "") > facts.MAX_DESCRIPTION_LENGTH:
        raise invalid_option(
            "description", f"{len(description)} characters are more than the limit of {facts.MAX_DESCRIPTION_LENGTH}"
        )
    samples = parse_samples(params["samples"] or ())
    return DesiredTransformer(params["state"] == "present", name, params["transformer_id"], sql, description, samples)


def desire_report(params: Params) -> TransformerQuery:
    _check_id(params["transformer_id"])
    return TransformerQuery(params["name"], params["transformer_id"])


def _check_id(transformer_id: int | None) -> None:
    if transformer_id is not None and transformer_id < 1:
        raise invalid_option("transformer_id", f"{transformer_id} is not above 0")


def _check_size(option: str, text: str | None, limit: int) -> None:
    size = len((text or "").encode(errors="surrogatepass"))
    if size > limit:
        raise invalid_option(option, f"{size} bytes are more than the limit of {limit}")


def normal(sql: str) -> str:
    """Return a query without blanks at the ends of its lines and without empty lines at its end, as queries are compared and shown."""
    # Not splitlines(), which also splits at characters that a text in a query may contain.
    return _LINE_END.sub("\n", sql).rstrip(_BLANKS + "\n")
