# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import re
import typing as t

from .kinds import Kind

# Incomplete lines: each may be the record of an audit, which nobody can verify any more.

_FINDING = re.compile(rb'"kind":"([a-z_]+)"')


class Torn(t.NamedTuple):
    """Lines without an end: their size in bytes, the findings that can be read in them by type, and why they cannot be read."""

    size: int
    findings: t.Mapping[str, int]
    problem: str = ""

    @property
    def words(self) -> str:
        """Return what can be read in them, for people; "" if nothing can."""
        if self.problem:
            return f"they cannot be read: {self.problem}"
        counts = ", ".join(f"{number} {kind}" for kind, number in self.findings.items())
        return f"what is left has findings: {counts}" if counts else ""


def read_torn(content: bytes, kind: Kind) -> Torn:
    """Return what is left of incomplete lines."""
    counts = collections.Counter(name.decode() for name in _FINDING.findall(content))
    return Torn(len(content), {name: counts[name] for name in kind.findings if counts[name]})
