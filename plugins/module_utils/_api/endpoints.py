# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t
from urllib.parse import quote


class Endpoint(t.NamedTuple):
    """Method and path of one operation, relative to the base URL, and the JSON types that its `result` may have."""

    method: str
    path: str
    result: tuple[type, ...] = (dict,)

    def url_path(self, ids: t.Mapping[str, str | int]) -> str:
        """The path with its ids filled in, each quoted as one segment."""
        return self.path.format_map({name: quote(str(value), safe="") for name, value in ids.items()})


_ZONE = "/zones/{zone_id}"
_PHASE = "http_log_custom_fields"
_JOBS = f"{_ZONE}/logpush/jobs"

# Every path that the collection knows. A DELETE may answer with anything or nothing, so it expects no type.
ENDPOINTS: t.Mapping[str, Endpoint] = {
    "zones.list": Endpoint("GET", "/zones", (list,)),
    "script_monitor.get": Endpoint("GET", f"{_ZONE}/script_monitor"),
    "script_monitor.update": Endpoint("PUT", f"{_ZONE}/script_monitor"),
    "script_monitor.scripts": Endpoint("GET", f"{_ZONE}/script_monitor/scripts", (list,)),
    "script_monitor.script": Endpoint("GET", f"{_ZONE}/script_monitor/scripts/{{script_id}}"),
    "page_shield.get": Endpoint("GET", f"{_ZONE}/page_shield"),
    "page_shield.update": Endpoint("PUT", f"{_ZONE}/page_shield"),
    "page_shield.scripts": Endpoint("GET", f"{_ZONE}/page_shield/scripts", (list,)),
    "page_shield.script": Endpoint("GET", f"{_ZONE}/page_shield/scripts/{{script_id}}"),
    "rulesets.list": Endpoint("GET", f"{_ZONE}/rulesets", (list,)),
    "rulesets.create": Endpoint("POST", f"{_ZONE}/rulesets"),
    "rulesets.get": Endpoint("GET", f"{_ZONE}/rulesets/{{ruleset_id}}"),
    "rulesets.update": Endpoint("PUT", f"{_ZONE}/rulesets/{{ruleset_id}}"),
    "rulesets.entrypoint": Endpoint("GET", f"{_ZONE}/rulesets/phases/{_PHASE}/entrypoint"),
    "logpush_jobs.list": Endpoint("GET", _JOBS, (list,)),
    "logpush_jobs.create": Endpoint("POST", _JOBS),
    # An official example shows one job as a list of one.
    "logpush_jobs.get": Endpoint("GET", f"{_JOBS}/{{job_id}}", (dict, list)),
    "logpush_jobs.update": Endpoint("PUT", f"{_JOBS}/{{job_id}}"),
    "logpush_jobs.delete": Endpoint("DELETE", f"{_JOBS}/{{job_id}}", ()),
    "logpush_ownership.create": Endpoint("POST", f"{_ZONE}/logpush/ownership"),
    "logpush_ownership.validate": Endpoint("POST", f"{_ZONE}/logpush/ownership/validate"),
}
