# SPDX-License-Identifier: GPL-3.0-or-later

from ansible_collections.edgeops.observability.plugins.plugin_utils._supported import check_supported

check_supported()

from ansible.utils.display import Display

from ansible_collections.edgeops.observability.plugins.modules.survey_info import SurveyInfo
from ansible_collections.edgeops.observability.plugins.plugin_utils._in_process import InProcessAction


class ActionModule(InProcessAction):
    # A module of its own process cannot show its progress.
    task = SurveyInfo(display=Display().display)
