# SPDX-License-Identifier: GPL-3.0-or-later

"""In the built site all links have a target, no page loads files of other sites, and all pages fit on desktops and phones."""

import functools
import html.parser
import http.server
import re
import threading
import typing as t
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import browser
import pytest

from harness import documented

DESK, PHONE = 1280, 390
ROOT_URL = "http://site.invalid/"
# Attributes with files that a browser loads without a click.
LOADING = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "object": "data"}


class Page(html.parser.HTMLParser):
    """The links, anchors and loaded files of one page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.anchors.update(value for name in ("id", "name") if (value := attributes.get(name)))
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"] or "")
        value = attributes.get(LOADING.get(tag, ""))
        # Only some types of `link` are loaded.
        if value and (tag != "link" or attributes.get("rel") in ("stylesheet", "icon", "shortcut icon", "preload")):
            self.loaded.append(value)


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Page]:
    return {str(path.relative_to(site)): Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}


def inside(page: str, link: str) -> tuple[str, str] | None:
    """Return the page and the anchor of a link, None if it leads out of the site."""
    address, anchor = urldefrag(urljoin(ROOT_URL + page, link))
    if not address.startswith(ROOT_URL):
        return None
    return unquote(urlsplit(address).path.lstrip("/")) or "index.html", unquote(anchor)


def broken(site: Path, pages: dict[str, Page]) -> list[str]:
    problems = []
    for page, content in pages.items():
        for link in content.links:
            target = inside(page, link)
            if target is None:
                continue
            path, anchor = target
            if not (site / path).is_file():
                problems.append(f"{page}: {link} leads to no file")
            elif anchor and path in pages and anchor not in pages[path].anchors:
                problems.append(f"{page}: {link} leads to no place in {path}")
    return problems


def test_every_internal_link_has_a_target(site: Path, pages: dict[str, Page]) -> None:
    assert sum(len(page.links) for page in pages.values()) > 500
    assert not broken(site, pages)


def test_broken_link_is_found(site: Path, pages: dict[str, Page]) -> None:
    planted = Page('<a href="nowhere.html">x</a><a href="#nowhere">y</a><a href="index.html">z</a>')
    assert len(broken(site, {**pages, "planted.html": planted})) == 2


def test_no_page_loads_files_of_other_sites(site: Path, pages: dict[str, Page]) -> None:
    assert not [(page, value) for page, content in pages.items() for value in content.loaded if inside(page, value) is None]
    styles = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.css")}
    assert styles
    assert not [path for path, text in styles.items() if re.search(r"@import|url\(\s*['\"]?(?:https?:)?//", text)]


def test_first_page_leads_on(site: Path, pages: dict[str, Page]) -> None:
    """The sidebar has captions, and names modules without the name of the collection."""
    text = (site / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'class="caption-text">(\w+)<', text)[:5] == ["Start", "Operate", "Scripts", "Reference", "Modules"]
    assert '">logpush_job</a>' in text and "survey" in text and any("guide_survey" in link for link in pages["index.html"].links)


def test_every_module_and_plugin_has_its_page(pages: dict[str, Page]) -> None:
    plugins = documented.ROOT / "plugins"
    expected = {
        f"{path.stem}_{kind}.html"
        for folder, kind in {"modules": "module", "filter": "filter", "test": "test", "inventory": "inventory"}.items()
        for path in (plugins / folder).glob("[a-z]*.py")
    }
    assert expected | {"log_delivery_role.html"} <= set(pages)


# Waits until the theme has changed the page: it does so in a handler without an event that could be awaited, and the last value
# that it sets is the height of the window.
MEASURE = """(async width => {
  while (window.jQuery && !(window.SphinxRtdTheme?.Navigation.winHeight > 0)) await new Promise(done => setTimeout(done, 10));
  await document.fonts.ready;
  const scrolls = box => ["auto", "scroll"].includes(getComputedStyle(box).overflowX) && box.getBoundingClientRect().right <= width + 1;
  const wide = [...document.body.querySelectorAll("*")].filter(each => {
    if (each.getBoundingClientRect().right <= width + 1 || each.getBoundingClientRect().width === 0) return false;
    for (let box = each.parentElement; box; box = box.parentElement) if (scrolls(box)) return false;
    return true;
  });
  return {
    content: Math.max(document.documentElement.scrollWidth, document.body.scrollWidth),
    wide: wide.slice(0, 3).map(each => `${each.outerHTML.slice(0, 60)}: ${(each.textContent || "").trim().slice(0, 60)}`),
    text: document.body.innerText.length,
    cut: [...document.querySelectorAll(".highlight-shell .highlight")].filter(each => each.scrollWidth > each.clientWidth + 1)
      .map(each => each.textContent.trim().slice(0, 100)),
    images: [...document.images].filter(each => !(each.complete && each.naturalWidth)).map(each => each.src),
    loaded: performance.getEntriesByType("resource").map(entry => entry.name),
  };
})(WIDTH)"""
Seen = dict[str, t.Any]


def seen(page: browser.Page, folder: Path, names: t.Sequence[str], widths: t.Sequence[int]) -> dict[tuple[str, int], Seen]:
    """Return each page at each width as a browser shows it from a server on loopback."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_arguments: object) -> None:
            """Log nothing."""

    found: dict[tuple[str, int], Seen] = {}
    handler = functools.partial(Handler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        for name in names:
            page.show(f"http://127.0.0.1:{server.server_port}/{name}", width=widths[0])
            found[name, widths[0]] = page.evaluate(MEASURE.replace("WIDTH", str(widths[0])))
            for width in widths[1:]:
                page.look(width=width)
                found[name, width] = page.evaluate(MEASURE.replace("WIDTH", str(width)))
            # The next page starts with the width of this one, because each change lays a page out again.
            widths = widths[::-1]
        server.shutdown()
    return found


@browser.NEEDED
def test_pages_fit_desktop_and_phone(page: browser.Page, site: Path, pages: dict[str, Page]) -> None:
    layouts = seen(page, site, sorted(pages), (PHONE, DESK))
    assert not [
        (place, layout["content"], layout["wide"])
        for place, layout in layouts.items()
        if layout["content"] > place[1] or layout["wide"]
    ]
    assert not [place for place, layout in layouts.items() if layout["text"] < 100 and place[0] != "search.html"]
    assert not [(place, layout["cut"]) for place, layout in layouts.items() if layout["cut"] and place[1] == DESK]
    assert not [(place, layout["images"]) for place, layout in layouts.items() if layout["images"]]
    hosts = {
        urlsplit(address).hostname
        for layout in layouts.values()
        for address in layout["loaded"]
        if not address.startswith("data:")
    }
    assert hosts == {"127.0.0.1"}


# Like a page with the site's theme: its last handler is registered by another handler, and sets the height of the window.
LATE_THEME = """<!doctype html><body><table style="width:2000px"><tr><td>wide</table><script>
window.jQuery = handler => setTimeout(handler, 100);
window.SphinxRtdTheme = {Navigation: {winHeight: null}};
jQuery(() => jQuery(() => jQuery(() => {
  document.querySelector("table").remove();
  document.body.append("from the theme");
  SphinxRtdTheme.Navigation.winHeight = innerHeight;
})));
</script>"""


@browser.NEEDED
def test_measurement_waits_for_the_theme(page: browser.Page, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "late.html").write_text(LATE_THEME, encoding="utf-8")
    (layout,) = seen(page, tmp_path / "site", ["late.html"], [DESK]).values()
    assert (layout["content"], layout["wide"], layout["text"]) == (DESK, [], len("from the theme"))
