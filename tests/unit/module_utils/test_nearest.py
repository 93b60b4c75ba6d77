# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._text import did_you_mean, nearest

KNOWN = ("name", "enabled", "dataset", "script_url", "url_reported_malicious")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("enabeld", "enabled"),
        ("NAME", "name"),
        ("nmae", "name"),
        ("url", "script_url"),
        ("data", "dataset"),
        ("frequency", ""),
        ("headers", ""),
        ("q", ""),
        ("", ""),
    ],
)
def test_only_a_similar_name_is_suggested(name: str, meant: str) -> None:
    assert nearest(name, KNOWN) == meant
    assert did_you_mean(meant) == (f" (did you mean {meant!r}?)" if meant else "")


def test_nothing_is_suggested_without_names() -> None:
    assert nearest("name", ()) == ""
