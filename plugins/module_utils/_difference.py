# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ._core import CONTENT_SECURITY_RULES, CUSTOM_FIELDS, JOBS, Json
from ._destination import CHANGED, SENT_AGAIN
from ._text import dict_of, list_of

# What differs between the two sides of a plan. Nothing else compares them; reports, deliveries, adoptions and filters only render this.

CREATE, UPDATE, DELETE = "create", "update", "delete"
# Parts that consist of objects with labels.
_LABELLED = (JOBS, CONTENT_SECURITY_RULES)
# A member that is compared and shown as a whole.
FILTER = "filter"


class Difference(t.NamedTuple):
    """A member that differs, or an object as a whole: then `path` is None, or the place of an object in another one.

    `resource`: the part of the zone; "" for a diff that does not say. `subject`: the label of a job or a rule.
    `secret`: what differs is masked. `reason`: why the side before is as it is, where the service says so. A job or a rule that does not
    exist is None on its side.
    """

    resource: str
    subject: str | None
    path: str | None
    action: str
    before: Json
    after: Json
    secret: bool = False
    reason: str | None = None


def of_members(before: Json, after: Json, resource: str = "", subject: str | None = None) -> list[Difference]:
    """Return what differs between two sides, member by member; where a side is empty, it is the whole."""
    return list(_compare(resource, subject, "", before, after))


def differing(before: Json, after: Json) -> tuple[dict[str, Json], dict[str, Json]]:
    """Return both sides of objects by label, only of those that differ."""
    one, other = dict_of(before), dict_of(after)
    labels = [label for label in one if one[label] != other[label]]
    return {label: one[label] for label in labels}, {label: other[label] for label in labels}


def of_part(resource: str, before: Json, after: Json, changed: bool = False) -> list[Difference]:
    """Return what differs in a part of a zone; `changed`: the part says so, also where both sides look equal."""
    one, other = dict_of(before), dict_of(after)
    if resource in _LABELLED:
        labels = sorted({**one, **other})
        differences = [
            difference for label in labels for difference in of_members(one.get(label), other.get(label), resource, label)
        ]
    elif resource == CUSTOM_FIELDS:
        differences = _of_custom_fields(one, other)
    else:
        differences = of_members(one, other, resource)
    return differences or [Difference(resource, None, None, UPDATE, None, None, secret=True)] * changed


def _of_custom_fields(before: dict[str, Json], after: dict[str, Json]) -> list[Difference]:
    """Return the differing lists. The rules contain the same names, and count if no list differs, or a rule that stays does otherwise."""
    one, other = ({**side, **dict_of(side.get("custom_fields")), "custom_fields": None} for side in (before, after))
    differences = of_members(one, other, CUSTOM_FIELDS)
    lists = [difference for difference in differences if difference.path != "rules"]
    if not lists:
        return differences
    was, will = (list(map(_without_names, list_of(side.get("rules")))) for side in (before, after))
    stays = {rule.get("id") for rule in was} & {rule.get("id") for rule in will}
    if all(rule in will for rule in was if rule.get("id") in stays):
        return lists
    return [*of_members({"rules": was}, {"rules": will}, CUSTOM_FIELDS), *lists]


def _without_names(rule: Json) -> dict[str, Json]:
    return {name: value for name, value in dict_of(rule).items() if name != "custom_fields"}


def _compare(resource: str, subject: str | None, path: str, before: Json, after: Json) -> t.Iterator[Difference]:
    is_object = isinstance(before, dict) and isinstance(after, dict)
    if before == after or (not path and not before and not after):
        return
    if is_object and before and after and path.rpartition(".")[2] != FILTER:
        one, other = _named(dict_of(before), dict_of(after))
        for name in sorted({**one, **other}):
            yield from _compare(resource, subject, f"{path}.{name}" if path else name, one.get(name), other.get(name))
        return
    action = UPDATE
    if not path or is_object:
        action = CREATE if not before else UPDATE if after else DELETE
    if not path:
        before, after = before or None, after or None
    yield Difference(resource, subject, path or None, action, before, after, secret=_is_secret(after))


def _named(*sides: dict[str, Json]) -> tuple[dict[str, Json], ...]:
    """Return the sides of an object with the name of a transformer, where it was read, in place of its id; two of one name keep their ids."""
    if not all("transformer_id" in side and "transformer" in side for side in sides):
        return sides
    named = tuple({**side, "transformer_id": side["transformer"] or side["transformer_id"]} for side in sides)
    is_one_name = len({side["transformer"] for side in sides}) == 1
    return tuple(
        {name: value for name, value in side.items() if name != "transformer"} for side in (sides if is_one_name else named)
    )


def _is_secret(value: Json) -> bool:
    return isinstance(value, str) and value.endswith((CHANGED, SENT_AGAIN))
