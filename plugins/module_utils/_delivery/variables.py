# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import re
import typing as t

from ansible.module_utils.parsing.convert_bool import boolean

from .._core import EFFECTS, Failure, Json, invalid_option
from .._engine.task import CONNECTION_OPTIONS
from .._text import did_you_mean, nearest, shown

# The variables of the playbooks and the role, and how they are read.

# The playbooks, and what they do with zones.
DELIVER, CHECK, ADOPT, SURVEY, VERIFY_EVIDENCE = PLAYBOOKS = ("deliver", "check", "adopt", "survey", "verify_evidence")
PURPOSES: t.Mapping[str, str] = {DELIVER: "deliver to", CHECK: "check", ADOPT: "adopt"}

# In `edgeops_allow`: every effect that a plan can have.
ALL = "all"

# Variables of the playbooks. The first group can be set as extra variables only: plays evaluate them before they have hosts.
EXTRA_ONLY = ("edgeops_target", "edgeops_zones_at_once")
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
    "edgeops_waivers": [],
    "edgeops_required_fields": {},
    "edgeops_audit_delivery": False,
    "edgeops_fail_on": [],
}
# Variables that only a survey reads from the run.
SURVEY_ONLY: t.Mapping[str, object] = {"edgeops_survey": {}, "edgeops_audit_scripts": False}
ADOPTION: t.Mapping[str, object] = {
    "edgeops_adopt_dir": None,
    "edgeops_adopt_group": "all",
    "edgeops_adopt_overwrite": False,
}
OF_HOSTS = (
    "edgeops_in_process",
    "edgeops_audit_scripts",
    "edgeops_script_baseline",
    "edgeops_script_fail_on",
    "edgeops_evidence_dir",
    "edgeops_expected_head",
    *(f"edgeops_{name}" for name in CONNECTION_OPTIONS),
)
PLAYBOOK_VARIABLES = (
    *EXTRA_ONLY,
    ALLOW,
    *RAILS,
    *REPORT,
    *ADOPTION,
    *OF_HOSTS,
    "edgeops_expected_heads",
    "edgeops_survey",
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
    "log_delivery_expected_plan_ids",
)
# Names that the collection sets itself: accepted, and never read as input.
RESULTS = ("log_delivery_result", "edgeops_check", "edgeops_plan_id", "edgeops_report")

# Variables of a host that playbooks and role register or set.
DESCRIBED = "_log_delivery_described"
PREDICTION, APPLIED, LISTED = "_log_delivery_prediction", "log_delivery_result", "_log_delivery_listed"
DELIVERED = "_edgeops_delivered"
SCRIPTS, FAILED, BEFORE, CANARY = "_log_delivery_scripts", "_edgeops_failed", "_edgeops_before", "_edgeops_canary"

Data = t.TypeVar("Data", bound="dict[str, Json] | list[Json]")

_OWN = ("_edgeops_", "_log_delivery_")
_PREFIXES = ("edgeops_", "log_delivery_")
_THRESHOLD = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)(%?)")
_BATCH = re.compile(r"[1-9][0-9]{0,8}%?")


def check_names(
    names: t.Iterable[str], prefixes: t.Sequence[str] = _PREFIXES, hosts: t.Mapping[str, t.Sequence[str]] | None = None
) -> None:
    """Refuse unknown names with a prefix of this collection: a misspelt rail would protect nothing.

    `hosts` tells of a name of the inventory who has it, so that the message leads to the file.
    """
    known = (*PLAYBOOK_VARIABLES, *ROLE_VARIABLES)
    unknown = sorted({name for name in names if name.startswith(tuple(prefixes)) and name not in known and name not in RESULTS})
    if unknown:
        texts = [
            f"{name}: there is no such variable{did_you_mean(_nearest(name, known))}{_set_for((hosts or {}).get(name, ()))}"
            for name in unknown
        ]
        raise Failure("invalid_option", "; ".join(texts))


def _nearest(name: str, known: t.Sequence[str]) -> str:
    """Return the variable whose name is most similar; the prefix, which many have, does not count."""
    plain = {_without_prefix(other): other for other in known}
    return plain.get(nearest(_without_prefix(name), plain), "")


def _without_prefix(name: str) -> str:
    return name.removeprefix("edgeops_").removeprefix("log_delivery_")


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
