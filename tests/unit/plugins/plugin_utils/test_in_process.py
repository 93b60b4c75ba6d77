# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar

from ansible_collections.edgeops.observability.plugins.module_utils._core import INVALID_OPTION, UNAVAILABLE, Conclusion, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._engine.run import Run
from ansible_collections.edgeops.observability.plugins.module_utils._engine.task import LocalTask, Spec
from ansible_collections.edgeops.observability.plugins.plugin_utils import _in_process
from ansible_collections.edgeops.observability.plugins.plugin_utils._in_process import InProcessAction

SPEC = Spec(
    {"name": {"required": True}, "secret": {"no_log": True}, "count": {"type": "int"}},
    required_together=[("secret", "count")],
)


class Seen(LocalTask[None]):
    """A task that may also run as an ordinary module: records its arguments and where it ran, and returns a result."""

    name = "fake"
    spec = SPEC
    on_controller = False

    def __init__(self, result: dict[str, t.Any] | None) -> None:
        self.result = result
        self.params: t.Mapping[str, t.Any] = {}

    @classmethod
    def arguments(cls) -> dict[str, t.Any]:
        """Return the options of the module and their rules, without the connection options."""
        rules = {**cls.spec._asdict(), "required_by": {}}
        return {"argument_spec": rules.pop("options"), **rules}

    def desire(self, params: t.Mapping[str, t.Any]) -> None:
        self.params = params

    def report(self, desired: None) -> Conclusion:
        return Conclusion(self.result or {})


class Action(InProcessAction):
    seen: Seen

    def as_other(self, action: str, variables: dict[str, t.Any]) -> dict[str, t.Any]:
        return {"as": "module"}


def action(
    tmp_path: Path,
    args: dict[str, t.Any] | None = None,
    result: dict[str, t.Any] | None = None,
    connection: dict[str, t.Any] | None = None,
    **task: t.Any,
) -> Action:
    kept = {"async_val": 0, "environment": [], "check_mode": False, "diff": False, "action": "edgeops.observability.fake", **task}
    made = Action(
        task=SimpleNamespace(args=args if args is not None else {"name": "a"}, **kept),
        connection=mock.Mock(**{"transport": "local", "become": None, **(connection or {})}),
        play_context=None,
        loader=SimpleNamespace(get_basedir=lambda: str(tmp_path)),
        templar=Templar(loader=DataLoader()),
        shared_loader_obj=None,
    )
    made.seen = Seen({} if result is None else result)
    made.task = made.seen  # type: ignore[misc]  # for this instance only
    return made


def test_runs_in_process(tmp_path, monkeypatch):
    modes: list[dict[str, bool]] = []

    def recorded(params: t.Mapping[str, t.Any], *, announce: t.Callable[[float], None], **mode: bool) -> Run:
        modes.append(mode)
        return Run(params, announce=announce, **mode)

    monkeypatch.setattr(_in_process, "Run", recorded)
    made = action(
        tmp_path, {"name": "a", "count": "2", "secret": "hidden-1"}, {"found": "hidden-1", "none": None, "flag": True}, diff=True
    )
    result = made.run(task_vars={})
    assert (result["found"], result["none"], result["flag"]) == ("VALUE_SPECIFIED_IN_NO_LOG_PARAMETER", None, True)
    assert made.seen.params == {"name": "a", "count": 2, "secret": "hidden-1"}
    assert modes == [{"check_mode": False, "diff_mode": True}]
    assert "warnings" not in result


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({}, "missing required arguments: name"),
        ({"name": "a", "size": 1}, "Unsupported parameters for (edgeops.observability.fake) module: size."),
        ({"name": "a", "secret": "hidden-1"}, "parameters are required together: secret, count"),
        ({"name": "a", "secret": "hidden-1", "count": "hidden-1"}, "argument 'count'"),
    ],
)
def test_refuses_like_a_module(args, message, tmp_path):
    result = action(tmp_path, args).run(task_vars={})
    assert result["failed"] is True
    assert message in result["msg"]
    assert "hidden-1" not in str(result)
    assert result["error"]["kind"] == INVALID_OPTION


@pytest.mark.parametrize(
    ("variables", "connection", "task"),
    [
        *(({"edgeops_in_process": switch}, {}, {}) for switch in (False, "no", "false", 0)),
        *(({}, connection, {}) for connection in ({"transport": "ssh"}, {"transport": "x.docker"}, {"become": object()})),
        *(({}, {}, task) for task in ({"async_val": 10}, {"environment": [{}, {"A": "b"}]})),
    ],
)
def test_runs_as_ordinary_module(variables, connection, task, tmp_path):
    assert action(tmp_path, connection=connection, **task).run(task_vars=variables) == {"as": "module"}


def test_runs_as_ordinary_module_without_the_library(tmp_path, monkeypatch):
    monkeypatch.setattr(_in_process, "missing_requests", lambda: Failure(UNAVAILABLE, "no requests"))
    assert action(tmp_path).run(task_vars={}) == {"as": "module"}


@pytest.mark.parametrize(("environment", "switch"), [(None, "yes"), ([], ""), ([{}], None), ([{}, None], True)])
def test_empty_environment_and_switch_are_ignored(environment, switch, tmp_path):
    assert "as" not in action(tmp_path, environment=environment).run(task_vars={"edgeops_in_process": switch})


def test_only_arguments_are_masked(tmp_path, monkeypatch):
    """Only arguments are masked; a long listing is returned without a copy of each text."""
    monkeypatch.setattr(_in_process, "shows_invocation", lambda variables: True)
    listing = [{"number": number, "inner": {"a": [None]}} for number in range(3)]
    result = action(tmp_path, {"name": "a", "secret": "hidden-1", "count": 1}, {"found": listing}).run(task_vars={})
    assert result["found"] is listing
    assert result["invocation"]["module_args"]["secret"] == "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"


class Addressed(Seen):
    """A task that takes a list of zones or one zone."""

    addresses = ("zone_ids", "zone_id")
    spec = Spec({"zone_ids": {"type": "list", "elements": "str"}, "zone_id": {"type": "str"}})

    @classmethod
    def options(cls) -> dict[str, dict[str, t.Any]]:
        return dict(cls.spec.options)


@pytest.mark.parametrize(
    ("args", "zone_id"), [({}, "0a"), ({"zone_ids": []}, None), ({"zone_ids": ["0b"]}, None), ({"zone_ids": None}, "0a")]
)
def test_empty_list_of_zones_is_not_the_zone_of_the_host(args, zone_id, tmp_path):
    """A list that a template made empty must not turn into a task about the zone of the host."""
    made = action(tmp_path, args)
    made.task = made.seen = Addressed({})  # type: ignore[misc]  # for this instance only
    assert "failed" not in made.run(task_vars={"zone_id": "0a"})
    assert made.seen.params["zone_id"] == zone_id
