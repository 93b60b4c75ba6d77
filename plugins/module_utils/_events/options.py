# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import logging
import typing as t

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from .._address import ACCOUNT, FILTER_OPTIONS, need_id, parse_filters, unknown_statuses
from .._api.connection import CONNECTION_OPTIONS, Connection, parse_connection
from .._baseline.entries import Baseline, parse_baseline
from .._core import INVALID_OPTION, Failure, invalid_option
from .._engine.masking import secrets_of
from .._engine.task import ArgumentSpec
from .._logpush.facts import DEFAULT_STALE_AFTER
from .._redact import scrub
from .._scripts.facts import DEFAULT_STATUSES, MALICIOUS_OPTIONS, ROUTE_OPTION
from .._scripts.listing import ScriptQuery
from .._text import list_of
from .compare import Rules
from .facts import JOBS, WATCHED, Target, with_hosts

LOGGER = logging.getLogger("edgeops.observability.zone_events")
MIN_INTERVAL = 60
OPTIONS: ArgumentSpec = {
    **CONNECTION_OPTIONS,
    # A quarter of what Cloudflare allows, which leaves the rest for deliveries.
    "request_budget": {"type": "str", "default": "300/300"},
    "zones": {"type": "list", "elements": "str"},
    "discover": {
        "type": "dict",
        "options": {
            **FILTER_OPTIONS,
            "accounts": {"type": "bool", "default": False},
        },
    },
    "accounts": {"type": "list", "elements": "str", "default": []},
    "watch": {"type": "list", "elements": "str", "choices": list(WATCHED), "default": list(WATCHED)},
    "interval": {"type": "int", "default": 300},
    "state_file": {"type": "path", "required": True},
    "first_run": {"type": "str", "choices": ["silent", "emit"], "default": "silent"},
    **ROUTE_OPTION,
    **MALICIOUS_OPTIONS,
    "stale_after": {"type": "int", "default": DEFAULT_STALE_AFTER},
    "script_baseline": {"type": "list", "elements": "dict"},
}


class Settings(t.NamedTuple):
    """The validated arguments of the source; `targets` are the zones and accounts that are not discovered."""

    connection: Connection
    targets: tuple[Target, ...]
    discover: t.Mapping[str, t.Any] | None
    watch: frozenset[str]
    interval: int
    state_file: str
    query: ScriptQuery
    stale_after: int
    rules: Rules


def settings(arguments: t.Mapping[str, t.Any]) -> Settings:
    """Return the validated arguments of a rulebook; raise `invalid_option` for invalid ones."""
    # ansible-rulebook adds the queue if a rulebook requests feedback. Empty text means omitted, as in a task.
    values = {name: value for name, value in arguments.items() if name != "eda_feedback_queue" and value not in (None, "")}
    for option in ("zones", "accounts"):
        for index, item in enumerate(list_of(values.get(option))):
            if not isinstance(item, str):  # the validator would make text of it, and YAML has made 493 of 0755
                raise invalid_option(f"{option}[{index}]", "must be text; put the id in quotes")
    discover = values.get("discover")
    if discover is not None and not isinstance(discover, (dict, str)):
        raise invalid_option("discover", "must be a dictionary, such as {} for all zones")
    outcome = ArgumentSpecValidator(OPTIONS, mutually_exclusive=[("zones", "discover")]).validate(values)
    if outcome.errors.errors:
        raise Failure(INVALID_OPTION, scrub(str(outcome.errors.msg), set(secrets_of(OPTIONS, values))))
    params = outcome.validated_parameters
    if params["interval"] < MIN_INTERVAL:
        raise invalid_option("interval", f"{params['interval']} is below {MIN_INTERVAL} seconds")
    if params["stale_after"] < 1:
        raise invalid_option("stale_after", f"{params['stale_after']} is not a number of seconds above 0")
    if not params["watch"]:
        raise invalid_option("watch", f"the list is empty; omit the option to watch {', '.join(WATCHED)}")
    return Settings(
        connection=parse_connection(params),
        targets=_targets(params),
        discover=params["discover"] and _filters(params["discover"]),
        watch=frozenset(params["watch"]),
        interval=params["interval"],
        state_file=params["state_file"],
        query=ScriptQuery(
            route=params["route"],
            statuses=DEFAULT_STATUSES,  # those of the scripts that are on the pages of a zone now
            threshold=params["malicious_threshold"],
            malicious_when=params["malicious_when"],
        ),
        stale_after=params["stale_after"],
        rules=Rules(
            silent=params["first_run"] == "silent",
            baseline=Baseline(parse_baseline(params["script_baseline"] or [], "script_baseline")),
        ),
    )


def _filters(discover: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    filters = parse_filters(discover, "discover.")
    for warning in unknown_statuses(filters):
        LOGGER.warning("discover.%s", warning)
    return filters


def _targets(params: t.Mapping[str, t.Any]) -> tuple[Target, ...]:
    """Return the zones and accounts whose ids are listed in the options."""
    for option in ("zones", "accounts"):
        for index, number in enumerate(params[option] or ()):
            need_id(f"{option}[{index}]", number)
    if params["discover"] is None and not params["zones"] and not params["accounts"]:
        raise invalid_option("zones", "no zone is given; list the ids of zones or accounts, or use discover")
    has_accounts = {"accounts": params["accounts"], "discover.accounts": (params["discover"] or {}).get("accounts")}
    for option, value in has_accounts.items():
        if value and JOBS not in params["watch"]:
            raise invalid_option(option, f"of an account only {JOBS} are watched, and watch does not name them")
    zones = [Target(zone.lower()) for zone in params["zones"] or ()]
    return with_hosts([*zones, *(Target(account.lower(), scope=ACCOUNT) for account in params["accounts"])])
