# SPDX-License-Identifier: GPL-3.0-or-later

"""Knowing less is never greener, and never writes more: one thing is taken away from what a run with something wrong is answered."""

import collections
import contextlib
import typing as t
from pathlib import Path

import pytest
from faults import direct, scenarios
from properties import decisions, documents, files, losses, pages
from properties.decisions import EVERYTHING, Place
from properties.recordings import recorded, replayed
from properties.trouble import IN_ZONE
from properties.troubles import TROUBLES
from support.site import Site

from ansible_collections.edgeops.observability.plugins.module_utils._api import client as api_client
from ansible_collections.edgeops.observability.plugins.module_utils._api import pagination
from ansible_collections.edgeops.observability.plugins.module_utils._content_rules import read as content_rules
from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._events import compare
from ansible_collections.edgeops.observability.plugins.module_utils._logpush import health
from ansible_collections.edgeops.observability.plugins.module_utils._pages import audit, har
from ansible_collections.edgeops.observability.plugins.module_utils._pages import compare as page_comparison
from ansible_collections.edgeops.observability.plugins.module_utils._pages.facts import REDIRECTED, UNREAD, Unread
from ansible_collections.edgeops.observability.plugins.module_utils._scripts import listing
from ansible_collections.edgeops.observability.plugins.plugin_utils._evidence import document
from ansible_collections.edgeops.observability.plugins.plugin_utils._variables import readers
from ansible_collections.edgeops.observability.plugins.plugin_utils._variables.table import (
    KNOWN,
    PLAYBOOK_VARIABLES,
    read_variable,
)
from edgeops_simulator.testing import running


@pytest.fixture(scope="module")
def simulator() -> t.Iterator[t.Any]:
    with running(zones=[]) as server:
        yield server


@pytest.fixture
def how(pytestconfig, monkeypatch):
    direct.without_waiting(monkeypatch, scenarios.inventory)
    return pytestconfig.getoption("--mutations")


def greener(name: str, simulator: t.Any, folder: Path, how: str, cases: collections.Counter[str], only: str = "") -> list[str]:
    """Return which losses let a run decide better, or write more, than with all that it is answered; of `only` those that it names."""
    trouble = TROUBLES[name]()
    place = Place(simulator, trouble.address, folder)
    seed = trouble.whole_seed()
    if trouble.begin:
        simulator.reset(**trouble.earlier())
        trouble.begin(place)
    simulator.reset(**seed)
    with recorded() as recording:
        trouble.run(place)
    simulator.reset(**seed)
    with replayed(recording):
        whole = trouble.run(place)
    assert set(trouble.tells) <= whole.tells, whole
    assert EVERYTHING in trouble.tells or EVERYTHING not in whole.tells, whole
    reasons = []
    for loss in losses.chosen(losses.losses(recording, optional=trouble.optional), how, name):
        if loss.cause in trouble.allowed or only not in str(loss):
            continue
        with replayed(recording, loss.key, loss.change):
            better = trouble.run(place).is_better_than(whole)
        cases["knowing less"] += 1
        if better:
            reasons.append(f"{loss} -> {better}")
    return reasons


@pytest.mark.parametrize("name", TROUBLES)
def test_knowing_less_is_never_greener(simulator, how, cases, tmp_path, name):
    reasons = greener(name, simulator, tmp_path, how, cases)
    assert not reasons, f"--mutations={how}\n" + "\n".join(reasons)


@pytest.mark.parametrize("name", files.FILES)
def test_less_of_a_file_is_never_greener(simulator, how, cases, tmp_path, name):
    file = files.FILES[name](simulator, tmp_path)
    whole = file.run()
    assert set(file.tells) <= whole.tells, whole
    reasons = []
    content = file.path.read_bytes()
    for loss in losses.chosen(losses.file_losses(file.path.name, content), how, name):
        if (loss.place, loss.kind) in file.allowed or (file.places and loss.place not in file.places):
            continue
        file.path.unlink(missing_ok=True)
        if loss.content is not None:
            file.path.write_bytes(loss.content)
        better = file.run().is_better_than(whole)
        cases["less of a file"] += 1
        if better:
            reasons.append(f"{loss} -> {better}")
    assert not reasons, f"--mutations={how}\n" + "\n".join(reasons)


def worse_documents(name: str, tmp_path: Path, how: str, cases: collections.Counter[str], only: str = "") -> list[str]:
    """Return which losses make a document or a verification better: the worst that its first sentence says has to stay as bad."""
    documents.HISTORIES[name](tmp_path)
    readers = (documents.verdict, documents.chain_info)
    whole = [read(tmp_path) for read in readers]
    assert documents.SENTENCES[-3] in whole[0].tells and EVERYTHING not in whole[1].tells, whole
    by_loss = {loss: path for path, loss in documents.all_losses(tmp_path)}
    reasons = []
    for loss in losses.chosen(by_loss, how, name):
        if only not in str(loss):
            continue
        path = by_loss[loss]
        content = path.read_bytes()
        path.unlink()
        if loss.content is not None:
            path.write_bytes(loss.content)
        for read, of_all in zip(readers, whole, strict=True):
            less = read(tmp_path)
            cases["less evidence"] += 1
            if better := less.is_better_than(of_all):
                reasons.append(f"{loss} -> {better}: {less.message}")
        path.write_bytes(content)
    return reasons


@pytest.mark.parametrize("name", documents.HISTORIES)
def test_document_of_less_evidence_is_never_better(how, cases, tmp_path, name):
    reasons = worse_documents(name, tmp_path, how, cases)
    assert not reasons, f"--mutations={how}\n" + "\n".join(reasons)


@pytest.fixture(scope="module")
def site() -> t.Iterator[Site]:
    with Site().running() as site:
        yield site


def greener_pages(name: str, place: Place, site: Site, how: str, cases: collections.Counter[str], only: str = "") -> list[str]:
    """Return which losses let an audit of a page find less, pass, or keep more than was seen."""
    audited = pages.PAGES_WITH_TROUBLE[name](site, place)
    whole = audited.run()
    assert {*audited.tells, "the audit passed", "the task passes", "the report passes"} <= whole.tells, whole
    assert UNREAD not in whole.tells, whole
    reasons = []
    for loss in losses.chosen(pages.page_losses(audited), how, name):
        if loss.cause in audited.allowed or only not in str(loss):
            continue
        better = audited.run(loss).is_better_than(whole)
        cases["less of a page"] += 1
        if better:
            reasons.append(f"{loss} -> {better}")
    return reasons


@pytest.mark.parametrize("name", pages.PAGES_WITH_TROUBLE)
def test_less_of_a_page_is_never_greener(simulator, site, how, cases, monkeypatch, tmp_path, name):
    pages.without_waiting(monkeypatch)
    reasons = greener_pages(name, Place(simulator, IN_ZONE, tmp_path), site, how, cases)
    assert not reasons, f"--mutations={how}\n" + "\n".join(reasons)


SPELLINGS = {
    True: ("yes", "YES", "y", "Y", "true", "True", "TRUE", "t", "T", "on", "On", "1", 1, 1.0, True),
    False: ("no", "NO", "n", "N", "false", "False", "FALSE", "f", "F", "off", "Off", "0", 0, 0.0, False),
}
SWITCHES = [name for name, variable in PLAYBOOK_VARIABLES.items() if variable.read is readers.read_boolean]


@pytest.mark.parametrize("name", SWITCHES)
def test_each_spelling_of_a_switch_is_the_same(name):
    for value, spellings in SPELLINGS.items():
        assert {read_variable(name, spelling) for spelling in spellings} == {value}
    for other in ("perhaps", "2", 2, "nein", [], {}, ["true"]):
        with pytest.raises(Failure, match=name):
            read_variable(name, other)


def test_switches_are_known():
    assert (
        {"edgeops_guard", "edgeops_audit_scripts", "edgeops_deliver_partial", "edgeops_stop_on_failure"}
        <= {*SWITCHES}
        <= {*KNOWN}
    )


# Faults of this kind, each planted in one function of the collection: the property has to catch them.


def _ends_where_it_ends(patch: pytest.MonkeyPatch) -> None:
    """The counts of a listing are not compared with its items."""
    patch.setattr(api_client, "page_of", lambda items, _info, _number: pagination.Page(items))


def _refused_is_empty(patch: pytest.MonkeyPatch) -> None:
    """A listing that is refused counts as an empty one."""
    listed = content_rules.listed

    def empty(client: t.Any) -> t.Any:
        with contextlib.suppress(Failure):
            return listed(client)
        return []

    patch.setattr(content_rules, "listed", empty)


def _other_types_are_left_out(patch: pytest.MonkeyPatch) -> None:
    """A member of another type counts as one that the service does not show."""
    read = listing.read_script

    def lenient(item: t.Any, route: str) -> t.Any:
        score = item.get("js_integrity_score")
        return read(item if isinstance(score, int) else {**item, "js_integrity_score": None}, route)

    patch.setattr(listing, "read_script", lenient)


def _unknown_is_healthy(patch: pytest.MonkeyPatch) -> None:
    """A job whose deliveries cannot be told is not mentioned."""
    health_of = health.health_of

    def optimistic(*arguments: t.Any) -> t.Any:
        job_health = health_of(*arguments)
        return {**job_health, "state": health.HEALTHY} if job_health["state"] == health.UNKNOWN else job_health

    patch.setattr(health, "health_of", optimistic)


def _failed_is_not_asked(patch: pytest.MonkeyPatch) -> None:
    """What could not be read of a zone counts as what nobody asked for."""
    record_of = decisions.record_of

    def without_failures(*arguments: t.Any) -> t.Any:
        record = record_of(*arguments)
        return {name: part for name, part in record.items() if not (isinstance(part, dict) and part.get("failed"))}

    patch.setattr(decisions, "record_of", without_failures)


def _hidden_is_gone(patch: pytest.MonkeyPatch) -> None:
    """A script that is listed without its URL or host counts as another one."""
    patch.setattr(compare, "_hidden_now", lambda _known, _seen: [])


PLANTED: t.Sequence[tuple[t.Callable[[pytest.MonkeyPatch], None], str, str]] = (
    (_ends_where_it_ends, "check-scripts", "result: cut -> no word of"),
    (_refused_is_empty, "deliver-weaker-rule", "/page_shield/policies : 403 -> writes POST"),
    (_other_types_are_left_out, "check-scripts", "js_integrity_score: other type -> no word of malicious"),
    (_unknown_is_healthy, "check-health", "error_message: other type -> no word of job_silent"),
    (_failed_is_not_asked, "check-scripts", "/scripts : 403 -> no word of"),
    (_hidden_is_gone, "events-script-that-changed", "host: null -> no word of script_changed"),
)


def _torn_is_nothing(patch: pytest.MonkeyPatch) -> None:
    """An incomplete last line counts as none."""
    patch.setattr(document, "incomplete_lines", lambda _chain: (None, None))


def test_planted_fault_of_the_document_is_caught(monkeypatch, cases, tmp_path):
    _torn_is_nothing(monkeypatch)
    reasons = worse_documents("broken history", tmp_path, "all", cases, "chain.jsonl : cut")
    assert any("chain.jsonl : cut -> " in reason for reason in reasons), reasons


def _unread_is_empty(patch: pytest.MonkeyPatch) -> None:
    """A page that cannot be read counts as one with nothing in it."""
    read = audit.read_response

    def lenient(response: t.Any, earlier: t.Any) -> t.Any:
        try:
            return read(response, earlier)
        except Unread:
            headers = {"content-type": ("text/html",)}
            return read(response._replace(status=200, headers=headers, body=b"<p>"), ())

    patch.setattr(audit, "read_response", lenient)


def _elsewhere_is_here(patch: pytest.MonkeyPatch) -> None:
    """A page that leads elsewhere counts as that page."""
    add = page_comparison.Comparison._add

    def lenient(self: t.Any, kind: str, *rest: t.Any) -> None:
        if kind != REDIRECTED:
            add(self, kind, *rest)

    patch.setattr(page_comparison.Comparison, "_add", lenient)


def _unreadable_header_is_none(patch: pytest.MonkeyPatch) -> None:
    """A recorded header without name or value counts as one that was not sent."""
    headers = har._headers

    def lenient(response: t.Any) -> t.Any:
        listed = [item for item in response["headers"] if isinstance(item, dict) and all(map(item.get, ("name", "value")))]
        return headers({"headers": listed})

    patch.setattr(har, "_headers", lenient)


PLANTED_IN_PAGES: t.Sequence[tuple[t.Callable[[pytest.MonkeyPatch], None], str, str]] = (
    (_unread_is_empty, "fetched: inline code", "page status: 404 -> no word of inline_new"),
    (_elsewhere_is_here, "fetched: frame", "page redirect: to another page -> no word of frame_new"),
    (_unreadable_header_is_none, "recorded: added header", "response.headers[].value: null -> no word of header_changed"),
)


@pytest.mark.parametrize(
    ("plant", "name", "said"), PLANTED_IN_PAGES, ids=[plant.__name__.strip("_") for plant, *_rest in PLANTED_IN_PAGES]
)
def test_planted_faults_of_pages_are_caught(simulator, site, cases, monkeypatch, tmp_path, plant, name, said):
    pages.without_waiting(monkeypatch)
    plant(monkeypatch)
    reasons = greener_pages(name, Place(simulator, IN_ZONE, tmp_path), site, "all", cases, said.partition(" -> ")[0])
    assert any(said in reason for reason in reasons), reasons


@pytest.mark.parametrize(("plant", "name", "said"), PLANTED, ids=[plant.__name__.strip("_") for plant, _name, _said in PLANTED])
def test_planted_faults_are_caught(simulator, monkeypatch, cases, tmp_path, plant, name, said):
    direct.without_waiting(monkeypatch, scenarios.inventory)
    plant(monkeypatch)
    reasons = greener(name, simulator, tmp_path, "all", cases, said.partition(" -> ")[0])
    assert any(said in reason for reason in reasons), reasons
