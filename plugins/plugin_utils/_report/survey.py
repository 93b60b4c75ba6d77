# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ...module_utils._address import ZONE
from ...module_utils._core import CONTENT_SECURITY_RULES
from ...module_utils._text import dict_of, list_of
from ...module_utils._zone.record import ZoneRecord, result_of, value_of
from .content_rules import violations
from .facts import NOTE
from .items import Problem, problem

# The notes about zones without a declared state; their findings about jobs and scripts are those of any audit.


def notes(record: ZoneRecord) -> t.Iterator[Problem]:
    """Yield the notes that only a survey has."""
    jobs, result = value_of(record["jobs"]), result_of(record)
    if jobs is not None and all(job.get("enabled") is False for job in jobs):
        without = "no Logpush job delivers logs of it"
        if record["scope"] != ZONE:
            without = "it has no Logpush job of its own, which few accounts have; those of its zones do not count"
        reason = "every Logpush job of it is disabled" if jobs else without
        yield problem("no_job", None, reason)
    monitor = result.get("script_monitor")
    enabled = dict_of((monitor or {}).get("script_monitor")).get("enabled")
    if enabled is False:
        yield problem("monitor_off", None, "the script monitor is disabled", "", resource="script_monitor", kind=NOTE)
    elif monitor and enabled is not True:
        yield problem(
            "not_readable", None, "the service does not show whether the script monitor is enabled", resource="script_monitor"
        )
    yield from violations(map(dict_of, list_of(dict_of(result.get(CONTENT_SECURITY_RULES)).get(CONTENT_SECURITY_RULES))))
