# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import fnmatch
import re
import typing as t

from edgeops_simulator.delivery import datasets
from edgeops_simulator.filters import syntax
from edgeops_simulator.refusal import Refusal
from edgeops_simulator.rules import destinations, options
from edgeops_simulator.settings import Settings
from edgeops_simulator.state import ownership
from edgeops_simulator.state.owners import Account, Owner

CODE = 1004
MIN_UPLOAD_BYTES = 5_000_000
# IBM Cloud Logs accepts at most 2 MB, and its documentation recommends this size.
_SMALL_UPLOADS = ("ibmcl",)
_DATASET = re.compile("[a-zA-Z0-9_-]+")


def is_dataset_name(text: str) -> bool:
    return _DATASET.fullmatch(text) is not None


def check(owner: Owner, body: t.Mapping[str, t.Any], before: t.Mapping[str, t.Any] | None, settings: Settings) -> None:
    """Check the members of a job together; `before` is the current job of an update."""
    _check_fixed(owner, body, before)
    destination = body.get("destination_conf") or (before or {}).get("destination_conf") or ""
    if 0 < (body.get("max_upload_bytes") or 0) < MIN_UPLOAD_BYTES and destinations.scheme_of(destination) not in _SMALL_UPLOADS:
        raise Refusal(400, CODE, f"max_upload_bytes must be 0 or {MIN_UPLOAD_BYTES} to 1000000000")
    problem = options.logpull_problem(body.get("logpull_options") or "")
    if problem:
        raise Refusal(400, CODE, problem)
    if settings.check_fields:
        _check_fields(owner, body, _dataset(body, before))
    _check_filter(owner, body, before, settings)


def _dataset(body: t.Mapping[str, t.Any], before: t.Mapping[str, t.Any] | None) -> str:
    return str(body.get("dataset") or (before or {}).get("dataset") or "http_requests")


def _check_fields(owner: Owner, body: t.Mapping[str, t.Any], dataset: str) -> None:
    """Check the field names of a job, in both of its option members."""
    for member, names in (
        ("logpull_options", options.logpull_fields(body.get("logpull_options") or "")),
        ("output_options", (body.get("output_options") or {}).get("field_names") or []),
    ):
        problem = options.unknown_fields(owner, dataset, names)
        if problem:
            raise Refusal(400, CODE, f"{member}: {problem}", source={"pointer": f"/{member}"})


def _check_fixed(owner: Owner, body: t.Mapping[str, t.Any], before: t.Mapping[str, t.Any] | None) -> None:
    for name in ("dataset", "kind"):
        if before is not None and body.get(name) is not None and body[name] != before[name]:
            raise Refusal(400, CODE, f"{name} of a job cannot change")
    if before is None and datasets.is_of_other_scope(_dataset(body, None), owner.kind):
        other = "zones" if owner.kind == "account" else "accounts"
        message = f"creating a new job is not allowed: dataset {_dataset(body, None)!r} is available for {other} only"
        raise Refusal(400, CODE, message, source={"pointer": "/dataset"})
    if body.get("kind") == "edge" and _dataset(body, before) != "http_requests":
        raise Refusal(400, CODE, "kind 'edge' is for the dataset http_requests only")


def _check_filter(owner: Owner, body: t.Mapping[str, t.Any], before: t.Mapping[str, t.Any] | None, settings: Settings) -> None:
    if not body.get("filter"):
        return
    verb = "creating a new" if before is None else "updating a"
    try:
        tree = syntax.parse(body["filter"])
        syntax.check_limits(body["filter"], tree)
        fields = datasets.fields(_dataset(body, before), owner.fields, owner.kind)
        if settings.check_filter_keys and fields is not None:
            syntax.check_keys(tree, fields)
    except syntax.BadFilter as problem:
        raise Refusal(400, CODE, f"{verb} job is not allowed: bad predicate: {problem}") from None


def check_destination(
    owner: Owner, body: t.Mapping[str, t.Any], before: t.Mapping[str, t.Any] | None, settings: Settings
) -> str | None:
    """Check the destination and its proof of ownership; return the challenge that this uses up."""
    destination = body.get("destination_conf") or (before or body)["destination_conf"]
    destinations.check(destination, settings.unwritable_destinations)
    if before is not None and destination == before["destination_conf"]:
        return None
    token = body.get("ownership_challenge")
    required = settings.strict_ownership and destinations.needs_ownership(destination)
    doubtful = token and (required or ownership.was_asked_for(owner.challenges, destination))
    if (required and not token) or (doubtful and not ownership.holds(owner.challenges, destination, token or "")):
        raise Refusal(
            400, destinations.BAD_DESTINATION, "error validating ownership: the challenge is missing, unknown or expired"
        )
    return token if required else None


def check_transformer(account: Account | None, body: t.Mapping[str, t.Any], before: t.Mapping[str, t.Any] | None) -> None:
    """Check that the account has the transformer of a job for this dataset. Null or 0 removes it from the job."""
    number = body.get("transformer_id")
    if not number:
        return
    transformer = account.transformers.get(number) if account else None
    if transformer is None:
        raise Refusal(400, CODE, f"transformer {number} not found for this account")
    dataset = _dataset(body, before)
    if transformer["dataset"] not in (None, dataset):
        raise Refusal(
            400, CODE, f'transformer {number} dataset "{transformer["dataset"]}" does not match job dataset "{dataset}"'
        )
    options = body["output_options"] if "output_options" in body else (before or {}).get("output_options")
    if (options or {}).get("output_type") == "csv":
        raise Refusal(400, CODE, "a transformer is for jobs that deliver NDJSON")


def check_allowed(owner: Owner, body: t.Mapping[str, t.Any], settings: Settings) -> None:
    """Check that the plan allows one more job, and its dataset."""
    dataset = _dataset(body, None)
    unavailable = any(fnmatch.fnmatchcase(dataset, pattern) for pattern in settings.unavailable_datasets)
    if unavailable or (settings.max_jobs and len(owner.jobs) >= settings.max_jobs):
        raise Refusal(403, CODE, "creating a new job is not allowed: exceeded max jobs allowed")
