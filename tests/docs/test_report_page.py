# SPDX-License-Identifier: GPL-3.0-or-later

"""The page of a report in a real browser: light, dark, narrow and printed, checked by axe-core."""

import itertools
import re
import struct
import typing as t
from pathlib import Path

import browser
import picture
import pytest
from support.samples.fleet import (
    HOSTILE,
    LATER,
    audit,
    drifted,
    failed,
    finding,
    full,
    hostile,
    record,
    report,
    showcase,
    surveyed,
    unmanaged,
)

from ansible_collections.edgeops.observability.plugins.plugin_utils._report import page as html_page

pytestmark = browser.NEEDED

ROOT = Path(__file__).resolve().parents[2]
DESK, TABLET, PHONE = 1280, 760, 320
PLANTED = (
    '<script>window.planted = 1</script><img src="planted.png" onerror="window.planted = 2"><a href="javascript:planted=3">a</a>'
)


def shown(page: browser.Page, folder: Path, content: bytes, **how: t.Any) -> None:
    """Write a page and open it."""
    file = folder / "report.html"
    file.write_bytes(content)
    page.show(file.as_uri(), **how)


def fleet(count: int) -> dict[str, t.Any]:
    """Return a report of many zones with a few findings, some of which are in the previous report."""

    def wrong(name: str, number: int) -> dict[str, t.Any]:
        return drifted(f"{name}{number}.example", scripts=audit(finding(url=f"https://{name}.example/{number}.js")))

    fine = [record(f"zone{number:04}.example") for number in range(count - 40)]
    old, new = [wrong("old", number) for number in range(10)], [wrong("wrong", number) for number in range(20)]
    rest = [failed("failed.example"), *(unmanaged(f"bare{number}.example") for number in range(9))]
    return report(*fine, *old, *new, *rest, previous=report(*fine, *old), at=LATER)


BACKGROUNDS = {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 27)"}


def test_page_is_accessible(page, tmp_path):
    shown(page, tmp_path, html_page.render(full()))
    page.open_everything()
    for scheme, width in itertools.product(BACKGROUNDS, (DESK, TABLET, PHONE)):
        page.look(scheme=scheme, width=width)
        assert (scheme, width, page.violations()) == (scheme, width, [])
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == BACKGROUNDS[scheme]


def test_page_of_a_fleet_is_accessible(page, tmp_path):
    """The report of the picture in the README, with a trend, delivery facts and a waiver."""
    shown(page, tmp_path, html_page.render(showcase()))
    page.open_everything()
    assert page.violations() == []
    assert page.evaluate("document.querySelector('.verdict').innerText").startswith("1 malicious script in 1 zone")
    # Only colours differ in the dark, so that three of the zones without a difference are enough.
    page.evaluate("document.querySelectorAll('#zones-compliant li:nth-child(n+4)').forEach(each => each.remove())")
    page.look(scheme="dark")
    assert page.violations() == []


def test_page_of_a_survey_is_accessible(page, tmp_path):
    """The table of jobs by destination is there at once, and fits a phone."""
    shown(page, tmp_path, html_page.render(surveyed(), is_survey=True))
    page.open_everything()
    for scheme, width in itertools.product(BACKGROUNDS, (DESK, PHONE)):
        page.look(scheme=scheme, width=width)
        assert (scheme, width, page.violations()) == (scheme, width, [])
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        text = page.evaluate("document.querySelector('.jobs').innerText")
        assert all(
            word in text
            for word in ("s3://acme-logs", "ClientIP", "redact-ip", "No job", "silent.example", "Jobs could not be read")
        )


def test_accessibility_check_finds_violations(page, tmp_path):
    content = html_page.render(full()).replace(b"<html lang", b"<html title").replace(b"</main>", b'<img src="data:,"></main>')
    shown(page, tmp_path, content)
    assert {line.split(":")[0] for line in page.violations()} == {"html-has-lang", "image-alt"}


@pytest.mark.parametrize("text", [None, *HOSTILE, PLANTED], ids=lambda text: ascii(text or "usual")[:20])
def test_text_runs_and_loads_nothing_and_fits_a_phone(page, tmp_path, text):
    """At 320 pixels, each row of a table becomes a block of lines, so that nothing needs scrolling sideways."""
    shown(page, tmp_path, html_page.render(hostile(text) if text else full()), width=PHONE)
    assert page.evaluate("typeof planted") == "undefined"
    assert page.loaded() == []
    assert page.evaluate("document.querySelectorAll('script, img, iframe, object, form').length") == 0
    assert page.complaints == []
    page.open_everything()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
    assert page.too_wide() == []


def test_planted_script_does_not_run(page, tmp_path):
    """The content security policy of the page stops scripts even if they get into the page."""
    shown(page, tmp_path, html_page.render(full()).replace(b"</main>", PLANTED.encode() + b"<style>p{color:red}</style></main>"))
    before = len(page.complaints)
    page.evaluate("document.querySelector('a[href^=javascript]').click()")
    page.wait(lambda: len(page.complaints) > before)  # the browser follows the link later
    assert page.evaluate("typeof planted") == "undefined"
    assert (
        page.evaluate("[...document.querySelectorAll('p')].map(p => getComputedStyle(p).color).includes('rgb(255, 0, 0)')")
        is False
    )
    assert sum("Content Security Policy" in line for line in page.complaints) >= 3
    # Without the policy the same script runs.
    shown(
        page, tmp_path, html_page.render(full()).replace(b"Content-Security-Policy", b"x").replace(b"</main>", PLANTED.encode())
    )
    assert page.evaluate("typeof planted") == "number"


def test_print_is_black_on_white_and_complete(page, tmp_path):
    """Nothing can be unfolded on paper, so that all details are printed."""
    shown(page, tmp_path, html_page.render(full()).replace(b"<details open>", b"<details>"))
    for scheme in BACKGROUNDS:
        page.look(media="print", scheme=scheme, width=800)
        assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)", scheme
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)", scheme
        assert page.evaluate("getComputedStyle(document.querySelector('nav')).display") == "none", scheme
        folded = "[...document.querySelectorAll('details li')]"
        assert page.evaluate(f"{folded}.length") > 5
        assert page.evaluate(f"{folded}.filter(each => each.getBoundingClientRect().height === 0).length") == 0, scheme
        assert len(page.shown.pdf()) > 10_000


def test_thousand_zones_stay_usable(page, tmp_path):
    """New findings and drifted zones come first, and a compliant zone has one line."""
    shown(page, tmp_path, html_page.render(fleet(1000)))
    assert page.evaluate("[...document.querySelectorAll('h2')].map(each => each.id)") == ["attention", "zones", "technical"]
    sections = page.evaluate("[...document.querySelectorAll('details.zones')].map(each => each.id)")
    assert sections == ["zones-unaudited", "zones-drifted", "zones-unmanaged", "zones-compliant"]
    page.evaluate("document.querySelector('#zones-compliant').open = true")
    heights = page.evaluate("[...document.querySelectorAll('#zones-compliant li')].map(each => each.offsetHeight)")
    assert len(heights) == 960
    assert max(heights) <= 1.5 * page.evaluate("parseFloat(getComputedStyle(document.body).lineHeight)")
    assert page.evaluate("document.querySelectorAll('main details[open]').length") == 1
    assert page.evaluate("document.querySelectorAll('*').length") < 8000
    rows = page.evaluate("[...document.querySelectorAll('.todo tr')].map(each => each.innerText)")
    assert any("30 zones" in row and "20 new" in row for row in rows)
    assert next(row for row in rows if "wrong7.example" in row).rstrip().endswith("new")
    assert not next(row for row in rows if "old7.example" in row).rstrip().endswith("new")
    assert page.evaluate("document.querySelector('#attention').getBoundingClientRect().top") < 900
    assert page.complaints == []


def test_link_to_an_item_unfolds_its_zone(page, tmp_path):
    shown(page, tmp_path, html_page.render(full()))
    assert page.evaluate("document.querySelectorAll('nav a').length") >= 5
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = false)")
    page.evaluate("document.querySelector('tbody th a').click()")
    page.wait(lambda: page.evaluate("document.querySelector(':target')?.getBoundingClientRect().height > 0"))


def test_readme_has_a_picture_of_the_page():
    """The picture is made by the session `picture` of nox at the width in the script, and is small."""
    (name,) = re.findall(r"!\[[^]]{20,}\]\((\S+\.png)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    name = name.rpartition("/main/")[2]
    content = (ROOT / name).read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", content[16:24])
    assert (width, height <= picture.HEIGHT, ROOT / name) == (picture.WIDTH, True, picture.PICTURE)
    assert len(content) < 100_000
    assert 'make nox ARGS="-s picture"' in (ROOT / "TESTING.md").read_text(encoding="utf-8")
