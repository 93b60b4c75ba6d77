# SPDX-License-Identifier: GPL-3.0-or-later

"""Validate request bodies against their schemas."""

from __future__ import annotations

import re
import typing as t

from jsonschema import Draft202012Validator, ValidationError, validators  # type: ignore[import-untyped] # its types are another package
from jsonschema.exceptions import best_match  # type: ignore[import-untyped] # its types are another package

from edgeops_simulator.jsontext import KIND_NAMES
from edgeops_simulator.refusal import Refusal
from edgeops_simulator.schemas import bodies
from edgeops_simulator.schemas.answers import Schema

_TYPES = {"string": str, "boolean": bool, "integer": int, "array": list, "object": dict, "number": float}
_MISSING = "missing required field:"
_WORDS: t.Mapping[str, str] = {
    "minLength": "must have at least {0} character(s)",
    "maxLength": "must have at most {0} characters",
    "minItems": "must have at least {0} item(s)",
    "minProperties": "must have at least {0} member(s)",
    "maxProperties": "must have at most {0} member(s)",
    "minimum": "must be at least {0}",
    "maximum": "must be at most {0}",
    "exclusiveMinimum": "must be above {0}",
    "const": "must be {0!r}",
    "pattern": "must match {0}",
}


def _pattern(validator: t.Any, pattern: str, instance: t.Any, schema: t.Any) -> t.Iterator[ValidationError]:
    """Match as ECMA-262 does: `$` matches only at the end of the text, not before a last line break."""
    exact = pattern[:-1] + r"\Z" if pattern.endswith("$") else pattern
    if isinstance(instance, str) and not re.search(exact, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


_Validator = validators.extend(Draft202012Validator, {"pattern": _pattern})


class BodyCheck:
    """Validates the bodies of one operation; it has one error code for malformed bodies and one for other refusals."""

    def __init__(self, schema: Schema, codes: tuple[int, int]) -> None:
        self._validator = _Validator({**schema, "components": {"schemas": bodies.SCHEMAS}})
        self._malformed, self._refused = codes

    def __call__(self, body: t.Any) -> None:
        problem = best_match(self._validator.iter_errors(body))
        if problem is None:
            return
        place, message = _place(problem), _message(problem)
        malformed = problem.validator in ("type", "additionalProperties")
        code = problem.schema.get("x-code") or (self._malformed if malformed else self._refused)
        steps = [*problem.absolute_path, *(_missing(problem) if problem.validator == "required" else [])]
        more = {"source": {"pointer": "".join(f"/{step}" for step in steps)}} if steps else {}
        is_whole = problem.validator == "additionalProperties" or message.startswith(_MISSING)
        raise Refusal(400, code, message if is_whole else f"{place} {message}", **more)


def _missing(problem: ValidationError) -> list[str]:
    return [name for name in problem.validator_value if name not in problem.instance][:1]


def _place(problem: ValidationError) -> str:
    steps = [*problem.absolute_path, *(_missing(problem) if problem.validator == "required" else [])]
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return text.lstrip(".") or "the body"


def _message(problem: ValidationError) -> str:
    keyword, value = problem.validator, problem.validator_value
    if keyword == "additionalProperties":
        unknown = next(name for name in problem.instance if name not in problem.schema.get("properties", {}))
        return f'invalid JSON: unknown field "{unknown}"'
    if keyword == "type":
        kinds = [kind for kind in ([value] if isinstance(value, str) else value) if kind != "null"]
        return f"must be {' or '.join(KIND_NAMES[_TYPES[kind]] for kind in kinds)}"
    if keyword == "enum":
        return f"must be one of {', '.join(repr(item) for item in value if item is not None)}"
    if keyword == "required":
        return f"{_MISSING} {_missing(problem)[0]}" if problem.schema.get("x-names-missing") else "is required"
    words = problem.schema.get("x-words") or _WORDS.get(str(keyword), "is not what is expected here")
    return words.format(value)
