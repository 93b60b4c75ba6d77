# SPDX-License-Identifier: GPL-3.0-or-later

"""The origins to which a module connects, and the requests that it sends there; each server records what it receives."""

import contextlib
import datetime
import functools
import importlib
import ssl
import typing as t
from pathlib import Path

import pytest
import trustme
from support.conversations import Server

from ansible_collections.edgeops.observability.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.observability.plugins.module_utils._engine import run as _run
from ansible_collections.edgeops.observability.plugins.module_utils._engine.run import Run
from ansible_collections.edgeops.observability.plugins.plugin_utils._arguments import validated

MODULES = "ansible_collections.edgeops.observability.plugins.modules"
TOKEN, KEY, NETRC = "planted-tls-token", "planted-tls-key", "planted-netrc-password"
CREDENTIALS = {"token": {"api_token": TOKEN}, "key": {"api_email": "operator@example.com", "api_key": KEY}}
STATUS = {"enabled": False, "updated_at": "2026-01-01T00:00:00Z"}


def serving(certificate: trustme.LeafCert | None = None) -> contextlib.closing[t.Any]:
    """Run a server that answers with the status of a script monitor, or redirects to `location`; `names` are the SNI names of handshakes."""

    def talk(peer: t.Any, _number: int) -> None:
        while peer.read():
            peer.answer(STATUS, 302 if server.location else 200, Location=server.location)

    context = None
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificate.configure_cert(context)
        context.sni_callback = lambda _socket, name, _context: server.names.append(name)
    server: t.Any = Server(talk, context)
    server.names, server.location = [], ""
    return contextlib.closing(server)


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def bundle(authority: trustme.CA, tmp_path: Path) -> str:
    path = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(path)
    return str(path)


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Use a HOME with a netrc file that matches every host, and retry without waiting."""
    (tmp_path / ".netrc").write_text(f"default login other password {NETRC}\n", encoding="utf-8")
    (tmp_path / ".netrc").chmod(0o600)
    for variable in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    monkeypatch.setattr(_run, "Client", functools.partial(Client, sleep=lambda seconds: None))


def run(base_url: str, **args: t.Any) -> dict[str, t.Any]:
    task = importlib.import_module(f"{MODULES}.script_monitor").TASK
    options = {"base_url": base_url, "zone_id": "ab", "enabled": False, "request_budget": "none", **(args or {})}
    if not {"api_token", "api_key"} & set(options):
        options["api_token"] = TOKEN
    checked = validated(task.arguments(), options, task.name)
    assert checked.error is None, checked.error
    return Run(checked.params, check_mode=False, diff_mode=False).finish(task)


def days(number: int) -> datetime.datetime:
    return datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=number)


CERTIFICATES: dict[str, t.Callable[[trustme.CA], trustme.LeafCert]] = {
    "wrong host": lambda authority: authority.issue_cert("elsewhere.example"),
    "wrong address": lambda authority: authority.issue_cert("127.0.0.2"),
    "unknown authority": lambda authority: trustme.CA().issue_cert("localhost", "127.0.0.1"),
    "expired": lambda authority: authority.issue_cert("localhost", "127.0.0.1", not_before=days(-9), not_after=days(-2)),
    "not yet valid": lambda authority: authority.issue_cert("localhost", "127.0.0.1", not_before=days(2), not_after=days(9)),
}


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
@pytest.mark.parametrize("make", CERTIFICATES.values(), ids=CERTIFICATES)
def test_invalid_certificate_fails(authority, bundle, make, host):
    with serving(make(authority)) as server:
        url = f"https://{host}:{server.port}"
        result = run(url, ca_path=bundle)
        assert result["error"]["kind"] == "unavailable" and result["error"]["attempts"] == 1
        assert "the certificate does not verify" in result["msg"]
        assert (server.connections, server.requests) == (1, [])
        assert "failed" not in run(url, validate_certs=False)
        assert len(server.requests) == 1


@pytest.mark.parametrize("variable", ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
def test_ca_path_takes_precedence_over_the_environment(authority, bundle, tmp_path, monkeypatch, variable):
    other = tmp_path / "other.pem"
    trustme.CA().cert_pem.write_to_path(other)
    with serving(authority.issue_cert("localhost")) as server:
        url = f"https://localhost:{server.port}"
        monkeypatch.setenv(variable, str(other))
        assert run(url)["error"]["kind"] == "unavailable"
        assert server.requests == []
        assert "failed" not in run(url, ca_path=bundle)
        assert "failed" not in run(url, validate_certs=False)
        monkeypatch.setenv(variable, bundle)
        assert "failed" not in run(url)
        assert run(url, ca_path=str(other))["error"]["kind"] == "unavailable"
        assert len(server.requests) == 3


def test_sni_is_sent_and_netrc_is_ignored(authority, bundle):
    with serving(authority.issue_cert("localhost")) as server:
        for credentials in CREDENTIALS.values():
            assert "failed" not in run(f"https://localhost:{server.port}", ca_path=bundle, **credentials)
        by_token, by_key = map(bytes.decode, server.requests)
        assert server.names == ["localhost", "localhost"] and NETRC not in by_token + by_key
        assert f"Authorization: Bearer {TOKEN}\r\n" in by_token and "X-Auth-Key" not in by_token
        assert "X-Auth-Email: operator@example.com\r\n" in by_key and f"X-Auth-Key: {KEY}\r\n" in by_key
        assert "Authorization" not in by_key


@pytest.mark.parametrize("credentials", CREDENTIALS.values(), ids=CREDENTIALS)
@pytest.mark.parametrize(
    "target", ["http, other port", "https, other port", "https, other host", "http, same host", "same origin"]
)
def test_redirects_are_not_followed(authority, bundle, target, credentials):
    secure, certificate = target.startswith("https"), authority.issue_cert("localhost", "127.0.0.1")
    with serving(certificate) as server, serving(certificate if secure else None) as other:
        host = "127.0.0.1" if target == "https, other host" else "localhost"
        port = server.port if target in ("http, same host", "same origin") else other.port
        scheme = "https" if secure or target == "same origin" else "http"
        server.location = f"{scheme}://{host}:{port}/zones/ab/script_monitor"
        result = run(f"https://localhost:{server.port}", ca_path=bundle, **credentials)
        assert result["error"]["kind"] == "bad_response" and result["error"]["attempts"] == 1
        assert f"redirects (HTTP 302) to {host}, which is not followed" in result["msg"]
        assert (server.connections, len(server.requests)) == (1, 1)
        assert (other.connections, other.requests) == (0, [])
