# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t
from urllib.parse import quote

from .._address import ACCOUNT, ZONE, Address
from .._core import invalid_option


class Endpoint(t.NamedTuple):
    """One operation: method and path, its name in messages, the JSON types that `result` may have, and the scopes it exists for.

    The path is relative to that of the zone or account; without scopes, to the base URL. `reads`: a POST that changes nothing.
    `once`: a PUT that makes something each time it is applied, and is therefore repeated no more than a POST.
    """

    method: str
    path: str
    description: str
    result: tuple[type, ...] = (dict,)
    scopes: tuple[str, ...] = (ZONE,)
    reads: bool = False
    once: bool = False

    @property
    def retried_as(self) -> str:
        """Return the method whose rules for repeating a request apply."""
        return "GET" if self.reads else "POST" if self.once else self.method

    def url_path(self, ids: t.Mapping[str, str | int], address: Address | None = None) -> str:
        """Return the path below the base URL with its ids filled in, each quoted as one segment."""
        for name, value in ids.items():
            if str(value) in ("", ".", ".."):
                # As a segment these would change the path.
                raise invalid_option(name, f"{value!r} is not an id")
        path = self.path.format_map({name: quote(str(value), safe="") for name, value in ids.items()})
        if not self.scopes:
            return path
        if address is None or not address.id or address.scope not in self.scopes:
            raise ValueError(f"{self.method} {self.path} does not exist for {address}")
        return f"/{address.scope}s/{address.id}{path}"


def _logpush(method: str, path: str, description: str, result: tuple[type, ...] = (dict,)) -> Endpoint:
    """Return a Logpush operation, which exists for zones and accounts."""
    return Endpoint(method, path, description, result, (ZONE, ACCOUNT))


def _account(method: str, path: str, description: str, result: tuple[type, ...] = (dict,), reads: bool = False) -> Endpoint:
    """Return an operation that exists for accounts alone."""
    return Endpoint(method, path, description, result, (ACCOUNT,), reads)


# Every path that the collection uses. A DELETE may return any body or none, so its result has no type.
ENDPOINTS: t.Mapping[str, Endpoint] = {
    "zones.list": Endpoint("GET", "/zones", "Listing the zones", (list,), ()),
    "accounts.list": Endpoint("GET", "/accounts", "Listing the accounts", (list,), ()),
    # This POST reads, and so does the preview below.
    "graphql.query": Endpoint("POST", "/graphql", "Querying analytics", (dict,), (), reads=True),
    "tokens.verify": Endpoint("GET", "/user/tokens/verify", "Verifying the token", (dict,), ()),
    "account_tokens.verify": _account("GET", "/tokens/verify", "Verifying the token of the account"),
    "zones.get": Endpoint("GET", "", "Reading the zone"),
    "accounts.get": Endpoint("GET", "", "Reading the account", (dict,), (ACCOUNT,)),
    "script_monitor.get": Endpoint("GET", "/script_monitor", "Reading the status of the script monitor"),
    "script_monitor.update": Endpoint("PUT", "/script_monitor", "Changing the status of the script monitor"),
    "script_monitor.scripts": Endpoint("GET", "/script_monitor/scripts", "Listing the monitored scripts", (list,)),
    "script_monitor.script": Endpoint("GET", "/script_monitor/scripts/{script_id}", "Reading a monitored script"),
    "page_shield.get": Endpoint("GET", "/page_shield", "Reading the status of the script monitor"),
    "page_shield.update": Endpoint("PUT", "/page_shield", "Changing the status of the script monitor"),
    "page_shield.scripts": Endpoint("GET", "/page_shield/scripts", "Listing the monitored scripts", (list,)),
    "page_shield.script": Endpoint("GET", "/page_shield/scripts/{script_id}", "Reading a monitored script"),
    "page_shield.connections": Endpoint("GET", "/page_shield/connections", "Listing the monitored connections", (list,)),
    "page_shield.cookies": Endpoint("GET", "/page_shield/cookies", "Listing the monitored cookies", (list,)),
    "content_security_rules.list": Endpoint("GET", "/page_shield/policies", "Listing the content security rules", (list,)),
    "content_security_rules.create": Endpoint("POST", "/page_shield/policies", "Creating the content security rule"),
    "content_security_rules.update": Endpoint("PUT", "/page_shield/policies/{rule_id}", "Changing the content security rule"),
    "content_security_rules.delete": Endpoint(
        "DELETE", "/page_shield/policies/{rule_id}", "Deleting the content security rule", ()
    ),
    "rulesets.list": Endpoint("GET", "/rulesets", "Listing the rulesets", (list,)),
    "rulesets.create": Endpoint("POST", "/rulesets", "Creating the ruleset for custom log fields"),
    "rulesets.get": Endpoint("GET", "/rulesets/{ruleset_id}", "Reading a ruleset"),
    "rulesets.update": Endpoint("PUT", "/rulesets/{ruleset_id}", "Changing the ruleset for custom log fields"),
    "rulesets.entrypoint": Endpoint("GET", "/rulesets/phases/{phase}/entrypoint", "Reading the ruleset for custom log fields"),
    "logpush_jobs.list": _logpush("GET", "/logpush/jobs", "Listing the Logpush jobs", (list,)),
    "logpush_jobs.create": _logpush("POST", "/logpush/jobs", "Creating the Logpush job"),
    # An official example shows one job as a list of one item.
    "logpush_jobs.get": _logpush("GET", "/logpush/jobs/{job_id}", "Reading the Logpush job", (dict, list)),
    "logpush_jobs.update": _logpush("PUT", "/logpush/jobs/{job_id}", "Changing the Logpush job"),
    "logpush_jobs.delete": _logpush("DELETE", "/logpush/jobs/{job_id}", "Deleting the Logpush job", ()),
    "logpush_datasets.fields": _logpush("GET", "/logpush/datasets/{dataset}/fields", "Listing the fields of the dataset"),
    "transformers.list": _account("GET", "/logpush/transformers", "Listing the transformers", (list,)),
    "transformers.create": _account("POST", "/logpush/transformers", "Creating the transformer"),
    "transformers.update": _account("PUT", "/logpush/transformers/{transformer_id}", "Changing the transformer"),
    # With a query; each one makes a version.
    "transformers.replace": Endpoint(
        "PUT", "/logpush/transformers/{transformer_id}", "Changing the query of the transformer", scopes=(ACCOUNT,), once=True
    ),
    "transformers.delete": _account("DELETE", "/logpush/transformers/{transformer_id}", "Deleting the transformer", ()),
    "transformers.content": _account(
        "GET", "/logpush/transformers/{transformer_id}/content", "Reading the query of the transformer"
    ),
    "transformers.versions": _account(
        "GET", "/logpush/transformers/{transformer_id}/versions", "Listing the versions of the transformer", (list,)
    ),
    # The result is null for a record that is filtered out, or a list of the delivered records.
    "transformers.preview": _account(
        "POST", "/logpush/transformers/preview", "Previewing the transformer", (dict, list, type(None)), reads=True
    ),
    "boundary.get": _account("GET", "/logs/control/cmb/config", "Reading the Customer Metadata Boundary"),
    "notifications.list": _account("GET", "/alerting/v3/policies", "Listing the notification policies", (list,)),
    "notifications.get": _account("GET", "/alerting/v3/policies/{policy_id}", "Reading the notification policy"),
    "notifications.create": _account("POST", "/alerting/v3/policies", "Creating the notification policy"),
    "notifications.update": _account("PUT", "/alerting/v3/policies/{policy_id}", "Changing the notification policy"),
    "notifications.delete": _account("DELETE", "/alerting/v3/policies/{policy_id}", "Deleting the notification policy", ()),
    "notifications.alerts": _account("GET", "/alerting/v3/available_alerts", "Listing the available alerts"),
    "notifications.silences": _account("GET", "/alerting/v3/silences", "Listing the silences of notification policies", (list,)),
    "notifications.history": _account("GET", "/alerting/v3/history", "Listing the notifications that were sent", (list,)),
    "notifications.webhooks": _account("GET", "/alerting/v3/destinations/webhooks", "Listing the webhooks", (list,)),
    "notifications.get_webhook": _account("GET", "/alerting/v3/destinations/webhooks/{webhook_id}", "Reading the webhook"),
    "notifications.create_webhook": _account("POST", "/alerting/v3/destinations/webhooks", "Creating the webhook"),
    "notifications.update_webhook": _account("PUT", "/alerting/v3/destinations/webhooks/{webhook_id}", "Changing the webhook"),
    "notifications.delete_webhook": _account(
        "DELETE", "/alerting/v3/destinations/webhooks/{webhook_id}", "Deleting the webhook", ()
    ),
    "logpush_ownership.create": _logpush("POST", "/logpush/ownership", "Requesting an ownership challenge"),
    "logpush_ownership.validate": _logpush("POST", "/logpush/ownership/validate", "Validating the ownership challenge"),
}
