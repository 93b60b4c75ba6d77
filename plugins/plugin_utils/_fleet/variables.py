# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import re
import typing as t

from ansible.module_utils.parsing.convert_bool import boolean

from ...module_utils._api.connection import CONNECTION_OPTIONS
from ...module_utils._core import EFFECTS, INVALID_OPTION, Failure, Json, invalid_option
from ...module_utils._text import did_you_mean, nearest, shown

# The variables of the playbooks and the role, and how they are read.

# In `edgeops_allow`: every effect that a plan can have.
ALL = "all"

# Extra variables only: plays evaluate them before they have hosts.
_EXTRA_ONLY = ("edgeops_target", "edgeops_zones_at_once")
ALLOW = "edgeops_allow"
# The variables of a run as a whole, with their defaults; every host of a run has the same.
SWITCHES: t.Mapping[str, bool] = {"edgeops_guard": True, "edgeops_deliver_partial": True, "edgeops_stop_on_failure": False}
RAILS: t.Mapping[str, object] = {
    **SWITCHES,
    "edgeops_max_changed_zones": None,
    "edgeops_approved_plan_id": None,
    "edgeops_approved_report": None,
    "edgeops_soak_seconds": 0,
}
REPORT: t.Mapping[str, object] = {
    "edgeops_report_dir": None,
    "edgeops_report_title": None,
    "edgeops_report_formats": None,
    "edgeops_report_previous": None,
    "edgeops_report_merge": None,
    "edgeops_report_put_url": None,
    "edgeops_report_put_headers": None,
    "edgeops_report_keep": 30,
    "edgeops_report_max_age_days": 7,
    "edgeops_silent_after_days": 7,
    "edgeops_waivers": [],
    "edgeops_required_fields": {},
    "edgeops_audit_delivery": False,
    "edgeops_fail_on": [],
}
ADOPTION: t.Mapping[str, object] = {
    "edgeops_adopt_dir": None,
    "edgeops_adopt_group": "all",
    "edgeops_adopt_overwrite": False,
}
_OF_HOSTS = (
    "edgeops_in_process",
    "edgeops_audit_scripts",
    "edgeops_script_baseline",
    "edgeops_script_fail_on",
    "edgeops_evidence_dir",
    "edgeops_expected_head",
    *(f"edgeops_{name}" for name in CONNECTION_OPTIONS),
)
PLAYBOOK_VARIABLES = (
    *(*_EXTRA_ONLY, ALLOW, *RAILS, *REPORT, *ADOPTION, *_OF_HOSTS),
    *("edgeops_expected_heads", "edgeops_survey"),
)
ROLE_VARIABLES = (
    "log_delivery_zone_id",
    "log_delivery_zone_name",
    "log_delivery_account_id",
    "log_delivery_state",
    "log_delivery_custom_fields",
    "log_delivery_job",
    "log_delivery_jobs",
    "log_delivery_job_defaults",
    "log_delivery_unlisted_jobs",
    "log_delivery_script_monitor_enabled",
    "log_delivery_script_monitor_route",
    "log_delivery_content_security_rules",
    "log_delivery_expected_plan_ids",
)
# Names that the collection sets itself: accepted, and never read as input.
_RESULTS = ("log_delivery_result", "edgeops_check", "edgeops_plan_id", "edgeops_report")

# Variables of a host that playbooks and role register or set.
PREDICTION, APPLIED, LISTED = "_log_delivery_prediction", "log_delivery_result", "_log_delivery_listed"
DESCRIBED, SCRIPTS, DELIVERED = "_log_delivery_described", "_log_delivery_scripts", "_edgeops_delivered"
FAILED, BEFORE, CANARY = "_edgeops_failed", "_edgeops_before", "_edgeops_canary"

Data = t.TypeVar("Data", bound="dict[str, Json] | list[Json]")

_PREFIX = re.compile("edgeops_|log_delivery_")
_THRESHOLD = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)(%?)")
_BATCH = re.compile(r"[1-9][0-9]{0,8}%?")


def check_variables(extra: t.Iterable[str], inventory: t.Mapping[str, t.Sequence[str]]) -> None:
    """Refuse variables that are unknown, internal, or set where plays cannot read them; the inventory has the hosts of each name."""
    for name in extra:
        if name.startswith(("_edgeops_", "_log_delivery_")):
            # They would take precedence over what the playbooks set.
            raise invalid_option(name, "names with this prefix are set by the collection itself")
    check_names({**dict.fromkeys(extra, ()), **inventory})
    for name in _EXTRA_ONLY:
        if name in inventory:
            raise invalid_option(name, f"is set in the inventory, where plays do not see it; use -e {name}=...")


def check_names(names: t.Mapping[str, t.Sequence[str]]) -> None:
    """Refuse unknown names with a prefix of this collection: a misspelt rail would protect nothing.

    The hosts that have a name are in the message, so that it leads to the file.
    """
    known = (*PLAYBOOK_VARIABLES, *ROLE_VARIABLES)
    # The prefix, which many have, does not count for the nearest name.
    by_rest = {_PREFIX.sub("", name, count=1): name for name in known}
    unknown = []
    for name in sorted(names):
        if _PREFIX.match(name) and name not in known and name not in _RESULTS:
            hint = did_you_mean(by_rest.get(nearest(_PREFIX.sub("", name, count=1), by_rest), ""))
            hosts = names[name]
            where = f", set for {f'{len(hosts)} hosts such as ' if len(hosts) > 1 else ''}{hosts[0]}" if hosts else ""
            unknown.append(f"{name}: there is no such variable{hint}{where}")
    if unknown:
        raise Failure(INVALID_OPTION, "; ".join(unknown))


def same_for_all(name: str, values: t.Mapping[str, Json], default: Json) -> Json:
    """Return the value of a variable of the run; `values` has it for each host."""
    found = {json.dumps(value, sort_keys=True): value for value in values.values()}
    if len(found) > 1:
        raise invalid_option(name, "is not the same for all hosts of this run; set it for all of them, or as an extra variable")
    return next(iter(found.values()), default)


def read_boolean(name: str, value: Json, default: bool) -> bool:
    """Return a boolean; its default for null and empty text."""
    if value in (None, ""):
        return default
    try:
        return bool(boolean(value))
    except TypeError:
        raise invalid_option(name, "must be true or false") from None


def read_count(name: str, value: Json) -> int:
    """Return a number of seconds; 0 for null and empty text."""
    if value in (None, ""):
        return 0
    text = str(value).strip()
    if isinstance(value, bool) or not re.fullmatch(r"[0-9]{1,9}", text):
        raise invalid_option(name, f"{shown(value)} is not a whole number of seconds")
    return int(text)


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


def read_json(name: str, value: Json, kind: type[Data]) -> Data:
    """Return a dictionary or list, or its JSON text parsed; an empty one for null and empty text."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return kind()
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            # Do not repeat the text, because it may contain secrets.
            raise invalid_option(name, f"not JSON: {error}") from None
    if not isinstance(value, kind):
        raise invalid_option(name, f"must be a {'dictionary' if kind is dict else 'list'}, or its JSON text")
    return value


def read_allow(value: Json) -> tuple[str, ...]:
    """Return the names of the destructive changes that are allowed."""
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
    """A maximum number of zones as the user wrote it: a number, or a percentage of all zones of the run."""

    text: str
    number: float
    percent: bool

    def exceeded(self, count: int, total: int) -> bool:
        """Return whether a number of zones is above the threshold."""
        return count * 100 > self.number * total if self.percent else count > self.number


def read_threshold(name: str, value: Json) -> Threshold | None:
    """Return a threshold; None for null and empty text."""
    if value is None or not str(value).strip():
        return None
    text = str(value).strip()
    found = _THRESHOLD.fullmatch(text)
    if isinstance(value, bool) or not found or (found[2] and float(found[1]) > 100) or (not found[2] and "." in found[1]):
        raise invalid_option(name, f"{shown(value)} is neither a number of zones nor a percentage of 0% to 100%")
    return Threshold(text, float(found[1]), bool(found[2]))
