# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import hashlib
import json
import re
import typing as t

from ...module_utils._address import without_ids
from ...module_utils._core import Json
from ...module_utils._difference import Difference, of_members
from ...module_utils._filter.text import explain_echo
from ...module_utils._logpush import logpull_options
from ...module_utils._text import canonical, dict_of, list_of, shorten
from .._diff import plain_list
from .._words import plural
from .document import Item
from .facts import DIFFERENCE, KINDS, LOW, OF_WAIVERS, PATTERNS, RESOURCES, SEVERITIES, type_of, type_place

# Items of the report: what an audit found, and the words for it.

_ORDER = {name: place for names in (KINDS, RESOURCES, SEVERITIES) for place, name in enumerate(names)}


class Problem(t.NamedTuple):
    """A difference, finding or note; `items_of` makes an item of it, with what depends on the zone and the time.

    `note` continues its sentence.
    """

    type: str
    kind: str
    resource: str
    subject: str | None
    member: str | None
    severity: str
    present: Json
    desired: Json
    note: str = ""


def problem(
    name: str,
    subject: str | None,
    present: Json,
    desired: Json = None,
    *,
    member: str | None = None,
    resource: str | None = None,
    kind: str | None = None,
) -> Problem:
    """Return a problem of a type; the default member is the name of the type, and the type has defaults for everything else."""
    of_type = type_of(name)
    return Problem(
        type=name,
        kind=kind or of_type.kind,
        resource=resource or of_type.resource,
        subject=subject,
        member=member or name,
        severity=of_type.severity if kind in (None, of_type.kind) else LOW,
        present=present,
        desired=of_type.should_be if desired is None else desired,
    )


def difference_problem(difference: Difference) -> Problem:
    """Return a difference as a problem; its reason continues the sentence."""
    return Problem(
        type=DIFFERENCE,
        kind=DIFFERENCE,
        resource=difference.resource,
        subject=difference.subject,
        member=difference.path,
        severity=type_of(DIFFERENCE).severity,
        present=difference.before,
        desired=difference.after,
        note=f"; {difference.reason}" if difference.reason else "",
    )


class Wording(t.NamedTuple):
    """The words of a difference: for two values, and for missing and surplus names of a list."""

    values: str
    lacking: str
    surplus: str


# Before and after a difference is applied.
FOUND = Wording("is {}, should be {}", "missing", "not declared")
APPLIED = Wording("was {}, now {}", "added", "removed")


def item_id(owner: str | None, kind: str, resource: str, subject: str | None, member: str | None) -> str:
    """Return the id of an item, which depends on its place and not on its values, so that it is the same in every format and run."""
    return hashlib.sha256(canonical([owner, kind, resource, subject, member]).encode()).hexdigest()[:16]


def items_of(owner: str | None, problems: t.Iterable[Problem], at: str, wording: Wording = FOUND) -> list[Item]:
    """Return the items of a zone or account, each problem once, in a fixed order."""
    items: dict[str, Item] = {}
    for raised in problems:
        name = item_id(owner, raised.kind, raised.resource, raised.subject, raised.member)
        if name not in items:
            items[name] = {
                "id": name,
                "kind": raised.kind,
                "type": raised.type,
                "resource": raised.resource,
                "subject": raised.subject,
                "member": raised.member,
                "severity": raised.severity,
                "message": sentence(raised, wording) + raised.note,
                "is": raised.present,
                "should_be": raised.desired,
                "first_seen": at,
                "waived": False,
                "carried": False,
            }
    return in_order(items.values())


def in_order(items: t.Iterable[Item]) -> list[Item]:
    """Return items by kind, severity, type (the worst first), resource, subject and member; carried ones last."""
    return sorted(
        items,
        key=lambda item: (
            item["carried"],
            *(_ORDER.get(name, len(_ORDER)) for name in (item["kind"], item["severity"])),
            type_place(item["type"]),
            _ORDER.get(item["resource"], len(_ORDER)),
            item["subject"] or "",
            item["member"] or "",
            item["id"],
        ),
    )


def counting(items: t.Iterable[Item]) -> list[Item]:
    """Return the items that count: neither waived nor carried over from an earlier report."""
    return [item for item in items if not item["waived"] and not item["carried"]]


# The label of a job without a name, which looks like a path.
_NAMELESS = re.compile(r"/([a-z0-9_]+)/([0-9]+|new)")
OF_JOBS = ("jobs", "health", "delivery", "coverage")


def job_words(label: str) -> str:
    """Return the label of a job for people; a job without a name is called as in warnings: `149 (http_requests)`."""
    nameless = _NAMELESS.fullmatch(label)
    return f"{nameless[2]} ({nameless[1]})" if nameless else label


def subject_words(item: Item) -> str:
    """Return the subject for people; that of a script, a page or a waiver is JSON, of which this shows the members in words."""
    subject = item["subject"] or ""
    of_waiver = item["type"] in OF_WAIVERS
    if not of_waiver and item["resource"] not in ("scripts", "pages"):
        return job_words(subject) if item["resource"] in OF_JOBS else subject
    try:
        parts = json.loads(subject)
        if of_waiver:
            return f"waiver for {patterns_text(parts)}"
        if item["resource"] == "pages":
            page, what = parts
            if page is None:
                return str(what) if item["type"] == "unused" else f"entry {what}"
            return f"{page} ({what})" if what and what != page else str(page)
        url, host, entry = parts
    except (ValueError, RecursionError, TypeError, AttributeError):  # an earlier report may hold anything there
        return subject
    script = " on ".join(str(part) for part in (url, host) if part)
    words = f"entry {entry}" if entry else ""
    return f"{script} ({words})" if script and words else script or words


def without_own(item: Item, zone: str) -> Item:
    """Return an item without what names its zone, so that equal ones of several zones are equal: ids in addresses, and the host of a script."""
    is_ = without_ids(item["is"]) if isinstance(item["is"], str) else item["is"]
    item = {**item, "message": without_ids(item["message"]), "is": is_}
    if item["resource"] != "scripts" or item["type"] in OF_WAIVERS:
        return item
    try:
        url, host, entry = json.loads(item["subject"] or "")
    except (ValueError, RecursionError, TypeError):  # an earlier report may hold anything there
        return item
    return {**item, "subject": canonical([url, None, entry])} if url and host == zone else item


def patterns_text(waiver: t.Mapping[str, Json]) -> str:
    """Return what a waiver covers."""
    return ", ".join(f"{name} {waiver[name]}" for name in PATTERNS if waiver.get(name)) or "everything"


# The words for an item in every format: what is, and what should be.

_MAX_VALUE = 200
_MAX_NAMES = 30


# The words for a whole object after the change, by what it should be before.
_APPLIED_WHOLE = {"created": "created", "absent": "removed", "as declared": "changed"}


def sentence(problem: Problem, wording: Wording = FOUND) -> str:
    """Return what is and what should be, without the subject: `enabled is false, should be true`."""
    present, desired = problem.present, problem.desired
    if problem.kind != DIFFERENCE:
        return f"{str(present).rstrip('.;')}; should be: {desired}" if desired else str(present)
    if problem.member is None:
        was, will = _whole(present, desired)
        done = _APPLIED_WHOLE.get(will) if wording is APPLIED else None
        return done or wording.values.format(was, will)
    texts = []
    for member, one, other in _parts(problem.member, present, desired):
        names = _list_words(one, other, wording)
        values = wording.values.format(_value(member, one), _value(member, other))
        texts.append(f"{_name(member)}: {names}" if names else f"{_name(member)} {values}")
    return "; ".join(texts)


def cells(item: Item) -> tuple[str, str, str]:
    """Return what differs, what it is, and what it should be, for the columns of a table; the first is "" for a finding."""
    present, desired = item["is"], item["should_be"]
    if item["kind"] != DIFFERENCE:
        return "", "" if present is None else str(present), "" if desired is None else str(desired)
    whole = item["member"]
    if whole is None:
        return ("", *_whole(present, desired))
    was, will = [], []
    for member, one, other in _parts(whole, present, desired):
        head = "" if member == whole else f"{member}: "
        names = _list_words(one, other, FOUND)
        was.append(head + (names or _value(member, one)))
        will.append(head + ((_names(plain_list(other) or ()) or "empty") if names else _value(member, other)))
    return _name(whole), "; ".join(was), "; ".join(will)


def _parts(member: str, present: Json, desired: Json) -> list[tuple[str, Json, Json]]:
    """Return a member with both values, of an option text each parameter that differs, with the fields as a list."""
    if not member.endswith("logpull_options"):
        return [(member, present, desired)]
    one, other = (_parameters(side) for side in (present, desired))
    if set(list_of(one.get(logpull_options.FIELDS))) == set(list_of(other.get(logpull_options.FIELDS))):
        one, other = ({**side, logpull_options.FIELDS: None} for side in (one, other))
    differing = [(str(difference.path), difference.before, difference.after) for difference in of_members(one, other)]
    fields_first = sorted(differing, key=lambda part: part[0] != logpull_options.FIELDS)
    return fields_first or [(member, present, desired)]


def _parameters(text: Json) -> dict[str, Json]:
    """Return the parameters of an option text by their names, the fields as a list; there is always one."""
    parsed = logpull_options.parse(text) if isinstance(text, str) else {}
    fields = (parsed.get(logpull_options.FIELDS) or "").split(",")
    return {**parsed, logpull_options.FIELDS: [field for field in fields if field]}


def _whole(present: Json, desired: Json) -> tuple[str, str]:
    """Return both sides of something that exists or not as a whole."""
    if not present and desired:
        return "missing", "created"
    if present and not desired:
        return "present", "absent"
    return ("different", "as declared") if not present else (_value("", present), _value("", desired))


def _list_words(present: Json, desired: Json, wording: Wording) -> str:
    """Return the missing and the surplus members of a plain list; "" if a side is not such a list, or none differs."""
    one, other = (() if side is None else plain_list(side) for side in (present, desired))
    if one is None or other is None:
        return ""
    missing, extra = [name for name in other if name not in one], [name for name in one if name not in other]
    return "; ".join(f"{text} {_names(names)}" for text, names in ((wording.lacking, missing), (wording.surplus, extra)) if names)


def _names(names: t.Sequence[Json]) -> str:
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return ", ".join(_cut(str(name)) for name in names[:_MAX_NAMES]) + more


_NAMES = {"output_options.field_names": "fields", "logpull_options": "output options", "transformer_id": "transformer"}


def _name(member: str) -> str:
    return _NAMES.get(member, member)


def _value(member: str, value: Json) -> str:
    """Return a value in words: a filter as a sentence, an empty value as `not set`."""
    if member == "filter" or member.endswith(".filter"):
        return f'"{_cut(explain_echo(value))}"'
    if value is None or value in ("", [], {}):
        return "empty" if value == [] else "not set"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and member.endswith("_seconds"):
        return plural(value, "second")
    if isinstance(value, dict) and set(value) >= {"scheme", "address"}:
        return _cut(destination_text(value))
    # A text of white space alone would not be seen.
    return _cut(value if isinstance(value, str) and value.strip() else json.dumps(value, ensure_ascii=False, default=str))


def destination_text(public: t.Mapping[str, Json]) -> str:
    """Return the destination of a result as one address."""
    query = "&".join(f"{name}={value}" for name, value in dict_of(public.get("options")).items())
    return f"{public.get('scheme')}://{public.get('address')}{'?' if query else ''}{query}"


def _cut(text: str) -> str:
    return shorten(text, _MAX_VALUE)
