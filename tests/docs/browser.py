# SPDX-License-Identifier: GPL-3.0-or-later

"""Looks at pages in a real browser: each in a frame of a given width, measured by a script of the page around them.

The browser opens one page of a small server on loopback. That page loads the others one after the other and posts what it
found, so that nothing has to be installed beside the browser itself.
"""

from __future__ import annotations

import dataclasses
import functools
import http.server
import json
import os
import shutil
import signal
import subprocess
import threading
import time
import typing as t
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
LOOK, FOUND = "/look.html", "/found"
HEIGHT = 900
# Seconds that the scripts of one page may take, on a machine that is busy with something else.
LIMIT = 300
QUIET = (
    # Without a sandbox, because that needs rights that the root user of a container does not have; only our own pages are shown.
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--no-first-run",
    "--disable-sync",
    "--disable-component-update",
    "--disable-gpu",
    # A proxy would be asked for pages on loopback; nothing else may be loaded anyway.
    "--no-proxy-server",
)

_PAGE = """<!doctype html><meta charset="utf-8"><body style="margin:0"><script>
const pages = PAGES, widths = WIDTHS, found = [];
const frame = document.createElement("iframe");
frame.style.cssText = "border:0;height:HEIGHTpx";
document.body.append(frame);
const wide = (view, limit) => [...view.document.body.querySelectorAll("*")].filter(e => {
  if (e.getBoundingClientRect().right <= limit + 1 || e.getBoundingClientRect().width === 0) return false;
  for (let box = e.parentElement; box; box = box.parentElement)
    if (["auto", "scroll"].includes(view.getComputedStyle(box).overflowX) && box.getBoundingClientRect().right <= limit + 1)
      return false;
  return true;
}).slice(0, 3).map(e => `<${e.tagName.toLowerCase()} class="${e.className}"> ${(e.textContent || "").trim().slice(0, 60)}`);
const load = url => new Promise(done => { frame.onload = done; frame.src = url; });
// The theme does its work in a handler that another handler registers, which no event announces; it measures the window last.
const ready = view => !view.jQuery || view.SphinxRtdTheme?.Navigation.winHeight > 0;
const until = (condition, what) => new Promise((done, fail) => {
  const ends = performance.now() + LIMIT * 1000;
  const look = () => condition() ? done() : performance.now() > ends ? fail(what) : setTimeout(look, 10);
  look();
});
(async () => {
  for (const width of widths) {
    frame.style.width = `${width}px`;
    for (const page of pages) {
      await load(page);
      const view = frame.contentWindow, root = view.document.documentElement;
      await until(() => ready(view), `${page}: the scripts of the theme do not end`);
      await view.document.fonts.ready;
      found.push({
        page, width, content: Math.max(root.scrollWidth, view.document.body.scrollWidth), wide: wide(view, width),
        text: view.document.body.innerText.length,
        images: [...view.document.images].filter(i => !(i.complete && i.naturalWidth)).map(i => i.src),
        links: [...view.document.querySelectorAll("a[href]")].map(a => a.href),
        anchors: [...view.document.querySelectorAll("[id]")].map(e => e.id),
        loaded: view.performance.getEntriesByType("resource").map(entry => entry.name),
      });
    }
  }
  await fetch("/found", {method: "POST", body: JSON.stringify(found)});
})().catch(error => fetch("/found", {method: "POST", body: JSON.stringify(String(error))}));
</script>"""


@dataclasses.dataclass(frozen=True)
class Seen:
    """One page at one width."""

    page: str
    width: int
    content: int
    wide: list[str]
    text: int
    images: list[str]
    links: list[str]
    anchors: list[str]
    loaded: list[str]


def browser() -> str | None:
    """The first browser on this machine that can do this, or None."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def look(site: Path, pages: t.Sequence[str], widths: t.Sequence[int], profile: Path, timeout: float = 840) -> list[Seen]:
    """Every page at every width, as a browser without a window shows it."""
    program = browser()
    assert program, "there is no browser"
    script = _PAGE.replace("PAGES", json.dumps(list(pages))).replace("WIDTHS", json.dumps(list(widths)))
    arrived, answers = threading.Event(), []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path != LOOK:
                return super().do_GET()
            body = script.replace("HEIGHT", str(HEIGHT)).replace("LIMIT", str(LIMIT)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            return None

        def do_POST(self) -> None:
            answers.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()
            arrived.set()

        def log_message(self, format: str, *args: t.Any) -> None:  # noqa: A002  # the name is the base class's
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        process = _start(program, f"http://127.0.0.1:{server.server_port}{LOOK}", max(widths), profile)
        try:
            ends = time.monotonic() + timeout
            while not arrived.wait(1):
                assert not process.poll(), f"the browser has ended with {process.returncode}"
                assert time.monotonic() < ends, f"the browser has said nothing for {timeout} s"
        finally:
            os.killpg(process.pid, signal.SIGKILL)  # nothing of it is needed any more
            process.wait()
            server.shutdown()
    assert isinstance(answers[0], list), answers[0]
    return [Seen(**found) for found in answers[0]]


def _start(program: str, url: str, width: int, profile: Path) -> subprocess.Popen[bytes]:
    command = [program, "--headless=new", *QUIET, f"--user-data-dir={profile}"]
    command += ["--remote-debugging-port=0", f"--window-size={width},{HEIGHT}", url]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
