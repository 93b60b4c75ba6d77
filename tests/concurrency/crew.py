# SPDX-License-Identifier: GPL-3.0-or-later

"""Processes that each run one module, all at the same time."""

import multiprocessing
import os
import types
import typing as t
from concurrent.futures import ProcessPoolExecutor

from faults import direct

Document = dict[str, t.Any]
_SHARED: dict[str, t.Any] = {}


def _join(barrier: t.Any) -> None:
    _SHARED["barrier"] = barrier


def _work(module: str, zone: str, args: Document, base_url: str, token: str) -> tuple[int, Document]:
    service = types.SimpleNamespace(base_url=base_url, token=token)
    _SHARED["barrier"].wait(300)
    return os.getpid(), direct.run(module, service, zone, args)


class Crew(ProcessPoolExecutor):
    """A number of processes; each takes one task, and all start at the same time."""

    def __init__(self, size: int) -> None:
        # A fork server imports everything once, and has no threads.
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["concurrency.crew"])
        super().__init__(size, context, _join, (context.Barrier(size),))

    def run(self, module: str, simulator: t.Any, tasks: t.Sequence[tuple[str, Document]]) -> list[Document]:
        """Run a module with one (zone, options) in each process; return the results in order."""
        service = (simulator.base_url, simulator.token)
        futures = [self.submit(_work, module, zone, args, *service) for zone, args in tasks]
        answers = [future.result(300) for future in futures]
        assert len({process for process, _result in answers}) == len(tasks)
        return [result for _process, result in answers]
