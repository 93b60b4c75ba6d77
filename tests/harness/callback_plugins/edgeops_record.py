# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
name: edgeops_record
type: notification
short_description: Writes every start of a play or a task and every result as one line of JSON
description:
  - For the tests only. The file is named by the environment variable E(EDGEOPS_RECORD).
author:
  - edgeops.observability contributors (@edgeops)
"""

import gc
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path

from ansible.plugins.callback import CallbackBase
from ansible.release import __version__

VERSION = tuple(map(int, __version__.split(".")[:2]))

# Everything that ansible-core has imported lives until the end: to look through it for garbage, again in each worker, takes a twelfth of
# the time of a run.
gc.freeze()


def plain(value):
    """Return data without the tags and wrappers of ansible-core."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, Mapping):
        return {str(key): plain(member) for key, member in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [plain(member) for member in value]
    return str(value)


class Recorder(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "edgeops_record"
    CALLBACK_NEEDS_ENABLED = True

    def write(self, **line):
        # The journal of the simulator has times of the same clock, so that each request can be assigned to a task.
        line["monotonic"] = time.monotonic()
        with Path(os.environ["EDGEOPS_RECORD"]).open("a", encoding="utf-8") as record:
            record.write(json.dumps(line, ensure_ascii=False) + "\n")

    def write_result(self, status, task, host, returned):
        self.write(
            event="result",
            name=task.get_name(),
            action=task.resolved_action or task.action,
            host=host,
            status=status,
            check_mode=task.check_mode is True,
            result=plain(returned),
        )

    def v2_playbook_on_play_start(self, play):
        self.write(event="play", name=play.get_name())

    def v2_playbook_on_task_start(self, task, is_conditional):
        self.write(event="start", name=task.get_name())

    def v2_playbook_on_handler_task_start(self, task):
        self.v2_playbook_on_task_start(task, False)

    def v2_playbook_on_cleanup_task_start(self, task):
        self.v2_playbook_on_task_start(task, False)


class CurrentRecorder(Recorder):
    def v2_runner_on_ok(self, result):
        self._write_found("ok", result)

    def v2_runner_on_failed(self, result, ignore_errors=False):
        self._write_found("ignored" if ignore_errors else "failed", result)

    def v2_runner_on_skipped(self, result):
        self._write_found("skipped", result)

    def v2_runner_on_unreachable(self, result):
        self._write_found("unreachable", result)

    def _write_found(self, status, result):
        self.write_result(status, result.task, result.host.get_name(), result.result)


class FormerRecorder(Recorder):
    """Records results before ansible-core 2.19: they have no public members, but the methods without `v2` get names and data."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self._tasks = {}  # host -> its current task

    def v2_runner_on_start(self, host, task):
        self._tasks[host.get_name()] = task

    def runner_on_ok(self, host, res):
        self.write_result("ok", self._tasks[host], host, res)

    def runner_on_failed(self, host, res, ignore_errors=False):
        self.write_result("ignored" if ignore_errors else "failed", self._tasks[host], host, res)

    def runner_on_skipped(self, host, item=None):
        self.write_result("skipped", self._tasks[host], host, {"changed": False, "skipped": True})

    def runner_on_unreachable(self, host, res):
        self.write_result("unreachable", self._tasks[host], host, res)


class CallbackModule(CurrentRecorder if VERSION >= (2, 19) else FormerRecorder):
    """Records results; ansible-core loads a class of this name."""
