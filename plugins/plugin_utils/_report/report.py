# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import functools
import os
import typing as t

from ...module_utils._core import Conclusion, Json
from .._dest import check_folder, write_files
from . import formats, page
from .destinations import delivering_text
from .document import Report
from .earlier import read_previous, read_report
from .facts import FILES, NOTE, STATUSES
from .gates import failed_hosts, summary
from .lines import printed
from .model import build, compare, counts_of, dated_ahead
from .options import DesiredReport
from .send import send

RENDERERS: t.Mapping[str, t.Callable[[Report], bytes]] = {
    "json": formats.render_json,
    "html": page.render,
    "junit": formats.render_junit,
    "markdown": formats.render_markdown,
    "metrics": formats.render_metrics,
}
# People also read in a survey where logs go.
_OF_SURVEYS: t.Mapping[str, t.Callable[[Report], bytes]] = {
    **RENDERERS,
    "html": functools.partial(page.render, is_survey=True),
    "markdown": functools.partial(formats.render_markdown, is_survey=True),
}

# The next step after a survey.
_NEXT = (
    "Next: ansible-playbook edgeops.observability.adopt -i fleet.zones.yml -e edgeops_adopt_dir=inventory"
    " (the file fleet.zones.yml has the line `plugin: edgeops.observability.zones`)"
)
# The result of `validate_only`.
_NOTHING: t.Mapping[str, Json] = {
    **dict.fromkeys(("outcome", "report_id", "plan_id")),
    **{name: [] for name in ("files", "lines")},
    "counts": counts_of([]),
    "comparison": compare([], None),
    "hosts_by_status": {status: [] for status in STATUSES},
    "failed_hosts": {},
}


def make_report(desired: DesiredReport) -> Conclusion:
    """Build the report, write its files and send them, and only then apply `fail_on`."""
    previous = read_previous(desired.previous) if desired.previous else None
    slices = [read_report(f"merge[{place}]", path) for place, path in enumerate(desired.merge)]
    folder = os.path.abspath(desired.dest)
    if desired.validate_only:
        check_folder(folder, [FILES[name] for name in desired.formats])
        return Conclusion(_NOTHING)
    report = build(desired, previous, slices)
    renderers = _OF_SURVEYS if desired.is_survey else RENDERERS
    contents = {FILES[name]: renderers[name](report) for name in desired.formats}
    # A node exporter, which reads the metrics, runs as another user.
    files = write_files(folder, contents, {**dict.fromkeys(contents, 0o640), FILES["metrics"]: 0o644})
    not_sent = send(desired.put_url, desired.put_headers, contents) if desired.put_url else []
    main = next((path for path in files if path.endswith(FILES["html"])), files[0])
    present = [row for row in report["zones"] if not row["carried"]]
    failed = failed_hosts(present, desired.fail_on)
    result = {
        **{name: report[name] for name in ("outcome", "counts", "report_id", "comparison", "plan_id")},
        "files": files,
        "hosts_by_status": {status: sorted(row["zone"] for row in present if row["status"] == status) for status in STATUSES},
        "failed_hosts": failed,
        "lines": [
            *(printed(report, (NOTE,), delivering_text(report["zones"])) if desired.is_survey else printed(report)),
            *not_sent,
            f"The report is {main}",
            *([_NEXT] if desired.is_survey else []),
        ],
    }
    warning = dated_ahead(slices, desired.at)
    reasons = [*([f"fail_on: {summary(present, desired.fail_on)}"] if failed else []), *not_sent]
    return Conclusion(
        result,
        (warning,) if warning else (),
        refused=f"{'; '.join(reason.rstrip('.') for reason in reasons)}. The report is in {main}." if reasons else "",
    )
