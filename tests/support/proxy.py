# SPDX-License-Identifier: GPL-3.0-or-later

"""A reverse proxy in front of the simulator that changes its answers."""

import contextlib
import http.client
import http.server
import threading
import typing as t
from urllib.parse import urlsplit

# Takes the path below the base URL, the status and the body of an answer; returns status, body and further headers.
Change = t.Callable[[str, int, bytes], tuple[int, bytes, dict[str, str]]]


@contextlib.contextmanager
def changing(base_url: str, change: Change) -> t.Iterator[str]:
    """Run a proxy in front of a service; yield its base URL."""
    upstream = urlsplit(base_url)

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _pass_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            connection = http.client.HTTPConnection(str(upstream.netloc), timeout=30)
            headers = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "accept-encoding")}
            connection.request(self.command, self.path, body, headers)
            answer = connection.getresponse()
            path = urlsplit(self.path).path.removeprefix(upstream.path)
            status, content, further = change(path, answer.status, answer.read())
            connection.close()
            head = {"Content-Type": answer.getheader("Content-Type") or "", "Content-Length": str(len(content)), **further}
            self.send_response(status)
            for name, value in head.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _pass_on  # noqa: N815 - named by the library

        def log_message(self, *_arguments: t.Any) -> None:
            """Log nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}{upstream.path}"
        server.shutdown()
