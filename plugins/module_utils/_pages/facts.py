# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import types
import typing as t

from .._chain.kinds import PAGES, UNUSED

# An entry, or a line of one, that nothing fits does not fail the audit by default.
PAGE_FINDINGS = PAGES.findings
UNREAD, REDIRECTED = "page_unread", "redirected"
FAILURES = frozenset(PAGE_FINDINGS) - {UNUSED}
ALL = "all"

# The response headers that are compared if the option `headers` is omitted.
COMPARED_HEADERS = (
    "content-security-policy",
    "content-security-policy-report-only",
    "strict-transport-security",
    "x-frame-options",
    "x-content-type-options",
    "referrer-policy",
    "permissions-policy",
    "cross-origin-opener-policy",
    "cross-origin-embedder-policy",
    "cross-origin-resource-policy",
    "access-control-allow-origin",
    "refresh",
    "speculation-rules",
    "integrity-policy",
    "document-policy",
    "reporting-endpoints",
    "content-disposition",
)
CSP, CSP_REPORT_ONLY, HSTS = COMPARED_HEADERS[:3]
# What a document says in place of a header; always compared.
META_CSP, META_REFRESH, BASE = "meta:content-security-policy", "meta:refresh", "base"
OF_DOCUMENT = (META_CSP, META_REFRESH, BASE)
POLICIES = frozenset((CSP, CSP_REPORT_ONLY, META_CSP))

# The kind of a script that a recording shows and no element of the document.
LOADED = "loaded"
# Kinds of inline code.
SCRIPT, MODULE, IMPORT_MAP, SPECULATION_RULES = "script", "module", "importmap", "speculationrules"
HANDLER, JAVASCRIPT, SRCDOC = "handler", "javascript", "srcdoc"
# Of these a shape would say nothing: they are data that a browser acts on as a whole.
WITHOUT_SHAPE = frozenset((IMPORT_MAP, SPECULATION_RULES, SRCDOC))

DEFAULT_TIMEOUT = 30.0
MAX_TIMEOUT = 3600.0
DEFAULT_MAX_BYTES = 5 * 1024 * 1024
MAX_BYTES = 64 * 1024 * 1024
DEFAULT_FETCHES, MAX_FETCHES = 2, 5
MAX_REDIRECTS = 5
MAX_TRIES = 4
MAX_EXTRACT = 120

# More would take a reader minutes; the largest pages of shops have a tenth of it.
MAX_TAGS = 500_000
# A document in a document in a document; no page needs more.
MAX_SRCDOC_DEPTH = 4
MAX_PARSE_SECONDS = 10.0
# Browsers keep at most 512 elements open and put what stands deeper beside its parent, so that the content of a `template` is no longer
# inert. An element that they keep open can be missing in the tree above another one (what a table moves before itself): at most three of four.
MAX_TRUSTED_DEPTH = 512 // 4 - 8

# The names of types of scripts that browsers run as JavaScript (HTML and MIME Sniffing standards).
JAVASCRIPT_TYPES = frozenset(
    {
        f"{kind}/{name}"
        for kind in ("application", "text")
        for name in ("ecmascript", "javascript", "x-ecmascript", "x-javascript")
    }
    | {f"text/javascript1.{minor}" for minor in range(6)}
    | {"text/jscript", "text/livescript"}
)
OTHER_TYPES: t.Mapping[str, str] = types.MappingProxyType({name: name for name in (MODULE, IMPORT_MAP, SPECULATION_RULES)})
# Attributes whose text is no address that a browser follows.
NO_ADDRESSES = frozenset(("alt", "class", "content", "id", "label", "name", "placeholder", "title", "value"))


class Unread(Exception):
    """A page that could not be read as a browser would; the text is the reason."""
