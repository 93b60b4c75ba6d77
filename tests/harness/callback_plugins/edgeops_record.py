# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: edgeops_record
type: notification
short_description: Writes every task start and every result as one line of JSON
description:
  - For the tests only. The file is named by the environment variable E(EDGEOPS_RECORD).
author:
  - edgeops.observability contributors (@edgeops)
"""

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path

from ansible.plugins.callback import CallbackBase


def plain(value):
    """Data without the tags and wrappers that ansible-core puts around it."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, Mapping):
        return {str(key): plain(member) for key, member in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [plain(member) for member in value]
    return str(value)


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "edgeops_record"
    CALLBACK_NEEDS_ENABLED = True

    def _write(self, **line):
        # The clock is the one that the simulator's journal uses, so that its requests can be told apart by task.
        line["monotonic"] = time.monotonic()
        with Path(os.environ["EDGEOPS_RECORD"]).open("a", encoding="utf-8") as record:
            record.write(json.dumps(line, ensure_ascii=False) + "\n")

    def _start(self, task):
        self._write(event="start", name=task.get_name())

    def v2_playbook_on_task_start(self, task, is_conditional):
        self._start(task)

    def v2_playbook_on_handler_task_start(self, task):
        self._start(task)

    def v2_playbook_on_cleanup_task_start(self, task):
        self._start(task)

    def _result(self, status, result):
        if hasattr(result, "task"):
            task, host, returned = result.task, result.host, result.result
        else:  # the names before ansible-core 2.19
            task, host, returned = result._task, result._host, result._result
        self._write(
            event="result",
            name=task.get_name(),
            action=task.resolved_action or task.action,
            host=host.get_name(),
            status=status,
            check_mode=task.check_mode is True,
            result=plain(returned),
        )

    def v2_runner_on_ok(self, result):
        self._result("ok", result)

    def v2_runner_on_failed(self, result, ignore_errors=False):
        self._result("ignored" if ignore_errors else "failed", result)

    def v2_runner_on_skipped(self, result):
        self._result("skipped", result)

    def v2_runner_on_unreachable(self, result):
        self._result("unreachable", result)
