# SPDX-License-Identifier: GPL-3.0-or-later

import subprocess
from pathlib import Path

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils import _address
from ansible_collections.edgeops.observability.plugins.module_utils._address import is_zone_id
from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._zone.survey import may_be_selected

ROOT = Path(__file__).resolve().parents[3]


def test_zone_id_is_hexadecimal():
    assert all(map(is_zone_id, ("0", "023e105f4ecef8ad9ca31a8372d0c353", "ABCdef")))
    assert not any(map(is_zone_id, ("", "0" * 33, "abc\n", "x", "0/../1", "0x12", "٣", " 0")))


def test_pattern_is_in_one_file():
    """The pattern of ids is in one file only, so that a change does not miss a copy."""
    command = ["git", "grep", "--untracked", "-lF", "]{1,32}", "--", "plugins/*.py", "extensions/*.py"]
    files = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert files == ["plugins/module_utils/_address.py"]


ID, ACCOUNT = "a" * 32, {"id": "b" * 32, "name": "Example"}
ZONE = {"id": ID, "name": "a.example", "status": "active", "account": ACCOUNT, "plan": {"id": "free"}}
KEPT = {name: ZONE[name] for name in ("id", "name", "status", "account")}
NOTHING: dict[str, list[str]] = {"names": [], "statuses": [], "account_ids": []}


@pytest.mark.parametrize(
    ("filters", "selected"),
    [
        ({}, True),
        ({"names": ["A.Example"]}, True),
        ({"names": ["example"]}, False),
        ({"statuses": ["pending", "active"]}, True),
        ({"statuses": ["pending"]}, False),
        ({"account_ids": [ACCOUNT["id"]]}, True),
        ({"account_ids": ["Example"]}, False),
        ({"names": ["a.example"], "statuses": ["pending"]}, False),
    ],
)
def test_zone_is_selected_by_all_filters(filters, selected):
    assert _address.is_selected(KEPT, {**NOTHING, **filters}) is selected


def test_filters_are_in_the_form_of_the_service():
    filters = {"names": ["A.example"], "statuses": ["Active"], "account_ids": ["AB"], "accounts": True}
    assert _address.parse_filters(filters) == {**filters, "statuses": ["active"], "account_ids": ["ab"]}
    with pytest.raises(Failure, match=r"^discover\.account_ids\[1\]: 'Example' is not 1 to 32"):
        _address.parse_filters({**NOTHING, "account_ids": ["ab", "Example"]}, "discover.")


def test_status_that_no_zone_has_is_a_warning():
    """Otherwise a misspelt one selects no zone, without a word."""
    assert _address.unknown_statuses({**NOTHING, "statuses": ["active", "moved"]}) == []
    (warning,) = _address.unknown_statuses({**NOTHING, "statuses": ["active", "pendng"]})
    assert warning.startswith("statuses: 'pendng' is not") and "(did you mean 'pending'?)" in warning


@pytest.mark.parametrize(
    ("lacks", "filters"),
    [
        ({"account": None}, {"account_ids": ["b"]}),
        ({"account": {"id": None, "name": "b"}}, {"account_ids": ["b"]}),
        ({"status": None}, {"statuses": ["active"]}),
    ],
)
def test_zone_that_does_not_show_what_selects_it_is_a_bad_response(lacks, filters):
    """To leave it out would say that it does not exist."""
    with pytest.raises(Failure, match="so that it is not known whether") as caught:
        _address.is_selected({**KEPT, **lacks}, {**NOTHING, **filters})
    assert caught.value.kind == "bad_response"
    assert _address.is_selected({**KEPT, **lacks}, NOTHING)
    assert not _address.is_selected({**KEPT, **lacks}, {**NOTHING, **filters, "names": ["other.example"]})
    assert may_be_selected({**KEPT, **lacks}, {**NOTHING, **filters})


def test_capitals_in_a_listing_do_not_matter():
    zone = _address.read_zone({**ZONE, "status": "ACTIVE", "account": {**ACCOUNT, "id": "B" * 32}})
    assert (zone["status"], zone["account"]["id"]) == ("active", "b" * 32)
    assert _address.read_account({"id": "B" * 32})["id"] == "b" * 32


@pytest.mark.parametrize(
    ("filters", "sent"),
    [
        ({}, {}),
        ({"names": ["a.example"], "statuses": ["active"]}, {"name": "a.example", "status": "active"}),
        ({"names": ["a.example", "b.example"], "account_ids": ["b"]}, {"account.id": "b"}),
        ({"names": ["A.example"], "statuses": ["active"]}, {"status": "active"}),
    ],
)
def test_only_some_filters_are_sent_to_the_service(filters, sent):
    assert _address.query({**NOTHING, **filters}) == sent


@pytest.mark.parametrize(
    ("item", "zone"),
    [
        (ZONE, KEPT),
        ({"id": ID, "name": "a.example"}, {"id": ID, "name": "a.example", "status": None, "account": None}),
        ({**ZONE, "account": {"id": "x", "more": 1}}, {**KEPT, "account": {"id": "x", "name": None}}),
        ({**ZONE, "account": {}}, {**KEPT, "account": None}),
        ({**ZONE, "name": "bücher.example"}, {**KEPT, "name": "bücher.example"}),
    ],
)
def test_zone_has_its_documented_members(item, zone):
    assert _address.read_zone(item) == zone


@pytest.mark.parametrize(
    ("change", "member"),
    [
        ({"id": None}, "id"),
        ({"id": "g" * 32}, "id"),
        ({"name": None}, "name"),
        ({"status": 1}, "status"),
        ({"status": ""}, "status"),
        ({"account": []}, "account"),
        ({"account": {"id": 5}}, "account.id"),
        ({"account": {"name": 5}}, "account.name"),
    ],
)
def test_invalid_zone_is_refused(change, member):
    with pytest.raises(Failure, match=rf"The zone .* has .* as its {member}\.$"):
        _address.read_zone({**ZONE, **change})


def test_zone_must_be_an_object():
    with pytest.raises(Failure, match="not an object but list"):
        _address.read_zone(["zone"])


@pytest.mark.parametrize("item", [["account"], {"id": "x", "name": "n"}, {"name": "n"}, {"id": ID, "name": 5}])
def test_account_has_a_name_or_one_from_its_id(item):
    assert _address.read_account({**ACCOUNT, "type": "standard"}) == ACCOUNT
    for name in ({}, {"name": None}, {"name": ""}):
        assert _address.read_account({"id": ID, **name}) == {"id": ID, "name": f"account_{ID}"}
        assert _address.read_zone({**ZONE, "account": {"id": ID, **name}})["account"] == {"id": ID, "name": None}
    with pytest.raises(Failure, match=r"^(An account of the listing is not an object|The account .* has .* as its (id|name)\.$)"):
        _address.read_account(item)


@pytest.mark.parametrize(
    ("name", "host"),
    [
        ("a.example", "a.example"),
        ("bücher.example", "bücher.example"),
        ("LocalHost", f"LocalHost_{ID}"),
        ("../../etc/passwd", f"_etc_passwd_{ID}"),
        ("a..b", f"a_b_{ID}"),
        ("a\x1b[2Jb", f"a_2Jb_{ID}"),
        ("{{ a }}", f"_a__{ID}"),
        ("a[1:3]", f"a_1_3__{ID}"),
        ("-a", f"_a_{ID}"),
        ("a" * 254, f"{'a' * 200}_{ID}"),
    ],
)
def test_host_names(name, host):
    assert _address.hosts([(ID, name)]) == [(ID, host)]


def test_host_names_are_unique():
    listed = [("1", "x"), ("2", "x"), ("3", "x_2"), ("4", "x/2"), ("5", "x:2")]
    assert len({host for _zone_id, host in _address.hosts(listed)}) == 5


@pytest.mark.parametrize("zone", [None, {"id": 123}, {"id": True}, {"id": "x"}, {"name": "a.example"}, {"id": ID, "name": 5}])
def test_listed_zone_without_id_or_name_is_selected_by_no_name(zone):
    with pytest.raises(Failure) as caught:
        _address.select_named([ZONE, {"name": "a.example", **zone} if zone and "id" in zone else zone], "a.example")
    assert caught.value.kind == "bad_response"
    assert _address.select_named([ZONE], "a.example") == _address.Address("zone", ID, "a.example", ACCOUNT["id"])
