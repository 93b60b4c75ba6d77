# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._address import ACCOUNT_ID
from .._api.client import Client
from .._core import Answer, Conclusion, Plan
from .._engine.steps import Outcome
from .._engine.task import InfoTask, Params, Spec, StateTask
from .options import IDENTITY, OPTIONS, Desired, PolicyQuery, desire, desire_report
from .plan import PolicyState, conclude, plan
from .read import read, report, reread, verify


class NotificationPolicy(StateTask[Desired, PolicyState]):
    """A notification policy of an account."""

    name = "notification_policy"
    spec = Spec(options=OPTIONS, required_one_of=[IDENTITY])
    addresses = (ACCOUNT_ID,)

    def desire(self, params: Params) -> Desired:
        return desire(params)

    def read(self, client: Client, desired: Desired) -> PolicyState:
        return read(client, desired)

    def plan(self, desired: Desired, state: PolicyState) -> Plan:
        return plan(desired, state)

    def reread(self, client: Client, plan: Plan, answers: t.Sequence[Answer]) -> t.Sequence[Answer]:
        return reread(client, plan, answers)

    def conclude(self, desired: Desired, state: PolicyState, plan: Plan, answers: t.Sequence[Answer]) -> Conclusion:
        return conclude(desired, state, plan, answers)

    def verify(self, client: Client, outcomes: t.Sequence[Outcome]) -> None:
        verify(client, [(each.step.state, each.conclusion.result["notification_policy"]) for each in outcomes if each.created])


TASK = NotificationPolicy()


class NotificationPolicyInfo(InfoTask[PolicyQuery]):
    """What an account has of them."""

    name = "notification_policy_info"
    spec = Spec(options={"name": {"type": "str"}, "policy_id": {"type": "str"}})
    addresses = (ACCOUNT_ID,)

    def desire(self, params: Params) -> PolicyQuery:
        return desire_report(params)

    def report(self, client: Client, desired: PolicyQuery) -> Conclusion:
        return report(client, desired)


INFO_TASK = NotificationPolicyInfo()
