# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json


class LeftOut(t.NamedTuple):
    """What of a zone is not in its variables, and why: declaring it would change the service, or show a secret."""

    what: str
    why: str


class Expressed(t.NamedTuple):
    """One part of a zone in variables of the role. `vault` names secrets; `destinations` shows where each belongs."""

    variables: dict[str, Json]
    left_out: tuple[LeftOut, ...] = ()
    vault: tuple[str, ...] = ()
    destinations: tuple[dict[str, Json], ...] = ()
    notes: tuple[str, ...] = ()


def joined(parts: t.Iterable[Expressed]) -> Expressed:
    """Several parts as one."""
    whole = Expressed({})
    for part in parts:
        whole = Expressed(
            {**whole.variables, **part.variables},
            whole.left_out + part.left_out,
            whole.vault + part.vault,
            whole.destinations + part.destinations,
            whole.notes + part.notes,
        )
    return whole
