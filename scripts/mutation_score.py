# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts the verdicts that mutmut lists for a package: `mutation_score.py PACKAGE RESULTS`; survivors are named."""

from __future__ import annotations

import collections
import pathlib
import re
import sys

KILLED = ("killed", "timeout", "segfault")
SURVIVED = ("survived", "no tests", "suspicious")
VERDICT = re.compile(r"^\s*(\S+): (.+)$")


def main(package: str, results: str) -> int:
    lines = map(VERDICT.match, pathlib.Path(results).read_text(encoding="utf-8").splitlines())
    verdicts = {line[1]: line[2].strip() for line in lines if line}
    counts = collections.Counter(verdicts.values())
    killed = sum(counts[verdict] for verdict in KILLED)
    survivors = sorted(name for name, verdict in verdicts.items() if verdict in SURVIVED)
    judged = killed + len(survivors)
    for name in survivors:
        print(f"  survived: {name.partition('module_utils.')[2]}")
    score = f"{100 * killed / judged:.1f} %" if judged else "nothing judged"
    print(f"{package}: {score}: {killed} of {judged} mutants killed; {len(verdicts) - judged} of {len(verdicts)} not judged")
    return 0 if judged else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
