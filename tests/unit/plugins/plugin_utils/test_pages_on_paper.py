# SPDX-License-Identifier: GPL-3.0-or-later

import re
from pathlib import Path

import pytest

from ansible_collections.edgeops.observability.plugins import plugin_utils

PLUGIN_UTILS = Path(plugin_utils.__path__[0])


@pytest.mark.parametrize("style", ["_report/page.css", "_evidence/evidence.css"])
def test_narrow_paper_keeps_its_tables(style: str) -> None:
    """A sheet of paper is narrower than the limit for small screens, below which the rows of tables are stacked."""
    narrow = re.findall(r"@media ([^{]*max-width[^{]*)\{", (PLUGIN_UTILS / style).read_text(encoding="utf-8"))
    assert narrow and all(query.startswith("screen and ") for query in narrow)
