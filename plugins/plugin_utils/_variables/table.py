# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import enum
import re
import typing as t

from ...module_utils._address import FILTER_OPTIONS
from ...module_utils._api.connection import CONNECTION_OPTIONS
from ...module_utils._core import INVALID_OPTION, Failure, Json, invalid_option
from ...module_utils._templates import refuse_template
from ...module_utils._text import did_you_mean, nearest
from . import readers

# The variables of the playbooks and the role: names, defaults, how they are read, and which option takes them.

PREFIXES = ("edgeops_", "log_delivery_")
_PREFIX = re.compile("|".join(PREFIXES))


class Scope(enum.Enum):
    """What a variable is about, and who evaluates it."""

    # Plays, which evaluate it before they have hosts.
    PLAY = enum.auto()
    # The run as a whole: equal for all its hosts.
    RUN = enum.auto()
    # A host, but one that is wrong ends the run, because it protects zones, or decides what is audited.
    EACH = enum.auto()
    # A host, whose own tasks evaluate it: one that is wrong fails this host alone.
    HOST = enum.auto()


PLAY, RUN, EACH, HOST = Scope


class Variable(t.NamedTuple):
    """A variable of the playbooks. A task of `module` that omits `option` takes it from this variable, also a task of the user.

    An empty text means omitted, as an empty answer in a survey of AWX; but not if `refuses_empty`: more would be written, or less
    noticed, than with any other value, so that a value that is lost on its way to the run must not turn it off.
    `holds_data`: the service may have its text, or that of a member, so that its options decide about what looks like a template.
    """

    default: Json = None
    read: t.Callable[[str, Json], t.Any] = readers.read_as_given
    scope: Scope = RUN
    module: str = ""
    option: str = ""
    refuses_empty: bool = False
    holds_data: bool = False


def _of(module: str, option: str, read: t.Callable[[str, Json], t.Any] = readers.read_as_given, **more: t.Any) -> Variable:
    return Variable(read=read, module=module, option=option, **more)


_PATH = readers.read_text
PLAYBOOK_VARIABLES: t.Mapping[str, Variable] = {
    "edgeops_target": Variable("all", readers.read_text, PLAY, refuses_empty=True),
    "edgeops_zones_at_once": Variable("100%", readers.read_batches, PLAY, refuses_empty=True),
    "edgeops_in_process": Variable(True, readers.read_boolean, HOST),
    **{f"edgeops_{name}": Variable(scope=HOST) for name in CONNECTION_OPTIONS},
    "edgeops_verify_token": Variable(True, readers.read_boolean),
    # The safety rails of deliver.
    "edgeops_guard": Variable(True, readers.read_boolean),
    "edgeops_max_changed_zones": Variable(None, readers.read_threshold, refuses_empty=True),
    "edgeops_allow": Variable([], readers.read_allow, EACH),
    "edgeops_approved_plan_id": Variable(),
    "edgeops_approved_report": Variable(),
    "edgeops_deliver_partial": Variable(True, readers.read_boolean),
    "edgeops_stop_on_failure": Variable(False, readers.read_boolean),
    # The audit and the report of check and survey.
    "edgeops_report_dir": _of("audit_report", "dest", _PATH),
    "edgeops_report_title": _of("audit_report", "title"),
    "edgeops_report_formats": _of("audit_report", "formats", readers.read_names),
    "edgeops_report_previous": _of("audit_report", "previous", _PATH),
    "edgeops_report_merge": _of("audit_report", "merge", readers.read_names),
    "edgeops_report_max_age_days": _of("audit_report", "max_age_days"),
    "edgeops_report_put_url": _of("audit_report", "put_url"),
    "edgeops_report_put_headers": _of("audit_report", "put_headers", readers.read_dict),
    "edgeops_report_keep": _of("audit_report", "keep"),
    "edgeops_waivers": _of("audit_report", "waivers", readers.read_list, holds_data=True),
    "edgeops_required_fields": _of("audit_report", "required_fields", readers.read_dict, refuses_empty=True),
    "edgeops_silent_after_days": _of("audit_report", "silent_after_days"),
    "edgeops_audit_delivery": _of("audit_report", "delivery", readers.read_boolean, default=False),
    "edgeops_audit_fields": _of("audit_report", "fields", readers.read_boolean, default=False),
    "edgeops_monthly_budget_usd": _of("audit_report", "monthly_budget_usd", readers.read_budget, scope=EACH, refuses_empty=True),
    "edgeops_rates": _of("audit_report", "rates", readers.read_dict),
    "edgeops_fail_on": _of("audit_report", "fail_on", readers.read_names),
    "edgeops_audit_scripts": Variable(False, readers.read_boolean, EACH),
    "edgeops_survey": Variable({}, readers.read_survey),
    # Script audits and their evidence.
    "edgeops_script_baseline": _of("script_audit", "baseline", readers.read_list, scope=HOST, holds_data=True),
    "edgeops_script_fail_on": _of("script_audit", "fail_on", readers.read_names, scope=HOST),
    "edgeops_evidence_dir": _of("script_audit", "evidence_dir", _PATH, scope=HOST),
    "edgeops_expected_head": _of("script_audit", "expected_head", scope=HOST, refuses_empty=True),
    # Audits of payment pages; their evidence is in the same folder.
    "edgeops_pages": _of("page_audit", "pages", readers.read_list, default=[], scope=EACH),
    "edgeops_page_baseline": _of("page_audit", "baseline", readers.read_list, default=[], scope=HOST, holds_data=True),
    "edgeops_expected_pages_head": _of("page_audit", "expected_head", scope=HOST, refuses_empty=True),
    "edgeops_expected_heads": _of("script_evidence_info", "expected_heads", readers.read_dict, refuses_empty=True),
    "edgeops_evidence_report_dir": _of("evidence_report", "dest", _PATH),
    "edgeops_evidence_since": _of("evidence_report", "since"),
    "edgeops_evidence_until": _of("evidence_report", "until"),
    # The files of adopt.
    "edgeops_adopt_dir": _of("zone_variables_files", "dest", _PATH),
    "edgeops_adopt_group": _of("zone_variables_files", "group", readers.read_group, default="all"),
    "edgeops_adopt_overwrite": _of("zone_variables_files", "overwrite", readers.read_boolean, default=False),
}
# Those of the role; its task hands them to `zone_observability`, as the option of this name unless the table says otherwise.
ROLE_VARIABLES: t.Mapping[str, Variable] = {
    "log_delivery_zone_id": Variable(scope=HOST),
    "log_delivery_zone_name": Variable(scope=HOST),
    "log_delivery_account_id": Variable(scope=HOST),
    "log_delivery_state": Variable("present", scope=HOST),
    "log_delivery_custom_fields": Variable(None, readers.read_dict, HOST, holds_data=True),
    "log_delivery_job": Variable(None, readers.read_dict, HOST, holds_data=True),
    "log_delivery_jobs": Variable(None, readers.read_list, HOST, holds_data=True),
    "log_delivery_job_defaults": Variable(None, readers.read_dict, HOST, holds_data=True),
    "log_delivery_unlisted_jobs": Variable("report", scope=HOST),
    "log_delivery_script_monitor_enabled": Variable(None, readers.read_boolean, HOST),
    "log_delivery_script_monitor_route": Variable(scope=HOST, option="route"),
    "log_delivery_content_security_rules": Variable(None, readers.read_list, HOST, holds_data=True),
    "log_delivery_expected_plan_ids": Variable(None, readers.read_dict, HOST),
}
# The variable by the option that it becomes.
ROLE_OPTIONS: t.Mapping[str, str] = {
    variable.option or name.removeprefix("log_delivery_"): name for name, variable in ROLE_VARIABLES.items()
}
# What is declared for a host, `[]` too; without any of these a delivery does not read it.
DECLARED = (
    "log_delivery_custom_fields",
    "log_delivery_job",
    "log_delivery_jobs",
    "log_delivery_script_monitor_enabled",
    "log_delivery_content_security_rules",
)
_VARIABLES = {**PLAYBOOK_VARIABLES, **ROLE_VARIABLES}
# What the role registers, and what a workflow hands on: known, and never read as input.
RESULT = "log_delivery_result"
_NEVER_READ = (RESULT, "edgeops_check", "edgeops_plan_id", "edgeops_report")
KNOWN = (*_VARIABLES, *_NEVER_READ)

# Further options that take a variable, or a member of one.
_ALSO = {
    "survey_info": {
        "scripts": "edgeops_audit_scripts",
        "fields": "edgeops_audit_fields",
        **{name: f"edgeops_survey.{name}" for name in FILTER_OPTIONS},
    },
    "page_audit": {"script_baseline": "edgeops_script_baseline", "evidence_dir": "edgeops_evidence_dir"},
    "script_evidence_info": {"evidence_dir": "edgeops_evidence_dir"},
    "evidence_report": {"evidence_dir": "edgeops_evidence_dir", "expected_heads": "edgeops_expected_heads"},
}


def variables_of(module: str) -> dict[str, str]:
    """Return the options of a module that a variable gives where a task omits them, each with the variable, or with a member of one."""
    own = {variable.option: name for name, variable in PLAYBOOK_VARIABLES.items() if variable.module == module}
    return {**own, **_ALSO.get(module, {})}


def variable_of(option: str) -> str:
    """Return the name of the variable that gives a connection option to the tasks of a host."""
    return f"edgeops_{option}"


def read_variable(name: str, value: Json) -> t.Any:
    """Return the value of a variable, or its default; None if neither gives one.

    Nothing else reads a variable of the playbooks or the role: what validation accepts means the same everywhere.
    """
    variable = _VARIABLES[name]
    if variable.refuses_empty and isinstance(value, str) and not value.strip():
        raise invalid_option(name, "is an empty text; omit it, or set it to null, to have none")
    value = variable.default if value in (None, "") else value
    if not variable.holds_data:
        refuse_template(name, value)
    return None if value is None else variable.read(name, value)


def read_option(path: str, value_of: t.Callable[[str], Json]) -> t.Any:
    """Return the value of a variable, or of the member of it that the path names."""
    name, _dot, member = path.partition(".")
    value = read_variable(name, value_of(name))
    return (value or {}).get(member) if member else value


def not_the_same(name: str) -> Failure:
    """Return the failure for a variable about the run that differs between its hosts."""
    return invalid_option(name, "is not the same for all hosts of this run; set it for all of them, or as an extra variable")


def check_extra(extra: t.Iterable[str]) -> None:
    """Refuse extra variables that would take the place of what the collection itself sets or registers."""
    for name in extra:
        if name == RESULT or name.startswith(tuple(f"_{prefix}" for prefix in PREFIXES)):
            raise invalid_option(name, "is set by the collection itself, so it cannot be an extra variable")


def check_early(inventory: t.Container[str]) -> None:
    """Refuse variables of hosts that plays evaluate before they have hosts."""
    for name, variable in PLAYBOOK_VARIABLES.items():
        if variable.scope is PLAY and name in inventory:
            raise invalid_option(name, f"is set in the inventory, where plays do not see it; use -e {name}=...")


def check_names(names: t.Mapping[str, t.Sequence[str]], known: t.Collection[str] = KNOWN) -> None:
    """Refuse names that are not known: a misspelt rail would protect nothing.

    The hosts that have a name are in the message, so that it leads to the file.
    """
    # The prefix, which many have, does not count for the nearest name.
    by_rest = {_PREFIX.sub("", name, count=1): name for name in known}
    unknown = []
    for name in sorted(set(names) - set(known)):
        hint = did_you_mean(by_rest.get(nearest(_PREFIX.sub("", name, count=1), by_rest), ""))
        hosts = names[name]
        where = f", set for {f'{len(hosts)} hosts such as ' if len(hosts) > 1 else ''}{hosts[0]}" if hosts else ""
        unknown.append(f"{name}: there is no such variable{hint}{where}")
    if unknown:
        raise Failure(INVALID_OPTION, "; ".join(unknown))
