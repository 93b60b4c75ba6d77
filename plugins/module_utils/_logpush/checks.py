# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# What a plan refuses, and what it warns of.
import dataclasses
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._destination.parse import is_assumed_same, takes_token
from ansible_collections.edgeops.observability.plugins.module_utils._errors import NOT_FOUND, Failure, conflict, invalid_option
from ansible_collections.edgeops.observability.plugins.module_utils._filter.lint.findings import lint
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.facts import EDGE_DATASET, kind_fits
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.options import NO_FILTER, Desired, refuse_mask
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.ownership_token import fault
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.present import Job
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.select import State
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json

_ASSUMED = (
    "Job {id}: the service masks secret parts of the destination, so that they are assumed to be equal."
    " To send a changed secret, set send_destination to 'always' once."
)


def insist_on_listing(desired: Desired, refusal: Failure) -> None:
    """Refuse a job by name where the service lists none, unless it is created without looking."""
    if desired.present and desired.create_unlisted:
        return
    advice = (
        "Set create_unlisted to create the job without checking; each further run would create another one."
        if desired.present
        else "Set job_id to select the job to delete."
    )
    message = (
        f"The service cannot list jobs, so it is not known whether there is one named {desired.name!r}. {advice} ({refusal})"
    )
    raise dataclasses.replace(refusal, kind=NOT_FOUND, message=message)


def need_destination(desired: Desired, why: str) -> None:
    """Refuse a creation without a destination."""
    if desired.destination is None:
        raise invalid_option("destination_conf", why)


def insist_on_dataset(job: Job, body: Job) -> None:
    """Refuse a successor that the service would refuse after the deletion: of kind and dataset, one may carry over."""
    if not kind_fits(body.get("kind"), body["dataset"]):
        raise conflict(
            f"Job {job['id']} would be re-created as kind 'edge' of the dataset {body['dataset']!r}, but 'edge' exists for"
            f" {EDGE_DATASET!r} only. Omitted options are copied from the old job: set both kind and dataset."
        )


def insist_on_name(job: Job, body: Job, state: State) -> None:
    """Refuse a successor that would be one of two jobs of a name, which no later run could tell apart."""
    name, dataset = body.get("name"), body["dataset"]
    others = state.taken.get((name, dataset), frozenset()) - {job["id"]} if name else ()
    if others:
        raise conflict(
            f"Job {job['id']} would be re-created under the name {name!r}, which job {min(others)} of the dataset {dataset!r} has."
            " Set name to another one, or delete that job."
        )


def assumed_same(desired: Desired, job: Job, body: t.Mapping[str, Json]) -> list[str]:
    """Return a warning if the destination counts as equal although the service does not show all of it."""
    present = job.get("destination_conf")
    if (
        desired.destination is None
        or "destination_conf" in body
        or not present
        or not is_assumed_same(desired.destination, present)
    ):
        return []
    return [_ASSUMED.format(id=job["id"])]


def warnings_of(desired: Desired, state: State, body: t.Mapping[str, Json]) -> list[str]:
    """The lint of the filter; and of what would be sent of a destination, whether it can be good and is needed."""
    if "destination_conf" in body:
        refuse_mask(body["destination_conf"])
    found = list(lint(desired.filter)) if desired.filter is not None and desired.filter != NO_FILTER else []
    if "ownership_challenge" in body:
        wrong = fault(body["ownership_challenge"], desired.zone_id, body["destination_conf"], state.now)
        if wrong:
            raise invalid_option("ownership_challenge", wrong)
        if takes_token(body["destination_conf"]) is False:
            found.append("ownership_challenge: the service requires no proof of ownership for this type of destination.")
    return found
