# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible_collections.edgeops.observability.plugins.plugin_utils._supported import check_supported

check_supported()

import typing as t

from ansible_collections.edgeops.observability.plugins.plugin_utils._evidence.task import EvidenceReport
from ansible_collections.edgeops.observability.plugins.plugin_utils._host_variables import zone_names
from ansible_collections.edgeops.observability.plugins.plugin_utils._play.heads import VerificationAction


class ActionModule(VerificationAction):
    task = EvidenceReport()

    def performed(self, variables: dict[str, t.Any]) -> EvidenceReport:
        """Return the task with the names that zones have in the inventory."""
        return EvidenceReport(zone_names(variables))
