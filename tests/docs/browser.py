# SPDX-License-Identifier: GPL-3.0-or-later

"""A real browser that shows one page, over the DevTools protocol on two pipes: it needs no library and opens no port.

What is evaluated here runs as in the console of the browser, whatever the page's own policy forbids its scripts.
"""

import base64
import contextlib
import importlib.resources
import itertools
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
import typing as t
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
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
Json = t.Any
# Seconds of silence, on a machine that is busy with something else.
TIMEOUT = 300.0
# The browser reads commands from descriptor 3 and answers on 4.
_ON_PIPES = "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execv(sys.argv[3], sys.argv[3:])"


def browser() -> str | None:
    """The first browser on this machine that can do this, or None."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


NEEDED = pytest.mark.skipif(browser() is None, reason="no browser on this machine: install chromium to look at pages in it")


class Page:
    """The one page of a browser, with what the browser said of it in `complaints`."""

    def __init__(self, commands: int, answers: int) -> None:
        self.complaints: list[str] = []
        self._commands, self._answers = commands, answers
        self._unread = b""
        self._reached: set[tuple[str, str]] = set()
        self._numbers = itertools.count(1)
        self._session: str | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)

    def call(self, method: str, **params: Json) -> Json:
        """Send one command, and wait for its answer."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": params, **({"sessionId": self._session} if self._session else {})}
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while (answer := self._receive()).get("id") != number:
            pass
        assert "error" not in answer, f"{method}: {answer['error']}"
        return answer["result"]

    def show(self, url: str, *, width: int = 1280, height: int = 900, scheme: str = "light", media: str = "screen") -> None:
        """Load a page and wait until it is there, whatever the browser still says of the page before."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])
        self._reached.clear()
        loader = self.call("Page.navigate", url=url)["loaderId"]
        self.wait(lambda: (loader, "load") in self._reached)

    def wait(self, condition: t.Callable[[], bool]) -> None:
        """Receive what the browser says until the condition holds."""
        ends = time.monotonic() + TIMEOUT
        while not condition():
            assert time.monotonic() < ends, f"what was waited for has not happened in {TIMEOUT:.0f} s"
            self._receive()

    def evaluate(self, expression: str) -> Json:
        """The value of an expression, or of the promise that it is."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def open_everything(self) -> None:
        """Unfold all details, so that nothing of the page is hidden."""
        self.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")

    def violations(self) -> list[str]:
        """What axe-core finds wrong with the page, every rule of it."""
        self.evaluate((importlib.resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
        found = self.evaluate("axe.run(document).then(done => done.violations)")
        return [f"{each['id']}: {each['help']}: {node['html']}" for each in found for node in each["nodes"]]

    def picture(self, height: int | None = None) -> bytes:
        """The page as a PNG, at most so many pixels high."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], height or size["height"]), "scale": 1}
        shot = self.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)
        return base64.b64decode(shot["data"])

    def _receive(self) -> Json:
        ends = time.monotonic() + TIMEOUT
        while b"\0" not in self._unread:
            ready = select.select([self._answers], [], [], max(0.0, ends - time.monotonic()))[0]
            assert ready, f"the browser has said nothing for {TIMEOUT:.0f} s"
            read = os.read(self._answers, 1 << 20)
            assert read, "the browser has ended"
            self._unread += read
        line, self._unread = self._unread.split(b"\0", 1)
        message = json.loads(line)
        if "method" in message:
            self._note(message)
        return message

    def _note(self, event: Json) -> None:
        if event["method"] == "Page.lifecycleEvent":
            self._reached.add((event["params"]["loaderId"], event["params"]["name"]))
            if event["params"]["name"] == "init":
                self.complaints.clear()  # what came before is about another page
        if event["method"] == "Log.entryAdded" and event["params"]["entry"]["level"] in ("error", "warning"):
            self.complaints.append(event["params"]["entry"]["text"])
        if event["method"] == "Runtime.consoleAPICalled":
            self.complaints.append(json.dumps(event["params"]["args"]))
        if event["method"] == "Runtime.exceptionThrown":
            self.complaints.append(event["params"]["exceptionDetails"]["text"])


@contextlib.contextmanager
def opened(profile: Path) -> t.Iterator[Page]:
    """A browser without a window, until the block ends."""
    program = browser()
    assert program, "there is no browser"
    command_end, commands = os.pipe()
    answers, answer_end = os.pipe()
    arguments = [program, "--headless=new", *QUIET, "--hide-scrollbars", f"--user-data-dir={profile}", "--remote-debugging-pipe"]
    process = subprocess.Popen(
        [sys.executable, "-c", _ON_PIPES, str(command_end), str(answer_end), *arguments, "about:blank"],
        pass_fds=(command_end, answer_end),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    os.close(command_end)
    os.close(answer_end)
    try:
        yield Page(commands, answers)
    finally:
        os.killpg(process.pid, signal.SIGKILL)  # nothing of it is needed any more
        process.wait()
        os.close(commands)
        os.close(answers)
