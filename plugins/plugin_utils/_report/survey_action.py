# SPDX-License-Identifier: GPL-3.0-or-later

"""The action of `survey_info`: it shows its progress, and reads costs if the run has a budget."""

from __future__ import annotations

import typing as t

from ansible.utils.display import Display

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.modules.survey_info import SurveyInfo
from ansible_collections.edgeops.observability.plugins.plugin_utils._host_variables import Host
from ansible_collections.edgeops.observability.plugins.plugin_utils._in_process import InProcessAction
from ansible_collections.edgeops.observability.plugins.plugin_utils._play.records import check_budget_of_survey

Result = dict[str, t.Any]


class SurveyAction(InProcessAction):
    """Reads what the credentials can read; a module of its own process cannot show its progress."""

    task = SurveyInfo(display=Display().display)

    def run(self, tmp: str | None = None, task_vars: Result | None = None) -> Result:
        """Return the result of the module."""
        arguments = self._task.args
        try:
            if arguments.get("costs") is None:
                host = Host(task_vars or {}, self._templar)
                check_budget_of_survey(host, arguments)
                self._task.args = {**arguments, "costs": host.option("edgeops_monthly_budget_usd") is not None}
            return super().run(tmp, task_vars)
        except Failure as failure:
            return {"failed": True, "changed": False, "msg": str(failure), "error": failure.report()}
        finally:
            self._task.args = arguments
