# SPDX-License-Identifier: GPL-3.0-or-later

"""What the variables of a host say: its connection, its address, and any other variable, evaluated strictly."""

from __future__ import annotations

import contextlib
import typing as t

from ansible.errors import AnsibleError
from ansible.utils.vars import load_extra_vars

from ..module_utils._address import HOST_ADDRESSES, is_zone_id
from ..module_utils._api.connection import CONNECTION_OPTIONS, CREDENTIALS
from ..module_utils._core import invalid_option
from ._ansible_core import evaluate, is_omitted, reason_of, variables_of_host
from ._arguments import prepared, refuse_undefined, serialised
from ._variables.table import not_the_same, read_option, variable_of

Variables = t.Mapping[str, t.Any]

# Other variables that a template of the inventory may use.
_SHARED = ("hostvars", "omit", "playbook_dir", "ansible_play_hosts_all", "ansible_check_mode", "environment")


def evaluated(name: str, value: t.Any, templar: t.Any, variables: Variables) -> t.Any:
    """Return a value as plain data, None if it is omitted; raise `invalid_option` if it cannot be evaluated."""
    if value is None:
        return None
    try:
        value = evaluate(templar, value, variables)
        plain = serialised({name: value})[name]
    except Exception as error:
        if is_omitted(error):
            return None
        raise invalid_option(name, f"cannot be evaluated: {reason_of(error)}") from None
    refuse_undefined({name: value})
    return None if plain == variables.get("omit") else plain


class Host:
    """The variables of a host, raw in `raw`; a variable is evaluated only if it is asked for."""

    def __init__(self, raw: Variables, templar: t.Any) -> None:
        self.raw = raw
        self._templar = templar

    def value(self, name: str) -> t.Any:
        """Return a variable as plain data, None if it is not set or empty; raise `invalid_option` if it cannot be evaluated."""
        value = self.given(name)
        return None if value == "" else value

    def given(self, name: str) -> t.Any:
        """Return a variable as `value` does, but an empty text as it is."""
        return evaluated(name, self.raw.get(name), self._templar, self.raw)

    def option(self, path: str) -> t.Any:
        """Return a variable of the playbooks or the role as it is read everywhere, or its default, or a member of it."""
        return read_option(path, self.given)

    def connection(self, arguments: t.Container[str] = ()) -> dict[str, t.Any]:
        """Return the connection options that the host sets, but not those that a task gives; credentials are given as a set."""
        has_credentials = any(name in arguments for name in CREDENTIALS)
        options = {
            name: option
            for name, option in CONNECTION_OPTIONS.items()
            if name not in arguments and not (has_credentials and name in CREDENTIALS)
        }
        # By the names of the variables, for the message about a value that is refused.
        by_variable = {variable_of(name): option for name, option in options.items()}
        values = prepared(by_variable, {name: self.value(name) for name in by_variable if name in self.raw})
        return {name: value for name in options if (value := values.get(variable_of(name))) not in (None, "")}

    def address(self, options: t.Container[str] = HOST_ADDRESSES) -> dict[str, str]:
        """Return the address of the host as an option, empty if it has none: the first of the addresses that is set and that a task takes.

        A host with `zone_id` and `account_id` is a zone. Variables after the first one are not evaluated.
        """
        for name in HOST_ADDRESSES:
            if name in options and (value := self.value(name)) not in (None, ""):
                return dict(prepared({name: {"type": "str"}}, {name: value}))
        return {}


@contextlib.contextmanager
def readable(host: str) -> t.Iterator[None]:
    """Raise `invalid_option` where Ansible cannot read a file with variables of a host, such as one that is encrypted with another password."""
    try:
        yield
    except AnsibleError as error:
        # What follows its first line may quote the file.
        why = str(error).partition("\n")[0].rstrip(". ")
        advice = "; give --ask-vault-pass or --vault-password-file" if "vault" in why.lower() else ""
        raise invalid_option(f"the variables of {host}", f"cannot be read: {why}{advice}") from None


def has_template(value: t.Any) -> bool:
    """Return whether a raw variable may differ between hosts although its text does not."""
    if isinstance(value, dict):
        return any(map(has_template, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(has_template, value))
    return isinstance(value, str) and ("{{" in value or "{%" in value)


def need_same(names: t.Iterable[str], hosts: t.Sequence[Host]) -> None:
    """Refuse a variable about the run that is not the same for all hosts: a task that runs once would take that of the first one."""
    for name in names:
        raw = [host.raw.get(name) for host in hosts]
        if has_template(raw[:1]) or any(value != raw[0] for value in raw):
            values = [read_option(name, host.given) for host in hosts]
            if any(value != values[0] for value in values):
                raise not_the_same(name)


class HostVariables:
    """The variables of all hosts of a run, as a task of each of them would see them, with the precedence of Ansible.

    Every place counts: defaults of roles, inventory, facts, `vars` of the play, of its `import_playbook`, of roles, blocks and tasks,
    `include_vars`, `set_fact`, results of tasks, and extra variables.
    """

    def __init__(self, task: t.Any, variables: Variables, templar: t.Any, loader: t.Any) -> None:
        """`task` is the task that asks, and `variables` are those that it sees itself."""
        # One copy for all hosts, because a copy takes milliseconds.
        self._task = task.copy(exclude_tasks=True)
        self._variables = variables
        self._templar = templar
        self._shared = {name: variables[name] for name in _SHARED if name in variables}
        self._hosts: dict[str, Host] = {}
        self.extra: Variables = load_extra_vars(loader)
        # Of the play itself; those of an `import_playbook` are among them.
        self.of_play: Variables = task.play.get_vars()

    def host(self, name: str) -> Host:
        """Return a host by its name in the inventory."""
        if name not in self._hosts:
            with readable(name):
                raw = variables_of_host(name, self._task, self._variables, self._templar)
            self._hosts[name] = Host({**raw, **self._shared, "inventory_hostname": name}, self._templar)
        return self._hosts[name]

    def of_run(self, name: str) -> t.Any:
        """Return a variable that plays evaluate before they have hosts, so that only extra variables and `vars` of the play count."""
        variables = {**self.of_play, **self.extra}
        return Host({**self._variables, name: variables.get(name)}, self._templar).given(name)

    def own(self, name: str) -> Variables:
        """Return what inventory, facts and tasks set for a host itself, and the extra variables."""
        with readable(name):
            own: Variables = self._variables["hostvars"].raw_get(name)
        return own

    def of(self, host: str) -> Variables:
        """Return the raw variables of a host: results of tasks are data, everything else may be a template."""
        return self.host(host).raw

    def option(self, host: str, path: str) -> t.Any:
        """Return a variable of the playbooks or the role for a host, as it is read everywhere."""
        return self.host(host).option(path)

    def option_of_run(self, name: str) -> t.Any:
        """Return a variable that plays evaluate before they have hosts, as it is read everywhere."""
        return read_option(name, self.of_run)


def zone_names(variables: Variables) -> dict[str, str]:
    """Return the names of the hosts of the inventory whose `zone_id` is no template, by this id."""
    hostvars = variables["hostvars"]
    ids = {}
    for name in map(str, variables["groups"]["all"]):
        with readable(name):
            ids[name] = hostvars.raw_get(name).get("zone_id")
    return {zone_id.lower(): name for name, zone_id in ids.items() if isinstance(zone_id, str) and is_zone_id(zone_id)}
