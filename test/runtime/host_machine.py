"""
The host's side against a model: tensors and slices that are launched on, copied, lent, moved, freed, dropped and
recorded, in all orders. The model is NumPy's arrays and a few lists; it says what each step gives, or by which codes it
is refused.

`test_host_machine.py` runs it on the interpreter, `stub_machine.py` on a driver whose streams run in random orders.
"""

from __future__ import annotations

import asyncio
import gc
import random
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, multiple, rule
from mixing import mix, mixed

import freehold as fh
from freehold.runtime.operations.operation import Operation

N = 64
STEP = 16
NOTHING: Any = multiple()  # pyright: ignore[reportUnknownVariableType] -- of nothing
"""What a rule gives that gives nothing."""


@dataclass(eq=False)
class Root:
    """An allocation, as the model sees it."""

    array: Any
    moves: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """What was moved, in order."""
    holds: list[Held] = field(default_factory=list["Held"])
    freed: bool = False


@dataclass(eq=False)
class Handle:
    """A tensor with what the model knows of it."""

    tensor: Any
    root: Root
    low: int
    high: int
    born: int
    """How many moves there were before it."""

    @property
    def array(self) -> Any:
        """What it must be."""
        return self.root.array[self.low : self.high]

    def meets(self, low: int, high: int) -> bool:
        """Whether it has elements among these."""
        return self.low < high and low < self.high

    def refusals(self, *, write: bool, whole: bool = False) -> set[str]:
        """By which codes a use is refused. `whole` says that holds of the whole allocation count."""
        found: set[str] = set()
        if self.root.freed:
            return {"O254"}
        if any(self.meets(*move) for move in self.root.moves[self.born :]):
            found.add("O250")
        for held in self.root.holds:
            if (whole or self.meets(held.low, held.high)) and (write or held.exclusive):
                found.add("O251")
        return found


@dataclass(eq=False)
class Held:
    """A tensor that is lent to the host."""

    root: Root
    low: int
    high: int
    exclusive: bool
    scope: AbstractContextManager[Any]
    array: Any


@dataclass(eq=False)
class Recorded:
    """A graph, and the launches in it."""

    graph: Any
    steps: list[tuple[Handle, Handle]]


async def cancelled(operation: Operation[Any]) -> None:
    """Begins to await, and stops."""

    async def awaited() -> Any:
        return await operation

    task = asyncio.create_task(awaited())
    await asyncio.sleep(0)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def awaited(operation: Operation[Any]) -> Any:
    """Its value."""
    return await operation


def in_thread(function: Callable[[], Any]) -> Any:
    """Calls a function in another thread; raises what it raises."""
    found: list[Any] = []

    def run() -> None:
        try:
            found.append((function(), None))
        except BaseException as e:
            found.append((None, e))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    value, error = found[0]
    if error is not None:
        raise error
    return value


WAYS = ("sync", "on", "await", "cancel", "thread", "chain", "argument", "enqueue in a thread")


class HostMachine(RuleBasedStateMachine):
    """All that a program may do with tensors."""

    handles: Bundle[Handle] = Bundle("handles")
    graphs: Bundle[Recorded] = Bundle("graphs")
    device = fh.HOST

    def __init__(self) -> None:
        super().__init__()
        self.roots: list[Root] = []
        self.flying: list[Any] = []
        self.chosen = random.Random(0)

    # --- Streams and progress: for those who have them ----------------------------------------------------------------

    def stream(self) -> Any:
        """A stream to enqueue on, or None."""
        return None

    def teardown(self) -> None:
        """Ends what is open and compares everything."""
        for root in self.roots:
            for held in list(root.holds):
                self.end(held)

    @initialize(target=handles, seed=st.integers(0, 1000))
    def begin(self, seed: int) -> Any:
        """Two tensors to begin with."""
        self.chosen = random.Random(seed)
        return multiple(self.made(seed), self.made(seed + 1))

    @rule(target=handles, seed=st.integers(0, 1000))
    def make(self, seed: int) -> Handle:
        """A new tensor."""
        return self.made(seed)

    def made(self, seed: int) -> Handle:
        """A tensor of random numbers."""
        array = np.random.default_rng(seed).integers(-(2**31), 2**31, N, dtype=np.int32)
        root = Root(array.copy())
        self.roots.append(root)
        return Handle(fh.from_numpy(array, device=self.device).sync(), root, 0, N, 0)

    @rule(target=handles, of=handles, begin=st.integers(0, 3), length=st.integers(1, 4))
    def slice(self, of: Handle, begin: int, length: int) -> Handle:
        """A view."""
        extent = of.high - of.low
        begin = min(begin * STEP, extent - STEP)
        end = min(begin + length * STEP, extent)
        return Handle(of.tensor[begin:end], of.root, of.low + begin, of.low + end, of.born)

    # --- Work ---------------------------------------------------------------------------------------------------------

    @rule(y=handles, x=handles, how=st.sampled_from(WAYS))
    def launch(self, y: Handle, x: Handle, how: str) -> None:
        """A launch that writes y and reads x, run in one of all ways."""
        y, x = same_length(y, x)
        refusals = y.refusals(write=True) | x.refusals(write=False)
        if y.root is x.root and y.meets(x.low, x.high):
            refusals.add("O201")

        def operation() -> Operation[Any]:
            return mix(fh.partition(y.tensor, STEP), x.tensor)

        def run() -> None:
            if how == "sync":
                operation().sync()
            elif how == "on":
                self.flying.append(operation().on(self.stream()))
            elif how == "await":
                asyncio.run(awaited(operation()))
            elif how == "cancel":
                asyncio.run(cancelled(operation()))
            elif how == "thread":
                in_thread(lambda: operation().sync())
            elif how == "enqueue in a thread":
                self.flying.append(in_thread(lambda: operation().on(self.stream())))
            elif how == "chain":
                fh.value(None).then(lambda _: operation()).map(str).on(self.stream())
            else:
                given = fh.value(y.tensor).map(lambda t: t)
                mix(fh.partition(given, STEP), fh.value(x.tensor)).on(self.stream())

        if self.done(run, refusals):
            y.array[...] = mixed(y.array, x.array)

    @rule(y=handles, x=handles)
    def copy(self, y: Handle, x: Handle) -> None:
        """A copy between tensors."""
        y, x = same_length(y, x)
        refusals = y.refusals(write=True) | x.refusals(write=False)
        if y.root is x.root and y.meets(x.low, x.high) and (y.low, y.high) != (x.low, x.high) and not refusals:
            return  # whether an overlapping copy is refused or staged is another test's business
        if y.root is x.root and (y.low, y.high) == (x.low, x.high):
            return
        if self.done(lambda: y.tensor.copy_from(x.tensor).on(self.stream()), refusals):
            y.array[...] = x.array

    @rule(y=handles, value=st.integers(-5, 5))
    def fill(self, y: Handle, value: int) -> None:
        """One value for all elements."""
        if self.done(lambda: y.tensor.fill(value).on(self.stream()), y.refusals(write=True)):
            y.array[...] = value

    @rule(x=handles)
    def read(self, x: Handle) -> None:
        """What it holds is what the model holds."""
        found: list[Any] = []
        if self.done(lambda: found.append(x.tensor.numpy()), x.refusals(write=False)):
            assert np.array_equal(found[0], x.array), (found[0], x.array)

    @rule(seed=st.integers(0, 1000), y=handles, x=handles)
    def threads(self, seed: int, y: Handle, x: Handle) -> None:
        """Two threads that write different tensors and read a third, and each other's never."""
        first, second = self.made(seed), self.made(seed + 1)
        both = [first, second]
        source, target = same_length(x, first)
        if source.refusals(write=False):
            return

        def work(of: Handle) -> None:
            view = of.tensor[target.low : target.high]
            for _ in range(4):
                mix(fh.partition(view, STEP), source.tensor).on(self.stream())
                mix(fh.partition(view, STEP), source.tensor).sync()

        threads = [threading.Thread(target=work, args=(of,)) for of in both]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for of in both:
            part = of.root.array[target.low : target.high]
            for _ in range(8):
                part[...] = mixed(part, source.array)
            assert np.array_equal(of.tensor.numpy(), of.root.array)

    # --- Owners -------------------------------------------------------------------------------------------------------

    @rule(x=handles, exclusive=st.booleans())
    def borrow(self, x: Handle, exclusive: bool) -> None:
        """Lends it to the host, until a later step."""
        scope = x.tensor.borrow_mut() if exclusive else x.tensor.borrow()
        found: list[Any] = []
        if self.done(lambda: found.append(scope.__enter__()), x.refusals(write=exclusive)):
            assert np.array_equal(found[0], x.array)
            assert found[0].flags.writeable == exclusive
            x.root.holds.append(Held(x.root, x.low, x.high, exclusive, scope, found[0]))

    @rule(value=st.integers(-5, 5))
    def give_back(self, value: int) -> None:
        """The host is done with what was lent to it last, and wrote it if it could."""
        held = [h for root in self.roots for h in root.holds]
        if held:
            if held[-1].exclusive:
                held[-1].array[...] = value
                held[-1].root.array[held[-1].low : held[-1].high] = value
            self.end(held[-1])

    def end(self, held: Held) -> None:
        """Ends what was lent."""
        held.root.holds.remove(held)
        held.scope.__exit__(None, None, None)

    @rule(target=handles, x=handles)
    def move(self, x: Handle) -> Any:
        """A new owner."""
        found: list[Any] = []
        if not self.done(lambda: found.append(x.tensor.move()), x.refusals(write=True)):
            return NOTHING
        x.root.moves.append((x.low, x.high))
        return Handle(found[0], x.root, x.low, x.high, len(x.root.moves))

    @rule(x=handles)
    def free(self, x: Handle) -> None:
        """The end of the whole allocation."""
        if self.done(x.tensor.free, x.refusals(write=True) | x.refusals(write=True, whole=True)):
            x.root.freed = True

    @rule()
    def drop(self) -> None:
        """What is in flight is forgotten, and garbage collected."""
        self.flying.clear()
        gc.collect()

    @rule()
    def wait(self) -> None:
        """Waits for what is in flight."""
        while self.flying:
            self.flying.pop(self.chosen.randrange(len(self.flying))).wait()

    # --- Graphs -------------------------------------------------------------------------------------------------------

    @rule(target=graphs, y=handles, x=handles, z=handles)
    def record(self, y: Handle, x: Handle, z: Handle) -> Any:
        """A graph of two launches: y from x, z from y."""
        steps = [same_length(y, x), same_length(z, y)]
        if any(a.root is b.root and a.meets(b.low, b.high) for a, b in steps):
            return NOTHING
        if any(a.root.freed or b.root.freed for a, b in steps):
            return NOTHING
        with fh.graph() as made:
            for a, b in steps:
                made.record(mix(fh.partition(a.tensor, STEP), b.tensor))
        return Recorded(made, steps)

    @rule(recorded=graphs, how=st.sampled_from(("sync", "on", "await")))
    def replay(self, recorded: Recorded, how: str) -> None:
        """All launches of a graph, or none."""
        refusals: set[str] = set()
        for y, x in recorded.steps:
            refusals |= y.refusals(write=True) | x.refusals(write=False)

        def run() -> None:
            operation = recorded.graph.replay()
            if how == "sync":
                operation.sync()
            elif how == "on":
                operation.on(self.stream())
            else:
                asyncio.run(awaited(operation))

        if self.done(run, refusals):
            for y, x in recorded.steps:
                y.array[...] = mixed(y.array, x.array)

    # --- Right or refused ---------------------------------------------------------------------------------------------

    def done(self, function: Callable[[], Any], refusals: set[str]) -> bool:
        """Whether it was done; it must be refused by one of these codes if there are any, and else not be."""
        codes, text = refused(function)
        assert codes <= refusals, (codes, refusals, text)
        assert codes or not refusals, f"done, and not refused by {refusals}"
        return not codes

    @invariant()
    def few_are_kept(self) -> None:
        """Nothing grows without end."""
        assert len(self.roots) < 1000


def refused(function: Callable[[], Any]) -> tuple[set[str], str]:
    """The codes of the errors that a function is refused with, and their text; none if it is not."""
    try:
        function()
    except fh.Rejected as e:
        return set(e.codes), str(e)
    return set(), ""


def same_length(first: Handle, second: Handle) -> tuple[Handle, Handle]:
    """Both, cut to the length of the shorter."""
    length = min(first.high - first.low, second.high - second.low)
    return cut(first, length), cut(second, length)


def cut(handle: Handle, length: int) -> Handle:
    """The first elements of a tensor."""
    if handle.high - handle.low == length:
        return handle
    return Handle(handle.tensor[:length], handle.root, handle.low, handle.low + length, handle.born)
