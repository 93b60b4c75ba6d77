# SPDX-License-Identifier: GPL-3.0-or-later

"""Measure a million comparisons of filters, and evaluations of records."""

from __future__ import annotations

import argparse
import random
import time
import typing as t

from table import show

from ansible_collections.edgeops.observability.plugins.module_utils._filter.compare import compile_filter, same_filter
from ansible_collections.edgeops.observability.plugins.module_utils._filter.parse import parse

COMPARISONS = 1_000_000
KEYS = ("ClientIP", "EdgeResponseStatus", "ClientRequestPath", "ClientCountry")


def _expression(chance: random.Random, depth: int = 2) -> dict[str, t.Any]:
    if depth and chance.random() < 0.5:
        return {chance.choice(("and", "or")): [_expression(chance, depth - 1) for _unused in range(chance.randint(1, 3))]}
    key = chance.choice(KEYS)
    if chance.random() < 0.3:
        return {"key": key, "operator": "in", "value": [str(chance.randint(0, 9)) for _unused in range(3)]}
    return {"key": key, "operator": chance.choice(("eq", "!eq", "contains", "geq")), "value": str(chance.randint(0, 9))}


def _shuffled(node: t.Any, chance: random.Random) -> t.Any:
    """Return the same expression with the members of each group in random order."""
    if isinstance(node, dict):
        return {name: _shuffled(value, chance) for name, value in node.items()}
    if isinstance(node, list):
        return chance.sample([_shuffled(item, chance) for item in node], len(node))
    return node


def report(options: argparse.Namespace) -> bool:
    """Compare and evaluate filters; check each result."""
    chance = random.Random(1)  # the same examples in each run
    expressions = [_expression(chance) for _unused in range(1000)]
    trees = [parse(expression) for expression in expressions]
    others = [parse(_shuffled(expression, chance)) for expression in expressions]
    began = time.perf_counter()
    equal = sum(
        same_filter(tree, other) for _unused in range(COMPARISONS // 1000) for tree, other in zip(trees, others, strict=True)
    )
    compared = time.perf_counter() - began
    records = [{key: str(chance.randint(0, 9)) for key in KEYS} for _unused in range(1000)]
    tests = [compile_filter(tree) for tree in trees]
    began = time.perf_counter()
    passed = sum(test(record) for test in tests for record in records)
    evaluated = time.perf_counter() - began
    rows = [["equality", f"{compared:.2f}", str(equal)], ["evaluation", f"{evaluated:.2f}", str(passed)]]
    show(f"{COMPARISONS} filters compared, and as many records evaluated", ["what", "seconds", "yes"], rows)
    return equal == COMPARISONS and 0 < passed < COMPARISONS
