# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
short_description: Events for changed scripts, Logpush jobs and settings of Cloudflare zones and accounts
description:
  - An ansible-rulebook event source plugin that polls zones of Cloudflare and sends an event for each script
    (Client-side security, formerly Page Shield), log delivery (Logpush) job or setting that changed since the last poll. Of accounts it polls
    the Logpush jobs. It only reads, with GET requests, and with queries to C(POST /graphql) for the violations of content security rules.
  - O(state_file) contains the last known state of each zone, so changes between two polls, or while the rulebook is not running, are found.
    An event is stored before it is sent, and removed when it was taken from the queue of the rulebook and the next poll of all zones is
    complete. Events that are stored when the source stops are sent again at the next start, with C(redelivered) true.
  - Each event is C({edgeops:\ {kind, id, zone, subject, before, after, observed_at, redelivered}, meta:\ {hosts}}). C(zone) has C(id)
    and C(name), and C(meta.hosts) is the host name of the zone in the inventory plugin P(edgeops.observability.zones#inventory).
    Events of accounts have C(account) in place of C(zone), and their host is C(account_) with the id of the account.
  - C(kind) is one of C(script_new), C(script_changed), C(script_malicious), C(script_reported), C(script_gone), C(job_created),
    C(job_changed), C(job_deleted), C(job_failing), C(job_disabled), C(job_stale), C(job_recovered), C(monitor_changed),
    C(fields_changed), C(rule_changed), C(rule_violated), C(zone_unreadable), C(zone_readable), C(account_unreadable) and C(account_readable).
  - Invalid arguments, invalid credentials and an unusable state file stop the source at the start, with the reason.
options:
  zones:
    description:
      - Ids of the zones. One of O(zones), O(discover) and O(accounts) is required.
    type: list
    elements: str
  accounts:
    description:
      - Ids of accounts whose Logpush jobs to watch, beside O(zones) or O(discover).
    type: list
    elements: str
    default: []
  discover:
    description:
      - Watch all zones that the credentials can read and that match these filters; V({}) for all. Zones are listed before each poll.
      - For a zone that is no longer listed no event is sent, and its state is kept.
    type: dict
    suboptions:
      names:
        description: Names of zones, in any letter case. A name that no zone has is logged as a warning.
        type: list
        elements: str
        default: []
      statuses:
        description: Statuses of zones, such as V(active).
        type: list
        elements: str
        default: []
      account_ids:
        description: Ids of accounts. One that no zone belongs to is logged as a warning.
        type: list
        elements: str
        default: []
      accounts:
        description:
          - Whether to watch also the Logpush jobs of the accounts that the credentials can read.
          - With O(discover.account_ids) those of these accounts alone. One that cannot be read is unreadable, also if it is not listed.
        type: bool
        default: false
  watch:
    description:
      - What to watch. V(settings) are the status of the script monitor, the custom log fields, and the content security rules with their violations.
      - If a part of a zone cannot be read, the zone is unreadable and not compared, so list only the parts that the credentials and
        the plan of the zones allow. Scripts of which the service may list not all count as such a part. A token or plan that never could
        read content security rules watches none of them.
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
      - File for the state. Its folder must exist, on persistent storage, for example on a volume. Each source needs its own file,
        which is locked while it runs.
      - A file that is damaged, empty or of another version is refused and never reset.
    type: path
    required: true
  first_run:
    description:
      - Whether the first poll of a zone sends events for its scripts and jobs.
    type: str
    choices: [silent, emit]
    default: silent
  route:
    description:
      - The route of the script monitor in the API. V(auto) tries V(page_shield) first if the host of O(base_url) is
        C(api.cloudflare.com), and V(script_monitor) first otherwise.
    type: str
    choices: [auto, script_monitor, page_shield]
    default: auto
  malicious_threshold:
    description:
      - The score that separates malicious scripts from others. A score that equals it is not malicious.
      - If omitted, it depends on the route that answered.
    type: int
  malicious_when:
    description:
      - On which side of O(malicious_threshold) a score means malicious. If omitted, it depends on the route that answered.
    type: str
    choices: [above, below]
  stale_after:
    description:
      - Seconds without a delivery after which a job is stale.
    type: int
    default: 3600
  script_baseline:
    description:
      - Entries of authorised scripts, as in O(edgeops.observability.script_audit#module:baseline).
      - C(script_new) is then sent only for scripts that no entry authorises. An entry without owner, justification or C(authorised_by), one
        that is authorised on a later day, and one past its C(review_by) on the day (UTC) of the poll authorise nothing. It does not affect
        other events.
    type: list
    elements: dict
  base_url:
    description:
      - Base URL of the API. If omitted, the environment variable E(CLOUDFLARE_BASE_URL).
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
      - Timeout in seconds for one try of a request.
    type: float
    default: 30
  retries:
    description:
      - Maximum number of retries of a request.
    type: int
    default: 4
  retry_wait_max:
    description:
      - Maximum pause in seconds that the service may request.
    type: int
    default: 300
  validate_certs:
    description:
      - Whether to verify TLS certificates.
    type: bool
    default: true
  ca_path:
    description:
      - File or folder with the CA certificates to trust.
    type: path
  request_budget:
    description:
      - Maximum number of requests in any window of seconds, as V(requests/seconds), shared by all processes of this user with the same
        credentials; V(none) for no limit. The default is a quarter of Cloudflare's rate limit, which leaves the rest for deliveries.
    type: str
    default: 300/300
"""

EXAMPLES = r"""
- name: Scripts that are not authorised
  hosts: all
  sources:
    - edgeops.observability.zone_events:
        discover:
          statuses: [active]
        script_baseline: "{{ edgeops_script_baseline }}"
        state_file: /var/lib/edgeops/zone-events.json
  rules:
    - name: Check the zone
      condition: event.edgeops.kind == "script_new" and event.edgeops.redelivered == false
      action:
        run_playbook:
          name: edgeops.observability.check
          extra_vars:
            edgeops_audit_scripts: true

- name: Failing jobs of two zones, polled every ten minutes
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

# Not the collection's full name: Python would import each part of it, and `ansible_collections` may be nowhere, or another copy.
PACKAGE = "edgeops_observability"


async def main(queue: asyncio.Queue[Any], args: dict[str, Any]) -> None:
    """Send an event for each change in the zones, until cancelled."""
    watch = await asyncio.to_thread(_import_watch)
    await watch(queue, args)


def _import_watch() -> Any:
    """Return the watch from the collection that this file belongs to; ansible-rulebook leaves collections off sys.path."""
    if PACKAGE not in sys.modules:
        spec = importlib.util.spec_from_loader(PACKAGE, None, is_package=True)
        package = importlib.util.module_from_spec(spec)
        package.__path__ = [str(Path(__file__).parents[4])]
        sys.modules[PACKAGE] = package
    return importlib.import_module(f"{PACKAGE}.plugins.module_utils._events.source").watch


if __name__ == "__main__":

    class Printer(asyncio.Queue[Any]):
        """A queue for a look at the events without rules: the arguments are one JSON object on the command line."""

        async def put(self, event: dict[str, Any]) -> None:
            """Print the event."""
            print(json.dumps(event))

    asyncio.run(main(Printer(), json.loads(sys.argv[1])))
