# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t
from urllib.parse import urlsplit

from .._core import CLOUDFLARE_HOST, invalid_option
from .facts import (
    COOKIE_FIELDS,
    COOKIE_SEPARATORS,
    FIELD_KINDS,
    HEADER_TOKEN,
    MAX_CUSTOM_FIELDS,
    MAX_CUSTOM_FIELDS_EACH,
    NEVER_LOGGED,
    PRESERVE_DUPLICATES,
    RAW_AND_TRANSFORMED,
    REQUEST_KINDS,
    RESPONSE_KINDS,
)

NamesByKind = t.Mapping[str, t.Collection[str]]
Names = tuple[str, ...]


class DesiredCustomFields(t.NamedTuple):
    """The desired custom log fields; `names` contains only the types that the task sets, and a limit of 0 means none."""

    present: bool
    names: t.Mapping[str, Names]
    preserve_duplicates: Names | None
    purge: bool
    description: str | None
    ruleset_name: str
    ruleset_description: str
    field_limit: int
    limits_each_type: bool


def desire(params: t.Mapping[str, t.Any]) -> DesiredCustomFields:
    """Return the desired state in normal form; refuse options that are invalid whatever the current state is."""
    flagged, limit = params[PRESERVE_DUPLICATES], params["field_limit"]
    limits_each_type = limit is None and urlsplit(params["base_url"]).hostname == CLOUDFLARE_HOST
    if limit is None:
        limit = MAX_CUSTOM_FIELDS_EACH if limits_each_type else MAX_CUSTOM_FIELDS
    elif limit < 0:
        raise invalid_option("field_limit", f"{limit} is below 0; 0 turns the check off")
    desired = DesiredCustomFields(
        present=params["state"] == "present",
        names={kind: _names(kind, params[kind]) for kind in FIELD_KINDS if params[kind] is not None},
        preserve_duplicates=None if flagged is None else _names(PRESERVE_DUPLICATES, flagged),
        purge=params["purge"],
        description=params["description"],
        ruleset_name=params["ruleset_name"],
        ruleset_description=params["ruleset_description"],
        field_limit=limit,
        limits_each_type=limits_each_type,
    )
    if desired.present:
        # What would be logged whatever the current state is; with `purge`, the given lists are all that is left of their types.
        require_possible(desired, desired.names, desired.names if desired.purge else ())
    elif desired.preserve_duplicates is not None and not desired.names:
        # Without a list, every custom field would be removed, which is probably not intended.
        raise invalid_option(PRESERVE_DUPLICATES, "state: absent removes names from the other lists; name them there")
    return desired


def normal_name(place: str, kind: str, text: str) -> str:
    """Return a name in the service's form: headers trimmed and in lower case, cookies unchanged."""
    if kind == COOKIE_FIELDS:
        if not text or any(sign.isspace() or not sign.isprintable() or sign in COOKIE_SEPARATORS for sign in text):
            raise invalid_option(place, f"{text!r} is not a cookie name: it is empty or has white space, '=', ';' or ','")
        return text
    name = text.strip()
    if not HEADER_TOKEN.fullmatch(name):
        raise invalid_option(place, f"{text!r} is not a header name: only letters, digits and !#$%&'*+-.^_`|~ may be in it")
    return name.lower()


def _names(kind: str, values: t.Iterable[str]) -> Names:
    """Return a list sorted and without duplicates, because order and repetition have no meaning."""
    return tuple(sorted({normal_name(f"{kind}[{index}]", kind, value) for index, value in enumerate(values)}))


def require_possible(desired: DesiredCustomFields, names: NamesByKind, complete: t.Collection[str]) -> None:
    """Refuse names that the service would not accept together; the types in `complete` will have no further names."""
    name_sets = {kind: set(names.get(kind, ())) for kind in FIELD_KINDS}
    if not any(name_sets.values()) and set(FIELD_KINDS) <= set(complete):
        place = ", ".join(desired.names or FIELD_KINDS)
        raise invalid_option(place, "no custom field would be left in any list; to remove them all, use state: absent")
    for raw, transformed in RAW_AND_TRANSFORMED:
        both = sorted(name_sets[raw] & name_sets[transformed])
        if both:
            raise invalid_option(
                transformed if transformed in desired.names else raw,
                f"{', '.join(map(repr, both))} would be in {raw} (raw) and in {transformed} (transformed) at once;"
                " the service logs a header one way or the other",
            )
    strays = sorted(set(desired.preserve_duplicates or ()).difference(*(name_sets[kind] for kind in RESPONSE_KINDS)))
    if strays and set(RESPONSE_KINDS) <= set(complete):
        text = f"{', '.join(map(repr, strays))} would be in neither {' nor '.join(RESPONSE_KINDS)}"
        raise invalid_option(PRESERVE_DUPLICATES, text)
    _require_limit(desired, {kind: len(name_sets[kind]) for kind in FIELD_KINDS})


def _require_limit(desired: DesiredCustomFields, counts: t.Mapping[str, int]) -> None:
    """Refuse more custom fields than the zone accepts; a name counts once for each type."""
    parts = ", ".join(f"{kind} {count}" for kind, count in counts.items() if count)
    limited = counts if desired.limits_each_type else {f"custom fields ({parts})": sum(counts.values())}
    limit = desired.field_limit
    for name, count in limited.items():
        if limit and count > limit:
            bound = f"{limit} of each type" if desired.limits_each_type else limit
            raise invalid_option("field_limit", f"{count} {name} are {count - limit} more than the limit of {bound}")


def warnings_about(names: NamesByKind) -> tuple[str, ...]:
    """Return warnings about names that the service accepts but does not log."""
    return tuple(
        f"{kind}: Cloudflare accepts the request header {name!r} but does not log it."
        for kind in REQUEST_KINDS
        for name in sorted(NEVER_LOGGED.intersection(names.get(kind, ())))
    )
