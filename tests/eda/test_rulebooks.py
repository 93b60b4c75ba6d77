# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import runpy
import typing as t
from pathlib import Path

import pytest
import yaml
from eda.conftest import NAME, Rulebook

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "eda"
SOURCE = "edgeops.observability.zone_events"
SHOW = {"debug": {"msg": "HEARD {{ event.edgeops.kind }} {{ event.edgeops.redelivered }} {{ event.edgeops.subject }}"}}
Make = t.Callable[[], Rulebook]


def check(variables: dict[str, t.Any]) -> dict[str, t.Any]:
    return {"run_playbook": {"name": "edgeops.observability.check", "extra_vars": variables}}


def script(letter: str, content: str) -> dict[str, t.Any]:
    return {
        "script_id": letter * 32,
        "script_url": f"https://cdn.example/{letter}.js",
        "host": NAME,
        "status": "active",
        "hash": content * 64,
    }


def heard(rulebook: Rulebook) -> list[tuple[str, str]]:
    """Kind and subject (of a script its letter) of each event, with a star where it was sent again."""
    found = re.findall(r"HEARD (\w+) (\w+) (?:.*cdn\.example/)?(\w+)", rulebook.output)
    return [(f"{kind}{'*' if again == 'True' else ''}", subject) for kind, again, subject in found]


def example(name: str, rulebook: Rulebook, zone: str) -> dict[str, t.Any]:
    """The rule set of an example for one zone; it runs the check, or shows the event, where the example starts a job template."""
    (ruleset,) = yaml.safe_load((EXAMPLES / "rulebooks" / f"{name}.yml").read_text(encoding="utf-8"))
    arguments = ruleset["sources"][0][SOURCE]
    del arguments["discover"]
    if "script_baseline" in arguments:
        arguments["script_baseline"] = [{"name": "covered", "url": "https://cdn.example/c.js"}]
    arguments |= {"zones": [zone], "state_file": str(rulebook.state_folder / f"{name}.json"), "request_budget": "none"}
    for rule in ruleset["rules"]:
        job = rule.pop("action")["run_job_template"]
        rule["action"] = check(job["job_args"]["extra_vars"]) if job["name"] == "Check log delivery" else SHOW
    return t.cast("dict[str, t.Any]", ruleset)


@pytest.mark.timeout(900)
def test_each_event_fires_once_across_restarts(simulator: t.Any, rulebook: Make) -> None:
    """The engine is killed, something happens meanwhile, and it comes back: each event once, or marked as sent again.

    A source polls when it starts, so that no run waits for the interval.
    """
    zone, account = simulator.zone, simulator.account
    job = {"id": 1, "name": "logs", "destination_conf": "s3://bucket/logs?region=eu-west-1", "enabled": True}
    of_account = {**job, "id": 2, "name": "dns", "dataset": "gateway_dns"}
    simulator.seed(
        zones=[{"id": zone, "name": NAME, "status": "active"}],
        script_monitor={zone: {"enabled": True}},
        scripts={zone: [script("a", "1")]},
        jobs={zone: [job], account: [of_account]},
    )
    running = rulebook()
    scripts, jobs = example("scripts", running, zone), example("jobs", running, zone)
    jobs["sources"][0][SOURCE]["accounts"] = [account]
    scripts["rules"].append({"name": "Show it", "condition": "event.edgeops.kind is defined", "action": SHOW})
    running.write([scripts, jobs])

    running.start()
    running.wait_for(lambda: len(running.states) == 2)
    running.kill()
    assert heard(running) == []

    failing = {"error_message": "access denied"}
    simulator.seed(scripts={zone: [script("a", "2")]}, jobs={zone: [{**job, **failing}], account: [{**of_account, **failing}]})
    running.start()
    running.wait_for(lambda: "PLAY RECAP" in running.output and len(heard(running)) >= 3)
    running.kill()
    seen = [("job_failing", "dns"), ("job_failing", "logs"), ("script_changed", "a")]
    assert sorted(heard(running)) == seen
    assert running.output.count("PLAY RECAP") == 1
    assert re.search(rf"^{NAME}\s+: ok=", running.output, re.MULTILINE)
    assert "other.example" not in running.output
    assert re.search(r"finding new \(high\): .*https://cdn\.example/a\.js", running.output), running.output

    simulator.seed(scripts={zone: [script("a", "2"), script("b", "1"), script("c", "1")]})
    running.start()
    running.wait_for(lambda: running.output.count("PLAY RECAP") >= 2 and ("script_new", "b") in heard(running))
    running.kill()
    fresh = [event for event in heard(running) if "*" not in event[0]]
    assert sorted(fresh) == [*seen, ("script_new", "b")]
    assert set(heard(running)) - set(fresh) <= {(f"{kind}*", subject) for kind, subject in seen}
    assert running.output.count("PLAY RECAP") == 2


def test_engine_accepts_documented_rulebooks() -> None:
    """Documented rulebooks are what the engine takes."""
    from ansible_rulebook.rules_parser import parse_rule_sets  # noqa: PLC0415  # of the environment of this gate only
    from ansible_rulebook.validators import Validate  # noqa: PLC0415  # likewise

    guide = (ROOT / "docs" / "docsite" / "rst" / "guide_react_to_changes.rst").read_text(encoding="utf-8")
    (in_guide,) = re.findall(r":caption: scripts\.yml\n\n((?:(?:   .*)?\n)+)", guide)
    plugin = runpy.run_path(str(ROOT / "extensions" / "eda" / "plugins" / "event_source" / "zone_events.py"))
    texts = [in_guide, plugin["EXAMPLES"], *(path.read_text(encoding="utf-8") for path in (EXAMPLES / "rulebooks").iterdir())]
    assert len(texts) == 4
    for text in texts:
        rulesets = yaml.safe_load(text)
        Validate.rulebook(rulesets)
        for parsed in parse_rule_sets(rulesets, {"STATE_FOLDER": "/state", "EDGE_TOKEN": "x", "edgeops_script_baseline": []}):
            assert [source.source_name for source in parsed.sources] == [SOURCE]
            assert parsed.rules
