# SPDX-License-Identifier: GPL-3.0-or-later

"""Where logs go: the table of jobs of a survey, its headline, and the same in report.json."""

import html
import re

import pytest
from support.samples.fleet import LATER, audit, drifted, finding, job, record, report, row, surveyed, unmanaged

from ansible_collections.edgeops.observability.plugins.plugin_utils._report import formats, page
from ansible_collections.edgeops.observability.plugins.plugin_utils._report.destinations import delivering_text, table_of
from ansible_collections.edgeops.observability.plugins.plugin_utils._report.lines import verdict


def words(content):
    return re.sub(r"\s+", " ", html.unescape(re.sub("<[^>]*>", " ", content.decode())))


def test_jobs_are_grouped_by_destination():
    table = table_of(surveyed()["zones"])
    assert [(place.name, place.summary) for place in table.places] == [
        ("s3://acme-logs", "2 jobs of 2 zones"),
        ("https://collector.example", "1 job of 1 zone"),
    ]
    blog, shop = sorted(table.places[0].lines)
    assert shop == (
        "shop.example", "edge", "http_requests", "s3://acme-logs/http/{DATE}?region=eu-central-1", "none", "", "ClientIP",
        "2026-11-22T05:00:00Z", "healthy",
    )  # fmt: skip
    assert (blog.transformer, blog.filter[:21]) == ("redact-ip", "A record is delivered")
    assert table.places[1].lines[0].personal_fields == "not known", "of an unknown dataset"
    assert [[zone["zone"] for zone in rows] for rows in (table.without, table.unread)] == [["silent.example"], ["sealed.example"]]


def test_job_without_a_shown_destination_has_a_group():
    (place,) = table_of(report({**record("a"), "jobs": [job()]})["zones"]).places
    assert (place.name, place.lines[0].destination) == ("a destination that the service does not show", "not shown")


def test_report_has_the_members_of_the_table():
    (shop,) = row(surveyed(), "shop.example")["jobs"]
    assert {name: shop[name] for name in ("personal_fields", "filter_explained", "transformer", "dataset")} == {
        "personal_fields": ["ClientIP"],
        "filter_explained": "Every record is delivered: there is no filter.",
        "transformer": None,
        "dataset": "http_requests",
    }
    assert shop["destination"]["scheme"] == "s3"
    assert [job["personal_fields"] for job in row(surveyed(), "blog.example")["jobs"]] == [["ClientIP"], None]


def zones(*jobs):
    return report(*({"zone": f"z{number}", "jobs": of_zone} for number, of_zone in enumerate(jobs)), survey=True)["zones"]


OFF, IDLE = job(state="disabled", enabled=False), job(state="never", last_complete=None)
BROKEN, HIDDEN = job(state="failing"), job(state="unknown")
REFUSED = {"failed": True, "msg": "403", "error": {"kind": "permission"}}


@pytest.mark.parametrize(
    ("jobs", "text"),
    [
        ([[job()]], "1 zone delivers logs"),
        ([[job()], [job(), OFF]], "All 2 zones deliver logs"),
        ([[job()], [], [OFF]], "1 of 3 zones delivers logs, 2 do not"),
        ([[]], "1 zone does not deliver logs"),
        ([[IDLE]], "1 zone has not delivered anything yet"),
        ([[BROKEN]], "1 zone delivers nothing at present"),
        ([[HIDDEN]], ""),
        (
            [[job()], [BROKEN], [BROKEN, IDLE], [HIDDEN, BROKEN]],
            "1 of 4 zones delivers logs, 2 deliver nothing at present, of 1 it is not known",
        ),
        ([[IDLE], [IDLE, OFF]], "0 of 2 zones deliver logs, 2 have not delivered anything yet"),
        ([[IDLE, job()], [IDLE], []], "1 of 3 zones delivers logs, 1 has not delivered anything yet, 1 does not"),
        ([[job()], REFUSED], "1 of 2 zones delivers logs, of 1 it is not known"),
        ([REFUSED], ""),
    ],
)
def test_headline_says_how_many_zones_deliver_logs(jobs, text):
    assert delivering_text(zones(*jobs)) == text


def test_survey_without_findings_has_a_headline():
    """How many zones deliver logs, and no dangling colon."""
    made = report({"zone": "a", "jobs": [job()]}, {"zone": "b", "jobs": []}, survey=True, title=None)
    text = delivering_text(made["zones"])
    assert verdict(made, text) == "1 of 2 zones delivers logs, 1 does not; 1 note is worth a look."
    content = page.render(made, is_survey=True)
    assert "1 of 2 zones delivers logs, 1 does not 1 note is worth a look." in words(content)
    assert "<title>Survey: 1 of 2 zones delivers logs, 1 does not</title>" in content.decode()
    plain = page.render(report(record("a"), unmanaged("b"))).decode()
    assert "<title>Fleet audit: No zone needs attention</title>" in plain


def test_page_and_markdown_show_where_logs_go():
    made = surveyed()
    content, markdown = page.render(made, is_survey=True).decode(), formats.render_markdown(made, is_survey=True).decode()
    assert content.index('id="attention"') < content.index('id="destinations"') < content.index('id="notes"')
    assert "No job 1 zone silent.example" in words(content.encode())
    assert "## Jobs by destination" in markdown and "**Without a job:** silent.example" in markdown
    assert 'id="destinations"' not in page.render(made).decode()


def test_transformers_have_a_column_only_where_there_are_some():
    made = report({"zone": "a", "jobs": [job()]}, survey=True)
    assert "Transformer" not in page.render(made, is_survey=True).decode()
    assert "Transformer" in page.render(surveyed(), is_survey=True).decode()


def test_table_without_desired_values_has_no_column_for_them():
    notes = page.render(report({**record("a"), "jobs": [job(state="stale")]})).decode()
    assert "Should be" not in notes and "Should be" in page.render(report(drifted("a"))).decode()


def test_bar_names_findings_of_drifted_zones():
    """A drifted zone with findings is shown as both."""
    made = report(*(drifted(f"z{number}", scripts=audit(finding())) for number in range(5)), record("fine"))
    assert "5 drifted, 5 of them with findings" in words(page.render(made))
    assert "1 drifted, with findings" not in words(page.render(report(drifted("a"), record("b"))))


def test_names_of_folded_zones_have_a_line_of_their_own():
    content = page.render(report(*(drifted(f"z{number}.example") for number in range(6)))).decode()
    (line,) = re.findall(r'<tr class="hosts"><td colspan="6">(.*?)</td></tr>', content, re.DOTALL)
    assert "Names of the 6 zones" in line and all(f"z{number}.example" in line for number in range(6))


def test_page_shows_of_how_many_hours_the_facts_are():
    facts = {"available": True, "jobs": [], "shortened": {"0a": {"hours": 1, "requested": 24}}}
    made = report({**record("a"), "zone_id": "0a", "jobs": [job()], "delivery": facts})
    assert "The plan shows the deliveries of 1 of 24 hours; what was lost before is not known." in words(page.render(made))


def test_jobs_of_an_earlier_audit_deliver_nothing_now():
    """Whether a zone delivers whose jobs could not be read is not known, whatever the previous report has of them."""
    both = [{"zone": name, "declared": False, "jobs": [job()]} for name in ("a", "b")]
    before = report(*both, survey=True)
    made = report({**both[0], "jobs": REFUSED}, both[1], previous=before, at=LATER, survey=True)
    assert delivering_text(made["zones"]) == "1 of 2 zones delivers logs, of 1 it is not known"
    table = table_of(made["zones"])
    assert ([place.summary for place in table.places], [zone["zone"] for zone in table.unread]) == (["1 job of 1 zone"], ["a"])
    broken = {"failed": True, "msg": "500", "error": {"kind": "unavailable"}}
    made = report({**both[0], "jobs": [], "scripts": broken}, previous=before, at=LATER, survey=True)
    assert (row(made, "a")["status"], row(made, "a")["jobs"]) == ("unaudited", []), "the jobs are gone"
