# SPDX-License-Identifier: GPL-3.0-or-later

"""The document for an assessor in a real browser: light, dark, narrow and printed, checked by axe-core."""

import itertools
import random
import typing as t
from pathlib import Path

import browser
import pytest
from support.histories import ModelZone, entry_of, hash_of, make_histories, make_showcase

from ansible_collections.edgeops.observability.plugins.plugin_utils._evidence import document as documents
from ansible_collections.edgeops.observability.plugins.plugin_utils._evidence.page import render

pytestmark = browser.NEEDED

OPTIONS = {"expected_heads": None, "until": None, "max_gap_days": None, "title": None, "at": "2026-12-28T12:00:00Z"}
PLANTED = '<script>window.planted = 1</script><img src="planted.png" onerror="window.planted = 2">'


def shown(page: browser.Page, folder: Path, names: t.Mapping[str, str], **how: t.Any) -> None:
    """Make the document for a folder of evidence, and open it."""
    options = {**OPTIONS, "evidence_dir": str(folder), "dest": "unused", "since": "2026-01-01", "zone_names": names}
    file = folder / "evidence.html"
    file.write_bytes(render(documents.read(documents.desire(options, {}))))
    page.show(file.as_uri(), **how)


@pytest.fixture(scope="module")
def showcase(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    folder = tmp_path_factory.mktemp("showcase")
    return folder, make_showcase(folder)


def test_page_is_accessible(page, showcase):
    shown(page, *showcase)
    for scheme, width in itertools.product(("light", "dark"), (1280, 320)):
        page.look(scheme=scheme, width=width)
        assert (scheme, width, page.violations(), page.too_wide()) == (scheme, width, [], [])


def test_page_with_all_changes_is_accessible(page, tmp_path):
    make_histories(tmp_path, 2, days=60)
    shown(page, tmp_path, {})
    assert page.violations() == []


def test_printed_page_has_all_sections(page, showcase):
    shown(page, *showcase, media="print")
    assert page.evaluate("getComputedStyle(document.querySelector('nav')).display") == "none"
    heights = page.evaluate("[...document.querySelectorAll('main section')].map(each => each.getBoundingClientRect().height)")
    assert len(heights) == 5 and all(height > 40 for height in heights)


def test_planted_scripts_do_not_run(page, tmp_path):
    model = ModelZone("d" * 32, tmp_path, random.Random(0))
    url = f"https://cdn.example/{PLANTED}.js"
    model.scripts[url] = hash_of(url)
    model.entries[url] = entry_of(url, [hash_of(url)], justification=PLANTED, owner=PLANTED, authorised_by=PLANTED)
    model.audit(documents.desire({**OPTIONS, "evidence_dir": "e", "dest": "d", "since": None, "zone_names": None}, {}).period.at)
    shown(page, tmp_path, {"d" * 32: PLANTED})
    assert page.evaluate("window.planted") is None and page.loaded() == []
    assert page.complaints == []
