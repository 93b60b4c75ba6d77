# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._core import Conclusion
from .approval import check_approval, plan_id_of
from .destructive import destructive_changes
from .options import DEFAULT_THRESHOLD, MIN_ZONES_FOR_DEFAULT, Desired, Threshold, Zone

# Whether a predicted delivery to many zones may begin.


_NOTHING_WRITTEN = "Nothing was written."


def report(desired: Desired) -> Conclusion:
    """Evaluate every rule; raise `conflict` for another plan than the approved one, refuse as a `gate` otherwise."""
    check_approval(desired)
    destructive = {zone.name: destructive_changes(zone.result) for zone in desired.zones}
    changed = [zone.name for zone in desired.zones if zone.changed and not zone.error]
    reasons = [*_partial(desired), *_forbidden(desired, destructive), *_too_many(desired, destructive, len(changed))]
    result = {
        "changed": False,
        "changed_zones": changed,
        "destructive": {name: list(names) for name, names in destructive.items() if names},
        "unpredicted_zones": [zone.name for zone in desired.zones if zone.error],
        "plan_id": plan_id_of(desired.zones),
    }
    return Conclusion(result, refused=" ".join([*reasons, _NOTHING_WRITTEN]) if reasons else "")


def _partial(desired: Desired) -> t.Iterator[str]:
    failed = [f"{zone.name} ({zone.error})" for zone in desired.zones if zone.error]
    if failed and not desired.deliver_partial:
        yield f"deliver_partial: {_zones(len(failed))} could not be predicted: {'; '.join(failed)}. Fix them, or allow a partial delivery."


def _forbidden(desired: Desired, destructive: t.Mapping[str, t.Sequence[str]]) -> t.Iterator[str]:
    """Zones with a destructive change that a given list does not name; the list of a zone takes precedence over the run's."""
    found = []
    for zone in desired.zones:
        allowed = _allowed(desired, zone)
        forbidden = [name for name in destructive[zone.name] if allowed is not None and name not in allowed]
        if forbidden:
            found.append(f"{zone.name} ({', '.join(forbidden)})")
    if found:
        yield (
            f"allow: {_zones(len(found))} would have destructive changes that are not allowed: {'; '.join(found)}."
            " Name the change in allow, or correct the variables."
        )


def _too_many(desired: Desired, destructive: t.Mapping[str, t.Sequence[str]], changed: int) -> t.Iterator[str]:
    total = len(desired.zones)
    threshold = desired.max_destructive_zones or _default_threshold(desired)
    counted = {
        zone.name: names
        for zone in desired.zones
        if (names := [name for name in destructive[zone.name] if name not in (_allowed(desired, zone) or ())])
    }
    if threshold and threshold.exceeded(len(counted), total):
        named = "; ".join(f"{name} ({', '.join(names)})" for name, names in counted.items())
        yield (
            f"max_destructive_zones: {len(counted)} of {_zones(total)} would have destructive changes, which is more than {threshold.text}: {named}."
            " Check the variables; if this is intended, name the changes in allow or raise the threshold."
        )
    if desired.max_changed_zones and desired.max_changed_zones.exceeded(changed, total):
        named = "; ".join(zone.name for zone in desired.zones if zone.changed)
        yield (
            f"max_changed_zones: {changed} of {_zones(total)} would change, which is more than {desired.max_changed_zones.text}: {named}."
            " Deliver to fewer zones at a time, or raise the threshold."
        )


def _allowed(desired: Desired, zone: Zone) -> tuple[str, ...] | None:
    return desired.allow if zone.allow is None else zone.allow


def _default_threshold(desired: Desired) -> Threshold | None:
    """The threshold of a run that gives none: not for few zones, and not where the user approved this plan."""
    approved = desired.approved_plan_id is not None or desired.approved_plan is not None
    if approved or len(desired.zones) < MIN_ZONES_FOR_DEFAULT:
        return None
    return Threshold(DEFAULT_THRESHOLD, 30, True)


def _zones(count: int) -> str:
    return f"{count} zone" if count == 1 else f"{count} zones"
