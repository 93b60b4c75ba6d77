# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t
from urllib.parse import quote


class Endpoint(t.NamedTuple):
    """Method and path of one operation, relative to the base URL, its name in a message, and the JSON types that `result` may have."""

    method: str
    path: str
    description: str
    result: tuple[type, ...] = (dict,)

    def url_path(self, ids: t.Mapping[str, str | int]) -> str:
        """The path with its ids filled in, each quoted as one segment."""
        return self.path.format_map({name: quote(str(value), safe="") for name, value in ids.items()})


_ZONE = "/zones/{zone_id}"
_PHASE = "http_log_custom_fields"
_JOBS = f"{_ZONE}/logpush/jobs"

# Every path that the collection knows. A DELETE may answer with anything or nothing, so it expects no type.
ENDPOINTS: t.Mapping[str, Endpoint] = {
    "zones.list": Endpoint("GET", "/zones", "Listing the zones", (list,)),
    "zones.get": Endpoint("GET", _ZONE, "Reading the zone"),
    "script_monitor.get": Endpoint("GET", f"{_ZONE}/script_monitor", "Reading the status of the script monitor"),
    "script_monitor.update": Endpoint("PUT", f"{_ZONE}/script_monitor", "Changing the status of the script monitor"),
    "script_monitor.scripts": Endpoint("GET", f"{_ZONE}/script_monitor/scripts", "Listing the monitored scripts", (list,)),
    "script_monitor.script": Endpoint("GET", f"{_ZONE}/script_monitor/scripts/{{script_id}}", "Reading a monitored script"),
    "page_shield.get": Endpoint("GET", f"{_ZONE}/page_shield", "Reading the status of the script monitor"),
    "page_shield.update": Endpoint("PUT", f"{_ZONE}/page_shield", "Changing the status of the script monitor"),
    "page_shield.scripts": Endpoint("GET", f"{_ZONE}/page_shield/scripts", "Listing the monitored scripts", (list,)),
    "page_shield.script": Endpoint("GET", f"{_ZONE}/page_shield/scripts/{{script_id}}", "Reading a monitored script"),
    "rulesets.list": Endpoint("GET", f"{_ZONE}/rulesets", "Listing the rulesets", (list,)),
    "rulesets.create": Endpoint("POST", f"{_ZONE}/rulesets", "Creating the ruleset for custom log fields"),
    "rulesets.get": Endpoint("GET", f"{_ZONE}/rulesets/{{ruleset_id}}", "Reading a ruleset"),
    "rulesets.update": Endpoint("PUT", f"{_ZONE}/rulesets/{{ruleset_id}}", "Changing the ruleset for custom log fields"),
    "rulesets.entrypoint": Endpoint(
        "GET", f"{_ZONE}/rulesets/phases/{_PHASE}/entrypoint", "Reading the ruleset for custom log fields"
    ),
    "logpush_jobs.list": Endpoint("GET", _JOBS, "Listing the Logpush jobs", (list,)),
    "logpush_jobs.create": Endpoint("POST", _JOBS, "Creating the Logpush job"),
    # An official example shows one job as a list of one.
    "logpush_jobs.get": Endpoint("GET", f"{_JOBS}/{{job_id}}", "Reading the Logpush job", (dict, list)),
    "logpush_jobs.update": Endpoint("PUT", f"{_JOBS}/{{job_id}}", "Changing the Logpush job"),
    "logpush_jobs.delete": Endpoint("DELETE", f"{_JOBS}/{{job_id}}", "Deleting the Logpush job", ()),
    "logpush_datasets.fields": Endpoint(
        "GET", f"{_ZONE}/logpush/datasets/{{dataset}}/fields", "Listing the fields of the dataset"
    ),
    "logpush_ownership.create": Endpoint("POST", f"{_ZONE}/logpush/ownership", "Requesting an ownership challenge"),
    "logpush_ownership.validate": Endpoint("POST", f"{_ZONE}/logpush/ownership/validate", "Validating the ownership challenge"),
}
