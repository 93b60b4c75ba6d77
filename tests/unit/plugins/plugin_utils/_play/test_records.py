# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._zone.record import read_record
from ansible_collections.edgeops.observability.plugins.plugin_utils._host_variables import Host
from ansible_collections.edgeops.observability.plugins.plugin_utils._play.records import (
    READS,
    check_budget,
    check_budget_of_survey,
    reads_of,
    record_of,
    records_of,
    without_baseline,
)

INVENTORY = {"zone_account": {"id": "c1", "name": "Shop"}}


@pytest.mark.parametrize(
    ("answered", "variables", "account"),
    [
        ({"account_id": "a1"}, {"account_id": "b1", **INVENTORY}, ("a1", None)),
        ({"account_id": "c1"}, INVENTORY, ("c1", "Shop")),
        ({}, {"account_id": "b1", **INVENTORY}, ("b1", None)),
        ({}, INVENTORY, ("c1", "Shop")),
        ({}, {"account_id": ""}, (None, None)),
    ],
)
def test_account_of_a_zone(answered: t.Any, variables: t.Any, account: t.Any) -> None:
    """An answer takes precedence over what a user wrote down, and both over the inventory; a name stands only beside its own id."""
    registered = {"zone_id": "f1", "changed": False, **answered}
    host = Host({"zone_id": "f1", "log_delivery_result": registered, **variables}, Templar(loader=DataLoader()))
    record = record_of("shop.example", host, {"result": "log_delivery_result"})
    assert (record["scope"], record["zone_id"]) == ("zone", "f1")
    assert (record.get("account_id"), record.get("account_name")) == account


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"results": [{"findings": []}], "changed": False}, "is the result of a task with a loop"),
        ({"ansible_job_id": "j1", "started": 1, "finished": 0}, "is the result of a task that has only begun"),
    ],
)
@pytest.mark.parametrize("part", ["result", "pages", "scripts"])
def test_results_that_hold_no_part_are_refused(value: t.Any, said: str, part: str) -> None:
    """What is registered in a loop stands below `results`; taken for a part it would have no finding."""
    host = Host({"zone_id": "f1", "log_delivery_result": {"changed": False}, "seen": value}, Templar(loader=DataLoader()))
    with pytest.raises(Failure, match=said):
        record_of("shop.example", host, {"result": "log_delivery_result", part: "seen"})
    with pytest.raises(Failure, match=said):
        read_record("zones[0]", {"zone": "a", "zone_id": "f1", part: value})


def hosts_with(*variables: t.Any) -> dict[str, Host]:
    return {f"zone{number}": Host(of_host, Templar(loader=DataLoader())) for number, of_host in enumerate(variables)}


COMPARED: dict[str, t.Any] = {"zone_id": "0a", "changed": False, "script_monitor": {"changed": False}}
ONCE = {"log_delivery_result": COMPARED}


OTHER_PARTS = ("jobs", "coverage", "delivery", "fields", "pages")


@pytest.mark.parametrize("part", [*OTHER_PARTS, "notifications", "cost", "boundary"])
def test_name_that_no_host_has_is_refused(part: str) -> None:
    """A misspelt one would look like a part that nothing declares."""
    registered = {"result": "log_delivery_result", part: "page_reslt"}
    of_zone = {"zone_id": "0a", **ONCE, "page_result": {}}
    account: dict[str, t.Any] = {
        "account_id": "0c",
        "log_delivery_result": {"account_id": "0c", "changed": False, "jobs": {"changed": False}},
    }
    of_account = {**account, "page_result": {}}
    with pytest.raises(
        Failure, match=rf"registered\.{part}: no host of the play has a variable 'page_reslt'.*did you mean 'page_result'"
    ):
        records_of(hosts_with(of_zone, of_account), registered)
    # Set by one host, also to null; no task ran after a comparison that failed; what only accounts have is not read of zones.
    failed = {"zone_id": "0a", "log_delivery_result": {"failed": True, "msg": "no"}}
    assert len(records_of(hosts_with(of_zone, {**of_account, "page_reslt": None}), registered)) == 2
    assert len(records_of(hosts_with(failed), registered)) == 1
    if part not in OTHER_PARTS:
        assert len(records_of(hosts_with(of_zone), registered)) == 1


@pytest.mark.parametrize(
    ("variables", "unaudited"),
    [
        ([{"zone_id": "0A"}, {"zone_id": "0b"}], [1]),
        ([{"zone_id": "0a"}, {"zone_id": "0a"}], []),
        ([{"zone_id": "0a"}, {"log_delivery_zone_id": "0b", "zone_id": "0a"}], [1]),
        ([{"zone_id": "0a"}, {"account_id": "0a1"}], [1]),
        # An id that only an answer shows: nobody can tell of which zone the result is.
        ([{"zone_name": "a.example"}, {"zone_name": "b.example"}], [0, 1]),
        ([{"zone_name": "a.example"}, {"zone_name": "A.example"}], []),
        ([{"zone_id": "0a"}, {"zone_name": "b.example"}], [1]),
        ([{}, {}], [0, 1]),
        ([{}], []),
    ],
)
def test_result_of_a_task_that_ran_once_is_of_its_own_zone_only(variables: list[t.Any], unaudited: list[int]) -> None:
    """A task with `run_once` registers one result for all hosts, several of which may be one zone."""
    made = records_of(hosts_with(*({**of_host, **ONCE} for of_host in variables)), {"result": "log_delivery_result"})
    errors = [read_record(name, record)["error"] for name, record in made.items()]
    assert [number for number, error in enumerate(errors) if error] == unaudited
    assert all("run_once" in error["message"] for error in errors if error)


def test_host_keeps_its_id_where_the_result_is_of_another_zone() -> None:
    (record,) = records_of(hosts_with({"zone_id": "0b", **ONCE}), {"result": "log_delivery_result"}).values()
    assert record["zone_id"] == "0b"


@pytest.mark.parametrize("nothing", [None, "", {}])
def test_host_without_a_result_was_not_audited(nothing: t.Any) -> None:
    (record,) = records_of(hosts_with({"zone_id": "0a", "x": nothing}), {"result": "x"}).values()
    assert record["error"] == {
        "kind": "unavailable",
        "message": "nothing is registered as x: the task of this host did not run",
    }


PREDICTED: dict[str, t.Any] = {"zone_id": "0a", "changed": False, "plan_ids": {"custom_fields": "sha256:00", "jobs": None}}
REFUSED = {**PREDICTED, "failed": True, "error": {"kind": "gate"}, "refusals": [{"rule": "shop"}]}


def reads(result: t.Any, **variables: t.Any) -> list[str]:
    hosts = hosts_with({"zone_id": "0a", "edgeops_audit_scripts": True, "edgeops_pages": ["x"], "seen": result, **variables})
    parts = reads_of(hosts, "seen")
    assert tuple(parts) == READS
    return [part for part, names in parts.items() if names]


@pytest.mark.parametrize(
    ("result", "parts"),
    [
        (PREDICTED, ["jobs", "scripts", "pages"]),
        ({**PREDICTED, "listed_jobs": []}, ["scripts", "pages"]),
        ({**PREDICTED, "plan_ids": {"custom_fields": None}}, ["scripts", "pages"]),
        (REFUSED, ["jobs", "scripts", "pages"]),
        ({**REFUSED, "error": {"kind": "permission"}}, ["pages"]),
        ({**PREDICTED, "failed": True}, ["pages"]),
        ({**PREDICTED, "failed": False, "failed_when_result": True}, ["pages"]),
        ({**PREDICTED, "unreachable": True}, ["pages"]),
        ({**PREDICTED, "skipped": True}, ["pages"]),
        ({**PREDICTED, "zone_id": "0b"}, ["pages"]),
        ({}, ["pages"]),
        (None, ["pages"]),
        ("compared", ["pages"]),
    ],
)
def test_more_is_read_of_hosts_that_were_compared(result: t.Any, parts: list[str]) -> None:
    """Pages do not depend on the comparison."""
    assert reads(result) == parts


@pytest.mark.parametrize(
    ("spelling", "parts"),
    [(each, ["jobs", "scripts"]) for each in ("y", "t", "Y", "T", "on", "1", 1.0)] + [(each, ["jobs"]) for each in ("n", "f")],
)
def test_switches_have_the_spellings_of_a_module(spelling: t.Any, parts: list[str]) -> None:
    """More of them than the filter `bool` takes."""
    assert reads(PREDICTED, edgeops_audit_scripts=spelling, edgeops_pages="") == parts


def test_more_is_read_of_what_variables_ask_for() -> None:
    own = {"edgeops_audit_scripts": False, "edgeops_pages": ""}
    assert reads(PREDICTED, **own) == ["jobs"]
    account = {"zone_id": None, "account_id": "0a"}
    assert reads({**PREDICTED, "zone_id": None, "account_id": "0a"}, **own | account) == ["jobs", "notifications"]
    assert reads({**PREDICTED, "zone_id": None, "account_id": "0a"}, **account) == ["jobs", "notifications", "pages"]


def test_nothing_is_read_of_hosts_with_the_comparison_of_another() -> None:
    once = {"seen": {**PREDICTED}, "edgeops_audit_scripts": True}
    hosts = hosts_with({"zone_name": "a.example", **once}, {"zone_name": "b.example", **once})
    assert not any(reads_of(hosts, "seen").values())
    with pytest.raises(Failure, match=r"^seen of zone0: is the result of a task with a loop"):
        reads_of(hosts_with({"seen": {"results": [], "changed": False}}), "seen")


def test_hosts_without_a_baseline() -> None:
    hosts = hosts_with(*({"edgeops_script_baseline": value} for value in ([], "", None, "[]", "{{ acme }}")), {})
    assert without_baseline(hosts, hosts) == ["zone1", "zone2", "zone5"]


@pytest.mark.parametrize(
    ("registered", "missing"), [({"scripts": None}, True), ({}, False), ({"scripts": {"findings": []}}, False)]
)
def test_scripts_that_were_to_be_audited_after_a_refusal(registered: t.Any, missing: bool) -> None:
    """Null says that they were to be audited; without it, the play ended with the refusal."""
    host = {"zone_id": "0a", "edgeops_audit_scripts": True, "seen": {**REFUSED, "listed_jobs": []}, **registered}
    (record,) = records_of(hosts_with(host), {"result": "seen", "scripts": "scripts"}).values()
    assert ("error" in record) is missing


ASKED = {"edgeops_audit_scripts": True, "edgeops_pages": ["https://shop.example/pay"]}


@pytest.mark.parametrize("part", ["scripts", "pages"])
def test_part_that_a_host_asks_for_needs_the_name_of_a_result(part: str) -> None:
    """Without it, nobody would have asked for the part, and a gate for its findings would pass."""
    asks = {name: value for name, value in ASKED.items() if part in name}
    hosts = hosts_with({"zone_id": "0b", **ONCE}, {"zone_id": "0a", **ONCE, **asks})
    (variable,) = asks
    with pytest.raises(Failure, match=rf"^registered\.{part}: is missing, although {variable} of zone1 asks for {part}: "):
        records_of(hosts, {"result": "log_delivery_result"})
    assert len(records_of(hosts_with({"zone_id": "0a", **ONCE, **asks, variable: None}), {"result": "log_delivery_result"})) == 1
    assert (
        len(records_of(hosts_with({"account_id": "0a", "edgeops_audit_scripts": True}), {"result": "log_delivery_result"})) == 1
    )


@pytest.mark.parametrize("part", ["scripts", "pages"])
@pytest.mark.parametrize("is_asked", [True, False])
def test_skipped_audit_that_a_host_asks_for_is_none(part: str, is_asked: bool) -> None:
    host = {"zone_id": "0a", **ONCE, "seen": {"skipped": True, "changed": False}}
    host |= {name: value for name, value in ASKED.items() if is_asked and part in name}
    (record,) = records_of(hosts_with(host), {"result": "log_delivery_result", part: "seen"}).values()
    assert ("error" in record) is is_asked


def test_skipped_listing_of_jobs_leaves_their_health_unknown_and_the_rest_compared() -> None:
    host = {"zone_id": "0a", "log_delivery_result": {**COMPARED, "plan_ids": {"script_monitor": "x"}}, "seen": {"skipped": True}}
    (record,) = records_of(hosts_with(host), {"result": "log_delivery_result", "jobs": "seen"}).values()
    assert "error" not in record


ACCOUNT_WITH_BUDGET = {"account_id": "a" * 32, "edgeops_monthly_budget_usd": 100}


@pytest.mark.parametrize(
    ("arguments", "variables", "said"),
    [
        ({}, ACCOUNT_WITH_BUDGET, "edgeops_monthly_budget_usd: needs edgeops_audit_delivery: true"),
        ({"monthly_budget_usd": 100}, {"account_id": "a" * 32}, "monthly_budget_usd: needs edgeops_audit_delivery: true"),
        ({"delivery": True}, {"zone_id": "b" * 32, "edgeops_monthly_budget_usd": 100}, ".*, and no host of this run is one"),
        ({"delivery": True}, ACCOUNT_WITH_BUDGET, None),
        ({}, {"account_id": "a" * 32}, None),
    ],
)
def test_budget_that_could_not_be_compared_is_refused(arguments: t.Any, variables: t.Any, said: str | None) -> None:
    if said is None:
        check_budget(arguments, hosts_with(variables))
        return
    with pytest.raises(Failure, match=f"^{said}"):
        check_budget(arguments, hosts_with(variables))


@pytest.mark.parametrize("filters", [{"names": ["1.example"]}, {"statuses": ["active"]}])
def test_budget_of_a_survey_without_accounts_is_refused(filters: t.Any) -> None:
    (host,) = hosts_with({"edgeops_monthly_budget_usd": 3, "edgeops_survey": filters}).values()
    with pytest.raises(Failure, match=r"^edgeops_monthly_budget_usd: .* add account_ids to edgeops_survey$"):
        check_budget_of_survey(host, {})
    check_budget_of_survey(host, {"account_ids": ["a" * 32]})
