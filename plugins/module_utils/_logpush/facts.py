# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import typing as t
from types import MappingProxyType

from .._address import ACCOUNT, ZONE
from .._core import Json


class Member(t.NamedTuple):
    """One member of a job as the service sends it, with what it means if it is omitted.

    `as_text`: reported and sent as JSON text, also if the service shows it as an object.
    """

    name: str
    types: tuple[type, ...]
    default: Json = None
    as_text: bool = False

    def normal(self, value: Json) -> Json:
        """Return the value, or the default for absent, null, "", 0 and false, which all mean the default; an object as JSON text."""
        if self.as_text and value in _NO_EXPRESSION:
            return self.default
        if self.as_text and value and isinstance(value, dict):
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return value or self.default


# Values that some services send for a job without a filter.
_NO_EXPRESSION: tuple[Json, ...] = ({"where": {}}, '{"where":{}}', '{"where": {}}', "{}")


DATASET = "http_requests"
# The 37 datasets of Cloudflare's API, from its documentation (logs/reference/log-fields) and Python library, as of October 2026.
_ZONE_ONLY = (
    """http_requests dns_logs nel_reports page_shield_events spectrum_events zaraz_events account_abuse_protection_events"""
)
_EVERYWHERE = """firewall_events websocket_analytics"""
_ACCOUNT_ONLY = """access_requests audit_logs audit_logs_v2 biso_user_actions casb_findings device_posture_results
dex_application_tests dex_device_state_events dlp_forensic_copies dns_firewall_logs email_security_alerts
email_security_post_delivery_events gateway_dns gateway_http gateway_network ipsec_logs magic_bgp_logs magic_ids_detections
mcp_portal_logs mnm_flow_logs network_analytics_logs sinkhole_http_logs ssh_logs turnstile_events warp_config_changes
warp_toggle_changes workers_trace_events zero_trust_network_sessions"""
DATASETS: t.Mapping[str, frozenset[str]] = {
    ZONE: frozenset(f"{_ZONE_ONLY} {_EVERYWHERE}".split()),
    ACCOUNT: frozenset(f"{_ACCOUNT_ONLY} {_EVERYWHERE}".split()),
}
# The service has jobs of this kind for the dataset above only.
EDGE = "edge"
# When to send a destination.
IF_DIFFERENT, IF_MASKED, ALWAYS = SENDING = ("if_different", "if_masked", "always")

# In the order in which a job is reported.
MEMBERS: t.Mapping[str, Member] = {
    member.name: member
    for member in (
        Member("id", (int,)),
        Member("name", (str,)),
        Member("dataset", (str,), DATASET),
        Member("enabled", (bool,), False),
        Member("kind", (str,), ""),
        Member("frequency", (str,), "high"),
        Member("logpull_options", (str,)),
        Member("output_options", (dict,)),
        Member("filter", (str, dict), as_text=True),
        Member("max_upload_bytes", (int,)),
        Member("max_upload_interval_seconds", (int,), 30),
        Member("max_upload_records", (int,), 100_000),
        Member("filter_attack_traffic", (bool,), False),
        Member("transformer_id", (int,)),
        Member("last_complete", (str,)),
        Member("last_error", (str,)),
        Member("error_message", (str,)),
    )
}
# These cannot change on an existing job.
FIXED = ("dataset", "kind")
# These change although nobody edits the job; with the id, no request sends them.
VOLATILE = ("last_complete", "last_error", "error_message")
SERVER_MADE = ("id", *VOLATILE)

# Members without an option that are neither reported nor copied when a job is re-created: the service sets them, or they are secret.
NOT_CARRIED = frozenset(
    (
        *("destination_conf", "ownership_challenge"),
        *("time_created", "created_at", "created_on", "modified_at", "modified_on", "updated_at"),
    )
)

# A service may show this member in `output_options` or beside it; it is written where it was found.
MERGE_SUBREQUESTS = "merge_subrequests"

# Besides, 0 means the default.
RANGES: t.Mapping[str, tuple[int, int]] = {
    "max_upload_bytes": (5_000_000, 1_000_000_000),
    "max_upload_interval_seconds": (30, 300),
    "max_upload_records": (1_000, 1_000_000),
}
MAX_DATASET_LENGTH = 256
MAX_OPTIONS_LENGTH = 4096
MAX_DESTINATION_LENGTH = 4096
MAX_CHALLENGE_LENGTH = 4096
DEFAULT_STALE_AFTER = 3600

NDJSON, CSV = OUTPUT_TYPES = ("ndjson", "csv")
TIMESTAMP_FORMATS = ("rfc3339", "rfc3339ms", "rfc3339ns", "unix", "unixnano")


class Suboption(t.NamedTuple):
    """One member of `output_options`: its name in the API, type and choices of the option, and what omitting it means.

    `by_output_type` has the defaults that depend on the output type.
    """

    wire: str
    type: str
    default: Json
    choices: tuple[str, ...] = ()
    by_output_type: t.Mapping[str, str] = MappingProxyType({})

    @property
    def option(self) -> str:
        """Return the name of the option, which has neither capitals nor hyphens."""
        return self.wire.lower().replace("-", "_")

    @property
    def argument(self) -> dict[str, Json]:
        """Return the option as AnsibleModule declares it."""
        argument: dict[str, Json] = {"type": self.type}
        if self.type == "list":
            argument["elements"] = "str"
        if self.choices:
            argument["choices"] = list(self.choices)
        return argument


# The Python types of the values that the service may send, by the type of the option.
TYPES: t.Mapping[str, tuple[type, ...]] = {"list": (list,), "str": (str,), "float": (int, float), "bool": (bool,)}
SUBOPTIONS: t.Mapping[str, Suboption] = {
    suboption.wire: suboption
    for suboption in (
        Suboption("field_names", "list", None),
        Suboption("output_type", "str", NDJSON, OUTPUT_TYPES),
        Suboption("timestamp_format", "str", "unixnano", TIMESTAMP_FORMATS),
        Suboption("sample_rate", "float", 1),
        Suboption("CVE-2021-44228", "bool", False),
        Suboption("merge_subrequests", "bool", False),
        Suboption("batch_prefix", "str", ""),
        Suboption("batch_suffix", "str", ""),
        Suboption("record_prefix", "str", "", by_output_type={NDJSON: "{"}),
        Suboption("record_suffix", "str", "", by_output_type={NDJSON: "}\n", CSV: "\n"}),
        Suboption("field_delimiter", "str", ","),
        Suboption("record_delimiter", "str", ""),
        Suboption("record_template", "str", ""),
    )
}
