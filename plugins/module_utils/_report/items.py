# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import hashlib
import json
import typing as t

from .._core import Json
from .._filter.text import explain_echo
from .._logpush import logpull_options
from .._text import canonical, plain_list, shorten
from .document import Item, Row
from .facts import DIFFERENCE, KINDS, OF_WAIVERS, PATTERNS, RESOURCES, SEVERITIES, ZONE, type_of

# Items of the report: what an audit found, and the words for it.

_ORDER = {name: place for names in (KINDS, RESOURCES, SEVERITIES) for place, name in enumerate(names)}


class Observation(t.NamedTuple):
    """What an audit found in a zone, before it is compared with earlier reports."""

    type: str
    subject: str | None
    member: str | None
    present: Json = None
    desired: Json = None
    resource: str | None = None
    kind: str | None = None
    remark: str = ""


def found(
    name: str,
    subject: str | None,
    present: str,
    *,
    member: str | None = "",
    resource: str | None = None,
    kind: str | None = None,
) -> Observation:
    """Return a finding or note, with what should be from the table of types; the member is the name of the type by default."""
    return Observation(name, subject, name if member == "" else member, present, type_of(name).should_be, resource, kind)


def address(row: Row) -> str | None:
    """Return the id of the zone or account of a row."""
    return row["zone_id"] if row["scope"] == ZONE else row["account_id"]


def item_id(owner: str | None, kind: str, resource: str, subject: str | None, member: str | None) -> str:
    """Return the id of a problem, which depends on its place and not on its values: the same in every format and run."""
    return hashlib.sha256(canonical([owner, kind, resource, subject, member]).encode()).hexdigest()[:16]


def items_of(owner: str | None, observations: t.Iterable[Observation], at: str) -> list[Item]:
    """Return the items of a zone or account, each problem once, in a fixed order."""
    items: dict[str, Item] = {}
    for seen in observations:
        item = _item(owner, seen, at)
        items.setdefault(item["id"], item)
    return in_order(items.values())


def _item(owner: str | None, seen: Observation, at: str) -> Item:
    of_type = type_of(seen.type)
    kind, resource = seen.kind or of_type.kind, seen.resource or of_type.resource
    item: Item = {
        "id": item_id(owner, kind, resource, seen.subject, seen.member),
        "kind": kind,
        "type": seen.type,
        "resource": resource,
        "subject": seen.subject,
        "member": seen.member,
        "severity": of_type.severity if kind == of_type.kind else "low",
        "message": "",
        "is": seen.present,
        "should_be": seen.desired,
        "first_seen": at,
        "waived": False,
        "carried": False,
    }
    item["message"] = sentence(item) + seen.remark
    return item


def in_order(items: t.Iterable[Item]) -> list[Item]:
    """Return items by kind, severity, resource, subject and member; carried ones last."""
    return sorted(
        items,
        key=lambda item: (
            item["carried"],
            *(_ORDER.get(name, len(_ORDER)) for name in (item["kind"], item["severity"], item["resource"])),
            item["subject"] or "",
            item["member"] or "",
            item["id"],
        ),
    )


def counting(items: t.Iterable[Item]) -> list[Item]:
    """Return the items that count: neither waived nor carried over from an earlier report."""
    return [item for item in items if not item["waived"] and not item["carried"]]


def subject_words(item: Item) -> str:
    """Return the subject for people; that of a script or a waiver is JSON, of which this shows the members in words."""
    subject = item["subject"] or ""
    of_waiver = item["type"] in OF_WAIVERS
    if not of_waiver and item["resource"] != "scripts":
        return subject
    try:
        parts = json.loads(subject)
    except (ValueError, RecursionError):
        return subject
    if of_waiver and isinstance(parts, dict):
        named = [f"{name} {parts[name]}" for name in PATTERNS if parts.get(name)]
        return f"waiver for {', '.join(named) or 'everything'}"
    if of_waiver or not isinstance(parts, list) or len(parts) != 3:
        return subject
    script = " on ".join(str(part) for part in parts[:2] if part)
    entry = f"entry {parts[2]}" if parts[2] else ""
    return f"{script} ({entry})" if script and entry else script or entry


# The words for an item in every format: what is, and what should be.

MAX_VALUE = 200
_MAX_NAMES = 30


class Wording(t.NamedTuple):
    """The words of a difference: for two values, and for missing and surplus names of a list."""

    values: str
    lacking: str
    surplus: str


# Before and after a difference is applied.
FOUND = Wording("is {}, should be {}", "missing", "not declared")
APPLIED = Wording("was {}, now {}", "added", "removed")
# The words for a whole object after the change, by what it should be before.
_APPLIED_WHOLE = {"created": "created", "absent": "removed", "as declared": "changed"}


def sentence(item: Item, wording: Wording = FOUND) -> str:
    """Return what is and what should be, without the subject: `enabled is false, should be true`."""
    present, desired = item["is"], item["should_be"]
    if item["kind"] != DIFFERENCE:
        return f"{present}; should be: {desired}" if desired else str(present)
    member = item["member"]
    if member is None:
        was, will = _whole(present, desired)
        done = _APPLIED_WHOLE.get(will) if wording is APPLIED else None
        return done or wording.values.format(was, will)
    return "; ".join(_words(*part, wording) for part in _parts(member, present, desired))


def cells(item: Item) -> tuple[str, str, str]:
    """Return what differs, what it is, and what it should be, for the columns of a table; the first is "" for a finding."""
    present, desired = item["is"], item["should_be"]
    if item["kind"] != DIFFERENCE:
        return "", "" if present is None else _value("", present), "" if desired is None else _value("", desired)
    member = item["member"]
    if member is None:
        return ("", *_whole(present, desired))
    parts = _parts(member, present, desired)
    heads = ["" if name == member else f"{name}: " for name, _was, _will in parts]
    sides = zip(*(_columns(*part) for part in parts), strict=True)
    was, will = ("; ".join(map("".join, zip(heads, side, strict=True))) for side in sides)
    return _name(member), was, will


def plural(number: int, noun: str, many: str = "") -> str:
    """Return a number with its noun: `1 zone`, `1,200 zones`."""
    return f"{number:,} {noun if number == 1 else many or f'{noun}s'}"


def _parts(member: str, present: Json, desired: Json) -> list[tuple[str, Json, Json]]:
    """Return a member with both values, of an option text each parameter that differs."""
    pairs = _option_pairs(present, desired) if member.endswith("logpull_options") else ()
    return list(pairs) or [(member, present, desired)]


def _words(member: str, present: Json, desired: Json, wording: Wording) -> str:
    missing, extra = _missing(present, desired)
    if missing or extra:
        return f"{_name(member)}: {_list_words(missing, extra, wording)}"
    return f"{_name(member)} {wording.values.format(_value(member, present), _value(member, desired))}"


def _whole(present: Json, desired: Json) -> tuple[str, str]:
    """Return both sides of something that exists or not as a whole."""
    if not present and desired:
        return "missing", "created"
    if present and not desired:
        return "present", "absent"
    return ("different", "as declared") if not present else (_value("", present), _value("", desired))


def _columns(member: str, present: Json, desired: Json) -> tuple[str, str]:
    missing, extra = _missing(present, desired)
    if missing or extra:
        return _list_words(missing, extra, FOUND), _names(plain_list(desired) or ()) or "empty"
    return _value(member, present), _value(member, desired)


def _missing(present: Json, desired: Json) -> tuple[list[str], list[str]]:
    """Return the missing and the surplus members of a plain list; nothing if a side is not such a list."""
    one, other = (() if side is None else plain_list(side) for side in (present, desired))
    if one is None or other is None:
        return [], []
    return [str(each) for each in other if each not in one], [str(each) for each in one if each not in other]


def _list_words(missing: t.Sequence[str], extra: t.Sequence[str], wording: Wording) -> str:
    return "; ".join(f"{text} {_names(names)}" for text, names in ((wording.lacking, missing), (wording.surplus, extra)) if names)


def _names(names: t.Sequence[Json]) -> str:
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return ", ".join(_cut(str(name)) for name in names[:_MAX_NAMES]) + more


def _name(member: str) -> str:
    return {"output_options.field_names": "fields", "logpull_options": "output options"}.get(member, member)


def _value(member: str, value: Json) -> str:
    """Return a value in words: a filter as a sentence, an empty value as `not set`."""
    if member == "filter" or member.endswith(".filter"):
        return f'"{_cut(explain_echo(value))}"'
    if value is None or value in ("", [], {}):
        return "not set"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and member.endswith("_seconds"):
        return plural(value, "second")
    if isinstance(value, dict) and set(value) >= {"scheme", "address"}:
        return _cut(destination_text(value))
    return _cut(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str))


def destination_text(public: t.Mapping[str, Json]) -> str:
    """Return the destination of a result as one address."""
    options = public.get("options")
    query = "&".join(f"{name}={value}" for name, value in options.items()) if isinstance(options, dict) else ""
    return f"{public.get('scheme')}://{public.get('address')}{'?' if query else ''}{query}"


def _option_pairs(present: Json, desired: Json) -> t.Iterator[tuple[str, Json, Json]]:
    """Yield the parameters in which two option texts differ, with the fields as a list."""
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
