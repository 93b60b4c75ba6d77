# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

# Every bar of a run as a row of a table in Markdown, for the end of the output and for TESTING.md.
BARS: list[str] = []


def show(title: str, header: t.Sequence[str], rows: t.Sequence[t.Sequence[str]]) -> None:
    """Print a table, numbers to the right."""
    widths = [max(len(str(row[column])) for row in (header, *rows)) for column in range(len(header))]
    print(f"\n{title}", flush=True)
    for row in (header, ["-" * width for width in widths], *rows):
        print(
            "  ".join(
                str(cell).ljust(width) if column == 0 else str(cell).rjust(width)
                for column, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
        )


def stands(text: str, value: float, bound: float, *, at_least: bool = False) -> bool:
    """Print whether a bar holds, and note it for the table of all bars."""
    holds = value >= bound if at_least else value <= bound
    limit = f"{'at least' if at_least else 'at most'} {bound:g}"
    print(f"{'holds' if holds else 'MISSED'}: {text}: {value:.2f} (bar: {limit})")
    BARS.append(f"| {text} | {value:.2f}{'' if holds else ' (missed)'} | {limit} |")
    return holds
