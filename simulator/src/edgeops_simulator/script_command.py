# SPDX-License-Identifier: GPL-3.0-or-later
"""`edgeops-simulator script`: change the scripts of a running simulator."""

from __future__ import annotations

import argparse
import http.client
import json
import os
import sys
import typing as t

from edgeops_simulator._launch import exchange

_WORDS = {
    "add": "a script appears on a host",
    "see": "a script is seen once more",
    "change": "the content of a script changes",
    "report": "a script's URL, or a domain, is reported as malicious",
    "vanish": "a script is no longer listed, or with another status",
    "list": "show the scripts of the zone",
}


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="edgeops-simulator script", description=__doc__)
    actions = made.add_subparsers(dest="action", required=True, metavar="ACTION")
    for action, words in _WORDS.items():
        one = actions.add_parser(action, help=words, description=words)
        one.add_argument("--control-url", default=os.environ.get("CONTROL_URL"), help="default: the variable CONTROL_URL")
        one.add_argument("--zone", metavar="ZONE_ID", help="default: the first zone")
        if action != "list":
            _add_members(one, action)
    return made


def _add_members(one: argparse.ArgumentParser, action: str) -> None:
    one.add_argument("url", nargs="?" if action == "report" else None, help="URL of the script")
    one.add_argument("--host", required=action == "add", help="host on which it is seen; default: all")
    one.add_argument("--at", metavar="TIME", help="when it happens, such as 2026-01-31T12:00:00Z; default: now")
    if action in ("add", "change"):
        one.add_argument("--hash", metavar="SHA256", help="hash of the content; generated if omitted")
        one.add_argument("--score", type=int, help="js_integrity_score as script_monitor has it, 1 to 99; default: 1")
    if action in ("add", "see", "vanish"):
        one.add_argument("--status", choices=("active", "infrequent", "inactive"))
    if action == "report":
        one.add_argument("--domain", help="report every script that comes from this domain instead of one URL")
        one.add_argument("--category", dest="categories", action="append", help="default: Malware; may be repeated")
        one.add_argument("--clear", dest="malicious", action="store_false", default=None, help="no longer reported")


def main(arguments: t.Sequence[str]) -> int:
    """Send one event; print the scripts that it changed, one line of JSON each."""
    made = parser()
    options = {name: value for name, value in vars(made.parse_args(arguments)).items() if value is not None}
    control_url, zone = options.pop("control_url", None), options.pop("zone", None)
    if not control_url:
        made.error("--control-url or the variable CONTROL_URL is needed")
    method, body = ("GET", None) if options["action"] == "list" else ("POST", {"zone": zone, "events": [options]})
    path = f"/scripts?zone={zone}" if zone and body is None else "/scripts"
    try:
        status, answer = exchange(control_url, method, path, body, {})
    except (OSError, ValueError, http.client.HTTPException) as problem:
        status, answer = 0, {"error": f"{control_url}: {problem}"}
    if status != 200:
        print(f"edgeops-simulator script: {answer['error']}", file=sys.stderr)
        return 1
    for script in answer["scripts"]:
        print(json.dumps(script))
    return 0
