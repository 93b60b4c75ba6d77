# SPDX-License-Identifier: GPL-3.0-or-later

"""The nodes that an automation platform counts for real results: one for each zone and account, each with a name and without nulls."""

import json
import shutil
import subprocess
import time
import typing as t
from pathlib import Path

import pytest
import yaml

from harness import Modules

ROOT = Path(__file__).resolve().parents[2]
QUERIES = yaml.safe_load((ROOT / "extensions" / "audit" / "event_query.yml").read_text(encoding="utf-8"))
JQ = shutil.which("jq")
pytestmark = pytest.mark.skipif(JQ is None, reason="needs jq (Debian: jq)")
DESTINATION = "https://logs.example/in"
ACCOUNT = {"zone_id": "", "account_id": "ACCOUNT"}
# Options of each module without its address; the address is the zone unless the options contain another.
OPTIONS: dict[str, list[dict[str, t.Any]]] = {
    "content_security_rule": [{"description": "none", "state": "absent"}],
    "content_security_rule_info": [{}],
    "log_custom_fields": [{"cookie_fields": ["a"]}],
    "log_custom_fields_info": [{}],
    "logpush_dataset_info": [{"dataset": "http_requests"}, {**ACCOUNT, "dataset": "audit_logs"}],
    "logpush_delivery_info": [{}, ACCOUNT, {"zone_id": "", "zone_ids": ["ZONE"]}],
    "logpush_job": [{"name": "a", "destination_conf": DESTINATION, "enabled": True}, {**ACCOUNT, "name": "a", "state": "absent"}],
    "logpush_job_info": [{}, ACCOUNT],
    "logpush_jobs": [{"jobs": [{"name": "none", "state": "absent"}]}],
    "logpush_ownership": [{"destination_conf": "s3://bucket?region=r"}],
    "logpush_transformer": [{"account_id": "ACCOUNT", "name": "none", "state": "absent"}],
    "logpush_transformer_info": [{"account_id": "ACCOUNT"}],
    "notification_policy": [{"account_id": "ACCOUNT", "name": "none", "state": "absent"}],
    "notification_policy_info": [{"account_id": "ACCOUNT"}],
    "notification_webhook": [{"account_id": "ACCOUNT", "name": "none", "state": "absent"}],
    "page_audit": [{"pages": [{"url": "http://127.0.0.1:9/"}], "baseline": []}],
    "script_audit": [{"baseline": []}],
    "script_monitor": [{"enabled": True}],
    "script_monitor_info": [{}],
    "token_info": [{}, ACCOUNT],
    "zone_observability": [
        {"jobs": [{"name": "none", "state": "absent"}]},
        {**ACCOUNT, "jobs": [{"name": "none", "state": "absent"}]},
    ],
    "zone_variables_info": [{}, ACCOUNT],
}
CASES = [(module, options) for module, variants in OPTIONS.items() for options in variants]


def counted(module: str, result: t.Any) -> list[dict[str, t.Any]]:
    query = QUERIES[f"edgeops.observability.{module}"]["query"]
    done = subprocess.run(
        [str(JQ), "-c", query], input=json.dumps(result), capture_output=True, text=True, check=True, timeout=60
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize(("module", "options"), CASES, ids=[f"{module}-{n}" for n, (module, _options) in enumerate(CASES)])
def test_query_counts_the_address_of_each_module(
    modules: Modules, simulator: t.Any, zone: str, module: str, options: dict[str, t.Any]
) -> None:
    account = simulator.account
    arguments = json.loads(json.dumps(options).replace("ACCOUNT", account).replace("ZONE", zone))
    if module == "logpush_delivery_info":
        simulator.seed(
            uploads={
                zone: [
                    {"job_id": 1, "records": 5, "datetime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 60))}
                ]
            }
        )
    report = modules.run(
        {"name": "Run", f"edgeops.observability.{module}": arguments}, warns=[".*"] if module == "script_monitor_info" else ()
    )
    expected = {"account_id": account} if arguments.get("account_id") else {"zone_id": zone}
    (node,) = counted(module, report.ours[0].result)
    (value,) = expected.values()
    kind = "account" if "account_id" in expected else "zone"
    assert node == {"name": value, "canonical_facts": expected, "facts": {"device_type": f"Cloudflare {kind}"}}


def test_every_zone_and_account_of_a_survey_is_counted(modules: Modules, simulator: t.Any) -> None:
    report = modules.run({"name": "Read", "edgeops.observability.survey_info": {}}, defaults={})
    nodes = counted("survey_info", report.ours[0].result)
    owners = [next(iter(node["canonical_facts"].values())) for node in nodes]
    assert (
        {modules.zone, *simulator.zones, *simulator.accounts} == set(owners)
        and len(owners) == len(set(owners))
        and all(node["name"] for node in nodes)
    )


@pytest.mark.parametrize("module", [name.rpartition(".")[2] for name in QUERIES])
def test_result_without_address_counts_no_node(module: str) -> None:
    """A null in a canonical fact would silently drop the node."""
    for result in (
        {},
        {"failed": True, "msg": "no credentials", "zone_id": None, "account_id": None},
        {"zones": [{"zone": "x"}], "jobs": []},
    ):
        assert counted(module, result) == []


def test_every_module_with_an_address_has_a_case() -> None:
    asked = {name.rpartition(".")[2] for name, query in QUERIES.items() if query["query"] != "empty"}
    assert asked == {*OPTIONS, "survey_info"}
