# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import hashlib
import os
import typing as t

import yaml

from ...module_utils._address import is_zone_id
from ...module_utils._baseline.pattern import normalize_url
from ...module_utils._core import Json, invalid_option
from ...module_utils._files import open_regular
from ...module_utils._text import did_you_mean, has_text, nearest, parse_date, quoted
from .events import Event

# What people wrote about changes, in a file beside the evidence: `notes.yml`.

FILE = "notes.yml"
_MEMBERS = ("zone_id", "script_url", "page", "date", "text", "author")
_MAX_BYTES = 1 << 20


class Note(t.NamedTuple):
    """A note about a change of a script or of a payment page on a day."""

    zone_id: str
    url: str
    day: str
    text: str
    author: str

    @property
    def words(self) -> str:
        return f"note by {self.author}: {self.text}"


class Notes(t.NamedTuple):
    """The notes, and the digest of their file; None without a file."""

    notes: tuple[Note, ...] = ()
    digest: str | None = None

    def beside(self, events: t.Sequence[Event]) -> tuple[dict[int, str], list[Note]]:
        """Return the words to put beside each event, by its place in the sequence, and the notes that fit no event."""
        places: dict[tuple[str, str, str], int] = {}
        for place, event in enumerate(events):
            url = event.script_url or event.page
            if url:
                places.setdefault((event.zone_id, url, event.at.date().isoformat()), place)
        words: dict[int, str] = {}
        left = []
        for note in self.notes:
            at = places.get((note.zone_id, note.url, note.day))
            if at is None:
                left.append(note)
            else:
                words[at] = "; ".join(filter(None, (words.get(at), note.words)))
        return words, left


class _Loader(yaml.SafeLoader):
    """The safe loader, which of two members of one name takes the second without a word, with a refusal of them."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[t.Hashable, Json]:
        names: set[tuple[str, str]] = set()
        for key, _value in node.value:
            if isinstance(key, yaml.ScalarNode):
                if (key.tag, key.value) in names:
                    raise invalid_option(
                        FILE, f"line {key.start_mark.line + 1} has {quoted(key.value)} a second time in one note"
                    )
                names.add((key.tag, key.value))
        return super().construct_mapping(node, deep)


def read_notes(folder: str) -> Notes:
    """Return the notes of a folder of evidence; raise `invalid_option` with the place of what is wrong."""
    try:
        with open(open_regular(os.path.join(folder, FILE), os.O_RDONLY), "rb") as file:
            content = file.read(_MAX_BYTES + 1)
    except FileNotFoundError:
        return Notes()
    except OSError as error:
        raise invalid_option(FILE, f"cannot be read: {error.strerror}") from None
    if len(content) > _MAX_BYTES:
        raise invalid_option(FILE, "is larger than 1 MiB")
    try:
        items = _Loader(content).get_single_data()
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f"line {mark.line + 1}" if mark else "the file"
        raise invalid_option(FILE, f"{place} is not YAML") from None
    if not isinstance(items, list):
        raise invalid_option(FILE, f"must be a list of notes, not {quoted(items)}")
    return Notes(tuple(_note(f"{FILE}[{place}]", item) for place, item in enumerate(items)), hashlib.sha256(content).hexdigest())


def _note(place: str, item: Json) -> Note:
    if not isinstance(item, dict):
        raise invalid_option(place, f"must be a dictionary with {', '.join(_MEMBERS)}, not {quoted(item)}")
    for member in item:
        if member not in _MEMBERS:
            raise invalid_option(
                place, f"{quoted(member)} is not a member of a note{did_you_mean(nearest(str(member), _MEMBERS))}"
            )
    about = [name for name in ("script_url", "page") if item.get(name) is not None]
    if len(about) != 1:
        raise invalid_option(place, "needs one of script_url and page")
    zone_id = _text(f"{place}.zone_id", item.get("zone_id"))
    if not is_zone_id(zone_id):
        raise invalid_option(f"{place}.zone_id", f"{quoted(zone_id)} is not 1 to 32 hexadecimal digits")
    date = item.get("date")
    # YAML reads an unquoted day as a date.
    day = date.isoformat()[:10] if isinstance(date, datetime.date) else parse_date(date)
    if day is None:
        raise invalid_option(f"{place}.date", f"{quoted(date)} is not a date such as 2027-04-01")
    url = normalize_url(_text(f"{place}.{about[0]}", item[about[0]]))
    return Note(zone_id.lower(), url, day, _text(f"{place}.text", item.get("text")), _text(f"{place}.author", item.get("author")))


def _text(place: str, value: Json) -> str:
    if not has_text(value):
        raise invalid_option(place, f"{quoted(value)} is not a text; put it in quotes")
    return value.strip()
