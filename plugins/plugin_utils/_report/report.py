# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import functools
import os
import typing as t

from ...module_utils._core import Conclusion, Json
from .._dest import check_folder, write_files
from . import formats, page
from .comparison import NOTHING_BEFORE, compare
from .destinations import delivering_text
from .document import Report
from .earlier import read_previous, read_report
from .facts import FILES, NOTE, STATUSES
from .gates import failed_hosts, summary
from .lines import printed
from .model import build, counts_of, dated_ahead
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
# The result of `validate_only` and `reads_only`.
_NOTHING: t.Mapping[str, Json] = {
    **dict.fromkeys(("outcome", "report_id", "plan_id")),
    **{name: [] for name in ("files", "lines", "hosts")},
    "counts": counts_of([]),
    "comparison": compare([], None, NOTHING_BEFORE),
    "hosts_by_status": {status: [] for status in STATUSES},
    "failed_hosts": {},
}


class Composed(t.NamedTuple):
    """A report with the contents of its files by name, and a warning about merged reports, "" for none."""

    report: Report
    contents: dict[str, bytes]
    warning: str


class Written(t.NamedTuple):
    """The paths of the files, and what could not be sent."""

    files: list[str]
    not_sent: list[str]


def compose(desired: DesiredReport) -> Composed | None:
    """Return the report and what its files will contain, None if the task makes none; read earlier reports, and write nothing."""
    if desired.reads_only:
        return None
    previous = read_previous(desired.previous) if desired.previous else None
    slices = [read_report(f"merge[{place}]", path) for place, path in enumerate(desired.merge)]
    if desired.validate_only:
        check_folder(os.path.abspath(desired.dest), [FILES[name] for name in desired.formats])
        return None
    report = build(desired, previous, slices)
    renderers = _OF_SURVEYS if desired.is_survey else RENDERERS
    contents = {FILES[name]: renderers[name](report) for name in desired.formats}
    return Composed(report, contents, dated_ahead(slices, desired.at) or "")


def write(desired: DesiredReport, composed: Composed | None) -> Written:
    """Write all files or none, then send them."""
    if composed is None:
        return Written([], [])
    # A node exporter, which reads the metrics, runs as another user.
    modes = {**dict.fromkeys(composed.contents, 0o640), FILES["metrics"]: 0o644}
    files = write_files(os.path.abspath(desired.dest), composed.contents, modes)
    return Written(files, send(desired.put_url, desired.put_headers, composed.contents) if desired.put_url else [])


def conclude(desired: DesiredReport, composed: Composed | None, written: Written) -> Conclusion:
    """Return the result; `fail_on` applies only now, after everything was written and sent."""
    if composed is None:
        return Conclusion(_NOTHING)
    report, (files, not_sent) = composed.report, written
    main = next((path for path in files if path.endswith(FILES["html"])), files[0])
    present = [row for row in report["zones"] if not row["carried"]]
    failed = failed_hosts(present, desired.fail_on)
    result = {
        **{name: report[name] for name in ("outcome", "counts", "report_id", "comparison", "plan_id")},
        "files": files,
        "hosts_by_status": {status: sorted(row["zone"] for row in present if row["status"] == status) for status in STATUSES},
        "failed_hosts": failed,
        "hosts": [],  # those of the play, which the action knows
        "lines": [
            *(printed(report, (NOTE,), delivering_text(report["zones"])) if desired.is_survey else printed(report)),
            *not_sent,
            f"The report is {main}",
            *([_NEXT] if desired.is_survey else []),
        ],
    }
    reasons = [*([f"fail_on: {summary(present, desired.fail_on)}"] if failed else []), *not_sent]
    return Conclusion(
        result,
        (composed.warning,) if composed.warning else (),
        refused=f"{'; '.join(reason.rstrip('.') for reason in reasons)}. The report is in {main}." if reasons else "",
    )
