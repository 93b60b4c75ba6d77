# SPDX-License-Identifier: GPL-3.0-or-later

"""Secrets that tests use, and the search for them in all output and files of a run."""

import json
import re
import typing as t
from urllib.parse import parse_qsl, quote, quote_plus, unquote, urlsplit

SHORTEST = 8
_SECRET_OPTIONS = ("api_token", "api_key", "ownership_challenge", "destination_conf")
_SECRET_NAME = re.compile(r"secret|token|password|sig|key$|^header_", re.IGNORECASE)


def of_destination(destination: str) -> set[str]:
    """Return the secret parts of a destination, parsed here independently of the collection's own code."""
    try:
        parts = urlsplit(destination)
    except ValueError:
        return set()
    secrets = set(parts.netloc.rpartition("@")[0].split(":")) if "@" in parts.netloc else set()
    if parts.scheme == "sumo":
        secrets.add(parts.path.rpartition("/")[2])
    secrets.update(value for name, value in parse_qsl(parts.query) if _SECRET_NAME.search(name))
    return {secret for secret in secrets if secret.strip("*")}


def hoist(node: t.Any, variables: dict[str, str], name: str = "") -> t.Any:
    """Return the playbook with literal secrets moved into variables.

    Newer ansible-core prints lines of the playbook with an error. A secret that is written there as a literal would be printed, and
    no module could mask it.
    """
    if isinstance(node, dict):
        return {key: hoist(value, variables, key) for key, value in node.items()}
    if isinstance(node, list):
        return [hoist(member, variables) for member in node]
    if name not in _SECRET_OPTIONS or not isinstance(node, str) or not node or "{{" in node:
        return node
    variable = f"planted_{len(variables)}"
    variables[variable] = node
    return f"{{{{ {variable} }}}}"


def of_variables(variables: t.Mapping[str, str]) -> set[str]:
    """Return the secrets of these variables: the secret parts of destinations, the whole value of all others."""
    secrets: set[str] = set()
    for value in variables.values():
        secrets.update(of_destination(value) if "://" in value else {value})
    return secrets


def all_of(
    simulator: t.Any, secrets: t.Iterable[str], planted: t.Mapping[str, str], env: t.Mapping[str, str | None] | None
) -> set[str]:
    """Return all strings that no output may contain: `secrets`, the simulator's credentials, secrets of variables and environment."""
    own = {value for value in (simulator.token, simulator.key) if value}
    from_env = {value for name, value in (env or {}).items() if value and name.endswith(("_TOKEN", "_API_KEY"))}
    return {*secrets, *own, *from_env, *of_variables(planted)}


def spellings(secret: str) -> set[str]:
    """Return the forms in which a secret may be printed: unchanged, quoted or unquoted for a URL, escaped for JSON."""
    variants = {secret, unquote(secret), quote(secret, safe=""), quote_plus(secret), json.dumps(secret)[1:-1]}
    return {variant for variant in variants if len(variant) >= SHORTEST}


def leaks(secrets: t.Iterable[str], places: t.Mapping[str, str]) -> list[str]:
    """Return each place where a secret was found, with the text around it."""
    leaked = []
    for secret in sorted(secrets):
        for spelling in spellings(secret):
            for place, text in places.items():
                at = text.find(spelling)
                if at >= 0:
                    leaked.append(f"{spelling!r} in {place}: ...{text[max(0, at - 200) : at + 200]!r}...")
    return leaked
