# SPDX-License-Identifier: GPL-3.0-or-later

"""Each variable of the playbooks and the role is read by `_variables` alone, so that a value means the same wherever it is used."""

import ast
import re
import subprocess
import typing as t
from pathlib import Path

import pytest
import yaml

from ansible_collections.edgeops.observability.plugins.plugin_utils._variables.table import PLAYBOOK_VARIABLES, ROLE_VARIABLES

ROOT = Path(__file__).resolve().parents[2]
VARIABLES = {*PLAYBOOK_VARIABLES, *ROLE_VARIABLES}
# A member of something else, such as of what validation returns, is no variable.
NAME = re.compile(r"(?<![\w.])(?:edgeops|log_delivery)_\w+")
# What is handed on as it is; the reader is that of the option.
HANDED_ON = re.compile(r"\{\{ \w+(?: \| default\((?:omit|\[\])\))? \}\}")
# Whether a variable is set is what validation found, too.
IS_GIVEN = re.compile(r"'\w+' in _edgeops_validated\.given")
MODULE = "edgeops.observability."
# What Ansible evaluates before a play has hosts takes what was typed. Validation gets the hosts of the same pattern.
BEFORE_HOSTS = ("hosts", "serial")
# Where Python may name a variable: the functions that read by the table, and those that make a message.
READERS = {"option", "option_of_run", "read_option", "read_variable", "invalid_option", "conflict"}


def readings(data: t.Any, place: str = "") -> t.Iterator[str]:
    """Yield the places of a playbook or a list of tasks that read a variable in a way of their own."""
    if isinstance(data, list):
        for item in data:
            yield from readings(item, place)
    elif isinstance(data, dict):
        for name, value in data.items():
            if not (name in BEFORE_HOSTS and place in ("", f"{MODULE}validate_variables")):
                yield from readings(value, str(name) if not place.startswith(MODULE) else place)
    elif isinstance(data, str):
        named = VARIABLES.intersection(NAME.findall(IS_GIVEN.sub("", data)))
        is_expression = "{{" in data or place in ("when", "failed_when", "changed_when", "until")
        if named and is_expression and not (place.startswith(MODULE) and HANDED_ON.fullmatch(data)):
            yield f"{place}: {data}"


def readings_in_python(source: str) -> t.Iterator[str]:
    """Yield the names of variables, or the beginnings of names that are made at run time, that no reader takes."""
    tree = ast.parse(source)
    nodes = [*ast.walk(tree)]
    taken = [node.args for node in nodes if isinstance(node, ast.Call) and called(node) in READERS]
    allowed = {id(node) for arguments in taken for argument in arguments for node in ast.walk(argument)}
    # Names in a table of the file are for its readers.
    assigned = [item for item in tree.body if isinstance(item, ast.Assign)]
    tables = {id(node) for item in assigned for node in ast.walk(item.value)}
    # What writes a variable, as an adoption does, reads none.
    tables |= {id(key) for node in nodes if isinstance(node, ast.Dict) for key in node.keys}
    tables |= {id(node.slice) for node in nodes if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)}
    named = {name.id: item.value.value for item in assigned for name in item.targets if is_named(name, item.value)}
    known = allowed | tables
    messages = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in nodes:
        is_raw = isinstance(node, ast.Call) and ast.unparse(node.func).endswith((".value", ".of_run", ".raw.get"))
        places = node.args if isinstance(node, ast.Call) and is_raw else ()
        yield from (named[place.id] for place in places if isinstance(place, ast.Name) and place.id in named)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in known:
            name = node.value.partition(".")[0]
            if (name in VARIABLES and id(node) not in messages) or name in ("edgeops_", "log_delivery_"):
                yield node.value


def is_named(target: ast.expr, value: ast.expr) -> bool:
    """Return whether an assignment gives a name to the name of a variable."""
    return isinstance(target, ast.Name) and isinstance(value, ast.Constant) and value.value in VARIABLES


def called(node: ast.Call) -> str:
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""


def files(*patterns: str) -> list[Path]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", *patterns]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def test_plays_take_what_was_validated() -> None:
    documents = files(
        "playbooks/*.yml", "playbooks/plays/*.yml", "roles/*/tasks/*.yml", "roles/*/vars/*.yml", "roles/*/handlers/*.yml"
    )
    assert len(documents) > 8
    by_file = {path.name: list(readings(yaml.safe_load(path.read_text(encoding="utf-8")))) for path in documents}
    assert not {name: places for name, places in by_file.items() if places}


def test_python_reads_variables_by_their_table() -> None:
    sources = [
        path
        for path in files("plugins/*.py", "extensions/*.py")
        if "_variables" not in path.parts and "modules" not in path.parts
    ]
    assert len(sources) > 100
    by_file = {path.name: list(readings_in_python(path.read_text(encoding="utf-8"))) for path in sources}
    assert not {name: names for name, names in by_file.items() if names}


@pytest.mark.parametrize(
    "task",
    [
        {"ansible.builtin.debug": {"msg": "{{ edgeops_fail_on }}"}},
        {"ansible.builtin.meta": "end_play", "when": "edgeops_stop_on_failure | bool"},
        {f"{MODULE}audit_report": {"fail_on": "{{ edgeops_fail_on | default([], true) | flatten }}"}},
        {f"{MODULE}audit_report": {"fail_on": ["drifted", "{{ ['unaudited', edgeops_fail_on] }}"]}},
        {f"{MODULE}delivery_plan": {}, "vars": {"_edgeops_guard": "{{ edgeops_guard | default(true) }}"}},
        {"ansible.builtin.debug": {"msg": "{{ lookup('vars', 'edgeops_guard') }}"}},
        {f"{MODULE}zone_observability": {"state": "{{ log_delivery_state | lower }}"}},
        {"block": [{"ansible.builtin.debug": {"msg": "x"}, "when": ["log_delivery_job is none"]}]},
    ],
)
def test_other_readings_in_plays_are_found(task: dict[str, t.Any]) -> None:
    assert list(readings([{"hosts": "{{ edgeops_target | default('all', true) }}", "tasks": [task]}]))


@pytest.mark.parametrize(
    "task",
    [
        {"when": "_edgeops_validated.run.edgeops_guard"},
        {f"{MODULE}audit_report": {"fail_on": ["unaudited", "{{ edgeops_fail_on | default([]) }}"]}},
        {f"{MODULE}script_audit": {"route": "{{ log_delivery_script_monitor_route | default(omit) }}"}},
    ],
)
def test_what_is_handed_on_is_no_reading(task: dict[str, t.Any]) -> None:
    assert not list(readings([{"hosts": "all", "serial": "{{ edgeops_zones_at_once }}", "tasks": [task]}]))


def test_readings_by_another_name_are_found() -> None:
    assert list(readings_in_python('GUARD = "edgeops_guard"\nhost.value(GUARD)'))
    assert not list(readings_in_python('GUARD = "edgeops_guard"\nhost.option(GUARD)'))


@pytest.mark.parametrize(
    ("source", "is_reading"),
    [
        ('host.value("edgeops_guard")', True),
        ('variables["edgeops_guard"] == "yes"', True),
        ('boolean(host.raw.get("edgeops_audit_scripts"))', True),
        ('host.value(f"log_delivery_{name}")', True),
        ('host.option("edgeops_guard")', False),
        ('read_option("edgeops_survey.names", value_of)', False),
        ('raise invalid_option("edgeops_target", "is empty")', False),
    ],
)
def test_other_readings_in_python_are_found(source: str, is_reading: bool) -> None:
    assert bool(list(readings_in_python(f"def read():\n    {source}"))) is is_reading
