# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import hashlib
import pathlib
import secrets
import time

from edgeops_simulator.rules import destinations

# Names in file systems have at most 255 bytes and paths 4096; destinations can be longer.
_MAX_NAME_BYTES = 100
_MAX_FOLDERS = 16


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def _safe(part: str) -> str:
    """Return a valid folder name for a part of a destination; it is short, and cannot leave its parent folder."""
    cleaned = "".join(char if char.isalnum() or char in "-_.=@" else "_" for char in part)
    data = cleaned.encode("utf-8")
    if len(data) > _MAX_NAME_BYTES:
        return f"{data[: _MAX_NAME_BYTES - 20].decode('utf-8', 'ignore')}-{_digest(part)}"
    return cleaned if cleaned.strip(".") else "_" * max(1, len(cleaned))


def _folder(root: pathlib.Path, destination: str, day: str) -> pathlib.Path:
    bucket, path = destinations.bucket_and_path(destination)
    parts = [part for part in path.replace("{DATE}", day).split("/") if part]
    if len(parts) > _MAX_FOLDERS:
        parts = [*parts[:_MAX_FOLDERS], _digest("/".join(parts))]
    return root.joinpath(_safe(bucket), *map(_safe, parts))


def write_challenge(root: pathlib.Path, destination: str, filename: str, token: str) -> str:
    """Write the file that proves ownership of the bucket; return its path."""
    folder = _folder(root, destination, time.strftime("%Y%m%d", time.gmtime()))
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / _safe(filename.rpartition("/")[2])
    target.write_text(token, encoding="ascii")
    return str(target)


def write_records(root: pathlib.Path, destination: str, data: bytes, first: int, last: int) -> str:
    """Write one gzipped batch to the folder of its day; the name contains its first and last time."""
    start, end = time.gmtime(first // 1_000_000_000), time.gmtime(last // 1_000_000_000)
    day = time.strftime("%Y%m%d", start)
    folder = _folder(root, destination, day)
    if "{DATE}" not in destination:
        folder /= day
    folder.mkdir(parents=True, exist_ok=True)
    span = "_".join(time.strftime("%Y%m%dT%H%M%SZ", moment) for moment in (start, end))
    target = folder / f"{span}_{secrets.token_hex(4)}.log.gz"
    target.write_bytes(data)
    return str(target)
