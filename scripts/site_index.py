# SPDX-License-Identifier: GPL-3.0-or-later

"""Give the documentation site its first page and its sidebar: `site_index.py RST_FOLDER FIRST_PAGE`.

antsibull-docs writes one page with all sections and plugins. It becomes the page of all modules and plugins, and the guides and modules
get into the sidebar below captions, modules by their names alone.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

# A section of guides, as antsibull-docs writes those of docs/docsite/extra-docs.yml.
SECTION = re.compile(r"^(?P<title>\w+)\n-+\n\n\.\. toctree::\n    :maxdepth: 1\n\n(?P<pages>(?:    \S+\n)+)\n", re.MULTILINE)
TOCTREE = re.compile(r"\.\. toctree::\n(?:    :\w+:.*\n)*\n?(?P<pages>(?:    \S+\n)*)\n?", re.MULTILINE)
PLUGIN = re.compile(r"(?P<name>\w+)_(?P<kind>module|filter|test|inventory|role)")


def entry(page: str) -> str:
    """Return the line of a page in the sidebar: a plugin by its name, with its kind if it is no module."""
    plugin = PLUGIN.fullmatch(page)
    if not plugin:
        return page
    kind = "" if plugin["kind"] == "module" else f" ({plugin['kind']})"
    return f"{plugin['name']}{kind} <{page}>"


def toctree(caption: str, pages: list[str]) -> str:
    lines = [".. toctree::", f"   :caption: {caption}", "   :hidden:", "", *(f"   {entry(page)}" for page in pages)]
    return "\n".join(lines) + "\n"


def main(folder: Path, first_page: Path) -> None:
    generated = (folder / "index.rst").read_text(encoding="utf-8")
    sections = {section["title"]: section["pages"].split() for section in SECTION.finditer(generated)}
    rest = SECTION.sub("", generated)
    plugins = [page for tree in TOCTREE.finditer(rest) for page in tree["pages"].split()]
    if not sections or not plugins:
        raise SystemExit("site_index.py: antsibull-docs writes its index in another form than before")
    title = "All modules and plugins"
    listed = re.sub(r"\A(.*\n\n)\S.*\n=+\n", rf"\1{title}\n{'=' * len(title)}\n", TOCTREE.sub("", rest), count=1, flags=re.DOTALL)
    (folder / "collection.rst").write_text(listed, encoding="utf-8")
    trees = [toctree(caption, pages) for caption, pages in sections.items()]
    trees.append(toctree("Modules", ["collection", *plugins]))
    (folder / "index.rst").write_text(f"{first_page.read_text(encoding='utf-8')}\n{chr(10).join(trees)}", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
