# SPDX-License-Identifier: GPL-3.0-or-later

"""The words of the guides: readers find each page by those of today's dashboard and by the former ones."""

import re
from pathlib import Path

import pytest
from blocks import ROOT

PAGES = sorted((ROOT / "docs" / "docsite" / "rst").glob("*.rst"))
TEXTS = [*PAGES, ROOT / "README.md", ROOT / "SUPPORT.md", *sorted((ROOT / "examples").rglob("*.md"))]
# Both names of the vendor, where a page first speaks of the thing.
NAMES = (
    (
        re.compile(r"\bscript monitor\b|\bpage shield\b|\bclient-side security\b", re.IGNORECASE),
        ("client-side security", "page shield"),
    ),
    (re.compile(r"\bcontent security rules\b", re.IGNORECASE), ("content security rules", "policies")),
)
# Say which user or which part acts, or use the passive voice.
VAGUE = re.compile(
    r"\b(somebody|someone|nobody|anybody|everybody|anew|befalls?|left alone|as a whole of|is told)\b", re.IGNORECASE
)


def prose(path: Path) -> str:
    """The text of a file without examples, literals and links."""
    text = re.sub(r"(?ms)^```.*?^```$", "", path.read_text(encoding="utf-8"))
    text = re.sub(r"(?m)^( *)\.\. code-block::.*\n(?:(?:\1   .*)?\n)+", "", text)
    return re.sub(r"``.*?``|`[^`]*<.*?>`_?|\]\(\S+\)|(?m:^\.\. _.*$)", "", text)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_page_names_the_vendor_and_others(path: Path) -> None:
    first = prose(path).partition("Cloudflare")
    assert not first[1] or "with the same API" in prose(path)


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_text_has_both_names_and_says_who_acts(path: Path) -> None:
    text = prose(path)
    assert VAGUE.findall(text) == []
    for mention, names in NAMES:
        found = mention.search(text)
        if found:
            near = text[max(0, found.start() - 200) : found.end() + 400].lower()
            assert all(name in near for name in names), f"{path.name}: {text[found.start() - 60 : found.end() + 60]!r}"
