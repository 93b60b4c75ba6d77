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


def require_no_clash(names: NamesByKind, given: t.Collection[str]) -> None:
    """Refuse a header that would be logged both raw and transformed; `given` are the types that the task sets."""
    for raw, transformed in RAW_AND_TRANSFORMED:
        both = sorted(set(names.get(raw, ())) & set(names.get(transformed, ())))
        if both:
            place = transformed if transformed in given else raw
            raise invalid_option(
                place,
                f"{', '.join(map(repr, both))} would be in {raw} (raw) and in {transformed} (transformed) at once;"
                " the service logs a header one way or the other",
            )


class Limit(t.NamedTuple):
    """The maximum number of custom fields, in total or of each type; 0 means no limit."""

    maximum: int
    of_each_type: bool


def limit_of(given: int | None, base_url: str) -> Limit:
    """Return the limit that the task sets, or the documented one of the service."""
    if given is not None:
        return Limit(given, of_each_type=False)
    if urlsplit(base_url).hostname == CLOUDFLARE_HOST:
        return Limit(MAX_CUSTOM_FIELDS_EACH, of_each_type=True)
    return Limit(MAX_CUSTOM_FIELDS, of_each_type=False)


def require_limit(names: NamesByKind, limit: Limit) -> None:
    """Refuse more custom fields than the zone accepts; a name counts once for each type."""
    counts = {kind: len(set(names.get(kind, ()))) for kind in FIELD_KINDS}
    total = sum(counts.values())
    parts = ", ".join(f"{kind} {count}" for kind, count in counts.items() if count)
    limited = counts if limit.of_each_type else {f"custom fields ({parts})": total}
    for name, count in limited.items() if limit.maximum else ():
        if count > limit.maximum:
            bound = f"{limit.maximum} of each type" if limit.of_each_type else limit.maximum
            raise invalid_option("field_limit", f"{count} {name} are {count - limit.maximum} more than the limit of {bound}")


def require_response_names(flagged: t.Iterable[str], names: NamesByKind) -> None:
    """Refuse a name in `preserve_duplicates` that is in neither response list."""
    known = {name for kind in RESPONSE_KINDS for name in names[kind]}
    strays = sorted(set(flagged) - known)
    if strays:
        raise invalid_option(
            PRESERVE_DUPLICATES,
            f"{', '.join(map(repr, strays))} would be in neither {' nor '.join(RESPONSE_KINDS)}",
        )


def require_something(names: NamesByKind, given: t.Iterable[str]) -> None:
    """Refuse a rule without any field, which the service does not accept."""
    if not any(names.get(kind) for kind in FIELD_KINDS):
        place = ", ".join(given) or ", ".join(FIELD_KINDS)
        raise invalid_option(place, "no custom field would be left in any list; to remove them all, use state: absent")


def warnings_about(given: NamesByKind) -> tuple[str, ...]:
    """Return warnings about names that the service accepts but does not log."""
    return tuple(
        f"{kind}: Cloudflare accepts the request header {name!r} but does not log it."
        for kind in REQUEST_KINDS
        for name in sorted(NEVER_LOGGED.intersection(given.get(kind, ())))
    )


Names = tuple[str, ...]


class DesiredCustomFields(t.NamedTuple):
    """The desired custom log fields; `given` contains only the types that the task sets."""

    present: bool
    given: t.Mapping[str, Names]
    preserve_duplicates: Names | None
    purge: bool
    description: str | None
    ruleset_name: str
    ruleset_description: str
    field_limit: Limit


def desire(params: t.Mapping[str, t.Any]) -> DesiredCustomFields:
    """Return the desired state in normal form; refuse options that are invalid whatever the current state is."""
    flagged = params[PRESERVE_DUPLICATES]
    desired = DesiredCustomFields(
        present=params["state"] == "present",
        given={kind: _names(kind, params[kind]) for kind in FIELD_KINDS if params[kind] is not None},
        preserve_duplicates=None if flagged is None else _names(PRESERVE_DUPLICATES, flagged),
        purge=params["purge"],
        description=params["description"],
        ruleset_name=params["ruleset_name"],
        ruleset_description=params["ruleset_description"],
        field_limit=limit_of(params["field_limit"], params["base_url"]),
    )
    if desired.field_limit.maximum < 0:
        raise invalid_option("field_limit", f"{desired.field_limit.maximum} is below 0; 0 turns the check off")
    if desired.present:
        _require_possible(desired)
    elif desired.preserve_duplicates is not None and not desired.given:
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


def _require_possible(desired: DesiredCustomFields) -> None:
    """Check what does not depend on the current state, because the requested names will be logged in any case."""
    require_no_clash(desired.given, desired.given)
    require_limit(desired.given, desired.field_limit)
    if not desired.purge:
        return
    if desired.preserve_duplicates and all(kind in desired.given for kind in RESPONSE_KINDS):
        require_response_names(desired.preserve_duplicates, desired.given)
    if all(kind in desired.given for kind in FIELD_KINDS):
        require_something(desired.given, desired.given)
