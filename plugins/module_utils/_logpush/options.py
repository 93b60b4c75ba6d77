# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import types
import typing as t

from .._core import Json, invalid_option
from .._destination import SCHEMES, closest_scheme, holds_mask, upload_limits
from .._filter.parse import parse
from .._filter.text import check
from .._filter.tree import Tree
from .._text import did_you_mean, nearest
from .._zones import ACCOUNT, ALL_ADDRESSES, ZONE, scope_of
from . import logpull_options, output_options
from .facts import (
    DATASET,
    DATASETS,
    EDGE_DATASET,
    FREQUENCIES,
    IF_DIFFERENT,
    KINDS,
    MAX_CHALLENGE_LENGTH,
    MAX_DATASET_LENGTH,
    MAX_DESTINATION_LENGTH,
    PLAIN,
    RANGES,
    SENDING,
    SUBOPTIONS,
    TIMESTAMP_FORMATS,
    kind_fits,
)

# One of these is needed to tell a job from others.
IDENTITY = ("name", "job_id")

# The older form of the options of the output, as text and in parts, and the newer one exclude each other.
OLDER_FORM = ("fields", "timestamp_format", "option_flags")
FORMS: t.Sequence[tuple[str, str]] = (
    *(("logpull_options", option) for option in OLDER_FORM),
    *(("output_options", option) for option in (*OLDER_FORM, "logpull_options")),
)

# The options of one job, in the words of AnsibleModule.
OPTIONS: t.Mapping[str, dict[str, Json]] = {
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "name": {"type": "str"},
    "job_id": {"type": "int"},
    "dataset": {"type": "str"},
    "destination_conf": {"type": "str", "no_log": True},
    "ownership_challenge": {"type": "str", "no_log": True},
    "send_destination": {"type": "str", "choices": list(SENDING), "default": IF_DIFFERENT},
    "fields": {"type": "list", "elements": "str"},
    "timestamp_format": {"type": "str", "choices": list(TIMESTAMP_FORMATS)},
    "option_flags": {"type": "dict"},
    "logpull_options": {"type": "str"},
    "output_options": {"type": "dict", "options": {sub.option: sub.argument for sub in SUBOPTIONS.values()}},
    "filter": {"type": "raw"},
    "enabled": {"type": "bool"},
    "kind": {"type": "str", "choices": list(KINDS)},
    "frequency": {"type": "str", "choices": list(FREQUENCIES)},
    "max_upload_bytes": {"type": "int"},
    "max_upload_interval_seconds": {"type": "int"},
    "max_upload_records": {"type": "int"},
    "filter_attack_traffic": {"type": "bool"},
    "transformer_id": {"type": "int"},
    "recreate": {"type": "bool", "default": False},
    "validate_filter": {"type": "bool", "default": True},
    "validate_fields": {"type": "bool", "default": True},
    "create_without_listing": {"type": "bool", "default": False},
}


Params = t.Mapping[str, t.Any]
NO_FILTER: t.Final = ""
_DATASET = re.compile(r"[a-zA-Z0-9_-]*")
_DESTINATION = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class Desired(t.NamedTuple):
    """The desired state of a job; None stands for an omitted option. `plain` holds the members that need no grammar.

    `sending` says when the destination is sent. `places` holds the option path of each name of a field.
    """

    present: bool
    job_id: int | None
    name: str | None
    dataset: str
    plain: t.Mapping[str, Json]
    destination: str | None
    challenge: str | None
    filter: Tree | t.Literal[""] | None
    logpull: logpull_options.Requested | None
    output: t.Mapping[str, Json] | None
    recreate: bool
    create_without_listing: bool
    sending: str = IF_DIFFERENT
    validate_fields: bool = True
    places: t.Mapping[str, str] = types.MappingProxyType({})


def desire(params: Params, scope: str | None = None) -> Desired:
    """Return the desired job of validated options, of a zone or an account; refuse what the documentation of the service rules out."""
    plain = {name: params[name] for name in PLAIN if params[name] is not None}
    if "dataset" in plain:
        plain["dataset"] = plain["dataset"] or DATASET
    _check_identity(params)
    check_scope(plain.get("dataset", ""), scope or _scope_of(params))
    _check_ranges(plain, params["destination_conf"] or "")
    return Desired(
        present=params["state"] == "present",
        job_id=params["job_id"],
        name=params["name"],
        dataset=plain.get("dataset", DATASET),
        plain=plain,
        destination=None if params["destination_conf"] is None else checked_destination(params["destination_conf"]),
        challenge=checked_challenge(params["ownership_challenge"]),
        filter=_filter(params["filter"], params["validate_filter"]),
        logpull=_logpull(params),
        output=output_options.desire(params["output_options"]),
        recreate=params["recreate"],
        create_without_listing=params["create_without_listing"],
        sending=params["send_destination"],
        validate_fields=params["validate_fields"],
        places=_places(params),
    )


def _places(params: Params) -> dict[str, str]:
    """Return the option path of each name of a field, of repeated ones the first."""
    if params["fields"] is not None:
        path, names = "fields", params["fields"]
    elif (params["output_options"] or {}).get("field_names"):
        path, names = "output_options.field_names", params["output_options"]["field_names"]
    else:
        names = () if params["logpull_options"] is None else logpull_options.from_text(params["logpull_options"]).fields or ()
        return dict.fromkeys(names, "logpull_options")
    return {str(name).strip(): f"{path}[{index}]" for index, name in reversed(list(enumerate(names)))}


def _check_identity(params: Params) -> None:
    if params["job_id"] is not None and params["job_id"] < 1:
        raise invalid_option("job_id", f"{params['job_id']} is not above 0")
    if params["job_id"] is None and not params["name"]:
        raise invalid_option("name", "is empty; without job_id it is required")


def _check_ranges(plain: t.Mapping[str, Json], destination: str) -> None:
    most = upload_limits(destination).max_bytes
    for name, (low, high) in RANGES.items():
        value = plain.get(name)
        # IBM Cloud Logs takes less than the service otherwise uploads at least.
        is_smaller = name == "max_upload_bytes" and 0 < (value or 0) <= most < low
        if value and not low <= value <= high and not is_smaller:
            raise invalid_option(name, f"{value} is neither 0 (the default of the service) nor {low} to {high}")
    if plain.get("transformer_id", 0) < 0:
        raise invalid_option("transformer_id", f"{plain['transformer_id']} is below 0; 0 removes the transformer")
    dataset = _checked_dataset(plain.get("dataset", ""))
    if not kind_fits(plain.get("kind"), dataset):
        raise invalid_option("kind", f"'edge' exists for the dataset {EDGE_DATASET} only, not for {dataset}")


def _scope_of(params: Params) -> str | None:
    return scope_of(params) if any(params.get(name) for name in ALL_ADDRESSES) else None


def check_scope(dataset: str, scope: str | None) -> None:
    """Refuse a dataset that only zones have for an account, and the other way round; unknown ones are left to the service."""
    if scope is None or dataset in DATASETS[scope] or not any(dataset in names for names in DATASETS.values()):
        return
    other = next(each for each in DATASETS if each != scope)
    known = ", ".join(sorted(DATASETS[scope]))
    raise invalid_option("dataset", f"{dataset!r} exists for {_PLURALS[other]} only; those of {_PLURALS[scope]} are {known}")


_PLURALS = {ZONE: "zones", ACCOUNT: "accounts"}


def unknown_dataset(dataset: str) -> list[str]:
    """Return a warning about a dataset that this collection does not know, with the nearest one."""
    known = sorted(frozenset().union(*DATASETS.values()))
    if dataset in known:
        return []
    return [f"dataset: {dataset!r} is not a dataset that this collection knows{did_you_mean(nearest(dataset, known))}."]


def desire_dataset(params: Params) -> str:
    """Return the dataset that validated options name."""
    if not params["dataset"]:
        raise invalid_option("dataset", "is empty")
    check_scope(params["dataset"], _scope_of(params))
    return _checked_dataset(params["dataset"])


def _checked_dataset(name: str) -> str:
    if len(name) > MAX_DATASET_LENGTH or not _DATASET.fullmatch(name):
        raise invalid_option("dataset", f"{name!r} is not up to {MAX_DATASET_LENGTH} letters, digits, '_' and '-'")
    return name


def checked_destination(conf: str) -> str:
    """A destination that a service could accept; the text itself is in no message, because it may hold a password."""
    if not _DESTINATION.match(conf) or _CONTROL.search(conf):
        raise invalid_option("destination_conf", "is not of the form SCHEME://ADDRESS, as in s3://bucket/folder?region=us-west-2")
    if len(conf) > MAX_DESTINATION_LENGTH:
        raise invalid_option("destination_conf", f"{len(conf)} characters are more than the limit of {MAX_DESTINATION_LENGTH}")
    closest = closest_scheme(conf)
    if closest:
        known = ", ".join(sorted(SCHEMES))
        message = f"{conf.partition('://')[0]!r} is not a type of destination (did you mean {closest!r}?); known are {known}"
        raise invalid_option("destination_conf", message)
    return conf


def refuse_mask(conf: str) -> None:
    """Refuse a destination that would be sent with the mask of a secret in the place of the secret."""
    if holds_mask(conf):
        raise invalid_option(
            "destination_conf", "has asterisks in the place of a secret, which masked outputs have; give the secret"
        )


def checked_challenge(token: str | None) -> str | None:
    """A token without the line end that it often brings along from a file; None for an empty one."""
    token = (token or "").strip()
    if len(token) > MAX_CHALLENGE_LENGTH:
        raise invalid_option("ownership_challenge", f"{len(token)} characters are more than the limit of {MAX_CHALLENGE_LENGTH}")
    if any(map(str.isspace, token)):
        raise invalid_option("ownership_challenge", "has white space in it, which no token has")
    return token or None


def _filter(given: Json, within_limits: bool) -> Tree | t.Literal[""] | None:
    if given is None:
        return None
    if given == NO_FILTER:
        return NO_FILTER
    tree = parse(given)
    if within_limits:
        check(tree)
    return tree


def _logpull(params: Params) -> logpull_options.Requested | None:
    if params["logpull_options"] is not None:
        return logpull_options.from_text(params["logpull_options"])
    return logpull_options.from_parts(params["fields"], params["timestamp_format"], params["option_flags"])
