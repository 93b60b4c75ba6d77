# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys
import typing as t

import pytest

from edgeops_simulator import responses
from edgeops_simulator.state.part import BadSeed
from edgeops_simulator.testing import running

README = pathlib.Path(__file__).parents[1] / "README.md"
(RECIPE,) = re.findall(r"```bash\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
ZONE = "a" * 32
SCRIPTS = [
    {
        "script_id": f"{n:032x}", "script_url": f"https://cdn{n}.example/a.js", "host": "shop.example", "hash": f"{n:064x}",
        "js_integrity_score": 20 + n, "fetched_at": "2026-01-01T00:00:00Z", "added_at": "2026-01-01T00:00:00.5Z",
        "first_seen_at": "2026-01-01T00:00:00Z", "last_seen_at": "2026-01-02T00:00:00Z", "appears_in_cdn_cgi_path": n == 1,
        "status": ("active", "infrequent", "inactive")[n % 3], "malicious_url_categories": ["Malware"] if n == 2 else [],
    }
    for n in range(6)
]  # fmt: skip
FIELDS = {
    "action": "log_custom_field", "expression": "true", "description": "ours",
    "action_parameters": {"request_fields": [{"name": "x-team"}], "cookie_fields": [{"name": "Sid"}]},
}  # fmt: skip
PLANTED = ("planted-1", "planted-2", "planted-3", "planted-4", "planted-user", "planted-5")
JOBS = [
    {"name": "shop", "destination_conf": "s3://b/p?region=eu&secret-access-key=planted-1&sse=AES256&access-key-id=planted-2", "enabled": True,
     "logpull_options": "fields=RayID,ClientIP&timestamps=rfc3339", "filter": '{"where":{"key":"EdgeResponseStatus","operator":"geq","value":500}}'},
    {"name": "http", "destination_conf": "https://planted-user:planted-5@logs.example/in?header_Authorization=Bearer%20planted-3&x=y",
     "output_options": {"field_names": ["RayID"], "timestamp_format": "rfc3339"}, "error_message": "failed", "last_error": "2026-01-01T00:00:00Z"},
    {"name": "azure", "destination_conf": "azure://c/d?sig=planted-4&sp=w", "dataset": "dns_logs", "logpull_options": "fields=QueryName"},
]  # fmt: skip
READS = (
    "", "/page_shield", "/page_shield/policies",
    "/page_shield/scripts?status=active,infrequent,inactive&exclude_cdn_cgi=false", f"/page_shield/scripts/{2:032x}",
    "/rulesets", "/rulesets/phases/http_log_custom_fields/entrypoint", "/logpush/jobs", "/logpush/datasets/dns_logs/jobs",
    "/logpush/datasets/http_requests/fields", "/logpush/datasets/dns_logs/fields",
)  # fmt: skip


def record(sim: t.Any, folder: pathlib.Path) -> str:
    """Run the recording commands of the README; return their output."""
    environment = {**os.environ, **sim.environment(), "ZONE_ID": sim.zone}
    done = subprocess.run(
        ["bash", "-uc", RECIPE], cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert not done.stderr
    return done.stdout


def test_recorded_zone_answers_as_before(sim: t.Any, zone: t.Any, tmp_path: pathlib.Path) -> None:
    sim.seed(
        zones=[{"id": zone.id, "name": "shop.example", "account": {"id": "acc", "name": "Shop"}}], scripts={zone.id: SCRIPTS}
    )
    sim.seed(jobs={zone.id: JOBS}, script_monitor={zone.id: {"enabled": True, "use_connection_url_path": True}})
    sim.seed(fields={zone.id: {"http_requests": {"RayID": "Ray", "ClientIP": "Client", "NewField": "New"}}})
    sim.seed(policies={sim.zone: [{"description": "checkout"}]})
    zone.ruleset(FIELDS)
    assert "removed" in record(sim, tmp_path)
    recorded = "".join(path.read_text() for path in tmp_path.rglob("*.json"))
    assert not [secret for secret in PLANTED if secret in recorded]
    assert "region=eu" in recorded and "sse=AES256" in recorded and "sp=w" in recorded
    with running(zones=[], seed=responses.read(tmp_path / "answers")) as copy:
        assert copy.zones == [zone.id]
        for path in READS:
            before, after = (one.request("GET", f"/zones/{zone.id}{path}")[1] for one in (sim, copy))
            for job in before["result"] if "jobs" in path else []:
                job["destination_conf"] = next(j["destination_conf"] for j in after["result"] if j["id"] == job["id"])
            assert after == before, path
        status, made = copy.request("POST", f"/zones/{zone.id}/logpush/jobs", {"destination_conf": "s3://new"})
        assert status == 201 and made["result"]["id"] == 4
        for field, status in (("NewField", 200), ("EdgeColoCode", 400)):
            body = {"logpull_options": f"fields={field}"}
            assert copy.request("PUT", f"/zones/{zone.id}/logpush/jobs/4", body)[0] == status


def test_recorded_zone_without_settings_answers_as_before(sim: t.Any, zone: t.Any, tmp_path: pathlib.Path) -> None:
    """The 404 for its missing entry point is recorded, too."""
    record(sim, tmp_path)
    assert json.loads(next(tmp_path.rglob("entrypoint.json")).read_text())["errors"][0]["code"] == 10003
    with running(zones=[], seed=responses.read(tmp_path / "answers")) as copy:
        for part in ("/page_shield", "/rulesets", "/logpush/jobs", "/page_shield/scripts"):
            assert copy.request("GET", f"/zones/{zone.id}{part}") == sim.request("GET", f"/zones/{zone.id}{part}")


def write(folder: pathlib.Path, name: str, result: t.Any, **more: t.Any) -> pathlib.Path:
    path = folder / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"result": result, "success": True, "errors": [], "messages": [], **more}))
    return path


def test_pages_and_details_are_merged_for_each_zone(tmp_path: pathlib.Path) -> None:
    for page in (1, 2):
        scripts = [{"id": f"{page}", "url": "https://a.example/", "js_integrity_score": 30}]
        write(tmp_path, f"zones/{ZONE}/page_shield/scripts.{page}", scripts, result_info={"total_count": 2})
    write(tmp_path, f"zones/{ZONE}/page_shield/scripts/1", {"id": "1", "page_urls": ["https://a.example/p"]})
    write(tmp_path, f"zones/{'b' * 32}/script_monitor/scripts", [{"script_id": "x", "js_integrity_score": 60}])
    write(tmp_path, f"zones/{'b' * 32}/script_monitor", {"enabled": True, "updated_at": "2026-01-01T00:00:00Z"})
    write(tmp_path, f"zones/{'b' * 32}/logpush/jobs/7", [{"id": 7, "dataset": "dns_logs"}])
    with running(zones=[], seed=responses.read(tmp_path)) as copy:
        first, second = copy.state(ZONE), copy.state("b" * 32)
    assert [script["script_id"] for script in first["scripts"]] == ["1", "2"]
    assert first["scripts"][0]["seen_on"] == ["https://a.example/p"] and first["scripts"][0]["js_integrity_score"] == 70
    assert second["scripts"] == [{"script_id": "x", "js_integrity_score": 60}] and second["script_monitor"]["enabled"] is True
    assert [job["id"] for job in second["jobs"]] == [7]


def test_recorded_account_has_its_jobs_and_fields(tmp_path: pathlib.Path) -> None:
    write(tmp_path, f"accounts/{ZONE}", {"id": ZONE, "name": "Shop"})
    write(tmp_path, f"accounts/{ZONE}/logpush/jobs", [{"id": 9, "dataset": "audit_logs", "transformer_id": 3}])
    write(tmp_path, f"accounts/{ZONE}/logpush/datasets/audit_logs/fields", {"NewField": "New"})
    write(tmp_path, f"zones/{ZONE}", {"id": ZONE, "name": "shop.example", "account": {"id": ZONE}})
    with running(zones=[], seed=responses.read(tmp_path)) as copy:
        assert (copy.zones, copy.accounts) == ([ZONE], [ZONE]) and copy.state(ZONE)["jobs"] == []
        kept = copy.state(account=ZONE)
        assert kept["account"]["name"] == "Shop" and [job["transformer_id"] for job in kept["jobs"]] == [3]
        assert kept["fields"] == {"audit_logs": {"NewField": "New"}}
    write(tmp_path, f"accounts/{ZONE}/rulesets", [])
    with pytest.raises(BadSeed, match="not the answer of a route"):
        responses.read(tmp_path)


ENTRY_POINT = {"id": "r", "kind": "zone", "phase": "http_log_custom_fields"}
REFUSED = {"success": False, "errors": [{"code": 10000, "message": "Authentication error"}]}
BAD: dict[str, tuple[str, t.Any, dict[str, t.Any], str]] = {
    "another route": (f"zones/{ZONE}/firewall", [], {}, "not the answer of a route that is read"),
    "outside zones": ("jobs", [], {}, "not the answer of a route that is read"),
    "an error": (f"zones/{ZONE}/logpush/jobs", None, REFUSED, "refused the request: 10000 Authentication error"),
    "an entry point that is refused": (f"zones/{ZONE}/rulesets/phases/http_log_custom_fields/entrypoint", None, REFUSED, "10000"),
    "no success": (f"zones/{ZONE}/logpush/jobs", [], {"success": "yes"}, "not an answer of the service"),
    "no object": (f"zones/{ZONE}/page_shield", [], {}, "result is not an object"),
    "no zone": (f"zones/{ZONE}", {"name": "x"}, {}, "result is not an object with an id"),
    "no id": (f"zones/{ZONE}/logpush/jobs", [{"id": 1}, {"id": "2"}], {}, r"result\[1\] is not an object whose id is an integer"),
    "no items": (f"zones/{ZONE}/page_shield/scripts", None, {}, "result is not an object whose id is a string"),
    "pages": (f"zones/{ZONE}/page_shield/scripts", [{"id": "1"}], {"result_info": {"total_count": 2}}, "1 of 2 scripts"),
    "no rules": (f"zones/{ZONE}/rulesets", [ENTRY_POINT], {}, "the rules of ruleset r are missing"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_file_is_named(tmp_path: pathlib.Path, case: str) -> None:
    name, result, more, words = BAD[case]
    path = write(tmp_path, name, result, **more)
    named = path if case != "no rules" else tmp_path / "zones" / ZONE
    with pytest.raises(BadSeed, match=f"^{re.escape(str(named))}: .*{words}"):
        responses.read(tmp_path)


def test_command_names_the_bad_file(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "zones" / ZONE / "logpush" / "jobs.json"
    path.parent.mkdir(parents=True)
    for text, words in (("<html>", "not JSON"), ("[]", "not an answer of the service"), ("", "not JSON")):
        path.write_text(text)
        command = [sys.executable, "-m", "edgeops_simulator", "--seed-from-responses", str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
        assert done.returncode == 1 and done.stderr.startswith(f"edgeops-simulator: {path}: {words}") and done.stdout == ""
    with pytest.raises(BadSeed, match="no recorded answers"):
        responses.read(tmp_path / "nothing")


def test_seed_takes_precedence(tmp_path: pathlib.Path) -> None:
    write(tmp_path, f"zones/{ZONE}/page_shield", {"enabled": True})
    write(tmp_path, f"zones/{ZONE}/logpush/jobs", [{"id": 7}])
    made = responses.merged(responses.read(tmp_path), {"jobs": {ZONE: []}, "zones": ["b"], "settings": {"field_limit": 1}})
    assert made["jobs"] == {ZONE: []} and made["script_monitor"] == {ZONE: {"enabled": True}}
    assert made["zones"] == [{"id": ZONE}, "b"] and made["accounts"] == [] and made["settings"] == {"field_limit": 1}
