# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from edgeops_simulator.front import logpush, rulesets, script_monitor, zones
from edgeops_simulator.front.call import Answer, Call


class Operation(t.NamedTuple):
    """One method of one route: what carries it out, and the name under which it is described."""

    method: str
    path: str
    name: str
    handler: t.Callable[[Call], Answer]


_ZONE = "/zones/{zone_id}"
_MONITOR, _SHIELD, _RULESETS, _LOGPUSH = (f"{_ZONE}/{part}" for part in ("script_monitor", "page_shield", "rulesets", "logpush"))
_ONE_RULESET = f"{_RULESETS}/{{ruleset_id}}"
_ENTRY_POINT = f"{_RULESETS}/phases/{{phase}}/entrypoint"
_ONE_RULE = f"{_ONE_RULESET}/rules/{{rule_id}}"
_ONE_JOB = f"{_LOGPUSH}/jobs/{{job_id}}"

OPERATIONS = (
    Operation("GET", "/zones", "listZones", zones.list_zones),
    Operation("GET", _ZONE, "getZone", zones.get_zone),
    Operation("GET", _MONITOR, "getScriptMonitor", script_monitor.get_status),
    Operation("PUT", _MONITOR, "updateScriptMonitor", script_monitor.put_status),
    Operation("GET", f"{_MONITOR}/scripts", "listScripts", script_monitor.list_scripts),
    Operation("GET", f"{_MONITOR}/scripts/{{script_id}}", "getScript", script_monitor.get_script),
    Operation("GET", _SHIELD, "getPageShield", script_monitor.get_page_shield),
    Operation("PUT", _SHIELD, "updatePageShield", script_monitor.put_page_shield),
    Operation("GET", f"{_SHIELD}/scripts", "listPageShieldScripts", script_monitor.list_page_shield),
    Operation("GET", f"{_SHIELD}/scripts/{{script_id}}", "getPageShieldScript", script_monitor.get_page_shield_script),
    Operation("GET", _RULESETS, "listRulesets", rulesets.list_rulesets),
    Operation("POST", _RULESETS, "createRuleset", rulesets.create_ruleset),
    Operation("GET", _ENTRY_POINT, "getEntryPoint", rulesets.get_entry_point),
    Operation("PUT", _ENTRY_POINT, "updateEntryPoint", rulesets.put_entry_point),
    Operation("GET", _ONE_RULESET, "getRuleset", rulesets.get_ruleset),
    Operation("PUT", _ONE_RULESET, "updateRuleset", rulesets.put_ruleset),
    Operation("DELETE", _ONE_RULESET, "deleteRuleset", rulesets.delete_ruleset),
    Operation("POST", f"{_ONE_RULESET}/rules", "addRule", rulesets.post_rule),
    Operation("PATCH", _ONE_RULE, "updateRule", rulesets.patch_rule),
    Operation("DELETE", _ONE_RULE, "deleteRule", rulesets.delete_rule),
    Operation("GET", f"{_LOGPUSH}/jobs", "listJobs", logpush.list_jobs),
    Operation("POST", f"{_LOGPUSH}/jobs", "createJob", logpush.create_job),
    Operation("GET", _ONE_JOB, "getJob", logpush.get_job),
    Operation("PUT", _ONE_JOB, "updateJob", logpush.put_job),
    Operation("DELETE", _ONE_JOB, "deleteJob", logpush.delete_job),
    Operation("GET", f"{_LOGPUSH}/datasets/{{dataset}}/jobs", "listDatasetJobs", logpush.list_dataset_jobs),
    Operation("GET", f"{_LOGPUSH}/datasets/{{dataset}}/fields", "listDatasetFields", logpush.list_dataset_fields),
    Operation("POST", f"{_LOGPUSH}/ownership", "createOwnership", logpush.create_ownership),
    Operation("POST", f"{_LOGPUSH}/ownership/validate", "validateOwnership", logpush.validate_ownership),
    Operation("POST", f"{_LOGPUSH}/validate/destination", "validateDestination", logpush.validate_destination),
    Operation("POST", f"{_LOGPUSH}/validate/destination/exists", "destinationExists", logpush.destination_exists),
    Operation("POST", f"{_LOGPUSH}/validate/origin", "validateOrigin", logpush.validate_origin),
)
