# SPDX-License-Identifier: GPL-3.0-or-later

"""Reference pages that list all of something: compared with the code, and with what every other page, example and message says."""

from __future__ import annotations

import ast
import dataclasses
import re
import subprocess
import typing as t

import yaml
from blocks import ROOT

from ansible_collections.edgeops.observability.plugins.module_utils._api import response
from ansible_collections.edgeops.observability.plugins.module_utils._report import earlier, facts, formats
from edgeops_simulator.cli import parser
from edgeops_simulator.faults.table import KINDS
from edgeops_simulator.settings import Settings

PAGES = ROOT / "docs" / "docsite" / "rst"
EVENT_SOURCE = ROOT / "extensions" / "eda" / "plugins" / "event_source" / "zone_events.py"
PERMISSION = re.compile(
    r"\b(Zone Settings|Zone Analytics|Account Analytics|Page Shield|Zone WAF|Logs|Zone):? (Read|Write|Edit)\b"
)
# Names that look like variables of the playbooks and are modules, files or series of metrics.
NO_VARIABLES = re.compile(r"edgeops_(simulator|zone|job|audit_timestamp)_?")


def text(page: str) -> str:
    return (PAGES / f"{page}.rst").read_text(encoding="utf-8")


def rows(page: str, head: str) -> dict[str, list[str]]:
    """The rows of all tables of a page whose head begins so: the cells after the first one, without marks."""
    found: dict[str, list[str]] = {}
    for body in re.findall(r"\.\. list-table::.*\n(?:   .*\n|\n)+", text(page)):
        table = [re.split(r"^ +- ?", row, flags=re.MULTILINE) for row in re.split(r"^   \* - ", body, flags=re.MULTILINE)[1:]]
        if table[0][0].strip() == head:
            found.update({row[0].strip(): [cell.strip() for cell in row[1:]] for row in table[1:]})
    return found


def literals(cells: t.Iterable[str]) -> list[str]:
    return [name for cell in cells for name in re.findall(r"``([^`]+)``", cell)]


def published() -> dict[str, str]:
    """Every text that a user of the collection reads."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    folders = ("README.md", "docs/docsite/", "examples/", "extensions/", "playbooks/", "plugins/", "roles/", "SUPPORT.md")
    names = [name for name in listed if name.startswith(folders) and not name.endswith((".png", ".svg", ".json"))]
    return {name: (ROOT / name).read_text(encoding="utf-8") for name in names if (ROOT / name).is_file()}


def test_permissions_have_one_table() -> None:
    """No message, option, guide or example names a permission that the page does not."""
    named = {" ".join(found) for found in PERMISSION.findall(text("reference_permissions"))}
    others = {
        f"{name}: {' '.join(found)}"
        for name, content in published().items()
        for found in PERMISSION.findall(content)
        if " ".join(found) not in named
    }
    assert not others
    uses = rows("reference_permissions", "Use")
    assert literals(uses) == ["zones", "check", "deliver", "adopt", "survey", "logpush_delivery_info"]
    assert all(
        cells[1] == "Write" for name, cells in uses.items() if name in ("``check``", "``adopt``", "``survey``", "event source")
    )


def test_messages_name_the_permissions_of_the_page() -> None:
    areas = {literal: cells for route, cells in rows("reference_permissions", "Route").items() for literal in literals([route])}
    for area, hint in response._BY_AREA.items():
        name = {"zones": "GET /zones", "script_monitor": "page_shield"}.get(area, area.partition("_jobs")[0].partition("_")[0])
        name = "page_shield" if name == "page" else name
        documented = {permission.replace(" Edit", " Write") for permission in areas[name] if permission}
        needed = {" ".join(found) for found in PERMISSION.findall(hint.replace("Logs: Read is not enough", ""))}
        assert needed == documented, area


def test_variables_have_one_page() -> None:
    """No page or example names a variable of the playbooks that the reference lacks."""
    known = set(literals([*rows("reference_playbooks", "Variable"), *rows("reference_playbooks", "Statistic")]))
    used = {
        f"{name}: {variable}"
        for name, content in published().items()
        if name.startswith(("README.md", "docs/", "examples/", "roles/log_delivery/README.md"))
        for variable in re.findall(r"(?<![\w.{/-])edgeops_[a-z_]+[a-z]\b(?![{(*])", content)
        if variable not in known and not NO_VARIABLES.match(variable)
    }
    assert not used


def test_variables_are_those_of_the_playbooks() -> None:
    """The page has each variable, and its default where it has one."""
    defaults = yaml.safe_load((ROOT / "roles" / "playbook_variables" / "defaults" / "main.yml").read_text(encoding="utf-8"))
    variables = {name: value for name, value in defaults.items() if name.startswith("edgeops_")}
    documented = {
        name: cells[0].strip("`") for row, cells in rows("reference_playbooks", "Variable").items() for name in literals([row])
    }
    assert set(documented) == set(variables)
    assert {name: yaml.safe_load(documented[name]) for name, value in variables.items() if value is not None} == {
        name: value for name, value in variables.items() if value is not None
    }


def test_arguments_of_the_event_source() -> None:
    """The page has each argument with its default."""
    tree = ast.parse(EVENT_SOURCE.read_text(encoding="utf-8"))
    (documentation,) = (
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "DOCUMENTATION"
    )
    options = yaml.safe_load(documentation)["options"]
    documented = {name.strip("`"): cells for name, cells in rows("reference_event_source", "Argument").items()}
    assert set(documented) == set(options)
    for name, option in options.items():
        shown = documented[name][0].strip("`")
        if option.get("required"):
            assert shown == "required"
        elif shown != "by route":
            assert yaml.safe_load(shown) == option.get("default"), name


def test_options_of_the_simulator() -> None:
    settings = {field.name for field in dataclasses.fields(Settings)}
    shown = parser().format_help().partition("\noptions:")[2].partition("\nsettings")[0]
    options = set(re.findall(r"^  (--[a-z-]+)", shown, re.MULTILINE)) - {"--version"}
    assert set(literals(rows("reference_simulator", "Option"))) == options
    assert set(literals(cell for cells in rows("reference_simulator", "Setting of").values() for cell in cells)) == settings


def test_faults_of_the_simulator() -> None:
    assert set(literals(rows("reference_simulator", "Kind of fault"))) == set(KINDS)


def test_types_of_the_report() -> None:
    """The page has each type of finding and of note, with its severity."""
    documented = {name: cells[0] for row, cells in rows("reference_report", "Type").items() for name in literals([row])}
    assert documented == {name: each.severity for name, each in facts.TYPES.items()}
    notes = text("reference_report").partition("\nNotes\n-----\n")[2].partition("\nMembers of report.json\n")[0]
    assert {name for name in documented if f"``{name}``" in notes} == {
        name for name, each in facts.TYPES.items() if each.kind == facts.NOTE
    }


def test_statuses_and_files_of_the_report() -> None:
    assert tuple(literals(rows("reference_report", "Status"))) == facts.STATUSES
    files = {name.strip("`"): cells[0].strip("`") for name, cells in rows("reference_report", "Format").items()}
    assert files == facts.FILES


def test_members_of_the_report() -> None:
    """The page has each member of the report, of its zones and of their items, and each resource and severity."""
    report = earlier.REPORT["properties"]
    zone = report["zones"]["items"]["properties"]
    item = zone["items"]["items"]["properties"]
    for head, members in {"Member of the report": report, "Member of a zone": zone, "Member of an item": item}.items():
        assert set(literals(rows("reference_report", head))) == set(members), head
    cells = rows("reference_report", "Member of an item")
    assert tuple(literals(cells["``severity``"])) == facts.SEVERITIES
    assert tuple(literals(cells["``resource``, ``subject``, ``member``"])) == facts.RESOURCES
    assert tuple(literals(cells["``kind``"])) == facts.KINDS
    (comparison,) = rows("reference_report", "Member of the report")["``comparison``"]
    assert set(literals([comparison])) == set(report["comparison"]["properties"])
    (counts,) = rows("reference_report", "Member of the report")["``counts``"]
    assert set(literals([counts])) == set(report["counts"]["properties"])


def test_waivers_name_the_resources_of_the_report() -> None:
    assert tuple(literals(rows("guide_waivers", "Member")["``resource``"])) == facts.RESOURCES
    members = set(literals(rows("guide_waivers", "Member")))
    assert members == set(earlier.REPORT["properties"]["waivers"]["items"]["properties"]) - {"expired", "items"}


def test_survey_explains_types_that_there_are() -> None:
    assert set(literals(rows("guide_survey", "Finding or note"))) <= set(facts.TYPES)


def test_series_of_the_metrics() -> None:
    """The page, and the README of the example, have each series with its labels."""
    item = {"resource": "jobs", "kind": "finding", "type": "job_failing", "waived": False, "carried": False}
    job = {"job": "edge", "job_id": 1, "health": "healthy", "last_complete": None}
    zone = {
        "zone": "a.example",
        "status": "findings",
        "items": [item],
        "jobs": [job],
        "delivery": [{"job_id": 1}],
        "carried": False,
    }
    lines = formats.render_metrics({"zones": [zone], "generated_at": "2026-11-20T10:00:00Z"}).decode().splitlines()
    series = {
        line.partition("{")[0].partition(" ")[0]: re.findall(r'(\w+)="', line) for line in lines if not line.startswith("#")
    }
    shown = literals(rows("reference_report", "Series"))
    assert {name.partition("{")[0]: re.findall(r"\w+", name.partition("{")[2]) for name in shown} == series
    readme = (ROOT / "examples" / "monitoring" / "README.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| `(\w+)` \| (.*?) \|", readme, re.MULTILINE)
    assert {name: re.findall(r"`(\w+)`", labels) for name, labels in table} == series
