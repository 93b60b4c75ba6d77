# SPDX-License-Identifier: GPL-3.0-or-later
"""Helper of the demonstration: read the journal and the logs of the simulator, and send traffic to it."""

from __future__ import annotations

import collections
import gzip
import json
import os
import pathlib
import sys
import time
import typing as t
import urllib.request

# Connections to loopback never use a proxy.
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))
READING = frozenset(("GET", "HEAD", "OPTIONS", "query"))


def _ask(method: str, url: str, body: t.Any = None) -> t.Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, method=method, headers={"Content-Type": "application/json"})
    with _OPENER.open(request, timeout=120) as answer:
        return json.load(answer)


def member(announcement: str, name: str) -> int:
    """Print one member of the line that the simulator prints when it is ready."""
    print(json.loads(pathlib.Path(announcement).read_text())[name])
    return 0


def journal(control_url: str, expectation: str) -> int:
    """Print the requests since the last call and clear the journal; fail unless they are as expected."""
    # GraphQL queries are POST requests that only read.
    named = {"/graphql": "query"}
    counted = collections.Counter(
        named.get(entry["path"], entry["method"]) for entry in _ask("GET", f"{control_url}/journal")["requests"]
    )
    _ask("DELETE", f"{control_url}/journal")
    print("The service's journal: " + (", ".join(f"{count} {method}" for method, count in sorted(counted.items())) or "nothing"))
    wrote = bool(counted.keys() - READING)
    if not counted or wrote is not (expectation == "writes"):
        print(f"Expected was a run that {'writes' if expectation == 'writes' else 'reads and writes nothing'}.", file=sys.stderr)
        return 1
    return 0


def send(control_url: str, file: str) -> int:
    """Send requests to the simulated edge and list them."""
    requests = json.loads(pathlib.Path(file).read_text())["requests"]
    _ask("POST", f"{control_url}/traffic", {"requests": requests})
    for visit in requests:
        print(f"  {visit['method']:<5} {visit['host']}{visit['path']:<15} {visit['status']}")
    return 0


def violate(control_url: str, script: str) -> int:
    """Add a violation report of browsers for a script that the zone's content security rule does not allow."""
    zone = os.environ["DEMO_ZONE"]
    (rule,) = _ask("GET", f"{control_url}/state?zone={zone}")["policies"]
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 86400))
    seen = {
        "policy_id": rule["id"],
        "url": script,
        "host": "shop.example",
        "page_url": "https://shop.example/checkout",
        "count": 40,
    }
    _ask("POST", f"{control_url}/seed", {"violations": {zone: [{**seen, "datetime": moment}]}})
    return 0


def change(control_url: str, *names: str) -> int:
    """Change the pages of the simulated site, as an attacker would."""
    _ask("PATCH", f"{control_url}/settings", {"site_changes": names})
    return 0


def edit(base_url: str, name: str) -> int:
    """Disable a job outside of the playbooks, as a user of the dashboard would."""
    zone = f"{base_url}/zones/{os.environ['DEMO_ZONE']}"
    headers = {"Authorization": f"Bearer {os.environ['CLOUDFLARE_API_TOKEN']}", "Content-Type": "application/json"}
    listing = urllib.request.Request(f"{zone}/logpush/jobs", headers=headers)
    with _OPENER.open(listing, timeout=120) as answer:
        number = next(job["id"] for job in json.load(answer)["result"] if job["name"] == name)
    change = urllib.request.Request(f"{zone}/logpush/jobs/{number}", b'{"enabled": false}', headers, method="PUT")
    with _OPENER.open(change, timeout=120):
        return 0


def logs(folder: str, *expected: str) -> int:
    """Print the delivered lines; fail unless each has custom fields, and all together exactly the expected values."""
    files = sorted(pathlib.Path(folder).rglob("*.gz"))
    lines = [line for file in files for line in gzip.decompress(file.read_bytes()).decode().splitlines()]
    for line in lines:
        record = json.loads(line)
        print(f"  {record['ClientRequestMethod']} {record['ClientRequestURI']} {record['EdgeResponseStatus']}")
        for name in ("RequestHeaders", "ResponseHeaders", "Cookies"):
            print(f"      {name:<16}{json.dumps(record[name])}")
    arrived = [json.loads(line)["RequestHeaders"].get("x-trace-id") for line in lines]
    if sorted(arrived) != sorted(expected) or "never logged" in "".join(lines):
        print(
            f"Expected were the records {', '.join(expected)}, and no header or cookie beside the configured ones.",
            file=sys.stderr,
        )
        return 1
    return 0


def report(file: str, *expected: str) -> int:
    """Print the new items of an audit report; fail unless they are exactly the expected ones."""
    made = json.loads(pathlib.Path(file).read_text())
    new = [item for zone in made["zones"] for item in zone["items"] if item["id"] in made["comparison"]["new"]]
    for item in new:
        print(f"  new: {item['severity']} {item['kind']} {item['resource']}: {item['message']}")
    return int(sorted(item["member"] for item in new) != sorted(expected))


COMMANDS: t.Mapping[str, t.Callable[..., int]] = {
    "member": member,
    "journal": journal,
    "send": send,
    "violate": violate,
    "change": change,
    "edit": edit,
    "logs": logs,
    "report": report,
}

if __name__ == "__main__":
    sys.exit(COMMANDS[sys.argv[1]](*sys.argv[2:]))
