# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import re
import typing as t

from ansible.module_utils.parsing.convert_bool import boolean

from .._core import Failure, Json, invalid_option
from .._text import did_you_mean, nearest, shown
from .facts import ALL, EFFECTS, EXTRA_ONLY, PLAYBOOK_VARIABLES, RESULTS, ROLE_VARIABLES

_OWN = ("_edgeops_", "_log_delivery_")
_PREFIXES = ("edgeops_", "log_delivery_")
_THRESHOLD = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)(%?)")
_BATCH = re.compile(r"[1-9][0-9]{0,8}%?")


def check_names(
    names: t.Iterable[str], prefixes: t.Sequence[str] = _PREFIXES, hosts: t.Mapping[str, t.Sequence[str]] | None = None
) -> None:
    """Refuse names with a prefix of this collection that it does not know: a misspelt rail would protect nothing.

    `hosts` tells of a name of the inventory who has it, so that the message leads to the file.
    """
    known = (*PLAYBOOK_VARIABLES, *ROLE_VARIABLES)
    unknown = sorted({name for name in names if name.startswith(tuple(prefixes)) and name not in known and name not in RESULTS})
    if unknown:
        texts = [
            f"{name}: there is no such variable{did_you_mean(nearest(name, known))}{_set_for((hosts or {}).get(name, ()))}"
            for name in unknown
        ]
        raise Failure("invalid_option", "; ".join(texts))


def _set_for(hosts: t.Sequence[str]) -> str:
    if not hosts:
        return ""
    return f", set for {hosts[0]}" if len(hosts) == 1 else f", set for {len(hosts)} hosts such as {hosts[0]}"


def check_own_names(extra: t.Iterable[str]) -> None:
    """Refuse extra variables in place of what the playbooks set: they would take precedence over it."""
    taken = sorted(name for name in extra if name.startswith(_OWN))
    if taken:
        raise invalid_option(taken[0], "names with this prefix are set by the collection itself")


def check_places(names: t.Iterable[str], extra: t.Collection[str]) -> None:
    """Refuse an inventory that sets what plays evaluate before they have hosts."""
    for name in EXTRA_ONLY:
        if name not in extra and name in names:
            raise invalid_option(name, f"is set in the inventory, where plays do not see it; use -e {name}=...")


def same_for_all(name: str, values: t.Mapping[str, Json], default: Json) -> Json:
    """Return the value of a variable of the run; `values` has it for each host."""
    found = {json.dumps(value, sort_keys=True): value for value in values.values()}
    if len(found) > 1:
        raise invalid_option(name, "is not the same for all hosts of this run; set it for all of them, or as an extra variable")
    return next(iter(found.values()), default)


def read_boolean(name: str, value: Json, default: bool) -> bool:
    """Return a switch; null and empty text are its default."""
    if value in (None, ""):
        return default
    try:
        return bool(boolean(value))
    except TypeError:
        raise invalid_option(name, "must be true or false") from None


def read_count(name: str, value: Json) -> int:
    """Return a number of seconds; null and empty text are none."""
    if value in (None, ""):
        return 0
    if isinstance(value, bool) or not re.fullmatch(r"[0-9]{1,9}", str(value).strip()):
        raise invalid_option(name, f"{shown(value)} is not a whole number of seconds")
    return int(value)


def read_names(name: str, value: Json) -> list[str]:
    """Return names, given as a list, as comma-separated text or as JSON text."""
    given = read_json(name, value, list) if isinstance(value, str) and value.lstrip().startswith("[") else value
    if given in (None, ""):
        return []
    if isinstance(given, str):
        given = given.split(",")
    if not isinstance(given, list) or not all(isinstance(each, (str, int)) for each in given):
        raise invalid_option(name, "must be a list of names, or text with commas")
    return [text for text in (str(each).strip() for each in given) if text]


def read_json(name: str, value: Json, kind: type) -> Json:
    """Return data that is given as such or as its JSON text; null and empty text are an empty one."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return kind()
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            # The text itself is not repeated: it may hold secrets.
            raise invalid_option(name, f"not JSON: {error}") from None
    if not isinstance(value, kind):
        raise invalid_option(name, f"must be a {'dictionary' if kind is dict else 'list'}, or its JSON text")
    return value


def read_allow(value: Json) -> tuple[str, ...]:
    """Return the names of what a zone may lose."""
    names = read_names("edgeops_allow", value)
    for name in names:
        if name not in (*EFFECTS, ALL):
            hint = did_you_mean(nearest(name, (*EFFECTS, ALL)))
            raise invalid_option("edgeops_allow", f"{shown(name)} is not the name of a destructive change{hint}")
    return tuple(sorted(set(names)))


def read_batches(value: Json) -> list[int | str]:
    """Return the sizes of batches: numbers of zones, or percentages of those of a play."""
    given = read_names("edgeops_zones_at_once", str(value) if isinstance(value, int) else value) or ["100%"]
    for each in given:
        if not _BATCH.fullmatch(each):
            raise invalid_option(
                "edgeops_zones_at_once",
                f"{shown(each)} is neither a number of zones from 1 nor a percentage such as 10%, nor a list of these",
            )
    return [each if each.endswith("%") else int(each) for each in given]


class Threshold(t.NamedTuple):
    """At most so many zones, as the user wrote it: a number, or a percentage of all zones of the run."""

    text: str
    number: float
    percent: bool

    def exceeded(self, count: int, total: int) -> bool:
        """Whether so many zones are too many; exactly the threshold is not."""
        return count * 100 > self.number * total if self.percent else count > self.number


def read_threshold(name: str, value: Json) -> Threshold | None:
    """Return a threshold; null and empty text are none."""
    if value is None or not str(value).strip():
        return None
    text = str(value).strip()
    found = _THRESHOLD.fullmatch(text)
    if isinstance(value, bool) or not found or (found[2] and float(found[1]) > 100) or (not found[2] and "." in found[1]):
        raise invalid_option(name, f"{shown(value)} is neither a number of zones nor a percentage of 0% to 100%")
    return Threshold(text, float(found[1]), bool(found[2]))
