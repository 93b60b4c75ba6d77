# SPDX-License-Identifier: GPL-3.0-or-later

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._supported import unsupported


@pytest.mark.parametrize(
    ("core", "python"), [("2.16.0", (3, 10)), ("2.19.14", (3, 11)), ("2.22.0rc1", (3, 14)), ("2.22.0.dev0", (4, 0))]
)
def test_supported_versions(core: str, python: tuple[int, int]) -> None:
    assert unsupported(core, python) == ""


@pytest.mark.parametrize(("core", "python"), [("2.15.13", (3, 11)), ("2.9.27", (3, 10)), ("2.19.14", (3, 9)), ("2.16.0", (2, 7))])
def test_old_versions_are_named_with_what_is_needed(core: str, python: tuple[int, int]) -> None:
    reason = unsupported(core, python)
    assert reason.startswith("edgeops.observability needs ansible-core 2.16 and Python 3.10 or newer, and this is ")
    assert f"ansible-core {core} on Python {python[0]}.{python[1]} (" in reason
