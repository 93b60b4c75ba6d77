# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
import pathlib
import typing as t

from edgeops_simulator.refusal import Refusal
from edgeops_simulator.settings import Settings
from edgeops_simulator.state.owners import Account, Owner, Zone
from edgeops_simulator.state.service import Service

MOST = 1_000_000_000


@dataclasses.dataclass
class Call:
    """One request, as handlers of operations receive it."""

    service: Service
    path: str
    ids: t.Mapping[str, str]
    query: t.Mapping[str, str]
    body: t.Any = None
    log_folder: pathlib.Path | None = None
    owner_or_none: Owner | None = None

    @property
    def owner(self) -> Owner:
        assert self.owner_or_none is not None  # only routes below a zone or an account call this
        return self.owner_or_none

    @property
    def zone(self) -> Zone:
        assert isinstance(self.owner_or_none, Zone)
        return self.owner_or_none

    @property
    def account(self) -> Account:
        assert isinstance(self.owner_or_none, Account)
        return self.owner_or_none

    @property
    def settings(self) -> Settings:
        return self.service.settings

    def number(self, name: str, default: int, low: int, high: int = MOST) -> int:
        """Return a whole number of the query string; refuse it outside its range."""
        text = self.query.get(name, "")
        if text == "":
            return default
        if not (text.isascii() and text.isdigit() and len(text) < 18 and low <= int(text) <= high):
            raise Refusal(400, 1001, f"{name} must be an integer from {low} to {high}", source={"pointer": f"/{name}"})
        return int(text)


@dataclasses.dataclass
class Answer:
    """The result of an operation, without the envelope."""

    result: t.Any = None
    status: int = 200
    result_info: dict[str, t.Any] | None = None
    bare: bool = False


def page_of(items: t.Sequence[t.Any], page: int, per_page: int) -> tuple[list[t.Any], dict[str, int]]:
    """Return the items of one page, and the numbers in its `result_info`; a page past the end is empty."""
    start = (page - 1) * per_page
    selected = list(items[start : start + per_page])
    info = {
        "page": page,
        "per_page": per_page,
        "count": len(selected),
        "total_count": len(items),
        "total_pages": -(-len(items) // per_page),
    }
    return selected, info
