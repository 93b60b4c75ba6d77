# SPDX-License-Identifier: GPL-3.0-or-later

"""What the collection sends, compared with the types of the vendor's SDK, which nobody here wrote."""

import functools
import importlib
import re
import typing as t

import pydantic

# The parameters of the SDK for each request, by method and path below the zone or account.
PARAMETERS = {
    r"POST .*/logpush/jobs": "logpush.job_create_params.JobCreateParams",
    r"PUT .*/logpush/jobs/\d+": "logpush.job_update_params.JobUpdateParams",
    r"POST .*/logpush/ownership": "logpush.ownership_create_params.OwnershipCreateParams",
    r"POST .*/logpush/ownership/validate": "logpush.ownership_validate_params.OwnershipValidateParams",
    r"POST .*/logpush/transformers": "logpush.transformer_create_params.TransformerCreateParams",
    r"POST .*/logpush/transformers/preview": "logpush.transformer_preview_params.TransformerPreviewParams",
    r"PUT .*/logpush/transformers/\d+": "logpush.transformer_update_params.TransformerUpdateParams",
    r"PUT .*/page_shield": "page_shield.page_shield_update_params.PageShieldUpdateParams",
    r"POST .*/page_shield/policies": "page_shield.policy_create_params.PolicyCreateParams",
    r"PUT .*/page_shield/policies/\w+": "page_shield.policy_update_params.PolicyUpdateParams",
    r"POST .*/rulesets": "rulesets.ruleset_create_params.RulesetCreateParams",
    r"PUT .*/rulesets/\w+": "rulesets.ruleset_update_params.RulesetUpdateParams",
    r"POST .*/alerting/v3/policies": "alerting.policy_create_params.PolicyCreateParams",
    r"PUT .*/alerting/v3/policies/\w+": "alerting.policy_update_params.PolicyUpdateParams",
    r"POST .*/alerting/v3/destinations/webhooks": "alerting.destinations.webhook_create_params.WebhookCreateParams",
    r"PUT .*/alerting/v3/destinations/webhooks/\w+": "alerting.destinations.webhook_update_params.WebhookUpdateParams",
}

# What the collection sends and the types do not have, and why.
UNTYPED = {
    ".transformer_id": "documented with the transformers, and missing in the types of jobs",
    ".filters.zone": "a wrong name in a test: it is sent with a warning",
    **dict.fromkeys((".newer", ".mechanisms.slack"), "of a policy in a test: members that are unknown are kept"),
}


@functools.cache
def _adapter(name: str) -> pydantic.TypeAdapter[t.Any]:
    module, _dot, of = name.rpartition(".")
    return pydantic.TypeAdapter(getattr(importlib.import_module(f"cloudflare.types.{module}"), of))


def _lost(sent: object, read: object, place: str = "") -> list[str]:
    """Return the members of a body that the types do not have: the SDK leaves them out."""
    if isinstance(sent, dict) and isinstance(read, dict):
        return [
            member
            for name, value in sent.items()
            for member in (_lost(value, read[name], f"{place}.{name}") if name in read else [f"{place}.{name}"])
        ]
    if isinstance(sent, list) and isinstance(read, (list, tuple)):
        return [member for one, other in zip(sent, read, strict=True) for member in _lost(one, other, f"{place}[]")]
    return []


def misfits(entry: t.Mapping[str, t.Any]) -> list[str]:
    """Return what of the body of a request in the journal the types refuse or do not have, each with its place."""
    method, path, body = entry["method"], entry["path"], entry["body"]
    fits = [name for pattern, name in PARAMETERS.items() if re.fullmatch(pattern, f"{method} {path}")]
    if not fits or not isinstance(body, dict):
        return []
    try:
        # The SDK also takes the address as parameters.
        read = _adapter(fits[0]).validate_python({**body, "zone_id": "", "account_id": ""})
    except pydantic.ValidationError as error:
        return [f".{'.'.join(str(part) for part in problem['loc'])}: {problem['msg']}" for problem in error.errors()]
    return [place for place in _lost(body, read) if place not in UNTYPED]
