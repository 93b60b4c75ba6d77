# SPDX-License-Identifier: GPL-3.0-or-later

"""Keep the values of secret options out of results, in process and as an ordinary module, in every version of ansible-core.

Before 2.22, AnsibleModule masks whatever contains their letters, also the words of a message; newer versions mask what they display, but leave
secrets in the results that tasks register.
"""

from __future__ import annotations

import collections.abc
import json
import re
import typing as t

from .._core import KINDS
from .._redact import FREELY_MASKED, MASK, text_without

try:
    from ansible.module_utils.secrets import register_secrets
except ImportError:  # before 2.22

    def register_secrets(values: t.Iterable[str], /) -> None:
        """Do nothing: ansible-core knows no secrets beside the options."""


# The words of ansible-core.
HIDDEN_VALUE = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
_TEXT = frozenset((str,))
_SCALARS = frozenset((str, int, float, bool, type(None)))


def secrets_of(options: t.Mapping[str, t.Any], argument: object, is_secret: bool = False) -> t.Iterator[str]:
    """Yield the texts that options with `no_log` have at any depth of the arguments."""
    if isinstance(argument, (list, tuple)):
        for item in argument:
            yield from secrets_of(options, item, is_secret)
    elif isinstance(argument, dict):
        for name, value in argument.items():
            option = options.get(name, {})
            yield from secrets_of(option.get("options", {}), value, is_secret or bool(option.get("no_log")))
    elif is_secret and argument not in (None, "") and not isinstance(argument, bool):
        yield str(argument)


def register(secrets: t.Iterable[str]) -> None:
    """Let ansible-core mask secrets in whatever it displays; short ones would mask every digit.

    Not for an ordinary module, whose output would carry them to the controller, and into the file of an asynchronous job.
    """
    register_secrets([secret for secret in secrets if len(secret) >= FREELY_MASKED])


def mask_result(result: t.Mapping[str, t.Any], secrets: t.Collection[str]) -> dict[str, t.Any]:
    """Return a result with the values of secret options masked.

    Each member is searched separately, so that secrets in the arguments do not slow down the search in all other members.
    """
    return {name: _without_secrets(value, secrets) for name, value in result.items()}


def _without_secrets(value: t.Any, secrets: t.Collection[str]) -> t.Any:
    plain = _is_plain(value)
    if plain and not secrets:
        return value
    text = text_without(value, secrets)
    if text is None:
        return _masked(value, [_Secret(secret) for secret in sorted(secrets, key=len, reverse=True)])
    return value if plain else json.loads(text)


class _Secret:
    """A secret; a short one is found as a whole word only, because its letters are in many words."""

    def __init__(self, text: str) -> None:
        exact = re.escape(text)
        self._pattern = re.compile(exact if len(text) >= FREELY_MASKED else rf"(?<![^\W_]){exact}(?![^\W_])")

    def is_in(self, text: str) -> bool:
        return self._pattern.search(text) is not None

    def is_all_of(self, text: str) -> bool:
        return self._pattern.fullmatch(text) is not None

    def masked_in(self, text: str) -> str:
        return self._pattern.sub(MASK, text)


def _masked(value: t.Any, secrets: t.Sequence[_Secret]) -> t.Any:
    """Return a value with secrets masked, the longest first; names of members, nulls, booleans and the kinds of failures stay."""
    if isinstance(value, collections.abc.Mapping):
        # By the kind of a failure a playbook decides, and no secret was made a word of ours.
        return {
            name: member if name == "kind" and isinstance(member, str) and member in KINDS else _masked(member, secrets)
            for name, member in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [_masked(item, secrets) for item in value]
    if value is None or isinstance(value, bool):
        return value
    text = str(value)
    if any(secret.is_all_of(text) for secret in secrets):
        return HIDDEN_VALUE
    if not isinstance(value, str):
        return HIDDEN_VALUE if any(secret.is_in(text) for secret in secrets) else value
    for secret in secrets:
        text = secret.masked_in(text)
    return text


def _is_plain(value: t.Any) -> bool:
    """Return whether a value is unchanged by JSON: only plain types, no tuples, and names that are strings."""
    waiting = [value]
    while waiting:
        container = waiting.pop()
        kind = type(container)
        if kind is dict and _TEXT.issuperset(map(type, container)):
            container = container.values()
        elif kind is not list:
            if kind in _SCALARS:
                continue
            return False
        waiting.extend(inner for inner in container if type(inner) not in _SCALARS)
    return True
