# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t
from pathlib import Path

import pytest
import yaml
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar
from support.hosts_of_a_play import Hosts, play

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.plugin_utils._fleet.validation import ValidateVariables
from ansible_collections.edgeops.observability.plugins.plugin_utils._host_variables import Host
from ansible_collections.edgeops.observability.plugins.plugin_utils._variables import readers, table
from ansible_collections.edgeops.observability.plugins.plugin_utils._variables.table import PLAYBOOK_VARIABLES, ROLE_VARIABLES
from harness import documented
from harness.modules import task_of

ROLE = Path(__file__).resolve().parents[5] / "roles" / "log_delivery"


def test_every_variable_of_the_role_has_a_default() -> None:
    defaults = yaml.safe_load((ROLE / "defaults" / "main.yml").read_text(encoding="utf-8"))
    assert list(defaults.items()) == [(name, variable.default) for name, variable in ROLE_VARIABLES.items()]


@pytest.mark.parametrize(
    "module",
    sorted(
        {variable.module for variable in PLAYBOOK_VARIABLES.values() if variable.module} | {"survey_info", "script_evidence_info"}
    ),
)
def test_variables_are_options(module: str) -> None:
    """The documentation of each option names the variable that it is taken from."""
    variables = table.variables_of(module)
    assert variables.keys() <= task_of(module).arguments()["argument_spec"].keys()
    options = documented.section(module, "DOCUMENTATION")["options"]
    assert [option for option, path in variables.items() if path not in str(options[option]["description"])] == []


def validate(
    given_hosts: dict[str, dict[str, t.Any]], extra: t.Iterable[str] = (), of_run: t.Any = None, **options: t.Any
) -> list[str]:
    """Validate the variables of these hosts; `extra` are names of extra variables."""
    variables = {name: {**dict.fromkeys(extra, "x"), **of_host} for name, of_host in given_hosts.items()}
    hosts = Hosts(variables, of_run)
    hosts.extra = dict.fromkeys(extra, "x")
    its_play = play(variables)._replace(variables=t.cast("t.Any", hosts))
    params = {
        "prefixes": ["edgeops_", "log_delivery_"],
        "known": None,
        "required": [],
        "hosts": None,
        "keep_going": False,
        **options,
    }
    return list(
        t.cast("dict[str, t.Any]", ValidateVariables().report(ValidateVariables().desire(params, its_play)).result["hosts"])
    )


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("edgeops_alow", "did you mean 'edgeops_allow'"),
        ("log_delivery_jbos", "did you mean 'log_delivery_jobs'"),
        ("edgeops_jobs", "did you mean 'log_delivery_jobs'"),
        ("edgeops_qqq", "there is no such variable$"),
        ("edgeops_soak_seconds", "there is no such variable"),
        ("_edgeops_plan", "is set by the collection itself"),
        ("_log_delivery_x", "is set by the collection itself"),
        ("log_delivery_result", "is set by the collection itself"),
        ("edgeops_check", None),
        ("edgeopsx", None),
        ("ansible_host", None),
    ],
)
def test_names_of_extra_variables(name: str, said: str | None) -> None:
    if said is None:
        assert validate({"a": {}}, [name]) == ["a"]
        return
    with pytest.raises(Failure, match=f"^{name}: .*{said}"):
        validate({"a": {"zone_id": "1"}}, [name])


@pytest.mark.parametrize(("hosts", "said"), [(["a"], ", set for a"), (["a", "b"], ", set for 2 hosts such as a")])
def test_unknown_variable_names_its_hosts(hosts: list[str], said: str) -> None:
    with pytest.raises(Failure) as refused:
        validate({host: {"log_delivery_jbos": []} for host in hosts})
    assert str(refused.value).endswith(f"jobs'?){said}")


@pytest.mark.parametrize(
    ("hosts", "said"),
    [
        ([{"edgeops_target": "a"}], "edgeops_target: is set in the inventory"),
        ([{"edgeops_guard": "perhaps"}], "edgeops_guard: must be true or false"),
        ([{"edgeops_audit_delivery": "ture"}], "edgeops_audit_delivery: must be true or false"),
        ([{}, {"edgeops_audit_scripts": "ture"}], "edgeops_audit_scripts: must be true or false, set for host1"),
        ([{"edgeops_report_put_headers": "secret"}], "edgeops_report_put_headers: not JSON: "),
        ([{"edgeops_waivers": {"a": 1}}], "edgeops_waivers: must be a list"),
        ([{"edgeops_adopt_group": "../x"}], "edgeops_adopt_group: '../x' cannot be the name of a folder"),
        ([{"edgeops_survey": {"name": ["a"]}}], "edgeops_survey.name: not an option of a survey (did you mean 'names'?)"),
        ([{"edgeops_survey": "x"}], "edgeops_survey: not JSON: "),
        # YAML has made another value of what was typed.
        ([{"edgeops_survey": {"account_ids": [493]}}], "edgeops_survey.account_ids[0]: must be text, not a number"),
        ([{"edgeops_survey": {"names": [False]}}], "edgeops_survey.names: must be a list of names"),
        ([{"edgeops_monthly_budget_usd": "x"}], "edgeops_monthly_budget_usd: 'x' is not a number above 0"),
        ([{"edgeops_max_changed_zones": 1}, {}], "edgeops_max_changed_zones: is not the same for all hosts"),
        ([{"edgeops_waivers": [1]}, {"edgeops_waivers": [2]}], "edgeops_waivers: is not the same for all hosts"),
        ([{}, {"edgeops_allow": ["nothing"]}], "edgeops_allow: 'nothing' is not the name of a destructive change"),
    ],
)
def test_invalid_values_are_refused(hosts: list[dict[str, t.Any]], said: str) -> None:
    with pytest.raises(Failure) as refused:
        validate({f"host{number}": variables for number, variables in enumerate(hosts)})
    assert str(refused.value).startswith(said)


def test_variables_of_a_zone_are_not_validated() -> None:
    assert validate({"a": {"edgeops_timeout": -1, "edgeops_in_process": "perhaps", "log_delivery_job": 5}}) == ["a"]


def test_switches_are_returned_as_they_were_read() -> None:
    """No other value is, because some are secret."""
    hosts: dict[str, dict[str, t.Any]] = {
        "a": {"edgeops_audit_scripts": "y", "edgeops_guard": "T", "edgeops_stop_on_failure": 1.0, "edgeops_api_token": "x"},
        "b": {
            "edgeops_guard": True,
            "edgeops_stop_on_failure": "on",
            "edgeops_report_put_headers": {},
            "edgeops_in_process": "f",
        },
    }
    hosts["a"]["edgeops_report_put_headers"] = {}
    conclusion = ValidateVariables().report(
        ValidateVariables().desire(
            {"prefixes": ["edgeops_"], "known": None, "required": [], "hosts": None, "keep_going": False}, play(hosts)
        )
    )
    assert all(isinstance(value, bool) for value in conclusion.result["run"].values())
    expected = {
        "edgeops_verify_token": True,
        "edgeops_guard": True,
        "edgeops_deliver_partial": True,
        "edgeops_stop_on_failure": True,
        "edgeops_audit_delivery": False,
        "edgeops_adopt_overwrite": False,
    }
    assert {name: conclusion.result["run"].get(name) for name in expected} == expected
    assert conclusion.result["hosts"] == {"a": {"edgeops_audit_scripts": True}, "b": {"edgeops_audit_scripts": False}}
    assert conclusion.result["given"] == ["edgeops_guard", "edgeops_stop_on_failure", "edgeops_report_put_headers"]


@pytest.mark.parametrize(("name", "pattern"), [("bare", "bare"), ("shop example", "~^shop\\U00000020example$")])
def test_refused_hosts_are_returned_as_patterns(name: str, pattern: str) -> None:
    class Unreadable(Host):
        def given(self, name: str) -> t.Any:
            if self.raw.get(name) == "unreadable":
                raise Failure("invalid_option", f"{name}: cannot be evaluated")
            return super().given(name)

    class HostsOfTest(Hosts):
        def host(self, name: str) -> Host:
            return Unreadable(self.of(name), Templar(DataLoader()))

    hosts = {name: {"edgeops_pages": "unreadable"}, "well": {}}
    params = {"prefixes": ["edgeops_"], "known": None, "required": [], "hosts": None, "keep_going": True}
    its_play = play(hosts)._replace(variables=t.cast("t.Any", HostsOfTest(hosts)))
    result = ValidateVariables().report(ValidateVariables().desire(params, its_play)).result
    assert list(result["refused"]) == [name] and result["refused_hosts"] == [pattern]


def test_own_variables_are_validated() -> None:
    own: dict[str, t.Any] = {"prefixes": ["acme_"], "known": ["acme_owner"], "required": ["acme_owner"]}
    assert validate({"a": {"acme_owner": "web", "edgeops_x": 1}}, **own) == ["a"]
    with pytest.raises(Failure, match=r"^acme_ower: there is no such variable \(did you mean 'acme_owner'\?\), set for a$"):
        validate({"a": {"acme_owner": "web", "acme_ower": 1}}, **own)
    with pytest.raises(Failure, match=r"^acme_owner: is required"):
        validate({"a": {"acme_owner": "web"}, "b": {}}, **own)
    with pytest.raises(Failure, match=r"^prefixes: "):
        validate({"a": {}}, prefixes=[""])


def test_run_needs_a_host() -> None:
    assert validate({"a": {}, "b": {"edgeops_qqq": 1}}, hosts=["a"]) == ["a"]
    with pytest.raises(Failure, match=r"^edgeops_target: the inventory and its limit contain no host for 'x'"):
        validate({"a": {}}, of_run={"edgeops_target": "x"}, hosts=[])
    with pytest.raises(Failure, match=r"^edgeops_target: must be a string"):
        validate({"a": {}}, of_run={"edgeops_target": ["a"]}, hosts=["a"])


@pytest.mark.parametrize(
    ("value", "batches"),
    [
        (2, ["2"]),
        ('[1, "10%", "100%"]', ["1", "10%", "100%"]),
        ("1,50%", ["1", "50%"]),
        ([1, "100%"], ["1", "100%"]),
        (0, None),
        ("none", None),
        ("[]", None),
        ({}, None),
    ],
)
def test_batches_are_parsed(value: t.Any, batches: t.Any) -> None:
    if batches is not None:
        assert readers.read_batches("edgeops_zones_at_once", value) == batches
        return
    with pytest.raises(Failure, match=r"^edgeops_zones_at_once: "):
        readers.read_batches("edgeops_zones_at_once", value)


def test_text_of_a_template_is_parsed() -> None:
    """ansible-core before 2.19 passes a list that contains a date as text."""
    text = "[{'reason': 'known', 'until': datetime.date(2026, 12, 31)}]"
    assert readers.read_list("edgeops_waivers", text) == [{"reason": "known", "until": "2026-12-31"}]


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("edgeops_fail_on", '["drifted"]', ["drifted"]),
        ("edgeops_fail_on", "drifted, findings", ["drifted", "findings"]),
        ("edgeops_fail_on", "", None),
        ("edgeops_survey.names", {"names": "shop.example"}, ["shop.example"]),
        ("edgeops_survey.statuses", '{"names": []}', None),
        ("edgeops_survey.names", None, None),
        ("edgeops_adopt_group", None, "all"),
        ("edgeops_page_baseline", None, []),
        ("edgeops_script_baseline", None, None),
    ],
)
def test_option_is_read_from_variables_and_defaults(path: str, value: t.Any, expected: t.Any) -> None:
    assert table.read_option(path, lambda name: value) == expected


def test_empty_text_turns_no_rail_off() -> None:
    """A value that is lost on its way to the run: more would be written, or less noticed, than with any value."""
    rails = ("max_changed_zones", "monthly_budget_usd", "target", "zones_at_once")
    demands = ("required_fields", "expected_head", "expected_pages_head", "expected_heads")
    for name in (f"edgeops_{rail}" for rail in (*rails, *demands)):
        for text in ("", " \n"):
            with pytest.raises(Failure, match=rf"^{name}: is an empty text; omit it"):
                table.read_variable(name, text)
        assert table.read_variable(name, None) == table.read_variable(name, table.PLAYBOOK_VARIABLES[name].default)
    for name in ("edgeops_allow", "edgeops_fail_on"):
        assert not table.read_variable(name, "")


@pytest.mark.parametrize("empty", [None, ""])
def test_empty_switches_count_as_omitted(empty: str | None) -> None:
    switches = {name: variable for name, variable in PLAYBOOK_VARIABLES.items() if variable.read is readers.read_boolean}
    assert {name: table.read_variable(name, empty) for name in switches} == {name: of.default for name, of in switches.items()}
    assert {"edgeops_guard", "edgeops_verify_token", "edgeops_audit_scripts"} <= switches.keys()


@pytest.mark.parametrize("names", [["findings", None], '["findings", null]', "findings,"])
def test_null_in_a_list_of_names_is_nothing(names: t.Any) -> None:
    assert readers.read_names("edgeops_fail_on", names) == ["findings"]
