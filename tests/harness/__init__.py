# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs of modules and of ansible-playbook against the embedded simulator, with what has to hold for each of them; see TESTING.md."""

from .modules import Modules
from .outcome import Outcome, Report
from .playbook import Case, Playbook
from .prediction import Converged

__all__ = ["Case", "Converged", "Modules", "Outcome", "Playbook", "Report"]
