# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import gzip
import pathlib
import secrets
import time

from edgeops_simulator.rules import destinations


def _safe(part: str) -> str:
    """One folder name, whatever the destination holds; nothing climbs out of the log folder."""
    cleaned = "".join(char if char.isalnum() or char in "-_.=@" else "_" for char in part)
    return cleaned if cleaned.strip(".") else "_" * max(1, len(cleaned))


def _folder(root: pathlib.Path, destination: str, day: str) -> pathlib.Path:
    bucket, path = destinations.bucket_and_path(destination)
    parts = [part for part in path.replace("{DATE}", day).split("/") if part]
    return root.joinpath(_safe(bucket), *map(_safe, parts))


def write_challenge(root: pathlib.Path, destination: str, filename: str, token: str) -> str:
    """The file that proves who can read the bucket. Returns where it was put."""
    folder = _folder(root, destination, time.strftime("%Y%m%d", time.gmtime()))
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / _safe(filename.rpartition("/")[2])
    target.write_text(token, encoding="ascii")
    return str(target)


def write_records(root: pathlib.Path, destination: str, text: str, first: int, last: int) -> str:
    """One gzipped batch below a folder for its day, named by the span of time it covers."""
    start, end = time.gmtime(first // 1_000_000_000), time.gmtime(last // 1_000_000_000)
    day = time.strftime("%Y%m%d", start)
    folder = _folder(root, destination, day)
    if "{DATE}" not in destination:
        folder /= day
    folder.mkdir(parents=True, exist_ok=True)
    span = "_".join(time.strftime("%Y%m%dT%H%M%SZ", moment) for moment in (start, end))
    target = folder / f"{span}_{secrets.token_hex(4)}.log.gz"
    with gzip.open(target, "wb", compresslevel=6) as stream:
        stream.write(text.encode("utf-8"))
    return str(target)
