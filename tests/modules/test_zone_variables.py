# SPDX-License-Identifier: GPL-3.0-or-later

import json
import typing as t
from pathlib import Path

import pytest
import yaml
from support.samples.custom_fields import own

from ansible_collections.edgeops.observability.plugins.plugin_utils._adopt import files
from harness import Modules

pytestmark = pytest.mark.every_core

SECRET = "planted-secret-71fe"
JOB: dict[str, t.Any] = {
    "name": "shop-logs",
    "enabled": True,
    "logpull_options": "fields=ClientIP,RequestHeaders&timestamps=rfc3339",
    "filter": '{"where":{"key":"ClientRequestPath","operator":"contains","value":"{{ 7 }}"}}',
}


def seed(modules: Modules) -> None:
    jobs = [
        {**JOB, "id": 7, "destination_conf": f"s3://logs/shop?region=x&secret-access-key={SECRET}"},
        {**JOB, "id": 8, "name": "off", "enabled": False, "destination_conf": "gs://logs/off"},
    ]
    ruleset = {
        "id": "b1" * 16,
        "kind": "zone",
        "phase": "http_log_custom_fields",
        "name": "n",
        "rules": [own("a1" * 16, request_fields=["x-trace-id"])],
    }
    modules.simulator.seed(jobs={modules.zone: jobs}, rulesets={modules.zone: [ruleset]})


def info(**args: t.Any) -> dict[str, t.Any]:
    return {"name": "Read", "edgeops.observability.zone_variables_info": args}


def test_zone_is_read_and_written_to_a_file(modules: Modules, tmp_path: Path) -> None:
    seed(modules)
    dest = tmp_path / "inventory"
    adopted = modules.run(info(label="shop.example"), secrets=[SECRET]).result
    options = {"dest": str(dest), "date": "2026-11-21", "zones": [adopted], "group": "all", "group_hosts": ["shop.example"]}
    made = files.desire({**options, "overwrite": False, "script_baselines": {}, "page_baselines": {}})
    assert files.report(made).result["changed"] is True
    files.write(made)
    assert files.report(made).result["changed"] is False
    job, off = adopted["variables"]["log_delivery_jobs"]
    assert job["fields"] == ["ClientIP", "RequestHeaders"] and "destination_conf" not in job and "enabled" not in job
    assert off["enabled"] is False and off["destination_conf"] == "gs://logs/off"
    assert adopted["vault"] == ["vault_shop_example_job7_secret_access_key"]
    assert adopted["changed"] is False
    assert '!unsafe "{{ 7 }}"' in (dest / "group_vars" / "all" / "adopted.yml").read_text(encoding="utf-8")
    host = yaml.safe_load((dest / "host_vars" / "shop.example" / "adopted.yml").read_text(encoding="utf-8"))
    # What decides where a job delivers, and which records at the service's default, stands at the job.
    assert host["log_delivery_jobs"][0] == {
        "name": "shop-logs",
        "destination_address": "s3://logs/shop?region=x",
        "option_flags": {"sample": 1},
        "transformer": "",
        "filter_attack_traffic": False,
    }
    example = yaml.safe_load((dest / "vault-example.txt").read_text(encoding="utf-8"))["shop.example"]
    assert example[0]["destination_conf"].endswith("{{ vault_shop_example_job7_secret_access_key | urlencode }}")
    assert not any(SECRET in path.read_text(encoding="utf-8") for path in dest.rglob("*") if path.is_file())


def test_options_without_their_question_mark_are_secret(modules: Modules) -> None:
    """They are masked in every output, with a warning, and an adoption declares the address before them."""
    secret = "planted-secret-of-no-option"
    conf = f"r2://logs/web/account-id=0123&access-key-id=AKID&secret-access-key={secret}"
    modules.simulator.seed(
        jobs={modules.zone: [{**JOB, "id": 7, "destination_conf": conf, "error_message": f"no such key {secret}"}]}
    )
    listed, adopted = modules.run(
        [{"name": "Jobs", "edgeops.observability.logpush_job_info": {}}, info()],
        secrets=[secret],
        warns=["lack their question mark"],
    ).ours
    assert listed.result["jobs"][0]["destination"] == {"scheme": "r2", "address": "logs/web/********", "options": {}}
    (job,) = adopted.result["variables"]["log_delivery_jobs"]
    assert job["destination_address"] == "r2://logs/web/********" and "destination_conf" not in job
    assert "lack their question mark" in str(adopted.result["left_out"])
    options = {"name": "shop-logs", "destination_conf": conf}
    task = {"name": "Refused", "edgeops.observability.logpush_job": options}
    refused = modules.run(task, secrets=[secret], fails="invalid_option")
    assert refused.result["msg"].startswith("destination_conf: the options lack their question mark") and not refused.journal


def test_operator_that_the_service_calls_neq(modules: Modules) -> None:
    """A filter with another name of the operator `!eq` is adopted, is no change afterwards, and drifts like any other."""
    where = {"where": {"key": "ClientRequestMethod", "operator": "neq", "value": "GET"}}
    job = {**JOB, "id": 7, "destination_conf": "gs://logs/all", "filter": json.dumps(where)}
    modules.simulator.seed(jobs={modules.zone: [job]})
    first, again = modules.run([info(), info()]).ours
    variables = first.result["variables"]
    assert again.result["variables"] == variables
    (adopted,) = variables["log_delivery_jobs"]
    assert adopted["filter"] == {"where": {"and": [{"key": "ClientRequestMethod", "operator": "!eq", "value": "GET"}]}}
    task = {"name": "Zone", "edgeops.observability.zone_observability": {"jobs": [adopted]}}
    for check in (True, False):
        report = modules.run(task, check=check)
        assert not report.result["changed"] and not report.writes
    where["where"]["operator"] = "eq"
    modules.simulator.seed(jobs={modules.zone: [{**job, "filter": json.dumps(where)}]})
    assert modules.run(task, check=True).result["changed"]


def test_files_are_written_in_a_play_only(modules: Modules, tmp_path: Path) -> None:
    task = {"name": "Write", "edgeops.observability.zone_variables_files": {"dest": str(tmp_path / "inventory"), "zones": []}}
    assert (
        "runs in a play only" in modules.run(task, fails="invalid_option").result["msg"] and not (tmp_path / "inventory").exists()
    )


def test_missing_parts_are_omitted(modules: Modules) -> None:
    seed(modules)
    modules.simulator.settings(job_list="404")
    result = modules.run(info()).result
    assert "log_delivery_jobs" not in result["variables"]
    assert [part["what"] for part in result["left_out"]] == ["jobs"]


def test_an_unreadable_zone_fails(modules: Modules) -> None:
    """A missing permission and a zone without routes, which does not exist, are failures."""
    modules.simulator.faults({"kind": "status", "status": 403, "method": "GET", "path": "*/logpush/*"})
    unknown = {**info(zone_id="bad"), "ignore_errors": True}
    report = modules.run([unknown, info()], fails={"not_found", "permission"})
    assert [outcome.result["error"]["kind"] for outcome in report.failures] == ["not_found", "permission"]


def test_content_security_rules(modules: Modules) -> None:
    """Rules that can be declared without a change are written, with the description if that is unique; others are listed with the reason."""
    rule = {"action": "log", "expression": "true", "value": "script-src 'self'"}
    rules = [
        {**rule, "id": "r1", "description": "shop", "enabled": False, "action": "allow"},
        {**rule, "id": "r2", "description": "twice"}, {**rule, "id": "r3", "description": "twice", "value": "script-src 'nonce-1'"},
        {**rule, "id": "r4", "description": "", "value": "img-src *; sandbox"},
    ]  # fmt: skip
    modules.simulator.seed(policies={modules.zone: rules})
    adopted = modules.run(info()).result
    # Whether a rule is in effect is always declared: a rule that a user switches off must be a difference.
    members = {"action": "log", "expression": "true", "directives": {"script-src": ["'self'"]}, "enabled": True}
    assert adopted["variables"]["log_delivery_content_security_rules"] == [
        {"rule_id": "r4", **members, "directives": {"img-src": ["*"]}},
        {"description": "shop", **members, "action": "allow", "enabled": False},
        {"description": "twice", "rule_id": "r2", **members},
    ]
    assert adopted["left_out"] == [
        {
            "what": "directive sandbox of content security rule r4",
            "why": "it is not known; it is kept, and a change of it is not seen",
        },
        {"what": "content security rule twice", "why": "its policy cannot be parsed"},
    ]
    modules.simulator.settings(unknown_routes=["*/policies"])
    adopted = modules.run(info()).result
    assert "log_delivery_content_security_rules" not in adopted["variables"]
    assert [item["what"] for item in adopted["left_out"]] == ["content security rules"]
