# SPDX-License-Identifier: GPL-3.0-or-later

"""Windows of time end at the time of the service, whatever the clock of the controller shows."""

import datetime
import time
import typing as t

import pytest
from faults.scenarios import ZONE

from ansible_collections.edgeops.observability.plugins.module_utils._address import ZONE as ZONE_SCOPE
from ansible_collections.edgeops.observability.plugins.module_utils._address import Address
from ansible_collections.edgeops.observability.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.observability.plugins.module_utils._api.connection import CONNECTION_OPTIONS, parse_connection
from ansible_collections.edgeops.observability.plugins.module_utils._content_rules.read import reports_of
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.delivery import DesiredFacts
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.read import report_delivery
from ansible_collections.edgeops.observability.plugins.module_utils._observed import Known
from ansible_collections.edgeops.observability.plugins.module_utils._zone.token import DesiredToken
from ansible_collections.edgeops.observability.plugins.module_utils._zone.token import report as report_token

DAY = 86400


def client(simulator: t.Any, wrong_by: float) -> Client:
    defaults = {name: option.get("default") for name, option in CONNECTION_OPTIONS.items()}
    params = {**defaults, "api_token": simulator.token, "base_url": simulator.base_url, "zone_id": ZONE, "request_budget": "none"}
    connection = parse_connection(params, addresses=("zone_id",))
    return Client(connection, now=lambda: time.time() + wrong_by)


@pytest.mark.parametrize("wrong_by", [-40 * DAY, -10 * DAY, 0, 10 * DAY])
def test_reports_of_the_last_days_are_found(simulator: t.Any, wrong_by: float) -> None:
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - DAY / 2))
    seen = {"policy_id": "r1", "url": "https://cdn.example/a.js", "host": "shop.example", "count": 3, "datetime": moment}
    simulator.reset(violations={ZONE: [seen]})
    reports = reports_of(client(simulator, wrong_by), [ZONE], 7, "r1")[ZONE]
    assert isinstance(reports, Known) and len(reports.value.only_of("r1").resources) == 1 and len(reports.value.recent) == 1


@pytest.mark.parametrize("wrong_by", [-40 * DAY, 10 * DAY])
def test_deliveries_of_the_last_hours_are_found(simulator: t.Any, wrong_by: float) -> None:
    simulator.reset(
        uploads={
            ZONE: [{"job_id": 4, "records": 5, "datetime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 3600))}]
        }
    )
    facts = report_delivery(client(simulator, wrong_by), DesiredFacts((ZONE,), 24, None)).result
    assert [job["job_id"] for job in t.cast("t.Any", facts["jobs"])] == [4], facts


@pytest.mark.parametrize("wrong_by", [-40 * DAY, 0, 40 * DAY])
def test_the_end_of_a_token_is_one_of_the_service(simulator: t.Any, monkeypatch: pytest.MonkeyPatch, wrong_by: float) -> None:
    """Whatever the clock of the controller shows, a token of the service that ends in a day is valid today and not in two days."""
    simulator.settings(credential_expires_on=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + DAY)))
    for at_service, text in ((0, "is active, and expires"), (2 * DAY, "The token expired at")):
        with monkeypatch.context() as patched:
            now = Client.now
            patched.setattr(Client, "now", lambda self, now=now, ahead=at_service: now(self) + datetime.timedelta(seconds=ahead))
            lines = report_token(
                client(simulator, wrong_by), DesiredToken(Address(ZONE_SCOPE, ZONE), None, (), frozenset())
            ).result["lines"]
        assert text in str(lines)
