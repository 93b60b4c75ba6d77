# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ...module_utils._engine.task import LocalTask, Spec
from .files import OPTIONS, desire, report, write

TASK = LocalTask(name="zone_variables_files", spec=Spec(options=OPTIONS), desire=desire, report=report, write=write)
