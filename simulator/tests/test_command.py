# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import dataclasses
import http.client
import json
import pathlib
import re
import ssl
import subprocess
import sys
import time
import typing as t
import urllib.request

import pytest

from edgeops_simulator import cli, openapi
from edgeops_simulator.front import routes
from edgeops_simulator.front.call import Answer, Call
from edgeops_simulator.front.operations import OPERATIONS
from edgeops_simulator.front.routing import Routes
from edgeops_simulator.schemas.answers import TEXT, record
from edgeops_simulator.settings import Settings
from edgeops_simulator.testing import Simulator, running

ZONE = "c" * 32


def start(*arguments: str) -> tuple[subprocess.Popen[str], dict[str, t.Any]]:
    command = [sys.executable, "-m", "edgeops_simulator", "--port", "0", "--token", "tok", *arguments]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    return child, json.loads(child.stdout.readline())


def end(child: subprocess.Popen[str]) -> tuple[int, str]:
    """Return the exit code of a simulator, and its output after the announcement."""
    printed, _errors = child.communicate(timeout=60)
    return child.returncode, printed


def fetch(url: str, headers: dict[str, str], trust: ssl.SSLContext | None = None) -> t.Any:
    assert url.startswith(("http://127.0.0.1:", "https://127.0.0.1:"))
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 - loopback only, as asserted above
    with urllib.request.urlopen(request, context=trust) as answer:  # noqa: S310 - the same
        return json.load(answer)


@contextlib.contextmanager
def simulator(announced: dict[str, t.Any]) -> t.Iterator[Simulator]:
    sim = Simulator(announced, None, None, None)
    with contextlib.closing(sim.controls):
        yield sim


def test_command_announces_its_addresses_and_stops() -> None:
    """The command prints its addresses, and stops on SIGTERM."""
    child, announced = start(
        "--zone", ZONE, "--zone", "d" * 32, "--rules-in-list", "--latency", "5", "--email", "a@b.c", "--key", "k"
    )
    try:
        assert announced.keys() == {"base_url", "control_url", "token", "zones", "accounts"}
        assert announced["token"] == "tok" and announced["zones"] == [ZONE, "d" * 32]
        assert announced["base_url"].startswith("http://127.0.0.1:") and announced["base_url"].endswith("/v4")
        with simulator(announced) as sim:
            settings = sim.settings()
        assert settings["rules_in_list"] is True and settings["latency_ms"] == 5
        headers = {"X-Auth-Email": "a@b.c", "X-Auth-Key": "k"}
        assert fetch(f"{announced['base_url']}/zones/{ZONE}/rulesets", headers)["result"] == []
    finally:
        child.terminate()
        assert end(child) == (0, "")


@pytest.mark.parametrize("how", ["terminate", "kill"])
def test_state_file_survives_every_end(tmp_path: pathlib.Path, how: str) -> None:
    state = ("--state", str(tmp_path / "state.json"), "--zone", ZONE)
    child, announced = start(*state)
    with simulator(announced) as sim:
        sim.seed(scripts={ZONE: [{"script_id": "s", "host": "h"}]})
        sim.request("PUT", f"/zones/{ZONE}/script_monitor", {"enabled": True})
        sim.request("POST", f"/zones/{ZONE}/rulesets", {"name": "n", "kind": "zone", "phase": "http_log_custom_fields"})
        sim.request("POST", f"/zones/{ZONE}/logpush/jobs", {"destination_conf": "s3://b?region=r"})
        before = sim.state(ZONE)
    getattr(child, how)()
    end(child)
    child, announced = start(*state)
    try:
        with simulator(announced) as sim:
            assert sim.state(ZONE) == before
            assert sim.request("POST", f"/zones/{ZONE}/logpush/jobs", {"destination_conf": "s3://b"})[1]["result"]["id"] == 2
    finally:
        child.terminate()
        end(child)


def test_incomplete_write_is_ignored(tmp_path: pathlib.Path) -> None:
    state = tmp_path / "state.json"
    with running(zones=[ZONE], state=state) as sim:
        sim.request("PUT", f"/zones/{ZONE}/script_monitor", {"enabled": True})
    (tmp_path / "state.json.log").write_text('{"script_monitor": {"' + ZONE)
    with running(zones=[ZONE], state=state) as sim:
        assert sim.state(ZONE)["script_monitor"]["enabled"] is True


def test_bad_arguments_are_one_line(tmp_path: pathlib.Path) -> None:
    seed = tmp_path / "seed.json"
    seed.write_text('{"zone": []}')
    command = [sys.executable, "-m", "edgeops_simulator", "--seed", str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and done.stderr.startswith("edgeops-simulator: unknown members: zone") and done.stdout == ""


def test_command_reads_a_seed_file(tmp_path: pathlib.Path) -> None:
    seed = {
        "zones": [{"id": ZONE, "name": "shop.example"}],
        "script_monitor": {ZONE: {"enabled": True}},
        "settings": {"field_limit": 3},
    }
    (tmp_path / "seed.json").write_text(json.dumps(seed))
    child, announced = start("--seed", str(tmp_path / "seed.json"))
    child.terminate()
    end(child)
    assert announced["zones"] == [ZONE]
    with running(zones=[], seed=seed, process=True, job_list="404") as sim:
        assert sim.zones == [ZONE] and sim.state()["script_monitor"]["enabled"] is True
        sim.settings(job_list="ok")
        sim.reset()
        assert (sim.settings()["field_limit"], sim.settings()["job_list"]) == (3, "404")


def test_seed_of_the_readme_is_valid(sim: Simulator) -> None:
    readme = (pathlib.Path(__file__).parents[1] / "README.md").read_text("utf-8")
    (text,) = [block for block in re.findall(r"```json\n(.*?)```", readme, re.DOTALL) if '"zones"' in block]
    seed = json.loads(text)
    sim.seed(seed)
    of_zone, of_account = sim.state("ZONE"), sim.state(account="ACCOUNT")
    parts = [name for name, of in seed.items() if isinstance(of, dict) and of.keys() & {"ZONE", "ACCOUNT"}]
    assert len(parts) > 8 and all(of_zone.get(part) or of_account.get(part) for part in parts)
    assert of_account["transformers"][0]["id"] == 7


def test_reset_and_restore_replace_the_state(sim: Simulator) -> None:
    sim.request("PUT", f"/zones/{sim.zone}/script_monitor", {"enabled": True})
    sim.settings(field_limit=1)
    sim.faults({"kind": "500", "count": None})
    kept = sim.snapshot()
    sim.reset()
    assert sim.journal() == [] and sim.settings()["field_limit"] == 40
    assert sim.request("GET", f"/zones/{sim.zone}/script_monitor")[1]["result"]["enabled"] is False
    sim.restore(kept)
    assert sim.snapshot() == kept and sim.state()["script_monitor"]["enabled"] is True


def test_thousand_zones_are_listed_in_pages(sim: Simulator) -> None:
    sim.reset(zones=[{"id": f"{n:032x}"} for n in range(1000)])
    assert sim.request("GET", "/zones?per_page=50&page=21")[1]["result_info"]["total_count"] == 1002


def test_description_has_every_operation(sim: Simulator) -> None:
    described = sim.control("GET", "/openapi.json")
    assert described == openapi.description(sim.base_url, sim.zones, sim.accounts)
    operations = {(method.upper(), path) for path, methods in described["paths"].items() for method in methods}
    assert operations == {(operation.method, operation.path) for operation in OPERATIONS}
    assert len({operation.name for operation in OPERATIONS}) == len(OPERATIONS)


def test_declared_route_is_served_and_described(monkeypatch: pytest.MonkeyPatch) -> None:
    """One declaration both serves and describes a route."""
    area = Routes("/zones/{zone_id}")

    @area("GET", "/extra/{name}", "getExtra", result=record({"name": TEXT}), query={"loud": TEXT}, switch="script_monitor_routes")
    def get_extra(call: Call) -> Answer:
        return Answer({"name": call.ids["name"] + call.query.get("loud", "")})

    for module in (routes, openapi):
        monkeypatch.setattr(module, "OPERATIONS", (*OPERATIONS, *area.operations))
    with running(zones=[ZONE]) as sim:
        assert sim.request("GET", f"/zones/{ZONE}/extra/a?loud=!")[1]["result"] == {"name": "a!"}
        assert sim.request("POST", f"/zones/{ZONE}/extra/a", {})[0] == 405 and sim.request("GET", "/zones/f/extra/a")[0] == 404
        described = sim.control("GET", "/openapi.json")["paths"]["/zones/{zone_id}/extra/{name}"]["get"]
        assert [parameter["name"] for parameter in described["parameters"]] == ["zone_id", "name", "loud"]
        assert described["operationId"] == "getExtra" and described["responses"].keys() >= {"200", "404"}
        sim.settings(script_monitor_routes=False)
        assert sim.request("GET", f"/zones/{ZONE}/extra/a")[0] == 404


def test_command_serves_tls(tmp_path: pathlib.Path) -> None:
    certificate, key = tmp_path / "localhost.crt", tmp_path / "localhost.key"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    command += ["-keyout", str(key), "-out", str(certificate), "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run(command, check=True, capture_output=True)
    with running(zones=[ZONE], certfile=str(certificate), keyfile=str(key)) as sim:
        assert sim.base_url.startswith("https://127.0.0.1:")
        trust = ssl.create_default_context(cafile=str(certificate))
        envelope = fetch(f"{sim.base_url}/zones/{ZONE}/script_monitor", {"Authorization": f"Bearer {sim.token}"}, trust)
        assert envelope["result"]["enabled"] is False


@pytest.mark.parametrize("process", [True, False], ids=["process", "thread"])
def test_hanging_request_does_not_stop_the_exit(process: bool) -> None:
    """The command exits although a request hangs."""
    with running(zones=[ZONE], process=process) as sim:
        sim.faults({"kind": "hang"})
        waiting = http.client.HTTPConnection(sim.base_url.split("/")[2], timeout=60)
        waiting.request("GET", "/client/v4/zones", headers={"Authorization": f"Bearer {sim.token}"})
        while not sim.journal():
            time.sleep(0.01)
    with pytest.raises(ConnectionError):
        waiting.getresponse()
    waiting.close()


def test_help_describes_each_setting() -> None:
    text = " ".join(cli.parser().format_help().split())
    hints = t.get_type_hints(Settings, include_extras=True)
    assert hints.keys() == {field.name for field in dataclasses.fields(Settings)}
    assert not [name for name, hint in hints.items() if " ".join(t.get_args(hint)[1].split()[:3]) not in text]
