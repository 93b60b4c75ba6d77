# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from edgeops_simulator.delivery.datasets import events, http_requests

_DATASETS = {
    "http_requests": http_requests.FIELDS,
    "firewall_events": events.FIREWALL_EVENTS,
    "dns_logs": events.DNS_LOGS,
    "page_shield_events": events.PAGE_SHIELD_EVENTS,
    "nel_reports": events.NEL_REPORTS,
}
TIMES = ("EdgeStartTimestamp", "EdgeEndTimestamp")


def fields(dataset: str) -> t.Mapping[str, str] | None:
    """The fields of a dataset with their descriptions; None for a dataset whose fields are not simulated."""
    return _DATASETS.get(dataset)


def unknown_fields(dataset: str, names: t.Iterable[str]) -> list[str]:
    """The names that are no fields of a dataset, each once; none where the fields of the dataset are not simulated."""
    known = fields(dataset)
    return [] if known is None else [name for name in dict.fromkeys(names) if name not in known]
