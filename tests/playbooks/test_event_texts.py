# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._events.facts import inert
from harness import Playbook

HOSTILE = [
    "{{ lookup('ansible.builtin.file', planted) }}",
    "{% set x = 1 %}{{ 6 * 7 }}{# gone #}",
    "#jinja2: variable_start_string:'[[', variable_end_string:']]'\n[[ lookup('ansible.builtin.file', planted) ]]",
    "#jinja2: variable_start_string:'[['",
    "{{{ 6 * 7 }}}",
    "{\u202e{ 6 * 7 }}",
]


@pytest.mark.every_core
def test_texts_of_events_stay_what_they_are(playbook: Playbook, tmp_path: Path) -> None:
    """A rule hands texts of an event on as variables, which a playbook uses in templates and arguments."""
    planted = tmp_path / "planted"
    planted.write_text("planted-text")
    texts = inert(HOSTILE)
    shown = tmp_path / "shown.json"
    copy = {"content": "{{ texts | to_json }}", "dest": str(shown)}
    tasks = [
        {"name": "Use them in a template", "ansible.builtin.copy": copy},
        {"name": "Use each", "ansible.builtin.debug": {"msg": "{{ item }}"}, "loop": "{{ texts }}"},
    ]
    report = playbook.run(tasks, extra_vars={"texts": texts, "planted": str(planted)})
    assert json.loads(shown.read_text()) == texts
    assert [each["msg"] for outcome in report.outcomes for each in outcome.result.get("results", ())] == texts
    assert "planted-text" not in report.stdout
