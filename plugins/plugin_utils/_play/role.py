# SPDX-License-Identifier: GPL-3.0-or-later

"""The action of `zone_observability`: what the playbook around the role says of its task."""

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._text import dict_of
from ansible_collections.edgeops.observability.plugins.modules.zone_observability import TASK
from ansible_collections.edgeops.observability.plugins.plugin_utils._in_process import InProcessAction
from ansible_collections.edgeops.observability.plugins.plugin_utils._job_defaults import without_hidden_defaults

Result = dict[str, t.Any]


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
        return {**result, "changed": False} if own.get("_log_delivery_predicts") is True else result

    def arranged(self, arguments: t.Mapping[str, t.Any]) -> Result:
        """Return the arguments without the defaults that a null in a job takes the place of."""
        return without_hidden_defaults(arguments)


def _with_plan_ids(arguments: Result, variables: t.Mapping[str, t.Any], evaluation: str) -> Result:
    """Return the arguments with the plans of the host in the result of `delivery_plan`; without a prediction there are none."""
    plan_ids = dict_of(dict_of(variables.get(evaluation)).get("plan_ids"))
    expected = plan_ids.get(variables["inventory_hostname"])
    return arguments if expected is None else {**arguments, "expected_plan_ids": expected}
