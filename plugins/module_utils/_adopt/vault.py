# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t
from urllib.parse import quote_plus, unquote

from ansible_collections.edgeops.observability.plugins.module_utils._destination.mask import secret_parts
from ansible_collections.edgeops.observability.plugins.module_utils._destination.parse import Option, parse

_OTHER = re.compile(r"[^a-z0-9]")
_DELIMITER = re.compile(r"\{[{%#]")
_MASKED = re.compile(r"\*{3,}")


class Template(t.NamedTuple):
    """A destination with a variable in place of each secret, and the names of these variables."""

    text: str
    names: tuple[str, ...]


def variable_key(text: str) -> str:
    """A host name or an option as part of the name of a variable."""
    return _OTHER.sub("_", text.lower())


def is_unreadable(conf: str) -> bool:
    """Whether a destination holds a secret, or a mask that the service put in the place of something."""
    return bool(_MASKED.search(conf)) or bool(secret_parts(conf))


def template_of(conf: str, prefix: str) -> Template:
    """The destination as a template that takes its secrets from variables whose names begin with `prefix`."""
    parts = parse(conf)
    names = _Names(prefix)
    # The filter urlencode leaves a slash as it is, which would end the address behind a password.
    if not parts.sound or "/" in unquote(parts.user or ""):
        return _whole(prefix)
    user = "" if parts.user is None else f"{_user(parts.user, names)}@"
    secret_path = parts.has_secret_path and parts.path.strip("/")
    path = f"/{names.variable('path', parts.path)}" if secret_path else _literal(parts.path)
    options = "&".join(_option(option, names) for option in parts.options)
    text = f"{parts.scheme}://{user}{_literal(parts.authority)}{path}{'?' if options else ''}{options}"
    # A secret that sits where no option names it, as in a fragment, makes the destination one secret as a whole.
    hidden = any(secret in text for secret in secret_parts(conf))
    return _whole(prefix) if hidden else Template(text, tuple(names.values))


class _Names:
    """The variables of a destination in their order, each with its secret; no two secrets share one."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self.values: dict[str, str] = {}

    def variable(self, part: str, secret: str) -> str:
        name = base = f"{self._prefix}_{variable_key(part)}"
        number = 1
        while self.values.setdefault(name, secret) != secret:
            number += 1
            name = f"{base}_{number}"
        return f"{{{{ {name} | urlencode }}}}"


def _literal(text: str) -> str:
    """Text of the service within a template, where it stays text."""
    return _DELIMITER.sub(lambda found: f"{{{{ '{found[0]}' }}}}", text)


def _whole(prefix: str) -> Template:
    name = f"{prefix}_destination"
    return Template(f"{{{{ {name} }}}}", (name,))


def _user(user: str, names: _Names) -> str:
    name, colon, password = user.partition(":")
    return f"{names.variable('user', name)}:{names.variable('password', password)}" if colon else names.variable("password", user)


def _option(option: Option, names: _Names) -> str:
    name = _literal(quote_plus(option.name, safe=""))
    if option.value is None:
        return names.variable("option", option.name) if option.secret else name
    return f"{name}={names.variable(option.name, option.value) if option.secret else _literal(option.value)}"
