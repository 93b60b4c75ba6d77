# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pathlib
import typing as t

from ...module_utils._core import Json
from ...module_utils._text import line
from ...module_utils._version import VERSION
from .._page import render_page, short
from .._words import named, plural
from .audits import moment
from .calendar import STATES, calendar, shape
from .chains import NOUNS
from .document import DEFAULT_TITLE, Document, ZoneChain, numbers
from .events import AUTHORISED, CLOSED, OPENED, SEEN, Event
from .inventory import Listed, count
from .verdict import PAGE_WORDS

# The evidence as one page that loads nothing and runs nothing, for the screen and for paper: the data for its template.

View = dict[str, t.Any]

_HERE = pathlib.Path(__file__).parent
_MAX_CHANGES = 4000
_MAX_SCRIPTS = 200
_TITLE_WITH_PAGES = "Evidence of audits of scripts and payment pages"


def render(document: Document) -> bytes:
    """Return the page."""
    filters = {
        "how": _how,
        "integrity": _integrity,
        "line": line,
        "moment": moment,
        "names": lambda left: named(short(f"{name} (last seen on {moment(at)})") for name, at in left),
        "noun": lambda kind: NOUNS[kind.name],
        "number": count,
        "plural": plural,
        "about": _about,
        "sentence": lambda text: f"{text[:1].upper()}{text[1:]}",
        "shape": shape,
        "short": short,
        "signed": _signed,
    }
    view = {**_view(document), "version": VERSION}
    return render_page(_HERE / "evidence.html.j2", _HERE / "evidence.css", view, filters, {})


def _view(document: Document) -> View:
    """Return what the template shows."""
    first, *rest = document.verdict
    period = document.desired.period
    changes = [
        (event, document.words.get(place, ""))
        for place, event in enumerate(document.changes)
        if not event.is_first or place in document.words
    ]
    return {
        "document": document,
        "title": _TITLE_WITH_PAGES if document.has_pages and document.desired.title == DEFAULT_TITLE else document.desired.title,
        "period": period,
        "verdict": f"{first}.",
        "verdict_more": [f"{text}." for text in rest],
        "numbers": numbers(document),
        "states": STATES,
        "calendars": [(chain, calendar(chain.history.audits, period)) for chain in document.audited],
        "firsts": [_first(chain, *history.first_counts) for chain, history in document.of_scripts if history.first_counts],
        "changes": changes,
        "inventories": [(chain, history, *_excerpt(history.listed())) for chain, history in document.of_scripts],
        "pages": [(chain, history.pages) for chain, history in document.of_pages],
        "unresolved": [(chain, *left) for chain in document.chains for left in chain.history.unresolved],
        "most": _MAX_CHANGES,
    }


def _first(chain: ZoneChain, authorised: int, total: int) -> str:
    """Return what the first audit of a zone recorded, which is no change of the zone."""
    return (
        f"The first audit of {short(chain.name)}, on {moment(chain.history.audits[0].at)}, recorded {plural(total, 'script')},"
        f" {authorised:,} of them authorised; evidence.csv names them."
    )


def _excerpt(inventory: t.Sequence[Listed]) -> tuple[list[Listed], int]:
    """Return the scripts that the page shows of a long inventory, those of which there is anything to say and the first others, and how many are left."""
    with_findings = [script for script in inventory if script.message]
    others = [script for script in inventory if not script.message]
    kept = (
        list(inventory)
        if len(inventory) <= _MAX_SCRIPTS
        else [*with_findings, *others[: max(0, _MAX_SCRIPTS - len(with_findings))]]
    )
    return kept, len(inventory) - len(kept)


def _about(about: Event | Listed) -> str:
    """Return what a change or a finding is about: a payment page with its subject, a script on its host, or an entry."""
    if isinstance(about, Event) and about.of_pages:
        return ": ".join(
            filter(None, (about.page or (f"entry {about.entry}" if about.entry else ""), about.subject if about.page else ""))
        )
    if not about.script_url and not about.host:
        return f"entry {about.entry}" if about.entry else ""
    return f"{about.script_url or 'a script without a URL'} on {about.host or 'an unknown host'}"


def _how(event: Event) -> str:
    parts = [_in_words(event.message) if event.of_pages and event.what in (OPENED, CLOSED) else event.message]
    if event.what == AUTHORISED:
        parts += [f"entry {event.entry}", _signed(event.declared), str(event.declared.get("justification") or "")]
    elif event.what == SEEN:
        parts += [f"entry {event.entry}" if event.entry else "no entry covers it"]
    return short("; ".join(filter(None, parts)))


def _in_words(message: str) -> str:
    """Return what was found of a payment page, which begins with the kind of the finding, for people."""
    kind, colon, rest = message.partition(":")
    words = PAGE_WORDS.get(kind)
    return f"a page {words}{colon}{rest}" if words else message


def _signed(declared: t.Mapping[str, Json]) -> str:
    on = declared.get("authorised_on")
    return short(f"by {declared.get('authorised_by')}{f' on {on}' if on else ', no date given'}")


def _integrity(script: Listed) -> str:
    if not script.declared:
        return ""
    if script.declared.get("integrity") == "pinned":
        return f"pinned, {short(script.seen.hash[:16])}…" if script.seen.hash else "pinned, no hash seen"
    return short(f"not pinned: {script.declared.get('integrity_reason') or 'no reason'}")
