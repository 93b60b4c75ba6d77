# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar

from ansible_collections.edgeops.observability.plugins.module_utils._address import ALL_ADDRESSES, ZONE_ADDRESSES
from ansible_collections.edgeops.observability.plugins.module_utils._core import INVALID_OPTION, Failure
from ansible_collections.edgeops.observability.plugins.plugin_utils._host_variables import Host, need_same


def host(**variables: t.Any) -> Host:
    return Host(variables, Templar(loader=DataLoader()))


@pytest.mark.parametrize(
    ("variables", "options", "address"),
    [
        ({}, ALL_ADDRESSES, {}),
        # A host with a zone of an account is a zone, in every task, record and report.
        ({"zone_id": "ab", "account_id": "cd", "zone_name": "a.example"}, ALL_ADDRESSES, {"zone_id": "ab"}),
        ({"account_id": "cd", "zone_name": "a.example"}, ALL_ADDRESSES, {"account_id": "cd"}),
        ({"account_id": "cd", "zone_name": "a.example"}, ZONE_ADDRESSES, {"zone_name": "a.example"}),
        ({"zone_id": "ab", "account_id": "cd"}, ("account_id",), {"account_id": "cd"}),
        ({"zone_id": None, "account_id": "", "zone_name": "a.example"}, ALL_ADDRESSES, {"zone_name": "a.example"}),
        ({"zone_id": "ab"}, (), {}),
    ],
)
def test_option_takes_precedence_over_address_of_the_host(variables, options, address):
    assert host(**variables).address(options) == address


@pytest.mark.parametrize(
    ("first", "second", "is_same"),
    [
        ({}, {}, True),
        ({}, {"edgeops_fail_on": []}, False),
        ({"edgeops_fail_on": "drifted"}, {"edgeops_fail_on": ["drifted"]}, True),
        ({"edgeops_fail_on": ["drifted"]}, {}, False),
        ({"edgeops_report_title": "a"}, {"edgeops_report_title": "b"}, True),
    ],
)
def test_variable_about_the_run_is_the_same_for_all_hosts(first, second, is_same):
    """A task that runs once would take that of the first host."""
    hosts, names = [host(**first), host(**second)], ("edgeops_fail_on", "edgeops_waivers")
    if is_same:
        need_same(names, hosts)
    else:
        with pytest.raises(Failure, match=r"^edgeops_fail_on: is not the same for all hosts of this run"):
            need_same(names, hosts)


def test_empty_text_of_a_rail_is_refused():
    with pytest.raises(Failure, match=r"^edgeops_max_changed_zones: is an empty text"):
        host(edgeops_max_changed_zones="").option("edgeops_max_changed_zones")


@pytest.mark.parametrize(
    ("variables", "option_names", "connection"),
    [
        ({}, (), {}),
        ({"edgeops_timeout": 5, "edgeops_retries": None, "edgeops_ca_path": "", "edgeops_guard": True}, (), {"timeout": 5}),
        ({"edgeops_timeout": 5, "edgeops_base_url": "http://a"}, ("timeout",), {"base_url": "http://a"}),
        ({"edgeops_api_token": "t", "edgeops_api_key": "k"}, (), {"api_token": "t", "api_key": "k"}),
        # Credentials of a host are used all together, or not at all.
        ({"edgeops_api_token": "t", "edgeops_retries": 1}, ("api_email",), {"retries": 1}),
    ],
)
def test_connection_comes_from_options_and_variables(variables, option_names, connection):
    assert host(**variables).connection(option_names) == connection


@pytest.mark.parametrize(
    ("name", "value"),
    [("zone_id", 493), ("zone_name", False), ("account_id", 0.0), ("edgeops_api_token", True), ("edgeops_retries", False)],
)
def test_values_converted_by_yaml_are_refused(name, value):
    with pytest.raises(Failure, match=f"^{name}: must be ") as caught:
        (host(**{name: value}).connection if name.startswith("edgeops_") else host(**{name: value}).address)()
    assert caught.value.kind == INVALID_OPTION


@pytest.mark.parametrize(
    ("value", "is_on"), [(None, True), ("", True), (True, True), ("no", False), (0, False), ("ture", None), ([], None)]
)
def test_switch_must_be_a_boolean(value, is_on):
    asked = host(edgeops_in_process=value)
    if is_on is None:
        with pytest.raises(Failure, match=r"^edgeops_in_process: must be true or false$"):
            asked.option("edgeops_in_process")
    else:
        assert asked.option("edgeops_in_process") is is_on
