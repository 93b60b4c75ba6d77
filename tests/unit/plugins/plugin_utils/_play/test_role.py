# SPDX-License-Identifier: GPL-3.0-or-later

from ansible_collections.edgeops.observability.plugins.plugin_utils._play.role import RoleAction


def test_null_of_a_job_hides_its_default() -> None:
    """The default then applies to the jobs that do not set the option."""
    options = {"job_defaults": {"kind": "edge", "frequency": "low"}, "job": {"kind": None}, "jobs": [{"name": "b"}, "no job"]}
    assert RoleAction.arranged(options) == {
        "job_defaults": {"frequency": "low"},
        "job": {"kind": None},
        "jobs": [{"kind": "edge", "name": "b"}, "no job"],
    }
    assert RoleAction.arranged({"job": {"kind": None}}) == {"job": {"kind": None}}
