# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible_collections.edgeops.observability.plugins.module_utils._engine.task import CompositeTask, Spec
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.compose import PART, plan, secrets
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.facts import SENDING
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.items import IGNORE, UNLISTED, desire
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.read import read_all
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.spec import OPTIONS
from ansible_collections.edgeops.observability.plugins.module_utils._zone.tasks import logpush_job

# An item that omits this takes it from the option of the same name for all jobs.
ITEM_OPTIONS = {**OPTIONS, "send_destination": {"type": "str", "choices": list(SENDING)}}

TASK = CompositeTask(
    name="logpush_jobs",
    spec=Spec(
        options={
            "jobs": {"type": "list", "elements": "dict", "required": True, "options": ITEM_OPTIONS},
            "send_destination": OPTIONS["send_destination"],
            "unlisted": {"type": "str", "choices": list(UNLISTED), "default": IGNORE},
        },
    ),
    desire=desire,
    read=read_all,
    plan=plan,
    parts={PART: logpush_job.TASK},
    secrets=secrets,
)
