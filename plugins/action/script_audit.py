# SPDX-License-Identifier: GPL-3.0-or-later

from ansible_collections.edgeops.observability.plugins.plugin_utils._supported import check_supported

check_supported()

from ansible_collections.edgeops.observability.plugins.module_utils._chain.kinds import SCRIPTS
from ansible_collections.edgeops.observability.plugins.modules.script_audit import TASK
from ansible_collections.edgeops.observability.plugins.plugin_utils._play.heads import AuditAction


class ActionModule(AuditAction):
    task = TASK
    kind = SCRIPTS
