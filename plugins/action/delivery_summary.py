# SPDX-License-Identifier: GPL-3.0-or-later

from ansible_collections.edgeops.observability.plugins.plugin_utils._fleet.play import PlayAction
from ansible_collections.edgeops.observability.plugins.plugin_utils._fleet.summary import DeliverySummary


class ActionModule(PlayAction):
    task = DeliverySummary()
