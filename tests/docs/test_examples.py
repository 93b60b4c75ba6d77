# SPDX-License-Identifier: GPL-3.0-or-later

"""ansible-playbook runs every YAML example of the documentation."""

import datetime
import json
import re
import typing as t
from pathlib import Path

import yaml
from blocks import COLLECTION, ROOT, ZONE, Block, blocks, plays, sources, surroundings
from support.histories import make_histories

from edgeops_simulator.delivery.transform import is_installed
from harness import Playbook
from harness.process import LOCAL

# The reasons why blocks cannot be run, by their mark, and the files that may contain such blocks.
NOT_RUN = {
    "controller": ("read by AWX or automation controller, which is tested with examples/awx", ["guide_controller.rst"]),
    "rulebook": ("read by ansible-rulebook, which is tested in tests/eda", ["guide_react_to_changes.rst"]),
    "alone": (
        "needs the files of its page, with which test_guides.py runs it",
        ["guide_assessor.rst", "guide_payment_pages.rst", "guide_recipes.rst", "guide_redaction.rst", "guide_who_is_told.rst"],
    ),
}
SECRET = "planted-store-key+/51d7e0"
# The variables that readers of the pages have set.
READER: dict[str, t.Any] = {
    "store_key": SECRET,
    "vaulted_store_key": SECRET,
    "vaulted_api_token": "planted-docs-token-41c7d2",
    "vaulted_chat_secret": SECRET,
    "script_baseline": [
        {"name": "cdn", "url": "https://cdn.example.net/**", "integrity": "unpinned", "integrity_reason": "an example"}
    ],
    "script_gate": ["changed", "history_broken"],
}
ZONES = [
    {"id": ZONE, "name": "shop.example.com", "status": "active", "account": {"id": "0" * 32, "name": "Example"}},
    {"id": "1" * 32, "name": "blog.example.com", "status": "pending", "account": {"id": "0" * 32, "name": "Example"}},
]
# Scripts for examples that read them, without any malicious one.
SCRIPTS = [
    {
        "script_id": f"{number:032x}",
        "script_url": f"https://cdn.example.net/{number}.js",
        "host": "shop.example.com",
        "status": status,
    }
    | {"js_integrity_score": score, "page_shield_js_integrity_score": 100 - score}
    for number, (status, score) in enumerate([("active", 3), ("active", 20), ("infrequent", 71)])
]
# A rule that is logged, and what browsers reported of it.
LOGGED = {"id": "c9ef84a6bf5e47138c75d95e2f933e8f", "description": "checkout", "action": "log", "expression": "true"}
REPORTED = {"policy_id": LOGGED["id"], "url": "https://chat.example.net/chat.js", "host": "shop.example.com", "count": 12}
# The account in all examples.
ACCOUNT = "9a7806061c88ada191ed06f989cc3dac"
# Its readers log a rule before they enforce it, so that browsers have sent reports.
RULE = "plugins/modules/content_security_rule.py"
SOURCES = [source for source in sources() if blocks(source)]


def runnable(source: str) -> list[Block]:
    return [block for block in blocks(source) if not block.mark]


def made_of(source: str) -> list[Block]:
    return [block for block in runnable(source) if block.kind != "inventory"]


RUNNABLE = [source for source in SOURCES if any(plays(block) for block in made_of(source))]


def test_examples_run_unchanged(playbook: Playbook, simulator: t.Any) -> None:
    """All blocks run in one process, those of each file on their own host and zone."""
    zones = {source: f"{number:032x}" for number, source in enumerate(RUNNABLE, 1)}
    reported = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=1)
    simulator.seed(
        accounts=[ACCOUNT],
        zones=[{**ZONES[0], "id": zone, "name": f"{zone}.example.com"} for zone in zones.values()],
        scripts=dict.fromkeys(zones.values(), SCRIPTS),
        script_monitor={zone: {"enabled": True} for zone in zones.values()},
        policies={zones[RULE]: [{**LOGGED, "value": "script-src 'self'"}]},
        violations={zones[RULE]: [{**REPORTED, "datetime": reported.strftime("%Y-%m-%dT%H:%M:%SZ")}]},
        transformers={f"accounts/{'0' * 32}": [{"id": 70, "name": "redact"}]},
    )
    made = [
        {**play, "hosts": zone}
        for source, zone in zones.items()
        for block in made_of(source)
        for play in json.loads(json.dumps(plays(block), default=str).replace(ZONE, zone))
    ]
    if not is_installed():  # samples need DataFusion
        made = [{**play, "tasks": [task for task in play.get("tasks", ()) if "samples" not in str(task)]} for play in made]
    # Readers of the document for an assessor have evidence.
    make_histories(playbook.folder / "run-0" / "input" / "evidence", 1, days=3)
    # Readers have recorded a page with a browser.
    page = {"url": "https://shop.example.com/checkout", "method": "GET", "headers": []}
    content = {"mimeType": "text/html", "text": "<!doctype html><title>Checkout</title><p>Pay here"}
    answer = {"status": 200, "headers": [{"name": "content-type", "value": "text/html; charset=utf-8"}], "content": content}
    entry = {"startedDateTime": "2026-11-01T10:00:00.000Z", "request": page, "response": answer, "_resourceType": "document"}
    recording = {"log": {"version": "1.2", "entries": [entry]}}
    (playbook.folder / "run-0" / "input" / "checkout.har").write_text(json.dumps(recording), encoding="utf-8")
    # The hosts are in the group that the inventory of readers has.
    hosts = playbook.folder / "hosts.json"
    listed = {zone: {"zone_id": zone, **LOCAL} for zone in zones.values()}
    hosts.write_text(json.dumps({"zones": {"hosts": listed}}), encoding="utf-8")
    report = playbook.run(
        playbook=made,
        inventory=hosts,
        extra_vars=READER,
        env=surroundings(simulator),
        secrets=[SECRET],
        verbosity=0,
        # Readers have proved the ownership of their bucket.
        warns=["ownership_challenge: is omitted"],
    )
    assert report.returncode == 0, str(report)
    assert {outcome.host for outcome in report.outcomes} == set(zones.values())


def test_inventory_examples_list_the_zones(playbook: Playbook, simulator: t.Any, tmp_path: Path) -> None:
    """All examples run in one process, and each puts its hosts into its own group."""
    simulator.seed(zones=ZONES, script_monitor={zone["id"]: {"enabled": True} for zone in ZONES})
    inventories = [block for source in SOURCES for block in runnable(source) if block.kind == "inventory"]
    documents = [document for block in inventories for document in block.documents]
    for number, document in enumerate(documents):
        groups = {**document.get("groups", {}), f"example_{number}": "true"}
        # The simulator does not have the accounts of the examples.
        text = yaml.safe_dump({**document, "account_ids": [], "groups": groups})
        (tmp_path / f"{number}.zones.yml").write_text(text, encoding="utf-8")
    tasks = [
        {"name": "Read", f"{COLLECTION}.log_custom_fields_info": {"zone_id": "{{ zone_id }}"}},
        {"name": "Groups", "ansible.builtin.debug": {"var": "group_names"}},
    ]
    first, *others = [str(tmp_path / f"{number}.zones.yml") for number in range(len(documents))]
    report = playbook.run(
        playbook=[{"name": "Read every zone", "hosts": "zones", "gather_facts": False, "tasks": tasks}],
        inventory=first,
        arguments=[argument for path in others for argument in ("-i", path)],
        env=surroundings(simulator),
    )
    listed = set(report.named("Groups", "shop.example.com").result["group_names"])
    assert listed >= {f"example_{number}" for number in range(len(documents))}
    assert len([entry for entry in report.journal if entry["path"] == "/zones"]) == len(documents)


def test_playbooks_of_a_controller_project_run(playbook: Playbook, simulator: t.Any) -> None:
    (fields,) = [block.documents[0] for block in blocks("README.md") if block.kind == "variables"]
    launchers = [block for block in runnable("docs/docsite/rst/guide_controller.rst") if "import_playbook" in block.text]
    deliver, check = ({block.caption: block.documents[0] for block in launchers}[name] for name in ("deliver.yml", "check.yml"))
    hosts = {"shop": {"zone_id": ZONE, **fields}}
    report = playbook.run(
        playbook=[*deliver, *check],
        inventory=hosts,
        module_defaults={},
        env=surroundings(simulator),
    )
    (statistics,) = [outcome.result["ansible_stats"]["data"] for outcome in report.outcomes if "ansible_stats" in outcome.result]
    assert report.writes and statistics["edgeops_check"]["statuses"]["compliant"] == ["shop"]


def test_only_named_blocks_are_not_run() -> None:
    marked = [block for source in SOURCES for block in blocks(source) if block.mark]
    assert {block.mark for block in marked} == set(NOT_RUN)
    for block in marked:
        _reason, places = NOT_RUN[block.mark]
        assert Path(block.source).name in places, f"{block} is marked {block.mark}, and should be run"
        text = block.text.replace(f"name: {COLLECTION}", "").replace(f"{COLLECTION}.zone_events", "")
        assert block.mark == "alone" or f"{COLLECTION}." not in text, f"{block} names a module, and should be run"


def test_every_yaml_block_is_found() -> None:
    """The number of blocks equals the number of lines that start a block."""
    for source in (name for name in sources() if name.endswith((".rst", ".md"))):
        text = (ROOT / source).read_text(encoding="utf-8")
        begun = len(re.findall(r"^ *(?:```ya?ml|\.\. code-block:: ya?ml) *$", text, re.MULTILINE))
        assert len(blocks(source)) == begun, source
    assert {Path(source).stem for source in SOURCES} >= {path.stem for path in (ROOT / "plugins" / "modules").glob("[a-z]*.py")}


def test_guides_name_playbooks_that_exist() -> None:
    command = re.compile(rf"ansible-playbook {re.escape(COLLECTION)}\.(\w+)")
    named = {name for source in SOURCES for name in command.findall((ROOT / source).read_text(encoding="utf-8"))}
    assert named >= {"check", "deliver"}
    assert named <= {path.stem for path in (ROOT / "playbooks").glob("*.yml")}
