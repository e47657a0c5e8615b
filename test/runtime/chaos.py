"""
Threads that share memory and streams while things go wrong: `python test/runtime/soak.py --threads 8 --steps 1000000`.

Each thread works on its own part of one allocation and on a tensor of its own, and reads what all read; all enqueue on
the same streams, whose order the stub driver draws by chance. Launches, bound launches, graphs, copies, fills, foreign
arrays, awaits and host reads are mixed. Meanwhile allocations fail for want of memory, awaits are cancelled, processes
are forked, and the main thread is interrupted at any place. Each thread keeps NumPy's arrays beside the tensors: they
are equal whenever the host reads. After an interruption one of two states is: the step was done, or it was not.
"""

from __future__ import annotations

import asyncio
import faulthandler
import os
import random
import signal
import threading
import time
import traceback
import warnings
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from math import inf
from types import FrameType
from typing import Any

import numpy as np
from mixing import Foreign, mix, mixed
from stub import the_stub

import freehold as fh
import freehold.runtime.errors.every  # pyright: ignore[reportUnusedImport] -- an import that a signal ends leaves half a module to other threads that wait for it
from freehold.runtime.gpu import driver
from freehold.runtime.gpu.timeline import still_kept

N = 64
LONGEST = 600.0
"""Seconds without a step after which a thread hangs."""


class Interrupted(Exception):
    """Ctrl-C."""


class World:
    """What all threads share."""

    def __init__(self, threads: int, streams: int, steps: int, seed: int):
        self.stub = the_stub()
        self.streams = [driver.new_stream(0) for _ in range(streams)]
        self.seed = seed
        self.left = steps
        self.root = np.random.default_rng(seed).integers(-(2**31), 2**31, threads * N, dtype=np.int32)
        self.common = np.arange(N, dtype=np.int32)
        self.tensor = fh.from_numpy(self.root, device=0).sync()
        self.read_by_all = fh.from_numpy(self.common, device=0).sync()
        self.wrong: list[str] = []
        self.counts: dict[str, int] = {}
        on_host = self.common.copy()  # forked processes need not compile then, nor read this file
        mix(fh.partition(on_host, 16), self.common).sync()

    def count(self, what: str) -> None:
        """One more of it. Not exact among threads."""
        self.counts[what] = self.counts.get(what, 0) + 1


class Worker:
    """One thread's work."""

    def __init__(self, world: World, number: int):
        self.world = world
        self.number = number
        self.recent: deque[str] = deque(maxlen=12)
        self.random = random.Random(world.seed * 1000 + number)
        part = slice(number * N, (number + 1) * N)
        self.arrays = {"part": world.root[part].copy(), "own": world.common + number}
        self.tensors: dict[str, Any] = {
            "part": world.tensor[part], "own": fh.from_numpy(self.arrays["own"], device=0).sync(),
        }  # fmt: skip
        self.lent = fh.from_numpy(world.common, device=0).sync()
        """Memory that is used as another library's alone: what is known of our own is not known of an alias."""
        self.arrays["lent"] = world.common.copy()
        self.next: dict[str, Any] | None = None
        """What the arrays become by the operation that is under way."""
        self.bound = mix.bind(fh.partition(self.tensors["part"], 16), world.read_by_all)
        with fh.graph() as self.graph:
            self.graph.record(mix(fh.partition(self.tensors["own"], 16), self.tensors["part"]))
        self.seen = time.monotonic()

    def run(self, interrupted: bool = False) -> None:
        """Steps until none is left."""
        try:
            while self.world.left > 0 and not self.world.wrong:
                self.world.left -= 1
                self.seen = time.monotonic()
                try:
                    self.step()
                except Interrupted:
                    assert interrupted
                    self.recent.append("(interrupted)")
                    self.recover()
            self.compare()
        except BaseException:
            did = ", ".join(self.recent)
            self.world.wrong.append(f"{traceback.format_exc()}thread {self.number}, whose last steps were {did}")
        finally:
            self.seen = inf

    def stream(self) -> Any:
        """One of the streams."""
        return self.random.choice(self.world.streams)

    def does(self, to: str, value: Any, work: Callable[[], Any]) -> None:
        """An operation that makes an array what is given."""
        self.next = {**self.arrays, to: value}
        work()
        self.arrays, self.next = self.next, None

    def step(self) -> None:
        """One operation, by chance."""
        kind = self.random.choices(list(KINDS), list(KINDS.values()))[0]
        self.world.count(kind)
        self.recent.append(kind)
        getattr(self, kind)()

    # --- What is done -------------------------------------------------------------------------------------------------

    def launch(self) -> None:
        """A launch on one of the streams."""
        to, of = self.random.choice((("part", "own"), ("own", "part"), ("part", "common")))
        given = self.world.read_by_all if of == "common" else self.tensors[of]
        value = mixed(self.arrays[to], self.world.common if of == "common" else self.arrays[of])
        self.does(to, value, lambda: mix(fh.partition(self.tensors[to], 16), given).on(self.stream()))

    def launch_bound(self) -> None:
        """The bound launch."""
        value = mixed(self.arrays["part"], self.world.common)
        self.does("part", value, lambda: self.bound.on(self.stream()))

    def replay(self) -> None:
        """The graph."""
        self.does("own", mixed(self.arrays["own"], self.arrays["part"]), lambda: self.graph.replay().on(self.stream()))

    def foreign(self) -> None:
        """A launch on an array of another library, which nobody else keeps."""
        array: Any = Foreign(self.lent)
        if self.random.random() < 0.5:
            value = mixed(self.arrays["lent"], self.arrays["part"])
            self.does("lent", value, lambda: mix(fh.partition(array, 16), self.tensors["part"]).on(self.stream()))
        else:
            value = mixed(self.arrays["own"], self.arrays["lent"])
            self.does("own", value, lambda: mix(fh.partition(self.tensors["own"], 16), array).on(self.stream()))

    def copy(self) -> None:
        """A copy between the two."""
        to, of = self.random.choice((("part", "own"), ("own", "part")))
        self.does(to, self.arrays[of].copy(), lambda: self.tensors[to].copy_from(self.tensors[of]).on(self.stream()))

    def fill(self) -> None:
        """A fill."""
        value = self.random.randrange(1000)
        self.does("own", np.full(N, value, np.int32), lambda: self.tensors["own"].fill(value).on(self.stream()))

    def come_and_go(self) -> None:
        """A tensor that lives for two operations. Its memory may be refused."""
        try:
            made = self.tensors["own"].copy().on(self.stream()).value
            mix(fh.partition(made, 16), self.tensors["part"]).on(self.stream())
        except fh.OutOfMemory:
            self.world.count("out of memory")
            return
        value = mixed(self.arrays["own"], self.arrays["part"])
        self.does("own", value, lambda: self.tensors["own"].copy_from(made).on(self.stream()))

    def wait(self) -> None:
        """A launch that is waited for."""
        value = mixed(self.arrays["own"], self.world.common)
        launch = mix(fh.partition(self.tensors["own"], 16), self.world.read_by_all)
        self.does("own", value, lambda: launch.sync())

    def cancel(self) -> None:
        """An await that is given up: the launch was enqueued, or was not."""
        launch = mix(fh.partition(self.tensors["own"], 16), self.world.read_by_all)

        async def main() -> None:
            async def awaited() -> Any:
                return await launch

            task = asyncio.create_task(awaited())
            for _ in range(self.random.randrange(3)):
                await asyncio.sleep(0)
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

        self.next = {**self.arrays, "own": mixed(self.arrays["own"], self.world.common)}
        asyncio.run(main())
        self.recover()

    def read(self) -> None:
        """The host looks at one of them."""
        name = self.random.choice(("part", "own"))
        with self.tensors[name].borrow() as inside:
            assert np.array_equal(inside, self.arrays[name]), f"{name} is not what it was made"

    def fork(self) -> None:
        """A child works on the host, drops what it inherited, and ends."""
        child = os.fork()
        if not child:
            status = 1
            try:
                faulthandler.dump_traceback_later(LONGEST / 2, exit=True)
                y = np.ones(N, np.int32)
                self.tensors.clear()
                mix(fh.partition(y, 16), y.copy()).sync()
                status = int(not np.array_equal(y, mixed(np.ones(N, np.int32), np.ones(N, np.int32))))
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(status)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert status == 0, f"a forked process does not work on the host: it ended with {status}"

    # --- What is compared ---------------------------------------------------------------------------------------------

    def values(self) -> dict[str, Any]:
        """What the tensors are, also if that is interrupted."""
        while True:
            try:
                return {name: tensor.numpy() for name, tensor in self.tensors.items()}
            except Interrupted:
                self.world.count("interrupted twice")

    def recover(self) -> None:
        """After a step that may have been done, or not."""
        found = self.values()
        allowed = [self.arrays, *([self.next] if self.next is not None else [])]
        right = [a for a in allowed if all(np.array_equal(found[n], a[n]) for n in found)]
        assert right, "half of a step was done"
        if len(right) == 2 and not np.array_equal(right[0]["lent"], right[1]["lent"]):
            self.tensors["own"].copy_from(Foreign(self.lent)).sync()  # only a launch can look there
            seen = self.values()["own"]
            right = [a for a in right if np.array_equal(a["lent"], seen)]
            assert right, "half of a step was done in another library's memory"
            right[0]["own"] = seen
        self.arrays, self.next = right[0], None

    def compare(self) -> None:
        """At the end."""
        found = self.values()
        assert all(np.array_equal(found[n], self.arrays[n]) for n in found), "a tensor is not what it was made"


KINDS = {
    "launch": 60, "launch_bound": 20, "replay": 6, "foreign": 6, "copy": 12, "fill": 8, "come_and_go": 8, "wait": 6,
    "cancel": 2, "read": 4, "fork": 0.2,
}  # fmt: skip
"""What a step is, and how often."""


def chaos(threads: int, streams: int, steps: int, seed: int) -> int:
    """All of it; 1 if anything was wrong."""
    warnings.simplefilter("ignore")  # launches that are never run say so, and forks with threads since Python 3.12
    world = World(threads, streams, steps, seed)
    world.stub.stub_defer(seed + 1)
    workers = [Worker(world, n) for n in range(threads)]
    armed = threading.Event()
    over = threading.Event()

    def interrupt(_: int, frame: FrameType | None) -> None:
        around: set[object] = set()
        inside = frame
        while inside is not None:
            around.add(inside.f_code)
            inside = inside.f_back
        # Between steps nothing is under way. An event loop of Python's that is interrupted does not tidy up, nor does
        # `os.fork`: an exception in what `logging` does around it leaves its lock taken, and no other thread can fork.
        untidy = {Worker.cancel.__code__, Worker.fork.__code__}
        if armed.is_set() and Worker.step.__code__ in around and not untidy & around:
            world.count("interrupted")
            raise Interrupted

    def disturb() -> None:
        chance = random.Random(seed)
        while not over.wait(chance.uniform(0.002, 0.05)):
            if chance.random() < 0.5:
                os.kill(os.getpid(), signal.SIGINT)
            else:
                world.stub.stub_refuse(1)
            late = [n for n, worker in enumerate(workers) if time.monotonic() - worker.seen > LONGEST]
            if late:
                faulthandler.dump_traceback()
                print(f"threads {late} hang", flush=True)
                os._exit(2)

    before = signal.signal(signal.SIGINT, interrupt)
    others = [threading.Thread(target=worker.run) for worker in workers[1:]]
    disturber = threading.Thread(target=disturb)
    for thread in (*others, disturber):
        thread.start()
    armed.set()
    workers[0].run(interrupted=True)
    armed.clear()
    for thread in others:
        thread.join()
    over.set()
    disturber.join()
    signal.signal(signal.SIGINT, before)
    world.stub.stub_defer(0)
    world.stub.stub_refuse(0)
    workers.clear()
    if stray := world.stub.stub_stray():
        world.wrong.append(f"memory was used {stray} times that was not allocated")
    if world.stub.stub_stuck():
        world.wrong.append("somebody waited for what can never be done")
    if kept := len(still_kept()):
        world.wrong.append(f"{kept} things are kept for work that is done")
    print(", ".join(f"{what} {count}" for what, count in sorted(world.counts.items())))
    print(f"{steps} steps of {threads} threads over {streams} streams: {len(world.wrong)} wrong")
    for text in world.wrong[:3]:
        print(text)
    return int(bool(world.wrong))
