# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import json
import re
import types
import typing as t
from urllib.parse import quote_plus, unquote

from .._core import Failure, Json
from .._destination import ASTERISKS, Destination, Option, lacks_question_mark, parse
from .._destination_address import address_text
from .._filter.text import to_data, to_text
from .._logpush import logpull_options, output_options
from .._logpush.facts import MEMBERS, MERGE_SUBREQUESTS, PLAIN, SUBOPTIONS
from .._logpush.job import Job, JobState, without_option
from .._logpush.options import ADDRESS, OPTIONS, desire
from .._logpush.plan import plan
from .._templates import DELIMITER
from .._text import dict_of, is_integer, list_of

# A job as an item of `log_delivery_jobs`.
JobVariables = dict[str, Json]


class Jobs(t.NamedTuple):
    """The jobs of a zone as variables of the role.

    Declaring what is left out would change the service, or reveal a secret. The destinations are templates that use the secrets
    whose names `vault` contains.
    """

    items: list[JobVariables]
    left_out: list[dict[str, str]]
    vault: list[str]
    destinations: list[t.Mapping[str, Json]]

    def leave_out(self, job: Job, what: str, why: str) -> None:
        """Note a member of a job that is not in its item, or a job that has no item (`what` is empty), and why."""
        label = f"job {job.id} ({job.name})" if job.name else f"job {job.id}"
        self.left_out.append({"what": f"{what} of {label}" if what else label, "why": why})


# The arguments of `output_options`.
_SUBOPTIONS = {sub.option: sub.argument for sub in SUBOPTIONS.values()}
# The options of a job, and those arguments, of an item that has none of them.
_DEFAULTS = {name: option.get("default") for name, option in OPTIONS.items()}
_OMITTED = dict.fromkeys(_SUBOPTIONS)
# Plain members that an item has for other reasons than to differ from a default.
_ALWAYS = ("name", "dataset", "enabled")
_NO_OPTION = "no option of logpush_job"
_SAMPLE_RATE, _ATTACKS = "sample_rate", "filter_attack_traffic"
_NOT_SAMPLED = f"{logpull_options.SAMPLE}=1"


def _members(job: Job) -> JobVariables:
    """Return the members of a job that differ from the defaults of the service, as options; None for one that cannot be parsed.

    What decides which records are delivered is a member at its default, too: an omitted one is not compared, so that a user could
    change it unseen.
    """
    text = job.members.get("logpull_options")
    members: JobVariables = {}
    output = {**job.output, **_beside(job)}
    if output and (job.output or not text):
        suboptions = {
            sub.option: output[wire]
            for wire, sub in SUBOPTIONS.items()
            if output.get(wire) is not None and not output_options.same_suboption(wire, output, {**output, wire: None})
        }
        members = {"output_options": {_SAMPLE_RATE: 1, **suboptions}}
    else:
        members = _logpull(text if isinstance(text, str) else "", job.logpull)
    members["filter"] = ""
    if job.values["filter"]:
        members["filter"] = None if job.filter is None else to_data(to_text(job.filter))
    plain = (name for name in PLAIN if name not in _ALWAYS)
    members.update({name: job.values[name] for name in plain if job.values[name] != MEMBERS[name].default})
    if job.dataset in MEMBERS[_ATTACKS].datasets:
        members[_ATTACKS] = job.values[_ATTACKS]
    return members if job.values["transformer_id"] else {**members, "transformer": ""}


def _beside(job: Job) -> JobVariables:
    """Return the member that is an option of `output_options` but that the service may show beside them."""
    is_set = MERGE_SUBREQUESTS not in job.output and bool(job.members.get(MERGE_SUBREQUESTS))
    return {MERGE_SUBREQUESTS: True} if is_set else {}


def _without_option(item: JobVariables, job: Job) -> list[str]:
    """Return the members of a job, and those of its `output_options`, that no option sets."""
    declared = {MERGE_SUBREQUESTS} if MERGE_SUBREQUESTS in dict_of(item.get("output_options")) else set()
    inner = [f"output_options.{name}" for name, value in job.output.items() if value and name not in SUBOPTIONS]
    return [*(name for name in without_option(job) if name not in declared), *inner]


def _logpull(text: str, present: logpull_options.Parameters) -> JobVariables:
    """Return the parameters as separate options; as `logpull_options` text if that would lose something."""
    parts = logpull_options.to_parts({name: value for name, value in present.items() if logpull_options.canonical({name: value})})
    rate = logpull_options.canonical(present).get(logpull_options.SAMPLE)
    if rate is not None and not logpull_options.is_rate(rate):
        # The module refuses to declare such a rate, which is left out with that reason and takes no other parameter along.
        others = _logpull(text, {name: value for name, value in present.items() if name != logpull_options.SAMPLE})
        flags = {**dict_of(others.get("option_flags")), **dict_of(parts["option_flags"])}
        return {"logpull_options": text} if "logpull_options" in others else {**others, "option_flags": flags}
    try:
        parsed = logpull_options.from_parts(*parts.values())
        whole = parsed is None or not logpull_options.merged(parsed, present)[1]
    except (Failure, UnicodeEncodeError):
        whole = False
    is_sampled = logpull_options.SAMPLE in logpull_options.canonical(present)
    if not whole:
        return {"logpull_options": text if is_sampled else f"{text}&{_NOT_SAMPLED}"}
    if not is_sampled:
        parts["option_flags"] = {**(parts["option_flags"] or {}), logpull_options.SAMPLE: 1}
    return {name: value for name, value in parts.items() if value is not None}


_OTHER = re.compile(r"[^a-z0-9]")


def variable_key(text: str) -> str:
    """Return a host name or an option as part of the name of a variable."""
    return _OTHER.sub("_", text.lower())


def is_unreadable(conf: str) -> bool:
    """Return whether a destination contains a secret or a mask of the service, or is invalid."""
    parts = parse(conf)
    masked = any(part.secret for part in parts.parts) or any(option.secret for option in parts.options)
    return not parts.sound or masked or parts.user is not None or bool(ASTERISKS.search(conf))


def template_of(conf: str, prefix: str) -> tuple[str, list[str]]:
    """Return the destination as a template with a variable for each secret, and the names of the variables, which begin with `prefix`."""
    parts = parse(conf)
    # A fragment, or an option whose name holds a key, has no place that a variable can take.
    if parts.sound and "#" not in conf and all(option.plain_name or option.value is None for option in parts.options):
        names = _Names(prefix)
        return _with_variables(parts, names), list(names.values)
    name = f"{prefix}_destination"
    return f"{{{{ {name} }}}}", [name]


def _with_variables(parts: Destination, names: _Names) -> str:
    user = ""
    if parts.user is not None:
        name, colon, password = parts.user.partition(":")
        user = f"{names.variable('user', name, in_user=True)}:" if colon else ""
        user += f"{names.variable('password', password if colon else name, in_user=True)}@"
    path = "".join(f"/{names.variable('path', part.text) if part.secret else _literal(part.text)}" for part in parts.parts)
    options = "&".join(_option(option, names) for option in parts.options)
    return f"{parts.scheme}://{user}{_literal(parts.authority)}{path}{'?' if options else ''}{options}"


class _Names:
    """The variables of a destination in order, each with its secret; different secrets get different names."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self.values: dict[str, str] = {}

    def variable(self, part: str, secret: str, in_user: bool = False) -> str:
        name = base = f"{self._prefix}_{variable_key(part)}"
        number = 1
        while self.values.setdefault(name, secret) != secret:
            number += 1
            name = f"{base}_{number}"
        # The filter urlencode does not escape a slash, which would end the user information of the URL.
        slash = " | replace('/', '%2F')" if in_user and "/" in unquote(secret) else ""
        return f"{{{{ {name} | urlencode{slash} }}}}"


def _literal(text: str) -> str:
    """Return text of the service for a template, with Jinja delimiters escaped."""
    return DELIMITER.sub(lambda match: f"{{{{ '{match[0]}' }}}}", text)


def _option(option: Option, names: _Names) -> str:
    name = _literal(quote_plus(option.name, safe=""))
    if option.value is None:
        return names.variable("option", option.name) if option.secret else name
    return f"{name}={names.variable(option.name, option.value) if option.secret else _literal(option.value)}"


def express_jobs(jobs: t.Sequence[Job], zone_key: str, transformers: t.Mapping[int, str] = types.MappingProxyType({})) -> Jobs:
    """Return the jobs of a zone in the order of their ids; `zone_key` is part of the names of its secrets.

    `transformers` are the names by which transformers can be declared, as far as they are known.
    """
    names = collections.Counter((job.name, job.dataset) for job in jobs)
    whole = Jobs([], [], [], [])
    for job in sorted(jobs, key=lambda job: job.id):
        if job.unreadable:
            whole.leave_out(job, "", f"it has members of another type than documented: {', '.join(job.unreadable)}")
            continue
        if job.values["enabled"] is None:
            whole.leave_out(
                job, "", "the API does not show whether it is enabled, and the role enables each job that does not say it is not"
            )
            continue
        destination = _destination(job, zone_key, whole)
        is_alone = names[job.name, job.dataset] == 1
        item = _express(job, destination, is_alone, whole)
        number = item.get("transformer_id")
        name = transformers.get(number) if is_integer(number) else None
        if name is not None:
            item = {("transformer" if option == "transformer_id" else option): value for option, value in item.items()}
            item["transformer"] = name
        whole.items.append(item)
    return whole


def _express(job: Job, destination: JobVariables, is_alone: bool, whole: Jobs) -> JobVariables:
    """Return a job as an item, and note in `whole` what is not in it."""
    item: JobVariables = {"name": job.name, "dataset": job.dataset}
    if not (job.name and is_alone and job.dataset) or _trouble(item, job):
        item = {"job_id": job.id, "dataset": job.dataset}
        if not job.dataset or _trouble(item, job):
            del item["dataset"]
    if job.values["enabled"] is False:
        item["enabled"] = False
    if job.values["dataset"] is None:
        whole.leave_out(job, "dataset", "the API does not return it")
    members = {**_members(job), **destination}
    item.update({name: value for name, value in members.items() if value is not None})
    for name in [name for name in members if members[name] is None]:
        whole.leave_out(job, name, "it cannot be parsed, and declaring it would change the job")
    for name in _without_option(members, job):
        whole.leave_out(job, name, _NO_OPTION)
    for name, why in _troubles(item, job).items():
        _drop(item, name)
        whole.leave_out(job, name, why)
    return item


def _drop(item: JobVariables, name: str) -> None:
    """Remove an option, or a member of one that has several, from an item."""
    option, _dot, inner = name.partition(".")
    if inner:
        item[option] = {key: value for key, value in dict_of(item[option]).items() if key != inner}
    if not inner or not item[option]:
        del item[option]


def _troubles(item: t.Mapping[str, Json], job: Job) -> dict[str, str]:
    """Return why members of an item cannot be declared: the plan of the module would write or refuse them."""
    identity = {name: item[name] for name in ("name", "job_id", "dataset") if name in item}
    troubles = {}
    for name, value in item.items():
        parts = {name: value}
        if name in ("output_options", "option_flags"):
            parts = {f"{name}.{part}": {part: member} for part, member in dict_of(value).items()}
        troubles.update({path: _trouble({**identity, name: part}, job) for path, part in parts.items() if name not in identity})
    return {path: why for path, why in troubles.items() if why}


def _trouble(options: t.Mapping[str, Json], job: Job) -> str:
    try:
        json.dumps(options, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return "it is not valid Unicode text"  # but a lone surrogate, which the service may send
    output = options.get("output_options")
    if isinstance(output, dict):
        options = {**options, "output_options": {**_OMITTED, **output}}
    if not (_is_offered(OPTIONS, options) and _is_offered(_SUBOPTIONS, dict_of(output))):
        return "the service has a value that the module does not know"
    try:
        made = plan(desire({**_DEFAULTS, **options}), JobState(job))
    except Failure as failure:
        return f"the module refuses it: {failure}"
    return "declaring it would change the job" if made.requests or made.refused else ""


def _is_offered(spec: t.Mapping[str, t.Mapping[str, Json]], options: t.Mapping[str, Json]) -> bool:
    choices = {name: list_of(spec[name].get("choices")) for name in options}
    return all(not choices[name] or value in choices[name] for name, value in options.items())


def _destination(job: Job, zone_key: str, whole: Jobs) -> JobVariables:
    """Return the destination; where it cannot be declared, which is noted in `whole`, its address, as far as that can be shown."""
    conf = job.destination.text if job.destination else ""
    if job.destination is None or not conf:
        whole.leave_out(job, "destination_conf", "the API does not return it")
        return {}
    if not is_unreadable(conf):
        return {"destination_conf": conf}
    if lacks_question_mark(job.destination):
        whole.leave_out(job, "destination_conf", "its options lack their question mark, so that the module refuses it")
        return {ADDRESS: address_text(job.destination)} if job.destination.sound else {}
    template, names = template_of(conf, f"vault_{zone_key}_job{job.id}")
    whole.vault.extend(names)
    whole.destinations.append({"job_id": job.id, "name": job.name, "dataset": job.dataset, "destination_conf": template})
    whole.leave_out(job, "destination_conf", "it contains a secret; vault-example.txt shows how to declare it")
    if not job.destination.sound:
        whole.leave_out(job, ADDRESS, "the address cannot be parsed with confidence")
        return {}
    return {ADDRESS: address_text(job.destination)}
