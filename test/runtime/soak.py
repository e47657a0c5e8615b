"""
Whether memory stays flat: many launches on the stub driver, with tensors that come and go, on several streams: of our
own tensors, of other libraries' memory, adopted and mixed, bound, in graphs, and awaited, all in one loop.

`python test/runtime/soak.py --launches 10000000` (`make soak LAUNCHES=...`) prints resident memory as it goes, and ends
with status 1 if it grew by more than `--most` MiB after the first tenth. With `--threads 8 --steps 1000000` threads
share memory and streams while things go wrong (`chaos.py`). Needs a C compiler, and no GPU.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from stub import the_stub

import freehold as fh
from freehold import Mut, Ref, f32
from freehold.runtime.gpu.driver import new_stream
from freehold.runtime.gpu.timeline import still_kept

HERE = Path(__file__).parent
MIB = 1 << 20


@fh.kernel
def saxpy(y: Mut["N"], x: Ref["N"], a: f32):
    y.store(a * x.load_like(y) + y.load())


def main() -> int:
    """Builds the stub driver, and runs itself with it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--launches", type=int, default=1_000_000)
    parser.add_argument("--most", type=float, default=2.0, help="MiB that memory may grow by")
    parser.add_argument("--threads", type=int, default=0, help="the second mode, with so many")
    parser.add_argument("--streams", type=int, default=4)
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--on-stub", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.on_stub and given.threads:
        from chaos import chaos

        return chaos(given.threads, given.streams, given.steps, given.seed)
    if given.on_stub:
        return soak(given.launches, given.most)
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "libcuda.so.1"
        compiler = os.environ.get("CC", "cc")
        options = ["-O1", "-w", "-shared", "-fPIC", "-pthread"]
        subprocess.run([compiler, *options, "-o", str(library), str(HERE / "stub_driver.c")], check=True)
        # Large blocks are mapped by themselves, so that what the allocator keeps does not look like a leak.
        environment = {
            **os.environ, "LD_LIBRARY_PATH": folder, "FREEHOLD_CACHE_DIR": "", "MALLOC_MMAP_THRESHOLD_": "65536",
        }  # fmt: skip
        return subprocess.run([sys.executable, *sys.argv, "--on-stub"], env=environment, check=False).returncode


def resident() -> float:
    """This process's memory, in MiB."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / MIB


class Described:
    """Another library's array, over a tensor's memory: what it says of itself."""

    def __init__(self, tensor: fh.Tensor):
        self.tensor = tensor
        self.__cuda_array_interface__ = {
            "shape": tensor.shape, "typestr": "<f4", "data": (tensor.pointer, False), "version": 3,
        }  # fmt: skip


class Mix:
    """All ways to launch, in turns."""

    def __init__(self) -> None:
        self.streams = [new_stream(0) for _ in range(4)]
        self.y, self.x = (fh.zeros((4096,), fh.f32, device=0).sync() for _ in range(2))
        self.theirs = [Described(fh.zeros((4096,), fh.f32, device=0).sync()) for _ in range(2)]
        self.bound = saxpy.bind(fh.partition(self.y, 1024), self.x, 2.0)
        self.mixed = saxpy.bind(fh.partition(self.y, 1024), self.theirs[1], 2.0)
        self.loop = asyncio.new_event_loop()
        with fh.graph() as self.graph:
            for _ in range(4):
                self.graph.record(saxpy(fh.partition(self.y, 1024), self.x, 2.0))

    def turn(self, number: int) -> int:
        """One of each; returns how many launches that were."""
        y, x, stream = self.y, self.x, self.streams[number % 4]
        for _ in range(176):  # on one stream, as most launches are
            saxpy(fh.partition(y, 1024), x, 2.0).on()
        for n, other in enumerate(self.streams):  # halves of one tensor on several
            half = y[: 2048 + n]
            saxpy(fh.partition(half, 1024), x[: half.shape[0]], 2.0).on(other)
        for n in range(16):  # other libraries' memory, theirs and mixed
            given = Described(self.theirs[n % 2].tensor)  # a new object each time
            saxpy(fh.partition(given if n % 2 else y, 1024), self.theirs[1] if n % 2 == 0 else x, 2.0).on()
        for _ in range(16):
            self.bound.on()
            self.mixed.on()
        self.bound.on(stream)
        for _ in range(4):
            self.graph.replay().on()
        self.loop.run_until_complete(self.waited(stream))
        come_and_go(stream, x)
        adopt(y)
        return 256

    async def waited(self, stream: Any) -> None:
        """Launches that are awaited: by themselves, gathered, chained, in flight, and one that is given up."""
        part = fh.partition(self.y, 1024)
        await saxpy(part, self.x, 2.0)
        await fh.gather([self.bound, saxpy(part, self.theirs[0], 2.0)])
        await saxpy(part, self.x, 2.0).then(lambda y: saxpy(fh.partition(y, 1024), self.x, 1.0))
        await saxpy(part, self.x, 2.0).on(stream)
        given_up = asyncio.ensure_future(self.awaited(saxpy(part, self.x, 2.0)))
        await asyncio.sleep(0)
        given_up.cancel()
        with suppress(asyncio.CancelledError):
            await given_up

    async def awaited(self, launch: Any) -> None:
        """As a coroutine."""
        await launch


def soak(launches: int, most: float) -> int:
    """All launches, and what memory did."""
    the_stub()
    mix = Mix()
    step = max(1, launches // 10)
    first, started = 0.0, time.process_time()
    done = before = 0
    while done < launches:
        done += mix.turn(done // 256)
        if done % 4096 == 0:
            mix.y.numpy()
            with mix.x.borrow_mut() as inside:
                inside[0] = done
        if done // step != before // step:
            now = resident()
            first = first or now
            waiting = len(still_kept())
            took = (time.process_time() - started) / done * 1e6
            print(
                f"{done:>10} launches  {now:7.1f} MiB  {waiting} kept  {took:.1f} us of the processor each",
                flush=True,
            )
        before = done
    grown = resident() - first
    print(f"memory grew by {grown:.2f} MiB after the first tenth; {most:.2f} are allowed")
    return int(grown > most)


def adopt(y: fh.Tensor) -> None:
    """Memory of another library as a tensor, used and dropped, and copied from."""
    theirs = fh.zeros((4096,), fh.f32, device=0).sync()
    adopted = fh.from_dlpack(Described(theirs))
    saxpy(fh.partition(adopted, 1024), y, 1.0).on()
    y.copy_from(Described(theirs)).on()


def come_and_go(stream: Any, x: fh.Tensor) -> None:
    """Tensors that live for a launch or two, views, moves, exports."""
    made = fh.zeros((4096,), fh.f32, device=0).on(stream).value
    saxpy(fh.partition(made, 1024), x, 1.0).on(stream)
    owner = made.reshape(64, 64)[1:].move()
    owner.copy().on(stream)
    owner.__dlpack__(stream=1, max_version=(1, 0))
    given = fh.from_numpy(np.ones(128, np.float32), device=0).on().value
    given.free()


if __name__ == "__main__":
    sys.exit(main())
