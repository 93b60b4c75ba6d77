# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t

from .._core import Json, bad_answer, invalid_option
from .._text import dict_of, did_you_mean, json_type, nearest, quoted

# The alerts that an account may use, and what the service says of their filters.

_RANGE = re.compile(r"(\d+)-(\d+|n)")


class FilterOption(t.NamedTuple):
    """A filter that an alert has; `values` are those that are offered, None for any."""

    name: str
    values: tuple[str, ...] | None
    is_required: bool


class Alert(t.NamedTuple):
    """An alert that an account may use; `filters` is None if the service does not say which it has."""

    description: str
    filters: tuple[FilterOption, ...] | None


Alerts = t.Mapping[str, Alert]


def parse_alerts(sent: Json) -> dict[str, Alert]:
    """Return the alerts that the account may use, by their type."""
    alerts: dict[str, Alert] = {}
    for product, items in dict_of(sent).items():
        if not isinstance(items, list):
            raise bad_answer(f"the available alerts of {product[:60]!r} are {json_type(items)}, not a list")
        for item in items:
            alert = dict_of(item)
            name, text = alert.get("type"), alert.get("description")
            if not isinstance(name, str) or not name or not isinstance(text, (str, type(None))):
                raise bad_answer(f"an available alert of {product[:60]!r} has no type")
            alerts[name] = Alert(text or "", _filters(alert.get("filter_options")))
    return dict(sorted(alerts.items()))


def _filters(sent: Json) -> tuple[FilterOption, ...] | None:
    """Return the filters of an alert; None if one of them cannot be told, because they are compared for warnings only."""
    if not isinstance(sent, list):
        return None
    options = [_filter(dict_of(item)) for item in sent]
    return None if None in options else tuple(option for option in options if option)


def _filter(sent: t.Mapping[str, Json]) -> FilterOption | None:
    name, offered, span = sent.get("Key"), sent.get("AvailableValues"), sent.get("Range")
    if not isinstance(name, str) or not isinstance(offered, (list, type(None))):
        return None
    ids = [dict_of(value).get("ID") for value in offered or ()]
    if not all(isinstance(value, str) for value in ids):
        return None
    bounds = _RANGE.fullmatch(span) if isinstance(span, str) else None
    return FilterOption(name, None if offered is None else tuple(map(str, ids)), bool(bounds and int(bounds[1]) > 0))


def check_alert_type(alert_type: str, available: t.Collection[str]) -> None:
    """Refuse a type of alert that the account may not use."""
    if alert_type not in available:
        known = nearest(alert_type, sorted(available))
        raise invalid_option("alert_type", f"{alert_type!r} is not an alert that the account may use{did_you_mean(known)}")


def filter_warnings(alert_type: str, filters: t.Mapping[str, t.Sequence[str]], alerts: Alerts) -> list[str]:
    """Return what the service's own list of filters says against those of a policy: warnings, because that list is not always right."""
    alert = alerts.get(alert_type)
    if alert is None or alert.filters is None:
        return (
            [f"filters: were not compared, because the service does not list the filters of {alert_type!r}."] if filters else []
        )
    known = {option.name: option for option in alert.filters}
    texts = []
    for name, values in sorted(filters.items()):
        if name not in known:
            likely = did_you_mean(nearest(name, known)) or f" (it has {', '.join(known) or 'none'})"
            texts.append(f"filters.{name}: {alert_type!r} has no such filter according to the service{likely}.")
            continue
        offered = known[name].values
        wrong = [value for value in values if offered is not None and value not in offered]
        if wrong and offered is not None:
            likely = did_you_mean(nearest(wrong[0], offered)) or f" (such as {', '.join(offered[:5]) or 'none'})"
            texts.append(
                f"filters.{name}: the service does not offer {', '.join(map(quoted, wrong))} for {alert_type!r}{likely}."
            )
    texts += [
        f"filters.{name}: {alert_type!r} requires this filter according to the service, and the policy does not have it."
        for name, option in known.items()
        if option.is_required and not filters.get(name)
    ]
    return texts
