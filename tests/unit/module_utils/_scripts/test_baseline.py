# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

import hypothesis
import pytest
from hypothesis import strategies as st

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._scripts import pattern
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.baseline import Baseline, parse_baseline


def baseline(*entries: t.Any) -> Baseline:
    """A baseline of URLs, or of pairs of a URL and its hosts; the URL is the name."""
    pairs = [(entry, None) if isinstance(entry, str) else entry for entry in entries]
    return Baseline(parse_baseline([{"name": f"{url} {hosts}", "url": url, "hosts": hosts} for url, hosts in pairs]))


def found(made: Baseline, url: str, host: str | None = "h") -> str | None:
    entry = made.match(url, host).entry
    return entry.name.rpartition(" ")[0] if entry else None


@pytest.mark.parametrize(
    ("entries", "url", "expected"),
    [
        (["https://a/x.js", "https://a/*"], "https://a/x.js", "https://a/x.js"),
        (["https://a/x*", "https://a/*"], "https://a/x.js", "https://a/x*"),
        (["https://a/b/**", "https://a/**"], "https://a/b/c/d", "https://a/b/**"),
        (["https://a/x.js?v=1", "https://a/x.js"], "https://a/x.js?v=1", "https://a/x.js?v=1"),
        (["https://a/x.js?v=1", "https://a/x.js"], "https://a/x.js?v=2", "https://a/x.js"),
        (["https://a/x.js?v=*", "https://a/x*"], "https://a/x.js?v=2", "https://a/x.js?v=*"),
        (["https://a/x*"], "https://b/x", None),
        ([], "https://b/x", None),
    ],
)
def test_the_more_specific_entry_takes_precedence(entries: list[str], url: str, expected: str | None) -> None:
    assert found(baseline(*entries), url) == expected
    assert found(baseline(*entries[::-1]), url) == expected


def test_hosts_decide_before_precedence() -> None:
    made = baseline(("https://a/x.js", ["one"]), "https://a/*")
    assert found(made, "https://a/x.js", "one") == "https://a/x.js"
    assert found(made, "https://a/x.js", "ONE") == "https://a/x.js"
    assert found(made, "https://a/x.js", "two") == "https://a/*"
    assert found(made, "https://a/x.js", None) == "https://a/*", "an unknown host matches no host pattern"


@pytest.mark.parametrize(
    "pair",
    [
        (("https://a/x.js", ["h"]), ("https://a/x.js", None)),
        (("https://a/*.js", None), ("https://a/*s", None)),
        (("https://a/**", None), ("https://a/*", None)),
        (("https://a/*", ["h", "i"]), ("https://a/*", ["h"])),
    ],
)
def test_a_tie_names_both_entries(pair: t.Any) -> None:
    made = baseline(*pair)
    with pytest.raises(Failure) as caught:
        made.match("https://a/x.js", "h")
    assert caught.value.kind == "invalid_option"
    assert all(name in str(caught.value) for name in ("baseline: ", "(baseline[0])", "(baseline[1])", "'https://a/x.js'"))
    assert made.match("https://b/x.js", "h").entry is None, (
        "entries that could tie are no error where nothing listed matches both"
    )


def fits(one: pattern.Pattern, url: str) -> bool:
    plain = pattern.plain_url(url)
    assert plain is not None
    return one.text == (url if one.has_query else url.partition("?")[0]) if one.is_exact else one.matches(plain)


URLS = st.builds("https://h/{}".format, st.text("ab/?", max_size=6))
PATTERNS = st.builds("https://h/{}".format, st.text("ab/?*", max_size=6))


@hypothesis.given(st.lists(st.tuples(PATTERNS, st.sampled_from([None, ["h"], ["i"]])), max_size=8), URLS)
@hypothesis.settings(max_examples=800)
def test_index_finds_what_a_full_search_finds(pairs: list[t.Any], url: str) -> None:
    """The index finds what a look at every entry finds."""
    distinct = list({f"{text} {hosts}": (text, hosts) for text, hosts in pairs}.values())
    made = baseline(*distinct)
    fitting = [entry for entry in made.entries if entry.covers("h") and fits(entry.pattern, url)]
    ranks = [(entry.pattern.is_exact, len(entry.pattern.prefix)) for entry in fitting]
    best = [entry for entry, rank in zip(fitting, ranks, strict=True) if rank == max(ranks)]
    if len(best) > 1:
        with pytest.raises(Failure):
            made.match(url, "h")
    else:
        assert made.match(url, "h").entry == (best[0] if best else None)


@pytest.mark.parametrize(
    "shape",
    ["https://cdn{}.example/*", "https://cdn.example/{}/**", "https://cdn.example/*/{}.js", "https://cdn.example/{}.js"],
)
def test_lookup_compares_at_most_one_entry(shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """500 entries and 1000 scripts: at most one comparison for each script."""
    compared = []
    matches = pattern.Pattern.matches
    monkeypatch.setattr(pattern.Pattern, "matches", lambda self, url: compared.append(url) or matches(self, url))
    made = baseline(*(shape.format(f"n{number:03}") for number in range(500)))
    urls = [shape.format(f"n{number:03}").replace("**", "x/y").replace("*", "x") for number in range(1000)]
    assert [found(made, url) is not None for url in urls] == [number < 500 for number in range(1000)]
    assert len(compared) <= len(urls)
