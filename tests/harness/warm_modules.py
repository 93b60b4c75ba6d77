# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Ordinary modules of a warm run, as forks of the worker: half of what a short one takes is the import of its libraries.

A fork forgets what belongs to the controller before it runs the file that the shell would have given to the interpreter. Whatever
is not just that, such as a module in an environment of its own or in the background, has the process that ansible-core makes.
"""

from __future__ import annotations

import atexit
import importlib
import logging
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
import types
import typing as t
from pathlib import Path

OWNED = ("ansible", "ansible_collections")
# As the interpreter opens them where the locale is C.UTF-8.
STREAMS = (("stdin", "r", "surrogateescape"), ("stdout", "w", "surrogateescape"), ("stderr", "w", "backslashreplace"))
SIGNALS: dict[int, t.Any] = {
    signal.SIGINT: signal.default_int_handler,
    **dict.fromkeys((signal.SIGTERM, signal.SIGALRM, signal.SIGCHLD), signal.SIG_DFL),
}
COMMAND = re.compile(r"\S+ -c '(?P<interpreter>[^\s']+) (?P<file>/[^\s']+/AnsiballZ_\w+\.py)(?: && sleep 0)?'")


def fork_modules() -> None:
    """Give the local connection forks where it would start this interpreter with the file of a module."""
    local = importlib.import_module("ansible.plugins.connection.local")
    vars(local)["subprocess"] = types.SimpleNamespace(PIPE=subprocess.PIPE, Popen=_started)


def _started(command: str | bytes, **options: t.Any) -> t.Any:
    text = os.fsdecode(command)
    found = COMMAND.fullmatch(text)
    if not found or found["interpreter"] != sys.executable:
        return subprocess.Popen(command, **options)  # what ansible-core has put together
    return Module(found["file"], options["cwd"])


class Module:
    """What the connection uses of `subprocess.Popen`."""

    returncode: int

    def __init__(self, file: str, cwd: str | None) -> None:
        self._outputs = [tempfile.TemporaryFile() for _output in range(2)]  # noqa: SIM115  # closed when read
        self._pid = os.fork()
        if not self._pid:
            _become(file, cwd or ".", [output.fileno() for output in self._outputs])
            leave(_ran(file))

    def communicate(self, _given: bytes | None = None) -> list[bytes]:
        """Wait for the end; what was written to standard output and standard error."""
        _pid, status = os.waitpid(self._pid, 0)
        self.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for output in self._outputs:
            with output:
                output.seek(0)
                texts.append(output.read())
        return texts


def _become(file: str, cwd: str, outputs: list[int]) -> None:
    atexit._clear()
    for number, handler in SIGNALS.items():
        # What a process ignores, those that it starts ignore as well, such as an interrupt in the background of a shell.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)
    for own, given in enumerate([os.open(os.devnull, os.O_RDONLY), *outputs]):
        os.dup2(given, own)
    os.closerange(3, 1024)
    for number, (name, mode, errors) in enumerate(STREAMS):
        stream = os.fdopen(number, mode, encoding="utf-8", errors=errors, closefd=False)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    logging.root.handlers.clear()
    logging.root.setLevel(logging.WARNING)
    for name in [name for name in sys.modules if name.partition(".")[0] in OWNED]:
        del sys.modules[name]
    for hooks in t.cast("list[list[t.Any]]", [sys.meta_path, sys.path_hooks]):
        hooks[:] = [hook for hook in hooks if getattr(hook, "__module__", type(hook).__module__).partition(".")[0] not in OWNED]
    sys.path_importer_cache.clear()
    os.chdir(cwd)
    tempfile.tempdir = None
    sys.argv, sys.path[0] = [file], str(Path(file).parent)


def _ran(file: str) -> object:
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    main.__file__ = file
    try:
        exec(compile(Path(file).read_bytes(), file, "exec"), vars(main))  # noqa: S102  # what the interpreter would have run
    except SystemExit as ended:
        if isinstance(ended.code, str):
            print(ended.code, file=sys.stderr)
        return ended.code
    except BaseException as error:  # the interpreter shows all of them
        traceback.print_exception(error.with_traceback(error.__traceback__ and error.__traceback__.tb_next))
        return 1
    return 0


def leave(code: object) -> t.NoReturn:
    """End as an interpreter does, but without clearing the memory, which would touch, and so copy, all of it."""
    vars(threading)["_shutdown"]()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))
