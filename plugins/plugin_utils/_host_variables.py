# SPDX-License-Identifier: GPL-3.0-or-later

"""The variables of the hosts of a run: inventory, facts and extra variables, without defaults of roles."""

from __future__ import annotations

import re
import typing as t

from ansible.utils.vars import load_extra_vars

from ..module_utils._core import invalid_option
from ._arguments import serialised

Variables = t.Mapping[str, t.Any]

# Other variables that a template of the inventory may use.
_SHARED = ("hostvars", "omit", "playbook_dir", "ansible_play_hosts_all", "ansible_check_mode", "environment")
_UNDEFINED = re.compile(r"'[^']{1,200}' is undefined|'[^']{1,200}' has no attribute '[^']{1,200}'")
_MAX_REASON = 300


class HostVariables:
    """Reads variables of hosts, raw or evaluated; an undefined variable is an error."""

    def __init__(self, variables: Variables, templar: t.Any, loader: t.Any) -> None:
        self._hostvars = variables["hostvars"]
        self._templar = templar
        self._shared = {name: variables[name] for name in _SHARED if name in variables}
        self._raw: dict[str, Variables] = {}
        self.extra: Variables = load_extra_vars(loader)

    def of(self, host: str) -> Variables:
        """Return the raw variables of a host: results of tasks are data, everything else may be a template."""
        if host not in self._raw:
            self._raw[host] = self._hostvars.raw_get(host)
        return self._raw[host]

    def evaluated(self, host: str, name: str, default: t.Any = None) -> t.Any:
        """Return the value of a variable as plain data; raise `invalid_option` if it cannot be evaluated."""
        variables = self.of(host)
        if name not in variables:
            return default
        before = self._templar.available_variables
        self._templar.available_variables = {**self._shared, **variables}
        try:
            value = self._templar.template(variables[name])
        except Exception as error:
            if type(error).__name__ == "AnsibleValueOmittedError":  # how ansible-core 2.19 and newer signal `omit`
                return default
            raise invalid_option(name, f"cannot be evaluated: {_reason(error)}") from None
        finally:
            self._templar.available_variables = before
        return default if value is None or value == self._shared.get("omit", ...) else serialised({name: value})[name]


def _reason(error: BaseException) -> str:
    """Return the original cause on one line; errors of cores before 2.19 that wrap it repeat the whole value with its secrets."""
    seen = [error]
    while (cause := seen[-1].__cause__ or seen[-1].__context__) is not None and cause not in seen:
        seen.append(cause)
    texts = [" ".join(str(each).split()) for each in seen]
    undefined = next((found[0] for text in texts if (found := _UNDEFINED.search(text))), None)
    # The innermost text with several words, because that of a KeyError is only a name.
    return undefined or next(text for text in [*reversed(texts), texts[0]] if " " in text or text == texts[0])[:_MAX_REASON]
