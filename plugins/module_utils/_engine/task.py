# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
import os
import re
import types
import typing as t
from urllib.parse import urlsplit

from ansible.module_utils.basic import env_fallback

from .._api.budget import parse_budget
from .._api.client import Client
from .._api.connection import (
    DEFAULT_REQUEST_BUDGET,
    DEFAULT_RETRIES,
    DEFAULT_RETRY_WAIT_MAX_SECONDS,
    DEFAULT_TIMEOUT_SECONDS,
    Connection,
)
from .._core import Answer, Composition, Conclusion, Outcome, Plan, Request, Step, invalid_option
from .._redact import MASK
from .._version import VERSION
from .._zones import ALL_ADDRESSES, HOST_ADDRESS, ZONE_ADDRESSES, parse_address

Params = t.Mapping[str, t.Any]
ArgumentSpec = dict[str, dict[str, t.Any]]

DEFAULT_BASE_URL = "https://api.cloudflare.com/client/v4"
TOKEN_VARIABLES = ("CLOUDFLARE_API_TOKEN", "CLOUDFLARE_TOKEN")
EMAIL_VARIABLE = "CLOUDFLARE_EMAIL"
KEY_VARIABLE = "CLOUDFLARE_API_KEY"
MAX_TIMEOUT_SECONDS = 3600

# Credentials have no `fallback`: those of the task take precedence over the environment's as a set, not option by option.
CONNECTION_OPTIONS: ArgumentSpec = {
    "base_url": {"type": "str", "default": DEFAULT_BASE_URL, "fallback": (env_fallback, ["CLOUDFLARE_BASE_URL"])},
    "api_token": {"type": "str", "no_log": True},
    "api_email": {"type": "str"},
    "api_key": {"type": "str", "no_log": True},
    "timeout": {"type": "float", "default": DEFAULT_TIMEOUT_SECONDS},
    "retries": {"type": "int", "default": DEFAULT_RETRIES},
    "retry_wait_max": {"type": "int", "default": DEFAULT_RETRY_WAIT_MAX_SECONDS},
    "validate_certs": {"type": "bool", "default": True},
    "ca_path": {"type": "path"},
    "request_budget": {"type": "str", "default": "{}/{:.0f}".format(*DEFAULT_REQUEST_BUDGET)},
}

_UNFIT = re.compile(r"[\s\x00-\x1f\x7f\\]")


def connection(params: Params, environ: t.Mapping[str, str] | None = None, addresses: t.Sequence[str] = ()) -> Connection:
    """Return the connection that validated options and the environment describe; refuse invalid values.

    `addresses` are the options of which exactly one names the zone or the account.
    """
    token, email, key = _credentials(params, os.environ if environ is None else environ)
    for option, value in (("api_token", token), ("api_email", email), ("api_key", key)):
        # Refused here because the error of the HTTP library would quote the value.
        if value and not all("!" <= character <= "~" for character in value):
            raise invalid_option(option, "it contains blanks, line breaks or other characters that an HTTP header cannot contain")
    if not 0 < params["timeout"] <= MAX_TIMEOUT_SECONDS:  # false for NaN as well
        reason = f"{params['timeout']!r} is not a number of seconds above 0 and up to {MAX_TIMEOUT_SECONDS}"
        raise invalid_option("timeout", reason)
    for name in ("retries", "retry_wait_max"):
        if params[name] < 0:
            raise invalid_option(name, f"{params[name]!r} is below 0")
    return Connection(
        base_url=_base_url(params["base_url"]),
        address=parse_address(params, addresses) if addresses else None,
        token=token,
        email=email,
        key=key,
        timeout=float(params["timeout"]),
        retries=params["retries"],
        retry_wait_max=params["retry_wait_max"],
        verify=(params.get("ca_path") or True) if params["validate_certs"] else False,
        request_budget=parse_budget(params["request_budget"]),
        user_agent=f"edgeops.observability/{VERSION}",
    )


def without_empty(arguments: Params) -> dict[str, t.Any]:
    """Return the arguments without empty connection options, which mean omitted: the environment or the default applies."""
    return {name: value for name, value in arguments.items() if name not in CONNECTION_OPTIONS or value not in ("", None)}


def presentable(params: Params, known: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return arguments for a result: mask user information in base_url and the values of unknown options."""
    shown: dict[str, t.Any] = _known_only(params, known)
    if isinstance(shown.get("base_url"), str):
        shown["base_url"] = re.sub(r"//.*@", f"//{MASK}@", shown["base_url"], flags=re.DOTALL)
    return shown


def _known_only(value: t.Any, options: t.Mapping[str, t.Any] | None) -> t.Any:
    """Return a value with unknown (sub)options masked; text instead of a dictionary is masked, because it may contain secrets."""
    if value is None or options is None:
        return value
    if isinstance(value, (list, tuple)):
        return [_known_only(item, options) for item in value]
    if isinstance(value, dict):
        return {
            name: _known_only(each, options[name].get("options")) if name in options else MASK for name, each in value.items()
        }
    return MASK


def secrets_of(options: t.Mapping[str, t.Any], given: object, is_secret: bool = False) -> t.Iterator[str]:
    """Yield the texts that options with `no_log` have at any depth of the arguments."""
    if isinstance(given, (list, tuple)):
        for each in given:
            yield from secrets_of(options, each, is_secret)
    elif isinstance(given, dict):
        for name, value in given.items():
            option = options.get(name, {})
            yield from secrets_of(option.get("options", {}), value, is_secret or bool(option.get("no_log")))
    elif is_secret and given not in (None, "") and not isinstance(given, bool):
        yield str(given)


def _base_url(text: str) -> str:
    """Return the URL without a trailing slash; refuse anything but a plain http or https URL."""
    url = (text or DEFAULT_BASE_URL).strip().rstrip("/")
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or _UNFIT.search(url):
        # Do not repeat the text, because it may contain a password.
        raise invalid_option("base_url", f"an http or https URL is needed, such as {DEFAULT_BASE_URL}")
    if "@" in parts.netloc:
        raise invalid_option("base_url", "user information in the URL is refused; use api_token, or api_email with api_key")
    if "?" in url or "#" in url:
        raise invalid_option("base_url", "a query or a fragment cannot be part of it")
    return url


def _credentials(params: Params, environ: t.Mapping[str, str]) -> tuple[str | None, str | None, str | None]:
    """Return token, e-mail and key: those of the task, otherwise the environment's; in each set the token takes precedence."""
    given = (params.get("api_token"), params.get("api_email"), params.get("api_key"))
    token, email, key = given
    if not token and bool(email) != bool(key):
        missing = "api_key" if email else "api_email"
        raise invalid_option(missing, "api_email and api_key are used together, and only one of them is given in the task")
    stored = next((environ[name] for name in TOKEN_VARIABLES if environ.get(name)), None)
    for token, email, key in (given, (stored, environ.get(EMAIL_VARIABLE), environ.get(KEY_VARIABLE))):
        if token:
            return token, None, None
        if email and key:
            return None, email, key
    raise invalid_option(
        "api_token",
        "no usable credentials: give api_token (or set CLOUDFLARE_API_TOKEN),"
        " or both api_email and api_key (or set CLOUDFLARE_EMAIL and CLOUDFLARE_API_KEY)",
    )


Desired = t.TypeVar("Desired")
State = t.TypeVar("State")


class Spec(t.NamedTuple):
    """A module's own options and the rules between them, as arguments of AnsibleModule."""

    options: ArgumentSpec
    mutually_exclusive: t.Sequence[t.Sequence[str]] = ()
    required_together: t.Sequence[t.Sequence[str]] = ()
    required_one_of: t.Sequence[t.Sequence[str]] = ()
    required_if: t.Sequence[t.Sequence[t.Any]] = ()
    required_by: t.Mapping[str, t.Sequence[str]] = types.MappingProxyType({})


@dataclasses.dataclass(kw_only=True)
class Task:
    """What a module does, in functions; its options are those of the connection, of the address and its own.

    addresses: the options of which exactly one names the zone or the account
    approvable: whether the module has `plan_id` and `expected_plan_id`
    """

    name: str
    spec: Spec
    addresses: tuple[str, ...] = ZONE_ADDRESSES
    approvable: bool = False
    is_local: t.ClassVar[bool] = False

    def arguments(self) -> dict[str, t.Any]:
        """Return the arguments of AnsibleModule, or of the validator that stands in for it."""
        shared: ArgumentSpec = (
            {} if self.is_local else {**CONNECTION_OPTIONS, **{name: {"type": "str"} for name in self.addresses}}
        )
        if self.addresses == ALL_ADDRESSES:
            shared[HOST_ADDRESS] = {"type": "bool", "default": False}
        if self.approvable:
            shared["expected_plan_id"] = {"type": "str"}
        rules = {**self.spec._asdict(), "required_by": dict(self.spec.required_by)}
        return {"argument_spec": {**shared, **rules.pop("options")}, **rules}


@dataclasses.dataclass(kw_only=True)
class StateTask(Task, t.Generic[Desired, State]):
    """A module that brings one resource of a zone into its desired state.

    desire(params) -> desired                  pure; raises `invalid_option` before any request
    read(client, desired) -> state              GET only
    plan(desired, state) -> Plan               pure
    conclude(desired, state, plan, answers) -> Conclusion   pure; raises `bad_response` if an answer differs from the request
    secrets(desired, state or None) -> strings that no output may contain
    successor(desired, request) -> desired      for reading again after a creation with an unknown outcome
    validate(client, steps)                     GET only; raises `invalid_option` if the service would misunderstand a plan
    verify(client, outcomes)                    GET only, after the last write; raises `conflict` if another run did the same meanwhile
    """

    desire: t.Callable[[Params], Desired]
    read: t.Callable[[Client, Desired], State]
    plan: t.Callable[[Desired, State], Plan]
    conclude: t.Callable[[Desired, State, Plan, t.Sequence[Answer]], Conclusion]
    secrets: t.Callable[[Desired, State | None], t.Iterable[str]] = lambda desired, state: ()
    successor: t.Callable[[Desired, Request], Desired] = lambda desired, request: desired
    validate: t.Callable[[Client, t.Sequence[Step]], None] = lambda client, steps: None
    verify: t.Callable[[Client, t.Sequence[Outcome]], None] = lambda client, outcomes: None
    approvable: bool = True

    def compose(self, desired: Desired, state: State) -> Composition:
        """Return the plan as the only step of the task."""
        return Composition.of(Step(self.name, "", self.name, desired, state, self.plan(desired, state)))


@dataclasses.dataclass(kw_only=True)
class CompositeTask(Task, t.Generic[Desired, State]):
    """A module that brings several resources of a zone into their desired state and makes every plan before the first write.

    `parts` are the single tasks, by the names that steps use; the rest is as in `StateTask`.
    """

    desire: t.Callable[[Params], Desired]
    read: t.Callable[[Client, Desired], State]
    compose: t.Callable[[Desired, State], Composition]
    parts: t.Mapping[str, StateTask[t.Any, t.Any]]
    secrets: t.Callable[[Desired, State | None], t.Iterable[str]] = lambda desired, state: ()
    approvable: bool = True


@dataclasses.dataclass(kw_only=True)
class InfoTask(Task, t.Generic[Desired]):
    """A module that only reads: `report(client, desired)` returns its result."""

    desire: t.Callable[[Params], Desired]
    report: t.Callable[[Client, Desired], Conclusion]


@dataclasses.dataclass(kw_only=True)
class LocalTask(Task, t.Generic[Desired]):
    """A module that sends no requests and has no connection options.

    report(desired) -> Conclusion      the predicted result, with `changed`
    write(desired)                     applies it, if `changed` is true and this is not check mode
    """

    desire: t.Callable[[Params], Desired]
    report: t.Callable[[Desired], Conclusion]
    write: t.Callable[[Desired], None] = lambda desired: None
    is_local: t.ClassVar[bool] = True
