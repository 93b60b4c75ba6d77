# SPDX-License-Identifier: GPL-3.0-or-later

from ansible_collections.edgeops.observability.plugins.plugin_utils._supported import check_supported

check_supported()

from ansible_collections.edgeops.observability.plugins.plugin_utils._report.action import ReportAction as ActionModule

__all__ = ["ActionModule"]
