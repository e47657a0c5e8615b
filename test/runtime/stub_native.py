"""The native module against the Python that it stands in for, on the stub driver; run by test_native.py."""

from __future__ import annotations

import ctypes
import random
import struct
import threading
import warnings
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stub import run_tests, the_stub

import freehold as fh
from freehold import Const, Mut, Out, Ref, bool_, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64
from freehold.runtime.base import native
from freehold.runtime.gpu import driver
from freehold.runtime.gpu.timeline import Timeline, timeline
from freehold.runtime.launch import launcher
from freehold.runtime.launch.binding import bind
from freehold.runtime.launch.launch import Dispatcher, UnrunLaunch, reads_nothing
from freehold.runtime.launch.launcher import UNDONE
from freehold.runtime.launch.likeness import likeness
from freehold.runtime.launch.plan import Plan
from freehold.runtime.launch.positional import positional
from freehold.runtime.memory import ledger
from freehold.runtime.operations.execution import Execution
from freehold.runtime.operations.in_flight import InFlight
from freehold.runtime.variants.entry import Mismatch

stub = the_stub()


@fh.kernel
def scalars(y: Out["N"], a: bool_, b: i8, c: i16, d: i32, e: i64, f: u8, g: u16, h: u32, i: u64, j: f32, k: f64):
    total = a.astype(f64) + b.astype(f64) + c.astype(f64) + d.astype(f64) + e.astype(f64) + f.astype(f64)
    total = total + g.astype(f64) + h.astype(f64) + i.astype(f64) + j.astype(f64) + k
    y.store(fh.full(y.tile, 0.0, f64) + total)


@fh.kernel
def scale(y: Mut["N"], x: Ref["N"], a: f32, K: Const[int] = 2):
    y.store(a * x.load_like(y) * K + y.load())


@fh.kernel
def two(y: Out["N"], z: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y))
    z.store(x.load_like(z))


def on_gpu(n: int, dtype: Any = np.float32) -> Any:
    """Zeros in the driver's memory."""
    return fh.to_device(np.zeros(n, dtype))


def plan_of(kernel: Any, *arguments: Any) -> Plan:
    """The plan for arguments, made anew."""
    kernel._prepared()
    dispatcher: Dispatcher = kernel._dispatcher
    site = cast(Any, None)
    return dispatcher.plan(bind(kernel.signature, arguments, site), site)


def launches() -> int:
    """How many there were."""
    return stub.stub_launches()


def warmed(kernel: Any, *arguments: Any) -> Dispatcher:
    """The dispatcher of a kernel, once its launcher knows such arguments."""
    kernel(*arguments).sync()
    dispatcher: Dispatcher = kernel._dispatcher
    given = positional(kernel.signature, arguments, {}, cast(Any, None))
    assert dispatcher.launcher is not None
    assert dispatcher.launcher.knows(given), "it learnt nothing"
    assert dispatcher.read(given, None) is not None
    return dispatcher


class Deaf(Plan):
    """A plan of which Python launches nothing."""

    __slots__ = ()

    def enqueue(self, handle: int, *values: Any, apart: bool | None = None) -> None:
        raise Mismatch


def alone(kernel: Any, *arguments: Any) -> tuple[Plan, Any, Callable[..., None]]:
    """A plan for arguments, a launcher with no Python behind it, and what tells that that others look like them."""
    plan = plan_of(kernel, *arguments)
    plan.__class__ = Deaf
    made = launcher.launcher(kernel.signature, "it")
    entry = launcher.entry(plan)

    def learn(*others: Any) -> None:
        views = bind(kernel.signature, others, cast(Any, None)).views if others else ()
        layouts = tuple((v.shape, v.strides, v.dtype.itemsize, v.pointer % 16) for v in views)
        assert made.add(others, entry, layouts)

    learn(*arguments)
    return plan, made, learn


# --- Scalars and addresses --------------------------------------------------------------------------------------------


class Indexed:
    """What is an integer when asked."""

    def __init__(self, value: int):
        self.value = value

    def __index__(self) -> int:
        return self.value


EDGES = [
    sign * (1 << bits) + off for bits in (0, 7, 8, 15, 16, 31, 32, 63, 64) for sign in (1, -1) for off in (-1, 0, 1)
]
INTEGERS = st.one_of(st.sampled_from(EDGES), st.integers(-(1 << 66), 1 << 66))
FLOATS = st.one_of(
    st.floats(), st.floats(width=32), st.sampled_from([3.4028235677973366e38, 3.402823466385289e38, 1e39, -1e39])
)
VALUES = st.one_of(
    INTEGERS,
    FLOATS,
    st.booleans(),
    INTEGERS.map(Indexed),
    st.integers(-(1 << 31), (1 << 31) - 1).map(np.int32),
    st.floats(width=32).map(np.float32),
    st.sampled_from([None, "1", 1j, b"", [], np.float16(2), np.uint64((1 << 64) - 1)]),
)
WIDTHS = {"?": 1, "b": 1, "h": 2, "i": 4, "q": 8, "B": 1, "H": 2, "I": 4, "Q": 8, "f": 4, "d": 8}


def parameters(count: int) -> list[bytes]:
    """The last launch's first parameters, eight bytes each."""
    found: list[bytes] = []
    for n in range(count):
        buffer = ctypes.create_string_buffer(8)
        stub.stub_value(n, buffer)
        found.append(buffer.raw)
    return found


def test_scalars_are_packed_as_python_packs_them() -> None:
    y = on_gpu(64, np.float64)
    given_scalars: list[Any] = [True, 1, 1, 1, 1, 1, 1, 1, 1, 1.0, 1.0]
    part = fh.partition(y, 64)
    plan, made, _ = alone(scalars, part, *given_scalars)
    entry, layouts = launcher.entry(plan), ((y.shape, y.strides, 8, y.pointer % 16),)
    given_widths = dict(zip(plan.layout.given, [8, *WIDTHS.values()], strict=True))
    widths = [given_widths.get(n, 4) for n in range(len(plan.layout.offsets))]
    stub.stub_expect((ctypes.c_int * len(widths))(*widths), len(widths))
    scalars(part, *given_scalars).sync()  # the thread has a context, and the array a stream

    @settings(max_examples=3000, deadline=None, database=None, derandomize=True)
    @given(st.integers(0, len(given_scalars) - 1), VALUES)
    def alike(which: int, value: Any) -> None:
        changed = [*given_scalars[:which], value, *given_scalars[which + 1 :]]
        data = bytearray(8 * len(plan.layout.offsets))
        assert made.add((part, *changed), entry, layouts)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                plan.layout.pack(data, [y.pointer, *changed])
        except (TypeError, OverflowError, struct.error, ValueError):
            assert made.read((part, *changed), None) is None
            return
        assert made.read((part, *changed), None) is timeline(0)
        found = parameters(len(widths))
        for n, width in given_widths.items():
            offset = plan.layout.offsets[n]
            assert found[n][:width] == data[offset : offset + width]

    try:
        alike()
    finally:
        stub.stub_expect((ctypes.c_int * 1)(), 0)


class At:
    """An array that only says where it is."""

    def __init__(self, pointer: int, n: int = 1000, stream: int | None = None):
        self.pointer = pointer
        self.shape: tuple[int, ...] = (n,)
        self.stream = stream
        self.asked = 0

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        self.asked += 1
        return {
            "shape": self.shape, "typestr": "<f4", "data": (self.pointer, False), "version": 3, "stream": self.stream,
        }  # fmt: skip


def test_arrays_that_may_overlap_are_left_to_python() -> None:
    y, x = on_gpu(1000), on_gpu(1000)
    scale(fh.partition(y, 64), x, 1.0).sync()
    first, second = At(1 << 20), At(1 << 30)
    plan, made, learn = alone(scale, fh.partition(first, 64), second, 1.0, 2)
    size = plan.sizes[0]

    @settings(max_examples=300, deadline=None, database=None, derandomize=True)
    @given(st.integers(0, 4), st.integers(-2 * size, 2 * size), st.integers(1, 1 << 58))
    def decided(near: int, off: int, base: int) -> None:
        p = 4 * (base + size)
        q = 4 * (base + size + (near - 2) * size // 4 + off // 4)
        first.pointer, second.pointer = 1 << 20 | p % 16, 1 << 30 | q % 16
        learn(fh.partition(first, 64), second, 1.0, 2)
        first.pointer, second.pointer = p, q
        apart = not -size < p - q < size
        assert (made.read((fh.partition(first, 64), second, 1.0, 2), None) is timeline(0)) is apart

    decided()


# --- What has to be as it was -----------------------------------------------------------------------------------------


def test_whatever_is_unusual_is_left_to_python() -> None:
    y, x = on_gpu(1000), on_gpu(1000)
    good = (fh.partition(y, 64), x, 1.0, 2)
    dispatcher = warmed(scale, *good)
    read = dispatcher.read
    before = launches()
    assert read(good, None) is timeline(0)
    assert launches() == before + 1
    shifted = on_gpu(1001)[1:]
    odd: dict[str, tuple[Any, ...]] = {
        "fewer arguments": good[:-1],
        "no tuple": cast(Any, list(good)),
        "another extent": (fh.partition(on_gpu(999), 64), x, 1.0, 2),
        "another dtype": (fh.partition(on_gpu(1000, np.int32), 64), x, 1.0, 2),
        "another tile": (fh.partition(y, 128), x, 1.0, 2),
        "another alignment": (fh.partition(y, 64), shifted, 1.0, 2),
        "other strides": (fh.partition(y, 64), on_gpu(2000)[::2], 1.0, 2),
        "no partition": (y, x, 1.0, 2),
        "a partition of something else": (fh.partition(np.zeros(1000, np.float32), 64), x, 1.0, 2),
        "an array of another library": (fh.partition(y, 64), np.zeros(1000, np.float32), 1.0, 2),
        "a scalar of another class": (fh.partition(y, 64), x, 1, 2),
        "a scalar that does not fit": (fh.partition(y, 64), x, 1e300, 2),
        "another constant": (fh.partition(y, 64), x, 1.0, 3),
        "a constant of another class": (fh.partition(y, 64), x, 1.0, 2.0),
        "the same tensor twice": (fh.partition(y, 64), y, 1.0, 2),
        "memory that overlaps": (fh.partition(y[100:900], 64), y[:800], 1.0, 2),
    }
    before = launches()
    for what, arguments in odd.items():
        assert read(arguments, None) is None, what
    swapped = fh.partition(y, 64)
    swapped.array = 5
    assert read((swapped, x, 1.0, 2), None) is None
    recording: Any = Execution(recording=cast(Any, object()))
    recording.places[0] = Execution().place(0)
    assert read(good, recording) is None
    assert dispatcher.launcher.run(scale(*good).spend(), Execution()) is UNDONE, "no stream was chosen"
    assert read(good, cast(Any, 5)) is None
    with y.borrow():
        assert read(good, None) is None, "lent"
    assert launches() == before
    user = timeline(0, int(driver.new_stream(0).handle))
    with user.lock:
        ledger.lease(user, [x], [])
    waits = stub.stub_waits()
    with user.lock:
        ledger.lease(user, [], [y])
    assert read(good, None) is timeline(0), "used by another stream, too: it comes after that"
    assert stub.stub_waits() > waits
    moved = y.move()
    assert read(good, None) is None, "moved"
    scale(fh.partition(moved, 64), x, 1.0).sync()
    x.free()
    assert read((fh.partition(moved, 64), x, 1.0, 2), None) is None, "freed"
    assert launches() == before + 2


def test_threads_without_a_context_are_left_to_python() -> None:
    y, x = on_gpu(100), on_gpu(100)
    good = (fh.partition(y, 64), x, 1.0, 2)
    read = warmed(scale, *good).read
    found: list[Any] = []

    def run() -> None:
        found.append(native.thread.new)
        found.append(read(good, None))
        scale(*good).on()
        found.append(native.thread.new)
        found.append(read(good, None))

    before = launches()
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == [True, None, False, timeline(0)]
    assert launches() == before + 2


def test_the_driver_s_errors_are_python_s() -> None:
    y, x = on_gpu(100), on_gpu(100)
    good = (fh.partition(y, 64), x, 1.0, 2)
    read = warmed(scale, *good).read
    stub.stub_fail(1)
    try:
        assert read(good, None) is None
        with pytest.raises(fh.Rejected) as caught:
            scale(*good).on()
        assert caught.value.codes == ("O241",)
    finally:
        stub.stub_fail(0)
    scale(*good).sync()


def test_python_tells_the_same_apart() -> None:
    y, x = on_gpu(1000), on_gpu(1000)
    good: tuple[Any, ...] = (fh.partition(y, 64), x, 1.0, 2)
    dispatcher = warmed(scale, *good)
    known = likeness(scale.signature, good)
    assert known is not None
    for same in ((fh.partition(on_gpu(1000), 64), on_gpu(1000), 1.0, 2), (good[0], x, 2.0, 2)):
        found = likeness(scale.signature, same)
        assert found is not None
        assert found.key == known.key
        assert dispatcher.launcher.knows(same)
    for other in (
        (fh.partition(y, 128), x, 1.0, 2),
        (good[0], on_gpu(1001)[1:], 1.0, 2),
        (good[0], on_gpu(2000)[::2], 1.0, 2),
        (fh.partition(on_gpu(999), 64), x, 1.0, 2),
        (good[0], x, 1.0, 3),
        (good[0], x, 1.0, 2.0),
        (good[0], x, 1.0, True),
        (good[0], At(x.pointer), 1.0, 2),
    ):
        found = likeness(scale.signature, other)
        assert found is not None
        assert found.key != known.key
        assert not dispatcher.launcher.knows(other), other


def test_what_describes_itself_is_believed_once() -> None:
    """A plan is only kept for what an array said when it was looked at thoroughly."""
    y, x = on_gpu(1000), on_gpu(1000)

    class Fickle(At):
        """Another array each time it is asked, by chance."""

        odds = 0.4

        @property
        def __cuda_array_interface__(self) -> dict[str, Any]:
            said = super().__cuda_array_interface__
            return said | {"shape": (16,)} if chance.random() < self.odds else said

    chance, refused, known = random.Random(0), 0, 0
    for _ in range(20):
        kernel = scale.with_hints(occupancy=2)  # which knows nothing yet
        odd = Fickle(x.pointer)
        for _ in range(10):
            try:
                kernel(fh.partition(y, 64), odd, 1.0).sync()
            except fh.Rejected:  # it said that it has 16 elements
                refused += 1
        dispatcher: Any = cast(Any, kernel)._dispatcher
        if dispatcher.launcher is None:  # nothing was launched
            continue
        odd.odds = 0.0
        known += dispatcher.launcher.knows((fh.partition(y, 64), odd, 1.0, 2))
        odd.odds = 1.0
        assert not dispatcher.launcher.knows((fh.partition(y, 64), odd, 1.0, 2))
    assert refused
    assert known


def test_entries_are_found_whatever_their_names_are() -> None:
    """Names that were made at run time are other objects than those in a program's text; some dictionaries say more."""
    y, x = on_gpu(1000), on_gpu(1000)

    class Made(At):
        def __init__(self, pointer: int):
            super().__init__(pointer)
            self.more: dict[str, Any] = {}

        @property
        def __cuda_array_interface__(self) -> dict[str, Any]:
            return {"".join(name): value for name, value in (self.more | super().__cuda_array_interface__).items()}

    kernel = scale.with_hints(occupancy=8)
    described = Made(x.pointer)
    read, before = warmed(kernel, fh.partition(y, 64), described, 1.0, 2).read, launches()
    extra: list[dict[str, Any]] = [{}, {"descr": [("", "<f4")]}, {"mask": None, "strides": (4,)}]
    for more in extra:
        described.more = more
        assert read((fh.partition(y, 64), described, 1.0, 2), None) is timeline(0), more
    assert launches() == before + 3
    described.more = {"mask": 1}
    assert read((fh.partition(y, 64), described, 1.0, 2), None) is None
    described.more = {}
    described.stream = int(driver.new_stream(0).handle)
    assert read((fh.partition(y, 64), described, 1.0, 2), None) is None


def test_an_object_may_describe_itself_where_its_class_says_nothing() -> None:
    y, x = on_gpu(1000), on_gpu(1000)

    class Plain:
        def __init__(self, said: dict[str, Any] | None):
            if said is not None:
                self.__cuda_array_interface__ = said

    kernel = scale.with_hints(occupancy=16)
    described = Plain(At(x.pointer).__cuda_array_interface__)
    dispatcher = warmed(kernel, fh.partition(y, 64), described, 1.0, 2)
    assert dispatcher.read((fh.partition(y, 64), described, 1.0, 2), None) is timeline(0)
    assert dispatcher.read((fh.partition(y, 64), Plain(None), 1.0, 2), None) is None
    with pytest.raises(fh.Rejected) as caught:
        kernel(fh.partition(y, 64), Plain(None), 1.0).sync()
    assert caught.value.codes == ("O211",)


def test_libraries_are_mixed() -> None:
    y, x = on_gpu(1000), on_gpu(1000)
    kernel = scale.with_hints(occupancy=4)
    described, lent = At(x.pointer), x
    arguments = (fh.partition(y, 64), described, 1.0, 2)
    read = warmed(kernel, *arguments).read
    user, before = timeline(0), launches()
    assert read(arguments, None) is user
    assert user.kept[-1] == (user.now, [described]), "it is kept until the launch is done"
    assert [what for _, what in user.kept].count([described]) == 1, "and once, however often it is used"
    described.stream = int(driver.new_stream(0).handle)
    assert read(arguments, None) is None, "another stream has to be waited for first"
    waits = stub.stub_waits()
    assert read(arguments, Execution()) is user
    assert stub.stub_waits() > waits
    described.stream = 1
    assert read(arguments, None) is user
    lending = DLPack(lent)
    arguments = (fh.partition(y, 64), lending, 1.0, 2)
    read = warmed(kernel, *arguments).read
    given = lending.given
    assert read(arguments, None) is user
    assert lending.given == given + 1
    assert launches() == before + 6
    bound = kernel.bind(fh.partition(y, 64), described, 1.0)
    bound.on().wait()
    assert launches() == before + 7
    described.shape = (999,)
    with pytest.raises(fh.Rejected) as caught:
        bound.on()
    assert caught.value.codes == ("O275",)
    user.join()


class DLPack:
    """An array that lends its memory by DLPack alone."""

    def __init__(self, tensor: Any):
        self.tensor = tensor
        self.given = 0

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0

    def __dlpack__(self, **options: Any) -> Any:
        self.given += 1
        return self.tensor.__dlpack__(**options)


# --- What is left behind ----------------------------------------------------------------------------------------------


def traces(user: Timeline) -> list[Any]:
    """What a timeline's trail has, without places."""
    return [(what, code is None) for _, _, what, code, _ in user.trail]


def test_the_ledger_and_the_trail_are_left_as_python_leaves_them() -> None:
    y, x = on_gpu(1000), on_gpu(1000)
    kernel = scale.with_hints(occupancy=8)
    dispatcher = warmed(kernel, fh.partition(y, 64), x, 1.0)
    execution = Execution()
    _, _, user = execution.place(0)
    left: list[Any] = []
    for plainly in (True, False):  # the launcher, and Python
        user.trail.clear()
        launch = kernel(fh.partition(y, 64), x, 2.0)
        now, wrote, before = user.now, x.space.wrote, launches()
        if plainly:
            assert dispatcher.launcher.run(launch, execution) is y
        else:
            made, dispatcher.launcher, dispatcher.read = dispatcher.launcher, None, reads_nothing
            assert launch.enqueue(execution) is y
            assert dispatcher.launcher is not made, "another one was made"
        assert y.space.wrote == user.now
        assert y.space.sole is x.space.sole is user
        left.append((user.now - now, x.space.wrote - wrote, launches() - before, traces(user), repr(launch)))
        with pytest.raises(fh.Rejected):
            launch.sync()
    assert left[0] == left[1]
    assert left[0][0] == left[0][2] == len(left[0][3]) == 1


def test_traces_name_the_line_and_the_stream_of_each_launch() -> None:
    y, x = on_gpu(1000), on_gpu(1000)
    warmed(scale, fh.partition(y, 64), x, 1.0)
    made: list[Any] = []
    for n in range(6):
        made.append(scale(fh.partition(y, 64), x, 1.0) if n % 3 else scale(fh.partition(y, 64), x, 2.0))
    users = [timeline(0), timeline(0, driver.handle_of(driver.new_stream(0)))]
    for n, launch in enumerate(made):
        execution = Execution(users[n // 4].stream)
        execution.place(0)
        users[n // 4].trail.clear() if n in (0, 4) else None
        launch.enqueue(execution)
    assert len({launch._instruction for launch in made}) == 2
    for user, some in zip(users, (made[:4], made[4:]), strict=True):
        assert [trace[2:] for trace in user.trail] == [("`scale`", m._code, m._instruction) for m in some]
        assert [trace[0] for trace in user.trail] == [*range(user.now - len(some) + 1, user.now + 1)]
    whens = [trace[1] for user in users for trace in user.trail]
    assert whens == sorted(whens)


def test_what_is_in_flight_is_as_python_makes_it() -> None:
    """The native module fills all slots of what `on` returns, whichever there are."""
    y, x = (fh.zeros((256,), f32, device=0).sync() for _ in range(2))
    flight: Any = None
    for _ in range(3):
        flight = scale(fh.partition(y, 64), x, 2.0).on()
    made = InFlight(y, (timeline(0),), cast(Any, None))
    for name in InFlight.__slots__:
        assert type(getattr(flight, name)) is type(getattr(made, name)) or name in ("_kept", "_operation"), name


def test_a_launch_is_run_once_whoever_wants_it() -> None:
    y, x = on_gpu(1000), on_gpu(1000)
    warmed(scale, fh.partition(y, 64), x, 1.0)
    before, done, refused = launches(), list[int](), list[int]()
    many = [scale(fh.partition(y, 64), x, 2.0) for _ in range(40)]

    def run() -> None:
        execution = Execution()
        execution.place(0)
        for n, launch in enumerate(many):
            try:
                launch.enqueue(execution)
                done.append(n)
            except fh.Rejected:
                refused.append(n)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == list(range(40))
    assert len(refused) == 120
    assert launches() == before + 40


def test_kernels_with_several_outputs() -> None:
    y, z, x = on_gpu(100), on_gpu(100), on_gpu(100)
    arguments = (fh.partition(y, 64), fh.partition(z, 64), x)
    dispatcher = warmed(two, *arguments)
    execution = Execution()
    execution.place(0)
    assert dispatcher.launcher.run(two(*arguments), execution) == (y, z)
    assert fh.gather([two(*arguments) for _ in range(3)]).sync() == [(y, z)] * 3


def test_descriptions() -> None:
    y, x = on_gpu(100), on_gpu(100)
    part = fh.partition(y, 64)
    assert type(part) is type(fh.partition(y, (64,)))
    assert part.spec is fh.partition(y, tile=64).spec is fh.partition(y, (64,)).spec
    assert fh.partition.__doc__ is not None
    assert "regions of `tile` elements" in fh.partition.__doc__
    with pytest.raises(TypeError):
        cast(Any, fh.partition)()
    with pytest.raises(fh.Rejected):
        fh.partition(y, 63)
    for launch in (scale(part, x, 1.0), scale(part, x, a=1.0), scale(y=part, x=x, a=1.0, K=2)):
        assert repr(launch) == "<launch of scale, not run>"
        assert "stub_native.py" in str(launch.site.span)
        launch.spend()
    with pytest.raises(fh.Rejected) as caught:
        scale(part)
    assert caught.value.codes == ("O210",)


def test_a_launch_that_is_dropped_warns_at_its_line() -> None:
    y, x = on_gpu(100), on_gpu(100)
    with pytest.warns(UnrunLaunch, match=r"`scale` was never run.*stub_native\.py:\d+"):
        scale(fh.partition(y, 64), x, 1.0)
    with pytest.raises(ValueError, match="kept"), pytest.warns(UnrunLaunch):
        raise_with(scale(fh.partition(y, 64), x, 1.0))


def raise_with(launch: Any) -> None:
    """Raises while a launch is dropped that was never run."""
    try:
        raise ValueError("kept")
    finally:
        del launch


def test_bound_launches_are_run_natively_where_they_can_be() -> None:
    y, x = on_gpu(64), on_gpu(64)
    bound = scale.bind(fh.partition(y, 32), x, 2.0)
    for most in (native.MOST, 1, native.MOST):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(native, "MOST", most)  # parameters of an entry
            bound.rebind(a=3.0)
        assert ("on" in vars(bound)) == (most > 1)
        before = launches()
        bound.on().wait()
        bound.sync()
        assert launches() == before + 2


def test_what_is_laid_out_otherwise_is_not_used() -> None:
    found = native.module()

    class Hidden:
        """An object whose attribute is no slot."""

        def __init__(self) -> None:
            self.array = self.spec = None

    with pytest.raises(SystemError, match="not where one was looked for"):
        found.partitions(Hidden(), {}, {}, len, "")
    for wrong in ((), (1, 2)):
        with pytest.raises((TypeError, ValueError)):
            found.Launcher(*wrong)


if __name__ == "__main__":
    assert native.module() is not None
    run_tests(globals(), strays=True)
