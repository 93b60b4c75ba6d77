# SPDX-License-Identifier: GPL-3.0-or-later

import contextlib
import importlib.util
import json
import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
import time
import typing as t
from pathlib import Path

import pytest
import yaml

from harness import artifact

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "eda"
SOURCE = "edgeops.observability.zone_events"
ENGINE = Path(sys.executable).with_name("ansible-rulebook")
NAME = "shop.example"
SHOW = {"debug": {"msg": "HEARD {{ event.edgeops.kind }} {{ event.edgeops.redelivered }} {{ event.edgeops.subject }}"}}
# Much longer than a busy machine needs; waits end as soon as their condition is true.
MAX_WAIT_SECONDS = 240
pytestmark = [
    pytest.mark.skipif(
        importlib.util.find_spec("ansible_rulebook") is None,
        reason='ansible-rulebook is not in this environment: make nox ARGS="-s rulebooks"',
    ),
    pytest.mark.skipif(
        shutil.which("java") is None,
        reason="no Java: the engine of rulebooks needs a Java 17 (Debian: openjdk-17-jre-headless)",
    ),
]


class Rulebook:
    """A rulebook that runs, is killed and runs again in one folder; `output` is that of all runs."""

    def __init__(self, simulator: t.Any, folder: Path) -> None:
        self.state_folder = folder / "volume"
        self._folder = folder
        self._output = folder / "output"
        self._process: subprocess.Popen[bytes] | None = None
        self.state_folder.mkdir()
        for name in ("home", "tmp"):
            (folder / name).mkdir()
        host = {
            "ansible_connection": "local",
            "ansible_python_interpreter": sys.executable,
            "zone_id": simulator.zone,
            "log_delivery_script_monitor_enabled": True,
            "log_delivery_job": {"name": "logs", "destination_conf": "s3://bucket/logs?region=eu-west-1"},
        }
        inventory = {"all": {"hosts": {NAME: host, "other.example": host}}}
        (folder / "inventory.yml").write_text(yaml.safe_dump(inventory), encoding="utf-8")
        self._environment = {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(folder / "home"),
            "TMPDIR": str(folder / "tmp"),
            "LC_ALL": "C.UTF-8",
            # Otherwise a killed JVM leaves a file in /tmp. The engine starts it through JNI, which ignores JDK_JAVA_OPTIONS.
            "JAVA_TOOL_OPTIONS": "-XX:-UsePerfData",
            "ANSIBLE_COLLECTIONS_PATH": str(artifact.installed()),
            **simulator.environment(),
        }

    @property
    def output(self) -> str:
        return self._output.read_text(encoding="utf-8", errors="replace") if self._output.exists() else ""

    @property
    def states(self) -> list[dict[str, t.Any]]:
        """Return the stored states of the sources."""
        return [json.loads(path.read_text(encoding="ascii")) for path in self.state_folder.glob("*.json")]

    def write(self, rulesets: list[dict[str, t.Any]]) -> None:
        (self._folder / "rulebook.yml").write_text(json.dumps(rulesets), encoding="utf-8")

    def start(self) -> None:
        arguments = ("--rulebook", "rulebook.yml", "--inventory", "inventory.yml", "--shutdown-delay", "1")
        with self._output.open("ab") as output:
            self._process = subprocess.Popen(
                [ENGINE, *arguments],
                cwd=self._folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def kill(self) -> None:
        """Kill the engine and its child processes."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def wait_for(self, is_so: t.Callable[[], bool]) -> None:
        """Wait until a condition is true; fail with the output if the engine ends earlier, or after a timeout."""
        end = time.monotonic() + MAX_WAIT_SECONDS
        while not is_so():
            assert self._process is None or self._process.poll() is None, self.output
            assert time.monotonic() < end, self.output
            time.sleep(0.2)


@pytest.fixture
def rulebook(simulator: t.Any, tmp_path: Path) -> t.Iterator[Rulebook]:
    made = Rulebook(simulator, tmp_path)
    yield made
    made.kill()


def check(variables: dict[str, t.Any]) -> dict[str, t.Any]:
    return {"run_playbook": {"name": "edgeops.observability.check", "extra_vars": variables}}


def script(letter: str, content: str) -> dict[str, t.Any]:
    url = f"https://cdn.example/{letter}.js"
    return {"script_id": letter * 32, "script_url": url, "host": NAME, "status": "active", "hash": content * 64}


def heard(rulebook: Rulebook) -> list[tuple[str, str]]:
    """Return kind and subject of each event (a letter for a script), with a star if it was redelivered."""
    events = re.findall(r"HEARD (\w+) (\w+) (?:.*cdn\.example/)?(\w+)", rulebook.output)
    return [(f"{kind}{'*' if again == 'True' else ''}", subject) for kind, again, subject in events]


def example(name: str, rulebook: Rulebook, zone: str) -> dict[str, t.Any]:
    """Return the rule set of an example for one zone; the action of a job template is replaced with the check or with a message."""
    (ruleset,) = yaml.safe_load((EXAMPLES / "rulebooks" / f"{name}.yml").read_text(encoding="utf-8"))
    arguments = ruleset["sources"][0][SOURCE]
    del arguments["discover"]
    if "script_baseline" in arguments:
        authorised = {"owner": "payments", "justification": "checkout", "authorised_by": "j.doe"}
        arguments["script_baseline"] = [{"name": "covered", "url": "https://cdn.example/c.js", **authorised}]
    arguments |= {"zones": [zone], "state_file": str(rulebook.state_folder / f"{name}.json"), "request_budget": "none"}
    for rule in ruleset["rules"]:
        job = rule.pop("action")["run_job_template"]
        rule["action"] = check(job["job_args"]["extra_vars"]) if job["name"] == "Check log delivery" else SHOW
    return t.cast("dict[str, t.Any]", ruleset)


@pytest.mark.timeout(900)
def test_each_event_fires_once_across_restarts(simulator: t.Any, rulebook: Rulebook) -> None:
    """The engine is killed, changes are made, and it starts again: each event is sent once, or marked as redelivered.

    A source polls when it starts, so that the test does not wait for the interval.
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
    scripts, jobs = example("scripts", rulebook, zone), example("jobs", rulebook, zone)
    jobs["sources"][0][SOURCE]["accounts"] = [account]
    scripts["rules"].append({"name": "Show it", "condition": "event.edgeops.kind is defined", "action": SHOW})
    rulebook.write([scripts, jobs])

    rulebook.start()
    rulebook.wait_for(lambda: len(rulebook.states) == 2)
    rulebook.kill()
    assert heard(rulebook) == []

    failing = {"error_message": "access denied"}
    simulator.seed(scripts={zone: [script("a", "2")]}, jobs={zone: [{**job, **failing}], account: [{**of_account, **failing}]})
    rulebook.start()
    rulebook.wait_for(lambda: "PLAY RECAP" in rulebook.output and len(heard(rulebook)) >= 3)
    rulebook.kill()
    seen = [("job_failing", "dns"), ("job_failing", "logs"), ("script_changed", "a")]
    assert sorted(heard(rulebook)) == seen
    assert rulebook.output.count("PLAY RECAP") == 1
    assert re.search(rf"^{NAME}\s+: ok=", rulebook.output, re.MULTILINE)
    assert "other.example" not in rulebook.output
    assert re.search(r"finding new \(high\): .*https://cdn\.example/a\.js", rulebook.output), rulebook.output

    simulator.seed(scripts={zone: [script("a", "2"), script("b", "1"), script("c", "1")]})
    rulebook.start()
    rulebook.wait_for(lambda: rulebook.output.count("PLAY RECAP") >= 2 and ("script_new", "b") in heard(rulebook))
    rulebook.kill()
    fresh = [event for event in heard(rulebook) if "*" not in event[0]]
    assert sorted(fresh) == [*seen, ("script_new", "b")]
    assert set(heard(rulebook)) - set(fresh) <= {(f"{kind}*", subject) for kind, subject in seen}
    # As the example says, a redelivered event runs the check again.
    assert rulebook.output.count("PLAY RECAP") == sum(kind.startswith("script_") for kind, _subject in heard(rulebook))


def test_engine_accepts_documented_rulebooks() -> None:
    from ansible_rulebook.rules_parser import parse_rule_sets  # noqa: PLC0415  # only in the environment of this session
    from ansible_rulebook.validators import Validate  # noqa: PLC0415  # the same

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
