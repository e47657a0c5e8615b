"""What happens seldom: what is remembered is too much, other libraries refuse, another torch, a driver that fails."""

# Stand-ins are of no type that checkers know, and what is tested has no public name.
# pyright: reportPrivateUsage=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownParameterType=false, reportUnknownLambdaType=false

from __future__ import annotations

import asyncio
import ctypes
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

import freehold as fh
from freehold import Mut, Out, Ref, f32, i32
from freehold.frontend.schedule import PartitionSpec
from freehold.runtime.arrays import creation, handle
from freehold.runtime.base import native
from freehold.runtime.foreign import standin
from freehold.runtime.gpu import checked, driver, flight, timeline
from freehold.runtime.launch import binding, launch, launcher, modes
from freehold.runtime.memory import arguments, versions
from freehold.runtime.operations import waiting


@fh.kernel
def doubled(y: Out["N"], x: Ref["N"]):
    y.store(x.load_like(y) * 2)


@fh.kernel
def grown(y: Mut["N"], x: Ref["N"]):
    y.store(y.load() + x.load_like(y))


def refused(function: Callable[[], object]) -> str:
    with pytest.raises(fh.Rejected) as caught:
        function()
    return str(caught.value)


class CUDAError(Exception):
    """As cuda-python calls an error of the driver."""


def fails(error: Exception) -> Callable[..., Any]:
    def fail(*_: Any, **__: Any) -> Any:
        raise error

    return fail


# --- Random numbers are those of their positions ----------------------------------------------------------------------


def word(seed: int, place: int) -> int:
    """The first word of Philox4x32-10 (Salmon et al., 2011), in Python's integers."""
    low = (1 << 32) - 1
    x, key = [place & low, place >> 32, 0, 0], [seed & low, seed >> 32]
    for _ in range(10):
        a, b = x[0] * 0xD2511F53, x[2] * 0xCD9E8D57
        x = [b >> 32 ^ x[1] ^ key[0], b & low, a >> 32 ^ x[3] ^ key[1], a & low]
        key = [(key[0] + 0x9E3779B9) & low, (key[1] + 0xBB67AE85) & low]
    return x[0]


def uniform(seed: int, places: range) -> Any:
    return np.array([(word(seed, n) >> 8) * 2.0**-24 for n in places])


@pytest.mark.parametrize("seed", [0, 7, (5 << 40) + 3])
def test_random_numbers(seed: int) -> None:
    """Of two tile blocks, of which the second is not full; and of shapes alike, whatever the order of their axes."""
    size = 1024 + 13
    found = fh.rand((size,), seed=seed, device=fh.HOST).sync().numpy()
    assert found.tolist() == uniform(seed, range(size)).astype(np.float32).tolist()
    assert fh.rand((17, 61), seed=seed, device=fh.HOST).sync().numpy().ravel().tolist() == found.tolist()
    normal = fh.randn((size,), seed=seed, device=fh.HOST).sync().numpy()
    u, v = uniform(seed, range(0, 2 * size, 2)), uniform(seed, range(1, 2 * size, 2))
    assert normal == pytest.approx(np.sqrt(-2 * np.log(1 - u)) * np.cos(2 * np.pi * v), rel=1e-4, abs=1e-5)
    assert found.mean() == pytest.approx(0.5, abs=0.03)
    assert normal.std() == pytest.approx(1, abs=0.1)


def test_random_numbers_of_narrow_floats_are_those_rounded() -> None:
    wide = fh.rand((100,), seed=1, device=fh.HOST).sync().numpy()
    assert fh.rand((100,), fh.f16, seed=1, device=fh.HOST).sync().numpy().tolist() == wide.astype(np.float16).tolist()


# --- What is remembered is bounded ------------------------------------------------------------------------------------


def test_kinds_of_tensors_are_forgotten_where_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    known: dict[Any, int] = {n: -n for n in range((1 << 16) - 1)}
    monkeypatch.setattr(handle, "_KEYS", known)
    one, same, other = (fh.zeros((n,), fh.f32, device=fh.HOST).sync() for n in (8, 8, 9))
    first = one.key
    assert len(known) == 1 << 16
    assert same.key != first or len(known) == 1
    assert len(known) == 1
    assert other.key not in (first, same.key)
    assert len(known) == 2
    assert one.key == first  # what has one keeps it


def test_equal_tensors_have_one_kind() -> None:
    one, same, other, wide = (
        fh.zeros((n,), dtype, device=fh.HOST).sync() for n, dtype in ((8, f32), (8, f32), (9, f32), (8, i32))
    )
    assert one.key == same.key
    assert len({one.key, other.key, wide.key}) == 3


def test_plans_are_forgotten_where_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "MOST_PLANS", 2)
    plans: list[int] = []
    for n in (16, 17, 16, 18, 16, 17):
        y = np.zeros(n, np.float32)
        asked = doubled(fh.partition(y, 8), np.ones(n, np.float32))
        known = asked.dispatcher._plans
        asked.sync()
        assert y.tolist() == [2.0] * n
        plans.append(len(known))
    assert max(plans) == 2
    assert 1 in plans[3:]


def test_constants_have_a_number_each(monkeypatch: pytest.MonkeyPatch) -> None:
    known: dict[Any, int] = {}
    monkeypatch.setattr(launcher, "_CONSTANTS", known)
    values = (1, True, 1.0, "1", (1,), None)
    found = [launcher._constant(v) for v in values]
    assert len({*found}) == len(values)
    assert [launcher._constant(v) for v in values] == found
    known.update({cast(Any, n): n for n in range((1 << 16) - len(known) + 1)})
    assert launcher._constant(1) not in found
    assert len(known) == 1


# --- What values there are not ----------------------------------------------------------------------------------------


def test_steps_and_devices_that_there_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "`step` is a number other than 0" in refused(lambda: fh.arange(0, 5, 0))
    assert "`step` is a number other than 0" in refused(lambda: fh.arange(0.0, 5.0, 0.0))
    monkeypatch.setattr(creation.driver, "require_gpu", lambda remedy: None)
    monkeypatch.setattr(creation.driver, "device_count", lambda: 2)
    place: Any = creation._place
    site: Any = fh.zeros  # is asked for nothing where the device is there
    assert [place(n, site) for n in (0, 1, fh.HOST)] == [0, 1, fh.HOST]
    for device in (2, -2, 7):
        said = refused(lambda device=device: fh.zeros((3,), device=device))
        assert f"`freehold.HOST` or a number below 2, not `{device}`" in said.replace("\n", " "), said


def test_work_uses_lists_of_tensors() -> None:
    make: Any = fh.Work
    for given in ({"reads": 5}, {"writes": 5}):
        assert "`reads` and `writes` are lists of tensors" in refused(
            lambda given=given: make("it", lambda execution: None, **given)
        )


class TracedArray:
    """Stands for an array while JAX traces."""

    __module__ = "jax._src.interpreters"
    shape = (4,)
    dtype = np.dtype(np.float32)

    def __array__(self, *_: Any) -> Any:
        raise TypeError("there are no elements yet")


def test_what_jax_traces_is_no_array() -> None:
    traced: Any = TracedArray()
    said = refused(lambda: doubled(fh.partition(np.zeros(4, np.float32), 4), traced).sync())
    assert "JAX traces here, and there are no elements yet" in said
    assert "`doubled.as_jax({output: tile})`" in said


def test_a_domain_that_divides_by_zero_is_empty() -> None:
    def by_zero(n: Any) -> Any:
        return (16 // (n - 4),)

    def fine(n: Any) -> Any:
        return (n - 3,)

    for rule, wanted in ((by_zero, (0,)), (fine, (1,))):
        spec = fh.partition(np.zeros(64, np.float32), 16, grid=rule, partial=True).spec
        assert isinstance(spec, PartitionSpec)
        found = arguments.view(np.zeros(64, np.float32))
        assert binding._domain(found, spec, {}) == wanted


# --- Other libraries --------------------------------------------------------------------------------------------------


class Foreign:
    """An array of a library that does not give it away."""

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0

    def __dlpack__(self, **_: Any) -> Any:
        raise BufferError("its elements are in a file")


def test_a_library_that_does_not_give_its_array_away() -> None:
    foreign: Any = Foreign()
    said = refused(lambda: doubled(fh.partition(np.zeros(4, np.float32), 4), foreign).sync())
    assert "its library says: its elements are in a file" in said


def test_elements_that_lie_in_no_whole_steps_are_not_exported() -> None:
    packed = np.zeros(4, np.dtype([("of one byte", "i1"), ("wanted", "<f4")]))
    narrow = fh.from_dlpack(packed["wanted"])
    assert narrow.strides == (5,)
    with pytest.raises(BufferError, match="its elements do not lie in steps of their size"):
        np.from_dlpack(narrow)


def test_versions_of_another_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []

    class Tensor:
        __module__ = "torch"

    functions = SimpleNamespace(_increment_version=fails(TypeError("one tensor")))
    torch = SimpleNamespace(
        empty=lambda n: None,
        _C=functions,
        autograd=SimpleNamespace(graph=SimpleNamespace(increment_version=told.append)),
    )
    monkeypatch.setitem(sys.modules, "torch", cast(Any, torch))
    monkeypatch.setattr(versions, "_BUMPS", {})
    one, other = Tensor(), Tensor()
    versions.changed(one)
    versions.changed((one, other, 5))
    versions.changed(None)
    assert told == [one, one, other]
    functions._increment_version = told.append
    monkeypatch.setattr(versions, "_BUMPS", {})
    versions.changed(one)
    assert told[3:] == [(None,), (one,)]  # it was tried once, by a tensor of torch's


def test_objects_that_the_native_module_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    learnt: list[Any] = []
    there = SimpleNamespace(learn=lambda name, instance: learnt.append((name, instance)))
    monkeypatch.setattr(native, "BUILT", True)
    monkeypatch.setattr(native, "_fits", True)
    monkeypatch.setattr(native, "_NATIVE", there)
    native.learn("One", 1)
    assert (native.module(), learnt) == (there, [("One", 1)])
    there.learn = fails(SystemError("laid out otherwise"))
    native.learn("Two", 2)
    assert native.module() is None
    there.learn = lambda name, instance: learnt.append((name, instance))
    native.learn("Three", 3)  # it is not used any more
    assert (native.module(), len(learnt)) == (None, 1)


# --- Torch's tensors are read if all is seen --------------------------------------------------------------------------

SEEN: dict[str, tuple[Callable[[Any, Any], Any], bool]] = {
    "the size of its memory": (lambda t, torch: t.untyped_storage().nbytes() if is_strided(t, torch) else None, True),
    "the dtype": (lambda t, torch: t.dtype, True),
    "the extents": (lambda t, torch: tuple(t.shape), False),
    "the rank": (lambda t, torch: t.dim(), False),
    "the strides": (lambda t, torch: t.stride() if is_strided(t, torch) else None, True),
    "whether signs are other ones": (lambda t, torch: is_strided(t, torch) and t.is_neg(), True),
    "the device": (lambda t, torch: t.device.type, True),
    "the layout": (lambda t, torch: t.layout, False),
    "whether it wants gradients": (lambda t, torch: t.requires_grad, True),
    "whether autograd looks": (lambda t, torch: t.requires_grad and torch.is_grad_enabled(), True),
}
"""What is looked at of a tensor, and whether nothing else tells that: strides tell of extents, and of the layout."""


def is_strided(tensor: Any, torch: Any) -> bool:
    return tensor.layout == torch.strided


def tells(torch: Any, left_out: str = "", place: int = 0, unread: Callable[[Any], bool] | None = None) -> bool:
    """Whether tensors are told apart by all but one thing."""

    def look(tensor: Any) -> Any:
        if unread is not None and unread(tensor):
            return None
        found = [str(see(tensor, torch)) for name, (see, _) in SEEN.items() if name != left_out]
        at = tensor.data_ptr() if is_strided(tensor, torch) else 0
        return at + place, " ".join(found).encode()

    with torch.no_grad():
        return launcher._tells_apart(torch, look)


def test_tensors_are_told_apart_by_each_thing_that_is_looked_at() -> None:
    torch = pytest.importorskip("torch")
    assert tells(torch)
    assert not tells(torch, place=1)  # another address
    assert [name for name in SEEN if not tells(torch, name)] == [name for name, (_, alone) in SEEN.items() if alone]


def test_what_cannot_be_read_is_told_apart_but_for_the_plain_ones() -> None:
    torch = pytest.importorskip("torch")
    assert tells(torch, unread=lambda t: t.device.type == "meta" or not is_strided(t, torch))
    assert not tells(torch, unread=lambda t: t.requires_grad)
    assert not tells(torch, unread=lambda t: not t.requires_grad)
    looked: list[Any] = []
    assert not tells(torch, unread=lambda t: bool(looked.append(t) or (len(looked) > 2 and tuple(t.shape) == (2, 2))))


def test_another_torch_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: Any = launcher._reads_torch.__wrapped__
    monkeypatch.setitem(sys.modules, "torch", cast(Any, SimpleNamespace(__file__="/nowhere/__init__.py")))
    assert reads() is False
    assert launcher._stream(SimpleNamespace(__file__="/nowhere/__init__.py")) == 0


# --- A driver that fails ----------------------------------------------------------------------------------------------


def test_what_the_driver_says_of_events_and_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    def report(what: str, text: str, cause: Any = None) -> Any:
        raise LookupError(f"{what}: {text}")

    monkeypatch.setattr(driver, "report", report)
    monkeypatch.setattr(driver, "cuda_core", lambda: SimpleNamespace(EventOptions=lambda **options: options))
    recorded: list[Any] = []
    stream = SimpleNamespace(
        record=lambda event=None, options=None: recorded.append((event, options)) or "event",
        sync=lambda: recorded.append("sync"),
    )
    assert driver.record(stream) == "event"
    assert driver.record_again(stream, None) == "event"
    assert driver.record_again(stream, None, blocking=True) == "event"
    assert driver.record_again(stream, "mine") == "event"
    assert driver.wait(stream, "it") is None
    options = [(None, None), (None, {"blocking_sync": False}), (None, {"blocking_sync": True}), ("mine", None), "sync"]
    assert recorded == options
    broken = SimpleNamespace(record=fails(CUDAError("it is\n lost")), sync=fails(CUDAError("it is lost")))
    for call, what in (
        (lambda: driver.record(broken), "recording an event"),
        (lambda: driver.record_again(broken, None), "recording an event"),
        (lambda: driver.wait(broken, "a launch"), "a launch"),
    ):
        with pytest.raises(LookupError, match=f"{what}: it is lost"):
            call()
    other = SimpleNamespace(record=fails(OSError("mine")), sync=fails(OSError("mine")))
    for call in (
        lambda: driver.record(other),
        lambda: driver.record_again(other, None),
        lambda: driver.wait(other, ""),
    ):
        with pytest.raises(OSError, match="mine"):
            call()


class Asked:
    """An event whose state is asked for."""

    def __init__(self, answer: object) -> None:
        self.answer = answer

    @property
    def is_done(self) -> object:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def test_of_a_gpu_that_is_lost_nothing_is_done() -> None:
    assert [driver.is_done(Asked(answer)) for answer in (True, False, CUDAError("lost"))] == [True, False, False]
    with pytest.raises(OSError, match="another"):
        driver.is_done(Asked(OSError("another")))


def test_room_for_what_a_kernel_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    def failed(what: str, error: Exception) -> Any:
        raise LookupError(what) from error

    monkeypatch.setattr(checked.driver, "failed", failed)
    monkeypatch.setattr(checked.driver, "captures", fails(CUDAError("no memory")))
    with pytest.raises(LookupError, match="making room for what a kernel checks"):
        checked.enter(0, 1, "scale", ())


def test_streams_that_other_threads_enter_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    class Streams:
        turns = 0

        def __iter__(self) -> Any:
            self.turns += 1
            yield "one"
            if self.turns < 3:
                raise RuntimeError("set changed size during iteration")
            yield "two"

    monkeypatch.setattr(flight, "streams", Streams())
    assert flight.every() == ["one", "two"]


def test_a_stream_of_the_process_before_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(timeline.driver, "api", lambda: asked.append("api"))
    elsewhere: Any = timeline._Elsewhere()
    with pytest.raises(AttributeError, match="handle"):
        _ = elsewhere.handle
    assert asked == ["api"]
    monkeypatch.setattr(timeline.driver, "api", fails(LookupError("another process")))
    with pytest.raises(LookupError, match="another process"):
        _ = elsewhere.handle


# --- Launches that are asked to look ----------------------------------------------------------------------------------


def test_launches_look_once_a_block_was_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    class Launches:
        times = 0

        def guard(self) -> None:
            self.times += 1

    before, after = Launches(), Launches()
    monkeypatch.setattr(modes, "_used", [])
    modes.watch(before)
    assert before.times == 0
    for _ in range(2):
        with fh.interpreting():
            pass
    assert before.times == 1
    modes.watch(after)
    assert (before.times, after.times) == (1, 1)
    told: list[Any] = []
    dispatcher: Any = grown(fh.partition(np.zeros(4, np.float32), 4), np.zeros(4, np.float32))
    dispatcher.sync()
    monkeypatch.setattr(dispatcher.dispatcher, "launcher", SimpleNamespace(guard=told.append))
    dispatcher.dispatcher.guard()
    assert told == [modes.chosen]


# --- Waiting ----------------------------------------------------------------------------------------------------------


def test_who_waits_is_told_what_failed() -> None:
    async def main() -> list[Any]:
        loop = asyncio.get_running_loop()
        fine, broken, gone = (loop.create_future() for _ in range(3))
        gone.cancel()
        waiting._wake(fine, None)
        waiting._wake(broken, OSError("lost"))
        waiting._wake(gone, None)
        waiting._wake(gone, OSError("lost"))
        return [await fine, broken.exception(), gone.cancelled()]

    done, error, cancelled = asyncio.run(main())
    assert (done, str(error), cancelled) == (None, "lost", True)


def test_the_wait_of_a_task_is_ended() -> None:
    said: list[str] = []

    class Operation:
        def __await__(self) -> Any:
            try:
                yield "first"
                yield "second"
            finally:
                said.append("closed")

    async def main() -> None:
        operation, other = Operation(), Operation()
        assert waiting.stepped(operation, next) == "first"
        assert waiting.stepped(other, next) == "first"
        assert waiting.stepped(operation, next) == "second"
        assert len(waiting.awaited) == 2
        waiting.end(operation)
        assert said == ["closed"]
        assert len(waiting.awaited) == 1
        waiting.end(operation)  # nobody waits
        assert said == ["closed"]
        with pytest.raises(ValueError, match="wrong"):
            waiting.stepped(other, lambda steps: steps.throw(ValueError("wrong")))
        assert not waiting.awaited

    asyncio.run(main())
    assert said == ["closed", "closed"]


# --- What stands in for a GPU's code ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "found", "tolerance", "witness"),
    [
        ([1, 2, 3], [1, 2, 3], None, None),
        ([1, 2, 3], [1, 5, 3], None, "`y[1]` is 5, and the stand-in's is 2"),
        ([3.0, 4.0], [3.0, 4.5], 0.1, None),  # as far apart as they may be
        ([3.0, 4.0], [3.0, 4.5], 0.0999, "`y[1]` is 4.5, and the stand-in's is 4.0"),
        ([0.0, np.nan, 1.0], [0.0, np.nan, 1.0], 0.0, None),
        ([0.0, np.nan, 1.0], [0.0, 2.0, 1.0], 0.0, "`y[1]` is 2.0, and the stand-in's is nan"),
        ([0.0, np.nan, np.inf], [0.5, np.nan, np.inf], 0.0, "`y[0]` is 0.5, and the stand-in's is 0.0"),
        ([0.0, 1.0, np.inf], [0.5, 1.0, -np.inf], 0.0, "`y[2]` is -inf, and the stand-in's is inf"),
    ],
)
def test_results_are_held_to_those_of_a_stand_in(
    expected: list[Any], found: list[Any], tolerance: float | None, witness: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """What a GPU wrote is copied from there; here from an array."""
    wanted = np.array(expected, np.int32 if all(type(e) is int for e in expected) else np.float32)
    there = np.array(found, wanted.dtype)
    asked: list[Any] = []

    class Planned:
        def __init__(self, *given: Any) -> None:
            asked.append(given[3:])

        def enqueue(self, handle: int, *values: Any) -> None:
            asked.append((handle, *values))

    def copied(pointer: int, source: int, size: int, device: int) -> None:
        asked.append((source, size, device))
        ctypes.memmove(pointer, there.ctypes.data, size)

    monkeypatch.setattr(standin, "Plan", Planned)
    monkeypatch.setattr(standin.driver, "synchronize", lambda device: asked.append(device))
    monkeypatch.setattr(standin.transfers, "copy_to_host", copied)
    view: Any = SimpleNamespace(
        device=1, pointer=4096, size=wanted.nbytes, shape=wanted.shape, strides=wanted.strides, element_strides=(1,)
    )
    evaluator = SimpleNamespace(evaluate=lambda shapes, strides, values: (shapes, strides, values))
    compiled: Any = SimpleNamespace(evaluator=evaluator, name="kernel")

    def compare() -> None:
        standin.compare(compiled, tolerance, [view], [view, 2.5], [("y", view, wanted)])

    if witness is None:
        compare()
    else:
        assert witness in refused(compare).replace("\n", " ")
    shapes = ([wanted.shape], [(1,)], [view, 2.5])
    assert asked == [(shapes, 1), (0, 4096, 2.5), 1, (4096, wanted.nbytes, 1)]
