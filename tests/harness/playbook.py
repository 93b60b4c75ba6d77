# SPDX-License-Identifier: GPL-3.0-or-later

"""Run ansible-playbook against the simulator and check the invariants of each run."""

import contextlib
import dataclasses
import itertools
import re
import typing as t
from pathlib import Path

from . import canaries, invariants, process
from .outcome import COLLECTION, Report, Tasks

GROUP = f"group/{COLLECTION}.zone"
# The play with which a case begins.
CASE = "Case "


@dataclasses.dataclass(frozen=True)
class Case:
    """Tasks for one host; `fails` and `warns` as in `Playbook.run`."""

    tasks: t.Sequence[t.Mapping[str, t.Any]]
    fails: str | t.Collection[str] | None = None
    warns: tuple[str, ...] = ()
    check: bool = False
    diff: bool = True


@dataclasses.dataclass(frozen=True)
class Plays:
    """Plays, and the hosts that they are for; `fails` and `warns` as in `Playbook.run`."""

    plays: t.Sequence[t.Mapping[str, t.Any]]
    hosts: t.Mapping[str, t.Mapping[str, t.Any]]
    fails: str | t.Collection[str] | None = None
    warns: tuple[str, ...] = ()


# A function that yields its plays, is sent the report of these, and looks at it.
Scenario = t.Generator[Plays, Report, None]


@dataclasses.dataclass
class Playbook:
    """Run tasks, plays or playbooks against one simulator, by default in one zone."""

    simulator: t.Any
    zone: str
    folder: Path
    in_process: bool | None = None
    _count: t.Iterator[int] = dataclasses.field(default_factory=itertools.count)

    def run(
        self,
        tasks: Tasks | None = None,
        *,
        playbook: str | Path | t.Sequence[t.Mapping[str, t.Any]] | None = None,
        check: bool = False,
        diff: bool = True,
        module_defaults: t.Mapping[str, t.Any] | None = None,
        warns: t.Sequence[str] = (),
        fails: str | t.Collection[str] | None = None,
        **launch: t.Any,
    ) -> Report:
        """Run once; check the invariants.

        `tasks` is a task or a list of tasks for one play in this zone; `playbook` is a list of plays, a file, or a name such as
        `edgeops.observability.deliver`. `fails` is the expected kind of failure ("ansible" for a failure of ansible-core itself), `warns`
        the patterns of the expected warnings. `launch` are further arguments of `launch`.
        """
        assert (tasks is None) != (playbook is None), "either tasks or a playbook"
        play = {
            "name": "Test",
            "hosts": "all",
            "gather_facts": False,
            "module_defaults": {GROUP: {"zone_id": self.zone}} if module_defaults is None else module_defaults,
            "tasks": [tasks] if isinstance(tasks, dict) else tasks,
        }
        report = self.launch([play] if playbook is None else playbook, check=check, diff=diff, **launch)
        invariants.check(report, check, diff, fails, warns)
        return report

    def run_cases(self, cases: t.Mapping[str, Case], zones: t.Mapping[str, str], **launch: t.Any) -> dict[str, Report]:
        """Run each case on its own host and zone, all in one process; check the invariants of each.

        A failure ends its case only. The report of a case has the output, results and requests of its play.
        """
        plays = [
            {
                "name": f"{CASE}{name}",
                "hosts": zones[name],
                "gather_facts": False,
                "check_mode": case.check,
                "diff": case.diff,
                "module_defaults": {GROUP: {"zone_id": zones[name]}},
                "tasks": [
                    {"block": list(case.tasks), "rescue": [{"name": "Failed", "ansible.builtin.meta": "clear_host_errors"}]}
                ],
            }
            for name, case in cases.items()
        ]
        report = self.launch(plays, inventory={zones[name]: {} for name in cases}, **launch)
        assert report.returncode == 0, str(report)
        return _reports(report, {name: (case.check, case.diff, case.fails, case.warns) for name, case in cases.items()})

    def run_scenarios(self, scenarios: t.Mapping[str, Scenario], **launch: t.Any) -> None:
        """Run the plays of each scenario, all in one process, each on hosts that no other one has; check the invariants of each.

        A report has the output, results and requests of its scenario; only the whole run has a recap.
        """
        cases = {name: next(scenario) for name, scenario in scenarios.items()}
        plays = [
            play
            for name, case in cases.items()
            for play in ({"name": f"{CASE}{name}", "hosts": "all:!all", "gather_facts": False}, *case.plays)
        ]
        hosts = {host: variables for case in cases.values() for host, variables in case.hosts.items()}
        report = self.launch(plays, diff=True, inventory=hosts, **launch)
        reports = _reports(report, {name: (False, True, case.fails, case.warns) for name, case in cases.items()})
        for name, scenario in scenarios.items():
            with contextlib.suppress(StopIteration):
                scenario.send(reports[name])

    def launch(
        self,
        source: t.Any,
        *,
        check: bool = False,
        diff: bool = False,
        extra_vars: t.Mapping[str, t.Any] | None = None,
        verbosity: int = 3,
        in_process: bool | None = None,
        env: t.Mapping[str, str | None] | None = None,
        forks: int = 5,
        inventory: t.Mapping[str, t.Mapping[str, t.Any]] | str | Path | None = None,
        secrets: t.Iterable[str] = (),
        timeout: float = 300,
        arguments: t.Sequence[str] = (),
        typed: str = "",
    ) -> Report:
        """Run a playbook; check that no output contains a secret: those of `secrets`, the credentials of the simulator, and the
        secret options of the tasks. In `env`, None removes a variable.
        """
        place = process.Place(self.folder / f"run-{next(self._count)}")
        planted: dict[str, str] = {}
        target = source if isinstance(source, str | Path) else place.write("playbook.yml", canaries.hoist(source, planted))
        hosts = inventory
        if not isinstance(hosts, str | Path):
            hosts = place.write("inventory.yml", canaries.hoist(process.inventory(hosts), planted))
        variables = canaries.hoist(dict(extra_vars or {}), planted)
        chosen = self.in_process if in_process is None else in_process
        if chosen is not None:
            variables["edgeops_in_process"] = chosen
        # Verifying the token sends further requests, so that only tests of it switch it on.
        variables.setdefault("edgeops_verify_token", False)
        command = [str(process.BIN / "ansible-playbook"), str(target), "-i", str(hosts)]
        command += ["-e", f"@{place.write('vars.json', {**variables, **planted})}", *arguments]
        command += [
            option for option, is_set in (("--check", check), ("--diff", diff), ("-" + "v" * verbosity, verbosity > 0)) if is_set
        ]
        surroundings: dict[str, str | None] = {**place.environment(forks), **self.simulator.environment(), **(env or {})}
        environment = {name: value for name, value in surroundings.items() if value is not None}
        seen = len(self.simulator.journal())
        returncode, stdout, stderr = process.execute(command, environment, place.input, timeout, typed)
        journal = [entry for entry in self.simulator.journal(since=seen) if "x-simulator-editor" not in entry["headers"]]
        record = place.record.read_text(encoding="utf-8") if place.record.exists() else ""
        log = place.log.read_text(encoding="utf-8", errors="replace") if place.log.exists() else ""
        report = Report(returncode, stdout, stderr, log, record, process.outcomes(record, journal), journal, place.folder)
        invariants.check_secrets(report, canaries.all_of(self.simulator, secrets, planted, env))
        return report


def _reports(whole: Report, cases: t.Mapping[str, tuple[t.Any, ...]]) -> dict[str, Report]:
    """Return the reports of cases that ran in one process, and check the invariants of each, with these arguments."""
    parts = process.parts(whole.record, whole.journal, lambda name: name.startswith(CASE))
    assert list(parts) == [f"{CASE}{name}" for name in cases], f"not all cases ran\n{whole}"
    printed = re.split(rf"^PLAY (?=\[{CASE}|RECAP)", whole.stdout, flags=re.MULTILINE)[1:]
    reports = {}
    for (name, expected), (record, journal), text in zip(cases.items(), parts.values(), printed, strict=False):
        outcomes = process.outcomes(record, journal)
        code = 2 if any(outcome.status == "failed" for outcome in outcomes) else 0
        stdout = text.partition("\n")[2]
        reports[name] = dataclasses.replace(
            whole, returncode=code, stdout=stdout, record=record, outcomes=outcomes, journal=journal
        )
        try:
            invariants.check(reports[name], *expected)
        except AssertionError as wrong:
            raise AssertionError(f"case {name!r}: {wrong}") from None
    return reports
