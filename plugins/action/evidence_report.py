# SPDX-License-Identifier: GPL-3.0-or-later

from ansible_collections.edgeops.observability.plugins.plugin_utils._evidence.task import REPORT_TASK
from ansible_collections.edgeops.observability.plugins.plugin_utils._in_process import InProcessAction


class ActionModule(InProcessAction):
    task = REPORT_TASK
