# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Options as a module gets to see them: through the same serialisation, and checked by the same rules."""

from __future__ import annotations

import ast
import json
import typing as t

from ansible.module_utils.common import json as core_json
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.module_utils.common.validation import check_type_dict
from ansible.module_utils.errors import UnsupportedError

from ansible_collections.edgeops.observability.plugins.module_utils._core import invalid_option
from ansible_collections.edgeops.observability.plugins.module_utils._text import JSON_TYPES

if hasattr(core_json, "get_module_encoder"):
    _ENCODING: dict[str, t.Any] = {"cls": core_json.get_module_encoder("legacy", core_json.Direction.CONTROLLER_TO_MODULE)}
else:  # ansible-core before 2.19
    _ENCODING = {"cls": core_json.AnsibleJSONEncoder, "vault_to_text": True}

Members = t.Mapping[str, t.Any]
# A null in these has a meaning of its own: a part without a plan, and what a run recorded of a zone.
VERBATIM = frozenset(("expected_plan_ids", "zones"))
_PLAIN = (str, int, float, dict, list, tuple, type(None))
_NO_TEXT = ("bool", "int", "float", "dict", "list", "path")


class Validated(t.NamedTuple):
    """Checked options, what in them must not be shown, and the first fault that was found in them."""

    params: dict[str, t.Any]
    secrets: set[str]
    error: str | None


def serialised(arguments: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Plain data in place of tagged, unsafe and encrypted values, made by the way that arguments take to a module."""
    plain: dict[str, t.Any] = json.loads(json.dumps(arguments, **_ENCODING))
    return plain


def validated(specification: t.Mapping[str, t.Any], arguments: t.Mapping[str, t.Any], action: str) -> Validated:
    """What AnsibleModule makes of the arguments of a task, with its words where it would refuse them."""
    outcome = ArgumentSpecValidator(**specification).validate(arguments)
    error: str | None = None
    if outcome.errors.errors:
        error = outcome.errors.msg
        if isinstance(outcome.errors[0], UnsupportedError):
            error = f"Unsupported parameters for ({action}) module: {error}"
    # AnsibleModule, the only other user of this attribute, masks its results with it.
    return Validated(outcome.validated_parameters, outcome._no_log_values, error)


def prepared(specification: Members, arguments: Members, arrange: t.Callable[[Members], Members] = dict) -> dict[str, t.Any]:
    """Return the arguments without nulls, which mean omitted, and with data in place of its JSON text, such as a survey gives.

    So a null hides a default of `module_defaults`. `arrange` sees the nulls, where one says more. Raise `Failure` for text that
    is neither JSON nor what AnsibleModule reads.
    """
    given = arrange({name: _data(name, value, specification.get(name, {})) for name, value in arguments.items()})
    found = {name: _prepared(name, value, specification.get(name, {})) for name, value in given.items()}
    return {name: value for name, value in found.items() if value is not None}


def _prepared(place: str, given: t.Any, option: Members) -> t.Any:
    """Return the value of an option, nulls removed at every depth; None means omitted."""
    value = _data(place, given, option)
    if place in VERBATIM:
        return value
    if isinstance(value, dict):
        options = option.get("options") or {}
        members = {name: _prepared(f"{place}.{name}", member, options.get(name, {})) for name, member in value.items()}
        return {name: member for name, member in members.items() if member is not None}
    if isinstance(value, (list, tuple)):
        kind = {**option, "type": option.get("elements")}
        items = [_item(f"{place}[{index}]", item, kind) for index, item in enumerate(value)]
        return [item for item in items if item is not None]
    return value


def _item(place: str, given: t.Any, option: Members) -> t.Any:
    """Return an item of a list; AnsibleModule would not say which item is no dictionary."""
    wrong = option.get("type") == "dict" and isinstance(given, _PLAIN) and not isinstance(given, (dict, type(None)))
    if wrong and not _is_text_of_dict(given):
        found = next((words for kind, words in JSON_TYPES.items() if isinstance(given, kind)), "a list")
        raise invalid_option(place, f"must be a dictionary of options, not {found}")
    return _prepared(place, given, option)


def _is_text_of_dict(given: t.Any) -> bool:
    return isinstance(given, str) and (not given.strip() or given.lstrip().startswith("{") or "=" in given)


def _data(place: str, given: t.Any, option: Members) -> t.Any:
    """Return data in place of its text; an empty text is no value of an option that takes anything else."""
    kind = option.get("type")
    value = given if isinstance(given, _PLAIN) else serialised({place: given})[place]
    if not isinstance(value, str) or (kind not in _NO_TEXT and "choices" not in option):
        return value
    if not value.strip():
        return None
    if kind in ("dict", "list") and ("options" in option or value.lstrip()[0] in "[{"):
        return _parsed(place, value, kind)
    return value


def _parsed(place: str, text: str, kind: str) -> t.Any:
    """Parse JSON, or what else AnsibleModule reads: what ansible-core before 2.19 makes of data in a template, and pairs with `=`."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        # The text itself is not repeated: it may hold secrets.
        reason = str(error)
    try:
        return check_type_dict(text.strip()) if kind == "dict" else ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise invalid_option(place, f"not JSON: {reason}") from None
