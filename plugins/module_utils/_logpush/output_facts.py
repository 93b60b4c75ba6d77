# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import types
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json

NDJSON = "ndjson"
CSV = "csv"
OUTPUT_TYPES = (NDJSON, CSV)
TIMESTAMP_FORMATS = ("unixnano", "unix", "rfc3339", "rfc3339ms", "rfc3339ns")
# The fraction of records that is delivered: above the first number, up to the second.
SAMPLE_RATES = (0, 1)


class Suboption(t.NamedTuple):
    """One member of `output_options`: its name in the service and in a task, and what leaving it out means.

    The two names differ where the service's own is not a name that an option may have.

    `type` and `choices` are those of the option. `by_output_type` overrides the default where the output type sets it.
    """

    wire: str
    option: str
    type: str
    default: Json
    choices: tuple[str, ...] = ()
    by_output_type: t.Mapping[str, str] = types.MappingProxyType({})

    @property
    def argument(self) -> dict[str, Json]:
        """The option in the words of AnsibleModule."""
        argument: dict[str, Json] = {"type": self.type}
        if self.type == "list":
            argument["elements"] = "str"
        if self.choices:
            argument["choices"] = list(self.choices)
        return argument

    def default_for(self, output_type: str) -> Json:
        """What the service does if the member is left out."""
        return self.by_output_type.get(output_type, self.default)


SUBOPTIONS: t.Mapping[str, Suboption] = {
    suboption.wire: suboption
    for suboption in (
        Suboption("field_names", "field_names", "list", None),
        Suboption("output_type", "output_type", "str", NDJSON, OUTPUT_TYPES),
        Suboption("timestamp_format", "timestamp_format", "str", "unixnano", TIMESTAMP_FORMATS),
        Suboption("sample_rate", "sample_rate", "float", 1),
        Suboption("CVE-2021-44228", "cve_2021_44228", "bool", False),
        Suboption("merge_subrequests", "merge_subrequests", "bool", False),
        Suboption("batch_prefix", "batch_prefix", "str", ""),
        Suboption("batch_suffix", "batch_suffix", "str", ""),
        Suboption("record_prefix", "record_prefix", "str", "", by_output_type={NDJSON: "{"}),
        Suboption("record_suffix", "record_suffix", "str", "", by_output_type={NDJSON: "}\n", CSV: "\n"}),
        Suboption("field_delimiter", "field_delimiter", "str", ","),
        Suboption("record_delimiter", "record_delimiter", "str", ""),
        Suboption("record_template", "record_template", "str", ""),
    )
}
