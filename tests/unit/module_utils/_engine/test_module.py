# SPDX-License-Identifier: GPL-3.0-or-later

import json
import typing as t
from pathlib import Path

import pytest
from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.testing import patch_module_args

from ansible_collections.edgeops.observability.plugins.module_utils._engine.masking import HIDDEN_VALUE
from ansible_collections.edgeops.observability.plugins.module_utils._engine.module import run_module
from harness.modules import task_of

ZONE = "023e105f4ecef8ad9ca31a8372d0c353"
SECRET = "planted-secret-9f2c1e"
ADDRESS = f"s3://edge-logs/all?region=eu-west-1&secret-access-key={SECRET}"


@pytest.mark.parametrize(
    ("module", "arguments", "logged"),
    [
        (
            "logpush_job",
            {"name": "edge", "destination_address": ADDRESS},
            "destination_address=s3://edge-logs/all?region=eu-west-1",
        ),
        ("logpush_jobs", {"jobs": [{"name": "edge", "destination_address": ADDRESS}]}, "jobs=[{"),
        (
            "script_monitor",
            {"enabled": True, "base_url": f"https://u:{SECRET}@api.example/v4"},
            "base_url=https://********@api.example/v4",
        ),
    ],
)
def test_log_of_the_host_has_no_secret(
    module: str, arguments: dict[str, t.Any], logged: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What ansible-core is given for the log of the host, such as syslog; each of these tasks is refused."""
    lines: list[str] = []
    monkeypatch.setattr(AnsibleModule, "log", lambda self, msg, log_args=None: lines.append(f"{msg} {log_args}"))
    with patch_module_args({"zone_id": ZONE, "api_token": "a-token", **arguments}), pytest.raises(SystemExit):
        run_module(task_of(module))
    text = "\n".join(lines)
    assert logged in text and SECRET not in text
    assert SECRET not in "".join(capsys.readouterr())


def test_module_masks_as_in_process(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """ansible-core would mask each occurrence of the letters of an option with `no_log`, also in addresses and in the kinds of findings."""
    url = "https://shop.example/de/checkout"
    document = f"<script src=https://cdn.evil.de/{SECRET}.js></script>"
    answer = {"status": 200, "headers": [{"name": "content-type", "value": "text/html"}], "content": {"text": document}}
    entry = {"request": {"method": "GET", "url": url}, "response": answer, "startedDateTime": "2026-11-01T00:00:00Z"}
    recording = tmp_path / "page.har"
    recording.write_text(json.dumps({"log": {"entries": [entry]}}))
    headers = {"Accept-Language": "de", "X-Env": "new", "X-Key": SECRET}
    pages = [{"url": url, "har": str(recording), "request_headers": headers}]
    arguments = {"pages": pages, "baseline": [], "zone_id": ZONE, "at": "2026-11-01T12:00:00Z"}
    with patch_module_args(arguments), pytest.raises(SystemExit):
        run_module(task_of("page_audit"))
    text = capsys.readouterr().out
    result = json.loads(text)
    assert [(finding["kind"], finding["page"]) for finding in result["findings"]] == [("page_new", url), ("script_new", url)]
    assert result["pages"][0]["scripts"][0]["url"] == "https://cdn.evil.de/********.js"
    assert result["invocation"]["module_args"]["pages"][0]["request_headers"] == dict.fromkeys(headers, HIDDEN_VALUE)
    assert SECRET not in text
