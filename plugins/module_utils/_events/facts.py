# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._logpush.health import DISABLED, FAILING, STALE

SCRIPTS, JOBS, SETTINGS = "scripts", "jobs", "settings"
WATCHED = (SCRIPTS, JOBS, SETTINGS)
SILENT, EMIT = "silent", "emit"

SCRIPT_NEW, SCRIPT_CHANGED, SCRIPT_GONE = "script_new", "script_changed", "script_gone"
SCRIPT_MALICIOUS, SCRIPT_REPORTED = "script_malicious", "script_reported"
JOB_CREATED, JOB_CHANGED, JOB_DELETED, JOB_RECOVERED = "job_created", "job_changed", "job_deleted", "job_recovered"
MONITOR_CHANGED, FIELDS_CHANGED = "monitor_changed", "fields_changed"
ZONE_UNREADABLE, ZONE_READABLE = "zone_unreadable", "zone_readable"
# A job that the user disabled, where `disabled` is one that the service did.
OFF = "off"
# States of a job's health that are events.
TROUBLE: t.Mapping[str, str] = {FAILING: "job_failing", DISABLED: "job_disabled", STALE: "job_stale"}
KINDS = (
    SCRIPT_NEW,
    SCRIPT_CHANGED,
    SCRIPT_MALICIOUS,
    SCRIPT_REPORTED,
    SCRIPT_GONE,
    JOB_CREATED,
    JOB_CHANGED,
    JOB_DELETED,
    *TROUBLE.values(),
    JOB_RECOVERED,
    MONITOR_CHANGED,
    FIELDS_CHANGED,
    ZONE_UNREADABLE,
    ZONE_READABLE,
)

# The subject of events about a part of a zone that has no name of its own.
MONITOR_SUBJECT, FIELDS_SUBJECT = "script_monitor", "custom_fields"

# Scripts of these statuses are on the pages of a zone now.
SCRIPT_STATUSES = ("active", "infrequent")

MIN_INTERVAL = 60
DEFAULT_INTERVAL = 300
# A quarter of what Cloudflare allows: a poll leaves the rest to deliveries.
DEFAULT_BUDGET = "300/300"
ZONES_SIDE_BY_SIDE = 4
