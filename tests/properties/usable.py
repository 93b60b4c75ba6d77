# SPDX-License-Identifier: GPL-3.0-or-later

"""Which answers cannot be relied on, decided from the interface and not from the code; in doubt an answer is not among them."""

from __future__ import annotations

import json
import re
import typing as t

Json = t.Any
_FIELD_KINDS = ("request_fields", "response_fields", "cookie_fields", "transformed_request_fields", "raw_response_fields")
_TEXTS_OF_JOB = ("name", "dataset", "kind", "frequency", "logpull_options", "destination_conf", "last_complete", "last_error")
_NUMBERS_OF_JOB = ("max_upload_bytes", "max_upload_interval_seconds", "max_upload_records")
_TYPES_OF_JOB = {
    **dict.fromkeys(_TEXTS_OF_JOB, str),
    **dict.fromkeys(_NUMBERS_OF_JOB, int),
    "enabled": bool,
    "output_options": dict,
}


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
        # A listing gives each thing once; what repeats an id is not looked at.
        ids = [item.get("id") if isinstance(item, dict) else None for item in items]
        first = [item for place, item in enumerate(items) if ids[place] is None or ids[place] not in ids[:place]]
        return any(not isinstance(item, dict) or (path.endswith("jobs") and _bad_job(item)) for item in first)
    if re.search(r"/logpush/jobs(/\d+)?$", path):
        return _bad_job(result[0] if method == "GET" and isinstance(result, list) and len(result) == 1 else result)
    if not isinstance(result, dict):
        return True
    if path.endswith("/script_monitor"):
        return not isinstance(result.get("enabled"), bool)
    if "/ownership" in path:
        return not isinstance(result.get("valid"), bool)
    # The rules of a ruleset that was made are written next, so that only its id matters.
    return "/rulesets" in path and _bad_ruleset(result if method != "POST" else {"id": result.get("id")})


def _bad_job(job: Json) -> bool:
    if not isinstance(job, dict) or type(job.get("id")) is not int or job["id"] < 1:
        return True
    return any(job.get(name) is not None and type(job[name]) is not expected for name, expected in _TYPES_OF_JOB.items())


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
    items = [item for found in lists if isinstance(found, list) for item in found]
    wrong = any(not isinstance(item, dict) or not isinstance(item.get("name"), str) for item in items)
    return wrong or not all(isinstance(found, list) for found in lists)
