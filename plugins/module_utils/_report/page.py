# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import hashlib
import sys
import typing as t

from .._core import INVALID_OPTION, Failure, Json
from .._text import line, until
from .facts import COMPLIANT, DIFFERENCE, DRIFTED, FINDING, NOTE, SEVERITIES, UNAUDITED, UNMANAGED
from .findings import Item, compact, counting, subject_words
from .page_template import STYLE, TEMPLATE
from .waivers import PATTERNS
from .zones import Row

# The zones of the page: details where there is something to read, one line where there is not.


View = dict[str, Json]

_MAX_NAME = 300
_MAX_ZONE_TEXT = 300
_MAX_ITEMS = 200
_MAX_SCRIPTS = 50
_MAX_OPEN = 20


class ZoneViews:
    """The zones of a report by section; items of `once` are shown elsewhere and only counted here."""

    def __init__(self, report: t.Mapping[str, Json], once: t.Collection[str]) -> None:
        self._rows: list[Row] = report["zones"]
        self._once = once
        self._new = frozenset(report["comparison"]["new"])
        self._changed = frozenset(report["comparison"]["changed"])
        self._reasons = {name: until(waiver) for waiver in report["waivers"] for name in waiver["items"]}

    def sections(self) -> list[View]:
        """What is wrong comes first."""
        present = [row for row in self._rows if not row["carried"]]
        compliant = [row for row in present if row["status"] == COMPLIANT]
        sections = [
            self._section(UNAUDITED, "Unaudited", [row for row in present if row["status"] == UNAUDITED]),
            self._section(DRIFTED, "Drifted", [row for row in present if row["status"] == DRIFTED]),
            self._section("found", "Compliant, with findings", [row for row in compliant if _has_findings(row)]),
            self._section(UNMANAGED, "Unmanaged", [row for row in present if row["status"] == UNMANAGED]),
            self._section(COMPLIANT, "Compliant", [row for row in compliant if not _has_findings(row)]),
            self._section("carried", "Not part of this run", [row for row in self._rows if row["carried"]]),
        ]
        few = sum(len(section["wrong"]) for section in sections) <= _MAX_OPEN
        for section in sections:
            for zone in section["wrong"]:
                zone["open"] = few
        return [section for section in sections if section["count"]]

    def _section(self, name: str, title: str, rows: t.Sequence[Row]) -> View:
        views = [self._zone(row) for row in rows]
        return {
            "id": name,
            "title": title,
            "count": len(rows),
            "wrong": [view for view in views if view["problems"] or view["error"]],
            "fine": [view for view in views if not (view["problems"] or view["error"])],
        }

    def _zone(self, row: Row) -> View:
        own = [item for item in row["items"] if item["id"] not in self._once]
        evidence = row["evidence"] if isinstance(row["evidence"], dict) else {}
        scripts = row["inventory"] or []
        error = row["error"] or {}
        return {
            "name": line(row["zone"], _MAX_NAME),
            "status": row["status"],
            "tally": _tally(row["items"], self._new),
            "error": line(f"{error.get('kind')}: {error.get('message')}", 1000) if error else "",
            "as_of": row["audited_at"] if row["carried"] or row["status"] == UNAUDITED else None,
            "shared": len(row["items"]) - len(own),
            "problems": [self._item(item) for item in own[:_MAX_ITEMS]],
            "more_problems": max(0, len(own) - _MAX_ITEMS),
            "scripts": [_script(script) for script in scripts[:_MAX_SCRIPTS]],
            "script_count": len(scripts),
            "more_scripts": max(0, len(scripts) - _MAX_SCRIPTS),
            "seq": line(evidence.get("seq"), _MAX_ZONE_TEXT),
            "head": line(evidence.get("head") or "", _MAX_ZONE_TEXT),
        }

    def _item(self, item: Item) -> View:
        return {
            **item_view(item),
            "fresh": item["id"] in self._new,
            "changed": item["id"] in self._changed,
            "reason": line(self._reasons.get(item["id"], ""), _MAX_ZONE_TEXT) if item["waived"] else "",
        }


def item_view(item: Item) -> View:
    """An item with its texts at a length that a user reads."""
    return {
        **{name: line(item[name]) for name in ("severity", "kind", "resource", "first_seen")},
        "subject": line(subject_words(item), _MAX_ZONE_TEXT),
        "message": line(item["message"], _MAX_ZONE_TEXT),
        "carried": item["carried"],
        "waived": item["waived"],
    }


def _has_findings(row: Row) -> bool:
    return any(item["kind"] == FINDING for item in counting(row["items"]))


def _tally(items: t.Sequence[Item], new: frozenset[str]) -> str:
    kinds = [item["kind"] for item in counting(items)]
    numbers = {
        **{kind: kinds.count(kind) for kind in (DIFFERENCE, FINDING, NOTE)},
        "waived": sum(item["waived"] for item in items),
        "new": sum(item["id"] in new for item in items),
        "as of the last audit": sum(item["carried"] for item in items),
    }
    words = [f"{number} {_plural(name, number)}" for name, number in numbers.items() if number]
    return f": {', '.join(words)}" if words else ""


def _plural(name: str, number: int) -> str:
    return f"{name}s" if name in (DIFFERENCE, FINDING, NOTE) and number > 1 else name


def _script(script: View) -> View:
    entry = script.get("entry")
    return {
        "url": line(script.get("script_url"), _MAX_ZONE_TEXT),
        "host": line(script.get("host") or "an unknown host", _MAX_ZONE_TEXT),
        "entry": f"entry {line(entry, _MAX_ZONE_TEXT)}" if entry else "no entry covers it",
    }


# What the page shows, in its order and cut to what a user reads: new and wrong first, a line for each zone that is fine.


MIN_SHARED = 3
_MAX_TEXT = 300
_MAX_FRESH = 200
_VERDICTS = {
    "unaudited": ("Not every zone could be audited", "high"),
    "findings": ("There are findings", "high"),
    "drifted": ("Zones have drifted", "medium"),
    "unmanaged": ("Some zones are unmanaged", "low"),
    "clean": ("Clean: every zone is compliant", "low"),
}

Group = list[tuple[Row, Item]]


def page_of(report: t.Mapping[str, Json]) -> View:
    """The page of a report as data for its template."""
    comparison, counts = report["comparison"], report["counts"]
    new = frozenset(comparison["new"])
    groups = _groups([row for row in report["zones"] if not row["carried"]])
    shared = {key for key, group in groups.items() if len(group) >= MIN_SHARED}
    fresh = {key for key, group in groups.items() if any(item["id"] in new for _row, item in group)}
    once = {item["id"] for key in shared for _row, item in groups[key]}
    alone = _in_order(groups[key] for key in fresh - shared)
    verdict, verdict_class = _VERDICTS[report["outcome"]]
    return {
        "title": line(report["title"], _MAX_TEXT),
        "verdict": verdict,
        "verdict_class": verdict_class,
        "generated_at": report["generated_at"],
        "report_id": report["report_id"],
        "previous_id": line(comparison["previous_id"] or "", _MAX_TEXT),
        "plan_id": report["plan_id"],
        "version": report["collection_version"],
        "zone_counts": [(name, counts[name]) for name in ("zones", UNAUDITED, DRIFTED, UNMANAGED, COMPLIANT)],
        "item_counts": [
            *((name, counts[name]) for name in ("differences", "findings", "notes", "waived")),
            *((name, len(comparison[name])) for name in ("new", "resolved", "unknown")),
        ],
        "fresh": [_group(group, new) for group in [*_in_order(groups[key] for key in fresh & shared), *alone[:_MAX_FRESH]]],
        "more_fresh": max(0, len(alone) - _MAX_FRESH),
        "groups": [_group(group, new) for group in _in_order(groups[key] for key in shared - fresh)],
        "sections": ZoneViews(report, once).sections(),
        "waivers": [_waiver(waiver) for waiver in report["waivers"]],
    }


def _groups(rows: t.Sequence[Row]) -> dict[str, Group]:
    """The items that count, those that are equal in several zones together."""
    groups: dict[str, Group] = {}
    for row in rows:
        for item in counting(row["items"]):
            members = ("kind", "resource", "subject", "member", "severity", "message", "before", "after")
            groups.setdefault(compact([item[name] for name in members]), []).append((row, item))
    return groups


def _in_order(groups: t.Iterable[Group]) -> list[Group]:
    """The most severe first, then those of most zones."""
    return sorted(groups, key=lambda group: (_severity(group[0][1]), -len(group), group[0][0]["zone"], group[0][1]["id"]))


def _severity(item: Item) -> int:
    return SEVERITIES.index(item["severity"]) if item["severity"] in SEVERITIES else 0


def _group(group: Group, new: frozenset[str]) -> View:
    return {
        "item": item_view(group[0][1]),
        "zones": [line(row["zone"], _MAX_TEXT) for row, _item in group],
        "newly": sum(item["id"] in new for _row, item in group),
    }


def _waiver(waiver: dict[str, Json]) -> View:
    covers = [f"{name} {waiver[name]}" for name in PATTERNS if waiver[name]]
    return {
        "covers": line(", ".join(covers) or "everything", _MAX_TEXT),
        "reason": line(waiver["reason"], _MAX_TEXT),
        "owner": line(waiver["owner"], _MAX_TEXT),
        "until": waiver["until"],
        "expired": waiver["expired"],
        "count": len(waiver["items"]),
    }


def render(report: t.Mapping[str, Json]) -> bytes:
    """The report as one page that loads nothing and runs nothing."""
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'"
    return str(_template().render(page=page_of(report), style=_Trusted(STYLE), policy=_Trusted(policy))).encode()


class _Trusted(str):
    """Our own text, which the template takes as it is."""

    __slots__ = ()

    def __html__(self) -> str:
        return str(self)


def _template() -> t.Any:
    try:
        from jinja2 import Environment, StrictUndefined  # noqa: PLC0415  # only this format needs it
    except ImportError as error:
        raise Failure(
            INVALID_OPTION,
            f"formats: html needs the Python library Jinja2, which {sys.executable} lacks ({error}). Run the task on the"
            " controller, where ansible-core brings it along, or leave html out of formats.",
        ) from None
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=False, keep_trailing_newline=True)
    return environment.from_string(TEMPLATE)
