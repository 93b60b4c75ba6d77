# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._delivery.outcome import worse_jobs


def job(number: int = 1, state: str = "healthy", **members: t.Any) -> dict[str, t.Any]:
    health = {"state": state, "message": f"It is {state}."}
    return {"id": number, "name": "edge", "dataset": "http_requests", "enabled": state != "disabled", "health": health, **members}


@pytest.mark.parametrize(
    ("before", "after", "part", "said"),
    [
        ([job()], [job()], {}, []),
        ([job(state="failing")], [job(state="failing")], {}, []),
        ([job(state="failing")], [job()], {}, []),
        ([job(state="never")], [job(state="stale")], {}, []),
        ([job()], [job(state="failing")], {}, ["was healthy before the delivery and is failing: It is failing."]),
        ([job()], [job(state="stale")], {}, ["is stale"]),
        ([job(state="disabled")], [job(state="failing")], {}, ["was disabled before the delivery and is failing"]),
        # Disabled by the service, by a user, and by the delivery.
        ([job()], [job(state="disabled", error_message="denied")], {}, ["is disabled"]),
        ([job()], [job(state="disabled")], {}, ["is disabled"]),
        ([job()], [job(state="disabled")], {"jobs": [job(state="disabled")]}, []),
        ([job()], [job(state="disabled", error_message="denied")], {"jobs": [job(state="disabled")]}, ["is disabled"]),
        # Deleted by somebody, and by the delivery; re-created.
        ([job()], [], {}, ["does not exist any more"]),
        ([job()], [], {"jobs": [None], "diff": {"before": {"edge": {"name": "edge"}}}}, []),
        ([job()], [job(2, "never")], {"jobs": [job(2)], "diff": {"before": {"edge": {"name": "edge"}}}}, []),
        # New jobs.
        ([], [job(state="never")], {"jobs": [job(state="never")]}, []),
        ([], [job(state="failing")], {"jobs": [job(state="never")]}, ["job 'edge' (id 1) is failing"]),
        ([], [], {"jobs": [job(state="never")]}, ["does not exist any more"]),
    ],
)
def test_worse_jobs(before: t.Any, after: t.Any, part: t.Any, said: list[str]) -> None:
    found = worse_jobs(before, after, part)
    assert len(found) == len(said) and all(words in each for words, each in zip(said, found, strict=True))
