# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._core import HOLDS_DATA, STATE_OPTION, invalid_option
from .facts import ALWAYS, IF_DIFFERENT, SENDING
from .webhook import split

# One of these is required to identify a webhook.
IDENTITY = ("name", "webhook_id")

OPTIONS: dict[str, dict[str, t.Any]] = {
    **STATE_OPTION,
    "name": {"type": "str", HOLDS_DATA: True},
    "webhook_id": {"type": "str"},
    "url": {"type": "str", "no_log": True},
    "secret": {"type": "str", "no_log": True},
    "send_url": {"type": "str", "choices": list(SENDING), "default": IF_DIFFERENT},
}


class DesiredWebhook(t.NamedTuple):
    """The desired state of a webhook; None stands for an omitted option. `sends`: the address is sent even if it looks equal."""

    present: bool
    name: str | None
    webhook_id: str | None
    url: str | None
    secret: str | None
    sends: bool


def desire_webhook(params: t.Mapping[str, t.Any]) -> DesiredWebhook:
    for option in ("name", "webhook_id", "url", "secret"):
        if params[option] is not None and not params[option].strip():
            raise invalid_option(option, "is empty; omit it")
    url = params["url"].strip() if params["url"] else None
    # Messages never repeat the address, which is a secret.
    if url is not None and any(character.isspace() or not character.isprintable() for character in url):
        raise invalid_option("url", "contains a blank or a control character")
    parts = split(url)
    if url is not None and (parts is None or parts.scheme != "https"):
        raise invalid_option("url", "must be an address that begins with https:// and has a host")
    sends = params["send_url"] == ALWAYS
    if sends and url is None and params["state"] == "present":
        raise invalid_option("url", "is required with send_url: always")
    return DesiredWebhook(params["state"] == "present", params["name"], params["webhook_id"], url, params["secret"], sends)
