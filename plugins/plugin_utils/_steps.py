# SPDX-License-Identifier: GPL-3.0-or-later

"""The steps of the playbooks that concern all hosts of a run, decided on the controller from the hosts' variables."""

from __future__ import annotations

import os
import re
import tempfile
import typing as t

from ansible.plugins.action import ActionBase

from ..module_utils._api.connection import CONNECTION_OPTIONS
from ..module_utils._core import INVALID_OPTION, Failure, invalid_option
from ..module_utils._text import did_you_mean, nearest
from ..module_utils._zone.survey import FILTERS
from ._arguments import user_path
from ._evidence.verification import describe
from ._fleet import outcome, rails, records, variables
from ._fleet.variables import ADOPTION, ALLOW, APPLIED, BEFORE, DELIVERED, LISTED, RAILS, REPORT
from ._host_variables import HostVariables

Result = dict[str, t.Any]
Arguments = t.Mapping[str, t.Any]
# Later plays use lists of host names as patterns, in which these characters have a meaning.
_PATTERN = re.compile(r"[\[\] ,:;*?!&~(){}]")
_HINT = "It is the host pattern of plays, for which variables of hosts and groups do not exist; use -e edgeops_target=PATTERN."


class FleetAction(ActionBase):  # type: ignore[misc]  # ansible-core ships no types
    """One step of a playbook: reads the variables of the hosts and returns the data for the following plays."""

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: Result | None = None) -> Result:
        """Return the result of the step; failures have the form of a module's failure."""
        given = task_vars or {}
        result: Result = super().run(tmp, given)
        step = str(self._task.args.get("step"))
        try:
            if step not in _STEPS:
                raise invalid_option("step", f"must be one of: {', '.join(_STEPS)}")
            hosts = HostVariables(self._task, given, self._templar, self._loader)
            result.update(_STEPS[step](self._task.args, given, hosts))
        except Failure as failure:
            result.update(failed=True, msg=str(failure), error=failure.report())
        result.setdefault("changed", False)
        return result


def _names(_arguments: Arguments, given: Result, _hosts: HostVariables) -> Result:
    """Refuse unknown variables of the role."""
    variables.check_names({name: () for name in given if name.startswith("log_delivery_")})
    return {}


def _validate(arguments: Arguments, given: Result, hosts: HostVariables) -> Result:
    """Validate the variables of the hosts and the command line before any request."""
    playbook = str(arguments.get("playbook"))
    everyone = _play_hosts(given)
    if playbook in _OF_ZONES:
        purpose, options_of = _OF_ZONES[playbook]
        zones = _zones(arguments, everyone, hosts, purpose)
        _check_variables(hosts, zones)
        batches = variables.read_batches(hosts.of_run("edgeops_zones_at_once"))
        return {"batches": batches, "hosts": zones, **options_of(hosts, zones)}
    if playbook not in _OF_THE_RUN:
        raise invalid_option("playbook", f"must be one of: {', '.join([*_OF_ZONES, *_OF_THE_RUN])}")
    _check_variables(hosts, everyone)
    return _OF_THE_RUN[playbook](hosts, everyone[:1])


def _play_hosts(given: Result) -> list[str]:
    return [str(name) for name in given["ansible_play_hosts_all"]]


def _check_variables(hosts: HostVariables, names: t.Sequence[str]) -> None:
    own: dict[str, list[str]] = {}
    shared: set[str] = set()
    for host in names:
        for name in hosts.of(host):
            if name in hosts.own(host):
                own.setdefault(name, []).append(host)
            else:
                shared.add(name)
    variables.check_names(dict.fromkeys(shared, ()))
    variables.check_variables(hosts.extra, {name: found for name, found in own.items() if name not in hosts.extra})


def _zones(arguments: Arguments, everyone: t.Sequence[str], hosts: HostVariables, purpose: str) -> list[str]:
    """Return the hosts of the following plays."""
    target = hosts.of_run("edgeops_target")
    if target is not None and (not isinstance(target, str) or not target.strip()):
        raise invalid_option("edgeops_target", f"must be a string. {_HINT}")
    matched = {str(name) for name in arguments.get("hosts") or ()}
    zones = [name for name in everyone if name in matched]
    if not zones:
        pattern = "all" if target is None else target
        raise invalid_option(
            "edgeops_target", f"the inventory and its limit contain no host for {pattern!r}, so there is nothing to {purpose}"
        )
    unfit = sorted(name for name in zones if _PATTERN.search(name))
    if unfit:
        raise Failure(
            INVALID_OPTION,
            f"the host names {', '.join(map(repr, unfit))} contain a blank or a character of host patterns."
            " Rename the hosts, for example after their zones.",
        )
    return zones


def _of_run(hosts: HostVariables, zones: t.Sequence[str], defaults: t.Mapping[str, t.Any]) -> Result:
    """Return the variables of the run, which must be equal for all its hosts."""
    return {
        name: variables.same_for_all(name, {host: hosts.evaluated(host, name, default) for host in zones}, default)
        for name, default in defaults.items()
    }


def _rails(hosts: HostVariables, zones: t.Sequence[str]) -> Result:
    found = _read_rails(hosts, zones)
    return {
        "guard": found.guard,
        "soak_seconds": found.soak_seconds,
        "stop_on_failure": found.stop_on_failure,
        "rails": rails.describe(found, variables.read_batches(hosts.of_run("edgeops_zones_at_once"))),
    }


def _read_rails(hosts: HostVariables, zones: t.Sequence[str]) -> rails.Rails:
    values = _of_run(hosts, zones, RAILS)
    path = values["edgeops_approved_report"]
    values["edgeops_approved_report"] = path and user_path(str(path))
    given = [name for name in RAILS if any(name in hosts.of(host) for host in zones)]
    return rails.read_rails(values, given, {host: hosts.evaluated(host, ALLOW) for host in zones})


def _report(hosts: HostVariables, zones: t.Sequence[str]) -> Result:
    """Return the options of the report; relative paths start at the user's working directory."""
    values = _of_run(hosts, zones, REPORT)
    variables.read_json("edgeops_report_put_headers", values["edgeops_report_put_headers"], dict)
    folder = values["edgeops_report_dir"]
    dest = user_path(str(folder)) if folder else None
    previous = values["edgeops_report_previous"] or (folder and os.path.join(str(folder), "report.json"))
    return {
        "audit_delivery": variables.read_boolean("edgeops_audit_delivery", values["edgeops_audit_delivery"], default=False),
        "dest": dest or tempfile.gettempdir(),
        "is_temporary": dest is None,
        "formats": variables.read_names("edgeops_report_formats", values["edgeops_report_formats"]) or None,
        "previous": user_path(str(previous)) if previous else None,
        "merge": [user_path(name) for name in variables.read_names("edgeops_report_merge", values["edgeops_report_merge"])],
        "title": values["edgeops_report_title"] or None,
        "keep": values["edgeops_report_keep"],
        "max_age_days": values["edgeops_report_max_age_days"],
        "silent_after_days": values["edgeops_silent_after_days"],
        "waivers": variables.read_json("edgeops_waivers", values["edgeops_waivers"], list),
        "required_fields": variables.read_json("edgeops_required_fields", values["edgeops_required_fields"], dict),
        "fail_on": variables.read_names("edgeops_fail_on", values["edgeops_fail_on"]),
    }


def _survey(hosts: HostVariables, zones: t.Sequence[str]) -> Result:
    """Return the options of a survey, which needs no inventory."""
    found = variables.read_json("edgeops_survey", hosts.evaluated(zones[0], "edgeops_survey"), dict)
    for name in found:
        if name not in FILTERS:
            hint = did_you_mean(nearest(str(name), FILTERS))
            raise invalid_option(f"edgeops_survey.{name}", f"not an option of a survey{hint}")
    return {
        **_report(hosts, zones),
        **{name: variables.read_names(f"edgeops_survey.{name}", found.get(name)) for name in FILTERS},
        "scripts": variables.read_boolean("edgeops_audit_scripts", hosts.evaluated(zones[0], "edgeops_audit_scripts"), False),
    }


def _adoption(hosts: HostVariables, zones: t.Sequence[str]) -> Result:
    values = _of_run(hosts, zones, ADOPTION)
    if not values["edgeops_adopt_dir"]:
        raise invalid_option("edgeops_adopt_dir", "is required: the folder for group_vars and host_vars")
    overwrite = variables.read_boolean("edgeops_adopt_overwrite", values["edgeops_adopt_overwrite"], default=False)
    return {
        "dest": user_path(str(values["edgeops_adopt_dir"])),
        "group": str(values["edgeops_adopt_group"] or "all"),
        "overwrite": overwrite,
    }


def _evidence(hosts: HostVariables, zones: t.Sequence[str]) -> Result:
    folder = hosts.evaluated(zones[0], "edgeops_evidence_dir")
    if not folder:
        raise invalid_option("edgeops_evidence_dir", "is required: the folder of the evidence")
    return {"dest": user_path(str(folder))}


_Options = t.Callable[[HostVariables, t.Sequence[str]], Result]
# What a playbook does with zones, and the function that returns its options.
_OF_ZONES: t.Mapping[str, tuple[str, _Options]] = {
    "deliver": ("deliver to", _rails),
    "check": ("check", _report),
    "adopt": ("adopt", _adoption),
}
# The playbooks without zones; their options are those of the first host.
_OF_THE_RUN: t.Mapping[str, _Options] = {"survey": _survey, "verify_evidence": _evidence}


def _evaluate(_arguments: Arguments, given: Result, hosts: HostVariables) -> Result:
    """Compare the predicted changes of all zones with the rails and the approved report."""
    names = _play_hosts(given)
    limits = _read_rails(hosts, names)
    zones = sorted(records.predicted_zone(host, hosts.of(host)) for host in names) if limits.guard or _is_check(given) else []
    if limits.guard:
        rails.check_approval(limits, zones)
        rails.refuse(limits, zones)
    to_deliver = [zone.name for zone in zones if zone.changed] if limits.guard else names
    return {
        "to_deliver": [] if _is_check(given) else to_deliver,
        "plan_ids": {zone.name: zone.plan_ids for zone in zones if not zone.error},
        "lines": [outcome.plan_summary(zones)] if zones else [],
    }


def _is_check(given: Result) -> bool:
    return bool(given.get("ansible_check_mode"))


def _canary(arguments: Arguments, given: Result, hosts: HostVariables) -> Result:
    """Return which zones of a batch failed, and which have a job with worse health than before."""
    batch = [str(name) for name in given["ansible_play_batch"]]
    failed = [host for host in batch if records.error_of(hosts.of(host), (APPLIED, LISTED))]
    unhealthy: dict[str, str] = {}
    if arguments.get("soaked"):
        for host in batch:
            if sentences := _worse(hosts.of(host)):
                unhealthy[host] = "; ".join(sentences)
    stops = bool(unhealthy) or (bool(failed) and bool(arguments.get("stop_on_failure")))
    return {"unhealthy": unhealthy, "stopped": "the run stopped after a batch in which a zone failed" if stops else ""}


def _worse(of_host: Arguments) -> list[str]:
    before, after = (records.done_jobs(of_host, name) for name in (BEFORE, LISTED))
    applied = records.done_zone(of_host, APPLIED)
    if before is None or not applied or not applied.get("changed"):
        return []
    if after is None:
        return ["the health of its jobs could not be read after the delivery"]
    return outcome.worse_jobs(before, after, applied.get("jobs") or {})


def _conclude(arguments: Arguments, given: Result, hosts: HostVariables) -> Result:
    """Return the outcome of each zone of a delivery."""
    to_deliver, stopped = set(arguments.get("to_deliver") or ()), str(arguments.get("stopped") or "")
    ends = {host: outcome.end_of(host, hosts.of(host), host in to_deliver, stopped) for host in _play_hosts(given)}
    return outcome.outcome(ends, stopped, _is_check(given))


def _ask(_arguments: Arguments, given: Result, hosts: HostVariables) -> Result:
    """Return the queries for the delivery facts of all zones with jobs: one host queries for each distinct connection."""
    found = {host: records.audit_record(host, hosts.of(host)) for host in _play_hosts(given)}
    having = {host: record for host, record in found.items() if record.get("jobs")}
    options = [f"edgeops_{name}" for name in CONNECTION_OPTIONS]
    return {"asked": records.questions(having, lambda host: [hosts.evaluated(host, name) for name in options])}


def _gather(arguments: Arguments, given: Result, hosts: HostVariables) -> Result:
    """Return the records of all zones for a report."""
    found = [records.audit_record(host, hosts.of(host)) for host in _play_hosts(given)]
    asked = arguments.get("asked") or {}
    return {"zones": records.answered(found, asked, {host: hosts.of(host).get(DELIVERED) or {} for host in asked})}


def _judge(arguments: Arguments, given: Result, hosts: HostVariables) -> Result:
    """Return the last lines of a check, and which hosts fail for which reason."""
    report = arguments["report"]
    names = _play_hosts(given)
    reasons = {host: reason for host, reason in report["failed_hosts"].items() if host in names}
    gates = {host: records.gate_of(hosts.of(host)) for host in names}
    reasons |= {host: message for host, message in gates.items() if message and host not in reasons}
    if report.get("error") and not reasons:
        # What no host of the play is about: a zone of a merged report, or a file that could not be sent.
        reasons[names[0]] = str(report.get("msg") or "")
    # Add a host that does not fail, because a play in which every host fails would end the run.
    addressed = [*reasons, *[name for name in names if name not in reasons][:1]] if reasons else []
    return {"lines": report["lines"], "failing": reasons, "addressed": addressed}


def _adopt(arguments: Arguments, given: Result, hosts: HostVariables) -> Result:
    """Return what to write for adopted zones, and which hosts to verify: these and the other zones of the group."""
    names = [str(name) for name in arguments.get("hosts") or ()]
    found = outcome.select_adopted({host: hosts.of(host) for host in names})
    group = {str(name) for name in arguments.get("group_hosts") or ()}
    written = [host for host in names if host not in found["refused"]]
    others = [host for host in _play_hosts(given) if host in group and host not in names]
    return {**found, "to_verify": [*written, *(host for host in others if outcome.is_zone(hosts.of(host)))] if written else []}


def _adopted(arguments: Arguments, _given: Result, hosts: HostVariables) -> Result:
    """Return the last lines of an adoption, and which hosts fail for which reason."""
    verified = {str(host): outcome.changed_by_files(hosts.of(str(host))) for host in arguments.get("hosts") or ()}
    failing = {**(arguments.get("refused") or {}), **{host: reason for host, reason in verified.items() if reason}}
    return {
        "lines": outcome.conclude_adoption(arguments.get("zones") or (), str(arguments.get("dest")), failing),
        "failing": failing,
    }


def _verified(arguments: Arguments, given: Result, hosts: HostVariables) -> Result:
    """Return the lines about each chain of evidence, and why evidence is invalid; zones of the inventory are named."""
    report = arguments["report"]
    names = {records.zone_id_of(hosts.of(host)): host for host in map(str, given["groups"]["all"])}
    told = [(zone["valid"], describe(zone, names.get(zone["zone_id"].lower(), ""))) for zone in report["zones"]]
    bad = [lines[0] for valid, lines in told if not valid]
    return {
        "lines": [text for _valid, lines in told for text in lines],
        "invalid": "" if report["valid"] else "; ".join(bad) or "There is no evidence in the folder.",
    }


_STEPS: t.Mapping[str, t.Callable[[Arguments, Result, HostVariables], Result]] = {
    "names": _names,
    "validate": _validate,
    "evaluate": _evaluate,
    "canary": _canary,
    "conclude": _conclude,
    "ask": _ask,
    "gather": _gather,
    "judge": _judge,
    "adopt": _adopt,
    "adopted": _adopted,
    "verified": _verified,
}
