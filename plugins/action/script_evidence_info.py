# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible_collections.edgeops.observability.plugins.plugin_utils._supported import check_supported

check_supported()

import typing as t

from ansible_collections.edgeops.observability.plugins.plugin_utils._evidence.task import ScriptEvidenceInfo
from ansible_collections.edgeops.observability.plugins.plugin_utils._host_variables import zone_names
from ansible_collections.edgeops.observability.plugins.plugin_utils._play.heads import VerificationAction


class ActionModule(VerificationAction):
    task = ScriptEvidenceInfo()

    def performed(self, variables: dict[str, t.Any]) -> ScriptEvidenceInfo:
        """Return the task with the names that zones have in the inventory."""
        return ScriptEvidenceInfo(zone_names(variables))
