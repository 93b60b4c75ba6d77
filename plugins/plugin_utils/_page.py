# SPDX-License-Identifier: GPL-3.0-or-later

"""Pages that load nothing and run nothing: a template with its style, whose digest is the only one that the page admits."""

from __future__ import annotations

import base64
import functools
import hashlib
import pathlib
import typing as t

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ..module_utils._text import line

_MAX_TEXT = 300


def render_page(
    template: pathlib.Path,
    style: pathlib.Path,
    view: t.Mapping[str, t.Any],
    filters: t.Mapping[str, t.Any],
    tests: t.Mapping[str, t.Any],
) -> bytes:
    """Return a page; `view` are the variables of its template, which also has `style` and `policy`."""
    environment = _environment(template.parent)
    environment.filters.update(filters)
    environment.tests.update(tests)
    css = style.read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'"
    return environment.get_template(template.name).render(**view, style=css, policy=policy).encode()


@functools.cache
def _environment(folder: pathlib.Path) -> Environment:
    """Return what compiles the templates of a folder, each once."""
    return Environment(
        loader=FileSystemLoader(folder), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )


def short(text: object) -> str:
    """Return a text of foreign origin on one line, cut to the length of a cell."""
    return line(text, _MAX_TEXT)
