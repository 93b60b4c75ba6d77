# SPDX-License-Identifier: GPL-3.0-or-later

"""Where the example is, and what the tests make of it."""

from __future__ import annotations

import dataclasses
import typing as t
from pathlib import Path

import yaml
from awx.stub import Controller

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "awx"
PROJECT = EXAMPLE / "project"
EMAIL = "operator@example.com"
# Distinctive, because outputs are searched for them.
TOKEN = "planted-token-20b6d4f1aa"
KEY = "planted-key-93ce07b5d8"

# The variables of infra.aap_configuration in the order in which its dispatch role goes through them, and the module behind each.
VARIABLES = {
    "aap_teams": "team",
    "controller_credential_types": "credential_type",
    "controller_credentials": "credential",
    "controller_notifications": "notification_template",
    "controller_execution_environments": "execution_environment",
    "controller_projects": "project",
    "controller_inventories": "inventory",
    "controller_inventory_sources": "inventory_source",
    "controller_templates": "job_template",
    "controller_workflows": "workflow_job_template",
    "controller_schedules": "schedule",
    "controller_roles": "role",
}


class Loader(yaml.SafeLoader):
    """YAML as Ansible reads it."""


Loader.add_constructor("!unsafe", lambda loader, node: loader.construct_scalar(node))


def load(name: str) -> t.Any:
    return yaml.load((EXAMPLE / name).read_text(encoding="utf-8"), Loader)  # noqa: S506 - a SafeLoader with one more tag


@dataclasses.dataclass(frozen=True)
class Configured:
    """A controller that configure.yml has been run against twice, with what each run printed and wrote.

    The second run has one object of each kind.
    """

    controller: Controller
    outputs: list[str]
    writes: list[list[tuple[str, str]]]
