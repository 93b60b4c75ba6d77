# SPDX-License-Identifier: GPL-3.0-or-later

"""Run the code of a module in the worker process of the controller if possible, otherwise as an ordinary module."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import typing as t

from ansible import constants
from ansible.module_utils.common.parameters import remove_values
from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ansible_collections.edgeops.observability.plugins.module_utils._address import ALL_ADDRESSES, HOST_ADDRESS, HOST_VARIABLES
from ansible_collections.edgeops.observability.plugins.module_utils._api.connection import without_empty
from ansible_collections.edgeops.observability.plugins.module_utils._api.session import missing_requests
from ansible_collections.edgeops.observability.plugins.module_utils._core import INVALID_OPTION, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._engine.run import Run
from ansible_collections.edgeops.observability.plugins.module_utils._engine.task import Task, presentable
from ansible_collections.edgeops.observability.plugins.module_utils._redact import text_without
from ansible_collections.edgeops.observability.plugins.module_utils._text import duration
from ansible_collections.edgeops.observability.plugins.plugin_utils._arguments import (
    prepared,
    refusal,
    serialised,
    validated,
)

SWITCH = "edgeops_in_process"

Result = dict[str, t.Any]
_TEXT = frozenset((str,))
_SCALARS = frozenset((str, int, float, bool, type(None)))


class InProcessAction(ActionBase):  # type: ignore[misc]  # ansible-core ships no types
    """The action plugin of every module; subclasses set `task`. Tasks and libraries are imported before workers fork, which saves time."""

    _supports_check_mode = True
    _supports_async = True
    task: t.ClassVar[Task]

    def run(self, tmp: str | None = None, task_vars: Result | None = None) -> Result:
        """Run the task in this process if possible, otherwise as an ordinary module."""
        variables = task_vars or {}
        specification = self.task.arguments()
        self._task.args = self._with_address(self._task.args, variables)
        try:
            self._task.args = without_empty(prepared(specification["argument_spec"], self._task.args, self.arranged))
        except Failure as failure:
            return {"failed": True, "msg": failure.message, "error": failure.report()}
        if not self._can_run_here(variables):
            return self._with_host(self._named(self._as_module(variables)), variables)
        result: Result = super().run(tmp, variables)
        checked = validated(specification, serialised(self._task.args), self._task.action)
        if checked.error is not None:
            result.update(failed=True, msg=checked.error, error=Failure(INVALID_OPTION, checked.error).report())
        else:
            announce = functools.partial(_announce, variables.get("inventory_hostname"))
            run = Run(checked.params, check_mode=self._task.check_mode, diff_mode=self._task.diff, announce=announce)
            with _working_directory(self._loader.get_basedir()):
                result.update(run.finish(self.task))
            if not result["warnings"]:
                del result["warnings"]
        if _shows_invocation(variables):
            result["invocation"] = {"module_args": presentable(checked.params, specification["argument_spec"])}
        return _masked(self._with_host(self._named(result), variables), checked.secrets)

    def arranged(self, arguments: t.Mapping[str, t.Any]) -> t.Mapping[str, t.Any]:
        """Return the arguments; subclasses handle nulls here that mean more than omitted."""
        return arguments

    def _with_address(self, arguments: Result, variables: Result) -> Result:
        """Return arguments with the address of the host, if the task asks for it and names none; a template in it is evaluated strictly."""
        if not boolean(arguments.get(HOST_ADDRESS) or False, strict=False) or any(arguments.get(name) for name in ALL_ADDRESSES):
            return arguments
        names = [name for name in HOST_VARIABLES if name in variables]
        return {**arguments, names[0]: self._templar.template(variables[names[0]])} if names else arguments

    def _can_run_here(self, variables: Result) -> bool:
        switch = self._templar.template(variables.get(SWITCH))
        return self.task.on_controller or (
            self._connection.transport in ("local", "ansible.builtin.local")
            and not self._connection.become
            and not self._task.async_val
            and not any(self._task.environment or ())
            and (switch in (None, "") or boolean(switch))
            # The interpreter of the module may have the library that this one lacks; otherwise the module reports it.
            and missing_requests() is None
        )

    def _as_module(self, variables: Result) -> Result:
        ordinary = self._shared_loader_obj.action_loader.get(
            "ansible.legacy.normal",
            task=self._task,
            connection=self._connection,
            play_context=self._play_context,
            loader=self._loader,
            templar=self._templar,
            shared_loader_obj=self._shared_loader_obj,
        )
        result: Result = ordinary.run(task_vars=variables)
        return result

    def _named(self, result: Result) -> Result:
        """Return a result whose argument error contains the path of the option with list indexes."""
        if (result.get("error") or {}).get("kind") != INVALID_OPTION:
            return result
        specification, given = self.task.arguments(), serialised(self._task.args)
        text = refusal(specification, given)
        if text is None:
            return result
        result.pop("exception", None)  # ansible-core would print its message above the path
        return {**result, "msg": _without_secrets(text, validated(specification, given, self._task.action).secrets)}

    def _with_host(self, result: Result, variables: Result) -> Result:
        """Return a result whose warnings name the host, if the task is about its zone: ansible-core does not say which host warns."""
        host = variables.get("inventory_hostname")
        if not result.get("warnings") or host in (None, "localhost") or not set(ALL_ADDRESSES).intersection(self._task.args):
            return result
        # Newer cores make an object of a warning of an ordinary module.
        texts = [str(getattr(getattr(warning, "event", None), "msg", warning)) for warning in result["warnings"]]
        return {**result, "warnings": [f"{host}: {text}" for text in texts]}


def _announce(host: object, seconds: float) -> None:
    """Display at once that a host waits; its warning comes with the result, when the wait is over."""
    Display().display(
        f"{host}: waiting {duration(seconds)} before the next request, for request_budget or the rate limit of the service"
    )


def _masked(result: Result, secrets: set[str]) -> Result:
    """Return the result with secrets masked as AnsibleModule does; top-level nulls and booleans are unchanged.

    Each member is searched separately, so that secrets in the arguments do not slow down the search in all other members.
    """
    return {
        name: value if value is None or isinstance(value, bool) else _without_secrets(value, secrets)
        for name, value in result.items()
    }


def _without_secrets(value: t.Any, secrets: set[str]) -> t.Any:
    plain = _is_plain(value)
    if plain and not secrets:
        return value
    text = text_without(value, secrets)
    # Older cores also mask secrets in the Python text of null, true and false.
    if text is None or any(secret in word for secret in secrets for word in ("None", "True", "False")):
        return remove_values(value, secrets)
    return value if plain else json.loads(text)


def _is_plain(value: t.Any) -> bool:
    """Return whether a value is unchanged by JSON: only plain types, no tuples, and names that are strings."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        kind = type(each)
        if kind is dict and _TEXT.issuperset(map(type, each)):
            each = each.values()
        elif kind is not list:
            if kind in _SCALARS:
                continue
            return False
        waiting.extend(inner for inner in each if type(inner) not in _SCALARS)
    return True


def _shows_invocation(variables: Result) -> bool:
    """Return whether results contain the arguments: always before ansible-core 2.21, which made it a setting."""
    if not hasattr(constants, "INJECT_INVOCATION"):
        return True
    return bool(constants.config.get_config_value("INJECT_INVOCATION", variables=variables))


@contextlib.contextmanager
def _working_directory(path: str) -> t.Iterator[None]:
    """Change to the playbook's folder, where a module on a local connection runs and relative paths in options start."""
    before = os.getcwd()
    os.chdir(path)
    try:
        yield
    finally:
        os.chdir(before)
