# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.facts import (
    FIELD_KINDS,
    NEVER_LOGGED,
    PRESERVE_DUPLICATES,
    RAW_AND_TRANSFORMED,
    REQUEST_KINDS,
    RESPONSE_KINDS,
)
from ansible_collections.edgeops.observability.plugins.module_utils._errors import invalid_option

NamesByKind = t.Mapping[str, t.Collection[str]]


def require_no_clash(names: NamesByKind, given: t.Collection[str] = FIELD_KINDS) -> None:
    """Refuse a header that would be logged both raw and transformed; the place is an option that the task gives, if there is one."""
    for raw, transformed in RAW_AND_TRANSFORMED:
        both = sorted(set(names.get(raw, ())) & set(names.get(transformed, ())))
        if both:
            place = transformed if transformed in given else raw
            raise invalid_option(
                place,
                f"{', '.join(map(repr, both))} would be in {raw} (raw) and in {transformed} (transformed) at once;"
                " the service logs a header one way or the other",
            )


def require_limit(names: NamesByKind, limit: int) -> None:
    """Refuse more custom fields in total than the zone accepts, a name once for each kind; 0 means no limit."""
    counts = {kind: len(set(names.get(kind, ()))) for kind in FIELD_KINDS}
    total = sum(counts.values())
    if limit and total > limit:
        parts = ", ".join(f"{kind} {count}" for kind, count in counts.items() if count)
        raise invalid_option("field_limit", f"{total} custom fields ({parts}) are {total - limit} more than the limit of {limit}")


def require_response_names(flagged: t.Iterable[str], names: NamesByKind) -> None:
    """Refuse a name whose values are to be kept although it is in neither response list."""
    known = {name for kind in RESPONSE_KINDS for name in names[kind]}
    strays = sorted(set(flagged) - known)
    if strays:
        raise invalid_option(
            PRESERVE_DUPLICATES,
            f"{', '.join(map(repr, strays))} would be in neither {' nor '.join(RESPONSE_KINDS)}",
        )


def require_something(names: NamesByKind, given: t.Iterable[str]) -> None:
    """Refuse to leave a rule without any field, which the service does not accept."""
    if not any(names.get(kind) for kind in FIELD_KINDS):
        place = ", ".join(given) or ", ".join(FIELD_KINDS)
        raise invalid_option(place, "no custom field would be left in any list; to remove them all, use state: absent")


def warnings_about(given: NamesByKind) -> tuple[str, ...]:
    """What the service accepts but does not do."""
    return tuple(
        f"{kind}: Cloudflare accepts the request header {name!r} but does not log it."
        for kind in REQUEST_KINDS
        for name in sorted(NEVER_LOGGED.intersection(given.get(kind, ())))
    )
