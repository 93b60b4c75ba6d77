# SPDX-License-Identifier: GPL-3.0-or-later

"""What a browser executes, embeds and sends somewhere of one document: read from its tree, nothing is evaluated."""

from __future__ import annotations

import re
import typing as t

from .doubt import ACTIVE_TAGS, find_doubt
from .facts import (
    BASE,
    HANDLER,
    JAVASCRIPT,
    JAVASCRIPT_TYPES,
    MAX_SRCDOC_DEPTH,
    MAX_TRUSTED_DEPTH,
    META_CSP,
    META_REFRESH,
    MODULE,
    NO_ADDRESSES,
    OTHER_TYPES,
    SCRIPT,
    SRCDOC,
    Unread,
)
from .found import Document, Form, Found, Frame, Script, merged
from .inline import Inline, javascript_of, text_of_data
from .tree import HTML, SVG, Node, is_template, limited, trees
from .url import BLANKS, Address, lower, parse, plain, words_of

_HEAD = "head"
Attributes = t.Mapping[str, "str | None"]
# The scheme of an address, as browsers find it, also after the semicolon of a list of an animation.
_JAVASCRIPT = re.compile(r"(?:^|;)[\x00-\x20]*" + r"[\t\n\r]*".join("javascript:"), re.IGNORECASE | re.ASCII)
_FRAMES: t.Mapping[str, tuple[str, ...]] = {
    "iframe": ("src",),
    "frame": ("src",),
    "object": ("data",),
    "embed": ("src", "code"),  # the last one, if it has both
}
_MODES = frozenset(("open", "closed"))
_FOREIGN = re.compile("<(?:svg|math)", re.IGNORECASE)
_DIALOG = "dialog"
# The names of elements that can have a shadow root.
_HOST = re.compile(r"article|aside|blockquote|body|div|footer|h[1-6]|header|main|nav|p|section|span|[a-z].*-.*", re.DOTALL)
_SHELL = frozenset(("html", "head", "body"))
_NOTHING = BLANKS + "\0\ufeff\ufffd"


def read_document(text: str, address: Address) -> Document:
    """Return what a document contains; raise `Unread` for one that cannot be read as browsers do."""
    with limited():
        return merged(_read(text, address))


class _Place(t.NamedTuple):
    """A node of the tree with what matters around it."""

    node: Node
    depth: int
    in_document: bool
    is_inert: bool = False
    # In a template whose content is put where a marker stands, which can be the head.
    is_patch: bool = False
    # Where every browser executes and shows what it finds.
    is_live: bool = True


def _read(text: str, base: Address, depth: int = 0) -> t.Iterator[Found]:
    """Yield what each tree of a text shows, and what those of the documents show that it contains as text.

    `base` is what relative addresses start at until a `base` element says otherwise.
    """
    if depth > MAX_SRCDOC_DEPTH:
        raise Unread(f"it has documents within documents (srcdoc) deeper than {MAX_SRCDOC_DEPTH}")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    known: set[int] = set()
    foreign: set[int] = set()
    is_empty, may_differ = depth == 0, _FOREIGN.search(text) is not None
    for root, scripting in trees(text, is_srcdoc=depth > 0):
        walk = _Walk(root, base, scripting=scripting, may_differ=may_differ)
        is_empty = is_empty and not walk.has_content
        known |= walk.known
        foreign |= walk.foreign
        yield walk.found
        for inner_base, code in walk.documents:
            for inner in _read(code.code, inner_base, depth + 1):
                inner.move_to(code.line)
                yield inner
    if is_empty:
        raise Unread("it is empty")
    place = find_doubt(text, foreign, known)
    if place is not None:
        uncertain = Found()
        uncertain.doubt = (
            f"readers can disagree about line {text.count(chr(10), 0, place) + 1}, because of the SVG or MathML before it"
        )
        yield uncertain


class _Walk:
    """One way through a tree, in the order of the document."""

    def __init__(self, root: Node, base: Address, *, scripting: bool, may_differ: bool) -> None:
        self.found = Found()
        # Without SVG and MathML nobody asks where elements begin.
        self._may_differ = may_differ
        # Whether what is found is shown or executed with scripting, where it stands.
        self._scripting = self._is_live = scripting
        # An element beside those that every document has, text, or code.
        self.has_content = False
        # The documents that stand in an attribute, with their base.
        self.documents: list[tuple[Address, Inline]] = []
        # Where the elements begin that are not inert, and the roots of SVG and MathML.
        self.known: set[int] = set()
        self.foreign: set[int] = set()
        self._page = self._base = base
        self._has_base = False
        # A base that leads nowhere ends the search for another one, but what browsers load in advance follows the next.
        self._other_base: Address | None = None
        # The addresses of forms, and of what may load late, are also resolved against the base of the whole document.
        self._late: list[tuple[str, str, int | None]] = []
        # Forms that send nothing by themselves, unless a button has another method.
        self._dialogs: list[tuple[str, str, int | None]] = []
        self._sends_dialogs = False
        waiting = [_Place(root, 0, True)]
        while waiting:
            place = waiting.pop()
            waiting.extend(reversed(list(self._visit(place))))
        self.has_content = self.has_content or bool(self.found.inline)
        for kind, text, line in (*self._late, *(self._dialogs if self._sends_dialogs else ())):
            self._add_late(kind, text, line)

    def _visit(self, place: _Place) -> t.Iterator[_Place]:
        """Look at a node; yield those below it."""
        node = place.node
        if not node.name.startswith("#"):
            if self._may_differ:
                self._remember(node, is_inert=place.is_inert)
            if not place.is_inert:
                self._is_live = self._scripting and place.is_live
                self._look_at(node, node.attrs or {}, place)
        depth = place.depth + 1
        has_shadow = False
        for child in node.children or ():
            if child.name[:1] in ("#", "!"):
                # Text, a comment, the type of the document.
                self.has_content = self.has_content or (child.name == "#text" and bool(str(child.data).strip(_NOTHING)))
                continue
            self.has_content = self.has_content or child.name not in _SHELL
            yield place._replace(node=child, depth=depth)
            if is_template(child) and child.template_content is not None:
                attributes = child.attrs or {}
                is_shadow = not has_shadow and lower(attributes.get("shadowrootmode") or "") in _MODES
                has_shadow = has_shadow or is_shadow
                is_patch = not is_shadow and "for" in attributes
                is_inert = place.is_inert or not (is_shadow or is_patch or depth > MAX_TRUSTED_DEPTH)
                in_document = place.in_document and not is_shadow
                is_live = place.is_live and is_shadow and _can_have_shadow(node)
                yield _Place(child.template_content, depth, in_document, is_inert, is_patch or place.is_patch, is_live)

    def _look_at(self, node: Node, attributes: Attributes, place: _Place) -> None:
        name, line = node.name, node.origin_line
        if node.namespace == HTML:
            look = _ELEMENTS.get(name)
            if look is not None:
                look(self, node, attributes)
            if name == "base" and place.in_document:
                self._look_at_base(attributes, is_patch=place.is_patch)
            elif name == "meta":
                self._look_at_meta(node, attributes, is_patch=place.is_patch)
        elif node.namespace == SVG and name == "script":
            self._look_at_script(node, attributes)
        for attribute, value in attributes.items():
            if not value:
                continue
            if attribute.startswith("on") and len(attribute) > 2:
                self._add_inline(HANDLER, value, line)
            elif "script" in value.lower() or "\n" in value or "\t" in value or "\r" in value:
                self._look_for_javascript(attribute, value, line)

    def _remember(self, node: Node, *, is_inert: bool) -> None:
        """Note where an element begins, and whether another reader could take it for one that is active."""
        if node.origin_offset is None:
            return  # an element that the text does not contain, such as a body
        is_foreign = node.namespace != HTML
        if not is_inert and not (is_foreign and node.name in ACTIVE_TAGS and (node.namespace, node.name) != (SVG, "script")):
            self.known.add(node.origin_offset)
        if is_foreign and node.name in ("svg", "math"):
            self.foreign.add(node.origin_offset)

    def _look_for_javascript(self, attribute: str, value: str, line: int | None) -> None:
        if attribute in NO_ADDRESSES or attribute.startswith(("data-", "aria-")):
            return
        # The frames of an animation are separated by semicolons, which code has as well.
        texts = value.split(";") if attribute == "values" else [value]
        for text in texts:
            if _JAVASCRIPT.match(text):
                self._add_inline(JAVASCRIPT, javascript_of(text), line)

    def _look_at_base(self, attributes: Attributes, *, is_patch: bool) -> None:
        href = attributes.get("href")
        if href is None or (self._has_base and not is_patch):
            return
        self.found.stated[BASE].append(href.strip(BLANKS))
        address = parse(href, self._page)
        if is_patch:
            # It may come to stand before another one, after browsers have begun to load.
            self._other_base, self._base, self._has_base = self._base, address or self._base, True
        elif address is None or not address.authority:
            self._other_base = self._page
        elif self._other_base is None:
            self._base, self._has_base = address, True
        else:
            self._other_base, self._has_base = address, True

    def _addresses(self, text: str) -> t.Iterator[Address | None]:
        """Yield what browsers make of an address."""
        first = parse(text, self._base)
        yield first
        if self._other_base is not None and (other := parse(text, self._other_base)) != first:
            yield other

    def _look_at_meta(self, node: Node, attributes: Attributes, *, is_patch: bool) -> None:
        equivalent, content = lower(attributes.get("http-equiv") or ""), attributes.get("content")
        if content is None:
            return
        if equivalent == "refresh":
            self.found.stated[META_REFRESH].append(content)
        elif equivalent == "content-security-policy" and (is_patch or (node.parent is not None and node.parent.name == _HEAD)):
            self.found.stated[META_CSP].append(content)

    def _look_at_script(self, node: Node, attributes: Attributes) -> None:
        kind = _kind_of_script(node, attributes)
        if kind is None:
            return
        names = ("src",) if node.namespace == HTML else ("href", "xlink:href")
        source = next((attributes[name] or "" for name in names if name in attributes), None)
        if source is not None:
            # An empty one is an error, and the text is not executed either.
            if source:
                self._add_script(source, attributes, kind, node.origin_line)
            return
        texts = [str(child.data) for child in node.children or () if child.name == "#text"]
        if any(texts):
            self._add_inline(kind, "".join(texts), node.origin_line)
        if len(texts) < len(node.children or ()):
            # In SVG, code can have comments and elements in it. Another browser may take these for code.
            self._add_inline(kind, "".join(_all_texts(node)), node.origin_line)

    def _look_at_link(self, node: Node, attributes: Attributes) -> None:
        relations = words_of(lower(attributes.get("rel") or ""))
        href = attributes.get("href")
        if not href:
            return
        if "modulepreload" in relations:
            self._add_script(href, attributes, "modulepreload", node.origin_line)
        elif "preload" in relations and lower(attributes.get("as") or "") == "script":
            self._add_script(href, attributes, "preload", node.origin_line)

    def _look_at_frame(self, node: Node, attributes: Attributes) -> None:
        if node.name == "iframe" and attributes.get("srcdoc") is not None:
            document = Inline(SRCDOC, attributes["srcdoc"] or "", node.origin_line)
            if document.code:
                self.found.inline.append(document)
                self.documents.append((self._base, document))
        for source in filter(None, map(attributes.get, _FRAMES[node.name])):
            self._add_frame(source, node.origin_line, is_live=_is_shown(node, attributes))
            if node.name in ("object", "embed"):
                # These load when they are laid out, by when a later `base` may hold.
                self._late.append(("frame", source, node.origin_line))

    def _look_at_form(self, node: Node, attributes: Attributes) -> None:
        if node.name == "form":
            waiting = self._dialogs if lower(attributes.get("method") or "") == _DIALOG else self._late
            waiting.append(("form", attributes.get("action") or "", node.origin_line))
            return
        method, target = attributes.get("formmethod"), attributes.get("formaction")
        is_dialog = method is not None and lower(method) == _DIALOG
        # Any button of the document may be one of such a form.
        self._sends_dialogs = self._sends_dialogs or not (method is None or is_dialog)
        if target is not None and not is_dialog:
            self._late.append(("form", target, node.origin_line))

    def _add_late(self, kind: str, text: str, line: int | None) -> None:
        if kind == "frame":
            self._add_frame(text, line, is_live=False)
        elif not _JAVASCRIPT.match(text):
            # None is the document itself, whatever its base is. Not every browser takes blanks for none.
            of_page = () if text.strip(BLANKS) else (self._page,)
            for address in (*of_page, *(self._addresses(text) if text else ())):
                self.found.forms.append(Form(plain(text) if address is None else address.origin, line))

    def _add_script(self, source: str, attributes: Attributes, kind: str, line: int | None) -> None:
        for address in self._addresses(source):
            if address is not None and address.scheme == "data":
                self._add_inline(MODULE if kind in (MODULE, "modulepreload") else SCRIPT, text_of_data(source), line)
            else:
                url = plain(source) if address is None else str(address)
                is_live = self._is_live and _is_executed(attributes, kind)
                self.found.scripts.append(
                    Script(url, attributes.get("integrity"), attributes.get("crossorigin"), kind, line, is_live)
                )

    def _add_frame(self, source: str, line: int | None, *, is_live: bool) -> None:
        if _JAVASCRIPT.match(source):
            return  # which is code, and was found as such
        for address in self._addresses(source):
            if address is not None and address.scheme == "data":
                document = Inline(SRCDOC, text_of_data(source), line)
                self.found.inline.append(document)
                if "html" in address.rest.partition(",")[0].lower():
                    self.documents.append((self._base, document))
            elif address is None or (address.scheme, address.rest.partition("?")[0]) != ("about", "blank"):
                url = plain(source) if address is None else str(address)
                self.found.frames.append(Frame(url, line, is_live and self._is_live))

    def _add_inline(self, kind: str, code: str, line: int | None) -> None:
        self.found.inline.append(Inline(kind, code, line))


_Look = t.Callable[[_Walk, Node, Attributes], None]
_ELEMENTS: t.Mapping[str, _Look] = {
    "script": _Walk._look_at_script,
    "link": _Walk._look_at_link,
    **dict.fromkeys(_FRAMES, _Walk._look_at_frame),
    **dict.fromkeys(("form", "button", "input"), _Walk._look_at_form),
}


def _can_have_shadow(node: Node) -> bool:
    return node.namespace == HTML and _HOST.fullmatch(node.name) is not None


def _is_executed(attributes: Attributes, kind: str) -> bool:
    """Return whether every browser that executes scripts executes one where it stands."""
    stated = lower(attributes.get("type") or "")
    if kind == MODULE:
        return stated == MODULE
    is_old = "nomodule" in attributes or ("for" in attributes and "event" in attributes)
    return kind == SCRIPT and not is_old and (not stated or stated.strip(BLANKS) in JAVASCRIPT_TYPES)


def _is_shown(node: Node, attributes: Attributes) -> bool:
    """Return whether every browser shows the document of an element."""
    if node.name in ("iframe", "frame"):
        return "srcdoc" not in attributes
    return lower(attributes.get("type") or "text/html") == "text/html" and not {"classid", "code"} & attributes.keys()


def _all_texts(node: Node) -> t.Iterator[str]:
    """Yield all text below a node, of comments too."""
    waiting = list(reversed(node.children or ()))
    while waiting:
        current = waiting.pop()
        if current.name in ("#text", "#comment"):
            yield str(current.data)
        waiting.extend(reversed(current.children or ()))


def _kind_of_script(node: Node, attributes: Attributes) -> str | None:
    """Return the kind of a script, None for one of a type that browsers take for data."""
    if "type" in attributes:
        stated = lower(attributes["type"] or "")
        # Of these blanks, Chromium trims those of other scripts as well.
        stated = stated.strip() or stated
    else:
        language = attributes.get("language") or ""
        stated = f"text/{lower(language)}" if language and node.namespace == HTML else ""
    if not stated or stated in JAVASCRIPT_TYPES:
        return SCRIPT
    return OTHER_TYPES.get(stated)
