# SPDX-License-Identifier: GPL-3.0-or-later

"""Processes that run one module each, all at once."""

from __future__ import annotations

import multiprocessing
import os
import types
import typing as t

from faults import direct

Document = dict[str, t.Any]


def _work(connection: t.Any, barrier: t.Any) -> None:
    """Run a module with its options in a zone of a service, each time that this is asked for, when all others are ready."""
    while task := connection.recv():
        module, zone, args, base_url, token = task
        service = types.SimpleNamespace(base_url=base_url, token=token)
        barrier.wait(300)
        connection.send((os.getpid(), direct.run(module, service, zone, args)))


class Crew:
    """So many forked processes that wait for work; every piece of work begins when all have theirs."""

    def __init__(self, size: int) -> None:
        # A server that forks has imported everything once and has no threads.
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["concurrency.crew"])
        self._barrier = context.Barrier(size)
        self._pipes = [context.Pipe() for _member in range(size)]
        self._members = [
            context.Process(target=_work, args=(theirs, self._barrier), daemon=True) for _ours, theirs in self._pipes
        ]
        self._size = size

    def __enter__(self) -> Crew:
        for member in self._members:
            member.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        for ours, _theirs in self._pipes:
            ours.send(None)
        for member in self._members:
            member.join(10)

    def run(self, module: str, simulator: t.Any, tasks: t.Sequence[tuple[str, Document]]) -> list[Document]:
        """The results of a module with one (zone, options) for each process, in order."""
        assert len(tasks) == self._size
        for (ours, _theirs), (zone, args) in zip(self._pipes, tasks, strict=True):
            ours.send((module, zone, args, simulator.base_url, simulator.token))
        answers = []
        for ours, _theirs in self._pipes:
            assert ours.poll(300), "a process does not answer"
            answers.append(ours.recv())
        assert len({process for process, _result in answers}) == self._size
        return [result for _process, result in answers]
