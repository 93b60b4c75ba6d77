# SPDX-License-Identifier: GPL-3.0-or-later
"""Make the picture in README.md, of a report on an invented fleet, with the browser of the tests."""

from __future__ import annotations

import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "docsite" / "rst" / "fleet_report.png"
WIDTH, HEIGHT = 880, 720


def main() -> None:
    """Open the page at desktop size and save its upper part."""
    sys.path[:0] = [str(ROOT / folder) for folder in (".venvs/collections", "tests", "tests/docs")]
    import browser  # noqa: PLC0415  # needs the path above
    from support.samples.fleet import showcase  # noqa: PLC0415  # needs the path above

    from ansible_collections.edgeops.observability.plugins.plugin_utils._report import page as html_page  # noqa: PLC0415  # needs the path above

    with tempfile.TemporaryDirectory() as folder, browser.opened() as page:
        report = pathlib.Path(folder) / "report.html"
        report.write_bytes(html_page.render(showcase()))
        page.show(report.as_uri(), width=WIDTH)
        size = {"x": 0, "y": 0, "width": WIDTH, "height": HEIGHT}
        page.shown.screenshot(path=PICTURE, clip=size, full_page=True)
    print(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
