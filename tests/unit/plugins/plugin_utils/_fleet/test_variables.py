# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t
from pathlib import Path

import pytest
import yaml

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.plugin_utils._fleet import variables
from ansible_collections.edgeops.observability.plugins.plugin_utils._fleet.variables import (
    ADOPTION,
    ALLOW,
    PLAYBOOK_VARIABLES,
    RAILS,
    REPORT,
    ROLE_VARIABLES,
)

ROLES = Path(__file__).resolve().parents[5] / "roles"


def defaults(role: str) -> dict[str, t.Any]:
    return t.cast("dict[str, t.Any]", yaml.safe_load((ROLES / role / "defaults" / "main.yml").read_text(encoding="utf-8")))


def test_every_variable_has_its_default_in_a_role() -> None:
    of_playbooks = {name: value for name, value in defaults("playbook_variables").items() if name.startswith("edgeops_")}
    assert set(of_playbooks) == set(PLAYBOOK_VARIABLES)
    assert {**RAILS, **REPORT, **ADOPTION, ALLOW: []}.items() <= of_playbooks.items()
    assert tuple(defaults("log_delivery")) == ROLE_VARIABLES


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("edgeops_alow", "did you mean 'edgeops_allow'"),
        ("log_delivery_jbos", "did you mean 'log_delivery_jobs'"),
        ("edgeops_jobs", "did you mean 'log_delivery_jobs'"),
        ("edgeops_qqq", "there is no such variable$"),
        ("edgeops_check", None),
        ("log_delivery_result", None),
        ("edgeops_allow", None),
        ("edgeopsx", None),
        ("ansible_host", None),
    ],
)
def test_names(name: str, said: str | None) -> None:
    if said is None:
        variables.check_variables([name], {})
        return
    with pytest.raises(Failure, match=f"^{name}: .*{said}"):
        variables.check_variables([name], {"zone_id": ["a"]})


@pytest.mark.parametrize(("hosts", "said"), [(["a"], ", set for a"), (["a", "b"], ", set for 2 hosts such as a"), ([], "")])
def test_unknown_name_leads_to_its_hosts(hosts: list[str], said: str) -> None:
    with pytest.raises(Failure) as refused:
        variables.check_variables([], {"log_delivery_jbos": hosts})
    assert str(refused.value).endswith(f"jobs'?){said}")


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (None, ["100%"]),
        (2, [2]),
        ('[1, "10%", "100%"]', [1, "10%", "100%"]),
        ("1,50%", [1, "50%"]),
        ([1, "100%"], [1, "100%"]),
        (0, None),
        ("none", None),
        ({}, None),
    ],
)
def test_batches(value: t.Any, found: t.Any) -> None:
    if found is not None:
        assert variables.read_batches(value) == found
        return
    with pytest.raises(Failure, match=r"^edgeops_zones_at_once: "):
        variables.read_batches(value)


def test_one_value_for_all_hosts() -> None:
    assert variables.same_for_all("a", {"one": {"b": 1, "c": 2}, "two": {"c": 2, "b": 1}}, None) == {"b": 1, "c": 2}
    with pytest.raises(Failure, match=r"^a: is not the same for all hosts"):
        variables.same_for_all("a", {"one": 1, "two": None}, None)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: variables.check_variables([], {"edgeops_target": ["a"]}), "edgeops_target: is set in the inventory"),
        (lambda: variables.check_variables(["_edgeops_run"], {}), "_edgeops_run: names with this prefix"),
        (lambda: variables.check_variables(["_log_delivery_x"], {}), "_log_delivery_x: names with this prefix"),
        (lambda: variables.read_boolean("edgeops_audit_delivery", "perhaps", False), "edgeops_audit_delivery: must be true"),
        (lambda: variables.read_json("edgeops_report_put_headers", "secret", dict), "edgeops_report_put_headers: not JSON: "),
        (lambda: variables.read_json("edgeops_waivers", {}, list), "edgeops_waivers: must be a list"),
    ],
)
def test_refusals(call: t.Callable[[], object], said: str) -> None:
    with pytest.raises(Failure, match=f"^{said}"):
        call()


def test_empty_text_is_no_name() -> None:
    assert variables.read_names("edgeops_fail_on", "") == [] == variables.read_names("edgeops_fail_on", None)
