# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os
import typing as t

from .._core import Conclusion, Json
from .._files import check_folder, write_files
from . import formats, page
from .document import Report
from .earlier import read_previous, read_report
from .facts import FILE_MODE, FILES, METRICS_MODE
from .lines import printed
from .model import build, compare, dated_ahead
from .options import Order
from .zones import names_by_status, refusal, refused

RENDERERS: t.Mapping[str, t.Callable[[Report], bytes]] = {
    "json": formats.render_json,
    "html": page.render,
    "junit": formats.render_junit,
    "markdown": formats.render_markdown,
    "metrics": formats.render_metrics,
}

# The next step after a survey.
_NEXT = (
    "Next: ansible-playbook edgeops.observability.adopt -i fleet.zones.yml -e edgeops_adopt_dir=inventory"
    " (the file fleet.zones.yml has the line `plugin: edgeops.observability.zones`)"
)
# The result of `validate_only`.
_NOTHING: t.Mapping[str, Json] = {
    **dict.fromkeys(("outcome", "report_id", "plan_id")),
    "files": [],
    "counts": {},
    "comparison": compare([], None),
    "refused_zones": [],
    "zones_by_status": names_by_status([]),
    "lines": [],
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
    modes = {name: METRICS_MODE if name == FILES["metrics"] else FILE_MODE for name in contents}
    files = write_files(folder, contents, modes)
    refusals = refused(report["zones"], order.fail_on)
    result = {
        "files": files,
        "outcome": report["outcome"],
        "counts": report["counts"],
        "report_id": report["report_id"],
        "comparison": report["comparison"],
        "plan_id": report["plan_id"],
        "refused_zones": sorted({zone for zones in refusals.values() for zone in zones}),
        "zones_by_status": names_by_status(report["zones"]),
        "lines": [*printed(report), f"The report is {_page(files)}", *([_NEXT] if order.survey else [])],
    }
    warning = dated_ahead(slices, order.at)
    return Conclusion(result, (warning,) if warning else (), refused=refusal(refusals, _page(files)))


def _page(files: t.Sequence[str]) -> str:
    """Return the path of the page, or of the first file if there is no page."""
    return next((path for path in files if path.endswith(FILES["html"])), files[0])
