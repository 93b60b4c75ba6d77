# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import typing as t
from types import MappingProxyType

from .._address import ACCOUNT, ZONE
from .._core import HOLDS_DATA, Json
from .._observed import Meaning

DATASET = "http_requests"
# The 38 datasets of Cloudflare's API, from its documentation (logs/reference/log-fields, ai-gateway) and Python library, as of October 2026.
_ZONE_ONLY = (
    """http_requests dns_logs nel_reports page_shield_events spectrum_events zaraz_events account_abuse_protection_events"""
)
_EVERYWHERE = """firewall_events websocket_analytics"""
_ACCOUNT_ONLY = """access_requests ai_gateway_events audit_logs audit_logs_v2 biso_user_actions casb_findings device_posture_results
dex_application_tests dex_device_state_events dlp_forensic_copies dns_firewall_logs email_security_alerts
email_security_post_delivery_events gateway_dns gateway_http gateway_network ipsec_logs magic_bgp_logs magic_ids_detections
mcp_portal_logs mnm_flow_logs network_analytics_logs sinkhole_http_logs ssh_logs turnstile_events warp_config_changes
warp_toggle_changes workers_trace_events zero_trust_network_sessions"""
DATASETS: t.Mapping[str, frozenset[str]] = {
    ZONE: frozenset(f"{_ZONE_ONLY} {_EVERYWHERE}".split()),
    ACCOUNT: frozenset(f"{_ACCOUNT_ONLY} {_EVERYWHERE}".split()),
}
# An earlier name of a dataset, by which people still look for it.
FORMER_DATASETS: t.Mapping[str, str] = {"network_error_log_events": "nel_reports"}
# The service has jobs of this kind for the dataset above only.
EDGE = "edge"
# When to send a destination.
IF_DIFFERENT, IF_MASKED, ALWAYS = SENDING = ("if_different", "if_masked", "always")

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
        argument: dict[str, Json] = {"type": self.type, HOLDS_DATA: True}
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


# Values that some services send for a job without a filter.
_NO_EXPRESSION: tuple[Json, ...] = ({"where": {}}, '{"where":{}}', '{"where": {}}', "{}")
_STR: dict[str, Json] = {"type": "str"}
_DATA: dict[str, Json] = {**_STR, HOLDS_DATA: True}
_INT: dict[str, Json] = {"type": "int"}
_BOOL: dict[str, Json] = {"type": "bool"}


class Member(t.NamedTuple):
    """One member of a job as the service sends it, with what it means if it is omitted.

    `option`: the argument of its option, which has the same name; None if no option sets it.
    `as_text`: reported and sent as JSON text, also if the service shows it as an object.
    `parsed`: compared in a way of its own, not as a plain value. `fixed`: cannot change on an existing job.
    `limits`: the least and the greatest value; besides, 0 means the default. `datasets`: those that have it; none are all.
    """

    name: str
    types: tuple[type, ...]
    default: Json = None
    option: t.Mapping[str, Json] | None = None
    as_text: bool = False
    parsed: bool = False
    fixed: bool = False
    limits: tuple[int, int] | None = None
    datasets: tuple[str, ...] = ()

    def normal(self, value: Json) -> Json:
        """Return the value, or the default for absent, null, "", 0 and false, which all mean the default; an object as JSON text."""
        if self.as_text and value in _NO_EXPRESSION:
            return self.default
        if self.as_text and value and isinstance(value, dict):
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return value or self.default


# The only list of a job's members, in the order in which a job is reported: options, results, diffs and adoption derive from it.
MEMBERS: t.Mapping[str, Member] = {
    member.name: member
    for member in (
        Member("id", (int,)),
        Member("name", (str,), option=_DATA),
        Member("dataset", (str,), DATASET, option=_STR, fixed=True),
        Member("enabled", (bool,), False, option=_BOOL),
        Member("kind", (str,), "", option={**_STR, "choices": ["", EDGE]}, fixed=True),
        Member("frequency", (str,), "high", option={**_STR, "choices": ["high", "low"]}),
        Member("logpull_options", (str,), option=_DATA, parsed=True),
        Member(
            "output_options",
            (dict,),
            option={"type": "dict", "options": {sub.option: sub.argument for sub in SUBOPTIONS.values()}},
            parsed=True,
        ),
        Member("filter", (str, dict), option={"type": "raw", HOLDS_DATA: True}, as_text=True, parsed=True),
        Member("max_upload_bytes", (int,), option=_INT, limits=(5_000_000, 1_000_000_000)),
        Member("max_upload_interval_seconds", (int,), 30, option=_INT, limits=(30, 300)),
        Member("max_upload_records", (int,), 100_000, option=_INT, limits=(1_000, 1_000_000)),
        Member(
            "filter_attack_traffic",
            (bool,),
            False,
            option=_BOOL,
            datasets=(DATASET, "firewall_events", "network_analytics_logs"),
        ),
        Member("transformer_id", (int,), option=_INT),
        Member("last_complete", (str,)),
        Member("last_error", (str,)),
        Member("error_message", (str,)),
    )
}
# A job without one of these cannot be told: no source says that the service may omit them.
NEVER_ABSENT = ("id", "dataset", "enabled", "destination_conf")
_OMITTED = "Cloudflare writes a job without the members that are unset, empty, 0 or false (terraform-provider-cloudflare 5771, 5782, 6402)"
_OPTIONAL = "Cloudflare's documentation of the output options, which have these defaults"
# What it means that a member is absent, by its path.
MAY_BE_ABSENT: t.Mapping[str, Meaning] = {
    **{f"jobs[].{name}": Meaning(member.default, _OMITTED) for name, member in MEMBERS.items() if name not in NEVER_ABSENT},
    **{f"jobs[].output_options.{name}": Meaning(sub.default, _OPTIONAL) for name, sub in SUBOPTIONS.items()},
}

# The parts of the older form of the output options, as options and as results have them.
OLDER_FORM: t.Mapping[str, dict[str, Json]] = {
    "fields": {"type": "list", "elements": "str", HOLDS_DATA: True},
    "timestamp_format": {"type": "str", "choices": list(TIMESTAMP_FORMATS)},
    "option_flags": {"type": "dict", HOLDS_DATA: True},
}
# Set by the service. All but the id change although nobody edits the job, and no request sends them.
SERVER_MADE = tuple(name for name, member in MEMBERS.items() if member.option is None)
VOLATILE = tuple(name for name in SERVER_MADE if name != "id")
# Compared as they are.
PLAIN = tuple(name for name, member in MEMBERS.items() if member.option and not member.parsed)
FIXED = tuple(name for name, member in MEMBERS.items() if member.fixed)
RANGES: t.Mapping[str, tuple[int, int]] = {name: member.limits for name, member in MEMBERS.items() if member.limits}

# Members without an option that are neither reported nor copied when a job is re-created: the service sets them, or they are secret.
NOT_CARRIED = frozenset(
    (
        *("destination_conf", "ownership_challenge"),
        *("time_created", "created_at", "created_on", "modified_at", "modified_on", "updated_at"),
    )
)

# A service may show this member in `output_options` or beside it; it is written where it was found.
MERGE_SUBREQUESTS = "merge_subrequests"

MAX_NAME_LENGTH = 512
MAX_DATASET_LENGTH = 256
MAX_OPTIONS_LENGTH = 4096
MAX_DESTINATION_LENGTH = 4096
MAX_CHALLENGE_LENGTH = 4096
DEFAULT_STALE_AFTER = 3600
