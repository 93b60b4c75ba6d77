# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._address import ACCOUNT_ID
from .._api.client import Client
from .._engine.steps import Outcome
from .._engine.task import InfoTask, Spec, StateTask
from .options import IDENTITY, OPTIONS, DesiredTransformer, TransformerQuery, desire, desire_report
from .plan import TransformerState, conclude, plan
from .read import read, report, reread, verify


class LogpushTransformer(StateTask[DesiredTransformer, TransformerState]):
    """A transformer of an account."""

    name = "logpush_transformer"
    spec = Spec(options=OPTIONS, required_one_of=[IDENTITY])
    addresses = (ACCOUNT_ID,)

    desire = staticmethod(desire)
    read = staticmethod(read)
    plan = staticmethod(plan)
    reread = staticmethod(reread)
    conclude = staticmethod(conclude)

    def verify(self, client: Client, outcomes: t.Sequence[Outcome]) -> None:
        # A changed query must not be sent twice either, and creates no transformer.
        created = [outcome for outcome in outcomes if outcome.created and outcome.step.state.transformer is None]
        verify(client, [(outcome.step.state, outcome.conclusion.result["transformer"]) for outcome in created])


TASK = LogpushTransformer()


class LogpushTransformerInfo(InfoTask[TransformerQuery]):
    """What an account has of them."""

    name = "logpush_transformer_info"
    spec = Spec(options={"name": OPTIONS["name"], "transformer_id": {"type": "int"}})
    addresses = (ACCOUNT_ID,)

    desire = staticmethod(desire_report)
    report = staticmethod(report)


INFO_TASK = LogpushTransformerInfo()
