# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from .._address import ALL_ADDRESSES
from .._engine.task import CompositeTask, Spec, StateTask
from .facts import SENDING
from .jobs import IGNORE, PART, UNLISTED, desire_jobs, plan_jobs, secrets_of_jobs
from .options import FORMS, IDENTITY, OPTIONS, desire, successor
from .plan import plan, secrets
from .read import read, read_all, refuse_rivals, validate
from .result import conclude

JOB_TASK = StateTask(
    name="logpush_job",
    spec=Spec(options=dict(OPTIONS), required_one_of=[IDENTITY], mutually_exclusive=FORMS),
    desire=desire,
    read=read,
    plan=plan,
    conclude=conclude,
    secrets=secrets,
    successor=successor,
    validate=validate,
    verify=refuse_rivals,
    addresses=ALL_ADDRESSES,
)


# An item that omits this option gets it from the option of the same name for all jobs.
ITEM_OPTIONS = {**OPTIONS, "send_destination": {"type": "str", "choices": list(SENDING)}}

JOBS_TASK = CompositeTask(
    name="logpush_jobs",
    spec=Spec(
        options={
            "jobs": {"type": "list", "elements": "dict", "required": True, "options": ITEM_OPTIONS},
            "send_destination": OPTIONS["send_destination"],
            "unlisted_jobs": {"type": "str", "choices": list(UNLISTED), "default": IGNORE},
        },
    ),
    desire=desire_jobs,
    read=read_all,
    compose=plan_jobs,
    parts={PART: JOB_TASK},
    secrets=secrets_of_jobs,
    addresses=ALL_ADDRESSES,
)
