# SPDX-License-Identifier: GPL-3.0-or-later

from ansible_collections.edgeops.observability.plugins.plugin_utils._supported import check_supported

check_supported()

from ansible_collections.edgeops.observability.plugins.plugin_utils._report.survey_action import SurveyAction


class ActionModule(SurveyAction):
    pass
