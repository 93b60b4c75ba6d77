# SPDX-License-Identifier: GPL-3.0-or-later

"""The browser of this machine, driven by Playwright; it shows one page at a time."""

import contextlib
import importlib.resources
import shutil
import typing as t

import pytest
from playwright import sync_api

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
QUIET = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--hide-scrollbars",
    # Pages are on loopback, for which a proxy must not be used.
    "--no-proxy-server",
)
# In milliseconds; long enough for a busy machine.
TIMEOUT = 300_000


def program() -> str | None:
    """Return the path of the first supported browser on this machine, or None."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


NEEDED = pytest.mark.skipif(program() is None, reason="no browser on this machine: install chromium to look at pages in it")


class Page:
    """The page in the browser; `complaints` are its errors and warnings."""

    def __init__(self, browser: sync_api.Browser) -> None:
        self.complaints: list[str] = []
        self.shown = browser.new_page(no_viewport=True)
        self.shown.set_default_timeout(TIMEOUT)
        self.shown.on("console", lambda message: self.complaints.append(message.text))
        self.shown.on("pageerror", lambda error: self.complaints.append(str(error)))
        # Earlier complaints are about another page.
        self.shown.on("framenavigated", lambda _frame: self.complaints.clear())
        # Runs code like the console of the browser, which the page's content security policy does not restrict.
        self._console = self.shown.context.new_cdp_session(self.shown)

    def show(self, url: str, **looks: t.Any) -> None:
        """Load a page and wait for it; `looks` as in `look`."""
        self.look(**looks)
        self.shown.goto(url)
        # A new process of the browser may have forgotten it.
        self.look(**looks)

    def look(self, *, width: int = 1280, height: int = 900, scheme: t.Any = "light", media: t.Any = "screen") -> None:
        """Change the window of what is shown; a narrow one is a phone."""
        window = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self._console.send("Emulation.setDeviceMetricsOverride", window)
        self.shown.emulate_media(media=media, color_scheme=scheme)

    def evaluate(self, expression: str) -> t.Any:
        """Return the value of an expression, or of its promise."""
        parameters = {"expression": expression, "awaitPromise": True, "returnByValue": True}
        answer = self._console.send("Runtime.evaluate", parameters)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, condition: t.Callable[[], bool]) -> None:
        """Wait until the condition is true, while the browser continues."""
        for _turn in range(TIMEOUT // 50):
            if condition():
                return
            self.shown.wait_for_timeout(50)
        raise AssertionError("what was waited for has not happened")

    def open_everything(self) -> None:
        """Unfold all details, so that all content is visible."""
        self.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")

    def too_wide(self) -> list[str]:
        """Return the start of each element that is wider than the window."""
        wide = "[...document.body.querySelectorAll('*')].filter(each => each.getBoundingClientRect().right > innerWidth + 1)"
        elements: list[str] = self.evaluate(f"{wide}.map(each => each.outerHTML.slice(0, 80))")
        return elements

    def loaded(self) -> list[str]:
        """Return the files that the page has loaded."""
        files: list[str] = self.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
        return files

    def violations(self) -> list[str]:
        """Return the violations that axe-core finds with all its rules."""
        self.evaluate((importlib.resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
        # What is not a violation would be described for each element, too.
        violations = self.evaluate("axe.run({resultTypes: ['violations']}).then(done => done.violations)")
        return [
            f"{violation['id']}: {violation['help']}: {node['html']}" for violation in violations for node in violation["nodes"]
        ]


@contextlib.contextmanager
def opened() -> t.Iterator[Page]:
    """Run a headless browser."""
    with sync_api.sync_playwright() as playwright:
        # The sandbox does not work for root in containers; without it is safe here, because only our own pages are shown.
        browser = playwright.chromium.launch(executable_path=program(), args=QUIET, chromium_sandbox=False)
        try:
            yield Page(browser)
        finally:
            browser.close()
