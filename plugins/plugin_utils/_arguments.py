# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Options as a module gets to see them: through the same serialisation, and checked by the same rules."""

from __future__ import annotations

import ast
import json
import types
import typing as t

from ansible.module_utils.common import json as core_json
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.module_utils.common.validation import check_type_dict
from ansible.module_utils.errors import UnsupportedError

from ansible_collections.edgeops.observability.plugins.module_utils._core import invalid_option

if hasattr(core_json, "get_module_encoder"):
    _ENCODING: dict[str, t.Any] = {"cls": core_json.get_module_encoder("legacy", core_json.Direction.CONTROLLER_TO_MODULE)}
else:  # ansible-core before 2.19
    _ENCODING = {"cls": core_json.AnsibleJSONEncoder, "vault_to_text": True}


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


def parsed(
    specification: t.Mapping[str, t.Mapping[str, t.Any]],
    arguments: t.Mapping[str, t.Any],
    names: t.Mapping[str, str] = types.MappingProxyType({}),
) -> dict[str, t.Any]:
    """Return the arguments with mappings in place of the JSON text of them, such as a survey gives; raise `Failure` for other text."""
    prefix = arguments.get("option_prefix") or ""
    found = dict(arguments)
    for name, value in arguments.items():
        if "options" in specification.get(name, ()) and not isinstance(value, (dict, list)):
            text = serialised({name: value})[name]
            if isinstance(text, str):
                found[name] = _parsed(names.get(name, f"{prefix}{name}"), text, specification[name]["type"])
    return found


def _parsed(place: str, text: str, kind: str) -> t.Any:
    """Parse JSON, or what else AnsibleModule reads: what ansible-core before 2.19 makes of data in a template, and pairs with `=`."""
    if not text.strip():
        return [] if kind == "list" else None
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        # The text itself is not repeated: it may hold secrets.
        reason = str(error)
    try:
        return check_type_dict(text.strip()) if kind == "dict" else ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise invalid_option(place, f"not JSON: {reason}") from None
