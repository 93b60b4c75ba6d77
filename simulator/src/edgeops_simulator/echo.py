# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t
from urllib.parse import parse_qsl, quote

from edgeops_simulator import jsontext
from edgeops_simulator.rules import destinations
from edgeops_simulator.rules.options import CVE_FLAG
from edgeops_simulator.settings import Settings

_ALWAYS = ("id", "dataset", "enabled", "destination_conf", "last_complete", "last_error", "error_message")
Document = dict[str, t.Any]


def job(kept: Document, settings: Settings) -> Document:
    """Return a job as the API returns it under the current settings, without the ownership challenge."""
    echoed = dict(kept)
    if echoed.get("filter"):
        echoed["filter"] = _filter(echoed["filter"], settings.echo_filter)
    if echoed.get("logpull_options"):
        echoed["logpull_options"] = _options(echoed["logpull_options"], settings.echo_options)
    if settings.echo_destination == "masked":
        echoed["destination_conf"] = destinations.masked(echoed["destination_conf"])
    if settings.echo_filter == "absent":
        del echoed["filter"]
    if settings.echo_zero == "keep":
        return echoed
    if echoed.get("output_options"):
        echoed["output_options"] = {k: v for k, v in echoed["output_options"].items() if (k, v) != (CVE_FLAG, False)}
    unset = [name for name, value in echoed.items() if name not in _ALWAYS and value in (None, "", 0)]
    if settings.echo_zero == "null":
        return {**echoed, **dict.fromkeys(unset)}
    return {name: value for name, value in echoed.items() if name not in unset}


def _filter(text: str, habit: str) -> str:
    if habit != "reserialised":
        return text
    try:
        return jsontext.spaced(_turned(jsontext.parse(text)))
    except ValueError:
        return text  # a seed may contain any text


def _turned(value: t.Any) -> t.Any:
    """Return a JSON value with the members of all its objects in reverse order."""
    if isinstance(value, dict):
        return {name: _turned(value[name]) for name in reversed(value)}
    return [_turned(item) for item in value] if isinstance(value, list) else value


def _options(text: str, habit: str) -> str:
    if habit == "verbatim":
        return text
    pairs = parse_qsl(text, keep_blank_values=True)
    if habit == "encoded":
        return "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in pairs)
    turned = [(name, ",".join(reversed(value.split(",")))) for name, value in reversed(pairs)]
    return "&".join(f"{name}={value}" for name, value in turned)
