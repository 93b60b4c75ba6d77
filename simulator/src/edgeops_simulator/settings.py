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
    """Settings for behaviour that the documentation of the API leaves open; the command describes its options with these texts."""

    rules_in_list: t.Annotated[bool, "the list of rulesets carries `rules`"] = False
    latency_ms: t.Annotated[float, "pause before each answer, in milliseconds; other requests go on"] = 0
    entrypoint_route: t.Annotated[bool, "the route of the entry point of a phase exists"] = True
    get_ruleset_route: t.Annotated[bool, "the route of one ruleset exists"] = True
    script_monitor_routes: t.Annotated[bool, "the routes `script_monitor` exist"] = True
    page_shield_routes: t.Annotated[bool, "the routes `page_shield` exist"] = True
    max_policies: t.Annotated[int, "content security rules of a zone; 0: the plan has none"] = 5
    policy_enabled_as_text: t.Annotated[bool, "content security rules show `enabled` as text"] = False
    policy_entry_point: t.Annotated[
        bool, "the entry point of the phase http_response_page_shield shows content security rules, too"
    ] = False
    unknown_routes: t.Annotated[list[str], "patterns of paths that do not exist, such as */script_monitor* or */fields"] = (
        dataclasses.field(default_factory=list)
    )
    unknown_route_status: t.Annotated[int, "the status of these paths: 404 (code 7003) or 405 (code 7001)"] = 404
    job_list: t.Annotated[str, "how the list of jobs is answered"] = "ok"
    job_get: t.Annotated[str, "how one job is answered; array: a list of one"] = "ok"
    job_delete: t.Annotated[str, "what DELETE of a job answers"] = "id"
    echo_filter: t.Annotated[str, "how a job shows its filter"] = "verbatim"
    echo_options: t.Annotated[str, "how a job shows `logpull_options`"] = "verbatim"
    echo_zero: t.Annotated[str, "how a job shows members that are not set"] = "omit"
    echo_destination: t.Annotated[str, "how a job shows its destination; masked: values of secret options as asterisks"] = (
        "verbatim"
    )
    echo_preserve_duplicates: t.Annotated[bool, "custom fields show `preserve_duplicates: false` where it was omitted"] = False
    field_limit: t.Annotated[int, "maximum number of custom fields in total; 0: no limit"] = 40
    field_limit_per_kind: t.Annotated[int, "maximum number of custom fields of one type; 0: no limit"] = 0
    max_jobs: t.Annotated[int, "jobs of a zone or an account; 0: no limit"] = 0
    unavailable_datasets: t.Annotated[list[str], "patterns of datasets that the plan does not have"] = dataclasses.field(
        default_factory=list
    )
    more_job_members: t.Annotated[list[str], "further members that jobs have, as those of a service that is newer"] = (
        dataclasses.field(default_factory=list)
    )
    max_per_page: t.Annotated[int, "maximum size of a page of scripts"] = 100
    default_per_page: t.Annotated[int, "size of a page of scripts where none is given"] = 20
    result_info: t.Annotated[bool, "listings in pages have `result_info`"] = True
    strict_ownership: t.Annotated[bool, "a new job needs a proof of ownership where Cloudflare asks for one"] = False
    unwritable_destinations: t.Annotated[list[str], "patterns of destinations that cannot be written to"] = dataclasses.field(
        default_factory=list
    )
    unwritable_webhooks: t.Annotated[list[str], "patterns of addresses of webhooks whose test message is refused"] = (
        dataclasses.field(default_factory=list)
    )
    notification_put_keeps: t.Annotated[bool, "a PUT of a notification policy keeps members that it omits"] = False
    preview_list: t.Annotated[bool, "the preview of a transformer answers a list of all records"] = False
    refuse_foreign_actions: t.Annotated[list[str], "actions of rules that are refused"] = dataclasses.field(default_factory=list)
    check_fields: t.Annotated[bool, "field names that the dataset does not have are refused"] = True
    removed_fields: t.Annotated[list[str], "fields that their dataset no longer has, as http_requests.ClientIP; jobs go on"] = (
        dataclasses.field(default_factory=list)
    )
    check_filter_keys: t.Annotated[bool, "keys of filters that the dataset does not have are refused"] = False
    unauthenticated_status: t.Annotated[int, "the status of a request without credentials"] = 401
    credential_status: t.Annotated[str, "what the verification of the token shows; every other route accepts it all the same"] = (
        "active"
    )
    credential_of_account: t.Annotated[bool, "only the account's route knows the token"] = False
    credential_expires_on: t.Annotated[str, "when the token expires, as its verification shows it"] = ""
    rate_limit: t.Annotated[int, "so many requests in a window, then 429 with Retry-After; 0: no limit"] = 0
    rate_window: t.Annotated[float, "the window of the rate limit, in seconds"] = 300
    rate_headers: t.Annotated[bool, "x-ratelimit-* on every answer, without a limit too"] = False
    graphql_disabled: t.Annotated[
        list[str], "patterns of what the plan does not have: zones/*, accounts/ID/*, */logpushUsageAdaptiveGroups"
    ] = dataclasses.field(default_factory=list)
    graphql_hidden_fields: t.Annotated[list[str], "fields that the plan does not have, such as sum_bytes or dimensions_error"] = (
        dataclasses.field(default_factory=list)
    )
    graphql_zone_window: t.Annotated[
        int, "longest time of a query of a zone, in seconds; an hour more is how far back it reaches"
    ] = 604800
    graphql_account_window: t.Annotated[int, "longest time of a query of an account, in seconds"] = 2592000
    graphql_usage_window: t.Annotated[int, "longest time of a query of the usage, in seconds"] = 7776000
    graphql_report_window: t.Annotated[int, "longest time of a query of reports about content security rules, in seconds"] = (
        2592000
    )
    graphql_page_size: t.Annotated[int, "maximum number of rows of a query"] = 10000
    graphql_max_fields: t.Annotated[int, "maximum number of fields of a query"] = 30
    graphql_account_has_zones: t.Annotated[bool, "the health of an account includes the jobs of its zones"] = False
    graphql_error_status: t.Annotated[bool, "errors have the HTTP status that is documented for them, instead of 200"] = False
    graphql_rate_limit: t.Annotated[int, "so many queries in a window; they do not count for --rate-limit; 0: no limit"] = 0
    graphql_rate_window: t.Annotated[float, "the window of --graphql-rate-limit, in seconds"] = 300
    site_changes: t.Annotated[
        list[str], "changes of the pages below /__site__/ZONE/: header, skimmer, frame, form, for one zone as ZONE:skimmer"
    ] = dataclasses.field(default_factory=list)

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
