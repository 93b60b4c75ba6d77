# SPDX-License-Identifier: GPL-3.0-or-later

from ansible_collections.edgeops.observability.plugins.plugin_utils._supported import check_supported

check_supported()

from ansible_collections.edgeops.observability.plugins.plugin_utils._adopt.summary import AdoptionSummary
from ansible_collections.edgeops.observability.plugins.plugin_utils._play.hosts import PlayAction


class ActionModule(PlayAction):
    task = AdoptionSummary()
