# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._address import ACCOUNT_ID
from .._api.client import Client
from .._core import Answer, Conclusion, Plan
from .._engine.steps import Outcome
from .._engine.task import InfoTask, Params, Spec, StateTask
from .options import IDENTITY, OPTIONS, Desired, TransformerQuery, desire, desire_report
from .plan import TransformerState, conclude, plan
from .read import read, report, reread, verify


class LogpushTransformer(StateTask[Desired, TransformerState]):
    """A transformer of an account."""

    name = "logpush_transformer"
    spec = Spec(options=OPTIONS, required_one_of=[IDENTITY])
    addresses = (ACCOUNT_ID,)

    def desire(self, params: Params) -> Desired:
        return desire(params)

    def read(self, client: Client, desired: Desired) -> TransformerState:
        return read(client, desired)

    def plan(self, desired: Desired, state: TransformerState) -> Plan:
        return plan(desired, state)

    def reread(self, client: Client, plan: Plan, answers: t.Sequence[Answer]) -> t.Sequence[Answer]:
        return reread(client, plan, answers)

    def conclude(self, desired: Desired, state: TransformerState, plan: Plan, answers: t.Sequence[Answer]) -> Conclusion:
        return conclude(desired, state, plan, answers)

    def verify(self, client: Client, outcomes: t.Sequence[Outcome]) -> None:
        # A changed query must not be sent twice either, and creates no transformer.
        created = [each for each in outcomes if each.created and each.step.state.transformer is None]
        verify(client, [(each.step.state, each.conclusion.result["transformer"]) for each in created])


TASK = LogpushTransformer()


class LogpushTransformerInfo(InfoTask[TransformerQuery]):
    """What an account has of them."""

    name = "logpush_transformer_info"
    spec = Spec(options={"name": {"type": "str"}, "transformer_id": {"type": "int"}})
    addresses = (ACCOUNT_ID,)

    def desire(self, params: Params) -> TransformerQuery:
        return desire_report(params)

    def report(self, client: Client, desired: TransformerQuery) -> Conclusion:
        return report(client, desired)


INFO_TASK = LogpushTransformerInfo()
