# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._api.session import secrets_of


@pytest.mark.parametrize(
    ("address", "secrets"),
    [
        ("http://proxy.example:3128", ()),
        ("127.0.0.1,localhost", ()),
        ("http://user:pass%2Fword@proxy.example", ("pass/word", "user:pass/word")),
        ("user:password@proxy.example", ("password", "user:password")),
        ("http://token@proxy.example", ("token", "token:")),
        ("http://[::1", ()),
        ("", ()),
    ],
)
def test_what_is_secret_in_a_proxy(address: str, secrets: tuple[str, ...]) -> None:
    assert secrets_of({"https": address, "no": "127.0.0.1"}) == secrets
