# SPDX-License-Identifier: GPL-3.0-or-later

import datetime
import typing as t

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._core import PERMISSION, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.delivery import HEALTH, DesiredFacts, report

NOW = datetime.datetime(2026, 11, 1, 12, tzinfo=datetime.timezone.utc)
ZONES = tuple(f"{number:032x}" for number in range(1, 1001))
SETTINGS: dict[str, t.Any] = {
    "enabled": True,
    "availableFields": ["sum_uploads", "dimensions_jobId"],
    "maxDuration": 86400,
    "maxPageSize": 10000,
    "notOlderThan": 90000,
}


class Service:
    """Answers queries for zones; `settings` replaces members of what a zone's plan allows."""

    def __init__(self, rows: int = 0, **settings: t.Any) -> None:
        self.queries: list[str] = []
        self._rows = [{"sum": {"uploads": 1}, "dimensions": {"jobId": 4}}] * rows
        self._settings = {HEALTH: {**SETTINGS, **settings}}

    def ask(self, text: str, variables: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        self.queries.append(text)
        node = {"settings": self._settings, HEALTH: self._rows}
        return {"viewer": {"zones": [{"zoneTag": zone, **node} for zone in variables["id"]]}}


def test_thousand_zones_are_a_hundred_queries() -> None:
    """Each query asks for the settings beside the rows, so that they cost no query of their own."""
    service = Service(rows=1)
    result = report(service.ask, DesiredFacts(ZONES, 24, None), None, NOW).result
    assert len(service.queries) == 100 and len(result["jobs"]) == 1000
    assert all("settings{" in text and HEALTH + "(limit" in text for text in service.queries)


def test_plan_without_the_dataset_is_missing() -> None:
    result = report(Service(enabled=False).ask, DesiredFacts(ZONES[:1], 24, None), None, NOW).result
    assert not result["available"] and "has no " + HEALTH in result["reason"]


def test_page_of_the_size_that_the_plan_allows_is_split() -> None:
    """Half a page of the size that was asked for may be a full page of the plan."""
    service = Service(rows=2, maxPageSize=2)
    with pytest.raises(Failure, match="2 rows within a minute"):
        report(service.ask, DesiredFacts(ZONES[:1], 1, None), None, NOW)
    assert "limit:2," in service.queries[1] and "settings{" not in service.queries[1]


def test_refused_window_is_shortened_by_the_settings() -> None:
    service = Service(rows=1)

    def ask(text: str, variables: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        if variables.get("since", "9") < "2026-10-31T11":
            service.queries.append(text)
            raise Failure(PERMISSION, "query time range is too large")
        return service.ask(text, variables)

    found = report(ask, DesiredFacts(ZONES[:1], 48, None), None, NOW)
    assert len(service.queries) == 3 and found.result["window"]["since"] == "2026-10-31T12:00:00Z" and found.warnings
