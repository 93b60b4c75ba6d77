# SPDX-License-Identifier: GPL-3.0-or-later

"""Record what Chromium allows and blocks, for the tests of matching: `record_browser_decisions.py FILE`.

A policy, a page and an address make a case; the browser says whether it violates the policy, and what it reports. Each name leads to a
server on loopback, so that nothing else is contacted; whether a resource could be loaded does not matter.
"""

import http.server
import json
import shutil
import sys
import tempfile
import threading
import typing as t
from pathlib import Path
from urllib.parse import unquote

from playwright import sync_api

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
SHOP, PLAIN = "https://shop.example/pay", "http://shop.example/pay"
# Case: page, directive that browsers report, policy, address; with ` > ` the address redirects to another one.
Case = tuple[str, str, str, str]
HASH = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"

SCRIPT_SOURCES = (
    "'none'", "'self'", "*", "https:", "http:", "data:", "blob:", "cdn.example", "CDN.example", "https://cdn.example", "http://cdn.example",
    "*.cdn.example", "https://*.cdn.example", "*.example", "cdn.example:8443", "https://cdn.example:8443", "http://cdn.example:80",
    "https://cdn.example:443", "*.cdn.example:8443", "https://cdn.example/lib/", "https://cdn.example/lib", "https://cdn.example/lib/a.js",
    "https://cdn.example/LIB/a.js", "https://cdn.example/%6Cib/a.js", "https://cdn.example/", "cdn.example/lib/a.js",
)  # fmt: skip
SCRIPT_URLS = (
    "https://shop.example/own.js", "http://shop.example/own.js", "https://shop.example:8443/own.js", "https://www.shop.example/own.js",
    "https://cdn.example/lib/a.js", "https://cdn.example/lib/a.js?v=1", "https://cdn.example/lib/b/a.js", "https://cdn.example/", "http://cdn.example/lib/a.js",
    "https://cdn.example:8443/lib/a.js", "http://cdn.example:443/lib/a.js", "https://a.cdn.example/lib/a.js", "https://b.a.cdn.example/lib/a.js",
    "https://evilcdn.example/lib/a.js", "https://cdn.example./lib/a.js", "data:text/javascript,1", "https://a.cdn.example:8443/lib/a.js",
)  # fmt: skip
CONNECT_SOURCES = (
    "'self'",
    "*",
    "https:",
    "ws:",
    "wss:",
    "api.example",
    "http://api.example",
    "wss://api.example",
    "ws://api.example",
    "http:",
)
CONNECT_URLS = (
    "wss://shop.example/live", "ws://shop.example/live", "wss://api.example/live", "ws://api.example/live", "https://api.example/v1", "http://api.example/v1",
)  # fmt: skip
# Keywords, fallbacks and redirects.
KEYWORDS = ("'self'", "'unsafe-inline'", f"'unsafe-inline' {HASH}", "'unsafe-inline' 'strict-dynamic'", "*")
BESIDE_STRICT = ("'self'", "https:", "cdn.example", "*", f"{HASH} https:")
CDN, OWN = "https://cdn.example/lib/a.js", "https://shop.example/own.js"
ELSEWHERE = "http://cdn.example/go > http://other.example/lib/a.js"
REDIRECTED = ("cdn.example", "*.example", "other.example", "cdn.example other.example/not/this.js", "http:")
OTHERS: tuple[tuple[str, str], ...] = (
    *((f"script-src {keywords}", "inline") for keywords in KEYWORDS),
    *((f"script-src 'strict-dynamic' {more}", url) for more in BESIDE_STRICT for url in (CDN, OWN)),
    *(
        (f"default-src {more}", CDN)
        for more in ("'self'", "cdn.example", "'strict-dynamic' https:", "'self'; script-src cdn.example")
    ),
    *((f"script-src {more}", ELSEWHERE) for more in REDIRECTED),
    ("script-src cdn.example 'self'", "http://shop.example/go > http://cdn.example/lib/a.js"),
    ("script-src 'self'", "http://shop.example/go > http://cdn.example/lib/a.js"),
    ("script-src cdn.example/go http://cdn.example/other.js", "http://cdn.example/go > http://cdn.example/lib/a.js"),
    ("script-src 'strict-dynamic' cdn.example", "http://cdn.example/go > http://cdn.example/lib/a.js"),
    ("img-src 'self'", CDN),
    ("script-src-elem cdn.example; script-src 'none'", CDN),
    ("script-src-elem 'none'; script-src cdn.example", CDN),
)


def cases() -> t.Iterator[Case]:
    """Yield every third pair of a source and an address, and all others."""
    pairs = [(f"script-src {source}", url) for source in SCRIPT_SOURCES for url in SCRIPT_URLS]
    for number, (policy, url) in enumerate(pairs):
        if number % 3 == 0:
            yield SHOP if number % 2 else PLAIN, "script-src-elem", policy, url
    for number, (source, url) in enumerate((source, url) for source in CONNECT_SOURCES for url in CONNECT_URLS):
        yield SHOP if number % 2 else PLAIN, "connect-src", f"connect-src {source}", url
    for policy, url in OTHERS:
        yield PLAIN if " > " in url else SHOP, "script-src-elem", policy, url


class Server(http.server.BaseHTTPRequestHandler):
    """Answers every address: with the page of the current case, with its redirect, or with an empty script."""

    page, policy, target = "", "", ""

    def do_GET(self) -> None:
        redirects = self.path == "/go"
        self.send_response(302 if redirects else 200)
        if redirects:
            self.send_header("Location", Server.target)
        elif self.path == "/pay":
            self.send_header("Content-Security-Policy", Server.policy)
        body = b"" if redirects else Server.page.encode() if self.path == "/pay" else b"1"
        self.send_header("Content-Type", "text/html" if self.path == "/pay" else "text/javascript")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the name in the library
        pass


LISTEN = """
window.seen = [];
document.addEventListener("securitypolicyviolation", event => window.seen.push([event.effectiveDirective, event.blockedURI]), true);
"""
CONNECT = """url => new Promise(done => {
    try {
        const socket = url.startsWith("ws") && new WebSocket(url);
        if (socket) { socket.onerror = done; setTimeout(done, 500); } else { fetch(url).then(done, done); }
    } catch (refused) { done(); }
})"""


def decide(page: sync_api.Page, case: Case) -> dict[str, t.Any]:
    """Return a case with what the browser made of it."""
    address, directive, policy, url = case
    first, _arrow, Server.target = url.partition(" > ")
    tag = "<script>1</script>" if first == "inline" else f'<script src="{first}"></script>'
    Server.policy, Server.page = policy, f"<!DOCTYPE html><title>case</title>{tag if directive != 'connect-src' else ''}"
    page.goto(address, wait_until="load")
    if directive == "connect-src":
        page.evaluate(CONNECT, first)
    page.wait_for_timeout(30)
    reported = [blocked for name, blocked in page.evaluate("window.seen") if name == directive]
    row = {"page": address, "directive": directive, "policy": policy, "url": first, "allowed": not reported}
    return {
        **row,
        **({"redirect": Server.target} if Server.target else {}),
        **({"reported": unquote(reported[0])} if reported else {}),
    }


def main(target: Path) -> int:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    program = next(path for name in PROGRAMS if (path := shutil.which(name)))
    quiet = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
    quiet += [
        "--disable-component-update",
        "--disable-sync",
        "--no-proxy-server",
        "--disable-features=HttpsUpgrades,LocalNetworkAccessChecks",
    ]
    names = f"--host-resolver-rules=MAP * 127.0.0.1:{server.server_port}"
    with tempfile.TemporaryDirectory() as profile, sync_api.sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=program, headless=True, args=[*quiet, names]
        )
        context.add_init_script(LISTEN)
        page = context.new_page()
        # A page with https needs no certificate.
        page.route(
            SHOP,
            lambda route: route.fulfill(
                content_type="text/html", headers={"Content-Security-Policy": Server.policy}, body=Server.page
            ),
        )
        rows = [decide(page, case) for case in cases()]
        version = context.browser.version if context.browser else page.evaluate("navigator.userAgent")
        context.close()
    server.shutdown()
    text = ",\n".join(json.dumps(row, sort_keys=True) for row in rows)
    target.write_text(f'{{"browser": {json.dumps(f"Chromium {version}")}, "cases": [\n{text}\n]}}\n', encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
