# SPDX-License-Identifier: GPL-3.0-or-later

import datetime
import typing as t

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._address import ACCOUNT, Address
from ansible_collections.edgeops.observability.plugins.module_utils._core import PERMISSION, UNAVAILABLE, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.costs import PUBLISHED_RATES
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.delivery import (
    MAY_BE_ABSENT,
    DesiredFacts,
    by_owner,
    report,
)
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.delivery_query import HEALTH, USAGE

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
    """Answers queries for zones; `settings` replace limits of the plan."""

    def __init__(self, rows: int = 0, **settings: t.Any) -> None:
        self.queries: list[str] = []
        self._rows = [{"sum": {"uploads": 1}, "dimensions": {"jobId": 4}}] * rows
        self._settings = {HEALTH: {**SETTINGS, **settings}}

    def ask(self, text: str, variables: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        self.queries.append(text)
        node = {"settings": self._settings, HEALTH: self._rows}
        return {"viewer": {"zones": [{"zoneTag": zone, **node} for zone in variables["id"]]}}


def test_ten_zones_share_a_query() -> None:
    """Each query requests limits and rows together, so that limits need no extra query."""
    service = Service(rows=1)
    result = report(service.ask, DesiredFacts(ZONES, 24, None), None, NOW).result
    assert len(service.queries) == 100 and len(result["jobs"]) == 1000
    assert all("settings{" in text and HEALTH + "(limit" in text for text in service.queries)


def test_plan_without_the_dataset_is_missing() -> None:
    result = report(Service(enabled=False).ask, DesiredFacts(ZONES[:1], 24, None), None, NOW).result
    assert not result["available"] and "has no " + HEALTH in result["reason"]


def test_full_page_is_split() -> None:
    """A plan may allow smaller pages than were requested. A page of that size is full, so that the query is split."""
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

    conclusion = report(ask, DesiredFacts(ZONES[:1], 48, None), None, NOW)
    assert len(service.queries) == 3 and conclusion.result["window"]["since"] == "2026-10-31T12:00:00Z"
    text = f"since: the plan of the zone {ZONES[0]} shows only the last 24 hours, from 2026-10-31T12:00:00Z on."
    assert conclusion.warnings == (text,)
    assert conclusion.result["shortened"] == {ZONES[0]: {"hours": 24, "requested": 48}}
    (facts,) = by_owner(conclusion.result, ZONES[:1]).values()
    assert facts == {"available": True, "jobs": conclusion.result["jobs"], "shortened": conclusion.result["shortened"]}


@pytest.mark.parametrize(
    ("not_older_than", "shortened"), [(86_400, {}), (10**19, {}), (3_660, {ZONES[0]: {"hours": 1, "requested": 24}})]
)
def test_answer_shows_no_more_than_the_plan(not_older_than: int, shortened: dict[str, t.Any]) -> None:
    """A service that answers for a window that is longer than its plan shows may leave out the rest; a minute is for the clocks."""
    conclusion = report(Service(rows=1, notOlderThan=not_older_than).ask, DesiredFacts(ZONES[:1], 24, None), None, NOW)
    assert (conclusion.result["shortened"], len(conclusion.warnings)) == (shortened, len(shortened))


@pytest.mark.parametrize(
    ("not_older_than", "since"), [(90000, "10-31T12:00:00"), (3660, "11-01T11:00:00"), (90, "11-01T11:59:00")]
)
def test_age_limit_has_a_margin_for_clocks(not_older_than: int, since: str) -> None:
    service = Service(notOlderThan=not_older_than)
    refused = iter([Failure(PERMISSION, "query time range is too large")])

    def ask(text: str, variables: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        if failure := next(refused, None):
            raise failure
        return service.ask(text, variables)

    assert report(ask, DesiredFacts(ZONES[:1], 48, None), None, NOW).result["window"]["since"] == f"2026-{since}Z"


@pytest.mark.parametrize(
    ("count", "zones"),
    [(3, f"3 zones {', '.join(ZONES[:3])}"), (5, f"5 zones {', '.join(ZONES[:3])} and 2 more")],
)
def test_zones_with_the_same_window_share_one_warning(count: int, zones: str) -> None:
    service = Service(rows=1)

    def ask(text: str, variables: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        if len(variables["id"]) > 1:
            raise Failure(PERMISSION, "query time range is too large")
        return service.ask(text, variables)

    conclusion = report(ask, DesiredFacts(ZONES[:count], 48, None), None, NOW)
    text = f"since: the plan of {zones} shows only the last 24 hours, from 2026-10-31T12:00:00Z on."
    assert conclusion.warnings == (text,) and len(conclusion.result["jobs"]) == count


def test_two_nodes_of_one_zone_are_refused() -> None:
    """Whose rows count is not known, and those of the other one would be lost."""

    def ask(_text: str, _variables: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        nodes = [{"zoneTag": tag, **rows_with(sum={"uploads": 3})} for tag in ("0a", "0A")]
        return {"viewer": {"zones": nodes}}

    with pytest.raises(Failure, match="has two nodes of the zone 0a") as refused:
        report(ask, DesiredFacts(("0a",), 24, None), None, NOW)
    assert refused.value.kind == "bad_response"


def test_zone_missing_in_the_answer_has_no_facts() -> None:
    service = Service(rows=1)

    def ask(text: str, variables: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        zones = service.ask(text, variables)["viewer"]["zones"]
        return {"viewer": {"zones": [node for node in zones if node["zoneTag"] != ZONES[1]]}}

    result = report(ask, DesiredFacts(ZONES[:3], 24, None), None, NOW).result
    reason = f"The service's answer lacks the zone {ZONES[1]}, so the token cannot read it."
    assert result["unavailable"] == {ZONES[1]: reason}
    rows = by_owner(result, ZONES[:3])
    assert rows[ZONES[1]] == {"available": False, "reason": reason}
    assert [[row["zone_id"] for row in rows[zone]] for zone in (ZONES[0], ZONES[2])] == [[ZONES[0]], [ZONES[2]]]


def test_zones_are_not_read_one_by_one_without_permission() -> None:
    asked: list[list[str]] = []

    def ask(text: str, variables: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        asked.append(variables["id"])
        raise Failure(PERMISSION, "the token may not read analytics")

    result = report(ask, DesiredFacts(ZONES[:30], 24, None), None, NOW).result
    assert [len(ids) for ids in asked] == [10, *[1] * 10, 10, 10]
    assert (result["available"], result["reason"]) == (False, "the token may not read analytics")
    assert by_owner(result, ZONES[:1]) == {ZONES[0]: {"available": False, "reason": "the token may not read analytics"}}


def test_zones_of_other_plans_hide_no_facts() -> None:
    """Zones are read one by one as long as the reason is one of a zone, and each has its own reason."""
    service, lacking = Service(rows=1), {*ZONES[:11]}

    def ask(text: str, variables: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        if refused := [zone for zone in variables["id"] if zone in lacking]:
            raise Failure(PERMISSION, f"zone {refused[0]} does not have access to the path")
        return service.ask(text, variables)

    result = report(ask, DesiredFacts(ZONES[:20], 24, None), None, NOW).result
    assert result["available"] and result["unavailable"].keys() == lacking and len(result["jobs"]) == 9
    none = report(ask, DesiredFacts(ZONES[:11], 24, None), None, NOW).result
    assert not none["available"] and none["unavailable"] == result["unavailable"]
    assert by_owner(none, ZONES[:11])[ZONES[1]]["reason"] == f"zone {ZONES[1]} does not have access to the path"


def test_missing_facts_have_a_reason() -> None:
    """A failure keeps its kind, because an error of the service is another thing than what a plan does not show."""
    failure = {"failed": True, "msg": "no answer", "error": {"kind": "unavailable"}}
    assert by_owner({**failure, "warnings": []}, ZONES[:1]) == {ZONES[0]: failure}
    assert by_owner({"skipped": True}, ZONES[:1]) == {ZONES[0]: {"available": False, "reason": "they were not read"}}


def test_row_that_cannot_be_used_leaves_the_other_zones() -> None:
    def ask(text: str, variables: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        nodes = [{"zoneTag": zone_id, **rows_with(sum={"uploads": 3})} for zone_id in variables["id"]]
        nodes[1][HEALTH] = [{"dimensions": {"jobId": None}, "sum": {"uploads": 3}}]
        return {"viewer": {"zones": nodes}}

    conclusion = report(ask, DesiredFacts(ZONES[:3], 24, None), None, NOW)
    assert [job["zone_id"] for job in conclusion.result["jobs"]] == [ZONES[0], ZONES[2]]
    assert (
        conclusion.result["unavailable"].keys() == {ZONES[1]} and "`jobId` must be" in conclusion.result["unavailable"][ZONES[1]]
    )
    assert len(conclusion.warnings) == 1


def rows_with(**row: t.Any) -> dict[str, t.Any]:
    return {"settings": {HEALTH: SETTINGS}, HEALTH: [{"dimensions": {"jobId": 4}, **row}]}


@pytest.mark.parametrize(
    ("node", "what"),
    [
        ({"settings": None, HEALTH: []}, "`settings` must be an object"),
        ({"settings": {HEALTH: SETTINGS}, HEALTH: {}}, f"`{HEALTH}` must be a list of objects"),
        ({"settings": {HEALTH: SETTINGS}, HEALTH: [1]}, f"`{HEALTH}` must be a list of objects"),
        ({"settings": {HEALTH: {**SETTINGS, "availableFields": "all"}}, HEALTH: []}, "`availableFields` must be a list"),
        ({"settings": {HEALTH: {**SETTINGS, "maxPageSize": None}}, HEALTH: []}, "`maxPageSize` must be a whole number"),
        (rows_with(dimensions=[]), "`dimensions` must be an object"),
        *(
            (rows_with(sum={"uploads": value}), "`uploads` must be a whole number")
            for value in (-1, 1.5, True, "", "-1", "1.5", "²", "9" * 20)
        ),
    ],
)
def test_invalid_answer_is_a_bad_response(node: dict[str, t.Any], what: str) -> None:
    def ask(text: str, variables: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        return {"viewer": {"zones": [{"zoneTag": variables["id"][0], **node}]}}

    text = f"The service's answer to the query for delivery facts cannot be used: {what}."
    with pytest.raises(Failure) as caught:
        report(ask, DesiredFacts(ZONES[:1], 24, None), None, NOW)
    assert (caught.value.kind, str(caught.value)) == ("bad_response", text)


@pytest.mark.parametrize("value", [12, "12", "9" * 19])
def test_numbers_may_be_text(value: t.Any) -> None:
    def ask(text: str, variables: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        rows = rows_with(sum={"uploads": value}, dimensions={"jobId": 4, "success": 1})
        return {"viewer": {"zones": [{"zoneTag": variables["id"][0].upper(), **rows}]}}

    (job,) = report(ask, DesiredFacts(("abc",), 24, None), None, NOW).result["jobs"]
    assert (job["zone_id"], job["uploads"]) == ("abc", int(value))


def test_invalid_usage_ends_the_task() -> None:
    def ask(text: str, variables: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        if USAGE in text:
            raise Failure(UNAVAILABLE, "timeout")
        return {"viewer": {"accounts": [{"accountTag": variables["id"], **rows_with(sum={"uploads": 1})}]}}

    with pytest.raises(Failure, match="timeout"):
        report(ask, DesiredFacts((), 24, PUBLISHED_RATES), Address(ACCOUNT, "abc"), NOW)


NOON_OF_FOURTH = NOW.replace(day=4)
BY_DAY = ["sum_bytes", "sum_uploads", "dimensions_jobId", "dimensions_destinationType", "dimensions_date"]


def billed(days: t.Sequence[t.Any], asked: list[t.Any] | None = None, delivered: t.Sequence[t.Any] = (), **usage: t.Any) -> t.Any:
    """Return the result for an account whose usage has these days."""
    settings = {**SETTINGS, "availableFields": BY_DAY, "maxDuration": 30 * 86400, "notOlderThan": 31 * 86400}
    of_usage = {**settings, "availableFields": ["sum_billableBytes", "dimensions_date"], **usage}
    rows = [{"sum": {"billableBytes": 10}, "dimensions": {"date": day}} for day in days]

    def ask(text: str, variables: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        if f"{USAGE}(" in text and asked is not None:
            asked.append((variables["since"], variables["until"]))
        measured = list(delivered) if "success:1" in text else []
        node = {"settings": {HEALTH: settings, USAGE: of_usage}, HEALTH: measured, USAGE: rows}
        return {"viewer": {"accounts": [{"accountTag": variables["id"], **node}]}}

    return report(ask, DesiredFacts((), 24, PUBLISHED_RATES), Address(ACCOUNT, "abc"), NOON_OF_FOURTH, {}).result


@pytest.mark.parametrize(
    "days",
    [["2026-11-01", "2026-11-01"], ["2026-10-31"], ["2026-11-05"], [None], [5], [[]]],
    ids=["twice", "another month", "tomorrow", "null", "number", "list"],
)
def test_day_of_the_usage_that_is_none_of_the_month_is_a_bad_response(days: t.Any) -> None:
    with pytest.raises(Failure, match="must be a day that was asked for, once") as caught:
        billed(days)
    assert caught.value.kind == "bad_response"


def test_days_without_usage_are_those_of_the_month_with_what_was_delivered() -> None:
    row = {"sum": {"bytes": 3}, "dimensions": {"jobId": 4, "destinationType": "S3", "date": "2026-11-02"}}
    bill = billed(["2026-11-03"], delivered=[row, row])
    assert bill["cost"]["missing_days"] == {"2026-11-01": 0, "2026-11-02": 6} and bill["cost"]["jobs"] == [4]
    assert bill["usage"] == [{"date": "2026-11-03", "billable_bytes": 10}]


@pytest.mark.parametrize("date", [None, ..., "2026-10-31", 5])
def test_deliveries_without_their_day_leave_the_days_unknown(date: t.Any) -> None:
    row = {"sum": {"bytes": 7}, "dimensions": {"jobId": 4, "destinationType": "S3", **({} if date is ... else {"date": date})}}
    assert billed(["2026-11-03"], delivered=[row])["cost"]["missing_days"] == {"2026-11-01": None, "2026-11-02": None}


def test_plan_may_show_the_usage_of_a_part_of_the_month() -> None:
    asked: list[t.Any] = []
    bill = billed(["2026-11-03", "2026-11-04"], asked, maxDuration=2 * 86400)
    # It begins at noon of the second day, of which only a part is shown.
    assert asked == [("2026-11-03", "2026-11-04")]
    assert list(bill["cost"]["missing_days"]) == ["2026-11-01", "2026-11-02"] and not bill["cost"]["estimated"]


@pytest.mark.parametrize("fields", [["dimensions_date"], ["sum_billableBytes"], []])
def test_usage_without_bytes_or_days_is_not_offered(fields: list[str]) -> None:
    asked: list[t.Any] = []
    bill = billed(["2026-11-01"], asked, availableFields=fields)
    assert not asked and bill["usage"] is None and bill["cost"]["estimated"] and bill["cost"]["missing_days"] == {}


@pytest.mark.parametrize("path", sorted(MAY_BE_ABSENT))
@pytest.mark.parametrize("value", [None, ...])
def test_member_that_the_plan_does_not_offer_is_not_known(path: str, value: t.Any) -> None:
    """What was lost is not known without it, or is the same; it never becomes 0."""
    whole = {
        "sum": {"uploads": 3, "records": 5, "bytes": 7, "bytesCompressed": 2},
        "max": {"timestamp": "2026-11-01T11:30:00Z"},
        "dimensions": {"jobId": 4, "status": 403, "success": 0, "final": 1, "datetimeHour": "2026-11-01T11:00:00Z"},
    }
    group, name = path.split(".")[1:]
    row = {key: dict(members) for key, members in whole.items()}
    row[group].pop(name)
    row[group] |= {} if value is ... else {name: value}

    def facts(of: dict[str, t.Any]) -> dict[str, t.Any]:
        def ask(text: str, variables: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
            return {"viewer": {"zones": [{"zoneTag": variables["id"][0], "settings": {HEALTH: SETTINGS}, HEALTH: [of]}]}}

        (job,) = report(ask, DesiredFacts(ZONES[:1], 24, None), None, NOW).result["jobs"]
        return dict(job)

    assert facts(whole)["dropped_records"] == 5
    assert facts(row)["dropped_records"] in (None, 5)
    if name in ("success", "final"):
        assert facts(row)["failed_uploads"] is None
    assert {facts(row)[total] for total in ("uploads", "records", "bytes", "bytes_compressed")} <= {None, 0}


def test_uploads_of_an_unknown_outcome_are_delivered_by_their_status() -> None:
    """A plan that does not show outcomes may show statuses, of which 200 is a delivery; of any other it is not known."""

    def uploads(*statuses: t.Any) -> t.Any:
        rows = [{"sum": {"uploads": 2}, "dimensions": {"jobId": 4, "status": status}} for status in statuses]

        def ask(text: str, variables: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
            return {"viewer": {"zones": [{"zoneTag": variables["id"][0], "settings": {HEALTH: SETTINGS}, HEALTH: rows}]}}

        (job,) = report(ask, DesiredFacts(ZONES[:1], 24, None), None, NOW).result["jobs"]
        return job["uploads"]

    assert uploads(200, "200") == 4
    assert uploads(200, 403) is None and uploads(200, None) is None
