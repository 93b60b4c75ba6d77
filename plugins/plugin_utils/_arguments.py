# SPDX-License-Identifier: GPL-3.0-or-later

"""Serialise and validate options as ansible-core does for a module, and find the place of an error in them."""

from __future__ import annotations

import json
import os
import re
import typing as t

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.module_utils.common.validation import check_type_dict
from ansible.module_utils.errors import UnsupportedError

from ansible_collections.edgeops.observability.plugins.module_utils._core import KEEPS_NULLS, TEXT_MEMBER, Failure, invalid_option
from ansible_collections.edgeops.observability.plugins.module_utils._engine.masking import secrets_of
from ansible_collections.edgeops.observability.plugins.module_utils._text import JSON_TYPES, did_you_mean, nearest, parse_data
from ansible_collections.edgeops.observability.plugins.plugin_utils._ansible_core import ENCODING, AnsibleUnsafe, keeps_templates

Members = t.Mapping[str, t.Any]

_PLAIN = (str, int, float, dict, list, tuple, type(None))
# Empty text is no value of an option of one of these types.
_NO_TEXT = ("bool", "int", "float", "dict", "list", "path")
_ID = re.compile(r"_ids?(\[[0-9]+\])?$")
_TEMPLATE = re.compile(r"\{\{|\{%|\A#jinja2:")


class Validated(t.NamedTuple):
    """Validated options, their secrets, and the first error."""

    params: dict[str, t.Any]
    secrets: set[str]
    error: str | None


def serialised(arguments: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return plain data for tagged, unsafe and encrypted values, serialised like the arguments of a module."""
    plain: dict[str, t.Any] = json.loads(json.dumps(arguments, **ENCODING))
    return plain


def validated(specification: t.Mapping[str, t.Any], arguments: t.Mapping[str, t.Any], action: str) -> Validated:
    """Validate the arguments of a task like AnsibleModule, with the same error message."""
    outcome = ArgumentSpecValidator(**specification).validate(arguments)
    error: str | None = None
    if outcome.errors.errors:
        error = outcome.errors.msg
        if isinstance(outcome.errors[0], UnsupportedError):
            error = f"Unsupported parameters for ({action}) module: {error}"
    # As AnsibleModule: what was given, before it is converted.
    secrets = set(secrets_of(specification["argument_spec"], arguments))
    return Validated(outcome.validated_parameters, secrets, error)


def user_path(text: str) -> str:
    """Return a path that a user wrote as an absolute one: a relative path starts at the working directory of ansible-playbook.

    The environment variable PWD may be missing, or say something else.
    """
    return os.path.join(os.getcwd(), os.path.expanduser(os.path.expandvars(text)))


def absolute(specification: Members, arguments: Members) -> dict[str, t.Any]:
    """Return the arguments with absolute paths, because a module of its own process runs in the folder of the playbook."""
    return {name: _absolute(value, specification.get(name, {})) for name, value in arguments.items()}


def _absolute(value: t.Any, option: Members) -> t.Any:
    options = option.get("options")
    # What is free in its form, such as the records of all zones, has no path.
    if isinstance(value, list):
        of_item = {**option, "type": option.get("elements")}
        return [_absolute(item, of_item) for item in value] if options or of_item["type"] == "path" else value
    if isinstance(value, dict):
        return absolute(options, value) if options else value
    # The home is that of the user who the module runs as.
    return user_path(value) if option.get("type") == "path" and isinstance(value, str) and not value.startswith("~") else value


def prepared(options: Members, arguments: Members, arrange: t.Callable[[Members], Members] = dict) -> dict[str, t.Any]:
    """Return the arguments without nulls, which mean omitted, and with JSON text (for example of a survey) parsed.

    A null thus hides a default of `module_defaults`. `arrange` is called before nulls are removed. Raise `invalid_option` for text that
    neither JSON nor AnsibleModule can parse, and for values of a type that AnsibleModule would silently make text of.
    """
    parsed = arrange({name: _data(name, value, options.get(name, {})) for name, value in arguments.items()})
    values = {name: _prepared(name, value, options.get(name, {})) for name, value in parsed.items()}
    return {name: value for name, value in values.items() if value is not None}


def refuse_undefined(values: Members) -> None:
    """Raise `invalid_option` for text in which a template is left, unless it is marked as data (`!unsafe`, results, lookups)."""
    if keeps_templates():
        for name, value in values.items():
            _refuse_undefined(name, value)


def _refuse_undefined(place: str, value: t.Any) -> None:
    if isinstance(value, dict):
        for name, member in value.items():
            _refuse_undefined(f"{place}.{name}", member)
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            _refuse_undefined(f"{place}[{index}]", item)
    elif isinstance(value, str) and not isinstance(value, AnsibleUnsafe) and _TEMPLATE.search(value):
        raise invalid_option(place, "a template in it has an undefined variable; if it is meant as text, mark it with !unsafe")


def _prepared(place: str, raw: t.Any, option: Members, keeps_nulls: bool = False) -> t.Any:
    """Return the value of an option, nulls removed at every depth unless it keeps them; None means omitted."""
    value = _data(place, _with_member(raw, option), option)
    keeps_nulls = keeps_nulls or bool(option.get(KEEPS_NULLS))
    if value is None:
        return value
    _refuse_type(place, value, option)
    if keeps_nulls and "options" not in option and option.get("type") == "dict":
        return value
    if isinstance(value, dict):
        inner = option.get("options") or {}
        members = {name: _prepared(f"{place}.{name}", member, inner.get(name, {}), keeps_nulls) for name, member in value.items()}
        return {name: member for name, member in members.items() if member is not None or keeps_nulls}
    if isinstance(value, (list, tuple)):
        kind = {**option, "type": option.get("elements")}
        items = [_prepared(f"{place}[{index}]", item, kind, keeps_nulls) for index, item in enumerate(value)]
        return [item for item in items if item is not None or keeps_nulls]
    return value


def _with_member(raw: t.Any, option: Members) -> t.Any:
    """Return the dictionary that a text stands for, if the option has a member for it."""
    stands = option.get("type") == "dict" and TEXT_MEMBER in option and isinstance(raw, str) and not raw.lstrip().startswith("{")
    return {option[TEXT_MEMBER]: raw} if stands else raw


def _refuse_type(place: str, value: t.Any, option: Members) -> None:
    """Raise `invalid_option` for a value that AnsibleModule would convert into something else, or refuse without its place."""
    kind = option.get("type")
    if kind == "list" and isinstance(value, (bool, int, float)):
        kind = option.get("elements")
    if kind in ("str", "path") and isinstance(value, bool):
        raise invalid_option(
            place, "must be text, not a boolean, of which YAML has the words yes, no, on, off, true and false; put it in quotes"
        )
    if kind == "str" and isinstance(value, (int, float)) and _ID.search(place):
        raise invalid_option(
            place, "must be text, not a number: YAML and templates turn digits into another number; put the id in quotes"
        )
    if kind in ("int", "float") and isinstance(value, bool):
        raise invalid_option(place, "must be a number, not a boolean")
    if kind == "dict" and not isinstance(value, dict) and not _is_text_of_dict(value):
        raise _no_dictionary(place, value)


def _no_dictionary(place: str, value: t.Any) -> Failure:
    type_name = next((words for kind, words in JSON_TYPES.items() if isinstance(value, kind)), "a list")
    return invalid_option(place, f"must be a dictionary of options, not {type_name}")


def _is_text_of_dict(value: t.Any) -> bool:
    return isinstance(value, str) and (value.lstrip().startswith("{") or "=" in value)


def _data(place: str, raw: t.Any, option: Members) -> t.Any:
    """Return parsed text for an option that is not a string; empty text means omitted."""
    kind = option.get("type")
    value = raw if isinstance(raw, _PLAIN) else serialised({place: raw})[place]
    takes_empty_text = kind not in _NO_TEXT and "" in option.get("choices", [""])
    if not isinstance(value, str) or takes_empty_text:
        return value
    if not value.strip():
        return None
    if kind in ("dict", "list") and ("options" in option or value.lstrip()[0] in "[{"):
        return _parsed(place, value, kind)
    return value


def _parsed(place: str, text: str, kind: str) -> t.Any:
    """Parse data that was passed as text, or the `key=value` pairs that AnsibleModule accepts for a dictionary."""
    try:
        return parse_data(text)
    except ValueError as error:
        # Do not repeat the text, because it may contain secrets.
        failure = invalid_option(place, f"not JSON: {error}")
    if kind != "dict" or text.lstrip()[0] in "[{":
        raise failure
    if not _is_text_of_dict(text):
        raise _no_dictionary(place, text)
    try:
        return check_type_dict(text.strip())
    except (ValueError, TypeError):
        raise failure from None


# AnsibleModule names the option of an argument error, but not the item of a list; the rest of this file finds its place.
_RULES = ("mutually_exclusive", "required_together", "required_one_of", "required_if", "required_by")
_UNKNOWN = "unsupported parameter"


def refusal(specification: Members, arguments: Members) -> tuple[str, str] | None:
    """Return place and reason of the first error, such as `jobs[1].kind`; None if there is none."""
    return _fault(specification, arguments, "")


def is_worth_naming(place: str, reason: str) -> bool:
    """Return whether the message of AnsibleModule lacks what these say: the path of an option, or the name that was meant."""
    return any(sign in place for sign in ".[") or (reason.startswith(_UNKNOWN) and reason != _UNKNOWN)


def _fault(specification: Members, arguments: Members, around: str) -> tuple[str, str] | None:
    """Return place and text of the first error in a dictionary of options, which is at `around`."""
    options = specification["argument_spec"]
    prefix = f"{around}." if around else ""
    shallow = {
        name: {key: value for key, value in option.items() if key not in ("options", *_RULES)} for name, option in options.items()
    }
    for name, value in arguments.items():
        place = f"{prefix}{name}"
        if name not in options:
            return place, f"{_UNKNOWN}{did_you_mean(nearest(str(name), sorted(options)))}"
        message = _error({"argument_spec": {name: {**shallow[name], "required": False}}}, {name: value})
        if message:
            return place, message
        if inner := _fault_within(options[name], value, place):
            return inner
    for name, option in options.items():
        if option.get("required") and arguments.get(name) is None:
            return f"{prefix}{name}", f"missing required arguments: {name}"
    message = _error({"argument_spec": shallow, **{rule: specification.get(rule) for rule in _RULES}}, arguments)
    return (around, message) if message else None


def _fault_within(option: Members, value: t.Any, place: str) -> tuple[str, str] | None:
    """Return the first error in the suboptions of an option."""
    if "options" not in option:
        return None
    inner = {"argument_spec": option["options"], **{rule: option.get(rule) for rule in _RULES}}
    items = {f"{place}[{index}]": item for index, item in enumerate(value)} if isinstance(value, list) else {place: value}
    faults = (_fault(inner, item, where) for where, item in items.items() if isinstance(item, dict))
    return next(filter(None, faults), None)


def _error(specification: Members, arguments: Members) -> str | None:
    outcome = ArgumentSpecValidator(**specification).validate(arguments)
    return str(outcome.errors.msg) if outcome.errors.errors else None
