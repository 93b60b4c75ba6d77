# SPDX-License-Identifier: GPL-3.0-or-later

"""The action of `zone_observability`: what the playbook around the role says of its task."""

from __future__ import annotations

import dataclasses
import re
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._address import ALL_ADDRESSES
from ansible_collections.edgeops.observability.plugins.module_utils._core import INVALID_OPTION, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._text import dict_of
from ansible_collections.edgeops.observability.plugins.module_utils._zone.options import forms_of
from ansible_collections.edgeops.observability.plugins.module_utils._zone.registered import REPLACES, replaced_by
from ansible_collections.edgeops.observability.plugins.modules.zone_observability import TASK
from ansible_collections.edgeops.observability.plugins.plugin_utils._ansible_core import registered_as
from ansible_collections.edgeops.observability.plugins.plugin_utils._host_variables import Host
from ansible_collections.edgeops.observability.plugins.plugin_utils._in_process import InProcessAction
from ansible_collections.edgeops.observability.plugins.plugin_utils._variables import readers
from ansible_collections.edgeops.observability.plugins.plugin_utils._variables.table import ROLE_OPTIONS, ROLE_VARIABLES

Result = dict[str, t.Any]
# The variables of the role with one value, and their options; the place in a job or a list is shown as in the module.
_TYPED = {
    option: name
    for option, name in ROLE_OPTIONS.items()
    if ROLE_VARIABLES[name].read not in (readers.read_dict, readers.read_list)
}
# Two variables that exclude each other are named both.
_EXCLUSION = re.compile(r"^job: excludes jobs|: only one of them can be set")
_OPTION = re.compile(r"\b(?:jobs?|zone_id|zone_name|account_id)\b")
# A variable as a whole, and an option of a job.
_WHOLE = re.compile(r"\w+(?=: )")
_IN_JOB = re.compile(r"job(?:s\[\d+\])?\.(\w+)")


def as_typed(message: str, moved: t.Collection[str], *, is_role: bool) -> str:
    """Return a message about an option that names it where the user wrote it."""
    place = _IN_JOB.match(message)
    if place and place[0] in moved:
        return f"job_defaults.{place[1]}{message[place.end() :]}"
    if is_role and _EXCLUSION.search(message):
        return _OPTION.sub(lambda match: ROLE_OPTIONS[match[0]], message)
    whole = _WHOLE.match(message)
    if is_role and whole and whole[0] not in _TYPED:
        return f"{ROLE_OPTIONS.get(whole[0], whole[0])}{message[whole.end() :]}"
    return message


def _is_role(variables: t.Mapping[str, t.Any]) -> bool:
    return variables.get("ansible_role_name") == "edgeops.observability.log_delivery"


class RoleAction(InProcessAction):
    """Runs the task as a prediction, which is no change, or with the plans of an evaluation, where the playbook says so.

    Only `vars` of the task itself and of what it is part of count, so that no variable of a host, of an earlier play or of the command
    line can take their place.
    """

    task = TASK

    def run(self, tmp: str | None = None, task_vars: Result | None = None) -> Result:
        """Return the result of the module."""
        own, arguments = self._task.get_vars(), self._task.args
        self._moved: frozenset[str] = frozenset()
        self._address: Result = {}
        evaluation = own.get("_log_delivery_evaluation")
        if evaluation is not None:
            self._task.args = _with_plan_ids(arguments, task_vars or {}, str(evaluation))
        try:
            result = super().run(tmp, task_vars)
        finally:
            self._task.args = arguments
        is_of_a_playbook = evaluation is not None or own.get("_log_delivery_predicts") is True
        addressed = {**self._address, **result}
        if result.get("failed"):
            result = addressed
        # Another playbook of the run may have had other zones, and has reported on them.
        if not is_of_a_playbook and (others := replaced_by(addressed, (task_vars or {}).get(registered_as(self._task)))):
            result[REPLACES] = others
        if own.get("_log_delivery_predicts") is True:
            result["changed"] = False
        if dict_of(result.get("error")).get("kind") == INVALID_OPTION:
            result["msg"] = as_typed(str(result.get("msg")), self._moved, is_role=_is_role(task_vars or {}))
        return result

    def _completed(self, options: t.Mapping[str, t.Any], host: Host) -> tuple[Result, dict[str, str]]:
        """Return the arguments; the role hands on what it gets, so that a message names the variable that was typed."""
        typed = {
            option: name for option, name in _TYPED.items() if _is_role(host.raw) and self._task.args.get(option) is not None
        }
        try:
            arguments, variables = super()._completed(options, host)
        except Failure as failure:
            option, colon, rest = failure.message.partition(":")
            raise dataclasses.replace(failure, message=f"{typed.get(option, option)}{colon}{rest}") from None
        self._address = {name: arguments[name] for name in ALL_ADDRESSES if name in arguments}
        return arguments, {**variables, **typed}

    def arranged(self, arguments: t.Mapping[str, t.Any]) -> Result:
        """Return the arguments with the defaults in the jobs that a null elsewhere would hide from."""
        moved = with_moved_defaults(arguments)
        self._moved = moved.places
        return moved.arguments


class Moved(t.NamedTuple):
    """The arguments of a zone, and the places of the values in them that the user wrote in `job_defaults`."""

    arguments: Result
    places: frozenset[str] = frozenset()


def with_moved_defaults(arguments: t.Mapping[str, t.Any]) -> Moved:
    """Return arguments in which a null of a job hides the default for that job, so that the option counts as omitted.

    Such a default is moved from `job_defaults` to the jobs that do not set the option, in this or another form.
    """
    defaults, job, jobs = (arguments.get(name) for name in ("job_defaults", "job", "jobs"))
    listed = {f"jobs[{index}]": item for index, item in enumerate(jobs if isinstance(jobs, list) else ())}
    items = {place: item for place, item in {"job": job, **listed}.items() if isinstance(item, dict)}
    if not isinstance(defaults, dict):
        return Moved(dict(arguments))
    hidden = {name for name in defaults if any(_has_null(item, name) for item in items.values())}
    moved = {
        place: {name: defaults[name] for name in defaults if name in hidden and item.keys().isdisjoint(forms_of(name))}
        for place, item in items.items()
    }
    result = {**arguments, "job_defaults": {name: value for name, value in defaults.items() if name not in hidden}}
    if isinstance(job, dict):
        result["job"] = {**moved["job"], **job}
    if isinstance(jobs, list):
        result["jobs"] = [{**moved[place], **item} if place in moved else item for place, item in listed.items()]
    return Moved(result, frozenset(f"{place}.{name}" for place, names in moved.items() for name in names))


def _has_null(item: t.Mapping[str, t.Any], name: str) -> bool:
    return any(form in item and item[form] is None for form in forms_of(name))


def _with_plan_ids(arguments: Result, variables: t.Mapping[str, t.Any], evaluation: str) -> Result:
    """Return the arguments with the plans of the host in the result of `delivery_plan`; without a prediction there are none."""
    plan_ids = dict_of(dict_of(variables.get(evaluation)).get("plan_ids"))
    expected = plan_ids.get(variables["inventory_hostname"])
    return arguments if expected is None else {**arguments, "expected_plan_ids": expected}
