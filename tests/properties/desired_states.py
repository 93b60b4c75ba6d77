# SPDX-License-Identifier: GPL-3.0-or-later

"""Random options of tasks, behaviours of the service, and edits by others."""

import json
import typing as t

from hypothesis import strategies as st
from properties.fields_model import ACTION, KINDS, normal
from properties.jobs_model import FLAG

HEADERS = st.sampled_from(["a", "b", "x-c", " A ", "X-C", "set-cookie"])
COOKIES = st.sampled_from(["a", "A", "Session", "session"])
LISTS = {kind: st.lists(COOKIES if kind == "cookie_fields" else HEADERS, max_size=3) for kind in KINDS}


def some(**members: t.Any) -> t.Any:
    """Return any subset of the members."""
    return st.fixed_dictionaries({}, optional=members)


def _and_something(options: st.SearchStrategy[dict[str, t.Any]]) -> t.Any:
    """Add a list that is not empty to the options, so that most of them are valid."""
    something = st.lists(HEADERS, min_size=1, max_size=3)
    return st.tuples(options, something).map(lambda both: {"request_fields": both[1], **both[0]})


_FLAGGED = {"preserve_duplicates": st.lists(HEADERS, max_size=1)}
_DESCRIBED = {"description": st.sampled_from(["", "mine"])}
FIELD_OPTIONS = (
    some(**LISTS, **_FLAGGED, **_DESCRIBED, field_limit=st.sampled_from([0, 3, 40]))
    | _and_something(some(**LISTS, **_DESCRIBED))
    | _and_something(some(cookie_fields=LISTS["cookie_fields"], response_fields=LISTS["response_fields"], **_FLAGGED))
)
ADDITIONS = (_and_something(some(**LISTS)) | some(**LISTS, **_FLAGGED)).map(lambda options: {**options, "purge": False})
REMOVALS = some(**LISTS).map(lambda options: {**options, "state": "absent"})

_ONE = {"key": "ClientIP", "operator": "eq", "value": "192.0.2.1"}
_TWO = {"key": "EdgeResponseStatus", "operator": "geq", "value": "400"}
_SPELLINGS_OF_ONE = [_ONE, {"where": _ONE}, {"and": [_ONE]}, json.dumps({"where": {"or": [_ONE]}})]
_OF_BOTH = [{"and": [_ONE, _TWO]}, {"where": {"and": [_TWO, _ONE, _TWO]}}, {"or": [_TWO, {"and": [_ONE, _TWO]}]}]
_PLACE = "s3://edge-logs/{}?region={}&access-key-id=AK1&secret-access-key={}"
_PARTS = [("a", "eu", "planted-1"), ("a", "eu", "planted-2"), ("b", "eu", "planted-1"), ("a", "us", "planted-1")]
DESTINATIONS = st.sampled_from([_PLACE.format(*parts) for parts in _PARTS])
# Fields of both datasets.
LOG_FIELDS = st.lists(st.sampled_from(["ClientIP", "RayID", "EdgeColoCode", "EdgeResponseStatus"]), max_size=3)
TIMESTAMPS = st.sampled_from(["rfc3339", "unixnano"])
TEXTS = ["fields=ClientIP,RayID&timestamps=rfc3339", "timestamps=rfc3339&fields=RayID%2CClientIP", f"{FLAG}=true", "fields="]
_COMMON = {
    "destination_conf": DESTINATIONS,
    "filter": st.sampled_from(["", *_SPELLINGS_OF_ONE, *_OF_BOTH]),
    "enabled": st.booleans(),
    "frequency": st.sampled_from(["high", "low"]),
    "max_upload_records": st.sampled_from([0, 1000, 100_000]),
    "max_upload_interval_seconds": st.sampled_from([0, 30, 60]),
}
_FLAGS = st.sampled_from([{FLAG: True}, {FLAG: False}, {}])
_OLDER = {"fields": LOG_FIELDS, "timestamp_format": TIMESTAMPS, "option_flags": _FLAGS}
_NEWER = some(
    field_names=LOG_FIELDS, sample_rate=st.sampled_from([0.5, 1]), timestamp_format=TIMESTAMPS, cve_2021_44228=st.booleans()
)
JOB_NAMES = st.sampled_from(["edge-logs", "other"])
JOB_OPTIONS = (
    some(**_COMMON, **_OLDER)
    | some(**_COMMON, logpull_options=st.sampled_from(TEXTS))
    | some(**_COMMON, **_OLDER)
    | some(**_COMMON, output_options=_NEWER)
)
NEW_JOBS = st.tuples(JOB_OPTIONS, DESTINATIONS).map(lambda both: {**both[0], "destination_conf": both[1]})
DATASETS = st.sampled_from(["http_requests", "http_requests", "firewall_events"])
# Members that other editors write into a job.
EDITS = st.sampled_from(
    [
        {},
        {"enabled": True},
        {"filter": '{"where":{"key":"a","operator":"eq","value":1}}'},
        {"enabled": False, "filter": ""},
        {"output_options": {"field_names": ["RayID"]}},
        {"logpull_options": "fields=RayID&sample=0.5"},
    ]
)

# At least one of the routes must return the rules.
ROUTES = st.sampled_from(
    [
        {"entrypoint_route": True, "get_ruleset_route": True, "rules_in_list": False},
        {"entrypoint_route": True, "get_ruleset_route": True, "rules_in_list": True},
        {"entrypoint_route": False, "get_ruleset_route": True, "rules_in_list": False},
        {"entrypoint_route": False, "get_ruleset_route": True, "rules_in_list": True},
        {"entrypoint_route": False, "get_ruleset_route": False, "rules_in_list": True},
    ]
)
ECHOES = some(
    echo_filter=st.sampled_from(["verbatim", "reserialised"]),
    echo_options=st.sampled_from(["verbatim", "reordered", "encoded"]),
    echo_zero=st.sampled_from(["omit", "null", "keep"]),
    echo_destination=st.sampled_from(["verbatim", "masked"]),
    echo_preserve_duplicates=st.booleans(),
    job_get=st.sampled_from(["ok", "array", "404"]),
    job_delete=st.sampled_from(["id", "empty", "null", "204"]),
)
HABITS = st.tuples(ECHOES, st.just({}) | ROUTES).map(lambda both: {**both[0], **both[1]})


def a_rule(number: int, action: str, lists: t.Mapping[str, t.Sequence[str]], enabled: bool) -> dict[str, t.Any]:
    """Return a rule of another editor."""
    if action != ACTION:
        parameters: dict[str, t.Any] = {"bic": enabled}
        expression = f"(ip.src eq 192.0.2.{number})"
        return {"action": action, "expression": expression, "action_parameters": parameters, "ref": f"theirs-{number}"}
    named = {kind: dict.fromkeys(normal(kind, name) for name in names) for kind, names in lists.items() if names}
    parameters = {kind: [{"name": name} for name in names] for kind, names in named.items()}
    for item in parameters.get("response_fields", ()):
        item["preserve_duplicates"] = enabled
    parameters = parameters or {"cookie_fields": [{"name": "theirs"}]}
    return {"action": action, "expression": "true", "enabled": enabled, "description": "theirs", "action_parameters": parameters}
