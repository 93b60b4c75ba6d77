# SPDX-License-Identifier: GPL-3.0-or-later

"""The built site: every link leads somewhere, nothing comes from elsewhere, and every page fits a desk and a phone."""

from __future__ import annotations

import html.parser
import re
import typing as t
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import browser
import pytest

from harness import documented

DESK, PHONE = 1280, 390
ROOT_URL = "http://site.invalid/"
# Attributes by which a page loads something at once.
LOADING = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "object": "data"}


class Page(html.parser.HTMLParser):
    """Links, anchors and what is loaded, of one page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.anchors.update(value for name in ("id", "name") if (value := given.get(name)))
        if tag == "a" and given.get("href"):
            self.links.append(given["href"] or "")
        value = given.get(LOADING.get(tag, ""))
        # Only some kinds of `link` are loaded; the others are references.
        if value and (tag != "link" or given.get("rel") in ("stylesheet", "icon", "shortcut icon", "preload")):
            self.loaded.append(value)


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Page]:
    return {str(path.relative_to(site)): Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}


def inside(page: str, link: str) -> tuple[str, str] | None:
    """The page and the anchor that a link leads to; None where it leads out of the site."""
    address, anchor = urldefrag(urljoin(ROOT_URL + page, link))
    if not address.startswith(ROOT_URL):
        return None
    return unquote(urlsplit(address).path.lstrip("/")) or "index.html", unquote(anchor)


def broken(site: Path, pages: dict[str, Page]) -> list[str]:
    found = []
    for page, content in pages.items():
        for link in content.links:
            target = inside(page, link)
            if target is None:
                continue
            path, anchor = target
            if not (site / path).is_file():
                found.append(f"{page}: {link} leads to no file")
            elif anchor and path in pages and anchor not in pages[path].anchors:
                found.append(f"{page}: {link} leads to no place in {path}")
    return found


def test_every_internal_link_resolves(site: Path, pages: dict[str, Page]) -> None:
    assert sum(len(page.links) for page in pages.values()) > 500
    assert not broken(site, pages)


def test_a_broken_link_would_be_found(site: Path, pages: dict[str, Page]) -> None:
    planted = Page('<a href="nowhere.html">x</a><a href="#nowhere">y</a><a href="index.html">z</a>')
    assert len(broken(site, {**pages, "planted.html": planted})) == 2


def test_no_page_loads_anything_from_elsewhere(site: Path, pages: dict[str, Page]) -> None:
    assert not [(page, value) for page, content in pages.items() for value in content.loaded if inside(page, value) is None]
    styles = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.css")}
    assert styles
    assert not [path for path, text in styles.items() if re.search(r"@import|url\(\s*['\"]?(?:https?:)?//", text)]


def test_every_module_and_plugin_has_its_page(pages: dict[str, Page]) -> None:
    plugins = documented.ROOT / "plugins"
    expected = {
        f"{path.stem}_{kind}.html"
        for folder, kind in {"modules": "module", "filter": "filter", "test": "test", "inventory": "inventory"}.items()
        for path in (plugins / folder).glob("[a-z]*.py")
    }
    assert expected | {"log_delivery_role.html"} <= set(pages)


@pytest.fixture(scope="module")
def seen(site: Path, pages: dict[str, Page], tmp_path_factory: pytest.TempPathFactory) -> list[browser.Seen]:
    return browser.look(site, sorted(pages), (DESK, PHONE), tmp_path_factory.mktemp("profile"))


@pytest.mark.skipif(browser.browser() is None, reason="no browser on this machine: install chromium to look at the pages in it")
def test_pages_fit_desktop_and_phone(pages: dict[str, Page], seen: list[browser.Seen]) -> None:
    """Pages fit a desk and a phone in a browser."""
    assert {(each.page, each.width) for each in seen} == {(page, width) for page in pages for width in (DESK, PHONE)}
    too_wide = [(each.page, each.width, each.content, each.wide) for each in seen if each.content > each.width or each.wide]
    assert not too_wide
    assert not [each.page for each in seen if each.text < 100 and each.page != "search.html"]
    assert not [(each.page, each.images) for each in seen if each.images]
    _links_resolve(seen)
    hosts = {urlsplit(address).hostname for each in seen for address in each.loaded if not address.startswith("data:")}
    assert hosts == {"127.0.0.1"}


# A theme as the site's own is: a handler registers another one, which works after the page is loaded and measures the window last.
LATE_THEME = """<!doctype html><body><table style="width:2000px"><tr><td>wide</table><script>
window.jQuery = handler => setTimeout(handler, 100);
window.SphinxRtdTheme = {Navigation: {winHeight: null}};
jQuery(() => jQuery(() => jQuery(() => {
  document.querySelector("table").remove();
  document.body.append("from the theme");
  SphinxRtdTheme.Navigation.winHeight = innerHeight;
})));
</script>"""


@pytest.mark.skipif(browser.browser() is None, reason="no browser on this machine: install chromium to look at the pages in it")
def test_pages_are_seen_as_the_theme_leaves_them(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "late.html").write_text(LATE_THEME, encoding="utf-8")
    (found,) = browser.look(tmp_path / "site", ["late.html"], [DESK], tmp_path / "profile")
    assert (found.content, found.wide, found.text) == (DESK, [], len("from the theme"))


def _links_resolve(seen: t.Sequence[browser.Seen]) -> None:
    """What the browser made of the links, scripts of the theme included."""
    anchors = {each.page: set(each.anchors) for each in seen}
    own = {urlsplit(address).netloc for each in seen for address in each.loaded}
    for each in seen:
        for link in each.links:
            parts = urlsplit(link)
            if parts.netloc not in own:
                continue
            page = unquote(parts.path.lstrip("/")) or "index.html"
            assert page in anchors or not page.endswith(".html"), f"{each.page}: {link}"
            assert not parts.fragment or page not in anchors or unquote(parts.fragment) in anchors[page], f"{each.page}: {link}"
