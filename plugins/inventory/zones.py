# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: zones
short_description: Inventory of Cloudflare zones and accounts
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
description:
  - Lists the Cloudflare zones that the credentials can read. Each zone is a host, so that C(--limit), C(serial), C(forks), group variables and job
    slicing apply to zones.
  - Reads files whose names end in C(.zones.yml) or C(.zones.yaml).
  - The name of a host is the name of its zone. If several accounts have a zone with the same name, the one with the lowest id has that name, and the
    others have an underscore and their id appended, with a warning. The same applies to reserved or unsafe names, such as V(all), V(localhost) or a
    path; in these, characters other than the letters A to Z, digits, hyphens and underscores are replaced with underscores, dots as well.
  - Every zone is in the group C(zones), and has the variables C(zone_id), C(zone_name), C(zone_status) and C(zone_account), a dictionary with
    C(id) and C(name), and a local connection with the interpreter of the controller. Members that the service omits are V(null).
notes:
  - An invalid response fails the inventory source as a whole; zones are never silently missing. To stop the run if a source fails, set
    C(any_unparsed_is_failed=true) in the section C([inventory]) of C(ansible.cfg).
  - The options of the connection, O(names), O(statuses) and O(account_ids) may be templates, for example with a lookup, and may be vaulted.
  - An option whose template fails, for example because a variable is undefined, fails the inventory source.
  - Credentials are read like those of the modules, and are never part of the cache.
  - Text from the service is never evaluated as a template.
extends_documentation_fragment:
  - edgeops.observability.connection
  - edgeops.observability.secret
  - ansible.builtin.constructed
  - ansible.builtin.inventory_cache
options:
  plugin:
    description:
      - Marks a file as an inventory source of this plugin.
    type: str
    required: true
    choices:
      - edgeops.observability.zones
  names:
    description:
      - Keep only the zones with these names, in any letter case. A name that no zone has is a warning.
    type: list
    elements: str
    default: []
  statuses:
    description:
      - Keep only the zones with one of these statuses.
      - Cloudflare's statuses are V(initializing), V(pending), V(active) and V(moved); another one is a warning.
    type: list
    elements: str
    default: []
  account_ids:
    description:
      - Keep only the zones of the accounts with these ids, and with O(accounts) only these accounts.
    type: list
    elements: str
    default: []
  accounts:
    description:
      - Whether to add a host for each account that the credentials can read, for Logpush jobs of the account.
      - The host is named C(account_) and the id of the account, is in the group C(accounts), and has the variables C(account_id) and C(account_name).
      - With Cloudflare, a token that cannot list accounts probably lacks the permission Account Settings Read.
      - O(names) and O(statuses) do not apply to accounts.
    type: bool
    default: false
"""

EXAMPLES = r"""
# production.zones.yml: the active zones of two accounts, grouped by account, kept for an hour.
# The first line alone is a whole file, too: every zone that the token in the environment (CLOUDFLARE_API_TOKEN) can read.
plugin: edgeops.observability.zones
api_token: "{{ lookup('ansible.builtin.env', 'PRODUCTION_TOKEN') }}"
statuses: [active]
account_ids:
  - 01a7362d577a6c3019a474fd6f485823
  - 9a7806061c88ada191ed06f989cc3dac
cache: true
cache_plugin: ansible.builtin.jsonfile
cache_connection: ~/.cache/zones
cache_timeout: 3600
strict: true
compose:
  log_delivery_zone_id: zone_id
groups:
  shops: zone_name.startswith('shop.')
keyed_groups:
  - key: zone_account.name
    prefix: account
"""

from ansible_collections.edgeops.observability.plugins.plugin_utils._supported import check_supported

check_supported()

import hashlib
import json
import sys
import typing as t

from ansible.errors import AnsibleError, AnsibleParserError
from ansible.plugins.inventory import BaseInventoryPlugin, Cacheable, Constructable
from ansible.utils.display import Display

from ansible_collections.edgeops.observability.plugins.module_utils._address import (
    FILTER_OPTIONS,
    PAGES_SIDE_BY_SIDE,
    PER_PAGE,
    ListedAccount,
    ListedZone,
    host_name,
    hosts,
    is_selected,
    parse_filters,
    query,
    read_account,
    read_zone,
    unknown_statuses,
)
from ansible_collections.edgeops.observability.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.observability.plugins.module_utils._api.connection import (
    CONNECTION_OPTIONS,
    Connection,
    parse_connection,
    without_empty,
)
from ansible_collections.edgeops.observability.plugins.module_utils._core import AUTHENTICATION, NOT_FOUND, PERMISSION, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._engine.masking import register
from ansible_collections.edgeops.observability.plugins.module_utils._redact import scrub
from ansible_collections.edgeops.observability.plugins.module_utils._templates import refuse_templates
from ansible_collections.edgeops.observability.plugins.plugin_utils import _zone_files
from ansible_collections.edgeops.observability.plugins.plugin_utils._arguments import prepared, validated
from ansible_collections.edgeops.observability.plugins.plugin_utils._host_variables import evaluated
from ansible_collections.edgeops.observability.plugins.plugin_utils._untrusted import untrusted

SPECIFICATION = {**CONNECTION_OPTIONS, **FILTER_OPTIONS, "accounts": {"type": "bool", "default": False}}

_WITHOUT_ACCOUNTS = (
    "Without this right, omit the option accounts, and declare hosts with their account_id in another inventory file."
)
Listed = t.TypeVar("Listed")


class InventoryModule(BaseInventoryPlugin, Constructable, Cacheable):  # type: ignore[misc]  # ansible-core ships no types
    """Zones as hosts."""

    NAME = "edgeops.observability.zones"
    inventory: t.Any
    _file = ""

    def verify_file(self, path: str) -> bool:
        """Return whether the name of a file marks it as a source of this plugin."""
        return bool(super().verify_file(path)) and path.endswith((".zones.yml", ".zones.yaml"))

    def parse(self, inventory: t.Any, loader: t.Any, path: str, cache: bool = True) -> None:
        """Fill the inventory from the cache or the service."""
        super().parse(inventory, loader, path, cache)
        self._file = path
        self._read_config_data(path)
        params = self._params(path)
        try:
            described = parse_connection(params)
            register(described.secrets)
            listed = self._listed(path, described, "zones.list", read_zone, query(params), cache)
            zones = [zone for zone in listed if is_selected(zone, params)]
            accounts = self._accounts(path, described, params, cache) if params["accounts"] else []
        except Failure as failure:
            # `from None`: the cause of a failure may quote secrets that the failure itself masks.
            raise AnsibleParserError(f"{path}: {failure}") from None
        for warning in unknown_statuses(params):
            self.display.warning(f"{self.NAME}: {warning}")
        known = {zone["name"].lower() for zone in zones}
        for name in params["names"]:
            if name.lower() not in known:
                self.display.warning(f"{self.NAME}: names: no zone is named {name!r}, or the other filters exclude it")
        owners = {zone["account"]["id"] for zone in zones if zone["account"]} | {account["id"] for account in accounts}
        for identifier in params["account_ids"]:
            if identifier not in owners:
                self.display.warning(
                    f"{self.NAME}: account_ids: no zone belongs to {identifier!r}, or the other filters exclude it"
                )
        self.inventory.add_group("zones")
        for name, zone in self._named(zones):
            self._add(name, "zones", {f"zone_{member}": value for member, value in zone.items()})
        if params["accounts"]:
            self.inventory.add_group("accounts")
        for account in accounts:
            self._add(f"account_{account['id']}", "accounts", {f"account_{member}": value for member, value in account.items()})
        _zone_files.LISTED[path] = True

    def set_options(self, task_keys: t.Any = None, var_options: t.Any = None, direct: t.Any = None) -> None:
        """Set the options of a file; ansible-core checks their types here, so those of connection and filters are evaluated before."""
        _zone_files.LISTED[self._file] = False  # ansible-core has seen that the file is one of this plugin
        options = {
            name: self._evaluated(name, value) if name in SPECIFICATION else value for name, value in (direct or {}).items()
        }
        for name in ("api_token", "api_key"):
            if isinstance(options.get(name), (list, dict)):
                # The error of ansible-core would quote the value.
                raise AnsibleParserError(f"{self.NAME}: {name} must be a string")
        self._file_options = without_empty(options)
        super().set_options(task_keys, var_options, self._file_options)

    def _evaluated(self, name: str, value: t.Any) -> t.Any:
        try:
            return evaluated(name, value, self.templar, self.templar.available_variables)
        except Failure as failure:
            raise AnsibleParserError(f"{self.NAME}: {failure}") from None

    def _params(self, path: str) -> dict[str, t.Any]:
        """Validate the options of connection and filters like those of a module."""
        unknown = sorted(set(self._file_options) - set(self.get_options()))
        if unknown:
            raise AnsibleParserError(f"{path}: unknown option: {', '.join(map(repr, unknown))}")
        try:
            arguments = prepared(
                SPECIFICATION, {name: value for name, value in self._file_options.items() if name in SPECIFICATION}
            )
            refuse_templates(SPECIFICATION, arguments)
        except Failure as failure:
            raise AnsibleParserError(f"{path}: {failure}") from None
        checked = validated({"argument_spec": SPECIFICATION}, arguments, self.NAME)
        if checked.error is not None:
            raise AnsibleParserError(f"{path}: {scrub(checked.error, checked.secrets)}")
        try:
            return parse_filters(checked.params)
        except Failure as failure:
            raise AnsibleParserError(f"{path}: {failure}") from None

    def _accounts(self, path: str, described: Connection, params: t.Mapping[str, t.Any], cache: bool) -> list[ListedAccount]:
        try:
            accounts = self._listed(path, described, "accounts.list", read_account, {}, cache)
        except Failure as failure:
            if failure.kind not in (AUTHENTICATION, PERMISSION, NOT_FOUND):
                raise
            raise failure.with_note(_WITHOUT_ACCOUNTS) from None
        return [account for account in accounts if not params["account_ids"] or account["id"] in params["account_ids"]]

    def _listed(
        self,
        path: str,
        described: Connection,
        operation: str,
        read: t.Callable[[object], Listed],
        filters: t.Mapping[str, str],
        cache: bool,
    ) -> list[Listed]:
        """Return zones or accounts from the cache or the service, each as `read` returns it."""
        if not self.get_option("cache"):
            return _fetched(described, operation, read, filters)
        # Each query has its own key; credentials are not part of it.
        meant = json.dumps([described.base_url, operation, filters], sort_keys=True).encode()
        key = f"{self.get_cache_key(path)}_{hashlib.sha256(meant).hexdigest()[:16]}"
        if cache:
            try:
                cached = self._cache[key]
                if not isinstance(cached, list):
                    raise TypeError
                return list(map(read, cached))
            except KeyError:
                pass  # not cached, or expired
            except (AnsibleError, Failure, TypeError):
                self.display.warning(f"{self.NAME}: the cache cannot be used; the service is read again")
        self._cache[key] = items = _fetched(described, operation, read, filters)
        return items

    def _named(self, zones: t.Iterable[ListedZone]) -> t.Iterator[tuple[str, ListedZone]]:
        by_id = {zone["id"]: zone for zone in zones}
        for zone_id, host in hosts((zone_id, zone["name"]) for zone_id, zone in by_id.items()):
            name = by_id[zone_id]["name"]
            safe = host_name(name, zone_id)
            if safe != name:
                self.display.warning(f"{self.NAME}: no host can be named {name!r}; that zone is the host {safe!r}")
            if host != safe:
                self.display.warning(f"{self.NAME}: several zones are named {name!r}; one of them is the host {host!r}")
            yield host, by_id[zone_id]

    def _add(self, name: str, group: str, members: t.Mapping[str, t.Any]) -> None:
        """Add a host with its variables and groups, whatever groups are called."""
        inventory = self.inventory
        inventory.add_host(name, group=group)
        self.inventory = _HostFirst(inventory, name)
        try:
            own = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
            for member, value in {**{member: untrusted(value) for member, value in members.items()}, **own}.items():
                self.inventory.set_variable(name, member, value)
            strict = self.get_option("strict")
            variables = inventory.get_host(name).get_vars()
            self._set_composite_vars(self.get_option("compose"), variables, name, strict)
            self._add_host_to_composed_groups(self.get_option("groups"), variables, name, strict)
            self._add_host_to_keyed_groups(self.get_option("keyed_groups"), variables, name, strict)
        finally:
            self.inventory = inventory


class _HostFirst:
    """The inventory while a host is added: a name that the host shares with a group, which keyed groups can have, means the host."""

    def __init__(self, inventory: t.Any, host: str) -> None:
        self._inventory = inventory
        self._host = host

    def __getattr__(self, name: str) -> t.Any:
        return getattr(self._inventory, name)

    def set_variable(self, entity: str, varname: str, value: t.Any) -> None:
        self._inventory.get_host(entity).set_variable(varname, value)

    def add_child(self, group: str, child: str) -> None:
        if child == self._host:
            self._inventory.add_host(child, group=group)
        else:
            self._inventory.add_child(group, child)


def _fetched(
    described: Connection, operation: str, read: t.Callable[[object], Listed], filters: t.Mapping[str, str]
) -> list[Listed]:
    display = Display()
    client = Client(described, announce=display.warning)
    try:
        listed = client.items(operation, query=filters, per_page=PER_PAGE, parallel=PAGES_SIDE_BY_SIDE)
        return list(map(read, listed))
    finally:
        for warning in client.warnings:
            display.warning(f"{InventoryModule.NAME}: {warning}")
        client.close()
