# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible_collections.edgeops.observability.plugins.module_utils._engine.task import Spec, StateTask
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.options import desire
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.plan import plan, secrets
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.read import read, rivals, validate
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.select import successor
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.spec import FORMS, IDENTITY, OPTIONS
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.verify import conclude

TASK = StateTask(
    name="logpush_job",
    spec=Spec(
        options=dict(OPTIONS),
        required_one_of=[IDENTITY],
        mutually_exclusive=FORMS,
    ),
    desire=desire,
    read=read,
    plan=plan,
    conclude=conclude,
    secrets=secrets,
    successor=successor,
    validate=validate,
    rivals=rivals,
)
