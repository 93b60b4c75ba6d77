# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._observed import Meaning

# Types of mechanisms, the recipients of a policy.
EMAIL, WEBHOOKS, PAGERDUTY = MECHANISMS = ("email", "webhooks", "pagerduty")
# The filter that restricts an alert to zones, by their ids.
ZONES = "zones"

# The alert about a job that the service disabled, and those about scripts, the most general one first
# (developers.cloudflare.com/notifications/notification-available, read 2026-11).
LOST_JOB = "failing_logpush_job_disabled_alert"
SCRIPT_ALERTS = tuple(
    f"scriptmonitor_alert_new_{name}"
    for name in (
        *("resources", "hosts", "max_length_resource_url", "code_change_detections"),
        *("malicious_hosts", "malicious_scripts", "malicious_url"),
    )
)
NEW_SCRIPTS = SCRIPT_ALERTS[0]

# Members of a webhook, which a policy that names it may show, with its secret address masked (cloudflare-typescript, alerting, read 2026-11:
# a policy sets the id only).
OF_WEBHOOK = ("name", "url")

# The service keeps a history of notifications for 30 days on every plan.
MAX_HISTORY_DAYS = 30

# The type of webhooks whose whole address the service shows; of those of chat services it cuts the secret path out.
GENERIC = "generic"
IF_DIFFERENT, ALWAYS = SENDING = ("if_different", "always")

# Members that an answer may lack (or have as null), and what that means; anything else that is missing is not known.
_TYPES = "cloudflare-typescript, alerting (read 2026-11)"
_SAME = "terraform-provider-cloudflare#7342: absent and empty are the same"
MAY_BE_ABSENT: t.Mapping[str, Meaning] = {
    "policies[].description": Meaning("", f"{_TYPES}: optional"),
    "policies[].alert_interval": Meaning("", f"{_TYPES}: optional; the default of the service"),
    "policies[].filters": Meaning({}, f"{_TYPES}: optional; a policy without filters is not restricted"),
    "policies[].filters.*": Meaning((), _SAME),
    "policies[].mechanisms.email": Meaning((), _SAME),
    "policies[].mechanisms.webhooks": Meaning((), _SAME),
    "policies[].mechanisms.pagerduty": Meaning((), _SAME),
    # For people only.
    "policies[].created": Meaning(None, f"{_TYPES}: optional"),
    "policies[].modified": Meaning(None, f"{_TYPES}: optional"),
    "webhooks[].last_success": Meaning(None, f"{_TYPES}: optional; nothing was delivered yet"),
    "webhooks[].last_failure": Meaning(None, f"{_TYPES}: optional; no delivery failed yet"),
    "webhooks[].type": Meaning(None, f"{_TYPES}: optional; decides nothing but how much of an address is compared"),
    "webhooks[].created_at": Meaning(None, f"{_TYPES}: optional"),
    "available_alerts.*": Meaning(
        None, f"{_TYPES}: the alerts that the account may use, by product; it may not use those of others"
    ),
    "available_alerts.*[].description": Meaning("", f"{_TYPES}: optional"),
    "available_alerts.*[].display_name": Meaning(None, f"{_TYPES}: optional"),
    "available_alerts.*[].filter_options": Meaning(None, f"{_TYPES}: optional; filters are then not compared"),
    "available_alerts.*[].filter_options[].AvailableValues": Meaning(None, f"{_TYPES}: null for any value"),
    "silences[].created_at": Meaning(None, f"{_TYPES}: optional"),
    "silences[].updated_at": Meaning(None, f"{_TYPES}: optional"),
}
