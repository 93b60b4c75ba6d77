# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Find the place of an argument error, because AnsibleModule names the option, but not the item of a list."""

from __future__ import annotations

import typing as t

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ansible_collections.edgeops.observability.plugins.module_utils._text import did_you_mean, nearest

Members = t.Mapping[str, t.Any]
_RULES = ("mutually_exclusive", "required_together", "required_one_of", "required_if", "required_by")


_UNKNOWN = "unsupported parameter"


class _Place(t.NamedTuple):
    """The path of a dictionary in the arguments: for messages, and as AnsibleModule writes it."""

    shown: str
    named: str

    def member(self, name: str) -> _Place:
        """Return the place of an option in this mapping."""
        return _Place(*(f"{place}.{name}" if place else name for place in self))


def refusal(specification: Members, arguments: Members) -> str | None:
    """Return the first error with its place, such as `jobs[1].kind`; None if the message of AnsibleModule is clear enough."""
    found = _fault(specification, arguments, _Place("", ""))
    if found is None:
        return None
    place, text = found
    is_clear = place.shown == place.named and not (text.startswith(_UNKNOWN) and "." in place.shown)
    return None if is_clear else f"{place.shown}: {text}"


def _fault(specification: Members, arguments: Members, around: _Place) -> tuple[_Place, str] | None:
    options = specification["argument_spec"]
    shallow = {
        name: {key: value for key, value in option.items() if key not in ("options", *_RULES)} for name, option in options.items()
    }
    for name, value in arguments.items():
        place = around.member(name)
        if name not in options:
            return place, f"{_UNKNOWN}{did_you_mean(nearest(str(name), sorted(options)))}"
        found = _error({"argument_spec": {name: {**shallow[name], "required": False}}}, {name: value})
        if found:
            return place, found
        if "options" in options[name]:
            inner = _within(options[name], value, place)
            if inner:
                return inner
    for name, option in options.items():
        if option.get("required") and arguments.get(name) is None:
            return around.member(name), f"missing required arguments: {name}"
    found = _error({"argument_spec": shallow, **{rule: specification.get(rule) for rule in _RULES}}, arguments)
    return (around, found) if found else None


def _within(option: Members, value: t.Any, place: _Place) -> tuple[_Place, str] | None:
    """Return the first error in the dictionary, or in the list of dictionaries, of an option."""
    inner = {"argument_spec": option["options"], **{rule: option.get(rule) for rule in _RULES}}
    items = [(place, value)] if isinstance(value, dict) else []
    if isinstance(value, list):
        items = [
            (_Place(f"{place.shown}[{index}]", place.named), item) for index, item in enumerate(value) if isinstance(item, dict)
        ]
    return next((found for where, item in items if (found := _fault(inner, item, where))), None)


def _error(specification: Members, arguments: Members) -> str | None:
    outcome = ArgumentSpecValidator(**specification).validate(arguments)
    return str(outcome.errors.msg) if outcome.errors.errors else None
