# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import functools
import typing as t

from ansible.module_utils.basic import AnsibleModule

from .._core import INVALID_OPTION, Failure
from .._text import list_of
from .masking import mask_result
from .run import Run
from .task import Task, presentable


class _Module(AnsibleModule):  # type: ignore[misc]  # ansible-core ships no types
    """An AnsibleModule whose argument errors have the member `error` like every other failure."""

    params: dict[str, t.Any]
    no_log_values: set[str]

    def __init__(self, task: Task) -> None:
        self._task = task  # first, because the arguments may be refused here
        super().__init__(supports_check_mode=True, **task.arguments())

    def fail_json(self, msg: str, **kwargs: t.Any) -> t.NoReturn:
        """Fail with a structured `error`, also if ansible-core itself refuses the arguments."""
        kwargs.setdefault("error", Failure(INVALID_OPTION, msg).report())
        super().fail_json(**self.masked({"msg": msg, **kwargs}))
        raise SystemExit(1)  # not reached: the line above ends the process

    def log(self, msg: str, log_args: t.Mapping[str, t.Any] | None = None) -> None:
        """Log as ansible-core does, which logs all arguments with `no_log` masked, and here without secrets in addresses, too."""
        if log_args:
            arguments = presentable(self.params, self._task.options())
            differing = {name: arguments[name] for name in log_args if name in arguments and arguments[name] != self.params[name]}
            if differing:
                log_args = {**log_args, **mask_result(differing, self._secrets)}
                msg = f"Invoked with {' '.join(f'{name}={_text(value)}' for name, value in log_args.items())}"
        super().log(msg, log_args)

    def masked(self, result: dict[str, t.Any]) -> dict[str, t.Any]:
        """Return a result, which will contain the arguments, without secrets.

        Those that an option hides are masked here as in process, and ansible-core, which would take any letter for one, has nothing left to mask.
        """
        masked = mask_result(result, self._secrets)
        self.params = mask_result(presentable(self.params, self._task.options()), self._secrets)
        self.no_log_values.clear()
        return masked

    @functools.cached_property
    def _secrets(self) -> set[str]:
        return self._task.secrets_in(self.params)


def _text(value: t.Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def run_module(task: Task) -> None:
    """Run a task as an ordinary Ansible module, in a separate process."""
    module = _Module(task)
    run = Run(module.params, check_mode=module.check_mode, diff_mode=module._diff)
    result = module.masked(run.finish(task))
    for warning in list_of(result.pop("warnings")):  # newer cores deprecate warnings as a member of the result
        module.warn(warning)
    if result.get("failed"):
        module.fail_json(str(result.pop("msg")), **result)
    module.exit_json(**result)
