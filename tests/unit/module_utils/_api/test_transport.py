# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# One try within its deadline, and what may be tried again, against servers that misbehave on the wire.
import email.utils
import gzip
import socket
import ssl
import threading
import typing as t

import pytest
import trustme

from ansible_collections.edgeops.observability.plugins.module_utils._api.connection import secrets_of
from ansible_collections.edgeops.observability.plugins.module_utils._api.session import MAX_BODY_BYTES
from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure

GET, PUT, POST, DELETE = "script_monitor.get", "script_monitor.update", "rulesets.create", "logpush_jobs.delete"
IDS = {"job_id": 7}
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"


def failing(client: t.Any, operation: str = GET, **arguments: t.Any) -> Failure:
    with pytest.raises(Failure) as caught:
        client.call(operation, ids=IDS, **arguments)
    assert "canary" not in str(caught.value) + repr(caught.value.report())
    return caught.value


def hang_up(peer: t.Any, _number: int) -> None:
    peer.read()


def reset(peer: t.Any, _number: int) -> None:
    peer.read()
    peer.reset()


def cut_off(peer: t.Any, _number: int) -> None:
    peer.read()
    peer.sock.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"success"')


def cut_chunk(peer: t.Any, _number: int) -> None:
    peer.read()
    peer.sock.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n{")


def silent(peer: t.Any, _number: int) -> None:
    peer.read()
    peer.over.wait(3)


def drip_headers(peer: t.Any, _number: int) -> None:
    peer.read()
    peer.drip(OK)


def drip_body(peer: t.Any, _number: int) -> None:
    peer.read()
    peer.sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n")
    peer.drip(b"x" * 500)


@pytest.mark.parametrize("fault", [hang_up, reset, cut_off, cut_chunk])
@pytest.mark.parametrize("operation", [GET, PUT, DELETE])
def test_a_cut_connection_is_tried_again(serve: t.Any, talks: t.Any, client: t.Any, fault: t.Any, operation: str) -> None:
    server = serve(talks.each(fault, talks.answering()))
    answer = client(server).call(operation, ids=IDS, body={} if operation == PUT else None)
    assert (answer.attempts, len(server.requests)) == (2, 2)


@pytest.mark.parametrize("fault", [hang_up, reset, cut_off, cut_chunk])
def test_possibly_received_post_is_sent_once(serve: t.Any, client: t.Any, fault: t.Any) -> None:
    """A POST that may have been received is sent once."""
    server = serve(fault)
    failure = failing(client(server), POST, body={})
    assert (failure.kind, failure.unanswered, failure.attempts, server.methods) == ("unavailable", True, 1, ["POST"])


@pytest.mark.parametrize("fault", [silent, drip_headers, drip_body])
@pytest.mark.parametrize("operation", [GET, POST])
def test_the_timeout_bounds_a_try_as_a_whole(serve: t.Any, client: t.Any, fault: t.Any, operation: str) -> None:
    server = serve(fault)
    failure = failing(client(server, timeout=1, retries=0), operation)
    assert failure.kind == "unavailable" and "within the timeout of 1 s" in failure.message
    assert failure.unanswered == (operation == POST)


def test_a_dripping_tls_handshake_is_bounded(serve: t.Any, client: t.Any) -> None:
    server = serve(lambda peer, number: peer.drip(b"\x16\x03\x03\x02\x00" + b"\x02" * 500))
    failure = failing(client(server, "https", timeout=0.3, retries=0), POST, body={})
    assert (failure.kind, failure.unanswered) == ("unavailable", False)


def test_slow_name_resolution_times_out(client: t.Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that does not resolve in time is bounded."""
    over = threading.Event()

    def slow(*_given: t.Any, **_more: t.Any) -> t.Any:
        over.wait(3)
        raise socket.gaierror(socket.EAI_AGAIN, "late")

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    failure = failing(client("http://service.invalid", timeout=0.2, retries=0), POST, body={})
    over.set()
    assert (failure.kind, failure.unanswered) == ("unavailable", False)


def test_unresolved_name_is_tried_again(client: t.Any, clock: t.Any) -> None:
    """A name that does not resolve is tried again."""
    failure = failing(client("http://service.invalid", retries=2), POST, body={})
    assert failure.attempts == 3 and "could not be resolved" in failure.message


@pytest.mark.parametrize("host", [".", "*.example", "h\u200b.example", "h\u3002x", "[v1.a]"])
def test_a_host_that_none_can_have(client: t.Any, host: str) -> None:
    failure = failing(client(f"http://{host}"))
    assert (failure.kind, failure.attempts) == ("invalid_option", 0) and failure.message.startswith("base_url: ")


def test_refused_connection_is_tried_again(client: t.Any, clock: t.Any) -> None:
    """A refused connection is tried again for every method."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
    for operation in (GET, PUT, POST, DELETE):
        failure = failing(client(url), operation)
        assert (failure.kind, failure.attempts, failure.unanswered) == ("unavailable", 5, False)
        assert "refused (tried 5 times)" in failure.message
    assert len(clock.pauses) == 16


def test_backoff_doubles_up_to_eight_seconds(serve: t.Any, talks: t.Any, client: t.Any, clock: t.Any) -> None:
    """Pauses double and stay below eight seconds."""
    failing(client(serve(talks.answering(b"", 503)), retries=7))
    expected = [0.5, 1, 2, 4, 8, 8, 8]
    assert all(least <= pause <= min(8, least * 1.25) for least, pause in zip(expected, clock.pauses, strict=True))


@pytest.mark.parametrize("status", [502, 503, 504, 520, 524, 527])
def test_a_gateway_error(serve: t.Any, talks: t.Any, client: t.Any, status: int) -> None:
    html = b"<html>bad gateway</html>"
    for operation in (GET, PUT, DELETE):
        failure = failing(client(serve(talks.answering(html, status)), retries=2), operation)
        assert (failure.kind, failure.attempts, failure.status) == ("unavailable", 3, status)
    failure = failing(client(serve(talks.answering(html, status))), POST)
    assert (failure.kind, failure.attempts, failure.unanswered) == ("unavailable", 1, True)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "rejected"),
        (401, "authentication"),
        (403, "permission"),
        (404, "not_found"),
        (405, "rejected"),
        (408, "rejected"),
        (409, "rejected"),
        (422, "rejected"),
        (500, "unavailable"),
        (501, "unavailable"),
    ],
)
@pytest.mark.parametrize("operation", [GET, POST])
def test_other_statuses_are_final(serve: t.Any, talks: t.Any, client: t.Any, status: int, kind: str, operation: str) -> None:
    server = serve(talks.answering(b"{}", status, CF_Ray="8a1-AMS"))
    failure = failing(client(server), operation)
    assert (failure.kind, failure.status, failure.attempts, failure.unanswered) == (kind, status, 1, False)
    assert failure.request_id == "8a1-AMS"
    assert failure.path == ("/zones/abc/rulesets" if operation == POST else "/zones/abc/script_monitor")


@pytest.mark.parametrize("operation", [GET, PUT, POST, DELETE])
def test_a_rate_limit_is_waited_for(serve: t.Any, talks: t.Any, client: t.Any, clock: t.Any, operation: str) -> None:
    def talk(peer: t.Any, _number: int) -> None:
        while peer.read():
            if len(server.requests) == 1:
                peer.answer(b"{}", 429, Retry_After="120")
            else:
                peer.answer({})

    server = serve(talk)
    assert client(server).call(operation, ids=IDS).attempts == 2
    assert clock.pauses == [120]


def test_a_rate_limit_may_name_a_date(serve: t.Any, talks: t.Any, client: t.Any, clock: t.Any) -> None:
    # Ninety seconds after the clock of these tests.
    failing(client(serve(talks.answering(b"", 429, Retry_After="Fri, 15 Jan 2027 08:01:30 GMT")), retries=1))
    assert clock.pauses == [90]


@pytest.mark.parametrize(
    "header",
    [
        "soon",
        "-5",
        "nan",
        "inf",
        "",
        ",",
        "1e3",
        "1_0",
        "+5",
        "0x5",
        "5 s",
        "Fri, 15 Jan 2027 07:59:00 GMT",
        "Fri, 99 Jan",
        "\xb2",
    ],
)
def test_invalid_retry_after_backs_off(serve: t.Any, talks: t.Any, client: t.Any, clock: t.Any, header: str) -> None:
    """A rate limit without a usable Retry-After header backs off."""
    failure = failing(client(serve(talks.answering(b"", 429, Retry_After=header)), retries=1))
    assert failure.kind == "rate_limited" and 0.5 <= clock.pauses[0] <= 0.625


@pytest.mark.parametrize(
    ("header", "pause"),
    [
        ("0", 0),
        (" 7 ", 7),
        ("1.5", 1.5),
        ("300", 300),
        ("2, 7, 5", 7),
        ("2, soon", 2),
        ("Fri, 15 Jan 2027 08:01:30 GMT, 30", 90),
        ("Fri, 15 Jan 2027 08:00:10 GMT, Fri, 15 Jan 2027 08:00:20 GMT", 20),
        ("Friday, 15-Jan-27 08:00:20 GMT", 20),
        ("Fri Jan 15 08:00:20 2027", 20),
        ("Fri, 15 Jan 2027 07:59:00 GMT, 30", 30),
    ],
)
def test_usable_retry_after_is_waited_for(
    serve: t.Any, talks: t.Any, client: t.Any, clock: t.Any, header: str, pause: float
) -> None:
    failing(client(serve(talks.answering(b"", 429, Retry_After=header)), retries=1))
    assert clock.pauses == [pause]


@pytest.mark.parametrize("header", ["9" * 400, "99999999999", "Fri, 31 Dec 9999 23:59:59 GMT", "5, 99999", "1, " + "9" * 400])
def test_endless_retry_after_fails_at_once(serve: t.Any, talks: t.Any, client: t.Any, clock: t.Any, header: str) -> None:
    failure = failing(client(serve(talks.answering(b"", 429, Retry_After=header))))
    assert (failure.kind, failure.attempts, clock.pauses) == ("rate_limited", 1, [])
    assert "retry_wait_max allows 300 s" in failure.message and len(failure.message) < 400


def test_a_pause_that_is_too_long_fails_at_once(serve: t.Any, talks: t.Any, client: t.Any, clock: t.Any) -> None:
    failure = failing(client(serve(talks.answering(b"", 429, Retry_After="301"))))
    assert (failure.kind, failure.attempts, clock.pauses) == ("rate_limited", 1, [])
    assert "301 s" in failure.message and "retry_wait_max" in failure.message and "300 s" in failure.message


def test_a_rate_limit_that_never_ends(serve: t.Any, talks: t.Any, client: t.Any) -> None:
    failure = failing(client(serve(talks.answering(b"", 429, Retry_After="1")), retries=2), POST)
    assert (failure.kind, failure.attempts, failure.unanswered) == ("rate_limited", 3, False)
    assert "retry_wait_max" not in failure.message


def test_a_redirect_is_not_followed(serve: t.Any, talks: t.Any, client: t.Any) -> None:
    other = serve(talks.answering())
    target = f"http://user:canary@127.0.0.1:{other.port}/x?token=canary"
    failure = failing(client(serve(talks.answering(b"", 302, Location=target))))
    assert (failure.kind, failure.attempts, other.connections) == ("bad_response", 1, 0)
    assert "127.0.0.1" in failure.message


@pytest.mark.parametrize("location", ["http://[canary", "", "/zones", "//other.example/x"])
def test_odd_redirects(serve: t.Any, talks: t.Any, client: t.Any, location: str) -> None:
    assert failing(client(serve(talks.answering(b"", 307, Location=location)))).kind == "bad_response"


def test_post_opens_a_new_connection(serve: t.Any, talks: t.Any, client: t.Any) -> None:
    """An idle connection is not used for a POST."""
    server = serve(talks.answering())
    one = client(server)
    one.call(GET)
    one.call(GET)
    assert server.connections == 1
    one.call(POST, body={})
    assert server.connections == 2


def test_oversized_body_is_not_read_to_its_end(serve: t.Any, client: t.Any) -> None:
    """A body larger than the maximum is not read to its end."""

    def endless(peer: t.Any, _number: int) -> None:
        peer.read()
        peer.sock.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            peer.sock.sendall(b" " * 1_000_000)

    failure = failing(client(serve(endless)))
    assert failure.kind == "bad_response" and "16 MiB" in failure.message


def test_gzip_bomb_is_refused(serve: t.Any, talks: t.Any, client: t.Any) -> None:
    """A small body that inflates beyond the maximum is refused."""
    bomb = gzip.compress(b" " * (MAX_BODY_BYTES + 2), 9)
    failure = failing(client(serve(talks.answering(bomb, Content_Encoding="gzip"))))
    assert failure.kind == "bad_response" and "16 MiB" in failure.message


def test_gzip_is_read(serve: t.Any, talks: t.Any, client: t.Any) -> None:
    body = gzip.compress(b'{"success": true, "result": {"enabled": false}}')
    assert client(serve(talks.answering(body, Content_Encoding="gzip"))).call(GET).result == {"enabled": False}


@pytest.mark.parametrize(
    ("body", "encoding"),
    [(b"{}", "gzip"), (gzip.compress(b"{}" * 99, mtime=0)[:-12], "gzip"), (b"{}", "br"), (b"{}", "gzip, gzip")],
)
def test_bodies_that_cannot_be_decoded(serve: t.Any, talks: t.Any, client: t.Any, body: bytes, encoding: str) -> None:
    assert failing(client(serve(talks.answering(body, Content_Encoding=encoding)))).kind == "bad_response"


@pytest.mark.parametrize(("status", "accepted"), [(200, True), (201, True), (299, True), (500, False), (302, False)])
@pytest.mark.parametrize("operation", [GET, PUT, POST, DELETE])
@pytest.mark.parametrize("encoding", ["identity", "gzip"])
def test_a_write_with_an_unusable_answer_was_accepted(
    serve: t.Any, talks: t.Any, client: t.Any, operation: str, status: int, accepted: bool, encoding: str
) -> None:
    failure = failing(client(serve(talks.answering(b"no JSON", status, Content_Encoding=encoding)), retries=0), operation)
    assert failure.accepted == (accepted and operation != GET)


def test_a_reported_error_was_not_accepted(serve: t.Any, talks: t.Any, client: t.Any) -> None:
    failure = failing(client(serve(talks.answering(b'{"success": false, "errors": [{"code": 7}]}'))), PUT)
    assert (failure.kind, failure.accepted) == ("rejected", False)


def test_a_cut_answer_to_a_write_was_accepted(serve: t.Any, client: t.Any) -> None:
    assert failing(client(serve(cut_off)), PUT).accepted
    assert not failing(client(serve(hang_up)), PUT).accepted


def broken_body(status: int, *headers: str) -> t.Any:
    """Answers with a status, and with a body that nobody can read."""
    head = "\r\n".join([f"HTTP/1.1 {status} X", "Content-Length: 9", "Connection: close", *headers])

    def talk(peer: t.Any, _number: int) -> None:
        peer.read()
        peer.sock.sendall(head.encode() + b"\r\n\r\nrubbish")

    return talk


@pytest.mark.parametrize("header", ["X: cut", "Content-Encoding: br"])
@pytest.mark.parametrize("operation", [GET, POST])
def test_a_status_counts_where_its_body_is_broken(
    serve: t.Any, talks: t.Any, client: t.Any, clock: t.Any, operation: str, header: str
) -> None:
    limited = serve(talks.each(broken_body(429, header, "Retry-After: 7"), talks.answering()))
    assert client(limited).call(operation, ids=IDS, body={}).attempts == 2 and clock.pauses == [7]
    failure = failing(client(serve(broken_body(404, header))), operation)
    assert (failure.kind, failure.status, failure.attempts, failure.unanswered) == ("not_found", 404, 1, False)
    failure = failing(client(serve(broken_body(503, header)), retries=1), operation)
    assert (failure.kind, failure.status, failure.unanswered) == ("unavailable", 503, operation == POST)


@pytest.mark.parametrize("junk", [b"SSH-2.0-x\r\n", b"HTTP/1.1 abc\r\n\r\n", OK[:-2] + b"x: y\r\n" * 200 + b"\r\n{}"])
def test_what_is_not_http(serve: t.Any, client: t.Any, junk: bytes) -> None:
    def talk(peer: t.Any, _number: int) -> None:
        peer.read()
        peer.sock.sendall(junk)

    assert failing(client(serve(talk), retries=0)).kind == "bad_response"


def test_repeated_delete_with_404_is_deleted(serve: t.Any, talks: t.Any, client: t.Any) -> None:
    """A second DELETE that finds nothing means that the first one deleted."""
    gone = talks.answering(b"{}", 404)
    assert client(serve(gone)).delete(DELETE, ids=IDS) is False
    assert client(serve(talks.each(reset, gone))).delete(DELETE, ids=IDS) is True
    assert client(serve(talks.answering(b"", 204))).delete(DELETE, ids=IDS) is True

    def first_limited(peer: t.Any, _number: int) -> None:
        peer.read()
        peer.answer(b"", 429, Retry_After="0")
        peer.read()
        peer.answer(b"", 404)

    assert client(serve(first_limited)).delete(DELETE, ids=IDS) is False


# What goes over the wire


def test_headers_and_bodies(serve: t.Any, talks: t.Any, client: t.Any, monkeypatch: pytest.MonkeyPatch, tmp_path: t.Any) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login canary password canary\n")
    monkeypatch.setenv("NETRC", str(netrc))
    server = serve(talks.answering())
    client(server, user_agent="edgeops.observability/9").call(POST, body={"a": "ü"})
    client(server, token=None, email="me@example.com", key="k1").call(GET, query={"hosts": ["a", "b"], "x": True, "y": None})
    first, second = server.requests
    assert first.startswith(b"POST /client/v4/zones/abc/rulesets HTTP/1.1\r\n")
    assert first.endswith('\r\n\r\n{"a":"ü"}'.encode())
    for header in (
        "User-Agent: edgeops.observability/9",
        "Content-Type: application/json",
        "Authorization: Bearer canary-token-4711",
    ):
        assert header.encode() in first
    assert second.startswith(b"GET /client/v4/zones/abc/script_monitor?hosts=a,b&x=true HTTP/1.1\r\n")
    assert b"X-Auth-Email: me@example.com" in second and b"X-Auth-Key: k1" in second
    assert b"Authorization" not in second and b"Content-Type" not in second


@pytest.mark.parametrize("value", ["..", ".", ""])
def test_ids_that_would_mean_another_path(client: t.Any, value: str) -> None:
    with pytest.raises(Failure) as caught:
        client("http://127.0.0.1:9").call("rulesets.get", ids={"ruleset_id": value})
    assert caught.value.kind == "invalid_option"


@pytest.mark.parametrize(
    "settings", [{"token": "canary\n"}, {"token": None, "email": "a@b", "key": "can ary"}, {"token": None}, {"token": "ü"}]
)
def test_credentials_that_no_header_can_carry(client: t.Any, settings: t.Any) -> None:
    with pytest.raises(Failure) as caught:
        client("http://127.0.0.1:9", **settings)
    assert caught.value.kind == "invalid_option" and "canary" not in str(caught.value)


def test_a_lone_surrogate_goes_back_as_it_came(serve: t.Any, talks: t.Any, client: t.Any) -> None:
    server = serve(talks.answering())
    client(server).call(PUT, body={"a": "\ud800"})
    assert server.requests[0].endswith(b'{"a":"\\ud800"}')


# TLS


def test_tls(serve: t.Any, talks: t.Any, client: t.Any, tls: ssl.SSLContext, bundle: str) -> None:
    server = serve(talks.answering(), tls)
    assert client(server, "https", verify=bundle).call(POST, body={}).status == 200
    assert client(server, "https", verify=False).call(GET).status == 200


@pytest.mark.parametrize("operation", [GET, POST])
def test_a_certificate_that_does_not_verify(
    serve: t.Any, talks: t.Any, client: t.Any, tls: ssl.SSLContext, operation: str
) -> None:
    server = serve(talks.answering(), tls)
    failure = failing(client(server, "https"), operation)
    assert (failure.kind, failure.attempts, failure.unanswered, server.requests) == ("unavailable", 1, False, [])
    assert "certificate does not verify" in failure.message


def test_a_certificate_for_another_host(serve: t.Any, talks: t.Any, client: t.Any, authority: trustme.CA, bundle: str) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("other.example").configure_cert(context)
    failure = failing(client(serve(talks.answering(), context), "https", verify=bundle))
    assert (failure.kind, failure.attempts) == ("unavailable", 1)


def test_ca_options_override_the_environment(
    serve: t.Any, talks: t.Any, client: t.Any, tls: ssl.SSLContext, bundle: str, monkeypatch: pytest.MonkeyPatch, tmp_path: t.Any
) -> None:
    """The options take precedence over the bundles of the environment."""
    server = serve(talks.answering(), tls)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", bundle)
    assert client(server, "https").call(GET).status == 200
    other = tmp_path / "other.pem"
    trustme.CA().cert_pem.write_to_path(str(other))
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(other))
    assert failing(client(server, "https")).attempts == 1
    assert client(server, "https", verify=bundle).call(GET).status == 200
    assert client(server, "https", verify=False).call(GET).status == 200


def test_bundles_that_cannot_be_used(serve: t.Any, talks: t.Any, client: t.Any, tls: ssl.SSLContext, tmp_path: t.Any) -> None:
    server = serve(talks.answering(), tls)
    with pytest.raises(Failure, match="ca_path"):
        client(server, "https", verify=str(tmp_path / "missing.pem"))
    rubbish = tmp_path / "rubbish.pem"
    rubbish.write_text("rubbish")
    failure = failing(client(server, "https", verify=str(rubbish)))
    assert failure.attempts == 1 and "bundle of certificates" in failure.message


def test_cut_tls_handshake_is_tried_again(serve: t.Any, talks: t.Any, client: t.Any, tls: ssl.SSLContext, bundle: str) -> None:
    """A TLS handshake that is cut is tried again."""

    def talk(peer: t.Any, number: int) -> None:
        if number == 0:
            peer.sock.recv(10)
            return
        peer.begin_tls(tls)
        talks.answering()(peer, number)

    assert client(serve(talk), "https", verify=bundle).call(POST, body={}).attempts == 2


# Proxies


def relay(peer: t.Any, tls: ssl.SSLContext, answer: t.Any) -> None:
    assert peer.read().startswith(b"CONNECT ")
    peer.sock.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    peer.begin_tls(tls)
    answer(peer, 0)


def test_a_proxy_with_a_tunnel(
    serve: t.Any, talks: t.Any, client: t.Any, tls: ssl.SSLContext, bundle: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = serve(lambda peer, number: relay(peer, tls, talks.answering()))
    monkeypatch.setenv("https_proxy", f"http://me:canary@127.0.0.1:{proxy.port}")
    assert client("https://127.0.0.1:1", verify=bundle).call(POST, body={}).status == 200
    assert b"canary-token" not in proxy.requests[0] and b"Proxy-Authorization" in proxy.requests[0]
    assert b"Proxy-Authorization" not in proxy.requests[1]


def test_a_proxy_for_plain_requests(serve: t.Any, talks: t.Any, client: t.Any, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = serve(talks.each(reset, talks.answering()))
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
    assert client("http://service.invalid").call(GET).attempts == 2
    proxy = serve(reset)
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
    assert failing(client("http://service.invalid"), POST).unanswered


@pytest.mark.parametrize(("status", "attempts"), [(407, 1), (502, 3)])
def test_a_proxy_that_refuses_the_tunnel(
    serve: t.Any, talks: t.Any, client: t.Any, monkeypatch: pytest.MonkeyPatch, status: int, attempts: int
) -> None:
    proxy = serve(talks.answering(b"", status))
    monkeypatch.setenv("https_proxy", f"http://me:canary@127.0.0.1:{proxy.port}")
    failure = failing(client("https://127.0.0.1:1", retries=2), POST, body={})
    assert (failure.kind, failure.attempts, failure.unanswered) == ("unavailable", attempts, False)
    assert "proxy" in failure.message and str(status) in failure.message


@pytest.mark.parametrize("proxy", ["http://me:canary@127.0.0.1:9", "http://me:canary@[bad", "socks5://me:canary@127.0.0.1:9"])
def test_a_proxy_that_cannot_be_used(client: t.Any, monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
    monkeypatch.setenv("http_proxy", proxy)
    assert failing(client("http://127.0.0.1:1", retries=0)).kind == "unavailable"


def test_a_dripping_proxy_is_bounded(serve: t.Any, client: t.Any, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = serve(drip_headers)
    monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{proxy.port}")
    failure = failing(client("https://127.0.0.1:1", timeout=0.3, retries=0), POST, body={})
    assert not failure.unanswered


def test_dripping_proxy_handshake_times_out(
    serve: t.Any, client: t.Any, tls: ssl.SSLContext, bundle: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A dripping handshake within the TLS connection of a proxy is bounded by the timeout."""

    def talk(peer: t.Any, _number: int) -> None:
        peer.read()
        peer.sock.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        peer.drip(b"\x16\x03\x03\x02\x00" + b"\x02" * 500)

    proxy = serve(talk, tls)
    monkeypatch.setenv("https_proxy", f"https://127.0.0.1:{proxy.port}")
    failure = failing(client("https://127.0.0.1:1", timeout=2, retries=0, verify=bundle), POST, body={})
    assert len(proxy.requests) == 1 and not failure.unanswered


@pytest.mark.parametrize("length", ["5, 7", "5,7,5"])
def test_several_lengths_are_no_answer(serve: t.Any, client: t.Any, length: str) -> None:
    def talk(peer: t.Any, _number: int) -> None:
        peer.read()
        peer.sock.sendall(f"HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n12345".encode())

    server = serve(talk)
    with pytest.raises(Failure) as caught:
        client(server).call("script_monitor.get")
    assert caught.value.kind == "bad_response" and "Content-Length" in caught.value.message and len(server.requests) == 1


def test_too_long_announced_pause_fails(serve: t.Any, talks: t.Any, client: t.Any, clock: t.Any) -> None:
    """An announced pause that is too long ends the task."""
    headers = {"X_RateLimit_Remaining": "0", "X_RateLimit_Reset": email.utils.formatdate(clock.time + 3000, usegmt=True)}
    server = serve(talks.answering(None, 200, **headers))
    one = client(server, request_budget=(100, 10.0))
    one.call("script_monitor.get")
    with pytest.raises(Failure) as caught:
        one.call("script_monitor.get")
    report = caught.value.report()
    assert (report["kind"], report["attempts"], report["status"]) == ("rate_limited", 0, None)
    assert "retry_wait_max allows 300 s" in caught.value.message and report["path"] == "/zones/abc/script_monitor"
    assert clock.pauses == [] and len(server.requests) == 1


def test_find_knows_what_is_not_there(serve: t.Any, talks: t.Any, client: t.Any) -> None:
    assert client(serve(talks.answering(b"{}", 404))).find("rulesets.entrypoint") is None
    assert client(serve(talks.answering({"id": "x"}))).find("rulesets.entrypoint").result == {"id": "x"}
    for status in (400, 403, 405, 500):
        with pytest.raises(Failure):
            client(serve(talks.answering(b"{}", status))).find("rulesets.entrypoint")


@pytest.mark.parametrize(
    ("address", "secrets"),
    [
        ("http://proxy.example:3128", ()),
        ("127.0.0.1,localhost", ()),
        ("http://user:pass%2Fword@proxy.example", ("pass/word", "user:pass/word")),
        ("user:password@proxy.example", ("password", "user:password")),
        ("http://token@proxy.example", ("token", "token:")),
        ("http://[::1", ()),
        ("", ()),
    ],
)
def test_what_is_secret_in_a_proxy(address: str, secrets: tuple[str, ...]) -> None:
    assert secrets_of({"https": address, "no": "127.0.0.1"}) == secrets
