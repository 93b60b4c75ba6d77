# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import pathlib
import re
import typing as t

from ...module_utils._core import Json
from ...module_utils._text import format_time
from ...module_utils._version import VERSION
from .._page import render_page, short
from .._words import plural
from .document import Document, Zone, not_audited, numbers, silence, verdict
from .history import GAP, Event, FindingKey, Listed

# The evidence as one page that loads nothing and runs nothing, for the screen and for paper: the data for its template.

View = dict[str, t.Any]

_HERE = pathlib.Path(__file__).parent
_MAX_CHANGES = 4000
_MAX_SCRIPTS = 200
# Of a day's square in the calendar, and from one to the next.
_SIZE, _STEP = 10, 12


def render(document: Document) -> bytes:
    """Return the page."""
    filters = {
        "amount": _amount,
        "how": _how,
        "integrity": _integrity,
        "moment": _moment,
        "plural": plural,
        "script": _script,
        "short": short,
        "signed": _signed,
        "subject": _subject,
    }
    view = {**_view(document), "version": VERSION}
    return render_page(_HERE / "evidence.html.j2", _HERE / "evidence.css", view, filters, {})


def _view(document: Document) -> View:
    """Return what the template shows."""
    first, *rest = re.split("(?<=;) ", verdict(document), maxsplit=1)
    return {
        "document": document,
        "title": document.desired.title,
        "period": document.desired.period,
        "verdict": first.rstrip(";"),
        "verdict_more": "".join(rest),
        "numbers": numbers(document),
        "others": not_audited(document),
        "calendars": [(zone, _calendar(document, zone)) for zone in document.audited],
        "firsts": [_first(zone) for zone in document.audited if any(event.is_first for event in zone.history.events)],
        "changes": [event for event in document.changes if not event.is_first],
        "inventories": [(zone, _excerpt(zone.inventory)) for zone in document.audited],
        "open": [(zone, key, opened) for zone in document.zones for key, opened in sorted(zone.history.open.items())],
        "most": _MAX_CHANGES,
    }


def _first(zone: Zone) -> str:
    """Return what the first audit of a zone recorded, which is no change of the zone."""
    seen = sum(event.is_first and event.what == "seen" for event in zone.history.events)
    authorised = sum(event.is_first and event.what == "authorised" for event in zone.history.events)
    at = next(event.at for event in zone.history.events if event.is_first)
    return (
        f"The first audit of {short(zone.name)}, on {_moment(at)}, recorded {plural(seen, 'script')}, {authorised:,} of them"
        " authorised; evidence.csv names them."
    )


def _excerpt(inventory: t.Sequence[Listed]) -> list[Listed]:
    """Return the scripts that the page shows of a long inventory: those with findings, and the first others."""
    if len(inventory) <= _MAX_SCRIPTS:
        return list(inventory)
    with_findings = [script for script in inventory if script.findings]
    others = [script for script in inventory if not script.findings]
    return [*with_findings, *others[: max(0, _MAX_SCRIPTS - len(with_findings))]]


def _calendar(document: Document, zone: Zone) -> View:
    """Return the days of the period as shapes, a column for each week."""
    history, period = zone.history, document.desired.period
    days: dict[datetime.date, str] = {}
    for at, has_findings in history.audits:
        day = at.astimezone(datetime.timezone.utc).date()
        days[day] = "found" if has_findings or days.get(day) == "found" else "passed"
    first, last = (datetime.date.fromisoformat(text) for text in period)
    paths: dict[str, list[str]] = {"none": [], "passed": [], "found": []}
    for number in range((last - first).days + 1):
        day = first + datetime.timedelta(number)
        week, weekday = divmod(number + first.weekday(), 7)
        paths[days.get(day, "none")].append(f"M{week * _STEP} {weekday * _STEP}h{_SIZE}v{_SIZE}h-{_SIZE}z")
    weeks = ((last - first).days + first.weekday()) // 7 + 1
    with_findings = sum(state == "found" for state in days.values())
    notes = [event.message for event in history.events if event.what == GAP]
    return {
        "paths": {name: "".join(parts) for name, parts in paths.items() if parts},
        "width": weeks * _STEP,
        "height": 7 * _STEP,
        "label": f"{plural(len(history.audits), 'audit')} on {plural(len(days), 'day')}, {with_findings:,} of them with findings",
        "notes": [*map(_sentence, notes), *filter(None, [_sentence(silence(document, zone))])],
    }


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _moment(at: datetime.datetime) -> str:
    return format_time(at)[:16].replace("T", " ")


def _amount(number: int) -> str:
    return f"{number:,}"


def _script(about: Event | Listed) -> str:
    if not about.script_url and not about.host:
        return f"entry {about.entry}" if about.entry else ""
    return f"{about.script_url or 'a script without a URL'} on {about.host or 'an unknown host'}"


def _subject(key: FindingKey) -> str:
    _kind, url, host, entry = key
    return f"{url or 'a script without a URL'} on {host or 'an unknown host'}" if url or host else entry or "the audit itself"


def _how(event: Event) -> str:
    parts = [event.message]
    if event.what == "authorised":
        parts += [f"entry {event.entry}", _signed(event.declared), str(event.declared.get("justification") or "")]
    elif event.what == "seen":
        parts += [f"entry {event.entry}" if event.entry else "no entry covers it"]
    return short("; ".join(filter(None, parts)))


def _signed(declared: t.Mapping[str, Json]) -> str:
    on = declared.get("authorised_on")
    return short(f"by {declared.get('authorised_by')}{f' on {on}' if on else ', no date given'}")


def _integrity(script: Listed) -> str:
    if not script.declared:
        return ""
    if script.declared.get("integrity") == "pinned":
        return f"pinned, {short(script.hash[:16])}…" if script.hash else "pinned, no hash seen"
    return short(f"not pinned: {script.declared.get('integrity_reason') or 'no reason'}")
