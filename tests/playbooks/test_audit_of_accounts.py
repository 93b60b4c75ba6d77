# SPDX-License-Identifier: GPL-3.0-or-later

"""What is lost without an error: removed log fields, datasets outside the region, and bills above a budget."""

import time

import pytest
from zone_runs import DESTINATION, imported, shown_lines

from harness import Plays

SURVEY = "edgeops.observability.survey"
JOB = {"name": "edge", "destination_conf": DESTINATION, "enabled": True, "logpull_options": "fields=RayID,ClientIP"}
ITEM = {"name": "edge", "enabled": True}
ZONES = [f"{number:032x}" for number in (1, 2)]
ACCOUNT = "a" * 32
GIGABYTE = 1_000_000_000


@pytest.fixture
def hosts(simulator):
    """Return two zones and their account, with three jobs of two datasets."""
    simulator.seed(
        accounts=[{"id": ACCOUNT, "name": "Shop"}],
        zones=[
            {"id": zone, "name": f"{zone[-1]}.example", "status": "active", "account": {"id": ACCOUNT, "name": "Shop"}}
            for zone in ZONES
        ],
        jobs={
            ZONES[0]: [{**JOB, "id": 1}, {**JOB, "id": 2, "name": "second"}],
            ZONES[1]: [{**JOB, "id": 3}],
            f"accounts/{ACCOUNT}": [{**JOB, "id": 4, "dataset": "audit_logs", "logpull_options": "fields=ActorEmail"}],
        },
    )
    items = {"log_delivery_jobs": [ITEM], "log_delivery_unlisted_jobs": "ignore"}
    zones = {f"zone{zone[-1]}": {"zone_id": zone, "zone_account": {"id": ACCOUNT, "name": "Shop"}, **items} for zone in ZONES}
    of_account = {"account_id": ACCOUNT, "account_name": "Shop", "log_delivery_jobs": [{**ITEM, "dataset": "audit_logs"}]}
    return {**zones, "acme": of_account}


def asked(report, part):
    return sorted(entry["zone"] or entry["account"] for entry in report.journal if entry["path"].endswith(part))


def uploaded(simulator):
    """Let the account have a bill of 3.50 USD at the end of the month, which begins now."""
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 60))
    row = {"datetime": moment, "job_id": 4, "status": 200, "success": 1, "final": 1, "records": 7, "bytes": 60 * GIGABYTE}
    simulator.seed(uploads={f"accounts/{ACCOUNT}": [row]})


def check_losses(report):
    """Removed fields and regions take one request for each dataset and host, and the bill of an account is compared with its budget."""
    assert asked(report, "/fields") == sorted([*ZONES, ACCOUNT])
    assert asked(report, "/cmb/config").count(ACCOUNT) == 1
    lines = [line for line in shown_lines(report) if "field_removed" in line or "region_gap" in line]
    assert sum("ClientIP" in line for line in lines) >= 2 and sum("region_gap" in line for line in lines) == 1
    (bill,) = [line for line in shown_lines(report) if "over_budget" in line]
    assert "Logpush of account 'Shop' cost 3.50 USD" in bill and "without transformers" in bill
    assert not report.writes


@pytest.fixture
def losing(simulator):
    """Let a field be removed, the account have a region, and a bill."""
    simulator.settings(removed_fields=["http_requests.ClientIP"])
    simulator.seed(boundary={ACCOUNT: {"regions": ["eu"]}})
    uploaded(simulator)


def test_survey_finds_losses_without_an_error(playbook, hosts, losing):
    """A survey also finds the account of the service itself."""
    variables = {"edgeops_audit_fields": "y", "edgeops_monthly_budget_usd": 3}
    report = playbook.run(playbook=SURVEY, inventory={"localhost": {}}, extra_vars=variables)
    check_losses(report)


def bill_within_the_budget(hosts):
    """With the rates of the account it is no finding; removed fields and regions are off by default."""
    cheap = imported("check", edgeops_rates={"external": {"usd_per_gb": 0.0001}})
    report = yield Plays([cheap], hosts)
    assert not [line for line in shown_lines(report) if "over_budget" in line]
    assert not asked(report, "/fields") and not asked(report, "/cmb/config")


def losses_without_an_error(hosts):
    report = yield Plays([imported("check", edgeops_audit_fields="y")], hosts, fails="ansible")
    check_losses(report)
    assert asked(report, "/cmb/config") == [ACCOUNT]


def test_check_finds_losses_without_an_error(playbook, hosts, losing):
    hosts["acme"]["edgeops_monthly_budget_usd"] = "3"
    scenarios = {"within the budget": bill_within_the_budget(hosts), "losses": losses_without_an_error(hosts)}
    playbook.run_scenarios(scenarios, extra_vars={"edgeops_audit_delivery": True, "edgeops_fail_on": "over_budget"})
