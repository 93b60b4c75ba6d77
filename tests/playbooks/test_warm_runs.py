# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A run in a fork of a warm process is the same as a run in a process of its own."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import types
import typing as t
import zipfile
import zipimport
from pathlib import Path

import pytest

from harness.compiled import sitecustomize
from harness.process import BIN, Place, execute_anew, inventory
from harness.warm import Ended, Run, Servers

READ = ("HOME", "TMPDIR", "XDG_STATE_HOME", "EDGEOPS_RECORD", "PATH", "LC_ALL", "EDGEOPS_WORD")
TASKS = [
    *(
        {
            "name": name,
            "ansible.builtin.debug": {"msg": f"{{{{ lookup('ansible.builtin.env', '{name}') }}}} {{{{ playbook_dir }}}}"},
        }
        for name in READ
    ),
    {"name": "Show a variable of a group", "ansible.builtin.debug": {"var": "beside_the_inventory"}},
    {"name": "Run in a process", "ansible.builtin.command": "pwd", "changed_when": False},
    {
        "name": "Load a filter",
        "ansible.builtin.debug": {"msg": "{{ [] | edgeops.observability.no_such_filter }}"},
        "ignore_errors": True,
    },
    {"name": "Fail", "ansible.builtin.fail": {"msg": "It has failed"}},
]


@pytest.fixture(scope="module")
def servers() -> t.Iterator[Servers]:
    """Processes of these tests alone."""
    made = Servers()
    yield made
    made.close()


@pytest.fixture
def own_servers() -> t.Iterator[Servers]:
    """Processes of one test alone."""
    made = Servers()
    yield made
    made.close()


def run(folder: Path, tasks: t.Sequence[t.Any], **environment: str) -> Run:
    """A playbook in a folder."""
    place = Place(folder)
    (place.input / "group_vars").mkdir(parents=True, exist_ok=True)
    place.write("group_vars/all.yml", {"beside_the_inventory": "seen"})
    play = {"name": "Show", "hosts": "all", "gather_facts": False, "tasks": list(tasks)}
    command = [str(BIN / "ansible-playbook"), str(place.write("play.yml", [play])), "-vvv", "--diff"]
    command += ["-i", str(place.write("inventory.yml", inventory(None)))]
    return Run(command, {**place.environment(2), **environment}, place.input)


def warm(servers: Servers, asked: Run, timeout: float = 60) -> Ended:
    """The end of a run that is the second one of its configuration, or a later one."""
    ended = servers.execute(asked, timeout) or servers.execute(asked, timeout)
    assert ended
    return ended


def without_chance(text: str, folder: Path) -> str:
    """A text without what differs from run to run: folder, times, process numbers, identifiers."""
    text = re.sub(rf"{re.escape(str(folder))}|/[^\s'\"]*/warm-[^/]+/run", "<folder>", text)
    text = re.sub(r"\b[0-9a-f]{8}-[0-9a-f-]{27}\b|ansible-(tmp|local)-?[\w.-]+|\btmp\w{8}\b|payload_\w{8}\b|p=\d+", "<id>", text)
    return re.sub(r"\d+:\d\d:\d\d[.,]\d+|\d{4}-\d\d-\d\d|\"monotonic\": [\d.]+", "<time>", text)


def left(folder: Path) -> dict[str, str]:
    """Every path that a run left behind, with its mode and its text."""
    return {
        without_chance(str(path.relative_to(folder)), folder): f"{path.stat().st_mode:o} "
        + (without_chance(path.read_text("utf-8"), folder) if path.is_file() else "")
        for path in folder.rglob("*")
    }


def test_same_as_anew(tmp_path: Path, servers: Servers) -> None:
    """Output, exit code, log, record and files left behind, for what reads its environment and for what fails."""
    asked = {name: run(tmp_path / name, TASKS, EDGEOPS_WORD=name) for name in ("one", "two")}
    code, *outputs = execute_anew(asked["one"], 60)
    servers.execute(run(tmp_path / "first", [], EDGEOPS_WORD="first"), 60)
    warm_code, *warm_outputs = warm(servers, asked["two"])
    assert warm_code == code == 2
    for ours, theirs in zip(warm_outputs, outputs, strict=True):
        expected = without_chance(theirs, tmp_path / "one").replace("one", "two")
        assert without_chance(ours, tmp_path / "two").replace("one", "two") == expected
    assert {name: text.replace("one", "two") for name, text in left(tmp_path / "two").items()} == {
        name: text.replace("one", "two") for name, text in left(tmp_path / "one").items()
    }


MODULE = """
import logging, os, signal, sys
from ansible.module_utils.basic import AnsibleModule

if __name__ == "__main__":
    module = AnsibleModule({"end": {}}, supports_check_mode=True)
    signals = [str(signal.getsignal(number)) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM, signal.SIGCHLD)]
    seen = {
        "controller": sorted(name for name in sys.modules if name.startswith(("ansible.plugins", "ansible.executor", "ansible.cli"))),
        "finders": [str(getattr(finder, "__module__", finder)) for finder in (*sys.meta_path, *sys.path_hooks)],
        "logging": [logging.root.level, len(logging.root.handlers)],
        "streams": [(stream.encoding, stream.errors, stream.isatty()) for stream in (sys.stdin, sys.stdout, sys.stderr)],
        "descriptors": [number for number in range(3, 64) if os.path.exists(f"/proc/self/fd/{number}")],
        "given": sys.stdin.read(),
        "umask": os.umask(0o22),
        "place": [os.getcwd(), os.environ["TMPDIR"], *sys.argv],
        "signals": signals,
    }
    print("beside the result", file=sys.stderr)
    if module.params["end"] == "exception":
        raise ValueError(seen)
    if module.params["end"] == "exit":
        sys.exit("neither a result")
    module.exit_json(seen=seen, forked="jinja2" in sys.modules)
"""


@pytest.fixture(params=[signal.default_int_handler, signal.SIG_IGN], ids=["interrupts", "no interrupts"])
def interrupted(request: pytest.FixtureRequest) -> t.Iterator[None]:
    """Processes begin as in the foreground of a shell, and as in its background."""
    own = signal.signal(signal.SIGINT, request.param)
    yield
    signal.signal(signal.SIGINT, own)


@pytest.mark.usefixtures("interrupted")
def test_ordinary_modules_are_the_same(tmp_path: Path, own_servers: Servers) -> None:
    """They find what a process of its own would find, and nothing of the controller."""
    asks: list[t.Any] = [{}, {"end": "exception"}, {"end": "exit"}]
    tasks = [{"edgeops_seen": ask, "ignore_errors": True} for ask in asks]
    tasks += [{"ansible.builtin.ping": {"data": "crash"}, "ignore_errors": True}]
    asked = {name: run(tmp_path / name, tasks, ANSIBLE_LIBRARY=str(tmp_path)) for name in ("one", "two")}
    (tmp_path / "edgeops_seen.py").write_text(MODULE, encoding="utf-8")
    texts = []
    for name, (code, *outputs) in (("one", execute_anew(asked["one"], 60)), ("two", warm(own_servers, asked["two"]))):
        assert code == 0
        assert (": true" in re.findall(r'"forked"(: \w+)', outputs[0])) is (name == "two")
        texts.append([without_chance(re.sub(r'"forked": \w+', "", output), tmp_path / name) for output in outputs])
    assert texts[0] == texts[1]


def kept_templates(servers: Servers) -> int:
    """How many compiled templates the processes keep."""
    return sum(len(list((server.folder / "templates").iterdir())) for server in servers)


def test_templates_are_compiled_once(tmp_path: Path, servers: Servers) -> None:
    """Output is that of a process of its own where an earlier run has compiled the templates: other values, delimiters, backslashes."""
    texts = (
        "{{ EDGEOPS | upper }} {% for each in [1, 2] %}{{ each }}{% endfor %}",
        "{{ 'a-b' | regex_replace('(a)-(b)', '\\\\2') }}",
        "#jinja2: variable_start_string: '<<', variable_end_string: '>>'\n<< EDGEOPS | length >> {{ EDGEOPS }}",
        "{{ EDGEOPS | no_such_filter }}",
        "{{ EDGEOPS",
    )
    tasks: list[t.Any] = [{"ansible.builtin.debug": {"msg": text}, "ignore_errors": True} for text in texts]
    tasks += [{"ansible.builtin.assert": {"that": "EDGEOPS is match('w')"}, "ignore_errors": True}]
    tasks += [{"ansible.builtin.debug": {"msg": "seen"}, "when": "EDGEOPS is match('w') and 'in' not in EDGEOPS"}]
    given = {word: [{**task, "vars": {"EDGEOPS": word}} for task in tasks] for word in ("word", "ward")}
    code, *outputs = execute_anew(run(tmp_path / "anew", given["word"]), 60)
    servers.execute(run(tmp_path / "first", []), 60)
    kept = [kept_templates(servers)]
    for number, word in enumerate(("word", "ward", "word")):
        folder = tmp_path / str(number)
        warm_code, *warm_outputs = warm(servers, run(folder, given[word]))
        for ours, theirs in zip(warm_outputs, outputs, strict=True):
            expected = without_chance(theirs, tmp_path / "anew")
            assert without_chance(ours, folder) == expected.replace("word", word).replace("WORD", word.upper())
        assert warm_code == code
        kept.append(kept_templates(servers))
    assert kept[0] < kept[1] == kept[2] == kept[3]


def test_runs_share_nothing(tmp_path: Path, servers: Servers) -> None:
    """Variables of the environment, also those that a run sets, and modules that a run imports."""
    change = {"ansible.builtin.debug": {"msg": "{{ lookup('ansible.builtin.env', 'EDGEOPS_WORD', default='none') }}"}}
    words = ["first", "second", "", "fourth"]
    found = []
    for number, word in enumerate(words):
        asked = run(tmp_path / str(number), [change], **({"EDGEOPS_WORD": word} if word else {}))
        _code, stdout, _stderr = warm(servers, asked)
        found += re.findall(r'"msg": "(\w+)"', stdout)
    assert found == ["first", "second", "none", "fourth"]


def test_each_configuration_has_its_process(tmp_path: Path, servers: Servers) -> None:
    """Never the first run of a configuration, which may be the only one."""
    for name in ("default", "minimal", "default"):
        asked = run(tmp_path / name, TASKS[:1], ANSIBLE_STDOUT_CALLBACK=f"ansible.builtin.{name}")
        assert warm(servers, asked)[1].count("PLAY RECAP") == (name == "default")
    assert servers.execute(run(tmp_path / "new", [], ANSIBLE_DEBUG="0"), 60) is None


def test_the_process_not_used_for_longest_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where more would be kept than fit."""
    steps: list[str] = []

    def process(asked: Run) -> t.Any:
        name = asked.environment["ANSIBLE_STDOUT_CALLBACK"]
        steps.append(f"{name} begins")
        return types.SimpleNamespace(execute=lambda *_run: (0, "", ""), close=lambda: steps.append(f"{name} ends"))

    monkeypatch.setattr("harness.warm.Server", process)
    with contextlib.closing(Servers(most=2)) as servers:
        for name in ("one", "two", "one", "three", "one"):
            warm(servers, run(tmp_path, [], ANSIBLE_STDOUT_CALLBACK=name))
        assert steps == ["one begins", "two begins", "three begins", "two ends"]


@pytest.mark.parametrize("changed", ["command", "configuration", "coverage"])
def test_other_runs_are_left_alone(changed: str, tmp_path: Path, servers: Servers) -> None:
    asked = run(tmp_path, [])
    command, environment = list(asked.command), dict(asked.environment)
    if changed == "command":
        command[0] = "/bin/true"
    if changed == "configuration":
        environment["ANSIBLE_CONFIG"] = str(tmp_path / "ansible.cfg")
    if changed == "coverage":
        environment["COVERAGE_PROCESS_START"] = "pyproject.toml"
    other = Run(command, environment, asked.cwd)
    assert [servers.execute(other, 60) for _attempt in range(3)] == [None] * 3


def test_run_over_time_is_ended(tmp_path: Path, servers: Servers) -> None:
    """And the next run is not disturbed."""
    warm(servers, run(tmp_path / "first", []))
    with pytest.raises(AssertionError, match="not finished after 2 s"):
        warm(servers, run(tmp_path / "long", [{"ansible.builtin.pause": {"seconds": 60}}]), 2)
    assert warm(servers, run(tmp_path / "next", TASKS[:1]))[0] == 0


def test_nothing_is_left_of_a_closed_process(tmp_path: Path, own_servers: Servers) -> None:
    show = {"ansible.builtin.debug": {"msg": "{{ lookup('ansible.builtin.env', 'ANSIBLE_HOME') }}"}}
    _code, stdout, _stderr = warm(own_servers, run(tmp_path, [show]))
    (home,) = re.findall(r'"msg": ("[^"]+")', stdout)
    folder = Path(json.loads(home)).parents[2]
    assert folder.name.startswith("warm-") and folder.exists()
    own_servers.close()
    assert not folder.exists()


def test_source_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same source in another archive has the path of that archive; another source is compiled."""
    compiled: list[str] = []

    def compile_source(path: str, source: bytes) -> types.CodeType:
        compiled.append(path)
        return compile(source, path, "exec")

    monkeypatch.setenv("EDGEOPS_COMPILED", str(tmp_path))
    monkeypatch.setattr(sitecustomize, "compile_source", compile_source)
    monkeypatch.setattr(zipimport, "_compile_source", sitecustomize.compile_once)
    for name, source in {"one": "def f(): pass", "two": "def f(): pass", "three": "def g(): pass"}.items():
        archive = tmp_path / f"{name}.zip"
        with zipfile.ZipFile(archive, "w") as opened:
            opened.writestr("module.py", source)
        code = zipimport.zipimporter(str(archive)).get_code("module")
        (function,) = (each for each in code.co_consts if isinstance(each, types.CodeType))
        assert (code.co_filename, function.co_filename) == (f"{archive}/module.py",) * 2
        assert function.co_name == source[4]
    assert [Path(path).parent.name for path in compiled] == ["one.zip", "three.zip"]
