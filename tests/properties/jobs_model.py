# SPDX-License-Identifier: GPL-3.0-or-later

"""An independent model of Logpush jobs; it shares no code with the collection."""

import json
import typing as t
from urllib.parse import parse_qsl

Json = t.Any
Document = t.Mapping[str, Json]

DEFAULTS: Document = {"enabled": False, "frequency": "high", "max_upload_records": 100_000, "max_upload_interval_seconds": 30}
OLDER = ("fields", "timestamp_format", "option_flags", "logpull_options")
FLAG = "CVE-2021-44228"
NEWER = {"field_names": frozenset(), "sample_rate": 1, "timestamp_format": "unixnano", FLAG: False}


class Refused(Exception):
    """The desired state must be refused; the argument is the kind of the failure."""


def without_defaults(parameters: dict[str, Json]) -> dict[str, Json]:
    off = ("", "false", "0", "unixnano", frozenset())
    return {name: value for name, value in parameters.items() if value not in off}


def parameters(text: str | None) -> dict[str, Json]:
    """Return the members of an option string."""
    members: dict[str, Json] = dict(parse_qsl(text or "", keep_blank_values=True))
    if "fields" in members:
        members["fields"] = frozenset(name for name in members["fields"].split(",") if name)
    return members


def older_meaning(text: str | None) -> dict[str, Json]:
    """Return the members of an option string without those that are off or have their default."""
    return without_defaults(parameters(text))


def newer_meaning(options: Json) -> Json:
    """Return all members of `output_options`, or None if the job has `logpull_options`."""
    if not options:
        return None
    filled = {**NEWER, **{name: options[name] for name in NEWER if options.get(name)}}
    return {**filled, "field_names": frozenset(filled["field_names"])}


def newer_from_older(text: str | None) -> Document:
    """Convert `logpull_options` to `output_options`."""
    members = older_meaning(text)
    return {
        "field_names": members.get("fields", frozenset()),
        "sample_rate": float(members.get("sample", 1)),
        "timestamp_format": members.get("timestamps", "unixnano"),
        FLAG: members.get(FLAG) == "true",
    }


def filter_meaning(text: Json) -> Json:
    """Return the canonical form of a filter: without the outer `where` and groups of one, with sorted, unique members of groups."""
    if not text:
        return None
    return _normal(json.loads(text) if isinstance(text, str) else text)


def _normal(tree: Json) -> Json:
    if "where" in tree:
        return _normal(tree["where"])
    for branch in ("and", "or"):
        if branch in tree:
            parts = {json.dumps(_normal(part), sort_keys=True) for part in tree[branch]}
            return json.loads(next(iter(parts))) if len(parts) == 1 else {branch: sorted(parts)}
    return tree


def as_job(side: Document, rest: dict[str, Json]) -> Document:
    """Return one side of a diff as a job with `logpull_options`; `rest` has the parts of these options that the diff omits."""
    parts = dict(rest)
    if "option_flags" in side:
        flags = {name: "true" if value is True else str(value) for name, value in (side["option_flags"] or {}).items()}
        parts = {name: value for name, value in parts.items() if name in ("fields", "timestamps")} | flags
    if "fields" in side:
        parts["fields"] = frozenset(side["fields"] or ())
    if "timestamp_format" in side:
        parts["timestamps"] = side["timestamp_format"] or ""
    text = "&".join(f"{name}={','.join(value) if name == 'fields' else value}" for name, value in parts.items())
    return {"logpull_options": text, **side}


MEANINGS = {"logpull_options": older_meaning, "output_options": newer_meaning, "filter": filter_meaning}


def meaning(members: Document) -> dict[str, Json]:
    """Return the canonical form of each of these members that a task can manage."""
    names = [name for name in ("name", *DEFAULTS, *MEANINGS) if name in members]
    return {name: MEANINGS[name](members[name]) if name in MEANINGS else members[name] or DEFAULTS.get(name) for name in names}


def same_destination(options: Document, stored: str, masked: bool) -> bool:
    """Return whether a task leaves the destination unchanged; a secret that the service masks cannot be compared."""
    desired = options.get("destination_conf", stored)
    secret = "&secret-access-key="
    return desired == stored or (masked and desired.partition(secret)[0] == stored.partition(secret)[0])


def is_present(options: Document) -> bool:
    return options.get("state") != "absent"


def target(options: Document, jobs: t.Sequence[Document]) -> Document | None:
    """Return the job that a task manages; raise `Refused` if the desired state is impossible."""
    if "job_id" in options:
        candidates = [job for job in jobs if job["id"] == options["job_id"]]
        if is_present(options) and not candidates:
            raise Refused("not_found")
    else:
        named = (options["name"], options.get("dataset", "http_requests"))
        candidates = [job for job in jobs if (job["name"], job["dataset"]) == named]
    if len(candidates) > 1:
        raise Refused("conflict")
    if is_present(options) and not candidates and "destination_conf" not in options:
        raise Refused("invalid_option")
    if is_present(options) and candidates and candidates[0]["output_options"] and any(name in options for name in OLDER):
        raise Refused("conflict")
    return candidates[0] if candidates else None


def expected(options: Document, before: Document | None) -> dict[str, Json]:
    """Return the meaning of each member that a task manages, after the task."""
    managed = meaning({name: value for name, value in options.items() if name not in ("logpull_options", "output_options")})
    if any(name in options for name in OLDER):
        managed["logpull_options"] = _older(options, older_meaning(before["logpull_options"] if before else ""))
    if "output_options" in options:
        managed["output_options"] = _newer(options["output_options"], before)
    return managed


def _newer(options: Document, before: Document | None) -> Json:
    """Return `output_options` after a task: current ones, or the converted `logpull_options`, with the options of the task."""
    named = {FLAG if name == "cve_2021_44228" else name: value for name, value in options.items()}
    if "field_names" in named:
        named["field_names"] = frozenset(named["field_names"])
    if before is None:
        return {**NEWER, **named} if named else None
    if before["output_options"]:
        return {**newer_meaning(before["output_options"]), **named}
    older = newer_from_older(before["logpull_options"])
    needless = {**NEWER, **named} == NEWER and {**older, **named} == older
    return None if needless else {**older, **named}


def _older(options: Document, there: dict[str, Json]) -> dict[str, Json]:
    """Return `logpull_options` after a task: current ones with the options of the task."""
    named = parameters(options.get("logpull_options"))
    if "fields" in options:
        named["fields"] = frozenset(options["fields"])
    if "timestamp_format" in options:
        named["timestamps"] = options["timestamp_format"]
    named |= {name: "true" if value else "" for name, value in options.get("option_flags", {}).items()}
    return without_defaults({**there, **named})
