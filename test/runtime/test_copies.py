"""How elements are copied from any place to any other, on memory of the host that stands for a GPU's."""

# Stand-ins are of no type that checkers know, and what is tested has no public name.
# pyright: reportPrivateUsage=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownParameterType=false, reportUnknownLambdaType=false

from __future__ import annotations

import ctypes
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from math import prod
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

import freehold as fh
from freehold.runtime.arrays import builtin_kernels, copying
from freehold.runtime.arrays.handle import Handle
from freehold.runtime.memory.arguments import contiguous
from freehold.runtime.memory.ledger import Refusal
from freehold.runtime.memory.views import is_contiguous, reach
from freehold.runtime.operations.operation import Next
from freehold.support.dtypes import DType

HERE = Path(__file__).parent
Golden = Callable[[Path, str], None]


class Placed:
    """A tensor somewhere: what copies look at."""

    def __init__(
        self, name: str, device: int, shape: tuple[int, ...] = (4, 6), dtype: DType = fh.f32, *,
        strides: tuple[int, ...] | None = None, pointer: int = 4096, space: Any = None,
    ):  # fmt: skip
        self.name, self.device, self.shape, self.dtype, self.pointer = name, device, shape, dtype, pointer
        self.space = space or SimpleNamespace(device=device)
        self.strides = contiguous(shape, dtype.itemsize) if strides is None else strides
        low, high = reach(shape, self.strides, dtype.itemsize)
        self.low, self.high = pointer + low, pointer + high
        self.ndim, self.size, self.nbytes = len(shape), prod(shape), prod(shape) * dtype.itemsize
        self.is_contiguous = is_contiguous(shape, self.strides, dtype.itemsize)


class World:
    """Writes down what is asked of the driver, of the ledger and of other operations."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.refusing: str | None = None

    def say(self, text: str) -> None:
        self.said.append(text)

    @contextmanager
    def on_device(self, device: int) -> Generator[None]:
        self.say(f"on GPU {device}")
        yield

    def verify(self, tensor: Placed, written: bool) -> None:
        self.say(f"looks whether {tensor.name} may be {'written' if written else 'read'}")
        if tensor.name == self.refusing:
            raise Refusing(tensor.name)

    def enqueue(self, user: str, reads: Any, writes: Any, work: Any, blame: Any, through: Any = None) -> Any:
        names = [" and ".join(t.name for t in some) or "nothing" for some in (reads, writes)]
        self.say(f"reads {names[0]}, writes {names[1]} on {user}")
        return work()


class Refusing(Refusal):
    """What the ledger says of a tensor."""

    def __init__(self, name: str) -> None:
        Exception.__init__(self, name)


class Blamed(Exception):
    """What is told of a refusal."""


def blame(refusal: Any) -> Exception:
    return Blamed(f"copy_from: {refusal}")


class Recording:
    """A graph that records."""

    def __init__(self, world: World) -> None:
        self.world = world

    def uses(self, views: Any, reads: Any, writes: Any) -> None:
        names = [[t.name for t in some] for some in (views, reads, writes)]
        self.world.say(f"records the use of {names}")

    def enqueued(self, writes: Any, what: str) -> None:
        self.world.say(f"recorded: {what} of {[t.name for t in writes]}")

    def host_work(self, work: Any) -> None:
        self.world.say("records work of the host")
        work()


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    found = World()

    def text(pointer: int) -> str:
        return f"{pointer:#x}"

    def converted(source: Any, dtype: DType, device: int, name: str, site: Any) -> Any:
        return f"`{name}` of {source.name} as {dtype} on {place(device)}"

    monkeypatch.setattr(copying.transfers, "copy", lambda to, come, n, stream: found.say(
        f"copies {n} bytes from {text(come)} to {text(to)} on {stream}"
    ))  # fmt: skip
    monkeypatch.setattr(copying.transfers, "copy_between", lambda to, there, come, here, n, stream: found.say(
        f"copies {n} bytes from {text(come)} of GPU {here} to {text(to)} of GPU {there} on {stream}"
    ))  # fmt: skip
    monkeypatch.setattr(copying.driver, "on_device", found.on_device)
    monkeypatch.setattr(copying.ledger, "enqueue", found.enqueue)
    monkeypatch.setattr(copying.ledger, "verify", found.verify)
    monkeypatch.setattr(copying, "host_timeline", lambda: "the host")
    monkeypatch.setattr(copying, "read", lambda tensor, blame: f"what {tensor.name} holds")
    monkeypatch.setattr(copying, "write", lambda tensor, array, blame: found.say(f"writes {array} by way of the host"))
    monkeypatch.setattr(copying, "view", lambda tensor: tensor)
    monkeypatch.setattr(copying, "converted", converted)
    monkeypatch.setattr(copying, "cut", lambda tensor: f"tiles of {tensor.name}")
    monkeypatch.setattr(copying, "_between_arrays", lambda target, source: found.say("copies between arrays"))
    monkeypatch.setattr(builtin_kernels, "convert", lambda target, source: f"a launch on {target} and {source.name}")
    return found


def place(device: int) -> str:
    return "the host" if device == fh.HOST else f"GPU {device}"


def execution(world: World, recording: bool = False) -> Any:
    return SimpleNamespace(
        recording=Recording(world) if recording else None,
        place=lambda device: (f"a stream of GPU {device}", device, f"GPU {device}"),
        allocating=lambda what: world.say(f"allocates for {what}"),
    )


SPACE = SimpleNamespace(device=0)
LOCKED = SimpleNamespace(device=0)
PLACES: list[Any] = [
    Placed("the host's", fh.HOST),
    Placed("page-locked", fh.HOST, space=LOCKED),
    Placed("page-locked and strided", fh.HOST, strides=(48, 8), space=LOCKED),
    Placed("GPU 0's", 0, space=SPACE),
    Placed("GPU 0's of i32", 0, dtype=fh.i32, pointer=1 << 16, space=SPACE),
    Placed("GPU 0's, elsewhere", 0, pointer=1 << 17, space=SPACE),
    Placed("GPU 0's, four bytes on", 0, pointer=4100, space=SPACE),
    Placed("GPU 0's, strided", 0, strides=(48, 8), pointer=1 << 18, space=SPACE),
    Placed("GPU 0's, turned", 0, strides=(4, 16), space=SPACE),
    Placed("GPU 0's, backwards", 0, strides=(24, -4), pointer=4116, space=SPACE),
    Placed("GPU 0's, of one row again and again", 0, strides=(0, 4), pointer=1 << 19, space=SPACE),
    Placed("GPU 0's, in another space", 0),
    Placed("GPU 1's", 1),
    Placed("GPU 1's, strided", 1, strides=(48, 8)),
]


def done(world: World, target: Any, source: Any, recording: bool = False) -> str:
    world.said.clear()
    found = copying._assign(execution(world, recording), target, source, blame)
    if isinstance(found, Next):
        first: Any = found.operation
        world.say(f"asks for {first}")
    else:
        assert found is target
    return "; ".join(world.said)


def test_how_each_place_is_copied_to_each_other(world: World, golden: Golden) -> None:
    lines: list[str] = []
    for target in PLACES:
        lines += [f"to {target.name}:", *(f"  from {source.name}: {done(world, target, source)}" for source in PLACES)]
    lines.append("in a graph:")
    for target in PLACES[:2] + PLACES[3:6]:
        lines += [f"  {target.name} from {source.name}: {done(world, target, source, True)}" for source in PLACES[:6]]
    golden(HERE / "copies.txt", "\n".join(lines))


def test_nothing_is_copied_of_no_elements(world: World) -> None:
    for device in (fh.HOST, 0, 1):
        target: Any = Placed("nothing", device, (0, 3))
        assert done(world, target, Placed("nothing either", 0, (0, 3))) == ""


def test_an_axis_of_one_element_runs_nowhere(world: World) -> None:
    """`x[:, None]` has a stride of 0 there, as NumPy has."""
    target = Placed("a column", 0, (4, 6, 1), strides=(48, 8, 0))
    for strides in ((24, 4, 0), (24, 4, -4), (24, 4, 4)):
        source = Placed("another", 0, (4, 6, 1), strides=strides, pointer=1 << 20)
        assert done(world, target, source).endswith("asks for a launch on tiles of a column and another")
    source = Placed("another", 0, (4, 6, 2), strides=(48, 8, 0), pointer=1 << 20)
    assert done(world, target, source).startswith("allocates for a copy of a view that runs backwards")


def test_what_comes_after_what_is_asked_for(world: World) -> None:
    """What was made is copied; of a launch the value is the target."""
    target, source = PLACES[3], PLACES[12]
    found: Any = copying._assign(execution(world), PLACES[7], source, blame)
    world.said.clear()
    made: Any = Placed("what was made", 0, pointer=1 << 20)
    again = found.resume(made)
    assert isinstance(again, Next)
    assert cast("Any", again).resume("whatever") is PLACES[7]
    found = copying._assign(execution(world), target, PLACES[6], blame)
    world.said.clear()
    assert found.resume(made) is target
    assert world.said[-1] == "copies 96 bytes from 0x100000 to 0x1000 on a stream of GPU 0"


def test_who_may_not_be_copied_is_told_before_a_launch(world: World) -> None:
    for name in ("GPU 0's", "GPU 0's, strided"):
        world.refusing = name
        with pytest.raises(Blamed, match=f"copy_from: {name}$"):
            done(world, PLACES[7], PLACES[3])


# --- Between a GPU and NumPy ------------------------------------------------------------------------------------------


@pytest.fixture
def transferred(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """Memory of the host stands for a GPU's; lists what is copied: its bytes."""
    said: list[Any] = []
    streams: list[int] = []

    @contextmanager
    def on_device(device: int) -> Generator[None]:
        said.append(f"GPU {device}")
        yield

    def copy(to: int, come: int, size: int, stream: Any) -> None:
        assert stream == "own"
        said.append(size)
        ctypes.memmove(to, come, size)

    def new_stream(device: int) -> str:
        streams.append(device)
        return "own"

    monkeypatch.setattr(copying.transfers, "copy", copy)
    monkeypatch.setattr(copying.driver, "wait", lambda stream, what: said.append(what))
    monkeypatch.setattr(copying.driver, "new_stream", new_stream)
    monkeypatch.setattr(copying.driver, "on_device", on_device)
    monkeypatch.setattr(copying, "_OWN", {})
    monkeypatch.setattr(copying.ledger, "enqueue", lambda user, reads, writes, work, *rest: work())
    monkeypatch.setattr(copying, "host_timeline", lambda: None)
    yield said
    assert streams in ([], [0])  # one for all of them


def on_gpu(array: Any) -> Any:
    """A tensor on a GPU over an array's memory."""
    dtype = {4: fh.i32, 2: fh.i16, 1: fh.i8}[array.itemsize]
    return Placed("it", 0, array.shape, dtype, strides=array.strides, pointer=array.ctypes.data)


VIEWS: dict[str, Callable[[Any], Any]] = {
    "all": lambda a: a,
    "nothing": lambda a: a[:0],
    "an element": lambda a: a[2:3, 3:4, 1:2].reshape(()),
    "a row": lambda a: a[2, 3],
    "a part of a row": lambda a: a[2, 3, 1:4],
    "rows": lambda a: a[2, 1:4],
    "parts of rows": lambda a: a[2, :, 1:3],
    "every second element": lambda a: a[:, :, ::2],
    "every second row": lambda a: a[:, ::2],
    "every second plane": lambda a: a[::2],
    "a column": lambda a: a[2, :, 3],
    "a deep column": lambda a: a[:, 3, 3],
    "a row of each plane": lambda a: a[:, 3],
    "two rows of each plane": lambda a: a[:, 3:5],
    "few elements of a few planes": lambda a: a[::3, ::7, ::4],
    "the first and the last": lambda a: a[:: a.shape[0] - 1, :: a.shape[1] - 1, :: a.shape[2] - 1],
    "turned": lambda a: a.transpose(2, 0, 1),
    "rows turned": lambda a: a.transpose(1, 0, 2),
    "a plane turned": lambda a: a[1].T,
    "backwards": lambda a: a[::-1, ::-1, ::-1],
    "rows backwards": lambda a: a[:, ::-1],
    "of one element along the last": lambda a: a[:, :, 2:3],
    "of one element along the first two": lambda a: a[1:2, 2:3, 1:],
    "of one element along the second": lambda a: a[1:3, 2:3],
}


@pytest.mark.parametrize("dtype", [np.int32, np.int8])
def test_what_is_read_and_written_element_by_element(dtype: Any, transferred: list[Any], golden: Golden) -> None:
    lines: list[str] = []
    for name, of in VIEWS.items():
        memory = np.random.default_rng(0).integers(-100, 100, (6, 8, 5)).astype(dtype)
        tensor, array = on_gpu(of(memory)), of(memory)
        transferred.clear()
        found = copying.read(tensor, None)
        assert found.flags.c_contiguous
        assert found.dtype == array.dtype
        assert found.shape == array.shape
        assert np.array_equal(found, array)
        assert not np.shares_memory(found, memory)
        read = summary(transferred)
        wanted, other = memory.copy(), np.random.default_rng(1).integers(-100, 100, array.shape)
        of(wanted)[...] = other.astype(dtype)
        transferred.clear()
        copying.write(tensor, other, None)  # of other elements, which are converted
        assert np.array_equal(memory, wanted)
        lines.append(f"{name}: read: {read}; written: {summary(transferred)}")
    golden(HERE / f"copied_{np.dtype(dtype).name}.txt", "\n".join(lines))


def summary(said: list[Any]) -> str:
    sizes = [n for n in said if isinstance(n, int)]
    rest = [text for text in said if isinstance(text, str)]
    assert len({*sizes}) <= 1
    return f"{len(sizes)} x {sizes[0]} bytes, {', '.join(rest)}" if sizes else ", ".join(rest) or "nothing"


@pytest.mark.parametrize(("elements", "apart", "copies"), [(4, 5, 1), (4, 6, 4), (5, 4, 1), (5, 5, 5)])
def test_much_between_elements_is_not_copied(elements: int, apart: int, copies: int, transferred: list[Any]) -> None:
    """Up to four times as many bytes as there are elements' are copied at once."""
    array = np.arange(100, dtype=np.int8)[::apart][:elements]
    assert copying.read(on_gpu(array), None).tolist() == array.tolist()
    assert len([n for n in transferred if isinstance(n, int)]) == copies


def test_offsets_are_those_of_all_elements() -> None:
    for shape, strides in (((), ()), ((3,), (5,)), ((2, 3), (100, -4)), ((2, 0), (1, 1)), ((2, 2, 2), (7, 70, 700))):
        expected = [sum(i * s for i, s in zip(index, strides, strict=True)) for index in np.ndindex(shape)]
        assert [*copying._offsets(shape, strides)] == expected


@pytest.mark.parametrize("one", [PLACES[n] for n in (3, 6, 8, 9, 11)], ids=lambda p: p.name)
def test_what_shares_memory_and_may_be_copied_at_once(one: Any) -> None:
    for other in PLACES[3:12]:
        both: Any = one, other
        backwards = any(s < 0 for t in both for s in t.strides)
        bytes_of = [
            {
                t.pointer + sum(i * s for i, s in zip(index, t.strides, strict=True)) + byte
                for index in np.ndindex(t.shape)
                for byte in range(t.dtype.itemsize)
            }
            for t in both
        ]
        same = one.space is other.space
        assert copying._share_memory(*both) == (same and not backwards and bool(bytes_of[0] & bytes_of[1]))


@pytest.mark.parametrize(
    ("shape", "elements", "tile"),
    [
        ((), 1024, ()), ((1,), 1024, (1,)), ((3,), 1024, (4,)), ((1024,), 1024, (1024,)), ((1025,), 1024, (1024,)),
        ((7, 1000), 1024, (1, 1024)), ((7, 100), 1024, (8, 128)), ((100, 100), 1024, (8, 128)),
        ((9, 5, 3), 64, (2, 8, 4)), ((2, 2, 2), 4, (1, 2, 2)), ((5, 1, 9), 16, (1, 1, 16)),
    ],
)  # fmt: skip
def test_regions_of_neighbours(shape: tuple[int, ...], elements: int, tile: tuple[int, ...]) -> None:
    tensor: Handle = fh.zeros(shape, fh.i8, device=fh.HOST).sync()
    assert copying.cut(tensor, elements).spec.tile == tile
    if elements == 1024:
        assert copying.cut(tensor).spec.tile == tile
