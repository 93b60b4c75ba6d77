# SPDX-License-Identifier: GPL-3.0-or-later

"""The checks that apply to every run of every test."""

import re
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._core import KINDS

from . import canaries, documented
from .outcome import Outcome, Report

ERROR_MEMBERS = {"kind", "method", "path", "status", "errors", "request_id", "attempts"}
# Failures of ansible-core itself have no `error.kind`, for example a syntax error or a failed assertion.
ANSIBLE = "ansible"
UNREACHABLE = "unreachable"
# The documentation fragment of modules whose plans can be approved.
APPROVAL = "edgeops.observability.connection.approval"


def check(report: Report, check_mode: bool, diff: bool, fails: str | t.Collection[str] | None, warns: t.Sequence[str]) -> None:
    """Check everything except secrets: the runners call `check_secrets`, because they know the secrets."""
    check_only_reads(report, check_mode)
    check_failures(report, fails)
    check_warnings(report, warns)
    check_results(report, diff)


def check_only_reads(report: Report, check: bool) -> None:
    """In check mode the service receives reads only."""
    seen = list(report.writes) if check else []
    for outcome in report.outcomes:
        if outcome.check_mode:
            seen += outcome.writes
    assert not seen, f"check mode sent {[(entry['method'], entry['path']) for entry in seen]}\n{report}"


def check_secrets(report: Report, secrets: t.Collection[str]) -> None:
    """No planted secret is in any output, or in a file that the run wrote."""
    short = sorted(secret for secret in secrets if len(secret) < canaries.SHORTEST)
    assert not short, f"secrets planted by a test need {canaries.SHORTEST} characters to be told from other text: {short}"
    places = {"stdout": report.stdout, "stderr": report.stderr, "the log file": report.log, "the results": report.record}
    for path in report.folder.rglob("*"):
        if path.is_file() and path.relative_to(report.folder).parts[0] != "input":
            places[str(path.relative_to(report.folder))] = path.read_text(encoding="utf-8", errors="replace")
    leaks = canaries.leaks(secrets, places)
    assert not leaks, "a secret can be read:\n" + "\n".join(leaks)


def check_warnings(report: Report, warns: t.Sequence[str]) -> None:
    """Every warning of a task is declared, every declared warning appears, and there are no deprecations."""
    warnings = [str(text) for outcome in report.outcomes for result in outcome.each() for text in result.get("warnings") or ()]
    undeclared = [text for text in warnings if not any(re.search(pattern, text) for pattern in warns)]
    assert not undeclared, f"undeclared warnings: {undeclared}"
    missing = [pattern for pattern in warns if not any(re.search(pattern, text) for text in warnings)]
    assert not missing, f"declared warnings that did not appear: {missing}; there were {warnings}"
    deprecated = [outcome.result["deprecations"] for outcome in report.outcomes if outcome.result.get("deprecations")]
    assert not deprecated, f"deprecations: {deprecated}"


def check_failures(report: Report, fails: str | t.Collection[str] | None) -> None:
    """The kinds of all failures are declared, and each `error` has exactly the documented members."""
    unreachable = [outcome.host for outcome in report.outcomes if outcome.status == "unreachable"]
    declared = {fails} if isinstance(fails, str) else set(fails or ())
    assert bool(unreachable) is (UNREACHABLE in declared), f"unreachable: {unreachable}\n{report}"
    declared.discard(UNREACHABLE)
    assert declared <= {ANSIBLE, *KINDS}, f"{fails!r} is not a kind of failure"
    kinds = {kind for outcome in report.failures for kind in _kinds(outcome, report)}
    said = [f"{outcome.name}: {outcome.result.get('msg')}" for outcome in report.failures]
    assert kinds == (declared if kinds or declared != {ANSIBLE} else set()), f"failed as {kinds}, not {fails}: {said}\n{report}"
    if not any(outcome.status == "failed" for outcome in report.outcomes):
        assert report.returncode == 0 or declared == {ANSIBLE}, f"the run failed outside of a task\n{report}"
    assert declared != {ANSIBLE} or kinds or report.returncode != 0, f"nothing failed\n{report}"


def _kinds(outcome: Outcome, report: Report) -> t.Iterator[str]:
    for result in outcome.each():
        if not result.get("failed") or outcome.status == UNREACHABLE:
            continue
        if outcome.module is None:
            yield ANSIBLE
            continue
        error = result.get("error")
        if error is None and re.search("'[a-z_]+' is undefined", str(result.get("msg"))):
            # The module did not run, because a template in its arguments failed.
            yield ANSIBLE
            continue
        assert isinstance(error, dict), f"{outcome.name} failed without `error`: {result.get('msg')}\n{report}"
        assert set(error) == ERROR_MEMBERS, f"{outcome.name}: members of `error` are {sorted(error)}"
        assert error["kind"] in KINDS, f"{outcome.name}: unknown kind {error['kind']!r}"
        assert isinstance(result.get("msg"), str) and result["msg"].strip(), f"{outcome.name} failed without `msg`"
        assert "Traceback" not in f"{result['msg']}{result.get('exception') or ''}{result.get('module_stderr') or ''}", str(
            result
        )
        yield error["kind"]


def check_results(report: Report, diff: bool) -> None:
    """Results have the documented members, and `changed` agrees with `diff`."""
    for outcome in report.ours:
        for result in outcome.each():
            # With `failed_when: false` a failed task is reported as a success, but its result is that of the failure.
            if not result.get("failed") and not result.get("skipped") and "failed_when_result" not in result:
                _check_result(outcome, result, diff)


def _check_result(outcome: Outcome, result: dict[str, t.Any], diff: bool) -> None:
    assert outcome.module is not None
    assert isinstance(result.get("changed"), bool), f"{outcome.name}: `changed` is {result.get('changed')!r}"
    wrong = documented.differences(outcome.module, result)
    assert not wrong, f"{outcome.name}: " + "; ".join(wrong)
    if APPROVAL not in documented.section(outcome.module, "DOCUMENTATION").get("extends_documentation_fragment", ()):
        return  # the module only reads, or requests an ownership challenge
    ids = list(result["plan_ids"].values()) if "plan_ids" in result else [result.get("plan_id")]
    assert all(plan_id is None or (isinstance(plan_id, str) and plan_id) for plan_id in ids), f"{outcome.name}: plan ids {ids}"
    assert "plan_ids" in result or ids != [None], f"{outcome.name}: no plan_id"
    assert isinstance(result.get("effects"), list), f"{outcome.name}: effects {result.get('effects')!r}"
    assert result["changed"] or not result["effects"], f"{outcome.name}: changes nothing, and has the effects {result['effects']}"
    assert ("diff" in result) == diff, f"{outcome.name}: diff mode is {diff}, and the result has {sorted(result)}"
    if diff:
        before, after = result["diff"]["before"], result["diff"]["after"]
        assert result["changed"] == (before != after), f"{outcome.name}: changed={result['changed']}, diff {before} -> {after}"
