# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

_DOING: t.Mapping[str, str] = {
    "zones.list": "Listing the zones",
    "script_monitor.get": "Reading the status of the script monitor",
    "script_monitor.update": "Changing the status of the script monitor",
    "script_monitor.scripts": "Listing the monitored scripts",
    "script_monitor.script": "Reading a monitored script",
    "page_shield.get": "Reading the status of the script monitor",
    "page_shield.update": "Changing the status of the script monitor",
    "page_shield.scripts": "Listing the monitored scripts",
    "page_shield.script": "Reading a monitored script",
    "rulesets.list": "Listing the rulesets",
    "rulesets.create": "Creating the ruleset for custom log fields",
    "rulesets.get": "Reading a ruleset",
    "rulesets.update": "Changing the ruleset for custom log fields",
    "rulesets.entrypoint": "Reading the ruleset for custom log fields",
    "logpush_jobs.list": "Listing the log delivery jobs",
    "logpush_jobs.create": "Creating the log delivery job",
    "logpush_jobs.get": "Reading the log delivery job",
    "logpush_jobs.update": "Changing the log delivery job",
    "logpush_jobs.delete": "Deleting the log delivery job",
    "logpush_ownership.create": "Asking for an ownership challenge",
    "logpush_ownership.validate": "Validating the ownership challenge",
}


def doing(operation: str) -> str:
    """What an operation does, as the beginning of a sentence."""
    return _DOING.get(operation, "The request")
