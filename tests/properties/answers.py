# SPDX-License-Identifier: GPL-3.0-or-later

"""Arbitrary JSON, and answers in which one or two values are arbitrary JSON."""

import copy
import json
import typing as t

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

Json = t.Any

NAMES = (
    *("result", "success", "errors", "messages", "result_info", "code", "message", "error_chain", "page", "per_page", "count"),
    *("total_count", "total_pages", "cursors", "id", "name", "kind", "phase", "version", "rules", "action", "ref", "enabled"),
    *("action_parameters", "expression", "description", "last_updated", "request_fields", "cookie_fields", "preserve_duplicates"),
    *("dataset", "destination_conf", "logpull_options", "output_options", "field_names", "filter", "frequency", "last_error"),
    *("max_upload_records", "script_id", "js_integrity_score", "host", "status", "updated_at", "account", "valid", "filename"),
)
WORDS = ("", "0", "1", "x", "true", "zone", "http_log_custom_fields", "log_custom_field", "edge-logs", "{", "[]", "?", "../")
TEXTS = st.sampled_from(WORDS) | st.text(max_size=6)
NUMBERS = st.sampled_from([0, 1, -1, 13, 50, 2**31, 2**63, 10**30, 0.5, -0.0, 1e308])
SCALARS = st.none() | st.booleans() | NUMBERS | TEXTS
ANY_JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES) | TEXTS, inner, max_size=4),
    max_leaves=8,
)


def examples(number: int) -> settings:
    """Run this number of examples; ten times as many with the profile `explore`."""
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    return settings(max_examples=number * (10 if settings.default.max_examples >= 1000 else 1), suppress_health_check=slow)


def places(value: Json) -> t.Iterator[tuple[t.Any, ...]]:
    """Yield the path of each value in a document, including the document itself."""
    yield ()
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, member in items:
        for rest in places(member):
            yield (name, *rest)


@st.composite
def damaged(draw: t.Callable[[t.Any], t.Any], document: Json) -> Json:
    """Return the document with one or two values replaced, removed, repeated or added."""
    changed = copy.deepcopy(document)
    for _time in range(draw(st.integers(1, 2))):
        way = draw(st.sampled_from(list(places(changed))))
        if not way:
            continue
        *path, last = way
        at = changed
        for step in path:
            at = at[step]
        match draw(st.sampled_from(["replace", "replace", "remove", "repeat", "add"])):
            case "replace":
                at[last] = draw(ANY_JSON)
            case "remove":
                del at[last]
            case "repeat" if isinstance(at, list):
                at.insert(last, copy.deepcopy(at[last]))
            case _ if isinstance(at, dict):
                at[draw(st.sampled_from(NAMES))] = draw(ANY_JSON)
            case _:
                at.append(draw(ANY_JSON))
    return changed


def bodies(document: Json) -> st.SearchStrategy[bytes]:
    """Return bodies that may be received instead of an answer."""
    envelope = {"success": True, "errors": [], "messages": []}
    texts = (
        damaged(document)
        | damaged(document)
        | ANY_JSON.map(lambda result: {**envelope, "result": result})
        | ANY_JSON
        | st.fixed_dictionaries({"success": st.sampled_from([False, False, None, "no"]), "errors": ANY_JSON, "result": ANY_JSON})
    ).map(lambda value: json.dumps(value).encode())
    whole = json.dumps(document).encode()
    cut = st.integers(0, len(whole)).map(lambda length: whole[:length])
    return texts | texts | texts | cut | st.binary(max_size=20)
