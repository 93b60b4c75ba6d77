# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
import os
import re
import typing as t
from urllib.parse import unquote, urlsplit

from ansible.module_utils.basic import env_fallback

from .._address import Address, parse_address
from .._core import Failure, invalid_option
from .._redact import MASK
from .._version import VERSION

Params = t.Mapping[str, t.Any]
# Requests, and the seconds in which they are allowed.
Allowance = tuple[int, float]

DEFAULT_BASE_URL = "https://api.cloudflare.com/client/v4"
TOKEN_VARIABLES = ("CLOUDFLARE_API_TOKEN", "CLOUDFLARE_TOKEN")
EMAIL_VARIABLE = "CLOUDFLARE_EMAIL"
KEY_VARIABLE = "CLOUDFLARE_API_KEY"
MAX_TIMEOUT_SECONDS = 3600
MAX_BUDGET_REQUESTS = 10_000
MAX_BUDGET_SECONDS = 3600
DEFAULT_TIMEOUT_SECONDS = 30.0
DEFAULT_RETRIES = 4
DEFAULT_RETRY_WAIT_MAX_SECONDS = 300
# Number of requests, and in how many seconds: the limit that Cloudflare documents for one user.
DEFAULT_REQUEST_BUDGET = (1200, 300.0)

# Credentials have no `fallback`: those of the task take precedence over the environment's as a set, not option by option.
CONNECTION_OPTIONS: dict[str, dict[str, t.Any]] = {
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
CREDENTIALS = frozenset(("api_token", "api_email", "api_key"))

_URL = re.compile(r"[^/]*://")
_WEB = re.compile(r"\s*https?:", re.IGNORECASE)
_UNFIT = re.compile(r"[\s\x00-\x1f\x7f\\]")
_BUDGET_FORM = re.compile(r"([0-9]{1,9})/([0-9]{1,9})", re.ASCII)


def mask_credentials(arguments: Params) -> dict[str, t.Any]:
    """Return arguments with the user information of URLs, and the query of web addresses, masked: both are refused, but would be in the result."""
    urls = {name: value for name, value in arguments.items() if isinstance(value, str) and _URL.match(value)}
    return {**arguments, **{name: _masked(url) for name, url in urls.items()}}


def _masked(url: str) -> str:
    public = re.sub(r"//.*@", f"//{MASK}@", url, flags=re.DOTALL)
    return re.sub(r"(?<=[?#]).*", MASK, public, count=1, flags=re.DOTALL) if _WEB.match(url) else public


@dataclasses.dataclass(frozen=True)
class Connection:
    """The validated connection options: address, credentials, timeouts and limits.

    `verify` is the option of requests: true, false, or the path of a bundle. `request_budget` is (requests, seconds) or None.
    `address` is None for a task without a single zone or account. `proxies` are those of the environment, by scheme.
    """

    base_url: str
    address: Address | None = None
    token: str | None = dataclasses.field(default=None, repr=False)
    email: str | None = dataclasses.field(default=None, repr=False)
    key: str | None = dataclasses.field(default=None, repr=False)
    timeout: float = DEFAULT_TIMEOUT_SECONDS
    retries: int = DEFAULT_RETRIES
    retry_wait_max: int = DEFAULT_RETRY_WAIT_MAX_SECONDS
    verify: bool | str = True
    request_budget: tuple[int, float] | None = DEFAULT_REQUEST_BUDGET
    user_agent: str = "edgeops.observability"
    proxies: t.Mapping[str, str] = dataclasses.field(default_factory=dict, repr=False)

    @property
    def host(self) -> str:
        """Return the host name of the service in lower case."""
        return urlsplit(self.base_url).hostname or ""

    @property
    def secrets(self) -> tuple[str, ...]:
        """Return the secrets, which no message may contain; a proxy may repeat its credentials in a response.

        Of a proxy these are the password, alone and as `user:password`; a user without a password counts as a password.
        """
        secrets = set(filter(None, (self.token, self.key)))
        for address in self.proxies.values():
            try:
                parts = urlsplit(address if "://" in address else f"//{address}")
            except ValueError:  # invalid, so nothing is sent to it
                continue
            user, password = unquote(parts.username or ""), unquote(parts.password or "")
            if user or password:
                secrets |= {password or user, f"{user}:{password}"}
        return tuple(sorted(secrets))


def parse_connection(params: Params, environ: t.Mapping[str, str] | None = None, addresses: t.Sequence[str] = ()) -> Connection:
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


def parse_budget(text: str) -> Allowance | None:
    """Return (requests, seconds) for `1200/300`, None for `none`."""
    if text.strip().lower() == "none":
        return None
    form = _BUDGET_FORM.fullmatch(text.strip())
    if not form:
        raise invalid_option("request_budget", f"{text!r} is neither REQUESTS/SECONDS, as in 1200/300, nor none")
    requests, seconds = int(form[1]), int(form[2])
    if not 1 <= requests <= MAX_BUDGET_REQUESTS:
        raise invalid_option("request_budget", f"the number of requests must be from 1 to {MAX_BUDGET_REQUESTS}")
    if not 1 <= seconds <= MAX_BUDGET_SECONDS:
        raise invalid_option("request_budget", f"the number of seconds must be from 1 to {MAX_BUDGET_SECONDS}")
    return requests, float(seconds)


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


def missing_credentials() -> Failure:
    """Return the failure for a task to which neither its options nor the environment give credentials."""
    return invalid_option(
        "api_token",
        f"no usable credentials: give api_token (or set {TOKEN_VARIABLES[0]}),"
        f" or both api_email and api_key (or set {EMAIL_VARIABLE} and {KEY_VARIABLE})",
    )


def _credentials(params: Params, environ: t.Mapping[str, str]) -> tuple[str | None, str | None, str | None]:
    """Return token, e-mail and key: those of the task, otherwise the environment's; in each set the token takes precedence."""
    options = (params.get("api_token"), params.get("api_email"), params.get("api_key"))
    token, email, key = options
    if not token and bool(email) != bool(key):
        missing = "api_key" if email else "api_email"
        raise invalid_option(missing, "api_email and api_key are used together, and only one of them is given")
    stored = next((environ[name] for name in TOKEN_VARIABLES if environ.get(name)), None)
    for token, email, key in (options, (stored, environ.get(EMAIL_VARIABLE), environ.get(KEY_VARIABLE))):
        if token:
            return token, None, None
        if email and key:
            return None, email, key
    raise missing_credentials()
