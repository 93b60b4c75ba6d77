# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest
from support.hosts_of_a_play import play

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.plugin_utils._adopt.summary import AdoptionSummary

FILES = {"hosts": ["a", "b", "c"], "hosts_with_files": ["a"], "refused": {}, "lines": ["3 zones adopted"]}
LOADED = {"changed": False, "results": []}
SAME: dict[str, t.Any] = {
    "zone_id": "1",
    "changed": False,
    "effects": [],
    "script_monitor": {"changed": False, "plan_id": "sha256:0"},
}
DIFFERENT = {
    **SAME,
    "script_monitor": {
        "changed": True,
        "plan_id": "sha256:1",
        "diff": {"before": {"enabled": True}, "after": {"enabled": False}},
    },
}
UNREADABLE = {"failed": True, "msg": "not\nallowed", "error": {"kind": "permission"}}


def summary(registered: t.Mapping[str, t.Mapping[str, t.Any]], loaded: str | None = "loaded", **files: t.Any) -> dict[str, t.Any]:
    task = AdoptionSummary()
    first = next(iter(registered))
    known = {name: {"result": SAME, "loaded": LOADED, **variables} for name, variables in registered.items()}
    known[first]["files"] = {**FILES, **files}
    params = {"files": "files", "loaded": loaded, "registered": "result"}
    return task.report(task.desire(params, play(known))).result


CHANGES = (
    "with these files a delivery would change the zone; move what it names out of the file: script_monitor.enabled: true -> false"
)


@pytest.mark.parametrize(
    ("variables", "reason"),
    [
        ({}, ""),
        ({"result": DIFFERENT}, CHANGES),
        ({"result": UNREADABLE}, "the zone could not be verified: permission: not allowed"),
        ({"result": None}, "the zone could not be verified: its task did not run"),
        ({"result": {"skipped": True}}, "the zone could not be verified: its task did not run"),
        ({"loaded": None}, "the zone could not be verified: its files were not loaded"),
        ({"loaded": {"skipped": True, "changed": False}}, "the zone could not be verified: its files were not loaded"),
        (
            {
                "loaded": {
                    "failed": True,
                    "msg": "One or more items failed",
                    "results": [{}, {"failed": True, "message": "bad\nkey"}],
                }
            },
            "the zone could not be verified: its files could not be loaded: bad",
        ),
    ],
)
def test_zone_fails_unless_nothing_would_change(variables: dict[str, t.Any], reason: str) -> None:
    result = summary({"a": variables, "b": {}, "c": {}})
    assert result["failed_hosts"] == ({"a": reason} if reason else {})
    assert result["hosts"] == (["b", "a"] if reason else ["a"])


def test_hosts_that_were_not_verified_count_for_nothing() -> None:
    """What another playbook of the run has registered for them is none of this adoption; refused ones fail with their reason."""
    registered: dict[str, dict[str, t.Any]] = {"a": {}, "b": {"result": DIFFERENT}, "c": {"result": UNREADABLE}}
    result = summary(registered, hosts=["a"], refused={"c": "the zone could not be read"})
    assert result["failed_hosts"] == {"c": "the zone could not be read"}
    assert result["lines"] == ["3 zones adopted"]


def test_only_files_of_the_host_have_to_be_loaded() -> None:
    """A host of the group of which there is no file has none to load; without a task that loads, an inventory has them."""
    assert summary({"a": {}, "b": {"loaded": None}, "c": {}})["failed_hosts"] == {}
    assert summary({"a": {"loaded": None}, "b": {}, "c": {}}, loaded=None)["failed_hosts"] == {}


def test_equal_differences_are_one_line() -> None:
    result = summary({name: {"result": DIFFERENT} for name in ("a", "b", "c")})
    assert result["lines"] == ["3 zones, such as a: script_monitor.enabled: true -> false", "3 zones adopted"]


def test_run_that_starts_in_the_middle_is_refused() -> None:
    with pytest.raises(Failure, match="no host has a result of zone_variables_files in files"):
        AdoptionSummary().desire({"files": "files", "loaded": None, "registered": None}, play({"a": {}}))
