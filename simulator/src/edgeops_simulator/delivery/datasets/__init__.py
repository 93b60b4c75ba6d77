# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t
from types import MappingProxyType

from edgeops_simulator.delivery.datasets import events, http_requests

Fields = t.Mapping[str, str]
_DATASETS: t.Mapping[str, Fields] = {
    "http_requests": http_requests.FIELDS,
    "firewall_events": events.FIREWALL_EVENTS,
    "dns_logs": events.DNS_LOGS,
    "page_shield_events": events.PAGE_SHIELD_EVENTS,
    "nel_reports": events.NEL_REPORTS,
}
TIMES = ("EdgeStartTimestamp", "EdgeEndTimestamp")


def fields(dataset: str, own: t.Mapping[str, Fields] = MappingProxyType({})) -> Fields | None:
    """The fields of a dataset with their descriptions, as a zone has them of its own or as usual; None where neither is known."""
    return own.get(dataset) or _DATASETS.get(dataset)
