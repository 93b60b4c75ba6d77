# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest
from support.refusals import http_failure

from ansible_collections.edgeops.observability.plugins.module_utils._address import ZONE, Address
from ansible_collections.edgeops.observability.plugins.module_utils._content_rules.options import OPTIONS, desire
from ansible_collections.edgeops.observability.plugins.module_utils._content_rules.read import read
from ansible_collections.edgeops.observability.plugins.module_utils._content_rules.violations import Seen
from ansible_collections.edgeops.observability.plugins.module_utils._core import Answer, Failure

DEFAULTS = {name: option.get("default") for name, option in OPTIONS.items()}
RULE = {"id": "r1", "description": "shop", "action": "allow", "expression": "true", "enabled": True, "value": "script-src *"}
LISTED = {"page_shield.scripts": {"url": "https://a.example/a.js", "host": "shop.example"}}
LISTED["page_shield.connections"] = {"url": "https://b.example/", "host": "shop.example"}


class Service:
    """A zone with one rule, a script and a connection; `refused` are the query parameters that it does not know."""

    def __init__(self, refused: t.Collection[str], kind: str = "rejected", status: int = 400, monitor: object = True) -> None:
        self.address = Address(ZONE, "1")
        self.warnings: list[str] = []
        self._refused = refused
        self._failure = http_failure(kind, status)
        self._monitor = monitor

    def call(self, operation: str) -> Answer:
        assert operation == "page_shield.get"
        return Answer({"enabled": self._monitor})

    def items(self, operation: str, *, query: t.Mapping[str, str] | None = None, **_paging: t.Any) -> list[t.Any]:
        if query is None:
            return [RULE]
        if query.keys() & self._refused:
            raise self._failure
        return [LISTED[operation]] if query["status"] == "active" else []


def loaded(service: Service) -> Seen:
    """Return what is known of the pages of the zone when its rule is to block more."""
    desired = desire({**DEFAULTS, "description": "shop", "directives": "script-src 'self'"})
    listing = read(t.cast("t.Any", service), desired).evidence.listing
    assert listing is not None
    return listing


URLS = ["https://a.example/a.js", "https://b.example/"]


@pytest.mark.parametrize("refused", [(), ("exclude_cdn_cgi",), ("exclude_duplicates",)])
def test_listing_without_refused_parameters_may_be_incomplete(refused: tuple[str, ...]) -> None:
    """A service that does not know the parameters of a complete listing is asked without them; what it then hides is not known."""
    service = Service(refused)
    listing = loaded(service)
    assert sorted(resource.url for resource in listing.resources) == URLS and not service.warnings
    assert bool(listing.gaps) is bool(refused)
    assert all(gap.message.startswith("The list may be incomplete: the service refuses exclude_cdn_cgi") for gap in listing.gaps)


@pytest.mark.parametrize(("kind", "status"), [("rejected", 400), ("permission", 403), ("not_found", 404)])
def test_refused_listing_is_no_observation(kind: str, status: int) -> None:
    listing = loaded(Service(("status",), kind, status))
    assert (listing.resources, {gap.message for gap in listing.gaps}) == ((), {f"HTTP {status}", "it shows no scripts at all"})


def test_disabled_monitor_is_no_observation() -> None:
    """What the listing of a disabled monitor still shows is there all the same."""
    listing = loaded(Service((), monitor=False))
    assert len(listing.resources) == 2 and [gap.message for gap in listing.gaps] == ["the script monitor is off"]
    with pytest.raises(Failure, match="true or false in 'enabled'"):
        loaded(Service((), monitor=None))


@pytest.mark.parametrize("url", ["", "https://", "//cdn.example/a.js", "cdn"])
def test_script_without_a_readable_address_is_no_observation(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LISTED, "page_shield.scripts", {"url": url, "host": "shop.example"})
    listing = loaded(Service(()))
    assert [resource.url for resource in listing.resources] == ["https://b.example/"]
    assert {gap.message for gap in listing.gaps} == {
        "it has a script or a connection without a readable address",
        "it shows no scripts at all",
    }


def test_other_failure_of_a_listing_is_raised() -> None:
    with pytest.raises(Failure, match="HTTP 500"):
        loaded(Service(("status",), "unavailable", 500))
