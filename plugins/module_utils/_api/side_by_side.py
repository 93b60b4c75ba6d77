# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

_In = t.TypeVar("_In")
_Out = t.TypeVar("_Out")


def side_by_side(function: t.Callable[[_In], _Out], values: t.Sequence[_In], most: int) -> list[_Out]:
    """The results of a function for several values, in order; after a failure nothing more is begun, and nothing is left running."""
    if most == 1 or len(values) < 2:
        return [function(value) for value in values]
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  # most runs never need it, and it is slow to import

    with ThreadPoolExecutor(min(most, len(values))) as executor:
        futures = [executor.submit(function, value) for value in values]
        try:
            return [future.result() for future in futures]
        except BaseException:
            for future in futures:
                future.cancel()
            raise
