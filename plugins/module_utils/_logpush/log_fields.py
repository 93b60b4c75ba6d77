# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t
from urllib.parse import unquote

from ansible_collections.edgeops.observability.plugins.module_utils._logpush import logpull_options
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.coverage import CARRIERS, selected_fields
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json

# The lists of the role beside those of the module.
ROLE_LISTS: t.Mapping[str, tuple[str, ...]] = {
    "RequestHeaders": ("request_headers", "transformed_request_headers"),
    "ResponseHeaders": ("response_headers", "raw_response_headers"),
    "Cookies": ("cookies",),
}


def select_custom_log_fields(job: Json, custom_fields: Json) -> dict[str, Json]:
    """Options of a job that select, beside the caller's own fields, what carries each list of custom fields that is not empty.

    The fields go where the caller's own are: into `output_options.field_names`, `logpull_options` or `fields`.
    """
    if not isinstance(job, dict):
        raise ValueError("the options of a log delivery job are needed: a mapping, or its JSON text")
    if not isinstance(custom_fields, dict):
        raise ValueError("custom fields: a mapping of lists is needed")
    carriers = carriers_of(custom_fields)
    if not carriers:
        return job
    output = job.get("output_options")
    if output is not None:
        return {**job, "output_options": _with_field_names(output, carriers)}
    if job.get("logpull_options") is not None:
        return {**job, "logpull_options": _with_text_fields(str(job["logpull_options"]), carriers)}
    return {**job, "fields": _merged(job.get("fields"), carriers)}


def carriers_of(custom_fields: t.Mapping[str, Json]) -> list[str]:
    """The fields of a job that carry the custom fields in these lists."""
    return [
        carrier for carrier, kinds in CARRIERS.items() if any(custom_fields.get(name) for name in (*ROLE_LISTS[carrier], *kinds))
    ]


def _with_field_names(output: Json, carriers: t.Sequence[str]) -> Json:
    if not isinstance(output, dict):
        return output  # the module refuses it in its own words
    return {**output, "field_names": _merged(output.get("field_names"), carriers)}


def _with_text_fields(text: str, carriers: t.Sequence[str]) -> str:
    """The same option string with more names in its `fields`; every other parameter stays as it was written."""
    missing = [name for name in carriers if name not in selected_fields({"logpull_options": text})]
    if not missing:
        return text
    plain = text.strip().lstrip("?")
    parameters = plain.split("&") if plain else []
    for position, parameter in enumerate(parameters):
        name, _equals, value = parameter.partition("=")
        if unquote(name).strip() == logpull_options.FIELDS:
            parameters[position] = f"{name}={','.join(filter(None, (value.rstrip(), *missing)))}"
            return "&".join(parameters)
    return "&".join([f"fields={','.join(missing)}", *parameters])


def _merged(own: Json, carriers: t.Sequence[str]) -> list[Json]:
    names = own.split(",") if isinstance(own, str) else list(own or ())
    names = [name.strip() if isinstance(name, str) else name for name in names]
    return [name for name in names if name != ""] + [name for name in carriers if name not in names]
