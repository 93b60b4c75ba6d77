# SPDX-License-Identifier: GPL-3.0-or-later

"""Measure one audit of 10 000 scripts against 300 entries, without HTTP but with the evidence file, and one of twice the scripts."""

from __future__ import annotations

import argparse
import functools
import json
import subprocess
import sys
import tempfile

from table import check_limit, show
from unit import in_turns

SCRIPTS, ENTRIES = 10_000, 300
CHILD = """
import datetime, gc, json, resource, sys, time
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.audit import desire
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.monitor import MonitorState
count, entries, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
kinds = ("https://cdn{}.example/**", "https://cdn.example/{}/*", "https://cdn.example/*/{}.js", "https://cdn.example/{}.js")
baseline = [
    {"name": f"entry {n}", "url": kinds[n % 4].format(n), "owner": "o", "justification": "j", "authorised_by": "a", "hashes": ["a" * 64]}
    for n in range(entries)
]
listing = [
    {
        "script_id": f"{n:032x}",
        "script_url": kinds[n % 4].format(n % (entries + 50)).replace("**", f"x/{n}").replace("*", f"{n}"),
        "host": f"shop{n % 7}.example", "status": "active", "hash": ("a" if n % 50 else "b") * 64, "js_integrity_score": n % 50,
        "added_at": "2024-01-01T00:00:00.000000Z", "first_seen_at": "2024-01-01T00:00:00Z", "last_seen_at": "2024-01-02T00:00:00Z",
        "seen_on_first": "https://shop.example/cart", "count": n, "appears_in_cdn_cgi_path": False,
    }
    for n in range(count)
]
params = {
    "zone_id": "0" * 32, "route": "script_monitor", "hosts": None, "pages": [], "status": [], "malicious_threshold": 50, "malicious_when": None,
    "fail_on": [], "details": "findings", "evidence_dir": folder, "expected_head": None, "max_gap_days": 5.0,
    "at": None, "baseline": baseline,
}
class Service:
    zone_id = "0" * 32
    hide = staticmethod(lambda record: record)
    now = datetime.datetime.now(datetime.timezone.utc)
    monitor = staticmethod(lambda route: MonitorState(route, {"enabled": True, "updated_at": None}))
    list_scripts = staticmethod(lambda query: listing)
    read_singly = staticmethod(lambda query, script_ids: [])
gc.disable()  # as in every run of a task
began = time.process_time()
done = desire(params).perform(Service())
text = json.dumps(done.result)
seconds = time.process_time() - began
print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, len(done.result["inventory"])]))
"""


def measure(scripts: int, entries: int) -> tuple[float, float, int]:
    """Run two audits, each in a new process. Return processor seconds, peak memory in MB and inventory size of the second."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", CHILD, str(scripts), str(entries), folder]
        for _audit in ("the first one writes a whole record", "the second one reads it"):
            done = subprocess.run(command, capture_output=True, text=True, check=True)  # our own code
    seconds, memory, count = json.loads(done.stdout)
    return seconds, memory, count


def report(_options: argparse.Namespace) -> bool:
    """Measure and print; return whether all limits hold."""
    count = SCRIPTS
    runs = {number: functools.partial(measure, number, ENTRIES) for number in (count, 2 * count)}
    costs = in_turns(runs, 3, lambda spent: spent[0])
    (once, in_c), (twice, twice_in_c) = costs[count], costs[2 * count]
    show(
        f"Audit against {ENTRIES} entries without requests and without Ansible",
        ["scripts", "CPU s", "peak MB", "in the inventory"],
        [
            [str(number), f"{took:.2f}", f"{peak:.0f}", str(seen)]
            for number, (took, peak, seen) in ((count, once), (2 * count, twice))
        ],
    )
    what = f"audit of {count} scripts against {ENTRIES} entries"
    limits = (
        (f"{what}, CPU in C", in_c, 8),
        (f"{what}, peak MB", once[1], 300),
        ("audit: growth of the time for twice the scripts", twice_in_c / in_c, 2.2),
    )
    held = [check_limit(*limit) for limit in limits]
    return all(held)
