# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """The connection options of every module and of the inventory plugin, written once."""

    DOCUMENTATION = r"""
options:
  base_url:
    description:
      - Base URL of the service, up to and including the version segment. A trailing slash does no harm.
      - The default is Cloudflare's API v4.
      - Anything but an V(http) or V(https) URL is refused, and so is a URL with user information, a query or a fragment.
      - If omitted, the environment variable E(CLOUDFLARE_BASE_URL) is used.
      - An empty text means omitted, for this and every other connection option.
    type: str
    default: https://api.cloudflare.com/client/v4
  api_token:
    description:
      - "API token, sent as C(Authorization: Bearer). It takes precedence over O(api_email) with O(api_key)."
      - If the task gives no credentials at all, E(CLOUDFLARE_API_TOKEN) is used, then E(CLOUDFLARE_TOKEN).
      - Without usable credentials the task fails before any request.
    type: str
  api_email:
    description:
      - E-mail address of the account, sent as C(X-Auth-Email) together with O(api_key), if there is no O(api_token).
      - If the task gives no credentials at all, and the environment has no token, E(CLOUDFLARE_EMAIL) is used.
      - Only one of O(api_email) and O(api_key) in a task is an error, whatever the environment holds.
    type: str
  api_key:
    description:
      - Global API key of the account, sent as C(X-Auth-Key) together with O(api_email).
      - If the task gives no credentials at all, and the environment has no token, E(CLOUDFLARE_API_KEY) is used.
    type: str
  timeout:
    description:
      - Seconds that one try of a request may take as a whole, from the connection to the last byte of the answer.
      - More than 0, at most 3600; fractions are fine.
    type: float
    default: 30.0
  retries:
    description:
      - Further tries of one request after the first. V(0) means that there is none.
      - C(GET), C(PUT) and C(DELETE) are tried again after a fault of the connection and after the HTTP statuses 502, 503, 504 and 520 to 527,
        with pauses that start at 0.5 seconds, double, and end at 8 seconds. C(POST) is tried again only if the service cannot have received it.
      - Any request is tried again after HTTP status 429, once the pause that the service asks for is over.
    type: int
    default: 4
  retry_wait_max:
    description:
      - Longest pause in seconds that the service may ask for. A longer one fails at once with the kind V(rate_limited),
        and the message tells how long it would be.
      - The service asks with HTTP status 429 and C(Retry-After), or before that with C(X-RateLimit-Remaining) and C(X-RateLimit-Reset), if no request
        is left. A task that waited because of the latter two has a warning that tells for how long.
    type: int
    default: 300
  validate_certs:
    description:
      - Whether the certificate of the service must verify. V(false) is for rehearsals only.
      - A certificate that does not verify fails the task at once; it is not tried again.
    type: bool
    default: true
  ca_path:
    description:
      - File with the certificates of the authorities to trust, or a folder of them, instead of those that the C(requests) library brings.
      - It takes precedence over E(REQUESTS_CA_BUNDLE) and E(CURL_CA_BUNDLE), which count only if this option is not given.
    type: path
  request_budget:
    description:
      - How many requests may be sent in any window of how many seconds, as V(requests/seconds), or V(none).
        From 1 to 65536 requests in 1 to 86400 seconds.
      - The budget is shared by all processes of the user on this machine that use the same credential. A task waits until it may send; repeated tries count.
      - The default is the limit that Cloudflare documents for one user.
      - A task with V(none) neither waits nor counts.
    type: str
    default: 1200/300
requirements:
  - python >= 3.10
  - requests
"""

    ZONE = r"""
options:
  zone_id:
    description:
      - Identifier of the zone, 1 to 32 hexadecimal digits. Cloudflare shows it on the overview page of the zone;
        P(edgeops.observability.zones#inventory) gives it to each host as C(zone_id).
      - Anything else is refused before a request is sent.
    type: str
    required: true
"""

    APPROVAL = r"""
options:
  expected_plan_id:
    description:
      - The RV(plan_id) of a check run that was approved. If the plan of this run differs, nothing is written and the task fails with the kind V(conflict).
      - Check mode refuses a plan that differs in the same way.
    type: str
"""
