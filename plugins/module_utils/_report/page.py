# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import hashlib
import sys
import typing as t

from .._core import INVALID_OPTION, Failure, Json
from .._text import line
from .charts import status_bar, trend
from .facts import AUDIT, DIFFERENCE, LOOK, UNAUDITED, Action, guide_url
from .items import Row
from .lines import about
from .page_template import STYLE, TEMPLATE
from .page_zones import ZoneViews, day
from .sentences import cells, plural
from .summary import Group, groups_by_action, item_counts, verdict
from .waivers import PATTERNS

# What the page shows, in its order and cut to what a user reads: verdict, charts, what to do, zones, waivers, technical details.

View = dict[str, Json]

_MAX_TEXT = 300
# Of what to do the page lists so many; all of it is with the zones.
_MAX_LISTED = 200
_COMPARED = (
    ("new", "new"),
    ("changed", "changed"),
    ("persisting", "unchanged"),
    ("resolved", "resolved"),
    ("unknown", "not audited now"),
)


def page_of(report: t.Mapping[str, Json]) -> View:
    """The page of a report as data for its template."""
    comparison, counts, rows = report["comparison"], report["counts"], report["zones"]
    new = frozenset(comparison["new"])
    present = [row for row in rows if not row["carried"]]
    zones = ZoneViews(report)
    sentence = verdict(counts).partition(": ")
    by_action = groups_by_action(present)
    return {
        "title": line(report["title"], _MAX_TEXT),
        "outcome": report["outcome"],
        "verdict": sentence[0],
        "verdict_more": sentence[2],
        "generated_at": moment(report["generated_at"]),
        "numbers": item_counts(counts),
        "compared": _compared(report),
        "bar": status_bar(counts),
        "trend": trend(report["trend"], report["generated_at"], counts),
        "todo": [
            *_unaudited(present),
            *(_action(action, groups, new) for action, groups in by_action if action is not LOOK),
        ],
        "notes": next((_action(action, groups, new) for action, groups in by_action if action is LOOK), None),
        "sections": zones.sections(),
        "waivers": [_waiver(waiver) for waiver in report["waivers"]],
        "technical": zones.technical(),
        "report_id": report["report_id"],
        "previous_id": line(comparison["previous_id"] or "", _MAX_TEXT),
        "plan_id": report["plan_id"],
        "version": report["collection_version"],
    }


def moment(text: object) -> str:
    """A time as people read it."""
    return line(text).replace("T", " ").replace("Z", " UTC")


def _compared(report: t.Mapping[str, Json]) -> str:
    """What became of the items of the previous report, in one line."""
    comparison = report["comparison"]
    if comparison["previous_id"] is None:
        return "There is no previous report to compare with."
    words = [f"{len(comparison[name]):,} {word}" for name, word in _COMPARED if comparison[name]]
    when = f" of {moment(report['trend'][-1]['at'])}" if report["trend"] else ""
    return f"Compared with the report{when}: {', '.join(words) or 'nothing then, nothing now'}."


def _unaudited(rows: t.Sequence[Row]) -> list[View]:
    failed = [row for row in rows if row["status"] == UNAUDITED]
    if not failed:
        return []
    lines = [
        {
            "id": "",
            "severity": "high",
            "zones": [line(row["zone"], _MAX_TEXT)],
            "what": "zone" if row["scope"] == "zone" else "account",
            "name": UNAUDITED,
            "is": line(f"{(row['error'] or {}).get('kind')}: {(row['error'] or {}).get('message')}", _MAX_TEXT),
            "should_be": "audited",
            "since": f"last audited {day(row['audited_at'])}" if row["audited_at"] else "never audited",
            "fresh": 0,
        }
        for row in failed[:_MAX_LISTED]
    ]
    return [_section(AUDIT, lines, len(failed), len(failed))]


def _action(action: Action, groups: t.Sequence[Group], new: frozenset[str]) -> View:
    lines = [_group(group, new) for group in groups[:_MAX_LISTED]]
    zones = {id(row) for group in groups for row in group.rows}
    return _section(action, lines, len(groups), len(zones))


def _section(action: Action, lines: t.Sequence[View], total: int, zones: int) -> View:
    return {
        "title": action.title,
        "advice": action.advice,
        "guide": guide_url(action),
        "zones": plural(zones, "zone"),
        "lines": lines,
        "more": max(0, total - len(lines)),
    }


def _group(group: Group, new: frozenset[str]) -> View:
    item = group.item
    name, present, desired = cells(item)
    return {
        "id": item["id"] if len(group.rows) == 1 else "",
        "severity": line(item["severity"]),
        "zones": [line(row["zone"], _MAX_TEXT) for row in group.rows],
        "what": line(about(item), _MAX_TEXT),
        "name": line(name or ("" if item["kind"] == DIFFERENCE else item["type"]), _MAX_TEXT),
        "is": line(present, 2 * _MAX_TEXT),
        "should_be": line(desired, 2 * _MAX_TEXT),
        "since": day(min(each["first_seen"] for each in group.items)),
        "fresh": sum(each["id"] in new for each in group.items),
    }


def _waiver(waiver: dict[str, Json]) -> View:
    covers = [f"{name} {waiver[name]}" for name in PATTERNS if waiver.get(name)]
    return {
        "covers": line(", ".join(covers) or "everything", _MAX_TEXT),
        "reason": line(waiver["reason"], _MAX_TEXT),
        "owner": line(waiver["owner"], _MAX_TEXT),
        "until": waiver["until"],
        "expired": waiver["expired"],
        "count": plural(len(waiver["items"]), "item") if waiver["items"] else "matches nothing",
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
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(TEMPLATE)
