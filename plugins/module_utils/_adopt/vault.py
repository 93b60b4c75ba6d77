# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t
from urllib.parse import quote_plus

from ansible_collections.edgeops.observability.plugins.module_utils._destination.mask import secret_parts
from ansible_collections.edgeops.observability.plugins.module_utils._destination.parse import Option, parse

_OTHER = re.compile(r"[^a-z0-9]")
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
    return bool(_MASKED.search(conf)) or secret_parts(conf) > {conf} or not parse(conf).sound


def template_of(conf: str, prefix: str) -> Template:
    """The destination as a template that takes its secrets from variables whose names begin with `prefix`."""
    parts = parse(conf)
    names: list[str] = []

    def variable(part: str) -> str:
        names.append(f"{prefix}_{variable_key(part)}")
        return f"{{{{ {names[-1]} | urlencode }}}}"

    if not parts.sound:
        return _whole(prefix)
    address = parts.authority if parts.user is None else f"{_user(parts.user, variable)}@{parts.authority}"
    path = f"/{variable('path')}" if parts.has_secret_path and parts.path.strip("/") else parts.path
    options = "&".join(_option(option, variable) for option in parts.options)
    text = f"{parts.scheme}://{address}{path}{'?' if options else ''}{options}"
    found = Template(text, tuple(dict.fromkeys(names)))
    # A secret that sits where no option names it, as in a fragment, makes the destination one secret as a whole.
    return _whole(prefix) if any(secret in text for secret in secret_parts(conf) - {conf}) else found


def _whole(prefix: str) -> Template:
    name = f"{prefix}_destination"
    return Template(f"{{{{ {name} }}}}", (name,))


def _user(user: str, variable: t.Callable[[str], str]) -> str:
    return f"{variable('user')}:{variable('password')}" if ":" in user else variable("password")


def _option(option: Option, variable: t.Callable[[str], str]) -> str:
    name = quote_plus(option.name, safe="")
    if option.value is None:
        return variable("option") if option.secret else name
    return f"{name}={variable(option.name) if option.secret else option.value}"
