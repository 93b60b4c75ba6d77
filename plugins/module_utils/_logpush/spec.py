# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._logpush.facts import (
    FREQUENCIES,
    IF_DIFFERENT,
    KINDS,
    SENDING,
)
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.output_facts import SUBOPTIONS
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json

# One of these is needed to tell a job from others.
IDENTITY = ("name", "job_id")

# The older form of the options of the output, as text and in parts, and the newer one exclude each other.
OLDER_FORM = ("fields", "timestamp_format", "option_flags")
FORMS: t.Sequence[tuple[str, str]] = (
    *(("logpull_options", option) for option in OLDER_FORM),
    *(("output_options", option) for option in (*OLDER_FORM, "logpull_options")),
)

# The options of one job, in the words of AnsibleModule.
OPTIONS: t.Mapping[str, dict[str, Json]] = {
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "name": {"type": "str"},
    "job_id": {"type": "int"},
    "dataset": {"type": "str"},
    "destination_conf": {"type": "str", "no_log": True},
    "ownership_challenge": {"type": "str", "no_log": True},
    "send_destination": {"type": "str", "choices": list(SENDING), "default": IF_DIFFERENT},
    "fields": {"type": "list", "elements": "str"},
    "timestamp_format": {"type": "str"},
    "option_flags": {"type": "dict"},
    "logpull_options": {"type": "str"},
    "output_options": {"type": "dict", "options": {sub.option: sub.argument for sub in SUBOPTIONS.values()}},
    "filter": {"type": "raw"},
    "enabled": {"type": "bool"},
    "kind": {"type": "str", "choices": list(KINDS)},
    "frequency": {"type": "str", "choices": list(FREQUENCIES)},
    "max_upload_bytes": {"type": "int"},
    "max_upload_interval_seconds": {"type": "int"},
    "max_upload_records": {"type": "int"},
    "recreate": {"type": "bool", "default": False},
    "validate_filter": {"type": "bool", "default": True},
    "validate_fields": {"type": "bool", "default": True},
    "create_unlisted": {"type": "bool", "default": False},
}
