# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import typing as t

from ...module_utils._core import Json
from ...module_utils._text import canonical
from .document import Comparison, Item, JobRow, Report, Row, identity
from .facts import DIFFERENCE, OF_WAIVERS, UNAUDITED
from .items import OF_JOBS, in_order, item_id
from .judged import is_judged, kept_pages, kept_width, script_of

# The comparison with the previous report. A problem that this run did not judge is never resolved.


class Before(t.NamedTuple):
    """What an earlier report had: by the id that an item has now, the item and its id then; and the ids of those about jobs that are gone.

    A job may have another name by now, and the label of one that is gone may be that of another job; a script may have another entry.
    """

    items: dict[str, tuple[Item, str]]
    gone: set[str]


NOTHING_BEFORE = Before({}, set())
# Whether the absence of an item about a waiver, of a row with these unknown items, means that it is resolved.
JudgeOfWaivers = t.Callable[[Item, Row, t.Sequence[Item]], bool]


def carry_over(rows: t.Sequence[Row], previous: Report | None, of_waivers: JudgeOfWaivers) -> tuple[list[Row], Before]:
    """Return the rows with what they inherit from the previous report, and the rows of zones outside this run; and what that report had."""
    if previous is None:
        return list(rows), NOTHING_BEFORE
    places, left = match(rows, previous["zones"])
    names = {row["zone"] for row in rows}
    # A zone that was created again has a new id; its old row is dropped if it had no problem.
    outside = [row for row in map(previous["zones"].__getitem__, left) if row["items"] or row["zone"] not in names]
    carried: list[Row] = [{**row, "carried": True, "items": in_order(map(as_carried, row["items"]))} for row in outside]
    olds = [None if place is None else previous["zones"][place] for place in places]
    before = Before({item["id"]: (item, item["id"]) for place in left for item in previous["zones"][place]["items"]}, set())
    for row, old in zip(rows, olds, strict=True):
        called = _as_called_now(row, old) if old else NOTHING_BEFORE
        before.items.update(called.items)
        before.gone.update(called.gone)
    return [*(inherit(row, old, of_waivers) for row, old in zip(rows, olds, strict=True)), *carried], before


def compare(rows: t.Sequence[Row], previous: Report | None, before: Before) -> Comparison:
    """Return the ids of problems by their change since the previous report; without one, nothing is new."""
    if previous is None:
        return {"previous_id": None, "new": [], "resolved": [], "changed": [], "persisting": [], "unknown": []}
    items = [item for row in rows for item in row["items"]]
    now = {item["id"]: item for item in items if not item["carried"]}
    unknown = {item["id"] for item in items if item["carried"]} - now.keys()
    known = before.items
    both = known.keys() & now.keys()
    changed = {name for name in both if _values(known[name][0]) != _values(now[name])}
    resolved = before.gone | {known[name][1] for name in known.keys() - now.keys() - unknown}
    return {
        "previous_id": previous["report_id"],
        "new": sorted(now.keys() - known.keys()),
        "resolved": sorted(resolved - now.keys() - unknown),
        "changed": sorted(changed),
        "persisting": sorted(both - changed),
        "unknown": sorted(unknown & known.keys()),
    }


def _values(item: Item) -> list[Json]:
    """Return the values by which a problem counts as changed."""
    if item["resource"] in ("health", "delivery"):
        # Their messages contain durations and amounts, which change in every run while the problem stays the same.
        return [item["severity"]]
    return [item["severity"], *([item["is"], item["should_be"]] if item["kind"] == DIFFERENCE else [item["message"]])]


def _judges_none(_item: Item, _row: Row, _left: t.Sequence[Item]) -> bool:
    return False


def inherit(row: Row, old: Row | None, of_waivers: JudgeOfWaivers = _judges_none) -> Row:
    """Return a row with what it inherits from an earlier audit: when problems were first seen, and problems that were not judged now."""
    if old is None or row["carried"]:
        return row
    before = _as_called_now(row, old).items
    own: list[Item] = [
        {**item, "first_seen": min(item["first_seen"], before[item["id"]][0]["first_seen"])} if item["id"] in before else item
        for item in row["items"]
    ]
    missing = [item for name, (item, _was) in before.items() if name not in {item["id"] for item in own}]
    is_audited = row["status"] != UNAUDITED
    plain = [item for item in missing if item["type"] not in OF_WAIVERS]
    left = [item for item in plain if not (is_audited and is_judged(row, old, item))]
    about_waivers = [item for item in missing if item["type"] in OF_WAIVERS]
    left += [item for item in about_waivers if not (is_audited and of_waivers(item, row, left))]
    inherited: Row = {
        **row,
        "zone_id": row["zone_id"] or old["zone_id"],
        "account_id": row["account_id"] or old["account_id"],
        "account_name": row["account_name"] or old["account_name"],
        "pages": kept_pages(row, old, left),
        "judged": kept_width(row, old, left),
        "items": in_order([*own, *map(as_carried, left)]),
    }
    if not is_audited:
        inherited["audited_at"] = max(row["audited_at"] or "", old["audited_at"] or "") or None
        inherited["jobs"] = old["jobs"] if row["jobs"] is None else row["jobs"]
    return inherited


def as_carried(item: Item) -> Item:
    return {**item, "carried": True}


def _as_called_now(row: Row, old: Row) -> Before:
    """Return the items of an earlier row by the ids that they have now."""
    labels = {number: job["job"] for number, job in by_number(row["jobs"]).items()}
    numbers = {job["job"]: number for number, job in by_number(old["jobs"]).items()}
    ids = {item["id"] for item in row["items"]}
    scripts = {_script_of(item): item["subject"] for item in row["items"]}
    before = Before({}, set())
    for item in old["items"]:
        number = numbers.get(item["subject"] or "") if is_of_job(item) else None
        subject = labels.get(number or 0) or item["subject"]
        if number is not None and number not in labels and subject in labels.values() and row["status"] != UNAUDITED:
            before.gone.add(item["id"])
            continue
        if item["id"] not in ids:
            subject = scripts.get(_script_of(item)) or subject
        if subject == item["subject"]:
            before.items.setdefault(item["id"], (item, item["id"]))
        else:
            called: Item = {**item, "subject": subject, "id": _id_of(row, item, subject)}
            before.items[called["id"]] = (called, item["id"])
    return before


def _script_of(item: Item) -> tuple[str, str]:
    """Return the type of an item about a script with that script, the same under any entry of the baseline; other items have their ids."""
    key = script_of(item) if item["resource"] == "scripts" and item["type"] not in OF_WAIVERS else None
    return item["type"], canonical(key) if key and any(key) else item["id"]


def _id_of(row: Row, item: Item, subject: str | None) -> str:
    return item_id(identity(row), item["kind"], item["resource"], subject, item["member"])


def is_of_job(item: Item) -> bool:
    """Return whether the subject of an item may be the label of a job."""
    return item["type"] == "field_removed" or (item["resource"] in OF_JOBS and item["type"] not in OF_WAIVERS)


def by_number(jobs: t.Sequence[JobRow] | None) -> dict[int, JobRow]:
    """Return the jobs of a row by their ids, as far as these tell them apart."""
    numbers = collections.Counter(job["job_id"] for job in jobs or ())
    return {number: job for job in jobs or () if (number := job["job_id"]) is not None and numbers[number] == 1}


def first_seen(row: Row, old: Row | None) -> dict[str, str]:
    """Return since when the items of an earlier row are known, by the ids that they have now."""
    return {name: item["first_seen"] for name, (item, _was) in _as_called_now(row, old).items.items()} if old else {}


# Matching of the rows of two reports by zone.

_Key = t.Callable[[Row], t.Hashable]
_Fits = t.Callable[[Row, Row], bool]
# The most certain match first: zones of two accounts may have the same name, and a zone that cannot be read may have no id.
_STEPS: tuple[tuple[_Key, _Fits], ...] = (
    (lambda row: (row["scope"], identity(row), row["zone"]), lambda row, other: True),
    (lambda row: (row["scope"], identity(row)), lambda row, other: identity(row) is not None),
    (lambda row: (row["scope"], row["zone"]), lambda row, other: None in (identity(row), identity(other))),
)


def match(rows: t.Sequence[Row], others: t.Sequence[Row]) -> tuple[list[int | None], list[int]]:
    """Return for each row the place of the other row of its zone, by id, or by name if one has no id; and the places that are left."""
    matched: list[int | None] = [None] * len(rows)
    left = dict.fromkeys(range(len(others)))
    for key, fits in _STEPS:
        places: dict[t.Hashable, list[int]] = {}
        for place in left:
            places.setdefault(key(others[place]), []).append(place)
        for number, row in enumerate(rows):
            if matched[number] is None:
                fitting = (place for place in places.get(key(row), ()) if place in left and fits(row, others[place]))
                matched[number] = fitting_place = next(fitting, None)
                if fitting_place is not None:
                    del left[fitting_place]
    return matched, list(left)
