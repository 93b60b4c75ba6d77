# SPDX-License-Identifier: GPL-3.0-or-later

"""An object storage on loopback that stores PUT bodies and returns them for GET."""

import contextlib
import http.server
import threading
import typing as t


class Put(t.NamedTuple):
    """An uploaded object."""

    authorization: str | None
    content_type: str | None
    body: bytes


class Store(http.server.ThreadingHTTPServer):
    """Requests for paths that end with one of `refused` are refused; with `secret` each request must contain it.

    `redirect` is the URL to which all requests are redirected. `seen` has the header names of each request.
    """

    def __init__(self, secret: str | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files: dict[str, Put] = {}
        self.refused: tuple[str, ...] = ()
        self.secret = secret
        self.redirect = ""
        self.seen: list[set[str]] = []
        self.url = f"http://127.0.0.1:{self.server_port}"


class _Handler(http.server.BaseHTTPRequestHandler):
    server: Store

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self._is_allowed():
            self.server.files[self.path] = Put(self.headers["Authorization"], self.headers["Content-Type"], body)
            self._answer(403 if self.path.endswith(self.server.refused) else 201)

    def do_GET(self) -> None:
        if self._is_allowed():
            kept = self.server.files.get(self.path)
            self._answer(200 if kept else 404, kept.body if kept else b"no such object")

    def _is_allowed(self) -> bool:
        self.server.seen.append({name.lower() for name in self.headers})
        if self.server.redirect:
            self._answer(302)
            return False
        allowed = self.server.secret in (None, self.headers["Authorization"])
        if not allowed:
            self._answer(401)
        return allowed

    def _answer(self, status: int, body: bytes = b"") -> None:
        self.send_response(status)
        if status == 302:
            self.send_header("Location", self.server.redirect + self.path)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: t.Any) -> None:  # noqa: A002  # the name is the base class's
        pass


@contextlib.contextmanager
def running(secret: str | None = None) -> t.Iterator[Store]:
    """Run a storage on a free port."""
    with Store(secret) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
