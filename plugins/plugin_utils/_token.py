# SPDX-License-Identifier: GPL-3.0-or-later

"""The action of `token_info`: the address of its host, or the credentials of all hosts of the play."""

from __future__ import annotations

import contextlib
import typing as t

from ansible.module_utils.parsing.convert_bool import boolean

from ansible_collections.edgeops.observability.plugins.module_utils._address import ACCOUNT, ALL_ADDRESSES
from ansible_collections.edgeops.observability.plugins.module_utils._api.connection import missing_credentials
from ansible_collections.edgeops.observability.plugins.module_utils._core import (
    AUTHENTICATION,
    CONFLICT,
    INVALID_OPTION,
    NOT_FOUND,
    PERMISSION,
    Failure,
    Json,
)
from ansible_collections.edgeops.observability.plugins.module_utils._text import canonical, line
from ansible_collections.edgeops.observability.plugins.module_utils._zone.token import PRODUCT_NAMES
from ansible_collections.edgeops.observability.plugins.modules.token_info import TASK
from ansible_collections.edgeops.observability.plugins.plugin_utils._arguments import prepared, serialised, validated
from ansible_collections.edgeops.observability.plugins.plugin_utils._host_variables import Host, HostVariables
from ansible_collections.edgeops.observability.plugins.plugin_utils._in_process import InProcessAction
from ansible_collections.edgeops.observability.plugins.plugin_utils._play.records import address_of, scope_of_host
from ansible_collections.edgeops.observability.plugins.plugin_utils._variables.table import DECLARED

Result = dict[str, t.Any]
# The kinds of failures of one host, which say nothing of what the token may read of another one.
_OF_HOST = (PERMISSION, NOT_FOUND, CONFLICT, INVALID_OPTION)
_MAX_HOSTS, _MAX_NAMED, _MAX_MESSAGE = 10, 5, 2000


class _Credential(t.NamedTuple):
    """A connection, and the hosts that have it."""

    connection: dict[str, t.Any]
    hosts: list[str]


class TokenAction(InProcessAction):
    task = TASK

    def run(self, tmp: str | None = None, task_vars: Result | None = None) -> Result:
        """Return the result of the module, for the address of the host unless the task has one; with `gather`, for each credential."""
        variables, arguments = task_vars or {}, self._task.args
        gather, show = (boolean(arguments.get(option) or False, strict=False) for option in ("gather", "show"))
        try:
            result = self._gathered(tmp, variables) if gather else self._of_host(tmp, variables)
            return self._printed(result, variables) if show and result.get("missing") else result
        except Failure as failure:
            return {"failed": True, "changed": False, "msg": str(failure), "error": failure.report()}
        finally:
            self._task.args = arguments

    def _of_host(self, tmp: str | None, variables: Result) -> Result:
        if not any(self._task.args.get(name) for name in ALL_ADDRESSES):
            self._task.args = {**self._task.args, **Host(variables, self._templar).address()}
        return super().run(tmp, variables)

    def _printed(self, result: Result, variables: Result) -> Result:
        """Return the lines as a result that every callback prints whole, as the debug action makes it."""
        self._task.args = {"msg": result["lines"]}
        printed = self.as_other("ansible.builtin.debug", variables)
        lines, warnings = printed.pop("msg"), {"warnings": result["warnings"]} if "warnings" in result else {}
        return {**printed, "changed": False, "lines": lines, **warnings}

    def _gathered(self, tmp: str | None, variables: Result) -> Result:
        specification = self.task.arguments()
        arguments = prepared(specification["argument_spec"], self._task.args)
        checked = validated(specification, serialised(arguments), self._task.action)
        if checked.error is not None:
            return super().run(tmp, variables)  # it says what is wrong, and where
        hosts = HostVariables(self._task, variables, self._templar, self._loader)
        credentials = _credentials(hosts, variables["ansible_play_hosts_all"], arguments, checked.params["required_for"])
        return _together(((its.hosts, self._of(its, hosts, arguments)) for its in credentials), len(credentials))

    def _of(self, credential: _Credential, hosts: HostVariables, arguments: t.Mapping[str, t.Any]) -> Result:
        """Return what one credential may read of its first host, or of the first one of which it can read something, and of its first account."""
        its_hosts = [hosts.host(name) for name in credential.hosts]
        if arguments.get("products") is None:
            arguments = {**arguments, "products": _needed(its_hosts, arguments.get("required_for") or [])}
        account = next((address_of(host) for host in its_hosts if scope_of_host(host) == ACCOUNT), {})
        failed: list[Result] = []
        for host in its_hosts[:_MAX_HOSTS]:
            result = self.result_of(self.task, {**arguments, **credential.connection, **account, **address_of(host)})
            if not result.get("failed") or result["error"]["kind"] not in _OF_HOST:
                return result
            failed.append(result)
        return next((result for result in failed if result["error"]["kind"] == PERMISSION), failed[0])


def _credentials(
    hosts: HostVariables, names: t.Iterable[str], arguments: t.Mapping[str, t.Any], playbooks: t.Sequence[str]
) -> list[_Credential]:
    """Return each distinct credential of the hosts that playbooks read."""
    credentials: dict[str, _Credential] = {}
    for name in map(str, names):
        if _is_read(hosts.host(name), playbooks):
            with contextlib.suppress(Failure):  # such a host fails by itself, with its own reason
                connection = hosts.host(name).connection(arguments)
                credentials.setdefault(canonical(connection), _Credential(connection, [])).hosts.append(name)
    return [*credentials.values()]


def _together(results: t.Iterable[tuple[list[str], Result]], count: int) -> Result:
    """Return the results of so many credentials, each with its hosts, as one; the first one that fails for good ends them."""
    tokens: list[dict[str, Json]] = []
    lines: list[str] = []
    missing: list[str] = []
    warnings: list[str] = []
    without: list[Result] = []
    for hosts, result in results:
        warnings += result.get("warnings", [])
        if result.get("failed") and result["error"]["kind"] in (AUTHENTICATION, PERMISSION):
            return {**result, "msg": f"{_names(hosts)}: {result['msg']}" if count > 1 else result["msg"]}
        if result.get("msg") == missing_credentials().message:
            without.append(result)
        if result.get("failed"):
            # A connection that is wrong is a matter of its hosts.
            lines.append(f"{_names(hosts)}: {line(result['msg'], _MAX_MESSAGE)}")
            continue
        tokens.append({"hosts": hosts, "token": result["token"], "permissions": result["permissions"]})
        missing += result["missing"]
        lines += [f"{_names(hosts)}:"] * (count > 1) + result["lines"]
    if without and len(without) == count:
        return without[0]
    first: dict[str, Json] = tokens[0] if tokens else {"token": None, "permissions": []}
    return {
        "changed": False,
        "token": first["token"],
        "permissions": first["permissions"],
        "credentials": tokens,
        "missing": list(dict.fromkeys(missing)),
        "lines": lines,
        **({"warnings": list(dict.fromkeys(warnings))} if warnings else {}),
    }


def _is_read(host: Host, playbooks: t.Sequence[str]) -> bool:
    """Return whether a playbook would read the zone or the account of a host; without playbooks, every host with an address counts."""
    try:
        if not address_of(host):
            return False
        if not playbooks or "adopt" in playbooks or "survey" in playbooks:
            return True
        is_declared = any(host.option(name) not in (None, {}) for name in DECLARED)
        return is_declared or host.option("edgeops_audit_scripts") is True
    except Failure:
        return False  # the host fails by itself, with its own reason


_RULES = "log_delivery_content_security_rules"
# What these playbooks read only where one of these variables is set; violations of rules are read as deliveries are.
_READ_WITH = {
    "script_monitor": ("log_delivery_script_monitor_enabled", "edgeops_audit_scripts"),
    "content_security_rules": (_RULES,),
    "delivery": ("edgeops_audit_delivery", _RULES),
}
_BY_VARIABLES = frozenset(("check", "deliver"))


def _needed(hosts: t.Iterable[Host], playbooks: t.Sequence[str]) -> list[str]:
    """Return the products that playbooks read of hosts with these variables."""
    if not playbooks or not _BY_VARIABLES.issuperset(playbooks):
        return list(PRODUCT_NAMES)
    hosts = list(hosts)
    return [name for name in PRODUCT_NAMES if name not in _READ_WITH or any(_is_set(host, _READ_WITH[name]) for host in hosts)]


def _is_set(host: Host, names: t.Iterable[str]) -> bool:
    """Return whether a host has one of some variables; `false` of one that is declared is set, of an audit it is not."""
    try:
        return any(host.option(name) not in ((None,) if name in DECLARED else (None, False)) for name in names)
    except Failure:
        return True  # the host fails by itself, and nothing is known of what it needs


def _names(hosts: t.Sequence[str]) -> str:
    more = f" and {len(hosts) - _MAX_NAMED} more" if len(hosts) > _MAX_NAMED else ""
    return ", ".join(line(host, 100) for host in hosts[:_MAX_NAMED]) + more
