# SPDX-License-Identifier: GPL-3.0-or-later

"""The action of `audit_report`: what it needs of the play around it, and what it hands on to the play and the run."""

from __future__ import annotations

import functools
import os
import tempfile
import typing as t

from ansible.module_utils.parsing.convert_bool import boolean

from ansible_collections.edgeops.observability.plugins.module_utils._core import GATE, Failure, Json, invalid_option
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.task import BOUNDARY_TASK, COST_TASK
from ansible_collections.edgeops.observability.plugins.module_utils._text import did_you_mean, nearest, quoted
from ansible_collections.edgeops.observability.plugins.modules import logpush_dataset_info, logpush_delivery_info
from ansible_collections.edgeops.observability.plugins.plugin_utils._arguments import prepared, serialised
from ansible_collections.edgeops.observability.plugins.plugin_utils._host_variables import Host, HostVariables, need_same
from ansible_collections.edgeops.observability.plugins.plugin_utils._in_process import InProcessAction
from ansible_collections.edgeops.observability.plugins.plugin_utils._play.hosts import pattern_of, patterns_of
from ansible_collections.edgeops.observability.plugins.plugin_utils._play.records import (
    REGISTERED,
    budgets_of,
    check_budget,
    check_budget_of_survey,
    reads_of,
    records_of,
    refusals,
    with_delivery,
    with_fields,
    with_part,
    without_baseline,
)
from ansible_collections.edgeops.observability.plugins.plugin_utils._report.facts import FILES, GATES
from ansible_collections.edgeops.observability.plugins.plugin_utils._report.task import TASK
from ansible_collections.edgeops.observability.plugins.plugin_utils._untrusted import untrusted
from ansible_collections.edgeops.observability.plugins.plugin_utils._variables.readers import read_names
from ansible_collections.edgeops.observability.plugins.plugin_utils._variables.table import PLAYBOOK_VARIABLES, RUN

Result = dict[str, t.Any]
_PAGES = "edgeops_pages"


class ReportAction(InProcessAction):
    """Makes the report of the hosts of the play, unless the task has `zones`, and keeps what it says as statistics of the run."""

    task = TASK

    def run(self, tmp: str | None = None, task_vars: Result | None = None) -> Result:
        """Return the result of the module; a host of the play fails by `failed_hosts`."""
        variables, arguments = task_vars or {}, self._task.args
        hosts: dict[str, Host] = {}
        try:
            host = Host(variables, self._templar)
            self._task.args = _completed(arguments, host)
            registered = self._registered()
            if self._task.args.get("zones") is None:
                all_hosts = HostVariables(self._task, variables, self._templar, self._loader)
                hosts = {str(name): all_hosts.host(str(name)) for name in variables["ansible_play_hosts_all"]}
                need_same(_of_the_run(arguments), [*hosts.values()])
                check_budget(self._task.args, hosts)
                if self._is_on("validate_only"):
                    _refuse_without_parser(hosts.values())
            elif self._is_on("validate_only") and not self._task.args["zones"]:
                check_budget_of_survey(host, {})  # whose records come from the service
            reads = _reads(hosts, registered) if registered and self._is_on("reads_only") else None
            if registered is not None and reads is None:
                self._task.args = {**self._task.args, "zones": self._records(hosts, registered, host)}
            result = super().run(tmp, variables)
        except Failure as failure:
            return {"failed": True, "changed": False, "msg": str(failure), "error": failure.report()}
        finally:
            self._task.args = arguments
        if result.get("outcome") is None:
            result = result if arguments.get("previous") else _with_variable(result)
            return result if result.get("failed") else {**result, **(reads or {})}
        if registered is not None:
            result = _with_own(result, hosts, refusals(hosts, registered))
        patterns = patterns_of(result["failed_hosts"], list(hosts))
        return {**result, "hosts": patterns, "ansible_stats": _statistics(result)}

    def _is_on(self, option: str) -> bool:
        return bool(boolean(self._task.args.get(option) or False, strict=False))

    def arranged(self, arguments: t.Mapping[str, t.Any]) -> t.Mapping[str, t.Any]:
        """Return the arguments with `fail_on` as one list, whose items may be texts with commas."""
        fail_on = arguments.get("fail_on")
        if fail_on is None:
            return arguments
        texts = fail_on if isinstance(fail_on, (list, tuple)) else [fail_on]
        names = [name for text in texts for name in read_names("fail_on", text)]
        for name in names:
            if name not in GATES:
                hint = did_you_mean(nearest(name, GATES))
                raise invalid_option("fail_on", f"{quoted(name)} is no status, and no type of a finding or a note{hint}")
        return {**arguments, "fail_on": names}

    def _registered(self) -> dict[str, str | None] | None:
        """Return the names of the variables to gather from; None if the task has records, or makes no report."""
        arguments = self._task.args
        if arguments.get("zones") is not None or self._is_on("validate_only"):
            return None
        option = self.task.arguments()["argument_spec"]["registered"]
        names = prepared({"registered": option}, {"registered": arguments.get("registered")}).get("registered")
        return {**REGISTERED, **names} if isinstance(names, dict) else dict(REGISTERED)

    def _records(self, hosts: t.Mapping[str, Host], registered: t.Mapping[str, str | None], own: Host) -> list[dict[str, Json]]:
        """Return the records of the hosts; `own` is the host of the task."""
        records = records_of(hosts, registered)
        asks_delivery, asks_fields = map(self._is_on, ("delivery", "fields"))
        if not (asks_delivery or asks_fields):
            return list(records.values())
        plain: dict[str, dict[str, Json]] = untrusted(serialised(records))
        if asks_fields:
            plain = with_fields(plain, hosts, functools.partial(self.result_of, logpush_dataset_info.TASK))
            plain = with_part(plain, hosts, "boundary", functools.partial(self.result_of, BOUNDARY_TASK))
        if not asks_delivery:
            return list(plain.values())
        budgets = budgets_of(self._task.args, hosts)
        rates = {"rates": rates} if (rates := self._task.args.get("rates") or own.option("edgeops_rates")) else {}
        plain = with_part(
            plain, {name: hosts[name] for name in budgets}, "cost", functools.partial(self.result_of, COST_TASK), rates
        )
        for name, budget in budgets.items():
            if isinstance(cost := plain[name].get("cost"), dict):
                plain[name]["cost"] = {**cost, "budget_usd": budget}
        return with_delivery(plain, hosts, self._delivered)

    def _delivered(self, arguments: t.Mapping[str, t.Any]) -> t.Mapping[str, Json]:
        """Return the delivery facts of zones or of an account, or the failure. The report shows what its warnings say."""
        return self.result_of(logpush_delivery_info.TASK, arguments)


def _of_the_run(arguments: t.Mapping[str, t.Any]) -> list[str]:
    """Return the variables about the run from which the task takes an option that it omits; a title decides nothing."""
    return [
        name
        for name, variable in PLAYBOOK_VARIABLES.items()
        if variable.module == "audit_report"
        and variable.scope is RUN
        and variable.option != "title"
        and arguments.get(variable.option) is None
    ]


def _reads(hosts: t.Mapping[str, Host], registered: t.Mapping[str, str | None]) -> Result:
    """Return patterns of the hosts of which an audit reads each further part, and which of them have no baseline of scripts."""
    reads = reads_of(hosts, str(registered["result"]))
    patterns = {part: [pattern_of(name) for name in names] for part, names in reads.items()}
    return {"reads": patterns, "without_baseline": without_baseline(hosts, reads["scripts"])}


def _refuse_without_parser(hosts: t.Iterable[Host]) -> None:
    """Raise `invalid_option` if a host has pages, and the library that reads them is missing."""
    if not any(map(_has_pages, hosts)):
        return
    from ...module_utils._pages.tree import missing_parser  # noqa: PLC0415  # slow to import, and most runs audit no page

    if missing := missing_parser(_PAGES):
        raise missing


def _has_pages(host: Host) -> bool:
    try:
        return bool(host.option(_PAGES))
    except Failure:
        return False  # the host fails by itself, with its own reason


def _completed(arguments: Result, host: Host) -> Result:
    """Return the arguments with what variables give here already.

    Without a folder the report is in a temporary one; with a folder that the variable names, the report in it is the previous one.
    """
    folder = host.option("edgeops_report_dir")
    writes = not any(boolean(arguments.get(option) or False, strict=False) for option in ("validate_only", "reads_only"))
    defaults: Result = {}
    if not arguments.get("dest") and not folder:
        defaults["dest"] = tempfile.mkdtemp(prefix="edgeops-report-") if writes else tempfile.gettempdir()
    elif not arguments.get("dest") and not arguments.get("previous") and not host.option("edgeops_report_previous"):
        defaults["previous"] = os.path.join(folder, FILES["json"])
    # What of the hosts is read depends on these.
    variables = {
        "delivery": host.option("edgeops_audit_delivery"),
        "fields": host.option("edgeops_audit_fields"),
    }
    defaults |= {option: value for option, value in variables.items() if arguments.get(option) is None and value is not None}
    return {**arguments, **defaults}


def _with_variable(result: Result) -> Result:
    """Return a result whose refusal of the previous report names the variable of the folder in which that was found."""
    option, colon, reason = str(result.get("msg")).partition(": ")
    if option != "previous":
        return result
    return {**result, "msg": f"edgeops_report_dir{colon}{reason}"}


def _with_own(result: Result, hosts: t.Iterable[str], refused: t.Mapping[str, str]) -> Result:
    """Return a result whose `failed_hosts` has each host of the play that fails; what is about no host of it fails the first one."""
    failed_hosts = {**refused, **result["failed_hosts"]}
    result = {**result, "failed_hosts": failed_hosts}
    if refused and not result.get("failed"):
        failure = Failure(GATE, "; ".join(f"{name}: {reason}" for name, reason in refused.items()))
        result.update(failed=True, msg=str(failure), error=failure.report())
    names = list(hosts)
    if result.get("failed") and names and not failed_hosts.keys() & set(names):
        failed_hosts[names[0]] = str(result["msg"])
    return result


def _statistics(result: Result) -> Result:
    """Return what a workflow hands on: the lines with the statuses, the plan of the fleet, and the numbers."""
    data = {
        "edgeops_check": {
            "lines": result["lines"],
            "statuses": result["hosts_by_status"],
            "failed": sorted(result["failed_hosts"]),
        },
        "edgeops_plan_id": result["plan_id"],
        "edgeops_report": {"outcome": result["outcome"], "counts": result["counts"]},
    }
    return {"data": data, "per_host": False, "aggregate": False}
