# SPDX-License-Identifier: GPL-3.0-or-later

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

from harness import artifact

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"
STATEMENTS = (
    "The zone has no custom log fields, no job, and its script monitor is off.",
    "The change is predicted, and nothing was written.",
    "The zone has its custom log fields, its job and its script monitor.",
    "Nothing changed, and nothing was written.",
    "The zone is compliant, its script is authorised, and the audit wrote nothing.",
    "Only errors of the shop arrived in the bucket, each with its custom fields.",
    "The audit names what differs and the script that changed, fails the run as requested, and wrote nothing.",
    "The survey needs a token alone, finds what is reported, and wrote nothing.",
    "The rule was refused while it would have blocked a script, and enforces the baseline that has it.",
    "The page was as authorised, until a skimmer was in its code, which the audit names.",
    "All ten steps ended as expected.",
)


def demonstrate(tmp_path, script=SCRIPTS / "demo.sh", **further):
    """Run the demonstration with an empty home folder."""
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "TMPDIR": str(tmp_path),
        "DEMO_REPORT": str(tmp_path / "report"),
        "LC_ALL": "C.UTF-8",
        "ANSIBLE_COLLECTIONS_PATH": str(artifact.installed()),
        **further,
    }
    return subprocess.run(  # our own script
        [script], env=environment, cwd=tmp_path, capture_output=True, encoding="utf-8", timeout=840, check=False
    )


def edge(*arguments, **environment):
    """Run one command of the demonstration's helper."""
    command = [sys.executable, SCRIPTS / "demo_edge.py", *arguments]
    return subprocess.run(  # our own script
        command, env={**os.environ, **environment}, capture_output=True, encoding="utf-8", timeout=300, check=False
    )


def test_demo_passes_and_cleans_up(tmp_path):
    """The demonstration prints one line for each step; the output of Ansible is in the named file, and no other file remains."""
    run = demonstrate(tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr
    first, *lines = run.stdout.splitlines()
    log = tmp_path / "report" / "ansible.log"
    assert first == f"The output of Ansible is in {log}"
    said, reports = lines[: len(STATEMENTS) - 1], lines[-2:]
    assert said == [f"✔ {number}. {statement}" for number, statement in enumerate(STATEMENTS[:-1], 1)]
    assert lines[len(said) : -2] == ["", STATEMENTS[-1]] and "\x1b[" not in run.stdout
    assert [line.split()[-1] for line in reports] == [f"{tmp_path}/report/{name}report.html" for name in ("", "survey/")]
    printed = log.read_text(encoding="utf-8")
    assert '"x-trace-id": "t-1002"' in printed and "never logged" not in printed
    assert "finding changed (high): script https://js.pay.example/v3/pay.js on" in printed
    assert "kind: inline_new" in printed
    assert not list(tmp_path.glob("tmp.*"))
    made = json.loads((tmp_path / "report" / "report.json").read_text(encoding="utf-8"))
    assert [(item["resource"], item["member"]) for item in made["zones"][0]["items"]] == [
        ("jobs", "enabled"),
        ("scripts", "changed"),
    ]
    assert sorted(made["comparison"]["new"]) == sorted(item["id"] for item in made["zones"][0]["items"])


def copied(folder, text):
    """Save this text as a demonstration in its own folder."""
    copy = folder / "checkout" / "scripts" / "demo.sh"
    copy.parent.mkdir(parents=True)
    copy.write_text(text, encoding="utf-8")
    copy.chmod(0o755)
    return copy


def test_demo_fails_if_a_check_fails(tmp_path):
    """The demonstration fails if a check fails, here because the first step writes."""
    sound, broken = 'play "$demo/look.yml"\n', 'play "$demo/look.yml" edgeops.observability.deliver\n'
    text = (SCRIPTS / "demo.sh").read_text(encoding="utf-8")
    assert sound in text
    copy = copied(tmp_path, text.replace(sound, broken))
    (copy.parent / "demo_edge.py").symlink_to(SCRIPTS / "demo_edge.py")
    (copy.parents[1] / "examples").symlink_to(ROOT / "examples")
    run = demonstrate(tmp_path, copy)
    assert run.returncode != 0
    assert "reads and writes nothing" in run.stderr
    assert not any(statement in run.stdout for statement in STATEMENTS)


def test_demo_without_tools_suggests_make_setup(tmp_path):
    copy = copied(tmp_path, (SCRIPTS / "demo.sh").read_text(encoding="utf-8"))
    run = demonstrate(tmp_path, copy, PATH="/usr/bin:/bin")
    assert run.returncode == 1 and "make setup" in run.stderr


def test_demo_counts_reads_and_writes(simulator, zone):
    for method, expected, code in ((None, "reads", 1), ("GET", "reads", 0), ("PUT", "reads", 1), ("GET", "writes", 1)):
        if method:
            simulator.request(method, f"/zones/{zone}/script_monitor", {"enabled": True} if method == "PUT" else None)
        assert edge("journal", simulator.control_url, expected).returncode == code, (method, expected)


def test_demo_compares_the_records(tmp_path):
    """The command fails without records, and with fewer records than expected."""
    assert edge("logs", str(tmp_path), "t-1").returncode == 1
    record = {"ClientRequestMethod": "GET", "ClientRequestURI": "/", "EdgeResponseStatus": 500}
    record |= {"RequestHeaders": {"x-trace-id": "t-1"}, "ResponseHeaders": {}, "Cookies": {}}
    (tmp_path / "records.gz").write_bytes(gzip.compress(json.dumps(record).encode()))
    assert edge("logs", str(tmp_path), "t-1").returncode == 0
    fewer = edge("logs", str(tmp_path), "t-1", "t-2")
    assert fewer.returncode == 1 and "Expected were the records t-1, t-2" in fewer.stderr
