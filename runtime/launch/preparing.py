"""
Launches made ready beside one another: what has to be compiled goes to processes, which leave it in the cache on disk.

Lowering and verifying a kernel is Python, of which a process does one at a time; the assembler is a process anyway.
Where there is no cache, or little to compile, threads do it here.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import local
from typing import Any, Final

from freehold.runtime.launch.launch import Checked, Launch
from freehold.runtime.operations.operation import Operation
from freehold.support.progress import progress

FEW: Final = 4
"""Kernels for which no processes are started."""


def prepare(operations: Iterable[Operation[Any]]) -> None:
    """Makes operations ready. Raises `Rejected`."""
    found: dict[Any, Checked] = {}
    for operation in operations:
        if not isinstance(operation, Launch):
            operation.prepare()
        elif (checked := operation.looked_at()) is not None:
            found.setdefault((checked.dispatcher, checked.looks.key if checked.looks else id(checked)), checked)
    _compile([*found.values()])
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        for done in [threads.submit(checked.dispatcher.keep, checked) for checked in found.values()]:
            done.result()


def _compile(found: list[Checked]) -> None:
    """Has processes compile what is neither known nor in the cache. What they fail at, who needs it is told."""
    cores, jobs = os.cpu_count() or 1, _jobs(found)
    if len(jobs) < FEW or cores < 2:
        return
    own, workers = local(), list[Any]()

    def work(job: bytes) -> None:
        worker = getattr(own, "worker", None)
        if worker is None:
            worker = own.worker = _worker()
            workers.append(worker)
        try:
            worker.stdin.write(job)
            worker.stdin.flush()
            if not worker.stdout.readline():
                own.worker = None
        except OSError:  # it has ended
            own.worker = None

    try:
        with ThreadPoolExecutor(min(cores, len(jobs))) as threads:
            for _ in progress(threads.map(work, jobs), "kernels compiled", len(jobs)):
                pass
    finally:
        for worker in workers:
            with worker, suppress(OSError):
                worker.stdin.close()


def _worker() -> Any:
    """A process that compiles."""
    command = [sys.executable, "-m", "freehold.runtime.jit.assembling"]
    made: Any = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with suppress(OSError):
        pickle.dump(sys.path, made.stdin)
    return made


def _jobs(found: list[Checked]) -> list[bytes]:
    """What processes need to know to compile for launches, once for each variant."""
    from freehold.backend import cache

    if cache.open_cache() is None or cache.identity() is None:
        return []
    from freehold.runtime.gpu import driver

    jobs: dict[Any, bytes] = {}
    for checked in found:
        kernel, bound = checked.dispatcher.kernel, checked.bound
        job = getattr(kernel, "job", None)  # what is of a package is compiled
        key = kernel, bound.specialisation, bound.device
        if job is not None and bound.device >= 0 and key not in jobs:
            made = job(bound.specialisation, driver.architecture(bound.device))
            if made is not None:
                jobs[key] = made
    return [*jobs.values()]
