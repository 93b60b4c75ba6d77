# SPDX-License-Identifier: GPL-3.0-or-later

import importlib.util
import os
import typing as t
from pathlib import Path

import pytest
from awx.example import ACTIVE, EMAIL, EXAMPLE, KEY, PROJECT, TOKEN, VARIABLES, Configured, load
from awx.stub import Controller, running

from edgeops_simulator import testing
from harness import Playbook
from harness.fixtures import simulator
from harness.outcome import writes
from harness.process import BIN, Place, execute, parts

__all__ = ["simulator"]


def pytest_configure(config: pytest.Config) -> None:
    """Report a missing collection once instead of as a failure of every test."""
    if importlib.util.find_spec("ansible_collections.awx") is None:
        raise pytest.UsageError('awx.awx is not in this environment: make nox ARGS="-s controller"')


@pytest.fixture(scope="session")
def simulator_server(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[t.Any]:
    folder = tmp_path_factory.mktemp("bucket")
    with testing.running(token=TOKEN, email=EMAIL, key=KEY, log_folder=str(folder)) as server:
        yield server


@pytest.fixture
def playbook(simulator: t.Any, tmp_path: Path) -> Playbook:
    return Playbook(simulator, simulator.zone, tmp_path)


@pytest.fixture
def zones(simulator: t.Any) -> dict[str, str]:
    """Return two zones that the inventory must contain, and one that it must not."""
    ids = {"blog.example": "b1", "shop.example": "5e", "new.example": simulator.zone}
    simulator.seed(
        zones=[
            {"id": zone_id, "name": name, "status": "active" if name in ACTIVE else "pending"} for name, zone_id in ids.items()
        ]
    )
    return ids


def configure(controller: Controller, place: Place, service: t.Any, *arguments: str) -> str:
    """Run configure.yml, and the playbooks or options that these arguments name; return its output."""
    environment = {
        **place.environment(forks=1),
        **service.environment(),
        "CONTROLLER_HOST": controller.url,
        "CONTROLLER_OAUTH_TOKEN": controller.token,
        # Without this, the modules load all certificates of the machine for each request, although none uses TLS.
        "SSL_CERT_FILE": os.devnull,
    }
    command = [str(BIN / "ansible-playbook"), str(EXAMPLE / "configure.yml"), *arguments, "-vv"]
    is_failing = controller.failing_updates > 0
    code, stdout, stderr = execute(command, environment, place.input, timeout=400)
    assert bool(code) == is_failing, stdout + stderr
    return stdout + stderr


@pytest.fixture(scope="session")
def configured(simulator_server: t.Any, tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[Configured]:
    """Return the controller after three runs of configure.yml, of which the first could not update the project.

    The last two are in one process, which packs each module once for both.
    """
    folder = tmp_path_factory.mktemp("configured")
    # Injectors of credential types contain template syntax that must not be evaluated here.
    single = {name: items[:1] for name, items in load("controller.yml").items() if name in VARIABLES and "types" not in name}
    (play,) = load("configure.yml")
    place = Place(folder / "later")
    files = [str(EXAMPLE / "controller.yml"), str(place.write("single.json", single))]
    tasks = [{"name": "Create the objects", "ansible.builtin.include_tasks": str(EXAMPLE / "objects.yml")}]
    again = place.write("again.yml", [{**play, "name": "Configure it again", "vars_files": files, "tasks": tasks}])
    with running(playbooks=[path.name for path in PROJECT.glob("*.yml")]) as controller:
        controller.failing_updates = 1
        outputs = [configure(controller, Place(folder / "first"), simulator_server)]
        first, controller.journal = controller.journal, []
        outputs.append(configure(controller, place, simulator_server, str(again)))
        later = parts(place.record.read_text(encoding="utf-8"), controller.journal, lambda _play: True)
        yield Configured(
            controller, outputs, [writes(each) for each in (first, *(journal for _lines, journal in later.values()))]
        )


@pytest.fixture(scope="session")
def minimal(simulator_server: t.Any, tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[Configured]:
    """Return the controller after a run of the minimal setup."""
    with running(playbooks=[path.name for path in PROJECT.glob("*.yml")]) as controller:
        arguments = ("-e", f"@{EXAMPLE / 'small.yml'}")
        output = configure(controller, Place(tmp_path_factory.mktemp("minimal")), simulator_server, *arguments)
        yield Configured(controller, [output], [writes(controller.journal)])
