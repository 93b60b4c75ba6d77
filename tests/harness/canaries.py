# SPDX-License-Identifier: GPL-3.0-or-later

"""Secrets that a test plants, and the search for them in everything that a run leaves behind."""

import json
import re
import typing as t
from urllib.parse import parse_qsl, quote, quote_plus, unquote, urlsplit

SHORTEST = 8
_SECRET_OPTIONS = ("api_token", "api_key", "ownership_challenge", "destination_conf")
_SECRET_NAME = re.compile(r"secret|token|password|sig|key$|^header_", re.IGNORECASE)


def of_destination(destination: str) -> set[str]:
    """The parts of a destination that no output may show: told apart here a second time, independently of the collection."""
    try:
        parts = urlsplit(destination)
    except ValueError:
        return set()
    found = set(parts.netloc.rpartition("@")[0].split(":")) if "@" in parts.netloc else set()
    if parts.scheme == "sumo":
        found.add(parts.path.rpartition("/")[2])
    found.update(value for name, value in parse_qsl(parts.query) if _SECRET_NAME.search(name))
    return {secret for secret in found if secret.strip("*")}


def hoist(node: t.Any, variables: dict[str, str], name: str = "") -> t.Any:
    """The same playbook with literal secrets moved into variables, where people keep them too.

    Newer ansible-core quotes the lines of a playbook beside an error, and what is written there in clear is not for a
    module to hide.
    """
    if isinstance(node, dict):
        return {each: hoist(value, variables, each) for each, value in node.items()}
    if isinstance(node, list):
        return [hoist(member, variables) for member in node]
    if name not in _SECRET_OPTIONS or not isinstance(node, str) or not node or "{{" in node:
        return node
    variable = f"planted_{len(variables)}"
    variables[variable] = node
    return f"{{{{ {variable} }}}}"


def of_variables(variables: t.Mapping[str, str]) -> set[str]:
    """The secrets in hoisted options: whole, except for destinations, of which only parts are secret."""
    found: set[str] = set()
    for value in variables.values():
        found.update(of_destination(value) if "://" in value else {value})
    return found


def all_of(
    simulator: t.Any, given: t.Iterable[str], planted: t.Mapping[str, str], env: t.Mapping[str, str | None] | None
) -> set[str]:
    """What a run must not show: what the test names, the simulator's credentials, and those in variables and environment."""
    own = {value for value in (simulator.token, simulator.key) if value}
    from_env = {value for name, value in (env or {}).items() if value and name.endswith(("_TOKEN", "_API_KEY"))}
    return {*given, *own, *from_env, *of_variables(planted)}


def spellings(secret: str) -> set[str]:
    """A secret as it may turn up: as it is, quoted for a URL, unquoted, or escaped in JSON text."""
    variants = {secret, unquote(secret), quote(secret, safe=""), quote_plus(secret), json.dumps(secret)[1:-1]}
    return {variant for variant in variants if len(variant) >= SHORTEST}


def leaks(secrets: t.Iterable[str], places: t.Mapping[str, str]) -> list[str]:
    """Where a secret can be read, with the text around it."""
    found = []
    for secret in sorted(secrets):
        for spelling in spellings(secret):
            for place, text in places.items():
                at = text.find(spelling)
                if at >= 0:
                    found.append(f"{spelling!r} in {place}: ...{text[max(0, at - 200) : at + 200]!r}...")
    return found
