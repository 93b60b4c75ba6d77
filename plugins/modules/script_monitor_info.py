#!/usr/bin/python
# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

DOCUMENTATION = r"""
module: script_monitor_info
short_description: Read the script monitor (Page Shield) of a zone and the scripts that it has seen
version_added: 1.0.0
author:
  - edgeops.observability contributors (@edgeops)
description:
  - Returns the status of the script monitor of one Cloudflare zone, and all monitored scripts, each with a verdict.
    Cloudflare calls the script monitor Client-side security, formerly Page Shield; see O(route).
  - The module derives the verdict from the integrity score, see O(malicious_threshold) and O(malicious_when).
extends_documentation_fragment:
  - edgeops.observability.connection
  - edgeops.observability.connection.zone
  - edgeops.observability.route
  - edgeops.observability.route.verdict
  - edgeops.observability.attributes.info
  - edgeops.observability.attributes
options:
  script_id:
    description:
      - Return this one script, with RV(scripts[].seen_on) and RV(scripts[].versions).
      - Mutually exclusive with O(hosts), O(status), O(page_url), O(resources) and O(per_page). A script that does not exist fails with the kind V(not_found).
    type: str
  hosts:
    description: Only scripts that were seen on these host names. Each may have a V(*) at its start or at its end.
    type: list
    elements: str
  page_url:
    description:
      - Only what was last seen on these pages, such as payment pages. Each may have a V(*) at its start or at its end.
      - Cloudflare documents it for V(page_shield).
    type: list
    elements: str
  resources:
    description:
      - What to list. O(hosts), O(status), O(page_url) and O(per_page) apply to all of them; cookies have no status.
      - Connections and cookies exist for V(page_shield) only, with Cloudflare from the Business plan on. If the service does not list them,
        they are V(null), and a warning says why.
    type: list
    elements: str
    choices: [scripts, connections, cookies]
    default: [scripts]
  status:
    description:
      - Only scripts with these statuses. Cloudflare supports V(active), V(infrequent) and V(inactive).
      - With an empty list the service returns V(active) scripts. Several statuses take one listing each, which are merged by RV(scripts[].script_id).
    type: list
    elements: str
    default: []
  per_page:
    description:
      - Number of scripts to request at once, 1 to 100. The service may return fewer.
    type: int
    default: 100
  malicious_only:
    description: Whether RV(scripts) contains only malicious scripts. RV(summary) always counts all scripts of the listing.
    type: bool
    default: false
  members:
    description:
      - The members to return in RV(scripts), of those that are documented there. A member that the service does not send is absent.
      - With an empty list all members are returned, also those that are not documented.
      - An unknown name fails as V(invalid_option), with the nearest one, before any request.
      - The verdict and RV(summary) do not depend on it. With tens of thousands of scripts, a few members save most of the time that Ansible takes
        to process the result.
    type: list
    elements: str
    default: []
notes:
  - While the monitor is disabled, the module warns, because an empty list then does not mean that no malicious script is loaded.
  - Members that the plan of an account does not include are absent from a script. A script without a score is neither malicious nor not malicious.
  - With Cloudflare, reading needs an API token with the permission Page Shield Read (or Zone Settings Read).
seealso:
  - module: edgeops.observability.script_monitor
"""

EXAMPLES = r"""
- name: Read all active scripts of a zone
  edgeops.observability.script_monitor_info:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
  register: monitor

- name: Fail if one of them is malicious
  ansible.builtin.assert:
    that: monitor.summary.malicious == 0

- name: List malicious scripts of the shop, including infrequent ones
  edgeops.observability.script_monitor_info:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    hosts: [shop.example.com, "*.shop.example.com"]
    status: [active, infrequent]
    malicious_only: true

- name: List the scripts of a large zone with no more than what the next task needs
  edgeops.observability.script_monitor_info:
    zone_id: 023e105f4ecef8ad9ca31a8372d0c353
    members: [script_url, host, malicious]
"""

RETURN = r"""
zone_id:
  description: The id of the zone, also if O(zone_name) names it.
  returned: if the task is about a zone
  type: str
  sample: 023e105f4ecef8ad9ca31a8372d0c353
script_monitor:
  description: The status of the script monitor.
  returned: success
  type: dict
  contains:
    enabled:
      description: Whether monitoring is enabled.
      type: bool
      sample: true
    updated_at:
      description: When the status was last written, ISO 8601; V(null) if the service does not return it.
      type: str
      sample: "2026-03-02T09:41:33.358104Z"
    other:
      description: Further settings that the service shows, as it shows them. They are never changed.
      type: dict
      sample: {use_cloudflare_reporting_endpoint: true, use_connection_url_path: false}
scripts:
  description:
    - The scripts, sorted by RV(scripts[].script_id), each with all members of the API, unchanged, and with two more.
    - The members depend on the plan of the account, and on O(members). The last five are sent for V(page_shield) only.
    - V(null) if O(resources) does not name them.
  returned: success
  type: list
  elements: dict
  contains:
    script_id:
      description: Identifier of the script.
      type: str
      returned: unless O(members) excludes it
      sample: 0aea5b8ecfe03ba2d9a0e1ce35b28f4c
    script_url:
      description: URL of the script.
      type: str
      sample: https://cdn.example.net/checkout.js
    host:
      description: Host name on which the script was seen.
      type: str
      sample: shop.example.com
    status:
      description: Status of the script.
      type: str
      sample: active
    added_at:
      description: When the script was added, ISO 8601.
      type: str
      sample: "2026-02-11T08:12:40.104817Z"
    first_seen_at:
      description: When the script was first seen, ISO 8601.
      type: str
      sample: "2026-02-11T08:12:00Z"
    last_seen_at:
      description: When the script was last seen, ISO 8601.
      type: str
      sample: "2026-03-02T09:00:00Z"
    seen_on_first:
      description: URL of the page on which the script was first seen.
      type: str
      sample: https://shop.example.com/cart
    seen_on:
      description: URLs of pages on which the script was seen.
      type: list
      elements: str
      returned: with O(script_id)
      sample: ["https://shop.example.com/cart", "https://shop.example.com/checkout"]
    versions:
      description: Versions of the script, each with C(hash), C(js_integrity_score) and C(fetched_at).
      type: list
      elements: dict
      returned: with O(script_id)
      sample: [{hash: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08, js_integrity_score: 87, fetched_at: "2026-03-01T23:10:02Z"}]
    hash:
      description: Hash of the script's content, 64 hexadecimal digits.
      type: str
      sample: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
    js_integrity_score:
      description: The integrity score from which RV(scripts[].malicious) follows.
      type: int
      sample: 87
    fetched_at:
      description: When the service fetched the script for its hash and its score, ISO 8601.
      type: str
      sample: "2026-03-01T23:10:02Z"
    count:
      description: The count of the service for the script.
      type: int
      sample: 1512
    appears_in_cdn_cgi_path:
      description: Whether the URL of the script has the path C(/cdn-cgi/), which belongs to the service itself.
      type: bool
      sample: false
    url_reported_malicious:
      description: Whether the URL of the script is reported as malicious.
      type: bool
      sample: true
    malicious_url_categories:
      description: Categories in which the URL is reported.
      type: list
      elements: str
      sample: [Malware]
    domain_reported_malicious:
      description: Whether the domain of the script is reported as malicious.
      type: bool
      sample: false
    malicious_domain_categories:
      description: Categories in which the domain is reported.
      type: list
      elements: str
      sample: []
    malicious:
      description: Whether the score means malicious; V(null) if there is no score.
      type: bool
      returned: unless O(members) excludes it
      sample: true
    malicious_reasons:
      description:
        - The score with its threshold if it means malicious, and the categories in which the URL or the domain is reported.
        - RV(scripts[].malicious) depends on the score alone.
      type: list
      elements: str
      returned: unless O(members) excludes it
      sample: ["js_integrity_score 87 is above 50", "URL category: Malware"]
    malware_score:
      description: Cloudflare's score for malware, from 1 (malicious) to 99 (clean).
      type: int
      sample: 91
    magecart_score:
      description: Cloudflare's score for skimming of payment data, from 1 (malicious) to 99 (clean).
      type: int
      sample: 90
    cryptomining_score:
      description: Cloudflare's score for crypto mining, from 1 (malicious) to 99 (clean).
      type: int
      sample: 92
    dataflow_score:
      description: Cloudflare's score for data flows; deprecated.
      type: int
      sample: 88
    obfuscation_score:
      description: Cloudflare's score for obfuscation; deprecated.
      type: int
      sample: 87
connections:
  description:
    - The outgoing connections that scripts made, sorted by C(id), each with all members of the API, unchanged.
    - V(null) if O(resources) does not name them, or if the service does not list them.
  returned: success
  type: list
  elements: dict
  sample:
    - {id: c9ef84a6bf5e47138c75d95e2f933e8f, url: "https://collect.example.net/v1", host: shop.example.com, added_at: "2026-02-11T08:12:40.104817Z",
       first_seen_at: "2026-02-11T08:12:00Z", last_seen_at: "2026-03-02T09:00:00Z", first_page_url: "https://shop.example.com/checkout",
       domain_reported_malicious: false, url_reported_malicious: false}
cookies:
  description:
    - The cookies that browsers got, sorted by C(id), each with all members of the API, unchanged.
    - V(null) if O(resources) does not name them, or if the service does not list them.
  returned: success
  type: list
  elements: dict
  sample:
    - {id: 9b2ca2d3a3b64d0f8a7c3f9be1a1e0aa, name: session, host: shop.example.com, type: first_party, http_only_attribute: true,
       secure_attribute: true, same_site_attribute: lax, first_seen_at: "2026-02-11T08:12:00Z", last_seen_at: "2026-03-02T09:00:00Z"}
summary:
  description: Counts over all scripts of the listing, before O(malicious_only) is applied; V(null) if O(resources) does not name scripts.
  returned: success
  type: dict
  contains:
    total:
      description: Number of scripts.
      type: int
      sample: 41
    malicious:
      description: Number of malicious scripts.
      type: int
      sample: 1
    not_malicious:
      description: Number of scripts whose score does not mean malicious.
      type: int
      sample: 37
    unknown:
      description: Number of scripts without a score.
      type: int
      sample: 3
    by_status:
      description: Number of scripts of each status; scripts without a status are not counted.
      type: dict
      sample: {"active": 40, "infrequent": 1}
    by_host:
      description: Number of scripts of each host; scripts without a host are not counted.
      type: dict
      sample: {"shop.example.com": 41}
error:
  description: Why the task failed, as data for a playbook.
  returned: failure
  type: dict
  sample: {kind: not_found, method: GET, path: /zones/023e105f4ecef8ad9ca31a8372d0c353/script_monitor/scripts/0aea5b8ecfe03ba2d9a0e1ce35b28f4c, status: 404,
    errors: [{code: 10007, message: script not found}], request_id: 8a1f0c6d5e4b3a21-FRA, attempts: 1}
"""

from ansible_collections.edgeops.observability.plugins.module_utils._supported import check_supported

check_supported()

from ansible_collections.edgeops.observability.plugins.module_utils._engine.module import run_module
from ansible_collections.edgeops.observability.plugins.module_utils._engine.task import InfoTask, Spec
from ansible_collections.edgeops.observability.plugins.module_utils._script_monitor import MAX_PER_PAGE
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.facts import (
    MALICIOUS_OPTIONS,
    RESOURCES,
    ROUTE_OPTION,
    SCRIPTS,
)
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.listing import ScriptQuery, desire
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.read import report_inventory


class ScriptMonitorInfo(InfoTask[ScriptQuery]):
    name = "script_monitor_info"
    spec = Spec(
        options={
            "script_id": {"type": "str"},
            "hosts": {"type": "list", "elements": "str"},
            "page_url": {"type": "list", "elements": "str"},
            "resources": {"type": "list", "elements": "str", "choices": list(RESOURCES), "default": [SCRIPTS]},
            "status": {"type": "list", "elements": "str", "default": []},
            "per_page": {"type": "int", "default": MAX_PER_PAGE},
            **MALICIOUS_OPTIONS,
            "malicious_only": {"type": "bool", "default": False},
            "members": {"type": "list", "elements": "str", "default": []},
            **ROUTE_OPTION,
        },
        mutually_exclusive=[("script_id", option) for option in ("hosts", "status", "page_url", "resources", "per_page")],
    )

    desire = staticmethod(desire)
    report = staticmethod(report_inventory)


TASK = ScriptMonitorInfo()


def main() -> None:
    run_module(TASK)


if __name__ == "__main__":
    main()
