"""Timelines of streams, what other libraries' arrays come after, and what is told of a GPU that is lost."""

# Stand-ins are of no type that checkers know, and what is tested has no public name.
# pyright: reportPrivateUsage=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownParameterType=false, reportUnknownLambdaType=false

from __future__ import annotations

import threading
from collections import defaultdict
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold.runtime.arrays import dlpack
from freehold.runtime.gpu import captures, faults, flight, streams
from freehold.runtime.gpu import timeline as timelines
from freehold.runtime.memory.arguments import view
from freehold.runtime.operations import leases, operation
from freehold.runtime.operations.in_flight import InFlight
from freehold.runtime.operations.operation import Next, Shared

HERE = (lambda: None).__code__


# --- Which timeline a stream has --------------------------------------------------------------------------------------


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The streams that were asked for."""
    asked: list[Any] = []
    monkeypatch.setattr(timelines, "timelines", defaultdict(dict))
    monkeypatch.setattr(timelines, "_watch", lambda: asked.append("watches"))
    monkeypatch.setattr(timelines.driver, "stream", lambda handle, device: asked.append((handle, device)) or object())
    monkeypatch.setattr(timelines._OWN, "streams", {})
    return asked


def test_each_stream_has_one_timeline(known: list[Any]) -> None:
    of = timelines.timeline
    default = of(0)
    assert of(0, 0) is of(0, 1) is default  # it has two names
    assert known == ["watches", (0, 0)]
    assert of(1, 1) is of(1) is not default
    assert of(0, 7) is of(0, 7)
    assert of(0, 7) not in (default, of(1, 7), of(0, 8))
    assert {(made.device, made is default) for made in (of(0, 7), of(1, 7), default)} == {
        (0, False),
        (1, False),
        (0, True),
    }
    assert of(fh.HOST) is of(fh.HOST, 5) is timelines.host_timeline()
    assert of(fh.HOST).device == fh.HOST
    assert sorted(timelines.timelines[0]) == [0, 1, 7, 8]


def test_the_stream_of_a_thread_is_its_own(known: list[Any]) -> None:
    of, handle = timelines.timeline, timelines.PER_THREAD
    mine = [of(device, handle) for device in (0, 1)]
    assert [of(device, handle) for device in (0, 1)] == mine
    assert timelines._OWN.streams == dict(enumerate(mine))
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.extend((of(0, handle), of(0, handle), of(0), of(fh.HOST))))
    thread.start()
    thread.join()
    assert found[0] is found[1] is not mine[0]
    assert found[2] is of(0)
    assert found[3] is not of(fh.HOST)
    assert not timelines.timelines[0].keys() - {0}


def test_streams_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []

    def new_stream(device: int) -> Any:
        made.append((device, len(made)))
        return SimpleNamespace(name=made[-1])

    monkeypatch.setattr(streams.driver, "require_gpu", lambda why: None)
    monkeypatch.setattr(streams.driver, "new_stream", new_stream)
    monkeypatch.setattr(streams, "pooled", set())
    for count in (1, 3):
        made.clear()
        with fh.stream_policy(fh.RoundRobin(count)) as policy:
            found = [streams.next_stream(0) for _ in range(2 * count)]
            assert [s.name for s in found] == [(0, n) for n in range(count)] * 2
            assert len(made) == count
            assert {id(s) for s in found} <= streams.pooled
            assert policy.stream(5).name[0] == 5
            assert len(made) == 2 * count
    with fh.stream_policy(fh.SingleStream()):
        assert streams.next_stream(0) is streams.next_stream(0)
    with pytest.raises(ValueError, match="a policy needs a stream, and 0 were asked for"):
        fh.RoundRobin(0)


# --- Others' arrays ---------------------------------------------------------------------------------------------------


class User:
    """A timeline."""

    def __init__(self, name: str, stream: Any = "a stream") -> None:
        self.name, self.stream, self.now, self.said = name, stream, 7, list[Any]()

    def follow(self, other: Any, tick: int) -> None:
        self.said.append(f"follows {other.name} at {tick}")

    def wait(self, what: str) -> None:
        self.said.append(f"waits for {what}")

    def join(self, tick: int) -> None:
        self.said.append(f"joins {tick}")

    def mark(self) -> tuple[int, None]:
        self.said.append("marks")
        return self.now, None

    def finished(self) -> int:
        return 0


@pytest.mark.parametrize(
    ("stream", "handles"), [(None, [5]), (0, [0, 5]), (1, [1, 5]), (9, [5, 9]), (5, [5])], ids=str
)  # fmt: skip
def test_what_is_taken_over_comes_after_its_library(
    stream: int | None, handles: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """After what is on its current stream, and on the one that it names; each of its bytes counts as written there."""
    used: dict[Any, User] = {}
    noted: list[Any] = []
    space = SimpleNamespace(device=2, note=lambda *given: noted.append(given), disturb=lambda: None)
    monkeypatch.setattr(dlpack, "foreign_space", lambda device: space)
    monkeypatch.setattr(dlpack, "let_go", lambda: noted.append("lets go"))
    monkeypatch.setattr(dlpack.driver, "current_handle", lambda family, device: 5)
    monkeypatch.setattr(dlpack, "timeline", lambda device, handle: used.setdefault((device, handle), User(f"{handle}")))
    array = np.zeros((3, 8), np.float32)[:, ::-2]
    found = view(array)
    found.device, found.stream, found.family = 2, stream, "torch"
    made: Any = dlpack.adopted(lambda *given: given, found)  # type: ignore[arg-type]
    wanted = {5, stream or 0} if stream != 5 else {5}
    assert {handle for _, handle in used} == wanted
    low = array.ctypes.data - 6 * 4
    assert noted[0] == "lets go"
    assert sorted(noted[1:], key=lambda note: note[0].name) == [
        (used[2, handle], low, low + (2 * 8 + 6 + 1) * 4, True, 8) for handle in sorted(wanted)
    ]
    storage, pointer, shape, strides, dtype = made
    assert (storage.address, storage.nbytes, storage.device, storage.foreign) == (low, 92, 2, True)
    assert (pointer, shape, strides, dtype) == (array.ctypes.data, (3, 4), (32, -8), fh.f32)
    storage.owner = None


def test_a_consumer_follows_what_is_in_flight(monkeypatch: pytest.MonkeyPatch) -> None:
    joined: list[Any] = []
    monkeypatch.setattr(dlpack.ledger, "join", lambda tensors, write: joined.append((tensors, write)))
    consumer: Any = User("the consumer")
    asked: list[Any] = []

    def conflicts(*given: Any) -> Any:
        asked.append(given)
        return [(User("a"), 3), (User("a thread", None), 4), (User("b"), 5)]

    tensor: Any = SimpleNamespace(device=2, low=16, high=32, space=SimpleNamespace(device=2, conflicts=conflicts))
    dlpack.ready_on(tensor, consumer)
    assert (consumer.said, asked, joined) == (["follows a at 3", "follows b at 5"], [(16, 32, True)], [])
    dlpack.ready_on(tensor, None)  # who names no stream looks after itself
    assert joined == []
    tensor.device = fh.HOST
    dlpack.ready_on(tensor, None)
    assert joined == [([tensor], True)]


@pytest.mark.parametrize(
    ("stream", "handle"), [(None, 0), (1, 0), (0, 0), (2, 2), (17, 17), (-1, None)], ids=str
)  # fmt: skip
def test_the_stream_of_who_is_given_a_tensor(stream: Any, handle: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []
    monkeypatch.setattr(dlpack, "timeline", lambda device, handle: (device, handle))
    monkeypatch.setattr(dlpack.ledger, "verify", lambda tensor, write: told.append(("verify", write)))
    monkeypatch.setattr(dlpack.ledger, "hold", lambda *given, **named: told.append(named["consumer"]))
    monkeypatch.setattr(dlpack, "ready_on", lambda tensor, consumer: told.append(consumer))
    monkeypatch.setattr(dlpack, "_capsule", lambda tensor, held, versioned: versioned)
    tensor: Any = SimpleNamespace(
        device=2, dtype=fh.f32, strides=(8, 4), space=SimpleNamespace(device=2), pointer=0, shape=(1, 2)
    )
    consumer = None if handle is None else (2, handle)
    for version, versioned in ((None, False), ((0, 8), False), ((1, 0), True), ((2, 0), True)):
        told.clear()
        assert dlpack.exported(tensor, stream, version, None, None, None) is versioned  # type: ignore[arg-type]
        assert told == [("verify", True), consumer, consumer]
    assert dlpack.exported(tensor, stream, None, (2, 2), False, None) is False  # type: ignore[arg-type]
    for given, said in (({"copy": True}, "a copy is an operation"), ({"device": (1, 0)}, "a copy to another device")):
        with pytest.raises(BufferError, match=said):
            dlpack.exported(tensor, stream, None, given.get("device"), given.get("copy"), None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("families", "device", "family"),
    [
        ((), 0, ""), ((("freehold", 0),), 0, ""), ((("torch", 0),), 0, "torch"), ((("torch", 1),), 0, ""),
        ((("freehold", 0), ("cupy", 0), ("torch", 0)), 0, "cupy"), ((("torch", 1), ("cupy", 0)), 0, "cupy"),
        ((("torch", 1),), 1, "torch"), ((("", 0),), 0, ""),
    ],
)  # fmt: skip
def test_whose_stream_work_on_arrays_is_on(families: Any, device: int, family: str) -> None:
    views: Any = [SimpleNamespace(family=f, device=d) for f, d in families]
    execution: Any = SimpleNamespace(place=lambda device, family: ("stream", "handle", (device, family)))
    assert leases._user(execution, device, views) == (device, family)
    assert leases._user(execution, fh.HOST, views) is timelines.host_timeline()


def test_what_is_marked_is_waited_for_and_no_more() -> None:
    users: Any = [User("a"), User("b")]
    described: Any = SimpleNamespace(what="a launch")
    flight = InFlight("its value", tuple(users), described, "kept")
    assert repr(flight) == "<a launch, enqueued>"
    assert flight.wait() == "its value"
    assert [user.said for user in users] == [["waits for a launch"]] * 2
    assert repr(flight) == "<a launch, done>"
    assert flight.wait() == "its value"
    assert len(users[0].said) == 1
    flight = InFlight("its value", tuple(users), described).marked()
    users[1].now = 9
    assert flight.wait() == "its value"
    assert [user.said[1:] for user in users] == [["marks", "joins 7"]] * 2


# --- One operation after the other ------------------------------------------------------------------------------------


class Step(operation.Operation[Any]):
    """An operation that answers what it is told to."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def enqueue(self, execution: Any) -> Any:
        return self.answer


def test_operations_in_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to one that has to be walked: several, a chain, and one that needs another's value."""
    row: Any = operation._in_a_row
    nested = fh.value(1).map(str)
    several = fh.gather([fh.value(1), fh.value(2)])
    asks = Step(Next(fh.value(3)))
    for stopping in (nested, several):
        values: list[Any] = []
        assert row((Step(1), Step(2), stopping, Step(3)), values, None) is stopping
        assert values == [1, 2]
    values = []
    found = row((Step(1), asks, Step(3)), values, None)
    assert (type(found).__name__, values) == ("_Begun", [1])
    values = [1, "of the chain"]
    assert row((Step(0), nested, Step(3)), values, None) is None
    assert values == [1, "of the chain", 3]


def test_what_is_shared_is_followed_on_other_streams() -> None:
    ran, own = User("it ran on"), User("its user's")
    shared: Any = Shared(fh.value(1))
    shared._value, shared._source, shared._done = "its value", None, [(2, ran, 5)]
    place = {2: own}
    execution: Any = SimpleNamespace(recording=None, place=lambda device: (None, None, place[device]))
    assert shared.enqueue(execution) == "its value"
    assert own.said == ["follows it ran on at 5"]
    place[2] = ran
    assert shared.enqueue(execution) == "its value"
    assert ran.said == []
    execution.recording = "a graph"
    place.clear()
    assert shared.enqueue(execution) == "its value"  # its replays lease what they use


# --- A GPU that is lost -----------------------------------------------------------------------------------------------


def launched(tick: int, what: str) -> flight.Trace:
    return flight.Trace(tick, tick, what, HERE, 0)


ERRORS: list[tuple[str, str]] = [
    ("CUDA_ERROR_NO_BINARY_FOR_GPU: no kernel image", "O276"),
    ("CUDA_ERROR_INVALID_IMAGE", "O276"),
    ("CUDA_ERROR_OUT_OF_MEMORY: out of memory", "O277"),
    ("CUDA_ERROR_INVALID_VALUE: invalid argument", "O241"),
    ("CUDA_ERROR_LAUNCH_FAILED: unspecified launch failure", "O280"),
    ("CUDA_ERROR_ILLEGAL_ADDRESS", "O280"),
]


@pytest.mark.parametrize(("text", "code"), ERRORS)
@pytest.mark.parametrize("left", [None, (1 << 20, 1 << 30)])
def test_what_an_error_of_the_driver_means(
    text: str, code: str, left: tuple[int, int] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Any] = []
    monkeypatch.setattr(faults, "_lost", {})
    monkeypatch.setattr(faults, "when_lost", [lambda *given: told.append(given)])
    monkeypatch.setattr(faults, "unfinished", list)
    cause = OSError("the driver's")
    for turn in range(2):
        with pytest.raises(fh.Rejected) as caught:
            faults.report("a launch", text, 3, lambda device: f"sm_{device}", lambda: left, cause)
        assert caught.value.codes == (code,)
        assert caught.value.__cause__ is cause
        assert text in str(caught.value) or code == "O277"
        # What is on a GPU is told of once.
        assert told == ([(3, f"GPU 3 was lost to a fault: {text}")] if code == "O280" else []), turn
        notes = caught.value.errors[0].report().notes
        assert ("1048576 of 1073741824 bytes are free" in notes) == (code == "O277" and left is not None)


@pytest.mark.parametrize(
    ("launches", "oldest", "others"),
    [((), None, None), (("a",), "a", None), (("a", "b"), "a", 1), (("a", "b", "c"), "a", 2)],
)
def test_a_fault_is_of_a_launch_that_was_not_done(
    launches: tuple[str, ...], oldest: str | None, others: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(faults, "unfinished", lambda: [launched(n, what) for n, what in enumerate(launches)])
    error = faults._fault("a copy", "CUDA_ERROR_LAUNCH_FAILED", 3)
    said = [note for note in error.report().notes if "noticed at" not in note]
    assert said == (
        ["all launches of Freehold were seen to be done: the fault is of another library"]
        if oldest is None
        else [
            f"the oldest launch that was not known to be done is of {oldest}",
            *([f"launches that came after it and may have been running: {others}"] if others else []),
        ]
    )
    assert "noticed at: a copy" in error.report().notes


# --- Graphs of the driver ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("several", "current", "errors", "launched_", "checked_"),
    [
        (False, 9, [0], 1, False), (True, 2, [0], 1, False), (True, 9, [0], 1, True), (False, 9, [201, 0], 2, True),
        (True, 2, [201, 201], 2, True),
    ],
)  # fmt: skip
def test_a_graph_is_run_where_its_gpu_is_current(
    several: bool, current: int, errors: list[int], launched_: int, checked_: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[Any] = []
    left = iter(errors)

    @contextmanager
    def on_device(device: int) -> Any:
        said.append(f"on {device}")
        yield

    def launch(made: Any, handle: int) -> tuple[int]:
        said.append((made, handle))
        return (next(left),)

    api = SimpleNamespace(cuGraphLaunch=launch)
    monkeypatch.setattr(captures, "_several", lambda: several)
    monkeypatch.setattr(captures.driver, "parts", lambda: (None, lambda: (0, current)))
    monkeypatch.setattr(captures.driver, "api", lambda: api)
    monkeypatch.setattr(captures.driver, "on_device", on_device)
    monkeypatch.setattr(captures.driver, "checked", lambda what, found: said.append((what, *found)))
    captures.run_graph("made", 21, 2)
    runs = [each for each in said if each == ("made", 21)]
    assert len(runs) == launched_
    assert ("on 2" in said) == checked_
    assert (said[-1] == ("running a graph", errors[-1])) == checked_
