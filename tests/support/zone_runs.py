# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of the role and plays that apply them, for the tests of the role and of the playbooks."""

import secrets
import typing as t

SECRET = "planted-bucket-secret-51d7"  # searched for in all output
DESTINATION = f"s3://edge-logs/all?region=eu-west-1&access-key-id=AK1&secret-access-key={SECRET}"
OWN_FIELDS = ["ClientRequestHost", "EdgeResponseStatus"]

Play = dict[str, t.Any]
# Between two playbooks of one run: hosts that failed in the first take part in the second.
GO_ON: Play = {
    "name": "Go on",
    "hosts": "all",
    "gather_facts": False,
    "tasks": [{"name": "Forget failures", "ansible.builtin.meta": "clear_host_errors"}],
}


def job(**options: t.Any) -> dict[str, t.Any]:
    """Return valid options of a job; None omits an option."""
    merged = {"name": "edge-logs", "destination_conf": DESTINATION, "fields": OWN_FIELDS, **options}
    return {name: value for name, value in merged.items() if value is not None}


def lists(request: t.Any = (), response: t.Any = (), cookies: t.Any = ()) -> dict[str, list[str]]:
    """Return the three lists of the role, each with a value."""
    return {"request_fields": list(request), "response_fields": list(response), "cookie_fields": list(cookies)}


def role_variables(zone: str | None = None, **variables: t.Any) -> dict[str, t.Any]:
    """Return variables of the role; the arguments omit its prefix."""
    named = {"zone_id": zone, "job": job(), **variables}
    return {f"log_delivery_{name}": value for name, value in named.items() if value is not None}


def play(variables: t.Mapping[str, t.Any], **keywords: t.Any) -> Play:
    """Return a play that runs the role once; the keyword `how` selects `roles`, an import or an include."""
    how = keywords.pop("how", "roles")
    base: Play = {"name": "Deliver", "hosts": "all", "gather_facts": False, "vars": dict(variables), **keywords}
    role = "edgeops.observability.log_delivery"
    if how == "roles":
        return {**base, "roles": [{"role": role}]}
    return {**base, "tasks": [{"name": "Run the role", f"ansible.builtin.{how}": {"name": role}}]}


def imported(name: str, **variables: t.Any) -> Play:
    """Return the import of a playbook of the collection with variables of its own."""
    return {"name": f"Run {name}", "ansible.builtin.import_playbook": f"edgeops.observability.{name}", "vars": variables}


def fleet(simulator: t.Any, desired_states: t.Sequence[t.Mapping[str, t.Any]], name: str = "zone") -> dict[str, dict[str, t.Any]]:
    """Seed a new zone for each desired state and return an inventory of them, so that one run covers all: `zone0` and so on."""
    zones = [secrets.token_hex(16) for _state in desired_states]
    simulator.seed(zones=zones)
    return {
        f"{name}{number}": {"zone_id": zone, **role_variables(zone, **desired)}
        for number, (zone, desired) in enumerate(zip(zones, desired_states, strict=True))
    }


def of_each_playbook(report: t.Any) -> list[list[t.Any]]:
    """Return the outcomes of each playbook that a run imports, in order."""
    starts = [number for number, outcome in enumerate(report.outcomes) if outcome.name == "Validate the variables of the run"]
    return [report.outcomes[start:end] for start, end in zip(starts, [*starts[1:], None], strict=True)]


def modules(report: t.Any, name: str) -> list[t.Any]:
    """Return the outcomes of one module, in order."""
    return [outcome for outcome in report.ours if outcome.module == name]


def results(report: t.Any, host: str | None = None) -> list[dict[str, t.Any]]:
    """Return the results that the role registered in each run; only those of `host` if given."""
    outcomes = modules(report, "zone_observability")
    return [outcome.result for outcome in outcomes if outcome.status == "ok" and host in (None, outcome.host)]


def shown_lines(report: t.Any, task: str = "Show the findings") -> list[str]:
    """Return the lines that a playbook shows at its end."""
    # Before ansible-core 2.19, the task after it, which ends the play, has no name.
    (outcome,) = [outcome for outcome in report.outcomes if outcome.name == task and outcome.status != "skipped"]
    return t.cast("list[str]", outcome.result["msg"])


def rules(simulator: t.Any, zone: str) -> list[dict[str, t.Any]]:
    """Return the rules of the zone's entry point for custom log fields."""
    rulesets = [ruleset for ruleset in simulator.state(zone)["rulesets"] if ruleset["phase"] == "http_log_custom_fields"]
    return [rule for ruleset in rulesets for rule in ruleset["rules"]]


def names(rule: t.Mapping[str, t.Any], kind: str) -> list[str]:
    """Return the names of one kind in a rule, sorted."""
    return sorted(item["name"] for item in rule["action_parameters"].get(kind, []))


def selected(simulator: t.Any, zone: str) -> list[str]:
    """Return the log fields that the only job of the zone selects."""
    (job,) = simulator.state(zone)["jobs"]
    if job.get("output_options"):
        return list(job["output_options"]["field_names"])
    options = dict(parameter.split("=", 1) for parameter in job["logpull_options"].split("&"))
    return options["fields"].replace("%2C", ",").split(",")
