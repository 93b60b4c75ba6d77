# SPDX-License-Identifier: GPL-3.0-or-later

"""Secrets in inventories, defaults, roles, background tasks, proxies and environments: one run each, at the highest verbosity."""

import logging
import typing as t
from pathlib import Path

import pytest
from planted import Plants, destinations
from rude import rude_server

from harness import process

NAME = "edgeops.observability"
ROLE = f"{NAME}.log_delivery"
BOTH = (False, True)
# Without the proxies of the caller; all other variables are set by the test.
DUMP = {"name": "Dump the environment", "ansible.builtin.command": "env -u http_proxy -u https_proxy", "changed_when": False}
JOB = {"name": "edge", "fields": ["ClientIP"], "destination_conf": "{{ d_s3 }}", "ownership_challenge": "{{ s_challenge }}"}
PAGE = {"zone_id": "{{ zone }}", "baseline": [], "fetches": 1, "evidence_dir": "{{ evidence }}"}

Task = dict[str, t.Any]


def task(name: str, module: str, args: t.Any, **keywords: t.Any) -> Task:
    """Return a task that may fail."""
    return {"name": name, f"{NAME}.{module}": args, "ignore_errors": True, **keywords}


def shown(tasks: t.Iterable[Task]) -> list[Task]:
    """Return the tasks, and one that prints what they registered."""
    registered = [{"register": f"found_{number}", **one} for number, one in enumerate(tasks)]
    found = [f"{{{{ {one['register']} }}}}" for one in registered]
    return [*registered, {"name": "Show", "ansible.builtin.debug": {"msg": found}}]


def ways() -> list[Task]:
    """Return tasks that succeed, in check mode and for real, and tasks that fail, in process and as ordinary modules."""
    tasks: list[Task] = []
    address = {"destination_address": "{{ d_s3 }}"}
    for inside in BOTH:
        how = {"diff": True, "vars": {"edgeops_in_process": inside}}
        name = "inside" if inside else "as module"
        job = {**JOB, "name": f"edge-{inside}"}
        tasks += [task(f"Job {name}", "logpush_job", job, check_mode=check, **how) for check in (True, False)]
        tasks += [
            task(f"Wrong {name}", "logpush_job", {**JOB, "name": "", "destination_conf": {"a": "{{ d_s3 }}"}}, **how),
            task(f"Address in clear {name}", "logpush_job", {"name": "edge", **address}, **how),
            task(f"Addresses in clear {name}", "logpush_jobs", {"jobs": [{"name": "edge", **address}]}, **how),
        ]
        # What a module returns is the same in its own process, whose arguments and output ansible-core shows: one example of each is enough.
        services = {"with broken headers": "http://{{ rude }}", "https proxy": "https://service.example"}
        if inside:
            services |= {"user information": "http://u:{{ s_base }}@127.0.0.1", "http proxy": "http://service.example"}
        for where, service in services.items():
            tasks.append(task(f"Service {where} {name}", "script_monitor", {"enabled": True, "base_url": f"{service}/v4"}, **how))
        header = {"Authorization": "Bearer {{ s_header }}"}
        pages_with_headers = [("{{ site }}", header), ("http://{{ rude }}/checkout", header), ("{{ site }}", ["{{ s_header }}"])]
        for page, headers in pages_with_headers if inside else pages_with_headers[:2]:
            pages = [{"url": page, "request_headers": headers}]
            tasks.append(task(f"Page {page} {name}", "page_audit", {**PAGE, "pages": pages}, **how))
    return shown(tasks)


def background() -> list[Task]:
    """Return async tasks, whose results are in files while they run."""
    wait = {"async": 60, "poll": 1}
    wrong = {"enabled": True, "api_token": "{{ s_wrong_token }}"}
    status = {"name": "Fetch", "ansible.builtin.async_status": {"jid": "{{ left.ansible_job_id }}"}, "ignore_errors": True}
    return shown(
        [
            task("Waited for", "logpush_job", {**JOB, "enabled": True}, **wait),
            task("Refused", "logpush_job", {**JOB, "destination_conf": ["{{ d_s3 }}"]}, **wait),
            task("Left", "script_monitor", wrong, **wait | {"poll": 0}, register="left"),
            status | {"register": "late", "until": "late.finished", "retries": 40, "delay": 1},
        ]
    )


def roles() -> list[Task]:
    """Return desired states that the argument specification of the role refuses, or the module; the last one is for an account."""
    desired_states: list[t.Any] = [
        JOB,
        {**JOB, "destination_conf": {"a": "{{ d_s3 }}"}},
        {**JOB, "ownership_challenge": ["{{ s_challenge }}"]},
        {**JOB, "ownership_chalenge": "{{ s_unknown }}", "api_token": "{{ s_unknown }}"},
        {**JOB, "name": None, "fields": {"a": "b"}, "enabled": "perhaps"},
        [JOB],
        "destination_conf={{ d_s3 }} name=edge",
        '{"name": "edge", "destination_conf": "{{ d_s3 }}", "ownership_challenge": "{{ s_challenge }}", }',
    ]
    role_variables = [{"zone_id": "{{ zone }}", "job": desired} for desired in desired_states]
    role_variables.append({"account_id": "{{ account }}", "job": {**JOB, "dataset": "gateway_dns", "fields": ["SrcIP"]}})
    return [
        {
            "name": f"Role {number}",
            "block": [{"name": "Deliver", "ansible.builtin.include_role": {"name": ROLE}}],
            "vars": {f"log_delivery_{name}": value for name, value in variables.items()},
            "rescue": [{"name": "Show", "ansible.builtin.debug": {"var": "ansible_failed_result"}}],
        }
        for number, variables in enumerate(role_variables)
    ]


def sources(base_url: str, rude: str, secret: t.Mapping[str, str], token: str, cache: Path) -> dict[str, Task]:
    """Return inventory files with credentials: one that works and is cached, and one for each way to fail."""
    good = {"plugin": f"{NAME}.zones", "base_url": base_url, "api_token": token, "retries": 0}
    kept = {"cache": True, "cache_plugin": "ansible.builtin.jsonfile", "cache_connection": str(cache), "cache_timeout": 3600}
    return {
        "cached": {**good, **kept},
        "wrong": {**good, **kept, "api_token": secret["wrong_token"], "names": ["x"]},
        "type": {**good, "api_token": [secret["list"]]},
        "object": {**good, "api_key": {"a": secret["dict"]}, "api_email": "a@b.example"},
        "unknown": {**good, "api_tokn": secret["unknown"]},
        "header": {**good, "api_token": f"{secret['blank']} \n"},
        "user": {**good, "base_url": base_url.replace("//", f"//u:{secret['base']}@")},
        "rude": {**good, "base_url": f"http://{rude}/v4"},
        "template": {**good, "api_token": f"{{{{ '{secret['template']}' | no_such_filter }}}}"},
        "strict": {**good, "strict": True, "compose": {"a": "no_such_variable"}},
        "http proxy": {**good, "base_url": "http://service.example/v4"},
        "https proxy": {**good, "base_url": "https://service.example/v4"},
    }


def test_secrets_are_masked_in_every_place(
    service: t.Any, plants: Plants, run_and_search: t.Any, tmp_path: Path, cases: t.Any
) -> None:
    service.reset()
    place, zone = process.Place(tmp_path), service.zones[0]
    names = ("challenge", "unknown", "wrong_token", "list", "dict", "base", "blank", "template", "proxy", "host", "header")
    secret = {name: plants.plant(f"place {name}") for name in names}
    plants.encoded("proxy", f"user:{secret['proxy']}")
    with rude_server() as (rude, asked):
        files = sources(service.base_url, rude, secret, service.token, tmp_path / "cache")
        variables = {f"s_{name}": value for name, value in secret.items()}
        host = {
            "zone": zone,
            "account": service.account,
            "rude": rude,
            "site": f"{service.base_url.partition('/client')[0]}/__site__/{zone}/checkout",
            "evidence": str(tmp_path / "evidence"),
            "d_s3": destinations(plants, "place")["s3"],
            "token_of_host": service.token,
            **variables,
        }
        tasks = [*ways(), *background(), *roles(), DUMP]
        defaults = {"zone_id": "{{ zone }}", "retries": 0, "api_token": "{{ token_of_host }}", "base_url": service.base_url}
        play = {"hosts": "localhost", "gather_facts": False, "tasks": tasks}
        play["module_defaults"] = {f"group/{NAME}.zone": defaults}
        command = [str(place.write("play.yml", [play]))]
        command += ["-i", str(place.write("hosts.yml", process.inventory({"localhost": host})))]
        for name, content in files.items():
            command += ["-i", str(place.write(f"{name}.zones.yml", content))]
        # One proxy refuses requests, the other connections.
        there = {"http_proxy": rude, "https_proxy": "127.0.0.1:9"}
        proxies = {name: f"http://user:{secret['proxy']}@{address}" for name, address in there.items()}
        settings = {"ANSIBLE_STDOUT_CALLBACK": "ansible.builtin.default", "ANSIBLE_CALLBACK_RESULT_FORMAT": "yaml"}
        environment = {
            **place.environment(),
            **proxies,
            **settings,
            "no_proxy": "127.0.0.1",
            # The home folder of the account is elsewhere, and the results of background tasks would not be found there.
            "ANSIBLE_ASYNC_DIR": str(tmp_path / "background"),
            "ANSIBLE_INVENTORY_ENABLED": f"{NAME}.zones,yaml",
        }
        run = run_and_search(place, command, environment)
    stdout = run.places["stdout"]
    assert run.code == 0, f"{stdout[-3000:]}{run.places['stderr'][-1000:]}"
    assert sum(outcome.failed for outcome in run.outcomes) == 8 + 5 + 2 + 4, "what has to fail did not"
    assert len(service.state(zone)["jobs"]) == 3, "a job was not created"
    assert (tmp_path / "evidence" / f"{zone}.pages.jsonl").exists(), "no page was audited"
    assert zone in "".join(text for name, text in run.places.items() if f"{tmp_path / 'cache'}" in name), "nothing was cached"
    assert "GET" in asked
    assert len(service.state(account=service.account)["jobs"]) == 1, "the account has no job"
    assert "EDGEOPS_RECORD=" in stdout, "the environment was not dumped"
    cases["tasks whose traces were searched for secrets"] += len(run.outcomes)
    cases["inventory files whose traces were searched for secrets"] += len(files)


@pytest.mark.parametrize("by_key", BOTH, ids=["token", "key"])
@pytest.mark.parametrize("way", ["broken headers", "http proxy", "https proxy"])
def test_library_logs_contain_no_secret(
    watched: t.Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, capfd: t.Any, way: str, by_key: bool
) -> None:
    """A log file of ansible-core contains messages of all libraries."""
    caplog.set_level(logging.DEBUG)
    password = watched.plants.plant("proxy password")
    watched.plants.encoded("proxy password", f"user:{password}")
    with rude_server() as (rude, asked):
        for name in ("http_proxy", "https_proxy"):
            monkeypatch.setenv(name, f"http://user:{password}@{rude}")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        base_url = f"http://{rude}/v4" if way == "broken headers" else f"{way.partition(' ')[0]}://service.example/v4"
        for module, args in (("script_monitor", {"enabled": True}), ("logpush_job_info", {})):
            assert watched.run(module, by_key=by_key, base_url=base_url, **args)["failed"]
    assert asked
    out, err = capfd.readouterr()
    leaks = watched.plants.found("\n".join([caplog.text, out, err]))
    assert not leaks, "\n".join(leaks)
