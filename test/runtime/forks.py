"""
Processes that are forked at every step of another thread: `python test/runtime/on_stub.py forks.py [--every 1]`.

One thread works. Before each line of `freehold.runtime` that it executes it waits, and the main thread forks: so the
child finds whatever the line was in the middle of, a lock that is held or a record that is half written. The child
drops what it inherited, and works on the host: it launches a kernel that is known, and the one that the thread compiles
just then, waits for a shared operation, reads what was lent. It has to end, with the right numbers. `--every 10` forks
at each tenth line only. Lines in C are not divided: `--native` leaves them in, and forks between them.
"""

from __future__ import annotations

import argparse
import asyncio
import faulthandler
import os
import sys
import threading
import traceback
import warnings
from collections.abc import Callable
from types import FrameType
from typing import Any

if "--native" not in sys.argv:
    os.environ["FREEHOLD_NATIVE"] = "0"
import numpy as np
from mixing import Foreign, mixed
from stub import the_stub

import freehold as fh
from freehold import Mut, Ref
from freehold.runtime.errors import every
from freehold.runtime.gpu import driver

ROOM = os.path.dirname(os.path.dirname(driver.__file__))
N = 64
UNRAISED: list[str] = []
"""What handlers of forks raised, and nobody was told."""
LONGEST = 600.0
"""Seconds after which a child is taken to hang: it says where."""


def unraised(found: Any) -> None:
    """Takes note of what was raised where nobody can be told."""
    UNRAISED.append(repr(found.exc_value))
    print(f"raised in {found.object}: {found.exc_value!r}", flush=True)


def kernel() -> Any:
    """A kernel that nobody has compiled."""

    @fh.kernel
    def mix(y: Mut["N"], x: Ref["N"]):
        y.store(y.load() * 1664525 + x.load_like(y) * 1013904223 + 12345)

    return mix


def refused(function: Callable[[], Any]) -> Any:
    """What a function returns, or the code of its refusal."""
    try:
        return function()
    except fh.Rejected as e:
        return e.codes[0]


class World:
    """What the thread and the children use."""

    def __init__(self) -> None:
        self.known, self.fresh = kernel(), kernel()
        self.ones = np.ones(N, np.int32)
        self.y: Any = self.on_gpu(0)
        self.x: Any = self.on_gpu(1)
        self.z: Any = self.on_gpu(2)
        self.locked: Any = fh.page_locked((N,), fh.i32, device=0).sync()
        self.host = fh.ones((N,), fh.i32, device=fh.HOST).sync()
        self.graph: Any = fh.graph()
        with self.graph:
            self.graph.record(self.step(self.z, self.x))
        self.once = self.known(fh.partition(self.ones.copy(), 16), self.ones).shared()
        self.streams: Any = [driver.new_stream(0) for _ in range(2)]
        self.kept: list[Any] = []
        self.works()

    def on_gpu(self, number: int) -> Any:
        """A tensor of one number."""
        return fh.from_numpy(self.ones * number, device=0).sync()

    def step(self, y: Any, x: Any) -> Any:
        """A launch of the kernel that is known."""
        return self.known(fh.partition(y, 16), x)

    def works(self) -> None:
        """Launches on the host, and looks at what comes of it."""
        for each in (self.known, self.fresh) if self.kept else (self.known,):
            y = self.ones.copy()
            each(fh.partition(y, 16), self.ones).sync()
            assert np.array_equal(y, mixed(self.ones, self.ones)), "a launch on the host is wrong"

    def child(self) -> None:
        """What a forked process does."""
        y, x = self.y, self.x
        self.y = self.x = self.z = self.locked = self.graph = self.streams = None
        self.kept = [True]
        self.works()
        found = refused(lambda: int(self.host.numpy()[0]))
        assert found in (1, 7, "O251"), f"what the host has is {found}"  # the thread may have lent it to itself
        found = refused(lambda: self.once.sync())
        assert isinstance(found, np.ndarray) or found == "O269", f"a shared operation is {found}"
        found = refused(lambda: self.step(y, x).sync())
        assert found == "O281", f"a launch on the GPU is {found}"


# --- What the thread does ---------------------------------------------------------------------------------------------


def launches(w: World) -> None:
    """On a GPU, of tensors on two streams, and of another library's."""
    w.step(w.y, w.x).on(w.streams[0])
    w.step(w.z, w.y).on(w.streams[1])
    w.step(w.y, Foreign(w.x)).on(w.streams[0])
    w.step(w.y, w.x).sync()


def compiles(w: World) -> None:
    """For the first time, on the host and on a GPU."""
    y = w.ones.copy()
    w.fresh(fh.partition(y, 16), w.ones).sync()
    w.fresh(fh.partition(w.y, 16), w.x).sync()


def interprets(w: World) -> None:
    """On the host, arrays of NumPy's and tensors."""
    w.step(w.ones.copy(), w.ones).sync()
    w.step(fh.ones((N,), fh.i32, device=fh.HOST), w.ones).sync()


def reads(w: World) -> None:
    """What is on a GPU, lent, copied, and in page-locked memory."""
    with w.y.borrow() as inside:
        assert len(inside) == N
    w.x.numpy()
    w.y.copy_from(w.locked).on(w.streams[0])
    w.host.fill(7).sync()
    with w.host.borrow_mut() as inside:
        inside[0] = 7


def comes_and_goes(w: World) -> None:
    """Tensors and graphs, that are dropped while something uses them."""
    made = w.y.copy().on(w.streams[0]).value
    w.step(made, w.x).on(w.streams[1])
    del made
    fh.from_dlpack(Foreign(w.z)).copy().on(w.streams[0])
    fh.page_locked((N,), fh.i32, device=0).sync()
    with fh.graph() as graph:
        graph.record(w.step(w.z, w.x))
    graph.replay().on(w.streams[1])
    del graph
    w.y.move().free()


def awaits(w: World) -> None:
    """A launch, and a shared operation."""

    async def main() -> None:
        await w.step(w.y, w.x)
        await w.once

    asyncio.run(main())


SCENES = (launches, compiles, interprets, reads, comes_and_goes, awaits)


# --- At every step ----------------------------------------------------------------------------------------------------


class Forks:
    """A thread that works, and a main thread that forks before its steps."""

    def __init__(self, action: Callable[[World], None], every: int):
        self.action = action
        self.every = every
        self.world = World()
        self.steps = 0
        self.turn = threading.Semaphore(0)
        self.back = threading.Semaphore(0)
        self.over = False
        self.where = ""
        self.wrong: list[str] = []

    def run(self) -> int:
        """Runs it; returns how many processes were forked."""
        forked = 0
        thread = threading.Thread(target=self.work)
        thread.start()
        while True:
            self.turn.acquire()
            if self.over:
                break
            forked += 1
            self.fork()
            self.back.release()
        thread.join()
        return forked

    def work(self) -> None:
        """The thread's life."""
        sys.settrace(self.seen)
        try:
            self.action(self.world)
        except BaseException:
            self.wrong.append(traceback.format_exc())
        finally:
            sys.settrace(None)
            self.over = True
            self.turn.release()

    def seen(self, frame: FrameType, event: str, _: object) -> Callable[[FrameType, str, object], Any] | None:
        """A frame is entered: lines of the runtime are steps."""
        return self.step if frame.f_code.co_filename.startswith(ROOM) and not self.wrong else None

    def step(self, frame: FrameType, event: str, _: object) -> Callable[[FrameType, str, object], Any]:
        """Before a line."""
        self.steps += event == "line"
        if event == "line" and not self.steps % self.every and not self.wrong:
            self.where = f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"
            self.turn.release()
            self.back.acquire()
        return self.step

    def fork(self) -> None:
        """A child, and what becomes of it."""
        child = os.fork()
        if not child:
            status = 1
            try:
                faulthandler.dump_traceback_later(LONGEST, exit=True)
                self.world.child()
                status = len(UNRAISED)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(status)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status:
            self.wrong.append(f"a process that was forked before {self.where} ended with {status}")


def main() -> int:
    """Runs it and prints what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, help="lines from one fork to the next")
    parser.add_argument("--only", default="", help="scenes with this in their name")
    parser.add_argument("--native", action="store_true", help="with the native module")
    given = parser.parse_args()
    assert every  # imported before it forks: a child refuses something, and the import would take most of its time
    warnings.simplefilter("ignore")  # operations that are never run say so, and forks with threads since Python 3.12
    the_stub()
    sys.unraisablehook = unraised
    wrong = 0
    for scene in SCENES:
        if given.only in scene.__name__:
            forks = Forks(scene, given.every)
            print(f"{scene.__name__}: {forks.run()} processes, {forks.steps} steps", flush=True)
            for text in forks.wrong:
                print(f"  {text}")
            wrong += len(forks.wrong)
    print(f"{wrong} wrong")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
