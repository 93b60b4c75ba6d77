# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t

# The two files of an adoption that have a section for each zone. A fleet can be adopted in parts, so that a part adds to them.

SUMMARY, VAULT = "ADOPTED.md", "vault-example.txt"


class _Form(t.NamedTuple):
    """The form of a file: its head, with the date of the adoption, how a section begins, and what is between two sections."""

    head: re.Pattern[str]
    section: re.Pattern[str]
    between: str


_FORMS: t.Mapping[str, _Form] = {
    SUMMARY: _Form(
        re.compile(r"# Adopted zones\n\n[0-9]+ (?:zone or account|zones and accounts), adopted on \S+\n\n"),
        re.compile(r"^(?=## )", re.MULTILINE),
        "\n\n",
    ),
    VAULT: _Form(re.compile(r"---\n# Destinations with a secret, .*\n(?:#.*\n)*"), re.compile(r"^(?=\S)", re.MULTILINE), "\n"),
}
_NUMBER = re.compile("[0-9]+ (?:zone or account|zones and accounts)")
_NO_ZONE = "{}"


def with_others(path: str, old: str, new: str, *, replaces: bool) -> str | None:
    """Return a file with the sections of zones that it has and this adoption does not; None if it is another file.

    Unless the adoption `replaces` them, sections of its own zones must be as they are.
    """
    form = _FORMS[path]
    kept, added = _sections(form, old), _sections(form, new)
    head = form.head.match(new)
    if kept is None or added is None or head is None:
        return None
    if not replaces and any(kept[name] != added[name] for name in kept.keys() & added.keys()):
        return None
    whole = {**kept, **added}
    number = f"{len(whole)} {'zone or account' if len(whole) == 1 else 'zones and accounts'}"
    heads = [_NUMBER.sub(number, head[0], count=1)]
    # A comment for a checker of YAML that only long lines need.
    heads += [line for line in _comments(form, old) if path == VAULT and line not in head[0] and line.startswith("# yamllint")]
    body = form.between.join(whole[name] for name in sorted(whole)) or _NO_ZONE
    return f"{''.join(heads)}{body}\n"


def _comments(form: _Form, text: str) -> list[str]:
    head = form.head.match(text)
    return head[0].splitlines(keepends=True) if head else []


def _sections(form: _Form, text: str) -> dict[str, str] | None:
    """Return the sections of a file by their first lines; None if it is no such file."""
    head = form.head.match(text)
    if head is None:
        return None
    sections = [section.strip("\n") for section in form.section.split(text[head.end() :])]
    return {section.partition("\n")[0]: section for section in sections if section not in ("", _NO_ZONE)}
