# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ...module_utils._core import Conclusion
from ...module_utils._engine.task import LocalTask, Params, Spec
from .files import OPTIONS, Desired, desire, report, write


class ZoneVariablesFiles(LocalTask[Desired]):
    name = "zone_variables_files"
    spec = Spec(options=OPTIONS)

    def desire(self, params: Params) -> Desired:
        return desire(params)

    def report(self, desired: Desired) -> Conclusion:
        return report(desired)

    def write(self, desired: Desired) -> None:
        write(desired)


TASK = ZoneVariablesFiles()
