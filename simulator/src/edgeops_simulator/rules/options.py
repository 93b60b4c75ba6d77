# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t
from urllib.parse import parse_qsl

from edgeops_simulator.delivery import datasets
from edgeops_simulator.jsontext import is_a
from edgeops_simulator.refusal import Refusal
from edgeops_simulator.rules.members import check_types
from edgeops_simulator.state.owners import Owner

CODE = 1004
TIMESTAMP_FORMATS = ("unixnano", "unix", "rfc3339", "rfc3339ms", "rfc3339ns")
_FIELD_NAME = re.compile(r"[A-Za-z0-9_]+")
CVE_FLAG = "CVE-2021-44228"
_OUTPUT_KINDS: t.Mapping[str, type] = {
    "field_names": list,
    "output_type": str,
    "timestamp_format": str,
    "sample_rate": float,
    CVE_FLAG: bool,
    "merge_subrequests": bool,
    **dict.fromkeys(("batch_prefix", "batch_suffix", "record_prefix", "record_suffix"), str),
    **dict.fromkeys(("field_delimiter", "record_delimiter", "record_template"), str),
}


def logpull_problem(text: str) -> str:
    """What is wrong with the text of `logpull_options`, or an empty text."""
    if len(text) > 4096:
        return "logpull_options is longer than 4096 characters"
    for name, value in parse_qsl(text, keep_blank_values=True):
        if name == "timestamps" and value not in TIMESTAMP_FORMATS:
            return f"logpull_options: timestamps {value!r} is none of {', '.join(TIMESTAMP_FORMATS)}"
        if name == "fields" and value and not all(_FIELD_NAME.fullmatch(field) for field in value.split(",")):
            return "logpull_options: fields is not a list of field names separated by commas"
        if name == "sample" and not _is_rate(value):
            return "logpull_options: sample must be above 0 and at most 1"
    if text and "=" not in text:
        return "logpull_options is not of the form NAME=VALUE&NAME=VALUE"
    return ""


def logpull_fields(text: str) -> list[str]:
    """The field names of the text of `logpull_options`."""
    pairs = parse_qsl(text, keep_blank_values=True)
    return [field for name, value in pairs if name == "fields" for field in value.split(",") if field]


def unknown_fields(owner: Owner, dataset: str, names: t.Iterable[str]) -> str:
    """What is wrong with field names that the dataset does not have, or an empty text; nothing where its fields are not known."""
    known = datasets.fields(dataset, owner.fields, owner.kind)
    unknown = [] if known is None else [name for name in dict.fromkeys(names) if name not in known]
    return f"unknown fields of dataset {dataset}: {', '.join(unknown)}" if unknown else ""


def _is_rate(text: str) -> bool:
    try:
        return 0 < float(text) <= 1
    except ValueError:
        return False


def check_output(options: dict[str, t.Any]) -> None:
    """`output_options`, which is sent and kept as a whole."""
    check_types(options, _OUTPUT_KINDS, CODE, nullable=True, place="output_options.")
    names = options.get("field_names")
    if names is not None and not all(isinstance(name, str) and _FIELD_NAME.fullmatch(name) for name in names):
        raise Refusal(400, CODE, "output_options.field_names must be field names")
    for name, allowed in (("output_type", ("ndjson", "csv")), ("timestamp_format", TIMESTAMP_FORMATS)):
        if options.get(name) is not None and options[name] not in allowed:
            raise Refusal(400, CODE, f"output_options.{name} must be one of {', '.join(allowed)}")
    rate = options.get("sample_rate")
    if rate is not None and not (is_a(rate, float) and 0 < rate <= 1):
        raise Refusal(400, CODE, "output_options.sample_rate must be above 0 and at most 1")


def without_repeats(options: dict[str, t.Any]) -> dict[str, t.Any]:
    """A field name that is sent twice is kept once."""
    if not options.get("field_names"):
        return options
    return {**options, "field_names": list(dict.fromkeys(options["field_names"]))}
