# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os

from ...module_utils._core import Conclusion
from ...module_utils._text import line
from .._dest import check_folder, write_files
from .document import Desired, numbers, read, verdict
from .page import render
from .table import render_table
from .verification import describe

PAGE, TABLE = FILES = ("evidence.html", "evidence.csv")
_MODE = 0o640


def report(desired: Desired) -> Conclusion:
    """Read the chains, write both files or none, and return what the document says first."""
    folder = os.path.abspath(desired.dest)
    check_folder(folder, FILES)
    document = read(desired)
    contents = {PAGE: render(document), TABLE: render_table(document)}
    files = write_files(folder, contents, dict.fromkeys(FILES, _MODE))
    lines = [line(verdict(document)), ", ".join(f"{number:,} {name}" for name, number in numbers(document).items())]
    for zone in document.zones:
        lines += describe(zone.chain, zone.name if zone.name != zone.zone_id else "")
    return Conclusion(
        {
            "files": files,
            "valid": document.valid,
            "lines": [*lines, f"The document is {files[0]}"],
            "zones": [zone.chain for zone in document.zones],
        }
    )
