# SPDX-License-Identifier: GPL-3.0-or-later

"""What differs between the supported versions of ansible-core on the controller, in this file only; for modules, see `_engine/masking`."""

from __future__ import annotations

import re
import typing as t

from ansible import constants
from ansible.module_utils.common import json as core_json
from jinja2 import Undefined

try:
    from ansible.utils.unsafe_proxy import AnsibleUnsafe, wrap_var
except ImportError:  # newer cores evaluate only trusted text, and text of the service is not trusted

    class AnsibleUnsafe:  # type: ignore[no-redef]  # ansible-core ships no types
        """No value is one."""

    def wrap_var(value: t.Any) -> t.Any:
        """Return the value as it is."""
        return value


__all__ = [
    "ENCODING",
    "AnsibleUnsafe",
    "evaluate",
    "is_omitted",
    "keeps_templates",
    "own_members",
    "raise_if_undefined",
    "reason_of",
    "registered_as",
    "repeats_values",
    "shows_invocation",
    "variables_of_host",
    "warning_text",
    "wrap_var",
]

_UNDEFINED = re.compile(r"'[^']{1,200}' is undefined|'[^']{1,200}' has no attribute '[^']{1,200}'")
_MAX_REASON = 300

# How ansible-core serialises the arguments of a module.
if hasattr(core_json, "get_module_encoder"):
    ENCODING: dict[str, t.Any] = {"cls": core_json.get_module_encoder("legacy", core_json.Direction.CONTROLLER_TO_MODULE)}
else:  # before 2.19
    ENCODING = {"cls": core_json.AnsibleJSONEncoder, "vault_to_text": True}


def registered_as(task: t.Any) -> str:
    """Return the variable in which a task registers its result, "" for none; newer cores have expressions by the names of variables."""
    register = task.register
    return str(next(iter(register), "") if isinstance(register, t.Mapping) else register or "")


# What ansible-core adds to a result; some of it is no data on newer cores.
_ADDED = ("exception", "warnings", "deprecations", "invocation")


def own_members(result: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return a registered result without what ansible-core adds to it."""
    return {name: value for name, value in result.items() if name not in _ADDED}


def evaluate(templar: t.Any, value: t.Any, variables: t.Mapping[str, t.Any]) -> t.Any:
    """Return a value with its templates evaluated; an undefined variable is an error, whatever the settings of older cores say."""
    available = templar.available_variables
    templar.available_variables = variables
    try:
        return templar.template(value, fail_on_undefined=True)
    finally:
        templar.available_variables = available


def reason_of(error: BaseException) -> str:
    """Return why a template cannot be evaluated, on one line: errors before 2.19 wrap the cause, and repeat the whole value with its secrets."""
    seen = [error]
    while (cause := seen[-1].__cause__ or seen[-1].__context__) is not None and cause not in seen:
        seen.append(cause)
    texts = [" ".join(str(raised).split()) for raised in seen]
    undefined = next((match[0] for text in texts if (match := _UNDEFINED.search(text))), None)
    # The innermost text with several words, because that of a KeyError is only a name.
    return undefined or next(text for text in [*reversed(texts), texts[0]] if " " in text or text == texts[0])[:_MAX_REASON]


def raise_if_undefined(value: object) -> None:
    """Raise the error that names the variable, if a filter gets an undefined value, as filters do before 2.19."""
    if isinstance(value, Undefined):
        str(value)


def variables_of_host(host: str, task: t.Any, variables: t.Mapping[str, t.Any], templar: t.Any) -> dict[str, t.Any]:
    """Return the variables that a task would see on another host, with those of its play; `hostvars` does not have these.

    `task` is a copy, because it is delegated to the host here.
    """
    task.delegate_to = host
    delegated_variables, _name = task.get_variable_manager().get_delegated_vars_and_hostname(templar, task, variables)
    of_host: dict[str, t.Any] = delegated_variables["ansible_delegated_vars"][host]
    return of_host


def is_omitted(error: BaseException) -> bool:
    """Return whether a template is `omit`: since 2.19 this is an exception, before it is the text of the variable `omit`."""
    return type(error).__name__ == "AnsibleValueOmittedError"


def keeps_templates() -> bool:
    """Return whether a template with an undefined variable is handed on as text, as a setting of cores before 2.19 makes it."""
    return not hasattr(core_json, "get_module_encoder") and not constants.DEFAULT_UNDEFINED_VAR_BEHAVIOR


def repeats_values() -> bool:
    """Return whether the failure of a task repeats the whole value in which a template cannot be evaluated, as cores before 2.19 do."""
    return not hasattr(core_json, "get_module_encoder")


def shows_invocation(variables: t.Mapping[str, t.Any]) -> bool:
    """Return whether results contain the arguments: always before 2.21, which made it a setting."""
    if not hasattr(constants, "INJECT_INVOCATION"):
        return True
    return bool(constants.config.get_config_value("INJECT_INVOCATION", variables=variables))


def warning_text(warning: object) -> str:
    """Return the text of a warning, of which newer cores make an object in the results of ordinary modules."""
    return str(getattr(getattr(warning, "event", None), "msg", warning))
