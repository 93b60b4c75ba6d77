# SPDX-License-Identifier: GPL-3.0-or-later

"""Guides as readers follow them: files are saved in a project outside of the repository, and commands run in order.

With `ansible-playbook`, the installed artifact, and the simulator as the service.
"""

import json
import re
import shlex
import textwrap
import time
import typing as t
from pathlib import Path

import pytest
from blocks import ROOT, ZONE, blocks
from support.histories import make_histories

from harness.outcome import writes
from harness.process import Place, execute

NAME = "shop.example.com"
JOB = {
    "id": 7,
    "name": "edge-errors",
    "dataset": "http_requests",
    "enabled": True,
    "destination_conf": "s3://example-logs/errors?region=eu-west-1",
    "logpull_options": "fields=ClientRequestHost,EdgeResponseStatus&timestamps=rfc3339",
}
STORE = "s3://example-archive/http/{DATE}?region=auto&endpoint=store.example.com"
MASKED = {**JOB, "name": "archive", "destination_conf": STORE}
KEYED = {
    **MASKED,
    "destination_conf": f"{STORE}&access-key-id=EXAMPLEID&secret-access-key=planted-key-77",
    "logpull_options": "fields=ClientIP,ClientRequestHost,EdgeResponseStatus,RayID&timestamps=rfc3339",
}
FLEET = "plugin: edgeops.observability.zones\nstatuses: [active]\ngroups: {shops: zone_name.startswith('shop.')}\n"
DESIRED = "host_vars/shop.example.com/desired.yml"


class Reader(t.NamedTuple):
    """The prerequisites of a guide, and the number of writes of each of its commands."""

    guide: str
    writes: tuple[int, ...]
    jobs: tuple[str, ...] = ("edge-errors",)  # of the zone at the end
    files: t.Mapping[str, str] = {}
    seed: t.Mapping[str, t.Any] = {}
    settings: t.Mapping[str, t.Any] = {}
    # The keys are parts of commands. `fails`: exit codes other than 0; `edits`: the desired state that readers declare before a command.
    fails: t.Mapping[str, int] = {}
    edits: t.Mapping[str, str] = {}


READERS = (
    # The job is refused without the token, which readers read in the bucket.
    Reader("guide_first_zone", writes=(0, 0, 1, 3, 0, 0, 2), jobs=(), settings={"strict_ownership": True}),
    Reader(
        "guide_waivers",
        writes=(0,),
        jobs=("edge-logs",),
        seed={"jobs": {ZONE: [{**JOB, "name": "edge-logs", "enabled": False}]}},
        files={DESIRED: "log_delivery_job: {name: edge-logs}\n"},
    ),
    Reader("guide_survey", writes=(0, 0), seed={"jobs": {ZONE: [JOB]}}),
    Reader(
        "guide_payment_scripts",
        writes=(0, 0, 0),
        jobs=(),
        # The heads in the page belong to other evidence.
        fails={"edgeops_expected_heads": 2, "edgeops_audit_scripts": 2},
    ),
    Reader(
        "guide_safe_delivery",
        writes=(0, 1, 1, 0, 1, 1),
        seed={"jobs": {ZONE: [{**JOB, "enabled": False}]}},
        files={DESIRED: "log_delivery_job: {name: edge-errors}\n"},
        edits={
            "edgeops_allow": "log_delivery_job: {name: edge-errors, fields: [ClientRequestHost]}\n",
            "edgeops_report_dir": "log_delivery_job: {name: edge-errors, max_upload_records: 2000}\n",
            "edgeops_stop_on_failure": "log_delivery_job: {name: edge-errors, max_upload_records: 3000}\n",
        },
    ),
    Reader(
        "guide_rotate_destination",
        writes=(0, 1, 1),
        jobs=("archive",),
        seed={"jobs": {ZONE: [KEYED]}},
        settings={"echo_destination": "masked"},
        files={
            "group_vars/all/vault.yml": "vaulted_store_key: planted-key-78\n",
            "group_vars/all/jobs.yml": (
                f"log_delivery_job:\n  name: archive\n"
                f'  destination_conf: "{STORE}&access-key-id=EXAMPLEID&secret-access-key={{{{ vaulted_store_key }}}}"\n'
            ),
        },
    ),
    Reader(
        "guide_recipes",
        writes=(2, 0, 1, 3, 0, 0, 1, 0, 1, 0, 0),
        jobs=("edge-logs",),
        seed={"jobs": {ZONE: [JOB]}, "accounts": ["9a7806061c88ada191ed06f989cc3dac"]},
        settings={"strict_ownership": True},
    ),
)


class File(t.NamedTuple):
    """A block that readers save in a file."""

    name: str
    text: str


def steps(guide: str) -> list[File | list[str]]:
    """Return the files and commands of a page in order."""
    text = (ROOT / "docs" / "docsite" / "rst" / f"{guide}.rst").read_text(encoding="utf-8")
    by_line: dict[int, File | list[str]] = {
        block.line: File(block.caption, block.text)
        for block in blocks(f"docs/docsite/rst/{guide}.rst")
        if block.caption and block.mark in ("", "alone")
    }
    for block in re.finditer(r"\.\. code-block:: sql\n +:caption: (\S+)\n\n((?:(?: +.*)?\n)+)", text):
        by_line[text.count("\n", 0, block.start()) + 1] = File(block[1], textwrap.dedent(block[2]))
    shell = re.finditer(r"\.\. code-block:: shell\n\n((?:(?: +.*)?\n)+)", text)
    for block in shell:
        for command in re.finditer(r"^ +((?:ansible-playbook|mv) (?:.*\\\n)*.*)$", block[1], re.MULTILINE):
            line = text.count("\n", 0, block.start(1) + command.start()) + 1
            # A long command continues on the next line.
            by_line[line] = shlex.split(re.sub(r"\\\n *", "", command[1]), comments=True)
    return [by_line[line] for line in sorted(by_line)]


def commands(guide: str) -> list[list[str]]:
    return [step for step in steps(guide) if not isinstance(step, File)]


class Project:
    """A folder of a user outside of the repository, and the environment of a shell."""

    def __init__(self, folder: Path, simulator: t.Any) -> None:
        self.folder, self._simulator = folder, simulator
        folder.mkdir()
        place = Place(folder.with_name("place"))
        # Replaces the vendor's client, and reads a file in the bucket folder.
        aws = folder.with_name("bin") / "aws"
        aws.parent.mkdir()
        aws.write_text(f'#!/bin/sh\nfind {simulator.log_folder} -name "$(basename "$3")" -exec cat {{}} +\n', encoding="utf-8")
        aws.chmod(0o755)
        environment = {**place.environment(), **simulator.environment(), "PWD": str(folder)}
        self.environment = {**environment, "PATH": f"{aws.parent}:{environment['PATH']}"}

    def save(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        # The waiver in the page will expire.
        path.write_text(text.replace("2026-11-30", "2099-11-30"), encoding="utf-8")

    def run(self, command: t.Sequence[str]) -> tuple[int, str]:
        """Run a command with the placeholders of the page replaced; return exit code and output."""
        words = [*command]
        if "bucket_token=TOKEN" in words:
            words[words.index("bucket_token=TOKEN")] = f"bucket_token={self._token()}"
        code, output, errors = execute(words, self.environment, self.folder, timeout=300)
        return code, output + errors

    def _token(self) -> str:
        """Return the challenge that the simulator wrote to the bucket last."""
        path = max(self._simulator.log_folder.rglob("*ownership*"), key=lambda file: file.stat().st_mtime_ns)
        return t.cast("str", path.read_text(encoding="utf-8").strip())


def follow(reader: Reader, simulator: t.Any, folder: Path) -> list[list[t.Any]]:
    """Save all files and run all commands of a page in one project; return the requests of each command."""
    project = Project(folder / "project", simulator)
    simulator.settings(**reader.settings)
    zones = [{"id": ZONE, "name": NAME, "status": "active"}, {"id": "b", "name": "blog.example.com", "status": "pending"}]
    simulator.seed(zones=zones, **reader.seed)
    for name, text in {"fleet.zones.yml": FLEET, **reader.files}.items():
        project.save(name, text)
    sent = []
    for step in steps(reader.guide):
        if isinstance(step, File):
            project.save(step.name, step.text)
            continue
        words = shlex.join(step)
        for desired in (text for part, text in reader.edits.items() if part in words):
            project.save(DESIRED, desired)
        before = len(simulator.journal())
        code, output = project.run(step)
        assert code == next((wanted for part, wanted in reader.fails.items() if part in words), 0), f"{words}\n{output}"
        sent.append(simulator.journal()[before:])
    assert tuple(len(writes(requests)) for requests in sent) == reader.writes
    assert tuple(job["name"] for job in simulator.state(ZONE)["jobs"]) == reader.jobs
    return sent


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.guide)
def test_guide_works_as_pasted(reader: Reader, simulator: t.Any, tmp_path: Path) -> None:
    follow(reader, simulator, tmp_path)


def test_guide_to_fleets_works_as_pasted(simulator: t.Any, tmp_path: Path) -> None:
    """Only active zones are listed, group variables apply, and a zone needs the number of requests in the table."""
    # The page starts with the commands.
    files = {step.name: step.text for step in steps("guide_fleets") if isinstance(step, File)}
    files["group_vars/all/monitor.yml"] = "log_delivery_script_monitor_enabled: true\nedgeops_verify_token: false\n"
    reader = Reader("guide_fleets", writes=(0, 4, 0), jobs=("edge-logs",), files=files)
    _predicted, first, unchanged = follow(reader, simulator, tmp_path)
    costs = [[entry["zone"] for entry in sent if entry["path"] != "/zones"] for sent in (unchanged, first)]
    text = (ROOT / "docs" / "docsite" / "rst" / "guide_fleets.rst").read_text(encoding="utf-8")
    documented = re.findall(r"^   \* - (?:unchanged|delivered for the first time),.*\n     - (\d+)$", text, re.MULTILINE)
    assert costs == [[ZONE] * int(cost) for cost in documented]
    (rule,) = simulator.state(ZONE)["rulesets"][0]["rules"]
    assert rule["action_parameters"]["cookie_fields"] == [{"name": "Cart"}]
    assert simulator.state(ZONE)["jobs"][0]["destination_conf"].startswith(f"s3://example-logs/{NAME}?")


def test_guide_to_the_document_works_as_pasted(simulator: t.Any, tmp_path: Path) -> None:
    """The page makes the document of a year of audits; a forged record makes the playbook fail after it has written the document."""
    project = Project(tmp_path / "project", simulator)
    (model, _other), _gaps = make_histories(project.folder / "evidence", 1, days=20)
    command, named = commands("guide_assessor")
    project.save("evidence/link.txt", "other files do not matter")
    project.save("fleet.zones.yml", FLEET)
    (notes,) = [step for step in steps("guide_assessor") if isinstance(step, File)]
    project.save(notes.name, notes.text)
    code, output = project.run(command)
    page = project.folder / "assessment" / "evidence.html"
    assert code == 0 and "audits of 2 zones is accounted for" in output, output
    assert "as announced on 2026-03-05" in page.read_text(encoding="utf-8")
    assert page.is_file() and (project.folder / "assessment" / "evidence.csv").is_file()
    code, output = project.run(named)
    assert code == 0, output
    chain = project.folder / "evidence" / f"{model.zone_id}.jsonl"
    chain.write_text(chain.read_text(encoding="ascii").replace('"sampled":true', '"sampled":false', 1), encoding="ascii")
    code, output = project.run(command)
    assert code == 2 and "record 1 was edited" in page.read_text(encoding="utf-8"), output


@pytest.mark.engine
def test_guide_to_redaction_works_as_pasted(simulator: t.Any, tmp_path: Path) -> None:
    """A query in git removes an address from records; a query that does not is refused in check mode."""
    account = "9a7806061c88ada191ed06f989cc3dac"
    simulator.seed(accounts=[account], zones=[{"id": ZONE, "name": NAME, "status": "active", "account": account}])
    project = Project(tmp_path / "project", simulator)
    project.environment["CONTROL_URL"] = simulator.control_url
    project.save("fleet.zones.yml", FLEET)
    for step in steps("guide_redaction"):
        if isinstance(step, File):
            project.save(step.name, step.text)
            continue
        code, output = project.run(step)
        assert code == 0, f"{shlex.join(step)}\n{output}"
    previewed, *_others = commands("guide_redaction")
    assert simulator.state(account=account)["transformers"][0]["versions"][0]["version"] == 1
    written = len(simulator.writes())
    query = (project.folder / "redact.sql").read_text(encoding="utf-8")
    ipv4, ipv6 = "'[.][0-9]+$', '.0'", r"'^(([0-9a-fA-F]+:){0,2}[0-9a-fA-F]+)?:.*$', '\1::'"
    for expression, sample, address in (
        (ipv4, "addresses and query strings are cut", "198.51.100.17"),
        (ipv6, "IPv6 addresses are cut", "2001:db8:12:34::5"),
    ):
        assert expression in query
        project.save("redact.sql", query.replace(expression, "'unchanged', ''"))
        code, output = project.run(previewed)
        assert code == 2 and len(simulator.writes()) == written
        assert f"'{sample}': ClientIP would differ" in output and address in output


def test_guide_payment_pages_works_as_pasted(simulator: t.Any, tmp_path: Path) -> None:
    """From an empty baseline to compliant; then each change of the page is found."""
    simulator.seed(zones=[{"id": ZONE, "name": NAME, "status": "active"}])
    project = Project(tmp_path / "project", simulator)
    project.save("fleet.zones.yml", FLEET)
    shop = f"{simulator.base_url.partition('/client')[0]}/__site__/{ZONE}/checkout"
    statuses, audits = [], []
    for step in steps("guide_payment_pages"):
        if isinstance(step, File):
            project.save(step.name, step.text.replace("https://shop.example.com/checkout", shop))
            continue
        code, output = project.run(step)
        is_audit = "edgeops.observability.check" in step
        assert code == (2 if is_audit and not audits else 0), f"{shlex.join(step)}\n{output}"
        if is_audit:
            audits.append(step)
            statuses.append(zone_of_report(project)["status"])
    assert statuses == ["findings", "compliant"]
    changes = {"skimmer": "inline_new", "header": "header_changed", "frame": "frame_new", "form": "form_new"}
    simulator.settings(site_changes=list(changes))
    code, output = project.run(audits[-1])
    row = zone_of_report(project)
    found = [item["type"] for item in row["items"] if item["kind"] == "finding"]
    assert (code, row["status"], sorted(found)) == (2, "findings", sorted(changes.values())), output


def zone_of_report(project: Project) -> dict[str, t.Any]:
    (row,) = json.loads((project.folder / "report" / "report.json").read_text(encoding="utf-8"))["zones"]
    return t.cast("dict[str, t.Any]", row)


def test_guide_who_is_told_works_as_pasted(simulator: t.Any, tmp_path: Path) -> None:
    """The table of the survey follows: nobody, then the policies, then a silence."""
    account = "9a7806061c88ada191ed06f989cc3dac"
    simulator.seed(
        accounts=[account],
        zones=[{"id": ZONE, "name": NAME, "status": "active", "account": {"id": account, "name": "Shop"}}],
        script_monitor={ZONE: {"enabled": True}},
        jobs={ZONE: [JOB]},
    )
    project = Project(tmp_path / "project", simulator)
    reports: list[dict[str, t.Any]] = []
    for step in steps("guide_who_is_told"):
        if isinstance(step, File):
            project.save(step.name, step.text)
            continue
        code, output = project.run(step)
        assert code == 0, f"{shlex.join(step)}\n{output}"
        if "edgeops.observability.survey" in step:
            reports.append(json.loads((project.folder / "told" / "report.json").read_text(encoding="utf-8")))
    names = [
        {item["subject"]: row["zone"] for row in report["zones"] for item in row["items"] if item["type"] == "no_alert"}
        for report in reports
    ]
    lost, scripts = "failing_logpush_job_disabled_alert", "scriptmonitor_alert_new_resources"
    assert names == [{lost: f"account_{account}", scripts: NAME}, {}, {scripts: NAME}]
    nobody, told, silenced = ({row["alert_type"]: row for row in report["alerts"]} for report in reports)
    assert nobody[scripts]["uncovered"] == [NAME] and told[scripts]["covered"] == [NAME] == told[lost]["covered"]
    assert told[lost]["policies"][0]["mechanisms"]["webhooks"] == ["Chat of operations"]
    assert told[lost]["policies"][0]["last_delivery"]
    assert silenced[scripts]["uncovered"] == [NAME] and "silenced until" in silenced[scripts]["policies"][0]["reason"]


def test_guide_adopt_works_as_pasted(simulator: t.Any, tmp_path: Path) -> None:
    """The destination has a secret: the vault example is valid, and its line works after it is copied."""
    secret = f"{MASKED['destination_conf']}&access-key-id=AK&secret-access-key=planted-key-77"
    simulator.seed(zones=[{"id": ZONE, "name": NAME, "status": "active"}], jobs={ZONE: [{**MASKED, "destination_conf": secret}]})
    project = Project(tmp_path / "project", simulator)
    # A setting from the guide to fleets: a folder without hosts fails.
    project.environment["ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED"] = "true"
    project.save("fleet.zones.yml", FLEET)
    adopt, move, deliver = commands("guide_adopt")
    for command in (adopt, move, deliver):
        code, output = project.run(command)
        assert code == 0, output
    assert "1 unchanged" in output
    example = (project.folder / "inventory" / "vault-example.txt").read_text(encoding="utf-8")
    (line,) = re.findall(r"^ *(destination_conf: .*)$", example, re.MULTILINE)
    (variable,) = re.findall(r"\{\{ (vault_\w+)", line)
    adopted = project.folder / "inventory" / "host_vars" / NAME / "adopted.yml"
    text = adopted.read_text(encoding="utf-8")
    adopted.write_text(re.sub(r"^( +)(- |  )name: archive$", rf"\g<0>\n\1  {line}", text, flags=re.MULTILINE), encoding="utf-8")
    (adopted.parent / "vault.yml").write_text(f"{variable}: planted-key-77\n", encoding="utf-8")
    code, output = project.run(deliver)
    assert code == 0 and "1 unchanged" in output, output
    assert not simulator.writes() and "planted-key-77" not in output


def test_guide_to_terraform_names_each_object_to_import(simulator: t.Any, tmp_path: Path) -> None:
    rule = {"id": "c9" * 16, "action": "log", "description": "checkout", "value": "script-src 'self'"}
    fields = {"action": "log_custom_field", "expression": "true", "action_parameters": {"request_fields": [{"name": "x-a"}]}}
    simulator.seed(
        zones=[{"id": ZONE, "name": NAME, "status": "active"}],
        jobs={ZONE: [JOB, {**MASKED, "id": 8}]},
        rulesets={ZONE: [{"id": "2f" * 16, "phase": "http_log_custom_fields", "rules": [fields]}]},
        policies={ZONE: [rule]},
    )
    project = Project(tmp_path / "project", simulator)
    (playbook,) = [step for step in steps("guide_terraform") if isinstance(step, File) and step.name == "imports.yml"]
    project.save(playbook.name, playbook.text)
    (command,) = commands("guide_terraform")
    code, output = project.run(command)
    assert code == 0 and not simulator.writes(), output
    imported = re.findall(r'^import {\n  to = (\S+)\n  id = "(.+)"\n}', (project.folder / "imports.tf").read_text(), re.MULTILINE)
    assert imported == [
        ("cloudflare_logpush_job.job_7", f"zones/{ZONE}/7"),
        ("cloudflare_logpush_job.job_8", f"zones/{ZONE}/8"),
        ("cloudflare_ruleset.custom_fields", f"zones/{ZONE}/{'2f' * 16}"),
        (f"cloudflare_page_shield_policy.rule_{'c9' * 16}", f"{ZONE}/{'c9' * 16}"),
    ]


def test_guide_enforces_the_baseline(simulator: t.Any, tmp_path: Path) -> None:
    """The guide leads from an empty zone to an enforced rule and back; a rule that would block a source is refused, and the message names the source."""
    simulator.seed(zones=[{"id": ZONE, "name": NAME, "status": "active"}])
    project = Project(tmp_path / "project", simulator)
    project.save("fleet.zones.yml", FLEET)
    said: list[tuple[int, str]] = []
    actions: list[str] = []
    for step in steps("guide_content_security_rules"):
        if isinstance(step, File):
            project.save(step.name, step.text)
            continue
        said.append(project.run(step))
        (rule,) = simulator.state(ZONE)["policies"]
        actions.append(rule["action"])
        if len(said) == 1:
            seen = {"policy_id": rule["id"], "url": "https://cdn.fraud.example/check.js", "host": NAME, "count": 40}
            moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 86400))
            simulator.seed(violations={ZONE: [{**seen, "page_url": f"https://{NAME}/checkout", "datetime": moment}]})
    logged, looked, refused, enforced, back = said
    assert [code for code, _output in said] == [0, 0, 2, 0, 0], said
    assert "https://cdn.fraud.example/check.js" in looked[1]
    assert (
        "would block 1 source" in refused[1]
        and f"script-src https://cdn.fraud.example/check.js (40 times, on {NAME}" in refused[1]
    )
    assert actions == ["log", "log", "log", "allow", "log"], (logged, enforced, back)
