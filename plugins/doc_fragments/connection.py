# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """The connection options of every module and of the inventory plugin, written once."""

    DOCUMENTATION = r"""
options:
  base_url:
    description:
      - Base URL of the service, up to and including the version segment. A trailing slash is ignored.
      - The default is Cloudflare's API v4.
      - It must be an V(http) or V(https) URL without user information, query and fragment.
      - A task that omits it, also in C(module_defaults), takes the variable C(edgeops_base_url) of its host, then the environment variable
        E(CLOUDFLARE_BASE_URL). The same applies to every connection option and the variable C(edgeops_) with its name.
      - An empty string means omitted, for this and every other connection option.
    type: str
    default: https://api.cloudflare.com/client/v4
  api_token:
    description:
      - "API token, sent as C(Authorization: Bearer). It takes precedence over O(api_email) with O(api_key)."
      - If the task sets no credentials, the variables C(edgeops_api_token), or C(edgeops_api_email) with C(edgeops_api_key), of its host are used.
        If these set none, E(CLOUDFLARE_API_TOKEN) is used, then E(CLOUDFLARE_TOKEN). Each of the three places is used as a whole, so that
        a token of one of them is never combined with a key of another.
      - Without credentials the task fails before any request.
    type: str
  api_email:
    description:
      - E-mail address of the account, sent as C(X-Auth-Email) together with O(api_key), if there is no O(api_token).
      - If the task sets no credentials, the variables of its host are used, as for O(api_token), then E(CLOUDFLARE_EMAIL) if the environment has
        no token. The variable is C(edgeops_api_email).
      - A task, or a host, that sets only one of O(api_email) and O(api_key) fails, also if another place has the other.
    type: str
  api_key:
    description:
      - Global API key of the account, sent as C(X-Auth-Key) together with O(api_email).
      - If the task sets no credentials, the variables of its host are used, as for O(api_token), then E(CLOUDFLARE_API_KEY) if the environment
        has no token. The variable is C(edgeops_api_key).
    type: str
  timeout:
    description:
      - Seconds for one try of a request. Half of them bound the connection to each address of the host, all of them each wait for
        bytes, and all of them the body of the response as a whole. Headers that arrive slowly, byte by byte, are not bounded.
      - More than 0, at most 3600; fractions are allowed.
      - A task that omits it takes the variable C(edgeops_timeout) of its host.
    type: float
    default: 30.0
  retries:
    description:
      - Maximum number of retries of a request. V(0) means no retries.
      - C(GET), C(PUT) and C(DELETE) are retried after a connection error and after the HTTP statuses 502, 503, 504 and 520 to 527,
        with pauses that start at 0.5 seconds, double, and end at 8 seconds. C(POST) is retried only if the service cannot have received it.
        An interim response (HTTP status 102 or 103) in place of the response counts as a connection error.
      - Any request is retried after HTTP status 429, after the pause that the service requests.
      - A task that omits it takes the variable C(edgeops_retries) of its host.
    type: int
    default: 4
  retry_wait_max:
    description:
      - Maximum pause in seconds that the service may request. A longer one fails without waiting with the kind V(rate_limited),
        and the message contains its length.
      - The service requests a pause with HTTP status 429 and C(Retry-After), or before that with C(X-RateLimit-Remaining) and C(X-RateLimit-Reset), if
        no request is left. The first wait of more than 5 seconds is announced as for O(request_budget).
      - A task that omits it takes the variable C(edgeops_retry_wait_max) of its host.
    type: int
    default: 300
  validate_certs:
    description:
      - Whether to verify the TLS certificate of the service. Use V(false) for tests only.
      - An invalid certificate fails the task without retries, and the message names O(ca_path).
      - A task that omits it takes the variable C(edgeops_validate_certs) of its host.
    type: bool
    default: true
  ca_path:
    description:
      - File or folder with the CA certificates to trust, instead of those of the C(requests) library. The system's own store and
        E(SSL_CERT_FILE) are not used.
      - It takes precedence over E(REQUESTS_CA_BUNDLE) and E(CURL_CA_BUNDLE), which are used only if this option is omitted.
      - A relative path starts at the working directory of C(ansible-playbook), for tasks on a local connection.
      - A task that omits it takes the variable C(edgeops_ca_path) of its host.
    type: path
  request_budget:
    description:
      - Maximum number of requests in any window of seconds, as V(requests/seconds), or V(none) for no limit.
        From 1 to 10000 requests in 1 to 3600 seconds.
      - All processes of the user on this machine with the same credential share the budget. A task waits until it may send; retries count.
        The first wait of more than 5 seconds in a run is announced before it begins, with its length and reason; a task in a separate
        process can only warn of it afterwards.
      - The requests are counted by the second in a JSON file in the user's state folder (E(XDG_STATE_HOME)). A file that cannot be read
        is replaced, with a warning.
      - The default is the rate limit that Cloudflare documents for one user.
      - Requests of a task with V(none) are not counted.
      - A task that omits it takes the variable C(edgeops_request_budget) of its host.
    type: str
    default: 1200/300
requirements:
  - python >= 3.10
  - requests, with urllib3 1.26 or 2
"""

    ZONE = r"""
options:
  zone_id:
    description:
      - Id of the zone, 1 to 32 hexadecimal digits. Cloudflare shows it on the overview page of the zone;
        P(edgeops.observability.zones#inventory) sets it for each host as C(zone_id).
      - At most one of O(zone_id) and O(zone_name) can be set. An empty string means omitted, also if C(module_defaults) sets the option.
      - A task that sets none takes the address of its host. This is the first of the variables C(zone_id), C(account_id) and C(zone_name) that is
        set and that the module takes as an option. A variable that cannot be evaluated fails the task. A host without any of them fails, too.
      - It is validated before any request.
    type: str
  zone_name:
    description:
      - Name of the zone, such as V(shop.example), in any letter case, in place of O(zone_id). The variable of the host is C(zone_name).
      - The task sends one more request to look its id up. A name that no zone has is V(not_found), one that several zones have is V(conflict).
      - The token needs C(Zone Read) for this.
    type: str
"""

    # With a type, because yamllint of ansible-test takes a plain assignment for a literal.
    ADDRESS: str = (
        ZONE.replace("O(zone_id) and O(zone_name) can", "O(zone_id), O(zone_name) and O(account_id) can")
        + r"""
  account_id:
    description:
      - Id of the account, 1 to 32 hexadecimal digits, for Logpush jobs of the account instead of a zone. Most datasets that are not about
        the traffic of a zone exist only for accounts.
      - P(edgeops.observability.zones#inventory) sets it with O(edgeops.observability.zones#inventory:accounts) for each account as C(account_id).
        A host that also has C(zone_id) is a zone.
      - It is validated before any request.
    type: str
"""
    )

    ACCOUNT = r"""
options:
  account_id:
    description:
      - Id of the account, 1 to 32 hexadecimal digits. P(edgeops.observability.zones#inventory) sets it as C(account_id) for accounts with
        O(edgeops.observability.zones#inventory:accounts).
      - A task that omits it takes the variable C(account_id) of its host. A host without it fails.
      - It is validated before any request.
    type: str
"""

    APPROVAL = r"""
options:
  expected_plan_id:
    description:
      - The RV(plan_id) of a check run that was approved. If the plan of this run differs, nothing is written and the task fails with the kind V(conflict).
      - This applies to check mode as well. An empty text is not the same as omitted, it approves no plan.
    type: str
"""
