# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from harness import Playbook


@pytest.mark.every_core
def test_wait_for_the_budget_is_displayed_at_once(playbook: Playbook) -> None:
    """In the controller's process before the wait begins, once a task; as an ordinary module with the result only."""
    read = {"edgeops.observability.logpush_job_info": {"request_budget": "1/7"}}
    tasks = [{"name": "First", **read}, {"name": "Second", **read}]
    report = playbook.run(tasks, warns=["request_budget: "])
    _first, _colon, second = report.stdout.partition("TASK [Second]")
    told = "localhost: waiting "
    is_inside = playbook.in_process is not False
    assert report.stdout.count(told) == second.count(told) == int(is_inside)
    assert not is_inside or second.index(told) < second.index("ok: [localhost]")
    assert report.outcomes[1].result["warnings"]
