"""Which streams an execution uses, with whose work it is put in order, and how memory is given back behind that."""

# Stand-ins are of no type that checkers know, and what is tested has no public name.
# pyright: reportPrivateUsage=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownParameterType=false, reportUnknownLambdaType=false

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

import freehold as fh
from freehold.runtime.gpu.timeline import POSTPONED
from freehold.runtime.memory import storage
from freehold.runtime.memory.ledger import Space
from freehold.runtime.memory.storage import Storage
from freehold.runtime.operations import execution as module
from freehold.runtime.operations.execution import Execution


class Stream:
    """A stream of a GPU."""

    def __init__(self, name: str) -> None:
        self.name = name


class World:
    """Streams by handle and GPU; writes down what is put in order. Handle 9 is the policy's."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.known: dict[tuple[int, int], Stream] = {}
        self.capturing: list[Stream] = []
        self.timelines: dict[Any, Any] = {}

    def stream(self, handle: int, device: int) -> Stream:
        return self.known.setdefault((handle, device), Stream(f"{handle} of {device}"))

    def handle_of(self, stream: Stream) -> int:
        return next(handle for (handle, _), known in self.known.items() if known is stream)

    def order_after(self, stream: Stream, handle: int, device: int) -> None:
        self.said.append(f"{stream.name} after {handle} of {device}")

    def timeline(self, device: int, handle: int = 0) -> Any:
        def join() -> None:
            self.said.append(f"joins {handle} of {device}")

        def wait(what: str) -> None:
            self.said.append(f"waits for {what} on {handle} of {device}")

        made = SimpleNamespace(device=device, stream=self.stream(handle, device), join=join, wait=wait)
        return self.timelines.setdefault((device, handle), made)


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    found = World()
    for name in ("stream", "handle_of", "order_after"):
        monkeypatch.setattr(module.driver, name, getattr(found, name))
    monkeypatch.setattr(
        module.driver, "current_handle", lambda family, device: {"": 0, "torch": 5, "cupy": 6}[family] + device
    )
    monkeypatch.setattr(module.driver, "stream_of", lambda given, device: found.stream(given, device))
    monkeypatch.setattr(module.driver, "is_capturing", lambda stream: stream in found.capturing)
    monkeypatch.setattr(module, "timeline", found.timeline)
    monkeypatch.setattr(module, "let_go", lambda: found.said.append("lets go"))
    monkeypatch.setattr(module.streams, "next_stream", lambda device: found.stream(9, device))
    monkeypatch.setattr(module.streams, "pooled", {id(found.stream(9, device)) for device in (0, 1)})
    monkeypatch.setattr(module, "failures", SimpleNamespace(fresh=[], publish=lambda: found.said.append("publishes")))
    return found


RECORDING: Any = SimpleNamespace(stream=None)


@pytest.mark.parametrize(
    ("given", "pooled", "family", "device", "handle"),
    [
        (None, False, "", 0, 0), (None, False, "", 1, 1), (None, False, "torch", 0, 5), (None, False, "cupy", 1, 7),
        (None, True, "", 1, 9), (None, True, "torch", 0, 5), (3, False, "", 0, 3), (3, True, "torch", 1, 3),
        (0, True, "", 0, 0), (3, True, "", 0, 3),
    ],
)  # fmt: skip
def test_which_stream_is_used(
    given: int | None, pooled: bool, family: str, device: int, handle: int, world: World
) -> None:
    """One that is given, or else the one of the library whose arrays there are, the policy's, or the default stream."""
    run = Execution(given, pooled)
    assert run.pooled is (pooled and given is None)
    stream, found, user = run.place(device, family)
    assert (stream, found, user) == (world.stream(handle, device), handle, world.timeline(device, handle))
    assert run.stream(device, "cupy") is stream  # it is chosen once
    assert run.places == {device: (stream, handle, user)}
    other = run.place(1 - device)
    assert run.timelines == [user, other[2]]


def test_what_a_graph_records_is_on_its_streams(world: World) -> None:
    recording: Any = SimpleNamespace(stream=lambda device: world.stream(8, device))
    assert Execution(3, True, recording).place(1, "torch")[:2] == (world.stream(8, 1), 8)
    with pytest.raises(fh.Rejected) as caught:
        Execution(recording=recording).allocating("`zeros`")
    assert caught.value.codes == ("O263",)
    Execution().allocating("`zeros`")


def used_by(user: Any) -> Any:
    return SimpleNamespace(space=SimpleNamespace(sole=user))


def test_it_goes_on_where_the_work_on_its_array_is(world: World) -> None:
    """If that is a stream of the policy's, and it has none yet; also where the array is partitioned."""
    own, other = world.timeline(1, 9), world.timeline(1, 4)
    place = (own.stream, 9, own)
    for argument, wanted in (
        (used_by(own), {1: place}), (SimpleNamespace(array=used_by(own)), {1: place}), (used_by(other), {}),
        (used_by(None), {}), (object(), {}), (None, {}),
    ):  # fmt: skip
        run = Execution(pooled=True)
        run.prefer(argument)
        assert run.places == wanted
    for run in (Execution(), Execution(3, True)):
        run.prefer(used_by(own))
        assert run.places == {}
    assert Execution(pooled=True).place(1, array=used_by(own)) == place
    run = Execution(pooled=True)
    run.place(0)
    run.prefer(used_by(own))
    assert [*run.places] == [0]


def test_others_work_comes_before_and_after(world: World) -> None:
    run = Execution(3)
    views: list[Any] = [
        SimpleNamespace(family=family, device=device, stream=stream, owner=f"owner {n}")
        for n, (family, device, stream) in enumerate(
            [("torch", 0, None), ("cupy", 0, 77), ("freehold", 0, None), ("", 0, None), ("", 0, 12), ("torch", 1, None)]
        )
    ]
    assert run.uses(views) == ["owner 3", "owner 4"]
    assert world.said == [
        "3 of 0 after 5 of 0", "3 of 0 after 6 of 0", "3 of 0 after 0 of 0", "3 of 0 after 0 of 0",
        "3 of 0 after 12 of 0", "3 of 1 after 6 of 1",
    ]  # fmt: skip
    world.said.clear()
    run.leave()
    assert sorted(world.said) == [f"{n} of 0 after 3 of 0" for n in (0, 12, 5, 6)] + ["6 of 1 after 3 of 1"]
    world.said.clear()
    run.leave()  # once is enough
    assert world.said == []
    run.borrow(3, 0)  # its own stream
    run.leave()
    assert world.said == []


def test_a_graph_that_is_captured_comes_after_nothing_outside(world: World) -> None:
    run = Execution(3)
    world.capturing.append(world.stream(3, 0))
    run.borrow(5, 0)
    run.borrow(3, 0)
    run.leave()
    assert world.said == ["joins 5 of 0"]


def test_how_it_ends(world: World) -> None:
    run = Execution(3)
    for device in (0, 1):
        run.place(device)
    run.borrow(5, 0)
    world.said.clear()
    run.wait("a launch")
    assert world.said == [
        "5 of 0 after 3 of 0", "waits for a launch on 3 of 0", "waits for a launch on 3 of 1", "lets go",
    ]  # fmt: skip
    world.said.clear()
    module.failures.fresh.append(cast(Any, "a check"))
    run.leave()
    assert world.said == ["publishes"]


# --- Memory is given back behind the work on it -----------------------------------------------------------------------


class User:
    """A timeline: `done` is the last tick that is done."""

    def __init__(
        self, name: str, device: int, said: list[str], done: int = 0, stream: Any = "", captures: bool = False
    ):
        self.name, self.device, self.said, self.done, self.captures = name, device, said, done, captures
        self.stream = name if stream == "" else stream

    def passed(self, tick: int) -> bool:
        return tick <= self.done

    def mark(self, tick: int) -> None:
        self.said.append(f"{self.name} marks {tick}")

    def keep(self, owner: Any, tick: int) -> None:
        self.said.append(f"{self.name} keeps {owner.name} until {tick}")

    def after(self, other: Any, tick: int) -> None:
        self.said.append(f"{self.name} after {other.name} at {tick}")

    def disturbs_a_capture(self) -> bool:
        return self.captures


class Owner:
    """A buffer."""

    name = "it"

    def __init__(self, said: list[str]) -> None:
        self.said = said

    def close(self, stream: Any) -> None:
        self.said.append(f"freed on {stream}")


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []

    @contextmanager
    def on_device(device: int) -> Generator[None]:
        found.append(f"on GPU {device}")
        yield

    monkeypatch.setattr(storage.driver, "on_device", on_device)
    monkeypatch.setattr(storage.driver, "of_core", lambda stream: f"core's {stream}")
    monkeypatch.setattr(storage, "timeline", lambda device: User(f"default of {device}", device, found))
    monkeypatch.setattr(storage, "_OWNERS", {})
    monkeypatch.setattr(storage, "_LEAKED", [])
    monkeypatch.setattr(storage, "_LOST", {5})
    return found


def given_back(said: list[str], users: Any, *, device: int = 0, sole: Any = None, kept: bool = False) -> Any:
    """What comes of memory on which there is work; its space is asked for all its bytes, as if it was written."""
    owner = Owner(said)
    storage._OWNERS[id(owner)] = owner

    def conflicts(low: int, high: int, write: bool) -> Any:
        assert (low, high, write) == (1000, 1040, True)
        return users

    space: Any = SimpleNamespace(device=device, sole=sole, conflicts=conflicts)
    found = storage._give_back(owner, device, 1000, 40, space, kept)
    return found, bool(storage._OWNERS), said


def test_memory_is_freed_behind_all_work_on_it(said: list[str]) -> None:
    a, b, c = User("a", 0, said), User("b", 0, said, done=3), User("c", 0, said)
    thread = User("a thread", fh.HOST, said, stream=None)
    assert given_back(said, []) == (None, False, ["on GPU 0", "freed on core's default of 0"])
    said.clear()
    assert given_back(said, [(a, 4), (thread, 2), (b, 3), (c, 5)]) == (
        None, False, ["on GPU 0", "a after a at 4", "a after c at 5", "freed on core's a"],
    )  # fmt: skip
    said.clear()
    assert given_back(said, [(b, 3)], sole=b) == (None, False, ["on GPU 0", "freed on core's b"])
    said.clear()
    assert given_back(said, [(b, 4)], sole=c)[2] == ["on GPU 0", "c after b at 4", "freed on core's c"]
    said.clear()
    elsewhere = User("on GPU 1", 1, said)
    assert given_back(said, [(elsewhere, 4)])[2] == [
        "on GPU 0", "default of 0 after on GPU 1 at 4", "freed on core's default of 0",
    ]  # fmt: skip


def test_memory_that_is_captured_is_freed_later(said: list[str]) -> None:
    fine, captured = User("a", 0, said), User("b", 0, said, captures=True)
    for users, sole in (([(captured, 4)], None), ([(fine, 4), (captured, 4)], None), ([(fine, 4)], captured)):
        assert given_back(said, users, sole=sole) == (POSTPONED, True, ["on GPU 0"])
        said.clear()
        storage._OWNERS.clear()


def test_what_is_anothers_is_kept_until_work_on_it_is_done(said: list[str]) -> None:
    a, b, c = User("a", 0, said), User("b", 0, said, done=3), User("c", 1, said)
    assert given_back(said, [(a, 4), (b, 3), (c, 5)], kept=True) == (
        None, False, ["a marks 4", "a keeps it until 4", "c marks 5", "c keeps it until 5"],
    )  # fmt: skip


def test_nothing_is_given_back_of_a_gpu_that_is_lost(said: list[str]) -> None:
    assert given_back(said, [], device=5) == (None, False, [])
    assert [owner.name for owner in storage._LEAKED] == ["it"]  # type: ignore[attr-defined] -- they are `Owner`s here


def test_what_is_dropped_is_left_to_be_given_back(said: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """On the host memory is freed at once, unless a GPU copies it."""
    left: list[Any] = []
    monkeypatch.setattr(storage, "later", lambda work: left.append(work.args))
    on_gpu, thread = User("a", 0, said), User("a thread", fh.HOST, said, stream=None)
    owner = Owner(said)
    for device, foreign, users, expected in (
        (0, False, [], (owner, 0, 4096, 64, False)), (0, True, [], (owner, 0, 4096, 64, True)),
        (fh.HOST, False, [], None), (fh.HOST, False, [thread], None), (fh.HOST, True, [], None),
        (fh.HOST, False, [thread, on_gpu], (owner, fh.HOST, 4096, 64, True)),
        (fh.HOST, True, [on_gpu], (owner, fh.HOST, 4096, 64, True)),
    ):  # fmt: skip
        space: Any = SimpleNamespace(device=device, sole=None, uses={(u, 0, 1, True): 3 for u in users})
        if not foreign and device != fh.HOST:
            space = None
        storage._OWNERS.clear()
        made = Storage(4096, 64, device, owner, space, foreign)
        assert [*storage._OWNERS.values()] == [owner]
        if space is None:
            assert (made.space.device, made.foreign) == (device, False)
        left.clear()
        made._drop()
        assert [(*given[:4], given[5]) for given in left] == ([] if expected is None else [expected])
        assert made.owner is None
        assert bool(storage._OWNERS) is (expected is not None)  # it has it until it is given back
        made._drop()
        assert len(left) <= 1
    sole: Any = SimpleNamespace(device=fh.HOST, sole=on_gpu, uses={})
    left.clear()
    Storage(4096, 64, fh.HOST, owner, sole)._drop()
    assert len(left) == 1


def test_a_fault_takes_what_is_on_its_gpu(said: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "later", lambda work: None)
    shared = Space(6, 0, 1 << 40)
    ours, elsewhere, others = (
        Storage(4096, 64, device, Owner(said), space) for device, space in ((6, None), (7, None), (6, shared))
    )
    epoch = ours.epoch
    storage.lose(6, "it is lost")
    assert sorted(storage._LOST) == [5, 6]
    assert ours.gone == storage.Gone("lost", None, "it is lost")
    assert ours.epoch == epoch + 1
    assert (elsewhere.gone, others.gone) == (None, None)
    assert len(storage._LEAKED) == 1
    elsewhere.owner = others.owner = None
    ours.lose("again")
    assert ours.gone == storage.Gone("lost", None, "it is lost")
    assert len(storage._LEAKED) == 1


def test_memory_that_is_the_hosts_alone_is_nobody_elses(said: list[str]) -> None:
    for owner, device in ((Owner(said), fh.HOST), (None, fh.HOST), (None, 0)):
        Storage(4096, 64, device, owner).owner = None
        assert storage._OWNERS == {}


def test_page_locked_memory_is_zeros_in_the_space_of_its_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    memory, asked = np.full(64, 7, np.uint8), list[Any]()
    monkeypatch.setattr(storage.transfers, "page_locked", lambda *given: asked.append(given) or memory.ctypes.data)
    monkeypatch.setattr(storage.transfers, "unlock", lambda *given: asked.append(given))
    monkeypatch.setattr(storage, "let_go", lambda: asked.append("lets go"))
    monkeypatch.setattr(storage, "later", lambda work: work())
    monkeypatch.setattr(storage, "_OWNERS", {})
    for size in (48, 0):
        made = storage.allocate_page_locked(size, 2)
        assert asked == ["lets go", (max(size, 1), 2)]
        assert memory.tolist() == [0] * 48 + [7] * 16
        assert (made.address, made.nbytes, made.device, made.foreign) == (memory.ctypes.data, size, fh.HOST, False)
        space: Any = made.space
        assert (space.device, space.low, space.high) == (2, made.address, made.address + size)
        made.owner = None
        storage._OWNERS.clear()
        assert asked[2:] == [(memory.ctypes.data, 2)]
        asked.clear()


def test_new_memory_has_been_used_by_who_asked_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def allocate(size: int, device: int, stream: Any) -> Any:
        asked.append((size, device, stream))
        return SimpleNamespace(handle="4096")

    monkeypatch.setattr(storage.transfers, "allocate", allocate)
    monkeypatch.setattr(storage, "let_go", lambda: asked.append("lets go"))
    monkeypatch.setattr(storage, "later", lambda work: None)
    user: Any = SimpleNamespace(device=2, stream="its stream", now=7, lock=storage.lock(2))
    made = storage.allocate(64, user)
    assert asked == ["lets go", (64, 2, "its stream")]
    assert (made.address, made.nbytes, made.device, user.now) == (4096, 64, 2, 8)
    assert (made.space.sole, made.space.wrote) == (user, 8)
    made.owner = None
    for size in (0, 1, 1000):
        on_host = storage.allocate(size, SimpleNamespace(device=fh.HOST))  # type: ignore[arg-type]
        assert asked.pop() == "lets go"
        assert on_host.address % 256 == 0
        assert on_host.owner.ctypes.data <= on_host.address
        assert on_host.address + size <= on_host.owner.ctypes.data + on_host.owner.nbytes
