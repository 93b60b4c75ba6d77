# SPDX-License-Identifier: GPL-3.0-or-later

from ansible_collections.edgeops.observability.plugins.plugin_utils._supported import check_supported

check_supported()

from ansible_collections.edgeops.observability.plugins.plugin_utils._play.pages import PageAction as ActionModule

__all__ = ["ActionModule"]
