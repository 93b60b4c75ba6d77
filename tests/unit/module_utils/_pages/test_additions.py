# SPDX-License-Identifier: GPL-3.0-or-later

"""Whatever is added to a page that a browser would execute is found, wherever it is added; nothing else of a page moves anything."""

import contextlib
import random
import typing as t

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.edgeops.observability.plugins.module_utils._pages import tree
from ansible_collections.edgeops.observability.plugins.module_utils._pages.document import read_document
from ansible_collections.edgeops.observability.plugins.module_utils._pages.facts import Unread
from ansible_collections.edgeops.observability.plugins.module_utils._pages.found import Document
from ansible_collections.edgeops.observability.plugins.module_utils._pages.url import Address, parse

PAGE = t.cast("Address", parse("https://shop.example.com/checkout"))
PIECES = [
    "<p>text</p>",
    "<div>",
    "</div>",
    "<table><tr><td>x</table>",
    "<ul><li>a<li>b</ul>",
    "<svg><path d=M0/></svg>",
    "<br>",
    "text &amp; text",
    "<b>",
    "</b>",
    "<a href=/x>",
    "</a>",
    "<!-- note -->",
    "<style>p {}</style>",
]
ACTIVE = {
    "<script>evil()</script>": "evil()",
    "<script type=module>evil()</script>": "evil()",
    "<img src=x: onerror=evil()>": "evil()",
    "<svg onload=evil()></svg>": "evil()",
    "<svg><script>evil()</script></svg>": "evil()",
    "<a href=javascript:evil()>": "javascript:evil()",
    "<iframe srcdoc='evil()'></iframe>": "evil()",
    "<div><template shadowrootmode=open><script>evil()</script></template></div>": "evil()",
}
NAMED = {
    "<script src=//evil.example/x></script>": "https://evil.example/x",
    "<iframe src=//evil.example/x></iframe>": "https://evil.example/x",
    "<form action=//evil.example/x></form>": "https://evil.example",
    "<link rel=preload as=script href=//evil.example/x>": "https://evil.example/x",
}
DOCUMENTS = st.lists(st.sampled_from(PIECES), max_size=12)


def read(html: str) -> Document:
    return read_document(f"<!doctype html><title>Shop</title>{html}", PAGE)


def everything(document: Document) -> set[str]:
    return {
        *(code.code for code in document.inline),
        *(script.url for script in document.scripts),
        *(frame.url for frame in document.frames),
        *(form.origin for form in document.forms),
    }


@settings(max_examples=150, deadline=None)
@given(DOCUMENTS, st.sampled_from(sorted({**ACTIVE, **NAMED}.items())), st.integers(0, 12))
def test_what_is_added_anywhere_is_found(pieces: list[str], added: tuple[str, str], place: int) -> None:
    html, name = added
    changed = [*pieces[:place], html, *pieces[place:]]
    before, after = everything(read("".join(pieces))), everything(read("".join(changed)))
    assert name in after - before or name in before


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(sorted({**ACTIVE, **NAMED})), st.randoms(use_true_random=False))
def test_case_and_order_of_attributes_change_nothing(html: str, chance: random.Random) -> None:
    head, rest = html[1:].split(">", 1)
    name, *attributes = head.split(" ")
    extra = [*attributes, "title=x", "data-a='b'", "class=c"]
    chance.shuffle(extra)
    spelled = [
        f"{attribute.partition('=')[0].upper()}={attribute.partition('=')[2]}" if "=" in attribute else attribute
        for attribute in extra
    ]
    assert everything(read(f"<{name.upper()} {' '.join(spelled)}>{rest}")) == everything(read(html))


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=st.characters(exclude_characters="<\x00", exclude_categories=("Cs",)), max_size=60))
def test_text_of_a_page_moves_nothing(text: str) -> None:
    assert everything(read(f"<p>{text}</p><script>a()</script>")) == {"a()"}


HOSTILE = {
    "open tags": "<b>" * 400_000,
    "open tags of 10 MB": "<div>" * 2_000_000,
    "attributes": "<p " + " ".join(f"a{number}=1" for number in range(100_000)) + ">",
    "formatting": "".join(f"<p><b i={number}>" for number in range(20_000)),
    "srcdoc": "<iframe srcdoc='" * 100_000,
    "comments": "<!--" * 500_000,
    "doubtful": "<svg><desc>" * 2000 + "<title><img onerror=x>" * 2000,
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_document_ends(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "MAX_PARSE_SECONDS", 0.5)
    with contextlib.suppress(Unread):
        read(HOSTILE[kind])
