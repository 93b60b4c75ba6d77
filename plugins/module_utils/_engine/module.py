# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible.module_utils.basic import AnsibleModule

from .._core import INVALID_OPTION, Failure
from .._text import list_of
from .run import Run
from .task import Task, presentable


class _Module(AnsibleModule):  # type: ignore[misc]  # ansible-core ships no types
    """An AnsibleModule whose argument errors have the member `error` like every other failure."""

    params: dict[str, t.Any]

    def fail_json(self, msg: str, **kwargs: t.Any) -> t.NoReturn:
        """Fail with a structured `error`, also if ansible-core itself refuses the arguments."""
        kwargs.setdefault("error", Failure(INVALID_OPTION, msg).report())
        self.params = presentable(self.params, self.argument_spec)
        super().fail_json(msg, **kwargs)
        raise SystemExit(1)  # not reached: the line above ends the process


def run_module(task: Task) -> None:
    """Run a task as an ordinary Ansible module, in a separate process."""
    module = _Module(supports_check_mode=True, **task.arguments())
    run = Run(module.params, check_mode=module.check_mode, diff_mode=module._diff)
    result = run.finish(task)
    for warning in list_of(result.pop("warnings")):  # newer cores deprecate warnings as a member of the result
        module.warn(warning)
    if result.get("failed"):
        module.fail_json(str(result.pop("msg")), **result)
    module.exit_json(**result)
