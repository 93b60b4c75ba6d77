# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
import typing as t

CHOICES: t.Mapping[str, tuple[t.Any, ...]] = {
    "job_list": ("ok", "404", "405"),
    "job_get": ("ok", "array", "404"),
    "job_delete": ("id", "empty", "null", "204"),
    "echo_filter": ("verbatim", "absent", "reserialised"),
    "echo_options": ("verbatim", "reordered", "encoded"),
    "echo_zero": ("omit", "null", "keep"),
    "echo_destination": ("verbatim", "masked"),
    "unknown_route_status": (404, 405),
    "unauthenticated_status": (401, 400),
    "credential_status": ("active", "disabled", "expired"),
}


@dataclasses.dataclass
class Settings:
    """Settings for behaviour that the documentation of the API leaves open; each can be changed at run time."""

    rules_in_list: bool = False
    latency_ms: float = 0
    entrypoint_route: bool = True
    get_ruleset_route: bool = True
    script_monitor_routes: bool = True
    page_shield_routes: bool = True
    max_policies: int = 5
    policy_enabled_as_text: bool = False
    policy_entry_point: bool = False
    unknown_routes: list[str] = dataclasses.field(default_factory=list)
    unknown_route_status: int = 404
    job_list: str = "ok"
    job_get: str = "ok"
    job_delete: str = "id"
    echo_filter: str = "verbatim"
    echo_options: str = "verbatim"
    echo_zero: str = "omit"
    echo_destination: str = "verbatim"
    echo_preserve_duplicates: bool = False
    field_limit: int = 40
    field_limit_per_kind: int = 0
    max_jobs: int = 0
    unavailable_datasets: list[str] = dataclasses.field(default_factory=list)
    more_job_members: list[str] = dataclasses.field(default_factory=list)
    max_per_page: int = 100
    default_per_page: int = 20
    result_info: bool = True
    strict_ownership: bool = False
    unwritable_destinations: list[str] = dataclasses.field(default_factory=list)
    unwritable_webhooks: list[str] = dataclasses.field(default_factory=list)
    refuse_foreign_actions: list[str] = dataclasses.field(default_factory=list)
    check_fields: bool = True
    check_filter_keys: bool = False
    unauthenticated_status: int = 401
    credential_status: str = "active"
    credential_of_account: bool = False
    credential_expires_on: str = ""
    rate_limit: int = 0
    rate_window: float = 300
    rate_headers: bool = False
    graphql_disabled: list[str] = dataclasses.field(default_factory=list)
    graphql_hidden_fields: list[str] = dataclasses.field(default_factory=list)
    graphql_zone_window: int = 604800
    graphql_account_window: int = 2592000
    graphql_usage_window: int = 7776000
    graphql_report_window: int = 2592000
    graphql_page_size: int = 10000
    graphql_max_fields: int = 30
    graphql_account_has_zones: bool = False
    graphql_error_status: bool = False
    graphql_rate_limit: int = 0
    graphql_rate_window: float = 300

    def change(self, changes: t.Mapping[str, t.Any]) -> None:
        """Change settings; an unknown name or choice or a wrong type raises ValueError and changes nothing."""
        for name, value in changes.items():
            _check(name, value)
        for name, value in changes.items():
            setattr(self, name, value)

    def document(self) -> dict[str, t.Any]:
        return dataclasses.asdict(self)


_DEFAULTS = dataclasses.asdict(Settings())


def _check(name: str, value: t.Any) -> None:
    if name not in _DEFAULTS:
        raise ValueError(f"unknown setting: {name}")
    default = _DEFAULTS[name]
    fits = isinstance(value, (int, float)) if isinstance(default, float) else isinstance(value, type(default))
    if name == "latency_ms":
        fits = isinstance(value, (int, float))
    if not fits or (isinstance(value, bool) and not isinstance(default, bool)):
        raise ValueError(f"setting {name}: {value!r} is not of type {type(default).__name__}")
    if name in CHOICES and value not in CHOICES[name]:
        raise ValueError(f"setting {name}: {value!r} is none of {', '.join(map(str, CHOICES[name]))}")
