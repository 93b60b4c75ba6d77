# SPDX-License-Identifier: GPL-3.0-or-later

"""What the collection finds in a document is what a browser made of it, or more with a reason."""

import importlib.util
import json
import re
import sys
import typing as t
from pathlib import Path

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._pages import tree
from ansible_collections.edgeops.observability.plugins.module_utils._pages.document import read_document
from ansible_collections.edgeops.observability.plugins.module_utils._pages.encoding import decode, parse_content_type
from ansible_collections.edgeops.observability.plugins.module_utils._pages.facts import Unread
from ansible_collections.edgeops.observability.plugins.module_utils._pages.found import Document
from ansible_collections.edgeops.observability.plugins.module_utils._pages.url import Address, parse

FOLDER = Path(__file__).parent


def load() -> t.Any:
    specification = importlib.util.spec_from_file_location("corpus", FOLDER / "corpus.py")
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules["corpus"] = module
    specification.loader.exec_module(module)
    return module


CORPUS = load()
RECORDED: dict[str, dict[str, list[str]]] = json.loads((FOLDER / "recorded.json").read_text(encoding="utf-8"))
PAGE = t.cast("Address", parse(CORPUS.PAGE))
_HIT = re.compile(r"hit\(\s*(?:(['\"])(.*?)\1|(\d+))", re.DOTALL)


def read(case: t.Any) -> Document:
    kind = parse_content_type(case.content_type)
    assert kind is not None
    return read_document(decode(case.body, kind.label), PAGE)


def found_in(document: Document) -> dict[str, set[str]]:
    """Return what a document contains in the form of the recording."""
    # A whole document in an attribute is one piece of code, and what is in it is found by itself.
    hits = {match[2] or match[3] for code in document.inline if code.kind != "srcdoc" for match in _HIT.finditer(code.code)}
    hits |= {
        match[2]
        for code in document.inline
        if code.code.startswith("<")
        for match in _HIT.finditer(code.code)
        if "data" not in code.kind
    }
    return {
        "executed": {hit for hit in hits if not hit.startswith("not")},
        "scripts": {script.url for script in document.scripts},
        "frames": {frame.url for frame in document.frames},
        "forms": {form.origin for form in document.forms},
        "hashes": {code.hash for code in document.inline},
    }


Found = dict[str, dict[str, set[str]]]


@pytest.fixture(scope="module")
def found() -> Found:
    """Return what each document contains, in the form of the recording."""
    return {name: found_in(read(case)) for name, case in CORPUS.CASES.items()}


def test_nothing_that_a_browser_does_is_missed(found: Found) -> None:
    missed = {(name, what): set(RECORDED[name][what]) - known for name, parsed in found.items() for what, known in parsed.items()}
    assert {place: lacking for place, lacking in missed.items() if lacking} == {}


def test_nothing_else_is_found(found: Found) -> None:
    compared = ("executed", "scripts", "frames", "forms")
    names = [name for name, case in CORPUS.CASES.items() if not case.more]
    assert [(name, what) for name in names for what in compared if found[name][what] != set(RECORDED[name][what])] == []


def test_hashes_are_those_of_the_browser(found: Found) -> None:
    """With a policy that lists the hashes of the collection and nothing else, the browser ran the same code."""
    assert [name for name, parsed in found.items() if set(RECORDED[name]["offered"]) != parsed["hashes"]] == []
    assert [name for name in found if RECORDED[name]["allowed"] != RECORDED[name]["executed"]] == []


def test_the_default_of_the_parser_hides_what_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def sanitised(text: str, *, sanitize: bool, **options: t.Any) -> t.Any:
        return original(text, **options)

    original = tree.JustHTML
    monkeypatch.setattr(tree, "JustHTML", sanitised)

    def finds_code(case: t.Any) -> bool:
        try:
            return bool(read(case).inline)
        except Unread:  # nothing is left of it
            return False

    missed = [name for name, case in CORPUS.CASES.items() if RECORDED[name]["executed"] and not finds_code(case)]
    assert len(missed) > 40
