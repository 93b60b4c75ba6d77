# SPDX-License-Identifier: GPL-3.0-or-later

from ansible_collections.edgeops.observability.plugins.plugin_utils._supported import check_supported

check_supported()

import typing as t

from ansible.utils.display import Display

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.modules.survey_info import SurveyInfo
from ansible_collections.edgeops.observability.plugins.plugin_utils._host_variables import Host
from ansible_collections.edgeops.observability.plugins.plugin_utils._in_process import InProcessAction


class ActionModule(InProcessAction):
    # A module of its own process cannot show its progress.
    task = SurveyInfo(display=Display().display)

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        """Run the module; costs are read if the run has a budget."""
        arguments = self._task.args
        try:
            if arguments.get("costs") is None:
                has_budget = Host(task_vars or {}, self._templar).option("edgeops_monthly_budget_usd") is not None
                self._task.args = {**arguments, "costs": has_budget}
            return super().run(tmp, task_vars)
        except Failure as failure:
            return {"failed": True, "changed": False, "msg": str(failure), "error": failure.report()}
        finally:
            self._task.args = arguments
