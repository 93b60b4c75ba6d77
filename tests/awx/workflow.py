# SPDX-License-Identifier: GPL-3.0-or-later

"""Workflows of the example as the controller would run them."""

from __future__ import annotations

import typing as t

from awx.jobs import artifacts, launch
from awx.stub import Controller

from harness import Playbook
from harness.outcome import Report


class Workflow:
    """A launched workflow: what ran by the identifier of its node, and the approval at which it waits."""

    def __init__(self, playbook: Playbook, controller: Controller, name: str, limit: str = "all") -> None:
        self.reports: dict[str, Report] = {}
        self.waiting: str | None = None
        self._playbook, self._controller = playbook, controller
        self._template, self._limit = controller.named("workflow_job_templates", name), limit
        self._nodes = controller.nodes(name)
        self._artifacts: dict[str, t.Any] = {}
        followed = {number for node in self._nodes.values() for number in node["success_nodes"]}
        (first,) = [identifier for identifier, node in self._nodes.items() if node["id"] not in followed]
        self._go_on(first)

    def approve(self, **run: t.Any) -> Report:
        """Approve, and return the job that ran then."""
        assert self.waiting, "nothing waits for an approval"
        (number,) = self._nodes[self.waiting]["success_nodes"]
        (following,) = [identifier for identifier, node in self._nodes.items() if node["id"] == number]
        self.waiting = None
        self._go_on(following, **run)
        return self.reports[following]

    def _go_on(self, identifier: str, **run: t.Any) -> None:
        node = self._nodes[identifier]
        template = self._controller.find("unified_job_templates", node["unified_job_template"])
        if template["type"] == "workflow_approval_template":
            self.waiting = identifier
            return
        assert template["ask_limit_on_launch"] and self._template["ask_limit_on_launch"], "the limit does not reach this job"
        report = launch(
            self._playbook,
            self._controller,
            template["name"],
            limit=self._limit,
            given=self._artifacts,
            number=len(self.reports) + 1,
            **run,
        )
        self.reports[identifier] = report
        self._artifacts.update(artifacts(report))
        if report.returncode == 0:
            for number in node["success_nodes"]:
                (following,) = [name for name, each in self._nodes.items() if each["id"] == number]
                self._go_on(following)
