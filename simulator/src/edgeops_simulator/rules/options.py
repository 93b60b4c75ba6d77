# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t
from urllib.parse import parse_qsl

from edgeops_simulator.delivery import datasets
from edgeops_simulator.state.owners import Owner

TIMESTAMP_FORMATS = ("unixnano", "unix", "rfc3339", "rfc3339ms", "rfc3339ns")
_FIELD_NAME = re.compile(r"[A-Za-z0-9_]+")
CVE_FLAG = "CVE-2021-44228"


def logpull_problem(text: str) -> str:
    """Return why the text of `logpull_options` is invalid, or an empty text."""
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
    """Return the field names in the text of `logpull_options`."""
    pairs = parse_qsl(text, keep_blank_values=True)
    return [field for name, value in pairs if name == "fields" for field in value.split(",") if field]


def unknown_fields(owner: Owner, dataset: str, names: t.Iterable[str]) -> str:
    """Return an error for field names that the dataset does not have, or an empty text, also if the fields of the dataset are unknown."""
    known = datasets.fields(dataset, owner.fields, owner.kind)
    unknown = [] if known is None else [name for name in dict.fromkeys(names) if name not in known]
    return f"unknown fields of dataset {dataset}: {', '.join(unknown)}" if unknown else ""


def _is_rate(text: str) -> bool:
    try:
        return 0 < float(text) <= 1
    except ValueError:
        return False


def without_repeats(options: dict[str, t.Any]) -> dict[str, t.Any]:
    """Remove duplicates of field names."""
    if not options.get("field_names"):
        return options
    return {**options, "field_names": list(dict.fromkeys(options["field_names"]))}
