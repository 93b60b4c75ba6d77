# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible_collections.edgeops.observability.plugins.plugin_utils._supported import check_supported

check_supported()

import typing as t

from ansible_collections.edgeops.observability.plugins.modules.zone_observability import TASK
from ansible_collections.edgeops.observability.plugins.plugin_utils._in_process import InProcessAction
from ansible_collections.edgeops.observability.plugins.plugin_utils._job_defaults import without_hidden_defaults


class ActionModule(InProcessAction):
    task = TASK

    def arranged(self, arguments: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        """Return the arguments without the defaults that a null in a job takes the place of."""
        return without_hidden_defaults(arguments)
