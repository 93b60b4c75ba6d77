# SPDX-License-Identifier: GPL-3.0-or-later

"""Run the code of a module in the worker process of the controller if possible, otherwise as an ordinary module."""

from __future__ import annotations

# Once here, instead of in the process of each zone.
import concurrent.futures.thread  # noqa: F401  # pylint: disable=unused-import
import contextlib
import dataclasses
import re
import typing as t

from ansible.plugins.action import ActionBase
from ansible.plugins.loader import test_loader
from ansible.utils.display import Display

from ansible_collections.edgeops.observability.plugins.module_utils._address import ALL_ADDRESSES, missing_address
from ansible_collections.edgeops.observability.plugins.module_utils._api.connection import CREDENTIALS, without_empty
from ansible_collections.edgeops.observability.plugins.module_utils._core import INVALID_OPTION, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._engine.masking import mask_result, register
from ansible_collections.edgeops.observability.plugins.module_utils._engine.run import Performs, Run
from ansible_collections.edgeops.observability.plugins.module_utils._engine.task import Task, presentable
from ansible_collections.edgeops.observability.plugins.module_utils._http import missing_requests
from ansible_collections.edgeops.observability.plugins.module_utils._templates import refuse_templates
from ansible_collections.edgeops.observability.plugins.plugin_utils._ansible_core import shows_invocation, warning_text
from ansible_collections.edgeops.observability.plugins.plugin_utils._arguments import (
    absolute,
    is_worth_naming,
    prepared,
    refusal,
    refuse_undefined,
    serialised,
    validated,
)
from ansible_collections.edgeops.observability.plugins.plugin_utils._host_variables import Host
from ansible_collections.edgeops.observability.plugins.plugin_utils._variables.table import variable_of, variables_of

Result = dict[str, t.Any]
_LOCAL = ("local", "ansible.builtin.local")
# Load the tests of Jinja once here, instead of in the process of each zone whose task has a condition with one. Older versions of
# ansible-core find none outside of a run.
with contextlib.suppress(KeyError):
    test_loader.get("ansible.builtin.defined")
# The option at the beginning of an error, before a colon or the place in it.
_OPTION = re.compile(r"\w+(?=[:.\[])")


class InProcessAction(ActionBase):  # type: ignore[misc]  # ansible-core ships no types
    """The action plugin of every module; subclasses set `task`. Tasks and libraries are imported before workers fork, which saves time."""

    _supports_check_mode = True
    _supports_async = True
    task: t.ClassVar[Task]

    def run(self, tmp: str | None = None, task_vars: Result | None = None) -> Result:
        """Run the task in this process if possible, otherwise as an ordinary module."""
        variables = task_vars or {}
        arguments = self._task.args
        try:
            return self._run(tmp, variables)
        finally:
            self._task.args = arguments  # the next try of a task with `until` begins with them

    def _run(self, tmp: str | None, variables: Result) -> Result:
        host = Host(variables, self._templar)
        specification = self.task.arguments()
        try:
            self._task.args, from_host = self._completed(self.task.options(), host)
            if self.task.on_controller or self._connection.transport in _LOCAL:
                self._task.args = absolute(specification["argument_spec"], self._task.args)
            runs_here = self._can_run_here(host)
        except Failure as failure:
            return {"failed": True, "msg": failure.message, "error": failure.report()}
        if not runs_here:
            return self._with_host(
                self._named(self.as_other("ansible.legacy.normal", variables), from_host, variables), variables
            )
        result: Result = super().run(tmp, variables)
        given = serialised(self._task.args)
        checked = validated(specification, given, self._task.action)
        if checked.error is not None:
            result.update(failed=True, msg=checked.error, error=Failure(INVALID_OPTION, checked.error).report())
        else:
            run = Run(checked.params, check_mode=self._task.check_mode, diff_mode=self._task.diff, announce=_announce)
            result.update(run.finish(self.performed(variables)))
            register(run.secrets)
            if not result["warnings"]:
                del result["warnings"]
        if shows_invocation(variables):
            result["invocation"] = {"module_args": presentable(checked.params, self.task.options())}
        return mask_result(self._with_host(self._named(result, from_host, variables), variables), self.task.secrets_in(given))

    def performed(self, variables: Result) -> Performs:  # noqa: ARG002  # for subclasses
        """Return the task that is performed; subclasses give it what only the controller knows, such as the variables of other hosts."""
        return self.task

    def result_of(self, task: Task, arguments: t.Mapping[str, t.Any]) -> Result:
        """Run a task that only reads, in this process; return its result, failed or not."""
        checked = validated(task.arguments(), serialised(arguments), task.name)
        if checked.error is not None:
            failure = Failure(INVALID_OPTION, checked.error)
            return {"failed": True, "changed": False, "msg": failure.message, "error": failure.report()}
        return Run(checked.params, check_mode=True, diff_mode=False, announce=_announce).finish(task)

    def arranged(self, arguments: t.Mapping[str, t.Any]) -> t.Mapping[str, t.Any]:
        """Return the arguments; subclasses handle nulls here that mean more than omitted."""
        return arguments

    def _completed(self, options: t.Mapping[str, t.Any], host: Host) -> tuple[Result, dict[str, str]]:
        """Return the arguments, completed by variables of the host, its connection and its address, and the variable of each such option.

        An address that the module does not take is ignored if `module_defaults` set it.
        """
        refuse_undefined(self._task.args)
        not_taken = [name for name in ALL_ADDRESSES if name in self._task.args and name not in options]
        accepted = {name: value for name, value in self._task.args.items() if name not in not_taken or not self._is_default(name)}
        arguments = without_empty(prepared(options, accepted, self.arranged))
        paths = {option: path for option, path in variables_of(self.task.name).items() if option not in self._task.args}
        values = {option: value for option, path in paths.items() if (value := host.option(path)) is not None}
        try:
            arguments |= prepared(options, values, self.arranged)
        except Failure as failure:
            option = _OPTION.match(failure.message)
            named = paths[option[0]] + failure.message[option.end() :] if option and option[0] in paths else failure.message
            raise dataclasses.replace(failure, message=named) from None
        if self.task.on_controller:
            _refuse_templates(options, arguments, paths)
            return arguments, paths
        connection = host.connection(arguments) if self.task.asks_service else {}
        # An empty list of zones is refused; it does not mean the zone of the host.
        is_addressed = any(arguments.get(name) or arguments.get(name) == [] for name in self.task.addresses)
        address = {} if is_addressed else host.address(self.task.addresses)
        # What is missing of the credentials of the host is a variable, too.
        missing = CREDENTIALS if connection.keys() & CREDENTIALS else ()
        variables = paths | {name: variable_of(name) for name in (*connection, *missing)}
        completed = {**arguments, **connection, **address}
        _refuse_templates(options, completed, variables)
        return completed, variables

    def _is_default(self, name: str) -> bool:
        """Return whether the value of an option of the task is that of `module_defaults`."""
        defaults = [self._templar.template(members) for entry in self._task.module_defaults for members in entry.values()]
        return any(members[name] == self._task.args[name] for members in defaults if name in members)

    def _can_run_here(self, host: Host) -> bool:
        return self.task.on_controller or (
            self._connection.transport in _LOCAL
            and not self._connection.become
            and not self._task.async_val
            and not any(self._task.environment or ())
            and host.option("edgeops_in_process")
            # The interpreter of the module may have the library that this one lacks; otherwise the module reports it.
            and missing_requests() is None
        )

    def as_other(self, action: str, variables: Result) -> Result:
        """Return the result of another action for this task, with its present arguments."""
        other = self._shared_loader_obj.action_loader.get(
            action,
            task=self._task,
            connection=self._connection,
            play_context=self._play_context,
            loader=self._loader,
            templar=self._templar,
            shared_loader_obj=self._shared_loader_obj,
        )
        result: Result = other.run(task_vars=variables)
        return result

    def _named(self, result: Result, from_host: t.Mapping[str, str], variables: Result) -> Result:
        """Return a result whose argument error names what the user wrote: the variable of the host, or the path with list indexes."""
        if (result.get("error") or {}).get("kind") != INVALID_OPTION:
            return result
        text = self._argument_error(str(result.get("msg")), from_host, variables.get("inventory_hostname"))
        if text == result.get("msg"):
            return result
        result.pop("exception", None)  # ansible-core would print its message above the path
        return {**result, "msg": text}

    def _argument_error(self, text: str, from_host: t.Mapping[str, str], host: object) -> str:
        specification, arguments = self.task.arguments(), serialised(self._task.args)
        place, reason = refusal(specification, arguments) or ("", "")
        if place in from_host or is_worth_naming(place, reason):
            text = mask_result({"msg": f"{place}: {reason}"}, self.task.secrets_in(arguments))["msg"]
        option = _OPTION.match(text)
        if option and option[0] in from_host:
            return f"{from_host[option[0]]}{text[option.end() :]}"
        if self.task.addresses and text == missing_address(self.task.addresses).message:
            return (
                f"{text}, in the task or as a variable of the host {host!r}, which has none of them."
                " The inventory plugin edgeops.observability.zones sets them."
            )
        return text

    def _with_host(self, result: Result, variables: Result) -> Result:
        """Return a result whose warnings name the host, if the task is about its zone: ansible-core does not say which host warns."""
        host = variables.get("inventory_hostname")
        if (
            not result.get("warnings")
            or host in (None, "localhost")
            or not set(self.task.addresses).intersection(self._task.args)
        ):
            return result
        return {**result, "warnings": [f"{host}: {warning_text(warning)}" for warning in result["warnings"]]}


def _refuse_templates(options: t.Mapping[str, t.Any], arguments: Result, variables: t.Mapping[str, str]) -> None:
    """Raise `invalid_option` for a template that nobody evaluated, with the variable that it was typed in."""
    for option, value in arguments.items():
        try:
            refuse_templates(options, {option: value})
        except Failure as failure:
            place = f"{variables.get(option, option)}{failure.message[len(option) :]}"
            raise dataclasses.replace(failure, message=place) from None


def _announce(text: str) -> None:
    """Display a text at once; ansible-core keeps a warning until the task ends. Standard output may be the JSON of a callback."""
    Display().display(text, stderr=True)
