# SPDX-License-Identifier: GPL-3.0-or-later

"""Which answers cannot be relied on, decided from the interface and not from the code; in doubt an answer is not among them."""

from __future__ import annotations

import json
import re
import typing as t

Json = t.Any
_FIELD_KINDS = ("request_fields", "response_fields", "cookie_fields", "transformed_request_fields", "raw_response_fields")


def unusable(method: str, path: str, body: bytes) -> bool:
    """Whether an answer of a 2xx status certainly contradicts the interface."""
    try:
        document = json.loads(body)
    except (ValueError, UnicodeDecodeError, RecursionError):
        return method != "DELETE" or bool(body.strip())
    if not isinstance(document, dict):
        return True
    if method == "DELETE":
        return document.get("success", True) is not True
    if document.get("success") is not True or "result" not in document:
        return True
    return _result_is_unusable(method, path.partition("?")[0], document["result"])


def _result_is_unusable(method: str, path: str, result: Json) -> bool:
    if re.fullmatch(r".*/(rulesets|jobs|scripts)|/zones|/accounts", path) and method == "GET":
        items = result if isinstance(result, list) else [None]
        check = _bad_job if path.endswith("jobs") else _bad_listed
        # A listing gives each thing once; what repeats an id is not looked at.
        ids = [item.get("id") if isinstance(item, dict) else None for item in items]
        return any(check(item) for place, item in enumerate(items) if ids[place] is None or ids[place] not in ids[:place])
    if re.search(r"/logpush/jobs(/\d+)?$", path):
        alone = result[0] if method == "GET" and isinstance(result, list) and len(result) == 1 else result
        return _bad_job(alone)
    if method == "POST" and path.endswith("/rulesets"):
        # The rules are written next, so that of what was made only the id matters.
        result = {"id": result.get("id")} if isinstance(result, dict) else None
    return not isinstance(result, dict) or _object_is_unusable(path, result)


def _object_is_unusable(path: str, result: dict[str, Json]) -> bool:
    if "/rulesets" in path:
        return _bad_ruleset(result)
    if path.endswith("/script_monitor"):
        return not isinstance(result.get("enabled"), bool)
    return "/ownership" in path and not isinstance(result.get("valid"), bool)


def _bad_listed(item: Json) -> bool:
    return not isinstance(item, dict)


def _bad_job(job: Json) -> bool:
    if not isinstance(job, dict) or job.get("id").__class__ is not int or job["id"] < 1:
        return True
    texts = ("name", "dataset", "kind", "frequency", "logpull_options", "destination_conf", "last_complete", "last_error")
    numbers = ("max_upload_bytes", "max_upload_interval_seconds", "max_upload_records")
    return (
        any(not isinstance(job.get(name), str | None) for name in texts)
        or any(type(job.get(name)) not in (int, type(None)) for name in numbers)
        or not isinstance(job.get("enabled"), bool | None)
        or not isinstance(job.get("output_options"), dict | None)
    )


def _bad_ruleset(ruleset: Json) -> bool:
    if not isinstance(ruleset.get("id"), str) or not ruleset["id"]:
        return True
    rules = ruleset.get("rules", [])
    return not isinstance(rules, list) or any(_bad_rule(rule) for rule in rules)


def _bad_rule(rule: Json) -> bool:
    if not isinstance(rule, dict) or any(not isinstance(rule.get(name), str) or not rule[name] for name in ("id", "action")):
        return True
    if rule["action"] != "log_custom_field":
        return False
    parameters = rule.get("action_parameters")
    if not isinstance(parameters, dict):
        return True
    lists = [parameters[kind] for kind in _FIELD_KINDS if parameters.get(kind) is not None]
    return any(
        not isinstance(items, list) or any(not isinstance(item, dict) or not isinstance(item.get("name"), str) for item in items)
        for items in lists
    )
