# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import math
import re
import typing as t
from urllib.parse import quote, unquote

from .._core import invalid_option
from .facts import MAX_OPTIONS_LENGTH, PARAMETER_DEFAULTS

FIELDS = "fields"
TIMESTAMPS = "timestamps"
SAMPLE = "sample"

_NAME = re.compile(r"[^\s&=,?#%+;\ud800-\udfff]+")
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_OFF = frozenset(("", "0", "false"))
_READABLE = ",:;/@!$'()*+."

Parameters = dict[str, str]


class Requested(t.NamedTuple):
    """The parameters that a task names: the list of fields, and other values as text; None leaves the fields alone.

    `order` is that in which they are written, the name `fields` included.
    """

    fields: tuple[str, ...] | None
    others: t.Mapping[str, str]
    order: tuple[str, ...] = (FIELDS,)


def from_parts(
    fields: t.Sequence[t.Any] | None, timestamp_format: str | None, flags: t.Mapping[str, t.Any] | None
) -> Requested | None:
    """What the three options say; None where none of them is given."""
    if fields is None and timestamp_format is None and flags is None:
        return None
    others: Parameters = {}
    if timestamp_format is not None:
        others[TIMESTAMPS] = _checked("timestamp_format", timestamp_format) if timestamp_format else ""
    for name, value in (flags or {}).items():
        others[_flag_name(name)] = _flag_value(f"option_flags.{name}", value)
    names = None if fields is None else tuple(dict.fromkeys(_checked(f"fields[{i}]", str(n)) for i, n in enumerate(fields)))
    return Requested(names, others, (FIELDS, *others))


def from_text(text: str) -> Requested:
    """The parsed text form; refused where it cannot mean what its author thinks."""
    place = "logpull_options"
    if len(text) > MAX_OPTIONS_LENGTH:
        raise invalid_option(place, f"{len(text)} characters are more than the limit of {MAX_OPTIONS_LENGTH}")
    if _LONE_SURROGATE.search(text):
        raise invalid_option(place, "has a lone surrogate, which cannot be sent as UTF-8")
    pieces = [piece.partition("=") for piece in text.strip().lstrip("?").split("&") if piece]
    for name, equals, value in pieces:
        parameter = unquote(name).strip()
        if parameter == TIMESTAMPS and "," in unquote(value):
            raise invalid_option(
                place,
                f"{name}={value}: a timestamp format is one word, and what follows its comma would not be read as field names;"
                " list every field under 'fields', as in fields=ClientIP,RayID&timestamps=rfc3339",
            )
        if not equals or not parameter:
            raise invalid_option(place, f"{name + equals + value!r} is not of the form NAME=VALUE, as in timestamps=rfc3339")
        if parameter == FIELDS and value and not all(part.strip() for part in unquote(value).split(",")):
            raise invalid_option(place, f"{name}={value} holds an empty field name")
    parameters = parse(text)
    order = tuple(parameters) if FIELDS in parameters else (FIELDS, *parameters)
    fields = _split(parameters.pop(FIELDS)) if FIELDS in parameters else None
    return Requested(fields, parameters, order)


def parse(text: str | None) -> Parameters:
    """The parameters of what the service holds, in order and decoded; repeated `fields` are joined, of others the last counts."""
    found: Parameters = {}
    for piece in (text or "").strip().lstrip("?").split("&"):
        # Blanks around a name or a value have no meaning, also where they are encoded.
        name, _equals, value = (unquote(part).strip() for part in piece.partition("="))
        if name == FIELDS:
            found[name] = ",".join(_split(f"{found.get(name, '')},{value}"))
        elif name:
            found[name] = value
    return found


def selected(text: str) -> list[str]:
    """The names of the fields in a text."""
    return list(_split(parse(text).get(FIELDS, "")))


def canonical(parameters: t.Mapping[str, str]) -> dict[str, t.Any]:
    """A form that is equal for all texts that mean the same."""
    form = {name: _canonical_value(name, value) for name, value in parameters.items()}
    return {name: form[name] for name in sorted(form) if form[name] not in (None, [])}


def merged(requested: Requested, present: str | None) -> tuple[str, bool]:
    """Return the text of the desired state, and whether it differs from the current state.

    What the task does not name is kept. The order is the task's own, so that one desired state has one spelling, whatever the
    service makes of it.
    """
    there = parse(present)
    fields = requested.fields if requested.fields is not None else _split(there.get(FIELDS, ""))
    after = {**there, **requested.others, FIELDS: ",".join(fields)}
    names = dict.fromkeys((*requested.order, *requested.others, *sorted(after)))
    return render({name: after[name] for name in names}), canonical(after) != canonical(there)


def render(parameters: t.Mapping[str, str]) -> str:
    """The text that is sent; parameters that are off are left out. A field may have the name of such a value."""
    kept = {name: value for name, value in parameters.items() if value.lower() not in _OFF or (name == FIELDS and value)}
    text = "&".join(f"{_quoted(name)}={_quoted(value)}" for name, value in kept.items())
    if len(text) > MAX_OPTIONS_LENGTH:
        raise invalid_option("logpull_options", f"{len(text)} characters would be more than the limit of {MAX_OPTIONS_LENGTH}")
    return text


def _quoted(text: str) -> str:
    # What the service shows beside the parameters of the task is sent back, whatever it is.
    return quote(text, safe=_READABLE, errors="surrogatepass")


def _canonical_value(name: str, value: str) -> t.Any:
    if name == FIELDS:
        return sorted(set(_split(value)))
    if value.lower() in _OFF or value == PARAMETER_DEFAULTS.get(name):
        return None
    if _NUMBER.fullmatch(value):
        number = float(value)
        return None if number == 0 or PARAMETER_DEFAULTS.get(name) == f"{number:g}" else number
    return value.lower() if value.lower() == "true" else value


def _split(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in (part.strip() for part in text.split(",")) if name))


def _checked(place: str, text: str) -> str:
    if not _NAME.fullmatch(text.strip()):
        raise invalid_option(place, f"{text!r} is empty, or has white space or one of the characters & = , ? # % + ;")
    return text.strip()


def _flag_name(name: str) -> str:
    if name in (FIELDS, TIMESTAMPS):
        option = "fields" if name == FIELDS else "timestamp_format"
        raise invalid_option(f"option_flags.{name}", f"use the option {option} for it")
    return _checked("option_flags", name)


def _flag_value(place: str, value: t.Any) -> str:
    if value is None or isinstance(value, bool):
        return "true" if value else ""
    if isinstance(value, float) and not math.isfinite(value):
        raise invalid_option(place, f"{value!r} is not a number that can be sent")
    if isinstance(value, (int, float)):
        return f"{value:.15g}" if isinstance(value, float) else str(value)
    if not isinstance(value, str):
        raise invalid_option(place, f"{value!r} is not true or false, a number or a text")
    text = value.strip()
    if text.lower() == "true":
        return "true"
    return _checked(place, text) if text else ""
