# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import re
import typing as t

import yaml

from ..module_utils._address import SCOPES, ZONE
from ..module_utils._core import Json
from ..module_utils._redact import clean_text
from ..module_utils._templates import DELIMITER

# Words of reports, summaries and files: counts with their nouns, lists of names, YAML.


def plural(number: int, noun: str, many: str = "") -> str:
    """Return a number with its noun: `1 zone`, `1,200 zones`."""
    return f"{number:,} {noun if number == 1 else many or f'{noun}s'}"


# Of a list in a sentence, so many items are named.
_MAX_NAMED = 3


def named(texts: t.Iterable[str]) -> str:
    """Return the first of several texts, and how many follow."""
    texts = list(texts)
    more = len(texts) - _MAX_NAMED
    return ", ".join(texts[:_MAX_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def count_hosts(scopes: t.Iterable[str]) -> str:
    """Return numbers of zones and accounts: `3 zones and 1 account`."""
    numbers = collections.Counter(scopes)
    return " and ".join(plural(numbers[scope], scope) for scope in SCOPES if numbers[scope]) or plural(0, ZONE)


def part_of_hosts(number: int, scopes: t.Iterable[str]) -> str:
    """Return how many of all zones and accounts: `2 of 3 zones`; with accounts among them `2 of 4 zones and accounts`."""
    scopes = list(scopes)
    several = len(set(scopes)) > 1
    return f"{number:,} of {f'{len(scopes):,} zones and accounts' if several else count_hosts(scopes)}"


# Fewer names of hosts are listed.
MIN_FOLDED = 3


def hosts_such_as(names: t.Sequence[str], scopes: t.Iterable[str]) -> str:
    """Return who something is about: the names of one or two hosts, `36 zones, such as api.example.com` for more."""
    if len(names) < MIN_FOLDED:
        return ", ".join(names)
    return f"{count_hosts(scopes)}, such as {names[0]}"


def distinct(texts: t.Iterable[str]) -> list[str]:
    """Return the texts with a number appended to each duplicate."""
    forms: dict[str, None] = {}
    for text in texts:
        number, form = 1, text
        while form in forms:
            number += 1
            form = f"{text}#{number}"
        forms[form] = None
    return list(forms)


# A header that can change the delimiters of Jinja.
_HEADER = "#jinja2:"
_STRING = "tag:yaml.org,2002:str"
# A lone surrogate, which makes libyaml refuse the whole file; values that depend on one are not adopted.
_SURROGATE = re.compile("[\ud800-\udfff]")
# Invisible and direction characters, which are escaped because they could mislead a reader.
_ESCAPED = re.compile("[\x85\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]")
_MAX_LINE_LENGTH = 150


class Template(str):
    """Text that is a Jinja template."""

    __slots__ = ()


def yaml_text(comments: t.Sequence[str], data: Json, width: float = 120) -> str:
    """Return a YAML document in block style under its comments; text that looks like a template is marked `!unsafe`."""
    body = yaml.dump(data, Dumper=_Dumper, default_flow_style=False, sort_keys=False, allow_unicode=True, width=width)
    body = _ESCAPED.sub(lambda match: f"\\U{ord(match[0]):08x}", body)
    head = [f"# {clean_text(comment)}" for comment in comments]
    if any(len(line) > _MAX_LINE_LENGTH for line in (*head, *body.splitlines())):
        head.append("# yamllint disable rule:line-length")
    return "\n".join(["---", *head, body])


class _Dumper(yaml.SafeDumper):
    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002  # as PyYAML calls it
        super().increase_indent(flow, False)  # yamllint requires indented lists

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002  # as PyYAML calls it
        return True  # write repeated values in full


def _represent_text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    value = _SURROGATE.sub("\ufffd", value)
    if DELIMITER.search(value) or _HEADER in value:
        return dumper.represent_scalar("!unsafe", value, style='"')
    # Text of several lines is a block; a writer that cannot show it so quotes it.
    style = '"' if _ESCAPED.search(value) else "|" if "\n" in value.strip() else None
    return dumper.represent_scalar(_STRING, value, style=style)


def _represent_template(dumper: yaml.SafeDumper, value: Template) -> yaml.ScalarNode:
    return dumper.represent_scalar(_STRING, _SURROGATE.sub("\ufffd", value), style='"')


_Dumper.add_representer(str, _represent_text)
_Dumper.add_representer(Template, _represent_template)
