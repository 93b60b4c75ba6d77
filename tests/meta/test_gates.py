# SPDX-License-Identifier: GPL-3.0-or-later

"""Each supported ansible-core has its nox sessions, and the workflows run every session."""

import json
import re
import runpy
import subprocess
import sys
import typing as t
from pathlib import Path

import pytest
import tomllib
import yaml

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
NOXFILE = runpy.run_path(str(ROOT / "noxfile.py"))
CORES = [*NOXFILE["TESTED"]]
OLDEST, *_between, NEWEST = NOXFILE["CORES"]
TEXTS = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "TESTING.md", "SUPPORT.md", ".pre-commit-config.yaml")]
TEXTS += [*WORKFLOWS, *(ROOT / "docs").glob("**/*.rst"), ROOT / "docs" / "README.md", ROOT / ".ci" / "run"]
# What these print is typed, too.
TEXTS += [ROOT / "Makefile", ROOT / "tests" / "awx" / "conftest.py", ROOT / "tests" / "eda" / "test_rulebooks.py"]


def run(*command: str | Path) -> str:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def sessions() -> dict[str, dict[str, t.Any]]:
    listed = run(sys.executable, "-m", "nox", "--list", "--json", "--tags", "all", "by-hand")
    return {session["session"]: session for session in json.loads(listed)}


def tagged(sessions: dict[str, dict[str, t.Any]], tag: str) -> set[str]:
    return {name for name, session in sessions.items() if tag in session["tags"]}


def load(path: Path) -> t.Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_each_session_has_a_description(sessions) -> None:
    descriptions = [session["description"] for session in sessions.values()]
    assert all(re.fullmatch(r"[A-Z].{20,140}", description or "") for description in descriptions), descriptions
    assert len(set(descriptions)) == len(descriptions)


@pytest.mark.parametrize("core", CORES)
def test_each_core_has_its_sessions(sessions, core: str) -> None:
    assert {f"sanity-{core}", f"modules-{core}", f"playbooks-{core}"} <= tagged(sessions, f"core-{core}")


def test_workflow_runs_every_session(sessions) -> None:
    """The jobs of the workflow together run every session."""
    of_cores = set.union(*(tagged(sessions, f"core-{core}") for core in CORES))
    assert of_cores | tagged(sessions, "once") == tagged(sessions, "all")
    assert tagged(sessions, "check") <= tagged(sessions, "test") <= tagged(sessions, "all")
    assert tagged(sessions, "once") <= tagged(sessions, "test")


@pytest.mark.parametrize(("gate", "cores"), [("playbooks", "TESTED"), ("modules", "TESTED"), ("sanity", "CORES")])
def test_run_takes_the_oldest_and_the_newest_core(sessions, gate: str, cores: str) -> None:
    """The list also includes cores that this machine cannot run."""
    taken = {name.removeprefix(f"{gate}-") for name in tagged(sessions, "test") if name.startswith(f"{gate}-")}
    runnable = [core for core in NOXFILE[cores] if core in NOXFILE["RUNNABLE"]]
    assert taken == {runnable[0], runnable[-1], *(core for core in CORES if core not in NOXFILE["RUNNABLE"])}


def test_every_supported_core_is_tested() -> None:
    """The workflow runs on each pull request, each week and before a release; a failure on the next core blocks none of them."""
    workflow = load(ROOT / ".github" / "workflows" / "test.yml")
    job = workflow["jobs"]["core"]
    assert job["strategy"]["matrix"]["core"] == CORES
    assert re.findall(r"'(2\.\d+)'", job["continue-on-error"]) == list(NOXFILE["NEXT"])
    assert {"pull_request", "schedule", "workflow_call"} <= workflow["on"].keys()
    release = load(ROOT / ".github" / "workflows" / "release.yml")
    assert release["jobs"]["test"]["uses"] == "./.github/workflows/test.yml" and release["jobs"]["publish"]["needs"] == "test"


def test_workflow_installs_the_pythons_of_the_sessions() -> None:
    """Each job has the Pythons that its sessions run with, and no others."""
    jobs = load(ROOT / ".github" / "workflows" / "test.yml")["jobs"]
    steps = {name: next(step for step in job["steps"] if "setup-python" in step.get("uses", "")) for name, job in jobs.items()}
    installed = {name: set(step["with"]["python-version"].split()) for name, step in steps.items()}
    of_cores = {core: pythons[0] for core, pythons in NOXFILE["TESTED"].items()}
    assert installed["core"] == {NOXFILE["OLDEST_PYTHON"], *of_cores.values()}
    assert installed["once"] == {of_cores[NOXFILE["MAIN"]]}


def test_actions_are_pinned_and_secrets_come_through_the_environment() -> None:
    steps = [step for path in WORKFLOWS for job in load(path)["jobs"].values() for step in job.get("steps", ())]
    used = {step["uses"] for step in steps if "uses" in step}
    assert used and all(re.fullmatch(r"actions/[\w-]+@v\d+", name) for name in used)
    assert not [step for step in steps if re.search(r"secrets\.|github\.token", step.get("run", ""))]


def test_workflows_are_valid() -> None:
    run(
        BIN / "check-jsonschema",
        "--builtin-schema",
        "vendor.github-workflows",
        *WORKFLOWS,
        ROOT / "examples" / "ci" / "github-actions.yml",
    )


def test_gitlab_job_is_valid() -> None:
    example = ROOT / "examples" / "ci" / "gitlab-ci.yml"
    run(BIN / "check-jsonschema", "--builtin-schema", "vendor.gitlab-ci", "--data-transform", "gitlab-ci", example)


def test_names_in_texts_exist(sessions) -> None:
    """Sessions, tags and targets in texts and workflows exist; nox, which is on no PATH, is started by make."""
    targets = re.findall(r"^([a-z-]+):", text_of("Makefile"), re.MULTILINE)
    tags = {tag for session in sessions.values() for tag in session["tags"]}
    there = {*(("make", name) for name in targets), *(("session", name) for name in sessions), *(("TAG", name) for name in tags)}
    named = set()
    for path in TEXTS:
        text = path.read_text(encoding="utf-8").replace("${{ matrix.core }}", CORES[0])
        assert not re.search(r"\bnox -", text), path
        named |= {("session", name) for name in re.findall(r'ARGS="-s ([\w.-]+\w)', text)}
        named |= {("make", name) for name in re.findall(r"(?m)(?:`|^|\$ |run: |exec )make (?:--\S+ )?([a-z-]+)", text)}
        named |= {("TAG", name) for name in re.findall(r"TAG=([\w.-]+\w)", text)}
    assert len(named) > 10
    assert named - there == set()


@pytest.mark.parametrize("name", sorted(path.name for path in (ROOT / "requirements").glob("*.txt")))
def test_pins_are_exact(name: str) -> None:
    lines = [line for line in text_of(f"requirements/{name}").splitlines() if line and not line.startswith("#")]
    assert lines
    assert not [line for line in lines if not re.fullmatch(r"[\w.-]+(\[[\w,-]+\])?==[\w.!+-]+( ;.*)?", line)]


def test_supported_versions_agree() -> None:
    """The versions of ansible-core are the tested ones, and the linters use the oldest Python."""
    assert load(ROOT / "meta" / "runtime.yml")["requires_ansible"] == f">={OLDEST}.0"
    for name in ("examples/awx/execution-environment.yml", "examples/eda/decision-environment.yml"):
        assert load(ROOT / name)["dependencies"]["ansible_core"]["package_pip"] == f"ansible-core>={OLDEST}", name
    assert re.findall(r"ansible-core (2\.\d+) to (2\.\d+)", text_of("README.md")) == [(OLDEST, NEWEST)]
    (row,) = re.findall(r"^   \* - ansible-core\n     - (.*)$", text_of("docs/docsite/rst/support.rst"), re.MULTILINE)
    assert re.findall(r"2\.\d+", row) == [OLDEST, *NOXFILE["CORES"]]
    python = re.search(r'^python_version = "(.+)"$', text_of("pyproject.toml"), re.MULTILINE)[1]
    readme = text_of("README.md")
    assert all(f" of {core} is tried" in readme for core in NOXFILE["NEXT"])
    assert f"on Python {python} and newer" in readme and "/meta/runtime.yml)" in readme and "pip install requests" in readme


@pytest.mark.parametrize("core", CORES)
def test_pins_are_for_the_core(core: str) -> None:
    assert f"\nansible-core=={core}." in "\n" + text_of(f"requirements/core-{core}.txt")


def test_each_group_is_pinned() -> None:
    """The packages of tests are part of the groups of the cores."""
    groups = tomllib.loads(text_of("pyproject.toml"))["dependency-groups"].keys() - {"test", "harness"}
    assert {path.stem for path in (ROOT / "requirements").iterdir()} == groups
