# SPDX-License-Identifier: GPL-3.0-or-later

"""What is found in a document: scripts, code, frames, forms."""

from __future__ import annotations

import types
import typing as t

from .facts import BASE, META_CSP, META_REFRESH
from .inline import Inline


class Script(t.NamedTuple):
    """A script with a URL, or the preload of one."""

    url: str
    integrity: str | None
    crossorigin: str | None
    kind: str
    line: int | None
    # Whether a browser that executes scripts executes this one.
    is_live: bool = True


class Frame(t.NamedTuple):
    """A document that is embedded by its URL."""

    url: str
    line: int | None
    # Whether a browser that executes scripts shows it.
    is_live: bool = True


class Form(t.NamedTuple):
    """Where a form sends to: an origin, or the scheme of what has none."""

    origin: str
    line: int | None


_Loaded = t.TypeVar("_Loaded", Script, Frame)


def once(found: t.Iterable[_Loaded]) -> list[_Loaded]:
    """Return each script or frame once, in the order of the document; one that is live for an equal one that is not."""
    known: dict[t.Any, _Loaded] = {}
    for element in found:
        key = element._replace(line=None, is_live=False)
        if key not in known or (element.is_live and not known[key].is_live):
            known[key] = element
    return list(known.values())


class Document(t.NamedTuple):
    """What was found in a document, in its order and each thing once.

    `stated` are the values of what stands beside the headers, `doubt` is why another reader could find more.
    """

    scripts: tuple[Script, ...] = ()
    inline: tuple[Inline, ...] = ()
    frames: tuple[Frame, ...] = ()
    forms: tuple[Form, ...] = ()
    stated: t.Mapping[str, tuple[str, ...]] = types.MappingProxyType({})
    doubt: str | None = None


def merged(found: t.Iterable[Found]) -> Document:
    """Return everything that was found, equal things once: a document is parsed several times, and what any of them shows counts."""
    scripts: list[Script] = []
    inline: dict[t.Any, Inline] = {}
    frames: list[Frame] = []
    forms: dict[str, Form] = {}
    stated: dict[str, list[str]] = {}
    doubt = None
    for document in found:
        doubt = doubt or document.doubt
        scripts += document.scripts
        frames += document.frames
        for code in document.inline:
            inline.setdefault(code[:2], code)
        for form in document.forms:
            forms.setdefault(form.origin, form)
        for name, values in document.stated.items():
            known = stated.setdefault(name, [])
            known += [value for value in values if value not in known]
    return Document(
        tuple(once(scripts)),
        tuple(inline.values()),
        tuple(once(frames)),
        tuple(forms.values()),
        {name: tuple(values) for name, values in stated.items() if values},
        doubt,
    )


class Found:
    """What one tree shows."""

    def __init__(self) -> None:
        self.scripts: list[Script] = []
        self.inline: list[Inline] = []
        self.frames: list[Frame] = []
        self.forms: list[Form] = []
        self.stated: dict[str, list[str]] = {META_CSP: [], META_REFRESH: [], BASE: []}
        self.doubt: str | None = None

    def move_to(self, line: int | None) -> None:
        """Let everything stand where the document stands that contains it; what this one says of itself holds for itself only.

        What is executed there is not executed in the page.
        """
        self.stated.clear()
        self.scripts = [script._replace(line=line, is_live=False) for script in self.scripts]
        self.inline = [code._replace(line=line) for code in self.inline]
        self.frames = [frame._replace(line=line, is_live=False) for frame in self.frames]
        self.forms = [form._replace(line=line) for form in self.forms]
