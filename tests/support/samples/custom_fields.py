# SPDX-License-Identifier: GPL-3.0-or-later

"""Options of custom log fields, and rulesets as the service sends them."""

import copy
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._core import Plan

KINDS = ("request_fields", "transformed_request_fields", "response_fields", "raw_response_fields", "cookie_fields")
FLAGS = "preserve_duplicates"
# The custom fields of a zone without any.
NONE: dict[str, list[str]] = {kind: [] for kind in (*KINDS, FLAGS)}
FOREIGN = {
    "id": "f1",
    "ref": "their-ref",
    "version": "3",
    "last_updated": "2026-01-01T00:00:00Z",
    "action": "set_config",
    "action_parameters": {"bic": True},
    "expression": 'http.host eq "a"',
    "description": "theirs",
    "enabled": False,
    "logging": {"enabled": True},
}


def params(**options: t.Any) -> dict[str, t.Any]:
    """Return options as validation returns them."""
    return {
        "state": "present",
        **dict.fromkeys((*KINDS, FLAGS, "description", "field_limit")),
        "purge": True,
        "ruleset_name": "Zone-level phase entry point",
        "ruleset_description": "Custom log fields of this zone",
        "base_url": "http://127.0.0.1:8787",
        **options,
    }


def items(*names: str) -> list[dict[str, t.Any]]:
    """Return the items of the API for these names; a trailing '+' sets the flag of an item."""
    return [{"name": name.rstrip("+"), **({FLAGS: True} if name.endswith("+") else {})} for name in names]


def own(identifier: str = "r1", members: t.Mapping[str, t.Any] | None = None, **kinds: t.Sequence[str]) -> dict[str, t.Any]:
    """Return a rule that the collection manages."""
    return {
        "id": identifier,
        "ref": f"ref-{identifier}",
        "version": "1",
        "last_updated": "2026-01-01T00:00:00Z",
        "action": "log_custom_field",
        "expression": "true",
        "description": "Custom log fields",
        "enabled": True,
        "action_parameters": {kind: items(*names) for kind, names in kinds.items()},
        **(members or {}),
    }


def row(**members: t.Any) -> dict[str, t.Any]:
    """Return the ruleset of a result; omitted members are null."""
    return {**dict.fromkeys(("id", "version", "rule_id", "ref", "last_updated")), **members}


def ruleset(*rules: t.Mapping[str, t.Any], version: str | None = "5") -> dict[str, t.Any]:
    return {"id": "rs", "kind": "zone", "version": version, "last_updated": "2026-01-02T00:00:00Z", "rules": list(rules)}


def answer_to(planned: Plan, version: str | None = "6") -> dict[str, t.Any]:
    """Return the answer to the PUT of a plan, if the service stores all of it."""
    body: t.Any = copy.deepcopy(planned.requests[-1].body)
    seen = {"version": "2", "last_updated": "2026-01-03T00:00:00Z"}
    return {
        "id": "rs",
        **seen,
        "version": version,
        "rules": [{"id": "made", "ref": "made", **rule, **seen} for rule in body["rules"]],
    }
