"""
What threads do at once, in every order: each pair of actions under every schedule with few preemptions.

    python test/runtime/switches.py [--preemptions 1] [--within ledger,timeline] [--opcodes] [--sample 0]

Two threads run in turns, one at a time. A switch may come before each line of `freehold.runtime` that either executes
(before each opcode, with `--opcodes`); all schedules with up to `--preemptions` switches are run, or `--sample` of the
deepest ones, drawn by chance. With one switch these are fifteen thousand, which take minutes, in `--jobs` processes at
once; with two more than a million a scene, which takes hours: `--within` has switches come only before lines of the
files that it names, where what threads share is looked at and changed. Most faults of threads need one or two switches
only ("Iterative context bounding", Musuvathi and Qadeer, PLDI 2007). A thread that waits for a lock hands over by
itself. After each run the stub driver tries orders of what was enqueued, and the memory has to be what one action after
the other gives, whichever came first.

Steps in C are not divided: they run under the interpreter's lock. The locks of `freehold.runtime` are ours here
(`Turnstile`), so the native module is left out; `--open` lets them lock nothing, and then something must go wrong.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from time import perf_counter
from types import FrameType
from typing import Any

os.environ["FREEHOLD_NATIVE"] = "0"
REAL = threading.RLock


class Deadlock(Exception):
    """No thread can go on."""


class Turnstile:
    """A lock that the schedule sees: who has to wait for it hands over."""

    opened = False
    """Whether it locks nothing, which has to be found out."""
    schedule: Any = None
    """The one that is running."""

    def __init__(self) -> None:
        self.inner = REAL()

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """As of `RLock`."""
        schedule = Turnstile.schedule
        if schedule is None or threading.current_thread() not in schedule.threads:
            return self.inner.acquire(blocking, timeout)
        if Turnstile.opened:
            return True
        while not self.inner.acquire(blocking=False):
            schedule.hand_over()
        return True

    def release(self) -> None:
        """As of `RLock`."""
        schedule = Turnstile.schedule
        if not (Turnstile.opened and schedule is not None and threading.current_thread() in schedule.threads):
            self.inner.release()

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()

    def __getattr__(self, name: str) -> Any:  # what conditions and forks ask for
        return getattr(self.inner, name)


class Bell(threading.Condition):
    """A condition whose waiting thread hands over. It may wake for nothing, as any may: who waits looks again."""

    def wait(self, timeout: float | None = None) -> bool:
        schedule = Turnstile.schedule
        if schedule is None or threading.current_thread() not in schedule.threads:
            return super().wait(timeout)
        lock: Any = getattr(self, "_lock")  # noqa: B009 -- that of `threading`
        count = lock.inner._release_save()[0]
        schedule.hand_over()
        for _ in range(count):
            lock.acquire()
        return True


KINDS = {"RLock": Turnstile, "Lock": Turnstile, "Condition": Bell}
BEFORE = {name: getattr(threading, name) for name in KINDS}
for name, kind in KINDS.items():  # before Freehold makes its locks
    setattr(threading, name, kind)
import numpy as np  # noqa: E402
from mixing import mix, mixed  # noqa: E402
from stub import the_stub  # noqa: E402

import freehold as fh  # noqa: E402
from freehold.runtime.gpu import driver  # noqa: E402

for name in fh.__all__:  # what is imported when it is first asked for makes locks, too
    getattr(fh, name)
for name, kind in BEFORE.items():
    setattr(threading, name, kind)
ROOM = os.path.dirname(os.path.dirname(driver.__file__))
ALONE = ("/base/call_site.py", "/errors/")
"""
Files whose lines are no steps: they find out where a program called, and write what it is told. They read code objects
and their arguments, and change nothing that another thread sees, so a switch before one of their lines gives what a
switch before the next line of another file gives. A refused launch has twelve thousand of them.
"""
N = 64
LONGEST = 600.0
"""Seconds after which threads are taken to be deadlocked."""
MOST_WAITS = 1000
"""How often threads hand over in one schedule before neither can go on."""

ORDERS = 6
"""In which what was enqueued is run, after each schedule."""


class Schedule:
    """Two threads in turns."""

    within: tuple[str, ...] = ()
    """Files before whose lines a switch may come; none: all of the runtime."""

    def __init__(self, actions: list[Callable[[], object]], first: int, switches: set[int], opcodes: bool):
        self.switches = switches
        """Before which steps, counted over both threads, the other one gets its turn."""
        self.opcodes = opcodes
        self.steps = 0
        self.raised: list[BaseException] = []
        self.turns = [threading.Semaphore(0) for _ in actions]
        self.now = first
        self.over: set[int] = set()
        self.waited = 0
        self.threads = {threading.Thread(target=self.begin, args=(n, a)): n for n, a in enumerate(actions)}

    def run(self) -> int:
        """Runs them; returns how many steps there were. Raises what was raised first."""
        Turnstile.schedule = self
        for thread in self.threads:
            thread.start()
        self.turns[self.now].release()
        for thread in self.threads:
            thread.join(LONGEST)
            if thread.is_alive():
                raise Deadlock
        Turnstile.schedule = None
        if self.raised:
            raise self.raised[0]
        return self.steps

    def begin(self, number: int, action: Callable[[], object]) -> None:
        """A thread's life."""
        self.turns[number].acquire()
        sys.settrace(self.seen)
        try:
            action()
        except BaseException as e:
            self.raised.append(e)
        finally:
            sys.settrace(None)
            self.over.add(number)
            self.now = 1 - number
            self.turns[self.now].release()

    def seen(self, frame: FrameType, event: str, _: object) -> Callable[[FrameType, str, object], Any] | None:
        """A frame is entered: lines of the runtime are steps."""
        file = frame.f_code.co_filename
        if not file.startswith(ROOM) or (self.within and not file.endswith(self.within)):
            return None
        if any(alone in file for alone in ALONE):
            return None
        frame.f_trace_opcodes = self.opcodes
        return self.step

    def step(self, frame: FrameType, event: str, _: object) -> Callable[[FrameType, str, object], Any]:
        """Before a line, or an opcode."""
        if event == ("opcode" if self.opcodes else "line"):
            self.steps += 1
            if self.steps in self.switches:
                self.other()
        return self.step

    def hand_over(self) -> None:
        """This thread cannot go on."""
        self.waited += 1
        if self.waited > MOST_WAITS:
            raise Deadlock
        self.other()

    def other(self) -> None:
        """Lets the other thread run, unless it is over."""
        me = self.threads[threading.current_thread()]
        if 1 - me in self.over:
            return
        self.now = 1 - me
        self.turns[1 - me].release()
        self.turns[me].acquire()


# --- What is done at once ---------------------------------------------------------------------------------------------


@dataclass
class Memory:
    """Three tensors, what they were, and two streams."""

    streams: list[Any]
    arrays: list[Any] = field(default_factory=list[Any])
    tensors: list[Any] = field(default_factory=list[Any])
    seen: list[Any] = field(default_factory=list[Any])
    """What the host read."""
    refused: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        self.arrays = [np.random.default_rng(n).integers(-(2**31), 2**31, N, dtype=np.int32) for n in range(3)]
        self.tensors = [fh.from_numpy(array, device=0).sync() for array in self.arrays]

    def launch(self, to: int, of: int, stream: int) -> None:
        """Enqueues `mix`, unless that is refused."""
        try:
            mix(fh.partition(self.tensors[to], 16), self.tensors[of]).on(self.streams[stream])
        except fh.Rejected as e:
            self.refused += e.codes

    def read(self, of: int) -> None:
        """Reads a tensor on the host."""
        try:
            with self.tensors[of].borrow() as inside:
                self.seen.append(np.array(inside))
        except fh.Rejected as e:
            self.refused += e.codes

    def free(self, which: int) -> None:
        """Gives a tensor's memory back."""
        with suppress(fh.Rejected):
            self.tensors[which].free()

    def values(self, *which: int) -> list[Any]:
        """What tensors are now."""
        return [self.tensors[n].numpy() for n in which]


def same(one: Any, other: Any) -> bool:
    """Whether arrays are equal, pair by pair."""
    return len(one) == len(other) and all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def two_writers(m: Memory) -> tuple[list[Callable[[], object]], Callable[[], bool]]:
    """Both write one tensor, on two streams."""
    y, x, z = m.arrays
    allowed = mixed(mixed(y, x), z), mixed(mixed(y, z), x)
    return [lambda: m.launch(0, 1, 0), lambda: m.launch(0, 2, 1)], lambda: any(same(m.values(0), [a]) for a in allowed)


def writer_and_reader(m: Memory) -> tuple[list[Callable[[], object]], Callable[[], bool]]:
    """One writes what the other reads, on another stream."""
    y, x, z = m.arrays
    after = mixed(y, x)
    allowed = [after, mixed(z, y)], [after, mixed(z, after)]
    return [lambda: m.launch(0, 1, 0), lambda: m.launch(2, 0, 1)], lambda: any(same(m.values(0, 2), a) for a in allowed)


def twice_and_back(m: Memory) -> tuple[list[Callable[[], object]], Callable[[], bool]]:
    """One goes on where the other comes between."""
    y, x, z = m.arrays
    orders = (x, x, z), (x, z, x), (z, x, x)
    allowed = [mixed(mixed(mixed(y, a), b), c) for a, b, c in orders]

    def both() -> None:
        m.launch(0, 1, 0)
        m.launch(0, 1, 1)

    return [both, lambda: m.launch(0, 2, 1)], lambda: any(same(m.values(0), [a]) for a in allowed)


def launch_and_borrow(m: Memory) -> tuple[list[Callable[[], object]], Callable[[], bool]]:
    """The host reads what a launch writes: all of it before, or all of it after, unless the launch is refused."""
    y, x, _ = m.arrays
    after = mixed(y, x)

    def right() -> bool:
        if m.refused:
            return m.refused == ["O251"] and same(m.seen, [y]) and same(m.values(0), [y])
        return same(m.values(0), [after]) and any(same(m.seen, [a]) for a in (y, after))

    return [lambda: m.launch(0, 1, 0), lambda: m.read(0)], right


def launch_and_free(m: Memory) -> tuple[list[Callable[[], object]], Callable[[], bool]]:
    """The memory is given back: after the launch, or the launch is refused."""
    return [lambda: m.launch(0, 1, 0), lambda: m.free(1)], lambda: m.refused in ([], ["O254"])


def launch_and_drop(m: Memory) -> tuple[list[Callable[[], object]], Callable[[], bool]]:
    """What one thread makes and drops, beside another's."""

    def one() -> None:
        made = fh.zeros((N,), fh.i32, device=0).on(m.streams[0]).value
        mix(fh.partition(made, 16), m.tensors[1]).on(m.streams[1])

    return [one, lambda: m.launch(0, 1, 0)], lambda: same(m.values(0), [mixed(m.arrays[0], m.arrays[1])])


def shared_by_two(m: Memory) -> tuple[list[Callable[[], object]], Callable[[], bool]]:
    """A shared operation runs once, whoever comes first."""
    once = mix(fh.partition(m.tensors[0], 16), m.tensors[1]).shared()
    return [lambda: once.on(m.streams[0]), lambda: once.sync()], lambda: same(
        m.values(0), [mixed(m.arrays[0], m.arrays[1])]
    )


SCENES = (
    two_writers, writer_and_reader, twice_and_back, launch_and_borrow, launch_and_free, launch_and_drop, shared_by_two,
)  # fmt: skip
WAITING = (launch_and_borrow, launch_and_free, shared_by_two)
"""In which somebody waits for the GPU, so that it must go on meanwhile."""


# --- All schedules ----------------------------------------------------------------------------------------------------


class Explorer:
    """Runs scenes under schedules, and counts."""

    def __init__(self, opcodes: bool):
        self.stub = the_stub()
        self.streams = [driver.new_stream(0) for _ in range(2)]
        self.opcodes = opcodes
        self.tried = 0
        self.wrong: list[str] = []

    def attempt(self, scene: Callable[[Memory], Any], first: int, switches: tuple[int, ...]) -> int:
        """One schedule; returns its number of steps."""
        stray = self.stub.stub_stray()
        memory = Memory(self.streams)
        actions, right = scene(memory)
        hold = scene not in WAITING
        self.stub.stub_defer(1 + self.tried)
        self.stub.stub_hold(int(hold))
        schedule = Schedule(actions, first, set(switches), self.opcodes)
        why = ""
        try:
            schedule.run()
            if hold and self.stub.stub_interleave(ORDERS):
                why = "another order of the streams gives another result"
        except BaseException as e:
            why = f"{type(e).__name__}: {e}"
            Turnstile.schedule = None
        self.stub.stub_hold(0)
        self.stub.stub_defer(0)
        if not why and not right():
            why = f"no order of the two gives this; refused: {memory.refused}"
        if not why and self.stub.stub_stray() != stray:
            why = "memory was used that was not allocated"
        self.tried += 1
        if why:
            self.wrong.append(f"{scene.__name__}, thread {first} first, switches at {switches}: {why}")
        return schedule.steps

    def explore(self, scene: Callable[[Memory], Any], preemptions: int, sample: int, seed: int) -> None:
        """All schedules of a scene; of the deepest only a sample, if there is one."""
        for first in (0, 1):
            self.attempt(scene, first, ())  # what is made at first use
            known: dict[tuple[int, ...], int] = {(): self.attempt(scene, first, ())}
            for depth in range(1, preemptions + 1):
                wanted = list(self.deeper(known))
                if sample and depth == preemptions and len(wanted) > sample:
                    wanted = random.Random(seed).sample(wanted, sample)
                known = {}
                for switches in wanted:
                    known[switches] = self.attempt(scene, first, switches)
                    if len(self.wrong) > 4:
                        return

    def deeper(self, known: dict[tuple[int, ...], int]) -> Iterator[tuple[int, ...]]:
        """Schedules with one switch more, behind the last."""
        for switches, steps in known.items():
            for at in range(switches[-1] + 1 if switches else 1, steps + 1):
                yield *switches, at


def by_itself(scene: Callable[[Memory], Any]) -> int:
    """Runs one scene in a process of its own; returns its status."""
    return subprocess.run([sys.executable, *sys.argv, "--only", scene.__name__, "--jobs", "1"], check=False).returncode


def main() -> int:
    """Runs it and prints what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preemptions", type=int, default=1)
    parser.add_argument("--opcodes", action="store_true", help="switch before opcodes, not lines")
    parser.add_argument("--sample", type=int, default=0, help="of the deepest schedules of each scene; 0: all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--open", action="store_true", help="locks lock nothing: something must go wrong")
    parser.add_argument("--only", default="", help="scenes with this in their name")
    parser.add_argument("--jobs", type=int, default=1, help="scenes that are run at once, each in a process of its own")
    parser.add_argument("--within", default="", help="switch before lines of these files only: ledger,timeline")
    given = parser.parse_args()
    scenes = [scene for scene in SCENES if given.only in scene.__name__]
    if given.jobs > 1:
        with ThreadPoolExecutor(given.jobs) as pool:
            return max(pool.map(by_itself, scenes))
    Turnstile.opened = given.open
    Schedule.within = tuple(f"/{name}.py" for name in given.within.split(",") if name)
    explorer = Explorer(given.opcodes)
    began = perf_counter()
    for scene in scenes:
        before = explorer.tried
        explorer.explore(scene, given.preemptions, given.sample, given.seed)
        print(f"{scene.__name__}: {explorer.tried - before} schedules", flush=True)
    print(f"{explorer.tried} schedules, {perf_counter() - began:.0f} s: {len(explorer.wrong)} wrong")
    for line in explorer.wrong[:8]:
        print(f"  {line}")
    return int(bool(explorer.wrong))


if __name__ == "__main__":
    sys.exit(main())
