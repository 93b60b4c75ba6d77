# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the picture of a report in README.md from the report of the demonstration, with the browser of the tests."""

from __future__ import annotations

import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "docsite" / "rst" / "fleet_report.png"
WIDTH, HEIGHT = 880, 900


def main() -> int:
    """Shows the page as a browser at a desk does, and keeps its upper part."""
    report = ROOT / "build" / "demo" / "report.html"
    if not report.is_file():
        print("There is no report of a demonstration: run `make demo` first.", file=sys.stderr)
        return 1
    sys.path.insert(0, str(ROOT / "tests" / "docs"))
    import devtools  # noqa: PLC0415  # where it is has just been said

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile, devtools.opened(pathlib.Path(profile)) as page:
        page.show(report.as_uri(), width=WIDTH)
        PICTURE.write_bytes(page.picture(HEIGHT))
    print(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
