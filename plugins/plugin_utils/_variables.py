# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Options whose values are variables of a role or of a playbook: what they hold, and the names that messages give them."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._core import invalid_option
from ansible_collections.edgeops.observability.plugins.module_utils._engine.task import CONNECTION_OPTIONS

Variables = t.Mapping[str, t.Any]
Names = t.Mapping[str, str]

# The variable from which the playbooks take the connection of a zone, and the prefix of those that it is made of.
CONNECTION, CONNECTION_PREFIX = "edgeops_connection", "edgeops_"
# The variable by which a task of a playbook says from which variables its options are made.
OPTION_VARIABLES = "edgeops_option_variables"
_FIRST = re.compile(r"(\w+)(?=[:.[])")
_UNDEFINED = re.compile(r"'[^']{1,200}' is undefined|'[^']{1,200}' has no attribute '[^']{1,200}'")
_MAX_REASON = 300
_OMITTED = object()


def variable_names(arguments: Variables, variables: Variables) -> Names:
    """Return the variables of a task by option: those of a role that its arguments name, and those of the connection."""
    prefix = arguments.get("option_prefix")
    own = {option: value for option, value in arguments.items() if prefix and _names_variable(option, value, prefix)}
    return {**_connection_names(variables), **(variables.get(OPTION_VARIABLES) or {}), **own}


def referenced(
    specification: Variables, arguments: Variables, names: Names, variables: Variables, evaluate: t.Callable[[t.Any], t.Any]
) -> dict[str, t.Any]:
    """Return the arguments with the values of the variables that they name.

    Only a variable that does not exist, or is null or empty text, omits its option: one that cannot be evaluated is refused by its name, also where
    the argument is a template that has a default in its place.
    """
    found = dict(arguments)
    for option, name in names.items():
        named = found.get(option) == name
        if named or name in (variables.get(OPTION_VARIABLES) or {}).values():
            value = _evaluated(name, variables, evaluate)
        if named:
            del found[option]
            if value is not None and value is not _OMITTED and (value != "" or "options" in specification.get(option, ())):
                found[option] = value
    return found


def with_names(result: dict[str, t.Any], names: Names) -> dict[str, t.Any]:
    """Return a refusal that names a variable in place of the option that it was given for."""
    found = _FIRST.match(str(result.get("msg") or ""))
    if not found or found[1] not in names:
        return result
    if found[1] in CONNECTION_OPTIONS:
        spoken = "|".join(name for name in names if name in CONNECTION_OPTIONS)
        return {**result, "msg": re.sub(rf"\b({spoken})\b", lambda word: names[word[1]], result["msg"])}
    return {**result, "msg": f"{names[found[1]]}{result['msg'][found.end() :]}"}


def _connection_names(variables: Variables) -> Names:
    """Return the variables of the connection by option, in a playbook that takes it from them."""
    if CONNECTION not in variables:
        return {}
    names = {option: f"{CONNECTION_PREFIX}{option}" for option in CONNECTION_OPTIONS}
    if not variables.get(names["base_url"]):
        del names["base_url"]  # it may be the one of the environment
    return names


def _names_variable(option: str, value: t.Any, prefix: str) -> bool:
    return option != "option_prefix" and isinstance(value, str) and value.startswith(prefix)


def _evaluated(name: str, variables: Variables, evaluate: t.Callable[[t.Any], t.Any]) -> t.Any:
    if name not in variables:
        return _OMITTED
    try:
        return _without(evaluate(variables[name]), variables.get("omit", _OMITTED))
    except Exception as error:
        if type(error).__name__ == "AnsibleValueOmittedError":  # the word of ansible-core 2.19 and newer for `omit`
            return _OMITTED
        raise invalid_option(name, f"cannot be evaluated: {_reason(error)}") from None


def _without(value: t.Any, omitted: t.Any) -> t.Any:
    """Return a value without the members that ansible-core before 2.19 marks as omitted."""
    if isinstance(value, str):
        return _OMITTED if value == omitted else value
    if isinstance(value, dict):
        members = ((name, _without(member, omitted)) for name, member in value.items())
        return {name: member for name, member in members if member is not _OMITTED}
    if isinstance(value, list):
        return [item for item in (_without(item, omitted) for item in value) if item is not _OMITTED]
    return value


def _reason(error: BaseException) -> str:
    """Return the first cause in one line; what cores before 2.19 put around it repeats the whole value, secrets included."""
    seen = [error]
    while (cause := seen[-1].__cause__ or seen[-1].__context__) is not None and cause not in seen:
        seen.append(cause)
    texts = [" ".join(str(each).split()) for each in seen]
    undefined = next((found[0] for text in texts if (found := _UNDEFINED.search(text))), None)
    # The innermost one that is a sentence: a KeyError is no more than a name.
    return undefined or next(text for text in [*reversed(texts), texts[0]] if " " in text or text == texts[0])[:_MAX_REASON]
