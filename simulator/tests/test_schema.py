# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import fnmatch
import json
import pathlib
import re
import subprocess
import sys
import sysconfig
import typing as t

import pytest

from edgeops_simulator.delivery import transform
from edgeops_simulator.filters.syntax import ORDER, SCALAR, SETS, TEXT
from edgeops_simulator.openapi import description
from edgeops_simulator.rules.options import TIMESTAMP_FORMATS
from edgeops_simulator.schemas.bodies import NEW_RULE

ROOT = pathlib.Path(__file__).parents[1]
STRING, NUMBER, KEY = r'"[^"\\\x00-\x1f]{0,20}"', r"-?(0|[1-9][0-9]{0,8})", r'"[A-Za-z][A-Za-z0-9]{0,20}"'
OPTIONS = rf"^(fields=[A-Za-z0-9]+(,[A-Za-z0-9]+){{0,9}}(&timestamps=({'|'.join(TIMESTAMP_FORMATS)}))?(&CVE-2021-44228=(true|false))?)?$"

# Valid values that random generation does not find.
QUERY = "SELECT RayID FROM http_requests"
GOOD = {"code": QUERY, "sql": QUERY, "alert_type": "failing_logpush_job_disabled_alert"}


def condition(operators: tuple[str, ...], value: str) -> str:
    return rf'\{{"key":{KEY},"operator":"({"|".join(operators)})","value":{value}\}}'


def filter_pattern() -> str:
    """Return a pattern for small filters: one level of `and` or `or`, up to four conditions, no blanks."""
    scalar = f"({STRING}|{NUMBER})"
    kinds = (
        condition(SCALAR, f"({STRING}|{NUMBER}|true|false)"),
        condition(ORDER, scalar),
        condition(TEXT, STRING),
        condition(SETS, rf"\[{scalar}(,{scalar}){{0,2}}\]"),
    )
    one = f"({'|'.join(kinds)})"
    return rf'^(\{{"where":(\{{"(and|or)":\[{one}(,{one}){{0,3}}\]\}}|{one})\}})?$'


def without_branches(rule: t.Any) -> t.Any:
    """Split the schema of rules into two alternatives with few fields: random generation rarely satisfies an `if`."""
    base = {name: value for name, value in rule.items() if name not in ("if", "then")}
    custom = {**rule["properties"], **rule["then"]["properties"], **rule["if"]["properties"]}
    for fields in custom["action_parameters"]["properties"].values():
        fields |= {"maxItems": 8, "uniqueItems": True}
        fields["items"]["properties"]["name"]["pattern"] = "^[a-z0-9-]+$"
    other = {**base["properties"], "action": {"type": "string", "minLength": 1, "not": {"const": "log_custom_field"}}}
    required = [*base["required"], "action_parameters"]
    return {"anyOf": [{**base, "properties": custom, "required": required}, {**base, "properties": other}]}


def narrowed(document: t.Any) -> t.Any:
    """Restrict the description for random generation, so that most bodies satisfy the rules about several members, too."""
    schemas = document["components"]["schemas"]
    for name in ("NewRule", "PlacedRule"):
        schemas[name] = without_branches(schemas[name])
    for methods in document["paths"].values():
        for operation in methods.values():
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            members = body.get("properties", {})
            if body.get("then") == json.loads(json.dumps(NEW_RULE["then"])):
                body.clear()
                body["$ref"] = "#/components/schemas/PlacedRule"
            if "max_upload_bytes" in members:
                members["filter"]["pattern"], members["logpull_options"]["pattern"] = filter_pattern(), OPTIONS
                members["max_upload_bytes"] = {"enum": [0, None]}
                del members["transformer_id"]  # a random number is not the id of a transformer
            members.update({name: {"enum": [value]} for name, value in GOOD.items() if name in members})
            if operation["operationId"] in ("updateRuleset", "updateJob", "accountUpdateJob"):
                for fixed in ("kind", "phase", "dataset"):  # an update cannot change them
                    members.pop(fixed, None)
    return document


@pytest.mark.parametrize("phases", ["fuzzing,stateful"])
def test_schemathesis_finds_no_violation(sim: t.Any, phases: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "openapi.json"
    document = narrowed(sim.control("GET", "/openapi.json"))
    if not transform.is_installed():
        del document["paths"]["/accounts/{account_id}/logpush/transformers/preview"]
    path.write_text(json.dumps(document))
    command = [str(pathlib.Path(sysconfig.get_path("scripts")) / "schemathesis"), "run", str(path), "--url", sim.base_url]
    command += ["--header", f"Authorization: Bearer {sim.token}", "--phases", phases, "--max-examples", "3", "--seed", "1"]
    command += ["--generation-database", "none", "--no-color"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    journal = sim.journal()
    assert len(journal) > 100, f"too few requests for a finding to mean anything, by {sys.executable}"
    for path in (
        "/rulesets",
        "/rules",
        "/zones/*/logpush/jobs",
        "/accounts/*/logpush/transformers",
        "/ownership",
        "/page_shield/policies",
        "/graphql",
        "/alerting/v3/policies",
    ):
        pattern = path if path.startswith("/zones") else f"*{path}"
        statuses = [
            entry["status"] for entry in journal if entry["method"] == "POST" and fnmatch.fnmatchcase(entry["path"], pattern)
        ]
        assert {200, 201} & set(statuses), f"no request to {path} was accepted"


def test_every_reference_has_its_schema() -> None:
    """schemathesis ignores answers whose schema it does not find."""
    document = description("http://localhost/client/v4")
    named = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(document)))
    assert named - document["components"]["schemas"].keys() == set(), "add it to SCHEMAS in schemas/answers.py"
