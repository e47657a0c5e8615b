"""Processes that have KernelBench's problems compiled beside one another, and then time them, one at a time."""

# What comes over a pipe is of no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable
from multiprocessing.connection import Connection, wait
from time import perf_counter
from typing import Any, NamedTuple


class Steps(NamedTuple):
    """What is done with a problem, by number, in a process; both in the same one."""

    prepare: Callable[[int], None]
    measure: Callable[[int], Any]


class Worker(NamedTuple):
    """A process, and the pipe to it."""

    process: Any
    pipe: Connection


def serve(pipe: Connection, begun: Callable[[], Steps]) -> None:
    """Does what is asked for, until nothing is: answers with what was wrong, or "", and what was measured."""
    steps = begun()
    while (asked := pipe.recv()) is not None:
        number, measured = asked
        try:
            pipe.send(("", (steps.measure if measured else steps.prepare)(number)))
        except Exception as e:  # the others are done, too
            pipe.send((f"{type(e).__name__}: {e}", None))


class Workers:
    """
    So many processes. `begun()`, called in each, makes its steps; it is pickled, unless processes are forked.

    Each imports for itself: torch's compiler uses the GPU as soon as it is imported, and no fork can after that.
    """

    def __init__(self, jobs: int, begun: Callable[[], Steps], method: str = "spawn"):
        context: Any = multiprocessing.get_context(method)
        self._all: list[Worker] = []
        for _ in range(jobs):
            here, there = context.Pipe()
            process = context.Process(target=serve, args=(there, begun), daemon=True)
            process.start()
            there.close()
            self._all.append(Worker(process, here))
        self.holders: dict[int, Worker] = {}
        """Which process prepared a problem."""
        self.wrong: dict[int, str] = {}
        """What went wrong where problems were prepared."""

    def prepare(self, numbers: Iterable[int], limit: float) -> None:
        """Has problems prepared that are not yet; none is begun after `limit` seconds, and all that were are ended."""
        begun = perf_counter()
        left = iter([n for n in numbers if n not in self.holders and n not in self.wrong])
        busy: dict[Connection, tuple[Worker, int]] = {}
        free = list(self._all)
        while True:
            while free and perf_counter() - begun < limit and (number := next(left, None)) is not None:
                worker = free.pop()
                worker.pipe.send((number, False))
                busy[worker.pipe] = worker, number
            if not busy:
                return
            for pipe in wait(list(busy)):
                worker, number = busy.pop(pipe)  # pyright: ignore[reportArgumentType]
                try:
                    wrong, _ = worker.pipe.recv()
                except EOFError:
                    self.wrong[number] = "its process ended"
                    self._all.remove(worker)
                    continue
                free.append(worker)
                if wrong:
                    self.wrong[number] = wrong
                else:
                    self.holders[number] = worker

    def measure(self, number: int) -> Any:
        """What is measured of a problem while the other processes wait. Raises `RuntimeError` with what went wrong."""
        worker = self.holders.get(number) or self._all[0]
        worker.pipe.send((number, True))
        wrong, found = worker.pipe.recv()
        if wrong:
            raise RuntimeError(wrong)
        return found

    def close(self) -> None:
        """Ends the processes."""
        for worker in self._all:
            worker.pipe.send(None)
            worker.process.join(20)
            worker.process.kill()
