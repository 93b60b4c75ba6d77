# SPDX-License-Identifier: GPL-3.0-or-later

"""Copy what several modules return alike from the module that describes it into the others; a documentation fragment cannot do that.

Write in the first of the places in `COPIES`, and run this. A new member that two modules return alike is a line there.
"""

from __future__ import annotations

import pathlib
import re
import textwrap
import typing as t

MODULES = pathlib.Path(__file__).resolve().parents[1] / "plugins" / "modules"
_RETURN = re.compile(r'^(RETURN = r?""")\n(.*?)(?=""")', re.DOTALL | re.MULTILINE)
# How much deeper than a value the values stand that it contains.
_STEP = 4

_OF_ZONES = (
    *("content_security_rule", "content_security_rule_info", "log_custom_fields", "log_custom_fields_info"),
    *("logpush_dataset_info", "logpush_job", "logpush_job_info", "logpush_jobs", "logpush_ownership", "script_audit"),
    *("script_monitor_info", "zone_observability", "zone_variables_info"),
)
_OF_BOTH = ("logpush_dataset_info", "logpush_delivery_info", "logpush_job_info", "logpush_jobs", "logpush_ownership")
_OF_ACCOUNTS = ("logpush_transformer_info", "notification_policy", "notification_policy_info", "notification_webhook")
# Where a value is described, as `module: path`, and the modules or places that have it, too. A path that ends with an asterisk means
# the values that both places have.
COPIES: t.Mapping[str, tuple[str, ...]] = {
    "script_monitor: zone_id": _OF_ZONES,
    "logpush_job: account_id": (*_OF_BOTH, "zone_variables_info"),
    "logpush_transformer: account_id": _OF_ACCOUNTS,
    "script_monitor: plan_id": ("logpush_job", "logpush_transformer", "notification_policy", "notification_webhook"),
    "content_security_rule: plan_id": ("log_custom_fields",),
    "logpush_job: error": ("logpush_jobs", "zone_observability"),
    "content_security_rule: error": ("delivery_plan", "page_audit", "script_audit"),
    "delivery_summary: hosts": ("adoption_summary",),
    "validate_variables: error": ("adoption_summary", "delivery_summary", "evidence_report", "script_evidence_info"),
    "logpush_job: effects": ("logpush_jobs",),
    "script_audit: evidence": ("page_audit",),
    "script_audit: passed": ("page_audit",),
    "logpush_job: job.*": ("logpush_jobs: jobs.*", "logpush_job_info: jobs.*"),
    "logpush_jobs: jobs.destination": ("logpush_job_info: jobs.destination",),
    "logpush_transformer: transformer.*": ("logpush_transformer_info: transformers.*",),
    "notification_policy: notification_policy.*": ("notification_policy_info: notification_policies.*",),
    "log_custom_fields: custom_fields.*": ("log_custom_fields_info: custom_fields.*",),
    "log_custom_fields: ruleset.*": ("log_custom_fields_info: ruleset.*",),
    "content_security_rule: content_security_rule.*": ("content_security_rule_info: content_security_rules.*",),
    "script_monitor: script_monitor.*": ("script_monitor_info: script_monitor.*",),
}
# What these modules describe in their own words.
OWN = frozenset(
    (
        *("logpush_jobs: jobs.transformer", "logpush_jobs: jobs.destination", "logpush_job_info: jobs.id"),
        *("logpush_job_info: jobs.transformer", "logpush_transformer_info: transformers.id"),
        *("notification_policy_info: notification_policies.id", "log_custom_fields_info: ruleset.rule_id"),
        *(
            "content_security_rule_info: content_security_rules.id",
            "content_security_rule_info: content_security_rules.description",
        ),
        "script_monitor_info: script_monitor.updated_at",
    )
)


class Place(t.NamedTuple):
    """A value in the RETURN of a module: the names that lead to it."""

    module: str
    path: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.module}: {'.'.join(self.path)}"

    @property
    def indent(self) -> str:
        """Return what its lines begin with."""
        return " " * _STEP * (len(self.path) - 1)


def read() -> dict[str, str]:
    """Return the content of each file of a module."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(MODULES.glob("*.py"))}


def texts() -> dict[str, str]:
    """Return the content of each file, with the copies as they should be."""
    files = read()
    for source, target in copies(files):
        whole, (start, end) = files[target.module], _block(files, target)
        files[target.module] = whole[:start] + textwrap.indent(_text(files, source), target.indent) + whole[end:]
    return files


def copies(files: t.Mapping[str, str]) -> t.Iterator[tuple[Place, Place]]:
    """Yield each value with the place of a copy; a source stands before what is copied from its copies."""
    for described, others in COPIES.items():
        source = _place(described)
        for other in others:
            target = _place(other if ":" in other else f"{other}: {'.'.join(source.path)}")
            if source.path[-1] != "*":
                yield source, target
                continue
            for name in _names(files, source):
                place = Place(target.module, (*target.path[:-1], name))
                if str(place) not in OWN and name in _names(files, target):
                    yield Place(source.module, (*source.path[:-1], name)), place


def _place(text: str) -> Place:
    module, _colon, path = text.partition(": ")
    return Place(module, tuple(path.split(".")))


def _names(files: t.Mapping[str, str], place: Place) -> list[str]:
    """Return the names beside the asterisk at the end of a place."""
    start, end = _block(files, Place(place.module, place.path[:-1]))
    return re.findall(rf"^{place.indent}(\w+):$", files[place.module][start:end], re.MULTILINE)


def _text(files: t.Mapping[str, str], place: Place) -> str:
    start, end = _block(files, place)
    return textwrap.dedent(files[place.module][start:end])


def _block(files: t.Mapping[str, str], place: Place) -> tuple[int, int]:
    """Return where the lines of a value begin and end in the file of its module."""
    returned = _RETURN.search(files[place.module])
    if returned is None:
        raise LookupError(f"{place.module} has no RETURN")
    start, end = returned.span(2)
    for depth, name in enumerate(place.path):
        indent = " " * _STEP * depth
        lines = re.compile(rf"^{indent}{name}:\n(?:{indent} .*\n|\n)*", re.MULTILINE)
        match = lines.search(files[place.module], start, end)
        if match is None:
            raise LookupError(f"{place} does not exist")
        start, end = match.span()
    return start, end


if __name__ == "__main__":
    for module, text in texts().items():
        (MODULES / f"{module}.py").write_text(text, encoding="utf-8")
