# SPDX-License-Identifier: GPL-3.0-or-later

"""A site on loopback whose pages a test can change, and which remembers what it was asked."""

import contextlib
import http.server
import threading
import typing as t

HTML = "text/html; charset=utf-8"


class Page(t.NamedTuple):
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()
    status: int = 200
    content_type: str | None = HTML


class Site:
    """Serves `pages` by path; a page can also be a function that returns the next answer."""

    def __init__(self) -> None:
        self.pages: dict[str, Page | t.Callable[[], Page]] = {}
        self.requests: list[tuple[str, str, dict[str, str]]] = []
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                site.requests.append((self.command, self.path, {name.lower(): value for name, value in self.headers.items()}))
                served = site.pages.get(self.path, Page(b"not here", status=404))
                page = served if isinstance(served, Page) else served()
                if not page.status:
                    self.close_connection = True  # without an answer
                    return
                self.send_response(page.status)
                if page.content_type is not None:
                    self.send_header("Content-Type", page.content_type)
                for name, value in page.headers:
                    self.send_header(name, value)
                if not any(name.lower() in ("content-length", "transfer-encoding") for name, _value in page.headers):
                    self.send_header("Content-Length", str(len(page.body)))
                else:
                    self.close_connection = True  # what was announced may not come
                self.end_headers()
                with contextlib.suppress(ConnectionError):  # a reader may not wait for the end
                    self.wfile.write(page.body)

            def log_message(self, *_args: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.origin = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def url(self, path: str) -> str:
        return self.origin + path

    def put(self, path: str, html: str, *headers: tuple[str, str], **more: t.Any) -> str:
        """Let a path answer with a document; return its URL."""
        self.pages[path] = Page(html.encode(), headers, **more)
        return self.url(path)

    @contextlib.contextmanager
    def running(self) -> t.Iterator["Site"]:
        self._thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()
