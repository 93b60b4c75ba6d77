# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

# All limits of a run as rows of a Markdown table, printed at the end of the output.
LIMITS: list[str] = []


def show(title: str, header: t.Sequence[str], rows: t.Sequence[t.Sequence[str]]) -> None:
    """Print a table with right-aligned numbers."""
    widths = [max(len(str(row[column])) for row in (header, *rows)) for column in range(len(header))]
    print(f"\n{title}", flush=True)
    for row in (header, ["-" * width for width in widths], *rows):
        print(
            "  ".join(
                str(cell).ljust(width) if column == 0 else str(cell).rjust(width)
                for column, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
        )


def check_limit(text: str, value: float, bound: float, *, at_least: bool = False) -> bool:
    """Print whether a measurement is within its limit, and add it to the table of all limits."""
    holds = value >= bound if at_least else value <= bound
    limit = f"{'at least' if at_least else 'at most'} {bound:g}"
    print(f"{'holds' if holds else 'MISSED'}: {text}: {value:.2f} (limit: {limit})")
    LIMITS.append(f"| {text} | {value:.2f}{'' if holds else ' (missed)'} | {limit} |")
    return holds
