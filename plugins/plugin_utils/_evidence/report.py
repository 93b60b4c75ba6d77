# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os

from ...module_utils._core import Conclusion
from ...module_utils._text import line
from .._dest import check_folder, write_files
from .document import Desired, numbers, read
from .page import render
from .table import render_table

PAGE, TABLE = FILES = ("evidence.html", "evidence.csv")
_MODE = 0o640


def report(desired: Desired) -> Conclusion:
    """Read the chains, write both files or none, and return what the document says first."""
    folder = os.path.abspath(desired.dest)
    check_folder(folder, FILES)
    document = read(desired)
    contents = {PAGE: render(document), TABLE: render_table(document)}
    files = write_files(folder, contents, dict.fromkeys(FILES, _MODE))
    lines = [
        line(" ".join(f"{text}." for text in document.verdict)),
        ", ".join(" ".join(each) for each in numbers(document)),
        f"The document is {files[0]}",
    ]
    return Conclusion(
        {"files": files, "valid": document.valid, "lines": lines, "zones": [chain.row for chain in document.chains]}
    )
