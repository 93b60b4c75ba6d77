# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._errors import UNAVAILABLE, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json

# The last one gives the text behind it delimiters of its own.
_DELIMITERS = ("{{", "{%", "{#", "#jinja2:")
_STRING = "tag:yaml.org,2002:str"
# Half a character, at which libyaml refuses the whole file; what has to keep it is not written at all.
_SURROGATE = re.compile("[\ud800-\udfff]")
# Read as a blank unless it is escaped.
_BREAK = re.compile("[\x85\u2028\u2029]")
_WIDTH = 120
_MAX_LINE_LENGTH = 150


class Template(str):
    """Text whose Jinja delimiters are meant as such."""

    __slots__ = ()


def yaml_text(comments: t.Sequence[str], data: Json) -> str:
    """One YAML document in block style under its comments; text that looks like a template is marked `!unsafe`."""
    try:
        import yaml  # noqa: PLC0415  # slow to import, and only a run that writes needs it
    except ImportError:  # a module in a process of its own may lack it; ansible-core brings it for the controller
        raise Failure(UNAVAILABLE, "The Python library PyYAML is needed to write YAML files; ansible-core brings it.") from None
    body = yaml.dump(
        data, Dumper=_dumper(yaml.SafeDumper), default_flow_style=False, sort_keys=False, allow_unicode=True, width=_WIDTH
    )
    head = [f"# {_one_line(comment)}" for comment in comments]
    if any(len(line) > _MAX_LINE_LENGTH for line in (*head, *body.splitlines())):
        head.append("# yamllint disable rule:line-length")
    return "\n".join(["---", *head, body])


def _one_line(text: str) -> str:
    return "".join(character if character.isprintable() else " " for character in text)


def _dumper(base: t.Any) -> t.Any:
    class Dumper(base):  # type: ignore[misc]  # PyYAML is imported when it is needed
        def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
            super().increase_indent(flow, indentless and False)  # lists are indented, as yamllint asks for

    Dumper.ignore_aliases = lambda self, data: True  # every value is written out

    def text(dumper: t.Any, value: str) -> t.Any:
        value = _SURROGATE.sub("\ufffd", value)
        if any(delimiter in value for delimiter in _DELIMITERS):
            return dumper.represent_scalar("!unsafe", value, style='"')
        return dumper.represent_scalar(_STRING, value, style='"' if _BREAK.search(value) else None)

    Dumper.add_representer(str, text)
    Dumper.add_representer(
        Template, lambda dumper, value: dumper.represent_scalar(_STRING, _SURROGATE.sub("\ufffd", value), style='"')
    )
    return Dumper
