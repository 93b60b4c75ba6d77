# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._destination import parse as destination
from ansible_collections.edgeops.observability.plugins.module_utils._destination.mask import (
    public_change,
    public_destination,
    public_resend,
)
from ansible_collections.edgeops.observability.plugins.module_utils._errors import conflict
from ansible_collections.edgeops.observability.plugins.module_utils._filter.equality import same as same_filter
from ansible_collections.edgeops.observability.plugins.module_utils._filter.explain import explain_echo
from ansible_collections.edgeops.observability.plugins.module_utils._filter.parse import read_echo
from ansible_collections.edgeops.observability.plugins.module_utils._filter.text import to_text
from ansible_collections.edgeops.observability.plugins.module_utils._logpush import logpull_options, output_options
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.facts import CARRIED_UNNAMED, MEMBERS
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.options import NO_FILTER, Desired
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.output_facts import NDJSON
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.present import Job
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json


class Change(t.NamedTuple):
    """One managed member: how the diff shows it, how the result does, and what to send (nothing where it does not differ).

    Where nothing differs, the result is what the service reports; what is written is reported as the task spells it, so that
    check mode can predict it, however the service returns it afterwards.
    """

    name: str
    before: Json
    after: Json
    result: Json
    sends: t.Mapping[str, Json]


def changes(desired: Desired, present: t.Mapping[str, Json]) -> list[Change]:
    """What the task manages, compared with a job; an empty `present` stands for a job to be created."""
    found = [_plain(name, value, present) for name, value in desired.plain.items()]
    if desired.destination is not None:
        found.append(_destination(desired, desired.destination, present))
    if desired.logpull is not None:
        found.append(_logpull(desired.logpull, present))
    if desired.output is not None:
        found += _output(desired.output, present)
    if desired.filter is not None:
        found.append(_filter(desired, MEMBERS["filter"].normal(present.get("filter"))))
    return found


def fixed_changes(desired: Desired, present: t.Mapping[str, Json]) -> list[Change]:
    """The changes of a job that only another job can have."""
    found = [_plain(name, value, present) for name, value in desired.plain.items() if MEMBERS[name].fixed]
    return [change for change in found if change.sends]


def predicted(shown: Job, made: t.Iterable[Change]) -> Job:
    """The job, reported as `shown` now, as it will be reported once the changes are made."""
    job = {**shown, **{change.name: change.result for change in made}}
    return {**job, "filter_explained": explain_echo(job["filter"])}


def of_successor(made: t.Sequence[Change]) -> list[Change]:
    """The changes of a job that is re-created, which gets one form of its options only."""
    newer = any("output_options" in change.sends for change in made)
    return [change._replace(after=None, result=None) if newer and change.name == "logpull_options" else change for change in made]


def carried(job: t.Mapping[str, Json]) -> Job:
    """What the successor of a job takes over from it: all that may be sent and is set, but the destination."""
    taken = {name: job[name] for name in CARRIED_UNNAMED if job.get(name)}
    for name, member in MEMBERS.items():
        value = member.normal(job.get(name))
        if member.sent and value != member.default:
            taken[name] = value
    if job.get("output_options"):
        # The service ignores the older form beside the newer one, but may still show it.
        taken.pop("logpull_options", None)
    return taken


def _plain(name: str, value: Json, present: t.Mapping[str, Json]) -> Change:
    member = MEMBERS[name]
    before, after = member.normal(present.get(name)), member.normal(value)
    return Change(name, before, after, after, {name: value} if before != after or not present else {})


def _destination(desired: Desired, requested: str, present: t.Mapping[str, Json]) -> Change:
    there = present.get("destination_conf")
    before, after = public_change(there, requested)
    if there is not None and destination.same(requested, there):
        if not desired.resend:
            return Change("destination", before, before, public_destination(there), {})
        before, after = public_resend(there)
    proof = {"ownership_challenge": desired.challenge} if desired.challenge else {}
    return Change("destination", before, after, public_destination(requested), {"destination_conf": requested, **proof})


def _logpull(requested: logpull_options.Requested, present: t.Mapping[str, Json]) -> Change:
    if present.get("output_options"):
        raise conflict(
            f"logpull_options: job {present['id']} already uses output_options, beside which the service ignores"
            " logpull_options. Give output_options instead of fields, timestamp_format, option_flags and logpull_options."
        )
    text, differs = logpull_options.merged(requested, present.get("logpull_options"))
    return _whole("logpull_options", present, text, text or None, differs or bool(text and not present))


def _output(requested: t.Mapping[str, Json], present: t.Mapping[str, Json]) -> list[Change]:
    """The newer form of the options; a job that has the older one only takes over what that says, and the diff shows both."""
    there, older = present.get("output_options"), present.get("logpull_options")
    whole, differs = output_options.merged(requested, there)
    if there or not older:
        return [_output_change(requested, present, whole, differs or bool(requested and not present))]
    whole, differs_from_older = output_options.merged(requested, output_options.from_logpull(older))
    if not any(whole.values()):
        # A service that leaves out what is empty or false would show none at all, and the older form would seem to count.
        whole = {"output_type": NDJSON, **whole}
    change = _output_change(requested, present, whole, differs or differs_from_older)
    return [Change("logpull_options", older, older, older, {}), change] if change.sends else [change]


def _output_change(requested: t.Mapping[str, Json], present: t.Mapping[str, Json], whole: Json, differs: bool) -> Change:
    return _whole("output_options", present, whole, output_options.shown(whole, requested), differs)


def _filter(desired: Desired, there: str | None) -> Change:
    if desired.filter is None or desired.filter == NO_FILTER:
        return Change("filter", there, None, None, {"filter": NO_FILTER} if there else {})
    present = read_echo(there)
    text = to_text(desired.filter)
    if present is not None and same_filter(desired.filter, present):
        return Change("filter", there, there, there, {})
    return Change("filter", there, text, text, {"filter": text})


def _whole(name: str, present: t.Mapping[str, Json], new: Json, result: Json, differs: bool) -> Change:
    """A member that is sent as a whole or not at all."""
    before = MEMBERS[name].normal(present.get(name))
    if not differs:
        return Change(name, before, before, before, {})
    return Change(name, before, result, result, {name: new})
