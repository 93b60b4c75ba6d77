# SPDX-License-Identifier: GPL-3.0-or-later

import pytest

from ansible_collections.edgeops.observability.plugins.plugin_utils._play.role import as_typed, with_moved_defaults


def test_null_of_a_job_hides_its_default() -> None:
    """The default then applies to the jobs that do not set the option."""
    options = {"job_defaults": {"kind": "edge", "frequency": "low"}, "job": {"kind": None}, "jobs": [{"name": "b"}, "no job"]}
    moved = with_moved_defaults(options)
    assert moved.arguments == {
        "job_defaults": {"frequency": "low"},
        "job": {"kind": None},
        "jobs": [{"kind": "edge", "name": "b"}, "no job"],
    }
    assert moved.places == {"jobs[0].kind"}
    assert with_moved_defaults({"job": {"kind": None}}).arguments == {"job": {"kind": None}}


@pytest.mark.parametrize("default", [{"transformer": "no-ip"}, {"transformer_id": 7}])
@pytest.mark.parametrize("null", ["transformer", "transformer_id"])
def test_either_form_of_a_job_replaces_either_default(default: dict[str, object], null: str) -> None:
    """A null hides both forms, and a default is not moved to a job that has another form of it."""
    jobs = [{"name": "b", "transformer_id": 8}, {"name": "c", null: None}, {"name": "d"}]
    moved = with_moved_defaults({"job_defaults": default, "jobs": jobs})
    assert moved.arguments == {"job_defaults": {}, "jobs": [jobs[0], jobs[1], {"name": "d", **default}]}


@pytest.mark.parametrize(
    ("message", "typed"),
    [
        ("jobs[1].kind: 'x' is wrong", "job_defaults.kind: 'x' is wrong"),
        ("jobs[0].kind: 'x' is wrong", "jobs[0].kind: 'x' is wrong"),
        ("custom_fields: only zones have this", "log_delivery_custom_fields: only zones have this"),
        ("jobs: is wrong", "log_delivery_jobs: is wrong"),
        # That of the host, where the variable of the role has no value; the others are named where the task was completed.
        ("zone_id: is wrong", "zone_id: is wrong"),
        ("job: excludes jobs; write", "log_delivery_job: excludes log_delivery_jobs; write"),
        ("edgeops_base_url: is wrong", "edgeops_base_url: is wrong"),
    ],
)
def test_a_message_names_what_was_typed(message: str, typed: str) -> None:
    assert as_typed(message, {"jobs[1].kind"}, is_role=True) == typed
