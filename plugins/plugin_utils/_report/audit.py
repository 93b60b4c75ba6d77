# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os
import typing as t

from ...module_utils._core import Conclusion, Json
from ...module_utils._files import check_folder, write_files
from ...module_utils._text import line
from . import formats, page
from .document import Report, Row
from .earlier import read_previous, read_report
from .facts import FILES, FINDING, STATUSES
from .items import counting
from .lines import printed
from .model import build, compare, dated_ahead
from .options import Order

RENDERERS: t.Mapping[str, t.Callable[[Report], bytes]] = {
    "json": formats.render_json,
    "html": page.render,
    "junit": formats.render_junit,
    "markdown": formats.render_markdown,
    "metrics": formats.render_metrics,
}

_MAX_NAMED = 10
# The next step after a survey.
_NEXT = (
    "Next: ansible-playbook edgeops.observability.adopt -i fleet.zones.yml -e edgeops_adopt_dir=inventory"
    " (the file fleet.zones.yml has the line `plugin: edgeops.observability.zones`)"
)
# The result of `validate_only`.
_NOTHING: t.Mapping[str, Json] = {
    **dict.fromkeys(("outcome", "report_id", "plan_id")),
    **{name: [] for name in ("files", "refused_zones", "lines")},
    "counts": {},
    "comparison": compare([], None),
    "zones_by_status": {status: [] for status in STATUSES},
}


def audit(order: Order) -> Conclusion:
    """Build the report, write its files, and only then apply `fail_on`."""
    previous = read_previous(order.previous) if order.previous else None
    slices = [read_report(f"merge[{place}]", path) for place, path in enumerate(order.merge)]
    folder = os.path.abspath(order.dest)
    if order.validate_only:
        check_folder(folder, [FILES[name] for name in order.formats])
        return Conclusion(_NOTHING)
    report = build(order, previous, slices)
    contents = {FILES[name]: RENDERERS[name](report) for name in order.formats}
    # A node exporter, which reads the metrics, runs as another user.
    files = write_files(folder, contents, {**dict.fromkeys(contents, 0o640), FILES["metrics"]: 0o644})
    main = next((path for path in files if path.endswith(FILES["html"])), files[0])
    present = [row for row in report["zones"] if not row["carried"]]
    refusals = refused(present, order.fail_on)
    result = {
        **{name: report[name] for name in ("outcome", "counts", "report_id", "comparison", "plan_id")},
        "files": files,
        "refused_zones": sorted({zone for zones in refusals.values() for zone in zones}),
        "zones_by_status": {status: sorted(row["zone"] for row in present if row["status"] == status) for status in STATUSES},
        "lines": [*printed(report), f"The report is {main}", *([_NEXT] if order.survey else [])],
    }
    warning = dated_ahead(slices, order.at)
    parts = [f"{name} in {_named(zones)}" for name, zones in refusals.items()]
    return Conclusion(
        result,
        (warning,) if warning else (),
        refused=f"fail_on: {'; '.join(parts)}. The report is in {main}." if parts else "",
    )


def refused(rows: t.Iterable[Row], fail_on: t.Sequence[str]) -> dict[str, list[str]]:
    """Return the zones that `fail_on` refuses, by the status or type that it names."""
    zones: dict[str, list[str]] = {name: [] for name in fail_on}
    for row in rows:
        found = {row["status"], *(item["type"] for item in counting(row["items"]) if item["kind"] == FINDING)}
        for name in found.intersection(fail_on):
            zones[name].append(row["zone"])
    return {name: named for name, named in zones.items() if named}


def _named(zones: t.Sequence[str]) -> str:
    more = f" and {len(zones) - _MAX_NAMED} more" if len(zones) > _MAX_NAMED else ""
    return ", ".join(line(zone, 100) for zone in zones[:_MAX_NAMED]) + more
