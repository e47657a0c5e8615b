"""
What operations cost the host, against the same by hand: `python -m benchmarks.host_side [--json FILE]`. Needs a GPU.

By hand means cuda.core with everything prepared: a loaded kernel, a launch configuration, parameters that are NumPy's
scalars, a stream. Both sides run the same cubin on the same memory, and are timed in turns; the ratio is the time by
hand over ours, pair by pair, so 1 / 1.15 = 0.87 is what a mark of 1.15 asks for. All checks of Freehold are on.

With `--stub`, on a stub driver (`test/runtime/stub_driver.c`), it shows what the host's side of it costs, without the
driver and the GPU.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Callable, Coroutine
from importlib import import_module
from statistics import median
from time import perf_counter, process_time
from typing import Any, Final

import numpy as np

import freehold as fh
from benchmarks.kernels import add
from benchmarks.report import Row, against, show
from freehold.runtime.gpu.timeline import timeline
from freehold.runtime.memory import ledger

COUNT = 1000
"""Operations in a row."""
SMALL = 4096
"""Elements of a small operation: 8 tile blocks."""
LARGE = 1 << 22
"""Elements of an add of about ten microseconds on an H200."""


clock = perf_counter
"""What tells the time."""
WARMING: Final = 0.5
"""Seconds that both sides run before anything counts: processors and GPUs begin slowly."""
PAIRS: Final = 31
"""Turns of each row: a thousand launches take a few milliseconds, in which the machine does other things, too."""


def timed(function: Callable[[], object]) -> float:
    """Seconds that a call takes."""
    began = clock()
    function()
    return clock() - began


def main() -> None:
    """Run the benchmarks and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", metavar="FILE", help="write the rows there, too")
    parser.add_argument("--stub", action="store_true", help="a stub driver: no results, and the processor's time")
    arguments = parser.parse_args()
    if arguments.stub:
        global clock
        clock = process_time
    small, large = Work(SMALL, not arguments.stub), Work(LARGE, not arguments.stub)
    until = perf_counter() + WARMING
    while perf_counter() < until:
        small.by_hand_many()
        chain(small).sync()
    rows = [*chains(small), *awaits(small, large), *graphs(small), *leases(small), foreign(small)]
    show(rows, arguments.json)


class Work:
    """An add of three tensors, and how it is launched by hand."""

    def __init__(self, n: int, checked: bool):
        rng = np.random.default_rng(0)
        x, y = (rng.standard_normal(n, dtype=np.float32) for _ in range(2))
        self.x, self.y, self.z = (fh.to_device(a, 0) for a in (x, y, np.full_like(x, np.nan)))
        self.launch().sync()
        if checked and not np.array_equal(self.z.numpy(), x + y):
            raise AssertionError("add: wrong result")
        self.bound = add.bind(*self.arguments())
        self.core: Any = import_module("cuda.core")
        device = self.core.Device(0)
        device.set_current()
        compiled = add.compile(*self.arguments())
        self.kernel = self.core.ObjectCode.from_cubin(compiled.cubin).get_kernel(compiled.contract.symbol)
        self.config = self.core.LaunchConfig(grid=n // 512, block=1)
        self.stream = device.create_stream()
        pointers = iter([self.z.pointer, self.x.pointer, self.y.pointer])
        known = {"extent": n, "stride": 1}
        kinds = [entry.kind for entry in compiled.contract.entry]
        self.parameters = [next(pointers) if kind == "pointer" else np.int32(known[kind]) for kind in kinds]

    def arguments(self) -> tuple[Any, ...]:
        """Of a launch of ours."""
        return fh.partition(self.z, 512), self.x, self.y

    def launch(self, _: object = None) -> fh.Operation[Any]:
        """The add, not run."""
        return add(*self.arguments())

    def by_hand(self, stream: Any = None) -> None:
        """The add, enqueued."""
        self.core.launch(stream or self.stream, self.config, self.kernel, *self.parameters)

    def by_hand_many(self) -> None:
        """Many of them."""
        launch, stream, config, kernel, parameters = (
            self.core.launch, self.stream, self.config, self.kernel, self.parameters,
        )  # fmt: skip
        for _ in range(COUNT):
            launch(stream, config, kernel, *parameters)


def chain(work: Work) -> fh.Operation[Any]:
    """Many adds, each described by a function of the one before."""
    operation = work.launch()
    for _ in range(COUNT - 1):
        operation = operation.then(work.launch)
    return operation


def bound_chain(work: Work) -> fh.Operation[Any]:
    """The same of a bound launch."""
    operation: fh.Operation[Any] = work.bound
    for _ in range(COUNT - 1):
        operation = operation.then(lambda _: work.bound)
    return operation


def chains(work: Work) -> list[Row]:
    """Many small operations, one after the other, with one wait at the end."""

    def hand() -> None:
        work.by_hand_many()
        work.stream.sync()

    def enqueued() -> None:
        for _ in range(COUNT):
            flying = work.launch().on()
        flying.wait()  # pyright: ignore[reportPossiblyUnboundVariable] -- there is at least one

    return [
        row(f"{COUNT} small operations, chained", lambda: chain(work).sync(), hand, mark="<= 1.15x"),
        row(
            f"{COUNT} small operations, gathered",
            lambda: fh.gather([work.launch() for _ in range(COUNT)]).sync(),
            hand,
            mark="<= 1.15x",
        ),
        row(
            f"{COUNT} small operations, bound, gathered",
            lambda: fh.gather([work.bound] * COUNT).sync(),
            hand,
            mark="<= 1.15x",
        ),
        row(f"{COUNT} small operations, bound, chained", lambda: bound_chain(work).sync(), hand, mark="<= 1.15x"),
        row(f"{COUNT} small operations, each enqueued", enqueued, hand),
    ]


def awaits(small: Work, large: Work) -> list[Row]:
    """Many small operations awaited at the end or each, and one of about ten microseconds."""
    loop = asyncio.new_event_loop()

    def awaited(make: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
        return lambda: loop.run_until_complete(make())

    async def at_the_end() -> None:
        await chain(small)

    async def gathered() -> None:
        await fh.gather([small.bound] * COUNT)

    async def each() -> None:
        for _ in range(COUNT):
            await small.launch()

    def hand() -> None:
        small.by_hand_many()
        small.stream.record().sync()

    def hand_each() -> None:
        for _ in range(COUNT):
            small.by_hand()
            small.stream.sync()

    def middle(wait: Callable[[], None]) -> Callable[[], float]:
        return lambda: median(timed(wait) for _ in range(200))

    async def latencies() -> float:
        found: list[float] = []
        for _ in range(200):
            began = clock()
            await large.launch()
            found.append(clock() - began)
        return median(found)

    def blocking() -> None:
        large.by_hand()
        large.stream.sync()

    what = "a launch of about 10 us, awaited, median"
    rows = [
        row(f"{COUNT} small operations, chained, awaited", awaited(at_the_end), hand, mark="<= 1.15x"),
        row(f"{COUNT} small operations, bound, awaited", awaited(gathered), hand, mark="<= 1.15x"),
        row(f"{COUNT} small operations, each awaited", awaited(each), hand_each),
        against(
            what,
            lambda: loop.run_until_complete(latencies()),
            middle(blocking),
            "blocking wait by hand",
            unit="us",
            scale=1e6,
            mark="<= 1.3x",
        ),
        against(
            "the same, against our own blocking wait",
            lambda: loop.run_until_complete(latencies()),
            middle(lambda: large.launch().sync()),
            "sync",
            unit="us",
            scale=1e6,
        ),
    ]
    loop.close()
    return rows


def graphs(work: Work) -> list[Row]:
    """Replays of graphs."""

    def recorded(count: int) -> tuple[fh.Graph[Any], Any]:
        with fh.graph() as ours:
            for _ in range(count):
                ours.record(work.launch())
        builder = work.core.Device(0).create_graph_builder()
        builder.begin_building()
        for _ in range(count):
            work.by_hand(builder)
        return ours, builder.end_building().complete()

    many, theirs_many = recorded(COUNT)
    hundred, theirs_hundred = recorded(100)

    def hand() -> None:
        theirs_many.launch(work.stream)
        work.stream.sync()

    def per_kernel(replay: Callable[[], object], wait: Callable[[], object]) -> Callable[[], float]:
        def seconds() -> float:
            total = 0.0
            for _ in range(50):
                began = clock()
                replay()
                total += clock() - began
                wait()
            return total / 50 / 100

        return seconds

    default: Any = work.core.Device(0).default_stream
    return [
        row(f"{COUNT} small operations, replay of a graph", lambda: many.replay().sync(), hand, mark="<= 1.15x"),
        against(
            "replay of 100 kernels, host time a kernel",
            per_kernel(lambda: hundred.replay().on(), default.sync),
            per_kernel(lambda: theirs_hundred.launch(work.stream), work.stream.sync),
            "cuda.core",
            unit="us",
            scale=1e6,
            mark="<= 0.12 us",
        ),
    ]


def leases(work: Work) -> list[Row]:
    """What the ledger takes for a launch that nobody is in the way of."""
    user = timeline(0, 0)
    reads, writes = [work.x, work.y], [work.z]

    def many() -> float:
        began = clock()
        for _ in range(10_000):
            with user.lock:
                ledger.lease(user, reads, writes)
        return (clock() - began) / 10_000

    work.launch().sync()
    return [against("a lease of three tensors, and its release", many, None, unit="us", scale=1e6, mark="<= 1 us")]


PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 z, .param .u64 x, .param .u64 y, .param .u32 n) {
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<9>; .reg .f32 %f<4>;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r1, %r2, %r3;
  ld.param.u32 %r5, [n]; setp.ge.u32 %p1, %r4, %r5; @%p1 ret;
  ld.param.u64 %rd1, [z]; ld.param.u64 %rd2, [x]; ld.param.u64 %rd3, [y]; mul.wide.u32 %rd4, %r4, 4;
  add.s64 %rd5, %rd2, %rd4; add.s64 %rd6, %rd3, %rd4; add.s64 %rd7, %rd1, %rd4;
  ld.global.f32 %f1, [%rd5]; ld.global.f32 %f2, [%rd6]; add.f32 %f3, %f1, %f2; st.global.f32 [%rd7], %f3;
  ret;
}
"""
foreign_add = fh.extern(
    ptx=PTX,
    entry="add",
    signature={"z": fh.Out[fh.f32, "N"], "x": fh.Ref[fh.f32, "N"], "y": fh.Ref[fh.f32, "N"]},
    grid="cdiv(N, 128)",
    block=128,
    passes=["z", "x", "y", "N"],
    unsafe="each thread adds the elements of its number, below N",
)
"""The add in another's code, for the foreign kernels' row."""


def foreign(work: Work) -> Row:
    """A foreign kernel against one of ours, each enqueued."""
    foreign_add(work.z, work.x, work.y).sync()

    def theirs() -> None:
        for _ in range(COUNT):
            flying = foreign_add(work.z, work.x, work.y).on()
        flying.wait()  # pyright: ignore[reportPossiblyUnboundVariable] -- there is at least one

    def ours() -> None:
        for _ in range(COUNT):
            flying = work.launch().on()
        flying.wait()  # pyright: ignore[reportPossiblyUnboundVariable] -- as above

    scale = 1e6 / COUNT
    name = f"{COUNT} launches of a foreign kernel, each enqueued"
    mine = "a kernel of ours"
    return against(
        name, lambda: timed(theirs), lambda: timed(ours), mine, unit="us each", scale=scale, times=PAIRS, mark="<= 1.1x"
    )


def row(work: str, ours: Callable[[], object], theirs: Callable[[], object], mark: str = "") -> Row:
    """Both in turns, in microseconds an operation."""
    scale = 1e6 / COUNT
    return against(
        work,
        lambda: timed(ours),
        lambda: timed(theirs),
        "cuda.core by hand",
        unit="us each",
        scale=scale,
        times=PAIRS,
        mark=mark,
    )


if __name__ == "__main__":
    main()
