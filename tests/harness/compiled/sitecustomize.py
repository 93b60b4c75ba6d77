# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Gives `zipimport` a memory of what it has compiled.

ansible-core sends an ordinary module as an archive of source files, all of which Python compiles again for each task. With
this folder on PYTHONPATH, EDGEOPS_COMPILED names the folder in which their bytecode is kept, by source and by Python.
`warm_server.py` keeps that of the collection there as well.
"""

from __future__ import annotations

import _imp
import marshal
import os
import sys
import types
import typing as t
import zipimport

compile_source: t.Callable[[str, bytes], types.CodeType] = vars(zipimport)["_compile_source"]
# `zipimport` asks for everything twice in a row, because where a module is depends on what compiles.
last: dict[tuple[str, bytes], types.CodeType] = {}


def compile_once(pathname: str, source: bytes) -> types.CodeType:
    """What `zipimport` would compile, with the path of this archive."""
    if (pathname, source) not in last:
        last.clear()
        last[pathname, source] = kept_or_compiled(pathname, source)
    return last[pathname, source]


def kept_or_compiled(pathname: str, source: bytes) -> types.CodeType:
    """The same, from the folder where it is there."""
    kept = f"{os.environ['EDGEOPS_COMPILED']}/{sys.implementation.cache_tag}-{_imp.source_hash(0, source).hex()}"
    try:
        with open(kept, "rb") as file:
            code = t.cast("types.CodeType", marshal.loads(file.read()))  # noqa: S302  # our own file
    except FileNotFoundError:
        code = compile_source(pathname, source)
        # Processes side by side may write the same; each file is whole as soon as it has its name.
        with open(f"{kept}.{os.getpid()}", "wb") as part:
            part.write(marshal.dumps(code))
        os.replace(part.name, kept)
    vars(_imp)["_fix_co_filename"](code, pathname)
    return code


if "EDGEOPS_COMPILED" in os.environ:
    vars(zipimport)["_compile_source"] = compile_once
