# SPDX-License-Identifier: GPL-3.0-or-later

"""Run modules and ansible-playbook against the embedded simulator, and check the invariants of each run; see TESTING.md."""

from .modules import Modules
from .outcome import Outcome, Report
from .playbook import Case, Playbook, Plays, Scenario
from .prediction import Converged
from .process import CORE

__all__ = ["CORE", "Case", "Converged", "Modules", "Outcome", "Playbook", "Plays", "Report", "Scenario"]
