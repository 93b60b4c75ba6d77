# SPDX-License-Identifier: GPL-3.0-or-later

"""Tables of the reference pages and guides agree with the code, and with all other pages, examples and messages."""

import dataclasses
import math
import re
import subprocess
import typing as t

import pytest
import yaml
from blocks import ROOT
from support.samples.fleet import showcase

from ansible_collections.edgeops.observability.plugins.module_utils import _core as core
from ansible_collections.edgeops.observability.plugins.module_utils import _destination as destinations
from ansible_collections.edgeops.observability.plugins.module_utils._api import response, transport
from ansible_collections.edgeops.observability.plugins.module_utils._api.connection import CONNECTION_OPTIONS, parse_budget
from ansible_collections.edgeops.observability.plugins.module_utils._api.endpoints import ENDPOINTS
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.facts import (
    MAX_CUSTOM_FIELDS,
    MAX_CUSTOM_FIELDS_EACH,
)
from ansible_collections.edgeops.observability.plugins.module_utils._filter import text as limits
from ansible_collections.edgeops.observability.plugins.module_utils._filter import tree
from ansible_collections.edgeops.observability.plugins.module_utils._http import MAX_BODY_BYTES
from ansible_collections.edgeops.observability.plugins.module_utils._logpush import facts as jobs
from ansible_collections.edgeops.observability.plugins.module_utils._script_monitor import MAX_PER_PAGE
from ansible_collections.edgeops.observability.plugins.module_utils._scripts import facts as scripts
from ansible_collections.edgeops.observability.plugins.plugin_utils._report import earlier, facts, formats
from ansible_collections.edgeops.observability.plugins.plugin_utils._variables.table import PLAYBOOK_VARIABLES
from edgeops_simulator.cli import parser
from edgeops_simulator.faults import table as faults
from edgeops_simulator.settings import Settings
from harness import documented

PAGES = ROOT / "docs" / "docsite" / "rst"
ROLE_VARIABLES = yaml.safe_load((ROOT / "roles" / "log_delivery" / "defaults" / "main.yml").read_text(encoding="utf-8"))
VARIABLES = (*PLAYBOOK_VARIABLES, *ROLE_VARIABLES)
EVENT_SOURCE = ROOT / "extensions" / "eda" / "plugins" / "event_source" / "zone_events.py"
PERMISSION = re.compile(
    r"\b(Zone Settings|Zone Analytics|Account Settings|Account Analytics|Page Shield|Zone WAF|Notifications|Logs|Zone):? (Read|Write|Edit)\b"
)
# Names of modules, files or series of metrics that look like variables of playbooks.
NO_VARIABLES = re.compile(r"edgeops_(simulator|zone|job|audit_timestamp|not_audited)_?")
MIB = 1024 * 1024
BUDGET, WINDOW = parse_budget(CONNECTION_OPTIONS["request_budget"]["default"]) or (0, 0.0)


def text(page: str) -> str:
    return (PAGES / f"{page}.rst").read_text(encoding="utf-8")


def rows(page: str, head: str) -> dict[str, list[str]]:
    """Return the rows of all tables of a page with this header: first cell -> other cells."""
    by_name: dict[str, list[str]] = {}
    for body in re.findall(r"\.\. list-table::.*\n(?:   .*\n|\n)+", text(page)):
        cells = [re.split(r"^ +- ?", row, flags=re.MULTILINE) for row in re.split(r"^   \* - ", body, flags=re.MULTILINE)[1:]]
        if cells[0][0].strip() == head:
            by_name.update({row[0].strip(): [cell.strip() for cell in row[1:]] for row in cells[1:]})
    return by_name


def table(page: str, head: str) -> dict[str, list[str]]:
    """Return the rows as `rows` does, with the first cells as plain text."""
    return {name.replace("``", ""): cells for name, cells in rows(page, head).items()}


def literals(cells: t.Iterable[str]) -> list[str]:
    return [name for cell in cells for name in re.findall(r"``([^`]+)``", cell)]


def first_cells(name: str, content: str) -> list[str]:
    """Return the first cell of each row of the tables of a page, in Markdown or reStructuredText."""
    return re.findall(r"^\| *(.+?) *\|" if name.endswith(".md") else r"^ *\* - (.+)", content, re.MULTILINE)


def names_of(head: str) -> list[str]:
    """Return the names in the first cells of the tables with this header in the simulator's README."""
    readme = (ROOT / "simulator" / "README.md").read_text(encoding="utf-8")
    tables = re.findall(rf"^\| {head} \|.*\n\|[-|]+\n((?:\|.*\n)+)", readme, re.MULTILINE)
    return [name for body in tables for cell in first_cells(".md", body) for name in re.findall(r"`([^` ]+)[^`]*`", cell)]


def published() -> dict[str, str]:
    """Return every text for users of the collection."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    folders = ("README.md", "docs/docsite/", "examples/", "extensions/", "playbooks/", "plugins/", "roles/", "SUPPORT.md")
    names = [name for name in listed if name.startswith(folders) and not name.endswith((".png", ".svg", ".json"))]
    return {name: (ROOT / name).read_text(encoding="utf-8") for name in names if (ROOT / name).is_file()}


def pages() -> dict[str, str]:
    """Return the pages of the documentation and the README files."""
    return {name: content for name, content in published().items() if name.endswith((".md", ".rst"))}


def test_permissions_are_on_their_page() -> None:
    """All permissions in messages, options, guides and examples are on the page."""
    named = {" ".join(words) for words in PERMISSION.findall(text("reference_permissions"))}
    others = {
        f"{name}: {' '.join(words)}"
        for name, content in published().items()
        for words in PERMISSION.findall(content)
        if " ".join(words) not in named
    }
    assert not others
    uses = rows("reference_permissions", "Use")
    assert literals(uses) == ["zones", "check", "deliver", "adopt", "survey", "logpush_delivery_info"]
    assert all(
        cells[1] == "Write" for name, cells in uses.items() if name in ("``check``", "``adopt``", "``survey``", "event source")
    )


def test_messages_name_the_permissions_of_the_page() -> None:
    areas = {literal: cells for route, cells in rows("reference_permissions", "Route").items() for literal in literals([route])}
    for operation in ENDPOINTS:
        area = operation.partition(".")[0]
        name = {
            "zones": "GET /zones",
            "accounts": "GET /accounts",
            "graphql": "POST /graphql",
            "script_monitor": "page_shield",
            "content_security_rules": "page_shield",
        }.get(area, area.removesuffix("_jobs").removesuffix("_datasets").removesuffix("_ownership"))
        documented = {permission.replace(" Edit", " Write") for permission in areas.get(name, ()) if permission}
        hint = response.hint(operation, 403, ())
        needed = {" ".join(words) for words in PERMISSION.findall(hint.replace("Logs Read is not enough", ""))}
        assert needed == documented, operation
        assert documented or area in ("tokens", "account_tokens"), operation


def test_variables_are_on_their_page() -> None:
    """All variables of playbooks in pages and examples are on the reference page."""
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
    """The page has each variable with its default."""
    listed = {
        name: cells[0].strip("`") for row, cells in rows("reference_playbooks", "Variable").items() for name in literals([row])
    }
    assert set(listed) == set(PLAYBOOK_VARIABLES)
    defaults = {name: variable.default for name, variable in PLAYBOOK_VARIABLES.items() if variable.default}
    assert {name: yaml.safe_load(listed[name]) for name in defaults} == defaults


def test_each_name_is_in_one_table() -> None:
    """Each variable, connection option, playbook and series of metrics is the first cell of one row in all pages and README files."""
    playbooks = [f"edgeops.observability.{path.stem}" for path in (ROOT / "playbooks").glob("*.yml")]
    places: dict[str, list[str]] = {name: [] for name in (*VARIABLES, *CONNECTION_OPTIONS, *playbooks, *series_of_the_metrics())}
    for page, content in pages().items():
        for cell in first_cells(page, content):
            for name in re.sub(r"`|{.*?}", "", cell).split(", "):
                if name in places:
                    places[name].append(page)
    assert {name: pages for name, pages in places.items() if len(pages) != 1} == {}


def test_each_make_target_is_in_one_table() -> None:
    names = ("CONTRIBUTING.md", "TESTING.md", "docs/README.md", "simulator/README.md")
    texts = {**pages(), **{name: (ROOT / name).read_text(encoding="utf-8") for name in names}}
    rows = [
        cell.replace("``", "`")
        for page, content in texts.items()
        for cell in first_cells(page, content)
        if cell.startswith(("`make ", "``make "))
    ]
    assert len(rows) > 5 and len(set(rows)) == len(rows)


def test_defaults_are_in_tables_only() -> None:
    """No sentence states the default of a variable, option or argument: the row of its table or its documentation does."""
    files = [*(ROOT / "plugins" / "modules").glob("[a-z]*.py"), EVENT_SOURCE]
    options = {name for path in files for name in documented.section_of(path, "DOCUMENTATION").get("options", {})}
    name, variable = (rf"`(?:{'|'.join(names)})`" for names in ({*VARIABLES, *options}, {*VARIABLES, *CONNECTION_OPTIONS}))
    stated = re.compile(
        rf"{name}`? \((?:default|`)|{variable}`? \(\d|\bdefaults? of `?{name}`? is\b|\bis the default of `?{name}"
        rf"|{name}`?,? (?:is \S+ )?(?:by default|with the default)\b"
    )
    by_page = {page: [match[0] for match in stated.finditer(content)] for page, content in pages().items()}
    assert {page: sentences for page, sentences in by_page.items() if sentences} == {}


def test_arguments_of_the_event_source() -> None:
    """The page has each argument with its default."""
    options = documented.section_of(EVENT_SOURCE, "DOCUMENTATION")["options"]
    listed = {name: cells[0].strip("`") for name, cells in table("reference_event_source", "Argument").items()}
    assert listed.keys().isdisjoint(CONNECTION_OPTIONS)
    listed |= {name: cells[1].strip("`") for name, cells in table("reference_connection", "Option").items()}
    (listed["request_budget"],) = re.findall(r"``request_budget`` is ``(.+?)``", text("reference_event_source"))
    assert set(listed) == set(options)
    for name, option in options.items():
        if option.get("required"):
            assert listed[name] == "required"
        elif listed[name] != "by route":
            assert yaml.safe_load(listed[name]) == option.get("default"), name


def test_connection_options_are_those_of_the_code() -> None:
    """The page has each option with its environment variables, as the documentation of the options names them, and its default."""
    listed = table("reference_connection", "Option")
    assert set(listed) == set(CONNECTION_OPTIONS)
    stated = {name: yaml.safe_load(cells[1].strip("`")) for name, cells in listed.items()}
    assert stated == {name: option.get("default") for name, option in CONNECTION_OPTIONS.items()}
    fragment = (ROOT / "plugins" / "doc_fragments" / "connection.py").read_text(encoding="utf-8")
    assert {variable for cells in listed.values() for variable in literals(cells[:1])} == set(
        re.findall(r"E\((CLOUDFLARE_\w+)\)", fragment)
    )


def test_options_of_the_simulator() -> None:
    """The README names the help, which has each setting and describes all options."""
    assert "`edgeops-simulator --help`" in (ROOT / "simulator" / "README.md").read_text(encoding="utf-8")
    _usage, options, settings = re.split(r"^options:$|^settings .*:$", parser().format_help(), flags=re.MULTILINE)
    entry = re.compile(r"^  (?:-h, )?--([a-z-]+)(?: \S+|, --no-[a-z-]+)?(?:  +|\n {6,})(\S.*)", re.MULTILINE)
    described = {head: dict(entry.findall(part)) for head, part in (("options", options), ("settings", settings))}
    assert len(described["options"]) == len(re.findall(r"^  -", options, re.MULTILINE))
    assert sorted(described["settings"]) == sorted(
        field.name.removesuffix("_ms").replace("_", "-") for field in dataclasses.fields(Settings)
    )


def test_faults_of_the_simulator() -> None:
    assert sorted(names_of("kind")) == sorted(faults.KINDS)


def test_types_of_the_report() -> None:
    """The page has each type of finding and of note, with its severity."""
    documented = {name: cells[0] for row, cells in rows("reference_report", "Type").items() for name in literals([row])}
    assert documented == {name: item_type.severity for name, item_type in facts.TYPES.items()}
    notes = text("reference_report").partition("\nNotes\n-----\n")[2].partition("\nMembers of report.json\n")[0]
    assert {name for name in documented if f"``{name}``" in notes} == {
        name for name, item_type in facts.TYPES.items() if item_type.kind == facts.NOTE
    }


REPORT = earlier.REPORT["properties"]
ZONE = REPORT["zones"]["items"]["properties"]
ITEM = ZONE["items"]["items"]["properties"]


@pytest.mark.parametrize(
    ("page", "head", "listed"),
    [
        ("reference_report", "Status", facts.STATUSES),
        ("reference_report", "Member of the report", REPORT),
        ("reference_report", "Member of a zone", ZONE),
        ("reference_report", "Member of an item", ITEM),
        ("reference_errors", "Kind", core.KINDS),
        ("reference_errors", "Member", core.Failure(core.CONFLICT, "").report()),
        ("guide_waivers", "Member", set(REPORT["waivers"]["items"]["properties"]) - {"expired", "items"}),
        ("guide_filters", "Operators", tree.OPERATORS),
    ],
)
def test_table_lists_all(page: str, head: str, listed: t.Collection[str]) -> None:
    assert sorted(literals(rows(page, head))) == sorted(listed)


@pytest.mark.parametrize(
    ("page", "head", "row", "named"),
    [
        ("reference_report", "Member of an item", "``severity``", facts.SEVERITIES),
        ("reference_report", "Member of an item", "``resource``, ``subject``, ``member``", facts.RESOURCES),
        ("reference_report", "Member of an item", "``kind``", facts.KINDS),
        ("reference_report", "Member of the report", "``comparison``", REPORT["comparison"]["properties"]),
        ("reference_report", "Member of the report", "``counts``", REPORT["counts"]["properties"]),
    ],
)
def test_cell_names_all(page: str, head: str, row: str, named: t.Collection[str]) -> None:
    assert sorted(literals(rows(page, head)[row])) == sorted(named)


def test_types_of_the_survey_exist() -> None:
    assert set(literals(rows("guide_survey", "Finding or note"))) <= set(facts.TYPES)


def series_of_the_metrics() -> dict[str, list[str]]:
    """Return the series of a report with their labels."""
    lines = formats.render_metrics(showcase()).decode().splitlines()
    return {line.partition("{")[0].partition(" ")[0]: re.findall(r'(\w+)="', line) for line in lines if not line.startswith("#")}


def test_series_of_the_metrics() -> None:
    """The page has each series with its labels."""
    listed = literals(rows("reference_report", "Series"))
    assert {name.partition("{")[0]: re.findall(r"\w+", name.partition("{")[2]) for name in listed} == series_of_the_metrics()


def span(name: str) -> str:
    low, high = jobs.RANGES[name]
    return f"{low} to {high}"


LIMITS: dict[str, str] = {
    "comparisons in a filter": f"{limits.MAX_FILTER_OPERATORS}",
    "bytes of the text of a filter": f"{limits.MAX_FILTER_BYTES}",
    "custom fields of a zone in total": f"{MAX_CUSTOM_FIELDS}",
    "custom fields of a zone at Cloudflare": f"{MAX_CUSTOM_FIELDS_EACH} of each type",
    # Limits that only the service enforces are copied here from its documentation.
    "rulesets of a zone for the phase": "1",
    "scripts in one page": f"{MAX_PER_PAGE}",
    **{name: span(name) for name in jobs.RANGES},
    "characters of dataset": f"{jobs.MAX_DATASET_LENGTH}",
    "characters of logpull_options": f"{jobs.MAX_OPTIONS_LENGTH}",
    "characters of destination_conf": f"{jobs.MAX_DESTINATION_LENGTH}",
    "characters of ownership_challenge": f"{jobs.MAX_CHALLENGE_LENGTH}",
    "an answer of the service": f"{MAX_BODY_BYTES // MIB} MiB",
}


@pytest.mark.parametrize(
    ("page", "head", "column", "expected"),
    [
        ("reference_limits", "What", 0, LIMITS),
        ("reference_report", "Format", 0, facts.FILES),
    ],
)
def test_column_agrees_with_the_code(page: str, head: str, column: int, expected: dict[str, str]) -> None:
    assert {name: cells[column].strip("`") for name, cells in table(page, head).items()} == expected


def test_documented_scores_are_those_of_the_code() -> None:
    words = " ".join((ROOT / "plugins" / "doc_fragments" / "route.py").read_text(encoding="utf-8").split())
    for route, scores in scripts.MALICIOUS_SCORES.items():
        assert f"V({scores.threshold}) for V({route})" in words and f"V({scores.when}) for V({route})" in words


def test_documented_codes_have_hints() -> None:
    named = {int(code) for row in table("reference_errors", "Code") for code in row.split(", ")}
    assert named == {*response._BY_CODE, 1004}
    (row,) = [cells[0] for kind, cells in table("reference_errors", "Kind").items() if kind == core.AUTHENTICATION]
    assert {int(code) for code in re.findall(r"\b\d{4,5}\b", row)} == response.AUTHENTICATION_CODES


def test_documented_retries_are_those_of_the_code() -> None:
    rows = table("reference_errors", "What happens")
    assert {502, 503, 504, *range(520, 528)} == transport.GATEWAY_STATUSES
    assert "502, 503, 504, 520 to 527" in rows
    (first,) = rows["no connection, a reset, a timeout, an interim answer (102, 103)"]
    assert f"start at {transport.FIRST_PAUSE_SECONDS} seconds, double, and end at {transport.MAX_PAUSE_SECONDS:g}" in first
    assert all(f"``{method}``" in first for method in transport.REPEATABLE)


def test_documented_parts_of_destinations_are_readable() -> None:
    """The guide has the schemes whose path is readable as a whole, and the readable options."""
    whole, _plain, options = re.findall(r"^- (?:Of|Readable options) .*", text("guide_secrets"), flags=re.MULTILINE)
    schemes = {name for name, facts in destinations.SCHEMES.items() if facts.path == destinations.WHOLE}
    assert set(re.findall(r"``(\w+)``", whole)) == schemes
    readable = frozenset().union(*(facts.options for facts in destinations.SCHEMES.values()))
    assert set(re.findall(r"``([^`]+)``", options)) - {"credentials"} <= readable


def test_arithmetic_of_fleets_is_right() -> None:
    def minutes(zones: str, requests: int) -> str:
        waits = math.ceil(int(zones) * requests / BUDGET) - 1
        return f"at least {waits * WINDOW / 60:g} minutes" if waits else "no waiting"

    costs = {
        name: cells[0] for name, cells in table("guide_fleets", "A zone with custom fields, jobs and the script monitor").items()
    }
    unchanged, first = (int(cost) for name, cost in costs.items() if name.startswith(("unchanged", "delivered")))
    rows = table("guide_fleets", "Zones")
    assert rows == {zones: [minutes(zones, unchanged), minutes(zones, first)] for zones in rows}
    assert f"{BUDGET} / {unchanged} = {BUDGET // unchanged}" in text("guide_fleets")
    assert f"``{BUDGET // 4}/{WINDOW:g}`` for four" in text("guide_fleets")


def test_every_page_is_in_the_list_of_pages() -> None:
    listed = yaml.safe_load((ROOT / "docs" / "docsite" / "extra-docs.yml").read_text(encoding="utf-8"))["sections"]
    assert sorted(page for section in listed for page in section["toctree"]) == sorted(path.stem for path in PAGES.glob("*.rst"))
