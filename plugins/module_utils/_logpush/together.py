# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t

from .._address import ACCOUNT
from .._core import invalid_option
from .._destination import DATE, Destination, has_placeholder, is_private_host, misshapen_options, template_parts, white_space
from .._destination_schemes import SCHEMES
from .._filter.tree import conditions
from .._text import did_you_mean, shorten
from . import logpull_options
from .coverage import CARRIERS
from .facts import CSV, DATASET, MAX_NAME_LENGTH, MEMBERS, MERGE_SUBREQUESTS
from .job import Job, parts_of
from .options import TRANSFORMER

# What is documented to go together in a job, from Cloudflare's pages as of October 2026 (Logpush: datasets, destinations, transformers).
# The destinations themselves are described in `_destination.SCHEMES`, and the datasets of a member in `facts.MEMBERS`.

_NAME = re.compile(r"[a-zA-Z0-9._-]*")
_DESTINATION = "destination_conf"
_OUTPUT = ("logpull_options", "output_options")
Problems = t.Iterator[str]


class Whole(t.NamedTuple):
    """A job as a task leaves it: the members that the task manages, those that it sends, and the scope of the job.

    `destination` is None where the service does not show it.
    """

    job: Job
    destination: Destination | None
    managed: t.Collection[str]
    sent: t.Collection[str]
    scope: str


def problems(whole: Whole) -> Problems:
    """Yield warnings about what the service probably refuses, ignores or loses; refuse what it certainly refuses."""
    for rules, members in ((_REFUSALS, whole.sent), (_LOSSES, whole.managed)):
        for rule, names in rules.items():
            if not names.isdisjoint(members):
                yield from rule(whole)


def _scheme(whole: Whole) -> Problems:
    to = whole.destination
    if to and to.scheme not in SCHEMES:
        yield (
            f"{_DESTINATION}: {to.scheme!r} is not a known type of destination;"
            " the service may refuse it, and outputs mask its options."
        )
    if to and to.scheme == "http":
        yield f"{_DESTINATION}: the service delivers over https only, to a host with a certificate of a public authority."
    if to and is_private_host(to):
        yield f"{_DESTINATION}: the host cannot be reached from the internet, so that the service cannot deliver to it."


def _address(whole: Whole) -> Problems:
    to = whole.destination
    if to is None:
        return
    if where := white_space(to):
        yield f"{_DESTINATION}: {where} contains white space; write %20 in a value, and none in the name of a header."
    for wrong in misshapen_options(to):
        yield f"{_DESTINATION}: {wrong}."
    if has_placeholder(to):
        yield f"{_DESTINATION}: has a word in angle brackets, which an example has in place of a value."
    if to.text.count("?") > 1:
        yield f"{_DESTINATION}: has two question marks; separate options with '&', and write %3F for a question mark in a value."
    parts = template_parts(to)
    if others := [part for part in parts if part != DATE]:
        yield f"{_DESTINATION}: {', '.join(others)} is not replaced by the service, which knows {DATE} only."
    elif parts and not to.facts.dated:
        dated = _listed([name for name, scheme in SCHEMES.items() if scheme.dated])
        yield f"{_DESTINATION}: {DATE} is replaced for {dated} only, not for {to.scheme}."


def _options(whole: Whole) -> Problems:
    to = whole.destination
    if to is None:
        return
    names = {option.name.lower() for option in to.options if option.value}
    if missing := sorted(to.facts.required - names):
        yield f"{_DESTINATION}: lacks {_listed(missing)}, which {to.scheme} needs; the service refuses it, or delivers nothing."
    for option in to.options:
        allowed = to.facts.values.get(option.name.lower())
        if allowed is not None and option.value != allowed:
            raise invalid_option(_DESTINATION, f"the service accepts {to.scheme} with {option.name}={allowed} only")


def _output(whole: Whole) -> Problems:
    """What the destination reads: the format of times, and the texts around records."""
    to, job = whole.destination, whole.job
    if to is None:
        return
    times = str(parts_of(job)["timestamp_format"] or "")
    if to.facts.unix_times and times.startswith("rfc3339"):
        yield f"timestamp_format: this destination reads unix times only, not {times}."
    wrong = [name for name, text in to.facts.output.items() if (job.output.get(name) or "") != text]
    if wrong:
        texts = ", ".join(f"{name} {text!r}" for name, text in to.facts.output.items())
        yield f"output_options: {to.scheme} reads a JSON list, which needs {texts}."


def _sizes(whole: Whole) -> Problems:
    if whole.destination is None:
        return
    facts = whole.destination.facts
    for name, most in (("max_upload_bytes", facts.max_bytes), ("max_upload_records", facts.max_records)):
        value = whole.job.values[name] if name in whole.managed else None
        if value and facts.fixed:
            yield f"{name}: uploads to this destination have a fixed size, so that the service ignores it."
        elif isinstance(value, int) and 0 < most < value:
            yield f"{name}: {value} is more than this destination takes in one upload ({most}); larger uploads fail."


def _transformer(whole: Whole) -> Problems:
    yield from ()
    is_managed = not {"transformer_id", "output_options"}.isdisjoint(whole.managed)
    if is_managed and whole.job.values["transformer_id"] and whole.job.output.get("output_type") == CSV:
        options = (name for name in TRANSFORMER if name in whole.managed)
        raise invalid_option(
            next(options, "output_options.output_type"),
            "a transformer changes records of the output_type 'ndjson' only, and this job delivers 'csv'",
        )


def _datasets(whole: Whole) -> Problems:
    job = whole.job
    for name, member in MEMBERS.items():
        if member.datasets and name in whole.managed and job.values[name] and job.dataset not in member.datasets:
            yield f"{name}: exists for the datasets {_listed(member.datasets)}, not for {job.dataset}, so that the service ignores or refuses it."
    merges = job.output.get(MERGE_SUBREQUESTS) or job.members.get(MERGE_SUBREQUESTS)
    if merges and (job.dataset != DATASET or whole.scope == ACCOUNT):
        yield (
            f"output_options.{MERGE_SUBREQUESTS}: exists for the dataset {DATASET} of zones, not for {job.dataset} of {whole.scope}s,"
            " so that the service ignores or refuses it."
        )


def _name(whole: Whole) -> Problems:
    name = whole.job.name or ""
    if not _NAME.fullmatch(name):
        yield f"name: {shorten(name)!r} contains other characters than letters, digits, '.', '_' and '-', which Cloudflare refuses in the name of a job."

    if len(name) > MAX_NAME_LENGTH:
        yield f"name: has {len(name)} characters, and Cloudflare refuses more than {MAX_NAME_LENGTH} in the name of a job."


def _parameters(whole: Whole) -> Problems:
    for name, meant in [] if whole.job.output else logpull_options.misspelled(whole.job.logpull):
        yield f"logpull_options: {shorten(name)!r} is not a documented parameter, and the service may ignore it{did_you_mean(meant)}."


def _filter(whole: Whole) -> Problems:
    tree = whole.job.filter
    keys = [condition.key for _place, condition in conditions(tree)] if tree and whole.job.dataset == DATASET else []
    if objects := [key for key in dict.fromkeys(keys) if key.partition(".")[0] in CARRIERS]:
        yield (
            f"filter: compares {_listed(objects)}: the service documents no filter by a field that holds an object, or by a member of"
            " one, so that it may refuse the filter, or no record may meet the condition."
        )


def _listed(names: t.Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


Rules = t.Mapping[t.Callable[[Whole], Problems], frozenset[str]]
# What the service refuses, with the members of which one must be sent.
_REFUSALS: Rules = {
    _name: frozenset(("name",)),
    _filter: frozenset(("filter",)),
    _parameters: frozenset(("logpull_options",)),
    _scheme: frozenset((_DESTINATION,)),
    _address: frozenset((_DESTINATION,)),
    _options: frozenset((_DESTINATION,)),
    _transformer: frozenset(("transformer_id", "output_options")),
}
# What the service accepts although something is ignored or lost, with the members of which the task must manage one.
_LOSSES: Rules = {
    _output: frozenset((_DESTINATION, *_OUTPUT)),
    _sizes: frozenset(("max_upload_bytes", "max_upload_records")),
    _datasets: frozenset(("filter_attack_traffic", "output_options")),
}
