# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import math
import re
import typing as t

from ansible.module_utils.parsing.convert_bool import boolean

from ...module_utils._address import FILTER_OPTIONS, need_id
from ...module_utils._core import EFFECTS, Json, invalid_option
from ...module_utils._text import did_you_mean, is_integer, list_of, nearest, need_folder_name, parse_data, quoted

# How the value of a variable is read: each function takes the name of the variable for its message.

# In `edgeops_allow`: every effect that a plan can have.
ALL = "all"

Data = t.TypeVar("Data", bound="dict[str, Json] | list[Json]")

_THRESHOLD = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)(%?)")
_BATCH = re.compile(r"[1-9][0-9]{0,8}%?")


def read_as_given(_name: str, value: Json) -> Json:
    """Return a value that the option validates which takes it."""
    return value


def read_boolean(name: str, value: Json) -> bool:
    """Return true or false; refuse a text that is neither."""
    try:
        return bool(boolean(value))
    except TypeError:
        raise invalid_option(name, "must be true or false") from None


def read_budget(name: str, value: Json) -> float:
    """Return an amount of money above 0, given as a number or as its text."""
    try:
        amount = float(value) if isinstance(value, (int, float, str)) and not isinstance(value, bool) else math.nan
    except ValueError:
        amount = math.nan
    if not math.isfinite(amount) or amount <= 0:
        raise invalid_option(name, f"{quoted(value)} is not a number above 0")
    return amount


def read_text(name: str, value: Json) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise invalid_option(name, "must be a string")
    return value


def read_names(name: str, value: Json) -> list[str]:
    """Return names, given as a list, as comma-separated text or as JSON text; a null in the list means nothing."""
    names = read_json(name, value, list) if isinstance(value, str) and value.lstrip().startswith("[") else value
    if names in (None, ""):
        return []
    if isinstance(names, str):
        names = names.split(",")
    # A null in a list is omitted, as in options of modules.
    items = [item for item in names if item is not None] if isinstance(names, (list, tuple)) else None
    if items is None or not all(isinstance(item, (str, int)) and not isinstance(item, bool) for item in items):
        raise invalid_option(name, "must be a list of names, or text with commas")
    return [text for text in (str(item).strip() for item in items) if text]


def read_json(name: str, value: Json, kind: type[Data]) -> Data:
    """Return a dictionary or list, or its JSON text parsed; an empty one for null and empty text."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return kind()
    if isinstance(value, str):
        try:
            value = parse_data(value)
        except ValueError as error:
            # Do not repeat the text, because it may contain secrets.
            raise invalid_option(name, f"not JSON: {error}") from None
    if not isinstance(value, kind):
        raise invalid_option(name, f"must be a {'dictionary' if kind is dict else 'list'}, or its JSON text")
    return value


def read_dict(name: str, value: Json) -> dict[str, Json]:
    """Return a dictionary, or its JSON text parsed."""
    return read_json(name, value, dict)


def read_list(name: str, value: Json) -> list[Json]:
    """Return a list, or its JSON text parsed."""
    return read_json(name, value, list)


def read_survey(name: str, value: Json) -> dict[str, list[str]]:
    """Return what narrows a survey; its members are options of `survey_info`."""
    options = read_dict(name, value)
    for member in options:
        if member not in FILTER_OPTIONS:
            raise invalid_option(
                f"{name}.{member}", f"not an option of a survey{did_you_mean(nearest(str(member), FILTER_OPTIONS))}"
            )
    for index, account in enumerate(list_of(options.get("account_ids"))):
        if is_integer(account):
            advice = "YAML and templates turn digits into another number; put the id in quotes"
            raise invalid_option(f"{name}.account_ids[{index}]", f"must be text, not a number: {advice}")
    selected = {member: read_names(f"{name}.{member}", options[member]) for member in options}
    for index, account in enumerate(selected.get("account_ids", ())):
        need_id(f"{name}.account_ids[{index}]", account)
    return selected


def read_group(name: str, value: Json) -> str:
    """Return the name of a group, which becomes the name of a folder."""
    return need_folder_name(name, read_text(name, value))


def read_allow(name: str, value: Json) -> tuple[str, ...]:
    """Return the names of the destructive changes that are allowed."""
    names = read_names(name, value)
    for effect in names:
        if effect not in (*EFFECTS, ALL):
            hint = did_you_mean(nearest(effect, (*EFFECTS, ALL)))
            raise invalid_option(name, f"{quoted(effect)} is not the name of a destructive change{hint}")
    return tuple(sorted(set(names)))


def read_batches(name: str, value: Json) -> list[str]:
    """Return the sizes of batches: numbers of zones, or percentages of those of a play."""
    batches = read_names(name, str(value) if isinstance(value, int) else value)
    for batch in batches or [str(value)]:
        if not _BATCH.fullmatch(batch):
            text = f"{quoted(batch)} is neither a number of zones from 1 nor a percentage such as 10%, nor a list of these"
            raise invalid_option(name, text)
    return batches


class Threshold(t.NamedTuple):
    """A maximum number of zones as the user wrote it: a number, or a percentage of all zones of the run."""

    text: str
    number: float
    percent: bool

    def exceeded(self, count: int, total: int) -> bool:
        """Return whether a number of zones is above the threshold."""
        return count * 100 > self.number * total if self.percent else count > self.number


def read_threshold(name: str, value: Json) -> Threshold:
    """Return a threshold."""
    text = str(value).strip()
    match = _THRESHOLD.fullmatch(text)
    if isinstance(value, bool) or not match or (match[2] and float(match[1]) > 100) or (not match[2] and "." in match[1]):
        raise invalid_option(name, f"{quoted(value)} is neither a number of zones nor a percentage of 0% to 100%")
    return Threshold(text, float(match[1]), bool(match[2]))
