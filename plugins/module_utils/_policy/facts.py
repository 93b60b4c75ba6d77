# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

# The words of a content security policy: those that Cloudflare documents for its rules (cloudflare-docs, client-side-security/rules, 2026),
# and what browsers report (Content Security Policy Level 3).

DEFAULT_SRC, SCRIPT_SRC, CONNECT_SRC = "default-src", "script-src", "connect-src"
UPGRADE = "upgrade-insecure-requests"
FRAME_ANCESTORS = "frame-ancestors"
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
    "worker-src",
)
# Which directive governs if a policy lacks one: the first of these that it has (Content Security Policy Level 3, 6.8.3).
FALLBACKS: t.Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("script-src-elem", "script-src-attr"), (SCRIPT_SRC, DEFAULT_SRC)),
    **dict.fromkeys(("style-src-elem", "style-src-attr"), ("style-src", DEFAULT_SRC)),
    "worker-src": ("child-src", SCRIPT_SRC, DEFAULT_SRC),
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
WASM_EVAL = "'wasm-unsafe-eval'"
KEYWORDS = (NONE, SELF, UNSAFE_INLINE, UNSAFE_EVAL)
FRAME_ANCESTORS_KEYWORDS = (NONE, SELF)
# Words that mean something only in single quotes; the last four are not documented for the service.
QUOTED_WORDS = frozenset(word.strip("'") for word in (*KEYWORDS, WASM_EVAL)) | {
    "strict-dynamic",
    "unsafe-hashes",
    "report-sample",
}
# What browsers report in place of a URL, and the keyword that would allow it.
REPORTED_WORDS: t.Mapping[str, str] = {
    "inline": UNSAFE_INLINE,
    "eval": UNSAFE_EVAL,
    "wasm-eval": WASM_EVAL,
}
