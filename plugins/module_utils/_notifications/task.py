# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._address import ACCOUNT_ID
from .._api.client import Client
from .._core import Answer, Conclusion, Plan
from .._engine.steps import Outcome
from .._engine.task import InfoTask, Spec, StateTask
from .options import IDENTITY, INFO_OPTIONS, OPTIONS, DesiredPolicy, PolicyQuery, desire, desire_report
from .plan import PolicyState, conclude, plan
from .read import read, read_webhook, report, reread, reread_webhook, verify, verify_webhook
from .webhook import secrets_of
from .webhook_options import IDENTITY as WEBHOOK_IDENTITY
from .webhook_options import OPTIONS as WEBHOOK_OPTIONS
from .webhook_options import DesiredWebhook, desire_webhook
from .webhook_plan import WebhookState, conclude_webhook, plan_webhook


class NotificationPolicy(StateTask[DesiredPolicy, PolicyState]):
    """A notification policy of an account."""

    name = "notification_policy"
    spec = Spec(options=OPTIONS, required_one_of=[IDENTITY])
    addresses = (ACCOUNT_ID,)

    desire = staticmethod(desire)
    read = staticmethod(read)
    plan = staticmethod(plan)
    reread = staticmethod(reread)
    conclude = staticmethod(conclude)

    def verify(self, client: Client, outcomes: t.Sequence[Outcome]) -> None:
        verify(
            client,
            [(outcome.step.state, outcome.conclusion.result["notification_policy"]) for outcome in outcomes if outcome.created],
        )


TASK = NotificationPolicy()


class NotificationWebhook(StateTask[DesiredWebhook, WebhookState]):
    """A webhook that the policies of an account can name."""

    name = "notification_webhook"
    spec = Spec(options=WEBHOOK_OPTIONS, required_one_of=[WEBHOOK_IDENTITY])
    addresses = (ACCOUNT_ID,)

    desire = staticmethod(desire_webhook)
    read = staticmethod(read_webhook)
    plan = staticmethod(plan_webhook)
    reread = staticmethod(reread_webhook)

    def conclude(self, desired: DesiredWebhook, state: WebhookState, plan: Plan, answers: t.Sequence[Answer]) -> Conclusion:
        return conclude_webhook(plan, answers)

    def secrets(self, desired: DesiredWebhook, state: WebhookState | None) -> t.Iterable[str]:
        url = state.webhook.url if state and state.webhook else None
        return (*secrets_of(desired.url), *secrets_of(url), *([desired.secret] if desired.secret else []))

    def verify(self, client: Client, outcomes: t.Sequence[Outcome]) -> None:
        verify_webhook(
            client, [(outcome.step.state, outcome.conclusion.result[self.name]) for outcome in outcomes if outcome.created]
        )


WEBHOOK_TASK = NotificationWebhook()


class NotificationPolicyInfo(InfoTask[PolicyQuery]):
    """What an account has of them."""

    name = "notification_policy_info"
    spec = Spec(options=INFO_OPTIONS)
    addresses = (ACCOUNT_ID,)

    desire = staticmethod(desire_report)
    report = staticmethod(report)


INFO_TASK = NotificationPolicyInfo()
