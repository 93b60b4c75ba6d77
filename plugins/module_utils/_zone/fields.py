# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import dataclasses
import re
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields import options
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.facts import PRESERVE_DUPLICATES
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.present import names_of
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.state import Ruleset
from ansible_collections.edgeops.observability.plugins.module_utils._errors import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._places import moved, within
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json, Plan
from ansible_collections.edgeops.observability.plugins.module_utils._zone.facts import ALL_LISTS, EVERY_TYPE, LISTS
from ansible_collections.edgeops.observability.plugins.module_utils._zone.tasks.log_custom_fields import TASK

_OWN_NAMES = {kind: name for name, kind in LISTS.items()}
_KIND = re.compile(rf"\b({'|'.join(sorted(_OWN_NAMES, key=len, reverse=True))})\b")


class Desired(t.NamedTuple):
    """The desired custom fields; `removal` stands for them where the zone would be left without any."""

    place: str
    desired: options.Desired
    removal: options.Desired | None


def given_lists(custom_fields: t.Mapping[str, Json] | None) -> dict[str, list[str]]:
    """Return the lists that are given, by their names in a zone."""
    return {name: names for name, names in (custom_fields or {}).items() if names is not None}


def desire(place: str, given: t.Mapping[str, list[str]], present: bool) -> Desired | None:
    """Return the desired custom fields of the given lists; None where no list is given."""
    if not given:
        return None
    lists = {name: names for name, names in given.items() if name in LISTS}
    named = any(lists.values())
    if not present:
        everything = not named and all(name in lists for name in EVERY_TYPE)
        return Desired(place, _options(place, {} if everything else lists, present=False), None)
    removal = None if named or given.get(PRESERVE_DUPLICATES) else _options(place, {}, present=False)
    if removal is not None and len(lists) == len(LISTS):
        return Desired(place, removal, None)
    return Desired(place, _options(place, given, present=True), removal)


def plan(desired: Desired, ruleset: Ruleset | None) -> tuple[options.Desired, Plan]:
    """Plan as a task of its own would; return for what."""
    chosen = desired.desired
    if desired.removal is not None:
        names = names_of(ruleset.own_rules if ruleset else ())
        if not any(names[kind] for kind in LISTS.values() if kind not in chosen.given):
            chosen = desired.removal
    with _worded(desired.place):
        found = TASK.plan(chosen, ruleset)
    return chosen, found._replace(warnings=tuple(moved(desired.place, _in_own_words(text)) for text in found.warnings))


def _options(place: str, given: t.Mapping[str, list[str]], present: bool) -> options.Desired:
    defaults = {name: option.get("default") for name, option in TASK.spec.options.items()}
    lists = {ALL_LISTS[name]: names for name, names in given.items()}
    with _worded(place):
        return TASK.desire({**defaults, **lists, "state": "present" if present else "absent"})


@contextlib.contextmanager
def _worded(place: str) -> t.Iterator[None]:
    """Give failures the names and the place of the lists of a zone."""
    with within(place):
        try:
            yield
        except Failure as failure:
            raise dataclasses.replace(failure, message=_in_own_words(failure.message)) from failure


def _in_own_words(text: str) -> str:
    return _KIND.sub(lambda found: _OWN_NAMES[found[1]], text.removeprefix("field_limit: "))
