# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._core import Json, invalid_option
from . import logpull_options
from .coverage import names_in
from .facts import CSV, NDJSON, SUBOPTIONS, TIMESTAMP_FORMATS

Options = dict[str, Json]


def desire(options: t.Mapping[str, t.Any]) -> Options:
    """Return the suboptions that a task sets, under the names of the service."""
    named = {sub.wire: options[sub.option] for sub in SUBOPTIONS.values() if options.get(sub.option) is not None}
    names = named.get("field_names", ())
    for index, name in enumerate(names):
        if not isinstance(name, str) or not name.strip() or "," in name:
            raise invalid_option(f"output_options.field_names[{index}]", f"{name!r} is not the name of a field")
    if "field_names" in named:
        named["field_names"] = list(dict.fromkeys(map(str.strip, names)))
    rate = named.get("sample_rate", 1)
    if not 0 < rate <= 1:  # true for NaN as well
        raise invalid_option("output_options.sample_rate", f"{rate!r} is not above 0 and at most 1")
    return named


def from_logpull(parameters: logpull_options.Parameters) -> Options:
    """Return the older form of the options in this form, without defaults and without what this form lacks."""
    form = logpull_options.canonical(parameters)
    timestamp_format, rate = form.get(logpull_options.TIMESTAMPS), form.get(logpull_options.SAMPLE)
    options: Options = {
        "field_names": list(logpull_options.split_names(parameters.get(logpull_options.FIELDS, ""))) or None,
        "timestamp_format": timestamp_format if timestamp_format in TIMESTAMP_FORMATS else None,
        "sample_rate": rate if logpull_options.is_rate(rate) else None,
        **{sub.wire: True for sub in SUBOPTIONS.values() if sub.type == "bool" and form.get(sub.wire) == "true"},
    }
    return {name: value for name, value in options.items() if value is not None}


def to_parts(options: t.Mapping[str, Json]) -> Options:
    """Return what the options have in common with the older form, as the options for its parts have it; None for what is not set."""
    rate = options.get("sample_rate")
    flags: Options = {sub.wire: True for sub in SUBOPTIONS.values() if sub.type == "bool" and options.get(sub.wire)}
    flags |= {} if rate is None else {logpull_options.SAMPLE: rate}
    return {
        "fields": names_in(options.get("field_names")) or None,
        "timestamp_format": options.get("timestamp_format") or None,
        "option_flags": flags or None,
    }


def merged(requested: t.Mapping[str, Json], present: t.Mapping[str, Json]) -> tuple[Options, bool]:
    """Return all options in the desired state, and whether they differ from the current state."""
    there = {name: value for name, value in present.items() if value is not None}
    before, after = _type(there), _type({**there, **requested})
    if before != after:
        # Drop prefixes and suffixes that only the old output type has set; they would corrupt the new one.
        own = {sub.wire: sub.by_output_type[before] for sub in SUBOPTIONS.values() if before in sub.by_output_type}
        there = {name: value for name, value in there.items() if name not in own or value != own[name]}
    whole = {**there, **requested}
    return whole, before != after or not all(same_suboption(name, whole, there) for name in requested)


def reported(whole: t.Mapping[str, Json], requested: t.Mapping[str, Json]) -> Options | None:
    """Return the reported members: those that the task sets, and those that differ from their default; None for none."""
    return {
        name: whole[name] for name in whole if name in requested or not same_suboption(name, whole, {**whole, name: None})
    } or None


def same_suboption(name: str, one: t.Mapping[str, Json], other: t.Mapping[str, Json]) -> bool:
    """Return whether two `output_options` have the same value of a member, defaults included."""
    return bool(_filled(name, one) == _filled(name, other))


def canonical(options: t.Mapping[str, Json]) -> Options:
    """Return a form that is equal for all options with one meaning, without those that mean the default."""
    return {name: _filled(name, options) for name in options if not same_suboption(name, options, {**options, name: None})}


def _filled(name: str, options: t.Mapping[str, Json]) -> Json:
    value, output_type, sub = options.get(name), _type(options), SUBOPTIONS.get(name)
    if sub is None:
        return value
    if name == "field_names":
        names = list(dict.fromkeys(names_in(value)))
        # Only in csv does the order of names matter: it is the order of columns.
        return names if output_type == CSV else sorted(names)
    if sub.type == "float" and value is not None:
        # A sample rate of 0 is not the default; it is documented nowhere.
        return value
    return value or sub.by_output_type.get(output_type, sub.default)


def _type(options: t.Mapping[str, Json]) -> str:
    return str(options.get("output_type") or NDJSON)
