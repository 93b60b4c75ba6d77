# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import types
import typing as t

# How much of a path may be shown: all of it, only parts that cannot be a key, the same without the last part, nothing.
WHOLE, PLAIN_PARTS, ALL_BUT_LAST, NOTHING = ("whole", "plain parts", "all but the last part", "nothing")


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Switches that let a host without a valid certificate receive the records.
INSECURE = _names("insecure-skip-verify insecure")
# Options that decide where records go; the others, such as tags and keys, do not. Of one that is not readable its presence decides.
DECIDING = INSECURE | _names("account-id endpoint region sts-assume-role-arn header_host")
REGION = "region"


class Scheme(t.NamedTuple):
    """What is known of a type of destination: whatever is not readable here is masked everywhere.

    `challenge`: whether the service requires a proof of ownership, None where that is not documented.
    `max_bytes` and `max_records`: what the destination takes in one upload. `fixed`: its uploads have a size of their own.
    `required`: options without which the service refuses it. `values`: the only value of an option. `dated`: whether the service
    replaces `{DATE}` in it. `unix_times`: whether it reads unix times only. `output`: the texts around records that it needs.
    `fixed_type`: whether a job of another type cannot become one of this type.
    `hidden_account`: whether a secret part alone decides whose account there receives the records.
    """

    path: str
    options: frozenset[str]
    challenge: bool | None
    max_bytes: int = 0
    max_records: int = 0
    fixed: bool = False
    required: frozenset[str] = frozenset()
    values: t.Mapping[str, str] = types.MappingProxyType({})
    dated: bool = False
    unix_times: bool = False
    output: t.Mapping[str, str] = types.MappingProxyType({})
    fixed_type: bool = False
    hidden_account: bool = False

    @property
    def deciding(self) -> frozenset[str]:
        """Return the readable options that decide where records go."""
        return self.options & DECIDING


_BUCKET = _names("region sse endpoint account-id access-key-id")
_HEC = _names("channel sourcetype insecure-skip-verify insecure")
# From the pages of Cloudflare's documentation about each destination, as of October 2026.
SCHEMES: t.Mapping[str, Scheme] = {
    "s3": Scheme(WHOLE, _BUCKET, challenge=True, dated=True),
    "r2": Scheme(WHOLE, _BUCKET, challenge=False, dated=True, required=_names("account-id access-key-id secret-access-key")),
    "gs": Scheme(WHOLE, frozenset(), challenge=True, dated=True),
    "azure": Scheme(WHOLE, _names("sv ss srt sr st se sp spr"), challenge=True, dated=True, values={"srt": "o"}),
    "bq": Scheme(WHOLE, frozenset(), challenge=False, max_bytes=10_000_000, max_records=50_000),
    "kinesis": Scheme(WHOLE, _names("region sts-assume-role-arn access-key-id"), challenge=None, hidden_account=True),
    "https": Scheme(PLAIN_PARTS, _names("tags format"), challenge=False),
    "http": Scheme(PLAIN_PARTS, _names("tags format"), challenge=False),
    "splunk": Scheme(PLAIN_PARTS, _HEC, challenge=False, required=_names("channel")),
    "sentinelone": Scheme(PLAIN_PARTS, _HEC, challenge=None, hidden_account=True),
    "datadog": Scheme(
        PLAIN_PARTS,
        _names("ddsource service host ddtags"),
        challenge=False,
        max_bytes=5_000_000,
        max_records=1000,
        fixed=True,
        fixed_type=True,
        hidden_account=True,
    ),
    "sumo": Scheme(ALL_BUT_LAST, frozenset(), challenge=True, hidden_account=True),
    "ibmcl": Scheme(
        NOTHING,
        frozenset(),
        challenge=None,
        max_bytes=2_000_000,
        output={"batch_prefix": "[", "batch_suffix": "]", "record_delimiter": ","},
    ),
}
UNKNOWN = Scheme(PLAIN_PARTS, frozenset(), challenge=None)
