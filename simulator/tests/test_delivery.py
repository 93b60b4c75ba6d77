# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import csv
import gzip
import json
import pathlib
import typing as t

import hypothesis
import pytest
from hypothesis import strategies as st

from edgeops_simulator.testing import ControlError, running

RULE = {
    "action": "log_custom_field",
    "expression": "true",
    "action_parameters": {
        "request_fields": [{"name": "x-team"}, {"name": "range"}],
        "transformed_request_fields": [{"name": "x-geo"}],
        "response_fields": [{"name": "set-cookie", "preserve_duplicates": True}, {"name": "vary"}],
        "raw_response_fields": [{"name": "x-origin"}],
        "cookie_fields": [{"name": "Sid"}],
    },
}
FIELDS = "EdgeStartTimestamp,ClientRequestURI,EdgeResponseStatus,RequestHeaders,ResponseHeaders,ResponseFields,Cookies"
VISIT = {
    "method": "GET", "host": "shop.example", "path": "/cart?id=1", "status": 503, "time": "2026-03-01T10:20:30.123456Z", "client_ip": "192.0.2.9",
    "headers": [["X-Team", "blue"], ["X-Team", "red"], ["X-Geo", "raw"], ["Range", "bytes=0-1"], ["X-Other", "no"]],
    "transformed_headers": {"x-geo": "eu"},
    "response_headers": {"Set-Cookie": ["a=1", "b=2"], "Vary": ["accept", "origin"], "X-Origin": "changed"},
    "raw_response_headers": {"X-Origin": "first"},
    "cookies": {"Sid": "1", "sid": "2"},
}  # fmt: skip


def job(zone: t.Any, **more: t.Any) -> t.Any:
    body = {
        "name": "j",
        "destination_conf": "s3://bucket/logs?region=eu",
        "enabled": True,
        "logpull_options": f"fields={FIELDS}&timestamps=rfc3339",
        **more,
    }
    return zone.result("POST", "/logpush/jobs", body)


def test_custom_fields_are_delivered(zone: t.Any, sim: t.Any, log_folder: pathlib.Path) -> None:
    zone.ruleset(RULE)
    job(zone)
    (file,) = sim.traffic([VISIT])["files"]
    lines = gzip.decompress(pathlib.Path(file["path"]).read_bytes()).decode().splitlines()
    assert [json.loads(line) for line in lines] == file["records"]
    assert file["records"] == [
        {
            "EdgeStartTimestamp": "2026-03-01T10:20:30Z",
            "ClientRequestURI": "/cart?id=1",
            "EdgeResponseStatus": 503,
            "RequestHeaders": {"x-team": "blue", "x-geo": "eu"},
            "ResponseHeaders": {"vary": "accept", "x-origin": "first"},
            "ResponseFields": {"set-cookie": ["a=1", "b=2"]},
            "Cookies": {"Sid": "1"},
        }
    ]
    assert file["key"].startswith("bucket/logs/20260301/") and file["key"].endswith(".log.gz")
    assert zone.result("GET", "/logpush/jobs")[0]["last_complete"]


def test_values_are_cut_at_8_kb(zone: t.Any, sim: t.Any) -> None:
    zone.ruleset(RULE)
    job(zone)
    visits = [{"headers": {"x-team": value}} for value in ("x" * 8192, "x" * 8193, "é" * 4097)]
    values = [record["RequestHeaders"]["x-team"] for record in sim.traffic(visits)["files"][0]["records"]]
    assert [len(value.encode()) for value in values] == [8192, 8192, 8192] and set(values[2]) == {"é"}


def test_filter_enabled_dataset_and_zone_select_records(zone: t.Any, other_zone: t.Any, sim: t.Any) -> None:
    condition = json.dumps(
        {
            "where": {
                "and": [
                    {"key": "ClientRequestHost", "operator": "eq", "value": "a.example"},
                    {"key": "EdgeResponseStatus", "operator": "geq", "value": "500"},
                ]
            }
        }
    )
    one = job(zone, filter=condition)["id"]
    off, other = job(zone, enabled=False)["id"], job(zone, dataset="dns_logs", logpull_options=None)["id"]
    visits = [{"host": h, "status": s} for h in ("a.example", "b.example") for s in (200, 500)]
    report = sim.traffic(visits)
    assert [(f["job_id"], len(f["records"])) for f in report["files"]] == [(one, 1)]
    assert {s["job_id"]: s["reason"] for s in report["skipped"]}[off] == "disabled" and other in {
        s["job_id"] for s in report["skipped"]
    }
    assert sim.traffic(visits, zone=other_zone.id) == {"files": [], "skipped": []}
    assert sim.traffic(visits[2:])["files"] == []


def test_output_options_take_precedence(zone: t.Any, sim: t.Any) -> None:
    """`output_options` take precedence over `logpull_options`."""
    stamps = {
        "unixnano": 1772360430123456000,
        "unix": 1772360430,
        "rfc3339": "2026-03-01T10:20:30Z",
        "rfc3339ms": "2026-03-01T10:20:30.123Z",
        "rfc3339ns": "2026-03-01T10:20:30.123456000Z",
    }
    for form in stamps:
        job(zone, output_options={"field_names": ["EdgeStartTimestamp"], "timestamp_format": form})
    assert [f["records"][0] for f in sim.traffic([VISIT])["files"]] == [
        {"EdgeStartTimestamp": stamp} for stamp in stamps.values()
    ]


def test_csv_is_quoted_after_the_batch_prefix(zone: t.Any, sim: t.Any) -> None:
    job(
        zone,
        output_options={"field_names": ["ClientRequestURI", "Cookies"], "output_type": "csv", "batch_prefix": "uri,cookies\n"},
    )
    (file,) = sim.traffic([{**VISIT, "path": '/a,"b"'}])["files"]
    assert list(csv.reader(gzip.decompress(pathlib.Path(file["path"]).read_bytes()).decode().splitlines())) == [
        ["uri", "cookies"],
        ['/a,"b"', "{}"],
    ]


def test_sample_is_delivered_and_unwritable_bucket_is_an_error(zone: t.Any, sim: t.Any, log_folder: pathlib.Path) -> None:
    job(zone, logpull_options="fields=RayID&sample=0.5")
    job(zone, destination_conf="s3://../../up?region=x", logpull_options="fields=RayID")
    report = sim.traffic([{"RayID": f"{n:016x}"} for n in range(400)])["files"]
    assert 120 < len(report[0]["records"]) < 280 and len(report[1]["records"]) == 400
    assert pathlib.Path(report[1]["path"]).resolve().is_relative_to(log_folder.resolve())
    sim.settings(unwritable_destinations=["s3://bucket*"])
    assert len(sim.traffic([{}])["files"]) == 1
    assert "cannot be written" in zone.result("GET", "/logpush/jobs/1")["error_message"]


LONG = [
    {"destination_conf": "s3://" + "x" * 300}, {"destination_conf": "s3://b/" + "é" * 300}, {"destination_conf": "s3://b/" + "/d" * 2000},
    {"destination_conf": "s3://b/" + "/".join(["x" * 100] * 40)}, {"output_options": {"batch_prefix": "\ud800"}},
    {"output_options": {"output_type": "csv", "field_names": ["ClientCity"], "record_suffix": "\udfff"}},
]  # fmt: skip


@pytest.mark.parametrize("member", LONG, ids=lambda member: json.dumps(member)[:40])
def test_texts_that_are_no_file_names_are_delivered(
    zone: t.Any, sim: t.Any, member: dict[str, t.Any], log_folder: pathlib.Path
) -> None:
    """Records are delivered even if a name is too long for a file, or cannot be encoded as UTF-8; so are later ones."""
    first = job(zone, **member)["id"]
    second = job(zone)["id"]
    report = sim.traffic([{"ClientCity": "\ud800"}])
    assert [file["job_id"] for file in report["files"]] == [first, second]
    assert all(pathlib.Path(file["path"]).resolve().is_relative_to(log_folder.resolve()) for file in report["files"])
    challenge = zone.result("POST", "/logpush/ownership", {"destination_conf": member.get("destination_conf", "s3://b")})
    assert challenge["valid"] is True


TEXTS = st.text(st.characters(exclude_characters="?"), min_size=1, max_size=300)


@hypothesis.settings(max_examples=40, deadline=None, suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture])
@hypothesis.given(bucket=TEXTS, path=TEXTS, prefix=TEXTS, value=TEXTS)
def test_any_text_is_delivered(zone: t.Any, sim: t.Any, bucket: str, path: str, prefix: str, value: str) -> None:
    """With any text in a job or a request, this delivery and the next one succeed, or the job is refused."""
    hypothesis.assume(bucket.strip("/"))
    sim.reset()
    body = {"destination_conf": f"s3://{bucket}/{path}", "enabled": True, "output_options": {"batch_prefix": prefix}}
    status = zone("POST", "/logpush/jobs", body)[0]
    visit = {"ClientCity": value, "RayID": value, "headers": {"X-A": value}, "host": value}
    assert status in (201, 400) and len(sim.traffic([visit])["files"]) == (status == 201)


UNDELIVERABLE = [
    {"filter": "{"}, {"filter": '{"where":{}}'}, {"filter": "[" * 5000}, {"logpull_options": "sample=x"}, {"output_options": {"timestamp_format": "x"}},
    {"output_options": {"sample_rate": "all"}}, {"destination_conf": None}, {"destination_conf": "ftp://x"},
]  # fmt: skip


@pytest.mark.parametrize("member", UNDELIVERABLE, ids=lambda member: json.dumps(member)[:40])
def test_undeliverable_job_does_not_affect_others(zone: t.Any, sim: t.Any, member: dict[str, t.Any]) -> None:
    """A seed can contain jobs that the API would refuse; such a job fails, and the others are delivered."""
    usual = {"destination_conf": "s3://b", "enabled": True}
    sim.seed(jobs={zone.id: [{"id": 1, **usual, **member}, {"id": 2, **usual}]})
    report = sim.traffic([{}])
    assert [file["job_id"] for file in report["files"]] == [2] and report["skipped"][0]["job_id"] == 1
    assert sim.state(zone.id)["jobs"][0]["error_message"].startswith("error pushing logs: ")


@pytest.mark.parametrize(
    "parameters",
    [1, {"request_fields": 1}, {"request_fields": ["x", {"name": 1}, {}]}, {"other": [{"name": "x"}]}],
    ids=json.dumps,
)
def test_invalid_rules_are_ignored(zone: t.Any, sim: t.Any, parameters: t.Any) -> None:
    sim.seed(rulesets={zone.id: [{"rules": [RULE, {**RULE, "action_parameters": parameters}]}]})
    job(zone)
    assert sim.traffic([VISIT])["files"][0]["records"][0]["Cookies"] == {"Sid": "1"}


def test_unwritable_folder_skips_jobs_and_refuses_challenges(zone: t.Any, tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "buckets"
    folder.mkdir()
    (folder / "b").write_text("a file where a folder has to be")
    with running(
        zones=[zone.id], log_folder=folder, seed={"jobs": {zone.id: [{"destination_conf": "s3://b", "enabled": True}]}}
    ) as sim:
        assert "Error" in sim.traffic([{}])["skipped"][0]["reason"]
        asked = sim.request("POST", f"/zones/{zone.id}/logpush/ownership", {"destination_conf": "s3://b"})[1]["result"]
        assert asked["valid"] is False and asked["message"].startswith("error writing challenge")


@pytest.mark.parametrize("bad", [{"time": 1e300}, {"time": -1}, {"time": "x"}, {"headers": 1}, 1], ids=json.dumps)
def test_bad_traffic_is_refused(sim: t.Any, bad: t.Any) -> None:
    with pytest.raises(ControlError):
        sim.traffic([bad])


def test_records_of_any_dataset_are_delivered(account: t.Any, sim: t.Any) -> None:
    sim.seed(
        jobs={
            account.id: [
                {"id": 5, "dataset": "audit_logs", "destination_conf": "s3://b", "enabled": True, "logpull_options": "fields=ID"}
            ]
        }
    )
    report = sim.traffic(account=account.id, dataset="audit_logs", records=[{"ID": "a", "When": "now"}])
    assert report["files"][0]["records"] == [{"ID": "a"}] and report["files"][0]["key"].startswith("b/")
    with pytest.raises(ControlError, match="dataset and records"):
        sim.traffic([{}], account=account.id)


@pytest.mark.parametrize(
    "member",
    [
        {"merge_subrequests": True},
        {"logpull_options": None, "output_options": {"field_names": ["RayID"], "merge_subrequests": True}},
    ],
    ids=json.dumps,
)
def test_subrequests_are_merged_at_either_place(zone: t.Any, sim: t.Any, member: dict[str, t.Any]) -> None:
    job(zone, logpull_options="fields=RayID")
    job(zone, **{"logpull_options": "fields=RayID", **member})
    plain, merged = sim.traffic([{"RayID": "1", "Subrequests": [{"RayID": str(n)} for n in range(60)]}, {"RayID": "2"}])["files"]
    assert plain["records"] == [{"RayID": "1"}, {"RayID": "2"}]
    assert [len(record["Subrequests"]) for record in merged["records"]] == [50, 0]
