# SPDX-License-Identifier: GPL-3.0-or-later

"""The trees that browsers make of a text: the only file that knows the HTML parser."""

from __future__ import annotations

import contextlib
import re
import signal
import sys
import typing as t

from .._core import Failure, invalid_option
from .facts import MAX_PARSE_SECONDS, MAX_TAGS, Unread

# `Node` too, which other files need for their types.
__all__ = ["HTML", "SVG", "Node", "is_template", "limited", "missing_parser", "trees"]

_PROBLEM = ""

try:
    from justhtml import JustHTML, Template
except ImportError as error:
    _PROBLEM = str(error)

if t.TYPE_CHECKING:
    from justhtml import Node
else:
    Node = object

HTML, SVG = "html", "svg"
_FRAMESET = re.compile(r"<frameset", re.IGNORECASE | re.ASCII)
_SELECTED = re.compile(r"(</?)selectedcontent", re.IGNORECASE | re.ASCII)


def missing_parser(option: str) -> Failure | None:
    """Return the failure for a missing library, with the interpreter that lacks it; None if it can be imported."""
    if not _PROBLEM:
        return None
    return invalid_option(
        option, f"to read pages, the Python library justhtml is required and missing for {sys.executable}: {_PROBLEM}"
    )


def is_template(node: Node) -> t.TypeGuard[Template]:
    return isinstance(node, Template)


def trees(text: str, *, is_srcdoc: bool) -> t.Iterator[tuple[Node, bool]]:
    """Yield each tree that a browser may make of a text, and whether it executes and shows what is in it."""
    if text.count("<") > MAX_TAGS:
        raise Unread(f"it has more than {MAX_TAGS} tags")
    lower = text.lower()
    texts = [text]
    if "<frameset" in lower:
        # A frameset removes the body that came before it, whose scripts have run; the name of another element has the same length.
        texts.append(_FRAMESET.sub("<noframe_", text))
    count = len(texts)
    if "selectedcontent" in lower:
        # The parser replaces the content with that of an option. Browsers do so too, after they have executed and loaded it.
        texts += [_SELECTED.sub(r"\1s_lectedcontent", variant) for variant in texts]
    for number, variant in enumerate(texts):
        # The content of `noscript` is text with scripting, and elements without.
        for scripting in (True, False) if "<noscript" in lower else (True,):
            root = JustHTML(
                variant,
                sanitize=False,  # or it removes everything that is looked for
                track_node_locations=True,
                scripting_enabled=scripting,
                iframe_srcdoc=is_srcdoc,
            ).root
            yield root, scripting and number < count
            _release(root)


def _release(root: Node) -> None:
    """Take a tree apart: its nodes refer to each other, and a run of a task collects no garbage."""
    waiting: list[t.Any] = [root]
    while waiting:
        node = waiting.pop()
        waiting += [node.template_content] if is_template(node) and node.template_content else []
        if node.children:
            waiting += node.children
            node.children.clear()


@contextlib.contextmanager
def limited() -> t.Iterator[None]:
    """Raise `Unread` in what takes too much time of the processor: some trees are as large as the square of their text."""

    def stop(*_args: object) -> t.NoReturn:
        raise Unread(f"to read it takes more than {MAX_PARSE_SECONDS:g} seconds, because of how its elements are nested")

    try:
        handler = signal.signal(signal.SIGVTALRM, stop)
    except ValueError:  # only the main thread can be interrupted, and tasks run there
        yield
        return
    # Again and again, because Python swallows what is raised while it runs a destructor or a callback.
    signal.setitimer(signal.ITIMER_VIRTUAL, MAX_PARSE_SECONDS, 0.1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, handler)
