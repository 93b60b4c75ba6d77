# SPDX-License-Identifier: GPL-3.0-or-later

from ansible_collections.edgeops.observability.plugins.plugin_utils._steps import FleetAction as ActionModule

__all__ = ["ActionModule"]
