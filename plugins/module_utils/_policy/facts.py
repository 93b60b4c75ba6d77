# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

# The words of a content security policy: those that Cloudflare documents for its rules (cloudflare-docs, client-side-security/rules, 2026),
# and what browsers report (Content Security Policy Level 3).

DEFAULT_SRC, SCRIPT_SRC, CONNECT_SRC, WORKER_SRC = "default-src", "script-src", "connect-src", "worker-src"
# What browsers report for the elements of a page, and for which a policy can have sources of its own.
SCRIPT_ELEMENTS = "script-src-elem"
UPGRADE = "upgrade-insecure-requests"
FRAME_ANCESTORS = "frame-ancestors"
# Of Level 3, and not documented for the service. A policy that has one of them loads scripts or styles by it and not by the directive
# that it refines, so that it is compared and can be declared like any other.
REFINING = (SCRIPT_ELEMENTS, "script-src-attr", "style-src-elem", "style-src-attr")
DIRECTIVES = (
    "base-uri",
    "child-src",
    CONNECT_SRC,
    DEFAULT_SRC,
    "font-src",
    "form-action",
    FRAME_ANCESTORS,
    "frame-src",
    "img-src",
    "manifest-src",
    "media-src",
    "object-src",
    SCRIPT_SRC,
    "style-src",
    UPGRADE,
    WORKER_SRC,
    *REFINING,
)
# All that browsers may report; a policy of the service may have those that it does not document (kept as they are).
REPORTABLE = frozenset(DIRECTIVES) | {
    *("prefetch-src", "fenced-frame-src", "navigate-to"),
    *("sandbox", "plugin-types", "trusted-types", "require-trusted-types-for", "require-sri-for", "block-all-mixed-content"),
    *("report-uri", "report-to"),
}
# Browsers ignore them as long as a policy only reports, so that nobody has seen what they would block.
UNREPORTED = frozenset(("sandbox", UPGRADE))
# Which directive governs if a policy lacks one: the first of these that it has (Content Security Policy Level 3, 6.8.3).
FALLBACKS: t.Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys((SCRIPT_ELEMENTS, "script-src-attr"), (SCRIPT_SRC, DEFAULT_SRC)),
    **dict.fromkeys(("style-src-elem", "style-src-attr"), ("style-src", DEFAULT_SRC)),
    WORKER_SRC: ("child-src", SCRIPT_SRC, DEFAULT_SRC),
    "frame-src": ("child-src", DEFAULT_SRC),
    **dict.fromkeys(
        (
            *("child-src", CONNECT_SRC, "font-src", "img-src", "manifest-src", "media-src", "object-src", "prefetch-src"),
            *(SCRIPT_SRC, "style-src"),
        ),
        (DEFAULT_SRC,),
    ),
}

NONE, SELF, UNSAFE_INLINE, UNSAFE_EVAL = "'none'", "'self'", "'unsafe-inline'", "'unsafe-eval'"
WASM_EVAL, STRICT_DYNAMIC, REPORT_SAMPLE = "'wasm-unsafe-eval'", "'strict-dynamic'", "'report-sample'"
# `'strict-dynamic'` has a meaning for scripts only; `default-src` in a report may be about one.
SCRIPT_DIRECTIVES = (SCRIPT_SRC, SCRIPT_ELEMENTS, "script-src-attr", WORKER_SRC, DEFAULT_SRC)
KEYWORDS = (NONE, SELF, UNSAFE_INLINE, UNSAFE_EVAL)
FRAME_ANCESTORS_KEYWORDS = (NONE, SELF)
# Words that mean something only in single quotes; the last are not documented for the service.
QUOTED_WORDS = frozenset(word.strip("'") for word in (*KEYWORDS, WASM_EVAL, STRICT_DYNAMIC, REPORT_SAMPLE)) | {"unsafe-hashes"}
# Schemes that are written without their colon by mistake, where they would be names of hosts.
EXTENSIONS = frozenset({"chrome-extension", "moz-extension", "safari-extension", "safari-web-extension"})
COMMON_SCHEMES = EXTENSIONS | {"about", "blob", "data", "filesystem", "http", "https", "mediastream", "ws", "wss"}
# What stands for a report without an address.
EMPTY = "empty"
# What browsers report in place of a URL, and the keyword that would allow it.
REPORTED_WORDS: t.Mapping[str, str] = {
    "inline": UNSAFE_INLINE,
    "eval": UNSAFE_EVAL,
    "wasm-eval": WASM_EVAL,
}
