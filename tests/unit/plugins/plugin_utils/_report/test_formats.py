# SPDX-License-Identifier: GPL-3.0-or-later

import base64
import hashlib
import html
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import jsonschema
import pytest
import yaml
from support.samples.fleet import (
    AT,
    HOSTILE,
    LATER,
    audit,
    drifted,
    failed,
    finding,
    full,
    hostile,
    items,
    job,
    record,
    report,
    unmanaged,
)

from ansible_collections.edgeops.observability.plugins.module_utils._logpush.health import STATES
from ansible_collections.edgeops.observability.plugins.plugin_utils._report import formats
from ansible_collections.edgeops.observability.plugins.plugin_utils._report.facts import (
    ACTIONS,
    KINDS,
    RESOURCES,
    STATUSES,
    TYPES,
)
from ansible_collections.edgeops.observability.plugins.plugin_utils._report.report import RENDERERS

ROOT = Path(__file__).parents[5]
SCHEMA = json.loads((ROOT / "extensions" / "schemas" / "audit-report-1.json").read_text(encoding="utf-8"))
ZONE = SCHEMA["properties"]["zones"]["items"]


def parsed(content):
    return ET.fromstring(content)  # noqa: S314  # made by the code under test


def html_of(made):
    return RENDERERS["html"](made).decode()


def markup(text):
    """Return the elements and attributes of a page, without escaped text."""
    body = re.sub("<style>.*?</style>", "<style>", text, flags=re.DOTALL)
    return set(re.findall(r"<(\w+)", body)), set(re.findall(r"""[\s"']([\w-]+)=["']""", body))


def words(text):
    """Return the visible text of a page."""
    plain = re.sub("<style>.*?</style>|<[^>]*>", "", text, flags=re.DOTALL)
    return " ".join(html.unescape(plain).split())


@pytest.mark.parametrize("made", [full(), report(record("a")), report(failed("a")), report(unmanaged("a"))])
def test_json_follows_its_schema(made):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(json.loads(formats.render_json(made)), SCHEMA, format_checker=jsonschema.FormatChecker())
    assert set(made) == set(SCHEMA["properties"])
    assert all(set(row) == set(ZONE["properties"]) for row in made["zones"])
    assert all(set(item) == set(ZONE["properties"]["items"]["items"]["properties"]) for item in items(made))
    assert all(set(waiver) == set(SCHEMA["properties"]["waivers"]["items"]["properties"]) for waiver in made["waivers"])


@pytest.mark.parametrize("name", RENDERERS)
def test_equal_reports_give_equal_bytes(name):
    assert RENDERERS[name](full()) == RENDERERS[name](json.loads(json.dumps(full())))


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:20]))
def test_hostile_text_is_inert(text):
    made = hostile(text)
    files = {name: render(made) for name, render in RENDERERS.items()}
    assert json.loads(files["json"])["title"] == text
    jsonschema.validate(json.loads(files["json"]), SCHEMA)
    for name, content in files.items():
        characters = content.decode()  # raises for unpaired surrogates
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", characters), name
    (tags, attributes), (usual_tags, usual) = markup(files["html"].decode()), markup(html_of(hostile("harmless")))
    assert tags <= usual_tags and attributes <= usual
    assert {element.tag for element in parsed(files["junit"]).iter()} <= JUNIT.keys()
    assert "<" not in files["markdown"].decode()
    assert files["metrics"].decode().splitlines()[-1] == "# EOF"
    assert all(SAMPLE.fullmatch(line) for line in files["metrics"].decode().splitlines() if not line.startswith("#"))


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:20]))
def test_markdown_table_keeps_its_cells(text):
    made = report({**drifted("a"), "scripts": audit(finding(message=text, url=text))}, title=text)
    lines = formats.render_markdown(made).decode().splitlines()
    rows = [line for line in lines if re.match(r"\| (high|medium) \| a \|", line)]
    assert len(rows) == 2
    assert all(len(re.findall(r"(?<!\\)\|", row)) == 7 for row in rows)
    assert not [row for row in rows if re.search(r"(?<!\\)[`\[\]]", row)]


SAMPLE = re.compile(r'[a-z_]+(\{([a-z]+="([^"\\\n]|\\["\\n])*",?)*\})? \d+')
# Elements and attributes that consumers of JUnit files accept, and those that they require.
JUNIT = {
    "testsuites": ({"testsuite"}, {"name", "time", "tests", "failures", "errors"}, set()),
    "testsuite": (
        {"testcase", "properties", "system-out", "system-err"},
        {"name", "tests", "failures", "errors", "skipped", "time", "timestamp", "hostname", "id", "package"},
        {"name", "tests", "failures", "errors"},
    ),
    "testcase": ({"skipped", "error", "failure", "system-out", "system-err"}, {"name", "time", "classname", "group"}, {"name"}),
    **{name: (set(), {"type", "message"}, set()) for name in ("failure", "error", "skipped")},
    "system-out": (set(), set(), set()),
}


def test_junit_matches_the_jenkins_schema():
    for element in parsed(formats.render_junit(full())).iter():
        children, attributes, needed = JUNIT[element.tag]
        assert {child.tag for child in element} <= children
        assert needed <= set(element.keys()) <= attributes


def test_junit_has_a_case_per_zone_and_resource():
    root = parsed(formats.render_junit(full()))
    verdicts = {
        suite.get("name").removesuffix(".example"): {
            case.get("name"): next((child.tag for child in case if child.tag != "system-out"), "passed") for case in suite
        }
        for suite in root
    }
    assert all(list(cases) == list(RESOURCES) for cases in verdicts.values())
    assert (set(verdicts["e"].values()), set(verdicts["gone"].values())) == ({"error"}, {"skipped"})
    failed_ones = [name for name, verdict in verdicts["b"].items() if verdict == "failure"]
    assert failed_ones == ["script_monitor", "scripts", "health", "fields"]
    assert (verdicts["a"]["jobs"], verdicts["a"]["custom_fields"], verdicts["d"]["jobs"]) == ("skipped", "passed", "skipped")
    for tag, attribute in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        assert all(int(suite.get(attribute)) == len(suite.findall(f"testcase/{tag}")) for suite in root)
    assert int(root.get("failures")) == len(root.findall("testsuite/testcase/failure"))
    assert "web@example.com" in root.find(".//testsuite[@name='a.example']/testcase[@name='jobs']/skipped").get("message")


def test_page_allows_only_its_own_style():
    text = html_of(full())
    style = re.search("<style>(.*?)</style>", text, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{digest}'\">" in text
    tags, attributes = markup(text)
    assert not {"script", "link", "img", "iframe", "object", "form", "base"} & tags
    assert not {name for name in attributes if name.startswith("on") or name in ("style", "src", "srcset")}
    assert {"header", "nav", "main", "footer", "caption", "details", "summary", "h1", "h2"} <= tags
    assert not re.search(r"<th(?! scope=)[ >]", text)
    assert "url(" not in style and "@import" not in style


CELLS = '<td data-l="is">false</td><td data-l="should be">true</td>'


def test_shared_difference_is_shown_once():
    zones = [drifted(f"z{number}.example") for number in range(4)]
    text = html_of(report(*zones))
    assert text.count(CELLS) == 1
    assert "4 zones z0.example, z1.example, z2.example, z3.example" in words(text)
    assert text.count("enabled is false, should be true") == 0, "not again below each zone"
    assert "1 item above, with all zones that have it." in words(text)
    assert html_of(report(*zones[:2])).count(CELLS) == 2


def test_page_starts_with_the_verdict():
    before = report(*[record(f"z{number}") for number in range(4)])
    made = report(*[drifted(f"z{number}") for number in range(3)], failed("z3"), previous=before, at=LATER)
    text = words(html_of(made))
    assert "1 zone could not be audited (permission) 3 zones drifted." in text
    assert f"Compared with the report of {AT[:10]} 06:00:00 UTC: 3 new." in text
    assert re.search(r"medium\s*z0, z1, z2\s*script monitor\s*enabled\s*false\s*true\s*2026-11-23\s*3 new", text)
    assert "never audited" not in text and "last audited 2026-11-22" in text and "z0 1 difference, 1 new" in text
    order = [
        "1 zone could not be audited (permission) 3 zones",
        "Not audited: content security rules of 3 zones (not declared), scripts of 3 zones",
        "Zones by status",
        "Find out why",
        "Bring zones back",
        "Zones 1 unaudited",
        "Technical details Report",
    ]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)


def test_page_has_every_id_once():
    """Ids are attributes, so that links of tickets work; waived items have them as well, with the reason."""
    made = full()
    text = html_of(made)
    ids = [item["id"] for item in items(made)]
    assert ids and all(text.count(f'id="{item_id}"') == 1 for item_id in ids)
    assert all(text.rindex(item_id) > text.index('id="technical"') for item_id in ids)
    assert set(re.findall(r'href="#([^"]+)"', text)) <= set(re.findall(r' id="([^"]+)"', text))
    assert "waived: known (web@example.com, until 2026-12-31)" in text


def test_links_to_guides_have_a_target():
    """Links start with `documentation` of galaxy.yml, and a source file for each guide exists."""
    galaxy = yaml.safe_load((ROOT / "galaxy.yml").read_text(encoding="utf-8"))
    for action in ACTIONS:
        base, _docs, path = action.url.partition("/docsite/")
        assert base == galaxy["documentation"]
        assert (ROOT / "docs" / "docsite" / "rst" / path.partition("#")[0].replace(".html", ".rst")).is_file()


def test_page_has_the_trend():
    made = None
    for number in range(3):
        zones = [record("a"), *(drifted(f"d{index}") for index in range(number))]
        made = report(*zones, previous=made, at=f"2026-11-2{number}T06:00:00Z")
    assert [point["at"][:10] for point in made["trend"]] == ["2026-11-20", "2026-11-21"]
    text = html_of(made)
    span = "3 reports from 2026-11-20 to 2026-11-22: 0 in the first, 2 in the last, at most 2"
    assert f'aria-label="Zones that need attention in {span}"' in text
    columns = re.findall(r'<rect class="drifted" x="(\d+)" y="([\d.]+)" width="17" height="([\d.]+)"', text)
    assert columns == [("20", "40.0", "40.0"), ("40", "0.0", "80.0")]
    assert report(record("a"), keep=0, previous=made)["trend"] == []
    assert [point["at"][:10] for point in report(record("a"), keep=1, previous=made)["trend"]] == ["2026-11-22"]


@pytest.mark.parametrize(("count", "unfolded"), [(20, (["zones-drifted"], 20)), (21, ([], 0))])
def test_zones_that_need_attention_are_unfolded(count, unfolded):
    """Many zones are not unfolded at once; zones without details are one line."""
    delivered = {"jobs": [job()], "delivery": [{"job_id": 1, "records": 5}]}
    zones = [*[{**drifted(f"d{number}"), **delivered} for number in range(count)], {**record("fine"), **delivered}]
    text = html_of(report(*zones, record("plain")))
    assert text.count("<li>plain</li>") == 1
    assert (re.findall(r'id="(zones-\w+)"\s+open', text), text.count("<details open")) == unfolded


def test_delivery_is_shown_for_each_job():
    rows = [{"job_id": 1, "records": 1234567, "dropped_records": 5, "uploads": None}]
    text = html_of(report({**record("a"), "jobs": [job(), job("idle", id=2)], "delivery": rows}))
    assert '<td data-l="records delivered">1,234,567</td>' in text
    assert '<th scope="row">idle</th><td data-l="state">healthy</td><td data-l="records delivered">0</td>' in text
    assert '<td data-l="records lost">5</td><td data-l="uploads">not known</td>' in text


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("@team", "&#64;&#8203;team"),
        ("fixes #12", "fixes \\#&#8203;12"),
        ("https://x", "https\\://x"),
        ("a|b`c`", "a\\|b\\`c\\`"),
        ("<b>&lt;", "&lt;b&gt;&amp;lt;"),
    ],
)
def test_markdown_has_no_links(text, escaped):
    assert formats.escape(text) == escaped


def test_tables_and_markdown_are_bounded():
    zones = [record(f"z{number}.example", scripts=audit(finding(message=f"{number}{'m' * 250}"))) for number in range(400)]
    made = report(*zones)
    text, on_page = formats.render_markdown(made).decode(), html_of(made)
    assert "200 more are with their zones below." in on_page and on_page.count('<td data-l="is">') == 200
    assert len(text) <= 60_000
    cut, lines = map(int, re.search(r"\*\*(\d+) of (\d+) lines were cut\*\*", text).groups())
    assert cut + len(text.splitlines()) - 2 == lines
    assert "were cut" not in formats.render_markdown(full()).decode()


def test_every_series_is_in_every_run():
    lines = formats.render_metrics(full()).decode().splitlines()
    samples = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    every = [
        *(f'items{{zone="{{}}.example",resource="{name}",kind="{kind}"}}' for name in RESOURCES for kind in KINDS),
        *(f'findings{{zone="{{}}.example",type="{name}"}}' for name in TYPES),
        *(f'status{{zone="{{}}.example",status="{name}"}}' for name in STATUSES),
    ]
    for zone in "abcde":
        assert {f"edgeops_zone_{series.replace('{}', zone)}" for series in every} <= samples.keys()
    expected = {
        'edgeops_zone_status{zone="e.example",status="unaudited"}': 1,
        'edgeops_zone_status{zone="e.example",status="drifted"}': 0,
        'edgeops_zone_items{zone="b.example",resource="scripts",kind="finding"}': 1,
        'edgeops_zone_items{zone="a.example",resource="jobs",kind="difference"}': 0,
        'edgeops_zone_findings{zone="b.example",type="job_failing"}': 1,
        **{f'edgeops_job_state{{zone="b.example",job="edge",state="{state}"}}': int(state == "failing") for state in STATES},
        'edgeops_job_last_success_timestamp_seconds{zone="b.example",job="idle"}': 0,
        'edgeops_job_last_success_timestamp_seconds{zone="b.example",job="edge"}': 1795323600,
        "edgeops_audit_timestamp_seconds": 1795413600,
        'edgeops_zone_audit_timestamp_seconds{zone="b.example"}': 1795413600,
        'edgeops_zone_audit_timestamp_seconds{zone="e.example"}': 1795327200,
    }
    assert {name: int(samples[name]) for name in expected} == expected


def test_metrics_have_records_of_the_window():
    rows = [{"job_id": 1, "records": 12, "dropped_records": 5}]
    text = formats.render_metrics(report({**record("a"), "jobs": [job(), job("idle", id=2)], "delivery": rows})).decode()
    for name, edge in (("records", 12), ("dropped_records", 5)):
        for label, number in (("edge", edge), ("idle", 0)):
            assert f'edgeops_job_window_{name}{{zone="a",job="{label}"}} {number}\n' in text


def test_problems_outside_of_the_run():
    """JUnit reports problems of zones outside the run neither as failures nor as waived; metrics include them."""
    before = report(record("a", scripts=audit(finding())), record("b", scripts=audit(finding())))
    made = report(record("a"), previous=before, at=LATER)
    case = parsed(formats.render_junit(made)).find("testsuite[@name='a']/testcase[@name='scripts']/skipped")
    assert case.get("message") == "not managed or not audited"
    assert "## Waived" not in formats.render_markdown(made).decode()
    assert 'edgeops_zone_items{zone="b",resource="scripts",kind="finding"} 1\n' in formats.render_metrics(made).decode()


def test_series_are_unique():
    """Series differ for zones and jobs whose names look alike, and for two zones with one name."""
    jobs = [job("j\u202a", id=1), job("j\u202e", id=2, last_complete="0001-01-01T00:00:00Z")]
    other = report({**record("z\u202a"), "zone_id": "ff"})
    made = report({**record("z\u202a"), "jobs": jobs}, record("z\u202e"), slices=[other])
    lines = [line.rsplit(" ", 1) for line in formats.render_metrics(made).decode().splitlines() if not line.startswith("#")]
    assert len({name for name, _value in lines}) == len(lines)
    assert {name.split('"')[1] for name, _value in lines if name.startswith("edgeops_zone_status")} == {
        "z\ufffd",
        "z\ufffd#2",
        "z\ufffd#3",
    }
    assert all(int(value) >= 0 for _name, value in lines)


def test_markdown_counts_hosts_by_every_status():
    """Counts include findings, and accounts if there are any. One note: the zone's scripts are monitored, and its account is not known."""
    account = {"zone": "account_0a", "account_id": "0a", "account_name": "Example", "jobs": [], "declared": False}
    lines = formats.render_markdown(report(record("a", scripts=audit(finding())), drifted("b"), account)).decode().splitlines()
    head = next(number for number, line in enumerate(lines) if line.startswith("| zones |"))
    titles, numbers = ([cell.strip() for cell in lines[line].strip("|").split("|")] for line in (head, head + 2))
    assert dict(zip(titles, numbers, strict=True)) == {
        "zones": "2",
        "accounts": "1",
        "unaudited": "0",
        "drifted": "1",
        "with findings": "1",
        "unmanaged": "1",
        "compliant": "0",
        "differences": "1",
        "findings": "1",
        "notes": "2",
        "waived": "0",
    }
    assert "- Example (account_0a)".replace("_", "\\_") in lines or "- Example (account_0a)" in lines


def test_rows_of_an_earlier_day_have_their_date():
    """Rows of a slice have their date in all formats for people."""
    made = report(record("a"), slices=[report(record("b"), drifted("c"))], at=LATER)
    text = words(html_of(made))
    assert "b, last audited on 2026-11-22" in text and "Last audited on 2026-11-22." in text
    assert "a, last audited" not in text
    assert "- b, last audited on 2026-11-22" in formats.render_markdown(made).decode().splitlines()


def test_junit_of_a_partly_readable_zone():
    """The readable parts are passed or failed tests; the others are errors."""
    refused = {"failed": True, "msg": "403", "error": {"kind": "permission"}}
    made = report({**drifted("a"), "jobs": refused, "scripts": audit()})
    cases = {case.get("name"): [child.tag for child in case] for case in parsed(formats.render_junit(made)).iter("testcase")}
    assert (cases["script_monitor"], cases["scripts"], cases["health"]) == (["failure"], [], ["error"])


def test_cell_is_not_cut_before_the_remedy():
    reason = f"{'x' * 320} AccessDenied"
    made = report({**record("a"), "jobs": [job(state="failing", error_message=reason)]})
    assert f'<td data-l="is">its deliveries fail: {reason}</td>' in html_of(made)
