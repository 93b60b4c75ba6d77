# SPDX-License-Identifier: GPL-3.0-or-later

"""The harness reports each violation of its invariants by playbooks; for modules see `tests/modules/test_harness_invariants.py`."""

import pytest

from harness import Playbook, invariants

SECRET = "canary-d02b7716ee"


def write(playbook: Playbook, **headers: str) -> dict:
    return {
        "name": "Write although this is check mode",
        "ansible.builtin.uri": {
            "url": f"{playbook.simulator.base_url}/zones/{playbook.zone}/script_monitor",
            "method": "PUT",
            "body_format": "json",
            "body": {"enabled": True},
            "headers": {"Authorization": "Bearer {{ lookup('env', 'CLOUDFLARE_API_TOKEN') }}", **headers},
        },
        "no_log": True,
        "check_mode": False,
    }


def test_write_in_check_mode_is_refused(playbook: Playbook) -> None:
    """In check mode writes of the playbook are refused, but not those with the header of another editor."""
    with pytest.raises(AssertionError, match=r"check mode sent \[\('PUT', '[^']*'\)\]"):
        playbook.run([write(playbook), write(playbook, **{"X-Simulator-Editor": "1"})], check=True)


def test_secret_in_the_output_is_refused(playbook: Playbook) -> None:
    """Unchanged, quoted and escaped secrets are found in all output and files; the simulator's credentials even without `secrets`."""
    texts = [SECRET, f"{SECRET}/+", f'{SECRET}"']
    tasks = [
        {"name": "Show", "ansible.builtin.debug": {"msg": [*texts, "{{ lookup('env', 'CLOUDFLARE_API_TOKEN') }}"]}},
        {
            "name": "Leave",
            "ansible.builtin.copy": {"content": "{{ left }}", "dest": "{{ lookup('env', 'HOME') }}/left", "mode": "0600"},
            "no_log": True,
        },
    ]
    with pytest.raises(AssertionError, match="a secret can be read") as refused:
        playbook.run(tasks, extra_vars={"left": f"left-{SECRET[7:]}"}, secrets=[*texts, f"left-{SECRET[7:]}"])
    for text in (*texts, "home/left", playbook.simulator.token):
        assert f"{text!r} in" in str(refused.value) or f"in {text}:" in str(refused.value), text


def test_failure_outside_of_a_task_is_refused(playbook: Playbook) -> None:
    report = playbook.run(playbook=[{"hosts": "all", "nonsense": True}], fails="ansible")
    assert report.returncode != 0
    with pytest.raises(AssertionError, match="failed outside of a task"):
        invariants.check_failures(report, None)
