# SPDX-License-Identifier: GPL-3.0-or-later

"""Pages compared with their authorised state."""

from __future__ import annotations

import collections
import re
import typing as t

from .._baseline.entries import Baseline, is_expired, why_unauthorised
from .._baseline.entries import Entry as ScriptEntry
from .._core import invalid_option
from .._redact import clean_text
from .._text import quoted, shorten
from . import headers as policies
from .facts import CSP, LOADED, MAX_EXTRACT, OF_DOCUMENT, PAGE_FINDINGS, REDIRECTED, UNREAD, WITHOUT_SHAPE
from .found import Document, Frame, Script, once
from .inline import Inline
from .options import SELF, Entry, Line, Page
from .received import Read
from .shape import shape_of
from .url import words_of

_INTEGRITY = re.compile(r"sha(?:256-[A-Za-z0-9+/_-]{43}=?|384-[A-Za-z0-9+/_-]{64}|512-[A-Za-z0-9+/_-]{86}(?:==)?)(?:\?\S*)?")
_TEXTS = re.compile(r"(['\"`])(?:\\.|(?!\1).)*\1?", re.DOTALL)
# The kinds of scripts that no element of the document executes.
_NO_ELEMENTS = frozenset(("preload", "modulepreload", LOADED))


class Finding(t.NamedTuple):
    """A finding: about a page, an entry of the baseline, or the audit itself."""

    kind: str
    page: str | None
    subject: str | None
    is_text: str | None
    should_be: str | None
    line: int | None
    message: str

    def report(self) -> dict[str, t.Any]:
        """Return the form of a finding in results."""
        return {
            "kind": self.kind,
            "page": self.page,
            "subject": self.subject,
            "is": self.is_text,
            "should_be": self.should_be,
            "line": self.line,
            "message": self.message,
        }


class Code(t.NamedTuple):
    """Inline code as all fetches of a page showed it; dynamic: they did not show the same."""

    inline: Inline
    shape: str | None
    is_dynamic: bool

    @property
    def subject(self) -> str:
        """Return what names the code: its shape where its hash is another one each time."""
        return self.shape if self.is_dynamic and self.shape else self.inline.hash


class Seen(t.NamedTuple):
    """What was read of a page: all its fetches together, and why one of them could not be read."""

    page: Page
    reads: tuple[Read, ...]
    unread: str | None

    @property
    def first(self) -> Read:
        return self.reads[0]

    def documents(self) -> t.Iterator[Document]:
        return (read.document for read in self.reads)

    def scripts(self) -> list[Script]:
        return once(script for document in self.documents() for script in document.scripts)

    def frames(self) -> list[Frame]:
        return once(frame for document in self.documents() for frame in document.frames)

    def forms(self) -> dict[str, int | None]:
        return {form.origin: form.line for document in self.documents() for form in document.forms}

    def code(self) -> list[Code]:
        """Return the inline code of all fetches; of dynamic code that has one shape, one."""
        known: dict[tuple[str, str], Inline] = {}
        counts: collections.Counter[tuple[str, str]] = collections.Counter()
        for document in self.documents():
            for inline in document.inline:
                known.setdefault((inline.kind, inline.hash), inline)
                counts[inline.kind, inline.hash] += 1
        shapes: dict[str, str | None] = {}
        by_key: dict[t.Any, Code] = {}
        for key, inline in known.items():
            if inline.code not in shapes:
                shapes[inline.code] = shape_of(inline.code)
            shape = None if inline.kind in WITHOUT_SHAPE else shapes[inline.code]
            is_dynamic = counts[key] < len(self.reads)
            by_key.setdefault((inline.kind, shape) if is_dynamic and shape else key, Code(inline, shape, is_dynamic))
        return list(by_key.values())

    def values(self, read: Read, name: str) -> list[str]:
        """Return the values of a header, or of what stands in its place, in one fetch."""
        values = read.document.stated.get(name, ()) if name in OF_DOCUMENT else read.response.headers.get(name, ())
        return policies.shown(name, values, read.response.address.host)[0]

    def left_out(self, names: t.Iterable[str]) -> list[str]:
        """Return the policies with which the service samples; they come and go by themselves."""
        texts = (
            text
            for read in self.reads
            for name in names
            for text in policies.shown(name, read.response.headers.get(name, ()), read.response.address.host)[1]
        )
        return list(dict.fromkeys(texts))


def extract_of(code: str, *, is_recorded: bool) -> str:
    """Return the beginning of code for people; of a recording without its texts, which may be what a user typed."""
    text = _TEXTS.sub(lambda match: f"{match[1]}…{match[1]}", code) if is_recorded else code
    return shorten(clean_text(" ".join(text.split())), MAX_EXTRACT)


def find_entry(entries: t.Iterable[Entry], url: str) -> Entry | None:
    """Return the entry of a page, the more exact one of several; raise `invalid_option` for a tie."""
    matching: dict[tuple[bool, int], list[Entry]] = collections.defaultdict(list)
    for entry in entries:
        if entry.pattern.covers(url):
            is_exact = entry.pattern.is_exact
            rank = len(entry.pattern.text) if is_exact else len(entry.pattern.prefix)
            matching[is_exact, rank].append(entry)
    if not matching:
        return None
    best = matching[max(matching)]
    if len(best) > 1:
        one, other = sorted(best, key=lambda entry: entry.name)[:2]
        raise invalid_option(
            "baseline",
            f"the entries {quoted(one.name)} ({one.place}) and {quoted(other.name)} ({other.place}) fit {quoted(url)} equally well;"
            " make one of them more specific",
        )
    return best[0]


class Comparison:
    """Compares one page with its entry; remembers which lines of the entry fitted something."""

    def __init__(self, seen: Seen, entry: Entry | None, scripts: Baseline, headers: t.Sequence[str], today: str) -> None:
        self.seen = seen
        self.entry = entry
        self.headers = headers
        self._scripts = scripts
        self._today = today
        self._is_recorded = seen.page.har is not None
        self.used: set[str] = set()
        self.findings: list[Finding] = []
        if seen.unread is not None:
            self._add(UNREAD, None, seen.unread, None, None, f"the page could not be read: {seen.unread}")
        if not seen.reads:
            return
        if entry is None:
            self._add("page_new", None, None, None, None, "no entry of the baseline covers the page")
        self._compare_address()
        self._compare_headers()
        self._compare_scripts()
        self._compare_inline()
        self._compare_frames()
        self._compare_forms()

    def _add(
        self, kind: str, subject: str | None, is_text: str | None, should_be: str | None, line: int | None, message: str
    ) -> None:
        """Add a finding, once for what several fetches or elements show."""
        if any((finding.kind, finding.subject) == (kind, subject) for finding in self.findings):
            return
        where = "" if line is None else f"line {line}: "
        actual, expected = (None if text is None else clean_text(text) for text in (is_text, should_be))
        self.findings.append(Finding(kind, self.seen.page.url, subject, actual, expected, line, clean_text(where + message)))

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of what is compared: headers, and what a document says in their place."""
        return (*self.headers, *OF_DOCUMENT)

    def needs_line(self, script: Script) -> bool:
        """Return whether a script needs a line in the entry, because the baseline of scripts does not authorise it."""
        return bool(self._of_script_entry(self._scripts.match(script.url, self.seen.page.address.host).entry)[0])

    def _has(self, kind: str, line: Line) -> bool:
        """Return whether each fetch has something that fits a line and is executed or shown."""
        documents = [*self.seen.documents()]
        of_documents = [document.scripts if kind == "script" else document.frames for document in documents]
        return all(any(element.is_live and line.pattern.covers(element.url) for element in listed) for listed in of_documents)

    def missing(self) -> t.Iterator[tuple[str, str]]:
        """Yield the kind and the pattern of each required line that not every fetch has."""
        lines = (
            [("script", line) for line in self.entry.scripts] + [("frame", line) for line in self.entry.frames]
            if self.entry
            else []
        )
        yield from ((kind, line.pattern.text) for kind, line in lines if line.is_required and not self._has(kind, line))

    @property
    def _by(self) -> str:
        return "no entry authorises" if self.entry is None else f"entry {quoted(self.entry.name)} does not authorise"

    def _compare_address(self) -> None:
        asked = self.seen.page.address
        for read in self.seen.reads:
            final, text = read.response.address, str(read.response.address)
            if final.origin != asked.origin:
                message = f"it ends on another origin, {text}"
                self._add(REDIRECTED, text, text, asked.origin, None, message)
            elif final != asked and self.entry is not None and not self.entry.pattern.covers(text):
                message = f"it ends on {text}, which is another page than entry {quoted(self.entry.name)} covers"
                self._add(REDIRECTED, text, text, self.entry.pattern.text, None, message)

    def _compare_headers(self) -> None:
        if self.entry is None:
            return
        for read in self.seen.reads:
            values = {name: self.seen.values(read, name) for name in (*self.names, CSP)}
            for name in self.names:
                declared = self.entry.headers.get(name, ())
                comparison = policies.compare(name, values[name], declared)
                if comparison is not None:
                    self._add(
                        "header_changed",
                        name,
                        comparison.is_text,
                        comparison.should_be,
                        None,
                        _of_header(comparison, policies.is_only_reported(name, values, declared)),
                    )

    def _compare_scripts(self) -> None:
        lines = self.entry.scripts if self.entry else ()
        scripts = self.seen.scripts()
        elements = {script.url for script in scripts if script.kind not in _NO_ELEMENTS}
        for script in scripts:
            fitting = [line for line in lines if line.pattern.covers(script.url)]
            self.used.update(f"script {line.pattern.text}" for line in fitting)
            if fitting:
                self._check_integrity(script, fitting, elements)
                continue
            kind, reason = self._of_script_entry(self._scripts.match(script.url, self.seen.page.address.host).entry)
            if kind:
                self._add(kind, script.url, script.url, None, script.line, f"script {script.url} that {reason}")

    def _check_integrity(self, script: Script, fitting: t.Sequence[Line], elements: t.Container[str]) -> None:
        # What only loads a script in advance has the integrity of the element that executes it, unless no element shows that.
        if not any(line.needs_integrity for line in fitting) or (script.kind in _NO_ELEMENTS and script.url in elements):
            return
        if script.kind == LOADED:
            message = f"no element shows script {script.url}, so that its integrity is not known, which its entry requires"
            self._add("script_new", script.url, None, "a valid integrity", None, message)
        elif not any(map(_INTEGRITY.fullmatch, words_of(script.integrity or ""))):
            text = f"integrity {quoted(script.integrity)}" if script.integrity else "no integrity"
            message = f"script {script.url} has no valid integrity, which its entry requires"
            self._add("script_new", script.url, text, "a valid integrity", script.line, message)

    def _of_script_entry(self, entry: ScriptEntry | None) -> tuple[str, str]:
        """Return the finding about a script that only the baseline of scripts may authorise; "" for none."""
        if entry is None:
            return "script_new", self._by
        if is_expired(entry.declared, self._today):
            return "expired", f"the entry {quoted(entry.name)} of the scripts authorised until {entry.declared['review_by']}"
        if why := why_unauthorised(entry.declared, self._today):
            return "unjustified", f"the entry {quoted(entry.name)} of the scripts names, which {why}"
        return "", ""

    def _compare_inline(self) -> None:
        authorised = self.entry.inline if self.entry else frozenset[str]()
        for code in self.seen.code():
            names = {code.inline.hash, code.shape} & authorised
            self.used.update(f"inline {name}" for name in names)
            if not names:
                extract = extract_of(code.inline.code, is_recorded=self._is_recorded)
                message = f"inline code that {self._by}: {extract}"
                self._add("inline_new", code.subject, extract, None, code.inline.line, message)

    def _compare_frames(self) -> None:
        lines = self.entry.frames if self.entry else ()
        for frame in self.seen.frames():
            fitting = [line for line in lines if line.pattern.covers(frame.url)]
            self.used.update(f"frame {line.pattern.text}" for line in fitting)
            if not fitting:
                self._add("frame_new", frame.url, frame.url, None, frame.line, f"frame {frame.url} that {self._by}")

    def _compare_forms(self) -> None:
        authorised = self.entry.forms if self.entry else frozenset[str]()
        own = self.seen.page.address.origin
        for origin, line in self.seen.forms().items():
            names = {origin, *((SELF,) if origin == own else ())} & authorised
            self.used.update(f"form {name}" for name in names)
            if not names:
                self._add("form_new", origin, origin, None, line, f"a form that sends to {origin}, which {self._by}")


def _of_header(found: policies.Difference, is_only_reported: bool) -> str:
    name = found.name
    if found.is_text is None and is_only_reported:
        return f"{name} is only reported (content-security-policy-report-only), and should be enforced: {found.should_be}"
    if found.is_text is None and found.should_be is None:
        return f"{name} differs"
    if found.is_text is None:
        return f"{name} is missing: {found.should_be}"
    if found.should_be is None:
        return f"{name} was added: {found.is_text}"
    return f"{name} is {found.is_text}, should be {found.should_be}"


def lines_of(entry: Entry) -> t.Iterator[tuple[str, str, bool]]:
    """Yield the lines of an entry: what it names with its kind, its text, and whether it is required."""
    yield from ((f"script {line.pattern.text}", f"script {line.pattern.text}", line.is_required) for line in entry.scripts)
    yield from ((f"inline {name}", f"inline code {name}", False) for name in sorted(entry.inline))
    yield from ((f"frame {line.pattern.text}", f"frame {line.pattern.text}", line.is_required) for line in entry.frames)
    yield from ((f"form {name}", f"form {name}", False) for name in sorted(entry.forms))


def find_in_entries(entries: t.Iterable[Entry], comparisons: t.Sequence[Comparison], today: str) -> list[Finding]:
    """Return the findings about entries. One that several lines have in common names each of them."""
    findings: list[Finding] = []
    unused: dict[str, list[str]] = collections.defaultdict(list)
    for entry in entries:
        name = f"the entry {quoted(entry.name)}"
        if is_expired(entry.declared, today):
            findings.append(_about("expired", entry.name, f"{name} had to be reviewed by {entry.declared['review_by']}"))
        if why := why_unauthorised(entry.declared, today):
            findings.append(_about("unjustified", entry.name, f"{name} {why}"))
        own = [comparison for comparison in comparisons if comparison.entry is entry]
        if not any(entry.pattern.covers(comparison.seen.page.url) for comparison in comparisons):
            findings.append(_about("unused", entry.name, f"{name} fits no page of the audit"))
        findings += _find_missing(entry, own)
        for subject, text in _unused_lines(entry, own):
            unused[subject].append(f"{text} of {name}")
    findings += [
        _about("unused", subject, f"{' and '.join(texts)} {'fits' if len(texts) == 1 else 'fit'} nothing")
        for subject, texts in unused.items()
    ]
    return findings


def _about(kind: str, subject: str, text: str, page: str | None = None, should_be: str | None = None) -> Finding:
    return Finding(kind, page, clean_text(subject), None, should_be, None, clean_text(text))


def _find_missing(entry: Entry, comparisons: t.Sequence[Comparison]) -> t.Iterator[Finding]:
    """Yield the findings about what an entry requires and a page that was read does not have."""
    for comparison in comparisons:
        for kind, pattern in comparison.missing() if comparison.seen.reads else ():
            message = f"{kind} {pattern} is required by the entry {quoted(entry.name)}, and does not exist"
            yield _about("gone", pattern, message, comparison.seen.page.url, pattern)


def _unused_lines(entry: Entry, comparisons: t.Sequence[Comparison]) -> t.Iterator[tuple[str, str]]:
    """Yield the lines that nothing fits: what they name, with and without its kind. Of what an unread page may have, nothing is unused."""
    if not comparisons or any(comparison.seen.unread is not None for comparison in comparisons):
        return
    used = frozenset[str]().union(*(comparison.used for comparison in comparisons))
    for line, text, is_required in lines_of(entry):
        if not is_required and line not in used:
            yield line.partition(" ")[2], text


def in_order(findings: t.Iterable[Finding]) -> list[Finding]:
    """Return findings sorted by kind, page and subject."""
    place = {kind: index for index, kind in enumerate(PAGE_FINDINGS)}
    return sorted(findings, key=lambda finding: (place[finding.kind], finding.page or "", finding.subject or ""))
