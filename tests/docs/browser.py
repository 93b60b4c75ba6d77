# SPDX-License-Identifier: GPL-3.0-or-later

"""The browser of this machine, and how it is started without a window; `devtools.py` drives it."""

from __future__ import annotations

import shutil

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


def browser() -> str | None:
    """The first browser on this machine that can do this, or None."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)
