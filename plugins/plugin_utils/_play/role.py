# SPDX-License-Identifier: GPL-3.0-or-later

"""The action of `zone_observability`: what the playbook around the role says of its task."""

from __future__ import annotations

import dataclasses
import re
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._text import dict_of
from ansible_collections.edgeops.observability.plugins.modules.zone_observability import TASK
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
        evaluation = own.get("_log_delivery_evaluation")
        if evaluation is not None:
            self._task.args = _with_plan_ids(arguments, task_vars or {}, str(evaluation))
        try:
            result = super().run(tmp, task_vars)
        finally:
            self._task.args = arguments
        if own.get("_log_delivery_predicts") is True:
            result["changed"] = False
        if _is_role(task_vars or {}) and _EXCLUSION.search(str(result.get("msg"))):
            result["msg"] = _OPTION.sub(lambda match: ROLE_OPTIONS[match[0]], str(result["msg"]))
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
        return arguments, {**variables, **typed}

    @staticmethod
    def arranged(arguments: t.Mapping[str, t.Any]) -> Result:
        """Return arguments in which a null of a job hides the default for that job, so that the option counts as omitted.

        Such a default is moved from `job_defaults` to the jobs that do not set the option.
        """
        defaults, job, jobs = (arguments.get(name) for name in ("job_defaults", "job", "jobs"))
        items = [item for item in (job, *(jobs if isinstance(jobs, list) else ())) if isinstance(item, dict)]
        if not isinstance(defaults, dict):
            return dict(arguments)
        hidden = {name for name in defaults if any(name in item and item[name] is None for item in items)}
        moved = {name: defaults[name] for name in hidden}
        result = {**arguments, "job_defaults": {name: value for name, value in defaults.items() if name not in hidden}}
        if isinstance(job, dict):
            result["job"] = {**moved, **job}
        if isinstance(jobs, list):
            result["jobs"] = [{**moved, **item} if isinstance(item, dict) else item for item in jobs]
        return result


def _with_plan_ids(arguments: Result, variables: t.Mapping[str, t.Any], evaluation: str) -> Result:
    """Return the arguments with the plans of the host in the result of `delivery_plan`; without a prediction there are none."""
    plan_ids = dict_of(dict_of(variables.get(evaluation)).get("plan_ids"))
    expected = plan_ids.get(variables["inventory_hostname"])
    return arguments if expected is None else {**arguments, "expected_plan_ids": expected}
