# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._engine.task import CONNECTION_OPTIONS

# What a run of the playbooks is about: the name of the playbook, and what it does with zones.
DELIVER, CHECK, ADOPT, SURVEY, VERIFY_EVIDENCE = PLAYBOOKS = ("deliver", "check", "adopt", "survey", "verify_evidence")
PURPOSES: t.Mapping[str, str] = {DELIVER: "deliver to", CHECK: "check", ADOPT: "adopt"}

# The parts of a zone that have plans.
MANAGED = ("custom_fields", "jobs", "script_monitor")

# What a change can destroy: the names in `effects` of results and in `edgeops_allow`.
EFFECTS = (
    "change_destination",
    "change_filter",
    "change_transformer",
    "delete_job",
    "disable_job",
    "disable_monitor",
    "drop_custom_fields",
    "drop_job_fields",
    "recreate_job",
    "reduce_sample_rate",
)
ALL = "all"

# Variables of the playbooks. The first group can be set as extra variables only: plays evaluate them before they have hosts.
EXTRA_ONLY = ("edgeops_target", "edgeops_zones_at_once")
ALLOW = "edgeops_allow"
# The variables of a run as a whole, with their defaults; every host of a run has the same.
SWITCHES: t.Mapping[str, bool] = {"edgeops_guard": True, "edgeops_deliver_partial": True, "edgeops_stop_on_failure": False}
RAILS: t.Mapping[str, object] = {
    **SWITCHES,
    "edgeops_max_changed_zones": None,
    "edgeops_approved_plan_id": None,
    "edgeops_approved_report": None,
    "edgeops_soak_seconds": 0,
}
REPORT: t.Mapping[str, object] = {
    "edgeops_report_dir": None,
    "edgeops_report_title": None,
    "edgeops_report_formats": None,
    "edgeops_report_previous": None,
    "edgeops_report_merge": None,
    "edgeops_report_put_url": None,
    "edgeops_report_put_headers": None,
    "edgeops_report_keep": 30,
    "edgeops_waivers": [],
    "edgeops_required_fields": {},
    "edgeops_audit_delivery": False,
    "edgeops_fail_on": [],
}
# Of the report, what a survey reads by itself.
SURVEY_ONLY: t.Mapping[str, object] = {"edgeops_survey": {}, "edgeops_audit_scripts": False}
ADOPTION: t.Mapping[str, object] = {
    "edgeops_adopt_dir": None,
    "edgeops_adopt_group": "all",
    "edgeops_adopt_overwrite": False,
}
OF_HOSTS = (
    "edgeops_in_process",
    "edgeops_audit_scripts",
    "edgeops_script_baseline",
    "edgeops_script_fail_on",
    "edgeops_evidence_dir",
    "edgeops_expected_head",
    *(f"edgeops_{name}" for name in CONNECTION_OPTIONS),
)
PLAYBOOK_VARIABLES = (
    *EXTRA_ONLY,
    ALLOW,
    *RAILS,
    *REPORT,
    *ADOPTION,
    *OF_HOSTS,
    "edgeops_expected_heads",
    "edgeops_survey",
)
ROLE_VARIABLES = (
    "log_delivery_zone_id",
    "log_delivery_zone_name",
    "log_delivery_account_id",
    "log_delivery_state",
    "log_delivery_custom_fields",
    "log_delivery_job",
    "log_delivery_jobs",
    "log_delivery_job_defaults",
    "log_delivery_unlisted_jobs",
    "log_delivery_script_monitor_enabled",
    "log_delivery_script_monitor_route",
    "log_delivery_expected_plan_ids",
)
# What the collection sets itself: accepted, and never read as input.
RESULTS = ("log_delivery_result", "edgeops_check", "edgeops_plan_id", "edgeops_report")

# Variables of a host that playbooks and role register or set.
DESCRIBED = "_log_delivery_described"
PREDICTION, APPLIED, LISTED = "_log_delivery_prediction", "log_delivery_result", "_log_delivery_listed"
DELIVERED = "_edgeops_delivered"
SCRIPTS, FAILED, BEFORE, CANARY = "_log_delivery_scripts", "_edgeops_failed", "_edgeops_before", "_edgeops_canary"
