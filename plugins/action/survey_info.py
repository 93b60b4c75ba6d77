# SPDX-License-Identifier: GPL-3.0-or-later

import dataclasses
import functools

from ansible.utils.display import Display

from ansible_collections.edgeops.observability.plugins.module_utils._zone.survey import survey
from ansible_collections.edgeops.observability.plugins.modules.survey_info import TASK
from ansible_collections.edgeops.observability.plugins.plugin_utils._in_process import InProcessAction


class ActionModule(InProcessAction):
    # A module of its own process cannot show its progress.
    task = dataclasses.replace(TASK, report=functools.partial(survey, tell=Display().display))
