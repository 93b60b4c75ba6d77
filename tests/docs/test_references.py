# SPDX-License-Identifier: GPL-3.0-or-later

"""The tables of the reference pages and of the guides are compared with the facts in the code."""

from __future__ import annotations

import math
import re
import typing as t

import gates
import pytest
import yaml
from blocks import ROOT, surroundings

from ansible_collections.edgeops.observability.plugins.module_utils import _core as _errors
from ansible_collections.edgeops.observability.plugins.module_utils import _destination as destinations
from ansible_collections.edgeops.observability.plugins.module_utils._api import response as errors
from ansible_collections.edgeops.observability.plugins.module_utils._api import transport
from ansible_collections.edgeops.observability.plugins.module_utils._api.budget import parse_budget
from ansible_collections.edgeops.observability.plugins.module_utils._api.session import MAX_BODY_BYTES
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.facts import (
    MAX_CUSTOM_FIELDS,
    MAX_CUSTOM_FIELDS_EACH,
)
from ansible_collections.edgeops.observability.plugins.module_utils._engine.task import CONNECTION_OPTIONS
from ansible_collections.edgeops.observability.plugins.module_utils._filter import text as limits
from ansible_collections.edgeops.observability.plugins.module_utils._filter import tree as operators
from ansible_collections.edgeops.observability.plugins.module_utils._logpush import facts as jobs
from ansible_collections.edgeops.observability.plugins.module_utils._scripts import facts as scripts

PAGES = ROOT / "docs" / "docsite" / "rst"
MIB = 1024 * 1024
BUDGET, WINDOW = parse_budget(CONNECTION_OPTIONS["request_budget"]["default"]) or (0, 0.0)

Rows = list[list[str]]


def text(page: str) -> str:
    return (PAGES / f"{page}.rst").read_text(encoding="utf-8")


def tables(page: str) -> list[Rows]:
    """Every table of a page, row by row, the head first."""
    found: list[Rows] = []
    for body in re.findall(r"\.\. list-table::\n(?:   .*\n|\n)+", text(page)):
        rows = re.split(r"^   \* - ", body, flags=re.MULTILINE)[1:]
        found.append([[cell.strip() for cell in re.split(r"^ +- ?", row, flags=re.MULTILINE)] for row in rows])
    return found


def table(page: str, head: str) -> dict[str, list[str]]:
    """The one table whose head begins so, by the first cell of its rows."""
    (rows,) = [rows for rows in tables(page) if rows[0][0] == head]
    return {row[0].replace("``", ""): row[1:] for row in rows[1:]}


def span(name: str) -> str:
    low, high = jobs.RANGES[name]
    return f"{low} to {high}"


def default(option: str) -> t.Any:
    return CONNECTION_OPTIONS[option]["default"]


LIMITS: dict[str, str] = {
    "comparisons in a filter": f"{limits.MAX_FILTER_OPERATORS}",
    "bytes of the text of a filter": f"{limits.MAX_FILTER_BYTES}",
    "custom fields of a zone in total": f"{MAX_CUSTOM_FIELDS}",
    "custom fields of a zone at Cloudflare": f"{MAX_CUSTOM_FIELDS_EACH} of each type",
    # What the service alone enforces is written here as the interface documents it.
    "value of one custom field": "8 KB",
    "rulesets of a zone for the phase": "1",
    "scripts in one page": f"{scripts.MAX_PER_PAGE}",
    "score that separates malicious scripts": "{}, on the route ``page_shield`` {}".format(
        *(each.threshold for each in scripts.VERDICTS.values())
    ),
    **{name: span(name) for name in jobs.RANGES},
    "characters of dataset": f"{jobs.MAX_DATASET_LENGTH}",
    "characters of logpull_options": f"{jobs.MAX_OPTIONS_LENGTH}",
    "characters of destination_conf": f"{jobs.MAX_DESTINATION_LENGTH}",
    "characters of ownership_challenge": f"{jobs.MAX_CHALLENGE_LENGTH}",
    "requests of one user": f"{BUDGET} in {WINDOW:g} seconds",
    "one try of a request": f"{default('timeout'):g} seconds",
    "further tries of a request": f"{default('retries')}",
    "pause that the service may ask for": f"{default('retry_wait_max')} seconds",
    "an answer of the service": f"{MAX_BODY_BYTES // MIB} MiB",
}


def test_limits_are_those_of_the_code() -> None:
    assert {name: cells[0] for name, cells in table("reference_limits", "What").items()} == LIMITS


def test_every_kind_of_failure_is_explained() -> None:
    rows = table("reference_errors", "Kind")
    assert set(rows) == _errors.KINDS
    assert all(len(cells) == 2 and all(cells) for cells in rows.values()), "what happened, and what to do"


def test_every_member_of_an_error_is_explained() -> None:
    named = {name for row in table("reference_errors", "Member") for name in row.split(", ")}
    assert named == set(_errors.Failure(_errors.CONFLICT, "").report())


def test_documented_codes_have_hints() -> None:
    """The documented codes of the service are those that have a hint."""
    named = {int(code) for row in table("reference_errors", "Code") for code in row.split(", ")}
    assert named == {*errors._BY_CODE, errors._CATCH_ALL}
    (row,) = [cells[0] for kind, cells in table("reference_errors", "Kind").items() if kind == _errors.AUTHENTICATION]
    assert {int(code) for code in re.findall(r"\b\d{4,5}\b", row)} == errors.AUTHENTICATION_CODES


def test_what_is_tried_again_is_the_policy() -> None:
    rows = table("reference_errors", "What happens")
    assert {502, 503, 504, *range(520, 528)} == transport.GATEWAY_STATUSES
    assert "502, 503, 504, 520 to 527" in rows
    (first,) = rows["no connection, a reset, a timeout"]
    assert f"start at {transport.FIRST_PAUSE_SECONDS} seconds, double, and end at {transport.MAX_PAUSE_SECONDS:g}" in first
    assert all(f"``{method}``" in first for method in transport.REPEATABLE)
    assert f"{default('retries')} further tries by default" in text("reference_errors")


def test_operators_are_those_of_the_code() -> None:
    named = [name for row in table("guide_filters", "Operators") for name in row.split()]
    assert sorted(named) == sorted(operators.OPERATORS)


def test_credential_variables_are_documented() -> None:
    """The guide names the options of credentials, and the variables that the documentation of the options names."""
    rows = table("guide_secrets", "Credential").values()
    assert [name.strip("`") for name, _variables in rows] == ["api_token", "api_email", "api_key"]
    fragment = (ROOT / "plugins" / "doc_fragments" / "connection.py").read_text(encoding="utf-8")
    documented = {name for name in re.findall(r"E\((CLOUDFLARE_\w+)\)", fragment) if not name.endswith("URL")}
    assert {variable for _name, variables in rows for variable in re.findall(r"``(\w+)``", variables)} == documented


def test_documented_parts_of_destinations_are_readable() -> None:
    """The guide names the schemes whose path is shown as a whole, and options that are readable."""
    whole, _plain, options = re.findall(r"^- (?:Of|Readable options) .*", text("guide_secrets"), flags=re.MULTILINE)
    schemes = {name for name, facts in destinations.SCHEMES.items() if facts.path == destinations.WHOLE}
    assert set(re.findall(r"``(\w+)``", whole)) == schemes
    readable = frozenset().union(*(facts.options for facts in destinations.SCHEMES.values()))
    assert set(re.findall(r"``([^`]+)``", options)) - {"credentials"} <= readable


def test_documented_score_side_matches_code() -> None:
    """The documented side of the threshold is that of the code, for each route."""
    assert {route: cells[1] for route, cells in table("guide_scripts", "Route").items()} == {
        route: f"{verdict.when} {verdict.threshold}" for route, verdict in scripts.VERDICTS.items()
    }


def minutes(zones: int, requests: int) -> str:
    """The result of the rule of the guide for this number of zones."""
    waits = math.ceil(zones * requests / BUDGET) - 1
    return f"at least {waits * WINDOW / 60:g} minutes" if waits else "no waiting"


def test_arithmetic_of_fleets_is_right() -> None:
    costs = {
        name: cells[0] for name, cells in table("guide_fleets", "A zone with custom fields, jobs and the script monitor").items()
    }
    unchanged, first = (int(cost) for name, cost in costs.items() if name.startswith(("unchanged", "delivered")))
    rows = table("guide_fleets", "Zones")
    assert rows == {zones: [minutes(int(zones), unchanged), minutes(int(zones), first)] for zones in rows}
    assert f"{BUDGET} / {unchanged} = {BUDGET // unchanged}" in text("guide_fleets")
    assert f"``{BUDGET // 4}/{WINDOW:g}`` for four" in text("guide_fleets")


def test_cost_of_a_zone_is_counted(playbook: t.Any, simulator: t.Any) -> None:
    costs = [cells[0] for cells in table("guide_fleets", "A zone with custom fields, jobs and the script monitor").values()]
    variables = {
        "log_delivery_zone_id": playbook.zone,
        "log_delivery_custom_fields": {"request_fields": ["x-trace-id"]},
        "log_delivery_job": {"name": "n", "destination_conf": "s3://b/p?region=r", "fields": ["RayID"]},
        "log_delivery_script_monitor_enabled": True,
    }
    hosts = {"shop": {"zone_id": playbook.zone, **variables}}
    first, again = (
        len(playbook.run(playbook="edgeops.observability.deliver", inventory=hosts, env=surroundings(simulator)).journal)
        for _run in range(2)
    )
    assert [str(again), str(first)] == [costs[0], costs[3]]


@pytest.mark.parametrize("page", ["support"])
def test_versions_are_those_of_the_project(page: str) -> None:
    floor = yaml.safe_load((ROOT / "meta" / "runtime.yml").read_text(encoding="utf-8"))["requires_ansible"]
    (row,) = [cells[0] for name, cells in table(page, "What").items() if name == "ansible-core"]
    assert f">={re.findall(r'2.[0-9]+', row)[0]}.0" == floor
    assert re.findall(r"2\.\d+", row)[1:] == list(gates.CORES)


def test_every_page_is_in_the_list_of_pages() -> None:
    listed = yaml.safe_load((ROOT / "docs" / "docsite" / "extra-docs.yml").read_text(encoding="utf-8"))["sections"]
    assert sorted(page for section in listed for page in section["toctree"]) == sorted(path.stem for path in PAGES.glob("*.rst"))
