# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._core import BAD_RESPONSE, Failure, Json
from .._observed import Meaning
from .._text import dict_of, json_type

# An account with a Customer Metadata Boundary delivers nothing of a dataset that its region does not support, without an error.

# The datasets that a region does not support [developers.cloudflare.com/data-localization/metadata-boundary/logpush-datasets, read
# 2026-11-28; that of the United States has no exception there].
UNSUPPORTED: t.Mapping[str, frozenset[str]] = {
    "eu": frozenset(("nel_reports", "access_requests", "audit_logs", "casb_findings", "device_posture_results")),
    "us": frozenset(),
}
REGIONS, OUTSIDE = "regions", "allow_out_of_region_access"
MAY_BE_ABSENT: t.Mapping[str, Meaning] = {
    f"boundary.{OUTSIDE}": Meaning(
        False, "cloudflare-typescript, logs/control/cmb (read 2026-11): optional; access outside is not allowed"
    )
}


class Boundary(t.NamedTuple):
    """The region of an account, None if it has none or several; `is_known`: it has none that the table above lacks."""

    region: str | None
    is_known: bool

    def lacks(self, dataset: str) -> bool:
        """Return whether a job of a dataset can never deliver."""
        return self.region is not None and dataset.lower() in UNSUPPORTED.get(self.region, ())


def parse_boundary(sent: Json) -> dict[str, Json]:
    """Return the regions of an account, and whether it allows access from outside."""
    boundary = dict_of(sent)
    regions, outside = boundary.get(REGIONS), boundary.get(OUTSIDE)
    if not isinstance(regions, list) or not all(isinstance(region, str) and region for region in regions):
        raise _bad(
            f"{REGIONS} is {json_type(regions)}, not a list of names" if not isinstance(regions, list) else "a region has no name"
        )
    if not isinstance(outside, (bool, type(None))):
        raise _bad(f"{OUTSIDE} is {json_type(outside)}, not true or false")
    return {REGIONS: list(regions), OUTSIDE: outside is True}


def _bad(what: str) -> Failure:
    return Failure(BAD_RESPONSE, f"The Customer Metadata Boundary of the account cannot be told: {what}.")


def boundary_of(shown: t.Mapping[str, Json]) -> Boundary:
    """Return the boundary of a record; data of several regions stays in each, and access from outside has no gap."""
    regions = shown.get(REGIONS)
    names = {str(region).lower() for region in regions} if isinstance(regions, list) else None
    if names is None or len(names) != 1 or shown.get(OUTSIDE) is True:
        return Boundary(None, names is not None)
    (region,) = names
    return Boundary(region, region in UNSUPPORTED)
