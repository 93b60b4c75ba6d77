# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os

from ...module_utils._core import Conclusion
from ...module_utils._text import line
from .._dest import check_folder, write_files
from .document import DesiredEvidence, Document, numbers, read
from .page import render
from .table import render_table

PAGE, TABLE = FILES = ("evidence.html", "evidence.csv")
_MODE = 0o640


def compose(desired: DesiredEvidence) -> Document:
    """Read the chains; write nothing."""
    check_folder(os.path.abspath(desired.dest), FILES)
    return read(desired)


def write(desired: DesiredEvidence, document: Document) -> list[str]:
    """Write both files or none; return their paths."""
    contents = {PAGE: render(document), TABLE: render_table(document)}
    return write_files(os.path.abspath(desired.dest), contents, dict.fromkeys(FILES, _MODE))


def conclude(document: Document, files: list[str]) -> Conclusion:
    """Return what the document says first."""
    lines = [
        line(" ".join(f"{text}." for text in document.verdict)),
        ", ".join(" ".join(number) for number in numbers(document)),
        f"The document is {files[0]}",
    ]
    return Conclusion(
        {"files": files, "valid": document.valid, "lines": lines, "zones": [chain.row for chain in document.chains]}
    )
