# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the role and of the playbooks share: variables of the role, and the plays that apply them."""

import secrets
import typing as t

SECRET = "planted-bucket-secret-51d7"  # planted to be searched for
DESTINATION = f"s3://edge-logs/all?region=eu-west-1&access-key-id=AK1&secret-access-key={SECRET}"
OWN_FIELDS = ["ClientRequestHost", "EdgeResponseStatus"]

Play = dict[str, t.Any]


def job(**options: t.Any) -> dict[str, t.Any]:
    """Options of a job that can be created; one that is None is omitted."""
    merged = {"name": "edge-logs", "destination_conf": DESTINATION, "fields": OWN_FIELDS, **options}
    return {name: value for name, value in merged.items() if value is not None}


def lists(request: t.Any = (), response: t.Any = (), cookies: t.Any = ()) -> dict[str, list[str]]:
    """The three lists of the role, all given."""
    return {"request_fields": list(request), "response_fields": list(response), "cookie_fields": list(cookies)}


def role_variables(zone: str | None = None, **variables: t.Any) -> dict[str, t.Any]:
    """Variables of the role, named without its prefix."""
    named = {"zone_id": zone, "job": job(), **variables}
    return {f"log_delivery_{name}": value for name, value in named.items() if value is not None}


def play(variables: t.Mapping[str, t.Any], **keywords: t.Any) -> Play:
    """A play that runs the role once; where the task comes from the keyword `how`, by an import or an include."""
    how = keywords.pop("how", "roles")
    base: Play = {"name": "Deliver", "hosts": "all", "gather_facts": False, "vars": dict(variables), **keywords}
    role = "edgeops.observability.log_delivery"
    if how == "roles":
        return {**base, "roles": [{"role": role}]}
    return {**base, "tasks": [{"name": "Run the role", f"ansible.builtin.{how}": {"name": role}}]}


def fleet(simulator: t.Any, desired_states: t.Sequence[t.Mapping[str, t.Any]]) -> dict[str, dict[str, t.Any]]:
    """An inventory of fresh zones, one for each desired state, so that one run answers for all of them."""
    zones = [secrets.token_hex(16) for _state in desired_states]
    simulator.seed(zones=zones)
    return {
        f"zone{number}": {"zone_id": zone, **role_variables(zone, **each)}
        for number, (zone, each) in enumerate(zip(zones, desired_states, strict=True))
    }


def modules(report: t.Any, name: str) -> list[t.Any]:
    """The outcomes of one module, in order."""
    return [outcome for outcome in report.ours if outcome.module == name]


def results(report: t.Any, host: str | None = None) -> list[dict[str, t.Any]]:
    """What the role registered, run by run; of one host if it is named."""
    found = modules(report, "zone_observability")
    return [outcome.result for outcome in found if outcome.status == "ok" and host in (None, outcome.host)]


def shown_lines(report: t.Any, task: str = "Show the findings") -> list[str]:
    """The lines that a playbook shows at its end."""
    # On older cores the task after it, which ends the play, has no name of its own.
    (shown,) = [each for each in report.outcomes if each.name == task and each.status != "skipped"]
    return t.cast("list[str]", shown.result["msg"])


def rules(simulator: t.Any, zone: str) -> list[dict[str, t.Any]]:
    """The rules of the zone's entry point for custom log fields."""
    found = [ruleset for ruleset in simulator.state(zone)["rulesets"] if ruleset["phase"] == "http_log_custom_fields"]
    return [rule for ruleset in found for rule in ruleset["rules"]]


def names(rule: t.Mapping[str, t.Any], kind: str) -> list[str]:
    """Names of one kind in a rule, sorted."""
    return sorted(item["name"] for item in rule["action_parameters"].get(kind, []))


def selected(simulator: t.Any, zone: str) -> list[str]:
    """The log fields that the one job of the zone selects."""
    (found,) = simulator.state(zone)["jobs"]
    if found.get("output_options"):
        return list(found["output_options"]["field_names"])
    options = dict(parameter.split("=", 1) for parameter in found["logpull_options"].split("&"))
    return options["fields"].replace("%2C", ",").split(",")
