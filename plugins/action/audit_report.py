# SPDX-License-Identifier: GPL-3.0-or-later

from ansible_collections.edgeops.observability.plugins.plugin_utils._in_process import InProcessAction
from ansible_collections.edgeops.observability.plugins.plugin_utils._report.task import TASK


class ActionModule(InProcessAction):
    task = TASK
