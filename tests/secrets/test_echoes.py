# SPDX-License-Identifier: GPL-3.0-or-later

"""Every answer of the service repeats secrets, and no result does."""

import json
import typing as t
from urllib.parse import parse_qsl, quote, unquote, urlsplit

import pytest
from planted import Plants, destinations

KINDS = ("s3", "s3, encoded name", "https", "sumo", "splunk", "datadog", "azure", "other")
STATUSES = (400, 403, 404, 429, 502)
BOTH_SCOPES = pytest.mark.parametrize("watched", ["zone", "account"], indirect=True)
NEVER = 3600
MEMBERS = ("id", "name", "error_message", "last_error", "filter", "kind", "frequency", "logpull_options", "destination_conf")


@pytest.fixture(scope="module")
def old(plants: Plants) -> dict[str, str]:
    return destinations(plants, "old")


@pytest.fixture(scope="module")
def new(plants: Plants) -> dict[str, str]:
    return destinations(plants, "new")


def urls(conf: str) -> str:
    """Return a destination as in log lines and errors of storage libraries."""
    quoted = f"{quote(conf, safe='')} {quote(conf)} {conf.replace('/', chr(92) + '/')}"
    return f'Put "{conf}": dial tcp: refused; destination={conf} <{conf}> ({conf}), {json.dumps({"destination_conf": conf})} {quoted}'


def words(conf: str) -> str:
    """Return the text of `urls`, followed by the unquoted destination and by its secrets alone, in several spellings."""
    values = [value for _name, value in parse_qsl(urlsplit(conf).query)]
    user = (urlsplit(conf).username or "", urlsplit(conf).password or "")
    alone = " ".join(part for value in (*values, *user) if len(value) > 8 for part in (value, repr(value), unquote(value)))
    return f"{urls(conf)} {unquote(conf)} {alone}"


def failing(message: str, **narrow: t.Any) -> list[list[dict[str, t.Any]]]:
    """Return a list of faults for each form in which the service can return a message."""
    ways: list[dict[str, t.Any]] = [{"kind": "status", "status": status, "message": message, "code": 1002} for status in STATUSES]
    ways += [{**ways[3], "retry_after": NEVER}, {"kind": "failure_200", "code": 1002, "message": message}]
    return [[{**way, **narrow, "count": None}] for way in ways]


def check_refusals(
    watched: t.Any, message: str, tasks: t.Sequence[tuple[str, dict[str, t.Any]]], where: dict[str, str], **run: t.Any
) -> None:
    """Check that each task fails for each refusal with this message; `where` selects the refused requests."""
    for faults in failing(message, **where):
        with watched.faults(*faults):
            for module, args in tasks:
                assert watched.run(module, **run, **args)["failed"]


@BOTH_SCOPES
@pytest.mark.parametrize("kind", KINDS)
def test_destination_in_a_refusal_is_masked(watched, old, new, kind):
    conf, before = new[kind], old[kind]
    desired = {**watched.job, "destination_conf": conf, "ownership_challenge": watched.plants.plant("challenge", "/")}
    said = f"{words(conf)} {desired['ownership_challenge']} {quote(watched.simulator.token)}"
    proof = {"destination_conf": conf, "ownership_challenge": desired["ownership_challenge"]}
    check_refusals(watched, said, [("logpush_job", desired), ("logpush_ownership", proof)], {"method": "POST"})
    for method, change, quoted in (
        ("PUT", desired, f"{said} {words(before)}"),
        ("DELETE", {**watched.job, "state": "absent"}, words(before)),
    ):
        for faults in failing(quoted, method=method):
            watched.seed_jobs({"destination_conf": before})
            with watched.faults(*faults):
                result = watched.run("logpush_job", **change)
                assert result.get("failed") or (method == "DELETE" and faults[0].get("status") == 404)


@pytest.mark.parametrize("kind", KINDS)
def test_quoted_unknown_destination_is_masked(watched, old, kind):
    """Messages may quote a current destination that no option contains."""
    tasks = [("logpush_job", watched.job), ("logpush_job_info", {}), ("script_monitor", {"enabled": True})]
    check_refusals(watched, urls(old[kind]), tasks, {"method": "GET"}, check=True)


@BOTH_SCOPES
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("check", [True, False], ids=["check", "real"])
def test_secrets_in_all_members_of_jobs_are_masked(watched, old, new, kind, check):
    conf, before = new[kind], old[kind]
    gone = watched.plants.plant("a destination of the past")
    past = f"s3://gone/logs?region=x&secret-access-key={gone} and https://u:{gone}@gone.example/?header_Authorization={gone}"
    job = {"id": 7, "destination_conf": before, "enabled": False}
    job |= {"error_message": f"{urls(before)} {past}", "last_error": "2026-01-02T03:04:05Z", "ownership_challenge": gone}
    watched.seed_jobs(job)
    named = {"name": "edge", "dataset": watched.job["dataset"]}
    for args in ({"destination_conf": before}, {"destination_conf": conf}, {"enabled": True}):
        result = watched.run("logpush_job", check=check, **named, **args)
        assert not result.get("failed"), result
    watched.seed_jobs({**job, "error_message": words(before)})
    listed = watched.run("logpush_job_info")["jobs"][0]
    assert listed["destination"]["scheme"] in before and "********" in json.dumps(listed["destination"])
    watched.run("logpush_job", check=check, **named, state="absent")


@BOTH_SCOPES
@pytest.mark.parametrize("kind", ["s3", "https", "sumo"])
def test_secrets_in_unknown_members_are_masked(watched, new, kind):
    conf = new[kind]
    said = f"{words(conf)} {watched.simulator.token}"
    for member in MEMBERS:
        for value in (said, [said]):
            with watched.faults({"kind": "rewrite", "set": {member: value}, "method": "POST", "count": None}):
                watched.run("logpush_job", **watched.job, destination_conf=conf)
                watched.run("logpush_ownership", destination_conf=conf)
            watched.seed_jobs()
    for member in ("filename", "message", "valid"):
        with watched.faults({"kind": "rewrite", "set": {member: said}, "method": "POST", "count": None}):
            watched.run("logpush_ownership", destination_conf=conf)
            watched.run("logpush_ownership", destination_conf=conf, ownership_challenge=watched.plants.plant("token to validate"))


@pytest.mark.parametrize("by_key", [False, True], ids=["token", "key"])
def test_credentials_in_answers_are_masked(watched, by_key):
    secret = watched.simulator.key if by_key else watched.simulator.token
    said = f"{secret} Bearer {secret} {quote(secret, safe='')} {json.dumps(secret)} {secret[::-1][::-1]!r}"
    tasks: list[tuple[str, dict[str, t.Any]]] = [
        ("script_monitor", {"enabled": True}),
        ("script_monitor_info", {}),
        ("log_custom_fields", {"request_fields": ["x-a"]}),
        ("log_custom_fields_info", {}),
        ("logpush_job_info", {}),
        ("content_security_rule_info", {}),
        ("content_security_rule", {"description": "page", "state": "absent"}),
    ]
    check_refusals(watched, said, tasks, {"path": "*"}, by_key=by_key)
    script = {"script_id": "ab", "host": said, "status": said, "script_url": f"https://x.example/?t={secret}"}
    rule = {"action": "log_custom_field", "expression": "true", "enabled": True, "description": said, "ref": secret}
    rule["action_parameters"] = {"request_fields": [{"name": "x-old"}]}
    ruleset = {"kind": "zone", "phase": "http_log_custom_fields", "name": said, "description": said, "rules": [rule]}
    watched.simulator.seed(scripts={watched.address.id: [script]}, rulesets={watched.address.id: [ruleset]})
    watched.run("script_monitor_info", by_key=by_key, status=["active", "infrequent"])
    watched.run("log_custom_fields_info", by_key=by_key)
    assert "failed" not in watched.run("log_custom_fields", by_key=by_key, request_fields=["x-a"])


@pytest.mark.parametrize("by_key", [False, True], ids=["token", "key"])
@pytest.mark.parametrize("watched", ["account"], indirect=True)
def test_credentials_in_answers_of_an_account_are_masked(watched, by_key):
    secret = watched.simulator.key if by_key else watched.simulator.token
    said = f"{secret} Bearer {secret} {quote(secret, safe='')}"
    tasks: list[tuple[str, dict[str, t.Any]]] = [
        ("logpush_transformer_info", {}),
        ("logpush_transformer", {"name": "redact", "sql": "SELECT * FROM logs"}),
        ("logpush_transformer", {"name": "redact", "state": "absent"}),
        ("notification_policy_info", {}),
        ("notification_policy", {"name": "told", "state": "absent"}),
        ("notification_webhook", {"name": "chat", "state": "absent"}),
    ]
    check_refusals(watched, said, tasks, {"path": "*"}, by_key=by_key)
    account = watched.address.id
    transformer = {"id": 1, "name": said, "description": said, "content": said}
    policy = {
        "id": "a" * 32,
        "name": said,
        "description": said,
        "alert_type": "failing_logpush_job_disabled_alert",
        "enabled": True,
    }
    policy |= {"mechanisms": {"email": [{"id": said}]}, "filters": {"zones": [said]}}
    watched.simulator.seed(transformers={account: [transformer]}, notification_policies={account: [policy]})
    for module in ("logpush_transformer_info", "notification_policy_info"):
        assert not watched.run(module, by_key=by_key).get("failed")


@pytest.mark.parametrize("watched", ["account"], indirect=True)
def test_address_and_secret_of_a_webhook_are_masked(watched):
    """Of the webhook of the task, and of the one that the service shows, wherever the service quotes them."""
    path, key, secret, old = (watched.plants.plant(f"webhook {name}") for name in ("path", "key", "secret", "old path"))
    url, before = f"https://chat.example/hooks/{path}?key={key}", f"https://chat.example/hooks/{old}"
    account = watched.address.id
    new = {"name": "chat", "url": url, "secret": secret}

    def quoting(*texts: str) -> str:
        return " ".join(f"{text} {quote(text, safe='')} {json.dumps(text)}" for text in texts)

    # A task knows what its options have, and what it reads before it writes.
    quoted = {"POST": quoting(url, secret), "PUT": quoting(url, secret, before), "DELETE": quoting(before)}
    policy = {"id": "a" * 32, "name": "told", "alert_type": "dos_attack_l7", "mechanisms": {"webhooks": [{"id": "b" * 32}]}}
    for check in (True, False):
        for method in ("POST", "PUT", "DELETE"):
            for faults in failing(quoted[method], method=method):
                seeded = [] if method == "POST" else [{"id": "b" * 32, "name": "chat", "url": before}]
                named = [policy] if method == "PUT" else []
                watched.simulator.seed(webhooks={account: seeded}, notification_policies={account: named})
                args = {"name": "chat", "state": "absent"} if method == "DELETE" else new
                with watched.faults(*faults):
                    watched.run("notification_webhook", check=check, **args)
    for member in ("name", "type", "url", "last_success"):
        watched.simulator.seed(webhooks={account: []}, notification_policies={account: []})
        with watched.faults({"kind": "rewrite", "set": {member: quoted["POST"]}, "path": "*/webhooks/*", "count": None}):
            watched.run("notification_webhook", **new)
    watched.simulator.seed(webhooks={account: [{"id": "b" * 32, "name": "chat", "url": f"{before}?x={key}"}]})
    assert watched.run("notification_policy_info")["webhooks"][0]["host"] == "chat.example"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_secrets_in_redirects_are_masked(watched, status):
    secret = watched.plants.plant("a redirect")
    for location in (
        f"https://u:{secret}@other.example/{secret}?token={secret}",
        f"/{secret}#{secret}",
        f"http://[{secret}/",
        f"{secret}:x",
    ):
        with watched.faults({"kind": "redirect", "location": location, "status": status, "count": None}):
            assert watched.run("script_monitor", enabled=True)["error"]["kind"] == "bad_response"


@pytest.mark.parametrize("offset", range(-30, 6, 3))
def test_truncation_never_splits_a_secret(watched, new, offset):
    """Wherever a message is cut, no part of a secret remains."""
    for secret in (new["s3"].rpartition("=")[2], unquote(new["s3"].rpartition("=")[2]), watched.simulator.token, new["https"]):
        for length in (2000, 2000 - 90):
            said = "x" * (length + offset) + secret + "y" * 3000
            with watched.faults({"kind": "status", "status": 400, "message": said, "method": "POST", "count": None}):
                result = watched.run(
                    "logpush_job", **watched.job, destination_conf=new["https" if secret == new["https"] else "s3"]
                )
                assert len(result["msg"]) < 5000 and len(result["error"]["errors"][0]["message"]) < 5000
