# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import types
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._plan import Conclusion, Plan, Request


class Step(t.NamedTuple):
    """One of several plans of a task: the single task that it is of, where its options are, and what it was made from."""

    part: str
    place: str
    label: str
    desired: t.Any
    state: t.Any
    plan: Plan


class Outcome(t.NamedTuple):
    """What the answers to a step mean, whether this run wrote anything for it, and whether it surely created something."""

    step: Step
    conclusion: Conclusion
    written: bool
    created: bool = False


class Rival(t.NamedTuple):
    """What another run created first: it takes the place of what an outcome created, which `deletion` removes.

    `warning` reports that this is done, and `note` what was met, for a failure of it.
    """

    outcome: Outcome
    deletion: Request
    desired: t.Any
    state: t.Any
    warning: str
    note: str


class Approval(t.NamedTuple):
    """The plan id that an option expects, if it does, and the present one."""

    option: str
    expected: str | None
    found: str | None


class Composition(t.NamedTuple):
    """Several plans as one.

    `whole` is what check mode, diff and approval see. `steps` are the plans with requests, in the order of their writes;
    `conclude` makes their outcomes, also of some or none of them, into one.
    `approvals` are those of plans that are approved on their own.
    """

    whole: Plan
    steps: tuple[Step, ...]
    conclude: t.Callable[[t.Sequence[Outcome]], Conclusion]
    approvals: t.Mapping[str, Approval] = types.MappingProxyType({})
