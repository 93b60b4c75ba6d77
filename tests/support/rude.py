# SPDX-License-Identifier: GPL-3.0-or-later

"""A server and a proxy that refuse each request, and repeat it in broken headers."""

import contextlib
import json
import socketserver
import threading
import typing as t


class _Rude(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        request = self.rfile.readline().decode("latin-1")
        sent = dict[str, str]()
        while line := self.rfile.readline().decode("latin-1").strip():
            name, _colon, value = line.partition(":")
            sent[name.lower()] = value.strip()
        self.rfile.read(int(sent.get("content-length", 0)))
        quoted = " ".join(sent.get(name, "") for name in ("authorization", "x-auth-key", "proxy-authorization"))
        through = request.startswith("CONNECT ") or " http://" in request
        error = {"code": 1, "message": f"no {quoted}"}
        body = json.dumps({"success": False, "errors": [error], "messages": [], "result": None}).encode()
        head = f'HTTP/1.1 {"407 No " + quoted if through else "400 Bad"}\r\nProxy-Authenticate: Basic realm="{quoted}"\r\n'
        # A line that is not a header makes the library stop reading headers, and log the rest.
        head += f"Content-Length: {len(body)}\r\n" + (
            "" if through else f"a line of {quoted}\r\n: {quoted}\r\nX {quoted} : y\r\n"
        )
        self.server.journal.append(request.split(" ", 1)[0])  # type: ignore[attr-defined]  # set below
        self.wfile.write(f"{head}Connection: close\r\n\r\n".encode("latin-1") + body)


@contextlib.contextmanager
def rude_server() -> t.Iterator[tuple[str, list[str]]]:
    """Run the server; yield its `host:port` and the methods of the received requests."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Rude) as server:
        server.daemon_threads = True
        journal: list[str] = []
        server.journal = journal  # type: ignore[attr-defined]  # for the handler
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"127.0.0.1:{server.server_address[1]}", journal
        server.shutdown()
