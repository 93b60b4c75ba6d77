# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import json
import pathlib
import typing as t

import pytest

S3 = "s3://bucket/logs/{DATE}?region=eu-west-1"
JOB = {
    "name": "a.job-1",
    "destination_conf": S3,
    "dataset": "http_requests",
    "logpull_options": "fields=RayID,ClientIP&timestamps=rfc3339",
}


def test_create_list_get_update_delete(zone: t.Any, other_zone: t.Any) -> None:
    status, envelope = zone("POST", "/logpush/jobs", {**JOB, "ownership_challenge": "tok"})
    job = envelope["result"]
    assert status == 201 and job["id"] == 1 and job["enabled"] is False and {k: job[k] for k in JOB} == JOB
    assert "ownership_challenge" not in job and job["last_complete"] is None
    assert zone.result("GET", "/logpush/jobs") == [job] and other_zone.result("GET", "/logpush/jobs") == []
    changed = zone.result("PUT", "/logpush/jobs/1", {"enabled": True})
    assert changed == {**job, "enabled": True} == zone.result("GET", "/logpush/jobs/1")
    assert zone.result("GET", "/logpush/datasets/http_requests/jobs") == [changed]
    assert zone.result("GET", "/logpush/datasets/dns_logs/jobs") == []
    assert zone.result("DELETE", "/logpush/jobs/1") == {"id": 1}
    for method in ("GET", "DELETE"):
        assert zone.refusal(method, "/logpush/jobs/1")[0] == 404
    assert zone("POST", "/logpush/jobs", JOB)[1]["result"]["id"] == 2


def test_put_replaces_output_options(zone: t.Any) -> None:
    """`output_options` are replaced as a whole; duplicates are ignored."""
    zone("POST", "/logpush/jobs", {**JOB, "output_options": {"field_names": ["RayID", "RayID"], "sample_rate": 0.5}})
    assert zone.result("GET", "/logpush/jobs/1")["output_options"] == {"field_names": ["RayID"], "sample_rate": 0.5}
    after = zone.result("PUT", "/logpush/jobs/1", {"output_options": {"timestamp_format": "unix"}})
    assert after["output_options"] == {"timestamp_format": "unix"} and after["logpull_options"] == JOB["logpull_options"]


BAD_MEMBERS = [
    {"name": "a b"}, {"name": "x" * 513}, {"name": 1}, {"enabled": "true"}, {"frequency": "often"}, {"kind": "x"},
    {"destination_conf": "ftp://x"}, {"destination_conf": "bucket"}, {"destination_conf": None}, {"destination_conf": "s3://" + "x" * 4096},
    {"max_upload_bytes": 4_999_999}, {"max_upload_interval_seconds": 301}, {"max_upload_records": 999}, {"max_upload_records": "1000"},
    {"logpull_options": "fields=RayID&timestamps=rfc3339,ClientIP"}, {"logpull_options": "RayID"}, {"logpull_options": "sample=2"},
    {"output_options": []}, {"output_options": {"field_names": "RayID"}}, {"output_options": {"sample_rate": 0}},
    {"output_options": {"timestamp_format": "iso"}}, {"output_options": {"output_type": "xml"}}, {"ownership_challenge": "a b"},
    {"dataset": "a b"}, {"filter": {"where": {}}}, {"kind": "edge", "dataset": "dns_logs"},
]  # fmt: skip


@pytest.mark.parametrize("bad", BAD_MEMBERS, ids=[json.dumps(bad)[:60] for bad in BAD_MEMBERS])
def test_invalid_members_are_refused(zone: t.Any, bad: t.Any) -> None:
    assert zone.refusal("POST", "/logpush/jobs", {**JOB, **bad})[0] == 400
    assert zone.result("GET", "/logpush/jobs") == []


def test_datasets_list_their_fields(zone: t.Any) -> None:
    known = {
        "http_requests": {"RayID", "EdgeResponseStatus", "RequestHeaders", "WAFAttackScore"},
        "firewall_events": {"Action", "RuleID", "Datetime"},
        "dns_logs": {"QueryName", "EDNSSubnet"},
        "page_shield_events": {"CSPDirective", "PageURL", "PolicyID"},
        "nel_reports": {"LastKnownGoodColoCode"},
    }
    for dataset, names in known.items():
        fields = zone.result("GET", f"/logpush/datasets/{dataset}/fields")
        assert names <= fields.keys() and all(isinstance(text, str) and text for text in fields.values())
        assert dataset == "http_requests" or "RequestHeaders" not in fields
    assert zone.refusal("GET", "/logpush/datasets/nothing/fields")[0] == 404


UNKNOWN_FIELDS = [
    {"logpull_options": "fields=RayID,ClientIp"},
    {"output_options": {"field_names": ["RayID", "ClientIp"]}},
    {"dataset": "dns_logs", "logpull_options": "fields=QueryName%2CClientIp"},
    {"dataset": "page_shield_events", "logpull_options": None, "output_options": {"field_names": ["ClientIp"]}},
]


@pytest.mark.parametrize("more", UNKNOWN_FIELDS, ids=json.dumps)
def test_unknown_fields_are_refused_if_sent(zone: t.Any, sim: t.Any, more: t.Any) -> None:
    dataset = more.get("dataset", "http_requests")
    status, code, message = zone.refusal("POST", "/logpush/jobs", {**JOB, **more})
    assert (status, code) == (400, 1004) and message.endswith(f"unknown fields of dataset {dataset}: ClientIp")
    sim.seed(jobs={zone.id: [{"id": 7, **JOB, **more}]})
    assert zone.refusal("PUT", "/logpush/jobs/7", more)[0] == 400
    assert zone.result("PUT", "/logpush/jobs/7", {"enabled": True})["enabled"] is True, "what is not sent is not checked"
    sim.settings(check_fields=False)
    zone.result("POST", "/logpush/jobs", {**JOB, **more})


def test_unknown_dataset_accepts_any_field(zone: t.Any) -> None:
    """Fields of an unknown dataset are not checked."""
    zone.result("POST", "/logpush/jobs", {**JOB, "dataset": "brand_new_events", "logpull_options": "fields=Anything"})


def test_dataset_and_kind_cannot_change(zone: t.Any) -> None:
    zone("POST", "/logpush/jobs", JOB)
    assert zone.refusal("PUT", "/logpush/jobs/1", {"dataset": "dns_logs"})[0] == 400
    assert zone.refusal("PUT", "/logpush/jobs/1", {"kind": "edge"})[0] == 400
    assert zone.result("PUT", "/logpush/jobs/1", {"dataset": "http_requests", "kind": ""})["dataset"] == "http_requests"


def test_settings_change_returned_jobs(zone: t.Any, sim: t.Any) -> None:
    sent = '{"where":{"and":[{"key":"ClientRequestHost","operator":"eq","value":"a"}]}}'
    secret = "s3://b/p?region=r&secret-access-key=hush&access-key-id=AK"
    zone("POST", "/logpush/jobs", {**JOB, "filter": sent, "destination_conf": secret, "max_upload_bytes": 0})
    sim.settings(
        echo_filter="reserialised", echo_options="reordered", echo_destination="masked", echo_zero="keep", job_get="array"
    )
    (job,) = zone.result("GET", "/logpush/jobs/1")
    assert job["filter"] != sent and json.loads(job["filter"]) == json.loads(sent)
    assert job["logpull_options"] == "timestamps=rfc3339&fields=ClientIP,RayID"
    assert job["destination_conf"] == "s3://b/p?region=r&secret-access-key=*****&access-key-id=AK"
    assert job["max_upload_bytes"] == 0 and job["output_options"] is None and job["kind"] == ""
    sim.settings(echo_filter="absent", echo_options="encoded", echo_zero="null", job_get="ok", job_delete="204")
    job = zone.result("GET", "/logpush/jobs/1")
    assert (
        "filter" not in job
        and job["logpull_options"] == "fields=RayID%2CClientIP&timestamps=rfc3339"
        and job["max_upload_bytes"] is None
    )
    sim.settings(echo_zero="omit")
    assert not {"max_upload_bytes", "kind", "output_options"} & set(zone.result("GET", "/logpush/jobs/1"))
    assert zone("DELETE", "/logpush/jobs/1") == (204, None)
    # A seed may hold what the service would refuse.
    sim.seed(jobs={zone.id: [{"id": 7, "filter": "no JSON"}]})
    sim.settings(echo_filter="reserialised", job_get="ok")
    assert zone.result("GET", "/logpush/jobs/7")["filter"] == "no JSON"
    sim.settings(job_list="405")
    assert zone.refusal("GET", "/logpush/jobs")[0] == 405
    sim.settings(job_list="404")
    assert zone.refusal("GET", "/logpush/jobs")[0] == 404
    sim.settings(max_jobs=1)
    zone("POST", "/logpush/jobs", JOB)
    assert zone.refusal("POST", "/logpush/jobs", JOB)[:2] == (403, 1004)


def challenge_in(folder: pathlib.Path, filename: str) -> str:
    (file,) = folder.rglob(pathlib.Path(filename).name)
    return file.read_text()


def test_challenge_proves_ownership_once(owner: t.Any, sim: t.Any, log_folder: pathlib.Path) -> None:
    job = {**JOB, "dataset": "firewall_events"}
    sim.settings(strict_ownership=True)
    asked = owner.result("POST", "/logpush/ownership", {"destination_conf": S3})
    assert asked["valid"] is True and asked["message"] == ""
    token = challenge_in(log_folder, asked["filename"])
    claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
    assert (claims[f"{owner.kind}_id"], claims["destination_conf"]) == (owner.id, S3)
    for challenge, valid in ((token, True), ("other", False)):
        assert owner.result(
            "POST", "/logpush/ownership/validate", {"destination_conf": S3, "ownership_challenge": challenge}
        ) == {"valid": valid}
    assert owner.refusal("POST", "/logpush/jobs", job)[:2] == (400, 1002)
    assert owner.refusal("POST", "/logpush/jobs", {**job, "ownership_challenge": "other"})[0] == 400
    owner.result("POST", "/logpush/jobs", {**job, "ownership_challenge": token})
    assert owner.refusal("POST", "/logpush/jobs", {**job, "ownership_challenge": token})[0] == 400, "a challenge is used once"
    owner.result("PUT", "/logpush/jobs/1", {"enabled": True})
    assert owner.refusal("PUT", "/logpush/jobs/1", {"destination_conf": "gs://other"})[0] == 400
    owner.result("PUT", "/logpush/jobs/1", {"destination_conf": "https://logs.example/in?header_Authorization=x"})


def test_validation_routes_check_destinations_and_options(zone: t.Any, sim: t.Any) -> None:
    sim.settings(unwritable_destinations=["s3://closed*"])
    assert zone.result("POST", "/logpush/ownership", {"destination_conf": "s3://closed/x"})["valid"] is False
    assert zone.result("POST", "/logpush/validate/destination", {"destination_conf": S3}) == {"valid": True, "message": ""}
    assert zone.result("POST", "/logpush/validate/destination", {"destination_conf": "s3://closed"})["valid"] is False
    assert zone.result("POST", "/logpush/validate/destination/exists", {"destination_conf": S3}) == {"exists": False}
    zone("POST", "/logpush/jobs", JOB)
    assert zone.result("POST", "/logpush/validate/destination/exists", {"destination_conf": S3}) == {"exists": True}
    assert zone.result("POST", "/logpush/validate/origin", {"logpull_options": "fields=RayID"})["valid"] is True
    assert zone.result("POST", "/logpush/validate/origin", {"logpull_options": "timestamps=x"})["valid"] is False
    for dataset, valid in (("dns_logs", False), ("http_requests", True)):
        body = {"logpull_options": "fields=RayID", "dataset": dataset}
        assert zone.result("POST", "/logpush/validate/origin", body)["valid"] is valid
    assert zone.refusal("POST", "/logpush/jobs", {**JOB, "destination_conf": "s3://closed/x"})[:2] == (400, 1002)


DESTINATIONS = {
    "r2://logs/web/{DATE}?account-id=a1&access-key-id=AK1&secret-access-key=SK1": False,
    "s3://logs/web/{DATE}?region=eu-west-1&sse=AES256": True,
    "s3://logs/web?region=x&endpoint=s3.example&access-key-id=AK1&secret-access-key=SK1": False,
    "gs://logs/web/{DATE}": True,
    "azure://acct.blob.core.windows.net/logs?sv=2024-11-04&ss=b&srt=o&sp=w&se=2031-01-01&sig=S1": True,
    "sumo://endpoint1.sumologic.com/receiver/v1/http/CODE1": True,
    "splunk://hec.example:8088/services/collector/raw?channel=GUID&header_Authorization=Splunk%20T1": False,
    "datadog://http-intake.logs.datadoghq.com/api/v2/logs?header_DD-API-KEY=K1&ddsource=cloudflare": False,
    "https://logs.example/in?header_Authorization=Bearer%20T1&tags=x": False,
    "https://log-api.newrelic.com/log/v1?Api-Key=K1&format=cloudflare": False,
    "sentinelone://ingest.us1.sentinelone.net/services/collector/raw?sourcetype=cf": False,
    "bq://projects/P/datasets/D/tables/T?credentials=base64:QUJD": False,
    "kinesis://stream?region=eu-west-1&sts-assume-role-arn=arn:aws:iam::1:role/r&sts-external-id=E1": False,
    "ibmcl://ID.ingress.eu-de.logs.cloud.ibm.com/logs/v1/singles?ibm_api_key=K1": False,
}


@pytest.mark.parametrize(("destination", "challenged"), DESTINATIONS.items(), ids=lambda value: str(value)[:30])
def test_destination_needs_a_challenge_or_not(zone: t.Any, sim: t.Any, destination: str, challenged: bool) -> None:
    sim.settings(strict_ownership=True)
    assert zone("POST", "/logpush/jobs", {**JOB, "destination_conf": destination})[0] == (400 if challenged else 201)
    sim.settings(strict_ownership=False, echo_destination="masked")
    echoed = zone.result("POST", "/logpush/jobs", {**JOB, "destination_conf": destination})["destination_conf"]
    assert not any(secret in echoed for secret in ("SK1", "=S1", "T1", "=K1", "QUJD", "=E1"))


def test_limits_of_destinations(zone: t.Any) -> None:
    """IBM Cloud Logs accepts small uploads only; Azure needs a signature for objects only."""
    ibm = "ibmcl://ID.ingress.eu-de.logs.cloud.ibm.com/logs/v1/singles?ibm_api_key=K1"
    made = zone.result("POST", "/logpush/jobs", {**JOB, "destination_conf": ibm, "max_upload_bytes": 2_000_000})
    assert made["max_upload_bytes"] == 2_000_000
    zone.result("PUT", f"/logpush/jobs/{made['id']}", {"max_upload_bytes": 1_000_000})
    assert "must be 0 or 5000000" in zone.refusal("POST", "/logpush/jobs", {**JOB, "max_upload_bytes": 2_000_000})[2]
    azure = "azure://acct.blob.core.windows.net/logs?srt=sco&sig=S1"
    assert "srt=o" in zone.refusal("POST", "/logpush/jobs", {**JOB, "destination_conf": azure})[2]
