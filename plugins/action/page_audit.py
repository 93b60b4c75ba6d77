# SPDX-License-Identifier: GPL-3.0-or-later

from ansible_collections.edgeops.observability.plugins.plugin_utils._supported import check_supported

check_supported()

from ansible_collections.edgeops.observability.plugins.modules.page_audit import TASK
from ansible_collections.edgeops.observability.plugins.plugin_utils._in_process import InProcessAction


class ActionModule(InProcessAction):
    task = TASK
