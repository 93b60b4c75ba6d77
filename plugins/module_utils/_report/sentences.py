# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import typing as t

from .._core import Json
from .._filter.text import explain_echo
from .._logpush import logpull_options
from .._text import shorten
from .facts import DIFFERENCE

# The words for an item in every format: what is, and what should be.

MAX_VALUE = 200
_MAX_NAMES = 30
_UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


def sentence(item: t.Mapping[str, Json]) -> str:
    """What is and what should be, without the subject: `enabled is false, should be true`."""
    if item["kind"] == DIFFERENCE:
        return _difference(item["member"] or "", item["is"], item["should_be"])
    return f"{item['is']}; should be: {item['should_be']}" if item["should_be"] else str(item["is"])


def cells(item: t.Mapping[str, Json]) -> tuple[str, str, str]:
    """The name of what differs, what it is, and what it should be, for the columns of a table; the first is empty for a finding."""
    present, desired = item["is"], item["should_be"]
    if item["kind"] != DIFFERENCE:
        return "", _value("", present) if present is not None else "", "" if desired is None else _value("", desired)
    member = item["member"]
    if member is None:
        return ("", *_whole(present, desired))
    if member.endswith("logpull_options"):
        pairs = list(_option_pairs(present, desired))
        if pairs:
            sides = ["; ".join(side) for side in zip(*map(_named_columns, pairs), strict=True)]
            return _name(member), sides[0], sides[1]
    return (_name(member), *_columns((member, present, desired)))


def plural(number: int, noun: str, many: str = "") -> str:
    """A number with its noun: `1 zone`, `1,200 zones`."""
    return f"{number:,} {noun if number == 1 else many or f'{noun}s'}"


def duration(seconds: float) -> str:
    """A duration that people read, in its largest unit: `30 hours`; from three days on in days."""
    for size, unit in _UNITS:
        if seconds >= (3 * size if unit == "day" else size) or size == 1:
            return plural(int(seconds // size), unit)
    return ""


def _difference(member: str, present: Json, desired: Json) -> str:
    if not member:
        return _joined(*_whole(present, desired))
    if member.endswith("logpull_options"):
        pairs = [_difference(name, one, other) for name, one, other in _option_pairs(present, desired)]
        if pairs:
            return "; ".join(pairs)
    missing, extra = _missing(present, desired)
    if missing or extra:
        return f"{_name(member)}: {_list_words(missing, extra)}"
    name, one, other = _name(member), _value(member, present), _value(member, desired)
    return f"{name} {_joined(one, other)}"


def _joined(present: str, desired: str) -> str:
    return f"is {present}, should be {desired}"


def _whole(present: Json, desired: Json) -> tuple[str, str]:
    """Something that is there or not as a whole."""
    if not present and desired:
        return "missing", "created"
    if present and not desired:
        return "present", "absent"
    return ("different", "as declared") if not present else (_value("", present), _value("", desired))


def _columns(change: tuple[str, Json, Json]) -> tuple[str, str]:
    member, present, desired = change
    missing, extra = _missing(present, desired)
    if missing or extra:
        return _list_words(missing, extra), _names(desired) or "empty"
    return _value(member, present), _value(member, desired)


def _named_columns(change: tuple[str, Json, Json]) -> tuple[str, str]:
    present, desired = _columns(change)
    return f"{change[0]}: {present}", f"{change[0]}: {desired}"


def _missing(present: Json, desired: Json) -> tuple[list[str], list[str]]:
    """Of two plain lists what is missing and what is too much."""
    sides = [[] if side is None else side for side in (present, desired)]
    if not all(isinstance(side, (list, tuple)) and not any(isinstance(each, (dict, list)) for each in side) for side in sides):
        return [], []
    one, other = sides
    return [str(each) for each in other if each not in one], [str(each) for each in one if each not in other]


def _list_words(missing: t.Sequence[str], extra: t.Sequence[str]) -> str:
    words = [f"{text} {_names(names)}" for text, names in (("missing", missing), ("not declared", extra)) if names]
    return "; ".join(words)


def _names(names: t.Sequence[Json]) -> str:
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return ", ".join(_cut(str(name)) for name in names[:_MAX_NAMES]) + more


def _name(member: str) -> str:
    return {"output_options.field_names": "fields", "logpull_options": "output options"}.get(member, member)


def _value(member: str, value: Json) -> str:
    """A value in words: a filter as its sentence, nothing as `not set`."""
    if member == "filter" or member.endswith(".filter"):
        return f'"{_cut(explain_echo(value))}"'
    if value is None or value in ("", [], {}):
        return "not set"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and member.endswith("_seconds"):
        return plural(value, "second")
    if isinstance(value, dict) and set(value) >= {"scheme", "address"}:
        return _cut(destination(value))
    return _cut(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str))


def destination(public: t.Mapping[str, Json]) -> str:
    """A destination as a result shows it, as the address that it is."""
    options = public.get("options") if isinstance(public.get("options"), dict) else {}
    query = "&".join(f"{name}={value}" for name, value in (options or {}).items())
    return f"{public.get('scheme')}://{public.get('address')}{'?' if query else ''}{query}"


def _option_pairs(present: Json, desired: Json) -> t.Iterator[tuple[str, Json, Json]]:
    """The parameters in which two option texts differ, the list of fields as a list."""
    one, other = (logpull_options.parse(side) if isinstance(side, str) else {} for side in (present, desired))
    for name in sorted({**one, **other}, key=lambda each: (each != logpull_options.FIELDS, each)):
        was, will = one.get(name), other.get(name)
        if name == logpull_options.FIELDS:
            fields, names = ([each for each in (side or "").split(",") if each] for side in (was, will))
            if set(fields) != set(names):
                yield name, fields, names
        elif was != will:
            yield name, was, will


def _cut(text: str) -> str:
    return shorten(text, MAX_VALUE)
