# SPDX-License-Identifier: GPL-3.0-or-later

"""Random zones for adoptions, as users may have set them up in the dashboard: jobs and rules in any form, with secrets."""

import json
import random
import typing as t

CANARY = "planted-secret-55d0"
FIELDS = ("ClientIP", "RayID", "RequestHeaders", "ResponseHeaders", "Cookies")


def random_job(draw: random.Random, number: int) -> dict[str, t.Any]:
    """Return a job with random members, in either form of its options."""
    names = draw.sample(FIELDS, draw.randint(1, 5))
    job: dict[str, t.Any] = {
        "id": number,
        "name": draw.choice(["logs", "errors", "", "{{ 7 * 7 }}"]),
        "dataset": draw.choice(["http_requests", "http_requests", "http_requests", "firewall_events"]),
        "enabled": draw.random() < 0.7,
        "destination_conf": draw.choice(
            [
                "gs://logs/by-hand",
                "gs://logs/{{DATE}}",
                f"s3://logs/{{{{DATE}}}}?region=x&access-key-id=AK&secret-access-key={CANARY}",
                f"https://user:{CANARY}@logs.example.com/in",
                f"sumo://endpoint.example.com/{CANARY}",
            ]
        ),
    }
    if draw.random() < 0.3:
        job["output_options"] = {"field_names": names, "timestamp_format": draw.choice(["rfc3339", "unix"])}
    else:
        job["logpull_options"] = f"fields={','.join(names)}" + draw.choice(["", "&timestamps=rfc3339", "&CVE-2021-44228=true"])
    if draw.random() < 0.3:
        value = draw.choice(["{{ secret }}", "#jinja2:variable_start_string:'[['\n[[ 7 * 7 ]]", "12:30", "="])
        job["filter"] = json.dumps({"where": {"and": [{"key": "ClientRequestPath", "operator": "!contains", "value": value}]}})
    if draw.random() < 0.3:
        job["frequency"] = "low"
    return job


def random_ruleset(draw: random.Random) -> dict[str, t.Any]:
    named = {"id": random_id(draw), "kind": "zone", "phase": "http_log_custom_fields", "name": "n"}
    kinds = draw.sample(["request_fields", "response_fields", "cookie_fields"], draw.randint(1, 3))
    own = [
        {
            "id": random_id(draw),
            "ref": f"r{index}",
            "action": "log_custom_field",
            "expression": draw.choice(["true", "true", 'http.host eq "a"']),
            "enabled": draw.random() < 0.8,
            "action_parameters": {kind: [{"name": f"x-{kind[:3]}-{index}"}] for kind in kinds},
        }
        for index in range(draw.choice([0, 1, 1, 1, 2]))
    ]
    foreign = {
        "id": random_id(draw),
        "ref": "f",
        "action": "skip",
        "expression": "false",
        "action_parameters": {"ruleset": "current"},
    }
    return {**named, "rules": [*own, *([foreign] if draw.random() < 0.3 else [])]}


def random_id(draw: random.Random) -> str:
    return f"{draw.getrandbits(128):032x}"


POLICIES = (
    "script-src 'self' https://js.example/v3/; CONNECT-SRC *",
    "default-src 'none'; trusted-types A  b; upgrade-insecure-requests",
    "script-src 'nonce-abc'",
    "img-src {{7}}",
)


def random_rule(draw: random.Random, number: int) -> dict[str, t.Any]:
    """Return a content security rule; some cannot be declared, and some have no description or the same as another rule."""
    return {
        "id": f"r{number}",
        "description": draw.choice(["", "checkout", "blog", "{{ 7 }}"]),
        "action": draw.choice(["log", "allow", "later"]),
        "expression": draw.choice(["true", 'http.host eq "{{ 7 }}"']),
        "enabled": draw.random() < 0.7,
        "value": draw.choice(POLICIES),
    }


def seed(simulator: t.Any, count: int, number: int = 17) -> dict[str, dict[str, t.Any]]:
    """Seed `count` zones and return an inventory of them; the same `number` gives the same zones."""
    draw = random.Random(number)
    hosts = {f"zone{index}": {"zone_id": random_id(draw)} for index in range(count)}
    zones = [host["zone_id"] for host in hosts.values()]
    jobs = {
        zone: [random_job(draw, index * 10 + number + 1) for number in range(draw.randint(0, 4))]
        for index, zone in enumerate(zones)
    }
    rulesets = {zone: [random_ruleset(draw)] for zone in zones if draw.random() < 0.8}
    rules = {zone: [random_rule(draw, number) for number in range(draw.randint(0, 4))] for zone in zones}
    monitors = {zone: {"enabled": draw.random() < 0.5} for zone in zones[1:]}
    seen = {
        "script_id": "5c0a",
        "script_url": "https://js.example.com/{{7}}.js",
        "host": "shop.example.com",
        "hash": "ab" * 32,
        "status": "active",
    }
    simulator.seed(
        zones=zones,
        jobs=jobs,
        rulesets=rulesets,
        policies=rules,
        script_monitor={zones[0]: {"enabled": True}, **monitors},
        scripts={zones[0]: [seen]},
    )
    return hosts
