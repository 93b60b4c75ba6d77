# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs a module's own code inside the worker process of the controller, or steps aside for the module itself."""

from __future__ import annotations

import contextlib
import json
import os
import typing as t

from ansible import constants
from ansible.module_utils.common.parameters import remove_values
from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.action import ActionBase

from ansible_collections.edgeops.observability.plugins.module_utils._api.session import missing_requests
from ansible_collections.edgeops.observability.plugins.module_utils._core import INVALID_OPTION, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._engine.run import Run
from ansible_collections.edgeops.observability.plugins.module_utils._engine.task import Task, presentable, without_empty
from ansible_collections.edgeops.observability.plugins.module_utils._redact import text_without
from ansible_collections.edgeops.observability.plugins.plugin_utils._arguments import Validated, prepared, serialised, validated
from ansible_collections.edgeops.observability.plugins.plugin_utils._refusals import refusal

SWITCH = "edgeops_in_process"

Result = dict[str, t.Any]
_TEXT = frozenset((str,))
_SCALARS = frozenset((str, int, float, bool, type(None)))


class InProcessAction(ActionBase):  # type: ignore[misc]  # ansible-core ships no types
    """The action of every module: a subclass names its task, which is imported, with the libraries, before workers fork."""

    _supports_check_mode = True
    _supports_async = True
    task: t.ClassVar[Task]

    def run(self, tmp: str | None = None, task_vars: Result | None = None) -> Result:
        """Run the task in this process if possible, otherwise as an ordinary module."""
        variables = task_vars or {}
        specification = self.task.arguments()
        try:
            self._task.args = prepared(specification["argument_spec"], self._task.args, self.arranged)
        except Failure as failure:
            return {"failed": True, "msg": failure.message, "error": failure.report()}
        if not self._belongs_here(variables):
            return self._named(self._as_module(variables))
        result: Result = super().run(tmp, variables)
        checked = validated(specification, without_empty(serialised(self._task.args)), self._task.action)
        with _working_directory(self._loader.get_basedir()):
            result.update(self._carried_out(checked))
        if _shows_invocation(variables):
            result["invocation"] = {"module_args": presentable(checked.params, specification["argument_spec"])}
        return _masked(self._named(result), checked.secrets)

    def arranged(self, arguments: t.Mapping[str, t.Any]) -> t.Mapping[str, t.Any]:
        """Return the arguments of a task in which a null says more than that an option is omitted."""
        return arguments

    def _belongs_here(self, variables: Result) -> bool:
        return (
            self._connection.transport in ("local", "ansible.builtin.local")
            and not self._connection.become
            and not self._task.async_val
            and not any(self._task.environment or ())
            and self._is_switched_on(variables)
            # The interpreter of the module may have the library that this one lacks; if not, the module fails with that reason.
            and missing_requests() is None
        )

    def _is_switched_on(self, variables: Result) -> bool:
        value = self._templar.template(variables.get(SWITCH))
        return value in (None, "") or boolean(value)

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
        """Return a result whose refusal names the item of a list, as the user wrote it."""
        if (result.get("error") or {}).get("kind") != INVALID_OPTION:
            return result
        specification, given = self.task.arguments(), without_empty(serialised(self._task.args))
        text = refusal(specification, given)
        if text is None:
            return result
        return {**result, "msg": _without_secrets(text, validated(specification, given, self._task.action).secrets)}

    def _carried_out(self, checked: Validated) -> Result:
        if checked.error is not None:
            return {"failed": True, "msg": checked.error, "error": Failure(INVALID_OPTION, checked.error).report()}
        run = Run(checked.params, check_mode=self._task.check_mode, diff_mode=self._task.diff)
        result = run.finish(self.task)
        if not result["warnings"]:
            del result["warnings"]
        return result


def _masked(result: Result, secrets: set[str]) -> Result:
    """The result as AnsibleModule lets it out: no secret in any text, top-level null and booleans as they are.

    Member by member: the arguments are among them, and what they hold would have every other member searched text by text.
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
    # Older cores look into null, true and false as well, as Python writes them.
    if text is None or any(secret in word for secret in secrets for word in ("None", "True", "False")):
        return remove_values(value, secrets)
    return value if plain else json.loads(text)


def _is_plain(value: t.Any) -> bool:
    """Whether a value is what comes back from its JSON text: no tuple in it, no name that is not text, no other type."""
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
    """Whether results hold the arguments: always before ansible-core 2.21, which made it a setting."""
    if not hasattr(constants, "INJECT_INVOCATION"):
        return True
    return bool(constants.config.get_config_value("INJECT_INVOCATION", variables=variables))


@contextlib.contextmanager
def _working_directory(path: str) -> t.Iterator[None]:
    """A module on a local connection runs in the playbook's folder, which relative paths in options count from."""
    before = os.getcwd()
    os.chdir(path)
    try:
        yield
    finally:
        os.chdir(before)
