# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t

from ._core import HOLDS_DATA, Failure, Json, invalid_option

# Templates that nobody evaluated: Ansible evaluates neither what a lookup returns nor what is marked with `!unsafe`, so that the text of a
# template would become a part of what is written, as the password of a destination for example.

# What begins an expression, a statement or a comment of Jinja.
DELIMITER = re.compile(r"\{[{%#]")
_TEMPLATE = re.compile(r"\{\{.*?\}\}|\{%[-+]?\s*[a-z].*?%\}|\{#.*?#\}", re.DOTALL)
_ADVICE = "a template is left in it that nobody evaluated, as in text that a lookup returned; set the value itself"
# Members with templates of the service's own language, those that only name what the service has, and what a job compares with its secrets.
_NOT_COMPARED = ("record_template", "transformer", "destination")

Options = t.Mapping[str, t.Mapping[str, t.Any]]


def refuse_template(place: str, value: Json) -> None:
    """Raise `invalid_option` with the place of the first text of a value that is none of the service and has a template."""
    for where, _template in _templates(place, value):
        raise invalid_option(where, _ADVICE)


def refuse_templates(options: Options, arguments: t.Mapping[str, Json], around: str = "") -> None:
    """Raise `invalid_option` for an argument with a template, unless the service may have its text: that is compared with the plan."""
    for name, value in arguments.items():
        option, place = options.get(name, {}), f"{around}{name}"
        if option.get(HOLDS_DATA):
            continue
        inner = option.get("options")
        if not inner:
            refuse_template(place, value)
        elif isinstance(value, dict):
            refuse_templates(inner, value, f"{place}.")
        elif isinstance(value, (list, tuple)):
            for index, item in enumerate(value):
                if isinstance(item, dict):
                    refuse_templates(inner, item, f"{place}[{index}].")


def new_template(before: Json, after: Json, option_of: t.Callable[[str], str] = str) -> Failure | None:
    """Return the refusal of a plan after which the service would have a template that it does not have before; None without one.

    `option_of` returns the option that a path of the diff is about.
    """
    known = {template for _place, template in _templates("", before)}
    places = (place for place, template in _templates("", after) if template not in known)
    place = next(places, None)
    return None if place is None else invalid_option(option_of(place), _ADVICE)


def _templates(place: str, value: Json) -> t.Iterator[tuple[str, str]]:
    """Yield the templates in the texts of a value, names of members included, each with its place."""
    if isinstance(value, str):
        yield from ((place, match[0]) for match in _TEMPLATE.finditer(value))
    elif isinstance(value, dict):
        for name, member in value.items():
            yield from _templates(place, name)
            if name not in _NOT_COMPARED:
                yield from _templates(f"{place}.{name}" if place else str(name), member)
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from _templates(f"{place}[{index}]", item)
