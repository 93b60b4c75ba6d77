# SPDX-License-Identifier: GPL-3.0-or-later

"""What tasks may ask for, how a service may behave, and what others do to a zone meanwhile."""

from __future__ import annotations

import json
import typing as t

from hypothesis import strategies as st
from properties.fields_model import KINDS

HEADERS = st.sampled_from(["a", "b", "x-c", " A ", "X-C", "set-cookie"])
COOKIES = st.sampled_from(["a", "A", "Session", "session"])
LISTS = {kind: st.lists(COOKIES if kind == "cookie_fields" else HEADERS, max_size=3) for kind in KINDS}


SOMETHING = st.lists(HEADERS, min_size=1, max_size=3)


def some(**members: t.Any) -> t.Any:
    """Any choice of the members."""
    return st.fixed_dictionaries({}, optional=members)


def _and_something(options: st.SearchStrategy[dict[str, t.Any]]) -> t.Any:
    """The same options with a list that is not empty, so that most of them can be applied."""
    return st.tuples(options, SOMETHING).map(lambda both: {"request_fields": both[1], **both[0]})


_FLAGGED = {"preserve_duplicates": st.lists(HEADERS, max_size=1)}
_LESS_OFTEN = some(**LISTS, **_FLAGGED, description=st.sampled_from(["", "mine"]), field_limit=st.sampled_from([0, 3, 40]))
FIELD_OPTIONS = (
    _LESS_OFTEN
    | _and_something(some(**LISTS, description=st.sampled_from(["", "mine"])))
    | _and_something(some(cookie_fields=LISTS["cookie_fields"], response_fields=LISTS["response_fields"], **_FLAGGED))
)
ADDITIONS = (_and_something(some(**LISTS)) | some(**LISTS, **_FLAGGED)).map(lambda options: {**options, "purge": False})
REMOVALS = some(**LISTS).map(lambda options: {**options, "state": "absent"})

_ONE = {"key": "ClientIP", "operator": "eq", "value": "192.0.2.1"}
_TWO = {"key": "EdgeResponseStatus", "operator": "geq", "value": "400"}
FILTERS = st.sampled_from(
    [
        "",
        _ONE,
        {"where": _ONE},
        {"and": [_ONE]},
        json.dumps({"where": {"or": [_ONE]}}),
        {"and": [_ONE, _TWO]},
        {"where": {"and": [_TWO, _ONE, _TWO]}},
        {"or": [_TWO, {"and": [_ONE, _TWO]}]},
    ]
)
_PLACE = "s3://edge-logs/{}?region={}&access-key-id=AK1&secret-access-key={}"
DESTINATIONS = st.sampled_from(
    [
        _PLACE.format(*parts)
        for parts in (("a", "eu", "planted-1"), ("a", "eu", "planted-2"), ("b", "eu", "planted-1"), ("a", "us", "planted-1"))
    ]
)
# Fields that both datasets have.
LOG_FIELDS = st.lists(st.sampled_from(["ClientIP", "RayID", "EdgeColoCode", "EdgeResponseStatus"]), max_size=3)
FLAG = "CVE-2021-44228"
TEXT_OPTIONS = st.sampled_from(
    ["fields=ClientIP,RayID&timestamps=rfc3339", "timestamps=rfc3339&fields=RayID%2CClientIP", f"{FLAG}=true", "fields="]
)
_COMMON = {
    "destination_conf": DESTINATIONS,
    "filter": FILTERS,
    "enabled": st.booleans(),
    "frequency": st.sampled_from(["high", "low"]),
    "max_upload_records": st.sampled_from([0, 1000, 100_000]),
    "max_upload_interval_seconds": st.sampled_from([0, 30, 60]),
}
_PARTS = {
    "fields": LOG_FIELDS,
    "timestamp_format": st.sampled_from(["rfc3339", "unixnano"]),
    "option_flags": st.sampled_from([{FLAG: True}, {FLAG: False}, {}]),
}
JOB_NAMES = st.sampled_from(["edge-logs", "other"])
_NEWER = some(
    field_names=LOG_FIELDS,
    sample_rate=st.sampled_from([0.5, 1]),
    timestamp_format=st.sampled_from(["rfc3339", "unixnano"]),
    cve_2021_44228=st.booleans(),
)
JOB_OPTIONS = (
    some(**_COMMON, **_PARTS)
    | some(**_COMMON, logpull_options=TEXT_OPTIONS)
    | some(**_COMMON, **_PARTS)
    | some(**_COMMON, output_options=_NEWER)
)
NEW_JOBS = st.tuples(JOB_OPTIONS, DESTINATIONS).map(lambda both: {**both[0], "destination_conf": both[1]})
DATASETS = st.sampled_from(["http_requests", "http_requests", "firewall_events"])

HABITS = some(
    rules_in_list=st.booleans(),
    echo_filter=st.sampled_from(["verbatim", "reserialised"]),
    echo_options=st.sampled_from(["verbatim", "reordered", "encoded"]),
    echo_zero=st.sampled_from(["omit", "null", "keep"]),
    echo_destination=st.sampled_from(["verbatim", "masked"]),
    echo_preserve_duplicates=st.booleans(),
    job_get=st.sampled_from(["ok", "array", "404"]),
    job_delete=st.sampled_from(["id", "empty", "null", "204"]),
    routes=st.sampled_from(["all", "no-entry-point", "list-only"]),
)


def settings_of(habits: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Settings of the simulator; the routes go together, since rules have to be seen by one of them."""
    changed = dict(habits)
    routes = changed.pop("routes", None)
    if routes is not None:
        changed.update(entrypoint_route=routes == "all", get_ruleset_route=routes != "list-only")
    if routes == "list-only":
        changed["rules_in_list"] = True
    elif routes is None:
        changed.pop("rules_in_list", None)
    return changed


def a_rule(number: int, action: str, lists: t.Mapping[str, t.Sequence[str]], enabled: bool) -> dict[str, t.Any]:
    """A rule as another editor would write it."""
    if action != "log_custom_field":
        return {
            "action": action,
            "expression": f"(ip.src eq 192.0.2.{number})",
            "action_parameters": {"bic": enabled},
            "ref": f"theirs-{number}",
        }
    items = {
        kind: [{"name": name} for name in dict.fromkeys(_stored(kind, name) for name in names)] for kind, names in lists.items()
    }
    parameters = {kind: listed for kind, listed in items.items() if listed} or {"cookie_fields": [{"name": "theirs"}]}
    for item in parameters.get("response_fields", ()):
        item["preserve_duplicates"] = enabled
    return {"action": action, "expression": "true", "enabled": enabled, "description": "theirs", "action_parameters": parameters}


def _stored(kind: str, name: str) -> str:
    return name if kind == "cookie_fields" else name.strip().lower()
