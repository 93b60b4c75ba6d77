# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._core import Json, bad_answer
from .._selection import Nouns
from .._text import dict_of, json_type
from .facts import MECHANISMS

# Made by the service, and not sent back.
SERVER_MADE = ("id", "created", "modified")
_TEXTS = ("description", "alert_interval", "created", "modified")


class Policy(t.NamedTuple):
    """A notification policy of the service, parsed once. `members` are as the service sent them; names and values are sorted.

    `mechanisms` has the ids of each documented type, `filters` those that restrict something.
    """

    id: str
    name: str
    enabled: bool
    alert_type: str
    mechanisms: t.Mapping[str, tuple[str, ...]]
    filters: t.Mapping[str, tuple[str, ...]]
    members: t.Mapping[str, Json]

    def text(self, member: str) -> str:
        return str(self.members.get(member) or "")


def parse_policy(sent: Json) -> Policy:
    """Parse a policy of the service; raise `bad_response` if a member has an undocumented type."""
    if not isinstance(sent, dict):
        raise bad_answer(f"a notification policy is {json_type(sent)}, not an object")
    texts = {member: sent.get(member) for member in ("id", "name", "alert_type")}
    for member, value in texts.items():
        if not isinstance(value, str):
            raise bad_answer(f"a notification policy has {json_type(value)} as its {member}, not a string")
    if not texts["id"]:
        raise bad_answer("a notification policy has an empty id")
    for member in _TEXTS:
        if not isinstance(sent.get(member), (str, type(None))):
            raise bad_answer(f"the notification policy {texts['id']} has {json_type(sent[member])} as its {member}, not a string")
    enabled = sent.get("enabled")
    if not isinstance(enabled, bool):
        raise bad_answer(f"the notification policy {texts['id']} has {json_type(enabled)} as its enabled, not true or false")
    for member, empty in (("mechanisms", ()), ("filters", (type(None),))):
        if not isinstance(sent.get(member), (dict, *empty)):
            raise bad_answer(
                f"the notification policy {texts['id']} has {json_type(sent.get(member))} as its {member}, not an object"
            )
    mechanisms = dict_of(sent.get("mechanisms"))
    filters = {str(name): _texts(str(name), values) for name, values in dict_of(sent.get("filters")).items()}
    return Policy(
        id=str(texts["id"]),
        name=str(texts["name"]),
        enabled=enabled,
        alert_type=str(texts["alert_type"]),
        mechanisms={name: _ids(name, mechanisms.get(name)) for name in MECHANISMS},
        filters={name: values for name, values in sorted(filters.items()) if values},
        members=sent,
    )


def _ids(name: str, sent: Json) -> tuple[str, ...]:
    if not isinstance(sent, (list, type(None))):
        raise bad_answer(f"mechanisms.{name} is {json_type(sent)}, not a list")
    ids = [dict_of(item).get("id") for item in sent or ()]
    if not all(isinstance(number, str) and number for number in ids):
        raise bad_answer(f"an item of mechanisms.{name} has no id")
    return tuple(sorted(set(map(str, ids))))


def _texts(name: str, sent: Json) -> tuple[str, ...]:
    sent = [sent] if isinstance(sent, str) else sent
    if not isinstance(sent, (list, type(None))) or not all(isinstance(text, str) for text in sent or ()):
        raise bad_answer(f"the filter {name[:60]!r} is not a list of strings")
    return tuple(sorted(set(map(str, sent or ()))))


def require_known(policy: Policy) -> Policy:
    """Return a policy that a task may write; raise `bad_response` if a filter is one text, or has an empty one: what it restricts is not known."""
    for name, sent in dict_of(policy.members.get("filters")).items():
        if sent and not (isinstance(sent, list) and all(sent)):
            raise bad_answer(
                f"filters.{str(name)[:60]} of the notification policy {policy.id} is not a list of strings that are not empty"
            )
    return policy


NOUNS = Nouns("notification policy", "notification policies", "policy_id")


def view(policy: Policy) -> dict[str, Json]:
    """Return a policy as a result; mechanisms are ids."""
    return {
        "id": policy.id,
        "name": policy.name,
        "description": policy.text("description"),
        "enabled": policy.enabled,
        "alert_type": policy.alert_type,
        "alert_interval": policy.text("alert_interval"),
        "filters": {name: list(values) for name, values in policy.filters.items()},
        "mechanisms": {name: list(policy.mechanisms[name]) for name in MECHANISMS},
        "created": policy.members.get("created"),
        "modified": policy.members.get("modified"),
    }
