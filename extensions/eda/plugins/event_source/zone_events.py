# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
short_description: Events about scripts, Logpush jobs and settings of zones
description:
  - An ansible-rulebook event source plugin that looks at zones again and again, and sends an event for each script, log delivery (Logpush)
    job or setting that changed since the last time. It works with Cloudflare, or a service with the same API, and sends GET requests only.
  - What is known is a set of states in O(state_file), not a time, so that nothing is lost between two polls, or while the rulebook is
    not running. An event is stored before it is sent, and is known when the next poll of all zones is complete. Events that were not
    known at a stop are sent again at the next start, with C(redelivered) true.
  - Each event is C({edgeops:\ {kind, id, zone, subject, before, after, observed_at, redelivered}, meta:\ {hosts}}). C(zone) has C(id)
    and C(name), and C(meta.hosts) is the host that the inventory plugin P(edgeops.observability.zones#inventory) makes of the zone.
  - C(kind) is one of C(script_new), C(script_changed), C(script_malicious), C(script_reported), C(script_gone), C(job_created),
    C(job_changed), C(job_deleted), C(job_failing), C(job_disabled), C(job_stale), C(job_recovered), C(monitor_changed),
    C(fields_changed), C(zone_unreadable) and C(zone_readable).
  - Wrong arguments, wrong credentials and a state file that cannot be used end the source at the start, with the reason.
options:
  zones:
    description:
      - Ids of the zones. One of O(zones) and O(discover) is required.
    type: list
    elements: str
  discover:
    description:
      - Watch all zones that the credentials see and that meet these filters; V({}) for all. Zones are listed before each poll.
      - A zone that is no longer listed makes no event, and its state is kept.
    type: dict
    suboptions:
      names:
        description: Names of zones, in any letter case.
        type: list
        elements: str
        default: []
      statuses:
        description: Statuses of zones, such as V(active).
        type: list
        elements: str
        default: []
      account_ids:
        description: Ids of accounts.
        type: list
        elements: str
        default: []
  watch:
    description:
      - What to look at. V(settings) are whether the script monitor is on, and the custom log fields.
      - A zone of which a part cannot be read counts as unreadable, and nothing of it is compared, so name only what the credentials and
        the plan of the zones allow.
    type: list
    elements: str
    choices: [scripts, jobs, settings]
    default: [scripts, jobs, settings]
  interval:
    description:
      - Seconds between two polls, at least 60. If a poll of all zones takes more requests than O(request_budget) allows in that time, the
        interval grows, and a warning reports it.
    type: int
    default: 300
  state_file:
    description:
      - File for what is known. Its folder has to exist and has to outlive the rulebook, for example on a volume. Each source needs a file
        of its own, which is locked while it runs.
      - A file that is damaged, empty or of another version is refused and never reset.
    type: path
    required: true
  first_run:
    description:
      - Whether the scripts and jobs of a zone that is seen for the first time are known without events, or all new.
    type: str
    choices: [silent, emit]
    default: silent
  route:
    description:
      - Under which name the service offers the script monitor. V(auto) tries V(page_shield) first if the host of O(base_url) is
        C(api.cloudflare.com), and V(script_monitor) first otherwise.
    type: str
    choices: [auto, script_monitor, page_shield]
    default: auto
  malicious_threshold:
    description:
      - Score from which on a script counts as malicious, itself excluded.
    type: int
    default: 50
  malicious_when:
    description:
      - On which side of O(malicious_threshold) a score means malicious. If omitted, the route that answered decides.
    type: str
    choices: [above, below]
  stale_after:
    description:
      - Seconds without a completed delivery after which a job is stale.
    type: int
    default: 3600
  script_baseline:
    description:
      - Entries of authorised scripts, of the form of the option O(edgeops.observability.script_audit#module:baseline).
      - C(script_new) is then sent only for scripts that no entry covers. All other events of scripts are sent as without it.
    type: list
    elements: dict
  base_url:
    description:
      - Where the API is. If omitted, the environment variable E(CLOUDFLARE_BASE_URL).
    type: str
    default: https://api.cloudflare.com/client/v4
  api_token:
    description:
      - API token. If omitted, the environment variable E(CLOUDFLARE_API_TOKEN), then E(CLOUDFLARE_TOKEN).
    type: str
  api_email:
    description:
      - E-mail address of a user, together with O(api_key). If omitted, the environment variable E(CLOUDFLARE_EMAIL).
    type: str
  api_key:
    description:
      - API key of that user. If omitted, the environment variable E(CLOUDFLARE_API_KEY).
    type: str
  timeout:
    description:
      - Seconds for one try of a request.
    type: float
    default: 30
  retries:
    description:
      - How many times a request is tried again.
    type: int
    default: 4
  retry_wait_max:
    description:
      - The longest pause in seconds that the service may ask for.
    type: int
    default: 300
  validate_certs:
    description:
      - Whether to verify certificates.
    type: bool
    default: true
  ca_path:
    description:
      - File or folder with certificates to trust.
    type: path
  request_budget:
    description:
      - So many requests in any window of so many seconds, shared with every process of this user that uses the same credentials; V(none)
        for no limit. The default is a quarter of what Cloudflare allows, so that deliveries have the rest.
    type: str
    default: 300/300
"""

EXAMPLES = r"""
- name: Scripts that nobody authorised
  hosts: all
  sources:
    - edgeops.observability.zone_events:
        discover:
          statuses: [active]
        script_baseline: "{{ script_baseline }}"
        state_file: /var/lib/edgeops/zone-events.json
  rules:
    - name: Check the zone
      condition: event.edgeops.kind == "script_new" and event.edgeops.redelivered == false
      action:
        run_playbook:
          name: edgeops.observability.check

- name: Jobs of two zones that fail, every ten minutes
  hosts: localhost
  sources:
    - edgeops.observability.zone_events:
        api_token: "{{ EDGE_TOKEN }}"
        zones:
          - 023e105f4ecef8ad9ca31a8372d0c353
          - 9a7806061c88ada191ed06f989cc3dac
        watch: [jobs]
        interval: 600
        stale_after: 7200
        state_file: /var/lib/edgeops/job-events.json
  rules:
    - name: Report the job
      condition: event.edgeops.kind in ["job_failing", "job_disabled"]
      action:
        print_event:
          pretty: true
"""

import asyncio
import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

COLLECTION = "ansible_collections.edgeops.observability"


async def main(queue: asyncio.Queue[Any], args: dict[str, Any]) -> None:
    """Send an event for each change in the zones, until cancelled."""
    watch = await asyncio.to_thread(_import_watch)
    await watch(queue, args)


def _import_watch() -> Any:
    """Return the watch from the collection that this file belongs to; ansible-rulebook leaves collections off sys.path."""
    if COLLECTION not in sys.modules:
        spec = importlib.util.spec_from_loader(COLLECTION, None, is_package=True)
        package = importlib.util.module_from_spec(spec)
        package.__path__ = [str(Path(__file__).parents[4])]
        sys.modules[COLLECTION] = package
    return importlib.import_module(f"{COLLECTION}.plugins.module_utils._events.watch").watch


if __name__ == "__main__":

    class Printer(asyncio.Queue[Any]):
        """A queue for a look at the events without rules: the arguments are one JSON object on the command line."""

        async def put(self, event: dict[str, Any]) -> None:
            """Print the event."""
            print(json.dumps(event))

    asyncio.run(main(Printer(), json.loads(sys.argv[1])))
