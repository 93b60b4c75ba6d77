# SPDX-License-Identifier: GPL-3.0-or-later

import json
import os
import shutil
import subprocess
import sys
import typing as t
from pathlib import Path

import pytest
import yaml

from ansible_collections.edgeops.observability.plugins.module_utils._destination_schemes import SCHEMES
from ansible_collections.edgeops.observability.plugins.module_utils._logpush import facts
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.job import parse_job, view
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.options import OPTIONS
from ansible_collections.edgeops.observability.plugins.modules import logpush_job, logpush_job_info, logpush_jobs

PLUGINS = Path(__file__).resolve().parents[4] / "plugins"
PLACE = '        Member("last_complete", (str,)),\n'
ADDED = '        Member("x_new", (int,), 5, option=_INT, limits=(1, 9)),\n'
LOOK = """
import json, yaml
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.job import JobState, parse_job, view
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.options import OPTIONS, desire
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.plan import plan
from ansible_collections.edgeops.observability.plugins.module_utils._zone.job_variables import express_jobs
from ansible_collections.edgeops.observability.plugins.module_utils._zone.options import ZONE_SPEC
from ansible_collections.edgeops.observability.plugins.modules.logpush_job import DOCUMENTATION

job = {"id": 7, "name": "n", "enabled": True, "destination_conf": "r2://b", "x_new": 7}
omitted = {name: option.get("default") for name, option in OPTIONS.items()}
found = plan(desire({**omitted, "name": "n", "x_new": 8}), JobState(parse_job(job)))
print(json.dumps({
    "options": [OPTIONS["x_new"], ZONE_SPEC["job"]["options"]["x_new"]],
    "results": [view(parse_job(job))["x_new"], view(parse_job({"id": 7}))["x_new"], view(parse_job(job))["other"]],
    "sent": found.requests[0].body,
    "diff": [found.before["x_new"], found.after["x_new"]],
    "adoption": [express_jobs([parse_job(each)], "z").items[0].get("x_new") for each in (job, {**job, "x_new": 5})],
    "undocumented": sorted(OPTIONS.keys() - yaml.safe_load(DOCUMENTATION)["options"]),
}))
"""


def test_new_member_needs_one_line(tmp_path: Path) -> None:
    """The test runs in a copy of the collection, because options and documentation are built when modules are imported."""
    root = tmp_path / "ansible_collections" / "edgeops" / "observability"
    shutil.copytree(PLUGINS, root / "plugins", ignore=shutil.ignore_patterns("__pycache__"))
    table = root / "plugins" / "module_utils" / "_logpush" / "facts.py"
    text = table.read_text(encoding="utf-8")
    assert text.count(PLACE) == 1
    table.write_text(text.replace(PLACE, ADDED + PLACE), encoding="utf-8")
    # The copy contains this collection only; other packages come from the environment.
    run = subprocess.run(
        [sys.executable, "-c", LOOK], env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == {
        "options": [{"type": "int"}, {"type": "int"}],
        "results": [7, 5, {}],
        "sent": {"x_new": 8},
        "diff": [7, 8],
        "adoption": [7, None],
        "undocumented": ["x_new"],
    }


def test_every_option_is_documented() -> None:
    documented = yaml.safe_load(logpush_job.DOCUMENTATION)["options"]
    assert documented.keys() == OPTIONS.keys()
    for name, option in OPTIONS.items():
        stated = {member: documented[name].get(member) for member in ("type", "choices", "elements", "default")}
        assert stated == {member: option.get(member) for member in stated}, name


def test_every_scheme_is_documented() -> None:
    text = " ".join(yaml.safe_load(logpush_job.DOCUMENTATION)["options"]["destination_conf"]["description"])
    assert {name for name in SCHEMES if f"V({name})" in text} == SCHEMES.keys() - {"http"}


@pytest.mark.parametrize(
    ("module", "key", "own"),
    [
        (logpush_job, "job", {"undeclared"}),
        (logpush_jobs, "jobs", {"undeclared"}),
        (logpush_job_info, "jobs", {"health", "unreadable"}),
    ],
)
def test_every_member_of_a_result_is_documented(module: t.Any, key: str, own: set[str]) -> None:
    members = yaml.safe_load(module.RETURN)[key]["contains"].keys()
    assert members == {*view(parse_job({"id": 7}))} | own
    assert members >= {*facts.MEMBERS, *facts.OLDER_FORM}
