# SPDX-License-Identifier: GPL-3.0-or-later

"""Measure the reading of 100 payment pages of 1 MB, fetched twice each, without HTTP, and of documents that are made to take long."""

from __future__ import annotations

import argparse
import functools
import json
import subprocess
import sys

from table import check_limit, show
from unit import in_turns

PAGES = 100
CHILD = """
import gc, json, resource, sys, time
from ansible_collections.edgeops.observability.plugins.module_utils._baseline.entries import Baseline
from ansible_collections.edgeops.observability.plugins.module_utils._pages.compare import Comparison, Seen
from ansible_collections.edgeops.observability.plugins.module_utils._pages.facts import COMPARED_HEADERS, Unread
from ansible_collections.edgeops.observability.plugins.module_utils._pages.options import Page
from ansible_collections.edgeops.observability.plugins.module_utils._pages.received import Response, read_response
from ansible_collections.edgeops.observability.plugins.module_utils._pages.url import parse
what, count = sys.argv[1], int(sys.argv[2])
# A shop: a list of articles, the data of a framework, and code.
article = '<li class="article"><a href="/a/{0}"><img src="/i/{0}.webp" alt="Article {0}"></a><p>Article <b>{0}</b></p><button>Buy</button></li>'
articles = "".join(article.format(n) for n in range(350))
data = json.dumps([{"id": n, "name": "Article", "price": n} for n in range(14000)])
code = "".join(f"function f{n}(a, b) {{ return a['x{n}'] + b * {n}; }}" for n in range(800))
# Nothing but tags: the largest number that a shop can have in a page.
tags = "".join(article.format(n) for n in range(1_000_000 // len(article.format(1000))))
hostile = {"open tags of 10 MB": "<div>" * 2_000_000, "100,000 attributes": "<p " + " ".join(f"a{n}=1" for n in range(100_000)) + ">"}
def page(number, visit):
    if what == "pages of nothing but tags":
        return f"<!doctype html><title>{number}</title><script>cart={visit}</script><ul>{tags}"
    filler = "x" * (1_000_000 - len(articles) - len(data) - len(code))
    head = f"<!doctype html><title>{number}</title><script>cart={visit}</script><ul>{articles}</ul>"
    return f"{head}<script type=application/json>{data}</script><script>{code}</script><p>{filler}"
gc.disable()  # as in every run of a task
began = time.process_time()
for number in range(count):
    address = parse(f"https://shop.example/{number}")
    texts = [hostile[what]] if what in hostile else [page(number, visit) for visit in (1, 2)]
    try:
        reads = [read_response(Response(address, 200, {"content-type": ("text/html; charset=utf-8",)}, text.encode())) for text in texts]
    except Unread:
        continue
    Comparison(Seen(Page("", str(address), address, None, {}), tuple(reads), None), None, Baseline(()), COMPARED_HEADERS, "2026-01-01")
print(json.dumps([time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""
WORK = {"pages": PAGES, "pages of nothing but tags": PAGES // 10, "open tags of 10 MB": 1, "100,000 attributes": 1}
# A page of nothing but tags, 80,000 of them, takes fifteen times as long as one with as much code and data as those of shops have; four
# fifths of that are the parser. A tenth of the pages is measured.
BOUNDS = {"pages": 60.0, "pages of nothing but tags": 100.0}


def measure(what: str) -> tuple[float, float]:
    """Return processor seconds and peak memory in MB, in a new process."""
    command = [sys.executable, "-c", CHILD, what, str(WORK[what])]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # our own code
    seconds, memory = json.loads(done.stdout)
    return seconds, memory


def report(_options: argparse.Namespace) -> bool:
    """Measure and print; return whether all limits hold."""
    costs = in_turns({what: functools.partial(measure, what) for what in WORK}, 1, lambda spent: spent[0])
    rows = [[what, str(WORK[what]), f"{spent[0]:.2f}", f"{spent[1]:.0f}"] for what, (spent, _in_c) in costs.items()]
    show("Payment pages without requests and without Ansible", ["document", "how many", "CPU s", "peak MB"], rows)
    held = [check_limit(f"{what}, CPU in C", in_c, BOUNDS.get(what, 20)) for what, (_spent, in_c) in costs.items()]
    return all([*held, check_limit("100 pages of 1 MB, peak MB", costs["pages"][0][1], 300)])
