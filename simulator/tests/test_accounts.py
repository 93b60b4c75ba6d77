# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import typing as t

import pytest

from edgeops_simulator.delivery import datasets
from edgeops_simulator.testing import ControlError, running

JOB = {"name": "j", "destination_conf": "https://logs.example/in", "dataset": "firewall_events"}


def test_accounts_are_listed_in_pages(sim: t.Any) -> None:
    sim.seed(accounts=[{"id": f"{n:032x}", "name": f"Shop {n:02}"} for n in range(1, 24)])
    status, envelope = sim.request("GET", "/accounts?page=2&per_page=20")
    assert status == 200 and len(envelope["result"]) == 4
    assert envelope["result_info"] == {"page": 2, "per_page": 20, "count": 4, "total_count": 24, "total_pages": 2}
    last = envelope["result"][-1]
    assert (last["id"], last["name"], last["type"]) == (f"{23:032x}", "Shop 23", "standard")
    assert sim.request("GET", "/accounts?name=Shop%2003")[1]["result"] == [sim.request("GET", f"/accounts/{3:032x}")[1]["result"]]
    assert [sim.request("GET", f"/accounts?{bad}")[0] for bad in ("per_page=4", "per_page=51", "page=0")] == [400] * 3
    assert sim.request("GET", "/accounts/ffff")[0] == 404


def test_zones_belong_to_accounts(sim: t.Any) -> None:
    """A zone belongs to the account in its seed, which is added if it is missing; by default to the first account."""
    sim.seed(zones=[{"id": "e" * 32, "account": {"id": "acc", "name": "Shop"}}, {"id": "d" * 32, "account": "acc"}])
    assert [account["id"] for account in sim.request("GET", "/accounts")[1]["result"]] == [sim.account, "acc"]
    assert [zone["id"][0] for zone in sim.request("GET", "/zones?account.id=acc")[1]["result"]] == ["e", "d"]
    sim.seed(accounts=[{"id": "acc", "name": "Renamed"}])
    assert sim.request("GET", f"/zones/{'d' * 32}")[1]["result"]["account"] == {"id": "acc", "name": "Renamed"}
    assert sim.request("GET", f"/zones/{sim.zone}")[1]["result"]["account"]["id"] == sim.account


def test_command_takes_accounts(tmp_path: pathlib.Path) -> None:
    arguments = ["--zone", "c" * 32, "--account", "a1=Shop", "--account", "a2", "--state", str(tmp_path / "state.json")]
    for _run in range(2):
        command = [sys.executable, "-m", "edgeops_simulator", *arguments]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        assert json.loads(child.stdout.readline())["accounts"] == ["a1", "a2"]
        child.terminate()
        child.communicate(timeout=60)
    kept = json.loads((tmp_path / "state.json").read_text())
    assert kept["accounts"] == [{"id": "a1", "name": "Shop"}, {"id": "a2", "name": "a2"}]
    assert kept["zones"][0]["account"] == {"id": "a1", "name": "Shop"}


def test_accounts_and_zones_have_separate_jobs(account: t.Any, zone: t.Any, sim: t.Any) -> None:
    made = account.result("POST", "/logpush/jobs", JOB)
    assert made["id"] == 1 and made["time_created"] and zone.result("GET", "/logpush/jobs") == []
    assert zone.result("POST", "/logpush/jobs", JOB)["id"] == 2 and zone.refusal("GET", "/logpush/jobs/1")[0] == 404
    assert account.result("GET", "/logpush/datasets/firewall_events/jobs") == [made]
    assert account.result("PUT", "/logpush/jobs/1", {"enabled": True})["enabled"] is True
    assert [entry["account"] for entry in sim.journal()].count(account.id) == 3
    assert len(sim.control("GET", f"/journal?account={account.id}")["requests"]) == 3
    assert account.result("DELETE", "/logpush/jobs/1") == {"id": 1}


def test_state_of_an_account_is_stored(tmp_path: pathlib.Path) -> None:
    """A write to an account is in the log at once, a snapshot restores it, and a zone may have the same id."""
    with running(zones=["a1"], accounts=[{"id": "a1", "name": "Shop"}], state=tmp_path / "state.json") as sim:
        sim.seed(jobs={"a1": [{"id": 7}], "accounts/a1": [{"id": 8, "destination_conf": "https://a"}]})
        sim.request("PUT", "/accounts/a1/logpush/jobs/8", {"enabled": True})
        kept = sim.snapshot()
        assert [(job["id"], job["enabled"]) for job in sim.state(account="a1")["jobs"]] == [(8, True)]
        assert '"accounts/a1"' in (tmp_path / "state.json.log").read_text()
        sim.reset()
        sim.restore(kept)
        assert sim.snapshot() == kept
    with running(zones=[], state=tmp_path / "state.json") as sim:
        assert sim.snapshot() == kept
        with pytest.raises(ControlError, match="account has no scripts"):
            sim.seed(scripts={"accounts/a1": []})


@pytest.mark.parametrize(
    ("dataset", "scopes"),
    [
        ("http_requests", {"zone"}),
        ("audit_logs", {"account"}),
        ("firewall_events", {"zone", "account"}),
        ("brand_new_events", {"zone", "account"}),
    ],
)
def test_datasets_belong_to_zones_accounts_or_both(owner: t.Any, dataset: str, scopes: set[str]) -> None:
    status = owner("POST", "/logpush/jobs", {**JOB, "dataset": dataset})[0]
    assert status == (201 if owner.kind in scopes else 400)
    assert owner("GET", f"/logpush/datasets/{dataset}/jobs")[0] == (200 if owner.kind in scopes else 404)


def test_simulator_has_38_datasets() -> None:
    assert len({*datasets.ZONE_ONLY, *datasets.ACCOUNT_ONLY, *datasets.BOTH}) == 38


def test_fields_of_a_dataset_differ_by_scope(account: t.Any, zone: t.Any) -> None:
    path = "/logpush/datasets/firewall_events/fields"
    assert account.result("GET", path).keys() - zone.result("GET", path).keys() == {"ZoneName"}
    assert "ActorEmail" in account.result("GET", "/logpush/datasets/audit_logs/fields")
    requests = zone.result("GET", "/logpush/datasets/http_requests/fields")
    assert requests.keys() >= {"CacheLockWaitedMs", "ClientTLSKeyExchangeGroup"}
    assert account.refusal("GET", "/logpush/datasets/http_requests/fields")[0] == 404
    bad = {**JOB, "dataset": "audit_logs", "logpull_options": "fields=ActorEmail,RayID"}
    assert account.refusal("POST", "/logpush/jobs", bad)[2].endswith("unknown fields of dataset audit_logs: RayID")


def test_challenge_is_valid_for_its_owner_only(account: t.Any, zone: t.Any, sim: t.Any) -> None:
    sim.settings(strict_ownership=True)
    body = {"destination_conf": "gs://bucket/logs"}
    account.result("POST", "/logpush/ownership", body)
    (challenge,) = sim.state(account=account.id)["challenges"]
    answers = [
        o.result("POST", "/logpush/ownership/validate", {**body, "ownership_challenge": challenge["token"]})
        for o in (account, zone)
    ]
    assert answers == [{"valid": True}, {"valid": False}]
    body = {**JOB, **body, "ownership_challenge": challenge["token"]}
    assert zone.refusal("POST", "/logpush/jobs", body)[:2] == (400, 1002)
    account.result("POST", "/logpush/jobs", body)


def test_transformer_in_use_is_not_deleted(account: t.Any, zone: t.Any, sim: t.Any) -> None:
    new = {"name": "no-ip", "code": "SELECT RayID FROM firewall_events", "description": "Without addresses"}
    made = account.result("POST", "/logpush/transformers", new)
    assert (made["id"], made["name"], made["associated_jobs"]) == (1, "no-ip", []) and "code" not in made
    job = zone.result("POST", "/logpush/jobs", {**JOB, "transformer_id": 1})
    assert (
        job["transformer_id"] == 1 and zone.result("PUT", f"/logpush/jobs/{job['id']}", {"enabled": True})["transformer_id"] == 1
    )
    (transformer,) = account.result("GET", "/logpush/transformers")
    assert transformer["associated_jobs"] == [{"id": job["id"], "name": "j", "object_type": "zone", "object_tag": zone.id}]
    assert account.refusal("DELETE", "/logpush/transformers/1")[0] == 409
    assert "transformer_id" not in zone.result("PUT", f"/logpush/jobs/{job['id']}", {"transformer_id": None})
    changed = account.result("PUT", "/logpush/transformers/1", {"name": "no-ip"})
    assert changed["description"] == "" and account.result("GET", "/logpush/transformers/1/content")["content"] == new["code"]
    assert account.result("DELETE", "/logpush/transformers/1") == {"id": 1}
    for bad, status in (({**new, "name": "x" * 256}, 400), ({**new, "code": "x" * 10_241}, 413)):
        assert account.refusal("POST", "/logpush/transformers", bad)[0] == status
    assert account.refusal("POST", "/logpush/transformers", {"name": "x"})[2] == "missing required field: code"
    assert [account.refusal(m, "/logpush/transformers/1")[0] for m in ("GET", "DELETE")] == [404, 404]


def test_transformers_of_jobs_are_checked(account: t.Any, zone: t.Any, sim: t.Any) -> None:
    sim.seed(transformers={account.id: [{"id": 5, "dataset": "http_requests"}]})
    assert zone.refusal("POST", "/logpush/jobs", {**JOB, "transformer_id": 9})[2] == "transformer 9 not found for this account"
    message = 'transformer 5 dataset "http_requests" does not match job dataset "firewall_events"'
    assert zone.refusal("POST", "/logpush/jobs", {**JOB, "transformer_id": 5})[2] == message
    job = {"destination_conf": JOB["destination_conf"], "transformer_id": 5, "output_options": {"output_type": "csv"}}
    assert "NDJSON" in zone.refusal("POST", "/logpush/jobs", job)[2]


def test_transformer_of_a_seeded_job_exists(account: t.Any, zone: t.Any, sim: t.Any) -> None:
    """A job can be re-created with the members of a seeded one."""
    sim.seed(jobs={zone.id: [{"id": 3, "name": "old", "destination_conf": "https://a", "transformer_id": 12}]})
    assert [transformer["id"] for transformer in account.result("GET", "/logpush/transformers")] == [12]
    kept = sim.snapshot()
    sim.reset()
    assert account.result("GET", "/logpush/transformers") == []
    sim.restore(kept)
    job = zone.result("GET", "/logpush/jobs/3")
    zone.result("DELETE", "/logpush/jobs/3")
    assert zone.result("POST", "/logpush/jobs", job)["transformer_id"] == 12


def test_members_of_the_service_are_kept_in_updates(owner: t.Any, sim: t.Any) -> None:
    sim.seed(
        jobs={owner.id: [{"id": 3, "dataset": "firewall_events", "destination_conf": "https://a", "redaction": {"level": 2}}]}
    )
    assert owner.result("PUT", "/logpush/jobs/3", {"enabled": True, "redaction": None})["redaction"] == {"level": 2}
    sim.settings(more_job_members=["redaction"])
    assert owner.result("PUT", "/logpush/jobs/3", {"redaction": {"level": 3}})["redaction"] == {"level": 3}
    made = owner.result(
        "POST", "/logpush/jobs", {**JOB, "redaction": 1, "other": 1, "filter_attack_traffic": True, "merge_subrequests": True}
    )
    assert made["redaction"] == 1 and made["filter_attack_traffic"] is made["merge_subrequests"] is True and "other" not in made


def test_plan_without_a_dataset_refuses_jobs(owner: t.Any, sim: t.Any) -> None:
    sim.settings(unavailable_datasets=["firewall_*"])
    message = "creating a new job is not allowed: exceeded max jobs allowed"
    assert owner.refusal("POST", "/logpush/jobs", JOB) == (403, 1004, message)
