# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

import httpx


def visit(sim: t.Any, path: str, method: str = "GET") -> httpx.Response:
    """Visit a page as a browser does, without credentials."""
    origin = sim.base_url.partition("/client")[0]
    return httpx.request(method, f"{origin}/__site__/{path}")


def test_a_shop_for_each_zone(sim: t.Any, zone: t.Any) -> None:
    first = visit(sim, f"{zone.id}/checkout")
    assert (first.status_code, first.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert "evil.example" not in first.text and "'unsafe-inline'" not in first.headers["content-security-policy"]
    assert [visit(sim, path).status_code for path in ("abc/checkout", f"{zone.id}/none", "")] == [404, 404, 404]
    assert visit(sim, f"{zone.id}/checkout", "POST").status_code == 405
    assert visit(sim, f"{zone.id}/checkout").text != first.text, "each visitor has a cart"


def test_changes(sim: t.Any, zone: t.Any) -> None:
    page = f"{zone.id}/checkout"
    for change, text in {
        "skimmer": "new Image()",
        "frame": "https://evil.example/fields",
        "form": 'action="https://evil.example/pay"',
    }.items():
        sim.settings(site_changes=[f"{zone.id}:{change}"])
        assert text in visit(sim, page).text
        sim.settings(site_changes=[f"0:{change}"])
        assert text not in visit(sim, page).text
    sim.settings(site_changes=["header"])
    assert "'unsafe-inline'" in visit(sim, page).headers["content-security-policy"]
