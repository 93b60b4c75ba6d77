# SPDX-License-Identifier: GPL-3.0-or-later

import ssl
import typing as t

import pytest
import trustme
from support.conversations import Conversation, Server

from ansible_collections.edgeops.observability.plugins.module_utils._address import ZONE, Address
from ansible_collections.edgeops.observability.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.observability.plugins.module_utils._api.connection import Connection

TOKEN = "canary-token-4711"


class Clock:
    """Time that passes only while `sleep` is called."""

    def __init__(self) -> None:
        self.time = 1_800_000_000.0
        self.pauses: list[float] = []

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.time += seconds


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: t.Any) -> None:
    """Use an empty state folder, and no proxies."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session")
def new_clock() -> type[Clock]:
    """Return the type of clocks, for tests with many examples."""
    return Clock


@pytest.fixture
def serve() -> t.Iterator[t.Callable[..., Server]]:
    servers: list[Server] = []

    def start(talk: Conversation, context: ssl.SSLContext | None = None) -> Server:
        servers.append(Server(talk, context))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def tls(authority: trustme.CA) -> ssl.SSLContext:
    """Return the context of a server with a certificate for the loopback address."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    return context


@pytest.fixture
def bundle(authority: trustme.CA, tmp_path: t.Any) -> str:
    path = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(path))
    return str(path)


@pytest.fixture
def client(clock: Clock) -> t.Callable[..., Client]:
    def make(server: Server | str, scheme: str = "http", announce: t.Any = None, **options: t.Any) -> Client:
        url = server if isinstance(server, str) else f"{scheme}://127.0.0.1:{server.port}/client/v4"
        settings: dict[str, t.Any] = {"address": Address(ZONE, "abc"), "token": TOKEN, "request_budget": None, **options}
        return Client(Connection(url, **settings), sleep=clock.sleep, now=clock.now, announce=announce)

    return make
